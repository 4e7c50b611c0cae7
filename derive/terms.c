/* Sums the model's energy statements and projects its forces on the coordinates.
 *
 * Virtual power (Goldstein, Classical Mechanics, 3rd ed., section 1.4): a force F that does the
 * power F e' on the expression e(q, t) has the generalized components Q_j = F de/dq_j, because
 * de'/dq'_j = de/dq_j. The part of e' that stems from explicit time is no virtual displacement
 * and drops out. */
#include "derive/terms.h"
#include "base/map.h"
#include "sema/model.h"

struct terms terms_of_model(struct model *model) {
  struct expr_graph *graph = model->graph;
  VECTOR(expr) parts[4] = {{0}};
  for (uint32_t i = 0; i < model->energies.count; i++) {
    const struct model_energy *energy = &model->energies.items[i];
    vector_push(&parts[energy->kind], energy->value);
  }
  struct terms terms = {0};
  terms.is_lagrangian = parts[ENERGY_LAGRANGIAN].count > 0;
  terms.has_kinetic = terms.is_lagrangian || parts[ENERGY_KINETIC].count > 0;
  for (uint32_t i = 0; i < parts[ENERGY_LAGRANGIAN].count; i++)
    vector_push(&parts[ENERGY_KINETIC], parts[ENERGY_LAGRANGIAN].items[i]);
  terms.kinetic = expr_sum(graph, parts[ENERGY_KINETIC].items, parts[ENERGY_KINETIC].count);
  terms.potential = expr_sum(graph, parts[ENERGY_POTENTIAL].items, parts[ENERGY_POTENTIAL].count);
  terms.dissipation =
      expr_sum(graph, parts[ENERGY_DISSIPATION].items, parts[ENERGY_DISSIPATION].count);
  for (int kind = 0; kind < 4; kind++) vector_free(&parts[kind]);
  return terms;
}

typedef VECTOR(expr) expr_vector;

/* Along a chain all arms of a force together are hardly longer than one; few are more readable one
 * by one. */
enum { FEW_ARMS = 16 };

/* Adds F * d(target)/d(symbol) to the summands of every coordinate that the target depends on.
 * `index` maps a position (or velocity, for speeds) to its coordinate's number + 1. */
static void project_force(struct expr_graph *graph, const struct model_force *force,
                          const struct map *index, expr_vector *summands) {
  uint32_t direct = map_get(index, force->target);
  if (direct) { /* the common case: a force on a coordinate itself */
    vector_push(&summands[direct - 1], force->value);
    return;
  }
  struct expr_list symbols = {0};
  expr_symbols_of(graph, &force->target, 1, &symbols);
  uint32_t count = 0;
  for (uint32_t i = 0; i < symbols.count; i++)
    if (map_get(index, symbols.items[i])) symbols.items[count++] = symbols.items[i];
  expr *arms = checked_calloc((size_t)count + 1, sizeof *arms);
  if (count > FEW_ARMS)
    expr_gradient(graph, force->target, symbols.items, count, arms);
  else
    for (uint32_t i = 0; i < count; i++)
      arms[i] = expr_derivative(graph, force->target, symbols.items[i]);
  for (uint32_t i = 0; i < count; i++)
    vector_push(&summands[map_get(index, symbols.items[i]) - 1],
                expr_multiply(graph, force->value, arms[i]));
  free(symbols.items);
  free(arms);
}

expr *terms_generalized_forces(struct model *model) {
  struct expr_graph *graph = model->graph;
  uint32_t n = model->coordinates.count;
  struct map positions = {0}, velocities = {0};
  for (uint32_t j = 0; j < n; j++) {
    map_set(&positions, model->coordinates.items[j].position, j + 1);
    map_set(&velocities, model->coordinates.items[j].velocity, j + 1);
  }
  expr_vector *summands = checked_calloc(n ? n : 1, sizeof *summands);
  for (uint32_t i = 0; i < model->forces.count; i++) {
    const struct model_force *force = &model->forces.items[i];
    project_force(graph, force, force->target_is_speed ? &velocities : &positions, summands);
  }
  expr *forces = checked_calloc(n ? n : 1, sizeof *forces);
  for (uint32_t j = 0; j < n; j++) {
    forces[j] = expr_sum(graph, summands[j].items, summands[j].count);
    vector_free(&summands[j]);
  }
  free(summands);
  map_free(&positions);
  map_free(&velocities);
  return forces;
}
