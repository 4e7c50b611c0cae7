/* Philox against the published known answers (file kat_vectors of Random123, the authors' own
 * programs), moments and extremes of distributions against theory with a fixed seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "base/random.h"

static void test_known_answers(void **state) {
  (void)state;
  static const struct {
    uint32_t counter[4], key[2], out[4];
  } cases[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t out[4];
    philox_4x32(cases[i].counter, cases[i].key, out);
    assert_memory_equal(out, cases[i].out, sizeof out);
  }
}

/* The mean of n numbers lies within 4 standard errors of the distribution's, and so on. */
static void test_uniform_moments(void **state) {
  (void)state;
  enum { n = 100000, BINS = 20 };
  double sum[2] = {0}, square[2] = {0}, product = 0, least = 1, most = 0;
  int bins[BINS] = {0};
  for (uint64_t i = 0; i < n; i++) {
    double u[2];
    random_uniform(7, i, 0, u);
    for (int k = 0; k < 2; k++) {
      sum[k] += u[k] - 0.5;
      square[k] += (u[k] - 0.5) * (u[k] - 0.5);
      least = fmin(least, u[k]);
      most = fmax(most, u[k]);
    }
    product += (u[0] - 0.5) * (u[1] - 0.5);
    bins[(int)(u[0] * BINS)]++;
  }
  for (int k = 0; k < 2; k++) {
    assert_true(fabs(sum[k] / n) < 4 * sqrt(1.0 / 12 / n));
    assert_true(fabs(square[k] / n - 1.0 / 12) < 4 * sqrt(1.0 / 180 / n));
  }
  assert_true(fabs(product / n) < 4 / (12 * sqrt(n)));
  assert_true(least > 0 && least < 1e-4 && most < 1 && most > 1 - 1e-4);
  double chi = 0;
  for (int k = 0; k < BINS; k++) {
    double off = bins[k] - (double)n / BINS;
    chi += off * off / ((double)n / BINS);
  }
  assert_true(chi < 43.8); /* 19 degrees of freedom: 0.001 */
}

static void test_normal_moments(void **state) {
  (void)state;
  enum { n = 100000 };
  double sum = 0, square = 0, fourth = 0, neighbours = 0, before = 0;
  int beyond_two = 0;
  for (uint64_t i = 0; i < n; i++) {
    double z = random_normal(11, i, 3);
    sum += z;
    square += z * z;
    fourth += z * z * z * z;
    neighbours += z * before;
    beyond_two += fabs(z) > 2;
    before = z;
  }
  assert_true(fabs(sum / n) < 4 / sqrt(n));
  assert_true(fabs(square / n - 1) < 4 * sqrt(2.0 / n));
  assert_true(fabs(fourth / n - 3) < 4 * sqrt(96.0 / n));
  assert_true(fabs(neighbours / n) < 4 / sqrt(n));
  double p = erfc(sqrt(2)); /* |z| > 2 */
  assert_true(fabs(beyond_two - n * p) < 4 * sqrt(n * p * (1 - p)));
}

static void test_streams_differ(void **state) {
  (void)state;
  double a[2], b[2], c[2], d[2], again[2];
  random_uniform(1, 5, 0, a);
  random_uniform(1, 5, 1, b);
  random_uniform(1, 6, 0, c);
  random_uniform(2, 5, 0, d);
  random_uniform(1, 5, 0, again);
  assert_memory_equal(a, again, sizeof a);
  assert_true(a[0] != b[0] && a[0] != c[0] && a[0] != d[0] && a[0] != a[1]);
  random_uniform(1, 5 + ((uint64_t)1 << 32), 0, b); /* all 64 bits count */
  random_uniform(1 + ((uint64_t)1 << 32), 5, 0, c);
  assert_true(a[0] != b[0] && a[0] != c[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_answers), cmocka_unit_test(test_uniform_moments),
      cmocka_unit_test(test_normal_moments), cmocka_unit_test(test_streams_differ)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
