/* Overflow is detected in 128 bits after reduction to lowest terms. */
#include "base/rational.h"

static unsigned __int128 greatest_common_divisor(unsigned __int128 a, unsigned __int128 b) {
  while (b != 0) {
    unsigned __int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static bool reduce(__int128 numerator, __int128 denominator, struct rational *out) {
  if (denominator == 0) return false;
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  unsigned __int128 size = numerator < 0 ? -(unsigned __int128)numerator : (unsigned __int128)numerator;
  __int128 divisor = (__int128)greatest_common_divisor(size, (unsigned __int128)denominator);
  if (divisor > 1) {
    numerator /= divisor;
    denominator /= divisor;
  }
  if (numerator > INT64_MAX || numerator < -INT64_MAX || denominator > INT64_MAX) return false;
  *out = (struct rational){(int64_t)numerator, (int64_t)denominator};
  return true;
}

bool rational_make(int64_t numerator, int64_t denominator, struct rational *out) {
  return reduce(numerator, denominator, out);
}

bool rational_add(struct rational a, struct rational b, struct rational *out) {
  /* |n| < 2^63 and d < 2^63: each product is below 2^126, the sum below 2^127. */
  return reduce((__int128)a.numerator * b.denominator + (__int128)b.numerator * a.denominator,
                (__int128)a.denominator * b.denominator, out);
}

bool rational_subtract(struct rational a, struct rational b, struct rational *out) {
  if (b.numerator == INT64_MIN) return false;
  b.numerator = -b.numerator;
  return rational_add(a, b, out);
}

bool rational_multiply(struct rational a, struct rational b, struct rational *out) {
  return reduce((__int128)a.numerator * b.numerator, (__int128)a.denominator * b.denominator, out);
}

bool rational_divide(struct rational a, struct rational b, struct rational *out) {
  return reduce((__int128)a.numerator * b.denominator, (__int128)a.denominator * b.numerator, out);
}
