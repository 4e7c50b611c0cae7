/* number.c: the shortest decimal that reads back as a given number, and of those the nearest.
 * Rows of a long run are mostly numbers of 17 digits: trying 15, 16 and 17 with printf would cost
 * more than integrating does.
 * Source: R. Giulietti, The Schubfach way to render doubles (2021): the interval of decimals that
 * round to the number is computed, scaled by a power of ten, in integers with a sticky last bit. */
#include "runtime/number.h"
#include "runtime/number_powers.h"
#include <math.h>
#include <string.h>

struct decimal {
  uint64_t digits;
  int exponent; /* digits * 10^exponent */
};

/* floor(log10(2^e)), floor(log10(3/4 * 2^e)) and floor(log2(10^e)) for all e that occur. */
static int log10_of_power_of_2(int e) {
  return (e * 1262611) >> 22;
}
static int log10_of_three_quarters(int e) {
  return (e * 1262611 - 524031) >> 22;
}
static int log2_of_power_of_10(int e) {
  return (e * 1741647) >> 19;
}

/* The upper 64 bits of power * factor / 2^64, with the last bit set if anything was cut off. */
static uint64_t scale_to_odd(const uint64_t power[2], uint64_t factor) {
  __extension__ typedef unsigned __int128 wide;
  wide low = (wide)power[1] * factor;
  wide high = (wide)power[0] * factor + (uint64_t)(low >> 64);
  return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The number is c * 2^q; the gap below it is half as wide where c is the least of its binade. */
static struct decimal shortest(uint64_t c, int q, int narrow_below) {
  uint64_t odd = c & 1; /* an even c owns the ends of its interval */
  int k = narrow_below ? log10_of_three_quarters(q) : log10_of_power_of_2(q);
  int shift = q + log2_of_power_of_10(-k) + 1;
  const uint64_t *power = number_powers[-k - NUMBER_LEAST_POWER];
  /* In quarters of a unit of the last digit. */
  uint64_t lower = scale_to_odd(power, (4 * c - 2 + (uint64_t)narrow_below) << shift) + odd;
  uint64_t middle = scale_to_odd(power, (4 * c) << shift);
  uint64_t upper = scale_to_odd(power, (4 * c + 2) << shift) - odd;
  uint64_t s = middle / 4;
  if (s >= 10) { /* one digit less? */
    uint64_t tens = s / 10;
    int down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
    if (down != up) return (struct decimal){tens + (uint64_t)up, k + 1};
  }
  int down = lower <= 4 * s, up = 4 * s + 4 <= upper;
  if (down != up) return (struct decimal){s + (uint64_t)up, k};
  uint64_t half = 4 * s + 2;
  int round_up = middle > half || (middle == half && (s & 1));
  return (struct decimal){s + (uint64_t)round_up, k};
}

static struct decimal decimal_of(uint64_t bits) {
  uint64_t fraction = bits & 0xFFFFFFFFFFFFF;
  int exponent = (int)(bits >> 52) & 0x7FF;
  uint64_t c = exponent ? fraction | 0x10000000000000 : fraction;
  int q = (exponent ? exponent : 1) - 1075;
  if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0)
    return (struct decimal){c >> -q, 0}; /* an integer */
  return shortest(c, q, fraction == 0 && exponent > 1);
}

static size_t put_exponent(int exponent, char *text) {
  size_t length = 0;
  text[length++] = 'e';
  if (exponent < 0) text[length++] = '-';
  unsigned e = (unsigned)(exponent < 0 ? -exponent : exponent);
  if (e >= 100) text[length++] = (char)('0' + e / 100);
  if (e >= 10) text[length++] = (char)('0' + e / 10 % 10);
  text[length++] = (char)('0' + e % 10);
  return length;
}

/* count digits, of which the first stands at 10^first. */
static size_t lay_out(const char *digits, int count, int first, char *text) {
  size_t n = (size_t)count;
  if (first < -5 || first > 16) {
    text[0] = digits[0];
    if (count == 1) return 1 + put_exponent(first, text + 1);
    text[1] = '.';
    memcpy(text + 2, digits + 1, n - 1);
    return n + 1 + put_exponent(first, text + n + 1);
  }
  if (first < 0) { /* 0.00ddd */
    size_t zeros = (size_t)(-first - 1);
    memcpy(text, "0.0000", 2 + zeros);
    memcpy(text + 2 + zeros, digits, n);
    return 2 + zeros + n;
  }
  size_t whole = (size_t)first + 1;
  if (n <= whole) { /* ddd000 */
    memcpy(text, digits, n);
    memset(text + n, '0', whole - n);
    return whole;
  }
  memcpy(text, digits, whole);
  text[whole] = '.';
  memcpy(text + whole + 1, digits + whole, n - whole);
  return n + 1;
}

size_t number_write(double value, char text[NUMBER_SIZE]) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  size_t sign = bits >> 63;
  if (isnan(value)) return memcpy(text, "nan", 3), 3;
  if (value == 0) return text[0] = '0', 1;
  if (sign) *text++ = '-';
  if (isinf(value)) return memcpy(text, "inf", 3), 3 + sign;
  bits &= INT64_MAX;
  struct decimal d = decimal_of(bits);
  char digits[20], *first = digits + sizeof digits;
  while (d.digits % 10 == 0) {
    d.digits /= 10;
    d.exponent++;
  }
  for (; d.digits > 0; d.digits /= 10) *--first = (char)('0' + d.digits % 10);
  int count = (int)(digits + sizeof digits - first);
  return sign + lay_out(first, count, d.exponent + count - 1, text);
}
