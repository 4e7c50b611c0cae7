/* Size: deep graphs, wide sums and products, prefix sums, full graphs, numbers without end, more
 * than 64 symbols, two graphs at once. */
#include "expr/expr.h"
#include "expr/printer.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double one_half(void *user, expr symbol) {
  (void)user;
  (void)symbol;
  return 0.5;
}

static void a_million_deep(void **state) {
  (void)state;
  struct expr_graph *g = expr_graph_new(0);
  expr x = expr_symbol(g, "x", NULL), y = expr_symbol(g, "y", NULL), e = x;
  double expected = 0.5, value;
  for (int i = 0; i < 500000; i++) {
    e = expr_unary(g, EXPR_SIN, expr_add(g, e, expr_integer(g, 1)));
    expected = sin(expected + 1);
  }
  expr_evaluate(g, &e, 1, one_half, NULL, &value);
  assert_true(fabs(value - expected) < 1e-12);
  assert_int_equal(expr_reachable_count(g, &e, 1), 1000001);
  struct text out = {0};
  expr_print_text(g, &out, e);
  assert_true(out.length > 3u << 20);
  text_free(&out);
  expr_print_latex(g, &out, e);
  text_free(&out);
  struct expr_substitution *swap = expr_substitution_new(g);
  expr_substitution_add(swap, x, y);
  assert_true(expr_substitution_of(swap, e) != e);
  expr_substitution_free(swap);
  assert_true(expr_derivative(g, e, x) != expr_integer(g, 0));
  expr coefficient, rest;
  assert_false(expr_linear_parts(g, e, &x, 1, &coefficient, &rest));
  struct zero_test test = {.points = 1, .bits = 64};
  assert_int_equal(expr_is_zero(g, e, &test), VERDICT_NO);
  assert_false(expr_graph_is_full(g));
  expr_graph_free(g);
}

static void wide_sums_and_products(void **state) {
  (void)state;
  enum { N = 100000 };
  struct expr_graph *g = expr_graph_new(0);
  expr *x = malloc(N * sizeof *x), *terms = malloc(N * sizeof *terms);
  for (int i = 0; i < N; i++) {
    char name[16];
    snprintf(name, sizeof name, "x%d", i);
    x[i] = expr_symbol(g, name, NULL);
    terms[i] = expr_unary(g, EXPR_SIN, x[i]);
  }
  expr sum = expr_sum(g, terms, N), product = expr_product(g, terms, N);
  assert_int_equal(expr_derivative(g, sum, x[7]), expr_unary(g, EXPR_COS, x[7]));
  /* time derivative of a product of n factors: n log n, not n^2 */
  struct expr_tangent *rate = expr_tangent_new(g);
  for (int i = 0; i < N; i++) expr_tangent_seed(rate, x[i], expr_integer(g, 1));
  expr slope = expr_tangent_of(rate, product);
  expr_tangent_free(rate);
  assert_false(expr_graph_is_full(g));
  assert_true(expr_reachable_count(g, &slope, 1) < 12 * N);
  assert_int_equal(expr_subtract(g, sum, sum), expr_integer(g, 0));
  struct expr_symbol_set *set = expr_symbol_set_new(g);
  expr_symbol_set_add(set, x[N - 1]);
  assert_true(expr_symbol_set_touches(set, sum));
  assert_false(expr_symbol_set_touches(set, terms[N - 65]));
  expr_symbol_set_free(set);
  free(x);
  free(terms);
  expr_graph_free(g);
}

/* s_k = s_(k-1) + z_k must not take quadratic space, nor products of them. */
static void prefix_sums(void **state) {
  (void)state;
  struct expr_graph *g = expr_graph_new(0);
  expr sum = expr_integer(g, 0), product = expr_integer(g, 1), previous = sum, last = sum;
  for (int i = 0; i < 20000; i++) {
    last = expr_symbol(g, "z", NULL);
    previous = sum;
    sum = expr_add(g, sum, last);
    product = expr_multiply(g, product, last);
  }
  assert_int_equal(expr_subtract(g, sum, previous), last);
  assert_false(expr_graph_is_full(g));
  double values[2];
  expr roots[2] = {sum, product};
  expr_evaluate(g, roots, 2, one_half, NULL, values);
  assert_true(values[0] == 10000);
  expr_graph_free(g);
}

static void a_full_graph_stays_usable(void **state) {
  (void)state;
  struct expr_graph *g = expr_graph_new(2000);
  expr x = expr_symbol(g, "x", NULL), e = x;
  for (int i = 0; i < 3000; i++)
    e = expr_unary(g, EXPR_EXP, expr_add(g, expr_multiply(g, x, e), expr_ratio(g, i, 7)));
  assert_true(expr_graph_is_full(g));
  assert_true(expr_graph_size(g) <= 2001);
  expr condition = expr_binary(g, EXPR_LESS, expr_unary(g, EXPR_TANH, x), expr_integer(g, 12345));
  e = expr_if(g, condition, x, e);
  expr_derivative(g, expr_sqrt(g, expr_add(g, e, x)), x);
  expr coefficient, rest;
  expr_linear_parts(g, x, &x, 1, &coefficient, &rest);
  expr_divide(g, x, expr_integer(g, 99999));
  expr_power(g, x, expr_add(g, x, expr_integer(g, 7)));
  expr late = expr_symbol(g, "late", NULL);
  assert_int_equal(expr_derivative(g, x, late), expr_integer(g, 0));
  assert_true(expr_graph_is_full(g));
  expr_graph_free(g);
}

static void numbers_without_end(void **state) {
  (void)state;
  struct expr_graph *g = expr_graph_new(0);
  expr e = expr_integer(g, 3);
  for (int i = 0; i < 60; i++) e = expr_multiply(g, e, e);
  assert_true(expr_graph_is_full(g));
  expr_graph_free(g);
  g = expr_graph_new(0);
  e = expr_integer(g, 3);
  for (int i = 0; i < 60; i++) e = expr_power(g, e, expr_integer(g, 1000));
  expr_power(g, expr_ratio(g, 7, 3), expr_decimal(g, "1e9999"));
  expr_power(g, expr_decimal(g, "-1e9999"), expr_ratio(g, 1, 3));
  expr_sqrt(g, expr_decimal(g, "1e9999"));
  expr_unary(g, EXPR_SIN, expr_multiply(g, expr_pi(g), expr_decimal(g, "1e9999")));
  assert_int_equal(expr_decimal(g, "1e10001"), 0);
  double value;
  expr tiny = expr_double(g, 4.9e-324), big = expr_decimal(g, "1e400"), third = expr_ratio(g, 1, 3);
  expr_evaluate(g, &tiny, 1, one_half, NULL, &value);
  assert_true(value == 4.9e-324);
  expr_evaluate(g, &big, 1, one_half, NULL, &value);
  assert_true(isinf(value));
  expr_evaluate(g, &third, 1, one_half, NULL, &value);
  assert_true(value == 1.0 / 3);
  static const char *const decimals[] = {"0.1", "1.7976931348623157e308",
                                         "123456789012345678901234567890",
                                         "2.2250738585072011e-308", "9007199254740993"};
  for (size_t i = 0; i < sizeof decimals / sizeof decimals[0]; i++) {
    expr decimal = expr_decimal(g, decimals[i]);
    expr_evaluate(g, &decimal, 1, one_half, NULL, &value);
    assert_true(value == strtod(decimals[i], NULL));
  }
  expr_graph_free(g);
}

static void many_symbols(void **state) {
  (void)state;
  struct expr_graph *g = expr_graph_new(0);
  expr x[200], e = expr_integer(g, 0);
  for (int i = 0; i < 200; i++) {
    char name[16];
    snprintf(name, sizeof name, "x%d", i);
    x[i] = expr_symbol(g, name, NULL);
    if (i % 2 == 0) e = expr_add(g, e, expr_unary(g, EXPR_SIN, x[i]));
  }
  for (int i = 0; i < 200; i++) {
    struct expr_symbol_set *set = expr_symbol_set_new(g);
    expr_symbol_set_add(set, x[i]);
    assert_int_equal(expr_symbol_set_touches(set, e), i % 2 == 0);
    expr_symbol_set_free(set);
    expr expected = i % 2 == 0 ? expr_unary(g, EXPR_COS, x[i]) : expr_integer(g, 0);
    assert_int_equal(expr_derivative(g, e, x[i]), expected);
  }
  struct expr_list list = {0};
  expr_symbols_of(g, &e, 1, &list);
  assert_int_equal(list.count, 100);
  for (uint32_t i = 0; i < 100; i++) assert_int_equal(list.items[i], x[2 * i]);
  free(list.items);
  expr_graph_free(g);
}

static void two_graphs_at_once(void **state) {
  (void)state;
  struct expr_graph *g[2] = {expr_graph_new(0), expr_graph_new(0)};
  expr e[2], x[2];
  for (int k = 0; k < 2; k++) e[k] = x[k] = expr_symbol(g[k], k == 0 ? "x" : "y", NULL);
  for (int i = 0; i < 50; i++)
    for (int k = 0; k < 2; k++)
      e[k] = expr_unary(g[k], EXPR_SIN,
                        expr_add(g[k], expr_multiply(g[k], e[k], x[k]), expr_integer(g[k], i)));
  struct text out[2] = {{0}, {0}};
  for (int k = 0; k < 2; k++) expr_print_text(g[k], &out[k], e[k]);
  assert_int_equal(out[0].length, out[1].length);
  assert_int_equal(expr_graph_size(g[0]), expr_graph_size(g[1]));
  assert_string_equal(expr_symbol_name(g[1], x[1]), "y");
  for (int k = 0; k < 2; k++) {
    text_free(&out[k]);
    expr_graph_free(g[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_million_deep),      cmocka_unit_test(wide_sums_and_products),
      cmocka_unit_test(prefix_sums),         cmocka_unit_test(a_full_graph_stays_usable),
      cmocka_unit_test(numbers_without_end), cmocka_unit_test(many_symbols),
      cmocka_unit_test(two_graphs_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
