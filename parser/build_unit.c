/* Making units: a list of factors with rational exponents. Brackets are resolved at once, by
 * changing the exponents of the factors collected since the bracket; the lexer bounds how deep
 * they nest, so this stays linear. */
#include "parser/build.h"
#include <string.h>

uint32_t unit_add_name(struct builder *b, uint32_t token) {
  const struct token *name = &b->tokens[token];
  struct ast_unit_factor factor = {name->text, name->span, 1, 1};
  vector_push(&b->factors, factor);
  return b->factors.count - 1;
}

static void report_unit(struct builder *b, struct span span, const char *what, const char *help) {
  struct diagnostic *d = diagnostic_add(b->context, DIAG_BAD_UNIT, span, what, NULL);
  if (help != NULL) diagnostic_help(b->context, d, "%s", help);
}

uint32_t unit_add_number(struct builder *b, uint32_t token) {
  if (strcmp(b->tokens[token].text, "1") != 0)
    report_unit(b, b->tokens[token].span, "the only number among the names of a unit is 1",
                "put the number before the unit, as in 1000 [m]");
  return b->factors.count;
}

/* The value of an integer token; false if it is none or too large for an exponent. */
static bool read_integer(const struct token *token, int64_t *value) {
  *value = 0;
  for (const char *digit = token->text; *digit != '\0'; digit++) {
    if (*digit < '0' || *digit > '9' || *value > 100000) return false;
    *value = *value * 10 + (*digit - '0');
  }
  return true;
}

struct rational unit_exponent(struct builder *b, uint32_t numerator, uint32_t denominator,
                              bool is_negative) {
  int64_t p = 1, q = 1;
  struct rational exponent = rational_integer(1);
  if (!read_integer(&b->tokens[numerator], &p) ||
      (denominator != 0 && !read_integer(&b->tokens[denominator], &q)) ||
      !rational_make(is_negative ? -p : p, q, &exponent))
    report_unit(b, b->tokens[numerator].span, "an exponent of a unit is an integer or (p/q)",
                "a square root is written ^(1/2)");
  return exponent;
}

void unit_raise(struct builder *b, uint32_t first, struct rational exponent,
                struct token_range at) {
  for (uint32_t i = first; i < b->factors.count; i++) {
    struct ast_unit_factor *factor = &b->factors.items[i];
    struct rational power = {factor->numerator, factor->denominator};
    if (!rational_multiply(power, exponent, &power)) {
      report_unit(b, build_span(b, at), "an exponent of this unit is too large", NULL);
      return;
    }
    factor->numerator = power.numerator;
    factor->denominator = power.denominator;
  }
}

struct ast_unit *unit_end(struct builder *b, struct token_range at) {
  struct arena *arena = &b->context->arena;
  struct ast_unit *unit = arena_new(arena, struct ast_unit);
  unit->span = build_span(b, at);
  const struct source *source = source_get(&b->context->sources, unit->span.source);
  uint32_t begin = unit->span.begin + 1, end = unit->span.end - 1;
  while (begin < end && source->text[begin] == ' ') begin++;
  while (end > begin && source->text[end - 1] == ' ') end--;
  unit->text = arena_string(arena, source->text + begin, end - begin);
  unit->factors.items =
      arena_copy(arena, b->factors.items, b->factors.count * sizeof *b->factors.items);
  unit->factors.count = unit->factors.capacity = b->factors.count;
  b->factors.count = 0;
  return unit;
}
