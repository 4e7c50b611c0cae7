/* Whole runs of the double pendulum: dyn's runtime against the tightest loop by hand and against
 * SUNDIALS.
 *
 *   runs MODEL ANGLE UNTIL TOLERANCE
 *
 * Both rods start at ANGLE rad from the downward vertical, at rest. Prints ms of: dyn (dop853) with
 * the generated step, and without it, by the loops of its runtime; the same method by hand (rk.c)
 * over the right-hand side by hand; CVODE's Adams method and ARKODE's explicit one of order 8 over
 * that, at the loosest tolerance (a power of 10^(1/4)) with which the error at the end is not
 * larger than dyn's (with -DWITH_SUNDIALS, else 0); dyn's Taylor series at a tolerance of 1e-15.
 * Then the errors at the end of dyn, of the loop by hand, of CVODE and of ARKODE: the largest
 * difference to the Taylor series, which by dyn's run of dop853 at 1e-15 is the last error; ms to
 * compile the series. No rows are written. */
#include "bench.h"
#include <dyn/dyn_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef WITH_SUNDIALS
#include <arkode/arkode_arkstep.h>
#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

enum { ROUNDS = 5, STATES = 4 };

struct run {
  const dyn_model *model; /* of dyn */
  const double *p;
  const char *integrator;
  double until, tolerance;
};

static void run_dyn(void *self, const double *x, double *out) {
  struct run *run = self;
  dyn_problem problem = {.model = run->model, .p = run->p};
  dyn_run_options options;
  dyn_run_summary summary = {0};
  dyn_run_options_init(run->model, run->p, &options, NULL);
  options.until = run->until;
  options.every = 0;
  options.instants = 1;
  options.tolerance = options.absolute = run->tolerance;
  options.integrator = run->integrator;
  memcpy(out, x, STATES * sizeof *out);
  if (dyn_run(&problem, &options, NULL, NULL, out, &summary) != DYN_DONE)
    fprintf(stderr, "dyn: %s\n", summary.message.text);
  dyn_run_summary_clear(&summary);
}

/* Masses 1 kg, rods 1 m, g = 9.81 m/s^2; x = both angles from the vertical, their rates. */
static void double_pendulum(void *unused, const double *x, double *out) {
  const double g = 9.81;
  double sine = sin(x[0] - x[1]), cosine = cos(x[0] - x[1]);
  double first = -x[3] * x[3] * sine - 2 * g * sin(x[0]);
  double second = x[2] * x[2] * sine - g * sin(x[1]);
  double determinant = 2 - cosine * cosine;
  (void)unused;
  out[0] = x[2];
  out[1] = x[3];
  out[2] = (first - cosine * second) / determinant;
  out[3] = (2 * second - cosine * first) / determinant;
}

static void run_by_hand(void *self, const double *x, double *out) {
  struct run *run = self;
  memcpy(out, x, STATES * sizeof *out);
  rk_run(double_pendulum, NULL, STATES, run->until, run->tolerance, out);
}

#ifdef WITH_SUNDIALS
static int sundials_rhs(realtype t, N_Vector x, N_Vector rate, void *user) {
  (void)t;
  double_pendulum(user, N_VGetArrayPointer(x), N_VGetArrayPointer(rate));
  return 0;
}

static void run_cvode(void *self, const double *x, double *out) {
  struct run *run = self;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  memcpy(out, x, STATES * sizeof *out);
  N_Vector state = N_VMake_Serial(STATES, out, context);
  void *solver = CVodeCreate(CV_ADAMS, context);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(state, 0, context);
  CVodeInit(solver, sundials_rhs, 0, state);
  CVodeSStolerances(solver, run->tolerance, run->tolerance);
  CVodeSetMaxNumSteps(solver, 10000000);
  CVodeSetNonlinearSolver(solver, iteration);
  realtype reached;
  if (CVode(solver, run->until, state, &reached, CV_NORMAL) < 0) fprintf(stderr, "CVODE failed\n");
  SUNNonlinSolFree(iteration);
  CVodeFree(&solver);
  N_VDestroy(state);
  SUNContext_Free(&context);
}

/* Fehlberg's pair of orders 7 and 8: the highest that ARKODE has. */
static void run_arkode(void *self, const double *x, double *out) {
  struct run *run = self;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  memcpy(out, x, STATES * sizeof *out);
  N_Vector state = N_VMake_Serial(STATES, out, context);
  void *solver = ARKStepCreate(sundials_rhs, NULL, 0, state, context);
  ARKStepSetTableNum(solver, ARKODE_DIRK_NONE, ARKODE_FEHLBERG_13_7_8);
  ARKStepSStolerances(solver, run->tolerance, run->tolerance);
  ARKStepSetMaxNumSteps(solver, 10000000);
  realtype reached;
  if (ARKStepEvolve(solver, run->until, state, &reached, ARK_NORMAL) < 0)
    fprintf(stderr, "ARKODE failed\n");
  ARKStepFree(&solver);
  N_VDestroy(state);
  SUNContext_Free(&context);
}
#endif

static double difference(const double *a, const double *b) {
  double largest = 0;
  for (int i = 0; i < STATES; i++) largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

/* Tightens a tolerance until the error is not larger; it ends at what the method can do. */
static void match_error(const struct candidate *candidate, const double *exact, double error) {
  struct run *run = candidate->self;
  for (; run != NULL && run->tolerance > 1e-15; run->tolerance *= pow(10, -0.25)) {
    candidate->evaluate(run, candidate->x, candidate->out);
    if (difference(candidate->out, exact) <= error) return;
  }
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  struct compiled compiled = compiled_new(arguments[1], 0, DYN_ENGINE_JIT);
  const dyn_model *steps = dyn_compiler_steps(compiled.compiler, "dop853");
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const dyn_model *series = dyn_compiler_steps(compiled.compiler, "taylor");
  clock_gettime(CLOCK_MONOTONIC, &end);
  double compile =
      1e3 * (double)(end.tv_sec - begin.tv_sec) + 1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
  struct run dyn = {steps, compiled.p, "dop853", atof(arguments[3]), atof(arguments[4])};
  struct run other = dyn, by_loops = dyn, cvode = dyn;
  struct run taylor = {series, compiled.p, "taylor", dyn.until, 1e-15};
  by_loops.model = compiled.model;
  other.tolerance = 1e-15;
  cvode.tolerance = 1e-6;
  struct run arkode = cvode;
  enum { DYN, LOOPS, HAND, CVODE, ARKODE, TAYLOR, CANDIDATES };
  double x[STATES] = {atof(arguments[2]), atof(arguments[2])}, out[CANDIDATES][STATES] = {{0}};
  double exact[STATES], check[STATES];
  struct candidate candidates[CANDIDATES] = {
      [DYN] = {"dyn", run_dyn, &dyn, x, out[DYN], 0},
      [LOOPS] = {"loops", run_dyn, &by_loops, x, out[LOOPS], 0},
      [HAND] = {"rk", run_by_hand, &dyn, x, out[HAND], 0},
#ifdef WITH_SUNDIALS
      [CVODE] = {"cvode", run_cvode, &cvode, x, out[CVODE], 0},
      [ARKODE] = {"arkode", run_arkode, &arkode, x, out[ARKODE], 0},
#endif
      [TAYLOR] = {"taylor", run_dyn, &taylor, x, out[TAYLOR], 0}};
  run_dyn(&taylor, x, exact);
  run_dyn(&other, x, check);
  run_dyn(&dyn, x, out[DYN]);
  match_error(&candidates[CVODE], exact, difference(out[DYN], exact));
  match_error(&candidates[ARKODE], exact, difference(out[DYN], exact));
  bench_measure(candidates, CANDIDATES, ROUNDS, 1e-2);
  for (int k = 0; k < CANDIDATES; k++)
    if (candidates[k].self != NULL) candidates[k].evaluate(candidates[k].self, x, out[k]);
  for (int k = 0; k < CANDIDATES; k++) printf("%.3f ", 1e-6 * candidates[k].ns);
  printf("%.1e %.1e %.1e %.1e %.1e %.0f\n", difference(out[DYN], exact),
         difference(out[HAND], exact), difference(out[CVODE], exact),
         difference(out[ARKODE], exact), difference(check, exact), compile);
  return 0;
}
