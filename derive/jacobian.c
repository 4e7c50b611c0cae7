/* Partial derivatives of the equations and of functions of the motion by the state, by inputs or by
 * parameters, for implicit integrators, linearisation and estimation:
 *
 *     r(q, q', z, u, p, q'', λ) = [M q'' - f - B λ;  A q'' + bias],
 *
 * with the accelerations and multipliers kept as symbols. One tangent a column, shared by all rows.
 *
 * In speeds the unknowns are v' in place of q'', and the state is [q, v, z]: q' and q'' then follow
 * from it by the chain rule, which is in the seeds of the tangents. */
#include "derive/system.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

struct columns {
  const struct system *system;
  const struct model *model;
  bool by_speeds;
  size_t n, m;
};

static expr unknown_symbol(const struct columns *c, size_t row) {
  if (row >= c->n) return c->model->constraints.items[row - c->n].multiplier;
  return c->by_speeds ? c->system->state.symbol_rate[row]
                      : c->model->coordinates.items[row].acceleration;
}

/* The n + m rows of r; the caller frees them. */
static expr *residuals(const struct columns *c) {
  const struct system *system = c->system;
  const struct system_method_state *state = &system->state;
  const expr *mass = c->by_speeds ? state->mass : system->mass;
  const expr *forcing = c->by_speeds ? state->forcing : system->forcing;
  const expr *jacobian = c->by_speeds ? state->jacobian : system->constraint_jacobian;
  const expr *bias = c->by_speeds ? state->bias : system->constraint_bias;
  const expr *force = c->by_speeds ? state->multiplier_force : system->multiplier_force;
  size_t n = c->n, m = c->m;
  expr *rows = checked_calloc(n + m + 1, sizeof(expr));
  expr *terms = checked_calloc(n + m + 1, sizeof(expr));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      terms[j] = expr_multiply(system->graph, mass[i + j * n], unknown_symbol(c, j));
    for (size_t k = 0; k < m; k++)
      terms[n + k] = expr_negate(
          system->graph, expr_multiply(system->graph, force[i + k * n], unknown_symbol(c, n + k)));
    terms[n + m] = expr_negate(system->graph, forcing[i]);
    rows[i] = expr_sum(system->graph, terms, n + m + 1);
  }
  for (size_t k = 0; k < m; k++) {
    for (size_t j = 0; j < n; j++)
      terms[j] = expr_multiply(system->graph, jacobian[k + j * m], unknown_symbol(c, j));
    terms[n] = bias[k];
    rows[n + k] = expr_sum(system->graph, terms, n + 1);
  }
  free(terms);
  return rows;
}

/* In speeds velocities and accelerations follow the symbol. */
static void seed_velocities(const struct columns *c, expr symbol, struct expr_tangent *tangent) {
  const struct system_method_state *state = &c->system->state;
  struct expr_graph *graph = c->system->graph;
  struct expr_tangent *of_velocity = expr_tangent_new(graph);
  struct expr_tangent *of_acceleration = expr_tangent_new(graph);
  expr_tangent_seed(of_velocity, symbol, expr_integer(graph, 1));
  expr_tangent_seed(of_acceleration, symbol, expr_integer(graph, 1));
  for (size_t j = 0; j < c->n; j++) {
    expr velocity = c->model->coordinates.items[j].velocity;
    expr change = expr_tangent_of(of_velocity, state->velocity[j]);
    expr_tangent_seed(tangent, velocity, change);
    expr_tangent_seed(of_acceleration, velocity, change);
  }
  for (size_t j = 0; j < c->n; j++)
    expr_tangent_seed(tangent, c->model->coordinates.items[j].acceleration,
                      expr_tangent_of(of_acceleration, state->acceleration[j]));
  expr_tangent_free(of_velocity);
  expr_tangent_free(of_acceleration);
}

static struct expr_tangent *tangent_along(const struct columns *c, expr symbol) {
  struct expr_tangent *tangent = expr_tangent_new(c->system->graph);
  expr_tangent_seed(tangent, symbol, expr_integer(c->system->graph, 1));
  if (c->by_speeds) seed_velocities(c, symbol, tangent);
  return tangent;
}

static struct columns columns_of(const struct system *system) {
  return (struct columns){.system = system,
                          .model = system->model,
                          .by_speeds = system->state.kind == VARIABLES_SPEEDS,
                          .n = system->n,
                          .m = system->m};
}

struct system_partials system_partials_by(const struct system *system, const expr *symbols,
                                          size_t columns, bool of_equations, const expr *functions,
                                          size_t count) {
  struct columns c = columns_of(system);
  struct system_partials partials = {.columns = columns, .functions = count};
  size_t unknowns = of_equations ? c.n + c.m : 0;
  expr *rows = of_equations ? residuals(&c) : NULL;
  partials.residual = checked_calloc(unknowns * columns + 1, sizeof(expr));
  partials.function = checked_calloc(count * columns + 1, sizeof(expr));
  for (size_t column = 0; column < columns; column++) {
    struct expr_tangent *tangent = tangent_along(&c, symbols[column]);
    for (size_t i = 0; i < unknowns; i++)
      partials.residual[i + column * unknowns] = expr_tangent_of(tangent, rows[i]);
    for (size_t i = 0; i < count; i++)
      partials.function[i + column * count] = expr_tangent_of(tangent, functions[i]);
    expr_tangent_free(tangent);
  }
  free(rows);
  return partials;
}

void system_partials_clear(struct system_partials *partials) {
  free(partials->residual);
  free(partials->function);
  *partials = (struct system_partials){0};
}

void system_state_symbols(const struct system *system, expr *symbols) {
  const struct model *model = system->model;
  size_t n = system->n;
  bool is_natural = system->state.kind == VARIABLES_VELOCITIES;
  for (size_t j = 0; j < n; j++) {
    symbols[j] = model->coordinates.items[j].position;
    symbols[n + j] = is_natural ? model->coordinates.items[j].velocity : system->state.symbol[j];
  }
  for (size_t k = 0; k < system->rates; k++) symbols[2 * n + k] = model->states.items[k].value;
}

void system_unknown_symbols(const struct system *system, expr *symbols) {
  struct columns c = columns_of(system);
  for (size_t row = 0; row < c.n + c.m; row++) symbols[row] = unknown_symbol(&c, row);
}

void system_derive_jacobian(struct system *system) {
  system_derive_mass(system);
  if (system->residual_by_state) return;
  size_t width = 2 * (size_t)system->n + system->rates, unknowns = (size_t)system->n + system->m;
  expr *state = checked_calloc(width + 1, sizeof(expr));
  expr *unknown = checked_calloc(unknowns + 1, sizeof(expr));
  system_state_symbols(system, state);
  system_unknown_symbols(system, unknown);
  for (size_t j = 0; j < system->n && system->state.kind == VARIABLES_MOMENTA; j++)
    state[system->n + j] = system->model->coordinates.items[j].velocity; /* what r is over */
  struct system_partials by_state =
      system_partials_by(system, state, width, true, system->rate, system->rates);
  struct system_partials by_unknown =
      system_partials_by(system, unknown, unknowns, false, system->rate, system->rates);
  system->residual_by_state = by_state.residual;
  system->rate_by_state = by_state.function;
  system->rate_by_acceleration = by_unknown.function;
  free(by_unknown.residual);
  free(state);
  free(unknown);
}
