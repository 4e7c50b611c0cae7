/* blas.h: the few calls of BLAS that the runtime makes, of Fortran's symbols: Debian's archive of
 * the C interface is no position-independent code, that of the Fortran symbols links into a shared
 * library. Matrices are stored column by column, vectors without gaps; nothing is kept. */
#ifndef DYN_RUNTIME_BLAS_H
#define DYN_RUNTIME_BLAS_H
#include <lapack.h>
#include <stddef.h>

/* Lengths of the texts follow the other arguments, as in lapack.h. */
void LAPACK_GLOBAL(dgemv, DGEMV)(const char *transpose, const int *m, const int *n,
                                 const double *alpha, const double *a, const int *lda,
                                 const double *x, const int *step_x, const double *beta, double *y,
                                 const int *step_y, size_t length);
void LAPACK_GLOBAL(dtrmv, DTRMV)(const char *triangle, const char *transpose, const char *diagonal,
                                 const int *n, const double *a, const int *lda, double *x,
                                 const int *step_x, size_t, size_t, size_t);
void LAPACK_GLOBAL(dtrsv, DTRSV)(const char *triangle, const char *transpose, const char *diagonal,
                                 const int *n, const double *a, const int *lda, double *x,
                                 const int *step_x, size_t, size_t, size_t);
double LAPACK_GLOBAL(dnrm2, DNRM2)(const int *n, const double *x, const int *step_x);

/* y = alpha op(A) x + beta y; A is m by n, op "N": A, "T": A^T. m > 0. */
static inline void blas_add_product(const char *op, int m, int n, double alpha, const double *a,
                                    const double *x, double beta, double *y) {
  const int one = 1;
  LAPACK_GLOBAL(dgemv, DGEMV)(op, &m, &n, &alpha, a, &m, x, &one, &beta, y, &one, 1);
}

/* x = op(T) x, T the lower ("L") or upper ("U") triangle of the first n columns, of lda >= n each.
 */
static inline void blas_multiply_triangle(const char *triangle, const char *op, int n,
                                          const double *a, int lda, double *x) {
  const int one = 1;
  LAPACK_GLOBAL(dtrmv, DTRMV)(triangle, op, "N", &n, a, &lda, x, &one, 1, 1, 1);
}

/* x = op(T)^-1 x, likewise; the diagonal has no zero. */
static inline void blas_solve_triangle(const char *triangle, const char *op, int n, const double *a,
                                       int lda, double *x) {
  const int one = 1;
  LAPACK_GLOBAL(dtrsv, DTRSV)(triangle, op, "N", &n, a, &lda, x, &one, 1, 1, 1);
}

/* The Euclidean length of x, scaled so that no square overflows. */
static inline double blas_length(int n, const double *x) {
  const int one = 1;
  return LAPACK_GLOBAL(dnrm2, DNRM2)(&n, x, &one);
}

#endif
