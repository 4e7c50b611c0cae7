/* explicit_control.h: how large the steps of an explicit Runge-Kutta method are, from the errors of
 * those before, and whether stability rather than accuracy limits them. Needs a method's table
 * (dyn_tableau.h); knows nothing of states, so that trajectories stepped one by one and several at
 * once follow the same rules; in a header, because the latter have one rule a lane and step.
 * Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (II.4 step size
 * control), II (IV.2 stabilised control, detection of stiffness). */
#ifndef DYN_RUNTIME_EXPLICIT_CONTROL_H
#define DYN_RUNTIME_EXPLICIT_CONTROL_H
#include "dyn/dyn_tableau.h"
#include "runtime/integrator.h"
#include <float.h>
#include <math.h>

#define STIFF_STEPS 15    /* stiff steps before it is believed, ... */
#define NOT_STIFF_STEPS 6 /* ... forgotten after so many that are not */

/* What decides the size of steps, of one trajectory. */
struct pace {
  double h; /* proposed */
  double last_error;
  int stiff_steps, not_stiff_steps;
};

/* The step to try: the proposed one, or what leaves no tiny rest before the limit; *t_new: its end.
 */
static inline double pace_size(double proposed, double t, double limit, double *t_new) {
  double remaining = limit - t, rest = fabs(remaining), size = fabs(proposed);
  double h = rest < 2 * size ? remaining / 2 : proposed, end = t + h;
  int is_last = rest <= 1.01 * size;
  *t_new = is_last ? limit : end;
  return is_last ? remaining : h;
}

static inline double pace_try(const struct pace *pace, double t, double limit, double *t_new) {
  return pace_size(pace->h, t, limit, t_new);
}

/* error^(1/order); of order 8 in a fraction of the time that pow takes, and within one unit in the
 * last place as well: each root halves the error of the one before. */
static inline double pace_root(const struct rk_table *table, double error) {
  return table->order == 8 ? sqrt(sqrt(sqrt(error))) : pow(error, 1.0 / table->order);
}

/* The factor of stabilised control, without its safety factor. */
static inline double pace_change(const struct rk_table *table, double last_error, double error) {
  if (table->damping == 0) return 1 / pace_root(table, error);
  return pow(last_error, table->damping) / pow(error, 1.0 / table->order - 0.75 * table->damping);
}

/* The size after a step of size h with this error, where `proposed` was the size before. A step
 * that was cut short at the limit says little about the next: it may only grow. */
static inline double pace_next(const struct rk_table *table, double longest, double proposed,
                               double h, double error, double change, int was_rejected) {
  double grow = table->grow, largest = was_rejected && grow > 1 ? 1 : grow;
  double factor = error > 0 ? 0.9 * change : grow;
  factor = factor < table->shrink ? table->shrink : factor;
  factor = factor > largest ? largest : factor;
  double size = fabs(h) * factor;
  double next = copysign(size < longest ? size : longest, h);
  int is_taken = (fabs(h) >= fabs(proposed)) | (fabs(next) > fabs(proposed)) | was_rejected;
  return is_taken ? next : proposed;
}

/* What the next step remembers of an error. */
static inline double pace_remembered(double error) {
  return error > 1e-4 ? error : 1e-4;
}

/* Proposes the next one, after a step of size h with this error (over the tolerance), 1 at most;
 * was_rejected: an attempt before it was larger. */
static inline void pace_accept(struct pace *pace, const struct rk_table *table,
                               const struct error_control *control, double h, double error,
                               int was_rejected) {
  double change = pace_change(table, pace->last_error, error);
  pace->h = pace_next(table, control->max_step, pace->h, h, error, change, was_rejected);
  pace->last_error = pace_remembered(error);
}

/* The size after an attempt of size h with a larger error, which may be infinite or undefined;
 * root: pace_root of it. */
static inline double pace_shrunk(const struct rk_table *table, double h, double error,
                                 double root) {
  double factor = 0.9 / root;
  factor = factor < table->shrink ? table->shrink : factor;
  return h * (fabs(error) <= DBL_MAX ? factor : 0.1);
}

static inline void pace_reject(struct pace *pace, const struct rk_table *table, double h,
                               double error) {
  pace->h = pace_shrunk(table, h, error, pace_root(table, error));
  pace->stiff_steps = 0; /* accuracy, not stability, set the size of this step */
}

/* Whether h |eigenvalue| was at the boundary of stability in a step: the last stage and the new
 * state stand at one time, so that their slopes differ by the Jacobian times their difference. From
 * the sums of squares of both differences. */
static inline int pace_at_boundary(const struct rk_table *table, double h, double slope_change,
                                   double state_change) {
  double limit = table->stability * table->stability * state_change;
  return (state_change > 0) & (h * h * slope_change > limit);
}

/* Whether it has stayed there. */
static inline int pace_is_stiff(struct pace *pace, const struct rk_table *table, double h,
                                double slope_change, double state_change, double remaining) {
  if (pace_at_boundary(table, h, slope_change, state_change)) {
    pace->not_stiff_steps = 0;
    pace->stiff_steps++;
  } else if (pace->stiff_steps > 0 && ++pace->not_stiff_steps >= NOT_STIFF_STEPS) {
    pace->stiff_steps = 0;
  }
  /* A switch does not pay for the last few steps of a run. */
  return pace->stiff_steps >= STIFF_STEPS && fabs(remaining) > 100 * fabs(h);
}

/* Root mean square over n entries, from the sums of squares of a method's error estimates. */
static inline double pace_error(const struct rk_table *table, int32_t n, double high, double low) {
  int has_low = table->error_low.count > 0;
  double error = has_low ? high / sqrt((high + 0.01 * low) * n) : sqrt(high / n);
  return n == 0 || high == 0 ? 0 : error;
}

#endif
