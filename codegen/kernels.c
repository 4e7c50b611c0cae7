/* Dense and sparse L D L^T and LU with partial pivoting after equilibration, on the workspace of a
 * tape (layout: tape.h). Method: Golub & Van Loan, Matrix Computations, 4.1 and 3.4; the sparse
 * factorisation is right-looking by columns over a table of updated places. */
#include "codegen/kernels.h"
#include <math.h>
#include <stddef.h>

/* The loops are compiled for several vector widths and chosen by the machine at start. None of them
 * may contract a*b - c to one rounding (-ffp-contract=off): all give the same bits. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define CLONES
#endif

/* ---- dense L D L^T: L below the diagonal of f, the reciprocals of D on it
 *
 * Unknowns from `coordinates` on are constraints: their pivots are negative, made of what the
 * coordinates give (added up in gain[]) less what other constraints take from it.
 *
 * PANEL columns are finished together before the ones behind them are changed, so that these are
 * loaded and stored once for all of them. Every entry still sees the same subtractions in the same
 * order as in the plain loops that object files have: the bits are the same. */

enum { PANEL = 4 };

/* Entries i = first .. n-1 of one column less column u of the panel times l. */
static inline void subtract_column(size_t first, size_t n, double *restrict column,
                                   const double *restrict u, double l) {
  for (size_t i = first; i < n; i++) column[i] -= u[i] * l;
}

/* The same for all columns of a panel, which stand one behind the other. */
static inline void subtract_panel(size_t first, size_t n, double *restrict column,
                                  const double *restrict u, const double *l) {
  const double *u1 = u + n, *u2 = u1 + n, *u3 = u2 + n;
  double l0 = l[0], l1 = l[1], l2 = l[2], l3 = l[3];
  for (size_t i = first; i < n; i++)
    column[i] = column[i] - u[i] * l0 - u1[i] * l1 - u2[i] * l2 - u3[i] * l3;
}

/* Columns k .. end-1 of f, their entries below the diagonal not yet divided by the pivots, whose
 * reciprocals go to inverse[]. */
static inline bool ldlt_panel(size_t n, size_t coordinates, size_t k, size_t end, const double *a,
                              double *f, double *gain, double *inverse) {
  double tolerance = kernel_pivot_tolerance(n, coordinates);
  for (size_t p = k; p < end; p++) {
    double *column = f + p * n, pivot = column[p];
    bool is_coordinate = p < coordinates;
    double whole = is_coordinate ? a[p + p * n] : gain[p];
    if (!((is_coordinate ? pivot : -pivot) > tolerance * whole)) return false;
    inverse[p - k] = 1 / pivot;
    for (size_t j = is_coordinate ? coordinates : n; j < n; j++)
      gain[j] += column[j] * (column[j] * inverse[p - k]);
    for (size_t j = p + 1; j < end; j++)
      subtract_column(j, n, f + j * n, column, column[j] * inverse[p - k]);
  }
  return true;
}

CLONES static bool ldlt_factor(size_t n, size_t coordinates, const double *a, double *f,
                               double *gain) {
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) f[i + j * n] = a[i + j * n];
  for (size_t j = coordinates; j < n; j++) gain[j] = 0;
  for (size_t k = 0; k < n; k += PANEL) {
    size_t end = k + PANEL < n ? k + PANEL : n;
    double inverse[PANEL], l[PANEL];
    if (!ldlt_panel(n, coordinates, k, end, a, f, gain, inverse)) return false;
    for (size_t j = end; j < n; j++) { /* then the panel is full */
      for (size_t p = 0; p < PANEL; p++) l[p] = f[j + (k + p) * n] * inverse[p];
      subtract_panel(j, n, f + j * n, f + k * n, l);
    }
    for (size_t p = k; p < end; p++) {
      for (size_t j = p + 1; j < n; j++) f[j + p * n] *= inverse[p - k];
      f[p + p * n] = inverse[p - k];
    }
  }
  return true;
}

/* b[k] = b[k] / D_k less L(i, k) b[i] for i = n-1 down to k+1. The columns of a panel go side by
 * side until they need each other's results: one alone would wait for each difference. */
static inline void substitute_backward(size_t n, const double *f, double *b) {
  size_t k = n;
  for (; k >= PANEL; k -= PANEL) {
    double y[PANEL];
    for (size_t p = 0; p < PANEL; p++) y[p] = b[k - 1 - p] * f[(k - 1 - p) * (n + 1)];
    for (size_t i = n; i-- > k;)
      for (size_t p = 0; p < PANEL; p++) y[p] -= f[i + (k - 1 - p) * n] * b[i];
    for (size_t p = 0; p < PANEL; p++) {
      for (size_t q = 0; q < p; q++) y[p] -= f[k - 1 - q + (k - 1 - p) * n] * b[k - 1 - q];
      b[k - 1 - p] = y[p];
    }
  }
  while (k-- > 0) {
    double y = b[k] * f[k + k * n];
    for (size_t i = n; i-- > k + 1;) y -= f[i + k * n] * b[i];
    b[k] = y;
  }
}

CLONES static void ldlt_substitute(size_t n, const double *f, double *b, size_t columns) {
  for (size_t c = 0; c < columns; c++, b += n) {
    for (size_t k = 0; k < n; k++) {
      double y = b[k];
      for (size_t i = k + 1; i < n; i++) b[i] -= f[i + k * n] * y;
    }
    substitute_backward(n, f, b);
  }
}

/* ---- dense LU of the equilibrated matrix; the reciprocals of U's diagonal on the diagonal
 *
 * A matrix with an infinite or undefined entry has not lost rank: comparisons are written so that
 * the entry makes the whole factorisation, and with it the solution, undefined. */

struct lu {
  size_t n;
  double *f, *row_scale, *column_scale, *row_number;
};

/* One that is not a number stays the largest. */
static inline bool is_larger(double size, double largest) {
  return size > largest || size != size;
}

static struct lu lu_at(size_t n, double *f) {
  return (struct lu){n, f, f + n * n, f + n * n + n, f + n * n + 2 * n};
}

static void lu_copy(struct lu lu, const double *a, bool is_symmetric) {
  size_t n = lu.n;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      lu.f[i + j * n] = is_symmetric && i < j ? a[j + i * n] : a[i + j * n];
}

/* Rows, then columns, to largest entry 1. Returns 1 + index of one without entries. */
static int lu_equilibrate(struct lu lu) {
  size_t n = lu.n;
  for (size_t i = 0; i < n; i++) {
    double largest = 0;
    for (size_t j = 0; j < n; j++) {
      double size = fabs(lu.f[i + j * n]);
      largest = is_larger(size, largest) ? size : largest;
    }
    if (largest <= 0) return (int)i + 1;
    double scale = 1 / (largest + 0 * largest); /* undefined if infinite */
    for (size_t j = 0; j < n; j++) lu.f[i + j * n] *= scale;
    lu.row_scale[i] = scale;
    lu.row_number[i] = (double)i;
  }
  for (size_t j = 0; j < n; j++) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
      double size = fabs(lu.f[i + j * n]);
      largest = is_larger(size, largest) ? size : largest;
    }
    if (largest <= 0) return (int)j + 1;
    double scale = 1 / largest;
    for (size_t i = 0; i < n; i++) lu.f[i + j * n] *= scale;
    lu.column_scale[j] = scale;
  }
  return 0;
}

static void lu_swap_rows(struct lu lu, size_t r, size_t s) {
  for (size_t j = 0; j < lu.n; j++) {
    double swap = lu.f[r + j * lu.n];
    lu.f[r + j * lu.n] = lu.f[s + j * lu.n];
    lu.f[s + j * lu.n] = swap;
  }
  double swap = lu.row_number[r];
  lu.row_number[r] = lu.row_number[s];
  lu.row_number[s] = swap;
}

CLONES static int lu_eliminate(struct lu lu) {
  size_t n = lu.n;
  double tolerance = (double)n * KERNEL_LU_TOLERANCE;
  for (size_t k = 0; k < n; k++) {
    double largest = 0;
    size_t row = k;
    for (size_t i = k; i < n; i++) {
      double size = fabs(lu.f[i + k * n]);
      row = is_larger(size, largest) ? i : row;
      largest = is_larger(size, largest) ? size : largest;
    }
    if (largest <= tolerance) return (int)k + 1;
    lu_swap_rows(lu, row, k);
    double inverse = 1 / lu.f[k + k * n];
    for (size_t i = k + 1; i < n; i++) lu.f[i + k * n] *= inverse;
    for (size_t j = k + 1; j < n; j++) {
      double u = lu.f[k + j * n];
      for (size_t i = k + 1; i < n; i++) lu.f[i + j * n] -= lu.f[i + k * n] * u;
    }
    lu.f[k + k * n] = inverse;
  }
  return 0;
}

static int lu_factor(size_t n, const double *a, bool is_symmetric, double *f) {
  struct lu own = lu_at(n, f);
  lu_copy(own, a, is_symmetric);
  int failure = lu_equilibrate(own);
  return failure != 0 ? failure : lu_eliminate(own);
}

CLONES static void lu_substitute(size_t n, double *f, double *s, double *b, size_t columns) {
  struct lu lu = lu_at(n, f);
  for (size_t c = 0; c < columns; c++, b += n) {
    for (size_t i = 0; i < n; i++) {
      size_t row = (size_t)lu.row_number[i];
      s[i] = b[row] * lu.row_scale[row];
    }
    for (size_t k = 0; k < n; k++) {
      double y = s[k];
      for (size_t i = k + 1; i < n; i++) s[i] -= lu.f[i + k * n] * y;
    }
    for (size_t k = n; k-- > 0;) {
      double y = s[k] * lu.f[k + k * n];
      b[k] = y * lu.column_scale[k];
      for (size_t i = 0; i < k; i++) s[i] -= lu.f[i + k * n] * y;
    }
  }
}

/* ---- sparse L D L^T
 *
 * Pivots of constraints are negative. What the other kind of unknown (constraints, or coordinates)
 * contributes to a diagonal makes it larger, what the same kind contributes smaller: pivots are
 * held against the sum of what makes them larger. */

/* 0, or 1 + the unknown whose pivot is lost. A pivot that is not finite goes on as undefined. */
CLONES static int sparse_factor(const struct tape_solver *solver, const double *a, double *f) {
  size_t n = solver->n, entries = solver->factor_count;
  double tolerance = kernel_pivot_tolerance(n, solver->coordinates), *pivots = f + entries;
  double *whole = pivots + n; /* what pivots are held against, in the new order */
  for (size_t e = 0; e < entries + n; e++) f[e] = 0;
  for (size_t e = 0; e < solver->entry_count; e++) f[solver->entry_places[e]] = a[e];
  for (size_t k = 0; k < n; k++) whole[k] = pivots[k];
  const int32_t *target = solver->targets;
  for (size_t k = 0; k < n; k++) {
    double pivot = pivots[k];
    bool is_coordinate = (size_t)solver->order[k] < solver->coordinates;
    if (!((is_coordinate ? pivot : -pivot) > tolerance * whole[k])) {
      if (isfinite(pivot)) return solver->order[k] + 1;
      pivot = NAN;
    }
    double inverse = 1 / pivot;
    size_t end = (size_t)solver->starts[k + 1];
    for (size_t j = (size_t)solver->starts[k]; j < end; j++) {
      double l = f[j] * inverse;
      size_t row = (size_t)solver->rows[j];
      bool is_other = ((size_t)solver->order[row] < solver->coordinates) != is_coordinate;
      if (is_other) whole[row] += fabs(f[j] * l);
      for (size_t i = j; i < end; i++) f[*target++] -= f[i] * l;
      f[j] = l;
    }
    pivots[k] = inverse;
  }
  return 0;
}

CLONES static void sparse_substitute(const struct tape_solver *solver, const double *f, double *s,
                                     double *b, size_t columns) {
  size_t n = solver->n;
  const double *pivots = f + solver->factor_count;
  for (size_t c = 0; c < columns; c++, b += n) {
    for (size_t k = 0; k < n; k++) s[k] = b[solver->order[k]];
    for (size_t k = 0; k < n; k++) {
      double y = s[k];
      for (size_t e = (size_t)solver->starts[k]; e < (size_t)solver->starts[k + 1]; e++)
        s[solver->rows[e]] -= f[e] * y;
    }
    for (size_t k = n; k-- > 0;) {
      double y = s[k] * pivots[k];
      for (size_t e = (size_t)solver->starts[k]; e < (size_t)solver->starts[k + 1]; e++)
        y -= f[e] * s[solver->rows[e]];
      s[k] = y;
    }
    for (size_t k = 0; k < n; k++) b[solver->order[k]] = s[k];
  }
}

/* The stored entries as a full matrix (both triangles) in place of the LU factors. */
static void sparse_expand(const struct tape_solver *solver, const double *a, double *full) {
  size_t n = solver->n;
  for (size_t e = 0; e < n * n; e++) full[e] = 0;
  for (size_t e = 0; e < solver->entry_count; e++) {
    size_t row = (size_t)solver->entry_rows[e], column = (size_t)solver->entry_columns[e];
    full[row + column * n] = a[e];
    full[column + row * n] = a[e];
  }
}

/* ---- choosing */

/* The fast way; 0, or the unknown at which it failed. */
static int factor_fast(const struct tape_solver *solver, double *work) {
  const double *a = work + solver->matrix;
  switch (solver->kind) {
  case SOLVER_DENSE:
    return ldlt_factor(solver->n, solver->coordinates, a, work + solver->factor,
                       work + solver->scratch)
               ? 0
               : 1;
  case SOLVER_SPARSE:
    return sparse_factor(solver, a, work + solver->factor);
  case SOLVER_LU:
    if (tape_solver_is_bordered(solver))
      return lu_factor(solver->n, a, solver->is_symmetric, work + solver->factor);
    return 1;
  default:
    return 1;
  }
}

int32_t kernel_factor(const struct tape_solver *solver, double *work) {
  const double *a = work + solver->matrix;
  int lost = factor_fast(solver, work);
  bool is_symmetric = solver->is_symmetric;
  work[solver->mode] = lost == 0 ? 0 : 1;
  if (lost == 0 || solver->lu == TAPE_NO_LU) return lost;
  if (solver->kind == SOLVER_SPARSE) {
    double *full = work + solver->scratch + solver->n;
    sparse_expand(solver, a, full);
    a = full;
    is_symmetric = false;
  }
  if (tape_solver_is_bordered(solver)) return kernel_border_factor(solver, a, is_symmetric, work);
  return lu_factor(solver->n, a, is_symmetric, work + solver->lu);
}

int32_t kernel_substitute(const struct tape_solver *solver, const struct tape_right_side *side,
                          double *work) {
  double *b = work + side->offset, *scratch = work + solver->scratch;
  bool is_slow = work[solver->mode] != 0, is_bordered = tape_solver_is_bordered(solver);
  if (is_slow && is_bordered) return kernel_border_substitute(solver, side, work);
  if (is_slow || solver->kind == SOLVER_LU)
    lu_substitute(solver->n, work + solver->lu, scratch, b, side->columns);
  else if (solver->kind == SOLVER_DENSE)
    ldlt_substitute(solver->n, work + solver->factor, b, side->columns);
  else
    sparse_substitute(solver, work + solver->factor, scratch, b, side->columns);
  return 0;
}
