/* Zero tests and ranks: identities must never be refuted, everything else must be, however close
 * it comes; ranks are certified from below. */
#include "expr/expr.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

static struct expr_graph *g;
static expr x, y, z;

static int set_up(void **state) {
  (void)state;
  g = expr_graph_new(0);
  x = expr_symbol(g, "x", NULL);
  y = expr_symbol(g, "y", NULL);
  z = expr_symbol(g, "z", NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  expr_graph_free(g);
  return 0;
}

static expr n(long value) {
  return expr_integer(g, value);
}
static expr add(expr a, expr b) {
  return expr_add(g, a, b);
}
static expr sub(expr a, expr b) {
  return expr_subtract(g, a, b);
}
static expr mul(expr a, expr b) {
  return expr_multiply(g, a, b);
}
static expr quotient(expr a, expr b) {
  return expr_divide(g, a, b);
}
static expr f(enum expr_operator operator_, expr a) {
  return expr_unary(g, operator_, a);
}
static expr power(expr a, long p) {
  return expr_power_ratio(g, a, p, 1);
}

static enum verdict verdict_of(expr e) {
  struct zero_test test = {.seed = 7};
  enum verdict verdict = expr_is_zero(g, e, &test);
  assert_null(test.failure);
  return verdict;
}

static void rational_functions(void **state) {
  (void)state;
  expr square = sub(power(add(x, y), 2), add(add(power(x, 2), power(y, 2)), mul(n(2), mul(x, y))));
  assert_true(square != n(0));
  assert_int_equal(verdict_of(square), VERDICT_YES);
  expr partial = sub(quotient(n(1), mul(x, add(x, n(1)))),
                     sub(quotient(n(1), x), quotient(n(1), add(x, n(1)))));
  assert_int_equal(verdict_of(partial), VERDICT_YES);
  assert_int_equal(verdict_of(add(square, expr_decimal(g, "1e-300"))), VERDICT_NO);
  assert_int_equal(verdict_of(sub(power(add(x, y), 3), add(power(x, 3), power(y, 3)))), VERDICT_NO);
  assert_int_equal(verdict_of(n(0)), VERDICT_YES);
  assert_int_equal(verdict_of(n(3)), VERDICT_NO);
}

static void trigonometric_identities(void **state) {
  (void)state;
  expr s = f(EXPR_SIN, x), c = f(EXPR_COS, x);
  expr twice = sub(f(EXPR_SIN, mul(n(2), x)), mul(n(2), mul(s, c)));
  assert_int_equal(verdict_of(twice), VERDICT_YES);
  expr triple = sub(f(EXPR_COS, mul(n(3), x)), sub(mul(n(4), power(c, 3)), mul(n(3), c)));
  assert_int_equal(verdict_of(triple), VERDICT_YES);
  expr half = sub(mul(n(2), power(f(EXPR_SIN, mul(x, expr_ratio(g, 1, 2))), 2)), sub(n(1), c));
  assert_int_equal(verdict_of(half), VERDICT_YES);
  expr angle = sub(add(x, mul(n(2), y)), z);
  expr sum = sub(f(EXPR_SIN, angle), sub(mul(f(EXPR_SIN, add(x, mul(n(2), y))), f(EXPR_COS, z)),
                                         mul(f(EXPR_COS, add(x, mul(n(2), y))), f(EXPR_SIN, z))));
  assert_int_equal(verdict_of(sum), VERDICT_YES);
  /* the angle also outside: balls refute, polynomials prove */
  assert_int_equal(verdict_of(mul(x, twice)), VERDICT_YES);
  assert_int_equal(verdict_of(sub(s, mul(x, c))), VERDICT_NO);
  assert_int_equal(verdict_of(add(twice, mul(expr_decimal(g, "1e-40"), x))), VERDICT_NO);
  assert_int_equal(verdict_of(sub(f(EXPR_TAN, x), quotient(s, c))), VERDICT_YES);
}

static void roots(void **state) {
  (void)state;
  expr root = expr_sqrt(g, add(power(x, 2), n(1)));
  /* (r - x)(r + x) = 1, and 1/(r + x) = r - x */
  assert_int_equal(verdict_of(sub(mul(sub(root, x), add(root, x)), n(1))), VERDICT_YES);
  assert_int_equal(verdict_of(sub(quotient(n(1), add(root, x)), sub(root, x))), VERDICT_YES);
  /* sqrt(5 + 2 sqrt 6) = sqrt 2 + sqrt 3: beyond the exact arithmetic, not refuted */
  expr nested = expr_sqrt(g, add(n(5), mul(n(2), expr_sqrt(g, n(6)))));
  expr flat = add(expr_sqrt(g, n(2)), expr_sqrt(g, n(3)));
  assert_int_equal(verdict_of(sub(nested, flat)), VERDICT_UNDECIDED);
  /* sqrt(x^2) is |x|, not x */
  assert_int_equal(verdict_of(sub(expr_sqrt(g, mul(x, x)), x)), VERDICT_NO);
  assert_int_equal(verdict_of(sub(expr_sqrt(g, mul(x, x)), f(EXPR_ABS, x))), VERDICT_UNDECIDED);
}

static void functions_and_choices(void **state) {
  (void)state;
  expr hyperbolic = sub(sub(power(f(EXPR_COSH, x), 2), power(f(EXPR_SINH, x), 2)), n(1));
  assert_int_equal(verdict_of(hyperbolic), VERDICT_UNDECIDED);
  struct zero_test test = {.points = 5, .bits = 1024, .seed = 3};
  assert_int_equal(expr_is_zero(g, hyperbolic, &test), VERDICT_UNDECIDED);
  assert_int_equal(test.points_used, 5);
  assert_int_equal(test.bits_used, 1024);
  assert_int_equal(verdict_of(sub(f(EXPR_ATAN, x), f(EXPR_ASIN, x))), VERDICT_NO);
  /* never defined: neither proven nor refuted, and no point was used */
  test = (struct zero_test){0};
  expr undefined = f(EXPR_LOG, sub(n(-1), power(x, 2)));
  assert_int_equal(expr_is_zero(g, undefined, &test), VERDICT_UNDECIDED);
  assert_int_equal(test.points_used, 0);
  expr positive = expr_binary(g, EXPR_LESS, n(0), x);
  expr absolute = expr_if(g, positive, x, expr_negate(g, x));
  assert_int_equal(verdict_of(sub(absolute, f(EXPR_ABS, x))), VERDICT_UNDECIDED);
  assert_int_equal(verdict_of(sub(absolute, x)), VERDICT_NO);
  /* the branch that is not taken may be undefined */
  expr guarded = expr_if(g, positive, f(EXPR_LOG, x), n(0));
  assert_int_equal(verdict_of(guarded), VERDICT_NO);
  expr modulo = sub(expr_binary(g, EXPR_MOD, x, n(1)), sub(x, f(EXPR_FLOOR, x)));
  assert_int_equal(verdict_of(modulo), VERDICT_UNDECIDED);
  assert_int_equal(verdict_of(add(expr_pi(g), n(-3))), VERDICT_NO);
}

/* ---- ranks */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void small_ranks(void **state) {
  (void)state;
  struct zero_test test = {0};
  expr dyad[9], factors[3] = {f(EXPR_SIN, x), f(EXPR_COS, x), y};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) dyad[i + 3 * j] = mul(factors[i], factors[j]);
  struct rank_result rank = expr_matrix_rank(g, dyad, 3, 3, &test);
  assert_int_equal(rank.rank, 1);
  assert_true(rank.believed);
  rank_result_clear(&rank);
  assert_int_equal(expr_determinant_is_zero(g, dyad, 3, &test), VERDICT_UNDECIDED);
  expr rectangle[6] = {x, mul(x, x), y, mul(x, y), f(EXPR_EXP, x), n(0)};
  rank = expr_matrix_rank(g, rectangle, 2, 3, &test);
  assert_int_equal(rank.rank, 2);
  assert_true(rank.pivot_columns[0] != rank.pivot_columns[1]);
  rank_result_clear(&rank);
  expr hyperbolic[4] = {f(EXPR_COSH, x), f(EXPR_SINH, x), f(EXPR_SINH, x), f(EXPR_COSH, x)};
  assert_int_equal(expr_determinant_is_zero(g, hyperbolic, 2, &test), VERDICT_NO);
  hyperbolic[3] = quotient(power(hyperbolic[1], 2), hyperbolic[0]);
  assert_int_equal(expr_determinant_is_zero(g, hyperbolic, 2, &test), VERDICT_UNDECIDED);
  assert_true(test.points_used > 0);
  /* rows 0 and 1 both have only column 0: no permutation of entries that are not 0 */
  expr empty[9] = {x, y, z, n(0), n(0), x, n(0), n(0), y};
  assert_int_equal(expr_determinant_is_zero(g, empty, 3, &test), VERDICT_YES);
  expr cyclic[9] = {n(0), n(0), x, y, n(0), n(0), n(0), z, n(0)};
  assert_int_equal(expr_determinant_is_zero(g, cyclic, 3, &test), VERDICT_NO);
  assert_int_equal(expr_determinant_is_zero(g, cyclic, 0, &test), VERDICT_NO);
}

/* The mass matrix of a chain of 100 links; with `transcendental`, beyond residues. */
static void large_rank(bool transcendental, bool singular) {
  enum { N = 100 };
  static expr matrix[N * N];
  expr angle[N];
  for (int i = 0; i < N; i++) {
    char name[16];
    snprintf(name, sizeof name, "q%d", i);
    angle[i] = expr_symbol(g, name, NULL);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      expr links = n(N - (i > j ? i : j));
      matrix[i + j * N] = mul(links, f(EXPR_COS, sub(angle[i], angle[j])));
      if (transcendental) matrix[i + j * N] = mul(matrix[i + j * N], f(EXPR_EXP, angle[j]));
    }
  if (singular)
    for (int i = 0; i < N; i++) matrix[i + N] = mul(matrix[i], y);
  struct zero_test test = {.seed = 1};
  double start = seconds();
  struct rank_result rank = expr_matrix_rank(g, matrix, N, N, &test);
  printf("rank %u of %d in %.3f s, %u points, %u bits\n", rank.rank, N, seconds() - start,
         test.points_used, test.bits_used);
  assert_int_equal(rank.rank, singular ? N - 1 : N);
  assert_true(rank.believed);
  rank_result_clear(&rank);
}

static void large_ranks(void **state) {
  (void)state;
  large_rank(false, false);
  large_rank(false, true);
  large_rank(true, false);
  large_rank(true, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rational_functions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(trigonometric_identities, set_up, tear_down),
      cmocka_unit_test_setup_teardown(roots, set_up, tear_down),
      cmocka_unit_test_setup_teardown(functions_and_choices, set_up, tear_down),
      cmocka_unit_test_setup_teardown(small_ranks, set_up, tear_down),
      cmocka_unit_test_setup_teardown(large_ranks, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
