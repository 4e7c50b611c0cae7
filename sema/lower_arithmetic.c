/* Sums, products, powers. A chain a + b - c + ... is gathered from its tree, however it leans, and
 * handed to the graph as one sum: adding one by one would cost the square of its length. */
#include "sema/lower.h"
#include <stdlib.h>

struct chain {
  VECTOR(struct chain_part) open; /* still to be looked at */
};

static void chain_add(struct chain *chain, ast_expr e, bool turned) {
  struct chain_part part = {e, turned};
  vector_push(&chain->open, part);
}

/* True if the node is a link; its operands are then still to be looked at. */
static bool open_sum_link(struct chain *chain, const struct ast_expression *n, bool turned) {
  if (n->kind == AST_UNARY && (n->operator_ == AST_NEGATE || n->operator_ == AST_PLUS)) {
    chain_add(chain, n->operand, turned != (n->operator_ == AST_NEGATE));
    return true;
  }
  if (n->kind != AST_BINARY || (n->operator_ != AST_ADD && n->operator_ != AST_SUBTRACT))
    return false;
  chain_add(chain, n->second, turned != (n->operator_ == AST_SUBTRACT));
  chain_add(chain, n->operand, turned);
  return true;
}

static bool open_product_link(struct chain *chain, const struct ast_expression *n, bool turned) {
  if (n->kind != AST_BINARY || (n->operator_ != AST_MULTIPLY && n->operator_ != AST_DIVIDE))
    return false;
  chain_add(chain, n->second, turned != (n->operator_ == AST_DIVIDE));
  chain_add(chain, n->operand, turned);
  return true;
}

/* Pushes a task for the whole chain and, above it, those for its parts. The parts wait on a stack
 * of their own: what is evaluated in between leaves that stack as it was. */
static void begin_chain(struct lowering *l, const struct task *task, enum task_kind kind) {
  const struct ast *ast = task->environment.text->ast;
  struct chain chain = {0};
  struct task whole = *task;
  whole.kind = (uint8_t)kind;
  whole.a = l->parts.count;
  chain_add(&chain, task->e, false);
  while (chain.open.count > 0) {
    struct chain_part part = vector_pop(&chain.open);
    const struct ast_expression *n = ast_expression(ast, part.e);
    /* What name resolution refused is a part, whatever it is. */
    bool is_link = !scope_is_refused(task->environment.text, part.e) &&
                   (kind == TASK_SUM ? open_sum_link(&chain, n, part.turned)
                                     : open_product_link(&chain, n, part.turned));
    if (!is_link) vector_push(&l->parts, part);
  }
  whole.b = l->parts.count - whole.a;
  l->steps += whole.b;
  lower_push(l, whole);
  for (uint32_t i = l->parts.count; i-- > whole.a;)
    push_evaluate(l, task->environment, l->parts.items[i].e);
  vector_free(&chain.open);
}

void lower_begin_sum(struct lowering *l, const struct task *task) {
  begin_chain(l, task, TASK_SUM);
}

void lower_begin_product(struct lowering *l, const struct task *task) {
  begin_chain(l, task, TASK_PRODUCT);
}

/* Drops the chain's parts and replaces their values by that of the chain. */
static void end_chain(struct lowering *l, const struct task *task, any_value value) {
  l->parts.count = task->a;
  l->values.count -= task->b;
  push_value(l, value);
}

/* True if one of the parts is no number; then the value of the chain, 0 if one is broken. */
static bool combine_kinds(struct lowering *l, const struct task *task, bool is_sum,
                          any_value *value) {
  const any_value *values = l->values.items + l->values.count - task->b;
  bool is_scalar = true, is_broken = false;
  for (uint32_t i = 0; i < task->b; i++) {
    is_scalar = is_scalar && value_is_scalar(values[i]);
    is_broken = is_broken || values[i] == 0;
  }
  *value = 0;
  if (is_scalar) return false;
  if (is_broken) return true;
  struct term *terms = checked_malloc(task->b * sizeof *terms);
  for (uint32_t i = 0; i < task->b; i++) {
    const struct chain_part *part = &l->parts.items[task->a + i];
    terms[i] = (struct term){values[i], part->e, part->turned};
  }
  *value = is_sum ? lower_add_kinds(l, task, terms, task->b)
                  : lower_multiply_kinds(l, task, terms, task->b);
  free(terms);
  return true;
}

void lower_end_sum(struct lowering *l, const struct task *task) {
  any_value value;
  if (combine_kinds(l, task, true, &value)) {
    end_chain(l, task, value);
    return;
  }
  expr *terms = l->values.items + l->values.count - task->b;
  const struct chain_part *parts = l->parts.items + task->a;
  bool is_broken = false;
  for (uint32_t i = 0; i < task->b; i++) {
    if (terms[i] == 0)
      is_broken = true;
    else if (parts[i].turned)
      terms[i] = expr_negate(l->graph, terms[i]);
  }
  end_chain(l, task, is_broken ? 0 : lower_combine(l, task, true, terms, task->b));
}

/* ---------------------------------------------------------------- quotients and powers */

static bool is_zero(const struct lowering *l, expr e) {
  return expr_is_integer_value(l->graph, e, 0);
}

expr lower_invert(struct lowering *l, struct environment environment, struct span span, expr b) {
  if (b == 0) return 0;
  if (!is_zero(l, b)) return expr_divide(l->graph, expr_integer(l->graph, 1), b);
  lower_report(l, environment, DIAG_DIVISION_BY_ZERO, span, NULL, NULL, NULL);
  return 0;
}

void lower_end_product(struct lowering *l, const struct task *task) {
  any_value value;
  if (combine_kinds(l, task, false, &value)) {
    end_chain(l, task, value);
    return;
  }
  expr *factors = l->values.items + l->values.count - task->b;
  const struct chain_part *parts = l->parts.items + task->a;
  bool is_broken = false;
  for (uint32_t i = 0; i < task->b; i++) {
    if (factors[i] == 0) {
      is_broken = true;
    } else if (parts[i].turned) {
      struct span span = ast_expression(task->environment.text->ast, parts[i].e)->span;
      factors[i] = lower_invert(l, task->environment, span, factors[i]);
      is_broken = is_broken || factors[i] == 0;
    }
  }
  end_chain(l, task, is_broken ? 0 : lower_combine(l, task, false, factors, task->b));
}

/* v^2 is a wish for dot(v, v). */
static expr base_of_power(struct lowering *l, const struct task *task, any_value v) {
  if (value_kind_of(v) != VALUE_VECTOR)
    return lower_to_scalar(l, task->environment, lower_node(task)->operand, v,
                           "the base of a power");
  struct diagnostic *d = lower_report_kinds(l, task->environment, lower_node(task)->operand,
                                            "a vector has no powers");
  if (d != NULL) diagnostic_help(l->context, d, "the square of its length is dot(v, v)");
  return 0;
}

void lower_end_power(struct lowering *l, const struct task *task) {
  expr exponent = lower_to_scalar(l, task->environment, lower_node(task)->second, pop_value(l),
                                  "an exponent");
  expr base = base_of_power(l, task, pop_value(l));
  if (base == 0 || exponent == 0) {
    push_value(l, 0);
  } else if (is_zero(l, base) && expr_is_number(l->graph, exponent) &&
             mpq_sgn(expr_constant(l->graph, exponent)) < 0) {
    lower_report(l, task->environment, DIAG_DIVISION_BY_ZERO, lower_node(task)->span, NULL, NULL,
                 NULL);
    push_value(l, 0);
  } else {
    push_value(l, lower_check_length(l, task, expr_power(l->graph, base, exponent)));
  }
}
