/* Linear systems: unrolled L D L^T, the dense, sparse and LU kernels and LAPACK give the same
 * solutions, for definite and indefinite matrices; a singular one is reported with its unknown, an
 * undefined one has an undefined solution. */
#define _GNU_SOURCE
#include "problem.h"
#ifdef HAVE_LAPACKE
#include <lapacke.h>
#endif

static void solve_and_compare(struct problem *problem, enum tape_solver_kind kind,
                              double tolerance) {
  size_t n = problem->n, count = n * problem->columns;
  double *out = checked_calloc(count + 1, sizeof(double));
  double *compiled = checked_calloc(count + 1, sizeof(double));
  double *linked = checked_calloc(count + 1, sizeof(double));
  double *matrix = checked_calloc(n * n + 1, sizeof(double));
  double *expected = checked_calloc(count + 1, sizeof(double));
  int *pivots = checked_calloc(n + 1, sizeof(int));
  memcpy(matrix, problem->a, n * n * sizeof(double));
  memcpy(expected, problem->b, count * sizeof(double));
  struct tape *tape = problem_tape(problem);
  assert_int_equal(tape->solvers.items[0].kind, kind);
  assert_int_equal(run_problem(tape, problem, out), 0);
#ifdef HAVE_LAPACKE
  assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, (int)n, (int)problem->columns, matrix, (int)n,
                                 pivots, expected, (int)n),
                   0);
#else
  memcpy(expected, out, count * sizeof(double)); /* then only the ways of dyn are compared */
#endif
  assert_int_equal(run_compiled(tape, problem, compiled), 0);
  bool is_linked = problem->columns < 3; /* linking takes its time */
  if (is_linked) assert_int_equal(run_linked(tape, problem, linked), 0);
  for (size_t i = 0; i < count; i++) {
    assert_nearly(out[i], expected[i], tolerance);
    assert_true(out[i] == compiled[i] && (!is_linked || out[i] == linked[i]));
  }
  tape_free(tape);
  free(out);
  free(compiled);
  free(linked);
  free(matrix);
  free(expected);
  free(pivots);
}

/* G G^T + I of a random G: definite; with minus twice the identity: indefinite as a rule. */
static void fill_dense(struct problem *problem, struct random_source *random, double shift) {
  uint32_t n = problem->n;
  double *g = checked_calloc((size_t)n * n + 1, sizeof(double));
  for (uint32_t i = 0; i < n * n; i++) g[i] = random_between(random, -1, 1);
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = j; i < n; i++) {
      double sum = i == j ? shift : 0;
      for (uint32_t k = 0; k < n; k++) sum += g[i + k * n] * g[j + k * n];
      set_entry(problem, i, j, sum);
    }
  free(g);
  fill_right_sides(problem, random);
}

static void dense_definite(void **state) {
  (void)state;
  struct random_source random = {1};
  static const uint32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 20, 40};
  for (size_t s = 0; s < COUNT(sizes); s++)
    for (uint32_t columns = 1; columns <= 3; columns += 2) {
      struct problem problem = problem_new(sizes[s], columns, true);
      fill_dense(&problem, &random, 1);
      solve_and_compare(&problem, sizes[s] <= 8 ? SOLVER_UNROLLED : SOLVER_DENSE, 1e-11);
      problem_clear(&problem);
    }
}

/* The pivots fail, so that the cold path solves. */
static void dense_indefinite(void **state) {
  (void)state;
  struct random_source random = {2};
  static const uint32_t sizes[] = {2, 3, 6, 12, 30};
  for (size_t s = 0; s < COUNT(sizes); s++) {
    struct problem problem = problem_new(sizes[s], 2, true);
    fill_dense(&problem, &random, 0.5);
    for (uint32_t i = 0; i < sizes[s]; i += 2)
      set_entry(&problem, i, i, -problem.a[i + i * sizes[s]]);
    solve_and_compare(&problem, sizes[s] <= 6 ? SOLVER_UNROLLED : SOLVER_DENSE, 1e-10);
    problem_clear(&problem);
  }
}

static void zero_pivots_need_exchanges(void **state) {
  (void)state;
  struct problem problem = problem_new(2, 1, true);
  set_entry(&problem, 0, 0, 0); /* not structurally zero */
  set_entry(&problem, 1, 0, 2);
  set_entry(&problem, 1, 1, 1);
  problem.b[0] = 3;
  problem.b[1] = 5;
  solve_and_compare(&problem, SOLVER_UNROLLED, 1e-15);
  problem.nonzero[0] = false;
  solve_and_compare(&problem, SOLVER_LU, 1e-15);
  problem_clear(&problem);
}

static void unsymmetric(void **state) {
  (void)state;
  struct random_source random = {3};
  for (uint32_t n = 1; n <= 25; n += 4) {
    struct problem problem = problem_new(n, 2, false);
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; j < n; j++)
        if ((i + 2 * j) % 3 != 1 || i == j)
          set_entry(&problem, i, j, random_between(&random, -1, 1) + (i == j ? 3 : 0));
    fill_right_sides(&problem, &random);
    solve_and_compare(&problem, SOLVER_LU, 1e-10);
    problem_clear(&problem);
  }
}

/* An arrow whose head comes first fills completely unless it is reordered, and a band. */
static void fill_sparse(struct problem *problem, struct random_source *random, bool is_arrow,
                        double diagonal) {
  for (uint32_t i = 0; i < problem->n; i++) {
    set_entry(problem, i, i, diagonal + random_between(random, 0, 1));
    if (i > 0) set_entry(problem, i, is_arrow ? 0 : i - 1, random_between(random, -1, 1));
    if (i > 7 && !is_arrow) set_entry(problem, i, i - 7, random_between(random, -1, 1));
  }
  if (is_arrow) set_entry(problem, 0, 0, diagonal * problem->n);
  fill_right_sides(problem, random);
}

static void sparse_definite(void **state) {
  (void)state;
  struct random_source random = {4};
  for (int round = 0; round < 4; round++) {
    struct problem arrow = problem_new(30, 1 + (uint32_t)round, true);
    fill_sparse(&arrow, &random, true, 6);
    solve_and_compare(&arrow, SOLVER_UNROLLED, 1e-11);
    problem_clear(&arrow);
    struct problem band = problem_new(150, 2 + (uint32_t)round % 2, true);
    fill_sparse(&band, &random, false, 6);
    solve_and_compare(&band, SOLVER_SPARSE, 1e-11);
    problem_clear(&band);
  }
}

static void sparse_indefinite(void **state) {
  (void)state;
  struct random_source random = {5};
  for (uint32_t n = 30; n <= 150; n += 60) {
    struct problem problem = problem_new(n, 2, true);
    fill_sparse(&problem, &random, n == 30, -6);
    solve_and_compare(&problem, n == 30 ? SOLVER_UNROLLED : SOLVER_SPARSE, 1e-10);
    problem_clear(&problem);
  }
}

/* Unknown `lost` moves nothing, or moves exactly as unknown 0 does. */
static void assert_lost(struct problem *problem, uint32_t first, uint32_t second) {
  double out[400];
  struct tape *tape = problem_tape(problem);
  int status = run_problem(tape, problem, out);
  assert_true(status == (int)first + 1 || status == (int)second + 1);
  assert_int_equal(run_compiled(tape, problem, out), status);
  assert_int_equal(run_linked(tape, problem, out), status);
  tape_free(tape);
}

static void singular_matrices_name_the_unknown(void **state) {
  (void)state;
  struct random_source random = {6};
  static const uint32_t sizes[] = {1, 2, 5, 12, 30, 150};
  for (size_t s = 0; s < COUNT(sizes); s++) {
    uint32_t n = sizes[s], lost = n / 2;
    struct problem problem = problem_new(n, 1, true);
    if (n <= 12)
      fill_dense(&problem, &random, 1);
    else
      fill_sparse(&problem, &random, false, 6);
    for (uint32_t i = 0; i < n; i++)
      if (problem.nonzero[i + lost * n]) set_entry(&problem, i, lost, 0);
    assert_lost(&problem, lost, lost);
    problem_clear(&problem);
  }
  struct problem twin = problem_new(4, 1, true);
  fill_dense(&twin, &random, 1);
  for (uint32_t i = 0; i < 3; i++) set_entry(&twin, 3, i, twin.a[i]);
  set_entry(&twin, 3, 3, twin.a[0]);
  assert_lost(&twin, 3, 0);
  problem_clear(&twin);
}

static bool all_are_finite(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i])) return false;
  return true;
}

/* A mass that is infinite or undefined is not one that is missing. */
static void assert_undefined(struct problem *problem, enum tape_solver_kind kind, bool is_small) {
  double *out = checked_calloc((size_t)problem->n + 1, sizeof(double));
  struct tape *tape = problem_tape(problem);
  assert_int_equal(tape->solvers.items[0].kind, kind);
  assert_int_equal(run_problem(tape, problem, out), 0);
  assert_false(all_are_finite(out, problem->n));
  if (is_small) {
    memset(out, 0, problem->n * sizeof(double));
    assert_int_equal(run_compiled(tape, problem, out), 0);
    assert_false(all_are_finite(out, problem->n));
    memset(out, 0, problem->n * sizeof(double));
    assert_int_equal(run_linked(tape, problem, out), 0);
    assert_false(all_are_finite(out, problem->n));
  }
  tape_free(tape);
  free(out);
}

static void undefined_entries_are_not_lost_rank(void **state) {
  (void)state;
  struct random_source random = {8};
  static const struct {
    uint32_t n;
    enum tape_solver_kind kind;
  } cases[] = {{1, SOLVER_UNROLLED}, {3, SOLVER_UNROLLED},  {12, SOLVER_DENSE},
               {150, SOLVER_SPARSE}, {2001, SOLVER_SPARSE}, {5, SOLVER_LU}};
  static const double values[] = {NAN, INFINITY, -INFINITY};
  for (size_t c = 0; c < COUNT(cases); c++)
    for (size_t v = 0; v < COUNT(values) * 2; v++) {
      uint32_t n = cases[c].n, place = n / 2;
      struct problem problem = problem_new(n, 1, true);
      if (n <= 12)
        fill_dense(&problem, &random, 1);
      else
        fill_sparse(&problem, &random, false, 6);
      problem.is_symmetric = cases[c].kind != SOLVER_LU;
      set_entry(&problem, place, v % 2 == 0 || n == 1 ? place : place - 1, values[v / 2]);
      assert_undefined(&problem, cases[c].kind, n <= 150 && v < 4);
      problem_clear(&problem);
    }
}

/* Masses of very different size are not taken for singular. */
static void scales_do_not_matter(void **state) {
  (void)state;
  struct random_source random = {7};
  for (uint32_t n = 2; n <= 14; n += 4) {
    struct problem problem = problem_new(n, 1, true);
    fill_dense(&problem, &random, 1);
    for (uint32_t j = 0; j < n; j++)
      for (uint32_t i = j; i < n; i++)
        set_entry(&problem, i, j,
                  problem.a[i + j * n] * pow(10, 4 * ((double)(i % 4) - 2 + (double)(j % 4) - 2)));
    double out[16];
    struct tape *tape = problem_tape(&problem);
    assert_int_equal(run_problem(tape, &problem, out), 0);
    for (uint32_t i = 0; i < n; i++) {
      double sum = -problem.b[i], size = 0;
      for (uint32_t j = 0; j < n; j++) {
        sum += problem.a[i + j * n] * out[j];
        size += fabs(problem.a[i + j * n] * out[j]);
      }
      assert_true(fabs(sum) <= 1e-12 * size + 1e-12);
    }
    tape_free(tape);
    problem_clear(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dense_definite),
      cmocka_unit_test(dense_indefinite),
      cmocka_unit_test(zero_pivots_need_exchanges),
      cmocka_unit_test(unsymmetric),
      cmocka_unit_test(sparse_definite),
      cmocka_unit_test(sparse_indefinite),
      cmocka_unit_test(singular_matrices_name_the_unknown),
      cmocka_unit_test(undefined_entries_are_not_lost_rank),
      cmocka_unit_test(scales_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
