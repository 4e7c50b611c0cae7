/* Properties of every token list, over models, scraps and random texts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/map.h"
#include "lexer/lexer.h"
#include <stdlib.h>
#include <string.h>

/* What lexer.h promises: brackets and braces paired, every statement ended, places in order. */
static void check_list(const struct token_list *list, uint32_t length) {
  uint32_t count = list->tokens.count, braces = 0, at = 0;
  const struct token *tokens = list->tokens.items;
  uint32_t *open = calloc(count, sizeof *open), depth = 0;
  bool in_statement = false;
  assert_int_equal(tokens[0].kind, TOKEN_BEGIN);
  assert_int_equal(tokens[count - 1].kind, TOKEN_FINISH);
  for (uint32_t i = 1; i < count; i++) {
    const struct token *token = &tokens[i];
    assert_true(token->span.begin >= at && token->span.end >= token->span.begin);
    assert_true(token->span.end <= length);
    at = token->span.end;
    bool opens = token->kind == TOKEN_OPEN_PAREN || token->kind == TOKEN_OPEN_INDEX ||
                 token->kind == TOKEN_OPEN_UNIT;
    bool closes = token->kind == TOKEN_CLOSE_PAREN || token->kind == TOKEN_CLOSE_BRACKET;
    if (closes) {
      assert_true(depth > 0);
      assert_int_equal(token->open, open[--depth]);
      bool is_round = tokens[token->open].kind == TOKEN_OPEN_PAREN;
      assert_int_equal(is_round, token->kind == TOKEN_CLOSE_PAREN);
    } else {
      assert_int_equal(token->open, depth > 0 ? open[depth - 1] : 0);
    }
    if (opens) open[depth++] = i;
    if (token->kind == TOKEN_END || token->kind == TOKEN_OPEN_BRACE ||
        token->kind == TOKEN_CLOSE_BRACE || token->kind == TOKEN_FINISH)
      assert_int_equal(depth, 0);
    if (token->kind == TOKEN_END) assert_true(in_statement);
    if (token->kind == TOKEN_CLOSE_BRACE || token->kind == TOKEN_FINISH) assert_false(in_statement);
    bool starts = (token->flags & TOKEN_STARTS_STATEMENT) != 0;
    if (token->kind != TOKEN_CLOSE_BRACE && token->kind != TOKEN_END && token->kind != TOKEN_FINISH)
      assert_int_equal(starts, !in_statement);
    braces += token->kind == TOKEN_OPEN_BRACE;
    if (token->kind == TOKEN_CLOSE_BRACE) assert_true(braces-- > 0);
    in_statement = token->kind != TOKEN_END && token->kind != TOKEN_OPEN_BRACE;
    if (token->kind == TOKEN_SEMICOLON) fail();
    if (token_is_name((enum token_kind)token->kind)) assert_non_null(token->text);
  }
  assert_int_equal(braces, 0);
  free(open);
}

static void check_text(const char *text, size_t length) {
  dyn_context *context = context_new();
  uint32_t source = source_add(&context->sources, "a.dyn", text, length);
  struct token_list list;
  lexer_run(context, source, LEXER_MODEL, &list);
  check_list(&list, (uint32_t)length);
  lexer_clear(&list);
  lexer_run(context, source, LEXER_ASSIGNMENTS, &list);
  check_list(&list, (uint32_t)length);
  lexer_clear(&list);
  context_free(context);
}

static void random_texts_are_balanced(void **state) {
  (void)state;
  static const char *const pieces[] = {
      "(",      ")",     "[",    "]",     "{",     "}",        "\n",    ";",  " ",    "x",  "θ",
      "'",      "1",     ".",    "..",    "=",     ":=",       ":",     ",",  "+",    "*",  "^",
      "param ", "if ",   "else", "point", "for ",  "## d\n",   "# c\n", "\"", "\xff", "pi", " [m",
      "/s]",    "force", "and",  "\\",    "\"a\"", "when x {", "}\n",   "e3", "//",   "·",  "if"};
  enum { COUNT = sizeof pieces / sizeof *pieces };
  uint64_t random = 11;
  for (int round = 0; round < 4000; round++) {
    char text[600] = "";
    int length = (int)((random = hash_mix(random)) % 60);
    for (int i = 0; i < length; i++) strcat(text, pieces[(random = hash_mix(random)) % COUNT]);
    check_text(text, strlen(text));
  }
}

static void random_bytes_are_balanced(void **state) {
  (void)state;
  uint64_t random = 5;
  for (int round = 0; round < 2000; round++) {
    char text[80];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(random = hash_mix(random));
    check_text(text, sizeof text);
  }
}

static void equal_names_are_one_pointer(void **state) {
  (void)state;
  dyn_context *context = context_new();
  const char *text = "Länge La\xcc\x88nge";
  uint32_t source = source_add(&context->sources, "a.dyn", text, strlen(text));
  struct token_list list;
  lexer_run(context, source, LEXER_MODEL, &list);
  assert_ptr_equal(list.tokens.items[1].text, list.tokens.items[2].text);
  assert_int_equal(context->diagnostics.error_count, 0);
  lexer_clear(&list);
  context_free(context);
}

static void numbers_keep_their_text(void **state) {
  (void)state;
  dyn_context *context = context_new();
  const char *text = "0.10000000000000000000000000000000000000000001 1e-1000 007";
  uint32_t source = source_add(&context->sources, "a.dyn", text, strlen(text));
  struct token_list list;
  lexer_run(context, source, LEXER_MODEL, &list);
  assert_string_equal(list.tokens.items[1].text, "0.10000000000000000000000000000000000000000001");
  assert_string_equal(list.tokens.items[2].text, "1e-1000");
  assert_string_equal(list.tokens.items[3].text, "007");
  assert_int_equal(context->diagnostics.error_count, 0);
  lexer_clear(&list);
  context_free(context);
}

static void keywords_are_those_of_the_language(void **state) {
  (void)state;
  static const char keywords[] =
      " model import const param input coord state speed let function output initial start simulate"
      " kinetic potential lagrangian dissipation force torque gravity frame point particle body"
      " component constraint holonomic nonholonomic when every release stop for if then else and or"
      " not sum product assert contact impact plot view ";
  size_t count = 0;
  for (int kind = 0; kind < TOKEN_KIND_COUNT; kind++) {
    if ((token_traits((enum token_kind)kind) & TRAIT_KEYWORD) == 0) continue;
    char word[40] = " ";
    strcat(strcat(word, token_spelling((enum token_kind)kind)), " ");
    assert_non_null(strstr(keywords, word));
    count++;
  }
  size_t blanks = 0;
  for (const char *p = keywords; *p != '\0'; p++) blanks += *p == ' ';
  assert_int_equal(count, blanks - 1);
}

static void faults_are_bounded(void **state) {
  (void)state;
  size_t length = 2000000;
  char *text = malloc(length);
  for (size_t i = 0; i < length; i++) text[i] = i % 2 ? ' ' : '$';
  dyn_context *context = context_new();
  uint32_t source = source_add(&context->sources, "a.dyn", text, length);
  struct token_list list;
  lexer_run(context, source, LEXER_MODEL, &list);
  assert_true(context->diagnostics.error_count < 1000);
  assert_true(context->arena.used < 3 * length);
  lexer_clear(&list);
  context_free(context);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_texts_are_balanced),
                                     cmocka_unit_test(random_bytes_are_balanced),
                                     cmocka_unit_test(equal_names_are_one_pointer),
                                     cmocka_unit_test(numbers_keep_their_text),
                                     cmocka_unit_test(keywords_are_those_of_the_language),
                                     cmocka_unit_test(faults_are_bounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
