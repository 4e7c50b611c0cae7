/* Counter-based random numbers.
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011: Philox4x32 with ten rounds, section 5 and table 2. It has no state: its
 * numbers are the encryption of a counter under a key, and pass all tests of TestU01. Normal
 * numbers are by G. E. P. Box, M. E. Muller, Ann. Math. Statist. 29 (1958), 610. */
#include "base/random.h"
#include <math.h>

enum { ROUNDS = 10 };
#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0 0x9E3779B9u /* what the key grows by: the golden ratio, */
#define WEYL_1 0xBB67AE85u /* and sqrt(3) - 1 */

void philox_4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t a = (uint64_t)MULTIPLIER_0 * c0, b = (uint64_t)MULTIPLIER_1 * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)b;
    c3 = (uint32_t)a;
    k0 += WEYL_0;
    k1 += WEYL_1;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/* The middles of 2^52 equal intervals: neither 0 nor 1 can come out. */
static double uniform_of(uint32_t high, uint32_t low) {
  uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
  return ((double)bits + 0.5) * 0x1p-52;
}

void random_uniform(uint64_t seed, uint64_t index, uint32_t stream, double out[2]) {
  uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), stream, 0};
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, words[4];
  philox_4x32(counter, key, words);
  out[0] = uniform_of(words[0], words[1]);
  out[1] = uniform_of(words[2], words[3]);
}

double random_normal(uint64_t seed, uint64_t index, uint32_t stream) {
  static const double two_pi = 6.283185307179586476925286766559;
  double u[2];
  random_uniform(seed, index, stream, u);
  return sqrt(-2 * log(u[0])) * cos(two_pi * u[1]);
}
