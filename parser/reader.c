/* The parser's token source: picks the start symbol, tells apart names that only the tokens
 * around them tell apart, and finds where to go on after a syntax error.
 *
 *   TYPE_NAME      `spring` in `spring s1(...)` and `forces` in `forces.spring s1(...)`
 *   LABEL_NAME     `tau` in `force tau: ...`
 *   ARGUMENT_NAME  `mass` in `(mass = ...`, in the brackets of a call
 *   RESERVED       a statement of a keyword kept for later, with its whole line
 *
 * The lexer has seen to it that brackets are paired and statements end, so recovery is a search
 * for the next END, block or (in lists) comma outside of brackets; then one SKIP is sent, which
 * every error rule of the grammar waits for. */
#include "parser/reader.h"

static const struct token *token_at(const struct builder *b, uint32_t index) {
  return &b->tokens[index];
}

static enum token_kind kind_at(const struct builder *b, uint32_t index) {
  return (enum token_kind)b->tokens[index].kind;
}

/* ---------------------------------------------------------------- kinds of names */

static bool is_reserved(enum token_kind kind) {
  return kind == TOKEN_ASSERT || kind == TOKEN_CONTACT || kind == TOKEN_IMPACT ||
         kind == TOKEN_PLOT || kind == TOKEN_VIEW;
}

static bool is_type_name(const struct builder *b, uint32_t index) {
  if (token_at(b, index + 1)->kind == TOKEN_DOT && token_is_name(kind_at(b, index + 2))) index += 2;
  return token_is_name(kind_at(b, index + 1));
}

static bool takes_label(enum token_kind kind) {
  return kind == TOKEN_KINETIC || kind == TOKEN_POTENTIAL || kind == TOKEN_LAGRANGIAN ||
         kind == TOKEN_DISSIPATION || kind == TOKEN_FORCE || kind == TOKEN_TORQUE ||
         kind == TOKEN_CONSTRAINT;
}

/* Stops at the first END, so the search is as long as the statement. */
static bool is_label(const struct builder *b, uint32_t index) {
  if (!takes_label(kind_at(b, index - 1))) return false;
  uint32_t at = index + 1;
  if (kind_at(b, at) == TOKEN_OPEN_INDEX) {
    for (uint32_t open = at++;
         kind_at(b, at) != TOKEN_CLOSE_BRACKET || token_at(b, at)->open != open; at++)
      if (kind_at(b, at) == TOKEN_END) return false;
    at++;
  }
  return kind_at(b, at) == TOKEN_COLON;
}

/* The bracket belongs to a call, not to a list of formals and not to an expression. */
static bool is_call_bracket(const struct builder *b, uint32_t open) {
  if (open == 0 || kind_at(b, open) != TOKEN_OPEN_PAREN) return false;
  enum token_kind before = kind_at(b, open - 1);
  if (before != TOKEN_SIMULATE && before != TOKEN_CLOSE_BRACKET && !token_is_name(before))
    return false;
  enum token_kind head = kind_at(b, b->statement_begin);
  bool is_head = open == b->statement_begin + 2;
  return !(is_head && (head == TOKEN_COMPONENT || head == TOKEN_FUNCTION));
}

static bool is_argument_name(const struct builder *b, uint32_t index) {
  const struct token *token = token_at(b, index);
  bool can_be_name =
      token_is_name(kind_at(b, index)) || (token_traits(kind_at(b, index)) & TRAIT_KEYWORD) != 0;
  if (!can_be_name || kind_at(b, index + 1) != TOKEN_EQUALS) return false;
  enum token_kind before = kind_at(b, index - 1);
  return (before == TOKEN_COMMA || before == TOKEN_OPEN_PAREN) && is_call_bracket(b, token->open);
}

static enum reader_class classify(const struct builder *b, uint32_t index) {
  const struct token *token = token_at(b, index);
  bool is_first = (token->flags & TOKEN_STARTS_STATEMENT) != 0 && !b->is_assignments;
  enum token_kind kind = kind_at(b, index);
  if (is_first && is_reserved(kind)) return READER_RESERVED;
  if (is_first && token_is_name(kind) && is_type_name(b, index)) return READER_TYPE_NAME;
  if (token_is_name(kind) && is_label(b, index)) return READER_LABEL_NAME;
  if (is_argument_name(b, index)) return READER_ARGUMENT_NAME;
  return READER_TOKEN;
}

/* ---------------------------------------------------------------- reading */

/* The end of a statement that is stepped over: its END, or the block that follows. */
static uint32_t find_end(const struct builder *b, uint32_t index) {
  while (kind_at(b, index) != TOKEN_END && kind_at(b, index) != TOKEN_OPEN_BRACE &&
         kind_at(b, index) != TOKEN_FINISH)
    index++;
  return index;
}

enum reader_class reader_next(struct builder *b, struct token_range *at) {
  if (!b->has_begun) {
    b->has_begun = true;
    *at = (struct token_range){0, 0};
    return b->is_assignments ? READER_START_ASSIGNMENTS : READER_START_MODEL;
  }
  if (b->is_skipping) {
    b->is_skipping = false;
    *at = (struct token_range){b->next, b->next};
    return READER_SKIP;
  }
  uint32_t index = b->next;
  *at = (struct token_range){index, index + 1};
  if (kind_at(b, index) == TOKEN_FINISH) return READER_TOKEN;
  /* Behind a block's end there may be an `else`, which is no part of its last statement. */
  if ((token_at(b, index)->flags & TOKEN_STARTS_STATEMENT) ||
      kind_at(b, index) == TOKEN_CLOSE_BRACE)
    b->statement_begin = index;
  enum reader_class class = classify(b, index);
  b->next = class == READER_RESERVED ? find_end(b, index) : index + 1;
  return class;
}

/* ---------------------------------------------------------------- after an error */

bool reader_in_list_statement(const struct builder *b) {
  switch (kind_at(b, b->statement_begin)) {
  case TOKEN_CONST:
  case TOKEN_PARAM:
  case TOKEN_INPUT:
  case TOKEN_COORD:
  case TOKEN_STATE:
  case TOKEN_SPEED:
  case TOKEN_LET:
  case TOKEN_OUTPUT:
  case TOKEN_POINT:
  case TOKEN_INITIAL:
  case TOKEN_START:
    return true;
  default:
    return b->is_assignments;
  }
}

/* A second fault at one token means that its recovery did not fit there: commas are no place to go
 * on then, and after a third the token itself is given up, so that there is always progress. */
void reader_recover(struct builder *b, uint32_t fault_token) {
  b->fault_count = fault_token == b->fault_token ? b->fault_count + 1 : 1;
  b->fault_token = fault_token;
  bool is_list = reader_in_list_statement(b) && b->fault_count == 1;
  uint32_t index = fault_token, depth = 0;
  if (b->fault_count > 3 && kind_at(b, index) != TOKEN_FINISH) index++;
  for (;; index++) {
    enum token_kind kind = kind_at(b, index);
    if (kind == TOKEN_FINISH) break;
    depth += kind == TOKEN_OPEN_BRACE && is_list;
    if (depth == 0 && (kind == TOKEN_END || kind == TOKEN_OPEN_BRACE)) break;
    if (depth == 0 && is_list && kind == TOKEN_COMMA && token_at(b, index)->open == 0) break;
    depth -= kind == TOKEN_CLOSE_BRACE && depth > 0;
  }
  b->next = index;
  b->is_skipping = true;
}
