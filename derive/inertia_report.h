/* What is said about a singular bordered matrix. */
#ifndef DYN_DERIVE_INERTIA_REPORT_H
#define DYN_DERIVE_INERTIA_REPORT_H
#include "derive/bordered.h"

/* Reports a bordered matrix that is singular; `how` goes behind the message: how sure that is, or
 * under which condition. */
struct diagnostic *inertia_report_singular(dyn_context *context, const struct bordered *bordered,
                                           const char *how);
#endif
