/* level.h: equations that a start state has to satisfy on one level (positions, or velocities), and
 * the nearest point that does. */
#ifndef DYN_RUNTIME_LEVEL_H
#define DYN_RUNTIME_LEVEL_H
#include "runtime/evaluate.h"
#include "runtime/metric.h"

struct level {
  double *x; /* the whole state; the unknowns in it are changed */
  int32_t n_equations, n;
  const int32_t *unknowns; /* n indices in x */
  const int32_t *groups;   /* n_equations: equations of equal number have equal units */
  const struct metric *metric;
  /* values: n_equations residuals at x, then their derivatives by the n unknowns, row by row.
   * Returns 0 where they cannot be evaluated. */
  int (*evaluate)(void *user, double *values);
  void *user;
  int is_attempt; /* whether conflicts are expected: then little is spent on them */
};

enum level_result { LEVEL_DONE, LEVEL_CONFLICT, LEVEL_NO_MEMORY, LEVEL_NOT_EVALUATED };

enum level_equation { LEVEL_HOLDS = 0, LEVEL_FAILS, LEVEL_HELD_AGAINST };

/* What became of each equation; arrays of n_equations. */
struct level_report {
  double *at_start;  /* residuals at the given point */
  double *residuals; /* at the point found */
  double *size;      /* of the equation's terms: what residuals are small against */
  /* A conflict: LEVEL_FAILS where an equation does not hold at the best point; LEVEL_HELD_AGAINST
   * where one was made to hold that shares unknowns with such an equation. Else all 0. */
  unsigned char *state;
  int32_t rank, iterations;
};

/* Moves the unknowns to the nearest point at which the equations hold, or to the best point found:
 * the one with the least sum of squares of the residuals (within a unit, as they are). */
enum level_result level_solve(struct level *level, struct level_report *report);

#endif
