/* Linear parts: one sweep from the top down, for all symbols at once. Every node that depends on
 * the symbols collects the factors it is multiplied by on the way from e ("multipliers", as in
 * reverse differentiation); nodes are visited in falling order of id, so that a node's multiplier
 * is complete when it is met. What is free of the symbols goes to the rest.
 *
 * Choices (if) are differentiated branch by branch instead, because a multiplier inside of a
 * branch must not be evaluated where the branch is not taken. */
#include "expr/graph.h"

struct contribution {
  expr multiplier;
  uint32_t next; /* 0: none */
};

struct sweep {
  struct expr_graph *graph;
  struct expr_symbol_set *set;
  struct expr_list nodes; /* that depend on the symbols */
  struct node_memo heads; /* per node: first contribution; while collecting: 1 = seen */
  VECTOR(struct contribution) contributions;
  VECTOR(expr) terms;
  VECTOR(struct expr_operand) pairs;
  struct expr_list rest;
  bool choice; /* an `if` depends on the symbols */
};

static int falling(const void *left, const void *right) {
  expr a = *(const expr *)left, b = *(const expr *)right;
  return (a < b) - (a > b);
}

static void collect_nodes(struct sweep *sweep, expr e) {
  const struct expr_graph *graph = sweep->graph;
  vector_push(&sweep->nodes, e);
  sweep->heads.items[e] = 1;
  for (uint32_t at = 0; at < sweep->nodes.count; at++) {
    expr node = sweep->nodes.items[at];
    sweep->choice = sweep->choice || node_operator(graph, node) == EXPR_IF;
    for (uint32_t i = 0; i < node_at(graph, node)->count; i++) {
      expr operand = node_argument(graph, node, i);
      if (sweep->heads.items[operand] != 0 || !expr_symbol_set_touches(sweep->set, operand))
        continue;
      sweep->heads.items[operand] = 1;
      vector_push(&sweep->nodes, operand);
    }
  }
  qsort(sweep->nodes.items, sweep->nodes.count, sizeof(expr), falling);
  for (uint32_t i = 0; i < sweep->nodes.count; i++) sweep->heads.items[sweep->nodes.items[i]] = 0;
}

static void contribute(struct sweep *sweep, expr node, expr multiplier) {
  if (multiplier == ID_ZERO) return;
  struct contribution added = {multiplier, sweep->heads.items[node]};
  vector_push(&sweep->contributions, added);
  sweep->heads.items[node] = sweep->contributions.count - 1;
}

static expr multiplier_of(struct sweep *sweep, expr node) {
  sweep->terms.count = 0;
  for (uint32_t at = sweep->heads.items[node]; at != 0; at = sweep->contributions.items[at].next)
    vector_push(&sweep->terms, sweep->contributions.items[at].multiplier);
  return expr_sum(sweep->graph, sweep->terms.items, sweep->terms.count);
}

static void sweep_sum(struct sweep *sweep, expr sum, expr multiplier) {
  struct expr_graph *graph = sweep->graph;
  const struct expr_node parts = *node_at(graph, sum);
  sweep->pairs.count = 0;
  for (uint32_t i = 0; i < parts.count; i++) {
    struct expr_operand term = graph->operands.items[parts.first + i];
    if (expr_symbol_set_touches(sweep->set, term.node))
      contribute(sweep, term.node, product_scale(graph, multiplier, term.number));
    else
      vector_push(&sweep->pairs, term);
  }
  expr rest = sum_of_pairs(graph, sweep->pairs.items, sweep->pairs.count, parts.number);
  if (rest != ID_ZERO) vector_push(&sweep->rest, expr_multiply(graph, multiplier, rest));
}

/* Exactly one factor may depend on the symbols, and with exponent 1. */
static bool sweep_product(struct sweep *sweep, expr product, expr multiplier) {
  struct expr_graph *graph = sweep->graph;
  const struct expr_node parts = *node_at(graph, product);
  expr inner = 0;
  sweep->pairs.count = 0;
  for (uint32_t i = 0; i < parts.count; i++) {
    struct expr_operand factor = graph->operands.items[parts.first + i];
    if (!expr_symbol_set_touches(sweep->set, factor.node)) {
      vector_push(&sweep->pairs, factor);
      continue;
    }
    if (inner != 0 || factor.number != NUMBER_ONE) return false;
    inner = factor.node;
  }
  struct expr_operand outer = {multiplier, NUMBER_ONE};
  vector_push(&sweep->pairs, outer);
  contribute(sweep, inner,
             product_of_pairs(graph, sweep->pairs.items, sweep->pairs.count, parts.number));
  return true;
}

static bool sweep_nodes(struct sweep *sweep, expr e) {
  struct expr_graph *graph = sweep->graph;
  contribute(sweep, e, ID_ONE);
  for (uint32_t i = 0; i < sweep->nodes.count && !graph->full; i++) {
    expr node = sweep->nodes.items[i];
    enum expr_operator operator_ = node_operator(graph, node);
    if (operator_ == EXPR_SYMBOL) continue;
    if (operator_ != EXPR_SUM && operator_ != EXPR_PRODUCT) return false;
    expr multiplier = multiplier_of(sweep, node);
    if (operator_ == EXPR_SUM)
      sweep_sum(sweep, node, multiplier);
    else if (!sweep_product(sweep, node, multiplier))
      return false;
  }
  return true;
}

static void sweep_free(struct sweep *sweep) {
  vector_free(&sweep->nodes);
  vector_free(&sweep->contributions);
  vector_free(&sweep->terms);
  vector_free(&sweep->pairs);
  vector_free(&sweep->rest);
  free(sweep->heads.items);
}

/* By derivatives, which must be free of the symbols, and the value where all symbols are 0. */
static bool parts_by_derivatives(struct expr_graph *graph, struct expr_symbol_set *set, expr e,
                                 const expr *symbols, size_t count, expr *coefficients,
                                 expr *rest) {
  struct expr_substitution *zero = expr_substitution_new(graph);
  bool linear = true;
  for (size_t i = 0; i < count && linear; i++) {
    coefficients[i] = expr_derivative(graph, e, symbols[i]);
    linear = !expr_symbol_set_touches(set, coefficients[i]);
    expr_substitution_add(zero, symbols[i], ID_ZERO);
  }
  if (linear) *rest = expr_substitution_of(zero, e);
  expr_substitution_free(zero);
  return linear;
}

static bool parts_by_sweep(struct sweep *sweep, expr e, const expr *symbols, size_t count,
                           expr *coefficients, expr *rest) {
  struct contribution none = {0, 0};
  vector_push(&sweep->contributions, none);
  if (!sweep_nodes(sweep, e)) return false;
  for (size_t i = 0; i < count; i++) coefficients[i] = multiplier_of(sweep, symbols[i]);
  *rest = expr_sum(sweep->graph, sweep->rest.items, sweep->rest.count);
  return true;
}

bool expr_linear_parts(struct expr_graph *graph, expr e, const expr *symbols, size_t count,
                       expr *coefficients, expr *rest) {
  struct expr_symbol_set *set = expr_symbol_set_new(graph);
  for (size_t i = 0; i < count; i++) expr_symbol_set_add(set, symbols[i]);
  for (size_t i = 0; i < count; i++) coefficients[i] = ID_ZERO;
  *rest = e;
  bool linear = true;
  if (expr_symbol_set_touches(set, e)) {
    struct sweep sweep = {.graph = graph, .set = set};
    node_memo_reserve(&sweep.heads, graph);
    collect_nodes(&sweep, e);
    linear = sweep.choice ? parts_by_derivatives(graph, set, e, symbols, count, coefficients, rest)
                          : parts_by_sweep(&sweep, e, symbols, count, coefficients, rest);
    sweep_free(&sweep);
  }
  expr_symbol_set_free(set);
  return linear;
}
