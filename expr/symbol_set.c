/* Does an expression depend on one of some symbols? The masks of the graph answer most questions
 * at once; with more than 64 symbols the rest needs a memoised walk. */
#include "expr/graph.h"

enum { ANSWER_NO = 1, ANSWER_YES = 2 };

struct expr_symbol_set {
  struct expr_graph *graph;
  struct node_memo memo;
  uint64_t symbols;
  bool used;
  VECTOR(expr) stack;
};

struct expr_symbol_set *expr_symbol_set_new(struct expr_graph *graph) {
  struct expr_symbol_set *set = checked_calloc(1, sizeof *set);
  set->graph = graph;
  node_memo_reserve(&set->memo, graph);
  return set;
}

void expr_symbol_set_free(struct expr_symbol_set *set) {
  if (set == NULL) return;
  free(set->memo.items);
  vector_free(&set->stack);
  free(set);
}

void expr_symbol_set_add(struct expr_symbol_set *set, expr symbol) {
  if (node_operator(set->graph, symbol) != EXPR_SYMBOL) {
    if (set->graph->full) return;
    bug("only symbols belong to a symbol set");
  }
  if (set->used) bug("a symbol set is complete before it is used");
  node_memo_reserve(&set->memo, set->graph);
  set->memo.items[symbol] = ANSWER_YES;
  set->symbols |= set->graph->masks.items[symbol];
}

static expr known(struct expr_symbol_set *set, expr e) {
  if ((set->graph->masks.items[e] & set->symbols) == 0) return ANSWER_NO;
  if (set->graph->symbols.count <= 64) return ANSWER_YES;
  return set->memo.items[e];
}

/* Answers e from its operands, or pushes those that have no answer yet. */
static void step(struct expr_symbol_set *set, expr e) {
  const struct expr_node *node = node_at(set->graph, e);
  uint32_t height = set->stack.count;
  for (uint32_t i = 0; i < node->count; i++) {
    expr operand = set->graph->operands.items[node->first + i].node, answer = known(set, operand);
    if (answer == ANSWER_YES) {
      set->memo.items[e] = ANSWER_YES;
      set->stack.count = height;
      return;
    }
    if (answer == 0) vector_push(&set->stack, operand);
  }
  if (set->stack.count == height) set->memo.items[e] = ANSWER_NO;
}

bool expr_symbol_set_touches(struct expr_symbol_set *set, expr e) {
  node_memo_reserve(&set->memo, set->graph);
  if (known(set, e) != 0) return known(set, e) == ANSWER_YES;
  set->used = true;
  vector_push(&set->stack, e);
  while (set->stack.count > 0) {
    expr top = vector_last(&set->stack);
    if (known(set, top) != 0)
      set->stack.count--;
    else
      step(set, top);
  }
  return known(set, e) == ANSWER_YES;
}
