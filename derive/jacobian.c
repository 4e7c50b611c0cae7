/* Derivatives of the equations by the state, for implicit integrators and linearisation:
 *
 *     r(q, q', z, q'') = M q'' - f,     dr/dx and dz'/dx over x = [q, q', z],     dz'/dq''
 *
 * with the accelerations kept as symbols. One tangent a column, shared by all rows. */
#include "derive/system.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

static expr state_symbol(const struct model *model, uint32_t n, uint32_t column) {
  if (column < n) return model->coordinates.items[column].position;
  if (column < 2 * n) return model->coordinates.items[column - n].velocity;
  return model->states.items[column - 2 * n].value;
}

/* The rows of M q'' - f; the caller frees them. */
static expr *residuals(struct system *system) {
  uint32_t n = system->n;
  expr *rows = checked_calloc(n ? n : 1, sizeof(expr));
  expr *terms = checked_calloc((size_t)n + 1, sizeof(expr));
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++)
      terms[j] = expr_multiply(system->graph, system->mass[i + (size_t)j * n],
                               system->model->coordinates.items[j].acceleration);
    terms[n] = expr_negate(system->graph, system->forcing[i]);
    rows[i] = expr_sum(system->graph, terms, (size_t)n + 1);
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
  size_t n = system->n, z = system->rates, width = 2 * n + z;
  system->residual_by_state = checked_calloc(n * width + 1, sizeof(expr));
  system->rate_by_state = checked_calloc(z * width + 1, sizeof(expr));
  system->rate_by_acceleration = checked_calloc(z * n + 1, sizeof(expr));
  expr *rows = residuals(system);
  for (size_t column = 0; column < width; column++) {
    expr symbol = state_symbol(system->model, (uint32_t)n, (uint32_t)column);
    struct expr_tangent *tangent = NULL;
    tangent_column(system, symbol, rows, (uint32_t)n, &tangent,
                   system->residual_by_state + column * n);
    tangent_column(system, symbol, system->rate, (uint32_t)z, &tangent,
                   system->rate_by_state + column * z);
    expr_tangent_free(tangent);
  }
  for (size_t column = 0; column < n && z > 0; column++) {
    struct expr_tangent *tangent = NULL;
    tangent_column(system, system->model->coordinates.items[column].acceleration, system->rate,
                   (uint32_t)z, &tangent, system->rate_by_acceleration + column * z);
    expr_tangent_free(tangent);
  }
  free(rows);
}
