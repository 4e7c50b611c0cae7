/* Runs a compiled model without the compiler: links the object that `dyn build` wrote and the
 * runtime, and prints the trajectory as `dyn run` does. MODEL_HEADER and MODEL_SYMBOL come with
 * the command line of the C compiler. Arguments NAME=VALUE set parameters. */
#include MODEL_HEADER
#include <dyn/dyn_runtime.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* False if there is no such parameter. */
static bool set_parameter(const dyn_model *model, const char *argument, double *p,
                          unsigned char *is_set) {
  const char *value = strchr(argument, '=');
  for (int32_t i = 0; i < model->n_parameters && value != NULL; i++) {
    size_t length = strlen(model->parameters[i].name);
    if (length != (size_t)(value - argument) ||
        strncmp(model->parameters[i].name, argument, length) != 0)
      continue;
    p[i] = strtod(value + 1, NULL);
    is_set[i] = 1;
    return true;
  }
  return false;
}

int main(int count, char **arguments) {
  const dyn_model *model = &MODEL_SYMBOL;
  double *p = calloc((size_t)model->n_parameters + 1, sizeof(double));
  double *x = calloc((size_t)model->n_state + 1, sizeof(double));
  unsigned char *is_set = calloc((size_t)model->n_parameters + 1, 1);
  for (int i = 1; i < count; i++)
    if (!set_parameter(model, arguments[i], p, is_set)) return 2;
  dyn_problem problem = {.model = model, .p = p};
  dyn_message message = {""};
  dyn_run_options options;
  dyn_assembly assembly = {0};
  dyn_run_summary summary = {0};
  dyn_sink sink = {0};
  dyn_status status = dyn_parameters_complete(model, p, is_set, &message);
  if (status == DYN_DONE) status = dyn_run_options_init(model, p, &options, &message);
  if (status == DYN_DONE) status = dyn_start_values(&problem, options.from, x, &message);
  if (status == DYN_DONE) status = dyn_start_assemble(&problem, options.from, x, &assembly);
  if (status == DYN_DONE) status = dyn_csv_attach(stdout, &sink, &message);
  if (status == DYN_DONE) status = dyn_run(&problem, &options, &sink, NULL, x, &summary);
  if (status != DYN_DONE)
    fprintf(stderr, "%s: %s%s\n", dyn_status_name(status), message.text, summary.message.text);
  if (sink.close != NULL) sink.close(sink.user);
  dyn_assembly_clear(&assembly);
  dyn_run_summary_clear(&summary);
  free(is_set);
  free(p);
  free(x);
  return status == DYN_DONE ? 0 : 1;
}
