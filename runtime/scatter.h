/* scatter.h: points some way off a given one, the same in every run: what is special where a model
 * starts (a term that vanishes, a row that is zero) is not special there. */
#ifndef DYN_RUNTIME_SCATTER_H
#define DYN_RUNTIME_SCATTER_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define SCATTER_NEARBY 0.03 /* how far off is still near, of 1 + |y| */

/* y[n] = from[n], each entry moved by at most size (1 + |from|). Other seeds, other points. */
static inline void scatter(size_t n, const double *from, double size, uint32_t seed, double *y) {
  for (size_t j = 0; j < n; j++) {
    seed = seed * 1664525u + 1013904223u; /* Knuth's and Lewis's linear congruential generator */
    y[j] = from[j] + size * (1 + fabs(from[j])) * ((double)(seed >> 8) / 8388608.0 - 1);
  }
}

#endif
