/* run.c: integrates a model from its start state and delivers the rows. Needs a checked problem and
 * options (both are checked here); promises rows at exactly the instants asked for, every row
 * before a failure, and a summary that says what happened in the model's names. */
#include "runtime/chatter.h"
#include "runtime/events.h"
#include "runtime/integrator.h"
#include "runtime/message.h"
#include "runtime/method_state.h"
#include "runtime/monitor.h"
#include "runtime/options.h"
#include "runtime/project.h"
#include "dyn/dyn_tableau.h"
#include "runtime/singular.h"
#include "runtime/variables.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct run {
  const dyn_problem *problem;
  const dyn_run_options *options;
  const dyn_sink *sink;
  const dyn_run_callbacks *callbacks;
  dyn_run_summary *summary;
  struct run_plan plan;
  struct evaluator e;
  struct error_control control;
  struct monitor monitor;
  struct chatter chatter;
  struct integrator *integrator;
  struct variables variables;
  enum integrator_choice in_use; /* what the integrator is */
  struct projection projection;
  struct singular_watch singular;
  int is_constrained; /* and projection and singular are set up */
  double *x_row, *x_method, *x_before, *outputs;
  double *multipliers, *forces; /* n_constraints + 1; n_coordinates */
  unsigned char *is_angle;
  int64_t next_row;
  double t_row; /* of the last row delivered, whose state is x_row */
  int stopped_at_row;
  int64_t steps_since_row, steps_since_look;
  int asked_for_jacobian, asked_for_steps;
  struct events events;
  int is_over; /* an event stopped the run */
};

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

/* ---- Rows ---- */

static dyn_status sink_failed(struct run *r) {
  const char *reason = r->sink->message ? r->sink->message(r->sink->user) : NULL;
  return message_set(&r->summary->message, DYN_SINK_FAILED, "%s",
                     reason && reason[0] ? reason : "the results could not be written");
}

/* An output may have no value where the motion has one (a logarithm, a quotient): the run goes on,
 * and the summary tells. */
static void note_gaps(struct run *r, double t) {
  for (int32_t i = 0; i < r->e.model->n_outputs; i++) {
    dyn_output_gaps *gaps = &r->summary->output_gaps[i];
    if (isfinite(r->outputs[i])) continue;
    if (gaps->rows++ == 0) gaps->from = t, gaps->value = r->outputs[i];
  }
}

/* Multipliers and the generalized forces A^T λ at the row's state, which is projected already. */
static enum evaluate_result evaluate_multipliers(struct run *r, double t) {
  const dyn_model *m = r->e.model;
  size_t n = (size_t)m->n_coordinates, n_constraints = (size_t)m->n_constraints;
  const double *rows = r->projection.velocity.derivatives;
  enum evaluate_result result =
      evaluate_function(&r->e, m->multipliers, t, r->x_row, r->multipliers);
  if (result) return result;
  for (size_t i = 0; i < n_constraints; i++)
    if (!isfinite(r->multipliers[i]))
      return evaluate_not_finite(&r->e, PART_MULTIPLIER, (int32_t)i, t);
  if (r->multipliers[n_constraints] > 0) r->summary->rows_without_unique_multipliers++;
  memset(r->forces, 0, n * sizeof *r->forces);
  for (size_t i = 0; i < n_constraints; i++)
    for (size_t j = 0; j < n; j++) r->forces[j] += rows[i * n + j] * r->multipliers[i];
  return EVALUATE_OK;
}

/* Puts the row's state on the constraints: what an integrator tells within a step satisfies them
 * to its tolerance only. */
static dyn_status project_row(struct run *r, double t) {
  if (!r->is_constrained) return DYN_DONE;
  if (projection_project(&r->projection, t, r->x_row) == PROJECTION_FAILED)
    return projection_failure_message(&r->projection, t, r->x_row, &r->summary->message);
  projection_note(&r->projection, t, r->x_row, 0, r->summary);
  return DYN_DONE;
}

/* Delivers a row at t with the state r->x_row. */
static dyn_status deliver_state(struct run *r, double t) {
  const dyn_model *m = r->e.model;
  dyn_status status = project_row(r, t);
  if (status) return status;
  monitor_look(&r->monitor, &r->e, t, r->x_row);
  r->steps_since_row = r->steps_since_look = 0;
  r->t_row = t;
  if (r->sink && r->sink->row) {
    enum evaluate_result result = evaluate_inputs(&r->e, t);
    if (!result && m->output_values && m->n_outputs > 0)
      result = evaluate_function(&r->e, m->output_values, t, r->x_row, r->outputs);
    if (!result && r->is_constrained) result = evaluate_multipliers(r, t);
    if (result) return evaluate_failure_message(&r->e, r->x_row, &r->summary->message);
    if (m->output_values) note_gaps(r, t);
    dyn_row row = {.t = t, .x = r->x_row, .u = r->e.u, .outputs = r->outputs};
    if (r->is_constrained) row.multipliers = r->multipliers, row.constraint_forces = r->forces;
    if (r->sink->row(r->sink->user, &row)) return sink_failed(r);
  }
  r->summary->rows++;
  return DYN_DONE;
}

/* The same for the next of the rows asked for. */
static dyn_status deliver(struct run *r, double t) {
  dyn_status status = deliver_state(r, t);
  if (!status) r->next_row++;
  return status;
}

static dyn_status check_stop(struct run *r, double t) {
  const dyn_run_callbacks *c = r->callbacks;
  if (!c || !c->stop || !*c->stop) return DYN_DONE;
  return message_set(&r->summary->message, DYN_INTERRUPTED, "stopped at t = %.9g s", t);
}

static void tell_progress(struct run *r, double t) {
  const dyn_run_callbacks *c = r->callbacks;
  if (c && c->progress) c->progress(c->user, t, r->options);
}

/* Delivers the rows up to `end`, within the last step; without a row there if an event is. A step
 * may hold millions of them, so that the outside is heard and told between rows too. */
static dyn_status deliver_rows(struct run *r, double end, int is_event) {
  struct integrator *g = r->integrator;
  while (r->next_row < r->plan.rows) {
    double t = run_plan_time(&r->plan, r->next_row);
    if (r->plan.direction * (t - end) > 0 || (is_event && t == end)) break;
    dyn_status status = check_stop(r, r->t_row);
    if (status) {
      r->stopped_at_row = 1;
      return status;
    }
    if (r->next_row % 4096 == 0) tell_progress(r, t);
    status = g->methods->interpolate(g, t, r->x_row);
    if (status) {
      r->summary->message = g->message;
      return status;
    }
    status = deliver(r, t);
    if (status) return status;
  }
  return DYN_DONE;
}

/* ---- Integrators ---- */

/* The method of an explicit integrator, else NULL. */
static const struct rk_table *explicit_table(enum integrator_choice choice) {
  return choice == INTEGRATOR_DOPRI5   ? &rk_table_dp5
         : choice == INTEGRATOR_DOP853 ? &rk_table_dp8
         : choice == INTEGRATOR_RK4    ? &rk_table_rk4
                                       : NULL;
}

static dyn_status ask_for_jacobian(struct run *r) {
  if (r->e.jacobian_model || r->asked_for_jacobian) return DYN_DONE;
  r->asked_for_jacobian = 1;
  if (!r->callbacks || !r->callbacks->jacobian_model) return DYN_DONE;
  const dyn_model *model = r->callbacks->jacobian_model(r->callbacks->user);
  return evaluator_set_jacobian(&r->e, model, &r->summary->message);
}

/* Compiling a step takes 10 ms or more and saves some 50 ns each time; most runs are shorter. */
#define STEPS_WORTH_CODE 200000

static dyn_status ask_for_steps(struct run *r) {
  const struct integrator *g = r->integrator;
  const dyn_run_callbacks *c = r->callbacks;
  const struct rk_table *table = explicit_table(r->in_use);
  if (!c || !c->steps_model || !table || r->asked_for_steps ||
      r->summary->steps + g->steps + g->rejected_steps < STEPS_WORTH_CODE)
    return DYN_DONE;
  r->asked_for_steps = 1;
  if (explicit_generated(r->e.steps_model, table)) return DYN_DONE;
  return evaluator_set_steps(&r->e, c->steps_model(c->user, table->name), &r->summary->message);
}

/* Adds the counts of the integrator in use to the summary, and ends it. */
static void retire(struct run *r) {
  if (!r->integrator) return;
  r->summary->steps += r->integrator->steps;
  r->summary->rejected_steps += r->integrator->rejected_steps;
  r->summary->factorisations += r->integrator->factorisations;
  r->integrator->methods->free(r->integrator);
  r->integrator = NULL;
}

static dyn_status start_integrator(struct run *r, enum integrator_choice choice, double t,
                                   const double *x_natural) {
  dyn_run_summary *s = r->summary;
  dyn_status status = DYN_DONE;
  double *x = r->x_method; /* where the integrator starts */
  if (evaluate_method_state(&r->e, t, x_natural, x))
    return evaluate_failure_message(&r->e, x_natural, &s->message);
  if (r->e.n == 0) choice = INTEGRATOR_RK; /* nothing to iterate on */
  if (choice == INTEGRATOR_AUTO || choice == INTEGRATOR_RK) choice = run_plan_explicit(&r->plan);
  r->in_use = choice;
  if (choice == INTEGRATOR_BDF && !variables_are_natural(&r->variables) &&
      (status = ask_for_jacobian(r)))
    return status;
  const struct rk_table *table = explicit_table(choice);
  if (table)
    r->integrator = explicit_integrator_new(table, &r->e, &r->control,
                                            r->is_constrained ? &r->projection : NULL, t, x,
                                            &status, &s->message);
  else if (choice == INTEGRATOR_IDA)
    r->integrator =
        ida_integrator_new(&r->e, &r->control, &r->projection, t, x, &status, &s->message);
  else
    r->integrator = cvode_integrator_new(choice == INTEGRATOR_BDF ? CVODE_BDF : CVODE_ADAMS, &r->e,
                                         &r->control, t, x, &status, &s->message);
  r->integrator = method_state_integrator(r->integrator, &status, &s->message);
  if (!r->integrator) return status;
  s->integrator = r->integrator->name;
  s->linear_solver = r->integrator->linear_solver;
  s->jacobian_is_exact = choice == INTEGRATOR_BDF && r->e.jacobian_model != NULL;
  return DYN_DONE;
}

/* No implicit integrator holds constraints and integrates the variables of a method. */
static int may_turn_to_implicit(const struct run *r) {
  return !r->is_constrained || !r->problem->model->method_state;
}

static dyn_status turn_to_implicit(struct run *r) {
  dyn_run_summary *s = r->summary;
  double t = r->integrator->t;
  const char *from = r->integrator->name;
  memcpy(r->x_row, r->integrator->x, (size_t)r->e.n * sizeof(double));
  retire(r);
  dyn_status status =
      start_integrator(r, r->is_constrained ? INTEGRATOR_IDA : INTEGRATOR_BDF, t, r->x_row);
  if (status) return status;
  if (s->n_switches < DYN_MAX_SWITCHES) {
    s->switches[s->n_switches].t = t;
    s->switches[s->n_switches].from = from;
    s->switches[s->n_switches].to = s->integrator;
    s->n_switches++;
  }
  return DYN_DONE;
}

static void use_velocities(struct run *r, double t) {
  if (r->summary->n_singular_stretches++ == 0) r->summary->first_singular = t;
  variables_turn(&r->variables);
}

/* Goes on from (t, x) with the other variables. */
static dyn_status turn_variables(struct run *r, double t, const double *x) {
  retire(r);
  if (variables_are_natural(&r->variables))
    variables_turn(&r->variables);
  else
    use_velocities(r, t);
  return start_integrator(r, r->in_use, t, x);
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
  if (s->smallest_step == 0 || h < s->smallest_step) s->smallest_step = h;
  if (h > s->largest_step) s->largest_step = h;
  r->steps_since_row++;
  if (++r->steps_since_look >= 16) {
    r->steps_since_look = 0;
    monitor_look(&r->monitor, &r->e, g->t, g->x);
  }
}

static dyn_status check_outside(struct run *r) {
  double t = r->integrator->t;
  dyn_status status = check_stop(r, t);
  if (!status) status = ask_for_steps(r);
  if (status) return status;
  if (r->integrator->steps % 64 == 0) tell_progress(r, t);
  if (r->steps_since_row >= r->plan.max_steps)
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
  retire(r);
  return start_integrator(r, r->in_use, t, v->after);
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
  dyn_status status = deliver_rows(r, t, 1);
  if (status) return status;
  is_wanted = r->next_row < r->plan.rows && run_plan_time(&r->plan, r->next_row) == t;
  if (is_wanted) r->next_row++;
  memcpy(r->x_row, v->x, size);
  memcpy(r->x_before, v->x, size);
  if (has_row) status = deliver_state(r, t);
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
  if (has_row ? resets : is_wanted) status = deliver_state(r, t);
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
  if (r->events.count == 0) return deliver_rows(r, g->t, 0);
  int found = events_find(&r->events, g, g->t, &t, &status, &r->summary->message);
  if (found < 0) return status;
  if (found == 0) return deliver_rows(r, g->t, 0);
  *restarted = 1;
  return pass_event(r, t);
}

/* Steps end at the run's end, and where periods are over. */
static double next_limit(const struct run *r) {
  double limit = r->plan.until, sample = events_next_sample(&r->events);
  return sample < limit ? sample : limit;
}

static dyn_status integrate(struct run *r) {
  if (variables_begin(&r->variables, r->plan.from, r->x_row)) use_velocities(r, r->plan.from);
  dyn_status status = begin_periods(r);
  if (!status) status = deliver(r, r->plan.from);
  if (status || r->is_over || r->next_row >= r->plan.rows) return status;
  status = start_integrator(r, r->plan.integrator, r->plan.from, r->x_row);
  while (!status && r->next_row < r->plan.rows && !r->is_over) {
    if ((status = check_outside(r))) break;
    struct integrator *g = r->integrator;
    variables_before_step(&r->variables, g);
    enum step_result result = g->methods->step(g, next_limit(r));
    enum variables_advice advice = variables_after_step(&r->variables, g, result != STEP_FAILED);
    if (advice == VARIABLES_REDO) {
      status = turn_variables(r, r->variables.t_start, r->variables.x_start);
      continue;
    }
    if (result == STEP_FAILED) {
      r->summary->message = g->message;
      status = g->status;
      if (status == DYN_STEP_TOO_SMALL) chatter_explain(&r->chatter, g, &r->summary->message);
      break;
    }
    note_step(r);
    r->summary->reached = g->t;
    int restarted;
    status = pass_step(r, &restarted);
    if (status || restarted) continue;
    if (!status) status = chatter_step(&r->chatter, g, r->plan.until, &r->summary->message);
    if (!status && result == STEP_STIFF && r->plan.integrator == INTEGRATOR_AUTO &&
        r->next_row < r->plan.rows && g->linear_solver[0] == 0 && may_turn_to_implicit(r))
      status = turn_to_implicit(r);
    if (!status && advice == VARIABLES_TURN_BACK && r->next_row < r->plan.rows) {
      variables_before_step(&r->variables, r->integrator); /* keeps the state */
      status = turn_variables(r, r->variables.t_start, r->variables.x_start);
    }
  }
  return status;
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
  retire(r);
  monitor_finish(&r->monitor, r->problem->model);
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

dyn_status dyn_run(const dyn_problem *problem, const dyn_run_options *options, const dyn_sink *sink,
                   const dyn_run_callbacks *callbacks, double *x, dyn_run_summary *summary) {
  double began = seconds_now();
  struct run r = {.problem = problem,
                  .options = options,
                  .sink = sink,
                  .callbacks = callbacks,
                  .summary = summary};
  dyn_run_summary_clear(summary);
  summary->status = problem_check(problem, &summary->message);
  if (summary->status) return summary->status;
  summary->from = summary->reached = options->from;
  summary->until = options->until;
  summary->integrator = summary->linear_solver = "";
  dyn_status status = set_up(&r, x);
  if (!status) {
    int open = 1;
    if (sink && sink->begin && sink->begin(sink->user, problem->model)) {
      status = sink_failed(&r);
      open = 0;
    }
    if (!status) status = integrate(&r);
    if (open && sink && sink->finish && sink->finish(sink->user) && !status)
      status = sink_failed(&r);
  }
  status = finish(&r, status, x);
  release(&r);
  summary->wall_seconds = seconds_now() - began;
  return status;
}

void dyn_run_summary_clear(dyn_run_summary *summary) {
  free(summary->invariants);
  free(summary->output_gaps);
  free(summary->events);
  memset(summary, 0, sizeof *summary);
}
