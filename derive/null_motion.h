/* Which motion has no inertia, in words. */
#ifndef DYN_DERIVE_NULL_MOTION_H
#define DYN_DERIVE_NULL_MOTION_H
#include "derive/system.h"

/* For a mass matrix that is singular: marks the coordinates (n) that take part in a motion without
 * inertia and writes a sentence about it. */
void null_motion_find(const struct system *system, bool *involved, struct text *sentence);
#endif
