/* What linearisation needs besides the Jacobian of the equations (derive/system.h): how residuals
 * follow inputs, how constraints follow the state, and outputs both. */
#ifndef DYN_DERIVE_LINEAR_FORM_H
#define DYN_DERIVE_LINEAR_FORM_H
#include "derive/system.h"

/* Over the state x = [q, q', z] with width = 2n + rates, the motion [q'', λ] and the inputs; all
 * column by column, and in the symbols of q'' and λ. Owned by linear_form_free. */
struct linear_form {
  struct system *system;
  size_t n, m, rates, positions, inputs, outputs, width;
  expr *residual_by_input;   /* (n + m) * inputs: of r = [M q'' - f - B λ; A q'' + bias] */
  expr *rate_by_input;       /* rates * inputs */
  expr *position_by_state;   /* positions * width: of the equations at position level */
  expr *constraint_by_state; /* m * width: of the constraints at velocity level */
  expr *output_by_state, *output_by_motion, *output_by_input; /* outputs * ... */
};

/* Of a system in velocities (lagrange, augmented). Makes the system's Jacobian as well. */
struct linear_form *linear_form_new(struct system *system);
void linear_form_free(struct linear_form *form);
#endif
