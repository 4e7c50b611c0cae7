/* Which motion has no inertia, in words. */
#ifndef DYN_DERIVE_NULL_MOTION_H
#define DYN_DERIVE_NULL_MOTION_H
#include "derive/bordered.h"

/* For a bordered matrix that is singular: marks the coordinates (n) that take part in a motion
 * without inertia which the constraints allow, and writes a sentence about it. Without such a
 * motion it marks nothing, and the constraints (m) whose reactions cancel instead. */
void null_motion_find(const struct bordered *bordered, bool *involved, bool *reactions,
                      struct text *sentence);
#endif
