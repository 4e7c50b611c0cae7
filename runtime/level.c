/* level.c: the nearest point at which given equations hold. Damped Gauss-Newton steps of least
 * length (in the level's metric) lead to a point that satisfies them; from there the rest of the
 * way from the start is shortened along the equations until it stands across them, which is the
 * condition of the nearest point. Ranks are decided with rows of unit length (rows.h), so that
 * units of equations do not matter. Where the equations conflict, the least sum of squares of their
 * residuals is looked for instead. Source: Nocedal, Wright, Numerical Optimization (10.3
 * Gauss-Newton and Levenberg-Marquardt; 18.5 projections). */
#include "runtime/level.h"
#include "runtime/blas.h"
#include "runtime/rows.h"
#include "runtime/scatter.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANK_TOLERANCE 1e-9
#define HOLDS 1e-10 /* residual over the size of the equation's terms */
#define MOST_STEPS 200
#define MOST_TRIES 6
#define MOST_WORK 1e9 /* products in a search for least squares */

struct solver {
  struct level *level;
  size_t m, n;                          /* equations, unknowns */
  double *memory, *from, *start, *best; /* points y: given, of this try, best so far */
  double *values;                       /* residuals and derivatives at the point in work */
  double *first;                        /* the same at the given point, 0 if not evaluated */
  double *scale, *sizes;                /* 1/length of each row by w; sizes of its terms */
  double *least_size;                   /* of the terms near the given point */
  double *typical;                      /* the length of each row near the given point */
  double *weight;                       /* of each residual where not all can vanish */
  double *right;                        /* -residuals in scale */
  double *normal;                       /* m m: rows times rows */
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
  if (!l->evaluate(l->user, s->values)) return 0;
  for (size_t i = 0; i < s->m * (1 + s->n); i++)
    if (!isfinite(s->values[i])) return 0;
  return 1;
}

/* Sum of squares of the residuals in a scale. */
static double merit(const struct solver *s, const double *scale) {
  double sum = 0;
  for (size_t i = 0; i < s->m; i++) {
    double r = s->values[i] * scale[i];
    sum += r * r;
  }
  return sum;
}

/* Sizes, and the rank and space of the rows, from s->values at y. */
static void linearise(struct solver *s, const double *y) {
  for (size_t i = 0; i < s->m; i++) {
    double *row = s->rows.a + i * s->n;
    memcpy(row, s->values + s->m + i * s->n, s->n * sizeof *row);
    s->sizes[i] = fabs(s->first[i]);
    for (size_t j = 0; j < s->n; j++) s->sizes[i] += fabs(row[j] * y[j]);
    s->sizes[i] = fmax(s->sizes[i], s->least_size[i]);
    metric_gradient(s->level->metric, row);
    /* A row that fades to rounding is not blown up again. */
    double length = fmax(blas_length((int)s->n, row), RANK_TOLERANCE * s->typical[i]);
    s->scale[i] = length > 0 ? 1 / length : 1;
    for (size_t j = 0; j < s->n; j++) row[j] *= s->scale[i];
  }
  rows_decompose_to(&s->rows, RANK_TOLERANCE, s->m);
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
    double before = merit(s, s->scale), factor = 1;
    if (before == 0) return 1;
    /* Once all hold, a full step that brings nothing has met the rounding. */
    double least_factor = all_hold(s) ? 0.75 : 1e-9;
    least_step(s, s->step);
    s->iterations++;
    for (; factor > least_factor; factor /= 2) {
      for (size_t j = 0; j < s->n; j++) s->trial[j] = y[j] + factor * s->step[j];
      if (evaluate_at(s, s->trial) && merit(s, s->scale) < before * (1 - 1e-4 * factor)) break;
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

/* Lengths of rows and sizes of their terms at y, `off` besides |y|. */
static void measure(struct solver *s, const double *y, double off) {
  for (size_t i = 0; i < s->m; i++) {
    double size = 0, *row = s->values + s->m + i * s->n;
    for (size_t j = 0; j < s->n; j++) size += fabs(row[j]) * (fabs(y[j]) + off * (1 + fabs(y[j])));
    s->least_size[i] = fmax(s->least_size[i], size);
    metric_gradient(s->level->metric, row);
    s->typical[i] = fmax(s->typical[i], blas_length((int)s->n, row));
  }
}

/* Measures what "small" is: at the given point, and near it because there terms may cancel. Equal
 * units are weighted equally, so that a least sum of squares is one of distances. */
static void survey(struct solver *s) {
  const int32_t *groups = s->level->groups;
  if (evaluate_at(s, s->from)) {
    memcpy(s->first, s->values, s->m * (1 + s->n) * sizeof *s->first);
    measure(s, s->from, 0);
  }
  scatter(s->n, s->from, SCATTER_NEARBY, 1, s->start);
  if (evaluate_at(s, s->start)) measure(s, s->start, SCATTER_NEARBY);
  for (size_t i = 0; i < s->m; i++) { /* groups are numbered by their first equation */
    double *longest = &s->weight[groups[i]];
    *longest = fmax(*longest, s->typical[i]);
  }
  for (size_t i = s->m; i-- > 0;) {
    double longest = s->weight[groups[i]];
    s->weight[i] = longest > 0 ? 1 / longest : 1;
  }
}

/* ---- Where not all equations can hold ---- */

/* trial = y + the step that makes |J w + r|^2 + damping |w|^2 least, from values at y (J in
 * s->rows.a, in weights). 0: no such step. */
static int damped_step(struct solver *s, const double *y, double damping) {
  int m = (int)s->m, one = 1, info;
  for (size_t i = 0; i < s->m; i++) {
    s->right[i] = -s->values[i] * s->weight[i];
    for (size_t k = 0; k <= i; k++) {
      double sum = i == k ? damping : 0;
      for (size_t j = 0; j < s->n; j++) sum += s->rows.a[i * s->n + j] * s->rows.a[k * s->n + j];
      s->normal[k * s->m + i] = sum;
    }
  }
  LAPACK_dposv("L", &m, &one, s->normal, &m, s->right, &m, &info);
  if (info != 0) return 0;
  memset(s->step, 0, s->n * sizeof *s->step);
  for (size_t i = 0; i < s->m; i++)
    for (size_t j = 0; j < s->n; j++) s->step[j] += s->right[i] * s->rows.a[i * s->n + j];
  metric_changes(s->level->metric, s->step);
  for (size_t j = 0; j < s->n; j++) s->trial[j] = y[j] + s->step[j];
  return 1;
}

static void weigh_rows(struct solver *s) {
  for (size_t i = 0; i < s->m; i++) {
    double *row = s->rows.a + i * s->n;
    memcpy(row, s->values + s->m + i * s->n, s->n * sizeof *row);
    metric_gradient(s->level->metric, row);
    for (size_t j = 0; j < s->n; j++) row[j] *= s->weight[i];
  }
}

/* Levenberg and Marquardt's way from y to a least sum of weighted squares, which it returns
 * (infinite: not evaluated). Gauss-Newton alone does not get there where rows fade on the way. */
static double least_squares(struct solver *s, double *y) {
  double damping = 1e-3;
  if (!evaluate_at(s, y)) return HUGE_VAL;
  double now = merit(s, s->weight);
  /* A conflict of thousands of equations is told after seconds, if less sharply. */
  double work = (double)s->m * (double)s->m * (double)(s->n + 1);
  int most = (int)fmax(20, fmin(5 * MOST_STEPS, MOST_WORK / work));
  for (int i = 0, idle = 0; i < most && idle < 5 && damping < 1e12; i++) {
    weigh_rows(s);
    s->iterations++;
    double next = HUGE_VAL;
    if (damped_step(s, y, damping) && evaluate_at(s, s->trial)) next = merit(s, s->weight);
    if (next < now) {
      idle = next > now * (1 - 1e-13) ? idle + 1 : 0;
      now = next;
      memcpy(y, s->trial, s->n * sizeof *y);
      damping = fmax(damping / 5, 1e-15);
      if (now == 0) break;
    } else {
      damping *= 4;
      if (!evaluate_at(s, y)) return HUGE_VAL;
    }
  }
  return now;
}

/* best = the best of the given point's and the tries' least squares. */
static enum level_result settle(struct solver *s) {
  double found = least_squares(s, s->best);
  memcpy(s->start, s->from, s->n * sizeof *s->start);
  double near = least_squares(s, s->start);
  if (near < found * (1 + 1e-6)) memcpy(s->best, s->start, s->n * sizeof *s->best);
  if (!evaluate_at(s, s->best)) return LEVEL_NOT_EVALUATED;
  linearise(s, s->best);
  return all_hold(s) ? LEVEL_DONE : LEVEL_CONFLICT;
}

/* ---- The search ---- */

static enum level_result search(struct solver *s) {
  double least = HUGE_VAL;
  int tries = s->level->is_attempt ? 2 : MOST_TRIES;
  for (int i = 0; i < tries; i++) {
    scatter(s->n, s->from, i == 0 ? 0 : pow(10, i - 4), (uint32_t)i, s->start);
    if (!restore(s, s->start)) continue;
    int good = all_hold(s);
    double size = merit(s, s->weight);
    /* A try from elsewhere must be worth leaving the neighbourhood. */
    if (good || size < least * 0.99) memcpy(s->best, s->start, s->n * sizeof *s->best);
    least = fmin(least, size);
    if (!good) continue;
    approach(s, s->best);
    return LEVEL_DONE;
  }
  if (!isfinite(least)) return LEVEL_NOT_EVALUATED;
  if (s->level->is_attempt) return LEVEL_CONFLICT;
  enum level_result result = settle(s);
  if (result == LEVEL_DONE) approach(s, s->best);
  return result;
}

static int allocate(struct solver *s, struct level *level) {
  size_t m = s->m = (size_t)level->n_equations, n = s->n = (size_t)level->n;
  s->level = level;
  s->memory = calloc(2 * m * (1 + n) + m * m + 6 * m + 6 * n + 1, sizeof(double));
  if (!s->memory || !rows_init(&s->rows, m, n)) return 0;
  double *next = s->memory;
  s->values = next, next += m * (1 + n);
  s->first = next, next += m * (1 + n);
  s->normal = next, next += m * m;
  s->scale = next, next += m;
  s->sizes = next, next += m;
  s->least_size = next, next += m;
  s->typical = next, next += m;
  s->weight = next, next += m;
  s->right = next, next += m;
  s->from = next, next += n;
  s->start = next, next += n;
  s->best = next, next += n;
  s->step = next, next += n;
  s->across = next, next += n;
  s->trial = next;
  return 1;
}

/* ---- The report ---- */

/* Whether equations i and k had an unknown in common at the given point. */
static int share_unknown(const struct solver *s, size_t i, size_t k) {
  const double *rows = s->first + s->m;
  for (size_t j = 0; j < s->n; j++)
    if (rows[i * s->n + j] != 0 && rows[k * s->n + j] != 0) return 1;
  return 0;
}

static void report_conflict(const struct solver *s, unsigned char *state) {
  double worst = 0;
  for (size_t i = 0; i < s->m; i++) worst = fmax(worst, fabs(s->values[i]) * s->weight[i]);
  for (size_t i = 0; i < s->m; i++) /* the best point is found to a limited accuracy */
    if (!holds(s, i) && fabs(s->values[i]) * s->weight[i] > 1e-6 * worst) state[i] = LEVEL_FAILS;
  for (size_t i = 0; i < s->m; i++)
    for (size_t k = 0; k < s->m && state[i] == LEVEL_HOLDS; k++)
      if (state[k] == LEVEL_FAILS && fabs(s->first[i]) > HOLDS * s->sizes[i] &&
          share_unknown(s, i, k))
        state[i] = LEVEL_HELD_AGAINST;
}

enum level_result level_solve(struct level *level, struct level_report *report) {
  struct solver s = {0};
  if (!allocate(&s, level)) {
    free(s.memory);
    return LEVEL_NO_MEMORY;
  }
  for (size_t j = 0; j < s.n; j++) s.best[j] = s.from[j] = level->x[level->unknowns[j]];
  survey(&s);
  enum level_result result = search(&s);
  put_point(&s, s.best);
  memcpy(report->at_start, s.first, s.m * sizeof *s.first);
  memcpy(report->residuals, s.values, s.m * sizeof *s.values);
  memcpy(report->size, s.sizes, s.m * sizeof *s.sizes);
  memset(report->state, LEVEL_HOLDS, s.m);
  if (result == LEVEL_CONFLICT) report_conflict(&s, report->state);
  report->rank = (int32_t)s.rows.rank;
  report->iterations += s.iterations;
  rows_clear(&s.rows);
  free(s.memory);
  return result;
}
