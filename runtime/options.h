/* options.h: the options of a run after checking, and the instants of its rows. */
#ifndef DYN_RUNTIME_OPTIONS_H
#define DYN_RUNTIME_OPTIONS_H
#include "dyn/dyn_runtime.h"

enum integrator_choice {
  INTEGRATOR_AUTO,
  INTEGRATOR_RK,
  INTEGRATOR_DOPRI5,
  INTEGRATOR_DOP853,
  INTEGRATOR_TAYLOR,
  INTEGRATOR_ADAMS,
  INTEGRATOR_BDF,
  INTEGRATOR_IDA,
  INTEGRATOR_RK4, /* from here on by fixed steps */
  INTEGRATOR_VERLET,
  INTEGRATOR_YOSHIDA4,
  INTEGRATOR_YOSHIDA6,
  INTEGRATOR_YOSHIDA8,
  INTEGRATOR_MIDPOINT,
  INTEGRATOR_GAUSS4,
  INTEGRATOR_GAUSS6,
  INTEGRATOR_GAUSS8
};

struct run_plan {
  enum integrator_choice integrator;
  double from, until, every; /* every > 0, also for a backward run */
  int64_t rows;              /* at least 1; the last is at until */
  double direction;          /* 1 or -1 */
  double relative, absolute, max_step;
  double step;       /* 0: not given */
  int64_t max_steps; /* between two rows */
};

dyn_status integrator_choice_of(const char *name, enum integrator_choice *choice,
                                dyn_message *message); /* NULL: auto */
/* DYN_BAD_OPTION, and why, where an integrator does not apply to a problem. */
dyn_status integrator_choice_check(const dyn_problem *problem, enum integrator_choice choice,
                                   dyn_message *message);
/* The integrator of fixed steps for long runs of a problem that conserves energy (static). */
const char *integrator_choice_for_long(const dyn_problem *problem);
dyn_status run_plan_init(struct run_plan *plan, const dyn_run_options *options,
                         dyn_message *message);
/* Checks a plan against the problem and the start state x[n_state] that it is for. (run_check.c) */
dyn_status run_plan_check(const struct run_plan *plan, const dyn_problem *problem, const double *x,
                          dyn_message *message);
/* What `auto` and `rk` begin with. */
enum integrator_choice run_plan_explicit(const struct run_plan *plan);
/* The time of row i: from + i*every, not summed up, so that no error accumulates. */
double run_plan_time(const struct run_plan *plan, int64_t i);

#endif
