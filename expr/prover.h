/* The interface of the module dyn_prover: ball arithmetic over programs. The module knows nothing
 * of graphs; it gets plain arrays. */
#ifndef DYN_EXPR_PROVER_H
#define DYN_EXPR_PROVER_H
#include "expr/program.h"

enum { PROVER_VERSION = 1 };

struct prover_question {
  uint32_t points, bits;
  uint64_t seed;
  uint32_t points_used, bits_used; /* filled in */
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
};

/* What the module exports. */
typedef const struct prover *dyn_prover_function(void);

/* Opens the module once; NULL with a reason if it cannot be had. */
const struct prover *prover_open(const char **reason);
struct prover_question zero_test_question(const struct zero_test *test);
#endif
