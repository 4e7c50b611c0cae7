/* lanes.h: several members of an ensemble at once. */
#ifndef DYN_RUNTIME_LANES_H
#define DYN_RUNTIME_LANES_H
#include "dyn/dyn_ensemble.h"

/* dyn_ensemble_run, of an ensemble that has lanes. */
dyn_status lanes_run(const dyn_ensemble *ensemble);

/* What follows the end of a run: `done`, unless it was interrupted, and an empty summary. DYN_DONE,
 * or DYN_INTERRUPTED: no more is to be done. (ensemble.c) */
dyn_status ensemble_take(const dyn_ensemble *ensemble, dyn_member *member);

#endif
