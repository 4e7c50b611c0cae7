/* geometric_symmetric.c: a symmetric method on constraints of any kind, by symmetric projection:
 * x~ = x + W(x) mu, a step of the method from x~ to x^, x_new = x^ + W(x_new) mu with mu such that
 * x_new satisfies the constraints. What leaves the constraints in the one shift comes back in the
 * other, so that the step is symmetric again. W has the directions D^-1 G^T, for
 * positions by the equations between positions, for velocities by all constraints, with the
 * inertias of coordinates at the start in D: any W that is smooth and nowhere tangent will do.
 * Source: Hairer, Lubich, Wanner, Geometric Numerical Integration (2nd ed.), V.4.1 and V.4.2.
 */
#include "runtime/geometric.h"
#include "runtime/project.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 30, MOST_GROWING = 4 };
/* Residuals over their terms: where an iteration that stalls has met rounding, and below which
 * there is nothing but rounding, however it shrinks. */
#define HELD 1e-11
#define NOTHING (DBL_EPSILON / 64)

/* The constraints of one level. */
struct level {
  struct constraint_rows *rows; /* the projection's */
  size_t rank, offset;          /* of the entries of a state that it moves */
  double *scale, *mu, *change;  /* m each; scale: 1 over the lengths of rows, fixed for a step */
  double *begin;                /* m n: the rows at the step's begin */
};

struct symmetric {
  struct geometric_map map, *inner;
  struct evaluator *e;
  struct projection *projection;
  struct metric metric;
  struct level levels[2];
  size_t n, n_state;
  double *memory, *shift, *right, *x_begin, *carry_begin;
};

/* x + carry += D^-1 rows^T mu, to the last digit of x. */
static void shift_by(struct symmetric *s, const struct level *level, const double *rows, double *x,
                     double *carry) {
  size_t m = level->rows->m, n = s->n;
  memset(s->shift, 0, n * sizeof *s->shift);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) s->shift[j] += level->mu[i] * level->scale[i] * rows[i * n + j];
  metric_gradient(&s->metric, s->shift);
  metric_changes(&s->metric, s->shift);
  for (size_t j = 0; j < n; j++)
    geometric_add(&x[level->offset + j], &carry[level->offset + j], s->shift[j]);
}

/* The rows at (t, x), and the matrix G D^-1 G^T that gives mu. */
static int begin_level(struct symmetric *s, struct level *level, double t, const double *x) {
  struct constraint_rows *c = level->rows;
  if (constraint_rows_evaluate(c, t, x)) return 0;
  memcpy(level->begin, c->derivatives, c->m * s->n * sizeof *level->begin);
  constraint_rows_decompose(c, x, &s->metric, level->rank);
  for (size_t i = 0; i < c->m; i++) level->scale[i] = c->typical[i] > 0 ? 1 / c->typical[i] : 1;
  memset(level->mu, 0, c->m * sizeof *level->mu);
  return 1;
}

/* The largest residual at (t, x) over its terms, negative if there is none; its rows are c's. */
static double look(struct level *level, double t, const double *x) {
  return constraint_rows_evaluate(level->rows, t, x) ? -1 : constraint_rows_worst(level->rows);
}

/* Newton's step for mu: both ends move, by W at nearly the same place. */
static void improve(struct symmetric *s, struct level *level) {
  struct constraint_rows *c = level->rows;
  for (size_t i = 0; i < c->m; i++) s->right[i] = -0.5 * c->residuals[i] * level->scale[i];
  rows_multipliers(&c->rows, s->right, level->change);
  for (size_t i = 0; i < c->m; i++) level->mu[i] += level->change[i];
}

/* x_new from mu, with W at the x_new before. */
static enum geometric_result try_step(struct symmetric *s, double t, double h, double *x,
                                      double *carry, int is_first, int is_probe) {
  size_t size = s->n_state * sizeof *x;
  memcpy(x, s->x_begin, size);
  memcpy(carry, s->carry_begin, size);
  for (int i = 0; i < 2; i++) shift_by(s, &s->levels[i], s->levels[i].begin, x, carry);
  enum geometric_result result = s->inner->advance(s->inner, t, h, x, carry, is_probe);
  for (int i = 0; i < 2 && !result && !is_first; i++)
    shift_by(s, &s->levels[i], s->levels[i].rows->derivatives, x, carry);
  return result;
}

static enum geometric_result symmetric_advance(struct geometric_map *map, double t, double h,
                                               double *x, double *carry, int is_probe) {
  struct symmetric *s = (struct symmetric *)map;
  double last = HUGE_VAL;
  int growing = 0;
  memcpy(s->x_begin, x, s->n_state * sizeof *x);
  memcpy(s->carry_begin, carry, s->n_state * sizeof *x);
  for (int i = 0; i < 2; i++)
    if (!begin_level(s, &s->levels[i], t, x)) return GEOMETRIC_NOT_EVALUATED;
  for (int count = 0; count < MOST_ITERATIONS; count++) {
    enum geometric_result result = try_step(s, t, h, x, carry, count == 0, is_probe);
    if (result) return result;
    double position = look(&s->levels[0], t + h, x), velocity = look(&s->levels[1], t + h, x);
    double now = fmax(position, velocity);
    if (position < 0 || velocity < 0) return GEOMETRIC_NOT_EVALUATED;
    if (now <= NOTHING || (now >= last && now <= HELD)) return GEOMETRIC_DONE;
    if (!(now < HUGE_VAL) || (now > last && ++growing > MOST_GROWING)) break;
    last = now;
    for (int i = 0; i < 2; i++) improve(s, &s->levels[i]);
  }
  return GEOMETRIC_NOT_HELD;
}

static void symmetric_free(struct geometric_map *map) {
  struct symmetric *s = (struct symmetric *)map;
  geometric_map_free(s->inner);
  metric_clear(&s->metric);
  free(s->memory);
  free(s);
}

static double *take(double **next, size_t count) {
  double *result = *next;
  *next += count;
  return result;
}

/* A mass matrix itself may be singular, in directions that turn with the motion. */
static int begin_metric(struct symmetric *s) {
  const struct projection *p = s->projection;
  double *mass = calloc(s->n * s->n + 1, sizeof *mass);
  if (!mass) return 0;
  for (size_t i = 0; i < s->n; i++) mass[i * s->n + i] = p->inertia[i] > 0 ? p->inertia[i] : 1;
  int result = metric_init(&s->metric, (int32_t)s->n, (int32_t)s->n, mass);
  free(mass);
  return result;
}

struct geometric_map *symmetric_projection_new(struct geometric_map *inner, struct evaluator *e,
                                               struct projection *p) {
  size_t n = (size_t)e->model->n_coordinates, n_state = (size_t)e->n;
  size_t m0 = p->position.m, m1 = p->velocity.m;
  struct symmetric *s = calloc(1, sizeof *s);
  double *next = calloc((m0 + m1) * (3 + n) + m0 + m1 + n + 2 * n_state + 1, sizeof *next);
  if (s) {
    *s = (struct symmetric){.map = {symmetric_advance, symmetric_free},
                            .inner = inner,
                            .e = e,
                            .projection = p,
                            .n = n,
                            .n_state = n_state,
                            .memory = next};
    s->levels[0] = (struct level){.rows = &p->position, .rank = p->position_rank};
    s->levels[1] = (struct level){
        .rows = &p->velocity, .rank = (size_t)e->model->constraint_rank, .offset = n};
  }
  if (!s || !next || !begin_metric(s)) {
    geometric_map_free(inner);
    free(next);
    free(s);
    return NULL;
  }
  for (int i = 0; i < 2; i++) {
    struct level *level = &s->levels[i];
    level->scale = take(&next, level->rows->m);
    level->mu = take(&next, level->rows->m);
    level->change = take(&next, level->rows->m);
    level->begin = take(&next, level->rows->m * n);
  }
  s->right = take(&next, m0 + m1);
  s->shift = take(&next, n);
  s->x_begin = take(&next, n_state);
  s->carry_begin = take(&next, n_state);
  return &s->map;
}
