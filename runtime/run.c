/* run.c: integrates a model from its start state and delivers the rows. Needs a checked problem and
 * options (both are checked here); promises rows at exactly the instants asked for, every row
 * before a failure, and a summary that says what happened in the model's names. */
#include "runtime/message.h"
#include "runtime/run_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONG_RUN 10000 /* steps from which drift is worth a word, ... */
#define ROUNDING 1e-12 /* ... unless it is less than this, as rounding alone may be */

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Set-up ---- */

static dyn_status allocate(struct run *r) {
  const dyn_model *m = r->problem->model;
  size_t n = (size_t)m->n_state + 1;
  r->x_row = calloc(n, sizeof(double));
  r->x_method = calloc(n, sizeof(double));
  r->x_before = calloc(n, sizeof(double));
  r->is_angle = calloc(n, 1);
  r->outputs = calloc((size_t)m->n_outputs + 1, sizeof(double));
  r->multipliers = calloc((size_t)m->n_constraints + 1, sizeof(double));
  r->forces = calloc((size_t)m->n_coordinates + 1, sizeof(double));
  r->summary->invariants = calloc((size_t)m->n_invariants + 1, sizeof(dyn_invariant_drift));
  r->summary->n_invariants = r->summary->invariants ? m->n_invariants : 0;
  r->summary->events = calloc((size_t)m->n_events + 1, sizeof(dyn_event_count));
  r->summary->n_events = r->summary->events ? m->n_events : 0;
  r->summary->output_gaps = calloc((size_t)m->n_outputs + 1, sizeof(dyn_output_gaps));
  r->summary->n_outputs = r->summary->output_gaps ? m->n_outputs : 0;
  if (!r->x_row || !r->x_method || !r->x_before || !r->is_angle || !r->outputs || !r->multipliers ||
      !r->forces || !r->summary->invariants || !r->summary->output_gaps || !r->summary->events ||
      !monitor_init(&r->monitor, m, r->summary->invariants) ||
      !chatter_init(&r->chatter, &r->e, r->plan.from))
    return message_set(&r->summary->message, DYN_OUT_OF_MEMORY,
                       "there is not enough memory to run the model");
  for (int32_t i = 0; i < m->n_coordinates; i++)
    r->is_angle[i] = m->coordinates[i].unit && !strcmp(m->coordinates[i].unit, "rad");
  return DYN_DONE;
}

static dyn_status set_up(struct run *r, const double *x) {
  dyn_message *message = &r->summary->message;
  dyn_status status = run_plan_init(&r->plan, r->options, message);
  if (!status) status = evaluator_init(&r->e, r->problem, message);
  if (!status) status = run_plan_check(&r->plan, r->problem, x, message);
  if (!status) status = allocate(r);
  if (!status && !variables_init(&r->variables, &r->e))
    status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
  if (status) return status;
  r->control = (struct error_control){.relative = r->plan.relative,
                                      .absolute = r->plan.absolute,
                                      .max_step = r->plan.max_step,
                                      .interval = fabs(r->plan.until - r->plan.from),
                                      .direction = r->plan.direction,
                                      .is_angle = r->is_angle};
  memcpy(r->x_row, x, (size_t)r->e.n * sizeof *x);
  r->summary->worst_position = r->summary->worst_velocity = -1;
  r->is_constrained = r->e.model->n_constraints > 0;
  if (r->is_constrained) {
    status = projection_init(&r->projection, &r->e, r->plan.from, r->x_row, message);
    if (!status && !singular_watch_init(&r->singular, &r->projection))
      status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
  }
  if (status) return status;
  return events_init(&r->events, &r->e, r->is_constrained ? &r->projection : NULL, r->plan.from,
                     r->x_row, message);
}

/* ---- The loop ---- */

static void note_step(struct run *r) {
  struct integrator *g = r->integrator;
  dyn_run_summary *s = r->summary;
  if (r->is_constrained) {
    /* An explicit method has just projected the state that it stands at. */
    int is_known = g->linear_solver[0] == 0;
    if (is_known || !projection_look(&r->projection, g->t, g->x)) {
      projection_note(&r->projection, g->t, g->x, 1, s);
      singular_watch_step(&r->singular, g, s);
    }
  }
  double h = fabs(g->t - g->t_old);
  run_note_sizes(s, h, h);
  r->steps_since_row++;
  if (++r->steps_since_look >= RUN_LOOK_STEPS) {
    r->steps_since_look = 0;
    monitor_look(&r->monitor, &r->e, g->t, g->x);
  }
}

static dyn_status check_outside(struct run *r) {
  double t = r->integrator->t;
  dyn_status status = run_check_stop(r, t);
  if (!status) status = run_ask_for_steps(r);
  if (status) return status;
  if (r->integrator->steps % RUN_PROGRESS_STEPS == 0) run_tell_progress(r, t);
  /* Fixed steps are as many as were asked for. */
  if (r->steps_since_row >= r->plan.max_steps && r->summary->fixed_step == 0)
    return message_set(&r->summary->message, DYN_NO_PROGRESS,
                       "%lld steps brought no next row; the last reached t = %.9g s",
                       (long long)r->steps_since_row, t);
  return DYN_DONE;
}

/* The motion goes on from the state after an event. */
static dyn_status go_on(struct run *r, double t) {
  struct events *v = &r->events;
  chatter_clear(&r->chatter);
  if (!chatter_init(&r->chatter, &r->e, t))
    return message_set(&r->summary->message, DYN_OUT_OF_MEMORY, "there is not enough memory");
  run_retire(r);
  return run_start_integrator(r, r->in_use, t, v->after);
}

/* What periodic events do at the begin of a run, before its first row. */
static dyn_status begin_periods(struct run *r) {
  struct events *v = &r->events;
  int32_t stopping = -1;
  int resets = 0;
  if (!events_begin(v, r->x_row)) return DYN_DONE;
  dyn_status status = events_apply(v, r->plan.from, fabs(r->plan.until - r->plan.from), r->summary,
                                   &stopping, &resets);
  if (status) return status;
  memcpy(r->x_row, v->after, (size_t)r->e.n * sizeof *v->after);
  r->summary->stopped_by = 1 + stopping;
  r->is_over = stopping >= 0;
  return DYN_DONE;
}

/* A row of the state before an event at t, and one of the state after if something is reset.
 * Periodic events have no rows of their own; a row that is asked for then shows the state after. */
static dyn_status pass_event(struct run *r, double t) {
  struct events *v = &r->events;
  int has_row = events_has_relation(v), is_wanted;
  size_t size = (size_t)r->e.n * sizeof *v->x;
  int32_t stopping = -1;
  int resets = 0;
  dyn_status status = run_deliver_rows(r, t, 1);
  if (status) return status;
  is_wanted = r->next_row < r->plan.rows && run_plan_time(&r->plan, r->next_row) == t;
  if (is_wanted) r->next_row++;
  memcpy(r->x_row, v->x, size);
  memcpy(r->x_before, v->x, size);
  if (has_row) status = run_deliver_state(r, t);
  if (!status)
    status = events_apply(v, t, fabs(r->plan.until - r->plan.from), r->summary, &stopping, &resets);
  r->summary->reached = t;
  if (status) {
    r->stopped_at_row = 1;
    return status;
  }
  if (resets) {
    monitor_jump(&r->monitor, &r->e, t, r->x_before, v->after);
    memcpy(r->x_row, v->after, size);
  }
  if (has_row ? resets : is_wanted) status = run_deliver_state(r, t);
  if (stopping >= 0) {
    r->summary->stopped_by = 1 + stopping;
    r->stopped_at_row = r->is_over = 1;
    return status;
  }
  return status || !resets ? status : go_on(r, t);
}

/* The rows and events of the last step. *restarted: it was not taken to its end. */
static dyn_status pass_step(struct run *r, int *restarted) {
  struct integrator *g = r->integrator;
  dyn_status status = DYN_DONE;
  double t = g->t;
  *restarted = 0;
  if (r->events.count == 0) return run_deliver_rows(r, g->t, 0);
  int found = events_find(&r->events, g, g->t, &t, &status, &r->summary->message);
  if (found < 0) return status;
  if (found == 0) return run_deliver_rows(r, g->t, 0);
  *restarted = 1;
  return pass_event(r, t);
}

/* ---- The loop ---- */

/* Up to the first step; where there is none to make, without an integrator. */
static dyn_status begin(struct run *r) {
  if (variables_begin(&r->variables, r->plan.from, r->x_row)) run_use_velocities(r, r->plan.from);
  dyn_status status = begin_periods(r);
  if (!status) status = run_deliver(r, r->plan.from);
  run_plan_series(r);
  if (status || !run_goes_on(r)) return status;
  return run_start_integrator(r, r->plan.integrator, r->plan.from, r->x_row);
}

int run_goes_on(const struct run *r) {
  return r->next_row < r->plan.rows && !r->is_over;
}

dyn_status run_before_step(struct run *r) {
  dyn_status status = check_outside(r);
  if (!status) variables_before_step(&r->variables, r->integrator);
  return status;
}

/* Steps end at the run's end, and where periods are over. */
double run_limit(const struct run *r) {
  double limit = r->plan.until, sample = events_next_sample(&r->events);
  return sample < limit ? sample : limit;
}

static dyn_status step_failed(struct run *r) {
  const struct integrator *g = r->integrator;
  r->summary->message = g->message;
  if (g->status == DYN_STEP_TOO_SMALL) chatter_explain(&r->chatter, g, &r->summary->message);
  return g->status;
}

dyn_status run_after_step(struct run *r, enum step_result result) {
  struct integrator *g = r->integrator;
  if (result == STEP_DECLINED) return run_decline_series(r);
  enum variables_advice advice = variables_after_step(&r->variables, g, result != STEP_FAILED);
  if (advice == VARIABLES_REDO)
    return run_turn_variables(r, r->variables.t_start, r->variables.x_start);
  if (result == STEP_FAILED) return step_failed(r);
  note_step(r);
  r->summary->reached = g->t;
  int restarted;
  dyn_status status = pass_step(r, &restarted);
  if (status || restarted) return status;
  status = chatter_step(&r->chatter, g, r->plan.until, &r->summary->message);
  if (!status && result == STEP_STIFF && r->plan.integrator == INTEGRATOR_AUTO &&
      r->next_row < r->plan.rows && g->linear_solver[0] == 0 && run_may_turn_to_implicit(r))
    status = run_turn_to(r, r->is_constrained ? INTEGRATOR_IDA : INTEGRATOR_BDF);
  if (!status && advice == VARIABLES_TURN_BACK && r->next_row < r->plan.rows) {
    variables_before_step(&r->variables, r->integrator); /* keeps the state */
    status = run_turn_variables(r, r->variables.t_start, r->variables.x_start);
  }
  return status || !run_goes_on(r) ? status : run_look_for_series(r);
}

/* Where energy is conserved, errors of steps that are not made for it add up. */
static const char *advise(const struct run *r) {
  const dyn_model *m = r->problem->model;
  const dyn_run_summary *s = r->summary;
  if (!(m->flags & DYN_ENERGY_CONSERVED) || m->n_resets > 0 || s->steps < LONG_RUN) return NULL;
  if (s->structure[0] || s->linear_solver[0] || s->n_switches > 0) return NULL;
  int is_small = s->n_invariants > 0;
  for (int32_t i = 0; i < s->n_invariants; i++) {
    const dyn_invariant_drift *d = &s->invariants[i];
    int says_nothing =
        isnan(d->relative) && isfinite(d->largest); /* near 0: nothing to measure by */
    if (!says_nothing && !(d->relative <= ROUNDING)) is_small = 0;
  }
  return is_small ? NULL : integrator_choice_for_long(r->problem);
}

/* The end state, and what was learned; returns status, or why the end state is none. */
static dyn_status finish(struct run *r, dyn_status status, double *x) {
  dyn_run_summary *s = r->summary;
  if (r->integrator && r->stopped_at_row) {
    memcpy(x, r->x_row, (size_t)r->e.n * sizeof *x);
    s->reached = r->t_row;
  } else if (r->integrator) {
    memcpy(x, r->integrator->x, (size_t)r->e.n * sizeof *x);
    s->reached = r->integrator->t;
    /* A run that failed keeps its own reason. */
    if (r->is_constrained &&
        projection_project(&r->projection, s->reached, x) == PROJECTION_FAILED && !status)
      status = projection_failure_message(&r->projection, s->reached, x, &s->message);
    if (status) monitor_look(&r->monitor, &r->e, s->reached, x);
  } else if (r->x_row) {
    memcpy(x, r->x_row, (size_t)r->e.n * sizeof *x);
  }
  run_retire(r);
  run_end_series(r);
  monitor_finish(&r->monitor, r->problem->model);
  s->advised = advise(r);
  s->rhs_evaluations = r->e.rhs_evaluations;
  s->jacobian_evaluations = r->e.jacobian_evaluations;
  s->projections = r->projection.count;
  return s->status = status;
}

static void release(struct run *r) {
  monitor_clear(&r->monitor);
  chatter_clear(&r->chatter);
  variables_clear(&r->variables);
  if (r->is_constrained) {
    projection_clear(&r->projection);
    singular_watch_clear(&r->singular);
  }
  events_clear(&r->events);
  evaluator_clear(&r->e);
  free(r->x_row);
  free(r->x_method);
  free(r->x_before);
  free(r->outputs);
  free(r->multipliers);
  free(r->forces);
  free(r->is_angle);
}

dyn_status run_start(struct run *r) {
  dyn_run_summary *summary = r->summary;
  const dyn_sink *sink = r->sink;
  r->began = seconds_now();
  dyn_run_summary_clear(summary);
  dyn_status status = problem_check(r->problem, &summary->message);
  if (status) return status;
  summary->from = summary->reached = r->options->from;
  summary->until = r->options->until;
  summary->integrator = summary->linear_solver = summary->structure = "";
  status = set_up(r, r->x);
  if (status) return status;
  if (sink && sink->begin && sink->begin(sink->user, r->problem->model)) return run_sink_failed(r);
  r->is_open = 1;
  return begin(r);
}

dyn_status run_end(struct run *r, dyn_status status) {
  const dyn_sink *sink = r->sink;
  if (!r->e.model) return r->summary->status = status; /* it has not begun */
  if (r->is_open && sink && sink->finish && sink->finish(sink->user) && !status)
    status = run_sink_failed(r);
  status = finish(r, status, r->x);
  release(r);
  r->summary->wall_seconds = seconds_now() - r->began;
  return status;
}

dyn_status run_on(struct run *r, dyn_status status) {
  while (!status && run_goes_on(r)) {
    status = run_before_step(r);
    if (status) break;
    struct integrator *g = r->integrator;
    status = run_after_step(r, g->methods->step(g, run_limit(r)));
  }
  return run_end(r, status);
}

dyn_status dyn_run(const dyn_problem *problem, const dyn_run_options *options, const dyn_sink *sink,
                   const dyn_run_callbacks *callbacks, double *x, dyn_run_summary *summary) {
  struct run r = {.problem = problem,
                  .options = options,
                  .sink = sink,
                  .callbacks = callbacks,
                  .summary = summary,
                  .x = x};
  return run_on(&r, run_start(&r));
}

void dyn_run_summary_clear(dyn_run_summary *summary) {
  free(summary->invariants);
  free(summary->output_gaps);
  free(summary->events);
  memset(summary, 0, sizeof *summary);
}
