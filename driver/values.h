/* All quantities of a model at one state: what `eval` prints. */
#ifndef DYN_DRIVER_VALUES_H
#define DYN_DRIVER_VALUES_H
#include "driver/problem.h"

/* In SI (outputs in their own units). x belongs to the problem; values_clear frees the others. */
struct values {
  const dyn_model *model;
  double t, *x, *u, *work, *accelerations, *outputs, energies[2];
  double *multipliers; /* n_constraints, then how many constraints were dependent */
  double *forces;      /* n_coordinates: A^T λ */
  double *position_residuals, *velocity_residuals; /* as the model's functions give them */
};

/* From model, t, x and u. False, with a diagnostic, where accelerations do not exist. */
bool values_compute(struct session *session, const struct problem *problem, struct values *values);
void values_clear(struct values *values);
/* Warns of each constraint that the state is off by more than rounding. */
void values_warn_off(struct session *session, const struct values *values);
/* Infinite and undefined values are printed as they are; the exit status tells of them. */
bool values_check_finite(struct session *session, const dyn_variable *names, const double *values,
                         int32_t count);
/* Calls `put` for every residual: those of position level as "rod" and "rod'" (name and prime), the
 * others as "roll". The unit is "" where it has no name. */
void values_each_residual(const struct values *values, void *user,
                          void (*put)(void *user, const char *name, const char *prime,
                                      const char *unit, double value));
#endif
