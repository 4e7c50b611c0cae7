/* ensemble.c: many trajectories of one model, one after the other. Promises that each is what
 * dyn_run gives for it alone. */
#include "dyn/dyn_ensemble.h"

static int is_stopped(const dyn_ensemble *ensemble) {
  const dyn_run_callbacks *callbacks = ensemble->callbacks;
  return callbacks && callbacks->stop && *callbacks->stop;
}

static void run_member(const dyn_ensemble *ensemble, dyn_member *member) {
  dyn_problem problem = {ensemble->model, member->p, member->inputs};
  dyn_run(&problem, &member->options, member->sink, ensemble->callbacks, member->x,
          &member->summary);
}

dyn_status dyn_ensemble_run(const dyn_ensemble *ensemble) {
  if (!ensemble->model || !ensemble->members || ensemble->n_members < 1 || !ensemble->next ||
      !ensemble->done)
    return DYN_BAD_OPTION;
  dyn_member *member = ensemble->members;
  dyn_status status = DYN_DONE;
  while (!status && !is_stopped(ensemble) && ensemble->next(ensemble->user, member)) {
    run_member(ensemble, member);
    if (member->summary.status == DYN_INTERRUPTED)
      status = DYN_INTERRUPTED;
    else if (ensemble->done(ensemble->user, member))
      status = DYN_INTERRUPTED;
    dyn_run_summary_clear(&member->summary);
  }
  return is_stopped(ensemble) ? DYN_INTERRUPTED : status;
}
