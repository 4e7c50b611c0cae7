/* rows.c: rank, row space and least solutions of a small dense matrix A given by its rows, by
 * Householder reflections with column pivoting of its transpose, A^T P = Q R, and again of R^T
 * where rows are dependent (complete orthogonal decomposition).
 * Source: Golub, Van Loan, Matrix Computations (4th ed.), 5.4 and 5.5. */
#include "runtime/rows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int rows_init(struct rows *s, size_t m, size_t n) {
  size_t k = m < n ? m : n;
  *s = (struct rows){.m = m, .n = n, .k = k};
  s->a = calloc(m * n + n * k + m * k + 5 * k + m + 1, sizeof(double));
  s->pivot = calloc(m + k + 1, sizeof(size_t));
  if (!s->a || !s->pivot) {
    rows_clear(s);
    return 0;
  }
  s->basis = s->a + m * n;
  s->lower = s->basis + n * k;
  s->head = s->lower + m * k;
  s->beta = s->head + k;
  s->head2 = s->beta + k;
  s->beta2 = s->head2 + k;
  s->right = s->beta2 + k;
  s->pivot2 = s->pivot + m;
  return 1;
}

void rows_clear(struct rows *s) {
  free(s->a);
  free(s->pivot);
  *s = (struct rows){0};
}

static double norm(const double *v, size_t length) {
  double sum = 0;
  for (size_t i = 0; i < length; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

/* y = (1 - beta v v^T) y for the reflector of column k. */
static void reflect(size_t rows, const double *column, double head, double beta, size_t k,
                    double *y) {
  double sum = head * y[k];
  for (size_t i = k + 1; i < rows; i++) sum += column[i] * y[i];
  sum *= beta;
  y[k] -= sum * head;
  for (size_t i = k + 1; i < rows; i++) y[i] -= sum * column[i];
}

/* The column from k on whose part below row k is longest; its length in *length. */
static size_t longest_column(size_t rows, size_t columns, const double *a, size_t k,
                             double *length) {
  size_t best = k;
  *length = -1;
  for (size_t j = k; j < columns; j++) {
    double l = norm(a + j * rows + k, rows - k);
    if (l > *length) {
      *length = l;
      best = j;
    }
  }
  return best;
}

static void swap_columns(size_t rows, double *a, size_t i, size_t j, size_t *pivot) {
  if (i == j) return;
  for (size_t r = 0; r < rows; r++) {
    double value = a[i * rows + r];
    a[i * rows + r] = a[j * rows + r];
    a[j * rows + r] = value;
  }
  size_t p = pivot[i];
  pivot[i] = pivot[j];
  pivot[j] = p;
}

/* A P = Q R in place (column by column): R on and above the diagonal, reflectors below it with
 * their first entries in head. Returns the rank. */
static size_t triangularise(size_t rows, size_t columns, double *a, double *head, double *beta,
                            size_t *pivot, double tolerance) {
  size_t most = rows < columns ? rows : columns;
  double first = 0, length;
  for (size_t j = 0; j < columns; j++) pivot[j] = j;
  for (size_t k = 0; k < most; k++) {
    swap_columns(rows, a, k, longest_column(rows, columns, a, k, &length), pivot);
    if (k == 0) first = length;
    if (!(length > tolerance * first)) return k;
    double *column = a + k * rows;
    double diagonal = column[k] > 0 ? -length : length;
    head[k] = column[k] - diagonal;
    beta[k] = -1 / (diagonal * head[k]);
    for (size_t j = k + 1; j < columns; j++)
      reflect(rows, column, head[k], beta[k], k, a + j * rows);
    column[k] = diagonal;
  }
  return most;
}

void rows_decompose(struct rows *s, double tolerance) {
  size_t n = s->n, m = s->m;
  /* Row after row is column after column of the transpose. */
  s->rank = triangularise(n, m, s->a, s->head, s->beta, s->pivot, tolerance);
  memset(s->basis, 0, n * s->k * sizeof(double));
  for (size_t r = 0; r < s->rank; r++) {
    double *vector = s->basis + r * n;
    vector[r] = 1;
    for (size_t k = s->rank; k-- > 0;) reflect(n, s->a + k * n, s->head[k], s->beta[k], k, vector);
  }
  if (s->rank == m) return;
  for (size_t k = 0; k < s->rank; k++) /* R^T, m by rank */
    for (size_t j = 0; j < m; j++) s->lower[k * m + j] = j >= k ? s->a[j * n + k] : 0;
  triangularise(m, s->rank, s->lower, s->head2, s->beta2, s->pivot2, 0);
}

/* z[rank] with R^T z = b, all rows independent. */
static void solve_square(const struct rows *s, const double *b, double *z) {
  for (size_t k = 0; k < s->rank; k++) {
    const double *column = s->a + k * s->n; /* row k of R^T */
    double sum = b[k];
    for (size_t i = 0; i < k; i++) sum -= column[i] * z[i];
    z[k] = sum / column[k];
  }
}

/* z[rank] that makes |R^T z - b| least; b is overwritten. */
static void solve_least(const struct rows *s, double *b, double *z) {
  size_t m = s->m, rank = s->rank;
  for (size_t k = 0; k < rank; k++) reflect(m, s->lower + k * m, s->head2[k], s->beta2[k], k, b);
  for (size_t k = rank; k-- > 0;) {
    double sum = b[k];
    for (size_t j = k + 1; j < rank; j++) sum -= s->lower[j * m + k] * z[s->pivot2[j]];
    z[s->pivot2[k]] = sum / s->lower[k * m + k];
  }
}

void rows_solve(const struct rows *s, const double *b, double *w) {
  double *permuted = s->right;
  memset(w, 0, s->n * sizeof *w);
  if (s->rank == 0) return;
  double *z = s->right + s->m; /* k doubles behind the right side */
  for (size_t j = 0; j < s->m; j++) permuted[j] = b[s->pivot[j]];
  if (s->rank == s->m)
    solve_square(s, permuted, z);
  else
    solve_least(s, permuted, z);
  for (size_t r = 0; r < s->rank; r++)
    for (size_t i = 0; i < s->n; i++) w[i] += z[r] * s->basis[r * s->n + i];
}

void rows_remove(const struct rows *s, double *y) {
  for (int pass = 0; pass < 2; pass++) /* twice is enough for orthogonality to rounding */
    for (size_t r = 0; r < s->rank; r++) {
      const double *v = s->basis + r * s->n;
      double sum = 0;
      for (size_t i = 0; i < s->n; i++) sum += v[i] * y[i];
      for (size_t i = 0; i < s->n; i++) y[i] -= sum * v[i];
    }
}
