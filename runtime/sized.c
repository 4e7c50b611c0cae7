/* sized.c: matrix products with a running bound of their rounding. A sum of terms t carries at
 * least half a unit of the last place of the largest one, so that a result of a few units of the
 * sum of |t| says nothing. Source: Higham, Accuracy and Stability of Numerical Algorithms (2nd
 * ed.), 3.1 and 3.5. */
#include "runtime/sized.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define ROUNDING 64 /* units of the last place */

struct sized sized_new(int32_t rows, int32_t columns) {
  size_t count = (size_t)rows * (size_t)columns;
  struct sized s = {rows, columns, calloc(2 * count + 1, sizeof(double)), NULL};
  if (s.value) s.size = s.value + count;
  return s;
}

void sized_free(struct sized s) {
  free(s.value);
}

struct sized sized_given(int32_t rows, int32_t columns, double *values) {
  return (struct sized){rows, columns, values, NULL};
}

static size_t entries(struct sized s) {
  return (size_t)s.rows * (size_t)s.columns;
}

void sized_settle(struct sized s) {
  for (size_t i = 0; i < entries(s); i++) s.size[i] = fabs(s.value[i]);
}

void sized_add_product(struct sized a, struct sized b, struct sized out) {
  for (int32_t j = 0; j < b.columns; j++)
    for (int32_t l = 0; l < a.columns; l++) {
      size_t at = (size_t)l + (size_t)j * (size_t)b.rows, from = (size_t)l * (size_t)a.rows;
      double factor = b.value[at], size = b.size ? b.size[at] : fabs(factor);
      if (factor == 0 && size == 0) continue;
      double *to = out.value + (size_t)j * (size_t)out.rows;
      double *to_size = out.size + (size_t)j * (size_t)out.rows;
      for (size_t i = 0; i < (size_t)a.rows; i++) {
        to[i] += a.value[from + i] * factor;
        to_size[i] += (a.size ? a.size[from + i] : fabs(a.value[from + i])) * size;
      }
    }
}

void sized_add(struct sized a, struct sized out) {
  for (size_t i = 0; i < entries(a); i++) {
    out.value[i] += a.value[i];
    out.size[i] += a.size ? a.size[i] : fabs(a.value[i]);
  }
}

void sized_copy_row(struct sized from, int32_t row, struct sized to, int32_t to_row) {
  for (size_t j = 0; j < (size_t)from.columns; j++) {
    size_t at = (size_t)row + j * (size_t)from.rows, there = (size_t)to_row + j * (size_t)to.rows;
    to.value[there] = from.value[at];
    to.size[there] = from.size[at];
  }
}

void sized_drop_rounding(struct sized s) {
  for (size_t i = 0; i < entries(s); i++)
    if (fabs(s.value[i]) <= ROUNDING * DBL_EPSILON * s.size[i]) s.value[i] = 0;
}

int sized_is_finite(struct sized s) {
  double sum = 0;
  for (size_t i = 0; i < entries(s); i++) sum += 0 * s.value[i];
  return sum == 0;
}
