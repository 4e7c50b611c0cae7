/* libdyn_runtime integrates a compiled model: assembly of the start, constraints held, rows as CSV. */
#include "four_bar.h"
#include <dyn/dyn_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MODEL
#define MODEL FourBar_model
#endif

int main(void) {
  const dyn_model *model = &MODEL;
  double *p = calloc((size_t)model->n_parameters + 1, sizeof *p);
  double *x = calloc((size_t)model->n_state + 1, sizeof *x);
  dyn_problem problem = {.model = model, .p = p};
  dyn_message message = {""};
  dyn_assembly assembly = {.status = DYN_DONE};
  dyn_run_summary summary = {.status = DYN_DONE};
  dyn_run_options options;
  dyn_sink csv = {0};
  dyn_status status = dyn_parameters_complete(model, p, NULL, &message);
  if (status == DYN_DONE) status = dyn_run_options_init(model, p, &options, &message);
  if (status == DYN_DONE) status = dyn_start_values(&problem, options.from, x, &message);
  if (status == DYN_DONE) status = dyn_start_assemble(&problem, options.from, x, &assembly);
  if (status == DYN_DONE) status = dyn_csv_attach(stdout, &csv, &message);
  if (status == DYN_DONE) {
    options.until = 1;
    options.every = 0.5;
    options.instants = 0;
    status = dyn_run(&problem, &options, &csv, NULL, x, &summary);
    csv.close(csv.user);
  }
  if (status != DYN_DONE)
    fprintf(stderr, "%s%s%s\n", message.text, assembly.message.text, summary.message.text);
  dyn_assembly_clear(&assembly);
  dyn_run_summary_clear(&summary);
  free(p);
  free(x);
  return status == DYN_DONE ? 0 : 1;
}
