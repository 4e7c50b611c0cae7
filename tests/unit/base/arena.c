/* Arenas: alignment, zeroing, big blocks, formatted texts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/arena.h"
#include <string.h>

static void allocations_are_zeroed_and_aligned(void **state) {
  (void)state;
  struct arena arena;
  arena_init(&arena);
  for (size_t size = 0; size < 3000; size += 37) {
    unsigned char *block = arena_alloc(&arena, size);
    assert_int_equal((uintptr_t)block % 16, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(block[i], 0);
    memset(block, 0xff, size);
  }
  arena_clear(&arena);
  assert_null(arena.head);
}

static void blocks_larger_than_any_fit(void **state) {
  (void)state;
  struct arena arena;
  arena_init(&arena);
  char *small = arena_string(&arena, "before", 6);
  char *large = arena_alloc(&arena, 5u << 20);
  memset(large, 'x', 5u << 20);
  char *after = arena_string(&arena, "after", 5);
  assert_string_equal(small, "before");
  assert_string_equal(after, "after");
  arena_clear(&arena);
}

static void texts_are_formatted(void **state) {
  (void)state;
  struct arena arena;
  arena_init(&arena);
  assert_string_equal(arena_format(&arena, "%s-%d", "a", 7), "a-7");
  assert_string_equal(arena_string(&arena, "abcdef", 3), "abc");
  assert_memory_equal(arena_copy(&arena, "abc", 4), "abc", 4);
  arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_are_zeroed_and_aligned),
                                     cmocka_unit_test(blocks_larger_than_any_fit),
                                     cmocka_unit_test(texts_are_formatted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
