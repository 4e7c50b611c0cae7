/* Parameters, inputs and the start state of a model. */
#include "driver/problem.h"
#include <stdlib.h>
#include <string.h>

/* At least one byte, so that models without parameters or inputs need no special case. */
static void *array_of(int32_t count, size_t size) {
  return checked_calloc((size_t)count + 1, size);
}

void problem_use_model(struct problem *problem, const dyn_model *model) {
  problem->model = model;
  problem->model_problem = (dyn_problem){model, problem->p, problem->inputs};
}

bool problem_open(struct session *session, struct problem *problem, const dyn_model *model) {
  problem->p = array_of(model->n_parameters, sizeof(double));
  problem->x = array_of(model->n_state, sizeof(double));
  problem->inputs = array_of(model->n_inputs, sizeof(dyn_input_source));
  problem_use_model(problem, model);
  dyn_message message = {""};
  if (dyn_parameters_complete(model, problem->p, NULL, &message) != DYN_DONE) {
    diagnostic_add(session_context(session), DIAG_NO_START, nowhere, message.text, NULL);
    return false;
  }
  return problem_open_inputs(session, problem);
}

void problem_close(struct problem *problem) {
  for (uint32_t i = 0; i < problem->drives.count; i++)
    dyn_input_table_free(problem->drives.items[i].table);
  vector_free(&problem->drives);
  free(problem->p);
  free(problem->x);
  free(problem->inputs);
}

int problem_status(dyn_status status) {
  switch (status) {
  case DYN_DONE:
    return EXIT_DONE;
  case DYN_BAD_OPTION:
  case DYN_BAD_FILE:
  case DYN_BAD_INPUT:
    return EXIT_COMMAND_LINE;
  case DYN_CONFLICT:
    return EXIT_MODEL;
  default:
    return EXIT_NUMERICAL;
  }
}

/* ---------------------------------------------------------------- start */

static char *assembly_text(const dyn_model *model, const dyn_assembly *assembly) {
  size_t length = dyn_assembly_text(model, assembly, NULL, 0);
  char *text = checked_calloc(length + 1, 1);
  dyn_assembly_text(model, assembly, text, length + 1);
  return text;
}

static void report_no_start(struct session *session, const dyn_model *model,
                            const dyn_assembly *assembly) {
  dyn_context *context = session_context(session);
  struct diagnostic *diagnostic =
      diagnostic_add(context, DIAG_NO_START, nowhere, assembly->message.text, NULL);
  char *text = assembly_text(model, assembly);
  size_t length = strlen(text);
  if (length > 0 && text[length - 1] == '\n') text[length - 1] = '\0';
  if (length > 0) diagnostic_help(context, diagnostic, "%s", text);
  free(text);
}

/* A note for each start value that the `initial` equations moved. */
static void tell_moved(struct session *session, const dyn_model *model,
                       const dyn_assembly *assembly) {
  char *text = assembly_text(model, assembly);
  for (char *line = text; assembly->n_moved > 0 && *line != '\0';) {
    size_t length = strcspn(line, "\n");
    char *next = line + length + (line[length] == '\n');
    line[length] = '\0';
    diagnostic_add(session_context(session), DIAG_START_MOVED, nowhere, line, NULL);
    line = next;
  }
  free(text);
}

int problem_assemble(struct session *session, struct problem *problem, double t) {
  double started = compiler_clock();
  dyn_message message = {""};
  dyn_status status = dyn_start_values(&problem->model_problem, t, problem->x, &message);
  if (status != DYN_DONE) {
    diagnostic_add(session_context(session), DIAG_NO_START, nowhere, message.text, NULL);
    return problem_status(status);
  }
  dyn_assembly assembly = {0};
  status = dyn_start_assemble(&problem->model_problem, t, problem->x, &assembly);
  if (status != DYN_DONE)
    report_no_start(session, problem->model, &assembly);
  else
    tell_moved(session, problem->model, &assembly);
  dyn_assembly_clear(&assembly);
  session_add_stage(session, "start state", compiler_clock() - started);
  return problem_status(status);
}
