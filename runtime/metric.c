/* metric.c: distances in the norm of a mass matrix: by its Cholesky factor where it is positive
 * definite (S = L^-T), by its eigenvectors where it is singular (S = V D^-1/2, with 1 in D for
 * eigenvalues that are zero or negative to rounding). LAPACK makes both, in place in memory that
 * struct metric owns.
 * Source: Golub, Van Loan, Matrix Computations (4th ed.), 4.2 and 8.1. */
#include "runtime/metric.h"
#include "runtime/blas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SINGULAR 1e-13 /* of a coordinate's own inertia, or of the largest eigenvalue */
#define SURE 1e-6      /* where no pivot is smaller, rounding is not enlarged to one */

static void copy_symmetric(int32_t n, const double *mass, double *out) {
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) {
      double a = mass[(size_t)j * (size_t)n + (size_t)i];
      double b = mass[(size_t)i * (size_t)n + (size_t)j];
      out[(size_t)j * (size_t)n + (size_t)i] = 0.5 * a + 0.5 * b;
    }
}

/* Whether the matrix, its coordinates scaled to unit inertia, has full rank by an elimination with
 * pivots; 0 too when there is no memory. */
static int is_definite(int32_t n, const double *mass) {
  size_t size = (size_t)n;
  double *a = malloc((size * size + 2 * size) * sizeof *a), least = SINGULAR;
  int32_t *order = malloc(size * sizeof *order), rank = 0, info;
  for (size_t j = 0; a && order && j < size; j++)
    for (size_t i = 0; i < size; i++)
      a[j * size + i] = 0.5 * (mass[j * size + i] + mass[i * size + j]) /
                        sqrt(mass[i * size + i] * mass[j * size + j]);
  if (a && order) LAPACK_dpstrf("L", &n, a, &n, order, &rank, &least, a + size * size, &info);
  free(a);
  free(order);
  return rank == n;
}

/* factor = L of the mass matrix L L^T, in the lower triangle; 0 if the matrix is not positive
 * definite to rounding, judged coordinate by coordinate, as their units may differ: LAPACK alone
 * stops only at pivots that are not positive. Without an exchange of coordinates a small pivot may
 * stand before one that is only the rounding which it enlarged. */
static int factorise(int32_t n, const double *mass, double *factor) {
  int info;
  copy_symmetric(n, mass, factor);
  LAPACK_dpotrf("L", &n, factor, &n, &info);
  if (info != 0) return 0;
  int is_sure = 1;
  for (size_t j = 0; j < (size_t)n; j++) {
    size_t diagonal = j * (size_t)n + j;
    double pivot = factor[diagonal] * factor[diagonal];
    if (!(pivot > SINGULAR * mass[diagonal])) return 0;
    is_sure = is_sure && pivot > SURE * mass[diagonal];
  }
  return is_sure || is_definite(n, mass);
}

/* vectors = the eigenvectors of the mass matrix, column by column, and roots the square roots of
 * its eigenvalues, or 1. Returns 0 when there is no memory, or for no convergence a negative. */
static int diagonalise(int32_t n, const double *mass, double *vectors, double *roots) {
  int info, size = -1;
  double want;
  LAPACK_dsyev("V", "L", &n, vectors, &n, roots, &want, &size, &info);
  size = (int)want;
  double *work = malloc((size_t)size * sizeof *work);
  if (!work) return 0;
  copy_symmetric(n, mass, vectors);
  LAPACK_dsyev("V", "L", &n, vectors, &n, roots, work, &size, &info);
  free(work);
  if (info != 0) return -1;
  double least = SINGULAR * fmax(roots[n - 1], 0); /* they ascend */
  for (int32_t i = 0; i < n; i++) roots[i] = roots[i] > least ? sqrt(roots[i]) : 1;
  return 1;
}

static int is_finite(int32_t n, const double *mass) {
  for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
    if (!isfinite(mass[i])) return 0;
  return 1;
}

int metric_init(struct metric *m, int32_t n_mass, int32_t n, const double *mass) {
  *m = (struct metric){.n_mass = n_mass, .n = n, .is_unit = 1};
  if (!mass || n_mass == 0 || !is_finite(n_mass, mass)) return 1;
  m->factor = malloc((size_t)n_mass * (size_t)n_mass * sizeof(double));
  if (!m->factor) return 0;
  if (factorise(n_mass, mass, m->factor)) {
    m->is_unit = 0;
    return 1;
  }
  m->roots = malloc(2 * (size_t)n_mass * sizeof(double));
  int result = m->roots ? diagonalise(n_mass, mass, m->factor, m->roots) : 0;
  m->is_unit = result <= 0; /* eigenvalues that LAPACK cannot find have no directions either */
  return result != 0;
}

void metric_clear(struct metric *m) {
  free(m->factor);
  free(m->roots);
  *m = (struct metric){0};
}

/* y = V^T y, or V y. */
static void rotate(const struct metric *m, const char *op, double *y) {
  int n = m->n_mass;
  double *out = m->roots + n;
  blas_add_product(op, n, n, 1, m->factor, y, 0, out);
  memcpy(y, out, (size_t)n * sizeof *out);
}

void metric_lengths(const struct metric *m, double *y) {
  int n = m->n_mass;
  if (m->is_unit) return;
  if (m->roots) {
    rotate(m, "T", y);
    for (int i = 0; i < n; i++) y[i] *= m->roots[i];
    return;
  }
  blas_multiply_triangle("L", "T", n, m->factor, n, y);
}

void metric_changes(const struct metric *m, double *w) {
  int n = m->n_mass;
  if (m->is_unit) return;
  if (m->roots) {
    for (int i = 0; i < n; i++) w[i] /= m->roots[i];
    rotate(m, "N", w);
    return;
  }
  blas_solve_triangle("L", "T", n, m->factor, n, w);
}

void metric_gradient(const struct metric *m, double *g) {
  int n = m->n_mass;
  if (m->is_unit) return;
  if (m->roots) {
    rotate(m, "T", g);
    for (int i = 0; i < n; i++) g[i] /= m->roots[i];
    return;
  }
  blas_solve_triangle("L", "N", n, m->factor, n, g);
}
