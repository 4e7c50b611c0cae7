/* Whether a system separates into kicks and drifts, so that splitting methods apply, and whether it
 * is canonical. Needs mass, forcing and nonconservative forces of a derived system; looks at the
 * expressions as they stand, so that a no may be one of ignorance, a yes never is.
 * (Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed., I.1.4 and VI.1.) */
#include "derive/recursion.h"
#include "derive/system.h"
#include "sema/model.h"

static bool touches_any(struct expr_symbol_set *set, const expr *items, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (expr_symbol_set_touches(set, items[i])) return true;
  return false;
}

/* A mass matrix that is not derived is a polynomial of the inertias and coefficients of its
 * recursion. */
static bool mass_touches(struct expr_symbol_set *set, const struct system *system) {
  const struct recursion *r = system->recursion;
  if (system->mass != NULL) return touches_any(set, system->mass, (size_t)system->n * system->n);
  for (uint32_t i = 0; i < r->inertias.count; i++)
    if (expr_symbol_set_touches(set, r->inertias.items[i].value)) return true;
  for (uint32_t i = 0; i < r->mass.moves.count; i++) {
    uint32_t term = r->mass.moves.items[i].term;
    if (expr_symbol_set_touches(set, r->sum_terms.items[term].coefficient)) return true;
  }
  return false;
}

/* The symbols that a force of positions and time does not know. */
static void add_motion(struct expr_symbol_set *set, const struct model *model) {
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    expr_symbol_set_add(set, model->coordinates.items[i].velocity);
    expr_symbol_set_add(set, model->coordinates.items[i].acceleration);
  }
  for (uint32_t k = 0; k < model->constraints.count; k++)
    expr_symbol_set_add(set, model->constraints.items[k].multiplier);
}

bool system_is_separable(const struct system *system) {
  const struct model *model = system->model;
  size_t n = system->n;
  if (n == 0 || system->rates > 0 || !system->multiplier_force_is_transpose) return false;
  struct expr_symbol_set *motion = expr_symbol_set_new(system->graph);
  struct expr_symbol_set *any = expr_symbol_set_new(system->graph);
  add_motion(motion, model);
  add_motion(any, model);
  for (size_t i = 0; i < n; i++) expr_symbol_set_add(any, model->coordinates.items[i].position);
  for (size_t i = 0; i < model->inputs.count; i++)
    expr_symbol_set_add(any, model->inputs.items[i].symbol);
  expr_symbol_set_add(any, model->time);
  bool found = !mass_touches(any, system) && !touches_any(motion, system->forcing, n);
  expr_symbol_set_free(motion);
  expr_symbol_set_free(any);
  return found;
}

bool system_has_potential_forces(const struct system *system) {
  for (uint32_t i = 0; i < system->n; i++)
    if (!expr_is_integer_value(system->graph, system->nonconservative[i], 0)) return false;
  return system->multiplier_force_is_transpose;
}
