/* run_check.c: whether a plan suits the problem that it is for: what can't be done is refused
 * before a run begins, rather than done badly. Needs a plan and a problem that are right by
 * themselves. */
#include "runtime/evaluate.h"
#include "runtime/fixed_steps.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include <float.h>
#include <math.h>

#define LEAST_STEP 256 /* roundings of time */

static dyn_status check_tables(const dyn_problem *problem, const struct run_plan *plan,
                               dyn_message *message) {
  const dyn_model *m = problem->model;
  double low = fmin(plan->from, plan->until), high = fmax(plan->from, plan->until);
  for (int32_t i = 0; problem->inputs && i < m->n_inputs; i++) {
    const dyn_input_source *s = &problem->inputs[i];
    if (s->kind != DYN_INPUT_TABLE) continue;
    double first, last;
    dyn_input_table_range(s->table, &first, &last);
    double slack = 1e-12 * (fabs(first) + fabs(last));
    if (low < first - slack || high > last + slack)
      return message_set(message, DYN_BAD_INPUT,
                         "the table of the input %s goes from t = %.9g s to %.9g s, the run from "
                         "%.9g s to %.9g s",
                         m->inputs[i].name, first, last, low, high);
  }
  return DYN_DONE;
}

/* What resets forget can't be found again. */
static dyn_status check_direction(const dyn_model *m, const struct run_plan *plan,
                                  dyn_message *message) {
  if (m->n_events == 0 || plan->direction > 0) return DYN_DONE;
  return message_set(message, DYN_BAD_OPTION,
                     "a model with events runs forwards only, and t = %.9g s lies before %.9g s",
                     plan->until, plan->from);
}

static dyn_status check_start(const dyn_model *m, const double *x, dyn_message *message) {
  for (int32_t i = 0; i < m->n_state; i++)
    if (!isfinite(x[i]))
      return message_set(message, DYN_OUT_OF_RANGE, "the start value of %s is not a finite number",
                         state_name(m, i));
  return DYN_DONE;
}

/* A step that nothing takes is not left without effect, and steps that time can't tell apart would
 * go on for ever. */
static dyn_status check_step(const struct run_plan *plan, dyn_message *message) {
  if (plan->step > 0 && fixed_steps_order(plan->integrator) == 0)
    return message_set(message, DYN_BAD_OPTION,
                       "a step is given, and the integrator %s chooses its steps",
                       dyn_integrator_name((int32_t)plan->integrator));
  double least = LEAST_STEP * DBL_EPSILON * fmax(fabs(plan->from), fabs(plan->until));
  if (plan->step == 0 || plan->step >= least) return DYN_DONE;
  return message_set(message, DYN_BAD_OPTION,
                     "a step of %g s is nothing beside times up to %g s, where it would have to be "
                     "%.2g s at least",
                     plan->step, fmax(fabs(plan->from), fabs(plan->until)), least);
}

dyn_status run_plan_check(const struct run_plan *plan, const dyn_problem *problem, const double *x,
                          dyn_message *message) {
  const dyn_model *m = problem->model;
  dyn_status status = integrator_choice_check(problem, plan->integrator, message);
  if (!status) status = check_step(plan, message);
  if (!status) status = check_tables(problem, plan, message);
  if (!status) status = check_direction(m, plan, message);
  return status ? status : check_start(m, x, message);
}
