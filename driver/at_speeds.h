/* Speeds given with --at. */
#ifndef DYN_DRIVER_AT_SPEEDS_H
#define DYN_DRIVER_AT_SPEEDS_H
#include "driver/problem.h"
#include "sema/model.h"

struct at_speeds {
  struct session *session;
  struct problem *problem;
  double (*value)(void *user, expr symbol); /* of all symbols at the state */
  void *user;
  double t;
};

/* Moves the velocities that --at does not name as little as possible, by the kinetic energy of the
 * change, so that speeds have the values given. False, with a diagnostic, if they can't. */
bool at_speeds_apply(const struct at_speeds *at);
#endif
