/* fixed_steps.c: the grid of integrators of fixed steps, and the step where none is given. Needs a
 * step that is not below the resolution of time; promises times without summed rounding. */
#include "runtime/fixed_steps.h"
#include "dyn/dyn_tableau.h"
#include "runtime/geometric.h"
#include <float.h>
#include <math.h>

#define SAME_TIME 16 /* roundings within which two times are one */

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

/* The shortest step of order 8, but for the growing ones at the begin and those before the end. */
static double shortest_step(struct integrator *pilot, double end,
                            const struct error_control *control) {
  double shortest = HUGE_VAL, any = 0, last = 0;
  int has_grown = 0;
  for (int count = 0; count < FIXED_STEPS_PILOT && pilot->t != end; count++) {
    double remaining = control->direction * (end - pilot->t);
    if (pilot->methods->step(pilot, end) == STEP_FAILED) break;
    double h = fabs(pilot->t - pilot->t_old);
    if (last > 0 && remaining <= 2.5 * last) break;
    if (h <= last) has_grown = 1;
    if (has_grown) shortest = fmin(shortest, h);
    any = fmax(any, h);
    last = h;
  }
  return isinf(shortest) ? any : shortest;
}

double fixed_steps_default(int order, struct evaluator *e, const struct error_control *control,
                           struct projection *projection, double every, double t, const double *x,
                           dyn_status *status, dyn_message *message) {
  struct integrator *pilot =
      explicit_integrator_new(&rk_table_dp8, e, control, projection, t, x, status, message);
  if (!pilot) return 0;
  double h = shortest_step(pilot, t + control->direction * control->interval, control);
  if (h == 0) *status = pilot->status, *message = pilot->message;
  pilot->methods->free(pilot);
  if (h == 0 && *status) return 0;
  if (h == 0) h = control->interval;
  double scale = h * pow(control->relative, -1.0 / rk_table_dp8.order);
  h = fmin(scale * pow(control->relative, 1.0 / order), control->max_step);
  if (!(every > 0)) return h;
  return every / ceil(every / h * (1 - 1e-12));
}
