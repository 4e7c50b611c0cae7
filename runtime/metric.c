/* metric.c: distances in the norm of a mass matrix: by its Cholesky factor where it is positive
 * definite (S = L^-T), by its eigenvectors where it is singular (S = V D^-1/2, with 1 in D for
 * eigenvalues that are zero or negative to rounding).
 * Source: Golub, Van Loan, Matrix Computations (4th ed.), 4.2 and 8.5 (Jacobi's method). */
#include "runtime/metric.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SINGULAR 1e-13 /* of a coordinate's own inertia, or of the largest eigenvalue */

/* a = L L^T in place, in the lower triangle; 0 if a is not positive definite to rounding, judged
 * coordinate by coordinate, as their units may differ. */
static int factorise(size_t n, double *a) {
  for (size_t j = 0; j < n; j++) {
    double own = a[j * n + j], d = own;
    for (size_t k = 0; k < j; k++) d -= a[k * n + j] * a[k * n + j];
    if (!(d > SINGULAR * own)) return 0;
    a[j * n + j] = sqrt(d);
    for (size_t k = 0; k < j; k++)
      for (size_t i = j + 1; i < n; i++) a[j * n + i] -= a[k * n + i] * a[k * n + j];
    for (size_t i = j + 1; i < n; i++) a[j * n + i] /= a[j * n + j];
  }
  return 1;
}

/* Turns the plane of columns p and q so that they are at right angles; returns whether it had to.
 */
static int turn(size_t n, double *a, double *v, size_t p, size_t q) {
  double *ap = a + p * n, *aq = a + q * n, *vp = v + p * n, *vq = v + q * n;
  double pp = 0, qq = 0, pq = 0;
  for (size_t i = 0; i < n; i++) {
    pp += ap[i] * ap[i];
    qq += aq[i] * aq[i];
    pq += ap[i] * aq[i];
  }
  if (fabs(pq) <= 1e-15 * sqrt(pp * qq) || pq == 0) return 0;
  double tau = (qq - pp) / (2 * pq);
  double tangent = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
  double c = 1 / sqrt(1 + tangent * tangent), s = c * tangent;
  for (size_t i = 0; i < n; i++) {
    double x = ap[i], y = vp[i];
    ap[i] = c * x - s * aq[i];
    aq[i] = s * x + c * aq[i];
    vp[i] = c * y - s * vq[i];
    vq[i] = s * y + c * vq[i];
  }
  return 1;
}

/* One-sided Jacobi: a becomes a V with columns at right angles, so that for a symmetric a the
 * columns of V are eigenvectors, and v_j . (a v_j) the eigenvalues. */
static void diagonalise(size_t n, double *a, double *v, double *eigenvalues) {
  memset(v, 0, n * n * sizeof *v);
  for (size_t i = 0; i < n; i++) v[i * n + i] = 1;
  int turned = 1;
  for (int sweep = 0; turned && sweep < 60; sweep++) {
    turned = 0;
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++) turned |= turn(n, a, v, p, q);
  }
  for (size_t j = 0; j < n; j++) {
    eigenvalues[j] = 0;
    for (size_t i = 0; i < n; i++) eigenvalues[j] += v[j * n + i] * a[j * n + i];
  }
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
  size_t size = (size_t)n_mass;
  copy_symmetric(n_mass, mass, m->factor);
  if (factorise(size, m->factor)) return 1;
  double *symmetric = malloc(size * size * sizeof *symmetric);
  m->roots = malloc(2 * size * sizeof(double));
  if (symmetric && m->roots) {
    copy_symmetric(n_mass, mass, symmetric);
    diagonalise(size, symmetric, m->factor, m->roots);
    double most = 0;
    for (size_t i = 0; i < size; i++) most = fmax(most, m->roots[i]);
    for (size_t i = 0; i < size; i++)
      m->roots[i] = m->roots[i] > SINGULAR * most ? sqrt(m->roots[i]) : 1;
  }
  int good = symmetric && m->roots;
  free(symmetric);
  return good;
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
