/* taylor.c: the method of Taylor series. Needs a model with the series of its motion
 * (dyn_taylor_function in dyn_model.h); promises steps whose truncation error is within the
 * tolerance, and states within a step as accurate as its end: both are values of the same
 * polynomial. Where a model has constraints, every step ends projected on them and the next one
 * begins there. Through a configuration where constraints lose rank the motion is smooth, but near
 * it the errors of a state, enlarged by every order, hide its series (passage.c): what would lead
 * there is declined. Source: Jorba, Zou, A software package for the numerical integration of ODEs
 * by means of high-order Taylor methods, Experimental Mathematics 14 (2005) 99, section 3; Hairer,
 * Norsett, Wanner, Solving Ordinary Differential Equations I, I.8.
 *
 * The order p = 1 - ln(tolerance) / 2 is where the work for a unit of time, p^2 over the step, is
 * least; coefficients 1 .. p of a motion with the radius of convergence R fall like R^-j, and a
 * step of R * tolerance^(1/p) makes the last term as large as the tolerance. The radius is taken
 * from the last few coefficients: some vanish where the motion is symmetric. All of these may,
 * though later ones do not: a step is taken only if the polynomial satisfies the equations where it
 * ends (its defect: Enright, A new error-control for initial value solvers, Applied Mathematics and
 * Computation 31 (1989) 288). */
#include "runtime/taylor.h"
#include "runtime/message.h"
#include "runtime/project.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What series leave out has a sign, and adds up; rounding mostly has none. As no tolerance below
 * 1e-15 can be asked for, the last term is kept below it at tolerances less than this. */
#define BIASED 1e-13

enum {
  RADIUS_ROWS = 4,  /* coefficients that the radius is taken from */
  MOST_SCALES = 12, /* to try */
  MOST_TRIES = 40,  /* to find a step that ends well, by halves */
  LEAST_ORDER = 4
};
/* What projection may take away, over the tolerance, and what it always may, over the largest entry
 * of its kind: see explicit.c. */
#define FAR_MOVED 1000
#define NOISE 1e-11
/* A step that leaves less than this of the pivot ends too near to a singular configuration. */
#define TOO_NEAR 0.25
#define AHEAD 2 /* steps: what is nearer is near, and what is further where the pivot is small */
#define GLANCE 0.01 /* of a step: from where it begins, to see which way the pivot goes */

struct taylor {
  struct integrator base;
  struct projection *projection; /* or NULL */
  double pivot;                  /* the least of the constraints' rows where the step begins, */
  double t_singular;             /* and when it is zero, if it goes on like this */
  int has_pivot;
  int32_t order;
  double ratio;      /* of a step and the radius */
  double scale;      /* of the series: the length of a step, ... */
  double next_scale; /* ... and of the next one: what the last coefficients allowed */
  double *memory;
  double *rows; /* order + 1 rows of n: coefficients of the last step's series */
  double *x_old, *x_new, *x_natural, *follows;
  double *lost, *lost_new; /* what rounding took from x_old and x_new: the next step adds it */
  int has_step;
};

static struct taylor *self_of(struct integrator *base) {
  return (struct taylor *)base;
}

static const dyn_model *series_model(const struct evaluator *e) {
  return e->model == e->problem->model ? e->steps_model : e->model;
}

const char *taylor_obstacle(const struct evaluator *e) {
  const dyn_input_source *sources = e->problem->inputs;
  if (!series_model(e)->taylor) return "the model has no series of its motion";
  for (int32_t i = 0; sources && i < e->model->n_inputs; i++)
    if (sources[i].kind != DYN_INPUT_DEFAULT && sources[i].kind != DYN_INPUT_CONSTANT)
      return "an input is a table or a function of the program's own";
  return NULL;
}

static double *row(const struct taylor *s, int32_t k) {
  return s->rows + (size_t)k * (size_t)s->base.e->n;
}

/* ---- the series */

static int is_finite(const struct taylor *s) {
  double sum = 0;
  size_t count = (size_t)(s->order + 1) * (size_t)s->base.e->n;
  for (size_t i = 0; i < count; i++) sum += 0 * s->rows[i];
  return sum == 0;
}

/* 0 if there is none. A scale that is much too long makes coefficients that are too large. */
static int expand(struct taylor *s) {
  struct evaluator *e = s->base.e;
  const dyn_model *m = series_model(e);
  for (int tries = 0; tries < MOST_SCALES; tries++, s->scale *= 1e-6) {
    if (evaluate_inputs(e, s->base.t)) return 0;
    e->rhs_evaluations++;
    if (m->taylor(m, s->order, s->scale, s->base.t, s->x_old, e->u, s->follows, e->problem->p,
                  e->work, s->rows))
      return 0;
    if (is_finite(s)) return 1;
  }
  return 0;
}

/* The largest of a row over the tolerance. */
static double size_of_row(const struct taylor *s, int32_t k) {
  const double *c = row(s, k);
  double largest = 0;
  for (int32_t i = 0; i < s->base.e->n; i++)
    largest = fmax(largest, fabs(c[i]) / error_scale(s->base.control, i, fabs(s->x_old[i])));
  return largest;
}

/* The step over the scale: infinite of a motion that is a polynomial. */
static double step_of_series(const struct taylor *s) {
  double tolerance = s->base.control->relative, radius = HUGE_VAL;
  for (int32_t k = s->order; k > s->order - RADIUS_ROWS && k > 0; k--) {
    double size = size_of_row(s, k);
    if (size > 0) radius = fmin(radius, pow(tolerance * size, -1.0 / k));
  }
  return radius * s->ratio;
}

/* The series without its first term, over `at`. */
static void evaluate_rest(const struct taylor *s, double at, double *rest) {
  int32_t n = s->base.e->n;
  memcpy(rest, row(s, s->order), (size_t)n * sizeof *rest);
  for (int32_t k = s->order; k-- > 1;) {
    const double *c = row(s, k);
    for (int32_t i = 0; i < n; i++) rest[i] = c[i] + at * rest[i];
  }
}

static void evaluate(const struct taylor *s, double at, double *x) {
  const double *first = row(s, 0);
  evaluate_rest(s, at, x);
  for (int32_t i = 0; i < s->base.e->n; i++) x[i] = first[i] + at * x[i];
}

/* The end of a step, with the sum's rounding kept (Knuth's TwoSum): over long runs the state then
 * loses what terms lose, which are small beside it, and no more. */
static void evaluate_end(struct taylor *s, double at) {
  const double *first = row(s, 0);
  double *x = s->x_new;
  evaluate_rest(s, at, x);
  for (int32_t i = 0; i < s->base.e->n; i++) {
    double change = at * x[i] + s->lost[i], sum = first[i] + change, part = sum - first[i];
    s->lost_new[i] = (first[i] - (sum - part)) + (change - part);
    x[i] = sum;
  }
}

/* ---- singular configurations */

/* The least pivot of the constraints' rows at the natural state; -1 if there is none. */
static double pivot_at(const struct taylor *s, double t) {
  double pivot = projection_least_pivot(s->projection);
  if (pivot >= 0 || s->projection->start_rank == 0) return pivot;
  if (projection_look(s->projection, t, s->x_natural)) return -1;
  return projection_least_pivot(s->projection);
}

/* The pivot at t, after the one known at t_before. */
static void note_pivot(struct taylor *s, double t, double pivot, double t_before) {
  double lost = s->pivot - pivot;
  s->t_singular = s->has_pivot && lost > 0 ? t + pivot * (t - t_before) / lost : HUGE_VAL;
  s->has_pivot = pivot >= 0;
  s->pivot = pivot;
  s->projection->largest_pivot = fmax(s->projection->largest_pivot, pivot);
}

/* Where the first step of h begins, to which another method may have led, nothing is known: there
 * the pivot is looked at twice, the second time where the velocities lead. */
static void look_at_begin(struct taylor *s, double h) {
  struct evaluator *e = s->base.e;
  int32_t n = e->model->n_coordinates;
  double t = s->base.t, *x = s->x_natural;
  if (!s->projection || s->has_pivot || evaluate_natural_state(e, t, s->x_old, x)) return;
  projection_forget(s->projection);
  double pivot = pivot_at(s, t);
  for (int32_t i = 0; i < n; i++) x[i] += GLANCE * h * x[n + i];
  projection_forget(s->projection);
  double ahead = pivot_at(s, t + GLANCE * h);
  projection_forget(s->projection);
  note_pivot(s, t, pivot, t);
  if (pivot >= 0 && ahead >= 0 && ahead < pivot)
    s->t_singular = t + pivot * GLANCE * h / (pivot - ahead);
}

/* Steps that noise shortens become shorter faster than the way that is left. */
static int leads_near(struct taylor *s, double h) {
  look_at_begin(s, h);
  if (!s->has_pivot || !isfinite(s->t_singular)) return 0;
  double part = s->pivot / s->projection->largest_pivot;
  return sqrt(sqrt(part)) * fabs(s->t_singular - s->base.t) < AHEAD * fabs(h);
}

/* ---- the step */

/* Not far beyond the last step, and what leaves no tiny rest before the limit. */
static double step_to_try(struct taylor *s, double limit, double *t_new) {
  const struct error_control *control = s->base.control;
  double remaining = limit - s->base.t, longest = fmin(control->max_step, fabs(remaining));
  double h = step_of_series(s) * fabs(s->scale);
  s->next_scale = isfinite(h) ? copysign(h, s->scale) : s->scale;
  h = fmin(h, longest);
  *t_new = limit;
  if (fabs(remaining) <= 1.01 * h && fabs(remaining) <= control->max_step) return remaining;
  if (fabs(remaining) < 2 * h) h = fabs(remaining) / 2;
  h = copysign(h, remaining);
  *t_new = s->base.t + h;
  return *t_new - s->base.t; /* as time is rounded */
}

static double largest_beside(const struct taylor *s, int32_t i) {
  int32_t n = s->base.e->model->n_coordinates, begin = i < n ? 0 : i < 2 * n ? n : i;
  double largest = fabs(s->x_new[i]);
  for (int32_t j = begin; i < 2 * n && j < begin + n; j++)
    largest = fmax(largest, fabs(s->x_new[j]));
  return largest;
}

/* Whether the rows that the radius is taken from may say nothing of component i, because its series
 * has gaps: all of them vanish, or terms before them are larger at the end of the step than a
 * series has that ends with the tolerance. */
static int may_have_gap(const struct taylor *s, int32_t i, double at) {
  enum { MUCH = 10 };
  int32_t first = (s->order + 1) / 2;
  double over = at / s->ratio, power = pow(over, first), last = 0;
  double much =
      MUCH * error_scale(s->base.control, i, fabs(s->x_old[i])) / s->base.control->relative;
  for (int32_t k = first; k <= s->order; k++, power *= over) {
    double size = fabs(row(s, k)[i]);
    if (size > 0 && size * power > much) return 1;
    if (k > s->order - RADIUS_ROWS) last = fmax(last, size);
  }
  return last == 0;
}

/* The derivative of component i of the polynomial is the model's rate where the step ends. The last
 * term's derivative is `order` times it. */
static int has_rate(const struct taylor *s, int32_t i, double h, double rate) {
  double slope = 0, at = h / s->scale;
  for (int32_t k = s->order; k > 0; k--) slope = k * row(s, k)[i] + at * slope;
  double off = fabs(slope / s->scale - rate) * fabs(h);
  return off <= 4 * s->order * error_scale(s->base.control, i, fabs(s->x_new[i])) ||
         off <= NOISE * fabs(rate * h);
}

/* Of z' = 1/(1 + t^8), or x'' = -x^5 near x = 0, the coefficients that the radius is taken from may
 * vanish though later ones do not. */
static int ends_well(struct taylor *s, double h, double t_new) {
  int32_t n = s->base.e->n, i = 0;
  double *rates = s->x_natural;
  while (i < n && !may_have_gap(s, i, fabs(h / s->scale))) i++;
  if (i == n) return 1;
  if (evaluate_rhs(s->base.e, t_new, s->x_new, rates)) return 0;
  for (; i < n; i++)
    if (may_have_gap(s, i, fabs(h / s->scale)) && !has_rate(s, i, h, rates[i])) return 0;
  return 1;
}

/* Puts the end of a step on the constraints; 0 if that fails, moves it far, or if it is too near to
 * where they lose rank. */
static int project_end(struct taylor *s, double t) {
  struct evaluator *e = s->base.e;
  if (!s->projection) return 1;
  projection_forget(s->projection);
  s->projection->is_strict = isfinite(s->t_singular);
  if (evaluate_natural_state(e, t, s->x_new, s->x_natural)) return 0;
  enum projection_result result = projection_project(s->projection, t, s->x_natural);
  double pivot = result == PROJECTION_FAILED ? -1 : pivot_at(s, t);
  if (s->has_pivot && pivot >= 0 && pivot < TOO_NEAR * s->pivot) return 0;
  if (result == PROJECTION_HELD) return 1;
  double *projected = s->x_natural + e->n;
  if (result == PROJECTION_FAILED || evaluate_method_state(e, t, s->x_natural, projected)) return 0;
  for (int32_t i = 0; i < e->n; i++) {
    double moved = fabs(projected[i] - s->x_new[i]);
    double scale = error_scale(s->base.control, i, fabs(s->x_new[i]));
    if (!(moved <= FAR_MOVED * scale) && !(moved <= NOISE * largest_beside(s, i))) return 0;
  }
  memcpy(s->x_new, projected, (size_t)e->n * sizeof *projected);
  memset(s->lost_new, 0, (size_t)e->n * sizeof *s->lost_new);
  return 1;
}

static enum step_result accept(struct taylor *s, double t_new) {
  double *x = s->x_old, *lost = s->lost;
  s->lost = s->lost_new;
  s->lost_new = lost;
  s->base.t_old = s->base.t;
  s->base.t = t_new;
  s->x_old = s->x_new;
  s->x_new = x;
  s->base.x = s->x_old;
  s->base.steps++;
  s->has_step = 1;
  if (s->projection) note_pivot(s, t_new, projection_least_pivot(s->projection), s->base.t_old);
  return STEP_DONE;
}

/* The coefficients stay those of the step over which states are asked for: the next series begins
 * with the next step, and from where this one ended. */
static enum step_result taylor_step(struct integrator *base, double limit) {
  struct taylor *s = self_of(base);
  double t_new;
  s->has_step = 0;
  s->scale = s->next_scale;
  if (!expand(s)) return STEP_DECLINED;
  double h = step_to_try(s, limit, &t_new);
  if (leads_near(s, h)) return STEP_DECLINED;
  for (int tries = 0; tries < MOST_TRIES; tries++) {
    if (!(fabs(h) > 8 * DBL_EPSILON * fabs(base->t)) && t_new != limit) return STEP_DECLINED;
    evaluate_end(s, h / s->scale);
    if (ends_well(s, h, t_new) && project_end(s, t_new)) return accept(s, t_new);
    base->rejected_steps++;
    t_new = base->t + h / 2;
    h = t_new - base->t;
  }
  return STEP_DECLINED;
}

static dyn_status taylor_interpolate(struct integrator *base, double t, double *x) {
  struct taylor *s = self_of(base);
  if (t == base->t || !s->has_step)
    memcpy(x, base->x, (size_t)base->e->n * sizeof *x);
  else
    evaluate(s, (t - base->t_old) / s->scale, x);
  return DYN_DONE;
}

static void taylor_free(struct integrator *base) {
  struct taylor *s = self_of(base);
  free(s->memory);
  free(s);
}

/* ---- set-up */

static int32_t order_for(double tolerance) {
  int32_t order = (int32_t)ceil(1 - 0.5 * log(tolerance));
  return order < LEAST_ORDER             ? LEAST_ORDER
         : order > DYN_TAYLOR_MOST_ORDER ? DYN_TAYLOR_MOST_ORDER
                                         : order;
}

static int allocate(struct taylor *s) {
  size_t n = (size_t)s->base.e->n, rows = (size_t)s->order + 1;
  s->memory = calloc((rows + 6) * n + (size_t)s->base.e->model->n_inputs + 1, sizeof(double));
  if (!s->memory) return 0;
  s->rows = s->memory;
  s->x_old = s->rows + rows * n;
  s->x_new = s->x_old + n;
  s->x_natural = s->x_new + n; /* and another state */
  s->lost = s->x_natural + 2 * n;
  s->lost_new = s->lost + n;
  s->follows = s->lost_new + n;
  return 1;
}

struct integrator *taylor_integrator_new(struct evaluator *e, const struct error_control *control,
                                         struct projection *projection, double t, const double *x,
                                         dyn_status *status, dyn_message *message) {
  static const struct integrator_methods methods = {taylor_step, taylor_interpolate, taylor_free};
  const dyn_input_source *sources = e->problem->inputs;
  struct taylor *s = calloc(1, sizeof *s);
  if (s)
    *s = (struct taylor){.base = {.methods = &methods,
                                  .name = "taylor",
                                  .linear_solver = "",
                                  .e = e,
                                  .control = control,
                                  .t_old = t,
                                  .t = t},
                         .projection = projection,
                         .order = order_for(control->relative),
                         .next_scale = control->direction * fmin(control->interval, 1)};
  if (!s || !allocate(s)) {
    free(s);
    *status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to integrate");
    return NULL;
  }
  s->ratio = pow(control->relative * fmin(1, control->relative / BIASED), 1.0 / s->order);
  memcpy(s->x_old, x, (size_t)e->n * sizeof *x);
  s->base.x = s->x_old;
  for (int32_t i = 0; i < e->model->n_inputs; i++)
    s->follows[i] = !sources || sources[i].kind == DYN_INPUT_DEFAULT;
  return &s->base;
}
