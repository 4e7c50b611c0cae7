/* The folds that constructors promise, each by itself. */
#include "expr/expr.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct expr_graph *g;
static expr x, y, z, a, b;

static int set_up(void **state) {
  (void)state;
  g = expr_graph_new(0);
  x = expr_symbol(g, "x", NULL);
  y = expr_symbol(g, "y", NULL);
  z = expr_symbol(g, "z", NULL);
  a = expr_symbol(g, "a", NULL);
  b = expr_symbol(g, "b", NULL);
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
static expr add(expr u, expr v) {
  return expr_add(g, u, v);
}
static expr sub(expr u, expr v) {
  return expr_subtract(g, u, v);
}
static expr mul(expr u, expr v) {
  return expr_multiply(g, u, v);
}
static expr quotient(expr u, expr v) {
  return expr_divide(g, u, v);
}
static expr power(expr u, long p, long q) {
  return expr_power_ratio(g, u, p, q);
}
static expr f(enum expr_operator operator_, expr u) {
  return expr_unary(g, operator_, u);
}
static expr s(expr u) {
  return f(EXPR_SIN, u);
}
static expr c(expr u) {
  return f(EXPR_COS, u);
}
static expr pi_times(long p, long q) {
  return mul(expr_pi(g), expr_ratio(g, p, q));
}

static void like_terms_and_bases(void **state) {
  (void)state;
  assert_int_equal(add(x, x), mul(n(2), x));
  assert_int_equal(sub(add(x, y), y), x);
  assert_int_equal(mul(x, quotient(n(1), x)), n(1));
  assert_int_equal(mul(x, x), power(x, 2, 1));
  assert_int_equal(add(mul(mul(n(2), x), y), mul(mul(y, n(-2)), x)), n(0));
  assert_int_equal(mul(n(0), x), n(0));
  assert_int_equal(mul(n(2), add(x, y)), add(mul(n(2), x), mul(y, n(2))));
  assert_int_equal(quotient(add(mul(n(2), x), mul(n(2), y)), add(x, y)), n(2));
  assert_int_equal(quotient(sub(x, y), sub(y, x)), n(-1));
  assert_int_equal(mul(power(x, 1, 2), power(x, 1, 2)), x);
  assert_int_equal(power(mul(n(4), x), 1, 2), mul(n(2), power(x, 1, 2)));
  expr root = power(mul(x, y), 1, 2);
  assert_int_equal(mul(root, root), mul(x, y));
  assert_true(power(mul(x, x), 1, 2) != x);
}

static void numbers(void **state) {
  (void)state;
  assert_int_equal(expr_decimal(g, "0.1"), expr_ratio(g, 1, 10));
  assert_int_equal(expr_decimal(g, "12.5e-3"), expr_ratio(g, 1, 80));
  assert_int_equal(expr_decimal(g, "1e99999"), 0);
  assert_int_equal(expr_decimal(g, "abc"), 0);
  assert_int_equal(expr_double(g, 0.75), expr_ratio(g, 3, 4));
  assert_int_equal(expr_sqrt(g, n(36)), n(6));
  assert_int_equal(expr_sqrt(g, n(8)), mul(n(2), expr_sqrt(g, n(2))));
  assert_int_equal(mul(expr_sqrt(g, n(2)), expr_sqrt(g, n(3))), expr_sqrt(g, n(6)));
  assert_int_equal(quotient(n(1), expr_sqrt(g, n(2))),
                   mul(expr_ratio(g, 1, 2), expr_sqrt(g, n(2))));
  assert_int_equal(power(expr_ratio(g, 8, 27), 2, 3), expr_ratio(g, 4, 9));
  assert_int_equal(power(n(1018081), 1, 4), power(n(1009), 1, 2));
  assert_int_equal(power(n(0), 0, 1), n(1));
  assert_int_equal(expr_operator_of(g, power(n(2), 1000000, 1)), EXPR_PRODUCT);
  assert_int_equal(mul(power(n(2), 1000000, 1), power(n(2), -999999, 1)), n(2));
  assert_int_equal(expr_operator_of(g, power(n(0), -1, 1)), EXPR_PRODUCT);
  assert_int_equal(expr_operator_of(g, power(n(-1), 1, 2)), EXPR_PRODUCT);
  assert_int_equal(expr_operator_of(g, f(EXPR_LOG, n(-1))), EXPR_LOG);
  assert_int_equal(power(n(10), -3, 1), expr_ratio(g, 1, 1000));
}

static void squares(void **state) {
  (void)state;
  expr sine = power(s(x), 2, 1), cosine = power(c(x), 2, 1);
  assert_int_equal(add(sine, cosine), n(1));
  assert_int_equal(add(add(mul(a, sine), y), mul(a, cosine)), add(a, y));
  assert_int_equal(add(mul(add(a, b), sine), mul(add(a, b), cosine)), add(a, b));
  expr terms[4] = {mul(sine, power(s(y), 2, 1)), mul(cosine, power(s(y), 2, 1)),
                   mul(power(c(y), 2, 1), sine), mul(power(c(y), 2, 1), cosine)};
  assert_int_equal(expr_sum(g, terms, 4), n(1));
  /* the same whatever the order of adding up */
  assert_int_equal(add(add(sine, cosine), cosine), add(sine, mul(n(2), cosine)));
  assert_int_equal(add(mul(sine, sine), mul(sine, cosine)), sine);
  assert_true(sub(sine, cosine) != n(-1));
}

static void angle_sums(void **state) {
  (void)state;
  assert_int_equal(add(mul(c(x), c(y)), mul(s(x), s(y))), c(sub(x, y)));
  assert_int_equal(sub(mul(c(x), c(y)), mul(s(x), s(y))), c(add(x, y)));
  assert_int_equal(add(mul(s(x), c(y)), mul(c(x), s(y))), s(add(x, y)));
  assert_int_equal(sub(mul(s(x), c(y)), mul(c(x), s(y))), s(sub(x, y)));
  assert_int_equal(sub(mul(c(x), s(y)), mul(s(x), c(y))), s(sub(y, x)));
  expr common = mul(mul(a, b), n(3));
  assert_int_equal(add(mul(common, mul(s(x), s(y))), mul(common, mul(c(x), c(y)))),
                   mul(common, c(sub(y, x))));
  /* three angles, in two rounds */
  expr first = mul(c(sub(x, y)), c(z));
  expr third[2] = {first, mul(s(sub(x, y)), s(z))};
  assert_int_equal(expr_sum(g, third, 2), c(sub(sub(x, y), z)));
  expr parts[4] = {mul(mul(c(x), c(y)), c(z)), mul(mul(s(x), s(y)), c(z)),
                   mul(mul(s(x), c(y)), s(z)), expr_negate(g, mul(mul(c(x), s(y)), s(z)))};
  assert_int_equal(expr_sum(g, parts, 4), c(sub(sub(x, y), z)));
}

static void exact_angles(void **state) {
  (void)state;
  assert_int_equal(s(n(0)), n(0));
  assert_int_equal(s(pi_times(1, 6)), expr_ratio(g, 1, 2));
  assert_int_equal(c(pi_times(1, 4)), mul(expr_sqrt(g, n(2)), expr_ratio(g, 1, 2)));
  assert_int_equal(c(pi_times(7, 1)), n(-1));
  assert_int_equal(s(pi_times(-1, 3)), mul(expr_sqrt(g, n(3)), expr_ratio(g, -1, 2)));
  assert_int_equal(f(EXPR_TAN, pi_times(1, 3)), expr_sqrt(g, n(3)));
  assert_int_equal(expr_operator_of(g, f(EXPR_TAN, pi_times(1, 2))), EXPR_TAN);
  assert_int_equal(s(add(x, pi_times(1, 2))), c(x));
  assert_int_equal(c(add(x, pi_times(1, 2))), expr_negate(g, s(x)));
  assert_int_equal(s(sub(x, expr_pi(g))), expr_negate(g, s(x)));
  assert_int_equal(s(sub(expr_pi(g), x)), s(x));
  assert_int_equal(c(expr_negate(g, x)), c(x));
  assert_int_equal(s(sub(y, x)), expr_negate(g, s(sub(x, y))));
  assert_int_equal(f(EXPR_TANH, expr_negate(g, x)), expr_negate(g, f(EXPR_TANH, x)));
  assert_int_equal(f(EXPR_COSH, expr_negate(g, x)), f(EXPR_COSH, x));
  assert_int_equal(f(EXPR_ATAN, n(1)), pi_times(1, 4));
  assert_int_equal(f(EXPR_ASIN, expr_ratio(g, -1, 2)), pi_times(-1, 6));
  assert_int_equal(expr_binary(g, EXPR_ATAN2, n(0), n(-3)), expr_pi(g));
  assert_int_equal(f(EXPR_EXP, n(0)), n(1));
  assert_int_equal(f(EXPR_LOG, n(1)), n(0));
  assert_int_equal(f(EXPR_EXP, f(EXPR_LOG, x)), x);
}

static void choices(void **state) {
  (void)state;
  expr less = expr_binary(g, EXPR_LESS, x, y);
  assert_int_equal(f(EXPR_NOT, less), expr_binary(g, EXPR_LESS_EQUAL, y, x));
  assert_int_equal(f(EXPR_NOT, f(EXPR_NOT, expr_binary(g, EXPR_EQUAL, x, y))),
                   expr_binary(g, EXPR_EQUAL, y, x));
  assert_int_equal(expr_if(g, less, x, x), x);
  assert_int_equal(expr_if(g, expr_binary(g, EXPR_LESS, n(1), n(2)), x, y), x);
  assert_int_equal(expr_if(g, less, expr_if(g, less, x, y), expr_if(g, less, x, z)),
                   expr_if(g, less, x, z));
  assert_int_equal(expr_binary(g, EXPR_MIN, n(1), expr_ratio(g, 1, 2)), expr_ratio(g, 1, 2));
  assert_int_equal(expr_binary(g, EXPR_MAX, x, y), expr_binary(g, EXPR_MAX, y, x));
  assert_int_equal(f(EXPR_ABS, mul(n(-2), x)), mul(n(2), f(EXPR_ABS, x)));
  assert_int_equal(f(EXPR_ABS, mul(x, x)), mul(x, x));
  assert_int_equal(mul(f(EXPR_ABS, x), f(EXPR_ABS, x)), mul(x, x));
  assert_int_equal(f(EXPR_SIGN, mul(n(-2), x)), expr_negate(g, f(EXPR_SIGN, x)));
  assert_int_equal(f(EXPR_FLOOR, expr_ratio(g, -7, 2)), n(-4));
  assert_int_equal(expr_binary(g, EXPR_MOD, n(-7), n(3)), n(2));
  assert_int_equal(expr_operator_of(g, expr_binary(g, EXPR_MOD, n(1), n(0))), EXPR_MOD);
  expr both = expr_binary(g, EXPR_AND, less, f(EXPR_NOT, less));
  assert_int_equal(expr_operator_of(g, both), EXPR_FALSE);
}

static void order_does_not_matter(void **state) {
  (void)state;
  expr terms[6] = {mul(a, x), mul(b, y), z, mul(s(x), c(y)), power(x, 2, 1), n(5)};
  expr factors[6] = {add(a, x), b, power(y, -1, 2), s(z), n(7), c(z)};
  expr sum = expr_sum(g, terms, 6), product = expr_product(g, factors, 6);
  srand(5);
  for (int round = 0; round < 50; round++) {
    for (int i = 5; i > 0; i--) {
      int j = rand() % (i + 1);
      expr kept = terms[i];
      terms[i] = terms[j];
      terms[j] = kept;
      kept = factors[i];
      factors[i] = factors[j];
      factors[j] = kept;
    }
    assert_int_equal(expr_sum(g, terms, 6), sum);
    assert_int_equal(expr_product(g, factors, 6), product);
    expr left = n(0), right = n(1);
    for (int i = 0; i < 6; i++) {
      left = add(left, terms[i]);
      right = mul(right, factors[i]);
    }
    assert_int_equal(left, sum);
    assert_int_equal(right, product);
  }
}

static const double angles[3] = {0.731, -1.294, 2.113};

static double angle_value(void *user, expr symbol) {
  (void)user;
  return symbol == x ? angles[0] : symbol == y ? angles[1] : symbol == z ? angles[2] : 0.6;
}

/* Sums of monomials in sines and cosines of three angles: whatever is folded, values stay. */
static void trigonometric_sums_keep_values(void **state) {
  (void)state;
  expr symbols[3] = {x, y, z};
  srand(17);
  for (int round = 0; round < 3000; round++) {
    expr terms[12], sum;
    int count = 2 + rand() % 11;
    double expected = 0, actual;
    for (int i = 0; i < count; i++) {
      long number = rand() % 2 ? 1 : rand() % 5 - 2;
      double value = (double)number;
      terms[i] = n(number);
      for (int k = 0; k < 3; k++) {
        for (int times = rand() % 3; times > 0; times--) {
          bool sine = rand() % 2;
          terms[i] = mul(terms[i], sine ? s(symbols[k]) : c(symbols[k]));
          value *= sine ? sin(angles[k]) : cos(angles[k]);
        }
      }
      if (rand() % 4 == 0) {
        terms[i] = mul(terms[i], a);
        value *= 0.6;
      }
      expected += value;
    }
    sum = expr_sum(g, terms, (size_t)count);
    expr_evaluate(g, &sum, 1, angle_value, NULL, &actual);
    assert_true(fabs(actual - expected) < 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(like_terms_and_bases, set_up, tear_down),
      cmocka_unit_test_setup_teardown(numbers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(squares, set_up, tear_down),
      cmocka_unit_test_setup_teardown(angle_sums, set_up, tear_down),
      cmocka_unit_test_setup_teardown(exact_angles, set_up, tear_down),
      cmocka_unit_test_setup_teardown(choices, set_up, tear_down),
      cmocka_unit_test_setup_teardown(trigonometric_sums_keep_values, set_up, tear_down),
      cmocka_unit_test_setup_teardown(order_does_not_matter, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
