/* Which doc comments belong to which tokens. They are sorted by place, so binary search finds the
 * first that can belong to a range. */
#include "parser/build.h"

/* The first doc comment with `before` >= token. */
static uint32_t find_doc(const struct token_list *lexed, uint32_t token) {
  uint32_t low = 0, high = lexed->docs.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (lexed->docs.items[middle].before < token)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void add_line(struct text *out, const char *line) {
  if (out->length > 0) text_put(out, "\n");
  text_put(out, line);
}

static const char *finish(const struct builder *b, struct text *lines) {
  const char *doc =
      lines->length > 0 ? arena_string(&b->context->arena, lines->bytes, lines->length) : NULL;
  text_free(lines);
  return doc;
}

static void add_leading(const struct builder *b, uint32_t token, struct text *lines) {
  const struct token_list *lexed = b->lexed;
  for (uint32_t i = find_doc(lexed, token); i < lexed->docs.count; i++) {
    const struct doc_comment *doc = &lexed->docs.items[i];
    if (doc->before > token) break;
    if (!doc->is_trailing && !doc->is_file_head) add_line(lines, doc->text);
  }
}

const char *doc_before(const struct builder *b, uint32_t token) {
  struct text lines = {0};
  add_leading(b, token, &lines);
  return finish(b, &lines);
}

const char *doc_of_range(const struct builder *b, struct token_range range) {
  const struct token_list *lexed = b->lexed;
  struct text lines = {0};
  add_leading(b, range.begin, &lines);
  for (uint32_t i = find_doc(lexed, range.begin + 1); i < lexed->docs.count; i++) {
    const struct doc_comment *doc = &lexed->docs.items[i];
    /* `first` grows with the index too, so the first one behind the range ends the search. */
    if (doc->first >= range.end) break;
    if (doc->is_trailing) add_line(&lines, doc->text);
  }
  return finish(b, &lines);
}

const char *doc_of_file(const struct builder *b) {
  struct text lines = {0};
  bool is_model = b->tokens[1].kind == TOKEN_MODEL;
  for (uint32_t i = 0; i < b->lexed->docs.count; i++) {
    const struct doc_comment *doc = &b->lexed->docs.items[i];
    if (doc->is_file_head || (is_model && doc->before == 1 && !doc->is_trailing))
      add_line(&lines, doc->text);
  }
  return finish(b, &lines);
}
