/* level.h: equations that a start state has to satisfy on one level (positions, or velocities), and
 * the nearest point that does. */
#ifndef DYN_RUNTIME_LEVEL_H
#define DYN_RUNTIME_LEVEL_H
#include "runtime/evaluate.h"
#include "runtime/metric.h"

struct level {
  struct evaluator *e;
  double t;
  double *x; /* the whole state; the unknowns in it are changed */
  /* out: n_equations residuals, then their derivatives by the n unknowns, row by row. */
  dyn_function *equations;
  int32_t n_equations, n;
  const int32_t *unknowns; /* n indices in x */
  const struct metric *metric;
};

enum level_result { LEVEL_DONE, LEVEL_CONFLICT, LEVEL_NO_MEMORY, LEVEL_NOT_EVALUATED };

/* Moves the unknowns to the nearest point at which the equations hold, or to the best point found.
 * residuals[n_equations]: there; failed[n_equations]: nonzero where an equation does not hold. */
enum level_result level_solve(struct level *level, double *residuals, unsigned char *failed,
                              int32_t *rank, int32_t *iterations);

#endif
