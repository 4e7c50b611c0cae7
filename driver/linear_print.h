/* What `linearize` prints, as text and as JSON. */
#ifndef DYN_DRIVER_LINEAR_PRINT_H
#define DYN_DRIVER_LINEAR_PRINT_H
#include "driver/steady.h"

struct linear_report {
  struct linear_analysis *analysis;
  const struct linear_state_values *values;
  const struct steady *steady;
  int32_t count;          /* states that are shown: those that do not move */
  int32_t *shown;         /* entries of the reduced state */
  double *a;              /* count * count, column by column */
  dyn_linear_mode *modes; /* count */
  bool *is_neutral;       /* count: nothing but neutral states depends on it */
};

typedef void linear_printer(const struct linear_report *report, struct text *out);
/* Linearises at the state in analysis->problem.x and prints the report, by `text` or `json` as the
 * command line asks; refuses a state that is not steady. Returns the exit status. */
int linear_report_print(struct session *session, struct linear_analysis *analysis,
                        linear_printer *text, linear_printer *json);

/* "asymptotically stable", "unstable", or "undecided": an eigenvalue is on the imaginary axis as
 * far as rounding lets see, and none is right of it. The first `neutral` zeros do not count. */
const char *linear_stability(const dyn_linear_mode *modes, int32_t count, int32_t neutral);
/* A table of eigenvalues with frequency and damping. */
void linear_put_modes(const dyn_linear_mode *modes, int32_t count, struct text *out);
void linear_put_modes_json(const dyn_linear_mode *modes, int32_t count, struct text *out);
/* The last lines: eigenvalues and what they say. */
void linear_put_stability(const struct linear_report *report, struct text *out);
void linear_put_stability_json(const struct linear_report *report, struct text *out);
void linear_put_text(const struct linear_report *report, struct text *out);
void linear_put_json(const struct linear_report *report, struct text *out);
#endif
