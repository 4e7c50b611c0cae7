/* Derivatives of the equations by the state, for implicit integrators and linearisation:
 *
 *     r(q, q', z, q'', λ) = [M q'' - f - B λ;  A q'' + bias],
 *
 * dr/dx and dz'/dx over x = [q, q', z], and dz' by q'' and λ, with the accelerations and
 * multipliers kept as symbols. One tangent a column, shared by all rows.
 *
 * In speeds the unknowns are u' in place of q'', and the state is [q, u, z]: q' and q'' then follow
 * from it by the chain rule, which is in the seeds of the tangents. */
#include "derive/system.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

struct columns {
  struct system *system;
  const struct model *model;
  bool by_speeds;
  size_t n, m, z, width;
};

static expr state_symbol(const struct columns *c, size_t column) {
  if (column < c->n) return c->model->coordinates.items[column].position;
  if (column >= 2 * c->n) return c->model->states.items[column - 2 * c->n].value;
  column -= c->n;
  return c->by_speeds ? c->system->state.symbol[column]
                      : c->model->coordinates.items[column].velocity;
}

static expr unknown_symbol(const struct columns *c, size_t row) {
  if (row >= c->n) return c->model->constraints.items[row - c->n].multiplier;
  return c->by_speeds ? c->system->state.symbol_rate[row]
                      : c->model->coordinates.items[row].acceleration;
}

/* The n + m rows of r; the caller frees them. */
static expr *residuals(const struct columns *c) {
  struct system *system = c->system;
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

/* A tangent along one symbol; velocities and accelerations follow speeds. */
static struct expr_tangent *tangent_along(const struct columns *c, expr symbol, expr *velocities) {
  const struct system_method_state *state = &c->system->state;
  struct expr_tangent *tangent = expr_tangent_new(c->system->graph);
  struct expr_tangent *inner = expr_tangent_new(c->system->graph);
  expr_tangent_seed(tangent, symbol, expr_integer(c->system->graph, 1));
  expr_tangent_seed(inner, symbol, expr_integer(c->system->graph, 1));
  for (size_t j = 0; j < c->n && c->by_speeds; j++) {
    expr change = expr_tangent_of(inner, state->velocity[j]);
    expr_tangent_seed(tangent, c->model->coordinates.items[j].velocity, change);
    if (velocities) velocities[j] = change;
  }
  expr_tangent_free(inner);
  inner = expr_tangent_new(c->system->graph);
  expr_tangent_seed(inner, symbol, expr_integer(c->system->graph, 1));
  for (size_t j = 0; j < c->n && c->by_speeds && velocities; j++)
    expr_tangent_seed(inner, c->model->coordinates.items[j].velocity, velocities[j]);
  for (size_t j = 0; j < c->n && c->by_speeds; j++)
    expr_tangent_seed(tangent, c->model->coordinates.items[j].acceleration,
                      expr_tangent_of(inner, state->acceleration[j]));
  expr_tangent_free(inner);
  return tangent;
}

static void derive_columns(const struct columns *c, const expr *rows) {
  struct system *system = c->system;
  size_t unknowns = c->n + c->m, z = c->z;
  for (size_t column = 0; column < c->width; column++) {
    expr *velocities = c->by_speeds ? system->velocity_by_state + column * c->n : NULL;
    struct expr_tangent *tangent = tangent_along(c, state_symbol(c, column), velocities);
    for (size_t i = 0; i < unknowns; i++)
      system->residual_by_state[i + column * unknowns] = expr_tangent_of(tangent, rows[i]);
    for (size_t i = 0; i < z; i++)
      system->rate_by_state[i + column * z] = expr_tangent_of(tangent, system->rate[i]);
    expr_tangent_free(tangent);
  }
  for (size_t column = 0; column < unknowns && z > 0; column++) {
    struct expr_tangent *tangent = tangent_along(c, unknown_symbol(c, column), NULL);
    for (size_t i = 0; i < z; i++)
      system->rate_by_acceleration[i + column * z] = expr_tangent_of(tangent, system->rate[i]);
    expr_tangent_free(tangent);
  }
}

void system_derive_jacobian(struct system *system) {
  if (system->residual_by_state) return;
  struct columns c = {.system = system,
                      .model = system->model,
                      .by_speeds = system->state.kind == VARIABLES_SPEEDS,
                      .n = system->n,
                      .m = system->m,
                      .z = system->rates};
  c.width = 2 * c.n + c.z;
  size_t unknowns = c.n + c.m;
  system->residual_by_state = checked_calloc(unknowns * c.width + 1, sizeof(expr));
  system->rate_by_state = checked_calloc(c.z * c.width + 1, sizeof(expr));
  system->rate_by_acceleration = checked_calloc(c.z * unknowns + 1, sizeof(expr));
  system->velocity_by_state = checked_calloc(c.n * c.width + 1, sizeof(expr));
  expr *rows = residuals(&c);
  derive_columns(&c, rows);
  free(rows);
}
