/* Properties of every syntax tree, over the golden models, random texts and deep nesting. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/map.h"
#include "parser/ast.h"
#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the tree's promises */

struct children {
  ast_expr items[4];
  uint32_t count;
  struct ast_list list;
};

static struct children children_of(const struct ast_expression *n) {
  struct children c = {.list = n->list};
  if (n->operand != 0) c.items[c.count++] = n->operand;
  if (n->second != 0) c.items[c.count++] = n->second;
  if (n->third != 0) c.items[c.count++] = n->third;
  return c;
}

static void check_child(const struct ast *ast, ast_expr parent, ast_expr child, ast_expr *next) {
  const struct ast_expression *p = ast_expression(ast, parent), *n = ast_expression(ast, child);
  assert_true(child < parent);
  assert_int_equal(n->first, *next); /* subtrees follow each other without gaps */
  *next = child + 1;
  if (p->kind == AST_ERROR) return;
  assert_int_equal(n->span.source, p->span.source);
  assert_true(n->span.begin >= p->span.begin && n->span.end <= p->span.end);
}

/* The nodes from `first` to a node are its subtree, in postorder; spans nest. */
static void check_tree(const struct ast *ast) {
  for (ast_expr e = 1; e < ast->expressions.count; e++) {
    const struct ast_expression *n = ast_expression(ast, e);
    struct children c = children_of(n);
    ast_expr next = n->first;
    assert_true(n->span.begin <= n->span.end);
    /* an index stands before its operand's list; a member call's operand before its arguments */
    for (uint32_t i = 0; i < c.count; i++) check_child(ast, e, c.items[i], &next);
    for (uint32_t i = 0; i < c.list.count; i++)
      check_child(ast, e, ast_list_item(ast, c.list, i), &next);
    assert_int_equal(next, e);
  }
}

static struct ast *parse_text(dyn_context *context, const char *text, size_t length) {
  uint32_t source = source_add(&context->sources, "a.dyn", text, length);
  return parse_model(context, source);
}

static void check_text(const char *text, size_t length, bool is_faultless) {
  dyn_context *context = context_new();
  struct ast *ast = parse_text(context, text, length);
  check_tree(ast);
  struct text out = {0};
  ast_dump(ast, &out);
  diagnostics_render_text(context, &out, false);
  if (is_faultless && context->diagnostics.error_count > 0) fail_msg("%s", text_string(&out));
  text_free(&out);
  ast_free(ast);
  struct ast *assignments = parse_assignments(context, 1);
  check_tree(assignments);
  ast_free(assignments);
  context_free(context);
}

static void models_keep_the_promises(void **state) {
  (void)state;
  glob_t paths;
  assert_int_equal(glob("tests/golden/*/*.dyn", 0, NULL, &paths), 0);
  assert_true(paths.gl_pathc > 10);
  for (size_t i = 0; i < paths.gl_pathc; i++) {
    dyn_context *context = context_new();
    uint32_t source = source_read(&context->sources, paths.gl_pathv[i]);
    const struct source *held = source_get(&context->sources, source);
    check_text(held->text, held->length, false);
    /* every prefix is a text that somebody has on the screen while typing */
    for (uint32_t length = 0; length < held->length; length += 7)
      check_text(held->text, length, false);
    context_free(context);
  }
  globfree(&paths);
}

static void random_texts_keep_the_promises(void **state) {
  (void)state;
  static const char *const pieces[] = {"(",
                                       ")",
                                       "[",
                                       "]",
                                       " {\n",
                                       "\n}\n",
                                       "\n",
                                       "\n",
                                       "; ",
                                       "x",
                                       "θ",
                                       "'",
                                       "1",
                                       ".y",
                                       "..",
                                       " = ",
                                       " := ",
                                       ": ",
                                       ", ",
                                       "+",
                                       "*",
                                       "^",
                                       "\nparam ",
                                       "\nif ",
                                       " else ",
                                       " then ",
                                       "\nfor ",
                                       "\nforce ",
                                       " on ",
                                       " at ",
                                       " in ",
                                       " from ",
                                       "\nframe ",
                                       " rotated ",
                                       " about ",
                                       "\nconstraint ",
                                       "\npoint ",
                                       "\ncomponent c(",
                                       "\nwhen ",
                                       "sum(i in 1..n, ",
                                       "f(",
                                       "pi",
                                       " [m]",
                                       "[i]",
                                       " [kg*",
                                       " and ",
                                       " < ",
                                       "\nspring s(",
                                       "a = ",
                                       "\"t\"",
                                       "-",
                                       "\nlet ",
                                       "\ncoord ",
                                       "\nstart ",
                                       "\ninitial ",
                                       " along ",
                                       "\nbody b(mass = ",
                                       "not ",
                                       "if "};
  enum { COUNT = sizeof pieces / sizeof *pieces };
  uint64_t random = 17;
  for (int round = 0; round < 6000; round++) {
    char text[1500] = "";
    int length = (int)((random = hash_mix(random)) % 70);
    for (int i = 0; i < length; i++) strcat(text, pieces[(random = hash_mix(random)) % COUNT]);
    check_text(text, strlen(text), false);
  }
}

/* ---------------------------------------------------------------- depth */

static char *repeat(const char *head, const char *left, const char *middle, const char *right,
                    size_t count) {
  struct text text = {0};
  text_put(&text, head);
  for (size_t i = 0; i < count; i++) text_put(&text, left);
  text_put(&text, middle);
  for (size_t i = 0; i < count; i++) text_put(&text, right);
  text_put(&text, "\n");
  return text_take(&text);
}

static void deep_expressions_are_taken(void **state) {
  (void)state;
  static const struct {
    const char *left, *right;
  } cases[] = {{"(", ")"},
               {"-", ""},
               {"1^", ""},
               {"sin(", ")"},
               {"q[", "]"},
               {"1 + ", ""},
               {"if a then b else ", ""},
               {"(1, ", ")"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = repeat("let a = ", cases[i].left, "x", cases[i].right, 50000);
    check_text(text, strlen(text), true);
    free(text);
  }
}

static void too_deep_expressions_are_an_error(void **state) {
  (void)state;
  char *text = repeat("let a = ", "(", "x", ")", 1100000);
  dyn_context *context = context_new();
  struct ast *ast = parse_text(context, text, strlen(text));
  assert_int_equal(context->diagnostics.error_count, 1);
  assert_int_equal(context->diagnostics.items[0]->code, DIAG_NESTED_TOO_DEEPLY);
  ast_free(ast);
  context_free(context);
  free(text);
}

static void deep_blocks_are_an_error(void **state) {
  (void)state;
  char *text = repeat("", "if a {\n", "let b = 1", "\n}", 10000);
  dyn_context *context = context_new();
  struct ast *ast = parse_text(context, text, strlen(text));
  assert_int_equal(context->diagnostics.error_count, 1);
  assert_int_equal(context->diagnostics.items[0]->code, DIAG_NESTED_TOO_DEEPLY);
  ast_free(ast);
  context_free(context);
  free(text);
}

/* ---------------------------------------------------------------- errors */

static const char *const recoverable =
    "param a = 2 kg\nkinetic 1/2 m*x'^2\nlet b = (1 + \nforce F\nparm c = 3\nconstraint x == 1\n"
    "frame A = world rotatd t about z\nparticle p(3)\nfunction f(x) x\nwhen x = 1 { stop \"s\" }\n";

/* One fault a line is one error a line. */
static void errors_do_not_cascade(void **state) {
  (void)state;
  dyn_context *context = context_new();
  struct ast *ast = parse_text(context, recoverable, strlen(recoverable));
  assert_int_equal(context->diagnostics.error_count, 10);
  uint32_t last_line = 0;
  for (uint32_t line = 1; line <= 10; line++) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < context->diagnostics.count; i++) {
      struct span span = context->diagnostics.items[i]->span;
      found += source_locate(&context->sources, span.source, span.begin).line == line;
    }
    if (found != 1) last_line = line;
  }
  assert_int_equal(last_line, 0);
  ast_free(ast);
  context_free(context);
}

static void contexts_do_not_know_of_each_other(void **state) {
  (void)state;
  dyn_context *one = context_new(), *two = context_new();
  struct ast *first = parse_text(one, recoverable, strlen(recoverable));
  struct ast *second = parse_text(two, "param a = 1\n", 12);
  assert_int_equal(two->diagnostics.error_count, 0);
  assert_int_equal(second->statements.count, 1);
  context_free(two);
  ast_free(second);
  struct text out = {0};
  ast_dump(first, &out);
  assert_true(out.length > 0);
  text_free(&out);
  ast_free(first);
  context_free(one);
}

static void assignments_are_start_statements(void **state) {
  (void)state;
  dyn_context *context = context_new();
  const char *text = "θ=0.3, a[2]'=0.5, rod1.mass=2 [kg]";
  uint32_t source = source_add(&context->sources, "--at", text, strlen(text));
  struct ast *ast = parse_assignments(context, source);
  assert_int_equal(ast->statements.count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(ast->statements.items[i]->kind, AST_START);
    assert_int_equal(ast->statements.items[i]->equations.count, 1);
  }
  const struct ast_equation *equation = &ast->statements.items[1]->equations.items[0];
  assert_int_equal(ast_expression(ast, equation->left)->kind, AST_PRIME);
  assert_int_equal(ast_expression(ast, equation->right)->kind, AST_NUMBER);
  assert_int_equal(equation->span.begin, 8);
  assert_int_equal(equation->span.end, 17);
  ast_free(ast);
  context_free(context);
}

static void brackets_are_not_in_spans(void **state) {
  (void)state;
  dyn_context *context = context_new();
  const char *text = "let a = (b + c)*d";
  struct ast *ast = parse_text(context, text, strlen(text));
  ast_expr product = ast->statements.items[0]->items.items[0].value;
  const struct ast_expression *n = ast_expression(ast, product);
  assert_int_equal(n->span.begin, 8); /* with the bracket of its left side */
  assert_int_equal(n->span.end, 17);
  n = ast_expression(ast, n->operand);
  assert_int_equal(n->span.begin, 9);
  assert_int_equal(n->span.end, 14);
  assert_int_equal(n->name_span.begin, 11);
  ast_free(ast);
  context_free(context);
}

static void large_files_take_linear_memory(void **state) {
  (void)state;
  struct text text = {0};
  for (int i = 0; i < 20000; i++)
    text_format(&text, "param p%d = %d [kg], q%d = 2 ## doc\nlet a%d = p%d*(q%d + 3)^2\n", i, i, i,
                i, i, i);
  check_text(text.bytes, text.length, true);
  text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(models_keep_the_promises),
                                     cmocka_unit_test(random_texts_keep_the_promises),
                                     cmocka_unit_test(deep_expressions_are_taken),
                                     cmocka_unit_test(too_deep_expressions_are_an_error),
                                     cmocka_unit_test(deep_blocks_are_an_error),
                                     cmocka_unit_test(errors_do_not_cascade),
                                     cmocka_unit_test(contexts_do_not_know_of_each_other),
                                     cmocka_unit_test(assignments_are_start_statements),
                                     cmocka_unit_test(brackets_are_not_in_spans),
                                     cmocka_unit_test(large_files_take_linear_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
