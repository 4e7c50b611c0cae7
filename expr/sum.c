/* Sums: flattening, like terms, and the angle sums of angle_sum.c. The work is n log n in the
 * number of operands after flattening.
 *
 * A sum is built on the graph's scratch stack as pairs (term, coefficient): sum_push dissolves an
 * operand into such pairs, scratch_collect adds up like terms, angle_sum_fold replaces pairs of
 * terms by one (then they are collected again), and what is left is interned in order of id. */
#include "expr/graph.h"

enum { FOLD_ROUNDS = 100 };

void sum_push(struct expr_graph *graph, expr node, uint32_t number, uint32_t *constant) {
  const struct expr_node parts = *node_at(graph, node);
  switch (parts.operator_) {
  case EXPR_NUMBER:
    *constant = number_add(graph, *constant, number_multiply(graph, number, parts.number));
    return;
  case EXPR_SUM:
    if (parts.count > SUM_FLATTEN_LIMIT) break;
    *constant = number_add(graph, *constant, number_multiply(graph, number, parts.number));
    for (uint32_t i = 0; i < parts.count; i++) {
      struct expr_operand term = graph->operands.items[parts.first + i];
      scratch_push(graph, term.node, number_multiply(graph, number, term.number));
    }
    return;
  case EXPR_PRODUCT:
    if (parts.number == NUMBER_ONE) break;
    scratch_push(graph, product_unscaled(graph, node),
                 number_multiply(graph, number, parts.number));
    return;
  default:
    break;
  }
  scratch_push(graph, node, number);
}

/* Interns what the scratch holds from `base` on. */
static expr finish(struct expr_graph *graph, uint32_t base, uint32_t constant) {
  uint32_t count = graph->scratch.count - base;
  const struct expr_operand *terms = graph->scratch.items + base;
  if (count == 0) return node_number(graph, constant);
  if (count == 1 && constant == NUMBER_ZERO)
    return product_scale(graph, terms[0].node, terms[0].number);
  return node_intern(graph, EXPR_SUM, constant, terms, count);
}

/* Takes the pushed terms from `base` on off the scratch. */
static expr sum_of_scratch(struct expr_graph *graph, uint32_t base, uint32_t constant) {
  scratch_collect(graph, base);
  for (int round = 0; round < FOLD_ROUNDS && angle_sum_fold(graph, base, &constant); round++)
    scratch_collect(graph, base);
  expr result = finish(graph, base, constant);
  graph->scratch.count = base;
  return result;
}

static bool has_room(struct expr_graph *graph) {
  if (graph->scratch.count > graph->operand_limit) graph->full = true;
  return !graph->full;
}

expr sum_of_pairs(struct expr_graph *graph, const struct expr_operand *pairs, size_t count,
                  uint32_t constant) {
  uint32_t base = graph->scratch.count;
  for (size_t i = 0; i < count && has_room(graph); i++)
    sum_push(graph, pairs[i].node, pairs[i].number, &constant);
  return sum_of_scratch(graph, base, constant);
}

expr expr_sum(struct expr_graph *graph, const expr *terms, size_t count) {
  uint32_t base = graph->scratch.count, constant = NUMBER_ZERO;
  for (size_t i = 0; i < count && has_room(graph); i++)
    sum_push(graph, terms[i], NUMBER_ONE, &constant);
  return sum_of_scratch(graph, base, constant);
}

expr expr_add(struct expr_graph *graph, expr a, expr b) {
  if (a == ID_ZERO) return b;
  if (b == ID_ZERO) return a;
  struct expr_operand pairs[2] = {{a, NUMBER_ONE}, {b, NUMBER_ONE}};
  return sum_of_pairs(graph, pairs, 2, NUMBER_ZERO);
}

expr expr_subtract(struct expr_graph *graph, expr a, expr b) {
  if (b == ID_ZERO) return a;
  if (a == b) return ID_ZERO;
  struct expr_operand pairs[2] = {{a, NUMBER_ONE}, {b, NUMBER_MINUS_ONE}};
  return sum_of_pairs(graph, pairs, 2, NUMBER_ZERO);
}

expr expr_negate(struct expr_graph *graph, expr a) {
  return product_scale(graph, a, NUMBER_MINUS_ONE);
}
