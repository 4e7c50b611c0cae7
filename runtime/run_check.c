/* run_check.c: whether a plan suits the problem that it is for: what can't be done is refused
 * before a run begins, rather than done badly. Needs a plan and a problem that are right by
 * themselves. */
#include "runtime/evaluate.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include <math.h>

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

/* What cannot hold constraints is refused rather than left to drift off. */
static dyn_status check_integrator(const dyn_model *m, const struct run_plan *plan,
                                   dyn_message *message) {
  enum integrator_choice choice = plan->integrator;
  int multistep = choice == INTEGRATOR_ADAMS || choice == INTEGRATOR_BDF;
  if (m->n_constraints > 0 && multistep)
    return message_set(
        message, DYN_BAD_OPTION,
        "the integrator %s does not hold constraints, and this model has %d; rk does "
        "(and ida, if the model is stiff)",
        dyn_integrator_name((int32_t)choice), (int)m->n_constraints);
  if (choice == INTEGRATOR_RK4 && !isfinite(plan->max_step))
    return message_set(
        message, DYN_BAD_OPTION,
        "the integrator rk4 takes equal steps and does not look at their error: give "
        "their size, as max_step (--max-step 0.01)");
  if (m->n_constraints > 0 && !m->multipliers)
    return message_set(message, DYN_BAD_OPTION, "the compiled model has no multipliers");
  if (m->n_constraints == 0 && choice == INTEGRATOR_IDA)
    return message_set(
        message, DYN_BAD_OPTION,
        "the integrator ida is for models with constraints, and this model has none; "
        "bdf is the one for stiff models without");
  if (m->method_state && choice == INTEGRATOR_IDA)
    return message_set(
        message, DYN_BAD_OPTION,
        "the integrator ida solves for accelerations and multipliers, as the methods "
        "lagrange and augmented do; it does not integrate the variables of the "
        "method %s",
        m->method);
  return DYN_DONE;
}

dyn_status run_plan_check(const struct run_plan *plan, const dyn_problem *problem, const double *x,
                          dyn_message *message) {
  const dyn_model *m = problem->model;
  dyn_status status = check_integrator(m, plan, message);
  if (!status) status = check_tables(problem, plan, message);
  if (!status) status = check_direction(m, plan, message);
  return status ? status : check_start(m, x, message);
}
