/* The chain through the tensions of its rods, the least that is known to be necessary: with the
 * direction e_i of rod i and the tension T_i in it, mass i has m a_i = T_i+1 e_i+1 - T_i e_i + m g.
 * That rod i keeps its length, e_i (a_i - a_i-1) = -l θ_i'^2, gives one tridiagonal system for the
 * tensions; then l θ_i'' = (a_i - a_i-1) n_i with n_i across the rod. */
#include "bench.h"
#include <math.h>
#include <string.h>

void chain_tensions(void *self, const double *x, double *out) {
  const struct chain *chain = self;
  int n = chain->n;
  double *s = chain->memory, *c = s + n, *cosine = c + n, *sine = cosine + n, *d = sine + n;
  double *tension = d + n; /* n + 1, the last one 0 */
  const double *v = x + n;
  double g = chain->g, m = chain->m, l = chain->l;
  for (int i = 0; i < n; i++) {
    s[i] = sin(x[i]);
    c[i] = cos(x[i]);
  }
  for (int i = 1; i < n; i++) { /* of the angle between rods i-1 and i */
    cosine[i] = c[i] * c[i - 1] + s[i] * s[i - 1];
    sine[i] = s[i] * c[i - 1] - c[i] * s[i - 1];
  }
  /* diagonal 1, then 2, beside it -cosine; right side m l v^2 (and the weight on rod 0) */
  d[0] = 1;
  tension[0] = m * (l * v[0] * v[0] + g * c[0]);
  for (int i = 1; i < n; i++) {
    double factor = cosine[i] / d[i - 1];
    d[i] = 2 - factor * cosine[i];
    tension[i] = m * l * v[i] * v[i] + factor * tension[i - 1];
  }
  tension[n] = 0;
  for (int i = n; i-- > 0;)
    tension[i] = (tension[i] + (i + 1 < n ? cosine[i + 1] * tension[i + 1] : 0)) / d[i];
  for (int i = 0; i < n; i++) {
    /* e_i = (s, -c), n_i = (c, s): n_i e_i+1 = sine_i+1, n_i e_i-1 = -sine_i */
    double a = i + 1 < n ? tension[i + 1] * sine[i + 1] : 0;
    a -= i > 0 ? tension[i - 1] * sine[i] : m * g * s[0];
    out[n + i] = a / (m * l);
  }
  memcpy(out, v, (size_t)n * sizeof *out);
}
