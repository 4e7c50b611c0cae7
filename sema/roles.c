/* Which symbols an expression depends on, by what they stand for. */
#include "sema/lower.h"

expr find_other_role(struct lowering *l, expr e, role_set allowed) {
  struct expr_list symbols = {0};
  expr found = 0;
  expr_symbols_of(l->graph, &e, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count && found == 0; i++)
    if ((allowed & role_bit(map_get(&l->roles, symbols.items[i]) % ROLE_COUNT)) == 0)
      found = symbols.items[i];
  vector_free(&symbols);
  return found;
}

const char *role_words(struct lowering *l, expr symbol) {
  static const char *const words[ROLE_COUNT] = {
      [ROLE_NONE] = "symbol",       [ROLE_PARAMETER] = "parameter",
      [ROLE_INPUT] = "input",       [ROLE_POSITION] = "coordinate",
      [ROLE_VELOCITY] = "velocity", [ROLE_ACCELERATION] = "acceleration",
      [ROLE_STATE] = "state",       [ROLE_RATE] = "rate",
      [ROLE_TIME] = "time",         [ROLE_MULTIPLIER] = "Lagrange multiplier"};
  return lower_words(l, "%s %s", words[map_get(&l->roles, symbol) % ROLE_COUNT],
                     expr_symbol_name(l->graph, symbol));
}
