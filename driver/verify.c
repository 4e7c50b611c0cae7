/* dyn verify: derives a model by every method that applies and compares them. */
#include "compiler/verify.h"
#include "driver/commands.h"
#include "driver/problem.h"
#include <stdlib.h>

static const struct option_spec options[] = {
    {OPTION_START, "--start", NULL, "NAME=VALUE,...", NULL,
     "start values, near which states are tried"},
    {OPTION_TIME, "--time", NULL, "SECONDS", NULL, "the time of the states (default: 0)"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

enum { STATES = 12 };

/* Adds a method, or says why it does not apply: that is no fault of the model, which the first
 * method has taken. */
static void add_method(struct session *session, struct verify *verify, const char *name,
                       struct text *out) {
  dyn_context *context = session_context(session);
  struct diagnostic_list *list = &context->diagnostics;
  uint32_t count = list->count, errors = list->error_count, warnings = list->warning_count;
  struct system *system = derive_system(context, verify->model, name);
  if (system != NULL) system_derive_mass(system);
  if (system != NULL && expr_graph_is_full(system->graph)) {
    diagnostic_add(context, DIAG_EQUATIONS_TOO_LARGE, nowhere, NULL);
    system_free(system);
    system = NULL;
  }
  if (system != NULL) {
    verify_add(verify, system);
  } else if (verify->count > 0) {
    text_format(out, "%s: left out, as %s\n", name,
                list->count > count ? list->items[count]->message : "it does not apply");
    list->count = count;
    list->error_count = errors;
    list->warning_count = warnings;
  }
}

static int report(struct session *session, struct verify *verify, struct text *found) {
  struct text out = {0};
  text_format(&out, "%s: %u methods at %u states:", verify->model->name, verify->count,
              verify->tried);
  for (uint32_t i = 0; i < verify->count; i++)
    text_format(&out, "%s %s", i > 0 ? "," : "", verify->methods[i].model->method);
  text_format(&out, "\n%s", text_string(found));
  text_format(&out,
              "accelerations and multipliers: largest relative difference %.2g\n"
              "power of all forces against the rate of energy: largest relative difference %.2g\n",
              verify->worst, verify->worst_balance);
  if (verify->defined < verify->tried)
    text_format(&out, "at %u of the states there are no values\n", verify->tried - verify->defined);
  if (verify->disagreements > 0)
    text_put(&out, "they do not agree\n");
  else if (verify->defined > 0)
    text_put(&out, "they agree\n");
  bool written = session_write_output(session, &out);
  text_free(&out);
  if (verify->tried == 0)
    diagnostic_add(session_context(session), DIAG_NO_VALUES, nowhere,
                   "no state near the start satisfies the constraints", NULL);
  else if (verify->defined == 0)
    diagnostic_add(session_context(session), DIAG_NO_VALUES, nowhere,
                   "near the start there are no accelerations to compare", NULL);
  return written && verify->disagreements == 0 && verify->defined > 0 ? EXIT_DONE : EXIT_NUMERICAL;
}

static int compare(struct session *session, struct problem *problem, double t) {
  static const char *const methods[] = {"lagrange", "augmented", "kane", "gibbs-appell",
                                        "hamilton"};
  struct verify verify = {.context = session_context(session),
                          .model = session->compiler->model,
                          .t = t,
                          .states = STATES};
  struct text out = {0};
  dyn_message message = {""};
  int status = problem_assemble(session, problem, t, NULL);
  double *u = checked_calloc((size_t)problem->model->n_inputs + 1, sizeof *u);
  if (status == EXIT_DONE) {
    status = problem_status(dyn_input_values(&problem->model_problem, t, u, &message));
    if (status != EXIT_DONE)
      diagnostic_add(session_context(session), DIAG_NO_VALUES, nowhere, message.text, NULL);
  }
  if (status == EXIT_DONE) {
    verify.p = problem->p;
    verify.u = u;
    verify.start = problem->x;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      add_method(session, &verify, methods[i], &out);
    if (verify.count > 0) verify_run(&verify, &out);
    status = verify.count > 0 ? report(session, &verify, &out) : session_fault_status(session);
  }
  verify_clear(&verify);
  text_free(&out);
  free(u);
  return status;
}

static int run(struct session *session) {
  struct problem problem = {0};
  const dyn_model *model = NULL;
  double t = 0;
  int status = EXIT_COMMAND_LINE;
  if (!option_seconds(session_context(session), session->command, &session->line, OPTION_TIME, &t))
    return EXIT_COMMAND_LINE;
  session_override(session, OPTION_START, DYN_OVERRIDE_START);
  if (session_read_model(session) && compiler_derive(session->compiler, "lagrange"))
    model = compiler_interpret(session->compiler);
  if (model == NULL || !problem_open(session, &problem, model))
    status = session_fault_status(session);
  else
    status = compare(session, &problem, t);
  problem_close(&problem);
  return status;
}

const struct command command_verify = {
    "verify", "MODEL.dyn", "compare all methods with each other", NULL, options, 1, 1, true, run};
