/* Printed text means what the expression means: random expressions are printed, read by a small
 * parser of the language's operators, and evaluated both ways. */
#include "expr/expr.h"
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SYMBOLS = 4, NODES = 24 };

static const double point[SYMBOLS] = {0.7, -0.4, 1.3, 0.25};
static const char *const names[SYMBOLS] = {"x", "q[2]", "θ'", "m_1"};

/* ---- the parser: loosest to tightest as the language has it */

static const char *at;
static double if_(void);

static bool accept(const char *token) {
  while (*at == ' ') at++;
  size_t length = strlen(token);
  if (strncmp(at, token, length) != 0) return false;
  if (isalpha((unsigned char)*token) && isalnum((unsigned char)at[length])) return false;
  at += length;
  return true;
}

static void expect(const char *token) {
  if (!accept(token)) fail_msg("expected '%s' before '%s'", token, at);
}

static double call(void) {
  static const struct {
    const char *name;
    double (*function)(double);
  } functions[] = {{"sin", sin},   {"cos", cos},  {"tanh", tanh},   {"exp", exp},  {"log", log},
                   {"sqrt", sqrt}, {"abs", fabs}, {"floor", floor}, {"atan", atan}};
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    if (!accept(functions[i].name)) continue;
    expect("(");
    double a = if_();
    expect(")");
    return functions[i].function(a);
  }
  bool smaller = accept("min");
  if (!smaller) expect("max");
  expect("(");
  double a = if_();
  expect(",");
  double b = if_();
  expect(")");
  return smaller ? fmin(a, b) : fmax(a, b);
}

static double primary(void) {
  if (accept("(")) {
    double value = if_();
    expect(")");
    return value;
  }
  for (int i = 0; i < SYMBOLS; i++)
    if (accept(names[i])) return point[i];
  if (accept("pi")) return acos(-1);
  if (!isdigit((unsigned char)*at)) return call();
  char *end;
  double value = strtod(at, &end);
  at = end;
  return value;
}

static double unary(void);

static double power(void) {
  double base = primary();
  return accept("^") ? pow(base, unary()) : base;
}

static double unary(void) {
  return accept("-") ? -unary() : power();
}

static double product(void) {
  double value = unary();
  for (;;) {
    if (accept("*"))
      value *= unary();
    else if (accept("/"))
      value /= unary();
    else
      return value;
  }
}

static double sum(void) {
  double value = product();
  for (;;) {
    if (accept("+"))
      value += product();
    else if (accept("-"))
      value -= product();
    else
      return value;
  }
}

static double relation(void) {
  double a = sum();
  if (accept("<=")) return a <= sum();
  if (accept("<")) return a < sum();
  if (accept("==")) return a == sum();
  if (accept("!=")) return a != sum();
  return a;
}

static double not_(void) {
  return accept("not") ? !not_() : relation();
}

static double and_(void) {
  double a = not_();
  while (accept("and")) a = (not_() != 0) & (a != 0);
  return a;
}

static double or_(void) {
  double a = and_();
  while (accept("or")) a = (and_() != 0) | (a != 0);
  return a;
}

static double if_(void) {
  if (!accept("if")) return or_();
  double condition = or_();
  expect("then");
  double then = or_();
  expect("else");
  double otherwise = if_();
  return condition != 0 ? then : otherwise;
}

/* ---- random expressions */

static uint64_t random_state = 99;

static unsigned draw(unsigned below) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(random_state >> 33) % below;
}

static struct expr_graph *g;
static expr symbols[SYMBOLS];

static expr truth(const expr *e) {
  static const enum expr_operator relations[] = {EXPR_LESS, EXPR_LESS_EQUAL, EXPR_EQUAL};
  expr a = expr_binary(g, relations[draw(3)], e[0], e[1]);
  expr b = expr_unary(g, EXPR_NOT, expr_binary(g, relations[draw(3)], e[1], e[2]));
  if (draw(3) == 0) a = expr_binary(g, draw(2) ? EXPR_OR : EXPR_AND, b, a);
  if (draw(3) == 0) a = expr_unary(g, EXPR_NOT, a);
  return draw(3) == 0 ? expr_binary(g, draw(2) ? EXPR_OR : EXPR_AND, a, b) : a;
}

static expr grow(const expr *e) {
  static const enum expr_operator functions[] = {EXPR_SIN, EXPR_COS,   EXPR_TANH,
                                                 EXPR_ABS, EXPR_FLOOR, EXPR_ATAN};
  expr positive = expr_add(g, expr_multiply(g, e[1], e[1]), expr_integer(g, 1));
  switch (draw(12)) {
  case 0:
    return expr_add(g, e[0], e[1]);
  case 1:
    return expr_subtract(g, e[0], e[1]);
  case 2:
    return expr_multiply(g, e[0], e[1]);
  case 3:
    return expr_divide(g, e[0], positive);
  case 4:
    return expr_power_ratio(g, positive, (long)draw(7) - 3, 1 + (long)draw(3));
  case 5:
    return expr_power_ratio(g, e[0], 1 + (long)draw(3), 1);
  case 6:
    return expr_unary(g, functions[draw(6)], e[0]);
  case 7:
    return expr_binary(g, draw(2) ? EXPR_MIN : EXPR_MAX, e[0], e[1]);
  case 8:
    return expr_if(g, truth(e), e[1], e[2]);
  case 9:
    return expr_power(g, positive, expr_unary(g, EXPR_SIN, e[0]));
  case 10:
    return expr_ratio(g, (long)draw(41) - 20, 1 + (long)draw(12));
  default:
    return expr_unary(g, EXPR_EXP, expr_unary(g, EXPR_TANH, e[0]));
  }
}

static double symbol_value(void *user, expr symbol) {
  (void)user;
  for (int i = 0; i < SYMBOLS; i++)
    if (symbols[i] == symbol) return point[i];
  return NAN;
}

static void printed_text_reads_back(void **state) {
  (void)state;
  g = expr_graph_new(0);
  for (int i = 0; i < SYMBOLS; i++) symbols[i] = expr_symbol(g, names[i], NULL);
  int checked = 0;
  for (int round = 0; round < 400; round++) {
    expr e[NODES];
    for (int i = 0; i < NODES; i++) {
      expr few[3];
      for (int k = 0; k < 3; k++)
        few[k] = i < 3 || draw(4) == 0 ? symbols[draw(SYMBOLS)]
                                       : e[i - 1 - (int)draw(i < 6 ? (unsigned)i : 6)];
      e[i] = grow(few);
      struct text out = {0};
      double value;
      expr_evaluate(g, &e[i], 1, symbol_value, NULL, &value);
      expr_print_text(g, &out, e[i]);
      if (fabs(value) < 1e6 && out.length < 20000) {
        at = text_string(&out);
        double read = if_();
        if (*at != '\0') fail_msg("'%s' is left of '%s'", at, text_string(&out));
        if (!(fabs(read - value) <= 1e-9 * (1 + fabs(value))))
          fail_msg("%.17g is not %.17g: %s", read, value, text_string(&out));
        checked++;
      }
      text_free(&out);
    }
  }
  expr_graph_free(g);
  assert_true(checked > 5000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(printed_text_reads_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
