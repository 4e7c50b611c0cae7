/* Derivatives of the equations by the state, for implicit integrators and linearisation:
 *
 *     r(q, q', z, q'', λ) = [M q'' - f - B λ;  A q'' + bias],
 *
 * dr/dx and dz'/dx over x = [q, q', z], and dz' by q'' and λ, with the accelerations and
 * multipliers kept as symbols. One tangent a column, shared by all rows. */
#include "derive/system.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

static expr state_symbol(const struct model *model, uint32_t n, uint32_t column) {
  if (column < n) return model->coordinates.items[column].position;
  if (column < 2 * n) return model->coordinates.items[column - n].velocity;
  return model->states.items[column - 2 * n].value;
}

static expr unknown_symbol(const struct system *system, uint32_t row) {
  return row < system->n ? system->model->coordinates.items[row].acceleration
                         : system->model->constraints.items[row - system->n].multiplier;
}

/* The n + m rows of r; the caller frees them. */
static expr *residuals(struct system *system) {
  size_t n = system->n, m = system->m;
  expr *rows = checked_calloc(n + m + 1, sizeof(expr));
  expr *terms = checked_calloc(n + m + 1, sizeof(expr));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      terms[j] = expr_multiply(system->graph, system->mass[i + j * n],
                               unknown_symbol(system, (uint32_t)j));
    for (size_t k = 0; k < m; k++)
      terms[n + k] = expr_negate(system->graph,
                                 expr_multiply(system->graph, system->multiplier_force[i + k * n],
                                               unknown_symbol(system, (uint32_t)(n + k))));
    terms[n + m] = expr_negate(system->graph, system->forcing[i]);
    rows[i] = expr_sum(system->graph, terms, n + m + 1);
  }
  for (size_t k = 0; k < m; k++) {
    for (size_t j = 0; j < n; j++)
      terms[j] = expr_multiply(system->graph, system->constraint_jacobian[k + j * m],
                               unknown_symbol(system, (uint32_t)j));
    terms[n] = system->constraint_bias[k];
    rows[n + k] = expr_sum(system->graph, terms, n + 1);
  }
  free(terms);
  return rows;
}

static void tangent_column(struct system *system, expr symbol, const expr *roots, uint32_t count,
                           struct expr_tangent **tangent, expr *out) {
  if (!*tangent) {
    *tangent = expr_tangent_new(system->graph);
    expr_tangent_seed(*tangent, symbol, expr_integer(system->graph, 1));
  }
  for (uint32_t i = 0; i < count; i++) out[i] = expr_tangent_of(*tangent, roots[i]);
}

void system_derive_jacobian(struct system *system) {
  if (system->residual_by_state) return;
  size_t n = system->n, z = system->rates, width = 2 * n + z, unknowns = n + system->m;
  system->residual_by_state = checked_calloc(unknowns * width + 1, sizeof(expr));
  system->rate_by_state = checked_calloc(z * width + 1, sizeof(expr));
  system->rate_by_acceleration = checked_calloc(z * unknowns + 1, sizeof(expr));
  expr *rows = residuals(system);
  for (size_t column = 0; column < width; column++) {
    expr symbol = state_symbol(system->model, (uint32_t)n, (uint32_t)column);
    struct expr_tangent *tangent = NULL;
    tangent_column(system, symbol, rows, (uint32_t)unknowns, &tangent,
                   system->residual_by_state + column * unknowns);
    tangent_column(system, symbol, system->rate, (uint32_t)z, &tangent,
                   system->rate_by_state + column * z);
    expr_tangent_free(tangent);
  }
  for (size_t column = 0; column < unknowns && z > 0; column++) {
    struct expr_tangent *tangent = NULL;
    tangent_column(system, unknown_symbol(system, (uint32_t)column), system->rate, (uint32_t)z,
                   &tangent, system->rate_by_acceleration + column * z);
    expr_tangent_free(tangent);
  }
  free(rows);
}
