/* options.c: defaults, names and checks of the options of a run, and the instants of its rows.
 * Promises a plan that makes sense whatever the caller gave, or a message that says what is wrong.
 */
#include "runtime/options.h"
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *description;
} integrators[] = {
    [INTEGRATOR_AUTO] =
        {"auto", "explicit Runge-Kutta; turns to bdf (with constraints: ida) when the model "
                 "proves stiff, to taylor in long runs at tolerances of 1e-14 and below"},
    [INTEGRATOR_RK] = {"rk", "explicit Runge-Kutta: dopri5 for tolerances above 1e-5, else dop853"},
    [INTEGRATOR_DOPRI5] = {"dopri5", "explicit Runge-Kutta of Dormand and Prince, order 5(4)"},
    [INTEGRATOR_DOP853] = {"dop853", "explicit Runge-Kutta of Dormand and Prince, order 8(5,3)"},
    [INTEGRATOR_TAYLOR] = {"taylor",
                           "Taylor series of an order up to 25 that the tolerance gives, for "
                           "high accuracy of smooth models"},
    [INTEGRATOR_ADAMS] = {"adams", "Adams-Moulton, orders 1 to 12, for costly right sides"},
    [INTEGRATOR_BDF] = {"bdf", "backward differentiation, orders 1 to 5, for stiff models"},
    [INTEGRATOR_IDA] = {"ida", "backward differentiation for stiff models with constraints"},
    [INTEGRATOR_RK4] = {"rk4", "the classical Runge-Kutta method of order 4, fixed steps"},
    [INTEGRATOR_VERLET] = {"verlet",
                           "velocity Verlet, with constraints RATTLE: order 2, fixed steps"},
    [INTEGRATOR_YOSHIDA4] = {"yoshida4", "symmetric composition of verlet, order 4"},
    [INTEGRATOR_YOSHIDA6] = {"yoshida6", "symmetric composition of verlet, order 6"},
    [INTEGRATOR_YOSHIDA8] = {"yoshida8", "symmetric composition of verlet, order 8"},
    [INTEGRATOR_MIDPOINT] = {"midpoint", "implicit midpoint rule: order 2, fixed steps"},
    [INTEGRATOR_GAUSS4] = {"gauss4", "Gauss's collocation, order 4, fixed steps"},
    [INTEGRATOR_GAUSS6] = {"gauss6", "Gauss's collocation, order 6, fixed steps"},
    [INTEGRATOR_GAUSS8] = {"gauss8", "Gauss's collocation, order 8, fixed steps"},
};
#define LEAST_TOLERANCE 1e-15
#define MOST_TOLERANCE 0.1
#define N_INTEGRATORS ((int32_t)(sizeof integrators / sizeof integrators[0]))

const char *dyn_integrator_name(int32_t i) {
  return i >= 0 && i < N_INTEGRATORS ? integrators[i].name : NULL;
}

const char *dyn_integrator_description(int32_t i) {
  return i >= 0 && i < N_INTEGRATORS ? integrators[i].description : NULL;
}

const char *dyn_status_name(dyn_status status) {
  static const char *const names[] = {
      [DYN_DONE] = "done",
      [DYN_OUT_OF_MEMORY] = "out-of-memory",
      [DYN_BAD_OPTION] = "bad-option",
      [DYN_BAD_FILE] = "bad-file",
      [DYN_BAD_INPUT] = "bad-input",
      [DYN_CONFLICT] = "conflict",
      [DYN_RANK_LOST] = "rank-lost",
      [DYN_OUT_OF_RANGE] = "out-of-range",
      [DYN_STEP_TOO_SMALL] = "step-too-small",
      [DYN_NO_PROGRESS] = "no-progress",
      [DYN_INTERRUPTED] = "interrupted",
      [DYN_SINK_FAILED] = "sink-failed",
      [DYN_SOLVER_FAILED] = "solver-failed",
  };
  size_t i = (size_t)status;
  return i < sizeof names / sizeof names[0] && names[i] ? names[i] : "unknown";
}

static const struct {
  const char *name, *unit;
  double least; /* > 0: must not be less; 0: must be greater; -HUGE_VAL: any finite value */
  double most;
} values_of_run[DYN_RUN_COUNT] = {
    [DYN_RUN_FROM] = {"from", " s", -HUGE_VAL, HUGE_VAL},
    [DYN_RUN_UNTIL] = {"until", " s", -HUGE_VAL, HUGE_VAL},
    [DYN_RUN_EVERY] = {"every", " s", 0, HUGE_VAL},
    [DYN_RUN_TOLERANCE] = {"tolerance", "", LEAST_TOLERANCE, MOST_TOLERANCE},
    [DYN_RUN_ABSOLUTE] = {"absolute", "", 0, HUGE_VAL},
    [DYN_RUN_MAX_STEP] = {"max_step", " s", 0, HUGE_VAL},
    [DYN_RUN_STEP] = {"step", " s", 0, HUGE_VAL},
};

dyn_status dyn_run_value_check(int32_t which, double value, dyn_message *message) {
  if (which < 0 || which >= DYN_RUN_COUNT)
    return message_set(message, DYN_BAD_OPTION, "a run has no value %d", (int)which);
  const char *name = values_of_run[which].name, *unit = values_of_run[which].unit;
  double least = values_of_run[which].least, most = values_of_run[which].most;
  if (!isfinite(value))
    return message_set(message, DYN_BAD_OPTION,
                       "simulate gives '%s' a value that is not a finite number", name);
  if (least > 0 && (value < least || value > most))
    return message_set(message, DYN_BAD_OPTION,
                       "simulate gives %s = %g%s, but it must lie between %g and %g", name, value,
                       unit, least, most);
  if (least == 0 && value <= 0)
    return message_set(message, DYN_BAD_OPTION,
                       "simulate gives %s = %g%s, but it must be greater than 0", name, value,
                       unit);
  return DYN_DONE;
}

dyn_status integrator_choice_of(const char *name, enum integrator_choice *choice,
                                dyn_message *message) {
  *choice = INTEGRATOR_AUTO;
  if (!name) return DYN_DONE;
  for (int32_t i = 0; i < N_INTEGRATORS; i++) {
    if (strcmp(name, integrators[i].name)) continue;
    *choice = (enum integrator_choice)i;
    return DYN_DONE;
  }
  message_set(message, DYN_BAD_OPTION, "there is no integrator \"%s\"; there are ", name);
  for (int32_t i = 0; i < N_INTEGRATORS; i++)
    message_add(message, "%s%s",
                i == 0                   ? ""
                : i == N_INTEGRATORS - 1 ? " and "
                                         : ", ",
                integrators[i].name);
  return DYN_BAD_OPTION;
}

dyn_status dyn_run_options_init(const dyn_model *model, const double *p, dyn_run_options *options,
                                dyn_message *message) {
  double given[DYN_RUN_COUNT];
  message_set(message, DYN_DONE, "%s", "");
  for (int i = 0; i < DYN_RUN_COUNT; i++) given[i] = NAN;
  if (model->run_defaults) {
    double *work = calloc((size_t)model->n_work + 1, sizeof *work);
    if (!work) return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
    model->run_defaults(model, 0, NULL, NULL, p, work, given);
    free(work);
  }
  enum integrator_choice choice;
  dyn_status status = integrator_choice_of(model->integrator, &choice, message);
  for (int i = 0; i < DYN_RUN_COUNT && !status; i++)
    if (!isnan(given[i])) status = dyn_run_value_check(i, given[i], message);
  if (status) return status;
  const double fallback[DYN_RUN_COUNT] = {[DYN_RUN_TOLERANCE] = 1e-8};
  for (int i = 0; i < DYN_RUN_COUNT; i++)
    if (isnan(given[i]) && i != DYN_RUN_UNTIL) given[i] = fallback[i];
  if (isnan(given[DYN_RUN_UNTIL])) given[DYN_RUN_UNTIL] = given[DYN_RUN_FROM] + 10;
  *options = (dyn_run_options){.from = given[DYN_RUN_FROM],
                               .until = given[DYN_RUN_UNTIL],
                               .every = given[DYN_RUN_EVERY],
                               .tolerance = given[DYN_RUN_TOLERANCE],
                               .absolute = given[DYN_RUN_ABSOLUTE],
                               .max_step = given[DYN_RUN_MAX_STEP],
                               .step = given[DYN_RUN_STEP],
                               .integrator = model->integrator};
  return DYN_DONE;
}

/* Rows at from, from + every, ... and at until, which takes the place of an instant that falls on
 * it but for rounding. */
static dyn_status count_rows(struct run_plan *plan, const dyn_run_options *o,
                             dyn_message *message) {
  double length = fabs(o->until - o->from);
  if (o->every > 0 && o->instants > 0)
    return message_set(message, DYN_BAD_OPTION,
                       "both the interval of rows (every) and their number are given");
  int64_t intervals = o->instants > 0 ? o->instants : 1000;
  if (intervals >= DYN_MOST_ROWS)
    return message_set(
        message, DYN_BAD_OPTION,
        "%lld intervals ask for more rows than the %d million that a run has at most",
        (long long)intervals, DYN_MOST_ROWS / 1000000);
  plan->every = o->every > 0 ? o->every : length / (double)intervals;
  plan->rows = length > 0 ? intervals + 1 : 1;
  if (o->every > 0 && length > 0) {
    double count = length / o->every;
    if (!(count < DYN_MOST_ROWS - 1))
      return message_set(message, DYN_BAD_OPTION,
                         "every = %g s asks for %.3g rows from t = %g s to %g s; a run has at most "
                         "%d million",
                         o->every, count, o->from, o->until, DYN_MOST_ROWS / 1000000);
    double whole = floor(count * (1 + 1e-12) + 1e-9);
    int on_grid = fabs(count - whole) <= 1e-9 + 1e-12 * count;
    plan->rows = (int64_t)whole + (on_grid && whole > 0 ? 1 : 2);
  }
  return DYN_DONE;
}

dyn_status run_plan_init(struct run_plan *plan, const dyn_run_options *o, dyn_message *message) {
  if (!isfinite(o->from) || !isfinite(o->until) || !isfinite(o->until - o->from))
    return message_set(message, DYN_BAD_OPTION, "a run from %g s until %g s is not finite", o->from,
                       o->until);
  if (!(o->every >= 0) || !isfinite(o->every) || o->instants < 0)
    return message_set(message, DYN_BAD_OPTION, "every must be a positive time, not %g s",
                       o->instants < 0 ? (double)o->instants : o->every);
  if (!(o->tolerance >= LEAST_TOLERANCE && o->tolerance <= MOST_TOLERANCE))
    return message_set(message, DYN_BAD_OPTION,
                       "the tolerance must lie between %g and %g, not be %g", LEAST_TOLERANCE,
                       MOST_TOLERANCE, o->tolerance);
  if (!(o->absolute >= 0) || !isfinite(o->absolute))
    return message_set(message, DYN_BAD_OPTION,
                       "the absolute tolerance must be positive (or 0: from the tolerance), not %g",
                       o->absolute);
  if (!(o->max_step >= 0))
    return message_set(message, DYN_BAD_OPTION,
                       "max_step must be a positive time (or 0: no limit), not %g s", o->max_step);
  if (!(o->step >= 0) || !isfinite(o->step))
    return message_set(message, DYN_BAD_OPTION,
                       "the step must be a positive time (or 0: from the tolerance), not %g s",
                       o->step);
  *plan = (struct run_plan){
      .from = o->from, .until = o->until, .relative = o->tolerance, .step = o->step};
  dyn_status status = integrator_choice_of(o->integrator, &plan->integrator, message);
  if (status) return status;
  plan->direction = o->until < o->from ? -1 : 1;
  /* Small against the relative part unless a state passes through zero. */
  plan->absolute = o->absolute > 0 ? o->absolute : 1e-3 * o->tolerance;
  plan->max_step = o->max_step > 0 ? o->max_step : HUGE_VAL;
  plan->max_steps = o->max_steps > 0 ? o->max_steps : 10000000;
  return count_rows(plan, o, message);
}

dyn_status dyn_run_options_check(const dyn_run_options *options, dyn_message *message) {
  struct run_plan plan;
  message_set(message, DYN_DONE, "%s", "");
  return run_plan_init(&plan, options, message);
}

enum integrator_choice run_plan_explicit(const struct run_plan *plan) {
  return plan->relative > 1e-5 ? INTEGRATOR_DOPRI5 : INTEGRATOR_DOP853;
}

double run_plan_time(const struct run_plan *plan, int64_t i) {
  if (i >= plan->rows - 1) return plan->rows > 1 ? plan->until : plan->from;
  return plan->from + plan->direction * (double)i * plan->every;
}
