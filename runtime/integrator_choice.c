/* integrator_choice.c: which integrators apply to which models. What cannot hold the constraints of
 * a model, or does not have the equations that it needs, is refused rather than left to go astray.
 */
#include "runtime/fixed_steps.h"
#include "runtime/geometric.h"
#include "runtime/message.h"
#include "runtime/options.h"

int dyn_integrator_has_steps(const char *name) {
  enum integrator_choice choice;
  dyn_message message;
  return !integrator_choice_of(name, &choice, &message) && fixed_steps_order(choice) > 0;
}

static dyn_status check_ida(const dyn_model *m, dyn_message *message) {
  if (m->n_constraints == 0)
    return message_set(
        message, DYN_BAD_OPTION,
        "the integrator ida is for models with constraints, and this model has none; "
        "bdf is the one for stiff models without");
  if (m->method_state)
    return message_set(
        message, DYN_BAD_OPTION,
        "the integrator ida solves for accelerations and multipliers, as the methods "
        "lagrange and augmented do; it does not integrate the variables of the "
        "method %s",
        m->method);
  return DYN_DONE;
}

dyn_status integrator_choice_check(const dyn_problem *problem, enum integrator_choice choice,
                                   dyn_message *message) {
  const dyn_model *m = problem->model;
  int multistep = choice == INTEGRATOR_ADAMS || choice == INTEGRATOR_BDF;
  const struct geometric_method *geometric = geometric_method_of(choice);
  if (m->n_constraints > 0 && multistep)
    return message_set(
        message, DYN_BAD_OPTION,
        "the integrator %s does not hold constraints, and this model has %d; rk does "
        "(and ida, if the model is stiff)",
        dyn_integrator_name((int32_t)choice), (int)m->n_constraints);
  if (m->n_constraints > 0 && !m->multipliers)
    return message_set(message, DYN_BAD_OPTION, "the compiled model has no multipliers");
  if (choice == INTEGRATOR_IDA) return check_ida(m, message);
  return geometric ? geometric_check(geometric, problem, message) : DYN_DONE;
}

dyn_status dyn_integrator_check(const dyn_problem *problem, const char *name,
                                dyn_message *message) {
  enum integrator_choice choice;
  dyn_status status = integrator_choice_of(name, &choice, message);
  return status ? status : integrator_choice_check(problem, choice, message);
}

const char *integrator_choice_for_long(const dyn_problem *problem) {
  dyn_message message;
  enum integrator_choice choice = INTEGRATOR_YOSHIDA8;
  if (integrator_choice_check(problem, choice, &message)) choice = INTEGRATOR_GAUSS8;
  return dyn_integrator_name((int32_t)choice);
}
