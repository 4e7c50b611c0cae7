/* What one worker of a sweep does, and what it tells the process that began it. */
#ifndef DYN_DRIVER_SWEEP_WORKER_H
#define DYN_DRIVER_SWEEP_WORKER_H
#include "driver/sweep.h"
#include "dyn/dyn_lanes.h"
#include <signal.h>
#include <stdatomic.h>

/* In memory that all processes share; each entry has one writer. */
struct sweep_worker_tally {
  _Atomic uint64_t ended, failed;
  _Atomic uint64_t found;          /* in journals that others left */
  _Atomic uint64_t current;        /* 1 + the trajectory that was begun last */
  _Atomic double seconds, squares; /* sums over trajectories */
  char fault[1024];                /* what ended the worker early, or "" */
};
struct sweep_shared {
  _Atomic uint64_t next; /* index in `todo` of the chunk that is to be taken next */
  _Atomic int stop;      /* a worker has ended early: the others end, too */
  struct sweep_worker_tally workers[];
};

struct sweep_work {
  struct sweep *sweep;
  const struct sweep_state *state;
  const dyn_model *model;
  const dyn_lanes *lanes; /* NULL: one by one */
  const uint64_t *todo; /* chunks in the order in which they are begun */
  uint64_t n_todo;
  struct sweep_shared *shared;
  const volatile sig_atomic_t *interrupted;
};

/* Takes chunks until there are none; false if it ended early, see `fault`. */
bool sweep_worker_run(const struct sweep_work *work, uint32_t index);
#endif
