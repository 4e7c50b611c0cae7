/* What computes a sweep, as far as the last digit of its numbers depends on it. */
#ifndef DYN_DRIVER_SWEEP_ORIGIN_H
#define DYN_DRIVER_SWEEP_ORIGIN_H
#include "base/text.h"

/* The build of dyn: of the program and of the modules that make and judge code. */
void sweep_origin_put_build(struct text *out);
/* The libraries that numbers are computed with, as the system has them. */
void sweep_origin_put_libraries(struct text *out);
/* Values of the C library's functions: it has other code for other processors, whose last digits
 * differ. */
void sweep_origin_put_functions(struct text *out);
#endif
