/* The integral of an exact form, one variable after the other: F_1 = integral of a_1 dx_1, then
 * what a_2 has beyond dF_1/dx_2, and so on; the time comes last. */
#include "sema/integral.h"

static bool is_zero(const struct integral_space *space, expr e) {
  struct zero_test test = {0};
  if (expr_is_integer_value(space->graph, e, 0)) return true;
  enum verdict verdict = expr_is_zero(space->graph, e, &test);
  return verdict == VERDICT_YES || (verdict == VERDICT_UNDECIDED && test.points_used > 0);
}

/* dF/dt with states that follow their rates. */
static expr time_derivative(const struct integral_space *space, expr integral) {
  struct expr_tangent *along = expr_tangent_new(space->graph);
  expr_tangent_seed(along, space->time, expr_integer(space->graph, 1));
  for (uint32_t k = 0; k < space->s; k++) expr_tangent_seed(along, space->z[k], space->rate[k]);
  expr derivative = expr_tangent_of(along, integral);
  expr_tangent_free(along);
  return derivative;
}

static bool is_integral(const struct integral_space *space, const expr *form, expr integral) {
  for (uint32_t j = 0; j <= space->n; j++) {
    if (j < space->n && space->is_frozen[j]) continue;
    expr derivative = j < space->n ? expr_derivative(space->graph, integral, space->q[j])
                                   : time_derivative(space, integral);
    if (!is_zero(space, expr_subtract(space->graph, derivative, form[j]))) return false;
  }
  return true;
}

/* A form may vanish where coordinates are frozen: it keeps nothing constant then. */
static bool is_constant(const struct integral_space *space, expr integral) {
  struct expr_symbol_set *variables = expr_symbol_set_new(space->graph);
  for (uint32_t j = 0; j < space->n; j++) expr_symbol_set_add(variables, space->q[j]);
  for (uint32_t k = 0; k < space->s; k++) expr_symbol_set_add(variables, space->z[k]);
  expr_symbol_set_add(variables, space->time);
  bool touches = expr_symbol_set_touches(variables, integral);
  expr_symbol_set_free(variables);
  return !touches;
}

static expr in_order(const struct integral_space *space, const expr *form, bool is_reversed) {
  struct expr_graph *graph = space->graph;
  expr integral = expr_integer(graph, 0);
  for (uint32_t i = 0; i <= space->n; i++) {
    uint32_t j = is_reversed && i < space->n ? space->n - 1 - i : i;
    if (j < space->n && space->is_frozen[j]) continue;
    expr x = j < space->n ? space->q[j] : space->time;
    expr had =
        j < space->n ? expr_derivative(graph, integral, x) : time_derivative(space, integral);
    expr rest = expr_subtract(graph, form[j], had);
    if (is_zero(space, rest)) continue;
    expr part = integral_antiderivative(graph, rest, x);
    if (part == 0) return 0;
    integral = expr_add(graph, integral, part);
  }
  return !is_constant(space, integral) && is_integral(space, form, integral) ? integral : 0;
}

expr integral_of_exact(const struct integral_space *space, const expr *form) {
  expr found = in_order(space, form, false);
  return found != 0 ? found : in_order(space, form, true);
}
