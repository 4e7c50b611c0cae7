/* A progress bar on the terminal for runs that take longer than a second. */
#ifndef DYN_DRIVER_PROGRESS_H
#define DYN_DRIVER_PROGRESS_H
#include "dyn/dyn_runtime.h"
#include <stdbool.h>

struct progress {
  bool is_on, is_shown;
  double started, last; /* s, monotonic */
};

struct progress progress_begin(bool wanted); /* off where standard error is no terminal */
/* For dyn_run_callbacks: user is the struct. */
void progress_update(void *user, double t, const dyn_run_options *options);
void progress_end(struct progress *progress); /* wipes the bar */
#endif
