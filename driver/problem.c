/* Parameters and inputs of a model; its start state is start.c's. */
#include "driver/problem.h"
#include "expr/expr.h"
#include <math.h>
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

/* Of a sweep: that is what its trajectories tell, each with its own values. */
static bool is_fault_of_varied(struct session *session, const double *p) {
  const struct model *model = session->compiler->model;
  struct expr_symbol_set *varied = model_varied(model);
  bool is_varied = false;
  for (uint32_t i = 0; i < model->parameters.count && varied != NULL && !is_varied; i++)
    is_varied =
        !isfinite(p[i]) && expr_symbol_set_touches(varied, model->parameters.items[i].symbol);
  expr_symbol_set_free(varied);
  return is_varied;
}

bool problem_open(struct session *session, struct problem *problem, const dyn_model *model) {
  problem->p = array_of(model->n_parameters, sizeof(double));
  problem->x = array_of(model->n_state, sizeof(double));
  problem->inputs = array_of(model->n_inputs, sizeof(dyn_input_source));
  problem_use_model(problem, model);
  dyn_message message = {""};
  if (dyn_parameters_complete(model, problem->p, NULL, &message) != DYN_DONE &&
      !is_fault_of_varied(session, problem->p)) {
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

const dyn_variable *problem_state_variable(const dyn_model *model, int32_t state) {
  int32_t n = model->n_coordinates;
  if (state < n) return &model->coordinates[state];
  return state < 2 * n ? &model->velocities[state - n] : &model->rates[state - 2 * n];
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
