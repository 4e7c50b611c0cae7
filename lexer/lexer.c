/* Running the passes of the lexer, the token table, and the dump. */
#include "lexer/lexer.h"
#include "lexer/scan.h"
#include <string.h>

enum { MOST_BAD_BYTES = 20 };

static const struct {
  const char *identifier, *spelling, *words;
  unsigned traits;
} kinds[] = {
#define TOKEN(kind, spelling, words, traits) {#kind, spelling, words, traits},
#include "lexer/tokens.def"
#undef TOKEN
};

unsigned token_traits(enum token_kind kind) {
  return kinds[kind].traits;
}

const char *token_words(enum token_kind kind) {
  return kinds[kind].words;
}

const char *token_spelling(enum token_kind kind) {
  return kinds[kind].spelling;
}

const char *token_identifier(enum token_kind kind) {
  return kinds[kind].identifier;
}

/* Reports each run of bytes that are not UTF-8; the scanner passes over them. */
static void check_utf8(dyn_context *context, uint32_t source) {
  const struct source *held = source_get(&context->sources, source);
  uint32_t runs = 0;
  for (uint32_t at = 0; at < held->length && runs < MOST_BAD_BYTES;) {
    unsigned length = utf8_sequence(held->text + at, held->length - at, NULL);
    if (length > 0) {
      at += length;
      continue;
    }
    uint32_t begin = at;
    while (at < held->length && utf8_sequence(held->text + at, held->length - at, NULL) == 0) at++;
    const char *byte = arena_format(&context->arena, "0x%02X", (unsigned char)held->text[begin]);
    struct diagnostic *d =
        diagnostic_add(context, DIAG_BAD_UTF8, (struct span){source, begin, at}, byte, NULL);
    diagnostic_help(context, d, "save the file as UTF-8");
    runs++;
  }
}

/* Keywords and words by their interned text. */
static void intern_keywords(dyn_context *context, struct map *keywords) {
  for (uint32_t kind = 1; kind < TOKEN_KIND_COUNT; kind++)
    if ((kinds[kind].traits & (TRAIT_KEYWORD | TRAIT_WORD)) != 0) {
      const char *text = intern_string(&context->names, kinds[kind].spelling);
      map_set(keywords, (uint64_t)(uintptr_t)text, kind);
    }
}

void lexer_run(dyn_context *context, uint32_t source, enum lexer_mode mode,
               struct token_list *out) {
  const struct source *held = source_get(&context->sources, source);
  if (held == NULL) bug("no source %u", source);
  struct token_list raw = {.source = source};
  struct scan scan = {.context = context,
                      .source = source,
                      .text = held->text,
                      .length = held->length,
                      .out = &raw};
  check_utf8(context, source);
  if (held->length >= 3 && memcmp(held->text, "\xef\xbb\xbf", 3) == 0) scan.end = 3;
  vector_push(&raw.tokens,
              ((struct token){.kind = TOKEN_BEGIN, .span = {source, scan.end, scan.end}}));
  intern_keywords(context, &scan.keywords);
  scanner_run(&scan);
  map_free(&scan.keywords);
  *out = (struct token_list){.source = source};
  layout_run(context, &raw, mode, out);
  lexer_clear(&raw);
}

void lexer_clear(struct token_list *list) {
  vector_free(&list->tokens);
  vector_free(&list->docs);
}

/* ---------------------------------------------------------------- dump */

static void dump_place(const dyn_context *context, struct text *out, struct span span) {
  struct source_place begin = source_locate(&context->sources, span.source, span.begin);
  struct source_place end = source_locate(&context->sources, span.source, span.end);
  text_format(out, "%u:%u-%u", begin.line, begin.column, end.column);
}

void tokens_dump(dyn_context *context, const struct token_list *list, struct text *out) {
  for (uint32_t i = 0; i < list->tokens.count; i++) {
    const struct token *token = &list->tokens.items[i];
    text_format(out, "%u ", i);
    dump_place(context, out, token->span);
    text_format(out, " %s", kinds[token->kind].identifier);
    if (token->count > 0) text_format(out, " %u", token->count);
    if (token->text != NULL && (token->kind == TOKEN_STRING || token_is_name(token->kind) ||
                                token->kind == TOKEN_NUMBER || token->kind == TOKEN_UNIT_NAME)) {
      text_put(out, " ");
      text_json_string(out, token->text);
    }
    if (token->open != 0) text_format(out, " in %u", token->open);
    if (token->flags & TOKEN_STARTS_STATEMENT) text_put(out, " starts");
    if (token->flags & TOKEN_REPORTED) text_put(out, " reported");
    text_put(out, "\n");
  }
  for (uint32_t i = 0; i < list->docs.count; i++) {
    const struct doc_comment *doc = &list->docs.items[i];
    if (doc->is_trailing)
      text_format(out, "doc of %u..%u ", doc->first, doc->before - 1);
    else
      text_format(out, "doc of %s %u ", doc->is_file_head ? "file, before" : "", doc->before);
    text_json_string(out, doc->text);
    text_put(out, "\n");
  }
}
