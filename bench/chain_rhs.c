/* One right-hand side of the chain: three models compiled by dyn (angles from the vertical, angles
 * between links, Cartesian coordinates with the rods as constraints) against C by hand.
 *
 *   chain_rhs            times all and prints a line of numbers: n, then ns of each candidate
 *   chain_rhs --names    the candidates' names
 *   chain_rhs --count NAME CALLS    evaluates one inside bench_counted
 *
 * All are evaluated at one motion; where accelerations differ the program says so and fails. */
#include "bench.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const dyn_model absolute_model, relative_model, cartesian_model;

enum { ROUNDS = 15, CANDIDATES = 7 };

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

/* The largest relative difference from the tensions' accelerations. Candidates in this order. */
static double largest_difference(struct candidate *c, int n, double l) {
  double *relative = state(n), *cartesian = state(n), largest = 0;
  for (int k = 0; k < CANDIDATES; k++) c[k].evaluate(c[k].self, c[k].x, c[k].out);
  const double *right = c[6].out + n;
  for (int i = 0; i < n; i++) relative[i] = i == 0 ? right[0] : right[i] - right[i - 1];
  to_cartesian(n, l, c[6].x, right, cartesian);
  const double *expected[CANDIDATES] = {right, relative, cartesian, right, right, relative, right};
  for (int k = 0; k < CANDIDATES; k++) {
    int length = expected[k] == cartesian ? 2 * n : n;
    double off = difference(length, c[k].out + length, expected[k]);
    if (off > 1e-7) fprintf(stderr, "%s: off by %.1e\n", c[k].name, off);
    largest = fmax(largest, off);
  }
  free(relative);
  free(cartesian);
  return largest;
}

int main(int count, char **arguments) {
  int n = absolute_model.n_coordinates;
  struct compiled absolute = compiled_new(&absolute_model), relative = compiled_new(&relative_model),
                  cartesian = compiled_new(&cartesian_model);
  struct chain chain = chain_new(n);
  struct candidate candidates[CANDIDATES] = {
      {"absolute", compiled_evaluate, &absolute, absolute.x, state(n), 0},
      {"relative", compiled_evaluate, &relative, relative.x, state(n), 0},
      {"cartesian", compiled_evaluate, &cartesian, cartesian.x, state(n), 0},
      {"dense", chain_dense, &chain, absolute.x, state(n), 0},
      {"fixed", chain_fixed, &chain, absolute.x, state(n), 0},
      {"recursive", chain_recursive, &chain, relative.x, state(n), 0},
      {"tensions", chain_tensions, &chain, absolute.x, state(n), 0}};
  place(n, chain.l, absolute.x, relative.x, cartesian.x);
  if (count == 2 && strcmp(arguments[1], "--names") == 0) {
    for (int k = 0; k < CANDIDATES; k++) printf("%s\n", candidates[k].name);
    return 0;
  }
  if (count == 4 && strcmp(arguments[1], "--count") == 0) {
    for (int k = 0; k < CANDIDATES; k++)
      if (strcmp(candidates[k].name, arguments[2]) == 0)
        bench_count(&candidates[k], atoi(arguments[3]));
    return 0;
  }
  if (largest_difference(candidates, n, chain.l) > 1e-7) return 1;
  bench_measure(candidates, CANDIDATES, ROUNDS, 2e-3);
  printf("%d", n);
  for (int k = 0; k < CANDIDATES; k++) printf(" %.1f", candidates[k].ns);
  printf("\n");
  return 0;
}
