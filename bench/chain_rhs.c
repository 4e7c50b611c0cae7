/* One right-hand side of the chain: models compiled by dyn (angles from the vertical, angles
 * between links, Cartesian coordinates with the rods as constraints) against C by hand.
 *
 *   chain_rhs MODELS N                       times all; prints n, then ns of each candidate
 *   chain_rhs MODELS N --count NAME CALLS    evaluates one inside bench_counted
 *
 * MODELS are the three files; "-" leaves one out (ns: 0). All are evaluated at one motion; where
 * accelerations differ the program says so and fails. */
#include "bench.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 101 };
enum { ABSOLUTE, RELATIVE, CARTESIAN, DENSE, FIXED, RECURSIVE, TENSIONS, SYMPY, CANDIDATES };

#ifdef WITH_SYMPY
chain_function chain_sympy; /* written by sympy_chain.py for one n */
#else
#define chain_sympy chain_dense
#endif

static double *state(int n) {
  return calloc(4 * (size_t)n + 1, sizeof(double));
}

/* The motion that is evaluated, in each model's own coordinates. */
static void place(int n, double l, double *absolute, double *relative, double *cartesian) {
  double x = 0, y = 0, vx = 0, vy = 0;
  for (int i = 0; i < n; i++) {
    double angle = 0.5 + 0.1 * i * (i % 2 == 0 ? 1 : -1) / (1 + 0.05 * i), rate = 1 - 0.05 * i;
    absolute[i] = angle;
    absolute[n + i] = rate;
    relative[i] = i == 0 ? angle : angle - absolute[i - 1];
    relative[n + i] = i == 0 ? rate : rate - absolute[n + i - 1];
    x += l * sin(angle);
    y -= l * cos(angle);
    vx += l * cos(angle) * rate;
    vy += l * sin(angle) * rate;
    cartesian[2 * i] = x;
    cartesian[2 * i + 1] = y;
    cartesian[2 * n + 2 * i] = vx;
    cartesian[2 * n + 2 * i + 1] = vy;
  }
}

/* From angular accelerations to those of the masses. */
static void to_cartesian(int n, double l, const double *absolute, const double *accelerations,
                         double *out) {
  double ax = 0, ay = 0;
  for (int i = 0; i < n; i++) {
    double s = sin(absolute[i]), c = cos(absolute[i]), v = absolute[n + i], a = accelerations[i];
    ax += l * (c * a - s * v * v);
    ay += l * (s * a + c * v * v);
    out[2 * i] = ax;
    out[2 * i + 1] = ay;
  }
}

static double difference(int n, const double *a, const double *b) {
  double largest = 0, size = 0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return largest / size;
}

/* Whether all agree with the accelerations that the tensions give. */
static int agree(struct candidate *c, int n, double l) {
  double *relative = state(n), *cartesian = state(n);
  int good = 1;
  for (int k = 0; k < CANDIDATES; k++)
    if (c[k].self != NULL) c[k].evaluate(c[k].self, c[k].x, c[k].out);
  const double *right = c[TENSIONS].out + n;
  for (int i = 0; i < n; i++) relative[i] = i == 0 ? right[0] : right[i] - right[i - 1];
  to_cartesian(n, l, c[TENSIONS].x, right, cartesian);
  for (int k = 0; k < CANDIDATES; k++) {
    if (c[k].self == NULL) continue;
    int length = k == CARTESIAN ? 2 * n : n;
    const double *expected = k == CARTESIAN                    ? cartesian
                             : k == RELATIVE || k == RECURSIVE ? relative
                                                               : right;
    double off = difference(length, c[k].out + length, expected);
    if (off <= 1e-7) continue;
    fprintf(stderr, "n = %d, %s: accelerations are off by %.1e\n", n, c[k].name, off);
    good = 0;
  }
  free(relative);
  free(cartesian);
  return good;
}

int main(int count, char **arguments) {
  if (count != 5 && count != 8) return 2;
  int n = atoi(arguments[4]);
  const char *counted = count == 8 ? arguments[6] : NULL;
  struct chain chain = chain_new(n);
  double *x = state(n), *by_links = state(n), *plane = state(n);
  struct candidate candidates[CANDIDATES] = {
      [ABSOLUTE] = {"absolute", compiled_evaluate, NULL, x, state(n), 0},
      [RELATIVE] = {"relative", compiled_evaluate, NULL, by_links, state(n), 0},
      [CARTESIAN] = {"cartesian", compiled_evaluate, NULL, plane, state(n), 0},
      [DENSE] = {"dense", chain_dense, &chain, x, state(n), 0},
      [FIXED] = {"fixed", chain_fixed, chain_fixed_n == n ? &chain : NULL, x, state(n), 0},
      [RECURSIVE] = {"recursive", chain_recursive, &chain, by_links, state(n), 0},
      [TENSIONS] = {"tensions", chain_tensions, &chain, x, state(n), 0},
      [SYMPY] = {"sympy", chain_sympy, NULL, x, state(n), 0}};
#ifdef WITH_SYMPY
  candidates[SYMPY].self = &chain;
#endif
  struct compiled compiled[CARTESIAN + 1];
  place(n, chain.l, x, by_links, plane);
  for (int k = ABSOLUTE; k <= CARTESIAN; k++) {
    if (strcmp(arguments[k + 1], "-") == 0) continue;
    if (counted != NULL && strcmp(counted, candidates[k].name) != 0) continue;
    compiled[k] = compiled_new(arguments[k + 1], n, DYN_ENGINE_JIT);
    candidates[k].self = &compiled[k];
  }
  for (int k = 0; k < CANDIDATES && counted != NULL; k++)
    if (strcmp(candidates[k].name, counted) == 0 && candidates[k].self != NULL)
      bench_count(&candidates[k], atoi(arguments[7]));
  if (counted != NULL) return 0;
  if (!agree(candidates, n, chain.l)) return 1;
  bench_measure(candidates, CANDIDATES, ROUNDS, 5e-4);
  printf("%d", n);
  for (int k = 0; k < CANDIDATES; k++) printf(" %.1f", candidates[k].ns);
  printf("\n");
  return 0;
}
