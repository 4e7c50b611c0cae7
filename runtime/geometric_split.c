/* geometric_split.c: velocity Verlet and symmetric compositions of it, for models that separate: a
 * constant mass matrix and forces that do not depend on velocities. One step is half a kick
 * v += h/2 a(q), a drift q += h v, half a kick at the new place. Under constraints between
 * positions it is RATTLE: the first kick has constraint forces in the directions of the old
 * place, M^-1 G(q)^T, such that the drift ends on the constraints, the last one those of the new
 * place, such that the velocities end on their derivatives. The accelerations used have constraint
 * forces already; the multipliers found take up the difference, which lies in the same directions.
 * Source: Hairer, Lubich, Wanner, Geometric Numerical Integration (2nd ed.), I.1.4 (Verlet),
 * VII.1.4 (RATTLE), V.3.2 (compositions). Promises steps that are symplectic where forces have a
 * potential, and symmetric to rounding. */
#include "runtime/geometric.h"
#include "runtime/message.h"
#include "runtime/project.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 60 };
/* Residuals over their terms: where an iteration that stalls has met rounding, and below which
 * there is nothing but rounding, however it shrinks. */
#define HELD 1e-11
#define NOTHING (DBL_EPSILON / 64)

struct split {
  struct geometric_map map;
  const struct geometric_method *method;
  struct evaluator *e;
  struct projection *projection; /* or NULL */
  struct metric metric;          /* of the mass matrix */
  size_t n;
  double *rate, *change, *total;
  double *x_known, t_known; /* where rate is known, if has_rate */
  int has_rate;
};

static enum geometric_result look_at_rate(struct split *s, double t, const double *x) {
  int is_then = fabs(t - s->t_known) <= 4 * DBL_EPSILON * fabs(t);
  if (s->has_rate && is_then && !memcmp(x, s->x_known, s->n * sizeof *x)) return GEOMETRIC_DONE;
  s->has_rate = 0;
  if (evaluate_natural_rhs(s->e, t, x, s->rate)) return GEOMETRIC_NOT_EVALUATED;
  memcpy(s->x_known, x, s->n * sizeof *x);
  s->t_known = t;
  s->has_rate = 1;
  return GEOMETRIC_DONE;
}

static enum geometric_result kick(struct split *s, double t, double h, double *x, double *carry) {
  size_t n = s->n;
  enum geometric_result result = look_at_rate(s, t, x);
  for (size_t i = n; i < 2 * n && !result; i++) geometric_add(&x[i], &carry[i], h * s->rate[i]);
  return result;
}

static void drift(const struct split *s, double h, double *x, double *carry) {
  size_t n = s->n;
  for (size_t i = 0; i < n; i++) geometric_add(&x[i], &carry[i], h * (x[n + i] + carry[n + i]));
}

/* ---- Constraints ---- */

/* Moves unknowns along the rows decomposed last until residuals at (t, x) are those of rounding;
 * total[n] = the whole change. */
static enum geometric_result satisfy(struct split *s, struct constraint_rows *c, double t,
                                     double *x, double *carry) {
  size_t first = c->is_velocity ? s->n : 0;
  double last = HUGE_VAL;
  memset(s->total, 0, s->n * sizeof *s->total);
  for (int count = 0; count < MOST_ITERATIONS; count++) {
    if (constraint_rows_evaluate(c, t, x)) return GEOMETRIC_NOT_EVALUATED;
    double now = constraint_rows_worst(c);
    if (now <= NOTHING || (now >= last && now <= HELD)) return GEOMETRIC_DONE;
    if (!(now < HUGE_VAL) || (now >= last && count > 2)) break;
    last = now;
    constraint_rows_solve(c, &s->metric, s->change);
    for (size_t i = 0; i < s->n; i++) {
      s->total[i] += s->change[i];
      geometric_add(&x[first + i], &carry[first + i], s->change[i]);
    }
  }
  return GEOMETRIC_NOT_HELD;
}

/* The directions of the constraint forces at (t, x). */
static enum geometric_result look_at_rows(struct split *s, struct constraint_rows *c, size_t rank,
                                          double t, const double *x) {
  if (constraint_rows_evaluate(c, t, x)) return GEOMETRIC_NOT_EVALUATED;
  constraint_rows_decompose(c, x, &s->metric, rank);
  return GEOMETRIC_DONE;
}

static enum geometric_result drift_on_constraints(struct split *s, double t, double h, double *x,
                                                  double *carry) {
  struct constraint_rows *c = &s->projection->position;
  enum geometric_result result = satisfy(s, c, t + h, x, carry);
  for (size_t i = 0; i < s->n && !result; i++)
    geometric_add(&x[s->n + i], &carry[s->n + i], s->total[i] / h);
  return result;
}

static enum geometric_result hold_velocities(struct split *s, double t, double *x, double *carry) {
  struct constraint_rows *c = &s->projection->velocity;
  enum geometric_result result = look_at_rows(s, c, (size_t)s->e->model->constraint_rank, t, x);
  return result ? result : satisfy(s, c, t, x, carry);
}

/* ---- Steps ---- */

static enum geometric_result verlet(struct split *s, double t, double h, double t_new, double *x,
                                    double *carry) {
  struct projection *p = s->projection;
  enum geometric_result result = GEOMETRIC_DONE;
  if (p) result = look_at_rows(s, &p->position, p->position_rank, t, x);
  if (!result) result = kick(s, t, 0.5 * h, x, carry);
  if (result) return result;
  drift(s, h, x, carry);
  if (p) result = drift_on_constraints(s, t, h, x, carry);
  if (!result) result = kick(s, t_new, 0.5 * h, x, carry);
  if (!result && p) result = hold_velocities(s, t_new, x, carry);
  return result;
}

/* Substeps of the lengths gamma_1 h ... gamma_m ... gamma_1 h. */
static enum geometric_result split_advance(struct geometric_map *map, double t, double h, double *x,
                                           double *carry, int is_probe) {
  struct split *s = (struct split *)map;
  int stages = s->method->stages;
  double done = 0;
  (void)is_probe;
  for (int i = 0; i < stages; i++) {
    int mirrored = i < stages - 1 - i ? i : stages - 1 - i;
    double part = s->method->gamma ? s->method->gamma[mirrored] : 1;
    double begin = t + done * h, end = i == stages - 1 ? t + h : t + (done + part) * h;
    enum geometric_result result = verlet(s, begin, part * h, end, x, carry);
    if (result) return result;
    done += part;
  }
  return GEOMETRIC_DONE;
}

static void split_free(struct geometric_map *map) {
  struct split *s = (struct split *)map;
  metric_clear(&s->metric);
  free(s->rate);
  free(s);
}

/* ---- Set-up ---- */

/* The metric of the mass matrix, which geometric_check has seen to be one. */
static dyn_status begin_metric(struct split *s, double t, const double *x, dyn_message *message) {
  const dyn_model *m = s->e->model;
  double *mass = calloc(s->n * s->n + 1, sizeof *mass);
  int is_good = mass && !evaluate_function(s->e, m->mass_matrix, t, x, mass) &&
                metric_init(&s->metric, m->n_coordinates, m->n_coordinates, mass);
  free(mass);
  if (is_good) return DYN_DONE;
  return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
}

static dyn_status begin_constraints(struct split *s, double t, const double *x,
                                    dyn_message *message) {
  const struct projection *p = s->projection;
  if (p->position_rank < p->start_rank)
    return message_set(message, DYN_BAD_OPTION,
                       "the integrator %s holds constraints by equations between positions, and "
                       "of %d independent constraints only %d have one here",
                       dyn_integrator_name((int32_t)s->method->choice), (int)p->start_rank,
                       (int)p->position_rank);
  return begin_metric(s, t, x, message);
}

struct geometric_map *split_map_new(const struct geometric_method *method, struct evaluator *e,
                                    struct projection *projection, double t, const double *x,
                                    dyn_status *status, dyn_message *message) {
  size_t n = (size_t)e->model->n_coordinates;
  struct split *s = calloc(1, sizeof *s);
  double *memory = calloc((size_t)e->n + 3 * n + 1, sizeof *memory);
  if (!s || !memory) {
    *status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
    free(s);
    free(memory);
    return NULL;
  }
  *s = (struct split){.map = {split_advance, split_free},
                      .method = method,
                      .e = e,
                      .projection = projection,
                      .n = n,
                      .rate = memory,
                      .change = memory + e->n,
                      .total = memory + e->n + n,
                      .x_known = memory + e->n + 2 * n};
  if (projection && (*status = begin_constraints(s, t, x, message))) {
    split_free(&s->map);
    return NULL;
  }
  return &s->map;
}
