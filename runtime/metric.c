/* metric.c: distances in the norm of a mass matrix: by its Cholesky factor where it is positive
 * definite (S = L^-T), by its eigenvectors where it is singular (S = V D^-1/2, with 1 in D for
 * eigenvalues that are zero or negative to rounding). */
#include "runtime/metric.h"
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SINGULAR 1e-13 /* of the largest eigenvalue */

static int is_well_conditioned(int32_t n, const double *factor) {
  double least = HUGE_VAL, most = 0;
  for (int32_t i = 0; i < n; i++) {
    double d = factor[(size_t)i * (size_t)n + (size_t)i];
    least = fmin(least, d * d);
    most = fmax(most, d * d);
  }
  return least > SINGULAR * most;
}

static void copy_symmetric(int32_t n, const double *mass, double *out) {
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) {
      double a = mass[(size_t)j * (size_t)n + (size_t)i];
      double b = mass[(size_t)i * (size_t)n + (size_t)j];
      out[(size_t)j * (size_t)n + (size_t)i] = 0.5 * (a + b);
    }
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
  m->is_unit = 0;
  copy_symmetric(n_mass, mass, m->factor);
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n_mass, m->factor, n_mass) == 0 &&
      is_well_conditioned(n_mass, m->factor))
    return 1;
  m->roots = malloc(2 * (size_t)n_mass * sizeof(double));
  if (!m->roots) return 0;
  copy_symmetric(n_mass, mass, m->factor);
  int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n_mass, m->factor, n_mass, m->roots);
  if (info == LAPACK_WORK_MEMORY_ERROR) return 0;
  if (info != 0) { /* has not been seen to happen; the unit norm is still a norm */
    m->is_unit = 1;
    return 1;
  }
  double most = m->roots[n_mass - 1]; /* ascending */
  for (int32_t i = 0; i < n_mass; i++)
    m->roots[i] = most > 0 && m->roots[i] > SINGULAR * most ? sqrt(m->roots[i]) : 1;
  return 1;
}

void metric_clear(struct metric *m) {
  free(m->factor);
  free(m->roots);
  *m = (struct metric){0};
}

/* y = V^T y, or V y. */
static void rotate(const struct metric *m, double *y, int transposed) {
  size_t n = (size_t)m->n_mass;
  double *out = m->roots + n;
  memset(out, 0, n * sizeof *out);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double v = m->factor[j * n + i];
      if (transposed)
        out[j] += v * y[i];
      else
        out[i] += v * y[j];
    }
  memcpy(y, out, n * sizeof *out);
}

void metric_lengths(const struct metric *m, double *y) {
  size_t n = (size_t)m->n_mass;
  if (m->is_unit) return;
  if (m->roots) {
    rotate(m, y, 1);
    for (size_t i = 0; i < n; i++) y[i] *= m->roots[i];
    return;
  }
  for (size_t j = 0; j < n; j++) { /* L^T y */
    double sum = 0;
    for (size_t i = j; i < n; i++) sum += m->factor[j * n + i] * y[i];
    y[j] = sum;
  }
}

void metric_changes(const struct metric *m, double *w) {
  size_t n = (size_t)m->n_mass;
  if (m->is_unit) return;
  if (m->roots) {
    for (size_t i = 0; i < n; i++) w[i] /= m->roots[i];
    rotate(m, w, 0);
    return;
  }
  for (size_t j = n; j-- > 0;) { /* L^-T w */
    double sum = w[j];
    for (size_t i = j + 1; i < n; i++) sum -= m->factor[j * n + i] * w[i];
    w[j] = sum / m->factor[j * n + j];
  }
}

void metric_gradient(const struct metric *m, double *g) {
  size_t n = (size_t)m->n_mass;
  if (m->is_unit) return;
  if (m->roots) {
    rotate(m, g, 1);
    for (size_t i = 0; i < n; i++) g[i] /= m->roots[i];
    return;
  }
  for (size_t j = 0; j < n; j++) { /* L^-1 g */
    g[j] /= m->factor[j * n + j];
    for (size_t i = j + 1; i < n; i++) g[i] -= m->factor[j * n + i] * g[j];
  }
}
