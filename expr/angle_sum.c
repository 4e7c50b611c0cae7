/* Angle sums inside sums, in time linear in the number of sines and cosines of the terms:
 *
 *   A R sin(a)^2 + B R cos(a)^2        ->  A R + (B - A) R cos(a)^2      (A, B of one sign, |A| <=
 * |B|) R cos(a) cos(b) +- R sin(a) sin(b) ->  R cos(a -+ b) R sin(a) cos(b) +- R cos(a) sin(b) ->
 * R sin(a +- b)
 *
 * R is any product, equal in both terms; A, B are numbers. Every way to take such a pattern out
 * of a term is a candidate; the candidate's key hashes the angles and R (a sum of hashes of the
 * factors, so that taking a factor out is a subtraction), and partners meet in a hash table.
 *
 * First all partners are found, then the new terms are made: making terms needs the scratch. */
#include "expr/graph.h"

enum { FACTOR_LIMIT = 16, DEPTH_LIMIT = 32 };
enum fold_kind { FOLD_SQUARES, FOLD_COSINE, FOLD_SINE };

/* One sine or cosine with a positive integer exponent among the factors of a term. */
struct angle {
  uint32_t factor; /* its position */
  expr argument;
  bool sine;
  bool squared; /* exponent 2 or more */
};

struct candidate {
  uint64_t key;
  uint32_t term;        /* position on the scratch; 0xffffffff: empty slot */
  uint32_t left, right; /* factors taken out; equal for a square */
  uint8_t kind;         /* 0: squares, 1: equal functions, 2: different functions */
  uint8_t variant;      /* which of the two partners this is */
};

struct finder {
  struct expr_graph *graph;
  struct candidate *slots;
  uint32_t mask;
  uint32_t base;
};

static const uint32_t empty = 0xffffffffu;

static uint32_t find_angles(const struct expr_graph *graph, expr term, struct angle *angles) {
  const struct expr_node *node = node_at(graph, term);
  uint32_t count = 0;
  for (uint32_t i = 0; i < node->count; i++) {
    struct expr_operand factor = node_operand(graph, term, i);
    enum expr_operator operator_ = node_operator(graph, factor.node);
    struct rational power = graph->numbers.items[factor.number].small;
    if ((operator_ != EXPR_SIN && operator_ != EXPR_COS) || power.denominator != 1 ||
        power.numerator < 1)
      continue;
    if (count == FACTOR_LIMIT) return 0; /* too many ways: leave such a term alone */
    angles[count++] = (struct angle){i, node_argument(graph, factor.node, 0), operator_ == EXPR_SIN,
                                     power.numerator > 1};
  }
  return count;
}

static uint64_t hash_factor(expr node, uint32_t number) {
  return hash_mix((uint64_t)node << 32 | number);
}

static uint64_t hash_factors(const struct expr_graph *graph, expr term) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < node_at(graph, term)->count; i++) {
    struct expr_operand factor = node_operand(graph, term, i);
    hash += hash_factor(factor.node, factor.number);
  }
  return hash;
}

/* What the hash of a term changes by when a factor loses one (or two) of its exponent. */
static uint64_t hash_change(struct expr_graph *graph, expr term, uint32_t factor, bool square) {
  struct expr_operand whole = node_operand(graph, term, factor);
  uint32_t left = number_subtract(graph, whole.number, square ? NUMBER_TWO : NUMBER_ONE);
  uint64_t rest = left == NUMBER_ZERO ? 0 : hash_factor(whole.node, left);
  return rest - hash_factor(whole.node, whole.number);
}

/* Pushes the factors of the candidate's R. */
static void push_rest(struct expr_graph *graph, expr term, uint32_t left, uint32_t right) {
  for (uint32_t i = 0; i < node_at(graph, term)->count; i++) {
    struct expr_operand factor = node_operand(graph, term, i);
    if (i == left) factor.number = number_subtract(graph, factor.number, NUMBER_ONE);
    if (i == right) factor.number = number_subtract(graph, factor.number, NUMBER_ONE);
    if (factor.number != NUMBER_ZERO) scratch_push(graph, factor.node, factor.number);
  }
}

static expr angle_of(struct finder *finder, const struct candidate *candidate, uint32_t factor) {
  expr term = finder->graph->scratch.items[finder->base + candidate->term].node;
  return node_argument(finder->graph, node_operand(finder->graph, term, factor).node, 0);
}

/* The same angles and the same R: what equal keys promise. */
static bool are_partners(struct finder *finder, const struct candidate *a,
                         const struct candidate *b) {
  struct expr_graph *graph = finder->graph;
  if (angle_of(finder, a, a->left) != angle_of(finder, b, b->left) ||
      angle_of(finder, a, a->right) != angle_of(finder, b, b->right))
    return false;
  uint32_t start = graph->scratch.count;
  push_rest(graph, graph->scratch.items[finder->base + a->term].node, a->left, a->right);
  uint32_t middle = graph->scratch.count;
  push_rest(graph, graph->scratch.items[finder->base + b->term].node, b->left, b->right);
  const struct expr_operand *items = graph->scratch.items;
  bool equal = graph->scratch.count - middle == middle - start;
  for (uint32_t i = start; i < middle && equal; i++)
    equal = items[i].node == items[i - start + middle].node &&
            items[i].number == items[i - start + middle].number;
  graph->scratch.count = start;
  return equal;
}

/* Records the fold of two partners if their numbers allow it, and lowers those numbers. */
static bool join(struct finder *finder, const struct candidate *a, const struct candidate *b) {
  struct expr_graph *graph = finder->graph;
  struct expr_operand *first = &graph->scratch.items[finder->base + a->term];
  struct expr_operand *second = &graph->scratch.items[finder->base + b->term];
  if (first->number == NUMBER_ZERO || second->number == NUMBER_ZERO) return false;
  struct angle_fold fold = {.term = a->term, .left = a->left, .right = a->right};
  if (a->kind == 0) {
    int sign = number_sign(graph, first->number);
    if (sign != number_sign(graph, second->number)) return false;
    bool first_is_less = number_compare(graph, first->number, second->number) * sign <= 0;
    fold.coefficient = first_is_less ? first->number : second->number;
    first->number = number_subtract(graph, first->number, fold.coefficient);
    second->number = number_subtract(graph, second->number, fold.coefficient);
    vector_push(&graph->folds, fold);
    return true;
  }
  bool equal = first->number == second->number;
  if (!equal && first->number != number_negate(graph, second->number)) return false;
  fold.a = angle_of(finder, a, a->left);
  fold.b = angle_of(finder, a, a->right);
  fold.kind = a->kind == 1 ? FOLD_COSINE : FOLD_SINE;
  /* The number of  cos cos  (sin(a) cos(b)) leads; the other's sign chooses a+b or a-b. */
  fold.coefficient = a->variant == 0 ? first->number : second->number;
  fold.subtract = a->kind == 1 ? equal : !equal;
  first->number = second->number = NUMBER_ZERO;
  vector_push(&graph->folds, fold);
  return true;
}

/* Looks for the candidate's partner; waits for it in the table if there is none yet. */
static bool offer(struct finder *finder, struct candidate candidate) {
  uint32_t at = (uint32_t)candidate.key & finder->mask;
  for (; finder->slots[at].term != empty; at = (at + 1) & finder->mask) {
    const struct candidate *other = &finder->slots[at];
    if (other->key == candidate.key && other->kind == candidate.kind &&
        other->variant != candidate.variant && are_partners(finder, other, &candidate) &&
        join(finder, other, &candidate))
      return true;
  }
  finder->slots[at] = candidate;
  return false;
}

static void offer_squares(struct finder *finder, uint32_t term) {
  struct expr_graph *graph = finder->graph;
  struct angle angles[FACTOR_LIMIT];
  expr node = graph->scratch.items[finder->base + term].node;
  uint32_t count = find_angles(graph, node, angles);
  uint64_t hash = count > 0 ? hash_factors(graph, node) : 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!angles[i].squared) continue;
    struct candidate candidate = {.term = term,
                                  .left = angles[i].factor,
                                  .right = angles[i].factor,
                                  .variant = angles[i].sine};
    uint64_t rest = hash + hash_change(graph, node, angles[i].factor, true);
    candidate.key = hash_mix(rest ^ angles[i].argument);
    if (offer(finder, candidate) && graph->scratch.items[finder->base + term].number == NUMBER_ZERO)
      return;
  }
}

static void offer_pairs(struct finder *finder, uint32_t term) {
  struct expr_graph *graph = finder->graph;
  struct angle angles[FACTOR_LIMIT];
  expr node = graph->scratch.items[finder->base + term].node;
  uint32_t count = find_angles(graph, node, angles);
  uint64_t hash = count > 1 ? hash_factors(graph, node) : 0;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = i + 1; j < count; j++) {
      bool swap = angles[i].argument > angles[j].argument;
      struct angle a = swap ? angles[j] : angles[i], b = swap ? angles[i] : angles[j];
      if (a.argument == b.argument) continue;
      struct candidate candidate = {.term = term, .left = a.factor, .right = b.factor};
      candidate.kind = a.sine == b.sine ? 1 : 2;
      candidate.variant = a.sine == b.sine ? a.sine : !a.sine;
      uint64_t rest = hash + hash_change(graph, node, a.factor, false) +
                      hash_change(graph, node, b.factor, false);
      candidate.key = hash_mix(rest ^ hash_mix(map_pair(a.argument, b.argument)) ^ candidate.kind);
      if (offer(finder, candidate)) return;
    }
  }
}

/* An upper bound of the candidates; 0 if fewer than two terms could take part. */
static uint32_t count_candidates(const struct expr_graph *graph, uint32_t base) {
  uint32_t terms = 0, candidates = 0;
  for (uint32_t i = base; i < graph->scratch.count; i++) {
    expr node = graph->scratch.items[i].node;
    if ((node_at(graph, node)->flags & NODE_FOLDABLE) == 0) continue;
    struct angle angles[FACTOR_LIMIT];
    uint32_t count = find_angles(graph, node, angles);
    terms++;
    candidates += count * (count + 1) / 2;
  }
  return terms < 2 ? 0 : candidates;
}

static void find_folds(struct expr_graph *graph, uint32_t base, uint32_t candidates) {
  uint32_t capacity = 16;
  while (capacity < 2 * (uint64_t)candidates) capacity *= 2;
  struct finder finder = {graph, checked_malloc(capacity * sizeof *finder.slots), capacity - 1,
                          base};
  uint32_t count = graph->scratch.count - base;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < capacity; i++) finder.slots[i].term = empty;
    for (uint32_t term = 0; term < count; term++) {
      struct expr_operand pair = graph->scratch.items[base + term];
      if (pair.number == NUMBER_ZERO || !(node_at(graph, pair.node)->flags & NODE_FOLDABLE))
        continue;
      if (pass == 0)
        offer_squares(&finder, term);
      else
        offer_pairs(&finder, term);
    }
  }
  free(finder.slots);
}

static void apply(struct expr_graph *graph, uint32_t base, struct angle_fold fold,
                  uint32_t *constant) {
  uint32_t start = graph->scratch.count;
  push_rest(graph, graph->scratch.items[base + fold.term].node, fold.left, fold.right);
  if (fold.kind != FOLD_SQUARES) {
    expr angle =
        fold.subtract ? expr_subtract(graph, fold.a, fold.b) : expr_add(graph, fold.a, fold.b);
    scratch_push(graph, expr_unary(graph, fold.kind == FOLD_COSINE ? EXPR_COS : EXPR_SIN, angle),
                 NUMBER_ONE);
  }
  expr product = product_of_scratch(graph, start, NUMBER_ONE);
  sum_push(graph, product, fold.coefficient, constant);
}

bool angle_sum_fold(struct expr_graph *graph, uint32_t base, uint32_t *constant) {
  if (graph->scratch.count - base < 2 || graph->fold_depth >= DEPTH_LIMIT || graph->full)
    return false;
  uint32_t candidates = count_candidates(graph, base);
  if (candidates == 0) return false;
  uint32_t first = graph->folds.count;
  find_folds(graph, base, candidates);
  uint32_t end = graph->folds.count;
  graph->fold_depth++;
  for (uint32_t i = first; i < end; i++) apply(graph, base, graph->folds.items[i], constant);
  graph->fold_depth--;
  graph->folds.count = first;
  return end > first;
}
