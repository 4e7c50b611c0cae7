/* linear_motion.h: how accelerations and multipliers answer a change of the residuals. */
#ifndef DYN_RUNTIME_LINEAR_MOTION_H
#define DYN_RUNTIME_LINEAR_MOTION_H
#include "dyn/dyn_linear.h"
#include "runtime/eliminate.h"
#include "runtime/sized.h"

/* out (k * k, k = n + m) = W with [dq''; dλ] = W r for r = [r1; r2] as in dyn_linear.h.
 * `constraints` is the elimination of the choice's dependent velocities. */
dyn_status linear_motion_solve(const dyn_linear_equations *equations,
                               const dyn_linear_choice *choice,
                               const struct elimination *constraints, struct sized out,
                               dyn_message *message);

#endif
