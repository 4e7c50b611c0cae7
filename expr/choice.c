/* Relations, connectives, choices, and the functions that jump or bend: min, max, mod. */
#include "expr/graph.h"

static expr truth(bool value) {
  return value ? ID_TRUE : ID_FALSE;
}

static void want_truth(const struct expr_graph *graph, expr e) {
  if (!expr_is_truth(graph, e) && !graph->full) bug("a number where a truth value belongs");
}

static bool are_numbers(const struct expr_graph *graph, expr a, expr b) {
  return expr_is_number(graph, a) && expr_is_number(graph, b);
}

static int compare(const struct expr_graph *graph, expr a, expr b) {
  return number_compare(graph, node_at(graph, a)->number, node_at(graph, b)->number);
}

static expr ordered(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b) {
  return a <= b ? node_binary(graph, operator_, a, b) : node_binary(graph, operator_, b, a);
}

expr truth_not(struct expr_graph *graph, expr a) {
  want_truth(graph, a);
  switch (node_operator(graph, a)) {
  case EXPR_TRUE:
    return ID_FALSE;
  case EXPR_FALSE:
    return ID_TRUE;
  case EXPR_NOT:
    return node_argument(graph, a, 0);
  case EXPR_LESS:
    return node_binary(graph, EXPR_LESS_EQUAL, node_argument(graph, a, 1),
                       node_argument(graph, a, 0));
  case EXPR_LESS_EQUAL:
    return node_binary(graph, EXPR_LESS, node_argument(graph, a, 1), node_argument(graph, a, 0));
  default:
    return node_unary(graph, EXPR_NOT, a);
  }
}

static expr relation(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b) {
  if (a == b) return truth(operator_ != EXPR_LESS);
  if (are_numbers(graph, a, b)) {
    int order = compare(graph, a, b);
    if (operator_ == EXPR_LESS) return truth(order < 0);
    return truth(operator_ == EXPR_LESS_EQUAL ? order <= 0 : order == 0);
  }
  if (operator_ == EXPR_EQUAL) return ordered(graph, operator_, a, b);
  return node_binary(graph, operator_, a, b);
}

static expr connective(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b) {
  expr neutral = operator_ == EXPR_AND ? ID_TRUE : ID_FALSE;
  expr absorbing = operator_ == EXPR_AND ? ID_FALSE : ID_TRUE;
  want_truth(graph, a);
  want_truth(graph, b);
  if (a == absorbing || b == absorbing) return absorbing;
  if (a == neutral || a == b) return b;
  if (b == neutral) return a;
  if (a == truth_not(graph, b)) return absorbing;
  return ordered(graph, operator_, a, b);
}

static expr extreme(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b) {
  if (a == b) return a;
  if (are_numbers(graph, a, b))
    return (compare(graph, a, b) < 0) == (operator_ == EXPR_MIN) ? a : b;
  return ordered(graph, operator_, a, b);
}

static expr remainder_of(struct expr_graph *graph, expr a, expr b) {
  if (are_numbers(graph, a, b) && b != ID_ZERO) {
    expr whole = expr_unary(graph, EXPR_FLOOR, expr_divide(graph, a, b));
    return expr_subtract(graph, a, expr_multiply(graph, b, whole));
  }
  return node_binary(graph, EXPR_MOD, a, b);
}

expr choice_binary(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b) {
  switch (operator_) {
  case EXPR_MIN:
  case EXPR_MAX:
    return extreme(graph, operator_, a, b);
  case EXPR_MOD:
    return remainder_of(graph, a, b);
  case EXPR_AND:
  case EXPR_OR:
    return connective(graph, operator_, a, b);
  default:
    return relation(graph, operator_, a, b);
  }
}

expr expr_if(struct expr_graph *graph, expr condition, expr then, expr otherwise) {
  want_truth(graph, condition);
  if (node_operator(graph, condition) == EXPR_NOT) {
    expr swapped = then;
    condition = node_argument(graph, condition, 0);
    then = otherwise;
    otherwise = swapped;
  }
  /* A branch that asks the same question knows the answer. */
  if (node_operator(graph, then) == EXPR_IF && node_argument(graph, then, 0) == condition)
    then = node_argument(graph, then, 1);
  if (node_operator(graph, otherwise) == EXPR_IF && node_argument(graph, otherwise, 0) == condition)
    otherwise = node_argument(graph, otherwise, 2);
  if (condition == ID_TRUE || then == otherwise) return then;
  if (condition == ID_FALSE || graph->full) return otherwise;
  struct expr_operand operands[3] = {
      {condition, NUMBER_ZERO}, {then, NUMBER_ZERO}, {otherwise, NUMBER_ZERO}};
  return node_intern(graph, EXPR_IF, NUMBER_ZERO, operands, 3);
}
