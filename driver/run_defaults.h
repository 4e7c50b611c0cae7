/* The values that a model's `simulate` gives: who is to blame for one that makes no sense. */
#ifndef DYN_DRIVER_RUN_DEFAULTS_H
#define DYN_DRIVER_RUN_DEFAULTS_H
#include "driver/problem.h"

/* Checks each value by itself. Returns EXIT_DONE or, with a diagnostic, EXIT_MODEL, or
 * EXIT_COMMAND_LINE if the value follows from a parameter that --set gives. */
int run_defaults_check(struct session *session, const struct problem *problem);
/* Reports that from, until and every do not fit together, and returns the exit status in the same
 * way. */
int run_defaults_refuse_rows(struct session *session, const dyn_message *message);
#endif
