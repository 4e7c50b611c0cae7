/* Shared libraries of compiled models, made by the system's linker. */
#ifndef DYN_DRIVER_LINK_H
#define DYN_DRIVER_LINK_H
#include "driver/session.h"

/* Links the object to the shared library `path`, which appears whole or not at all. `target` is the
 * machine the object is for, NULL: this one. Reports and returns false on failure. */
bool link_shared(struct session *session, const struct text *object, const char *target,
                 const char *path);
#endif
