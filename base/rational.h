/* Small exact rationals: 64-bit numerator and denominator, in lowest terms, denominator > 0.
 * Every operation says whether the result fits; nothing ever wraps. For dimension exponents and
 * as the fast path of the expression graph's big rationals. */
#ifndef DYN_BASE_RATIONAL_H
#define DYN_BASE_RATIONAL_H
#include <stdbool.h>
#include <stdint.h>

struct rational {
  int64_t numerator, denominator;
};

static inline struct rational rational_integer(int64_t n) {
  return (struct rational){n, 1};
}
static inline bool rational_is_zero(struct rational a) {
  return a.numerator == 0;
}
static inline bool rational_is_integer(struct rational a) {
  return a.denominator == 1;
}
static inline bool rational_equal(struct rational a, struct rational b) {
  return a.numerator == b.numerator && a.denominator == b.denominator;
}

/* False (and *out untouched) on overflow or a zero denominator. */
bool rational_make(int64_t numerator, int64_t denominator, struct rational *out);
bool rational_add(struct rational a, struct rational b, struct rational *out);
bool rational_subtract(struct rational a, struct rational b, struct rational *out);
bool rational_multiply(struct rational a, struct rational b, struct rational *out);
bool rational_divide(struct rational a, struct rational b, struct rational *out);
#endif
