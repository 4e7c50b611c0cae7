/* From the directions of coordinates to those of speeds: dq'_j/du_r = W_jr. The constraints
 * A q' + b = 0, A q'' + bias = 0 and the forces B λ follow the same way. (Kane & Levinson,
 * Dynamics: Theory and Applications, sections 2.14 and 4.4; Papastavridis, Analytical Mechanics,
 * chapter 3.) Zeros are skipped: W is mostly zero where speeds are plain. */
#include "derive/speeds.h"
#include "base/bug.h"
#include <stdlib.h>

struct sum {
  struct expr_graph *graph;
  expr *terms;
  size_t count;
};

static void add_product(struct sum *sum, expr a, expr b) {
  if (expr_is_integer_value(sum->graph, a, 0) || expr_is_integer_value(sum->graph, b, 0)) return;
  sum->terms[sum->count++] = expr_multiply(sum->graph, a, b);
}

static expr take(struct sum *sum) {
  expr result = expr_sum(sum->graph, sum->terms, sum->count);
  sum->count = 0;
  return result;
}

static struct sum sum_new(const struct speed_relations *r) {
  size_t size = (size_t)r->system->n + 1;
  return (struct sum){r->system->graph, checked_calloc(size, sizeof(expr)), 0};
}

void speeds_project(const struct speed_relations *r, const expr *e, expr *out) {
  size_t n = r->system->n;
  struct sum sum = sum_new(r);
  for (size_t u = 0; u < n; u++) {
    for (size_t j = 0; j < n; j++) add_product(&sum, r->inverse[j + u * n], e[j]);
    out[u] = take(&sum);
  }
  free(sum.terms);
}

void speeds_project_mass(const struct speed_relations *r, const expr *mass, expr *out,
                         expr *without) {
  size_t n = r->system->n;
  struct sum sum = sum_new(r);
  expr *half = checked_calloc(n * n + n + 1, sizeof(expr)), *moved = half + n * n; /* mass W */
  for (size_t u = 0; u < n; u++)
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) add_product(&sum, mass[i + j * n], r->inverse[j + u * n]);
      half[i + u * n] = take(&sum);
    }
  for (size_t u = 0; u < n; u++)
    for (size_t v = 0; v <= u; v++) {
      for (size_t i = 0; i < n; i++) add_product(&sum, r->inverse[i + v * n], half[i + u * n]);
      out[v + u * n] = take(&sum);
      if (v == u || r->system->mass_is_symmetric) {
        out[u + v * n] = out[v + u * n];
        continue;
      }
      for (size_t i = 0; i < n; i++) add_product(&sum, r->inverse[i + u * n], half[i + v * n]);
      out[u + v * n] = take(&sum);
    }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) add_product(&sum, mass[i + j * n], r->without[j]);
    moved[i] = take(&sum);
  }
  speeds_project(r, moved, without);
  free(half);
  free(sum.terms);
}

void speeds_constrain(const struct speed_relations *r) {
  struct system *system = r->system;
  struct system_method_state *state = &system->state;
  size_t n = system->n, m = system->m;
  struct sum sum = sum_new(r);
  for (size_t k = 0; k < m; k++) {
    for (size_t u = 0; u < n; u++) {
      for (size_t j = 0; j < n; j++)
        add_product(&sum, system->constraint_jacobian[k + j * m], r->inverse[j + u * n]);
      state->jacobian[k + u * m] = take(&sum);
    }
    for (size_t j = 0; j < n; j++)
      add_product(&sum, system->constraint_jacobian[k + j * m], r->without[j]);
    sum.terms[sum.count++] = system->constraint_bias[k];
    state->bias[k] = take(&sum);
    if (system->multiplier_force_is_transpose)
      for (size_t u = 0; u < n; u++)
        state->multiplier_force[u + k * n] = state->jacobian[k + u * m];
    else
      speeds_project(r, system->multiplier_force + k * n, state->multiplier_force + k * n);
  }
  free(sum.terms);
}
