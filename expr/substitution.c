/* Substitution of expressions for symbols, memoised; what holds none of the symbols is kept as it
 * is. */
#include "expr/graph.h"

struct expr_substitution {
  struct expr_graph *graph;
  struct node_memo memo;
  uint64_t symbols;
  bool used;
  VECTOR(expr) stack;
  VECTOR(expr) mapped;
};

struct expr_substitution *expr_substitution_new(struct expr_graph *graph) {
  struct expr_substitution *substitution = checked_calloc(1, sizeof *substitution);
  substitution->graph = graph;
  node_memo_reserve(&substitution->memo, graph);
  return substitution;
}

void expr_substitution_free(struct expr_substitution *substitution) {
  if (substitution == NULL) return;
  free(substitution->memo.items);
  vector_free(&substitution->stack);
  vector_free(&substitution->mapped);
  free(substitution);
}

void expr_substitution_add(struct expr_substitution *substitution, expr symbol, expr replacement) {
  if (node_operator(substitution->graph, symbol) != EXPR_SYMBOL) {
    if (substitution->graph->full) return;
    bug("only symbols are substituted");
  }
  if (substitution->used) bug("a substitution is complete before it is used");
  node_memo_reserve(&substitution->memo, substitution->graph);
  substitution->memo.items[symbol] = replacement;
  substitution->symbols |= substitution->graph->masks.items[symbol];
}

/* 0 where it is not known yet. */
static expr known(struct expr_substitution *substitution, expr e) {
  struct expr_graph *graph = substitution->graph;
  if ((graph->masks.items[e] & substitution->symbols) == 0) return e;
  node_memo_reserve(&substitution->memo, graph);
  return substitution->memo.items[e];
}

static expr rebuild_sum_or_product(struct expr_graph *graph, expr e, const expr *mapped) {
  const struct expr_node parts = *node_at(graph, e);
  struct expr_operand few[16];
  struct expr_operand *pairs = parts.count > 16 ? checked_malloc(parts.count * sizeof *pairs) : few;
  for (uint32_t i = 0; i < parts.count; i++)
    pairs[i] = (struct expr_operand){mapped[i], graph->operands.items[parts.first + i].number};
  expr result = parts.operator_ == EXPR_SUM
                    ? sum_of_pairs(graph, pairs, parts.count, parts.number)
                    : product_of_pairs(graph, pairs, parts.count, parts.number);
  if (pairs != few) free(pairs);
  return result;
}

expr node_rebuild(struct expr_graph *graph, expr e, const expr *mapped) {
  enum expr_operator operator_ = node_operator(graph, e);
  switch (operator_) {
  case EXPR_SUM:
  case EXPR_PRODUCT:
    return rebuild_sum_or_product(graph, e, mapped);
  case EXPR_IF:
    return expr_if(graph, mapped[0], mapped[1], mapped[2]);
  default:
    break;
  }
  switch (node_at(graph, e)->count) {
  case 0:
    return e;
  case 1:
    return expr_unary(graph, operator_, mapped[0]);
  default:
    return expr_binary(graph, operator_, mapped[0], mapped[1]);
  }
}

static bool push_missing(struct expr_substitution *substitution, expr e) {
  const struct expr_node *node = node_at(substitution->graph, e);
  uint32_t height = substitution->stack.count;
  for (uint32_t i = 0; i < node->count; i++) {
    expr operand = substitution->graph->operands.items[node->first + i].node;
    if (known(substitution, operand) == 0) vector_push(&substitution->stack, operand);
  }
  return substitution->stack.count > height;
}

static expr compute(struct expr_substitution *substitution, expr e) {
  struct expr_graph *graph = substitution->graph;
  if (graph->full) return expr_is_truth(graph, e) ? ID_FALSE : ID_ZERO;
  bool changed = false;
  substitution->mapped.count = 0;
  for (uint32_t i = 0; i < node_at(graph, e)->count; i++) {
    expr operand = node_argument(graph, e, i), image = known(substitution, operand);
    changed = changed || image != operand;
    vector_push(&substitution->mapped, image);
  }
  return changed ? node_rebuild(graph, e, substitution->mapped.items) : e;
}

expr expr_substitution_of(struct expr_substitution *substitution, expr e) {
  expr result = known(substitution, e);
  if (result != 0) return result;
  substitution->used = true;
  vector_push(&substitution->stack, e);
  while (substitution->stack.count > 0) {
    expr top = vector_last(&substitution->stack);
    if (known(substitution, top) != 0) {
      substitution->stack.count--;
      continue;
    }
    if (!substitution->graph->full && push_missing(substitution, top)) continue;
    result = compute(substitution, top);
    node_memo_reserve(&substitution->memo, substitution->graph);
    substitution->memo.items[top] = result;
    substitution->stack.count--;
  }
  return substitution->memo.items[e];
}
