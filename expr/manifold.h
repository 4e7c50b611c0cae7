/* Inside of expr_matrix_rank_on: the equations of a manifold as programs with their derivatives
 * (manifold_system.c), the way to a point on it in doubles (manifold_descent.c), and what a point
 * says about the equations (manifold_independent.c). */
#ifndef DYN_EXPR_MANIFOLD_H
#define DYN_EXPR_MANIFOLD_H
#include "expr/program.h"

/* Equations and matrix over one list of coordinates. */
struct manifold_system {
  const struct expr_manifold *manifold;
  uint32_t count;         /* equations in use */
  const uint32_t *in_use; /* their indices in the manifold */
  expr *coordinates;      /* symbols, in order of id */
  uint32_t coordinate_count;
  /* Roots: the equations; the derivatives; both; the matrix. */
  struct program equations, derivatives, all, matrix;
  /* The coordinate of each symbol of those programs. */
  uint32_t *equations_map, *derivatives_map, *all_map, *matrix_map;
  /* Derivatives that are not 0 by their form, equation by equation: those of equation i are
   * row_start[i] .. row_start[i + 1] - 1. */
  uint32_t *row_start, *columns;
};

/* False if the graph became full. Cleared in both cases. */
bool manifold_system_make(struct manifold_system *system, struct expr_graph *graph,
                          const struct expr_manifold *manifold, const uint32_t *in_use,
                          uint32_t count, const expr *entries, size_t entry_count);
void manifold_system_clear(struct manifold_system *system);

/* Values at one place, all owned. */
struct manifold_place {
  double *x;        /* per coordinate */
  double *residual; /* per equation */
  double *rounding; /* per equation: what rounding may make of a residual */
  double *jacobian; /* per derivative */
};

/* Operations after which no more steps are made: a few seconds. */
static const double DESCENT_WORK = 6e9;

/* A way from a random start to the manifold. */
struct manifold_descent {
  const struct manifold_system *system;
  struct manifold_place here, trial;
  double *scales;         /* per coordinate: the size of its steps */
  double *start_gradient; /* per equation, at the start: norm of the scaled gradient ... */
  double *start_residual; /* ... and size of the residual */
  bool is_damped;         /* Newton's steps are, close to the manifold */
  double work;            /* operations so far, over all starts */
  double merit;           /* sum of squares of residual / start_gradient */
  double *symbol_values, *values, *errors; /* work space of the program */
  double *normal, *factor, *multiplier, *row, *step, *start;
};

void manifold_descent_init(struct manifold_descent *descent, const struct manifold_system *system);
void manifold_descent_clear(struct manifold_descent *descent);
/* Chooses the start of an attempt: the same for the same seed. False if the equations are not
 * defined there. */
bool manifold_descent_start(struct manifold_descent *descent, uint64_t seed, uint32_t attempt);
/* Newton's method with least-norm steps, then Levenberg-Marquardt; true if all residuals are
 * nothing but rounding. */
bool manifold_descent_run(struct manifold_descent *descent);
/* Norm of an equation's gradient in steps of the scales. */
double manifold_gradient(const struct manifold_descent *descent, uint32_t equation);

/* The independent equations at a point in doubles and the coordinates to solve them for. */
struct manifold_choice {
  uint32_t count;
  uint32_t *equations, *coordinates; /* pairwise */
  double *inverse; /* of the derivatives by these coordinates, column by column, approximate */
  bool *is_flat;   /* per equation of the system: its gradient vanishes as far as doubles tell */
};
/* False if there is no clear answer. Cleared in both cases. */
bool manifold_choice_make(struct manifold_choice *choice, const struct manifold_descent *descent);
void manifold_choice_clear(struct manifold_choice *choice);

/* Gaussian elimination with full pivoting in doubles (rows x columns, column by column), until no
 * entry is above `tolerance` times the first pivot. Orders are filled: pivots first. *last and
 * *rest become the sizes of the last pivot and of the largest entry left. */
uint32_t dense_eliminate(double *matrix, uint32_t rows, uint32_t columns, double tolerance,
                         uint32_t *row_order, uint32_t *column_order, double *last, double *rest);
#endif
