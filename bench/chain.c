/* Time of one right-hand side of the chain of n point masses: the object file that `dyn build` made
 * of examples/chain.dyn against C written by hand, with the closed form of the mass matrix and an
 * L D L^T factorisation. Prints: n, ns of dyn, ns by hand, ratio, largest relative difference. */
#include "chain.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct chain {
  int n;
  double m, l, g;
  double *matrix, *s, *c, *b; /* n*n, n, n, n */
};

/* In place: L below the diagonal, D on it; then b becomes the solution. */
static void solve(int n, double *restrict a, double *restrict b) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) {
      double f = a[j * n + k] * a[k * n + k];
      for (int i = j; i < n; i++) a[i * n + j] -= a[i * n + k] * f;
    }
    double inverse = 1 / a[j * n + j];
    for (int i = j + 1; i < n; i++) a[i * n + j] *= inverse;
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
  for (int i = 0; i < n; i++) b[i] /= a[i * n + i];
  for (int i = n - 1; i >= 0; i--)
    for (int k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
}

static void rhs_by_hand(struct chain *chain, const double *x, double *out) {
  int n = chain->n;
  const double *v = x + n;
  double ml2 = chain->m * chain->l * chain->l, mgl = chain->m * chain->g * chain->l;
  for (int i = 0; i < n; i++) {
    chain->s[i] = sin(x[i]);
    chain->c[i] = cos(x[i]);
    chain->b[i] = -(n - i) * mgl * chain->s[i];
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double factor = (n - i) * ml2;
      double sine = factor * (chain->s[i] * chain->c[j] - chain->c[i] * chain->s[j]);
      chain->matrix[i * n + j] = factor * (chain->c[i] * chain->c[j] + chain->s[i] * chain->s[j]);
      chain->b[i] -= sine * v[j] * v[j];
      if (j < i) chain->b[j] += sine * v[i] * v[i];
    }
  }
  solve(n, chain->matrix, chain->b);
  memcpy(out, v, (size_t)n * sizeof *out);
  memcpy(out + n, chain->b, (size_t)n * sizeof *out);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

struct case_ {
  const dyn_model *model; /* NULL: by hand */
  struct chain *chain;
  const double *p;
  double *x, *work, *out;
};

static void evaluate(const struct case_ *c) {
  if (c->model == NULL) rhs_by_hand(c->chain, c->x, c->out);
  else c->model->rhs(c->model, 0, c->x, NULL, c->p, c->work, c->out);
}

/* The best of several rounds of at least 20 ms each, in ns a call. */
static double measure(const struct case_ *c) {
  double best = 1e300;
  for (int round = 0; round < 7; round++) {
    long calls = 0;
    double started = now(), spent = 0;
    for (long batch = 16; spent < 2e7; batch *= 2) {
      for (long i = 0; i < batch; i++) {
        c->x[0] += 1e-9; /* so that no call can be left out */
        evaluate(c);
      }
      calls += batch;
      spent = now() - started;
    }
    if (spent / (double)calls < best) best = spent / (double)calls;
  }
  return best;
}

int main(void) {
  const dyn_model *model = &chain_model;
  size_t n = (size_t)model->n_coordinates;
  double *p = calloc(16, sizeof *p), *unset = calloc(16, sizeof *p);
  double *x = calloc(2 * n, sizeof *x), *work = calloc((size_t)model->n_work + 1, sizeof *work);
  double *first = calloc(2 * n, sizeof *x), *second = calloc(2 * n, sizeof *x);
  struct chain chain = {(int)n, 1, 0.1, 9.81, calloc(n * n, sizeof *x), calloc(n, sizeof *x),
                        calloc(n, sizeof *x), calloc(n, sizeof *x)};
  model->complete_parameters(model, 0, unset, NULL, unset, work, p);
  model->start(model, 0, NULL, NULL, p, work, x);
  for (size_t i = 0; i < n; i++) x[n + i] = 1 - 0.05 * (double)i;
  struct case_ compiled = {model, NULL, p, x, work, first}, hand = {NULL, &chain, p, x, work, second};
  evaluate(&compiled);
  evaluate(&hand);
  double difference = 0, largest = 0;
  for (size_t i = 0; i < 2 * n; i++) {
    difference = fmax(difference, fabs(first[i] - second[i]));
    largest = fmax(largest, fabs(second[i]));
  }
  double a = measure(&compiled), b = measure(&hand);
  printf("%4zu %12.0f %12.0f %8.2f %12.1e\n", n, a, b, a / b, difference / largest);
  return difference <= 1e-6 * largest ? 0 : 1;
}
