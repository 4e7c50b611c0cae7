/* eliminate.c: dependent unknowns of linear equations by LAPACK's QR decompositions: one with
 * column pivoting chooses them, one of their columns alone solves. Equations may be redundant as
 * long as they agree: then the solution is that of least squares. Source: Golub, Van Loan, Matrix
 * Computations (4th ed.), 5.3 and 5.4. */
#include "runtime/eliminate.h"
#include "runtime/blas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PIVOT 1e-9 /* over the first: as of constraint_rows.h */

/* scale[m]: 1 over the largest entry of each row. */
static void measure_rows(int32_t m, int32_t n, const double *a, const double *weight,
                         double *scale) {
  for (int32_t i = 0; i < m; i++) {
    double largest = 0;
    for (int32_t j = 0; j < n; j++)
      largest = fmax(largest, fabs(a[i + (size_t)j * (size_t)m]) * (weight ? weight[j] : 1));
    scale[i] = largest > 0 && isfinite(largest) ? 1 / largest : 1;
  }
}

int32_t eliminate_choose(int32_t m, int32_t n, const double *a, const double *weight, int32_t most,
                         int32_t *dependent) {
  size_t rows = (size_t)m, columns = (size_t)n;
  if (m == 0 || n == 0 || most == 0) return 0;
  int info, work_size = 64 * (n + 1), rank = m < n ? m : n;
  double *memory = calloc(rows * columns + rows + columns + (size_t)work_size, sizeof *memory);
  int *pivot = calloc(columns, sizeof *pivot);
  if (!memory || !pivot) {
    free(memory);
    free(pivot);
    return -1;
  }
  double *scale = memory + rows * columns, *tau = scale + rows, *work = tau + columns;
  measure_rows(m, n, a, weight, scale);
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++) memory[i + j * rows] = a[i + j * rows] * weight[j] * scale[i];
  LAPACK_dgeqp3(&m, &n, memory, &m, pivot, tau, work, &work_size, &info);
  int32_t taken = 0;
  double first = fabs(memory[0]);
  while (taken < rank && taken < most &&
         fabs(memory[(size_t)taken * rows + (size_t)taken]) > LEAST_PIVOT * first) {
    dependent[taken] = pivot[taken] - 1;
    taken++;
  }
  free(memory);
  free(pivot);
  return taken;
}

int elimination_init(struct elimination *s, int32_t m, const double *a, int32_t rank,
                     const int32_t *dependent) {
  size_t rows = (size_t)m, columns = (size_t)rank;
  *s = (struct elimination){.m = m, .rank = rank, .work_size = 64 * (rank + 1)};
  s->qr = calloc(rows * columns + columns + rows + (size_t)s->work_size + 1, sizeof(double));
  if (!s->qr) return 0;
  s->tau = s->qr + rows * columns;
  s->scale = s->tau + columns;
  s->work = s->scale + rows;
  if (rank == 0) return 1;
  for (size_t j = 0; j < columns; j++)
    memcpy(s->qr + j * rows, a + (size_t)dependent[j] * rows, rows * sizeof *a);
  measure_rows(m, rank, s->qr, NULL, s->scale);
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++) s->qr[i + j * rows] *= s->scale[i];
  int info;
  LAPACK_dgeqrf(&m, &rank, s->qr, &m, s->tau, s->work, &s->work_size, &info);
  return 1;
}

void elimination_clear(struct elimination *s) {
  free(s->qr);
  *s = (struct elimination){0};
}

void elimination_solve(const struct elimination *s, double *right) {
  const int one = 1;
  int info;
  if (s->rank == 0) return;
  for (int32_t i = 0; i < s->m; i++) right[i] *= s->scale[i];
  LAPACK_dormqr("L", "T", &s->m, &one, &s->rank, s->qr, &s->m, s->tau, right, &s->m, s->work,
                &s->work_size, &info);
  blas_solve_triangle("U", "N", s->rank, s->qr, s->m, right);
}
