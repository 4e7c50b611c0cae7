/* Names for shared subexpressions.
 *
 * Every node has a size: how many symbols, numbers and operators a reader sees, counting a named
 * part as one. Going from the leaves up, a node used more than once is named when writing it out
 * again would cost much: at least SIZE_SMALL, and SAVING over all repetitions. As named parts count
 * as one afterwards, printed text stays proportional to the graph. */
#include "expr/print.h"
#include "expr/symbol_latex.h"
#include <string.h>

enum { SIZE_SMALL = 8, SAVING = 20, SIZE_LIMIT = 1 << 30 };

void expr_printer_name(struct expr_printer *printer, expr node, const char *name,
                       const char *latex) {
  const char *label = name;
  struct text made = {0};
  if (printer->format == EXPR_LATEX) {
    if (latex == NULL) {
      symbol_latex(&made, name);
      latex = text_string(&made);
    }
    label = latex;
  }
  label = arena_string(&printer->arena, label, strlen(label));
  text_free(&made);
  vector_push(&printer->labels, label);
  map_set(&printer->names, node, printer->labels.count);
}

/* ---- choosing */

static bool is_leaf(const struct expr_graph *graph, expr e) {
  return node_at(graph, e)->count == 0;
}

/* Appearances of every node of the walk as an operand or root. */
static uint32_t *count_uses(struct expr_printer *printer, const struct expr_list *nodes) {
  const struct expr_graph *graph = printer->graph;
  uint32_t *uses = checked_calloc(nodes->count + 1, sizeof *uses);
  for (uint32_t i = 0; i < printer->roots.count; i++)
    uses[graph->positions.items[printer->roots.items[i]]]++;
  for (uint32_t i = 0; i < nodes->count; i++)
    for (uint32_t k = 0; k < node_at(graph, nodes->items[i])->count; k++)
      uses[graph->positions.items[node_argument(graph, nodes->items[i], k)]]++;
  return uses;
}

static uint32_t size_of(const struct expr_graph *graph, expr e, const uint32_t *sizes) {
  const struct expr_node *node = node_at(graph, e);
  uint64_t size = 1;
  bool weighted = node->operator_ == EXPR_SUM || node->operator_ == EXPR_PRODUCT;
  if (weighted && node->number != (node->operator_ == EXPR_SUM ? NUMBER_ZERO : NUMBER_ONE)) size++;
  for (uint32_t i = 0; i < node->count; i++) {
    struct expr_operand operand = node_operand(graph, e, i);
    size += sizes[graph->positions.items[operand.node]];
    if (weighted && operand.number != NUMBER_ONE) size++;
  }
  return size > SIZE_LIMIT ? SIZE_LIMIT : (uint32_t)size;
}

static bool is_worth_a_name(const struct expr_graph *graph, expr e, uint32_t uses, uint32_t size) {
  if (uses < 2 || size < SIZE_SMALL || is_leaf(graph, e) || expr_is_truth(graph, e)) return false;
  return (uint64_t)(uses - 1) * size >= SAVING;
}

/* Names of all symbols, by hash, to keep new names apart from them. */
static void hash_names(const struct expr_printer *printer, struct map *taken) {
  const struct expr_graph *graph = printer->graph;
  for (uint32_t i = 0; i < graph->symbols.count; i++) {
    const char *name = graph->symbols.items[i].name;
    map_set(taken, hash_bytes(name, strlen(name), 0) | 1, 1);
  }
}

static const char *next_name(struct expr_printer *printer, const struct map *taken,
                             const char *prefix, uint32_t *number) {
  for (;;) {
    const char *name = arena_format(&printer->arena, "%s%u", prefix, ++*number);
    if (map_get(taken, hash_bytes(name, strlen(name), 0) | 1) == 0) return name;
  }
}

void expr_printer_name_shared(struct expr_printer *printer, const char *prefix) {
  struct expr_graph *graph = printer->graph;
  struct expr_list nodes = {0};
  struct map taken = {0};
  uint32_t number = 0;
  graph_walk(graph, printer->roots.items, printer->roots.count, &nodes);
  uint32_t *uses = count_uses(printer, &nodes);
  uint32_t *sizes = checked_calloc(nodes.count + 1, sizeof *sizes);
  hash_names(printer, &taken);
  for (uint32_t i = 0; i < nodes.count; i++) {
    expr e = nodes.items[i];
    sizes[i] = map_get(&printer->names, e) != 0 ? 1 : size_of(graph, e, sizes);
    if (!is_worth_a_name(graph, e, uses[i], sizes[i])) continue;
    const char *name = next_name(printer, &taken, prefix, &number);
    expr_printer_name(printer, e, name, NULL);
    struct definition definition = {e, name};
    vector_push(&printer->definitions, definition);
    sizes[i] = 1;
  }
  free(uses);
  free(sizes);
  map_free(&taken);
  vector_free(&nodes);
}

uint32_t expr_printer_definition_count(const struct expr_printer *printer) {
  return printer->definitions.count;
}

expr expr_printer_definition(const struct expr_printer *printer, uint32_t index,
                             const char **name) {
  *name = printer->definitions.items[index].name;
  return printer->definitions.items[index].node;
}
