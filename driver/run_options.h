/* The options that say how a run goes: shared by the commands that run models. */
#ifndef DYN_DRIVER_RUN_OPTIONS_H
#define DYN_DRIVER_RUN_OPTIONS_H
#include "driver/problem.h"

/* Their rows: a command has them as its `shared` table. */
extern const struct option_spec run_option_rows[];

/* Reads the options over `out`, leaving what is not given; false, with diagnostics, if any is
 * wrong. */
bool run_options_take(struct session *session, dyn_run_options *out);
/* Before the model is read: false, with diagnostics, if an option is wrong in itself. */
bool run_options_check(struct session *session);
/* Once the model is derived: false, with a diagnostic, if neither it nor an option tells the end.
 */
bool run_options_check_end(struct session *session);
/* What the model's `simulate` says, and the options over it. Returns the exit status. */
int run_options_settle(struct session *session, const struct problem *problem,
                       dyn_run_options *out);
#endif
