/* What a point in doubles says about the equations: which are independent, which coordinates they
 * are to be solved for, and which have no gradient there. All of it is a proposal; proofs are the
 * prover's. */
#include "expr/manifold.h"
#include "base/bug.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pivots below the first times this are none, and between the last pivot and what is left there
 * must be a gap. */
static const double PIVOT_LEAST = 1e-8, GAP = 1e-3;

static void swap(uint32_t *order, uint32_t a, uint32_t b) {
  uint32_t kept = order[a];
  order[a] = order[b];
  order[b] = kept;
}

static double largest_entry(const double *matrix, uint32_t rows, uint32_t columns, uint32_t corner,
                            const uint32_t *row_order, uint32_t *column_order, uint32_t *row,
                            uint32_t *column) {
  double largest = 0;
  for (uint32_t j = corner; j < columns; j++) {
    const double *entries = matrix + (size_t)column_order[j] * rows;
    for (uint32_t i = corner; i < rows; i++) {
      double size = fabs(entries[row_order[i]]);
      if (size <= largest) continue;
      largest = size;
      *row = i;
      *column = j;
    }
  }
  return largest;
}

uint32_t dense_eliminate(double *matrix, uint32_t rows, uint32_t columns, double tolerance,
                         uint32_t *row_order, uint32_t *column_order, double *last, double *rest) {
  uint32_t rank = 0, row = 0, column = 0;
  double first = 0;
  for (uint32_t i = 0; i < rows; i++) row_order[i] = i;
  for (uint32_t j = 0; j < columns; j++) column_order[j] = j;
  *last = *rest = 0;
  for (;; rank++) {
    *rest = largest_entry(matrix, rows, columns, rank, row_order, column_order, &row, &column);
    if (rank == 0) first = *rest;
    if (!(*rest > tolerance * first)) return rank;
    *last = *rest;
    swap(row_order, rank, row);
    swap(column_order, rank, column);
    const double *pivots = matrix + (size_t)column_order[rank] * rows;
    double pivot = pivots[row_order[rank]];
    for (uint32_t j = rank + 1; j < columns; j++) {
      double *entries = matrix + (size_t)column_order[j] * rows;
      double factor = entries[row_order[rank]] / pivot;
      if (factor == 0) continue;
      for (uint32_t i = rank + 1; i < rows; i++)
        entries[row_order[i]] -= factor * pivots[row_order[i]];
    }
  }
}

/* An equation like (x - y)^2 = 0: residual and square of the gradient shrink together, however far
 * one goes. For others the residual ends as rounding, far below the square of the gradient. */
static bool is_flat(const struct manifold_descent *descent, uint32_t i) {
  double start = descent->start_gradient[i], ratio = manifold_gradient(descent, i) / start;
  if (!(start > 0) || !(ratio <= 1e-4)) return false;
  double residual = fabs(descent->here.residual[i]) + descent->here.rounding[i];
  return ratio == 0 || residual >= 1e-3 * descent->start_residual[i] * ratio * ratio;
}

/* Rows of norm 1 of the equations that have a gradient. */
static void fill_rows(const struct manifold_choice *choice, const struct manifold_descent *descent,
                      double *matrix) {
  const struct manifold_system *system = descent->system;
  for (uint32_t i = 0; i < system->count; i++) {
    double norm = manifold_gradient(descent, i);
    if (choice->is_flat[i] || !(norm > 0)) continue;
    for (uint32_t k = system->row_start[i]; k < system->row_start[i + 1]; k++)
      matrix[i + (size_t)system->columns[k] * system->count] =
          descent->here.jacobian[k] * descent->scales[system->columns[k]] / norm;
  }
}

/* Gauss-Jordan with row pivoting on [a | 1], both n x n, column by column; a is destroyed. */
static bool invert(double *a, double *inverse, uint32_t n) {
  for (uint32_t j = 0; j < n; j++) inverse[j + (size_t)j * n] = 1;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t pivot = k;
    for (uint32_t i = k + 1; i < n; i++)
      if (fabs(a[i + (size_t)k * n]) > fabs(a[pivot + (size_t)k * n])) pivot = i;
    double *column = a + (size_t)k * n;
    if (!(fabs(column[pivot]) > 0)) return false;
    for (uint32_t j = 0; j < 2 * n; j++) {
      double *other = j < n ? a + (size_t)j * n : inverse + (size_t)(j - n) * n;
      double upper = other[pivot];
      if (j < n && j < k) continue;
      other[pivot] = other[k];
      other[k] = upper;
    }
    for (uint32_t j = 0; j < 2 * n; j++) {
      double *other = j < n ? a + (size_t)j * n : inverse + (size_t)(j - n) * n;
      if (j <= k || other[k] == 0) continue;
      other[k] /= column[k];
      for (uint32_t i = 0; i < n; i++)
        if (i != k) other[i] -= column[i] * other[k];
    }
  }
  return true;
}

static bool make_inverse(struct manifold_choice *choice, const struct manifold_descent *descent) {
  const struct manifold_system *system = descent->system;
  size_t n = choice->count;
  double *square = checked_calloc(n * n + 1, sizeof *square);
  uint32_t *place = checked_calloc((size_t)system->coordinate_count + 1, sizeof *place);
  for (uint32_t j = 0; j < n; j++) place[choice->coordinates[j]] = j + 1;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t equation = choice->equations[i];
    for (uint32_t k = system->row_start[equation]; k < system->row_start[equation + 1]; k++)
      if (place[system->columns[k]] != 0)
        square[i + (place[system->columns[k]] - 1) * n] = descent->here.jacobian[k];
  }
  choice->inverse = checked_calloc(n * n + 1, sizeof *choice->inverse);
  bool regular = invert(square, choice->inverse, choice->count);
  for (size_t i = 0; i < n * n && regular; i++) regular = isfinite(choice->inverse[i]);
  free(square);
  free(place);
  return regular;
}

bool manifold_choice_make(struct manifold_choice *choice, const struct manifold_descent *descent) {
  const struct manifold_system *system = descent->system;
  uint32_t rows = system->count, columns = system->coordinate_count;
  double *matrix = checked_calloc((size_t)rows * columns + 1, sizeof *matrix), last, rest;
  *choice = (struct manifold_choice){
      .equations = checked_malloc(((size_t)rows + 1) * sizeof(uint32_t)),
      .coordinates = checked_malloc(((size_t)columns + 1) * sizeof(uint32_t)),
      .is_flat = checked_calloc((size_t)rows + 1, sizeof(bool))};
  for (uint32_t i = 0; i < rows; i++) choice->is_flat[i] = is_flat(descent, i);
  fill_rows(choice, descent, matrix);
  choice->count = dense_eliminate(matrix, rows, columns, PIVOT_LEAST, choice->equations,
                                  choice->coordinates, &last, &rest);
  free(matrix);
  return rest <= GAP * last && make_inverse(choice, descent);
}

void manifold_choice_clear(struct manifold_choice *choice) {
  free(choice->equations);
  free(choice->coordinates);
  free(choice->inverse);
  free(choice->is_flat);
}
