/* The inverse of a matrix of expressions, where that is cheap. */
#ifndef DYN_DERIVE_INVERSE_H
#define DYN_DERIVE_INVERSE_H
#include "expr/expr.h"
#include <stdbool.h>

/* inverse = matrix^-1, both n*n column by column. `varying`: the symbols that change with the
 * state; what is free of them may be a pivot. Nothing else is divided by, except entries that
 * stand alone in their row or column and the determinants of what is left: the result is defined
 * wherever the matrix is regular. False (inverse undefined) if a coupled block that is left is
 * larger than `largest_block` (at most INVERSE_LARGEST_BLOCK), or the matrix is structurally
 * singular. `is_everywhere` (may be NULL): whether what was divided by is free of the varying
 * symbols, so that the matrix is regular at every state; false says nothing. */
enum { INVERSE_LARGEST_BLOCK = 6 };
bool inverse_of(struct expr_graph *graph, const expr *matrix, uint32_t n,
                struct expr_symbol_set *varying, uint32_t largest_block, expr *inverse,
                bool *is_everywhere);
#endif
