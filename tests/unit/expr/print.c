/* What readers see: golden texts in both formats, names for shared parts, bounded output. */
#include "expr/expr.h"
#include "expr/printer.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct expr_graph *g;
static expr m, l, k, grav, x, y, th, ph, xd, thd, thdd;

static int set_up(void **state) {
  (void)state;
  g = expr_graph_new(0);
  th = expr_symbol(g, "θ", NULL);
  ph = expr_symbol(g, "φ_2", NULL);
  x = expr_symbol(g, "x", NULL);
  y = expr_symbol(g, "y[3]", NULL);
  thd = expr_symbol(g, "θ'", NULL);
  xd = expr_symbol(g, "x'", NULL);
  thdd = expr_symbol(g, "θ''", NULL);
  m = expr_symbol(g, "m", NULL);
  l = expr_symbol(g, "l", NULL);
  k = expr_symbol(g, "k", NULL);
  grav = expr_symbol(g, "g", NULL);
  expr coordinates[] = {th, ph, x, y};
  for (int i = 0; i < 4; i++) expr_symbol_set_rank(g, coordinates[i], EXPR_RANK_COORDINATE);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  expr_graph_free(g);
  return 0;
}

static void prints(expr e, const char *text, const char *latex) {
  struct text out = {0};
  expr_print_text(g, &out, e);
  assert_string_equal(text_string(&out), text);
  text_free(&out);
  expr_print_latex(g, &out, e);
  assert_string_equal(text_string(&out), latex);
  text_free(&out);
}

static expr n(long value) {
  return expr_integer(g, value);
}
static expr ratio(long p, long q) {
  return expr_ratio(g, p, q);
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
static expr square(expr a) {
  return expr_multiply(g, a, a);
}
static expr f(enum expr_operator operator_, expr a) {
  return expr_unary(g, operator_, a);
}

static void mechanics(void **state) {
  (void)state;
  prints(mul(mul(mul(ratio(1, 2), m), square(l)), square(thd)), "1/2*m*l^2*θ'^2",
         "\\frac{1}{2}\\,m\\,l^{2}\\,\\dot{\\theta}^{2}");
  prints(mul(mul(mul(m, grav), l), sub(n(1), f(EXPR_COS, th))), "m*l*g*(1 - cos(θ))",
         "m\\,l\\,g\\,\\left(1 - \\cos \\theta\\right)");
  prints(add(mul(mul(m, square(l)), thdd), mul(mul(mul(m, grav), l), f(EXPR_SIN, th))),
         "m*l^2*θ'' + m*l*g*sin(θ)", "m\\,l^{2}\\,\\ddot{\\theta} + m\\,l\\,g\\,\\sin \\theta");
  prints(mul(mul(m, square(thd)), f(EXPR_SIN, sub(th, ph))), "m*θ'^2*sin(θ - φ_2)",
         "m\\,\\dot{\\theta}^{2}\\,\\sin\\left(\\theta - \\varphi_{2}\\right)");
  prints(expr_negate(g, mul(k, x)), "-k*x", "-k\\,x");
  prints(mul(n(-1), mul(k, sub(x, l))), "k*(l - x)", "k\\,\\left(l - x\\right)");
  prints(mul(ratio(1, 2), mul(k, square(sub(x, l)))), "1/2*k*(x - l)^2",
         "\\frac{1}{2}\\,k\\,\\left(x - l\\right)^{2}");
  prints(mul(m, square(f(EXPR_SIN, th))), "m*sin(θ)^2", "m\\,\\sin^{2} \\theta");
  prints(mul(mul(m, f(EXPR_COS, th)), thdd), "m*cos(θ)*θ''",
         "m\\,\\cos\\left(\\theta\\right)\\,\\ddot{\\theta}");
  prints(mul(mul(m, square(f(EXPR_SIN, th))), thdd), "m*sin(θ)^2*θ''",
         "m\\,\\sin^{2}\\left(\\theta\\right)\\,\\ddot{\\theta}");
  prints(square(f(EXPR_LOG, x)), "log(x)^2", "\\ln\\left(x\\right)^{2}");
  prints(mul(xd, y), "y[3]*x'", "y_{3}\\,\\dot{x}");
}

static void numbers(void **state) {
  (void)state;
  prints(expr_decimal(g, "9.81"), "9.81", "9.81");
  prints(expr_decimal(g, "-0.05"), "-0.05", "-0.05");
  prints(expr_decimal(g, "3e10"), "3e10", "3\\cdot 10^{10}");
  prints(expr_decimal(g, "6.674e-11"), "6.674e-11", "6.674\\cdot 10^{-11}");
  prints(expr_decimal(g, "123400"), "123400", "123400");
  prints(expr_decimal(g, "1000000"), "1e6", "10^{6}");
  prints(expr_decimal(g, "12.5"), "12.5", "12.5");
  prints(ratio(1, 5), "0.2", "0.2");
  prints(ratio(1, 3), "1/3", "\\frac{1}{3}");
  prints(ratio(3, 2), "3/2", "\\frac{3}{2}");
  prints(ratio(-1, 2), "-1/2", "-\\frac{1}{2}");
  prints(ratio(1, 1024), "1/1024", "\\frac{1}{1024}");
  prints(expr_sqrt(g, n(6)), "sqrt(6)", "\\sqrt{6}");
  prints(quotient(n(1), expr_sqrt(g, n(2))), "1/2*sqrt(2)", "\\frac{1}{2}\\,\\sqrt{2}");
  prints(mul(n(2), expr_pi(g)), "2*pi", "2\\,\\pi");
  prints(expr_power(g, n(2), n(1000000)), "2^1e6", "2^{10^{6}}");
  prints(expr_power(g, n(-1), ratio(1, 2)), "sqrt(-1)", "\\sqrt{-1}");
  prints(quotient(n(1), n(0)), "1/0", "\\frac{1}{0}");
}

static void quotients_and_powers(void **state) {
  (void)state;
  prints(quotient(k, m), "k/m", "\\frac{k}{m}");
  prints(expr_sqrt(g, quotient(k, m)), "sqrt(k/m)", "\\sqrt{\\frac{k}{m}}");
  prints(quotient(x, mul(n(2), m)), "x/(2*m)", "\\frac{x}{2\\,m}");
  prints(quotient(n(3), mul(m, l)), "3/(m*l)", "\\frac{3}{m\\,l}");
  prints(quotient(n(-1), x), "-1/x", "-\\frac{1}{x}");
  prints(quotient(x, add(square(x), n(1))), "x/(x^2 + 1)", "\\frac{x}{x^{2} + 1}");
  prints(quotient(x, expr_sqrt(g, add(square(x), n(1)))), "x/sqrt(x^2 + 1)",
         "\\frac{x}{\\sqrt{x^{2} + 1}}");
  prints(expr_power_ratio(g, x, 3, 2), "x^(3/2)", "x^{\\frac{3}{2}}");
  prints(expr_power_ratio(g, add(x, l), 1, 3), "(x + l)^(1/3)",
         "\\left(x + l\\right)^{\\frac{1}{3}}");
  prints(expr_power(g, x, add(l, n(1))), "x^(l + 1)", "x^{l + 1}");
  prints(expr_power(g, expr_power(g, x, l), m), "(x^l)^m", "\\left(x^{l}\\right)^{m}");
  prints(mul(n(2), f(EXPR_EXP, expr_negate(g, x))), "2*exp(-x)", "2\\,e^{-x}");
}

static void choices(void **state) {
  (void)state;
  expr positive = expr_binary(g, EXPR_LESS, n(0), x);
  expr choice = expr_if(g, positive, x, n(0));
  prints(choice, "if 0 < x then x else 0",
         "\\begin{cases} x & \\text{if } 0 < x \\\\ 0 & \\text{otherwise} \\end{cases}");
  prints(mul(k, choice), "k*(if 0 < x then x else 0)",
         "k\\,\\begin{cases} x & \\text{if } 0 < x \\\\ 0 & \\text{otherwise} \\end{cases}");
  expr equal = expr_binary(g, EXPR_EQUAL, x, l);
  prints(expr_if(g, f(EXPR_NOT, equal), x, l), "if x == l then l else x",
         "\\begin{cases} l & \\text{if } x = l \\\\ x & \\text{otherwise} \\end{cases}");
  prints(expr_binary(g, EXPR_AND, positive, f(EXPR_NOT, equal)), "0 < x and x != l",
         "0 < x \\land x \\ne l");
  prints(expr_binary(g, EXPR_MIN, x, l), "min(x, l)", "\\min\\left(x, l\\right)");
  prints(f(EXPR_ABS, sub(x, l)), "abs(x - l)", "\\left|x - l\\right|");
}

static void names_in_latex(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"θ", "\\theta"},
      {"theta", "\\theta"},
      {"θ_1", "\\theta_{1}"},
      {"θ₁", "\\theta_{1}"},
      {"θ1", "\\theta_{1}"},
      {"q[2]'", "\\dot{q}_{2}"},
      {"x''", "\\ddot{x}"},
      {"length", "\\mathit{length}"},
      {"φ", "\\varphi"},
      {"x_max", "x_{\\mathit{max}}"},
      {"Ω", "\\Omega"},
      {"x'''''", "x^{(5)}"},
      {"leg.knee", "\\mathit{leg}_{\\mathit{knee}}"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
    assert_string_equal(expr_symbol_latex(g, expr_symbol(g, pairs[i][0], NULL)), pairs[i][1]);
  assert_string_equal(expr_symbol_latex(g, expr_symbol(g, "q", "\\mathbf{q}")), "\\mathbf{q}");
}

/* A reader wants names for the large shared part only, and none that means something else. */
static void shared_parts(void **state) {
  (void)state;
  expr_symbol(g, "s1", NULL);
  expr large = add(add(mul(m, f(EXPR_COS, sub(th, ph))), mul(l, f(EXPR_SIN, x))), square(k));
  expr roots[4] = {mul(x, expr_sqrt(g, large)), quotient(n(2), mul(square(large), y)),
                   mul(l, f(EXPR_SIN, x)), f(EXPR_EXP, large)};
  struct expr_printer *printer = expr_printer_new(g, EXPR_TEXT, roots, 4);
  expr_printer_name_shared(printer, "s");
  const char *name;
  assert_int_equal(expr_printer_definition_count(printer), 1);
  assert_int_equal(expr_printer_definition(printer, 0, &name), large);
  assert_string_equal(name, "s2");
  struct text out = {0};
  assert_true(expr_printer_print(printer, &out, roots[0]));
  text_put(&out, "; ");
  assert_true(expr_printer_print(printer, &out, roots[1]));
  text_put(&out, "; ");
  assert_true(expr_printer_print(printer, &out, roots[2]));
  text_put(&out, "; ");
  assert_true(expr_printer_print_body(printer, &out, large));
  assert_string_equal(text_string(&out), "x*sqrt(s2); 2/(y[3]*s2^2); l*sin(x); "
                                         "m*cos(θ - φ_2) + l*sin(x) + k^2");
  text_free(&out);
  expr_printer_free(printer);
}

/* e_(k+1) = e_k*sin(e_k) has 2^100 leaves when written out. */
static void output_is_bounded(void **state) {
  (void)state;
  expr e = x;
  for (int i = 0; i < 100; i++) e = add(mul(k, f(EXPR_SIN, e)), f(EXPR_COS, e));
  struct text out = {0};
  expr_print_text(g, &out, e);
  assert_true(out.length < 5u << 20);
  assert_string_equal(out.bytes + out.length - 3, "...");
  text_free(&out);
  struct expr_printer *printer = expr_printer_new(g, EXPR_LATEX, &e, 1);
  expr_printer_name_shared(printer, "s");
  for (uint32_t i = 0; i < expr_printer_definition_count(printer); i++) {
    const char *name;
    assert_true(expr_printer_print_body(printer, &out, expr_printer_definition(printer, i, &name)));
  }
  assert_true(expr_printer_print(printer, &out, e));
  assert_true(out.length < 20000);
  text_free(&out);
  expr_printer_free(printer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(mechanics, set_up, tear_down),
      cmocka_unit_test_setup_teardown(numbers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(quotients_and_powers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(choices, set_up, tear_down),
      cmocka_unit_test_setup_teardown(names_in_latex, set_up, tear_down),
      cmocka_unit_test_setup_teardown(shared_parts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(output_is_bounded, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
