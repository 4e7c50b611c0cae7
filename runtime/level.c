/* level.c: the nearest point at which given equations hold. Damped Gauss-Newton steps of least
 * length (in the level's metric) lead to a point that satisfies them; from there the rest of the
 * way from the start is shortened along the equations until it stands across them, which is the
 * condition of the nearest point. Ranks are decided with rows of unit length (rows.h), so that
 * units of equations do not matter. Source: Nocedal, Wright, Numerical Optimization (10.3
 * Gauss-Newton; 18.5 projections). */
#include "runtime/level.h"
#include "runtime/blas.h"
#include "runtime/rows.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANK_TOLERANCE 1e-9
#define HOLDS 1e-10 /* residual over the size of the equation's terms */
#define MOST_STEPS 200
#define MOST_TRIES 6

struct solver {
  struct level *level;
  size_t m, n;                          /* equations, unknowns */
  double *memory, *from, *start, *best; /* points y: given, of this try, best so far */
  double *values;                       /* residuals and derivatives at the point in work */
  double *at_start;                     /* |residuals| at the given point */
  double *scale, *sizes;                /* 1/length of each row by w; sizes of its terms */
  double *right;                        /* -residuals in that scale */
  struct rows rows;                     /* of unit length, by w */
  double *step, *across, *trial;
  int32_t iterations;
};

static void put_point(struct solver *s, const double *y) {
  for (size_t j = 0; j < s->n; j++) s->level->x[s->level->unknowns[j]] = y[j];
}

/* values at y; 0 if they are no numbers. */
static int evaluate_at(struct solver *s, const double *y) {
  struct level *l = s->level;
  put_point(s, y);
  if (evaluate_function(l->e, l->equations, l->t, l->x, s->values)) return 0;
  for (size_t i = 0; i < s->m * (1 + s->n); i++)
    if (!isfinite(s->values[i])) return 0;
  return 1;
}

/* Sum of squares of the residuals in the row scale of the last linearisation. */
static double merit(const struct solver *s) {
  double sum = 0;
  for (size_t i = 0; i < s->m; i++) {
    double r = s->values[i] * s->scale[i];
    sum += r * r;
  }
  return sum;
}

/* Sizes, and the rank and space of the rows, from s->values at y. */
static void linearise(struct solver *s, const double *y) {
  for (size_t i = 0; i < s->m; i++) {
    double *row = s->rows.a + i * s->n;
    memcpy(row, s->values + s->m + i * s->n, s->n * sizeof *row);
    s->sizes[i] = s->at_start[i];
    for (size_t j = 0; j < s->n; j++) s->sizes[i] += fabs(row[j] * y[j]);
    metric_gradient(s->level->metric, row);
    double length = blas_length((int)s->n, row);
    s->scale[i] = length > 0 ? 1 / length : 1;
    for (size_t j = 0; j < s->n; j++) row[j] *= s->scale[i];
  }
  rows_decompose(&s->rows, RANK_TOLERANCE);
}

/* The step (by y) of least length that makes the linearised residuals least. */
static void least_step(struct solver *s, double *step) {
  for (size_t i = 0; i < s->m; i++) s->right[i] = -s->values[i] * s->scale[i];
  rows_solve(&s->rows, s->right, step);
  metric_changes(s->level->metric, step);
}

static int holds(const struct solver *s, size_t i) {
  return fabs(s->values[i]) <= HOLDS * s->sizes[i];
}

static int all_hold(const struct solver *s) {
  for (size_t i = 0; i < s->m; i++)
    if (!holds(s, i)) return 0;
  return 1;
}

/* Gauss-Newton from y towards residuals that are as small as they get. 0: not evaluated. */
static int restore(struct solver *s, double *y) {
  if (!evaluate_at(s, y)) return 0;
  for (int i = 0; i < MOST_STEPS; i++) {
    linearise(s, y);
    double before = merit(s), factor = 1;
    if (before == 0) return 1;
    /* Once all hold, a full step that brings nothing has met the rounding. */
    double least_factor = all_hold(s) ? 0.75 : 1e-9;
    least_step(s, s->step);
    s->iterations++;
    for (; factor > least_factor; factor /= 2) {
      for (size_t j = 0; j < s->n; j++) s->trial[j] = y[j] + factor * s->step[j];
      if (evaluate_at(s, s->trial) && merit(s) < before * (1 - 1e-4 * factor)) break;
    }
    if (factor <= least_factor) break; /* no better */
    memcpy(y, s->trial, s->n * sizeof *y);
  }
  if (!evaluate_at(s, y)) return 0;
  linearise(s, y);
  return 1;
}

/* across = the part of the way from the given point to y that runs along the equations, by w;
 * returns the length of the whole way. Needs the linearisation at y. */
static double way_along(struct solver *s, const double *y, double *along) {
  for (size_t j = 0; j < s->n; j++) along[j] = y[j] - s->from[j];
  metric_lengths(s->level->metric, along);
  double length = blas_length((int)s->n, along);
  rows_remove(&s->rows, along);
  return length;
}

/* From y, at which the equations hold, to the nearest such point. */
static void approach(struct solver *s, double *y) {
  double factor = 1;
  double *next = s->start; /* not needed any more */
  for (int i = 0; i < MOST_STEPS; i++) {
    double distance = way_along(s, y, s->across);
    double along = blas_length((int)s->n, s->across);
    if (along <= 1e-11 * distance || along <= 1e-15) return;
    metric_changes(s->level->metric, s->across);
    int better = 0;
    for (; factor > 1e-6 && !better; factor = better ? factor : factor / 2) {
      for (size_t j = 0; j < s->n; j++) next[j] = y[j] - factor * s->across[j];
      if (!restore(s, next) || !all_hold(s)) continue;
      /* Within rounding of the distance the way along still tells better from worse. */
      double new_distance = way_along(s, next, s->step);
      better = new_distance < distance * (1 + 1e-14) && blas_length((int)s->n, s->step) < along;
      better = better || new_distance < distance * (1 - 1e-6);
    }
    if (!better) break;
    memcpy(y, next, s->n * sizeof *y);
    factor = fmin(1, 2 * factor);
  }
  if (evaluate_at(s, y)) linearise(s, y);
}

/* Another place to begin: some way off the given point, the same in every run. */
static void scatter(const struct solver *s, int try_number, double *y) {
  double size = try_number == 0 ? 0 : pow(10, try_number - 4);
  uint32_t random = (uint32_t)try_number;
  for (size_t j = 0; j < s->n; j++) {
    random = random * 1664525u + 1013904223u;
    y[j] = s->from[j] + size * (1 + fabs(s->from[j])) * ((double)(random >> 8) / 8388608.0 - 1);
  }
}

static enum level_result search(struct solver *s) {
  double least = HUGE_VAL;
  for (int i = 0; i < MOST_TRIES; i++) {
    scatter(s, i, s->start);
    if (!restore(s, s->start)) continue;
    int good = all_hold(s);
    double size = merit(s);
    /* A try from elsewhere must be worth leaving the neighbourhood. */
    if (good || size < least * 0.99) memcpy(s->best, s->start, s->n * sizeof *s->best);
    least = fmin(least, size);
    if (!good) continue;
    approach(s, s->best);
    return LEVEL_DONE;
  }
  if (!isfinite(least)) return LEVEL_NOT_EVALUATED;
  if (!evaluate_at(s, s->best)) return LEVEL_NOT_EVALUATED;
  linearise(s, s->best);
  return LEVEL_CONFLICT;
}

static int allocate(struct solver *s, struct level *level) {
  size_t m = s->m = (size_t)level->n_equations, n = s->n = (size_t)level->n;
  s->level = level;
  s->memory = calloc(m * (1 + n) + 4 * m + 6 * n + 1, sizeof(double));
  if (!s->memory || !rows_init(&s->rows, m, n)) return 0;
  double *next = s->memory;
  s->values = next, next += m * (1 + n);
  s->at_start = next, next += m;
  s->scale = next, next += m;
  s->sizes = next, next += m;
  s->right = next, next += m;
  s->from = next, next += n;
  s->start = next, next += n;
  s->best = next, next += n;
  s->step = next, next += n;
  s->across = next, next += n;
  s->trial = next;
  return 1;
}

enum level_result level_solve(struct level *level, double *residuals, unsigned char *failed,
                              int32_t *rank, int32_t *iterations) {
  struct solver s = {0};
  if (!allocate(&s, level)) {
    free(s.memory);
    return LEVEL_NO_MEMORY;
  }
  for (size_t j = 0; j < s.n; j++) s.best[j] = s.from[j] = level->x[level->unknowns[j]];
  if (evaluate_at(&s, s.from))
    for (size_t i = 0; i < s.m; i++) s.at_start[i] = fabs(s.values[i]);
  enum level_result result = search(&s);
  put_point(&s, s.best);
  for (size_t i = 0; i < s.m; i++) {
    residuals[i] = s.values[i];
    failed[i] = result == LEVEL_CONFLICT && !holds(&s, i);
  }
  *rank = (int32_t)s.rows.rank;
  *iterations += s.iterations;
  rows_clear(&s.rows);
  free(s.memory);
  return result;
}
