/* Timing of candidates side by side, and compiled models as candidates. */
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void call(struct candidate *c, long calls) {
  for (long i = 0; i < calls; i++) {
    c->x[0] += i % 2 == 0 ? 1e-12 : -1e-12;
    c->evaluate(c->self, c->x, c->out);
  }
}

/* How many calls take at least `seconds`. */
static long calls_of_round(struct candidate *c, double seconds) {
  for (long calls = 2;; calls *= 2) {
    double started = bench_now();
    call(c, calls);
    if (bench_now() - started >= seconds) return calls;
  }
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void bench_measure(struct candidate *candidates, size_t count, int rounds, double seconds) {
  size_t size = (size_t)rounds;
  double *ns = calloc(count * size + 1, sizeof *ns);
  long *calls = calloc(count + 1, sizeof *calls);
  for (size_t k = 0; k < count; k++)
    if (candidates[k].self != NULL) calls[k] = calls_of_round(&candidates[k], seconds);
  for (size_t round = 0; round < size; round++)
    for (size_t k = 0; k < count; k++) {
      if (candidates[k].self == NULL) continue;
      double started = bench_now();
      call(&candidates[k], calls[k]);
      ns[k * size + round] = 1e9 * (bench_now() - started) / (double)calls[k];
    }
  for (size_t k = 0; k < count; k++) {
    qsort(ns + k * size, size, sizeof *ns, compare);
    candidates[k].ns = ns[k * size + size / 2];
  }
  free(ns);
  free(calls);
}

/* Kept apart, so that a profiler can be told to count here only. */
__attribute__((noinline)) static void bench_counted(struct candidate *candidate, int calls) {
  for (int i = 0; i < calls; i++)
    candidate->evaluate(candidate->self, candidate->x, candidate->out);
}

void bench_count(struct candidate *candidate, int calls) {
  candidate->evaluate(candidate->self, candidate->x, candidate->out); /* binds symbols */
  bench_counted(candidate, calls);
}

/* ---- compiled models */

static double *doubles(int32_t count) {
  return calloc((size_t)count + 1, sizeof(double));
}

struct compiled compiled_new(const char *path, int n, dyn_engine engine) {
  dyn_compiler *compiler = dyn_compiler_new(); /* kept until the program ends */
  char set[32];
  snprintf(set, sizeof set, "n = %d", n);
  dyn_compiler_add_file(compiler, path);
  if (n > 0) dyn_compiler_override(compiler, DYN_OVERRIDE_SET, set);
  const dyn_model *model = dyn_compiler_model(compiler, engine);
  if (model == NULL) {
    fputs(dyn_compiler_diagnostics(compiler, DYN_DIAGNOSTICS_TEXT), stderr);
    exit(1);
  }
  struct compiled c = {compiler,
                       model,
                       doubles(model->n_state),
                       doubles(model->n_inputs),
                       doubles(model->n_parameters),
                       doubles(model->n_work)};
  double *unset = doubles(model->n_parameters);
  model->complete_parameters(model, 0, unset, NULL, unset, c.work, c.p);
  free(unset);
  if (model->n_inputs > 0) model->default_inputs(model, 0, NULL, NULL, c.p, c.work, c.u);
  model->start(model, 0, NULL, c.u, c.p, c.work, c.x);
  return c;
}

void compiled_evaluate(void *compiled, const double *x, double *out) {
  const struct compiled *c = compiled;
  c->model->rhs(c->model, 0, x, c->u, c->p, c->work, out);
}
