/* Degrees of homogeneity, one pass over the graph in order of ids (children before parents):
 * symbols have degree 1, what does not depend on them 0; sums need equal degrees, products add
 * degree times exponent. By Euler's theorem a kinetic energy of degree 2 in the velocities has
 * sum q' dT/dq' = 2 T, which is all that the energy integral needs. */
#include "derive/homogeneous.h"
#include "base/bug.h"
#include "base/rational.h"
#include <stdlib.h>

enum known { UNSEEN, FREE, DEGREE, MIXED };

struct degrees {
  struct expr_graph *graph;
  uint8_t *known;          /* by node */
  struct rational *degree; /* by node, where known is DEGREE */
};

static bool to_rational(mpq_srcptr number, struct rational *out) {
  if (!mpz_fits_slong_p(mpq_numref(number)) || !mpz_fits_slong_p(mpq_denref(number))) return false;
  return rational_make(mpz_get_si(mpq_numref(number)), mpz_get_si(mpq_denref(number)), out);
}

static void degree_of_sum(struct degrees *d, expr e, const struct expr_operand *operands,
                          uint32_t count) {
  bool dependent = false;
  for (uint32_t i = 0; i < count; i++) dependent = dependent || d->known[operands[i].node] != FREE;
  d->known[e] = dependent ? DEGREE : FREE;
  if (!dependent) return;
  d->degree[e] = d->degree[operands[0].node];
  for (uint32_t i = 0; i < count; i++)
    if (d->known[operands[i].node] != DEGREE ||
        !rational_equal(d->degree[operands[i].node], d->degree[e]))
      d->known[e] = MIXED;
  if (mpq_sgn(expr_constant(d->graph, e)) != 0) d->known[e] = MIXED;
}

static void degree_of_product(struct degrees *d, expr e, const struct expr_operand *operands,
                              uint32_t count) {
  d->known[e] = FREE;
  d->degree[e] = rational_integer(0);
  for (uint32_t i = 0; i < count; i++) {
    struct rational exponent, part;
    if (d->known[operands[i].node] == FREE) continue;
    if (d->known[e] != MIXED) d->known[e] = DEGREE;
    if (d->known[operands[i].node] == MIXED ||
        !to_rational(expr_pool_number(d->graph, operands[i].number), &exponent) ||
        !rational_multiply(d->degree[operands[i].node], exponent, &part) ||
        !rational_add(d->degree[e], part, &d->degree[e]))
      d->known[e] = MIXED;
  }
}

static void degree_of_node(struct degrees *d, expr e) {
  uint32_t count;
  const struct expr_operand *operands = expr_operands(d->graph, e, &count);
  switch (expr_operator_of(d->graph, e)) {
  case EXPR_SUM:
    degree_of_sum(d, e, operands, count);
    break;
  case EXPR_PRODUCT:
    degree_of_product(d, e, operands, count);
    break;
  default:
    d->known[e] = FREE;
    for (uint32_t i = 0; i < count; i++)
      if (d->known[operands[i].node] != FREE) d->known[e] = MIXED;
  }
}

/* Visits e and below it, children first, without recursion. */
static void degree_below(struct degrees *d, expr e) {
  uint8_t *wanted = checked_calloc((size_t)e + 1, 1);
  wanted[e] = 1;
  for (expr node = e; node > 0; node--) {
    uint32_t count;
    if (!wanted[node] || d->known[node] != UNSEEN) continue;
    const struct expr_operand *operands = expr_operands(d->graph, node, &count);
    for (uint32_t i = 0; i < count; i++) wanted[operands[i].node] = 1;
  }
  for (expr node = 1; node <= e; node++)
    if (wanted[node] && d->known[node] == UNSEEN) degree_of_node(d, node);
  free(wanted);
}

bool homogeneous_is_of_degree(struct expr_graph *graph, expr e, const expr *symbols, size_t count,
                              long degree) {
  if (expr_is_integer_value(graph, e, 0)) return true;
  size_t size = (size_t)expr_graph_size(graph) + 1;
  struct degrees d = {graph, checked_calloc(size, 1), checked_calloc(size, sizeof *d.degree)};
  for (size_t i = 0; i < count; i++) {
    d.known[symbols[i]] = DEGREE;
    d.degree[symbols[i]] = rational_integer(1);
  }
  degree_below(&d, e);
  bool result = d.known[e] == FREE     ? degree == 0
                : d.known[e] == DEGREE ? rational_equal(d.degree[e], rational_integer(degree))
                                       : false;
  free(d.known);
  free(d.degree);
  return result;
}
