/* Sines and cosines of sums of angles by the addition theorems, where that saves library calls.
 * A chain of n pendulums asks for cos(θi - θj) of n²/2 pairs, but all follow from n sines and
 * cosines with two products each.
 *
 * An argument is a sum of signed base angles. It is expanded if the sines and cosines of all its
 * bases are wanted anyway; the arguments that remain are expanded all together if they are more
 * than the bases they would need. Sums share the pairs of their leading terms, so sums over runs of
 * a chain (θ2+θ3+θ4, θ2+θ3, ...) cost one addition theorem each. */
#include "codegen/builder.h"
#include <math.h>
#include <string.h>

enum { LARGEST_MULTIPLE = 4 }; /* cos(4a) is made from a; cos(5a) calls the library */

static uint32_t find_base(struct angles *angles, expr node, uint32_t number, double constant) {
  uint64_t key = map_pair(node, number);
  if (node == 0) memcpy(&key, &constant, sizeof key);
  uint32_t found = map_get(&angles->base_of, key);
  if (found != 0) {
    const struct angle_base *base = &angles->bases.items[found - 1];
    if (base->node == node && base->number == number && base->constant == constant)
      return found - 1;
  }
  struct angle_base base = {.node = node, .number = number, .constant = constant};
  vector_push(&angles->bases, base);
  map_set(&angles->base_of, key, angles->bases.count);
  return angles->bases.count - 1;
}

static void push_term(struct tape_builder *builder, struct expr_operand operand) {
  struct angles *angles = &builder->angles;
  double coefficient = expr_pool_double(builder->graph, operand.number), size = fabs(coefficient);
  struct angle_term term = {.is_negative = coefficient < 0};
  if (size >= 1 && size == floor(size) && size <= LARGEST_MULTIPLE) {
    term.base = find_base(angles, operand.node, 0, 0);
    for (int k = 0; k < (int)size; k++) vector_push(&angles->terms, term);
    return;
  }
  term.is_negative = false;
  term.base = find_base(angles, operand.node, operand.number, 0);
  vector_push(&angles->terms, term);
}

/* The argument as signed base angles in angles->terms. False if it is not a sum. */
static bool split_argument(struct tape_builder *builder, expr argument) {
  struct angles *angles = &builder->angles;
  uint32_t count;
  enum expr_operator kind = expr_operator_of(builder->graph, argument);
  const struct expr_operand *operands = expr_operands(builder->graph, argument, &count);
  angles->terms.count = 0;
  if (kind == EXPR_SUM) {
    for (uint32_t i = 0; i < count; i++) push_term(builder, operands[i]);
    double constant = expr_nearest_double(expr_constant(builder->graph, argument));
    if (constant != 0) {
      struct angle_term term = {find_base(angles, 0, 0, fabs(constant)), constant < 0};
      vector_push(&angles->terms, term);
    }
    return angles->terms.count > 0;
  }
  return false;
}

/* ---- deciding */

static void add_argument(struct tape_builder *builder, expr argument, struct map *seen,
                         struct expr_list *sums) {
  if (map_get(seen, argument) != 0) return;
  map_set(seen, argument, 1);
  if (!split_argument(builder, argument)) {
    uint32_t base = find_base(&builder->angles, argument, 0, 0);
    builder->angles.bases.items[base].is_available = true;
    return;
  }
  vector_push(sums, argument);
}

/* All arguments of sines and cosines below the roots. */
static void collect_arguments(struct tape_builder *builder, const expr *roots, size_t count,
                              struct expr_list *sums) {
  struct map seen = {0};
  uint8_t *visited = checked_calloc((size_t)expr_graph_size(builder->graph) + 1, 1);
  for (size_t i = 0; i < count; i++) {
    if (roots[i] == 0) continue;
    vector_push(&builder->stack, roots[i]);
    while (builder->stack.count > 0) {
      expr e = vector_pop(&builder->stack);
      if (visited[e]) continue;
      visited[e] = 1;
      uint32_t operand_count;
      const struct expr_operand *operands = expr_operands(builder->graph, e, &operand_count);
      enum expr_operator kind = expr_operator_of(builder->graph, e);
      for (uint32_t k = 0; k < operand_count; k++)
        if (!visited[operands[k].node]) vector_push(&builder->stack, operands[k].node);
      if (kind == EXPR_SIN || kind == EXPR_COS)
        add_argument(builder, operands[0].node, &seen, sums);
    }
  }
  free(visited);
  map_free(&seen);
}

static bool all_bases_available(struct tape_builder *builder, expr argument) {
  struct angles *angles = &builder->angles;
  split_argument(builder, argument);
  for (uint32_t i = 0; i < angles->terms.count; i++)
    if (!angles->bases.items[angles->terms.items[i].base].is_available) return false;
  return true;
}

void builder_plan_angles(struct tape_builder *builder, const expr *roots, size_t count) {
  struct angles *angles = &builder->angles;
  struct expr_list sums = {0};
  collect_arguments(builder, roots, count, &sums);
  uint32_t left = 0, missing = 0;
  for (uint32_t i = 0; i < sums.count; i++) {
    if (all_bases_available(builder, sums.items[i]))
      map_set(&angles->expanded, sums.items[i], 1);
    else
      sums.items[left++] = sums.items[i];
  }
  uint8_t *is_missing = checked_calloc((size_t)angles->bases.count + 1, 1);
  for (uint32_t i = 0; i < left; i++) {
    split_argument(builder, sums.items[i]);
    for (uint32_t k = 0; k < angles->terms.count; k++) {
      uint32_t base = angles->terms.items[k].base;
      if (angles->bases.items[base].is_available || is_missing[base]) continue;
      is_missing[base] = 1;
      missing++;
    }
  }
  if (left > missing)
    for (uint32_t i = 0; i < left; i++) map_set(&angles->expanded, sums.items[i], 1);
  free(is_missing);
  vector_free(&sums);
}

bool angles_is_expanded(const struct tape_builder *builder, expr argument) {
  return map_get(&builder->angles.expanded, argument) != 0;
}

/* ---- making */

static uint32_t add_pair(struct angles *angles, tape_value sine, tape_value cosine) {
  struct angle_pair pair = {sine, cosine};
  vector_push(&angles->pairs, pair);
  return angles->pairs.count - 1;
}

static uint32_t base_pair(struct tape_builder *builder, uint32_t index) {
  struct angles *angles = &builder->angles;
  struct angle_base base = angles->bases.items[index];
  if (base.pair != 0) return base.pair - 1;
  tape_value angle =
      base.node == 0 ? builder_constant(builder, base.constant) : builder_lower(builder, base.node);
  if (base.number != 0)
    angle = builder_binary(builder, TAPE_MULTIPLY,
                           builder_constant(builder, expr_pool_double(builder->graph, base.number)),
                           angle);
  tape_value sine = builder_unary(builder, TAPE_SIN, angle);
  tape_value cosine = builder_unary(builder, TAPE_COS, angle);
  uint32_t pair = add_pair(angles, sine, cosine);
  angles->bases.items[index].pair = pair + 1;
  return pair;
}

/* The pair of (sum so far) + or - (base angle). */
static uint32_t extend_pair(struct tape_builder *builder, uint32_t sum, uint32_t base,
                            bool is_negative) {
  struct angles *angles = &builder->angles;
  uint64_t key = map_pair(sum, base * 2 + is_negative);
  uint32_t known = map_get(&angles->partial_sums, key);
  if (known != 0) return known - 1;
  uint32_t added = base_pair(builder, base);
  struct angle_pair a = angles->pairs.items[sum], b = angles->pairs.items[added];
  tape_value sin_cos = builder_binary(builder, TAPE_MULTIPLY, a.sine, b.cosine);
  tape_value cos_sin = builder_binary(builder, TAPE_MULTIPLY, a.cosine, b.sine);
  tape_value cos_cos = builder_binary(builder, TAPE_MULTIPLY, a.cosine, b.cosine);
  tape_value sin_sin = builder_binary(builder, TAPE_MULTIPLY, a.sine, b.sine);
  enum tape_operation like = is_negative ? TAPE_SUBTRACT : TAPE_ADD;
  enum tape_operation unlike = is_negative ? TAPE_ADD : TAPE_SUBTRACT;
  tape_value sine = builder_binary(builder, like, sin_cos, cos_sin);
  tape_value cosine = builder_binary(builder, unlike, cos_cos, sin_sin);
  uint32_t pair = add_pair(angles, sine, cosine);
  map_set(&angles->partial_sums, key, pair + 1);
  return pair;
}

tape_value angles_sine(struct tape_builder *builder, expr argument, bool want_cosine) {
  struct angles *angles = &builder->angles;
  split_argument(builder, argument);
  /* The first term counts as positive: -a + b is -(a - b). */
  bool is_flipped = angles->terms.items[0].is_negative;
  uint32_t pair = base_pair(builder, angles->terms.items[0].base);
  for (uint32_t i = 1; i < angles->terms.count; i++) {
    struct angle_term term = angles->terms.items[i];
    pair = extend_pair(builder, pair, term.base, term.is_negative != is_flipped);
  }
  struct angle_pair result = angles->pairs.items[pair];
  if (want_cosine) return result.cosine;
  return is_flipped ? builder_unary(builder, TAPE_NEGATE, result.sine) : result.sine;
}

void angles_free(struct angles *angles) {
  vector_free(&angles->bases);
  vector_free(&angles->pairs);
  vector_free(&angles->terms);
  map_free(&angles->base_of);
  map_free(&angles->partial_sums);
  map_free(&angles->expanded);
}
