/* Inertial terms by Christoffel symbols of the first kind. With T = 1/2 q'M q' + b q' + T0,
 *
 *   d/dt dT/dq'_i - dT/dq_i = sum_j M_ij q''_j
 *       + sum_jk (dM_ij/dq_k - 1/2 dM_jk/dq_i) q'_j q'_k + sum_j dM_ij/dt q'_j
 *       + sum_k (db_i/dq_k - db_k/dq_i) q'_k + db_i/dt - dT0/dq_i
 *
 * (Lanczos, The Variational Principles of Mechanics, 4th ed., chapter I.5; Whittaker, Analytical
 * Dynamics, section 28.) Terms are collected by products of velocities, which brings out what a
 * textbook prints: the chain rule on unexpanded squares hides cancellations that the entries of M
 * have already undergone. The work grows as n^3, so this is for small systems. */
#include "derive/christoffel.h"
#include "derive/sample.h"
#include "base/bug.h"
#include "sema/model.h"
#include <math.h>
#include <stdlib.h>

struct work {
  const struct christoffel *problem;
  const struct system *system;
  struct expr_graph *graph;
  uint32_t n;
  expr *velocity;     /* n */
  expr *linear;       /* n: b */
  expr *mass_slope;   /* n*n*n: dM_ij/dq_k at [i + n*(j + n*k)] */
  expr *linear_slope; /* n*n: db_i/dq_k at [i + n*k] */
  expr *rest_slope;   /* n: dT0/dq_k */
  expr *scratch;      /* n */
  expr *terms;        /* for one row */
};

static struct work work_new(const struct christoffel *problem) {
  size_t n = problem->system->n;
  struct work w = {.problem = problem,
                   .system = problem->system,
                   .graph = problem->system->graph,
                   .n = (uint32_t)n};
  w.velocity = checked_calloc(n, sizeof(expr));
  w.linear = checked_calloc(n, sizeof(expr));
  w.mass_slope = checked_calloc(n * n * n, sizeof(expr));
  w.linear_slope = checked_calloc(n * n, sizeof(expr));
  w.rest_slope = checked_calloc(n, sizeof(expr));
  w.scratch = checked_calloc(n, sizeof(expr));
  w.terms = checked_calloc(n * n + 2 * n + 4, sizeof(expr));
  for (size_t j = 0; j < n; j++) w.velocity[j] = w.system->model->coordinates.items[j].velocity;
  return w;
}

static void work_free(struct work *w) {
  free(w->velocity);
  free(w->linear);
  free(w->mass_slope);
  free(w->linear_slope);
  free(w->rest_slope);
  free(w->scratch);
  free(w->terms);
}

/* b from the momenta; false if they are not linear in the velocities as written. */
static bool find_linear_part(struct work *w) {
  struct expr_symbol_set *set = expr_symbol_set_new(w->graph);
  for (uint32_t j = 0; j < w->n; j++) expr_symbol_set_add(set, w->velocity[j]);
  bool ok = true;
  for (size_t k = 0; k < (size_t)w->n * w->n && ok; k++)
    ok = !expr_symbol_set_touches(set, w->system->mass[k]);
  for (uint32_t i = 0; i < w->n && ok; i++)
    ok = expr_linear_parts(w->graph, w->problem->kinetic_momentum[i], w->velocity, w->n, w->scratch,
                           &w->linear[i]);
  expr_symbol_set_free(set);
  return ok;
}

/* T0 = T with all velocities zero. An expression such as v^2/v has no value there: then false. */
static bool find_rest(struct work *w, expr *rest) {
  struct expr_substitution *zero = expr_substitution_new(w->graph);
  for (uint32_t j = 0; j < w->n; j++)
    expr_substitution_add(zero, w->velocity[j], expr_integer(w->graph, 0));
  *rest = expr_substitution_of(zero, w->problem->kinetic);
  expr_substitution_free(zero);
  struct sample sample;
  double value = 0;
  sample_init(&sample, w->system->model);
  for (uint64_t seed = 0; seed < 4; seed++) {
    sample_draw(&sample, 0xc415 + seed, seed >= 2);
    expr_evaluate(w->graph, rest, 1, sample_value, &sample, &value);
    if (isfinite(value)) break;
  }
  sample_clear(&sample);
  return isfinite(value);
}

static void find_slopes(struct work *w, expr rest) {
  size_t n = w->n;
  for (size_t k = 0; k < n; k++) {
    struct expr_tangent *tangent = expr_tangent_new(w->graph);
    expr_tangent_seed(tangent, w->system->model->coordinates.items[k].position,
                      expr_integer(w->graph, 1));
    for (size_t j = 0; j < n; j++) {
      for (size_t i = 0; i <= j; i++) {
        expr slope = expr_tangent_of(tangent, w->system->mass[i + j * n]);
        w->mass_slope[i + n * (j + n * k)] = w->mass_slope[j + n * (i + n * k)] = slope;
      }
      w->linear_slope[j + n * k] = expr_tangent_of(tangent, w->linear[j]);
    }
    w->rest_slope[k] = expr_tangent_of(tangent, rest);
    expr_tangent_free(tangent);
  }
}

static expr mass_slope(const struct work *w, uint32_t i, uint32_t j, uint32_t k) {
  size_t n = w->n;
  return w->mass_slope[i + n * (j + n * k)];
}

/* The coefficient of q'_j q'_k in row i, j <= k. */
static expr velocity_coefficient(const struct work *w, uint32_t i, uint32_t j, uint32_t k) {
  if (j == k) {
    expr half = expr_multiply(w->graph, expr_ratio(w->graph, 1, 2), mass_slope(w, j, j, i));
    return expr_subtract(w->graph, mass_slope(w, i, j, j), half);
  }
  expr both = expr_add(w->graph, mass_slope(w, i, j, k), mass_slope(w, i, k, j));
  return expr_subtract(w->graph, both, mass_slope(w, j, k, i));
}

static expr inertial_row(struct work *w, uint32_t i) {
  uint32_t n = w->n, count = 0;
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t k = j; k < n; k++) {
      expr factors[3] = {velocity_coefficient(w, i, j, k), w->velocity[j], w->velocity[k]};
      w->terms[count++] = expr_product(w->graph, factors, 3);
    }
  for (uint32_t k = 0; k < n; k++) {
    expr turn = expr_subtract(w->graph, w->linear_slope[i + (size_t)n * k],
                              w->linear_slope[k + (size_t)n * i]);
    expr growth = expr_tangent_of(w->problem->explicit_time, w->system->mass[i + (size_t)n * k]);
    w->terms[count++] = expr_multiply(w->graph, expr_add(w->graph, turn, growth), w->velocity[k]);
  }
  w->terms[count++] = expr_tangent_of(w->problem->explicit_time, w->linear[i]);
  w->terms[count++] = expr_subtract(w->graph, w->problem->at_rest[i], w->rest_slope[i]);
  return expr_sum(w->graph, w->terms, count);
}

static expr momentum_row(struct work *w, uint32_t i) {
  for (uint32_t j = 0; j < w->n; j++)
    w->terms[j] = expr_multiply(w->graph, w->system->mass[i + (size_t)j * w->n], w->velocity[j]);
  w->terms[w->n] = w->linear[i];
  return expr_sum(w->graph, w->terms, (size_t)w->n + 1);
}

bool christoffel_terms(const struct christoffel *problem, expr *inertial, expr *momentum) {
  if (problem->system->n == 0) return false;
  struct work w = work_new(problem);
  expr rest;
  bool ok = find_linear_part(&w) && find_rest(&w, &rest);
  if (ok) {
    find_slopes(&w, rest);
    for (uint32_t i = 0; i < w.n; i++) {
      inertial[i] = inertial_row(&w, i);
      momentum[i] = momentum_row(&w, i);
    }
  }
  work_free(&w);
  return ok;
}
