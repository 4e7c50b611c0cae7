/* Sine, cosine, tangent and their inverses: exact values at multiples of pi/6 and pi/4, shifts by
 * quarter turns, parity. */
#include "expr/graph.h"

/* True if a = *multiple * pi. */
static bool is_multiple_of_pi(const struct expr_graph *graph, expr a, uint32_t *multiple) {
  const struct expr_node *node = node_at(graph, a);
  *multiple = a == ID_PI ? NUMBER_ONE : NUMBER_ZERO;
  if (a == ID_PI || a == ID_ZERO) return true;
  if (node->operator_ != EXPR_PRODUCT || node->count != 1) return false;
  struct expr_operand factor = node_operand(graph, a, 0);
  *multiple = node->number;
  return factor.node == ID_PI && factor.number == NUMBER_ONE;
}

/* number * parts mod modulus if that is an integer, else -1. */
static int whole_parts(const struct expr_graph *graph, uint32_t number, unsigned long parts,
                       unsigned long modulus) {
  mpq_srcptr exact = graph->numbers.items[number].exact;
  if (mpz_cmp_ui(mpq_denref(exact), parts) > 0) return -1;
  unsigned long below = mpz_get_ui(mpq_denref(exact));
  if (parts % below != 0) return -1;
  return (int)(mpz_fdiv_ui(mpq_numref(exact), modulus) * (parts / below) % modulus);
}

/* sin(twelfths * pi/12), or 0 (none) where it is not in the table. */
static expr sine_of_twelfths(struct expr_graph *graph, int twelfths) {
  int sign = 1, k = twelfths % 24;
  if (k > 12) {
    sign = -1;
    k -= 12;
  }
  if (k > 6) k = 12 - k;
  expr value;
  switch (k) {
  case 0:
    return ID_ZERO;
  case 2:
    value = expr_ratio(graph, 1, 2);
    break;
  case 3:
    value = product_scale(graph, expr_sqrt(graph, expr_integer(graph, 2)), NUMBER_HALF);
    break;
  case 4:
    value = product_scale(graph, expr_sqrt(graph, expr_integer(graph, 3)), NUMBER_HALF);
    break;
  case 6:
    value = ID_ONE;
    break;
  default:
    return 0;
  }
  return sign < 0 ? expr_negate(graph, value) : value;
}

static expr exact_value(struct expr_graph *graph, enum expr_operator operator_, expr a) {
  uint32_t multiple;
  if (!is_multiple_of_pi(graph, a, &multiple)) return 0;
  int twelfths = whole_parts(graph, multiple, 12, 24);
  if (twelfths < 0) return 0;
  if (operator_ == EXPR_SIN) return sine_of_twelfths(graph, twelfths);
  if (operator_ == EXPR_COS) return sine_of_twelfths(graph, twelfths + 6);
  expr sine = sine_of_twelfths(graph, twelfths), cosine = sine_of_twelfths(graph, twelfths + 6);
  if (sine == 0 || cosine == 0 || cosine == ID_ZERO) return 0;
  return expr_divide(graph, sine, cosine);
}

/* f(rest + k pi/2) for k whole quarter turns in a sum; 0 where nothing can be taken out. */
static expr shifted(struct expr_graph *graph, enum expr_operator operator_, expr a) {
  if (node_operator(graph, a) != EXPR_SUM || node_argument(graph, a, 0) != ID_PI) return 0;
  uint32_t multiple = node_operand(graph, a, 0).number;
  int quarters = whole_parts(graph, multiple, 2, 4);
  if (quarters < 0 || (operator_ == EXPR_TAN && quarters % 2 != 0)) return 0;
  struct expr_operand pairs[2] = {{a, NUMBER_ONE}, {ID_PI, number_negate(graph, multiple)}};
  expr rest = sum_of_pairs(graph, pairs, 2, NUMBER_ZERO);
  if (operator_ == EXPR_TAN) return trigonometric(graph, EXPR_TAN, rest);
  if (operator_ == EXPR_COS) quarters++; /* cos(x) = sin(x + pi/2) */
  expr value = trigonometric(graph, quarters % 2 == 0 ? EXPR_SIN : EXPR_COS, rest);
  return quarters % 4 >= 2 ? expr_negate(graph, value) : value;
}

expr trigonometric(struct expr_graph *graph, enum expr_operator operator_, expr a) {
  expr known = exact_value(graph, operator_, a);
  if (known == 0) known = shifted(graph, operator_, a);
  if (known != 0) return known;
  enum expr_operator inner = node_operator(graph, a);
  if ((operator_ == EXPR_SIN && inner == EXPR_ASIN) ||
      (operator_ == EXPR_COS && inner == EXPR_ACOS) ||
      (operator_ == EXPR_TAN && inner == EXPR_ATAN))
    return node_argument(graph, a, 0);
  if (!leads_with_minus(graph, a)) return node_unary(graph, operator_, a);
  expr value = node_unary(graph, operator_, expr_negate(graph, a));
  return operator_ == EXPR_COS ? value : expr_negate(graph, value);
}

static expr pi_over(struct expr_graph *graph, long numerator, long denominator) {
  return expr_multiply(graph, ID_PI, expr_ratio(graph, numerator, denominator));
}

expr inverse_trigonometric(struct expr_graph *graph, enum expr_operator operator_, expr a) {
  if (operator_ == EXPR_ACOS) {
    if (a == ID_ZERO) return pi_over(graph, 1, 2);
    if (a == ID_ONE) return ID_ZERO;
    if (a == expr_integer(graph, -1)) return ID_PI;
    if (a == expr_ratio(graph, 1, 2)) return pi_over(graph, 1, 3);
    if (a == expr_ratio(graph, -1, 2)) return pi_over(graph, 2, 3);
    return node_unary(graph, EXPR_ACOS, a);
  }
  if (a == ID_ZERO) return ID_ZERO;
  if (leads_with_minus(graph, a))
    return expr_negate(graph, inverse_trigonometric(graph, operator_, expr_negate(graph, a)));
  if (a == ID_ONE) return pi_over(graph, 1, operator_ == EXPR_ASIN ? 2 : 4);
  if (operator_ == EXPR_ASIN && a == expr_ratio(graph, 1, 2)) return pi_over(graph, 1, 6);
  return node_unary(graph, operator_, a);
}

expr arc_tangent_2(struct expr_graph *graph, expr y, expr x) {
  if (expr_is_number(graph, y) && expr_is_number(graph, x)) {
    int up = number_sign(graph, node_at(graph, y)->number);
    int right = number_sign(graph, node_at(graph, x)->number);
    if (up == 0 && right != 0) return right > 0 ? ID_ZERO : ID_PI;
    if (right == 0 && up != 0) return pi_over(graph, up, 2);
    if (y == x) return pi_over(graph, up > 0 ? 1 : -3, 4);
    if (y == expr_negate(graph, x) && up != 0) return pi_over(graph, up > 0 ? 3 : -1, 4);
  }
  return node_binary(graph, EXPR_ATAN2, y, x);
}
