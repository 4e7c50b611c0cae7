/* explicit_stiff.c: whether stability rather than accuracy limits the steps of an explicit method.
 * What costs nothing (pace_is_stiff) is |J d|/|d|, of the difference d between the last stage and
 * the new state, against the boundary of stability over h. That may be at the boundary too where no
 * eigenvalue is: rotations by angles near a singular place of theirs have a Jacobian far from
 * normal, whose |J d| is much larger than its eigenvalues times |d|. So what stays at the boundary
 * is looked at once more, by a few steps of the power method, after which the ratio is that of the
 * largest eigenvalue. Source: Hairer, Wanner, Solving Ordinary Differential Equations II, IV.2;
 * Golub, Van Loan, Matrix Computations, 7.3.1. */
#include "runtime/explicit_private.h"
#include <float.h>
#include <math.h>

enum { POWERS = 12 };
#define CONFIRMED 0.5 /* of the boundary: the power method comes from below */

/* The length of v, each entry beside the size of the state's. */
static double length(const struct explicit *s, const double *v) {
  double sum = 0;
  for (int32_t i = 0; i < s->base.e->n; i++) {
    double scale = error_scale(s->base.control, i, fabs(s->base.x[i]));
    sum += (v[i] / scale) * (v[i] / scale);
  }
  return sqrt(sum);
}

/* The largest |eigenvalue| at the integrator's t and x, by differences of slopes; of a complex pair
 * the geometric mean over the later powers. 0 if it can't be told. */
static double largest_eigenvalue(struct explicit *s) {
  struct integrator *base = &s->base;
  int32_t n = base->e->n;
  double *v = s->error, *x = s->stage, *slope = s->error_low, *f = s->x_last_stage;
  double product = 0;
  if (evaluate_rhs(base->e, base->t, base->x, f)) return 0;
  for (int32_t i = 0; i < n; i++) /* a part along everything, of both signs */
    v[i] = error_scale(base->control, i, fabs(base->x[i])) * cos(1 + i);
  for (int k = 0; k < POWERS; k++) {
    double size = length(s, v);
    if (!(size > 0) || !isfinite(size)) return 0;
    /* As far as a difference is good for: the root of rounding, of the sizes of the state. */
    double step = sqrt(DBL_EPSILON) / base->control->relative / size;
    for (int32_t i = 0; i < n; i++) x[i] = base->x[i] + step * v[i];
    if (evaluate_rhs(base->e, base->t, x, slope)) return 0;
    for (int32_t i = 0; i < n; i++) v[i] = (slope[i] - f[i]) / step;
    if (k >= POWERS / 2) product += log(length(s, v) / size);
  }
  return exp(product / (POWERS - POWERS / 2));
}

int explicit_confirms_stiff(struct explicit *s, double h) {
  if (fabs(h) * largest_eigenvalue(s) > CONFIRMED * s->table->stability) return 1;
  s->pace.stiff_steps = 0;
  return 0;
}
