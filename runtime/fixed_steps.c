/* fixed_steps.c: the grid of integrators of fixed steps, and the step where none is given. Needs a
 * step that is not below the resolution of time; promises times without summed rounding. */
#include "runtime/fixed_steps.h"
#include "dyn/dyn_tableau.h"
#include "runtime/geometric.h"
#include "runtime/message.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of trials over a stretch. */
enum { LEAST_STEPS = 4, MOST_STEPS = 1 << 22 };
#define ROUNDING 1e-11 /* relative errors below may be rounding */
#define SAME_TIME 16   /* roundings within which two times are one */

int step_grid_is_same_time(const struct step_grid *g, double a, double b) {
  return fabs(a - b) <= SAME_TIME * DBL_EPSILON * fmax(fabs(a), fabs(g->h));
}

static double next_on_grid(const struct step_grid *g) {
  return g->begin + (double)(g->taken + 1) * g->h;
}

double step_grid_next(const struct step_grid *g, double t, double limit, double *t_new) {
  *t_new = next_on_grid(g);
  if (step_grid_is_same_time(g, limit, *t_new)) {
    *t_new = limit;
    return g->h;
  }
  if (copysign(1, g->h) * (limit - *t_new) > 0) return g->h;
  *t_new = limit;
  return limit - t;
}

void step_grid_take(struct step_grid *g, double t_new) {
  if (step_grid_is_same_time(g, t_new, next_on_grid(g)))
    g->taken++;
  else
    g->begin = t_new, g->taken = 0;
}

int fixed_steps_order(enum integrator_choice choice) {
  const struct geometric_method *geometric = geometric_method_of(choice);
  if (choice == INTEGRATOR_RK4) return rk_table_rk4.order;
  return geometric ? geometric->order : 0;
}

/* ---- The step ---- */

/* Where a motion is fastest, and how fast: of the steps of order 8 the shortest, but for the
 * growing ones at the begin and those before the end. */
struct fastest {
  double t, step; /* step 0: none was made */
  double *y;      /* at t, in the method's own state */
};

static void look_for_fastest(struct integrator *pilot, double end, double direction,
                             struct fastest *out) {
  size_t size = (size_t)pilot->e->n * sizeof *out->y;
  double any = 0, last = 0;
  int has_grown = 0;
  out->t = pilot->t;
  memcpy(out->y, pilot->x, size);
  for (int count = 0; count < FIXED_STEPS_PILOT && pilot->t != end; count++) {
    double remaining = direction * (end - pilot->t), t = pilot->t;
    if (pilot->methods->step(pilot, end) == STEP_FAILED) break;
    double h = fabs(pilot->t - pilot->t_old);
    if (last > 0 && remaining <= 2.5 * last) break;
    any = fmax(any, h);
    if (h <= last) has_grown = 1;
    if (has_grown && (out->step == 0 || h < out->step)) {
      out->step = h;
      out->t = t;
      if (pilot->methods->interpolate(pilot, t, out->y)) memcpy(out->y, pilot->x, size);
    }
    last = h;
  }
  if (out->step == 0) out->step = any;
}

/* A stretch of the motion, gone along by so many steps. */
struct trial {
  enum integrator_choice choice;
  struct evaluator *e;
  struct error_control control;
  struct projection *projection;
  double t, length;
  const double *y; /* at t, in the method's own state */
  double *largest; /* of each entry, on the way */
};

/* The state at the end, in whatever variables the integrator has; 0 if it does not get there. */
static int go_along(struct trial *q, int64_t steps, double *x) {
  const struct geometric_method *geometric = geometric_method_of(q->choice);
  dyn_status status = DYN_DONE;
  dyn_message message;
  double end = q->t + q->control.direction * q->length;
  struct integrator *g;
  q->control.step = q->length / (double)steps;
  if (geometric && geometric_is_natural(geometric, q->e->model)) {
    if (evaluate_natural_state(q->e, q->t, q->y, x)) return 0;
    g = geometric_integrator_new(geometric, q->e, &q->control, q->projection, q->t, x, &status,
                                 &message);
  } else if (geometric) {
    g = geometric_integrator_new(geometric, q->e, &q->control, q->projection, q->t, q->y, &status,
                                 &message);
  } else {
    g = explicit_integrator_new(&rk_table_rk4, q->e, &q->control, q->projection, q->t, q->y,
                                &status, &message);
  }
  if (!g) return 0;
  enum step_result result = STEP_DONE;
  while (result != STEP_FAILED && g->t != end) {
    result = g->methods->step(g, end);
    for (int32_t i = 0; i < q->e->n; i++) q->largest[i] = fmax(q->largest[i], fabs(g->x[i]));
  }
  memcpy(x, g->x, (size_t)q->e->n * sizeof *x);
  g->methods->free(g);
  return result != STEP_FAILED;
}

/* Root mean square of a - b over the tolerance. An entry that passes through 0 at the end counts by
 * what it was before. */
static double distance(const struct trial *q, const double *a, const double *b) {
  int32_t n = q->e->n;
  double sum = 0;
  for (int32_t i = 0; i < n; i++)
    sum += pow((a[i] - b[i]) / error_scale(&q->control, i, q->largest[i]), 2);
  return sqrt(sum / n);
}

/* How many steps make an error of `most` tolerances over the stretch: twice as many again and
 * again, until the error is that small, or falls as the order says, or no more. */
static double count_steps(struct trial *q, int order, double most, double *x, double *x_half) {
  const double fall = ldexp(1, order);
  double last = HUGE_VAL;
  int has_half = go_along(q, LEAST_STEPS, x_half);
  for (int64_t steps = 2 * LEAST_STEPS; steps <= MOST_STEPS; steps *= 2) {
    int has = go_along(q, steps, x);
    double error = has && has_half ? distance(q, x, x_half) : HUGE_VAL;
    double half = (double)steps / 2;
    int falls = error <= 1.5 * last / fall && 1.5 * error >= last / fall;
    int is_rounding = error * q->control.relative < ROUNDING && error > last / 2;
    if (is_rounding) return half;
    if (error <= most || (falls && isfinite(last)))
      return fmax(half / 2, half * pow(error / most, 1.0 / order));
    last = error;
    has_half = has;
    memcpy(x_half, x, (size_t)q->e->n * sizeof *x);
  }
  return MOST_STEPS;
}

double fixed_steps_default(enum integrator_choice choice, struct evaluator *e,
                           const struct error_control *control, struct projection *projection,
                           double every, double t, const double *x, dyn_status *status,
                           dyn_message *message) {
  size_t n = (size_t)e->n + 1;
  double end = t + control->direction * control->interval;
  struct integrator *pilot =
      explicit_integrator_new(&rk_table_dp8, e, control, projection, t, x, status, message);
  double *memory = calloc(4 * n, sizeof *memory);
  struct fastest at = {.y = memory};
  if (pilot && memory) look_for_fastest(pilot, end, control->direction, &at);
  if (pilot && memory && at.step == 0) *status = pilot->status, *message = pilot->message;
  if (pilot && !memory)
    *status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
  if (pilot) pilot->methods->free(pilot);
  if (*status) {
    free(memory);
    return 0;
  }
  double h = control->interval;
  if (at.step > 0) {
    double scale = at.step * pow(control->relative, -1.0 / rk_table_dp8.order);
    struct trial q = {choice, e, *control, projection, at.t, 0, at.y, memory + 3 * n};
    q.length = fmin(scale, fabs(end - at.t));
    h = q.length /
        count_steps(&q, fixed_steps_order(choice), q.length / scale, memory + n, memory + 2 * n);
  }
  free(memory);
  h = fmin(h, control->max_step);
  return every > 0 ? every / ceil(every / h * (1 - 1e-12)) : h;
}
