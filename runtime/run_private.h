/* run_private.h: what the files of a run share: run.c goes from step to step, run_rows.c delivers
 * rows, run_integrators.c starts and changes integrators, run_series.c knows when it is Taylor
 * series; lanes.c goes on with several runs at once. */
#ifndef DYN_RUNTIME_RUN_PRIVATE_H
#define DYN_RUNTIME_RUN_PRIVATE_H
#include "runtime/chatter.h"
#include "runtime/events.h"
#include "runtime/integrator.h"
#include "runtime/monitor.h"
#include "runtime/options.h"
#include "runtime/project.h"
#include "runtime/singular.h"
#include "runtime/variables.h"

#define RUN_LOOK_STEPS 16     /* of which one is looked at for its invariants */
#define RUN_PROGRESS_STEPS 64 /* of which one is told to callbacks->progress */

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
  int asked_for_jacobian, asked_for_steps, asked_for_series;
  /* Taylor series: the number of steps of the run from which they are tried, INT64_MAX for never;
   * and since when another integrator has stood in for them, and for how many steps. */
  int64_t series_after, series_wait;
  double t_declined, t_returned;
  int is_declined;
  struct events events;
  int is_over;  /* an event stopped the run */
  double *x;    /* n_state: the caller's */
  double began; /* on the clock */
  int is_open;  /* the sink is */
};

/* ---- run.c: a run in pieces, for whoever makes the steps himself:
 *
 *   status = run_start(&r);  // r has the arguments of dyn_run
 *   while (!status && run_goes_on(&r)) {
 *     status = run_before_step(&r);
 *     if (!status) status = run_after_step(&r, a step of r.integrator up to run_limit(&r));
 *   }
 *   run_end(&r, status);
 *
 * Behind a step the integrator may be another one. */
dyn_status run_start(struct run *r);
int run_goes_on(const struct run *r);
dyn_status run_before_step(struct run *r);
double run_limit(const struct run *r);
dyn_status run_after_step(struct run *r, enum step_result result);
dyn_status run_end(struct run *r, dyn_status status);
/* The rest of a run, step by step; returns as run_end. */
dyn_status run_on(struct run *r, dyn_status status);

/* ---- run_quiet.c ---- */

/* How many of the next steps, if they end before *until (the time of a row), have nothing to be
 * done for them but to be counted: run_before_step and run_after_step need not be called for them.
 * has_looks: whoever makes them looks for the invariants after every RUN_LOOK_STEPS of them, where
 * steps_since_look comes to that. */
int64_t run_quiet_steps(const struct run *r, int has_looks, double *until);
/* Counts so many of them, whose sizes were these; the integrator is taken to their end by whoever
 * made them, before run_before_step of the next one. */
void run_count_quiet(struct run *r, int64_t steps, double smallest, double largest);
void run_note_sizes(dyn_run_summary *summary, double smallest, double largest);

/* ---- run_rows.c ---- */

dyn_status run_sink_failed(struct run *r);
/* A row at t with the state r->x_row, which is put on the constraints. */
dyn_status run_deliver_state(struct run *r, double t);
/* The same for the next of the rows asked for. */
dyn_status run_deliver(struct run *r, double t);
/* Delivers the rows up to `end`, within the last step; without a row there if an event is. A step
 * may hold millions of them, so that the outside is heard and told between rows too. */
dyn_status run_deliver_rows(struct run *r, double end, int is_event);
dyn_status run_check_stop(struct run *r, double t);
void run_tell_progress(struct run *r, double t);

/* ---- run_integrators.c ---- */

/* Starts at the natural state x. */
dyn_status run_start_integrator(struct run *r, enum integrator_choice choice, double t,
                                const double *x);
/* Has the steps compiled once that pays. */
dyn_status run_ask_for_steps(struct run *r);
/* Adds the counts of the integrator in use to the summary, and ends it. */
void run_retire(struct run *r);
int run_may_turn_to_implicit(const struct run *r);
/* Goes on with another integrator; run_turn_to tells of it in the summary. */
dyn_status run_exchange(struct run *r, enum integrator_choice choice);
dyn_status run_turn_to(struct run *r, enum integrator_choice choice);
void run_note_switch(struct run *r, double t, const char *from, const char *to);
/* The steps made so far, with those refused. */
int64_t run_steps(const struct run *r);
/* The variables that are integrated from here on are velocities, for a while. */
void run_use_velocities(struct run *r, double t);
/* Goes on from (t, x) with the other variables. */
dyn_status run_turn_variables(struct run *r, double t, const double *x);

/* ---- run_series.c ---- */

/* At the start of a run. */
void run_plan_series(struct run *r);
/* Whether Taylor series are taken at t, or else what is: *choice. */
dyn_status run_take_series(struct run *r, double t, enum integrator_choice *choice);
/* The integrator has no series where it stands: another goes on for a while. */
dyn_status run_decline_series(struct run *r);
/* After a step: turns to Taylor series where it is time for them. */
dyn_status run_look_for_series(struct run *r);
/* At the end of a run: counts how long there was no series. */
void run_end_series(struct run *r);

#endif
