/* ensemble.c: many trajectories of one model, one after the other (lanes.c: several at once).
 * Promises that each is what dyn_run gives for it alone. */
#include "dyn/dyn_ensemble.h"
#include "dyn/dyn_tableau.h"
#include "runtime/lanes.h"
#include "runtime/options.h"

static int is_stopped(const dyn_ensemble *ensemble) {
  const dyn_run_callbacks *callbacks = ensemble->callbacks;
  return callbacks && callbacks->stop && *callbacks->stop;
}

static void run_member(const dyn_ensemble *ensemble, dyn_member *member) {
  dyn_problem problem = {.model = ensemble->model, .p = member->p, .inputs = member->inputs};
  dyn_run(&problem, &member->options, member->sink, ensemble->callbacks, member->x,
          &member->summary);
}

dyn_status ensemble_take(const dyn_ensemble *ensemble, dyn_member *member) {
  dyn_status status = DYN_DONE;
  if (member->summary.status == DYN_INTERRUPTED || ensemble->done(ensemble->user, member))
    status = DYN_INTERRUPTED;
  dyn_run_summary_clear(&member->summary);
  return status;
}

dyn_status dyn_ensemble_run(const dyn_ensemble *ensemble) {
  if (!ensemble->model || !ensemble->members || ensemble->n_members < 1 || !ensemble->next ||
      !ensemble->done)
    return DYN_BAD_OPTION;
  dyn_member *member = ensemble->members;
  dyn_status status = DYN_DONE;
  if (ensemble->lanes) {
    status = lanes_run(ensemble);
    return is_stopped(ensemble) ? DYN_INTERRUPTED : status;
  }
  while (!status && !is_stopped(ensemble) && ensemble->next(ensemble->user, member)) {
    run_member(ensemble, member);
    status = ensemble_take(ensemble, member);
  }
  return is_stopped(ensemble) ? DYN_INTERRUPTED : status;
}

const char *dyn_ensemble_integrator(const dyn_run_options *options) {
  struct run_plan plan;
  dyn_message message;
  if (run_plan_init(&plan, options, &message)) return NULL;
  enum integrator_choice choice = plan.integrator;
  if (choice == INTEGRATOR_AUTO || choice == INTEGRATOR_RK) choice = run_plan_explicit(&plan);
  return choice == INTEGRATOR_DOPRI5   ? rk_table_dp5.name
         : choice == INTEGRATOR_DOP853 ? rk_table_dp8.name
                                       : NULL;
}
