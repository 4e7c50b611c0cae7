/* Steps of integrators as machine code give the numbers of the loops that are their reference, to
 * the last bit: rows, the state at the end, and what the summary counts. steps MODEL.dyn METHOD
 * ("-": the default) [MODEL.so]: of the JIT, and of a shared library that `dyn build --steps all`
 * wrote. */
#include <dlfcn.h>
#include <dyn/dyn.h>
#include <dyn/dyn_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 150, MOST_ROWS = 1000 }; /* intervals asked for; with rows at events */

struct kept { /* the rows of a run */
  double *values;
  int64_t rows;
  int32_t width;
};

static int keep_row(void *user, const dyn_row *row) {
  struct kept *kept = user;
  if (kept->rows == MOST_ROWS) return 1;
  double *to = kept->values + kept->rows++ * (kept->width + 1);
  to[0] = row->t;
  memcpy(to + 1, row->x, (size_t)kept->width * sizeof *to);
  return 0;
}

static double *array(int32_t count) {
  return calloc((size_t)count + 1, sizeof(double));
}

static dyn_step_function *step_of(const dyn_model *model, const char *integrator) {
  return strcmp(integrator, "dopri5") == 0   ? model->dopri5
         : strcmp(integrator, "dop853") == 0 ? model->dop853
                                             : model->rk4;
}

/* A run of at most 2 s from the model's own start state; its end goes to x. */
static dyn_status run(const dyn_model *model, const char *integrator, double tolerance, double *x,
                      struct kept *kept, dyn_run_summary *summary) {
  dyn_message message = {""};
  dyn_run_options options;
  dyn_assembly assembly = {0};
  double *p = array(model->n_parameters);
  dyn_problem problem = {.model = model, .p = p};
  dyn_sink sink = {.user = kept, .row = keep_row};
  if (dyn_parameters_complete(model, p, NULL, &message) != DYN_DONE ||
      dyn_run_options_init(model, p, &options, &message) != DYN_DONE ||
      dyn_start_values(&problem, options.from, x, &message) != DYN_DONE ||
      dyn_start_assemble(&problem, options.from, x, &assembly) != DYN_DONE) {
    fprintf(stderr, "no start: %s\n", message.text);
    exit(1);
  }
  dyn_assembly_clear(&assembly);
  options.until = fmin(options.until, options.from + 2);
  options.every = 0;
  options.instants = ROWS;
  options.tolerance = tolerance;
  options.absolute = 0;
  options.step = strcmp(integrator, "rk4") == 0 ? 1e-3 : 0;
  options.integrator = integrator;
  dyn_run(&problem, &options, &sink, NULL, x, summary);
  free(p);
  return summary->status;
}

/* The same run with and without generated steps; the number of faults. */
static int compare(const dyn_model *model, const char *integrator, double tolerance) {
  dyn_model loops = *model;
  loops.dopri5 = loops.dop853 = loops.dop853_dense = loops.rk4 = NULL;
  const dyn_model *models[2] = {&loops, model};
  struct kept kept[2];
  dyn_run_summary summary[2] = {{0}, {0}};
  double *x[2];
  int32_t n = model->n_state;
  if (step_of(model, integrator) == NULL) {
    fprintf(stderr, "%s: the model has no step\n", integrator);
    return 1;
  }
  for (int k = 0; k < 2; k++) {
    x[k] = array(n);
    kept[k] = (struct kept){array(MOST_ROWS * (n + 1)), 0, n};
    run(models[k], integrator, tolerance, x[k], &kept[k], &summary[k]);
  }
  size_t size = (size_t)(kept[0].rows * (n + 1)) * sizeof(double);
  int is_same = summary[0].status == summary[1].status && kept[0].rows == kept[1].rows &&
                memcmp(kept[0].values, kept[1].values, size) == 0 &&
                memcmp(x[0], x[1], (size_t)n * sizeof(double)) == 0 &&
                summary[0].steps == summary[1].steps &&
                summary[0].rejected_steps == summary[1].rejected_steps &&
                strcmp(summary[0].message.text, summary[1].message.text) == 0;
  printf("%s %g: %lld steps (%lld rejected), %lld rows%s%s%s\n", integrator, tolerance,
         (long long)summary[1].steps, (long long)summary[1].rejected_steps, (long long)kept[1].rows,
         is_same ? "" : ": not those of the loops", summary[1].message.text[0] ? ": " : "",
         summary[1].message.text);
  for (int k = 0; k < 2; k++) {
    free(x[k]);
    free(kept[k].values);
    dyn_run_summary_clear(&summary[k]);
  }
  return !is_same;
}

static int compare_all(const dyn_model *model) {
  return compare(model, "dopri5", 1e-4) + compare(model, "dopri5", 1e-7) +
         compare(model, "dop853", 1e-6) + compare(model, "dop853", 1e-10) +
         compare(model, "rk4", 1e-8);
}

int main(int count, char **arguments) {
  if (count != 3 && count != 4) return 2;
  const char *method = strcmp(arguments[2], "-") == 0 ? NULL : arguments[2];
  dyn_compiler *compiler = dyn_compiler_new();
  dyn_compiler_add_file(compiler, arguments[1]);
  const dyn_model *model = NULL;
  if (dyn_compiler_derive(compiler, method) == 0 &&
      dyn_compiler_model(compiler, DYN_ENGINE_JIT) != NULL &&
      dyn_compiler_steps(compiler, "dop853") != NULL)
    model = dyn_compiler_steps(compiler, "all");
  if (model == NULL) {
    fprintf(stderr, "no model\n");
    return 1;
  }
  int faults = compare_all(model);
  if (count == 4) {
    void *library = dlopen(arguments[3], RTLD_NOW);
    const dyn_model *built = library != NULL ? dlsym(library, "test_model") : NULL;
    if (built == NULL) fprintf(stderr, "no library\n");
    faults += built == NULL ? 1 : compare_all(built);
    if (library != NULL) dlclose(library);
  }
  dyn_compiler_free(compiler);
  return faults > 0;
}
