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
static inline double pace_try(const struct pace *pace, double t, double limit, double *t_new) {
  double remaining = limit - t, h = pace->h;
  *t_new = t + h;
  if (fabs(remaining) <= 1.01 * fabs(h)) {
    *t_new = limit;
    return remaining;
  }
  if (fabs(remaining) < 2 * fabs(h)) {
    h = remaining / 2;
    *t_new = t + h;
  }
  return h;
}

/* error^(1/order); of order 8 in a fraction of the time that pow takes, and within one unit in the
 * last place as well: each root halves the error of the one before. */
static inline double pace_root(const struct rk_table *table, double error) {
  return table->order == 8 ? sqrt(sqrt(sqrt(error))) : pow(error, 1.0 / table->order);
}

/* The factor of stabilised control, without its safety factor. */
static inline double pace_change(const struct pace *pace, const struct rk_table *table,
                                 double error) {
  if (table->damping == 0) return 1 / pace_root(table, error);
  return pow(pace->last_error, table->damping) /
         pow(error, 1.0 / table->order - 0.75 * table->damping);
}

static inline double pace_next(struct pace *pace, const struct rk_table *table,
                               const struct error_control *control, double h, double error,
                               int was_rejected) {
  double factor = table->grow, largest = was_rejected && table->grow > 1 ? 1 : table->grow;
  if (error > 0) factor = 0.9 * pace_change(pace, table, error);
  factor = factor < table->shrink ? table->shrink : factor;
  factor = factor > largest ? largest : factor;
  pace->last_error = error > 1e-4 ? error : 1e-4;
  double size = fabs(h) * factor;
  return copysign(size < control->max_step ? size : control->max_step, h);
}

/* Proposes the next one, after a step of size h with this error (over the tolerance), 1 at most;
 * was_rejected: an attempt before it was larger. */
static inline void pace_accept(struct pace *pace, const struct rk_table *table,
                               const struct error_control *control, double h, double error,
                               int was_rejected) {
  /* A step that was cut short at the limit says little about the next: it may only grow. */
  double next = pace_next(pace, table, control, h, error, was_rejected);
  if (fabs(h) >= fabs(pace->h) || fabs(next) > fabs(pace->h) || was_rejected) pace->h = next;
}

/* And after an attempt with a larger error, which may be infinite or undefined. */
static inline void pace_reject(struct pace *pace, const struct rk_table *table, double h,
                               double error) {
  double factor = 0.1;
  if (isfinite(error)) {
    factor = 0.9 / pace_root(table, error);
    factor = factor < table->shrink ? table->shrink : factor;
  }
  pace->h = h * factor;
  pace->stiff_steps = 0; /* accuracy, not stability, set the size of this step */
}

/* Whether h |eigenvalue| has stayed at the boundary of stability: the last stage and the new state
 * stand at one time, so that their slopes differ by the Jacobian times their difference. From the
 * sums of squares of both differences. */
static inline int pace_is_stiff(struct pace *pace, const struct rk_table *table, double h,
                                double slope_change, double state_change, double remaining) {
  double limit = table->stability * table->stability * state_change;
  if (state_change > 0 && h * h * slope_change > limit) {
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
  if (n == 0 || high == 0) return 0;
  return table->error_low.count > 0 ? high / sqrt((high + 0.01 * low) * n) : sqrt(high / n);
}

#endif
