/* The values that a model's `simulate` gives: who is to blame for one that makes no sense. */
#ifndef DYN_DRIVER_RUN_DEFAULTS_H
#define DYN_DRIVER_RUN_DEFAULTS_H
#include "driver/problem.h"

/* The first of the values (DYN_RUN_...) that makes no sense by itself, with p for the parameters;
 * -1 if there is none. */
int32_t run_defaults_find_fault(const struct model *model, const dyn_model *code, const double *p,
                                dyn_message *message);
/* Does one of the values from `first` to `last` follow from a parameter that a sweep varies? Then
 * it is for its trajectories to check. */
bool run_defaults_vary(const struct model *model, int32_t first, int32_t last);
/* Checks each value by itself, but for those that vary. Returns EXIT_DONE or, with a diagnostic,
 * EXIT_MODEL, or EXIT_COMMAND_LINE if the value follows from a parameter that --set gives. */
int run_defaults_check(struct session *session, const struct problem *problem);
/* Reports that from, until and every do not fit together, unless one of them varies, and returns
 * the exit status in the same way. */
int run_defaults_refuse_rows(struct session *session, const dyn_message *message);
#endif
