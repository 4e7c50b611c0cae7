/* Sums and products in the order a textbook would write them: parameters, coordinates, velocities,
 * functions, accelerations in a product; accelerations, velocities and then the rest in a sum, a
 * positive term in front, constants last. Ties go by the order in which symbols were made. */
#include "expr/print.h"

struct keyed {
  struct expr_operand operand;
  uint32_t kind, first, last, degree;
};

static struct node_info info_of(const struct expr_printer *printer, expr e) {
  uint32_t at = map_get(&printer->index, e);
  return at == 0 ? (struct node_info){UINT32_MAX, 0, 0} : printer->infos.items[at - 1];
}

bool print_is_negative(const struct expr_graph *graph, uint32_t number) {
  return number_sign(graph, number) < 0;
}

uint32_t print_magnitude(struct expr_graph *graph, uint32_t number) {
  return print_is_negative(graph, number) ? number_negate(graph, number) : number;
}

static int compare(uint32_t a, uint32_t b) {
  return (a > b) - (a < b);
}

/* ---- products */

static uint32_t factor_kind(const struct expr_printer *printer, expr e) {
  switch (node_operator(printer->graph, e)) {
  case EXPR_NUMBER:
    return 0;
  case EXPR_PI:
    return 1;
  case EXPR_SYMBOL: {
    uint8_t rank = info_of(printer, e).rank;
    return rank < 3 ? 2u + rank : 20;
  }
  case EXPR_SUM:
  case EXPR_PRODUCT:
  case EXPR_POWER:
    return 10;
  default:
    return 11;
  }
}

static int by_factor_key(const void *left, const void *right) {
  const struct keyed *a = left, *b = right;
  int order = compare(a->kind, b->kind);
  if (order == 0) order = compare(a->first, b->first);
  if (order == 0) order = compare(a->last, b->last);
  return order != 0 ? order : compare(a->operand.node, b->operand.node);
}

/* Roots of numbers under one sign: sqrt(2)*sqrt(3) is sqrt(6). */
static void join_roots(struct expr_graph *graph, struct keyed *items, uint32_t *count) {
  uint32_t kept = 0, root = UINT32_MAX;
  for (uint32_t i = 0; i < *count; i++) {
    struct expr_operand factor = items[i].operand;
    bool is_root = factor.number == NUMBER_HALF && expr_is_number(graph, factor.node) &&
                   !print_is_negative(graph, node_at(graph, factor.node)->number);
    if (is_root && root != UINT32_MAX) {
      items[root].operand.node = expr_multiply(graph, items[root].operand.node, factor.node);
      continue;
    }
    if (is_root) root = kept;
    items[kept++] = items[i];
  }
  *count = kept;
}

/* The first sum whose signs can take up the minus of the product. */
static expr sum_to_flip(struct expr_printer *printer, const struct print_factors *factors) {
  const struct expr_graph *graph = printer->graph;
  for (uint32_t i = 0; i < factors->numerators.count; i++) {
    struct expr_operand factor = factors->numerators.items[i];
    if (factor.number != NUMBER_ONE || node_operator(graph, factor.node) != EXPR_SUM) continue;
    if (map_get(&printer->names, factor.node) != 0) continue;
    const struct expr_node *node = node_at(graph, factor.node);
    bool has_minus = print_is_negative(graph, node->number);
    for (uint32_t k = 0; k < node->count && !has_minus; k++)
      has_minus = print_is_negative(graph, graph->operands.items[node->first + k].number);
    if (has_minus) return factor.node;
  }
  return 0;
}

static void split_number(struct expr_graph *graph, struct print_factors *out, uint32_t number) {
  out->above = number;
  out->below = NUMBER_ONE;
  if (out->denominators.count == 0 || number_is_plain(graph, number)) return;
  mpq_t part;
  mpq_init(part);
  mpz_set(mpq_numref(part), mpq_numref(graph->numbers.items[number].exact));
  out->above = number_from_mpq(graph, part);
  mpz_set(mpq_numref(part), mpq_denref(graph->numbers.items[number].exact));
  out->below = number_from_mpq(graph, part);
  mpq_clear(part);
}

void factors_of(struct expr_printer *printer, expr product, uint32_t scale,
                struct print_factors *out) {
  struct expr_graph *graph = printer->graph;
  const struct expr_node parts = *node_at(graph, product);
  /* A named product times a number is that number times the name. */
  bool is_name = scale != NUMBER_ONE && map_get(&printer->names, product) != 0;
  bool is_product = parts.operator_ == EXPR_PRODUCT && !is_name;
  uint32_t count = is_product ? parts.count : 1;
  uint32_t number = is_product ? number_multiply(graph, scale, parts.number) : scale;
  struct keyed *items = checked_malloc(count * sizeof *items);
  for (uint32_t i = 0; i < count; i++) {
    struct expr_operand factor = {product, NUMBER_ONE};
    if (is_product) factor = graph->operands.items[parts.first + i];
    struct node_info info = info_of(printer, factor.node);
    items[i] = (struct keyed){factor, factor_kind(printer, factor.node), info.first_symbol,
                              info.last_symbol, 0};
  }
  qsort(items, count, sizeof *items, by_factor_key);
  join_roots(graph, items, &count);
  *out = (struct print_factors){.negative = print_is_negative(graph, number)};
  for (uint32_t i = 0; i < count; i++) {
    struct expr_operand factor = items[i].operand;
    bool below = print_is_negative(graph, factor.number);
    factor.number = print_magnitude(graph, factor.number);
    if (below)
      vector_push(&out->denominators, factor);
    else
      vector_push(&out->numerators, factor);
  }
  free(items);
  split_number(graph, out, print_magnitude(graph, number));
  if (out->negative) out->flipped = sum_to_flip(printer, out);
  if (out->flipped != 0) out->negative = false;
}

void factors_free(struct print_factors *factors) {
  vector_free(&factors->numerators);
  vector_free(&factors->denominators);
}

/* ---- sums */

static uint32_t degree_of(const struct expr_graph *graph, expr e) {
  const struct expr_node *node = node_at(graph, e);
  if (node->operator_ != EXPR_PRODUCT) return 1;
  double degree = 0;
  for (uint32_t i = 0; i < node->count; i++)
    degree += graph->numbers.items[graph->operands.items[node->first + i].number].value;
  return degree < 0 ? 0 : degree > 1000 ? 1000 : (uint32_t)degree;
}

static int by_term_key(const void *left, const void *right) {
  const struct keyed *a = left, *b = right;
  int order = compare(b->kind, a->kind);
  if (order == 0) order = compare(a->first, b->first);
  if (order == 0) order = compare(b->degree, a->degree);
  if (order == 0) order = compare(a->last, b->last);
  return order != 0 ? order : compare(a->operand.node, b->operand.node);
}

void terms_of(struct expr_printer *printer, expr sum, uint32_t scale, struct expr_operand **terms,
              uint32_t *count) {
  struct expr_graph *graph = printer->graph;
  const struct expr_node parts = *node_at(graph, sum);
  struct keyed *items = checked_malloc((parts.count + 1) * sizeof *items);
  for (uint32_t i = 0; i < parts.count; i++) {
    struct expr_operand term = graph->operands.items[parts.first + i];
    struct node_info info = info_of(printer, term.node);
    term.number = number_multiply(graph, scale, term.number);
    items[i] = (struct keyed){term, info.rank < 2 ? 0 : info.rank, info.first_symbol,
                              info.last_symbol, degree_of(graph, term.node)};
  }
  qsort(items, parts.count, sizeof *items, by_term_key);
  *count = parts.count;
  if (parts.number != NUMBER_ZERO) {
    struct expr_operand constant = {0, number_multiply(graph, scale, parts.number)};
    items[(*count)++].operand = constant;
  }
  *terms = checked_malloc(*count * sizeof **terms);
  uint32_t front = 0;
  while (front < *count && print_is_negative(graph, items[front].operand.number)) front++;
  if (front == *count) front = 0; /* no positive term: nothing moves */
  (*terms)[0] = items[front].operand;
  for (uint32_t i = 0, at = 1; i < *count; i++)
    if (i != front) (*terms)[at++] = items[i].operand;
  free(items);
}
