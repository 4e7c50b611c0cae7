/* Small dense elimination in doubles, to see whether a mass matrix is singular. */
#ifndef DYN_DERIVE_ELIMINATION_H
#define DYN_DERIVE_ELIMINATION_H
#include <stddef.h>
#include <stdint.h>

/* Scales a (n*n, by columns) so that entries are of order one: a_ij / (s_i s_j), s_i from the
 * diagonal or, where that is zero, from the row. The scales go to `scale` (n). */
void elimination_scale(double *a, uint32_t n, double *scale);

/* Smallest over largest pivot of elimination with row exchanges; 0 if a pivot vanishes or an entry
 * is not finite. Destroys a. Zeros are skipped, so that sparse matrices cost little. */
double elimination_pivot_ratio(double *a, uint32_t n);

/* Rank by elimination with full exchange: pivots below tolerance times the largest count as zero.
 * A basis of the null space, one vector after the other, each with largest entry 1, goes to `null`
 * (n*n); destroys a. */
uint32_t elimination_null_space(double *a, uint32_t n, double tolerance, double *null);
#endif
