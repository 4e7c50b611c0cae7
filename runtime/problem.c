/* problem.c: parameters, inputs and start values of a problem, before anything is integrated. */
#include "runtime/evaluate.h"
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

dyn_status dyn_parameters_complete(const dyn_model *m, double *p, const unsigned char *is_set,
                                   dyn_message *message) {
  size_t n = (size_t)m->n_parameters;
  message_set(message, DYN_DONE, "%s", "");
  if (n == 0) return DYN_DONE;
  double *memory = calloc((size_t)m->n_work + 2 * n + 1, sizeof *memory);
  if (!memory) return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
  double *set = memory + m->n_work, *out = set + n;
  for (size_t i = 0; i < n; i++) {
    set[i] = is_set && is_set[i] ? 1 : 0;
    if (set[i] == 0) p[i] = m->parameters[i].value;
  }
  memcpy(out, p, n * sizeof *p);
  int k = m->complete_parameters ? m->complete_parameters(m, 0, set, NULL, p, memory, out) : 0;
  dyn_status status = DYN_DONE;
  if (k > 0) status = message_set(message, DYN_RANK_LOST, "the parameters cannot be computed");
  for (size_t i = 0; !status && i < n; i++) {
    p[i] = out[i];
    if (!isfinite(out[i]))
      status = message_set(message, DYN_OUT_OF_RANGE, "the parameter %s is not a finite number",
                           m->parameters[i].name);
  }
  free(memory);
  return status;
}

dyn_status dyn_input_values(const dyn_problem *problem, double t, double *u, dyn_message *message) {
  struct evaluator e;
  message_set(message, DYN_DONE, "%s", "");
  dyn_status status = evaluator_init(&e, problem, message);
  if (status) return status;
  if (evaluate_inputs(&e, t)) status = evaluate_failure_message(&e, NULL, message);
  memcpy(u, e.u, (size_t)e.model->n_inputs * sizeof *u);
  evaluator_clear(&e);
  return status;
}

dyn_status dyn_start_values(const dyn_problem *problem, double t, double *x, dyn_message *message) {
  struct evaluator e;
  message_set(message, DYN_DONE, "%s", "");
  dyn_status status = evaluator_init(&e, problem, message);
  if (status) return status;
  const dyn_model *m = e.model;
  for (int32_t i = 0; i < m->n_coordinates; i++) {
    x[i] = m->coordinates[i].value;
    x[m->n_coordinates + i] = m->velocities[i].value;
  }
  for (int32_t i = 0; i < m->n_rates; i++) x[2 * m->n_coordinates + i] = m->rates[i].value;
  enum evaluate_result result =
      m->start ? evaluate_function(&e, m->start, t, NULL, x) : evaluate_inputs(&e, t);
  if (result) status = evaluate_failure_message(&e, NULL, message);
  for (int32_t i = 0; !status && i < m->n_state; i++)
    if (!isfinite(x[i]))
      status = message_set(message, DYN_OUT_OF_RANGE,
                           "the start value of %s is not a finite number", state_name(m, i));
  evaluator_clear(&e);
  return status;
}
