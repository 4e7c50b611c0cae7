/* Taylor series: those of the interpreter, of machine code and of a shared library are the same to
 * the last bit, and so are whole runs by them; a run by Taylor series ends where one by dop853
 * ends, which is another method. taylor MODEL.dyn METHOD ("-": the default) DIFFERENCE [MODEL.so]:
 * the difference that is allowed, over the largest entry of the end state's half; "none" of models
 * without a series; above 1e-9 dop853 has a tolerance of
 * 1e-10, else both have 1e-14. */
#include <dlfcn.h>
#include <dyn/dyn.h>
#include <dyn/dyn_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *array(size_t count) {
  return calloc(count + 1, sizeof(double));
}

/* x: the assembled start. */
static void find_start(const dyn_model *model, double *p, double *x, dyn_run_options *options) {
  dyn_message message = {""};
  dyn_assembly assembly = {0};
  dyn_problem problem = {.model = model, .p = p};
  if (dyn_parameters_complete(model, p, NULL, &message) != DYN_DONE ||
      dyn_run_options_init(model, p, options, &message) != DYN_DONE ||
      dyn_start_values(&problem, options->from, x, &message) != DYN_DONE ||
      dyn_start_assemble(&problem, options->from, x, &assembly) != DYN_DONE) {
    fprintf(stderr, "no start: %s\n", message.text);
    exit(1);
  }
  dyn_assembly_clear(&assembly);
}

/* All orders of the series at the start. */
static double *series(const dyn_model *model, int *answer) {
  dyn_run_options options;
  size_t n = (size_t)model->n_state, inputs = (size_t)model->n_inputs;
  double *p = array((size_t)model->n_parameters), *x = array(n), *u = array(inputs);
  double *work = array((size_t)model->n_work), *follows = array(inputs);
  double *y = array(n), *out = array((DYN_TAYLOR_MOST_ORDER + 1) * n);
  find_start(model, p, x, &options);
  for (size_t i = 0; i < inputs; i++) follows[i] = 1;
  if (model->default_inputs != NULL)
    model->default_inputs(model, options.from, NULL, NULL, p, work, u);
  memcpy(y, x, n * sizeof *y);
  if (model->method_state != NULL) model->method_state(model, options.from, x, u, p, work, y);
  for (int32_t i = 0; i < model->n_work; i++) work[i] = NAN; /* holds nothing between calls */
  *answer =
      model->taylor(model, DYN_TAYLOR_MOST_ORDER, 0.01, options.from, y, u, follows, p, work, out);
  free(p);
  free(x);
  free(u);
  free(work);
  free(follows);
  free(y);
  return out;
}

static double *run(const dyn_model *model, const char *integrator, double tolerance,
                   dyn_run_summary *summary) {
  dyn_run_options options;
  double *p = array((size_t)model->n_parameters), *x = array((size_t)model->n_state);
  dyn_problem problem = {.model = model, .p = p};
  find_start(model, p, x, &options);
  options.until = fmin(options.until, options.from + 1);
  options.every = 0;
  options.instants = 10;
  options.tolerance = tolerance;
  options.absolute = 0;
  options.integrator = integrator;
  dyn_run(&problem, &options, NULL, NULL, x, summary);
  if (summary->status != DYN_DONE) fprintf(stderr, "%s: %s\n", integrator, summary->message.text);
  free(p);
  return x;
}

static int is_same(const char *what, const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (memcmp(&a[i], &b[i], sizeof *a) == 0) continue;
    fprintf(stderr, "%s: entry %zu is %.17g, of the interpreter %.17g\n", what, i, b[i], a[i]);
    return 0;
  }
  return 1;
}

/* The number of faults of a form of the model against the interpreter's. */
static int compare(const char *what, const dyn_model *interpreted, const dyn_model *model) {
  dyn_run_summary summary[2] = {{0}, {0}};
  int answer[2];
  size_t n = (size_t)interpreted->n_state;
  if (model == NULL || model->taylor == NULL) {
    fprintf(stderr, "%s has no series\n", what);
    return 1;
  }
  double *a = series(interpreted, &answer[0]), *b = series(model, &answer[1]);
  int faults = answer[0] != answer[1] ||
               (answer[0] == 0 && !is_same(what, a, b, (DYN_TAYLOR_MOST_ORDER + 1) * n));
  free(a);
  free(b);
  a = run(interpreted, "taylor", 1e-14, &summary[0]);
  b = run(model, "taylor", 1e-14, &summary[1]);
  faults += !is_same(what, a, b, n) || summary[0].steps != summary[1].steps;
  free(a);
  free(b);
  for (int i = 0; i < 2; i++) dyn_run_summary_clear(&summary[i]);
  return faults;
}

/* Largest difference of the ends of runs by two methods, over the largest entry of the same half.
 */
static double distance(const dyn_model *model, double tolerance) {
  dyn_run_summary summary[2] = {{0}, {0}};
  double *a = run(model, "taylor", 1e-14, &summary[0]), largest = 0;
  double *b = run(model, "dop853", tolerance, &summary[1]);
  int32_t n = model->n_coordinates;
  for (int32_t begin = 0, end; begin < model->n_state; begin = end) {
    double size = 1, difference = 0;
    end = begin < 2 * n ? begin + n : model->n_state;
    for (int32_t i = begin; i < end; i++) {
      size = fmax(size, fabs(b[i]));
      difference = fmax(difference, fabs(a[i] - b[i]));
    }
    largest = fmax(largest, difference / size);
  }
  printf("%s: %lld steps, %s: %lld steps; difference %.1e\n", summary[0].integrator,
         (long long)summary[0].steps, summary[1].integrator, (long long)summary[1].steps, largest);
  int is_good = !strcmp(summary[0].integrator, "taylor") && summary[0].status == DYN_DONE;
  free(a);
  free(b);
  for (int i = 0; i < 2; i++) dyn_run_summary_clear(&summary[i]);
  return is_good ? largest : HUGE_VAL;
}

int main(int count, char **arguments) {
  if (count != 4 && count != 5) return 2;
  dyn_compiler *compilers[2];
  const dyn_model *models[2];
  for (int i = 0; i < 2; i++) {
    compilers[i] = dyn_compiler_new();
    dyn_compiler_add_file(compilers[i], arguments[1]);
    dyn_compiler_derive(compilers[i], strcmp(arguments[2], "-") == 0 ? NULL : arguments[2]);
    dyn_compiler_model(compilers[i], i == 0 ? DYN_ENGINE_INTERPRETER : DYN_ENGINE_JIT);
    models[i] = dyn_compiler_steps(compilers[i], "taylor");
    if (models[i] == NULL) return 1;
  }
  int faults = 0;
  if (models[0]->taylor == NULL) {
    printf("no series\n");
    faults = strcmp(arguments[3], "none") != 0 || models[1]->taylor != NULL;
  } else {
    faults = compare("machine code", models[0], models[1]);
    double off = distance(models[1], atof(arguments[3]) > 1e-9 ? 1e-10 : 1e-14);
    faults += !(off <= atof(arguments[3]));
  }
  if (count == 5) {
    void *library = dlopen(arguments[4], RTLD_NOW);
    faults +=
        compare("the library", models[0], library != NULL ? dlsym(library, "test_model") : NULL);
    if (library != NULL) dlclose(library);
  }
  for (int i = 0; i < 2; i++) dyn_compiler_free(compilers[i]);
  return faults > 0;
}
