/* The interface of the module dyn_prover: ball arithmetic over programs. The module knows nothing
 * of graphs; it gets plain arrays. */
#ifndef DYN_EXPR_PROVER_H
#define DYN_EXPR_PROVER_H
#include "expr/program.h"

enum { PROVER_VERSION = 2 };

struct prover_question {
  uint32_t points, bits;
  uint64_t seed;
  uint32_t points_used, bits_used; /* filled in */
};

/* A point on a manifold, to be proven and looked at: equations f(x) = 0 that are independent there
 * and as many coordinates to solve them for; the other coordinates are exactly `start`. */
struct prover_point {
  const struct program *equations;   /* roots: all equations */
  const struct program *derivatives; /* roots: derivatives, equation by equation */
  const struct program *matrix;      /* roots: rows x columns entries, column by column */
  const uint32_t *equations_map, *derivatives_map, *matrix_map; /* symbol -> coordinate */
  const uint32_t *row_start, *derivative_columns; /* place of each derivative: see manifold.h */
  uint32_t rows, columns;
  double matrix_size; /* of the terms of its entries */
  uint32_t coordinate_count;
  const double *start, *scales;            /* per coordinate: value, size */
  const double *sizes;                     /* per equation: of its terms */
  uint32_t count;                          /* independent equations */
  const uint32_t *independent, *dependent; /* equations, coordinates: pairwise */
  const double *inverse; /* approximate, count x count: d(dependent)/d(residual), by columns */
};

/* What is known of a point. Proven: there is one and only one point of the independent equations
 * close to the start, and all other equations vanish there to all bits. */
struct prover_point_answer {
  bool is_proven, is_defined; /* is_defined: so are all entries of the matrix */
  uint32_t rank;              /* certified lower bound */
  bool is_sharp;              /* what is left besides the pivots vanishes to all bits */
  uint32_t bits_used;
};

struct prover {
  uint32_t version;
  /* True: root 0 is proven not to vanish at some point. False: it was not refuted at points_used
   * points (0 points: it was defined at none of those tried). */
  bool (*is_nonzero)(const struct program *program, struct prover_question *question);
  /* True: root 0 is proven to vanish wherever it is defined, by exact polynomial arithmetic. */
  bool (*is_exactly_zero)(const struct program *program);
  /* The rank of the rows x columns roots (column by column) at random points: the best certified
   * lower bound, with its pivots in order. */
  uint32_t (*rank)(const struct program *program, uint32_t rows, uint32_t columns,
                   struct prover_question *question, uint32_t *pivot_rows, uint32_t *pivot_columns);
  /* Proves a point and finds the rank of the matrix there. */
  struct prover_point_answer (*rank_at)(const struct prover_point *point, uint32_t bits,
                                        uint32_t *pivot_rows, uint32_t *pivot_columns);
};

/* What the module exports. */
typedef const struct prover *dyn_prover_function(void);

/* Opens the module once; NULL with a reason if it cannot be had. */
const struct prover *prover_open(const char **reason);
struct prover_question zero_test_question(const struct zero_test *test);
#endif
