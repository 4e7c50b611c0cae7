/* dyn run: simulates a model and writes its trajectory. */
#include "driver/commands.h"
#include "driver/interrupts.h"
#include "driver/problem.h"
#include "driver/progress.h"
#include "driver/run_options.h"
#include "driver/taylor.h"
#include "driver/table_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {OPTION_OUTPUT, "--output", "-o", "FILE", NULL,
     "where the rows go: HDF5 if the name ends in .h5 or .hdf5, else CSV\n"
     "(default: CSV to standard output)"},
    {OPTION_QUIET, "--quiet", "-q", NULL, NULL, "no summary, no progress"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

/* ---------------------------------------------------------------- where rows go */

static bool open_sink(struct session *session, dyn_sink *sink) {
  const char *path = session_option(session, OPTION_OUTPUT);
  dyn_table table;
  dyn_message message = {""};
  if (path != NULL && !session_may_write(session, path)) return false;
  if (!table_file_open(session, path, path, &table)) return false;
  if (dyn_table_sink(&table, sink, &message) == DYN_DONE) return true;
  session_report_write(session, message.text);
  return false;
}

/* ---------------------------------------------------------------- the run */

struct run {
  struct session *session;
  struct progress progress;
};

static void on_progress(void *user, double t, const dyn_run_options *run_options) {
  struct run *run = user;
  progress_update(&run->progress, t, run_options);
}

static const dyn_model *on_jacobian(void *user) {
  struct run *run = user;
  return compiler_add_functions(run->session->compiler, PROGRAM_JACOBIAN);
}

static const dyn_model *on_steps(void *user, const char *integrator) {
  struct run *run = user;
  return compiler_add_functions(run->session->compiler, program_steps_of(integrator));
}

static void report_end(struct session *session, const dyn_run_summary *summary) {
  dyn_context *context = session_context(session);
  if (summary->status == DYN_SINK_FAILED) {
    session_report_write(session, summary->message.text);
    return;
  }
  if (problem_status(summary->status) == EXIT_COMMAND_LINE) {
    diagnostic_add(context, DIAG_NO_RUN, nowhere, summary->message.text, NULL);
    return;
  }
  diagnostic_add(context, DIAG_RUN_ENDED, nowhere, summary->message.text, NULL);
}

/* One warning for all outputs that were infinite or undefined; the others are in its help. */
static void warn_of_gaps(struct session *session, const dyn_model *model,
                         const dyn_run_summary *summary) {
  enum { MOST_NAMED = 5 };
  dyn_context *context = session_context(session);
  struct diagnostic *warning = NULL;
  int32_t count = 0;
  for (int32_t i = 0; i < summary->n_outputs; i++) {
    const dyn_output_gaps *gaps = &summary->output_gaps[i];
    if (gaps->rows == 0) continue;
    const char *value = isnan(gaps->value) ? "not a number" : "infinite";
    char *where = arena_format(&context->arena, "%s in %lld of %lld rows, first at t = %.9g s",
                               value, (long long)gaps->rows, (long long)summary->rows, gaps->from);
    if (++count == 1)
      warning = diagnostic_add(context, DIAG_OUTPUT_UNDEFINED, nowhere, model->outputs[i].name,
                               where, NULL);
    else if (count <= MOST_NAMED)
      diagnostic_help(context, warning, "so is '%s': %s", model->outputs[i].name, where);
  }
  if (count > MOST_NAMED)
    diagnostic_help(context, warning, "... and %d more outputs", (int)(count - MOST_NAMED));
}

static void print_summary(const dyn_model *model, const dyn_run_summary *summary) {
  size_t length = dyn_run_summary_text(model, summary, NULL, 0);
  char *text = checked_calloc(length + 1, 1);
  dyn_run_summary_text(model, summary, text, length + 1);
  fputs(text, stderr);
  free(text);
}

static int integrate(struct session *session, struct problem *problem,
                     const dyn_run_options *run_options, const dyn_sink *sink) {
  struct run run = {session, progress_begin(session_may_talk(session))};
  dyn_run_callbacks callbacks = {&run, on_progress, interrupts_catch(), on_jacobian, on_steps};
  dyn_run_summary summary = {0};
  double started = compiler_clock();
  dyn_run(&problem->model_problem, run_options, sink, &callbacks, problem->x, &summary);
  session_add_stage(session, "run", compiler_clock() - started);
  progress_end(&run.progress);
  warn_of_gaps(session, problem->model, &summary);
  if (summary.status != DYN_DONE) report_end(session, &summary);
  if (session_may_talk(session) && problem_status(summary.status) != EXIT_COMMAND_LINE)
    print_summary(problem->model, &summary);
  int status = problem_status(summary.status);
  dyn_run_summary_clear(&summary);
  return status;
}

static int simulate(struct session *session, struct problem *problem) {
  dyn_run_options run_options;
  int fault = run_options_settle(session, problem, &run_options);
  if (fault != EXIT_DONE) return fault;
  if (run_options.integrator != NULL && strcmp(run_options.integrator, "taylor") == 0)
    taylor_explain(session, problem, "the run is by rk instead");
  int status = problem_assemble(session, problem, run_options.from, NULL);
  if (status != EXIT_DONE) return status;
  session_flush_diagnostics(session); /* warnings first, then the rows */
  dyn_sink sink = {0};
  if (!open_sink(session, &sink)) return EXIT_COMMAND_LINE;
  status = integrate(session, problem, &run_options, &sink);
  if (sink.close != NULL) sink.close(sink.user);
  return status;
}

/* The interpreter gives the parameters their values, which then go into the machine code. */
static bool prepare(struct session *session, struct problem *problem) {
  dyn_compiler *compiler = session->compiler;
  if (!session_read_model(session) ||
      !compiler_derive(compiler, session_option(session, OPTION_METHOD)) ||
      !run_options_check_end(session))
    return false;
  const dyn_model *interpreted = compiler_interpret(compiler);
  if (interpreted == NULL || !problem_open(session, problem, interpreted)) return false;
  const char *engine = session_option(session, OPTION_BACKEND);
  if (engine != NULL && strcmp(engine, "interpreter") == 0) return true;
  const dyn_model *compiled = compiler_jit(compiler, problem->p, -1);
  if (compiled != NULL) problem_use_model(problem, compiled);
  return compiled != NULL;
}

static int run(struct session *session) {
  struct problem problem = {0};
  session_override(session, OPTION_START, DYN_OVERRIDE_START);
  int status = EXIT_COMMAND_LINE;
  if (run_options_check(session) && problem_take_inputs(session, &problem)) {
    if (prepare(session, &problem))
      status = simulate(session, &problem);
    else
      status = session_fault_status(session);
  }
  problem_close(&problem);
  return status;
}

const struct command command_run = {"run",
                                    "MODEL.dyn",
                                    "simulate a model and write its trajectory",
                                    "Rows are CSV with a header of names, in SI units. What the "
                                    "model's 'simulate' says holds where\n"
                                    "no option is given. A summary goes to standard error.\n",
                                    options,
                                    1,
                                    1,
                                    true,
                                    run,
                                    run_option_rows};
