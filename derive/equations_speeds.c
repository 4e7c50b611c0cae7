/* The equations of kane and gibbs-appell for a reader: velocities by the speeds, the Gibbs function
 * (its terms with rates of speeds), and the equations of motion, inertia on the left. Velocities
 * are replaced by the speeds. Multipliers stand for the constraints; the generated code eliminates
 * them with the dependent speeds. */
#include "derive/equations.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

static void put(struct equations *equations, expr left, expr right) {
  struct equation_line line = {left, right};
  vector_push(&equations->motion, line);
}

/* A speed that is a coordinate's velocity has its name, too. */
static bool says_nothing(const struct system *s, size_t j) {
  expr by_speeds = s->state.velocity[j];
  return expr_operator_of(s->graph, by_speeds) == EXPR_SYMBOL &&
         strcmp(expr_symbol_name(s->graph, by_speeds),
                expr_symbol_name(s->graph, s->model->coordinates.items[j].velocity)) == 0;
}

void equations_arrange_speeds(struct equations *equations) {
  const struct system *s = equations->system;
  const struct system_method_state *state = &s->state;
  size_t n = s->n;
  struct expr_substitution *by_speeds = expr_substitution_new(s->graph);
  expr *terms = checked_calloc(n + 1, sizeof(expr));
  for (size_t j = 0; j < n; j++) {
    expr velocity = s->model->coordinates.items[j].velocity;
    expr_substitution_add(by_speeds, velocity, state->velocity[j]);
    if (!says_nothing(s, j)) put(equations, velocity, state->velocity[j]);
  }
  if (state->gibbs_quadratic && !(equations->show & SHOW_GIBBS)) {
    expr gibbs = expr_add(s->graph, state->gibbs_quadratic, state->gibbs_linear);
    put(equations, expr_symbol(s->graph, "G", NULL), expr_substitution_of(by_speeds, gibbs));
  }
  for (size_t r = 0; r < n; r++) {
    for (size_t u = 0; u < n; u++)
      terms[u] = expr_multiply(s->graph, state->mass[r + u * n], state->symbol_rate[u]);
    expr right = expr_substitution_of(by_speeds, state->forcing[r]);
    expr left = expr_substitution_of(by_speeds, expr_sum(s->graph, terms, n));
    put(equations, left,
        equations_with_reactions(equations, state->multiplier_force, (uint32_t)r, right));
  }
  free(terms);
  expr_substitution_free(by_speeds);
}
