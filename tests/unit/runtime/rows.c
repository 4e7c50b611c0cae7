/* Rank, row space and least solutions against their defining properties; the metric likewise. */
#include "models.h"
#include "runtime/metric.h"
#include "runtime/rows.h"

#define MOST 80 /* rows, entries */

static double random_number(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

/* A matrix of the given rank: m by rank times rank by n. */
static void fill(double *a, size_t m, size_t n, size_t rank, uint32_t *seed) {
  double left[MOST][MOST], right[MOST][MOST];
  for (size_t i = 0; i < MOST; i++)
    for (size_t j = 0; j < rank; j++) {
      left[i][j] = random_number(seed);
      right[j][i] = random_number(seed);
    }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      a[i * n + j] = 0;
      for (size_t k = 0; k < rank; k++) a[i * n + j] += left[i][k] * right[k][j];
    }
}

/* w is the least solution when A^T (A w - b) = 0 and w lies in the row space. */
static void check_solution(const struct rows *s, const double *a, const double *b,
                           const double *w) {
  double residual[MOST], rest[MOST];
  for (size_t i = 0; i < s->m; i++) {
    residual[i] = -b[i];
    for (size_t j = 0; j < s->n; j++) residual[i] += a[i * s->n + j] * w[j];
  }
  for (size_t j = 0; j < s->n; j++) {
    double gradient = 0;
    for (size_t i = 0; i < s->m; i++) gradient += a[i * s->n + j] * residual[i];
    assert_close(gradient, 0, 1e-10);
  }
  memcpy(rest, w, s->n * sizeof *w);
  rows_remove(s, rest);
  for (size_t j = 0; j < s->n; j++) assert_close(rest[j], 0, 1e-10);
}

static void check_rank(size_t m, size_t n, size_t rank, uint32_t *seed) {
  struct rows s;
  double a[MOST * MOST], b[MOST], w[MOST];
  assert_true(rows_init(&s, m, n));
  fill(a, m, n, rank, seed);
  memcpy(s.a, a, m * n * sizeof *a);
  for (size_t i = 0; i < m; i++) b[i] = random_number(seed);
  rows_decompose(&s, 1e-9);
  assert_int_equal(s.rank, rank);
  rows_solve(&s, b, w);
  check_solution(&s, a, b, w);
  rows_clear(&s);
}

static void test_least_solutions(void **state) {
  (void)state;
  uint32_t seed = 1;
  for (size_t m = 1; m <= 9; m++)
    for (size_t n = 1; n <= 9; n++)
      for (size_t rank = 0; rank <= (m < n ? m : n); rank++) check_rank(m, n, rank, &seed);
}

/* As large as LAPACK works on in blocks. */
static void test_large_least_solutions(void **state) {
  (void)state;
  uint32_t seed = 3;
  const size_t shapes[][3] = {{80, 80, 80}, {80, 80, 79}, {80, 50, 50}, {80, 50, 40},
                              {50, 80, 50}, {50, 80, 45}, {1, 80, 1},   {80, 1, 1}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    check_rank(shapes[i][0], shapes[i][1], shapes[i][2], &seed);
}

/* A row counts by what the others leave of it, next to the longest row. */
static void test_rank_by_tolerance(void **state) {
  (void)state;
  const double left[] = {1e-8, 2e-10};
  for (size_t i = 0; i < 2; i++) {
    struct rows s;
    assert_true(rows_init(&s, 2, 3));
    const double a[] = {0.6, 0.8, left[i], 0.6, 0.8, 0};
    memcpy(s.a, a, sizeof a);
    rows_decompose(&s, 1e-9);
    assert_int_equal(s.rank, i == 0 ? 2 : 1);
    rows_clear(&s);
  }
}

/* No unknowns, or nothing but zeros: no rank, and a solution of zeros. */
static void test_empty_rows(void **state) {
  (void)state;
  for (size_t n = 0; n <= 2; n++) {
    struct rows s;
    double b[3] = {1, 2, 3}, w[2] = {7, 7}, y[2] = {1, 2};
    assert_true(rows_init(&s, 3, n));
    rows_decompose(&s, 1e-9);
    assert_int_equal(s.rank, 0);
    rows_solve(&s, b, w);
    for (size_t j = 0; j < 2; j++) assert_true(w[j] == (j < n ? 0 : 7));
    rows_remove(&s, y);
    assert_true(y[0] == 1 && y[1] == 2);
    rows_clear(&s);
  }
}

/* |S^-1 y|^2 = y . W y, S^-1 and S undo one another, and S^T g . w = g . S w. */
static void check_metric(const struct metric *metric, size_t n, const double *weights,
                         uint32_t *seed) {
  double y[MOST], w[MOST], back[MOST], g[MOST], gradient[MOST], square = 0, length = 0, one = 0,
                                                                other = 0;
  for (size_t i = 0; i < n; i++) {
    w[i] = back[i] = y[i] = random_number(seed);
    g[i] = gradient[i] = random_number(seed);
  }
  metric_lengths(metric, w);
  for (size_t i = 0; i < n; i++) {
    length += w[i] * w[i];
    for (size_t j = 0; j < n; j++) square += y[i] * weights[i * n + j] * y[j];
  }
  assert_close(length, square, 1e-10 * (1 + square));
  memcpy(back, w, sizeof back);
  metric_changes(metric, back);
  metric_gradient(metric, gradient);
  for (size_t i = 0; i < n; i++) {
    assert_close(back[i], y[i], 1e-10);
    one += gradient[i] * w[i];
    other += g[i] * y[i];
  }
  assert_close(one, other, 1e-10);
}

static void check_metric_of_rank(size_t n, size_t rank, uint32_t *seed) {
  double root[MOST * MOST], mass[MOST * MOST] = {0}, weights[MOST * MOST];
  fill(root, n, n, rank, seed);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++) mass[i * n + j] += root[i * n + k] * root[j * n + k];
  struct metric metric;
  assert_true(metric_init(&metric, (int32_t)n, (int32_t)n, mass));
  memcpy(weights, mass, sizeof weights);
  if (rank < n) { /* unit weight on what the mass matrix does not see */
    struct rows s;
    assert_true(rows_init(&s, n, n));
    memcpy(s.a, mass, n * n * sizeof *mass);
    rows_decompose(&s, 1e-10);
    for (size_t j = 0; j < n; j++) {
      double e[MOST] = {0};
      e[j] = 1;
      rows_remove(&s, e);
      for (size_t i = 0; i < n; i++) weights[i * n + j] += e[i];
    }
    rows_clear(&s);
  }
  check_metric(&metric, n, weights, seed);
  metric_clear(&metric);
}

static void test_metric(void **state) {
  (void)state;
  uint32_t seed = 7;
  for (size_t n = 1; n <= 8; n++)
    for (size_t rank = 0; rank <= n; rank++) check_metric_of_rank(n, rank, &seed);
  check_metric_of_rank(MOST, 60, &seed);
}

/* Inertias of coordinates in unlike units are not singular: 1e-20 beside 1 is told by its
 * coordinate. */
static void test_metric_of_unlike_units(void **state) {
  (void)state;
  struct metric metric;
  const double mass[] = {1, 0, 0, 1e-20};
  double y[] = {3, 4};
  assert_true(metric_init(&metric, 2, 2, mass));
  metric_lengths(&metric, y);
  assert_close(y[0], 3, 1e-15);
  assert_close(y[1], 4e-10, 1e-24);
  metric_clear(&metric);
}

/* The mass matrix 1 - e e^T for unit vectors e, whose leading part is singular but for the square
 * of the last entry: what rounding leaves of the last pivot is no inertia. */
static void test_metric_of_a_late_pivot(void **state) {
  (void)state;
  for (double last = 1e-2; last > 1e-9; last /= 1.7) {
    double e[4] = {0.3, -0.9, 0.4, last}, mass[16], length = 0, w = 0;
    for (size_t i = 0; i < 4; i++) length += e[i] * e[i];
    for (size_t i = 0; i < 4; i++) e[i] /= sqrt(length);
    for (size_t i = 0; i < 4; i++)
      for (size_t j = 0; j < 4; j++) mass[i * 4 + j] = (i == j) - e[i] * e[j];
    struct metric metric;
    assert_true(metric_init(&metric, 4, 4, mass));
    metric_lengths(&metric, e);
    for (size_t i = 0; i < 4; i++) w += e[i] * e[i];
    assert_close(w, 1, 1e-12);
    metric_clear(&metric);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_least_solutions),
      cmocka_unit_test(test_large_least_solutions),
      cmocka_unit_test(test_rank_by_tolerance),
      cmocka_unit_test(test_empty_rows),
      cmocka_unit_test(test_metric),
      cmocka_unit_test(test_metric_of_unlike_units),
      cmocka_unit_test(test_metric_of_a_late_pivot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
