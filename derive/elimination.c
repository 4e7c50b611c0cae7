/* Gaussian elimination (Golub, Van Loan, Matrix Computations, 4th ed., sections 3.4 and 5.4):
 * row exchanges for the fast look, full exchange where rank and null space are wanted. */
#include "derive/elimination.h"
#include "base/bug.h"
#include <math.h>
#include <stdlib.h>

#define AT(i, j) a[(i) + (size_t)(j)*n]

void elimination_scale(double *a, uint32_t n, double *scale) {
  for (uint32_t i = 0; i < n; i++) {
    double size = fabs(AT(i, i));
    if (!(size > 0))
      for (uint32_t j = 0; j < n; j++) size = fmax(size, fabs(AT(i, j)));
    scale[i] = size > 0 ? sqrt(size) : 1;
  }
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = 0; i < n; i++) AT(i, j) /= scale[i] * scale[j];
}

static void exchange_rows(double *a, uint32_t n, uint32_t r, uint32_t s, uint32_t from) {
  for (uint32_t j = from; j < n && r != s; j++) {
    double keep = AT(r, j);
    AT(r, j) = AT(s, j);
    AT(s, j) = keep;
  }
}

static void exchange_columns(double *a, uint32_t n, uint32_t r, uint32_t s) {
  for (uint32_t i = 0; i < n && r != s; i++) {
    double keep = AT(i, r);
    AT(i, r) = AT(i, s);
    AT(i, s) = keep;
  }
}

/* Subtracts multiples of row k from the rows below it. */
static void eliminate(double *a, uint32_t n, uint32_t k) {
  for (uint32_t i = k + 1; i < n; i++) AT(i, k) /= AT(k, k);
  for (uint32_t j = k + 1; j < n; j++) {
    double factor = AT(k, j);
    if (factor == 0) continue;
    for (uint32_t i = k + 1; i < n; i++) AT(i, j) -= factor * AT(i, k);
  }
}

double elimination_pivot_ratio(double *a, uint32_t n) {
  double smallest = INFINITY, largest = 0;
  for (size_t k = 0; k < (size_t)n * n; k++)
    if (!isfinite(a[k])) return 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t best = k;
    for (uint32_t i = k + 1; i < n; i++)
      if (fabs(AT(i, k)) > fabs(AT(best, k))) best = i;
    exchange_rows(a, n, k, best, k);
    double pivot = fabs(AT(k, k));
    if (!(pivot > 0)) return 0;
    smallest = fmin(smallest, pivot);
    largest = fmax(largest, pivot);
    eliminate(a, n, k);
  }
  return largest > 0 ? smallest / largest : 1;
}

/* Solves U x = -(column c) for the first `rank` unknowns: a null vector in exchanged order. */
static void back_substitute(const double *a, uint32_t n, uint32_t rank, uint32_t c, double *x) {
  for (uint32_t i = 0; i < n; i++) x[i] = 0;
  x[c] = 1;
  for (uint32_t k = rank; k-- > 0;) {
    double sum = AT(k, c);
    for (uint32_t j = k + 1; j < rank; j++) sum += AT(k, j) * x[j];
    x[k] = -sum / AT(k, k);
  }
}

static uint32_t eliminate_fully(double *a, uint32_t n, double tolerance, uint32_t *order) {
  double largest = 0;
  for (uint32_t k = 0; k < n; k++) order[k] = k;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t row = k, column = k;
    for (uint32_t j = k; j < n; j++)
      for (uint32_t i = k; i < n; i++)
        if (fabs(AT(i, j)) > fabs(AT(row, column))) row = i, column = j;
    double pivot = fabs(AT(row, column));
    largest = fmax(largest, pivot);
    if (!(pivot > tolerance * largest)) return k;
    exchange_rows(a, n, k, row, 0);
    exchange_columns(a, n, k, column);
    uint32_t keep = order[k];
    order[k] = order[column];
    order[column] = keep;
    eliminate(a, n, k);
  }
  return n;
}

uint32_t elimination_null_space(double *a, uint32_t n, double tolerance, double *null) {
  uint32_t *order = checked_calloc((size_t)n + 1, sizeof *order);
  double *x = checked_calloc((size_t)n + 1, sizeof *x);
  uint32_t rank = eliminate_fully(a, n, tolerance, order);
  for (uint32_t c = rank; c < n; c++) {
    back_substitute(a, n, rank, c, x);
    double largest = 0;
    for (uint32_t i = 0; i < n; i++)
      if (fabs(x[i]) > fabs(largest)) largest = x[i];
    for (uint32_t i = 0; i < n; i++) null[order[i] + (size_t)(c - rank) * n] = x[i] / largest;
  }
  free(order);
  free(x);
  return rank;
}
