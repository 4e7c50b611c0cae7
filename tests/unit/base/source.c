/* Lines and columns, reading files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/context.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void places_count_code_points(void **state) {
  (void)state;
  dyn_context *context = context_new();
  const char *text = "ab\nθ = 1\r\n\nlast";
  uint32_t source = source_add(&context->sources, "a.dyn", text, strlen(text));
  struct source_place place = source_locate(&context->sources, source, 0);
  assert_int_equal(place.line, 1);
  assert_int_equal(place.column, 1);
  place = source_locate(&context->sources, source, 6); /* the '=' behind the two-byte θ */
  assert_int_equal(place.line, 2);
  assert_int_equal(place.column, 3);
  assert_int_equal(place.line_begin, 3);
  assert_int_equal(place.line_end, 9); /* without \r */
  assert_int_equal(source_locate(&context->sources, source, 11).line, 3);
  assert_int_equal(source_locate(&context->sources, source, 1000).line, 4);
  assert_int_equal(source_locate(&context->sources, source, 1000).column, 5);
  assert_int_equal(source_locate(&context->sources, 0, 5).line, 0);
  assert_null(source_get(&context->sources, 0));
  assert_null(source_get(&context->sources, 2));
  context_free(context);
}

static void every_line_start_is_found(void **state) {
  (void)state;
  dyn_context *context = context_new();
  char text[4000];
  for (size_t i = 0; i < sizeof text; i++) text[i] = i % 7 == 6 ? '\n' : 'x';
  uint32_t source = source_add(&context->sources, "x", text, sizeof text);
  for (uint32_t i = 0; i < sizeof text; i++) {
    struct source_place place = source_locate(&context->sources, source, i);
    assert_int_equal(place.line, i / 7 + 1);
    assert_int_equal(place.column, i % 7 + 1);
  }
  context_free(context);
}

static void faults_of_reading_are_told(void **state) {
  (void)state;
  dyn_context *context = context_new();
  assert_int_equal(source_read(&context->sources, "no/such/file.dyn"), 0);
  assert_int_equal(errno, ENOENT);
  assert_int_equal(source_read(&context->sources, "/"), 0);
  assert_int_equal(errno, EISDIR);
  uint32_t source = source_read(&context->sources, "tests/unit/base/source.c");
  assert_int_equal(source, 1);
  assert_memory_equal(source_get(&context->sources, source)->text, "/* Lines", 8);
  context_free(context);
}

static void views_share_a_text(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t source = source_add(&context->sources, "x", "ab\ncd", 5);
  uint32_t view = source_add_view(&context->sources, source, (struct span){source, 1, 2});
  uint32_t inner = source_add_view(&context->sources, view, (struct span){view, 3, 4});
  assert_ptr_equal(source_get(&context->sources, inner)->text,
                   source_get(&context->sources, source)->text);
  struct span written = source_written(&context->sources, (struct span){inner, 3, 5});
  assert_int_equal(written.source, source);
  assert_int_equal(written.begin, 3);
  assert_int_equal(source_written(&context->sources, (struct span){0, 3, 5}).source, 0);
  assert_int_equal(source_locate(&context->sources, inner, 4).line, 2);
  assert_int_equal(source_depth(&context->sources, source), 0);
  assert_int_equal(source_depth(&context->sources, view), 1);
  assert_int_equal(source_depth(&context->sources, inner), 2);
  assert_int_equal(source_depth(&context->sources, 0), 0);
  context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_count_code_points), cmocka_unit_test(every_line_start_is_found),
      cmocka_unit_test(views_share_a_text), cmocka_unit_test(faults_of_reading_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
