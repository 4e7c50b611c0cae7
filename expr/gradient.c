/* Derivatives by many symbols at once, from the root down: the derivative of the root by each node
 * is the sum over the nodes above of theirs times the partial derivative in between (reverse mode:
 * Griewank and Walther, Evaluating Derivatives, 2nd ed., section 3.2). What the symbols share is
 * made once, so that all derivatives together are hardly longer than the expression.
 *
 * Where a choice stands between a node and the symbols (if, min, max) the branch not taken may have
 * no value there, and products with zero would not hide it: those nodes are differentiated forward,
 * symbol by symbol, and so are products of very many factors. */
#include "expr/graph.h"

struct share { /* number * value, a term of the derivative by a node */
  expr value;
  uint32_t number, next; /* 1 + the node's next one */
};

struct gradient {
  struct expr_graph *graph;
  struct expr_symbol_set *wanted;
  struct expr_list nodes; /* operands first */
  uint32_t *first;        /* of a node: 1 + its first share */
  VECTOR(struct share) shares;
  VECTOR(struct expr_operand) pairs;
};

static void add_share(struct gradient *g, expr to, expr value, uint32_t number) {
  if (value == ID_ZERO) return;
  vector_push(&g->shares, ((struct share){value, number, g->first[to]}));
  g->first[to] = g->shares.count;
}

/* The derivative by a node whose shares are all there. */
static expr sum_of_shares(struct gradient *g, expr e) {
  g->pairs.count = 0;
  for (uint32_t at = g->first[e]; at != 0; at = g->shares.items[at - 1].next) {
    struct expr_operand pair = {g->shares.items[at - 1].value, g->shares.items[at - 1].number};
    vector_push(&g->pairs, pair);
  }
  return sum_of_pairs(g->graph, g->pairs.items, g->pairs.count, NUMBER_ZERO);
}

static bool goes_forward(const struct expr_graph *graph, expr e) {
  enum expr_operator kind = node_operator(graph, e);
  return kind == EXPR_IF || kind == EXPR_MIN || kind == EXPR_MAX || product_is_long(graph, e);
}

static void share_forward(struct gradient *g, expr e, expr derivative) {
  struct expr_list symbols = {0};
  expr_symbols_of(g->graph, &e, 1, &symbols);
  for (uint32_t k = 0; k < symbols.count; k++) {
    if (!expr_symbol_set_touches(g->wanted, symbols.items[k])) continue;
    expr slope = expr_derivative(g->graph, e, symbols.items[k]);
    add_share(g, symbols.items[k], expr_multiply(g->graph, derivative, slope), NUMBER_ONE);
  }
  vector_free(&symbols);
}

/* What the operands of e get of the derivative by e. */
static void share_out(struct gradient *g, expr e, expr derivative) {
  struct expr_graph *graph = g->graph;
  enum expr_operator kind = node_operator(graph, e);
  if (goes_forward(graph, e)) {
    share_forward(g, e, derivative);
    return;
  }
  for (uint32_t i = 0; i < node_at(graph, e)->count; i++) {
    struct expr_operand operand = node_operand(graph, e, i);
    uint32_t number = operand.number;
    expr value = derivative;
    if (!expr_symbol_set_touches(g->wanted, operand.node)) continue;
    if (kind == EXPR_PRODUCT) {
      value = product_differentiated(graph, e, i, derivative, &number);
    } else if (kind != EXPR_SUM) {
      expr seeds[3] = {ID_ZERO, ID_ZERO, ID_ZERO};
      seeds[i] = ID_ONE;
      value = expr_multiply(graph, derivative, function_derivative(graph, e, seeds));
      number = NUMBER_ONE;
    }
    add_share(g, operand.node, value, number);
  }
}

void expr_gradient(struct expr_graph *graph, expr e, const expr *symbols, size_t count, expr *out) {
  struct gradient g = {.graph = graph, .wanted = expr_symbol_set_new(graph)};
  g.first = checked_calloc((size_t)graph->nodes.count + 1, sizeof *g.first);
  for (size_t i = 0; i < count; i++) expr_symbol_set_add(g.wanted, symbols[i]);
  graph_walk(graph, &e, 1, &g.nodes);
  add_share(&g, e, ID_ONE, NUMBER_ONE);
  for (uint32_t k = g.nodes.count; k-- > 0 && !graph->full;) {
    expr node = g.nodes.items[k];
    if (g.first[node] == 0 || node_operator(graph, node) == EXPR_SYMBOL) continue;
    if (expr_symbol_set_touches(g.wanted, node)) share_out(&g, node, sum_of_shares(&g, node));
  }
  for (size_t i = 0; i < count; i++) out[i] = graph->full ? ID_ZERO : sum_of_shares(&g, symbols[i]);
  expr_symbol_set_free(g.wanted);
  vector_free(&g.nodes);
  vector_free(&g.shares);
  vector_free(&g.pairs);
  free(g.first);
}
