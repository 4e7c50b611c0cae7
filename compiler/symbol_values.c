/* Numbers for the symbols of a model. */
#include "compiler/symbol_values.h"
#include <math.h>

void symbol_values_add(struct symbol_values *values, expr symbol, double value) {
  vector_push(&values->items, value);
  map_set(&values->slot, symbol, values->items.count);
}

void symbol_values_add_state(struct symbol_values *values, const struct model *model,
                             const double *x, const double *p, const double *u, double t) {
  uint32_t n = model->coordinates.count;
  for (uint32_t i = 0; i < n; i++)
    symbol_values_add(values, model->coordinates.items[i].position, x[i]);
  for (uint32_t i = 0; i < n; i++)
    symbol_values_add(values, model->coordinates.items[i].velocity, x[n + i]);
  for (uint32_t i = 0; i < model->states.count; i++)
    symbol_values_add(values, model->states.items[i].value, x[2 * n + i]);
  for (uint32_t i = 0; i < model->parameters.count; i++)
    symbol_values_add(values, model->parameters.items[i].symbol, p[i]);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    symbol_values_add(values, model->inputs.items[i].symbol, u[i]);
  symbol_values_add(values, model->time, t);
}

double symbol_values_of(void *user, expr symbol) {
  const struct symbol_values *values = user;
  uint32_t slot = map_get(&values->slot, symbol);
  return slot != 0 ? values->items.items[slot - 1] : NAN;
}

void symbol_values_clear(struct symbol_values *values) {
  map_free(&values->slot);
  vector_free(&values->items);
}
