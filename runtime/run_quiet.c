/* run_quiet.c: steps of a run behind which nothing is to be done but to count them. Who makes steps
 * for several runs at once (lanes.c) asks how many of the next ones are so, and tells afterwards;
 * with what else a run counts, that leads to the same as run_before_step and run_after_step. */
#include "runtime/run_private.h"

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t steps_to_progress(int64_t steps) {
  return (RUN_PROGRESS_STEPS - steps % RUN_PROGRESS_STEPS) % RUN_PROGRESS_STEPS;
}

int64_t run_quiet_steps(const struct run *r, int has_looks, double *until) {
  const dyn_run_callbacks *c = r->callbacks;
  const struct run_plan *plan = &r->plan;
  int looks_inside = r->is_constrained || r->events.count > 0 || r->variables.may_turn;
  *until = plan->from;
  int waits_for_series = r->series_after != INT64_MAX; /* which counts refused steps as well */
  if (looks_inside || waits_for_series || r->next_row >= plan->rows) return 0;
  *until = run_plan_time(plan, r->next_row);
  int64_t steps = chatter_quiet_steps(&r->chatter);
  if (!has_looks) steps = least(steps, RUN_LOOK_STEPS - 1 - r->steps_since_look);
  steps = least(steps, plan->max_steps - r->steps_since_row);
  if (c && c->progress) steps = least(steps, steps_to_progress(r->integrator->steps));
  return steps < 0 ? 0 : steps;
}

void run_count_quiet(struct run *r, int64_t steps, double smallest, double largest) {
  if (steps == 0) return;
  run_note_sizes(r->summary, smallest, largest);
  r->steps_since_row += steps;
  r->steps_since_look = (r->steps_since_look + steps) % RUN_LOOK_STEPS;
  chatter_count(&r->chatter, steps, largest);
}

void run_note_sizes(dyn_run_summary *summary, double smallest, double largest) {
  if (summary->smallest_step == 0 || smallest < summary->smallest_step)
    summary->smallest_step = smallest;
  if (largest > summary->largest_step) summary->largest_step = largest;
}
