/* Expressions that are quadratic in velocities, written by their coefficients. */
#ifndef DYN_DERIVE_QUADRATIC_FORM_H
#define DYN_DERIVE_QUADRATIC_FORM_H
#include "expr/expr.h"

/* e as 1/2 sum of c_ij w_i w_j + sum of b_i w_i + a, each coefficient as one sum, in which squares
 * of sines and cosines meet; 0 if e is not of that form. */
expr quadratic_form_of(struct expr_graph *graph, expr e, const expr *w, size_t count);
#endif
