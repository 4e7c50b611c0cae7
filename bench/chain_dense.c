/* The chain by the closed form of its mass matrix and a dense L D L^T in loops. With LINKS defined
 * the number of links is known to the compiler, which may unroll everything.
 *
 * With absolute angles, M_ij = (n - max(i,j)) m l^2 cos(θ_i - θ_j), and row i of the right side is
 * -sum_j (n - max(i,j)) m l^2 sin(θ_i - θ_j) θ_j'^2 - (n - i) m g l sin(θ_i), i, j = 0 .. n-1. */
#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef LINKS
#define chain_dense chain_fixed
const int chain_fixed_n = LINKS;
#else
struct chain chain_new(int n) {
  size_t size = (size_t)n;
  return (struct chain){n, 1, 0.1, 9.81, calloc(size * size + 16 * size + 1, sizeof(double))};
}
#endif

/* In place: L below the diagonal, the reciprocals of D on it; then b becomes the solution. */
static inline void solve(int n, double *restrict a, double *restrict b) {
  for (int j = 0; j < n; j++) {
    double inverse = 1 / a[j * n + j];
    for (int k = j + 1; k < n; k++) {
      double f = a[k + j * n] * inverse;
      for (int i = k; i < n; i++) a[i + k * n] -= a[i + j * n] * f;
      b[k] -= f * b[j];
    }
    for (int k = j + 1; k < n; k++) a[k + j * n] *= inverse;
    a[j + j * n] = inverse;
  }
  for (int j = n; j-- > 0;) {
    double sum = b[j] * a[j + j * n];
    for (int i = j + 1; i < n; i++) sum -= a[i + j * n] * b[i];
    b[j] = sum;
  }
}

void chain_dense(void *self, const double *x, double *out) {
  const struct chain *chain = self;
#ifdef LINKS
  enum { n = LINKS };
  double matrix[n * n], s[n], c[n];
#else
  int n = chain->n;
  double *matrix = chain->memory, *s = matrix + n * n, *c = s + n;
#endif
  const double *v = x + n;
  double *b = out + n, ml2 = chain->m * chain->l * chain->l, mgl = chain->m * chain->g * chain->l;
  for (int i = 0; i < n; i++) {
    s[i] = sin(x[i]);
    c[i] = cos(x[i]);
    b[i] = -(n - i) * mgl * s[i];
  }
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double factor = (n - i) * ml2, sine = factor * (s[i] * c[j] - c[i] * s[j]);
      matrix[i + j * n] = factor * (c[i] * c[j] + s[i] * s[j]);
      b[i] -= sine * v[j] * v[j];
      b[j] += sine * v[i] * v[i];
    }
  solve(n, matrix, b);
  memcpy(out, v, (size_t)n * sizeof *out);
}
