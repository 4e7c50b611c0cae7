/* run_series.c: when a run goes by Taylor series. Needs a run that is set up; promises that series
 * are taken where they were asked for and can be, and what the summary tells of it.
 *
 * Where a motion has no series at one state (constraints that lose their independence there), it
 * mostly has one behind it: an explicit method leads past, and after a few of its steps the series
 * is tried again, after twice as many each time that there is none yet. Where auto chose, and the
 * tolerance is one that explicit methods hold only by very short steps, if at all, the series takes
 * over from them once the run has proved long enough to pay for compiling it. */
#include "runtime/message.h"
#include "runtime/method_state.h"
#include "runtime/run_private.h"
#include "runtime/taylor.h"
#include <math.h>

#define TIGHT 1e-14 /* the largest tolerance at which auto turns to series */
/* After so many steps: compiling the series of small models takes as long as 50000 to 100000 steps
 * do, taking them from the cache as long as 10000. */
#define STEPS_WORTH_SERIES 25000
#define FIRST_WAIT 16 /* steps by another integrator before the series is tried again */
#define MOST_WAIT 256

void run_plan_series(struct run *r) {
  int is_worth = r->plan.integrator == INTEGRATOR_AUTO && r->plan.relative <= TIGHT && r->e.n > 0;
  r->series_after = is_worth ? STEPS_WORTH_SERIES : INT64_MAX;
  r->series_wait = FIRST_WAIT;
}

/* Has the model make the series of its motion, once; NULL if there is one, else why not. */
static const char *find_obstacle(struct run *r, dyn_status *status) {
  const dyn_run_callbacks *c = r->callbacks;
  *status = DYN_DONE;
  if (c && c->steps_model && !r->e.steps_model->taylor && !r->asked_for_series)
    *status = evaluator_set_steps(&r->e, c->steps_model(c->user, "taylor"), &r->summary->message);
  r->asked_for_series = 1;
  return taylor_obstacle(&r->e);
}

static void begin_declined(struct run *r, double t) {
  dyn_run_summary *s = r->summary;
  if (r->is_declined) {
    if (r->series_wait < MOST_WAIT) r->series_wait *= 2;
  } else {
    r->is_declined = 1;
    r->t_declined = t;
    if (s->n_declined_stretches++ == 0) s->first_declined = t;
    r->series_wait = FIRST_WAIT;
  }
  r->series_after = run_steps(r) + r->series_wait;
}

dyn_status run_take_series(struct run *r, double t, enum integrator_choice *choice) {
  dyn_status status;
  const char *obstacle = find_obstacle(r, &status);
  if (status || !obstacle) return status;
  *choice = run_plan_explicit(&r->plan);
  if (variables_are_natural(&r->variables)) {
    begin_declined(r, t);
    return DYN_DONE;
  }
  r->series_after = INT64_MAX;
  run_note_switch(r, t, "taylor", dyn_integrator_name((int32_t)*choice));
  return DYN_DONE;
}

dyn_status run_decline_series(struct run *r) {
  begin_declined(r, r->integrator->t);
  dyn_status status = run_exchange(r, run_plan_explicit(&r->plan));
  if (!status && r->is_constrained) explicit_watch(method_state_inner(r->integrator));
  return status;
}

static void end_declined(struct run *r, double t) {
  r->is_declined = 0;
  r->summary->declined_time += fabs(t - r->t_declined);
}

void run_end_series(struct run *r) {
  if (r->is_declined)
    end_declined(r, r->in_use == INTEGRATOR_TAYLOR ? r->t_returned : r->summary->reached);
}

/* Turns from an explicit method only: one that was stiff stays what it is. */
dyn_status run_look_for_series(struct run *r) {
  dyn_status status;
  if (r->is_declined && r->in_use == INTEGRATOR_TAYLOR && r->integrator->steps > 0)
    end_declined(r, r->t_returned);
  if (r->series_after == INT64_MAX || run_steps(r) < r->series_after) return DYN_DONE;
  if (r->in_use != run_plan_explicit(&r->plan) || variables_are_natural(&r->variables))
    return DYN_DONE;
  const char *obstacle = find_obstacle(r, &status);
  r->series_after = INT64_MAX;
  if (status || obstacle) return status;
  r->t_returned = r->integrator->t;
  return r->is_declined ? run_exchange(r, INTEGRATOR_TAYLOR) : run_turn_to(r, INTEGRATOR_TAYLOR);
}
