/* Functions of one and two arguments: exact values, parity, inverse pairs. */
#include "expr/graph.h"

bool leads_with_minus(const struct expr_graph *graph, expr e) {
  const struct expr_node *node = node_at(graph, e);
  switch (node->operator_) {
  case EXPR_NUMBER:
  case EXPR_PRODUCT:
    return number_sign(graph, node->number) < 0;
  case EXPR_SUM:
    return number_sign(graph, graph->operands.items[node->first].number) < 0;
  default:
    return false;
  }
}

static bool is_negative_number(const struct expr_graph *graph, expr e) {
  return expr_is_number(graph, e) && number_sign(graph, node_at(graph, e)->number) < 0;
}

/* f(-a) = -f(a) where a leads with a minus; else the plain node. */
static expr odd_function(struct expr_graph *graph, enum expr_operator operator_, expr a) {
  if (a == ID_ZERO) return ID_ZERO;
  if (!leads_with_minus(graph, a)) return node_unary(graph, operator_, a);
  return expr_negate(graph, expr_unary(graph, operator_, expr_negate(graph, a)));
}

static expr hyperbolic(struct expr_graph *graph, enum expr_operator operator_, expr a) {
  if (operator_ != EXPR_COSH) return odd_function(graph, operator_, a);
  if (a == ID_ZERO) return ID_ONE;
  return node_unary(graph, EXPR_COSH, leads_with_minus(graph, a) ? expr_negate(graph, a) : a);
}

static expr exponential(struct expr_graph *graph, expr a) {
  if (a == ID_ZERO) return ID_ONE;
  if (node_operator(graph, a) == EXPR_LOG) return node_argument(graph, a, 0);
  return node_unary(graph, EXPR_EXP, a);
}

static expr logarithm(struct expr_graph *graph, expr a) {
  if (a == ID_ONE) return ID_ZERO;
  if (node_operator(graph, a) == EXPR_EXP) return node_argument(graph, a, 0);
  return node_unary(graph, EXPR_LOG, a);
}

/* A number, or a power that is never negative where it is defined. */
static bool is_never_negative(const struct expr_graph *graph, expr e) {
  const struct expr_node *node = node_at(graph, e);
  switch (node->operator_) {
  case EXPR_NUMBER:
    return number_sign(graph, node->number) >= 0;
  case EXPR_PI:
  case EXPR_ABS:
  case EXPR_EXP:
  case EXPR_COSH:
    return true;
  case EXPR_PRODUCT:
    break;
  default:
    return false;
  }
  if (number_sign(graph, node->number) < 0) return false;
  for (uint32_t i = 0; i < node->count; i++) {
    struct expr_operand factor = node_operand(graph, e, i);
    mpq_srcptr power = graph->numbers.items[factor.number].exact;
    enum expr_operator inner = node_operator(graph, factor.node);
    /* a^(p/q) in lowest terms is real and not negative for even p, and for q > 1 by definition */
    if (mpz_odd_p(mpq_numref(power)) && mpz_cmp_ui(mpq_denref(power), 1) == 0 && inner != EXPR_PI &&
        inner != EXPR_ABS && inner != EXPR_EXP && inner != EXPR_COSH)
      return false;
  }
  return true;
}

static expr absolute(struct expr_graph *graph, expr a) {
  if (is_never_negative(graph, a)) return a;
  if (is_negative_number(graph, a)) return expr_negate(graph, a);
  const struct expr_node parts = *node_at(graph, a);
  if (parts.operator_ == EXPR_PRODUCT && parts.number != NUMBER_ONE) {
    uint32_t size =
        number_sign(graph, parts.number) < 0 ? number_negate(graph, parts.number) : parts.number;
    return product_scale(graph, expr_unary(graph, EXPR_ABS, product_unscaled(graph, a)), size);
  }
  return node_unary(graph, EXPR_ABS, leads_with_minus(graph, a) ? expr_negate(graph, a) : a);
}

static expr signum(struct expr_graph *graph, expr a) {
  const struct expr_node parts = *node_at(graph, a);
  if (parts.operator_ == EXPR_NUMBER) return expr_integer(graph, number_sign(graph, parts.number));
  if (a == ID_PI) return ID_ONE;
  if (parts.operator_ == EXPR_SIGN) return a;
  if (parts.operator_ == EXPR_PRODUCT && parts.number != NUMBER_ONE) {
    expr unit = expr_unary(graph, EXPR_SIGN, product_unscaled(graph, a));
    return number_sign(graph, parts.number) < 0 ? expr_negate(graph, unit) : unit;
  }
  return odd_function(graph, EXPR_SIGN, a);
}

static expr whole_part(struct expr_graph *graph, expr a) {
  const struct expr_node *node = node_at(graph, a);
  if (node->operator_ == EXPR_NUMBER) return node_number(graph, number_floor(graph, node->number));
  if (a == ID_PI) return expr_integer(graph, 3);
  if (node->operator_ == EXPR_FLOOR || node->operator_ == EXPR_SIGN) return a;
  return node_unary(graph, EXPR_FLOOR, a);
}

expr expr_unary(struct expr_graph *graph, enum expr_operator operator_, expr a) {
  switch (operator_) {
  case EXPR_SIN:
  case EXPR_COS:
  case EXPR_TAN:
    return trigonometric(graph, operator_, a);
  case EXPR_ASIN:
  case EXPR_ACOS:
  case EXPR_ATAN:
    return inverse_trigonometric(graph, operator_, a);
  case EXPR_SINH:
  case EXPR_COSH:
  case EXPR_TANH:
    return hyperbolic(graph, operator_, a);
  case EXPR_EXP:
    return exponential(graph, a);
  case EXPR_LOG:
    return logarithm(graph, a);
  case EXPR_ABS:
    return absolute(graph, a);
  case EXPR_SIGN:
    return signum(graph, a);
  case EXPR_FLOOR:
    return whole_part(graph, a);
  case EXPR_NOT:
    return truth_not(graph, a);
  default:
    bug("operator %d does not take one argument", (int)operator_);
  }
}

expr expr_binary(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b) {
  switch (operator_) {
  case EXPR_SUM:
    return expr_add(graph, a, b);
  case EXPR_PRODUCT:
    return expr_multiply(graph, a, b);
  case EXPR_POWER:
    return expr_power(graph, a, b);
  case EXPR_ATAN2:
    return arc_tangent_2(graph, a, b);
  case EXPR_MIN:
  case EXPR_MAX:
  case EXPR_MOD:
  case EXPR_LESS:
  case EXPR_LESS_EQUAL:
  case EXPR_EQUAL:
  case EXPR_AND:
  case EXPR_OR:
    return choice_binary(graph, operator_, a, b);
  default:
    bug("operator %d does not take two arguments", (int)operator_);
  }
}
