/* Whether a state belongs to a steady motion, near which deviations obey equations with constant
 * coefficients. */
#ifndef DYN_DRIVER_STEADY_H
#define DYN_DRIVER_STEADY_H
#include "driver/linear_state.h"

struct steady {
  bool *is_moving;        /* n_states of the reduced system: they move evenly, and nothing else
                             depends on them */
  bool *is_output_moving; /* outputs: follows one that moves */
  double residual;        /* the largest rate that should be 0, over what it is made of */
  int32_t blamed;         /* a coordinate whose velocity had better be dependent, or -1 */
  char reason[512];       /* why it is not steady; "" if it is */
};

/* values: reduced, by the choice in analysis. */
void steady_find(struct linear_analysis *analysis, const struct linear_state_values *values,
                 struct steady *steady);
void steady_clear(struct steady *steady);
#endif
