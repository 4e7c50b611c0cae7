/* Texts, numbers that read back, JSON escapes, UTF-8. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/map.h"
#include "base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void numbers_read_back(void **state) {
  (void)state;
  uint64_t bits = 3;
  for (int i = 0; i < 20000; i++) {
    bits = hash_mix(bits);
    double number;
    memcpy(&number, &bits, sizeof number);
    if (!isfinite(number)) continue;
    struct text text = {0};
    text_number(&text, number);
    assert_true(strtod(text_string(&text), NULL) == number);
    text_free(&text);
  }
}

static void numbers_are_short(void **state) {
  (void)state;
  static const struct {
    double number;
    const char *text;
  } cases[] = {{0.1, "0.1"}, {1, "1"},          {-2.5, "-2.5"},
               {NAN, "nan"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct text text = {0};
    text_number(&text, cases[i].number);
    assert_string_equal(text_string(&text), cases[i].text);
    text_free(&text);
  }
}

static void json_is_escaped(void **state) {
  (void)state;
  struct text text = {0};
  text_json_string(&text, "a\"\\\n\t\x01\x7f θ \xff\xe2\x82");
  assert_string_equal(text_string(&text),
                      "\"a\\\"\\\\\\n\\t\\u0001\\u007f θ \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  text_json_number(&text, INFINITY);
  assert_string_equal(text_string(&text) + text.length - 4, "null");
  text_free(&text);
}

static void utf8_is_strict(void **state) {
  (void)state;
  uint32_t letter = 0;
  assert_int_equal(utf8_sequence("a", 1, &letter), 1);
  assert_int_equal(utf8_sequence("\xce\xb8", 2, &letter), 2);
  assert_int_equal(letter, 0x3b8);
  assert_int_equal(utf8_sequence("\xf0\x9f\x98\x80", 4, &letter), 4);
  assert_int_equal(letter, 0x1f600);
  assert_int_equal(utf8_sequence("\xce", 1, NULL), 0);             /* cut off */
  assert_int_equal(utf8_sequence("\xc0\x80", 2, NULL), 0);         /* overlong */
  assert_int_equal(utf8_sequence("\xe0\x80\x80", 3, NULL), 0);     /* overlong */
  assert_int_equal(utf8_sequence("\xed\xa0\x80", 3, NULL), 0);     /* a surrogate */
  assert_int_equal(utf8_sequence("\xf4\x90\x80\x80", 4, NULL), 0); /* beyond Unicode */
  assert_int_equal(utf8_sequence("\x80", 1, NULL), 0);
}

static void texts_grow(void **state) {
  (void)state;
  struct text text = {0};
  assert_string_equal(text_string(&text), "");
  for (int i = 0; i < 1000; i++) text_format(&text, "%d,", i);
  text_add(&text, "a\0b", 3);
  assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4 + 3);
  char *taken = text_take(&text);
  assert_memory_equal(taken, "0,1,2,", 6);
  assert_null(text.bytes);
  free(taken);
  taken = text_take(&text);
  assert_string_equal(taken, "");
  free(taken);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_read_back), cmocka_unit_test(numbers_are_short),
      cmocka_unit_test(json_is_escaped), cmocka_unit_test(utf8_is_strict),
      cmocka_unit_test(texts_grow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
