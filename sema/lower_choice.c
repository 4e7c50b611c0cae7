/* Relations, connectives and choices. Where the answer is known at compile time, the branch that
 * is not taken is not looked at: it may hold elements that do not exist. */
#include "sema/lower.h"

void lower_relation(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  any_value second = pop_value(l), first = pop_value(l);
  expr a = lower_to_scalar(l, task->environment, n->operand, first, "what is compared");
  expr b = lower_to_scalar(l, task->environment, n->second, second, "what is compared");
  expr value = 0;
  if (a == 0 || b == 0) {
    push_value(l, 0);
    return;
  }
  switch ((enum ast_operator)lower_node(task)->operator_) {
  case AST_LESS:
    value = expr_binary(l->graph, EXPR_LESS, a, b);
    break;
  case AST_LESS_EQUAL:
    value = expr_binary(l->graph, EXPR_LESS_EQUAL, a, b);
    break;
  case AST_GREATER:
    value = expr_binary(l->graph, EXPR_LESS, b, a);
    break;
  case AST_GREATER_EQUAL:
    value = expr_binary(l->graph, EXPR_LESS_EQUAL, b, a);
    break;
  default:
    value = expr_binary(l->graph, EXPR_EQUAL, a, b);
    break;
  }
  bool is_turned = lower_node(task)->operator_ == AST_NOT_EQUAL;
  push_value(l, is_turned && !expr_graph_is_full(l->graph) ? expr_unary(l->graph, EXPR_NOT, value)
                                                           : value);
}

/* The left side of `and` or `or` is known; the right one may not matter any more. */
void lower_connective(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  expr left = vector_last(&l->values);
  enum expr_operator decided = n->operator_ == AST_AND ? EXPR_FALSE : EXPR_TRUE;
  if (left == 0 || expr_operator_of(l->graph, left) == decided) return;
  struct task end = *task;
  end.kind = TASK_END_CONNECTIVE;
  lower_push(l, end);
  push_evaluate(l, task->environment, n->second);
}

void lower_end_connective(struct lowering *l, const struct task *task) {
  expr right = pop_value(l), left = pop_value(l);
  enum expr_operator operator_ = lower_node(task)->operator_ == AST_AND ? EXPR_AND : EXPR_OR;
  push_value(l, left == 0 || right == 0 ? 0 : expr_binary(l->graph, operator_, left, right));
}

void lower_choose(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  expr condition = vector_last(&l->values);
  if (condition == 0) return;
  enum expr_operator known = expr_operator_of(l->graph, condition);
  if (known == EXPR_TRUE || known == EXPR_FALSE) {
    l->values.count--;
    push_evaluate(l, task->environment, known == EXPR_TRUE ? n->second : n->third);
    return;
  }
  struct task end = *task;
  end.kind = TASK_IF;
  lower_push(l, end);
  push_evaluate(l, task->environment, n->third);
  push_evaluate(l, task->environment, n->second);
}

void lower_end_if(struct lowering *l, const struct task *task) {
  any_value otherwise = pop_value(l), then = pop_value(l);
  expr condition = pop_value(l);
  any_value value = 0;
  if (then != 0 && otherwise != 0)
    value = value_is_scalar(then) && value_is_scalar(otherwise)
                ? expr_if(l->graph, condition, then, otherwise)
                : lower_choose_kinds(l, task, condition, then, otherwise);
  push_value(l, value);
}
