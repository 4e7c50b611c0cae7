/* Derivatives of the functions, by the chain rule. Functions with jumps or bends are
 * differentiated piece by piece: abs' = sign, floor' = sign' = 0. */
#include "expr/graph.h"

static expr one_plus(struct expr_graph *graph, expr a, uint32_t number) {
  struct expr_operand pair = {a, number};
  return sum_of_pairs(graph, &pair, 1, NUMBER_ONE);
}

static expr square(struct expr_graph *graph, expr a) {
  return expr_multiply(graph, a, a);
}

/* u^v for an exponent v that is not a number. */
static expr power_derivative(struct expr_graph *graph, expr e, expr u, expr v, const expr *d) {
  expr lower = expr_power(graph, u, expr_subtract(graph, v, ID_ONE));
  expr by_base[3] = {v, lower, d[0]};
  expr by_exponent[3] = {e, expr_unary(graph, EXPR_LOG, u), d[1]};
  expr base_part = d[0] == ID_ZERO ? ID_ZERO : expr_product(graph, by_base, 3);
  expr exponent_part = d[1] == ID_ZERO ? ID_ZERO : expr_product(graph, by_exponent, 3);
  return expr_add(graph, base_part, exponent_part);
}

/* (x dy - y dx)/(x^2 + y^2) */
static expr arc_tangent_derivative(struct expr_graph *graph, expr y, expr x, const expr *d) {
  expr above = expr_subtract(graph, expr_multiply(graph, x, d[0]), expr_multiply(graph, y, d[1]));
  return expr_divide(graph, above, expr_add(graph, square(graph, x), square(graph, y)));
}

/* d(a - b floor(a/b)) = da - floor(a/b) db */
static expr mod_derivative(struct expr_graph *graph, expr a, expr b, const expr *d) {
  if (d[1] == ID_ZERO) return d[0];
  expr whole = expr_unary(graph, EXPR_FLOOR, expr_divide(graph, a, b));
  return expr_subtract(graph, d[0], expr_multiply(graph, whole, d[1]));
}

static expr over_root(struct expr_graph *graph, expr above, expr radicand) {
  return expr_divide(graph, above, expr_sqrt(graph, radicand));
}

/* f'(a) da */
static expr unary_derivative(struct expr_graph *graph, expr e, expr a, expr da) {
  expr outer;
  switch (node_operator(graph, e)) {
  case EXPR_SIN:
    outer = expr_unary(graph, EXPR_COS, a);
    break;
  case EXPR_COS:
    outer = expr_negate(graph, expr_unary(graph, EXPR_SIN, a));
    break;
  case EXPR_TAN:
    outer = one_plus(graph, square(graph, e), NUMBER_ONE);
    break;
  case EXPR_ASIN:
    return over_root(graph, da, one_plus(graph, square(graph, a), NUMBER_MINUS_ONE));
  case EXPR_ACOS:
    return expr_negate(graph,
                       over_root(graph, da, one_plus(graph, square(graph, a), NUMBER_MINUS_ONE)));
  case EXPR_ATAN:
    return expr_divide(graph, da, one_plus(graph, square(graph, a), NUMBER_ONE));
  case EXPR_SINH:
    outer = expr_unary(graph, EXPR_COSH, a);
    break;
  case EXPR_COSH:
    outer = expr_unary(graph, EXPR_SINH, a);
    break;
  case EXPR_TANH:
    outer = one_plus(graph, square(graph, e), NUMBER_MINUS_ONE);
    break;
  case EXPR_EXP:
    outer = e;
    break;
  case EXPR_LOG:
    return expr_divide(graph, da, a);
  case EXPR_ABS:
    outer = expr_unary(graph, EXPR_SIGN, a);
    break;
  default:
    return ID_ZERO; /* sign, floor, truth values */
  }
  return expr_multiply(graph, outer, da);
}

expr function_derivative(struct expr_graph *graph, expr e, const expr *d) {
  uint32_t count = node_at(graph, e)->count;
  expr a = count > 0 ? node_argument(graph, e, 0) : 0,
       b = count > 1 ? node_argument(graph, e, 1) : 0;
  enum expr_operator operator_ = node_operator(graph, e);
  switch (operator_) {
  case EXPR_POWER:
    return power_derivative(graph, e, a, b, d);
  case EXPR_ATAN2:
    return arc_tangent_derivative(graph, a, b, d);
  case EXPR_MOD:
    return mod_derivative(graph, a, b, d);
  case EXPR_MIN:
    return expr_if(graph, expr_binary(graph, EXPR_LESS_EQUAL, a, b), d[0], d[1]);
  case EXPR_MAX:
    return expr_if(graph, expr_binary(graph, EXPR_LESS_EQUAL, b, a), d[0], d[1]);
  case EXPR_IF:
    return expr_if(graph, a, d[1], d[2]);
  default:
    break;
  }
  if (count != 1 || d[0] == ID_ZERO) return ID_ZERO;
  return unary_derivative(graph, e, a, d[0]);
}
