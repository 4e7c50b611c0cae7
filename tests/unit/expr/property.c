/* Properties of random expressions: constructors keep values, derivatives agree with complex
 * steps and with differences, substitution and linear parts agree with evaluation. The seed is
 * fixed; DYN_TEST_SCALE multiplies the number of rounds. */
#include "expr/expr.h"
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SYMBOLS = 5, TREE = 40 };

/* A tree evaluated as it stands, without any folding. */
struct plain {
  int kind; /* index in `kinds` */
  int a, b;
  long number;
};

enum kind {
  LEAF,
  NUMBER,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  SQUARE,
  ROOT,
  SIN,
  COS,
  EXP,
  LOG,
  TANH,
  ATAN,
  SMOOTH,
  ABS = SMOOTH,
  MIN,
  CHOICE,
  KINDS
};

static uint64_t random_state;

static unsigned draw(unsigned below) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(random_state >> 33) % below;
}

struct sample {
  struct plain tree[TREE];
  int size;
  expr node[TREE];
  double point[SYMBOLS];
};

static struct expr_graph *g;
static expr symbols[SYMBOLS];

static int set_up(void **state) {
  (void)state;
  g = expr_graph_new(0);
  for (int i = 0; i < SYMBOLS; i++) {
    char name[8];
    snprintf(name, sizeof name, "x%d", i);
    symbols[i] = expr_symbol(g, name, NULL);
  }
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  expr_graph_free(g);
  return 0;
}

static int rounds(int base) {
  const char *scale = getenv("DYN_TEST_SCALE");
  return scale != NULL && atoi(scale) > 0 ? base * atoi(scale) : base;
}

static expr one_plus_square(expr a) {
  return expr_add(g, expr_integer(g, 1), expr_multiply(g, a, a));
}

static expr build(const struct sample *s, struct plain p) {
  expr a = p.kind > NUMBER ? s->node[p.a] : 0, b = p.kind > NUMBER ? s->node[p.b] : 0;
  switch (p.kind) {
  case LEAF:
    return symbols[p.a];
  case NUMBER:
    return expr_ratio(g, p.number, 4);
  case ADD:
    return expr_add(g, a, b);
  case SUBTRACT:
    return expr_subtract(g, a, b);
  case MULTIPLY:
    return expr_multiply(g, a, b);
  case DIVIDE:
    return expr_divide(g, a, one_plus_square(b));
  case SQUARE:
    return expr_power_ratio(g, a, 2, 1);
  case ROOT:
    return expr_sqrt(g, one_plus_square(a));
  case SIN:
    return expr_unary(g, EXPR_SIN, a);
  case COS:
    return expr_unary(g, EXPR_COS, a);
  case EXP:
    return expr_unary(g, EXPR_EXP, expr_unary(g, EXPR_SIN, a));
  case LOG:
    return expr_unary(g, EXPR_LOG, one_plus_square(a));
  case TANH:
    return expr_unary(g, EXPR_TANH, a);
  case ATAN:
    return expr_unary(g, EXPR_ATAN, a);
  case ABS:
    return expr_unary(g, EXPR_ABS, a);
  case MIN:
    return expr_binary(g, EXPR_MIN, a, b);
  default:
    return expr_if(g, expr_binary(g, EXPR_LESS, a, b), b, expr_negate(g, a));
  }
}

static long double complex plain_value(const struct sample *s, const long double complex *point,
                                       int root) {
  long double complex v[TREE];
  for (int i = 0; i <= root; i++) {
    struct plain p = s->tree[i];
    long double complex a = p.kind > NUMBER ? v[p.a] : 0, b = p.kind > NUMBER ? v[p.b] : 0;
    switch (p.kind) {
    case LEAF:
      v[i] = point[p.a];
      break;
    case NUMBER:
      v[i] = p.number / 4.0L;
      break;
    case ADD:
      v[i] = a + b;
      break;
    case SUBTRACT:
      v[i] = a - b;
      break;
    case MULTIPLY:
      v[i] = a * b;
      break;
    case DIVIDE:
      v[i] = a / (1 + b * b);
      break;
    case SQUARE:
      v[i] = a * a;
      break;
    case ROOT:
      v[i] = csqrtl(1 + a * a);
      break;
    case SIN:
      v[i] = csinl(a);
      break;
    case COS:
      v[i] = ccosl(a);
      break;
    case EXP:
      v[i] = cexpl(csinl(a));
      break;
    case LOG:
      v[i] = clogl(1 + a * a);
      break;
    case TANH:
      v[i] = ctanhl(a);
      break;
    case ATAN:
      v[i] = catanl(a);
      break;
    case ABS:
      v[i] = creall(a) < 0 ? -a : a;
      break;
    case MIN:
      v[i] = creall(a) < creall(b) ? a : b;
      break;
    default:
      v[i] = creall(a) < creall(b) ? b : -a;
      break;
    }
  }
  return v[root];
}

static void grow(struct sample *s, int kinds) {
  for (int i = 0; i < SYMBOLS; i++) s->point[i] = (double)draw(2000) / 1000 - 1 + 1e-4 * i;
  for (s->size = 0; s->size < TREE; s->size++) {
    int i = s->size;
    struct plain p = {0};
    p.kind = i < 6 ? (int)draw(2) : (int)draw((unsigned)kinds);
    if (p.kind == LEAF) p.a = (int)draw(SYMBOLS);
    if (p.kind == NUMBER) p.number = (long)draw(17) - 8;
    if (p.kind > NUMBER) {
      int recent = i < 12 ? i : 12; /* near parts, so that trees get deep */
      p.a = i - 1 - (int)draw((unsigned)recent);
      p.b = i - 1 - (int)draw((unsigned)recent);
    }
    s->tree[i] = p;
    s->node[i] = build(s, p);
  }
}

static double symbol_value(void *user, expr symbol) {
  const struct sample *s = user;
  for (int i = 0; i < SYMBOLS; i++)
    if (symbols[i] == symbol) return s->point[i];
  return NAN;
}

static double value_of(struct sample *s, expr e) {
  double value;
  expr_evaluate(g, &e, 1, symbol_value, s, &value);
  return value;
}

static void complex_point(const struct sample *s, long double complex *point) {
  for (int i = 0; i < SYMBOLS; i++) point[i] = s->point[i];
}

static bool near(double actual, long double expected, double scale, double tolerance) {
  return fabs(actual - (double)expected) <= tolerance * (1 + scale + fabs((double)expected));
}

/* The size of the largest intermediate value, which sets how much rounding is fair. */
static double largest(struct sample *s, int root) {
  long double complex point[SYMBOLS];
  complex_point(s, point);
  double most = 0;
  for (int i = 0; i <= root; i++) {
    double size = (double)cabsl(plain_value(s, point, i));
    if (size > most) most = size;
  }
  return most;
}

static void constructors_keep_values(void **state) {
  (void)state;
  random_state = 11;
  int checked = 0;
  for (int round = 0; round < rounds(400); round++) {
    struct sample s;
    grow(&s, KINDS);
    long double complex point[SYMBOLS];
    complex_point(&s, point);
    for (int i = 6; i < TREE; i++) {
      double scale = largest(&s, i);
      if (!(scale < 1e4)) break;
      double actual = value_of(&s, s.node[i]);
      long double expected = creall(plain_value(&s, point, i));
      /* a chain of functions magnifies rounding errors by its derivative; 1e-12 per unit */
      if (!near(actual, expected, scale * scale, 1e-12))
        fail_msg("round %d node %d: %.17g is not %.17Lg", round, i, actual, expected);
      checked++;
    }
  }
  assert_true(checked > 2000);
}

static void derivatives_match_complex_steps(void **state) {
  (void)state;
  random_state = 12;
  int checked = 0;
  for (int round = 0; round < rounds(200); round++) {
    struct sample s;
    grow(&s, SMOOTH);
    int i = 6 + (int)draw(TREE - 6), k = (int)draw(SYMBOLS);
    double scale = largest(&s, i);
    if (!(scale < 1e3)) continue;
    long double complex point[SYMBOLS];
    complex_point(&s, point);
    point[k] += 1e-60L * I;
    long double expected = cimagl(plain_value(&s, point, i)) / 1e-60L;
    double actual = value_of(&s, expr_derivative(g, s.node[i], symbols[k]));
    if (!near(actual, expected, scale * scale, 1e-11))
      fail_msg("round %d: derivative %.17g is not %.17Lg", round, actual, expected);
    checked++;
  }
  assert_true(checked > 100);
}

/* All at once or one by one: the same derivatives, also of functions with bends. */
static void gradients_match_derivatives(void **state) {
  (void)state;
  random_state = 14;
  int checked = 0;
  for (int round = 0; round < rounds(200); round++) {
    struct sample s;
    grow(&s, KINDS);
    int i = 6 + (int)draw(TREE - 6);
    double scale = largest(&s, i);
    if (!(scale < 1e3)) continue;
    expr gradient[SYMBOLS];
    expr_gradient(g, s.node[i], symbols, SYMBOLS, gradient);
    for (int k = 0; k < SYMBOLS; k++) {
      double expected = value_of(&s, expr_derivative(g, s.node[i], symbols[k]));
      double actual = value_of(&s, gradient[k]);
      if (!near(actual, expected, scale * scale, 1e-11))
        fail_msg("round %d by x%d: %.17g is not %.17g", round, k, actual, expected);
      checked++;
    }
  }
  assert_true(checked > 500);
}

/* Branches that are not taken, and have no value, do not matter; long products keep their length.
 */
static void gradients_of_choices(void **state) {
  (void)state;
  struct sample s = {.point = {0}};
  expr x = symbols[0], zero = expr_integer(g, 0), gradient[2];
  expr branch = expr_unary(g, EXPR_LOG, x);
  expr choice = expr_if(g, expr_binary(g, EXPR_LESS, zero, x), branch, expr_multiply(g, x, x));
  expr_gradient(g, expr_multiply(g, expr_integer(g, 3), choice), symbols, 2, gradient);
  assert_true(value_of(&s, gradient[0]) == 0);
  assert_true(expr_is_integer_value(g, gradient[1], 0));
  expr product = expr_integer(g, 1), all[40];
  for (int k = 0; k < 40; k++) {
    all[k] = expr_symbol(g, "y", NULL);
    product = expr_multiply(g, product, all[k]);
  }
  expr slopes[40];
  expr_gradient(g, product, all, 40, slopes);
  for (int k = 0; k < 40; k++) assert_int_equal(expr_multiply(g, slopes[k], all[k]), product);
}

/* Also the functions with bends, and powers with symbols as exponents. */
static void derivatives_match_differences(void **state) {
  (void)state;
  expr a = symbols[0], b = symbols[1], positive = one_plus_square(a);
  expr cases[] = {
      expr_power(g, positive, b),
      expr_power(g, expr_integer(g, 2), a),
      expr_power_ratio(g, positive, -7, 3),
      expr_unary(g, EXPR_ABS, expr_multiply(g, a, b)),
      expr_binary(g, EXPR_MIN, a, expr_multiply(g, b, b)),
      expr_binary(g, EXPR_MAX, a, expr_multiply(g, b, b)),
      expr_binary(g, EXPR_MOD, expr_multiply(g, expr_integer(g, 5), a), positive),
      expr_unary(g, EXPR_SIGN, a),
      expr_unary(g, EXPR_FLOOR, expr_multiply(g, expr_integer(g, 3), a)),
      expr_binary(g, EXPR_ATAN2, a, b),
      expr_unary(g, EXPR_TAN, a),
      expr_unary(g, EXPR_ASIN, a),
      expr_unary(g, EXPR_ACOS, expr_multiply(g, a, b)),
      expr_unary(g, EXPR_COSH, a),
      expr_unary(g, EXPR_SINH, a),
      expr_if(g, expr_binary(g, EXPR_LESS, a, b), expr_multiply(g, a, a), b),
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct sample s = {.point = {0.37, -0.62, 0, 0, 0}}, above = s, below = s;
    for (int k = 0; k < 2; k++) {
      above.point[k] += 1e-6;
      below.point[k] -= 1e-6;
      double difference = (value_of(&above, cases[i]) - value_of(&below, cases[i])) / 2e-6;
      double derivative = value_of(&s, expr_derivative(g, cases[i], symbols[k]));
      if (!near(derivative, difference, 0, 1e-8))
        fail_msg("case %zu by x%d: %.12g is not %.12g", i, k, derivative, difference);
      above.point[k] = below.point[k] = s.point[k];
    }
  }
}

static void substitution_is_evaluation_elsewhere(void **state) {
  (void)state;
  random_state = 13;
  for (int round = 0; round < rounds(150); round++) {
    struct sample s, inner;
    grow(&inner, SMOOTH);
    grow(&s, KINDS);
    expr replacement = inner.node[8];
    struct sample moved = s;
    moved.point[0] = value_of(&s, replacement);
    long double complex point[SYMBOLS];
    complex_point(&moved, point);
    int i = 6 + (int)draw(14);
    double scale = largest(&moved, i);
    if (!(scale < 1e3)) continue;
    struct expr_substitution *substitution = expr_substitution_new(g);
    expr_substitution_add(substitution, symbols[0], replacement);
    double actual = value_of(&s, expr_substitution_of(substitution, s.node[i]));
    expr_substitution_free(substitution);
    assert_true(near(actual, creall(plain_value(&moved, point, i)), scale * scale, 1e-10));
  }
}

static void linear_parts_add_up(void **state) {
  (void)state;
  random_state = 14;
  for (int round = 0; round < rounds(100); round++) {
    struct sample s;
    grow(&s, KINDS);
    expr u = symbols[3], v = symbols[4], zero = expr_integer(g, 0);
    struct expr_substitution *none = expr_substitution_new(g);
    expr_substitution_add(none, u, zero);
    expr_substitution_add(none, v, zero);
    expr a = expr_substitution_of(none, s.node[10]), b = expr_substitution_of(none, s.node[11]);
    expr c = expr_substitution_of(none, s.node[12]);
    expr_substitution_free(none);
    expr nested = expr_multiply(g, b, expr_add(g, expr_multiply(g, a, u), expr_add(g, c, v)));
    expr condition = expr_binary(g, EXPR_LESS, a, b);
    expr e = expr_add(g, nested, expr_subtract(g, expr_multiply(g, c, u), a));
    if (round % 2 == 1) e = expr_add(g, e, expr_if(g, condition, v, expr_multiply(g, a, u)));
    expr coefficients[2], rest, unknowns[2] = {u, v};
    assert_true(expr_linear_parts(g, e, unknowns, 2, coefficients, &rest));
    double sum = value_of(&s, coefficients[0]) * s.point[3] +
                 value_of(&s, coefficients[1]) * s.point[4] + value_of(&s, rest);
    double whole = value_of(&s, e), scale = largest(&s, 12);
    if (scale < 1e4) assert_true(near(sum, whole, scale * scale, 1e-12));
    expr square = expr_add(g, e, expr_multiply(g, u, v));
    assert_false(expr_linear_parts(g, square, unknowns, 2, coefficients, &rest));
    expr inside = expr_unary(g, EXPR_SIN, expr_add(g, u, a));
    assert_false(expr_linear_parts(g, inside, unknowns, 2, coefficients, &rest));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(constructors_keep_values, set_up, tear_down),
      cmocka_unit_test_setup_teardown(derivatives_match_complex_steps, set_up, tear_down),
      cmocka_unit_test_setup_teardown(derivatives_match_differences, set_up, tear_down),
      cmocka_unit_test_setup_teardown(gradients_match_derivatives, set_up, tear_down),
      cmocka_unit_test_setup_teardown(gradients_of_choices, set_up, tear_down),
      cmocka_unit_test_setup_teardown(substitution_is_evaluation_elsewhere, set_up, tear_down),
      cmocka_unit_test_setup_teardown(linear_parts_add_up, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
