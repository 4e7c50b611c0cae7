/* Components and imports written out: the trees that come out, and what their promises are. */
#include "sema/flatten.h"
#include "sema/model.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the headers above first. */
#include <cmocka.h>

struct fixture {
  dyn_context *context;
  struct ast *ast;
  struct flattening *flattening;
};

static struct fixture begin_with(const char *text, const char *library) {
  struct fixture f = {.context = context_new()};
  uint32_t source = source_add(&f.context->sources, "test.dyn", text, strlen(text));
  f.ast = parse_model(f.context, source);
  f.flattening = flatten_model(f.context, f.ast, library);
  return f;
}

static struct fixture begin(const char *text) {
  return begin_with(text, NULL);
}

static void end(struct fixture *f) {
  flatten_free(f->flattening);
  ast_free(f->ast);
  context_free(f->context);
}

static uint32_t count_of(const struct fixture *f, enum diagnostic_code code) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->context->diagnostics.count; i++)
    count += f->context->diagnostics.items[i]->code == code;
  return count;
}

/* ---------------------------------------------------------------- what every flat tree is */

struct census {
  const struct ast *ast;
  uint32_t statements, expressions;
};

/* The nodes from first to e, in postorder, are those of the expression, each once. */
static void check_expression(struct census *c, ast_expr e) {
  if (e == 0) return;
  ast_expr first = ast_expression(c->ast, e)->first, *stack = calloc(e - first + 2, sizeof *stack);
  uint32_t height = 0;
  for (ast_expr at = first; at <= e; at++) {
    const struct ast_expression *n = ast_expression(c->ast, at);
    assert_int_not_equal(n->kind, AST_MEMBER_CALL);
    for (uint32_t i = n->list.count; i-- > 0;)
      assert_int_equal(stack[--height], ast_list_item(c->ast, n->list, i));
    if (n->third != 0) assert_int_equal(stack[--height], n->third);
    if (n->second != 0) assert_int_equal(stack[--height], n->second);
    if (n->operand != 0) assert_int_equal(stack[--height], n->operand);
    stack[height++] = at;
    assert_in_range(n->first, first, at);
    c->expressions++;
  }
  assert_int_equal(height, 1);
  free(stack);
}

static void check_list(struct census *c, struct ast_list list) {
  for (uint32_t i = 0; i < list.count; i++) check_expression(c, ast_list_item(c->ast, list, i));
}

static void check_item(struct census *c, const struct ast_item *item) {
  uint32_t lead = 0;
  for (uint32_t i = 0; i < item->path_count; i++) lead += item->path[i].index_count;
  assert_int_equal(item->lead, lead);
  assert_true(item->indices.count >= lead);
  check_list(c, item->indices);
  check_expression(c, item->value);
}

static void check_block(struct census *c, struct ast_statement *const *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const struct ast_statement *s = items[i];
    c->statements++;
    assert_true(s->kind != AST_COMPONENT && s->kind != AST_INSTANCE && s->kind != AST_IMPORT);
    if (s->label.name != NULL) check_item(c, &s->label);
    for (uint32_t k = 0; k < s->items.count; k++) check_item(c, &s->items.items[k]);
    for (uint32_t k = 0; k < s->equations.count; k++) {
      check_expression(c, s->equations.items[k].left);
      check_expression(c, s->equations.items[k].right);
    }
    for (uint32_t k = 0; k < s->rotations.count; k++) {
      check_expression(c, s->rotations.items[k].angle);
      check_expression(c, s->rotations.items[k].axis);
    }
    check_list(c, s->arguments);
    check_list(c, s->along);
    ast_expr parts[] = {s->value, s->target, s->source, s->left, s->right, s->from, s->to};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) check_expression(c, parts[k]);
    check_block(c, s->body.items, s->body.count);
    check_block(c, s->otherwise.items, s->otherwise.count);
  }
}

static struct census check_flat(const struct fixture *f) {
  struct census c = {.ast = flatten_ast(f->flattening)};
  check_block(&c, c.ast->statements.items, c.ast->statements.count);
  assert_int_equal(c.expressions + 1, c.ast->expressions.count); /* nothing is left over */
  return c;
}

static void assert_dump(const struct fixture *f, const char *expected) {
  struct text text = {0};
  ast_dump(flatten_ast(f->flattening), &text);
  assert_string_equal(text_string(&text), expected);
  text_free(&text);
}

/* ---------------------------------------------------------------- trees */

static void test_flat_already(void **state) {
  (void)state;
  struct fixture f = begin("coord x\nkinetic x'^2\nlet v = world.x\n");
  assert_null(f.flattening);
  end(&f);
}

static void test_names(void **state) {
  (void)state;
  struct fixture f =
      begin("component c(k) {\n  let a = k\n}\nparam m = 2\nc r(k = m)\nlet b = r.a\n");
  assert_dump(&f, "file\n"
                  "  param\n    item m\n      value:\n        number 2\n"
                  "  param\n    item r.k in r/0\n      value:\n        name m\n"
                  "  let\n    item r.a in r/0\n      value:\n        name r.k\n"
                  "  let\n    item b\n      value:\n        name r.a\n");
  check_flat(&f);
  end(&f);
}

static void test_array(void **state) {
  (void)state;
  struct fixture f = begin("component c(k) {\n  let a[1] = k\n}\nlet x = t\nc r[3](k = x)\n"
                           "let b = r[2].a[1]\n");
  assert_dump(&f,
              "file\n"
              "  let\n    item x\n      value:\n        name t\n"
              "  for index of r\n    name index of r\n"
              "    from:\n      number 1\n    to:\n      number 3\n"
              "    body:\n"
              "      let\n        item r.k in r/1\n          index:\n            name index of r\n"
              "          value:\n            name x\n"
              "      let\n        item r.a in r/1\n          index:\n            name index of r\n"
              "            number 1\n          value:\n            index\n              name r.k\n"
              "              name index of r\n"
              "  let\n    item b\n      value:\n        index\n          name r.a\n"
              "          number 2\n          number 1\n");
  check_flat(&f);
  end(&f);
}

/* An index hides a name of the file here, but not from the component. */
static void test_hygiene(void **state) {
  (void)state;
  struct fixture f = begin("const i = 7\ncomponent c(k) {\n  let a = i\n}\n"
                           "for i in 1..2 {\n  c r[i](k = i)\n}\n");
  assert_dump(&f,
              "file\n"
              "  const\n    item i\n      value:\n        number 7\n"
              "  for inner i\n    name inner i\n"
              "    from:\n      number 1\n    to:\n      number 2\n"
              "    body:\n"
              "      param\n        item r.k in r/1\n          index:\n            name inner i\n"
              "          value:\n            name inner i\n"
              "      let\n        item r.a in r/1\n          index:\n            name inner i\n"
              "          value:\n            name i\n");
  assert_int_equal(f.context->diagnostics.error_count, 0);
  end(&f);
}

static const struct ast_statement *find_item(const struct fixture *f, const char *name) {
  const struct ast *ast = flatten_ast(f->flattening);
  for (uint32_t i = 0; i < ast->statements.count; i++)
    for (uint32_t k = 0; k < ast->statements.items[i]->items.count; k++)
      if (strcmp(ast->statements.items[i]->items.items[k].name, name) == 0)
        return ast->statements.items[i];
  return NULL;
}

static void test_formals(void **state) {
  (void)state;
  struct fixture f =
      begin("component c(n, a, b, d = 2*a, e = n) { coord q[n]; let z = a + b + d + e }\n"
            "component pair(n, a) { c left(n = 2*n, a = a, b = a); c right(n = n, a = 1, b = q) }\n"
            "const three = 3\nparam m = 2, w = m^2\ncoord q\nfunction twice(x) = 2*x*m\n"
            "function moving(x) = x*q\n"
            "c r(n = three, a = twice(w), b = q', e = moving(2))\n"
            "pair p(n = 2, a = if m > 1 then sum(i in 1..3, i*m) else pi)\n"
            "c s(n = 1, a = t, b = r.a)\n");
  assert_int_equal(f.context->diagnostics.count, 0);
  assert_int_equal(find_item(&f, "r.n")->kind, AST_CONST);
  assert_int_equal(find_item(&f, "r.a")->kind, AST_PARAM);
  assert_int_equal(find_item(&f, "r.b")->kind, AST_LET);
  assert_int_equal(find_item(&f, "r.d")->kind, AST_PARAM);
  assert_int_equal(find_item(&f, "r.e")->kind, AST_LET);
  assert_int_equal(find_item(&f, "p.n")->kind, AST_CONST);
  assert_int_equal(find_item(&f, "p.a")->kind, AST_PARAM);
  assert_int_equal(find_item(&f, "p.left.n")->kind, AST_CONST);
  assert_int_equal(find_item(&f, "p.left.b")->kind, AST_PARAM);
  assert_int_equal(find_item(&f, "p.left.e")->kind, AST_PARAM);
  assert_int_equal(find_item(&f, "p.right.b")->kind, AST_LET);
  assert_int_equal(find_item(&f, "s.a")->kind, AST_LET);
  assert_int_equal(find_item(&f, "s.d")->kind, AST_LET);
  assert_int_equal(find_item(&f, "s.b")->kind, AST_PARAM);
  check_flat(&f);
  end(&f);
}

/* Frames and bodies are what is given, through any number of instances. */
static void test_references(void **state) {
  (void)state;
  struct fixture f =
      begin("frame A[2] = world\nbody disc(mass = 1, at = origin)\n"
            "component inner(base: frame, b: body) { let v = base.x*b.mass }\n"
            "component outer(base: frame = world, b: body) { inner i(base = base, b = b) }\n"
            "outer o(base = A[2], b = disc)\nouter d(b = disc)\n"
            "outer many[2](base = A[1], b = disc)\n"
            "let w = o.i.base.y, m = o.b.at, u = many[2].base.z\n");
  struct text text = {0};
  ast_dump(flatten_ast(f.flattening), &text);
  assert_non_null(strstr(text_string(&text),
                         "item o.i.v in o/0 i/0\n      value:\n        binary *\n"
                         "          member x\n            index\n              name A\n"
                         "              number 2\n          member mass\n            name disc\n"));
  assert_non_null(strstr(text_string(&text), "item d.i.v in d/0 i/0\n      value:\n"
                                             "        binary *\n          member x\n"
                                             "            name world\n"));
  assert_non_null(strstr(text_string(&text), "item w\n      value:\n        member y\n"
                                             "          index\n            name A\n"));
  assert_non_null(strstr(text_string(&text), "item u\n      value:\n        member z\n"
                                             "          index\n            name A\n"));
  assert_non_null(strstr(text_string(&text), "item m\n      value:\n        member at\n"
                                             "          name disc\n"));
  text_free(&text);
  check_flat(&f);
  end(&f);
}

/* Axes of rotations are those of the frame that is turned, whatever the component calls x. */
static void test_axes(void **state) {
  (void)state;
  struct fixture f = begin("component c(x, base: frame) {\n"
                           "  frame F = base rotated x about x, 2*x about x*base.z\n}\n"
                           "c r(x = t, base = world)\n");
  assert_dump(&f, "file\n"
                  "  let\n    item r.x in r/0\n      value:\n        name t\n"
                  "  frame\n    name r.F in r/0\n    value:\n      name world\n"
                  "    angle:\n      name r.x\n    axis:\n      name x\n"
                  "    angle:\n      binary *\n        number 2\n        name r.x\n"
                  "    axis:\n      binary *\n        name r.x\n        member z\n"
                  "          name world\n");
  end(&f);
}

/* ---------------------------------------------------------------- places */

/* The same fault in many instances is one message, which shows the component and an instance. */
static void test_places(void **state) {
  (void)state;
  struct fixture f = begin("component c(k) {\n  let a = missing + k\n}\n"
                           "component d() { c x(k = 1); c y(k = 2) }\nd u()\nd v()\n");
  assert_int_equal(f.context->diagnostics.count, 1);
  const struct diagnostic *d = f.context->diagnostics.items[0];
  assert_int_equal(d->code, DIAG_UNKNOWN_NAME);
  assert_int_equal(d->span.source, 1);
  assert_int_equal(source_locate(&f.context->sources, 1, d->span.begin).line, 2);
  assert_int_equal(d->labels.count, 2);
  assert_string_equal(d->labels.items[0].caption, "in this instance");
  assert_int_equal(source_locate(&f.context->sources, 1, d->labels.items[0].span.begin).line, 4);
  assert_int_equal(source_locate(&f.context->sources, 1, d->labels.items[1].span.begin).line, 5);
  end(&f);
}

/* A component that nothing uses is looked at all the same; nothing of it is kept. */
static void test_unused(void **state) {
  (void)state;
  struct fixture f =
      begin("component c(k, A: point, base: frame) {\n  let a = missing + k + base.x\n"
            "  d inside(base = base)\n  let b = inside.foo\n}\n"
            "component d(base: frame) { let g = base.z }\ncoord q\n");
  assert_int_equal(count_of(&f, DIAG_UNKNOWN_NAME), 1);
  assert_int_equal(count_of(&f, DIAG_UNKNOWN_INSTANCE_MEMBER), 1);
  assert_int_equal(f.context->diagnostics.count, 2);
  assert_int_equal(check_flat(&f).statements, 1);
  end(&f);
}

/* ---------------------------------------------------------------- limits */

static void test_limits(void **state) {
  (void)state;
  struct text text = {0};
  for (int i = 0; i < 40; i++)
    text_format(&text, "component c%d() { c%d x(); c%d y(); c%d z() }\n", i, i + 1, i + 1, i + 1);
  text_put(&text, "component c40() { let a = 1 }\nc0 all()\n");
  struct fixture f = begin(text_string(&text));
  assert_int_equal(count_of(&f, DIAG_MODEL_TOO_LARGE), 1);
  assert_null(flatten_ast(f.flattening));
  end(&f);
  text_free(&text);

  struct text deep = {0};
  for (int i = 0; i < 100; i++) text_format(&deep, "component c%d() { c%d x() }\n", i, i + 1);
  text_put(&deep, "component c100() { let a = 1 }\nc1 whole()\nlet b = whole");
  for (int i = 0; i < 99; i++) text_put(&deep, ".x");
  text_put(&deep, ".a\n");
  f = begin(text_string(&deep));
  assert_int_equal(count_of(&f, DIAG_MODEL_TOO_LARGE), 1); /* c0, which nothing uses */
  end(&f);
  text_free(&deep);
}

static void test_rings(void **state) {
  (void)state;
  struct fixture f =
      begin("component a() { b x() }\ncomponent b() { a x() }\na r()\nlet z = r.x.x.y\n");
  assert_int_equal(f.context->diagnostics.count, 1);
  assert_int_equal(count_of(&f, DIAG_COMPONENT_RECURSION), 1);
  check_flat(&f);
  end(&f);
  f = begin("component c(m) { let a = m }\nc a(m = b.m)\nc b(m = a.m)\n");
  assert_int_equal(f.context->diagnostics.count, 0); /* a ring of definitions, seen later */
  check_flat(&f);
  end(&f);
}

/* ---------------------------------------------------------------- assignments */

static void test_assignments(void **state) {
  (void)state;
  struct fixture f = begin("component c(k) { coord q[2] }\nc r[2](k = 1)\nparam m = 2\n");
  const char *given = "r[2].q[1] = r[1].k*m, nothing.q = 2, r[1].q[2]' = 1";
  uint32_t source = source_add(&f.context->sources, "--start", given, strlen(given));
  struct ast *written = parse_assignments(f.context, source);
  struct ast *flat = flatten_assignments(f.flattening, written);
  struct text text = {0};
  ast_dump(flat, &text);
  assert_string_equal(
      text_string(&text),
      "file\n"
      "  start\n    left:\n      index\n        name r.q\n        number 2\n        number 1\n"
      "    right:\n      binary *\n        index\n          name r.k\n          number 1\n"
      "        name m\n"
      "  start\n    left:\n      error\n    right:\n      number 2\n"
      "  start\n    left:\n      prime 1\n        index\n          name r.q\n          number 1\n"
      "          number 2\n    right:\n      number 1\n");
  assert_int_equal(f.context->diagnostics.error_count, 0);
  text_free(&text);
  ast_free(flat);
  ast_free(written);
  end(&f);
}

/* ---------------------------------------------------------------- imports */

static void write_file(const char *folder, const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void remove_file(const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  remove(path);
}

/* A directory in the place of the standard library; files under several names are one. */
static void test_library(void **state) {
  (void)state;
  char folder[] = "/tmp/dyn-flatten-XXXXXX";
  assert_non_null(mkdtemp(folder));
  write_file(folder, "springs.dyn",
             "import \"more.dyn\"\nimport more as again\n"
             "const a = b + again.b\nparam unused = 3\n");
  write_file(folder, "more.dyn", "const b = 2\n");
  struct fixture f = begin_with("import springs\nimport more\nimport more as m\n"
                                "let c = a + b + m.b\n",
                                folder);
  assert_int_equal(f.context->diagnostics.count, 0);
  assert_dump(&f, "file\n"
                  "  const\n    item a\n      value:\n        binary +\n          name b\n"
                  "          name b\n"
                  "  const\n    item b\n      value:\n        number 2\n"
                  "  let\n    item c\n      value:\n        binary +\n          binary +\n"
                  "            name a\n            name b\n          name b\n");
  check_flat(&f);
  end(&f);
  f = begin_with("import sprigs\nimport constants\n", folder);
  assert_int_equal(count_of(&f, DIAG_CANNOT_IMPORT), 2);
  assert_string_equal(f.context->diagnostics.items[0]->helps.items[0], "did you mean 'springs'?");
  end(&f);
  remove_file(folder, "springs.dyn");
  remove_file(folder, "more.dyn");
  rmdir(folder);
}

static void test_built_in(void **state) {
  (void)state;
  struct fixture f = begin("import constants as nature\nlet g = nature.standard_gravity\n");
  assert_int_equal(f.context->diagnostics.count, 0);
  assert_non_null(find_item(&f, "nature.standard_gravity"));
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flat_already), cmocka_unit_test(test_names),
      cmocka_unit_test(test_array),        cmocka_unit_test(test_hygiene),
      cmocka_unit_test(test_formals),      cmocka_unit_test(test_references),
      cmocka_unit_test(test_axes),         cmocka_unit_test(test_places),
      cmocka_unit_test(test_unused),       cmocka_unit_test(test_limits),
      cmocka_unit_test(test_rings),        cmocka_unit_test(test_assignments),
      cmocka_unit_test(test_library),      cmocka_unit_test(test_built_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
