/* Graph to program: a walk in operand order, with numbers renumbered to those in use. */
#include "expr/program.h"
#include "expr/graph.h"

struct maker {
  struct expr_graph *graph;
  struct map numbers; /* pool id + 1 -> index + 1 */
  VECTOR(uint32_t) used;
  VECTOR(struct program_operand) operands;
  struct expr_list symbols;
};

static uint32_t use_number(struct maker *maker, uint32_t number) {
  uint32_t known = map_get(&maker->numbers, (uint64_t)number + 1);
  if (known != 0) return known - 1;
  vector_push(&maker->used, number);
  map_set(&maker->numbers, (uint64_t)number + 1, maker->used.count);
  return maker->used.count - 1;
}

static struct program_step make_step(struct maker *maker, expr e) {
  struct expr_graph *graph = maker->graph;
  const struct expr_node *node = node_at(graph, e);
  struct program_step step = {
      .operator_ = node->operator_, .first = maker->operands.count, .count = node->count};
  bool weighted = node->operator_ == EXPR_SUM || node->operator_ == EXPR_PRODUCT;
  if (node->operator_ == EXPR_SYMBOL) {
    step.symbol = maker->symbols.count;
    vector_push(&maker->symbols, e);
  } else if (weighted || node->operator_ == EXPR_NUMBER) {
    step.number = use_number(maker, node->number);
  }
  for (uint32_t i = 0; i < node->count; i++) {
    struct expr_operand operand = graph->operands.items[node->first + i];
    struct program_operand made = {graph->positions.items[operand.node], 0};
    if (weighted) made.number = use_number(maker, operand.number);
    vector_push(&maker->operands, made);
  }
  return step;
}

void program_make(struct program *program, struct expr_graph *graph, const expr *roots,
                  size_t count) {
  struct maker maker = {.graph = graph};
  struct expr_list nodes = {0};
  *program = (struct program){.root_count = (uint32_t)count};
  graph_walk(graph, roots, count, &nodes);
  program->steps = checked_malloc((nodes.count + 1) * sizeof *program->steps);
  program->step_count = nodes.count;
  for (uint32_t i = 0; i < nodes.count; i++) program->steps[i] = make_step(&maker, nodes.items[i]);
  program->roots = checked_malloc((count + 1) * sizeof *program->roots);
  for (size_t i = 0; i < count; i++) program->roots[i] = graph->positions.items[roots[i]];
  program->number_count = maker.used.count;
  program->numbers = checked_malloc((maker.used.count + 1) * sizeof *program->numbers);
  program->doubles = checked_malloc((maker.used.count + 1) * sizeof *program->doubles);
  for (uint32_t i = 0; i < maker.used.count; i++) {
    program->numbers[i] = graph->numbers.items[maker.used.items[i]].exact;
    program->doubles[i] = graph->numbers.items[maker.used.items[i]].value;
  }
  program->operands = maker.operands.items;
  program->operand_count = maker.operands.count;
  program->symbols = maker.symbols.items;
  program->symbol_count = maker.symbols.count;
  vector_free(&nodes);
  vector_free(&maker.used);
  map_free(&maker.numbers);
}

void program_clear(struct program *program) {
  free(program->steps);
  free(program->operands);
  free(program->numbers);
  free(program->doubles);
  free(program->symbols);
  free(program->roots);
}
