/* The options of a run on the command line. */
#include "driver/run_options.h"
#include "driver/run_defaults.h"
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
     "auto, rk, dopri5, dop853, rk4, adams, bdf or ida (default: auto); of a model\n"
     "with constraints all but adams and bdf, which cannot hold them; rk4 takes\n"
     "equal steps of --max-step"},
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
  good &= option_number(context, command, line, OPTION_TOLERANCE, &out->tolerance);
  good &= option_number(context, command, line, OPTION_ABSOLUTE, &out->absolute);
  const char *integrator = session_option(session, OPTION_INTEGRATOR);
  if (integrator == NULL) return good;
  const char *names[32];
  size_t count = 0;
  for (; count < 32 && dyn_integrator_name((int32_t)count) != NULL; count++) {
    names[count] = dyn_integrator_name((int32_t)count);
    if (strcmp(names[count], integrator) == 0) out->integrator = names[count];
    if (strcmp(names[count], integrator) == 0) return good;
  }
  const char *near = nearest_name(integrator, names, count);
  char *help = arena_format(
      &context->arena, near != NULL ? "did you mean '%s'?" : "%s",
      near != NULL ? near : "it can be auto, rk, dopri5, dop853, rk4, adams, bdf or ida");
  report_bad_value(context, "--integrator", integrator, help);
  return false;
}

/* Signs and ranges, so that the message names the option and not a field of a struct. */
static bool check_ranges(struct session *session) {
  static const enum option_id positive[] = {OPTION_EVERY, OPTION_TOLERANCE, OPTION_ABSOLUTE,
                                            OPTION_MAX_STEP};
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
  if (answer != DYN_DONE) {
    bool is_model = answer == DYN_BAD_OPTION;
    diagnostic_add(session_context(session), DIAG_NO_RUN,
                   is_model ? session->compiler->model->run.span : nowhere, message.text, NULL);
    return is_model ? EXIT_MODEL : problem_status(answer);
  }
  if (!run_options_take(session, out) || !check_ranges(session)) return EXIT_COMMAND_LINE;
  if (dyn_run_options_check(out, &message) != DYN_DONE)
    return run_defaults_refuse_rows(session, &message);
  return EXIT_DONE;
}
