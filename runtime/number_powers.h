/* number_powers.h: powers of ten to 128 bits, for number.c. */
#ifndef DYN_RUNTIME_NUMBER_POWERS_H
#define DYN_RUNTIME_NUMBER_POWERS_H
#include <stdint.h>

#define NUMBER_LEAST_POWER (-292)
/* 10^k 2^(127 - floor(log2 10^k)), rounded up; [k - NUMBER_LEAST_POWER][upper, lower half]. */
extern const uint64_t number_powers[617][2];

#endif
