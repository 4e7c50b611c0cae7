/* Whole runs of the double pendulum: dyn's runtime against the tightest loop by hand and against
 * SUNDIALS.
 *
 *   runs MODEL ANGLE UNTIL TOLERANCE
 *
 * Both rods start at ANGLE rad from the downward vertical, at rest. Prints ms of: dyn (dop853) with
 * the generated step, and without it, by the loops of its runtime; the same method by hand (rk.c)
 * over the right-hand side by hand; CVODE's Adams method over that, at the loosest tolerance (a
 * power of 10^(1/4)) with which its error at the end is not larger than dyn's (with
 * -DWITH_SUNDIALS, else 0); dyn's Taylor series at a tolerance of 1e-15. Then the errors at the end
 * of dyn, of the loop by hand and of CVODE: the largest difference to the Taylor series, which by
 * dyn's run of dop853 at 1e-15 is the last error; CVODE's tolerance; ms to compile the series. No
 * rows are written. */
#include "bench.h"
#include <dyn/dyn_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef WITH_SUNDIALS
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
static int cvode_rhs(realtype t, N_Vector x, N_Vector rate, void *user) {
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
  CVodeInit(solver, cvode_rhs, 0, state);
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
#endif

static double difference(const double *a, const double *b) {
  double largest = 0;
  for (int i = 0; i < STATES; i++) largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

#ifdef WITH_SUNDIALS
/* Tightens CVODE's tolerance until its error is not larger; it ends at what CVODE can do. */
static void match_error(struct run *cvode, const double *x, const double *exact, double error) {
  double out[STATES];
  for (; cvode->tolerance > 1e-15; cvode->tolerance *= pow(10, -0.25)) {
    run_cvode(cvode, x, out);
    if (difference(out, exact) <= error) return;
  }
}
#endif

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
  double x[STATES] = {atof(arguments[2]), atof(arguments[2])}, out[5][STATES] = {{0}};
  double exact[STATES], check[STATES];
  run_dyn(&taylor, x, exact);
  run_dyn(&other, x, check);
  run_dyn(&dyn, x, out[0]);
  struct candidate candidates[] = {{"dyn", run_dyn, &dyn, x, out[0], 0},
                                   {"loops", run_dyn, &by_loops, x, out[1], 0},
                                   {"rk", run_by_hand, &dyn, x, out[2], 0},
#ifdef WITH_SUNDIALS
                                   {"cvode", run_cvode, &cvode, x, out[3], 0},
                                   {"taylor", run_dyn, &taylor, x, out[4], 0}};
  match_error(&cvode, x, exact, difference(out[0], exact));
#else
                                   {"cvode", run_by_hand, NULL, NULL, out[3], 0},
                                   {"taylor", run_dyn, &taylor, x, out[4], 0}};
#endif
  bench_measure(candidates, 5, ROUNDS, 1e-2);
  for (int k = 0; k < 5; k++)
    if (candidates[k].self != NULL) candidates[k].evaluate(candidates[k].self, x, out[k]);
  for (int k = 0; k < 5; k++) printf("%.3f ", 1e-6 * candidates[k].ns);
  printf("%.1e %.1e %.1e %.1e %.1e %.0f\n", difference(out[0], exact), difference(out[2], exact),
         difference(out[3], exact), cvode.tolerance, difference(check, exact), compile);
  return 0;
}
