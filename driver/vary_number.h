/* Numbers of --vary as fractions: what is typed in decimals stays exact until a trajectory takes
 * it, so that values are the doubles nearest to what was meant. */
#ifndef DYN_DRIVER_VARY_NUMBER_H
#define DYN_DRIVER_VARY_NUMBER_H
#include <gmp.h>
#include <stdbool.h>

/* pi to 60 digits: far beyond the last digit of any double. `out` is initialised by the caller. */
void vary_pi(mpq_t out);
/* Signs, then factors joined by * and /, each a plain decimal number or pi. False if the text is
 * none or its value is beyond the range of doubles; `out` is initialised by the caller. */
bool vary_number(const char *text, mpq_t out);
#endif
