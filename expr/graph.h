/* Inside of the expression graph, for the files of this folder only.
 *
 * Nodes are flat records; operands of all nodes lie in one pool; hash-consing uses an open
 * addressing table of ids. Ids grow with time, so operands always have smaller ids than the node
 * above them. Pointers into `nodes` and `operands` die with the next constructor: code that
 * builds while it reads copies what it needs first. */
#ifndef DYN_EXPR_GRAPH_H
#define DYN_EXPR_GRAPH_H
#include "base/arena.h"
#include "base/map.h"
#include "base/rational.h"
#include "base/vector.h"
#include "expr/expr.h"

/* Nodes that every graph has. */
enum { ID_ZERO = 1, ID_ONE = 2, ID_PI = 3, ID_TRUE = 4, ID_FALSE = 5, ID_FIRST_FREE = 6 };

/* Rationals that every pool has. Sums never hold a zero coefficient and products never a zero
 * exponent, so 0 also marks the plain arguments of functions. */
enum {
  NUMBER_ZERO = 0,
  NUMBER_ONE = 1,
  NUMBER_MINUS_ONE = 2,
  NUMBER_TWO = 3,
  NUMBER_HALF = 4,
  NUMBER_MINUS_HALF = 5
};

/* Sums and products of more operands than this are not dissolved when they become operands of
 * another sum or product: they count as single terms. Without it a row of partial sums
 * s_k = s_(k-1) + z_k, or the chain rule's products along a row of nested functions, would take
 * quadratic space. */
enum { SUM_FLATTEN_LIMIT = 512, PRODUCT_FLATTEN_LIMIT = 64 };

enum node_flag {
  NODE_FOLDABLE = 1 /* a product with a squared sine or cosine, or with two of them */
};

struct expr_node {
  uint8_t operator_;
  uint8_t flags;
  uint16_t unused;
  uint32_t hash;
  uint32_t number; /* sum: constant; product: coefficient; number: value; symbol: index */
  uint32_t first;  /* in `operands` */
  uint32_t count;
};

/* The hash stands with the id, so that a miss does not touch the node. */
struct node_slot {
  uint32_t hash;
  expr id; /* 0: empty */
};

struct number {
  struct rational small; /* denominator 0: does not fit 64 bits */
  double value;
  mpq_ptr exact;
};

struct symbol {
  const char *name, *latex;
  uint8_t rank;
};

/* Two terms of a sum that become one (angle_sum.c): which factors are taken out of the first of
 * them, the number in front of the new term, and its angle a - b or a + b. */
struct angle_fold {
  uint32_t term, left, right;
  uint32_t coefficient;
  uint8_t kind;
  bool subtract;
  expr a, b;
};

struct expr_graph {
  struct arena arena;             /* names, rationals' headers */
  VECTOR(struct expr_node) nodes; /* [0] is unused */
  VECTOR(uint64_t) masks;         /* per node: bit (i mod 64) is set if it depends on symbol i */
  VECTOR(struct expr_operand) operands;
  struct node_slot *slots; /* by hash */
  uint32_t slot_count;
  uint32_t node_limit;
  uint64_t operand_limit;
  bool full;

  VECTOR(struct number) numbers;
  uint32_t *number_slots; /* id + 1 */
  uint32_t number_slot_count;
  uint64_t number_bits; /* in rationals that do not fit 64 bits */

  VECTOR(struct symbol) symbols;
  struct map primitive_of, content_of; /* of sums, see product.c */

  /* Scratch stacks: whoever pushes remembers the height and restores it. */
  VECTOR(struct expr_operand) scratch;
  VECTOR(struct angle_fold) folds;
  uint32_t fold_depth;

  /* Marks of the current walk (walk.c): node i was met in walk `stamp[i]`, as `position[i]`. */
  VECTOR(uint32_t) stamps;
  VECTOR(uint32_t) positions;
  uint32_t stamp;
};

/* ---- nodes (graph.c) */
static inline const struct expr_node *node_at(const struct expr_graph *graph, expr e) {
  return &graph->nodes.items[e];
}
static inline enum expr_operator node_operator(const struct expr_graph *graph, expr e) {
  return (enum expr_operator)graph->nodes.items[e].operator_;
}
static inline struct expr_operand node_operand(const struct expr_graph *graph, expr e, uint32_t i) {
  return graph->operands.items[graph->nodes.items[e].first + i];
}
static inline expr node_argument(const struct expr_graph *graph, expr e, uint32_t i) {
  return node_operand(graph, e, i).node;
}
/* The node with these parts, found or made. `operands` may point into the pool, which is then
 * shared. Answers ID_ZERO (ID_FALSE for truth values) when the graph is full. */
expr node_intern(struct expr_graph *graph, enum expr_operator operator_, uint32_t number,
                 const struct expr_operand *operands, uint32_t count);
expr node_unary(struct expr_graph *graph, enum expr_operator operator_, expr a);
expr node_binary(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b);
expr node_number(struct expr_graph *graph, uint32_t number);
bool operator_is_truth(enum expr_operator operator_);

static inline void scratch_push(struct expr_graph *graph, expr node, uint32_t number) {
  struct expr_operand operand = {node, number};
  vector_push(&graph->scratch, operand);
}
/* Orders the scratch from `base` by node, adds up the numbers of equal nodes, drops zeros. */
void scratch_collect(struct expr_graph *graph, uint32_t base);

/* ---- rationals (number.c). Results beyond the size limit make the graph full. */
void numbers_init(struct expr_graph *graph);
void numbers_clear(struct expr_graph *graph);
uint32_t number_from_rational(struct expr_graph *graph, struct rational value);
uint32_t number_from_long(struct expr_graph *graph, long value);
uint32_t number_from_mpq(struct expr_graph *graph, mpq_srcptr value); /* canonical */
uint32_t number_add(struct expr_graph *graph, uint32_t a, uint32_t b);
uint32_t number_subtract(struct expr_graph *graph, uint32_t a, uint32_t b);
uint32_t number_multiply(struct expr_graph *graph, uint32_t a, uint32_t b);
uint32_t number_divide(struct expr_graph *graph, uint32_t a, uint32_t b); /* b not 0 */
uint32_t number_negate(struct expr_graph *graph, uint32_t a);
uint32_t number_floor(struct expr_graph *graph, uint32_t a);
int number_sign(const struct expr_graph *graph, uint32_t a);
int number_compare(const struct expr_graph *graph, uint32_t a, uint32_t b);
bool number_is_integer(const struct expr_graph *graph, uint32_t a);
bool number_get_long(const struct expr_graph *graph, uint32_t a, long *value);
/* a^exponent if it stays below a few thousand bits and is defined; else false. */
bool number_power(struct expr_graph *graph, uint32_t a, uint32_t exponent, uint32_t *out);

/* ---- sums and products (sum.c, product.c, number_power.c, angle_sum.c) */
/* constant + sum of number * node over the pairs (any nodes). The pairs may lie in the pool but
 * not in the scratch. */
expr sum_of_pairs(struct expr_graph *graph, const struct expr_operand *pairs, size_t count,
                  uint32_t constant);
/* coefficient * product of node ^ number over the pairs, likewise. */
expr product_of_pairs(struct expr_graph *graph, const struct expr_operand *pairs, size_t count,
                      uint32_t coefficient);
/* The same, from the pairs on the scratch from `base` on, which are taken off. */
expr product_of_scratch(struct expr_graph *graph, uint32_t base, uint32_t coefficient);
/* number * e. */
expr product_scale(struct expr_graph *graph, expr e, uint32_t number);
/* The product with coefficient 1 in place of its own. */
expr product_unscaled(struct expr_graph *graph, expr product);
/* Multiplies value ^ exponent into *coefficient; what has no rational value goes to the scratch
 * as powers of numbers. */
void number_power_factor(struct expr_graph *graph, uint32_t value, uint32_t exponent,
                         uint32_t *coefficient);
/* Folds sines and cosines in the collected terms on the scratch from `base` (sum.c describes the
 * protocol). True if something changed: terms are then to be collected again. */
bool angle_sum_fold(struct expr_graph *graph, uint32_t base, uint32_t *constant);
/* Adds number * node to the scratch and *constant, dissolving sums. */
void sum_push(struct expr_graph *graph, expr node, uint32_t number, uint32_t *constant);

/* ---- functions (function.c, trigonometry.c, choice.c) */
expr trigonometric(struct expr_graph *graph, enum expr_operator operator_, expr a);
expr inverse_trigonometric(struct expr_graph *graph, enum expr_operator operator_, expr a);
expr arc_tangent_2(struct expr_graph *graph, expr y, expr x);
expr truth_not(struct expr_graph *graph, expr a);
expr choice_binary(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b);
/* The sign that odd and even functions pull out of an argument: that of its first coefficient. */
bool leads_with_minus(const struct expr_graph *graph, expr e);

/* ---- walks (walk.c) */
/* Appends the nodes that the roots need, operands first, each once; graph->positions[node] is then
 * its index in the list, until the next walk of this graph. */
void graph_walk(struct expr_graph *graph, const expr *roots, size_t count, struct expr_list *out);

/* A memo of one id per node that grows with the graph; 0: unknown. */
struct node_memo {
  expr *items;
  uint32_t capacity;
};
void node_memo_reserve(struct node_memo *memo, const struct expr_graph *graph);
/* The node e with other operands: `mapped` has one for each operand of e. */
expr node_rebuild(struct expr_graph *graph, expr e, const expr *mapped);
/* The derivative of a function, power, choice or relation e whose arguments have the derivatives d.
 */
expr function_derivative(struct expr_graph *graph, expr e, const expr *d);
/* The product e with factor i differentiated: that is *number times the answer, for the factor's
 * base has the derivative d. */
expr product_differentiated(struct expr_graph *graph, expr e, uint32_t i, expr d, uint32_t *number);
/* Has it so many factors that it is differentiated as two halves (tangent.c)? */
bool product_is_long(const struct expr_graph *graph, expr e);
#endif
