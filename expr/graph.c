/* The store of nodes: hash-consing, limits, and reading access. */
#include "expr/graph.h"
#include <string.h>

enum { DEFAULT_NODE_LIMIT = 20 * 1000 * 1000, OPERANDS_PER_NODE = 6 };

static void grow_slots(struct expr_graph *graph) {
  uint32_t wanted = graph->slot_count == 0 ? 1024 : graph->slot_count * 2;
  free(graph->slots);
  graph->slots = checked_calloc(wanted, sizeof *graph->slots);
  graph->slot_count = wanted;
  for (uint32_t id = 1; id < graph->nodes.count; id++) {
    uint32_t hash = graph->nodes.items[id].hash, at = hash & (wanted - 1);
    while (graph->slots[at].id != 0) at = (at + 1) & (wanted - 1);
    graph->slots[at] = (struct node_slot){hash, id};
  }
}

struct expr_graph *expr_graph_new(uint32_t node_limit) {
  struct expr_graph *graph = checked_calloc(1, sizeof *graph);
  arena_init(&graph->arena);
  graph->node_limit = node_limit == 0 ? DEFAULT_NODE_LIMIT : node_limit;
  if (graph->node_limit < 16) graph->node_limit = 16;
  if (graph->node_limit > UINT32_MAX / 2) graph->node_limit = UINT32_MAX / 2;
  graph->operand_limit = (uint64_t)graph->node_limit * OPERANDS_PER_NODE;
  if (graph->operand_limit < 4096) graph->operand_limit = 4096;
  if (graph->operand_limit > UINT32_MAX / 2) graph->operand_limit = UINT32_MAX / 2;
  struct expr_node none = {0};
  vector_push(&graph->nodes, none);
  vector_push(&graph->masks, 0);
  vector_reserve(&graph->operands, 256); /* never NULL, so that offsets into them are defined */
  vector_reserve(&graph->scratch, 256);
  grow_slots(graph);
  numbers_init(graph);
  node_number(graph, NUMBER_ZERO);
  node_number(graph, NUMBER_ONE);
  node_intern(graph, EXPR_PI, NUMBER_ZERO, NULL, 0);
  node_intern(graph, EXPR_TRUE, NUMBER_ZERO, NULL, 0);
  node_intern(graph, EXPR_FALSE, NUMBER_ZERO, NULL, 0);
  return graph;
}

void expr_graph_free(struct expr_graph *graph) {
  if (graph == NULL) return;
  numbers_clear(graph);
  vector_free(&graph->nodes);
  vector_free(&graph->masks);
  vector_free(&graph->operands);
  vector_free(&graph->symbols);
  vector_free(&graph->scratch);
  vector_free(&graph->folds);
  vector_free(&graph->stamps);
  vector_free(&graph->positions);
  map_free(&graph->primitive_of);
  map_free(&graph->content_of);
  free(graph->slots);
  arena_clear(&graph->arena);
  free(graph);
}

bool expr_graph_is_full(const struct expr_graph *graph) {
  return graph->full;
}

uint32_t expr_graph_size(const struct expr_graph *graph) {
  return graph->nodes.count - 1;
}

/* ---- hash-consing */

bool operator_is_truth(enum expr_operator operator_) {
  switch (operator_) {
  case EXPR_LESS:
  case EXPR_LESS_EQUAL:
  case EXPR_EQUAL:
  case EXPR_AND:
  case EXPR_OR:
  case EXPR_NOT:
  case EXPR_TRUE:
  case EXPR_FALSE:
    return true;
  default:
    return false;
  }
}

static uint32_t hash_node(enum expr_operator operator_, uint32_t number,
                          const struct expr_operand *operands, uint32_t count) {
  uint64_t hash =
      hash_mix(((uint64_t)operator_ << 32 | number) + (uint64_t)count * 0x9e3779b97f4a7c15u);
  for (uint32_t i = 0; i < count; i++)
    hash = hash_mix(hash ^ ((uint64_t)operands[i].node << 32 | operands[i].number));
  return (uint32_t)(hash ^ hash >> 32);
}

/* A positive integer exponent, else 0. */
static int64_t positive_power(const struct expr_graph *graph, uint32_t number) {
  struct rational power = graph->numbers.items[number].small;
  return power.denominator == 1 && power.numerator > 0 ? power.numerator : 0;
}

static uint8_t flags_of(const struct expr_graph *graph, enum expr_operator operator_,
                        const struct expr_operand *operands, uint32_t count) {
  if (operator_ != EXPR_PRODUCT) return 0;
  int64_t degree = 0;
  for (uint32_t i = 0; i < count && degree < 2; i++) {
    enum expr_operator inner = node_operator(graph, operands[i].node);
    if (inner == EXPR_SIN || inner == EXPR_COS) {
      int64_t power = positive_power(graph, operands[i].number);
      degree += power > 2 ? 2 : power;
    }
  }
  return degree >= 2 ? NODE_FOLDABLE : 0;
}

/* Index in the pool of operands that lie in it, or of a copy of them. */
static uint32_t place_operands(struct expr_graph *graph, const struct expr_operand *operands,
                               uint32_t count) {
  uintptr_t pool = (uintptr_t)graph->operands.items, at = (uintptr_t)operands;
  if (at >= pool && at < pool + graph->operands.count * sizeof *operands)
    return (uint32_t)((at - pool) / sizeof *operands);
  uint32_t first = graph->operands.count;
  if (count == 0) return first;
  vector_reserve(&graph->operands, (size_t)first + count);
  memcpy(graph->operands.items + first, operands, count * sizeof *operands);
  graph->operands.count += count;
  return first;
}

static expr refuse(struct expr_graph *graph, enum expr_operator operator_) {
  graph->full = true;
  return operator_is_truth(operator_) ? ID_FALSE : ID_ZERO;
}

expr node_intern(struct expr_graph *graph, enum expr_operator operator_, uint32_t number,
                 const struct expr_operand *operands, uint32_t count) {
  uint32_t hash = hash_node(operator_, number, operands, count);
  uint32_t mask = graph->slot_count - 1, at = hash & mask;
  for (; graph->slots[at].id != 0; at = (at + 1) & mask) {
    if (graph->slots[at].hash != hash) continue;
    expr id = graph->slots[at].id;
    const struct expr_node *node = node_at(graph, id);
    if (node->operator_ == operator_ && node->number == number && node->count == count &&
        (count == 0 ||
         memcmp(graph->operands.items + node->first, operands, count * sizeof *operands) == 0))
      return id;
  }
  if (graph->full || graph->nodes.count > graph->node_limit ||
      graph->operands.count + (uint64_t)count > graph->operand_limit)
    return refuse(graph, operator_);
  uint64_t symbols = operator_ == EXPR_SYMBOL ? (uint64_t)1 << (number & 63) : 0;
  for (uint32_t i = 0; i < count; i++) symbols |= graph->masks.items[operands[i].node];
  struct expr_node node = {(uint8_t)operator_,
                           flags_of(graph, operator_, operands, count),
                           0,
                           hash,
                           number,
                           place_operands(graph, operands, count),
                           count};
  graph->slots[at] = (struct node_slot){hash, graph->nodes.count};
  vector_push(&graph->nodes, node);
  vector_push(&graph->masks, symbols);
  expr id = graph->nodes.count - 1;
  if (graph->nodes.count * (uint64_t)2 > graph->slot_count) grow_slots(graph);
  return id;
}

expr node_unary(struct expr_graph *graph, enum expr_operator operator_, expr a) {
  struct expr_operand operand = {a, NUMBER_ZERO};
  return node_intern(graph, operator_, NUMBER_ZERO, &operand, 1);
}

expr node_binary(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b) {
  struct expr_operand operands[2] = {{a, NUMBER_ZERO}, {b, NUMBER_ZERO}};
  return node_intern(graph, operator_, NUMBER_ZERO, operands, 2);
}

expr node_number(struct expr_graph *graph, uint32_t number) {
  return node_intern(graph, EXPR_NUMBER, number, NULL, 0);
}

/* ---- collecting like operands */

static int by_node(const void *left, const void *right) {
  expr a = ((const struct expr_operand *)left)->node,
       b = ((const struct expr_operand *)right)->node;
  return (a > b) - (a < b);
}

static void sort_operands(struct expr_operand *items, uint32_t count) {
  if (count > 24) {
    qsort(items, count, sizeof *items, by_node);
    return;
  }
  for (uint32_t i = 1; i < count; i++) {
    struct expr_operand moved = items[i];
    uint32_t j = i;
    for (; j > 0 && items[j - 1].node > moved.node; j--) items[j] = items[j - 1];
    items[j] = moved;
  }
}

void scratch_collect(struct expr_graph *graph, uint32_t base) {
  struct expr_operand *items = graph->scratch.items + base;
  uint32_t count = graph->scratch.count - base, kept = 0;
  sort_operands(items, count);
  for (uint32_t i = 0; i < count;) {
    expr node = items[i].node;
    uint32_t number = items[i].number;
    for (i++; i < count && items[i].node == node; i++)
      number = number_add(graph, number, items[i].number);
    if (number != NUMBER_ZERO) items[kept++] = (struct expr_operand){node, number};
  }
  graph->scratch.count = base + kept;
}

/* ---- reading */

enum expr_operator expr_operator_of(const struct expr_graph *graph, expr e) {
  return node_operator(graph, e);
}

const struct expr_operand *expr_operands(const struct expr_graph *graph, expr e, uint32_t *count) {
  const struct expr_node *node = node_at(graph, e);
  *count = node->count;
  return graph->operands.items + node->first;
}

mpq_srcptr expr_constant(const struct expr_graph *graph, expr e) {
  return graph->numbers.items[node_at(graph, e)->number].exact;
}

mpq_srcptr expr_pool_number(const struct expr_graph *graph, uint32_t number) {
  return graph->numbers.items[number].exact;
}

double expr_pool_double(const struct expr_graph *graph, uint32_t number) {
  return graph->numbers.items[number].value;
}

bool expr_is_number(const struct expr_graph *graph, expr e) {
  return node_operator(graph, e) == EXPR_NUMBER;
}

bool expr_is_integer_value(const struct expr_graph *graph, expr e, long value) {
  long actual;
  return expr_get_long(graph, e, &actual) && actual == value;
}

bool expr_is_truth(const struct expr_graph *graph, expr e) {
  return operator_is_truth(node_operator(graph, e));
}

bool expr_get_long(const struct expr_graph *graph, expr e, long *value) {
  return expr_is_number(graph, e) && number_get_long(graph, node_at(graph, e)->number, value);
}
