/* Telling units from variables where somebody forgot the brackets or the blank before them: by the
 * names people use, unless the model declares such a name. Only for messages. */
#include "parser/build.h"
#include <string.h>

bool is_common_unit(const char *name) {
  static const char *const units[] = {"m",   "mm",  "cm",  "km", "s",   "ms",  "min", "h",  "kg",
                                      "g",   "N",   "kN",  "Nm", "J",   "kJ",  "W",   "kW", "Hz",
                                      "rad", "deg", "rpm", "Pa", "MPa", "GPa", "K"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(name, units[i]) == 0) return true;
  return false;
}

/* True if token i is a name where a declaration or an index variable has one. */
static bool is_declaration(const struct builder *b, uint32_t i) {
  enum token_kind before = (enum token_kind)b->tokens[i - 1].kind;
  enum token_kind after = (enum token_kind)b->tokens[i + 1].kind;
  if (!token_is_name((enum token_kind)b->tokens[i].kind)) return false;
  return (before >= TOKEN_CONST && before <= TOKEN_OUTPUT) || before == TOKEN_FOR ||
         (before == TOKEN_COMMA && b->tokens[i].open == 0) ||
         (before == TOKEN_OPEN_PAREN && after != TOKEN_CLOSE_PAREN) || after == TOKEN_IN;
}

/* The names are looked up once, when the first message needs them. */
bool is_declared_name(struct builder *b, const char *name) {
  if (b->declared_names.capacity == 0)
    for (uint32_t i = 1; i + 1 < b->lexed->tokens.count; i++)
      if (is_declaration(b, i))
        map_set(&b->declared_names, (uint64_t)(uintptr_t)b->tokens[i].text, 1);
  return map_get(&b->declared_names, (uint64_t)(uintptr_t)name) != 0;
}

/* True if the bracket that opens an index at `open` holds what can only be meant as a unit. */
bool is_unit_in_index(struct builder *b, uint32_t open) {
  bool has_unit = false;
  for (uint32_t i = open + 1;; i++) {
    const struct token *token = &b->tokens[i];
    if (token->kind == TOKEN_CLOSE_BRACKET && token->open == open) return has_unit;
    bool is_unit = token->kind == TOKEN_NAME && is_common_unit(token->text) &&
                   !is_declared_name(b, token->text);
    bool is_join = token->kind == TOKEN_STAR || token->kind == TOKEN_SLASH ||
                   token->kind == TOKEN_CARET || token->kind == TOKEN_NUMBER;
    if (!is_unit && !is_join) return false;
    has_unit |= is_unit;
  }
}
