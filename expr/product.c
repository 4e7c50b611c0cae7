/* Products and powers with rational exponents: flattening, like bases, numbers in front.
 *
 * (x^a)^b becomes x^(a*b) only for an integer b; (x*y)^b likewise. Sums that are bases are scaled
 * to a standard form (integers with a common divisor, or fractions with a common part of the
 * denominator, come out; the first coefficient is positive), so that (2x - 2y)/(y - x) is -2.
 * Products of sums are never expanded; a number times one sum is. */
#include "expr/graph.h"
#include <string.h>

expr product_unscaled(struct expr_graph *graph, expr product) {
  const struct expr_node parts = *node_at(graph, product);
  if (parts.number == NUMBER_ONE) return product;
  const struct expr_operand *factors = graph->operands.items + parts.first;
  if (parts.count == 1 && factors[0].number == NUMBER_ONE) return factors[0].node;
  return node_intern(graph, EXPR_PRODUCT, NUMBER_ONE, factors, parts.count);
}

static expr scale_sum(struct expr_graph *graph, expr sum, uint32_t number) {
  const struct expr_node parts = *node_at(graph, sum);
  uint32_t base = graph->scratch.count;
  for (uint32_t i = 0; i < parts.count; i++) {
    struct expr_operand term = graph->operands.items[parts.first + i];
    scratch_push(graph, term.node, number_multiply(graph, number, term.number));
  }
  uint32_t constant = number_multiply(graph, number, parts.number);
  expr result = node_intern(graph, EXPR_SUM, constant, graph->scratch.items + base, parts.count);
  graph->scratch.count = base;
  return result;
}

expr product_scale(struct expr_graph *graph, expr e, uint32_t number) {
  if (number == NUMBER_ONE) return e;
  if (number == NUMBER_ZERO) return ID_ZERO;
  const struct expr_node parts = *node_at(graph, e);
  struct expr_operand alone = {e, NUMBER_ONE};
  switch (parts.operator_) {
  case EXPR_NUMBER:
    return node_number(graph, number_multiply(graph, number, parts.number));
  case EXPR_SUM:
    if (parts.count <= SUM_FLATTEN_LIMIT) return scale_sum(graph, e, number);
    break;
  case EXPR_PRODUCT:
    number = number_multiply(graph, number, parts.number);
    if (number == NUMBER_ONE) return product_unscaled(graph, e);
    return node_intern(graph, EXPR_PRODUCT, number, graph->operands.items + parts.first,
                       parts.count);
  default:
    break;
  }
  return node_intern(graph, EXPR_PRODUCT, number, &alone, 1);
}

/* ---- standard form of sums */

static uint64_t common_divisor(uint64_t a, uint64_t b) {
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static uint64_t magnitude(int64_t value) {
  return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* The number that comes out of a sum. Coefficients beyond 64 bits keep only their sign rule. */
static uint32_t content_of(struct expr_graph *graph, expr sum) {
  const struct expr_node parts = *node_at(graph, sum);
  struct rational constant = graph->numbers.items[parts.number].small;
  uint64_t above = magnitude(constant.numerator);
  uint64_t below = parts.number == NUMBER_ZERO ? 0 : (uint64_t)constant.denominator;
  bool big = constant.denominator == 0;
  for (uint32_t i = 0; i < parts.count && !big && !(above == 1 && below == 1); i++) {
    uint32_t number = graph->operands.items[parts.first + i].number;
    struct rational value = graph->numbers.items[number].small;
    big = value.denominator == 0;
    above = common_divisor(above, magnitude(value.numerator));
    below = common_divisor(below, (uint64_t)value.denominator);
  }
  if (big || above > INT64_MAX) above = below = 1;
  int sign = number_sign(graph, graph->operands.items[parts.first].number);
  struct rational content = {sign * (int64_t)above, (int64_t)below};
  return number_from_rational(graph, content);
}

/* sum = *content * result. */
static expr primitive_of(struct expr_graph *graph, expr sum, uint32_t *content) {
  expr known = map_get(&graph->primitive_of, sum);
  if (known != 0) {
    *content = map_get(&graph->content_of, sum) - 1;
    return known;
  }
  *content = content_of(graph, sum);
  expr result = product_scale(graph, sum, number_divide(graph, NUMBER_ONE, *content));
  map_set(&graph->primitive_of, sum, result);
  map_set(&graph->content_of, sum, *content + 1);
  return result;
}

/* ---- factors */

static bool is_even_integer(const struct expr_graph *graph, uint32_t number) {
  return number_is_integer(graph, number) &&
         mpz_even_p(mpq_numref(graph->numbers.items[number].exact));
}

static void push_factor(struct expr_graph *graph, expr node, uint32_t exponent,
                        uint32_t *coefficient);

static void push_product(struct expr_graph *graph, expr node, uint32_t exponent,
                         uint32_t *coefficient) {
  const struct expr_node parts = *node_at(graph, node);
  if (number_is_integer(graph, exponent)) {
    number_power_factor(graph, parts.number, exponent, coefficient);
    for (uint32_t i = 0; i < parts.count; i++) {
      struct expr_operand factor = graph->operands.items[parts.first + i];
      scratch_push(graph, factor.node, number_multiply(graph, factor.number, exponent));
    }
    return;
  }
  if (parts.number == NUMBER_ONE || parts.number == NUMBER_MINUS_ONE) {
    scratch_push(graph, node, exponent);
  } else if (number_sign(graph, parts.number) > 0) {
    number_power_factor(graph, parts.number, exponent, coefficient);
    push_factor(graph, product_unscaled(graph, node), exponent, coefficient);
  } else {
    number_power_factor(graph, number_negate(graph, parts.number), exponent, coefficient);
    expr negative = product_scale(graph, product_unscaled(graph, node), NUMBER_MINUS_ONE);
    scratch_push(graph, negative, exponent);
  }
}

static void push_sum(struct expr_graph *graph, expr node, uint32_t exponent,
                     uint32_t *coefficient) {
  uint32_t content;
  expr base = primitive_of(graph, node, &content);
  if (number_sign(graph, content) < 0 && !number_is_integer(graph, exponent)) {
    content = number_negate(graph, content);
    base = product_scale(graph, base, NUMBER_MINUS_ONE);
  }
  if (content != NUMBER_ONE) number_power_factor(graph, content, exponent, coefficient);
  scratch_push(graph, base, exponent);
}

static void push_factor(struct expr_graph *graph, expr node, uint32_t exponent,
                        uint32_t *coefficient) {
  if (exponent == NUMBER_ZERO) return;
  const struct expr_node parts = *node_at(graph, node);
  switch (parts.operator_) {
  case EXPR_NUMBER:
    number_power_factor(graph, parts.number, exponent, coefficient);
    return;
  case EXPR_PRODUCT:
    if (parts.count <= PRODUCT_FLATTEN_LIMIT || !number_is_integer(graph, exponent)) {
      push_product(graph, node, exponent, coefficient);
      return;
    }
    number_power_factor(graph, parts.number, exponent, coefficient);
    node = product_unscaled(graph, node);
    break;
  case EXPR_SUM:
    if (parts.count > SUM_FLATTEN_LIMIT) break;
    push_sum(graph, node, exponent, coefficient);
    return;
  case EXPR_EXP:
    if (exponent == NUMBER_ONE) break;
    node = product_scale(graph, node_argument(graph, node, 0), exponent);
    push_factor(graph, expr_unary(graph, EXPR_EXP, node), NUMBER_ONE, coefficient);
    return;
  case EXPR_ABS:
    if (!is_even_integer(graph, exponent)) break;
    push_factor(graph, node_argument(graph, node, 0), exponent, coefficient);
    return;
  default:
    break;
  }
  scratch_push(graph, node, exponent);
}

/* ---- collecting */

static bool number_power_is_reduced(struct expr_graph *graph, uint32_t value, uint32_t exponent) {
  uint32_t ignored, floor = number_floor(graph, exponent);
  if (floor != exponent && number_sign(graph, value) <= 0) return true;
  return (floor == NUMBER_ZERO && exponent != NUMBER_ZERO) ||
         !number_power(graph, value, floor, &ignored);
}

/* Adding exponents can make a factor one that push_factor would have taken apart. */
static bool is_reduced(struct expr_graph *graph, struct expr_operand factor) {
  const struct expr_node parts = *node_at(graph, factor.node);
  uint32_t content;
  switch (parts.operator_) {
  case EXPR_NUMBER:
    return number_power_is_reduced(graph, parts.number, factor.number);
  case EXPR_PRODUCT:
    return parts.count > PRODUCT_FLATTEN_LIMIT || !number_is_integer(graph, factor.number);
  case EXPR_SUM:
    return parts.count > SUM_FLATTEN_LIMIT || !number_is_integer(graph, factor.number) ||
           primitive_of(graph, factor.node, &content) == factor.node;
  case EXPR_EXP:
    return factor.number == NUMBER_ONE;
  case EXPR_ABS:
    return !is_even_integer(graph, factor.number);
  default:
    return true;
  }
}

static bool reduce_again(struct expr_graph *graph, uint32_t base, uint32_t *coefficient) {
  uint32_t count = graph->scratch.count - base, kept = 0;
  bool changed = false;
  for (uint32_t i = 0; i < count; i++) {
    struct expr_operand factor = graph->scratch.items[base + i];
    if (is_reduced(graph, factor)) {
      graph->scratch.items[base + kept++] = factor;
      continue;
    }
    changed = true;
    push_factor(graph, factor.node, factor.number, coefficient);
  }
  uint32_t added = graph->scratch.count - base - count;
  memmove(graph->scratch.items + base + kept, graph->scratch.items + base + count,
          added * sizeof *graph->scratch.items);
  graph->scratch.count = base + kept + added;
  return changed;
}

static expr finish(struct expr_graph *graph, uint32_t base, uint32_t coefficient) {
  uint32_t count = graph->scratch.count - base;
  const struct expr_operand *factors = graph->scratch.items + base;
  if (coefficient == NUMBER_ZERO) return ID_ZERO;
  if (count == 0) return node_number(graph, coefficient);
  if (count == 1 && factors[0].number == NUMBER_ONE)
    return product_scale(graph, factors[0].node, coefficient);
  return node_intern(graph, EXPR_PRODUCT, coefficient, factors, count);
}

expr product_of_scratch(struct expr_graph *graph, uint32_t base, uint32_t coefficient) {
  uint32_t start = graph->scratch.count;
  for (uint32_t i = base; i < start; i++) {
    struct expr_operand factor = graph->scratch.items[i];
    if (graph->scratch.count > graph->operand_limit) {
      graph->full = true;
      break;
    }
    push_factor(graph, factor.node, factor.number, &coefficient);
  }
  uint32_t pushed = graph->scratch.count - start;
  memmove(graph->scratch.items + base, graph->scratch.items + start,
          pushed * sizeof *graph->scratch.items);
  graph->scratch.count = base + pushed;
  do {
    scratch_collect(graph, base);
  } while (reduce_again(graph, base, &coefficient));
  expr result = finish(graph, base, coefficient);
  graph->scratch.count = base;
  return result;
}

expr product_of_pairs(struct expr_graph *graph, const struct expr_operand *pairs, size_t count,
                      uint32_t coefficient) {
  uint32_t base = graph->scratch.count;
  for (size_t i = 0; i < count; i++) vector_push(&graph->scratch, pairs[i]);
  return product_of_scratch(graph, base, coefficient);
}

/* ---- public constructors */

expr expr_product(struct expr_graph *graph, const expr *factors, size_t count) {
  uint32_t base = graph->scratch.count;
  for (size_t i = 0; i < count; i++) scratch_push(graph, factors[i], NUMBER_ONE);
  return product_of_scratch(graph, base, NUMBER_ONE);
}

expr expr_multiply(struct expr_graph *graph, expr a, expr b) {
  if (expr_is_number(graph, a)) return product_scale(graph, b, node_at(graph, a)->number);
  if (expr_is_number(graph, b)) return product_scale(graph, a, node_at(graph, b)->number);
  struct expr_operand pairs[2] = {{a, NUMBER_ONE}, {b, NUMBER_ONE}};
  return product_of_pairs(graph, pairs, 2, NUMBER_ONE);
}

expr expr_divide(struct expr_graph *graph, expr a, expr b) {
  if (expr_is_number(graph, b) && b != ID_ZERO) {
    uint32_t inverse = number_divide(graph, NUMBER_ONE, node_at(graph, b)->number);
    return product_scale(graph, a, inverse);
  }
  struct expr_operand pairs[2] = {{a, NUMBER_ONE}, {b, NUMBER_MINUS_ONE}};
  return product_of_pairs(graph, pairs, 2, NUMBER_ONE);
}

static expr power_number(struct expr_graph *graph, expr base, uint32_t exponent) {
  if (exponent == NUMBER_ONE) return base;
  struct expr_operand pair = {base, exponent};
  return product_of_pairs(graph, &pair, 1, NUMBER_ONE);
}

expr expr_power(struct expr_graph *graph, expr base, expr exponent) {
  if (expr_is_number(graph, exponent))
    return power_number(graph, base, node_at(graph, exponent)->number);
  if (base == ID_ONE) return ID_ONE;
  if (node_operator(graph, base) == EXPR_EXP)
    return expr_unary(graph, EXPR_EXP,
                      expr_multiply(graph, node_argument(graph, base, 0), exponent));
  return node_binary(graph, EXPR_POWER, base, exponent);
}

expr expr_power_ratio(struct expr_graph *graph, expr base, long numerator, long denominator) {
  return expr_power(graph, base, expr_ratio(graph, numerator, denominator));
}

expr expr_sqrt(struct expr_graph *graph, expr a) {
  return power_number(graph, a, NUMBER_HALF);
}
