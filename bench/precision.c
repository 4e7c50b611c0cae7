/* Work against precision: one model by every integrator that applies to it, at tolerances from
 * 1e-4 to 1e-15 (those of fixed steps take the step that follows from the tolerance).
 *
 *   precision MODEL UNTIL [start | VALUE...]
 *
 * Errors are taken at UNTIL, against the values given (as many as the state has entries), against
 * the state at the start (of a motion that comes back), else against dop853 at a tolerance of
 * 1e-15: the largest difference of an entry, over the larger of the entry and 1. Prints a line for
 * each integrator and tolerance: error, evaluations of the right side, ms, and the time over that
 * of dop853 at the same error, from its own runs here (interpolated in logarithms; - where it has
 * none so precise). A run is given LIMIT seconds; after one that takes longer tighter tolerances
 * are left out. */
#include "bench.h"
#include <dyn/dyn_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 1.5
enum { REPEATS = 3, MOST_INTEGRATORS = 64 };
static const double tolerances[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 1e-15};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

struct result {
  int is_there;
  double error, seconds;
  int64_t evaluations;
  const char *went_on; /* the integrator in use at the end, if it was another; or NULL */
};

struct work {
  struct compiled compiled;
  const dyn_model *steps;
  double *start, *exact, *x;
  double until, began;
  volatile sig_atomic_t stop;
};

static const dyn_model *give_jacobian(void *user) {
  struct work *w = user;
  return dyn_compiler_derivatives(w->compiled.compiler);
}

static void watch(void *user, double t, const dyn_run_options *options) {
  struct work *w = user;
  (void)t;
  (void)options;
  if (bench_now() - w->began > LIMIT) w->stop = 1;
}

/* The state at the end in w->x. */
static dyn_status run_once(struct work *w, const char *integrator, double tolerance,
                           struct result *out) {
  dyn_problem problem = {.model = w->steps, .p = w->compiled.p};
  dyn_run_callbacks callbacks = {
      .user = w, .progress = watch, .stop = &w->stop, .jacobian_model = give_jacobian};
  dyn_run_summary summary = {0};
  dyn_run_options options;
  dyn_message message;
  dyn_run_options_init(w->steps, w->compiled.p, &options, &message);
  options.until = w->until;
  options.every = 0;
  options.instants = 1;
  options.tolerance = tolerance;
  options.absolute = options.max_step = options.step = 0;
  options.integrator = integrator;
  options.max_steps = INT64_MAX;
  memcpy(w->x, w->start, (size_t)w->steps->n_state * sizeof *w->x);
  w->stop = 0;
  w->began = bench_now();
  dyn_status status = dyn_run(&problem, &options, NULL, &callbacks, w->x, &summary);
  out->seconds = bench_now() - w->began;
  out->evaluations = summary.rhs_evaluations;
  out->went_on = summary.n_switches > 0 ? summary.integrator : NULL;
  dyn_run_summary_clear(&summary);
  return status;
}

static double error_of(const struct work *w) {
  double largest = 0;
  for (int32_t i = 0; i < w->steps->n_state; i++)
    largest = fmax(largest, fabs(w->x[i] - w->exact[i]) / fmax(1, fabs(w->exact[i])));
  return largest;
}

/* The least time of some runs. */
static struct result measure(struct work *w, const char *integrator, double tolerance) {
  struct result best = {0};
  for (int k = 0; k < REPEATS; k++) {
    struct result r = {0};
    if (run_once(w, integrator, tolerance, &r) != DYN_DONE) return best;
    r.error = error_of(w);
    r.is_there = 1;
    if (k == 0 || r.seconds < best.seconds) best = r;
    if (r.seconds > LIMIT / 10) break;
  }
  return best;
}

/* The time that the method of `list` takes for an error; 0: it was not measured near it. */
static double time_at(const struct result *list, double error) {
  for (int j = 0; j + 1 < TOLERANCES; j++) {
    const struct result *a = &list[j], *b = &list[j + 1];
    if (!a->is_there || !b->is_there || !(a->error >= error && b->error <= error)) continue;
    if (!(b->error > 0) || a->error == b->error) continue;
    double part = log(a->error / error) / log(a->error / b->error);
    return exp(log(a->seconds) + part * log(b->seconds / a->seconds));
  }
  return 0;
}

static void print(const char *name, const struct result *list, const struct result *basis) {
  for (int j = 0; j < TOLERANCES; j++) {
    const struct result *r = &list[j];
    if (!r->is_there) continue;
    double there = time_at(basis, r->error);
    printf("%-9s %7.0e %9.1e %10lld %10.3f ", name, tolerances[j], r->error,
           (long long)r->evaluations, 1e3 * r->seconds);
    if (there > 0)
      printf("%8.2f", r->seconds / there);
    else
      printf("%8s", "-");
    if (r->went_on) printf("  ended with %s", r->went_on);
    printf("\n");
  }
}

static void set_exact(struct work *w, int count, char **values) {
  size_t n = (size_t)w->steps->n_state;
  struct result unused;
  if (count == 1 && !strcmp(values[0], "start")) {
    memcpy(w->exact, w->start, n * sizeof *w->exact);
  } else if (count > 0) {
    for (size_t i = 0; i < n; i++) w->exact[i] = (int)i < count ? atof(values[i]) : NAN;
  } else {
    run_once(w, "dop853", 1e-15, &unused);
    memcpy(w->exact, w->x, n * sizeof *w->exact);
  }
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  struct work w = {.compiled = compiled_new(arguments[1], 0, DYN_ENGINE_JIT)};
  w.steps = dyn_compiler_steps(w.compiled.compiler, "all");
  w.until = atof(arguments[2]);
  w.start = w.compiled.x;
  w.exact = calloc((size_t)w.steps->n_state + 1, sizeof *w.exact);
  w.x = calloc((size_t)w.steps->n_state + 1, sizeof *w.x);
  dyn_problem problem = {.model = w.steps, .p = w.compiled.p};
  dyn_assembly assembly = {0};
  if (dyn_start_assemble(&problem, 0, w.start, &assembly) != DYN_DONE) return 1;
  dyn_assembly_clear(&assembly);
  set_exact(&w, count - 3, arguments + 3);
  static struct result results[MOST_INTEGRATORS][TOLERANCES];
  int basis = 0;
  for (int i = 0; i < MOST_INTEGRATORS && dyn_integrator_name(i); i++) {
    const char *name = dyn_integrator_name(i);
    dyn_message message;
    if (!strcmp(name, "dop853")) basis = i;
    if (dyn_integrator_check(&problem, name, &message) != DYN_DONE) continue;
    for (int j = 0; j < TOLERANCES; j++) {
      results[i][j] = measure(&w, name, tolerances[j]);
      if (w.stop) break;
    }
  }
  printf("%-9s %7s %9s %10s %10s %8s\n", "", "at", "error", "rates", "ms", "/dop853");
  for (int i = 0; i < MOST_INTEGRATORS && dyn_integrator_name(i); i++)
    print(dyn_integrator_name(i), results[i], results[basis]);
  return 0;
}
