/* Smooth motions by the explicit method with its steps as machine code, and by SUNDIALS (adams;
 * with constraints ida), which shares nothing with it but the right sides: integrators MODEL.dyn.
 * Both go at tolerances of 1e-8 and 1e-10. How far the state at the end moves from one to the other
 * is about the error of the looser run, so that the tighter ones, a hundred times better, must
 * agree within the sum of both moves, however much the motion enlarges errors. */
#include <dyn/dyn.h>
#include <dyn/dyn_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOOSE, TIGHT };
static const double tolerances[] = {1e-8, 1e-10};
#define ROUNDING 1e-13

static double *array(int32_t count) {
  return calloc((size_t)count + 1, sizeof(double));
}

/* The state after at most 2 s from the model's own start state; NULL, with a word, on failure. */
static double *run(const dyn_model *model, const char *integrator, double tolerance) {
  dyn_message message = {""};
  dyn_run_options options;
  dyn_assembly assembly = {0};
  dyn_run_summary summary = {0};
  double *p = array(model->n_parameters), *x = array(model->n_state);
  dyn_problem problem = {.model = model, .p = p};
  int is_good = dyn_parameters_complete(model, p, NULL, &message) == DYN_DONE &&
                dyn_run_options_init(model, p, &options, &message) == DYN_DONE &&
                dyn_start_values(&problem, options.from, x, &message) == DYN_DONE &&
                dyn_start_assemble(&problem, options.from, x, &assembly) == DYN_DONE;
  dyn_assembly_clear(&assembly);
  if (is_good) {
    options.until = fmin(options.until, options.from + 2);
    options.every = options.absolute = options.step = 0;
    options.instants = 1;
    options.tolerance = tolerance;
    options.integrator = integrator;
    is_good = dyn_run(&problem, &options, NULL, NULL, x, &summary) == DYN_DONE;
    message = summary.message;
  }
  dyn_run_summary_clear(&summary);
  free(p);
  if (is_good) return x;
  fprintf(stderr, "%s at %g: %s\n", integrator, tolerance, message.text);
  free(x);
  return NULL;
}

static double difference(const dyn_model *model, const double *a, const double *b) {
  double largest = 0;
  for (int32_t i = 0; i < model->n_state; i++) {
    double off = fabs(a[i] - b[i]) / fmax(1, fabs(a[i]));
    if (!(off <= largest)) largest = off;
  }
  return largest;
}

static int compare(const dyn_model *model) {
  const char *other = model->n_constraints > 0 ? "ida" : "adams";
  double *ours[2], *theirs[2];
  int has_all = 1;
  for (int k = 0; k < 2; k++) {
    ours[k] = run(model, "dop853", tolerances[k]);
    theirs[k] = run(model, other, tolerances[k]);
    has_all = has_all && ours[k] && theirs[k];
  }
  int agree = 0;
  if (has_all) {
    double moved = difference(model, ours[LOOSE], ours[TIGHT]);
    double other_moved = difference(model, theirs[LOOSE], theirs[TIGHT]);
    double off = difference(model, ours[TIGHT], theirs[TIGHT]);
    agree = off <= moved + other_moved + ROUNDING;
    printf("dop853 moves by %.2g, %s by %.2g; they are %.2g apart\n", moved, other, other_moved,
           off);
  }
  for (int k = 0; k < 2; k++) {
    free(ours[k]);
    free(theirs[k]);
  }
  return agree;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  dyn_compiler *compiler = dyn_compiler_new();
  dyn_compiler_add_file(compiler, arguments[1]);
  const dyn_model *model = NULL;
  if (dyn_compiler_model(compiler, DYN_ENGINE_JIT) != NULL)
    model = dyn_compiler_steps(compiler, "dop853");
  if (model == NULL) fprintf(stderr, "no model\n");
  if (model != NULL && model->n_events > 0) fprintf(stderr, "the model has events\n");
  int agree = model != NULL && model->n_events == 0 && compare(model);
  dyn_compiler_free(compiler);
  return !agree;
}
