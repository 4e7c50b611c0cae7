/* Ratios that a reader would write: 2, -1/3, 5/12. */
#ifndef DYN_DERIVE_SIMPLE_RATIO_H
#define DYN_DERIVE_SIMPLE_RATIO_H
#include "base/text.h"
#include <stdbool.h>

/* p/q near x with q up to 12, p not 0; or false. */
bool simple_ratio_find(double x, long *p, long *q);

/* Adds "- 2*name/3" to a sum in words, p/q = -2/3; `first` leaves the sign of a plus away. */
void simple_ratio_put_term(struct text *out, bool first, long p, long q, const char *name);
#endif
