/* Forward derivatives, memoised per tangent: d(e) for seeds given to some symbols. Parts that
 * hold none of the seeded symbols are recognised by the masks of symbols in the graph and cost
 * nothing. Rules of the single functions are in function_derivative.c. */
#include "expr/graph.h"

/* Products of more factors than this are differentiated as two halves, (LR)' = L'R + LR', so that
 * a product of n factors costs n log n and not n^2. */
enum { LONG_PRODUCT = 12 };

struct expr_tangent {
  struct expr_graph *graph;
  struct node_memo memo;
  uint64_t seeds; /* mask of the seeded symbols */
  bool used;
  VECTOR(struct expr_operand) pairs;
  VECTOR(expr) stack;
};

struct expr_tangent *expr_tangent_new(struct expr_graph *graph) {
  struct expr_tangent *tangent = checked_calloc(1, sizeof *tangent);
  tangent->graph = graph;
  node_memo_reserve(&tangent->memo, graph);
  return tangent;
}

void expr_tangent_free(struct expr_tangent *tangent) {
  if (tangent == NULL) return;
  free(tangent->memo.items);
  vector_free(&tangent->pairs);
  vector_free(&tangent->stack);
  free(tangent);
}

void expr_tangent_seed(struct expr_tangent *tangent, expr symbol, expr derivative) {
  if (node_operator(tangent->graph, symbol) != EXPR_SYMBOL) {
    if (tangent->graph->full) return;
    bug("a tangent is seeded at symbols only");
  }
  if (tangent->used) bug("a tangent is seeded before it is used");
  node_memo_reserve(&tangent->memo, tangent->graph);
  tangent->memo.items[symbol] = derivative;
  tangent->seeds |= tangent->graph->masks.items[symbol];
}

/* 0 where it is not known yet. */
static expr known(struct expr_tangent *tangent, expr e) {
  if ((tangent->graph->masks.items[e] & tangent->seeds) == 0) return ID_ZERO;
  node_memo_reserve(&tangent->memo, tangent->graph);
  return tangent->memo.items[e];
}

static expr half_product(struct expr_graph *graph, expr product, bool second) {
  const struct expr_node parts = *node_at(graph, product);
  uint32_t middle = parts.count / 2;
  uint32_t first = second ? middle : 0, count = second ? parts.count - middle : middle;
  return node_intern(graph, EXPR_PRODUCT, NUMBER_ONE, graph->operands.items + parts.first + first,
                     count);
}

bool product_is_long(const struct expr_graph *graph, expr e) {
  const struct expr_node *node = node_at(graph, e);
  return node->operator_ == EXPR_PRODUCT && node->count > LONG_PRODUCT;
}

/* Pushes the operands whose derivatives are still missing; true if there are any. */
static bool push_missing(struct expr_tangent *tangent, expr e) {
  struct expr_graph *graph = tangent->graph;
  uint32_t height = tangent->stack.count;
  if (product_is_long(graph, e)) {
    for (int half = 0; half < 2; half++) {
      expr part = half_product(graph, e, half == 1);
      if (known(tangent, part) == 0) vector_push(&tangent->stack, part);
    }
    return tangent->stack.count > height;
  }
  const struct expr_node *node = node_at(graph, e);
  for (uint32_t i = 0; i < node->count; i++) {
    expr operand = graph->operands.items[node->first + i].node;
    if (known(tangent, operand) == 0) vector_push(&tangent->stack, operand);
  }
  return tangent->stack.count > height;
}

static void push_pair(struct expr_tangent *tangent, expr node, uint32_t number) {
  struct expr_operand pair = {node, number};
  vector_push(&tangent->pairs, pair);
}

static expr sum_derivative(struct expr_tangent *tangent, expr e) {
  struct expr_graph *graph = tangent->graph;
  tangent->pairs.count = 0;
  for (uint32_t i = 0; i < node_at(graph, e)->count; i++) {
    struct expr_operand term = node_operand(graph, e, i);
    expr derivative = known(tangent, term.node);
    if (derivative != ID_ZERO) push_pair(tangent, derivative, term.number);
  }
  return sum_of_pairs(graph, tangent->pairs.items, tangent->pairs.count, NUMBER_ZERO);
}

expr product_differentiated(struct expr_graph *graph, expr e, uint32_t i, expr derivative,
                            uint32_t *number) {
  uint32_t base = graph->scratch.count;
  for (uint32_t j = 0; j < node_at(graph, e)->count; j++) {
    struct expr_operand factor = node_operand(graph, e, j);
    if (j == i) {
      *number = number_multiply(graph, node_at(graph, e)->number, factor.number);
      factor.number = number_subtract(graph, factor.number, NUMBER_ONE);
    }
    if (factor.number != NUMBER_ZERO) scratch_push(graph, factor.node, factor.number);
  }
  scratch_push(graph, derivative, NUMBER_ONE);
  return product_of_scratch(graph, base, NUMBER_ONE);
}

static expr product_derivative(struct expr_tangent *tangent, expr e) {
  struct expr_graph *graph = tangent->graph;
  tangent->pairs.count = 0;
  if (product_is_long(graph, e)) {
    uint32_t coefficient = node_at(graph, e)->number;
    expr left = half_product(graph, e, false), right = half_product(graph, e, true);
    push_pair(tangent, expr_multiply(graph, known(tangent, left), right), coefficient);
    push_pair(tangent, expr_multiply(graph, left, known(tangent, right)), coefficient);
  } else {
    uint32_t count = node_at(graph, e)->count;
    for (uint32_t i = 0; i < count; i++) {
      expr derivative = known(tangent, node_argument(graph, e, i));
      if (derivative == ID_ZERO) continue;
      uint32_t number = NUMBER_ONE;
      expr term = product_differentiated(graph, e, i, derivative, &number);
      push_pair(tangent, term, number);
    }
  }
  return sum_of_pairs(graph, tangent->pairs.items, tangent->pairs.count, NUMBER_ZERO);
}

static expr compute(struct expr_tangent *tangent, expr e) {
  struct expr_graph *graph = tangent->graph;
  switch (node_operator(graph, e)) {
  case EXPR_NUMBER:
  case EXPR_PI:
  case EXPR_SYMBOL:
    return ID_ZERO; /* seeded symbols are in the memo from the start */
  case EXPR_SUM:
    return sum_derivative(tangent, e);
  case EXPR_PRODUCT:
    return product_derivative(tangent, e);
  default:
    break;
  }
  expr derivatives[3] = {ID_ZERO, ID_ZERO, ID_ZERO};
  for (uint32_t i = 0; i < node_at(graph, e)->count && i < 3; i++)
    derivatives[i] = known(tangent, node_argument(graph, e, i));
  return function_derivative(graph, e, derivatives);
}

expr expr_tangent_of(struct expr_tangent *tangent, expr e) {
  expr result = known(tangent, e);
  if (result != 0) return result;
  tangent->used = true;
  vector_push(&tangent->stack, e);
  while (tangent->stack.count > 0) {
    expr top = vector_last(&tangent->stack);
    if (known(tangent, top) != 0) {
      tangent->stack.count--;
      continue;
    }
    if (!tangent->graph->full && push_missing(tangent, top)) continue;
    result = tangent->graph->full ? ID_ZERO : compute(tangent, top);
    node_memo_reserve(&tangent->memo, tangent->graph);
    tangent->memo.items[top] = result;
    tangent->stack.count--;
  }
  return tangent->memo.items[e];
}

expr expr_derivative(struct expr_graph *graph, expr e, expr symbol) {
  struct expr_tangent *tangent = expr_tangent_new(graph);
  expr_tangent_seed(tangent, symbol, ID_ONE);
  expr result = expr_tangent_of(tangent, e);
  expr_tangent_free(tangent);
  return result;
}
