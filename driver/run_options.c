/* The options of a run on the command line. */
#include "driver/run_options.h"
#include "driver/run_defaults.h"
#include "expr/expr.h"
#include <stdlib.h>
#include <string.h>

const struct option_spec run_option_rows[] = {
    {OPTION_UNTIL, "--until", NULL, "SECONDS", NULL, "the end of the run"},
    {OPTION_FROM, "--from", NULL, "SECONDS", NULL, "its begin (default: 0)"},
    {OPTION_EVERY, "--every", NULL, "SECONDS", NULL,
     "time between rows (default: a thousandth of the run)"},
    {OPTION_TOLERANCE, "--tolerance", NULL, "NUMBER", NULL, "relative error of a step"},
    {OPTION_ABSOLUTE, "--absolute", NULL, "NUMBER", NULL, "absolute error of a step, in SI units"},
    {OPTION_MAX_STEP, "--max-step", NULL, "SECONDS", NULL, "longest step"},
    {OPTION_INTEGRATOR, "--integrator", NULL, "NAME", NULL,
     "auto, rk, dopri5, dop853, taylor, adams, bdf, ida, rk4, verlet, yoshida4,\n"
     "yoshida6, yoshida8, midpoint, gauss4, gauss6 or gauss8 (default: auto). From\n"
     "rk4 on: by fixed steps; from verlet on: for long runs. taylor: for high\n"
     "accuracy of smooth models. adams and bdf cannot hold constraints, ida is for\n"
     "models with some; verlet and yoshida for constant masses and forces of\n"
     "positions and time (on constraints: RATTLE)"},
    {OPTION_STEP, "--step", NULL, "SECONDS", NULL,
     "the step of an integrator of fixed steps (default: from the tolerance)"},
    {OPTION_METHOD, "--method", NULL, "METHOD", NULL,
     "how to derive the equations: lagrange, augmented, kane, gibbs-appell, hamilton"},
    {OPTION_START, "--start", NULL, "NAME=VALUE,...", NULL, "start values: --start \"θ=1, θ'=0\""},
    {OPTION_INPUT, "--input", NULL, "NAME=VALUE", NULL,
     "an input as an expression of t, or file.csv[:column]"},
    {OPTION_BACKEND, "--backend", NULL, "ENGINE", "jit|interpreter",
     "what evaluates (default: jit; the numbers are the same)"},
    {OPTION_NO_CACHE, "--no-cache", NULL, NULL, NULL,
     "neither use nor keep machine code of earlier times"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

bool run_options_take(struct session *session, dyn_run_options *out) {
  dyn_context *context = session_context(session);
  const struct command *command = session->command;
  const struct command_line *line = &session->line;
  bool good = option_seconds(context, command, line, OPTION_FROM, &out->from);
  good &= option_seconds(context, command, line, OPTION_UNTIL, &out->until);
  good &= option_seconds(context, command, line, OPTION_EVERY, &out->every);
  good &= option_seconds(context, command, line, OPTION_MAX_STEP, &out->max_step);
  good &= option_seconds(context, command, line, OPTION_STEP, &out->step);
  good &= option_number(context, command, line, OPTION_TOLERANCE, &out->tolerance);
  good &= option_number(context, command, line, OPTION_ABSOLUTE, &out->absolute);
  /* What chooses a step takes the place of the model's. */
  if (session_option(session, OPTION_STEP) == NULL &&
      (session_option(session, OPTION_TOLERANCE) != NULL ||
       session_option(session, OPTION_ABSOLUTE) != NULL ||
       session_option(session, OPTION_MAX_STEP) != NULL))
    out->step = 0;
  const char *integrator = session_option(session, OPTION_INTEGRATOR);
  if (integrator == NULL) return good;
  const char *names[32];
  size_t count = 0;
  for (; count < 32 && dyn_integrator_name((int32_t)count) != NULL; count++) {
    names[count] = dyn_integrator_name((int32_t)count);
    if (strcmp(names[count], integrator) != 0) continue;
    out->integrator = names[count];
    /* Nor has the step of the model's integrator a meaning for one that chooses its steps. */
    if (session_option(session, OPTION_STEP) == NULL && !dyn_integrator_has_steps(integrator))
      out->step = 0;
    return good;
  }
  const char *near = nearest_name(integrator, names, count);
  char *help = arena_format(
      &context->arena, near != NULL ? "did you mean '%s'?" : "%s",
      near != NULL
          ? near
          : "it can be auto, rk, dopri5, dop853, taylor, adams, bdf, ida, rk4, verlet, yoshida4, "
            "yoshida6, yoshida8, midpoint, gauss4, gauss6 or gauss8");
  report_bad_value(context, "--integrator", integrator, help);
  return false;
}

/* Signs and ranges, so that the message names the option and not a field of a struct. */
static bool check_ranges(struct session *session) {
  static const enum option_id positive[] = {OPTION_EVERY, OPTION_TOLERANCE, OPTION_ABSOLUTE,
                                            OPTION_MAX_STEP, OPTION_STEP};
  for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++) {
    const char *text = session_option(session, positive[i]);
    if (text == NULL) continue;
    double value = strtod(text, NULL);
    bool is_tolerance = positive[i] == OPTION_TOLERANCE;
    dyn_message message;
    if (is_tolerance ? dyn_run_value_check(DYN_RUN_TOLERANCE, value, &message) == DYN_DONE
                     : value > 0)
      continue;
    report_bad_value(session_context(session), option_name(session->command, positive[i]), text,
                     is_tolerance ? "it lies between 1e-15 and 0.1" : "it is greater than 0");
    return false;
  }
  return true;
}

/* What would be accepted and then have no effect is refused. */
static bool check_step(struct session *session, const dyn_run_options *options) {
  static const enum option_id without_step[] = {OPTION_TOLERANCE, OPTION_ABSOLUTE, OPTION_MAX_STEP};
  dyn_context *context = session_context(session);
  if (session_option(session, OPTION_STEP) == NULL) return true;
  const char *name = options->integrator != NULL ? options->integrator : "auto";
  if (!dyn_integrator_has_steps(name)) {
    struct diagnostic *d = diagnostic_add(
        context, DIAG_OPTION_WITHOUT_EFFECT, nowhere, "--step",
        arena_format(&context->arena, "the integrator %s chooses its steps", name), NULL);
    diagnostic_help(context, d, "'--max-step' limits them; 'gauss8', say, takes fixed ones");
    return false;
  }
  for (size_t i = 0; i < sizeof without_step / sizeof without_step[0]; i++) {
    if (session_option(session, without_step[i]) == NULL) continue;
    diagnostic_add(context, DIAG_OPTION_WITHOUT_EFFECT, nowhere,
                   option_name(session->command, without_step[i]),
                   "the step is given, and it is for the choice of steps", NULL);
    return false;
  }
  return true;
}

/* An integrator that does not apply is a fault of who asks for it. */
static int check_applies(struct session *session, const struct problem *problem,
                         const dyn_run_options *options) {
  dyn_message message = {""};
  dyn_problem asked = problem->model_problem;
  struct expr_symbol_set *varied = model_varied(session->compiler->model);
  if (varied != NULL) asked.p = NULL; /* masses are for each trajectory to check */
  expr_symbol_set_free(varied);
  if (dyn_integrator_check(&asked, options->integrator, &message) == DYN_DONE) return EXIT_DONE;
  bool is_model = session_option(session, OPTION_INTEGRATOR) == NULL &&
                  session_option(session, OPTION_METHOD) == NULL;
  diagnostic_add(session_context(session), DIAG_INTEGRATOR_DOES_NOT_APPLY,
                 is_model ? session->compiler->model->run.span : nowhere, message.text, NULL);
  return is_model ? EXIT_MODEL : EXIT_COMMAND_LINE;
}

bool run_options_check_end(struct session *session) {
  if (session_option(session, OPTION_UNTIL) != NULL || session->compiler->model->run.until != 0)
    return true;
  struct diagnostic *diagnostic =
      diagnostic_add(session_context(session), DIAG_NO_END_TIME, nowhere, NULL);
  diagnostic_help(session_context(session), diagnostic,
                  "give '--until 10', or write 'simulate(until = 10 [s])' in the model");
  return false;
}

bool run_options_check(struct session *session) {
  dyn_run_options probe = {0};
  return run_options_take(session, &probe) && check_ranges(session);
}

int run_options_settle(struct session *session, const struct problem *problem,
                       dyn_run_options *out) {
  dyn_message message = {""};
  int fault = run_defaults_check(session, problem);
  if (fault != EXIT_DONE) return fault;
  dyn_status answer = dyn_run_options_init(problem->model, problem->p, out, &message);
  if (answer != DYN_DONE && run_defaults_vary(session->compiler->model, 0, DYN_RUN_COUNT - 1)) {
    /* What holds for all trajectories: a sweep makes its steps for it. */
    *out =
        (dyn_run_options){.until = 1, .tolerance = 1e-8, .integrator = problem->model->integrator};
  } else if (answer != DYN_DONE) {
    bool is_model = answer == DYN_BAD_OPTION;
    diagnostic_add(session_context(session), DIAG_NO_RUN,
                   is_model ? session->compiler->model->run.span : nowhere, message.text, NULL);
    return is_model ? EXIT_MODEL : problem_status(answer);
  }
  if (!run_options_take(session, out) || !check_ranges(session) || !check_step(session, out))
    return EXIT_COMMAND_LINE;
  fault = check_applies(session, problem, out);
  if (fault != EXIT_DONE) return fault;
  if (dyn_run_options_check(out, &message) != DYN_DONE)
    return run_defaults_refuse_rows(session, &message);
  return EXIT_DONE;
}
