/* Degree of homogeneity of an expression in some of its symbols, read off the graph. */
#ifndef DYN_DERIVE_HOMOGENEOUS_H
#define DYN_DERIVE_HOMOGENEOUS_H
#include "expr/expr.h"
#include <stdbool.h>

/* True if e(s*x) = s^degree e(x) for the symbols x in every term as written, with the degree an
 * integer. False says only that it can't be seen from the structure. The number 0 has every
 * degree. */
bool homogeneous_is_of_degree(struct expr_graph *graph, expr e, const expr *symbols, size_t count,
                              long degree);
#endif
