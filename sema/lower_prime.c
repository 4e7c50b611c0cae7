/* Primes: the total derivative by time. Positions go to velocities, velocities to accelerations,
 * states to their rates (a symbol that is replaced in the end), t to 1; parameters stay. */
#include "sema/lower.h"

static void prepare(struct lowering *l) {
  l->tangent = expr_tangent_new(l->graph);
  l->undifferentiable = expr_symbol_set_new(l->graph);
  expr_tangent_seed(l->tangent, l->model->time, expr_integer(l->graph, 1));
  for (uint32_t i = 0; i < l->model->coordinates.count; i++) {
    const struct model_coordinate *q = &l->model->coordinates.items[i];
    expr_tangent_seed(l->tangent, q->position, q->velocity);
    expr_tangent_seed(l->tangent, q->velocity, q->acceleration);
    expr_symbol_set_add(l->undifferentiable, q->acceleration);
  }
  for (uint32_t i = 0; i < l->model->states.count; i++) {
    const struct model_rate_state *z = &l->model->states.items[i];
    expr_tangent_seed(l->tangent, z->value, z->derivative);
    expr_symbol_set_add(l->undifferentiable, z->derivative);
  }
  for (uint32_t i = 0; i < l->model->constraints.count; i++)
    expr_symbol_set_add(l->undifferentiable, l->model->constraints.items[i].multiplier);
  for (uint32_t i = 0; i < l->model->inputs.count; i++)
    expr_symbol_set_add(l->undifferentiable, l->model->inputs.items[i].symbol);
}

/* Names the first thing in `value` that has no derivative. */
static void report(struct lowering *l, const struct task *task, expr value) {
  struct expr_list symbols = {0};
  expr_symbols_of(l->graph, &value, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count; i++) {
    if (!expr_symbol_set_touches(l->undifferentiable, symbols.items[i])) continue;
    const char *name = expr_symbol_name(l->graph, symbols.items[i]);
    uint32_t role = map_get(&l->roles, symbols.items[i]) % ROLE_COUNT;
    struct span span = lower_node(task)->span;
    const char *what = role == ROLE_RATE         ? "the rate "
                       : role == ROLE_MULTIPLIER ? ""
                                                 : "the acceleration ";
    struct diagnostic *d =
        role == ROLE_INPUT
            ? lower_report(l, task->environment, DIAG_DERIVATIVE_OF_INPUT, span, name, NULL, NULL)
            : lower_report(l, task->environment, DIAG_DERIVATIVE_TOO_HIGH, span,
                           lower_words(l, "%s%s", what, name), NULL, NULL);
    if (d != NULL && role == ROLE_INPUT)
      diagnostic_help(l->context, d,
                      "make the derivative the input and the value a state, whose rate is that "
                      "input; or write a known function of t instead of the input");
    break;
  }
  vector_free(&symbols);
}

void lower_prime(struct lowering *l, const struct task *task) {
  expr value = pop_value(l);
  unsigned count = lower_node(task)->count;
  if (value != 0 && l->is_early) value = expr_integer(l->graph, 0);
  if (value != 0 && l->tangent == NULL && !l->is_early) prepare(l);
  for (unsigned i = 0; i < count && value != 0 && !l->is_early; i++) {
    if (expr_is_integer_value(l->graph, value, 0)) break;
    if (expr_symbol_set_touches(l->undifferentiable, value)) {
      report(l, task, value);
      value = 0;
    } else {
      value = expr_tangent_of(l->tangent, value);
    }
  }
  push_value(l, value);
}
