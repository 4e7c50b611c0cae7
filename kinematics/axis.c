/* Axes of turns in a standard form: a coordinate axis where it is one, else a unit vector whose
 * first component leads with a positive number. What was taken off the axis - its length and its
 * sign - leaves the first immaterial and goes with the second to the angle.
 *
 * Three cases: all components are numbers times one factor (its sign, known or not, goes to the
 * angle); the squares add up to a perfect square, as in l*cos(b), l*sin(b); anything else, where
 * the length stays a square root. */
#include "kinematics/store.h"

/* 1 or -1 where the sign shows, else 0. Where e is not zero. */
static int visible_sign(struct expr_graph *graph, expr e) {
  uint32_t count;
  switch (expr_operator_of(graph, e)) {
  case EXPR_NUMBER:
    return mpq_sgn(expr_constant(graph, e));
  case EXPR_PI:
  case EXPR_EXP:
  case EXPR_COSH:
  case EXPR_ABS:
    return 1;
  case EXPR_PRODUCT:
    break;
  default:
    return 0;
  }
  int sign = mpq_sgn(expr_constant(graph, e));
  const struct expr_operand *factors = expr_operands(graph, e, &count);
  for (uint32_t i = 0; i < count; i++) {
    mpq_srcptr power = expr_pool_number(graph, factors[i].number);
    if (mpz_even_p(mpq_numref(power)) || mpz_even_p(mpq_denref(power))) continue;
    enum expr_operator base = expr_operator_of(graph, factors[i].node);
    if (base == EXPR_PI || base == EXPR_EXP || base == EXPR_COSH || base == EXPR_ABS) continue;
    if (base == EXPR_NUMBER && mpq_sgn(expr_constant(graph, factors[i].node)) > 0) continue;
    return 0;
  }
  return sign;
}

/* Of an expression and its negative one leads with a minus. */
static bool leads_with_minus(struct expr_graph *graph, expr e) {
  uint32_t count;
  enum expr_operator operator_ = expr_operator_of(graph, e);
  if (operator_ == EXPR_SUM) {
    const struct expr_operand *terms = expr_operands(graph, e, &count);
    return mpq_sgn(expr_pool_number(graph, terms[0].number)) < 0;
  }
  if (operator_ != EXPR_NUMBER && operator_ != EXPR_PRODUCT) return false;
  return mpq_sgn(expr_constant(graph, e)) < 0;
}

static expr times_sign(struct kinematics *k, expr angle, expr factor) {
  int sign = visible_sign(k->graph, factor);
  if (sign > 0) return angle;
  if (sign < 0) return expr_negate(k->graph, angle);
  return expr_multiply(k->graph, expr_unary(k->graph, EXPR_SIGN, factor), angle);
}

/* The root of a product of even powers, up to its sign; 0 if e is none. */
static expr root_of_square(struct kinematics *k, expr e) {
  uint32_t count;
  if (expr_operator_of(k->graph, e) != EXPR_PRODUCT) return 0;
  const struct expr_operand *factors = expr_operands(k->graph, e, &count);
  uint32_t height = k->terms.count;
  for (uint32_t i = 0; i < count; i++) {
    long power = 0;
    mpq_srcptr number = expr_pool_number(k->graph, factors[i].number);
    if (mpz_cmp_ui(mpq_denref(number), 1) == 0 && mpz_fits_slong_p(mpq_numref(number)))
      power = mpz_get_si(mpq_numref(number));
    if (power == 0 || power % 2 != 0) {
      k->terms.count = height;
      return 0;
    }
    vector_push(&k->terms, factors[i].node);
    vector_push(&k->terms, (expr)(power / 2 + INT32_MAX));
  }
  expr root = expr_sqrt(k->graph, expr_rational(k->graph, expr_constant(k->graph, e)));
  for (uint32_t i = height; i < k->terms.count; i += 2) {
    long power = (long)k->terms.items[i + 1] - INT32_MAX;
    root = expr_multiply(k->graph, root, expr_power_ratio(k->graph, k->terms.items[i], power, 1));
  }
  k->terms.count = height;
  return root;
}

static expr sum_of_squares(struct kinematics *k, const expr c[3]) {
  return dot_components(k, c, c);
}

/* axis = factor * (numbers): the numbers. False if it is not so. */
static bool numeric_direction(struct kinematics *k, const expr axis[3], expr factor,
                              expr direction[3]) {
  for (int i = 0; i < 3; i++) {
    direction[i] = axis[i] == k->zero ? k->zero : expr_divide(k->graph, axis[i], factor);
    if (!expr_is_number(k->graph, direction[i])) return false;
  }
  return true;
}

static void divide(struct kinematics *k, const expr c[3], expr by, expr out[3]) {
  for (int i = 0; i < 3; i++) out[i] = expr_divide(k->graph, c[i], by);
}

bool axis_normalize(struct kinematics *k, const expr axis[3], expr angle, struct axis *out) {
  int first = 0, count = 0;
  for (int i = 2; i >= 0; i--) {
    if (axis[i] == k->zero) continue;
    first = i;
    count++;
  }
  if (count == 0) return false;
  *out = (struct axis){-1, {k->zero, k->zero, k->zero}, angle};
  if (count == 1) {
    out->coordinate = first;
    out->angle = times_sign(k, angle, axis[first]);
    return true;
  }
  expr numbers[3];
  if (numeric_direction(k, axis, axis[first], numbers)) {
    out->angle = times_sign(k, angle, axis[first]);
    divide(k, numbers, expr_sqrt(k->graph, sum_of_squares(k, numbers)), out->direction);
    return true;
  }
  expr square = sum_of_squares(k, axis), root = root_of_square(k, square);
  if (root != 0) out->angle = times_sign(k, angle, root);
  divide(k, axis, root != 0 ? root : expr_sqrt(k->graph, square), out->direction);
  if (leads_with_minus(k->graph, out->direction[first])) {
    for (int i = 0; i < 3; i++) out->direction[i] = expr_negate(k->graph, out->direction[i]);
    out->angle = expr_negate(k->graph, out->angle);
  }
  return true;
}
