/* The careful way through a bordered system
 *
 *     [ M  B ] [ q'' ]   [  f    ]
 *     [ A  0 ] [ -λ  ] = [ -bias ]
 *
 * whose constraints may be dependent: LU with complete pivoting of the equilibrated matrix, which
 * shows the rank. Masses scale the coordinates (so that M gets diagonal 1) and constraints are
 * scaled to largest entry 1 by them; the pivots then do not depend on the units. At most `limit`
 * pivots are taken, the rank known when the model was compiled: off the constraint manifold
 * dependent constraints are only nearly so, and would bring spurious pivots. Further rank may be
 * lost at a state: pivots below the tolerance are not taken.
 *
 * Each unknown left over gives a vector of the null space. If it moves coordinates, M is singular
 * on the admissible motions: rank is lost. Otherwise it is a change of multipliers without effect,
 * and of all multipliers those of least norm are given: without a part in the null space. Equations
 * left over must follow from the others, or the constraints contradict each other.
 *
 * A solver that eliminates takes its pivots from A as long as there are some, then as many from B.
 * The Schur complement that is left is T^T M T (N^T M T where B is not A^T), with T (N) a basis of
 * the vectors that A (B^T) takes to zero: the equations of the independent unknowns, in which the
 * dependent ones and the multipliers do not occur any more. Back substitution then gives the
 * dependent ones from the constraints, and last the multipliers. Pivots are the largest entries of
 * constraints in the metric of the masses, so that the choice of dependent unknowns is good at
 * every state.
 *
 * Method: Golub & Van Loan, Matrix Computations, 3.4 (complete pivoting), 5.2 (Gram-Schmidt). */
#include "codegen/kernels.h"
#include <math.h>
#include <stddef.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define CLONES
#endif

/* Which entries may be pivots. Without elimination of dependent unknowns only the last stage is. */
enum stage {
  STAGE_CONSTRAINTS, /* of A: their columns become the dependent unknowns */
  STAGE_MULTIPLIERS, /* of B, as many: takes the multipliers out of the other equations */
  STAGE_REST         /* all that are left */
};

struct border {
  size_t n, coordinates, m; /* n = coordinates + m */
  double *f;                /* n*n */
  double *row_scale, *column_scale, *row_number, *column_number;
  double *rank;    /* 1: pivots taken */
  double *basis;   /* m columns of m: null vectors in multipliers as the model has them */
  double *squares; /* m: their squared lengths */
};

static struct border border_at(size_t n, size_t coordinates, double *f) {
  size_t m = n - coordinates;
  double *scales = f + n * n, *rank = scales + 4 * n;
  return (struct border){.n = n,
                         .coordinates = coordinates,
                         .m = m,
                         .f = f,
                         .row_scale = scales,
                         .column_scale = scales + n,
                         .row_number = scales + 2 * n,
                         .column_number = scales + 3 * n,
                         .rank = rank,
                         .basis = rank + 1,
                         .squares = rank + 1 + m * m};
}

static inline bool is_larger(double size, double largest) {
  return size > largest || size != size;
}

/* ---- scales */

/* 1/size; 0 where there is nothing, undefined where it is infinite. */
static inline double inverse_size(double size) {
  return size == 0 ? 0 : 1 / (size + 0 * size);
}

static void start_scales(struct border b, const double *a, bool is_symmetric) {
  size_t n = b.n;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      b.f[i + j * n] = is_symmetric && i < j ? a[j + i * n] : a[i + j * n];
  for (size_t i = 0; i < n; i++) {
    double scale = inverse_size(sqrt(fabs(b.f[i + i * n])));
    b.row_scale[i] = scale;
    b.column_scale[i] = scale;
    b.row_number[i] = (double)i;
    b.column_number[i] = (double)i;
  }
}

static void tame_scales(struct border b) {
  double least = HUGE_VAL; /* of the largest mass */
  for (size_t i = 0; i < b.coordinates; i++) {
    double scale = b.column_scale[i];
    least = scale > 0 && scale < least ? scale : least;
  }
  for (size_t j = b.coordinates; j < b.n; j++) {
    double largest = 0, second = 0;
    size_t which = 0;
    for (size_t i = 0; i < b.coordinates; i++) {
      double size = fabs(b.f[j + i * b.n]) * b.column_scale[i];
      double lesser = size > largest ? largest : size;
      second = lesser > second ? lesser : second;
      which = size > largest ? i : which;
      largest = size > largest ? size : largest;
    }
    if (second > 0 && largest > KERNEL_BORDER_DOMINANT * second) {
      double scale = second / fabs(b.f[j + which * b.n]);
      scale = scale > least ? scale : least;
      b.row_scale[which] = scale;
      b.column_scale[which] = scale;
    }
  }
}

/* Scales of the lines that have none yet, from those of the others that they meet. */
static void fill_scales(struct border b, size_t from, size_t to, size_t others, size_t end) {
  size_t n = b.n;
  for (size_t i = from; i < to; i++) {
    if (b.row_scale[i] == 0) {
      double largest = 0;
      for (size_t j = others; j < end; j++) {
        double size = fabs(b.f[i + j * n]) * b.column_scale[j];
        largest = is_larger(size, largest) ? size : largest;
      }
      b.row_scale[i] = inverse_size(largest);
    }
    if (b.column_scale[i] == 0) {
      double largest = 0;
      for (size_t j = others; j < end; j++) {
        double size = fabs(b.f[j + i * n]) * b.row_scale[j];
        largest = is_larger(size, largest) ? size : largest;
      }
      b.column_scale[i] = inverse_size(largest);
    }
  }
}

/* An entry that is infinite becomes undefined. */
static void apply_scales(struct border b) {
  size_t n = b.n;
  for (size_t i = 0; i < n; i++) {
    b.row_scale[i] = b.row_scale[i] == 0 ? 1 : b.row_scale[i];
    b.column_scale[i] = b.column_scale[i] == 0 ? 1 : b.column_scale[i];
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double scaled = b.f[i + j * n] * b.row_scale[i] * b.column_scale[j];
      b.f[i + j * n] = scaled + 0 * scaled;
    }
}

static void equilibrate(struct border b) {
  tame_scales(b);
  /* coordinates with a mass are known; constraints that touch them follow, then coordinates without
   * mass, then the constraints among those */
  fill_scales(b, b.coordinates, b.n, 0, b.coordinates);
  fill_scales(b, 0, b.coordinates, b.coordinates, b.n);
  fill_scales(b, b.coordinates, b.n, 0, b.coordinates);
  apply_scales(b);
}

/* ---- elimination */

static inline void swap(double *x, double *y) {
  double old = *x;
  *x = *y;
  *y = old;
}

static void swap_rows(struct border b, size_t r, size_t s) {
  for (size_t j = 0; j < b.n; j++) swap(&b.f[r + j * b.n], &b.f[s + j * b.n]);
  swap(&b.row_number[r], &b.row_number[s]);
}

static void swap_columns(struct border b, size_t r, size_t s) {
  for (size_t i = 0; i < b.n; i++) swap(&b.f[i + r * b.n], &b.f[i + s * b.n]);
  swap(&b.column_number[r], &b.column_number[s]);
}

/* Whether a line may give a pivot: `of_constraints` is what the stage asks of it. */
static inline bool is_allowed(struct border b, enum stage stage, double number,
                              enum stage of_constraints) {
  return stage == STAGE_REST || (number >= (double)b.coordinates) == (stage == of_constraints);
}

/* Brings the largest entry of the rest to place p; false if none is above the tolerance. */
static bool take_pivot(struct border b, enum stage stage, size_t p, double tolerance) {
  double largest = 0;
  size_t row = p, column = p;
  for (size_t j = p; j < b.n; j++)
    for (size_t i = p; i < b.n; i++) {
      if (!is_allowed(b, stage, b.row_number[i], STAGE_CONSTRAINTS) ||
          !is_allowed(b, stage, b.column_number[j], STAGE_MULTIPLIERS))
        continue;
      double size = fabs(b.f[i + j * b.n]);
      if (!is_larger(size, largest)) continue;
      largest = size;
      row = i;
      column = j;
    }
  if (largest <= tolerance) return false;
  swap_rows(b, row, p);
  swap_columns(b, column, p);
  return true;
}

CLONES static void eliminate(double *f, size_t n, size_t p) {
  double inverse = 1 / f[p + p * n];
  for (size_t i = p + 1; i < n; i++) f[i + p * n] *= inverse;
  for (size_t j = p + 1; j < n; j++) {
    double u = f[p + j * n];
    for (size_t i = p + 1; i < n; i++) f[i + j * n] -= f[i + p * n] * u;
  }
  f[p + p * n] = inverse;
}

/* ---- the null space */

/* The vector with 1 in place j and 0 in the other places left over, scaled; in s. */
static void null_vector(struct border b, size_t j, double *s) {
  size_t n = b.n, rank = (size_t)*b.rank;
  for (size_t i = 0; i < n; i++) s[i] = i < rank ? -b.f[i + j * n] : i == j ? 1 : 0;
  for (size_t k = rank; k-- > 0;) {
    double y = s[k] * b.f[k + k * n];
    s[k] = y;
    for (size_t i = 0; i < k; i++) s[i] -= b.f[i + k * n] * y;
  }
}

/* 1 + the coordinate that the vector moves most, 0 if it moves none to speak of. */
static int32_t moved_coordinate(struct border b, const double *s) {
  double coordinates = 0, multipliers = 0;
  size_t moved = 0;
  for (size_t i = 0; i < b.n; i++) {
    size_t number = (size_t)b.column_number[i];
    double size = fabs(s[i]);
    if (number >= b.coordinates) {
      multipliers = is_larger(size, multipliers) ? size : multipliers;
    } else {
      moved = is_larger(size, coordinates) ? number : moved;
      coordinates = is_larger(size, coordinates) ? size : coordinates;
    }
  }
  return coordinates > KERNEL_BORDER_NEGLIGIBLE * multipliers ? (int32_t)moved + 1 : 0;
}

/* The multipliers' part of s as basis vector `count`, orthogonal to those before. */
static void add_basis_vector(struct border b, const double *s, size_t count) {
  double *vector = b.basis + count * b.m, square = 0;
  for (size_t i = 0; i < b.n; i++) {
    size_t number = (size_t)b.column_number[i];
    if (number >= b.coordinates) vector[number - b.coordinates] = s[i] * b.column_scale[number];
  }
  for (size_t v = 0; v < count; v++) {
    const double *other = b.basis + v * b.m;
    double product = 0;
    for (size_t k = 0; k < b.m; k++) product += vector[k] * other[k];
    double factor = product / b.squares[v];
    for (size_t k = 0; k < b.m; k++) vector[k] -= factor * other[k];
  }
  for (size_t k = 0; k < b.m; k++) square += vector[k] * vector[k];
  b.squares[count] = square;
}

static int32_t find_null_space(struct border b, double *s) {
  size_t rank = (size_t)*b.rank;
  for (size_t j = rank; j < b.n; j++) /* then at most m are left over */
    if (b.column_number[j] < (double)b.coordinates) return (int32_t)b.column_number[j] + 1;
  for (size_t j = rank; j < b.n; j++) {
    null_vector(b, j, s);
    int32_t lost = moved_coordinate(b, s);
    if (lost != 0) return lost;
    add_basis_vector(b, s, j - rank);
  }
  return 0;
}

int32_t kernel_border_factor(const struct tape_solver *solver, const double *a, bool is_symmetric,
                             double *work) {
  struct border b = border_at(solver->n, solver->coordinates, work + solver->lu);
  double tolerance = (double)b.n * KERNEL_BORDER_TOLERANCE;
  start_scales(b, a, is_symmetric);
  equilibrate(b);
  bool eliminates = solver->kind == SOLVER_ELIMINATING;
  size_t rank = 0;
  for (enum stage stage = STAGE_CONSTRAINTS; stage <= STAGE_REST; stage++) {
    size_t limit = solver->rank;
    if (stage == STAGE_CONSTRAINTS) limit = eliminates ? solver->rank - b.coordinates : 0;
    if (stage == STAGE_MULTIPLIERS) limit = 2 * rank;
    while (rank < limit && take_pivot(b, stage, rank, tolerance)) eliminate(b.f, b.n, rank++);
  }
  *b.rank = (double)rank;
  return find_null_space(b, work + solver->scratch);
}

/* ---- right sides */

/* Forward; 0, or 1 + the equation left over that the others contradict. */
static int32_t substitute_forward(struct border b, const double *right, bool is_checked,
                                  double *s) {
  size_t n = b.n, rank = (size_t)*b.rank;
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    size_t row = (size_t)b.row_number[i];
    s[i] = right[row] * b.row_scale[row];
    double size = fabs(s[i]);
    largest = is_larger(size, largest) ? size : largest;
  }
  for (size_t k = 0; k < rank; k++) {
    double y = s[k];
    for (size_t i = k + 1; i < n; i++) s[i] -= b.f[i + k * n] * y;
  }
  double limit = KERNEL_BORDER_NEGLIGIBLE * largest;
  limit = limit > KERNEL_BORDER_ROUNDING ? limit : KERNEL_BORDER_ROUNDING;
  for (size_t i = rank; i < n && is_checked; i++)
    if (fabs(s[i]) > limit) return (int32_t)b.row_number[i] + 1;
  return 0;
}

static void substitute_backward(struct border b, double *right, double *s) {
  size_t n = b.n, rank = (size_t)*b.rank;
  for (size_t k = rank; k < n; k++) right[(size_t)b.column_number[k]] = 0;
  for (size_t k = rank; k-- > 0;) {
    size_t number = (size_t)b.column_number[k];
    double y = s[k] * b.f[k + k * n];
    right[number] = y * b.column_scale[number];
    for (size_t i = 0; i < k; i++) s[i] -= b.f[i + k * n] * y;
  }
}

/* Takes the part in the null space out of the multipliers. */
static void make_least(struct border b, double *multipliers) {
  size_t count = b.n - (size_t)*b.rank;
  for (size_t v = 0; v < count; v++) {
    const double *vector = b.basis + v * b.m;
    double product = 0;
    for (size_t k = 0; k < b.m; k++) product += multipliers[k] * vector[k];
    double factor = product / b.squares[v];
    for (size_t k = 0; k < b.m; k++) multipliers[k] -= factor * vector[k];
  }
}

int32_t kernel_border_substitute(const struct tape_solver *solver,
                                 const struct tape_right_side *side, double *work) {
  struct border b = border_at(solver->n, solver->coordinates, work + solver->lu);
  double *right = work + side->offset, *s = work + solver->scratch;
  for (size_t c = 0; c < side->columns; c++, right += b.n) {
    int32_t failure = substitute_forward(b, right, side->is_checked, s);
    if (failure != 0) return failure;
    substitute_backward(b, right, s);
    make_least(b, right + b.coordinates);
  }
  *right = (double)b.n - *b.rank;
  return 0;
}
