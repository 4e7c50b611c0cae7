/* Expressions to instructions, without recursion. A sum becomes a chain of additions and
 * subtractions (long ones in blocks, which run side by side and round less), a product one
 * numerator over one denominator, a rational power multiplications and at most one square root. */
#include "codegen/builder.h"
#include <gmp.h>
#include <math.h>
#include <string.h>

enum {
  SUM_BLOCK = 8,         /* terms of one chain */
  LARGEST_SQUARING = 32, /* integer exponents beyond go to pow */
};

static void reserve_memo(struct tape_builder *builder, expr e) {
  if (e < builder->memo_size) return;
  uint32_t size = expr_graph_size(builder->graph) + 1;
  if (size <= e) size = e + 1;
  uint32_t grown = builder->memo_size * 2 > size ? builder->memo_size * 2 : size;
  if (builder->memo_size == 0)
    builder->memo = checked_calloc(grown, sizeof *builder->memo);
  else {
    builder->memo = checked_realloc(builder->memo, grown * sizeof *builder->memo);
    memset(builder->memo + builder->memo_size, 0,
           (grown - builder->memo_size) * sizeof *builder->memo);
  }
  builder->memo_size = grown;
}

static bool is_lowered(const struct tape_builder *builder, expr e) {
  return e < builder->memo_size && builder->memo[e] != 0;
}

static void set_value(struct tape_builder *builder, expr e, tape_value a) {
  reserve_memo(builder, e);
  builder->memo[e] = a + 1;
}

static tape_value value_of(const struct tape_builder *builder, expr e) {
  return builder->memo[e] - 1;
}

void builder_bind(struct tape_builder *builder, expr symbol, tape_value a) {
  set_value(builder, symbol, a);
}

bool builder_is_bound(const struct tape_builder *builder, expr symbol) {
  return is_lowered(builder, symbol);
}

/* ---- sums */

/* Constants, then parameters, then the rest, each group in its old order. */
static void sort_by_level(const struct tape_builder *builder, tape_value *values, uint32_t count) {
  uint32_t placed = 0;
  for (uint8_t level = TAPE_LEVEL_CONSTANT; level < TAPE_LEVEL_STATE; level++)
    for (uint32_t i = placed; i < count; i++) {
      if (builder->levels.items[values[i]] != level) continue;
      tape_value moved = values[i];
      memmove(values + placed + 1, values + placed, (i - placed) * sizeof *values);
      values[placed++] = moved;
    }
}

/* Adds values[0..count-1], destroying the list. */
static tape_value add_values(struct tape_builder *builder, tape_value *values, uint32_t count) {
  if (count == 0) return builder_constant(builder, 0);
  while (count > 1) {
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < count; i += SUM_BLOCK) {
      tape_value sum = values[i];
      for (uint32_t k = i + 1; k < count && k < i + SUM_BLOCK; k++)
        sum = builder_binary(builder, TAPE_ADD, sum, values[k]);
      values[blocks++] = sum;
    }
    count = blocks;
  }
  return values[0];
}

/* Short sums are put in order of level; in long ones it would save nothing worth the sorting. */
static tape_value sum_values(struct tape_builder *builder, tape_value *values, uint32_t count) {
  if (count <= SUM_BLOCK) sort_by_level(builder, values, count);
  return add_values(builder, values, count);
}

static tape_value scaled_term(struct tape_builder *builder, struct expr_operand operand,
                              double size) {
  return builder_binary(builder, TAPE_MULTIPLY, builder_constant(builder, size),
                        value_of(builder, operand.node));
}

/* base (NO_VALUE: none) + constant + the terms. */
static tape_value lower_terms(struct tape_builder *builder, tape_value base,
                              const struct expr_operand *operands, uint32_t count,
                              double constant) {
  vector_reserve(&builder->scratch, 2 * (size_t)count + 4);
  tape_value *added = builder->scratch.items, *subtracted = added + count + 2;
  uint32_t added_count = 0, subtracted_count = 0;
  if (base != NO_VALUE) added[added_count++] = base;
  if (constant > 0) added[added_count++] = builder_constant(builder, constant);
  if (constant < 0) subtracted[subtracted_count++] = builder_constant(builder, -constant);
  for (uint32_t i = 0; i < count; i++) {
    double coefficient = expr_pool_double(builder->graph, operands[i].number);
    tape_value term = scaled_term(builder, operands[i], fabs(coefficient));
    if (coefficient < 0)
      subtracted[subtracted_count++] = term;
    else
      added[added_count++] = term;
  }
  if (subtracted_count == 0) return sum_values(builder, added, added_count);
  if (added_count == 0)
    return builder_unary(builder, TAPE_NEGATE, sum_values(builder, subtracted, subtracted_count));
  if (subtracted_count == 1 && added_count <= SUM_BLOCK)
    return builder_binary(builder, TAPE_SUBTRACT, sum_values(builder, added, added_count),
                          subtracted[0]);
  tape_value positive = sum_values(builder, added, added_count);
  return builder_binary(builder, TAPE_SUBTRACT, positive,
                        sum_values(builder, subtracted, subtracted_count));
}

/* The partial sum and those it begins with, whose terms are among those of a sum and so are known.
 */
static tape_value lower_partial_sum(struct tape_builder *builder, uint32_t place) {
  uint32_t bottom = builder->stack.count;
  tape_value value = NO_VALUE;
  for (uint32_t at = place + 1; at != 0; at = builder->sums.sums.items[at - 1].base) {
    if (builder->partial_sums[at - 1] != 0) {
      value = builder->partial_sums[at - 1] - 1;
      break;
    }
    vector_push(&builder->stack, at - 1);
  }
  while (builder->stack.count > bottom) {
    uint32_t next = vector_pop(&builder->stack);
    struct nested_sum sum = builder->sums.sums.items[next];
    value = lower_terms(builder, value, builder->sums.operands.items + sum.first, sum.count, 0);
    builder->partial_sums[next] = value + 1;
  }
  return value;
}

static tape_value lower_sum(struct tape_builder *builder, expr e) {
  double constant = expr_nearest_double(expr_constant(builder->graph, e));
  uint32_t count, place = map_get(&builder->sums.of, e);
  if (place != 0)
    return lower_terms(builder, lower_partial_sum(builder, place - 1), NULL, 0, constant);
  const struct expr_operand *operands = expr_operands(builder->graph, e, &count);
  return lower_terms(builder, NO_VALUE, operands, count, constant);
}

void builder_plan_sums(struct tape_builder *builder, const expr *roots, size_t count) {
  struct expr_list sums = {0};
  uint8_t *visited = checked_calloc((size_t)expr_graph_size(builder->graph) + 1, 1);
  for (size_t i = 0; i < count; i++)
    if (roots[i] != 0) vector_push(&builder->stack, roots[i]);
  while (builder->stack.count > 0) {
    expr e = vector_pop(&builder->stack);
    if (visited[e]) continue;
    visited[e] = 1;
    uint32_t operand_count;
    const struct expr_operand *operands = expr_operands(builder->graph, e, &operand_count);
    for (uint32_t k = 0; k < operand_count; k++)
      if (!visited[operands[k].node]) vector_push(&builder->stack, operands[k].node);
    if (expr_operator_of(builder->graph, e) == EXPR_SUM) vector_push(&sums, e);
  }
  free(visited);
  builder->sums = nested_sums_find(builder->graph, sums.items, sums.count);
  builder->partial_sums =
      checked_calloc((size_t)builder->sums.sums.count + 1, sizeof *builder->partial_sums);
  vector_free(&sums);
}

/* ---- products */

/* base^(exponent) for a positive rational exponent. */
static tape_value lower_rational_power(struct tape_builder *builder, tape_value base,
                                       mpq_srcptr exponent) {
  bool is_integer = mpz_cmp_ui(mpq_denref(exponent), 1) == 0;
  bool is_half = mpz_cmp_ui(mpq_denref(exponent), 2) == 0;
  if ((is_integer || is_half) && mpz_cmp_ui(mpq_numref(exponent), LARGEST_SQUARING) <= 0) {
    uint32_t numerator = (uint32_t)mpz_get_ui(mpq_numref(exponent));
    if (is_integer) return builder_power(builder, base, numerator);
    tape_value root = builder_unary(builder, TAPE_SQRT, base);
    if (numerator == 1) return root;
    return builder_binary(builder, TAPE_MULTIPLY, builder_power(builder, base, numerator / 2),
                          root);
  }
  tape_value power = builder_constant(builder, expr_nearest_double(exponent));
  return builder_binary(builder, TAPE_POW, base, power);
}

static tape_value multiply_values(struct tape_builder *builder, tape_value *values,
                                  uint32_t count) {
  if (count <= 64) sort_by_level(builder, values, count);
  tape_value product = values[0];
  for (uint32_t i = 1; i < count; i++)
    product = builder_binary(builder, TAPE_MULTIPLY, product, values[i]);
  return product;
}

static tape_value lower_product(struct tape_builder *builder, expr e) {
  uint32_t count;
  const struct expr_operand *operands = expr_operands(builder->graph, e, &count);
  double coefficient = expr_nearest_double(expr_constant(builder->graph, e));
  vector_reserve(&builder->scratch, 2 * (size_t)count + 2);
  tape_value *above = builder->scratch.items, *below = above + count + 1;
  uint32_t above_count = 0, below_count = 0;
  mpq_t exponent;
  mpq_init(exponent);
  if (fabs(coefficient) != 1) above[above_count++] = builder_constant(builder, fabs(coefficient));
  for (uint32_t i = 0; i < count; i++) {
    mpq_srcptr power = expr_pool_number(builder->graph, operands[i].number);
    mpq_abs(exponent, power);
    tape_value factor =
        lower_rational_power(builder, value_of(builder, operands[i].node), exponent);
    if (mpq_sgn(power) < 0)
      below[below_count++] = factor;
    else
      above[above_count++] = factor;
  }
  mpq_clear(exponent);
  tape_value value = above_count == 0 ? builder_constant(builder, 1)
                                      : multiply_values(builder, above, above_count);
  if (below_count > 0)
    value =
        builder_binary(builder, TAPE_DIVIDE, value, multiply_values(builder, below, below_count));
  return coefficient < 0 ? builder_unary(builder, TAPE_NEGATE, value) : value;
}

/* ---- everything else */

static const uint8_t operation_of[EXPR_OPERATOR_COUNT] = {
    [EXPR_POWER] = TAPE_POW,   [EXPR_SIN] = TAPE_SIN,     [EXPR_COS] = TAPE_COS,
    [EXPR_TAN] = TAPE_TAN,     [EXPR_ASIN] = TAPE_ASIN,   [EXPR_ACOS] = TAPE_ACOS,
    [EXPR_ATAN] = TAPE_ATAN,   [EXPR_ATAN2] = TAPE_ATAN2, [EXPR_SINH] = TAPE_SINH,
    [EXPR_COSH] = TAPE_COSH,   [EXPR_TANH] = TAPE_TANH,   [EXPR_EXP] = TAPE_EXP,
    [EXPR_LOG] = TAPE_LOG,     [EXPR_ABS] = TAPE_ABS,     [EXPR_SIGN] = TAPE_SIGN,
    [EXPR_MIN] = TAPE_MIN,     [EXPR_MAX] = TAPE_MAX,     [EXPR_MOD] = TAPE_MOD,
    [EXPR_FLOOR] = TAPE_FLOOR, [EXPR_LESS] = TAPE_LESS,   [EXPR_LESS_EQUAL] = TAPE_LESS_EQUAL,
    [EXPR_EQUAL] = TAPE_EQUAL, [EXPR_AND] = TAPE_AND,     [EXPR_OR] = TAPE_OR,
    [EXPR_NOT] = TAPE_NOT,
};

/* Both the sine and the cosine of an argument are made, side by side: where only one is needed the
 * other is dropped at the end, where both are, one call computes them. */
static tape_value lower_sine(struct tape_builder *builder, expr argument, bool want_cosine) {
  if (angles_is_expanded(builder, argument)) return angles_sine(builder, argument, want_cosine);
  tape_value angle = value_of(builder, argument);
  tape_value sine = builder_unary(builder, TAPE_SIN, angle);
  tape_value cosine = builder_unary(builder, TAPE_COS, angle);
  return want_cosine ? cosine : sine;
}

static tape_value lower_node(struct tape_builder *builder, expr e) {
  struct expr_graph *graph = builder->graph;
  enum expr_operator kind = expr_operator_of(graph, e);
  uint32_t count;
  const struct expr_operand *operands = expr_operands(graph, e, &count);
  switch (kind) {
  case EXPR_NUMBER:
    return builder_constant(builder, expr_nearest_double(expr_constant(graph, e)));
  case EXPR_PI:
    return builder_constant(builder, 0x1.921fb54442d18p+1);
  case EXPR_SYMBOL:
    bug("no value for the symbol '%s'", expr_symbol_name(graph, e));
  case EXPR_SUM:
    return lower_sum(builder, e);
  case EXPR_PRODUCT:
    return lower_product(builder, e);
  case EXPR_SIN:
    return lower_sine(builder, operands[0].node, false);
  case EXPR_COS:
    return lower_sine(builder, operands[0].node, true);
  case EXPR_TRUE:
    return builder_truth(builder, true);
  case EXPR_FALSE:
    return builder_truth(builder, false);
  case EXPR_IF:
    return builder_select(builder, value_of(builder, operands[0].node),
                          value_of(builder, operands[1].node), value_of(builder, operands[2].node));
  default:
    break;
  }
  if (operation_of[kind] == 0) bug("no instruction for operator %d", (int)kind);
  tape_value first = value_of(builder, operands[0].node);
  if (count == 1) return builder_unary(builder, operation_of[kind], first);
  return builder_binary(builder, operation_of[kind], first, value_of(builder, operands[1].node));
}

/* The nodes whose values are needed first: an expanded angle needs its terms, not its sum. */
static const struct expr_operand *needed_operands(struct tape_builder *builder, expr e,
                                                  uint32_t *count) {
  const struct expr_operand *operands = expr_operands(builder->graph, e, count);
  enum expr_operator kind = expr_operator_of(builder->graph, e);
  if ((kind == EXPR_SIN || kind == EXPR_COS) && angles_is_expanded(builder, operands[0].node))
    return expr_operands(builder->graph, operands[0].node, count);
  return operands;
}

tape_value builder_lower(struct tape_builder *builder, expr e) {
  if (is_lowered(builder, e)) return value_of(builder, e);
  uint32_t bottom = builder->stack.count;
  vector_push(&builder->stack, e);
  while (builder->stack.count > bottom) {
    expr top = vector_last(&builder->stack);
    if (is_lowered(builder, top)) {
      (void)vector_pop(&builder->stack);
      continue;
    }
    uint32_t count, waiting = builder->stack.count;
    const struct expr_operand *operands = needed_operands(builder, top, &count);
    for (uint32_t i = count; i-- > 0;)
      if (!is_lowered(builder, operands[i].node)) vector_push(&builder->stack, operands[i].node);
    if (builder->stack.count > waiting) continue;
    set_value(builder, top, lower_node(builder, top));
    (void)vector_pop(&builder->stack);
  }
  return value_of(builder, e);
}
