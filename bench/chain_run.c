/* Whole runs of the chain: dyn's runtime on a model compiled into the process, against loops by
 * hand.
 *
 *   chain_run MODEL N UNTIL
 *
 * prints N, then ms of: dyn (integrator dop853), the same method by hand over the dense right-hand
 * side by hand, the same over the tensions, and (with -DWITH_SUNDIALS, else 0) CVODE's Adams method
 * over the dense one; then the largest relative difference at the end between dyn and the loop by
 * hand. No rows are written. */
#include "bench.h"
#include <dyn/dyn_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_SUNDIALS
#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

enum { ROUNDS = 5 };
static const double tolerance = 1e-9;

struct run {
  struct compiled compiled; /* of dyn */
  chain_function *rhs;      /* or by hand */
  struct chain chain;
  double until;
};

static void run_dyn(void *self, const double *x, double *out) {
  struct run *run = self;
  const dyn_model *model = run->compiled.model;
  dyn_problem problem = {.model = model, .p = run->compiled.p};
  dyn_run_options options;
  dyn_run_summary summary = {0};
  dyn_run_options_init(model, run->compiled.p, &options, NULL);
  options.until = run->until;
  options.every = 0;
  options.instants = 1;
  options.tolerance = options.absolute = tolerance;
  options.integrator = "dop853";
  memcpy(out, x, (size_t)model->n_state * sizeof *out);
  if (dyn_run(&problem, &options, NULL, NULL, out, &summary) != DYN_DONE)
    fprintf(stderr, "dyn: %s\n", summary.message.text);
  dyn_run_summary_clear(&summary);
}

static void run_by_hand(void *self, const double *x, double *out) {
  struct run *run = self;
  memcpy(out, x, 2 * (size_t)run->chain.n * sizeof *out);
  rk_run(run->rhs, &run->chain, 2 * run->chain.n, run->until, tolerance, out);
}

#ifdef WITH_SUNDIALS
static int cvode_rhs(realtype t, N_Vector x, N_Vector rate, void *user) {
  struct run *run = user;
  (void)t;
  run->rhs(&run->chain, N_VGetArrayPointer(x), N_VGetArrayPointer(rate));
  return 0;
}

static void run_cvode(void *self, const double *x, double *out) {
  struct run *run = self;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  memcpy(out, x, 2 * (size_t)run->chain.n * sizeof *out);
  N_Vector state = N_VMake_Serial(2 * run->chain.n, out, context);
  void *solver = CVodeCreate(CV_ADAMS, context);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(state, 0, context);
  CVodeInit(solver, cvode_rhs, 0, state);
  CVodeSStolerances(solver, tolerance, tolerance);
  CVodeSetUserData(solver, run);
  CVodeSetMaxNumSteps(solver, 10000000);
  CVodeSetNonlinearSolver(solver, iteration);
  realtype reached;
  if (CVode(solver, run->until, state, &reached, CV_NORMAL) < 0) fprintf(stderr, "CVODE failed\n");
  SUNNonlinSolFree(iteration);
  CVodeFree(&solver);
  N_VDestroy(state);
  SUNContext_Free(&context);
}
#endif

int main(int count, char **arguments) {
  if (count != 4) return 2;
  int n = atoi(arguments[2]);
  size_t size = 2 * (size_t)n;
  double until = atof(arguments[3]);
  struct run dyn = {compiled_new(arguments[1], n, DYN_ENGINE_JIT), NULL, {0}, until};
  struct run dense = {{0}, chain_dense, chain_new(n), until};
  struct run tensions = {{0}, chain_tensions, chain_new(n), until};
  struct candidate candidates[] = {
      {"dyn", run_dyn, &dyn, dyn.compiled.x, calloc(size, sizeof(double)), 0},
      {"rk", run_by_hand, &dense, dyn.compiled.x, calloc(size, sizeof(double)), 0},
      {"tensions", run_by_hand, &tensions, dyn.compiled.x, calloc(size, sizeof(double)), 0},
#ifdef WITH_SUNDIALS
      {"cvode", run_cvode, &dense, dyn.compiled.x, calloc(size, sizeof(double)), 0},
#else
      {"cvode", run_by_hand, NULL, NULL, NULL, 0},
#endif
  };
  bench_measure(candidates, 4, ROUNDS, 1e-3);
  double largest = 0, off = 0;
  for (size_t i = 0; i < size; i++) {
    largest = fmax(largest, fabs(candidates[1].out[i]));
    off = fmax(off, fabs(candidates[0].out[i] - candidates[1].out[i]));
  }
  printf("%d", n);
  for (int k = 0; k < 4; k++) printf(" %.3f", 1e-6 * candidates[k].ns);
  printf(" %.1e\n", off / largest);
  return 0;
}
