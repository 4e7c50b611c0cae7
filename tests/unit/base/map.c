/* Maps against a plain array, and interning. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/intern.h"
#include "base/map.h"
#include <stdio.h>
#include <string.h>

static void agrees_with_an_array(void **state) {
  (void)state;
  enum { KEYS = 5000 };
  static uint32_t expected[KEYS];
  struct map map = {0};
  uint64_t random = 1;
  for (int step = 0; step < 20000; step++) {
    random = hash_mix(random);
    uint32_t key = random % KEYS, value = (uint32_t)(random >> 40) + 1;
    map_set(&map, key * 0x100000001u, value);
    expected[key] = value;
  }
  for (uint32_t key = 0; key < KEYS; key++)
    assert_int_equal(map_get(&map, key * 0x100000001u), expected[key]);
  assert_int_equal(map_get(&map, UINT64_MAX), 0);
  map_free(&map);
  assert_int_equal(map_get(&map, 3), 0);
}

static void hashes_depend_on_every_byte(void **state) {
  (void)state;
  char text[40] = "the quick brown fox jumps over the dogs";
  uint64_t before = hash_bytes(text, 39, 0);
  for (int i = 0; i < 39; i++) {
    text[i] ^= 1;
    assert_int_not_equal(hash_bytes(text, 39, 0), before);
    text[i] ^= 1;
  }
  assert_int_not_equal(hash_bytes(text, 38, 0), before);
}

static void equal_texts_are_one(void **state) {
  (void)state;
  struct arena arena;
  struct interner names;
  arena_init(&arena);
  interner_init(&names, &arena);
  const char *kept[2000];
  char name[32];
  for (int i = 0; i < 2000; i++) {
    snprintf(name, sizeof name, "θ_%d", i);
    kept[i] = intern_string(&names, name);
  }
  for (int i = 0; i < 2000; i++) {
    snprintf(name, sizeof name, "θ_%d", i);
    assert_ptr_equal(intern(&names, name, strlen(name)), kept[i]);
  }
  assert_ptr_not_equal(intern(&names, "ab", 1), intern(&names, "ab", 2));
  assert_string_equal(intern(&names, "", 0), "");
  interner_clear(&names);
  arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_an_array),
                                     cmocka_unit_test(hashes_depend_on_every_byte),
                                     cmocka_unit_test(equal_texts_are_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
