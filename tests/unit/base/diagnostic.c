/* Collecting and rendering diagnostics. Uses codes of the lexer; only their words matter. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/context.h"
#include <stdlib.h>
#include <string.h>

static uint32_t add_source(dyn_context *context, const char *name, const char *text) {
  return source_add(&context->sources, name, text, strlen(text));
}

static void assert_text(dyn_context *context, const char *expected) {
  struct text out = {0};
  diagnostics_render_text(context, &out, false);
  assert_string_equal(text_string(&out), expected);
  text_free(&out);
  context_free(context);
}

static void one_range(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = add_source(context, "a.dyn", "param m = 2\nlet a = b\n");
  struct diagnostic *d =
      diagnostic_add(context, DIAG_KEYWORD_AS_NAME, (struct span){s, 16, 17}, "a", NULL);
  diagnostic_caption(context, d, "the %s", "caption");
  diagnostic_help(context, d, "do this\nand that");
  assert_text(context,
              "a.dyn:2:5: error[E0202]: 'a' is a keyword of the language and can't be a name\n"
              "   2 | let a = b\n"
              "     |     ^ the caption\n"
              "       help: do this\n"
              "             and that\n"
              "1 error\n");
}

static void columns_are_those_of_the_screen(void **state) {
  (void)state;
  dyn_context *context = context_new();
  /* wide letters take two columns, combining ones none, a tab four blanks */
  uint32_t s = add_source(context, "a.dyn", "\t漢θ\xcc\x87 = x\a");
  diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 11, 12}, NULL);
  assert_text(context, "a.dyn:1:8: error[E0107]: this text has no closing '\"'\n"
                       "   1 |     漢θ\xcc\x87 = x<U+0007>\n"
                       "     |           ^\n"
                       "1 error\n");
}

static void control_characters_and_bad_bytes_are_named(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = add_source(context, "a\033[31m.dyn", "a\xff\xe2\x80\xae\033[0m b");
  diagnostic_add(context, DIAG_UNEXPECTED_CHARACTER, (struct span){s, 1, 2}, "\033\xfe", NULL);
  assert_text(context, "a<U+001B>[31m.dyn:1:2: error[E0102]: unexpected character <U+001B><FE>\n"
                       "   1 | a<FF><U+202E><U+001B>[0m b\n"
                       "     |  ^^^^\n"
                       "1 error\n");
}

static void labels_go_by_line_and_file(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = add_source(context, "a.dyn", "one\ntwo\nthree\n");
  uint32_t other = add_source(context, "b.dyn", "other\n");
  struct diagnostic *d =
      diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 4, 7}, NULL);
  diagnostic_label(context, d, (struct span){other, 0, 5}, "elsewhere");
  diagnostic_label(context, d, (struct span){s, 8, 9}, "after");
  diagnostic_label(context, d, (struct span){s, 6, 7}, "same line");
  diagnostic_label(context, d, (struct span){s, 0, 3}, "before");
  assert_text(context, "a.dyn:2:1: error[E0107]: this text has no closing '\"'\n"
                       "   1 | one\n"
                       "     | --- before\n"
                       "   2 | two\n"
                       "     | ^^^\n"
                       "     |   - same line\n"
                       "   3 | three\n"
                       "     | - after\n"
                       " --> b.dyn:1:1\n"
                       "   1 | other\n"
                       "     | ----- elsewhere\n"
                       "1 error\n");
}

static void several_lines_show_their_ends(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = add_source(context, "a.dyn", "a (b\n c\n  d) e\n");
  struct diagnostic *d =
      diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 2, 12}, NULL);
  diagnostic_caption(context, d, "all this");
  assert_text(context, "a.dyn:1:3: error[E0107]: this text has no closing '\"'\n"
                       "   1 | a (b\n"
                       "     |   ^^\n"
                       "     | ...\n"
                       "   3 |   d) e\n"
                       "     |   ^^ all this\n"
                       "1 error\n");
}

static void long_lines_are_trimmed(void **state) {
  (void)state;
  dyn_context *context = context_new();
  char *line = malloc(1000001);
  memset(line, 'x', 1000000);
  line[1000000] = '\0';
  memcpy(line + 500000, "HERE", 4);
  uint32_t s = add_source(context, "a.dyn", line);
  diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 500000, 500004}, NULL);
  struct text out = {0};
  diagnostics_render_text(context, &out, false);
  assert_true(out.length < 500);
  assert_non_null(strstr(text_string(&out), "... xxx"));
  assert_non_null(strstr(text_string(&out), "xHEREx"));
  assert_non_null(strstr(text_string(&out), "xxx ...\n"));
  /* the marks stand under the word */
  const char *word_line = strstr(text_string(&out), "   1 | ");
  const char *mark_line = strstr(text_string(&out), "     | ");
  assert_int_equal(strstr(word_line, "HERE") - word_line, strstr(mark_line, "^^^^") - mark_line);
  text_free(&out);
  free(line);
  context_free(context);
}

static void ends_of_lines_and_files_get_a_mark(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = add_source(context, "a.dyn", "ab\r\n");
  diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 2, 2}, NULL);
  diagnostic_add(context, DIAG_STRAY_PRIME, (struct span){s, 4, 4}, NULL);
  diagnostic_add(context, DIAG_SLASH_COMMENT, (struct span){s, 900, 1000}, NULL);
  assert_text(context,
              "a.dyn:1:3: error[E0107]: this text has no closing '\"'\n"
              "   1 | ab\n"
              "     |   ^\n"
              "a.dyn:2:1: error[E0106]: this ' does not touch anything that it could derive\n"
              "   2 |\n"
              "     | ^\n"
              "a.dyn:2:1: error[E0109]: comments start with '#', not with '//'\n"
              "   2 |\n"
              "     | ^\n"
              "3 errors\n");
}

static void order_is_that_of_the_text(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = add_source(context, "a.dyn", "abc\n");
  diagnostic_add(context, DIAG_STRAY_PRIME, (struct span){0, 0, 0}, NULL);
  diagnostic_add(context, DIAG_UNIT_ON_DIVISOR, (struct span){s, 2, 3}, "x", NULL);
  diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 0, 1}, NULL);
  diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 0, 1}, NULL); /* told once */
  assert_text(context, "a.dyn:1:1: error[E0107]: this text has no closing '\"'\n"
                       "   1 | abc\n"
                       "     | ^\n"
                       "a.dyn:1:3: warning[W0225]: this unit belongs to the x alone\n"
                       "   1 | abc\n"
                       "     |   ^\n"
                       "error[E0106]: this ' does not touch anything that it could derive\n"
                       "2 errors, 1 warning\n");
}

static void many_are_counted_but_not_shown(void **state) {
  (void)state;
  dyn_context *context = context_new();
  char text[300];
  memset(text, 'x', sizeof text);
  uint32_t s = source_add(&context->sources, "a.dyn", text, sizeof text);
  for (uint32_t i = 0; i < 250; i++)
    diagnostic_add(context, DIAG_STRAY_PRIME, (struct span){s, i, i + 1}, NULL);
  struct text out = {0};
  diagnostics_render_text(context, &out, false);
  assert_non_null(strstr(text_string(&out), "(50 further messages not shown)\n250 errors\n"));
  text_free(&out);
  context_free(context);
}

static void json_holds_everything(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = add_source(context, "a.dyn", "ab\nθc\n");
  struct diagnostic *d =
      diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 3, 5}, NULL);
  diagnostic_label(context, d, (struct span){s, 0, 1}, "a \"label\"");
  diagnostic_help(context, d, "help");
  struct text out = {0};
  diagnostics_render_json(context, &out);
  assert_string_equal(
      text_string(&out),
      "[\n  {\"code\": \"E0107\", \"severity\": \"error\", \"message\": \"this text has no closing "
      "'\\\"'\", \"file\": \"a.dyn\", \"line\": 2, \"column\": 1, \"end_line\": 2, \"end_column\": "
      "2, \"byte_begin\": 3, \"byte_end\": 5, \"caption\": null, \"labels\": [{\"file\": "
      "\"a.dyn\", "
      "\"line\": 1, \"column\": 1, \"end_line\": 1, \"end_column\": 2, \"byte_begin\": 0, "
      "\"byte_end\": 1, \"caption\": \"a \\\"label\\\"\"}], \"help\": [\"help\"]}\n]\n");
  text_free(&out);
  context_free(context);
  context = context_new();
  diagnostics_render_json(context, &out);
  assert_string_equal(text_string(&out), "[]\n");
  text_free(&out);
  context_free(context);
}

static void colour_only_adds_escape_codes(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = add_source(context, "a.dyn", "abc\n");
  struct diagnostic *d =
      diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 1, 2}, NULL);
  diagnostic_help(context, d, "help");
  struct text plain = {0}, colour = {0}, stripped = {0};
  diagnostics_render_text(context, &plain, false);
  diagnostics_render_text(context, &colour, true);
  for (const char *p = text_string(&colour); *p != '\0'; p++)
    if (*p == '\033')
      p = strchr(p, 'm');
    else
      text_add(&stripped, p, 1);
  assert_string_equal(text_string(&stripped), text_string(&plain));
  assert_true(colour.length > plain.length);
  text_free(&plain);
  text_free(&colour);
  text_free(&stripped);
  context_free(context);
}

static void codes_are_found_by_name(void **state) {
  (void)state;
  assert_int_equal(diagnostic_find("E0107"), DIAG_UNCLOSED_STRING);
  assert_int_equal(diagnostic_find("e0107"), DIAG_UNCLOSED_STRING);
  assert_int_equal(diagnostic_find("107"), DIAG_UNCLOSED_STRING);
  assert_int_equal(diagnostic_find("W0225"), DIAG_UNIT_ON_DIVISOR);
  assert_int_equal(diagnostic_find("E9999"), DIAG_NONE);
  assert_int_equal(diagnostic_find(""), DIAG_NONE);
}

static void the_catalogue_is_complete(void **state) {
  (void)state;
  for (int code = 1; code < DIAGNOSTIC_CODE_COUNT; code++) {
    const struct diagnostic_entry *entry = diagnostic_entry((enum diagnostic_code)code);
    assert_int_equal(strlen(entry->name), 5);
    assert_true(strlen(entry->message) > 0);
    assert_true(strlen(entry->explanation) > 60);
    for (int other = 1; other < code; other++)
      assert_string_not_equal(entry->name + 1,
                              diagnostic_entry((enum diagnostic_code)other)->name + 1);
  }
}

static void options_are_to_blame_for_their_text(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = add_source(context, "--set", "m=");
  source_get(&context->sources, s)->is_command_line = true;
  assert_false(diagnostics_blame_command_line(context));
  diagnostic_add(context, DIAG_UNCLOSED_STRING, (struct span){s, 1, 2}, NULL);
  assert_true(diagnostics_blame_command_line(context));
  context_free(context);
}

/* What is wrong in a view is shown where it is written, with what led there; once. */
static void what_led_to_a_view_is_shown(void **state) {
  (void)state;
  dyn_context *context = context_new();
  uint32_t s = source_add(&context->sources, "a.dyn", "aaa\nbbb\nccc\n", 12);
  uint32_t outer = source_add_view(&context->sources, s, (struct span){s, 8, 9});
  uint32_t inner = source_add_view(&context->sources, s, (struct span){outer, 4, 5});
  struct diagnostic *d =
      diagnostic_add(context, DIAG_STRAY_PRIME, (struct span){inner, 0, 1}, NULL);
  diagnostic_add(context, DIAG_STRAY_PRIME, (struct span){outer, 0, 1}, NULL);
  assert_int_equal(context->diagnostics.count, 1);
  assert_int_equal(d->span.source, s);
  assert_int_equal(d->labels.count, 2);
  assert_int_equal(d->labels.items[0].span.source, s);
  assert_int_equal(d->labels.items[0].span.begin, 4);
  assert_int_equal(d->labels.items[1].span.begin, 8);
  assert_string_equal(d->labels.items[1].caption, "in this instance");
  uint32_t at = s;
  for (uint32_t i = 0; i < 50; i++)
    at = source_add_view(&context->sources, s, (struct span){at, i % 12, i % 12 + 1});
  d = diagnostic_add(context, DIAG_STRAY_PRIME, (struct span){at, 2, 3}, NULL);
  assert_int_equal(d->labels.count, 6); /* both ends of a long way */
  assert_int_equal(d->labels.items[5].span.begin, 0);
  context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_led_to_a_view_is_shown),
                                     cmocka_unit_test(one_range),
                                     cmocka_unit_test(columns_are_those_of_the_screen),
                                     cmocka_unit_test(control_characters_and_bad_bytes_are_named),
                                     cmocka_unit_test(labels_go_by_line_and_file),
                                     cmocka_unit_test(several_lines_show_their_ends),
                                     cmocka_unit_test(long_lines_are_trimmed),
                                     cmocka_unit_test(ends_of_lines_and_files_get_a_mark),
                                     cmocka_unit_test(order_is_that_of_the_text),
                                     cmocka_unit_test(many_are_counted_but_not_shown),
                                     cmocka_unit_test(json_holds_everything),
                                     cmocka_unit_test(colour_only_adds_escape_codes),
                                     cmocka_unit_test(codes_are_found_by_name),
                                     cmocka_unit_test(the_catalogue_is_complete),
                                     cmocka_unit_test(options_are_to_blame_for_their_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
