/* Random numbers that are a function of (seed, index, stream) and of nothing else: whoever asks, in
 * whatever order and on whatever machine, gets the same ones. */
#ifndef DYN_BASE_RANDOM_H
#define DYN_BASE_RANDOM_H
#include <stdint.h>

/* Philox4x32-10: four words of 32 random bits from a counter of four words and a key of two. */
void philox_4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Two independent numbers, uniform in the open interval (0, 1), of 52 random bits each. */
void random_uniform(uint64_t seed, uint64_t index, uint32_t stream, double out[2]);
/* One of the normal distribution of mean 0 and standard deviation 1. */
double random_normal(uint64_t seed, uint64_t index, uint32_t stream);
#endif
