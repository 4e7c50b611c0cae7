/* integrator.c: what all integrators share: how an error is measured, and how a step size that
 * collapsed is told. */
#include "runtime/integrator.h"
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>

double error_cap(const struct error_control *control, int32_t i) {
  const double half_turn = 3.14159265358979323846;
  return control->is_angle[i] ? half_turn : HUGE_VAL;
}

double error_scale(const struct error_control *control, int32_t i, double magnitude) {
  double cap = error_cap(control, i);
  if (magnitude > cap) magnitude = cap;
  return control->absolute + control->relative * magnitude;
}

enum step_result integrator_step_too_small(struct integrator *self, double h, int32_t component) {
  const dyn_model *m = self->e->model;
  const char *name =
      component >= 0 && component < m->n_state ? integrated_name(m, component) : NULL;
  self->status = DYN_STEP_TOO_SMALL;
  message_set(&self->message, self->status, "the step size fell to %.3g s at t = %.9g s", fabs(h),
              self->t);
  if (name && fabs(self->x[component]) > 1e6)
    message_add(&self->message, ": %s grows without bound (%.6g there)", name, self->x[component]);
  else if (name)
    message_add(&self->message, ": %s changes too fast for the tolerance (%.6g there)", name,
                self->x[component] + 0.0);
  return STEP_FAILED;
}

enum step_result integrator_evaluation_failed(struct integrator *self) {
  struct evaluator told = *self->e; /* the conversion may fail as well, and is not what failed */
  double *x = calloc((size_t)told.n + 1, sizeof *x);
  int has_x = x && self->x && !evaluate_natural_state(self->e, self->t, self->x, x);
  self->status = evaluate_failure_message(&told, has_x ? x : NULL, &self->message);
  free(x);
  return STEP_FAILED;
}
