/* Numbers as text: known ones, and that any reads back exactly and is as short as printf can make
 * it. */
#include "models.h"
#include <float.h>
#include <stdio.h>
#include "runtime/number.h"

static void check(double value, const char *expected) {
  char text[NUMBER_SIZE + 1];
  text[number_write(value, text)] = 0;
  assert_string_equal(text, expected);
}

static void test_known_numbers(void **state) {
  (void)state;
  check(0, "0");
  check(-0.0, "0");
  check(1, "1");
  check(-1.5, "-1.5");
  check(0.1, "0.1");
  check(0.1 + 0.2, "0.30000000000000004");
  check(1.0 / 3, "0.3333333333333333");
  check(100, "100");
  check(1e16, "10000000000000000");
  check(1e17, "1e17");
  check(123456789012345680.0, "1.2345678901234568e17");
  check(9007199254740993.0, "9007199254740992");
  check(1e-5, "0.00001");
  check(1.25e-6, "1.25e-6");
  check(1e22, "1e22");
  check(1e23, "1e23");
  check(5e-324, "5e-324");
  check(DBL_MIN, "2.2250738585072014e-308");
  check(-DBL_MAX, "-1.7976931348623157e308");
  check(9.5367431640625e-7, "9.5367431640625e-7"); /* a power of 2 */
  check(NAN, "nan");
  check(-INFINITY, "-inf");
}

static int count_digits(const char *text) {
  int count = 0, leading = 1;
  char digits[40];
  for (; *text && *text != 'e'; text++)
    if (*text >= '0' && *text <= '9' && !(leading && *text == '0')) {
      leading = 0;
      digits[count++] = *text;
    }
  while (count > 1 && digits[count - 1] == '0') count--;
  return count;
}

static void check_against_printf(double value) {
  char text[NUMBER_SIZE + 1], other[40];
  size_t length = number_write(value, text);
  assert_true(length <= 25);
  text[length] = 0;
  if (strtod(text, NULL) != value) fail_msg("%s is not %.17g", text, value);
  int digits = 1;
  do snprintf(other, sizeof other, "%.*e", digits - 1, value);
  while (strtod(other, NULL) != value && ++digits <= 17);
  if (count_digits(text) > digits) fail_msg("%s is longer than %s", text, other);
}

static void test_random_numbers(void **state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    double any, plain = (double)(seed >> 11) / 9007199254740992.0;
    memcpy(&any, &seed, sizeof any);
    if (isfinite(any)) check_against_printf(any);
    check_against_printf(plain * 100);
    check_against_printf(i * 0.01);
    check_against_printf(ldexp(1, i % 2098 - 1074));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_numbers),
      cmocka_unit_test(test_random_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
