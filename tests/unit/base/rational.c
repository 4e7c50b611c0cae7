/* Rationals against 128-bit arithmetic on random operands, and the edges of their range. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/map.h"
#include "base/rational.h"

static bool equals(struct rational a, __int128 numerator, __int128 denominator) {
  return a.numerator * denominator == numerator * a.denominator && a.denominator > 0;
}

static void agrees_with_wide_arithmetic(void **state) {
  (void)state;
  uint64_t random = 7;
  for (int i = 0; i < 5000; i++) {
    random = hash_mix(random);
    int64_t p = (int64_t)(random % 20001) - 10000, q = (int64_t)(random >> 32) % 999 + 1;
    random = hash_mix(random);
    int64_t r = (int64_t)(random % 20001) - 10000, s = -((int64_t)(random >> 32) % 999 + 1);
    struct rational a = {0, 1}, b = {0, 1}, c = {0, 1};
    assert_true(rational_make(p, q, &a) && rational_make(r, s, &b));
    assert_true(rational_add(a, b, &c) &&
                equals(c, (__int128)p * s + (__int128)r * q, (__int128)q * s));
    assert_true(rational_subtract(a, b, &c) &&
                equals(c, (__int128)p * s - (__int128)r * q, (__int128)q * s));
    assert_true(rational_multiply(a, b, &c) && equals(c, (__int128)p * r, (__int128)q * s));
    assert_int_equal(rational_divide(a, b, &c), r != 0);
    if (r != 0) assert_true(equals(c, (__int128)p * s, (__int128)q * r));
  }
}

static void overflow_is_told(void **state) {
  (void)state;
  struct rational huge = rational_integer(INT64_MAX), out = {17, 1};
  assert_false(rational_add(huge, rational_integer(1), &out));
  assert_false(rational_multiply(huge, huge, &out));
  assert_false(rational_make(1, 0, &out));
  assert_false(rational_divide(huge, rational_integer(0), &out));
  assert_int_equal(out.numerator, 17);
  assert_true(rational_divide(huge, huge, &out));
  assert_true(rational_equal(out, rational_integer(1)));
  assert_true(rational_make(6, -4, &out));
  assert_int_equal(out.numerator, -3);
  assert_int_equal(out.denominator, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_wide_arithmetic),
                                     cmocka_unit_test(overflow_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
