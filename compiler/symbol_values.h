/* Numbers for the symbols of a model, to evaluate expressions with. */
#ifndef DYN_COMPILER_SYMBOL_VALUES_H
#define DYN_COMPILER_SYMBOL_VALUES_H
#include "base/map.h"
#include "base/vector.h"
#include "sema/model.h"

/* Begin with all zero; symbol_values_clear frees. */
struct symbol_values {
  struct map slot; /* symbol -> 1 + index */
  VECTOR(double) items;
};

void symbol_values_add(struct symbol_values *values, expr symbol, double value);
/* x[2n + rates] first and in this order, then p, u and t (sizes as in dyn_model.h). */
void symbol_values_add_state(struct symbol_values *values, const struct model *model,
                             const double *x, const double *p, const double *u, double t);
/* For expr_evaluate, with the values as `user`: NAN for a symbol that has none. */
double symbol_values_of(void *user, expr symbol);
void symbol_values_clear(struct symbol_values *values);
#endif
