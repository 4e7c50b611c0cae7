/* Walks over what some roots need, with an explicit stack: graphs can be a million nodes deep. */
#include "expr/graph.h"
#include <string.h>

static void prepare_marks(struct expr_graph *graph) {
  uint32_t have = graph->stamps.count, want = graph->nodes.count;
  if (have < want) {
    vector_reserve(&graph->stamps, want);
    vector_reserve(&graph->positions, want);
    memset(graph->stamps.items + have, 0, (want - have) * sizeof *graph->stamps.items);
    graph->stamps.count = graph->positions.count = want;
  }
  if (++graph->stamp == 0) {
    memset(graph->stamps.items, 0, want * sizeof *graph->stamps.items);
    graph->stamp = 1;
  }
}

struct visit {
  expr node;
  uint32_t next; /* operand to look at */
};

void graph_walk(struct expr_graph *graph, const expr *roots, size_t count, struct expr_list *out) {
  VECTOR(struct visit) stack = {0};
  prepare_marks(graph);
  for (size_t r = 0; r < count; r++) {
    if (roots[r] == 0 || graph->stamps.items[roots[r]] == graph->stamp) continue;
    struct visit root = {roots[r], 0};
    graph->stamps.items[roots[r]] = graph->stamp;
    vector_push(&stack, root);
    while (stack.count > 0) {
      struct visit *top = &vector_last(&stack);
      const struct expr_node *node = node_at(graph, top->node);
      expr found = 0;
      while (top->next < node->count && found == 0) {
        expr operand = graph->operands.items[node->first + top->next++].node;
        if (graph->stamps.items[operand] != graph->stamp) found = operand;
      }
      if (found != 0) {
        struct visit below = {found, 0};
        graph->stamps.items[found] = graph->stamp;
        vector_push(&stack, below);
        continue;
      }
      graph->positions.items[top->node] = out->count;
      vector_push(out, top->node);
      stack.count--;
    }
  }
  vector_free(&stack);
}

void node_memo_reserve(struct node_memo *memo, const struct expr_graph *graph) {
  if (graph->nodes.count <= memo->capacity) return;
  uint32_t capacity = graph->nodes.count + graph->nodes.count / 2 + 64;
  expr *items = checked_calloc(capacity, sizeof *items); /* untouched pages cost nothing */
  if (memo->capacity > 0) memcpy(items, memo->items, memo->capacity * sizeof *items);
  free(memo->items);
  memo->items = items;
  memo->capacity = capacity;
}

static int by_id(const void *left, const void *right) {
  expr a = *(const expr *)left, b = *(const expr *)right;
  return (a > b) - (a < b);
}

void expr_symbols_of(struct expr_graph *graph, const expr *roots, size_t count,
                     struct expr_list *out) {
  struct expr_list nodes = {0};
  uint32_t first = out->count;
  graph_walk(graph, roots, count, &nodes);
  for (uint32_t i = 0; i < nodes.count; i++)
    if (node_operator(graph, nodes.items[i]) == EXPR_SYMBOL) vector_push(out, nodes.items[i]);
  if (out->count > first) qsort(out->items + first, out->count - first, sizeof *out->items, by_id);
  vector_free(&nodes);
}

uint32_t expr_reachable_count(struct expr_graph *graph, const expr *roots, size_t count) {
  struct expr_list nodes = {0};
  graph_walk(graph, roots, count, &nodes);
  uint32_t reachable = nodes.count;
  vector_free(&nodes);
  return reachable;
}
