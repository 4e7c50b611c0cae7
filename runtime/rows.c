/* rows.c: rank, row space and least solutions of a small dense matrix A given by its rows, by
 * LAPACK's QR decomposition with column pivoting of its transpose, A^T P = Q R, and one of R^T
 * where rows are dependent (complete orthogonal decomposition). The caller's rows, one after the
 * other, are the columns of A^T as LAPACK stores them, so nothing is transposed. LAPACK works in
 * place in memory that struct rows owns and allocates none.
 * Source: Golub, Van Loan, Matrix Computations (4th ed.), 5.4 and 5.5. */
#include "runtime/rows.h"
#include "runtime/blas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The doubles that the decompositions of this shape ask LAPACK to work in (its size -1 asks). */
static int wanted_work(int m, int n, int k) {
  const int ask = -1, one = 1;
  double want, most = k, unused = 0;
  int info, no_pivot = 0;
  LAPACK_dgeqp3(&n, &m, &unused, &n, &no_pivot, &unused, &want, &ask, &info);
  most = fmax(most, want);
  LAPACK_dorgqr(&n, &k, &k, &unused, &n, &unused, &want, &ask, &info);
  most = fmax(most, want);
  LAPACK_dgeqrf(&m, &k, &unused, &m, &unused, &want, &ask, &info);
  most = fmax(most, want);
  LAPACK_dormqr("L", "T", &m, &one, &k, &unused, &m, &unused, &unused, &m, &want, &ask, &info);
  return (int)fmax(most, want);
}

int rows_init(struct rows *s, size_t m, size_t n) {
  size_t k = m < n ? m : n;
  *s = (struct rows){.m = m, .n = n, .k = k};
  if (k > 0) s->work_size = wanted_work((int)m, (int)n, (int)k);
  s->a = calloc(m * n + n * k + m * k + 2 * k + m + (size_t)s->work_size + 1, sizeof(double));
  s->pivot = calloc(m + 1, sizeof *s->pivot);
  if (!s->a || !s->pivot) {
    rows_clear(s);
    return 0;
  }
  s->basis = s->a + m * n;
  s->lower = s->basis + n * k;
  s->tau = s->lower + m * k;
  s->tau2 = s->tau + k;
  s->right = s->tau2 + k;
  s->work = s->right + m;
  return 1;
}

void rows_clear(struct rows *s) {
  free(s->a);
  free(s->pivot);
  *s = (struct rows){0};
}

/* A diagonal entry of R is the length of what the rows before left of its row, and the first one
 * that of the longest row. */
size_t rows_independent(const struct rows *s, double least) {
  size_t rank = 0;
  while (rank < s->k && fabs(s->a[rank * s->n + rank]) > least) rank++;
  return rank;
}

static void pivot_rows(struct rows *s) {
  int m = (int)s->m, n = (int)s->n, info;
  memset(s->pivot, 0, s->m * sizeof *s->pivot); /* any column may come first */
  LAPACK_dgeqp3(&n, &m, s->a, &n, s->pivot, s->tau, s->work, &s->work_size, &info);
}

/* The basis of the rows, and what least solutions need, from the pivoted rows and s->rank. */
static void complete(struct rows *s) {
  int m = (int)s->m, n = (int)s->n, rank = (int)s->rank, info;
  if (rank == 0) return;
  memcpy(s->basis, s->a, s->n * s->rank * sizeof *s->basis);
  LAPACK_dorgqr(&n, &rank, &rank, s->basis, &n, s->tau, s->work, &s->work_size, &info);
  if (rank == m) return;
  for (size_t k = 0; k < s->rank; k++) /* R^T, m by rank */
    for (size_t j = 0; j < s->m; j++) s->lower[k * s->m + j] = j >= k ? s->a[j * s->n + k] : 0;
  LAPACK_dgeqrf(&m, &rank, s->lower, &m, s->tau2, s->work, &s->work_size, &info);
}

void rows_decompose(struct rows *s, double tolerance) {
  s->rank = 0;
  if (s->k == 0) return;
  pivot_rows(s);
  s->rank = rows_independent(s, tolerance * fabs(s->a[0]));
  complete(s);
}

void rows_decompose_to(struct rows *s, double least, size_t most_rank) {
  s->rank = 0;
  if (s->k == 0) return;
  pivot_rows(s);
  s->rank = rows_independent(s, least);
  if (s->rank > most_rank) s->rank = most_rank;
  complete(s);
}

void rows_solve(const struct rows *s, const double *b, double *w) {
  const int m = (int)s->m, n = (int)s->n, rank = (int)s->rank, one = 1;
  double *z = s->right; /* in: b in the order of the pivots; out: w = Q z */
  memset(w, 0, s->n * sizeof *w);
  if (rank == 0) return;
  for (size_t j = 0; j < s->m; j++) z[j] = b[s->pivot[j] - 1];
  if (rank == m) {
    blas_solve_triangle("U", "T", rank, s->a, n, z);
  } else {
    int info;
    LAPACK_dormqr("L", "T", &m, &one, &rank, s->lower, &m, s->tau2, z, &m, s->work, &s->work_size,
                  &info);
    blas_solve_triangle("U", "N", rank, s->lower, m, z);
  }
  blas_add_product("N", n, rank, 1, s->basis, z, 0, w);
}

void rows_multipliers(const struct rows *s, const double *b, double *mu) {
  const int rank = (int)s->rank, n = (int)s->n;
  double *z = s->right; /* R1^T R1 z = b, by the rows that were taken */
  memset(mu, 0, s->m * sizeof *mu);
  if (rank == 0) return;
  for (size_t j = 0; j < s->rank; j++) z[j] = b[s->pivot[j] - 1];
  blas_solve_triangle("U", "T", rank, s->a, n, z);
  blas_solve_triangle("U", "N", rank, s->a, n, z);
  for (size_t j = 0; j < s->rank; j++) mu[s->pivot[j] - 1] = z[j];
}

void rows_remove(const struct rows *s, double *y) {
  const int n = (int)s->n, rank = (int)s->rank;
  if (rank == 0) return;
  for (int pass = 0; pass < 2; pass++) { /* twice is enough for orthogonality to rounding */
    blas_add_product("T", n, rank, 1, s->basis, y, 0, s->work);
    blas_add_product("N", n, rank, -1, s->basis, s->work, 1, y);
  }
}
