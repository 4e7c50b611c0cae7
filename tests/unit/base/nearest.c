/* Which names are near which. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/diagnostic.h"
#include <string.h>

#define NEAREST(name, ...)                                                                         \
  nearest_name((name), (const char *const[]){__VA_ARGS__},                                         \
               sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

static void slips_of_the_hand_are_found(void **state) {
  (void)state;
  assert_string_equal(NEAREST("stifness", "mass", "stiffness", "length"), "stiffness");
  assert_string_equal(NEAREST("lenght", "mass", "length"), "length"); /* a swap is one edit */
  assert_string_equal(NEAREST("parm", "param", "const", "part"), "param");
  assert_string_equal(NEAREST("Mass", "max", "mass"), "mass");
}

static void greek_is_spelled_out(void **state) {
  (void)state;
  assert_string_equal(NEAREST("theta", "beta", "θ"), "θ");
  assert_string_equal(NEAREST("theta_1", "θ₂", "θ₁"), "θ₁");
  assert_string_equal(NEAREST("phi", "psi", "φ"), "φ");
  assert_string_equal(NEAREST("ω", "w", "omega"), "omega");
  assert_string_equal(NEAREST("thetta", "θ"), "θ");
}

static void far_names_are_not_offered(void **state) {
  (void)state;
  assert_null(NEAREST("x", "y", "z"));
  assert_null(NEAREST("abc", "xyz"));
  assert_null(NEAREST("mass", "length"));
  assert_null(nearest_name("x", NULL, 0));
  assert_string_equal(NEAREST("X", "y", "x"), "x");
}

static void long_and_broken_names_do_no_harm(void **state) {
  (void)state;
  char name[5000];
  memset(name, 'a', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  assert_null(NEAREST(name, name, "a"));
  assert_null(NEAREST("\xff\xfe", "ab", "abc"));
  assert_null(NEAREST("", "ab"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slips_of_the_hand_are_found),
                                     cmocka_unit_test(greek_is_spelled_out),
                                     cmocka_unit_test(far_names_are_not_offered),
                                     cmocka_unit_test(long_and_broken_names_do_no_harm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
