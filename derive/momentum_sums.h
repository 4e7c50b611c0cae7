/* Which constant combinations of momenta may be conserved. */
#ifndef DYN_DERIVE_MOMENTUM_SUMS_H
#define DYN_DERIVE_MOMENTUM_SUMS_H
#include "derive/sample.h"

struct momentum_sums {
  uint32_t width; /* numbers in a combination */
  uint32_t count;
  long *numerator, *denominator; /* count*width; a numerator of 0: not in it */
};

/* Candidates c with c·changes = 0, from values at random states. They are for the caller to
 * verify. */
struct momentum_sums momentum_sums_find(struct sample *sample, struct expr_graph *graph,
                                        const expr *changes, uint32_t width);
void momentum_sums_clear(struct momentum_sums *sums);
#endif
