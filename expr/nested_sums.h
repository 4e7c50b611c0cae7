/* Sums that begin alike, written with common partial sums.
 *
 * Sums are flat: the places of a chain's n bodies are n sums with up to n terms, where each is the
 * one before and a term more. This finds that again: every sum becomes an earlier partial sum (or
 * none) and terms of its own, so that rows of growing sums, also along the branches of a tree, cost
 * one addition each. */
#ifndef DYN_EXPR_NESTED_SUMS_H
#define DYN_EXPR_NESTED_SUMS_H
#include "base/map.h"
#include "base/vector.h"
#include "expr/expr.h"

struct nested_sum {
  uint32_t base;         /* 1 + the partial sum it begins with, which stands earlier; 0: none */
  uint32_t first, count; /* in `operands`: the terms of its own, at least one */
};

struct nested_sums {
  struct map of; /* sum -> 1 + its place in `sums`; constants of sums are left out */
  VECTOR(struct nested_sum) sums;
  VECTOR(struct expr_operand) operands;
};

/* Of `count` sums, each given once. Time and memory grow with the number of their operands. The
 * caller clears the result. */
struct nested_sums nested_sums_find(struct expr_graph *graph, const expr *sums, size_t count);
void nested_sums_clear(struct nested_sums *nested);
#endif
