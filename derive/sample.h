/* Doubles for the model's symbols: random states near the start, for numeric tests. */
#ifndef DYN_DERIVE_SAMPLE_H
#define DYN_DERIVE_SAMPLE_H
#include "base/map.h"
#include "expr/expr.h"
#include <stdbool.h>

struct model;

struct sample {
  const struct model *model;
  struct map index; /* symbol -> place in values + 1 */
  double *values;
  uint32_t count;
};

void sample_init(struct sample *sample, const struct model *model);
void sample_clear(struct sample *sample);
/* Draws a state near the start configuration, with velocities, accelerations, states, inputs and
 * time of order one. Parameters have the model's values, or random ones in [1/2, 2]. Equal seeds
 * give equal draws. */
void sample_draw(struct sample *sample, uint64_t seed, bool random_parameters);
/* The start configuration with the model's parameters, velocities and accelerations 0; every
 * coordinate moved by up to `off`. */
void sample_start(struct sample *sample, double off);
/* Gives one symbol another value. */
void sample_set(struct sample *sample, expr symbol, double value);
/* For expr_evaluate: user is the sample. */
double sample_value(void *user, expr symbol);

/* Whether e is clearly different from zero: at one of a few points its value is more than rounding
 * of its own terms. False says nothing. Much cheaper than a proof, and enough to refuse a claim. */
bool sample_is_clearly_nonzero(struct sample *sample, struct expr_graph *graph, expr e);
#endif
