/* Naming tokens in messages: what was found, and what a set of expected tokens amounts to. */
#include "parser/build.h"
#include <string.h>

const char *syntax_found_words(struct builder *b, uint32_t at) {
  const struct token *token = &b->tokens[at];
  struct arena *arena = &b->context->arena;
  switch (token->kind) {
  case TOKEN_NUMBER:
    return arena_format(arena, "the number %s", token->text);
  case TOKEN_STRING:
    return "a text";
  case TOKEN_END: {
    const struct token *next = &b->tokens[at + 1];
    bool is_last = next->kind == TOKEN_FINISH;
    return b->is_assignments || is_last ? "the end" : "the end of the statement";
  }
  case TOKEN_OPEN_UNIT:
  case TOKEN_OPEN_INDEX:
    return "'['";
  case TOKEN_PRIMES:
    return "a derivative";
  default:
    break;
  }
  if (token->text != NULL) return arena_format(arena, "'%s'", token->text);
  return token_words((enum token_kind)token->kind);
}

/* ---------------------------------------------------------------- expected */

struct words {
  const char *items[8];
  uint32_t count;
  bool is_cut;
};

static void add_word(struct words *words, const char *word) {
  for (uint32_t i = 0; i < words->count; i++)
    if (strcmp(words->items[i], word) == 0) return;
  if (words->count < 5)
    words->items[words->count++] = word;
  else
    words->is_cut = true;
}

static bool is_any_operator(enum token_kind kind) {
  return (kind >= TOKEN_PLUS && kind <= TOKEN_NOT_EQUAL) || kind == TOKEN_AND || kind == TOKEN_OR;
}

/* Tokens that only an expression as a whole stands for. */
static bool starts_expression(enum token_kind kind) {
  return kind == TOKEN_NUMBER || kind == TOKEN_STRING || kind == TOKEN_MINUS ||
         kind == TOKEN_PLUS || kind == TOKEN_NOT || kind == TOKEN_IF || kind == TOKEN_SUM ||
         kind == TOKEN_PRODUCT || kind == TOKEN_OPEN_PAREN || token_is_name(kind);
}

/* What may follow nearly any operand, so that saying it helps nobody. */
static bool belongs_to_operand(enum token_kind kind) {
  return kind == TOKEN_DOT || kind == TOKEN_OPEN_INDEX || kind == TOKEN_OPEN_UNIT ||
         kind == TOKEN_PRIMES || kind == TOKEN_OPEN_PAREN;
}

static void join(struct text *out, const struct words *words) {
  for (uint32_t i = 0; i < words->count; i++) {
    bool is_last = i + 1 == words->count && !words->is_cut;
    if (i > 0) text_put(out, is_last ? " or " : ", ");
    text_put(out, words->items[i]);
  }
}

/* A number and `-` together: an expression is due. `*` or `-` without a number: an operator. */
const char *syntax_expected_words(dyn_context *context, const bool expected[TOKEN_KIND_COUNT]) {
  bool operand = expected[TOKEN_NUMBER] && expected[TOKEN_NAME];
  bool operators = expected[TOKEN_STAR] && expected[TOKEN_PLUS] && !operand;
  bool goes_on = expected[TOKEN_DOT] && expected[TOKEN_PRIMES];
  struct words words = {.count = 0};
  if (expected[TOKEN_MODEL]) return "a statement";
  if (operand)
    add_word(&words, "an expression");
  else if (expected[TOKEN_NAME])
    add_word(&words, "a name");
  /* The specific ones first: they say more than "an operator". */
  for (int kind = 1; kind < TOKEN_KIND_COUNT; kind++) {
    enum token_kind k = (enum token_kind)kind;
    if (!expected[kind] || k == TOKEN_END || k == TOKEN_BROKEN || k == TOKEN_FINISH) continue;
    if (operand && starts_expression(k)) continue;
    if (expected[TOKEN_NAME] && token_is_name(k)) continue;
    if (operators && is_any_operator(k)) continue;
    if (goes_on && belongs_to_operand(k)) continue;
    add_word(&words, token_words(k));
  }
  if (operators) add_word(&words, "an operator");
  if (expected[TOKEN_END]) add_word(&words, "the end of the statement");
  struct text text = {0};
  join(&text, &words);
  const char *joined =
      words.count == 0 ? "something else" : arena_string(&context->arena, text.bytes, text.length);
  text_free(&text);
  return joined;
}
