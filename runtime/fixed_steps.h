/* fixed_steps.h: what integrators of fixed steps have in common: the grid that their steps stand
 * on, and the step where none is given. */
#ifndef DYN_RUNTIME_FIXED_STEPS_H
#define DYN_RUNTIME_FIXED_STEPS_H
#include "runtime/integrator.h"
#include "runtime/options.h"

struct projection;

/* Steps end at begin + h, begin + 2 h, ...; where one ended elsewhere, the grid begins anew. */
struct step_grid {
  double begin, h; /* h signed */
  int64_t taken;
};

/* Whether two times near each other are one but for rounding. */
int step_grid_is_same_time(const struct step_grid *grid, double a, double b);
/* The size of the step from t, and *t_new, its end: on the grid, or the limit where that comes
 * first. */
double step_grid_next(const struct step_grid *grid, double t, double limit, double *t_new);
/* A step ended at t_new. */
void step_grid_take(struct step_grid *grid, double t_new);

/* 0: another kind of integrator. */
int fixed_steps_order(enum integrator_choice choice);

/* The step where none is given, > 0: such that over the shortest time scale of the motion the error
 * of the steps is the tolerance, as steps of half the size show it. The time scale is the step of
 * order 8 over tolerance^(1/8), about one oscillation, where that step is shortest from (t, x) on,
 * over at most FIXED_STEPS_PILOT of them. A whole number of steps makes `every`, and none is above
 * the control's max_step. x in the method's own state. 0 with status and message. */
#define FIXED_STEPS_PILOT 1000
double fixed_steps_default(enum integrator_choice choice, struct evaluator *e,
                           const struct error_control *control, struct projection *projection,
                           double every, double t, const double *x, dyn_status *status,
                           dyn_message *message);
#endif
