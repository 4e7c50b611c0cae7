/* Inside of verify: random states on the constraints, and the balance of power there. */
#ifndef DYN_COMPILER_VERIFY_STATE_H
#define DYN_COMPILER_VERIFY_STATE_H
#include "base/map.h"
#include "compiler/verify.h"
#include "expr/expr.h"

/* A state near the start, moved onto the constraints; false if none was found. Number 0 is the
 * start itself. */
bool verify_random_state(const struct verify *verify, uint32_t number, double *x);

struct power_balance {
  const struct system *system;
  struct map place; /* symbol -> 1 + index in the values */
  uint32_t count;
  expr *terms; /* what adds up to zero */
  uint32_t term_count;
};

struct power_balance power_balance_new(const struct verify *verify);
/* The sum of the terms over the largest of them. */
double power_balance_gap(const struct power_balance *balance, const struct verify *verify,
                         const double *x, const double *acceleration, const double *multiplier);
/* d/dt of the method's variables (n) along the motion, from their definitions. */
void verify_rates(const struct power_balance *balance, const struct system *system,
                  const struct verify *verify, const double *x, const double *acceleration,
                  const double *multiplier, double *out);
void power_balance_clear(struct power_balance *balance);
#endif
