/* What names, members, tuples and axes in a text refer to, and which faults name resolution finds:
 * by code, once each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "parser/ast.h"
#include "sema/scope.h"

struct resolved {
  dyn_context *context;
  struct ast *ast;
  struct scope *scope;
};

static struct resolved resolve(const char *text) {
  struct resolved r = {.context = context_new()};
  uint32_t source = source_add(&r.context->sources, "test.dyn", text, strlen(text));
  r.ast = parse_model(r.context, source);
  r.scope = scope_build(r.context, r.ast);
  return r;
}

static void finish(struct resolved *r) {
  scope_free(r->scope);
  ast_free(r->ast);
  context_free(r->context);
}

static void fail_with_reports(struct resolved *r, const char *what) {
  struct text out = {0};
  diagnostics_render_text(r->context, &out, false);
  fail_msg("%s\n%s", what, text_string(&out));
}

static struct resolved resolve_right(const char *text) {
  struct resolved r = resolve(text);
  if (r.context->diagnostics.error_count != 0) fail_with_reports(&r, text);
  return r;
}

/* Errors are exactly `count` of this code. */
static void check_refused(const char *text, enum diagnostic_code code, uint32_t count) {
  struct resolved r = resolve(text);
  uint32_t found = 0;
  for (uint32_t i = 0; i < r.context->diagnostics.count; i++)
    found += r.context->diagnostics.items[i]->code == code;
  if (found != count || r.context->diagnostics.error_count != count) fail_with_reports(&r, text);
  finish(&r);
}

/* A model to which lines are added. */
#define BASE                                                                                       \
  "param m, l\n"                                                                                   \
  "coord x, y, θ\n"                                                                               \
  "frame A = world rotated θ about z\n"                                                           \
  "frame E = A oriented (1, 0, 0, 0)\n"                                                            \
  "frame F[0] = world\n"                                                                           \
  "point P = (x, y), R[0] = origin\n"                                                              \
  "particle bob(mass = m, at = P)\n"                                                               \
  "body disc(mass = m, at = P, frame = A, inertia = (l, l, l))\n"                                  \
  "constraint pin: P = origin\n"                                                                   \
  "constraint slip: vel_on(disc, P) = 0 along A.x, A.y\n"                                          \
  "constraint one: vel(P) = 0 along A.x\n"                                                         \
  "for i in 1..2 { constraint close[i]: P = origin along A.x, A.y }\n"

static void check_base_refused(const char *line, enum diagnostic_code code, uint32_t count) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s\n", BASE, line);
  check_refused(text, code, count);
}

static void check_base_accepted(const char *line) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s\n", BASE, line);
  struct resolved r = resolve_right(text);
  finish(&r);
}

/* ---------------------------------------------------------------- what nodes mean */

static ast_expr value_of(const struct resolved *r, const char *name) {
  const struct name_entry *entry = scope_find(r->scope, intern_string(&r->context->names, name));
  assert_non_null(entry);
  return r->scope->sites.items[entry->first_site].item->value;
}

static void test_members(void **state) {
  (void)state;
  struct resolved r =
      resolve_right(BASE "let a = P.y, b = disc.inertia, c = F[0].z, d = disc.at.x\n");
  assert_int_equal(scope_member_of(&r.scope->model, value_of(&r, "a")), MEMBER_Y);
  assert_int_equal(scope_member_of(&r.scope->model, value_of(&r, "b")), MEMBER_INERTIA);
  assert_int_equal(scope_member_of(&r.scope->model, value_of(&r, "c")), MEMBER_Z);
  ast_expr d = value_of(&r, "d"), at = ast_expression(r.ast, d)->operand;
  assert_int_equal(scope_member_of(&r.scope->model, d), MEMBER_X);
  assert_int_equal(scope_member_of(&r.scope->model, at), MEMBER_AT);
  uint32_t id = scope_entry_of(&r.scope->model, ast_expression(r.ast, at)->operand);
  assert_int_equal(scope_entry(r.scope, id)->kind, NAME_BODY);
  finish(&r);
}

/* Behind `about` x, y, z alone are axes, whatever else the model calls so; in an expression they are
 * names like others. */
static void test_axes(void **state) {
  (void)state;
  struct resolved r = resolve_right("coord x, y\nframe A = world rotated x about y, y about z\n");
  const struct ast_statement *frame = r.ast->statements.items[1];
  const struct ast_rotation *turns = frame->rotations.items;
  assert_int_equal(scope_axis_of(&r.scope->model, turns[0].axis), 1);
  assert_int_equal(scope_entry_of(&r.scope->model, turns[0].axis), 0);
  assert_int_equal(scope_axis_of(&r.scope->model, turns[1].axis), 2);
  assert_int_equal(scope_axis_of(&r.scope->model, turns[1].angle), -1);
  uint32_t id = scope_entry_of(&r.scope->model, turns[1].angle);
  assert_string_equal(scope_entry(r.scope, id)->name, "y");
  finish(&r);
  check_refused("coord x, y\nframe A = world rotated x about -z\n", DIAG_UNKNOWN_NAME, 1);
}

static void test_arguments(void **state) {
  (void)state;
  struct resolved r = resolve_right("param m, I\nbody b(at = origin, inertia = I, mass = m)\n");
  const struct ast_statement *body = r.ast->statements.items[1];
  ast_expr mass = scope_body_argument(r.ast, body, BODY_MASS);
  assert_string_equal(ast_expression(r.ast, mass)->name, "m");
  assert_int_equal(scope_body_argument(r.ast, body, BODY_FRAME), 0);
  finish(&r);
}

/* Axes count as the last index of a constraint. */
static void test_ranks(void **state) {
  (void)state;
  struct resolved r = resolve_right(BASE);
  static const struct {
    const char *name;
    uint32_t rank;
    bool has_axes;
  } rows[] = {{"pin", 0, false},  {"slip", 1, true}, {"one", 0, false},
              {"close", 2, true}, {"F", 1, false},   {"R", 1, false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct name_entry *entry =
        scope_find(r.scope, intern_string(&r.context->names, rows[i].name));
    assert_int_equal(entry->rank, rows[i].rank);
    assert_int_equal(entry->has_axes, rows[i].has_axes);
  }
  finish(&r);
}

static void test_elements_of_points(void **state) {
  (void)state;
  struct resolved r = resolve_right("point P[1] = (1, 2)\npoint Q[2] = ((0, 0), (1, 0))\n");
  const struct name_entry *p = scope_find(r.scope, intern_string(&r.context->names, "P"));
  const struct name_entry *q = scope_find(r.scope, intern_string(&r.context->names, "Q"));
  assert_true(r.scope->sites.items[p->first_site].is_element);
  assert_false(r.scope->sites.items[q->first_site].is_element);
  finish(&r);
}

/* ---------------------------------------------------------------- what is accepted */

static void test_accepted(void **state) {
  (void)state;
  check_base_accepted("let v = (1, 2, 3) in A, w = (x, y, 0) in disc.frame, u = (1, 2, 3) in F[0]");
  check_base_accepted("let v = vel(P, A) + vel_on(disc, P), a = acc(P), w = omega(disc, A)");
  check_base_accepted("let s = dot(world.x, A.x), c = cross(world.x, P - origin), n = norm(c)");
  check_base_accepted(
      "output a = alpha(disc), u = unit(A.x), c = components(A.x, E), d = der(A.x, E)");
  check_base_accepted("output a = multiplier(pin.x), b = multiplier(slip[2]), c = multiplier(one)");
  check_base_accepted(
      "output a = multiplier(close[1, 2]), b = reaction(close[2]), c = reaction(slip)");
  check_base_accepted("output a = multiplier(E.norm)");
  check_base_accepted("force x*world.x at P from (x, 0)\ntorque A.z on disc from world");
  check_base_accepted("frame G[i in 1..3] = world rotated i*θ about z at R[0]");
  check_base_accepted("function f(Q, B) = vel_on(B, Q).x\noutput a = f(P, disc)");
  check_base_accepted("initial vel(P) = 0, P.x = 1\noutput tip = P");
}

/* ---------------------------------------------------------------- faults */

static void test_members_refused(void **state) {
  (void)state;
  check_base_refused("let a = P.mass", DIAG_NO_MEMBERS, 1);
  check_base_refused("let a = x.y", DIAG_NO_MEMBERS, 1);
  check_base_refused("let a = bob.x, b = bob.inertia", DIAG_NO_MEMBERS, 2);
  check_base_refused("let a = world.w", DIAG_NO_MEMBERS, 1);
  check_base_refused("let a = E.norm", DIAG_NO_MEMBERS, 1);
  check_base_refused("let a = (P - origin).length", DIAG_UNKNOWN_MEMBER, 1);
  check_base_refused("let a = Pw.x.y.z", DIAG_UNKNOWN_NAME, 1);
  check_base_refused("let a = P.vel()", DIAG_MEMBER_CALLED, 1);
  check_base_refused("let a = pin.x", DIAG_NAME_WITHOUT_VALUE, 1);
  check_base_refused("let a = disc.at[1]", DIAG_NOT_AN_ARRAY, 1);
  check_base_refused("let a = world[1]", DIAG_NOT_AN_ARRAY, 1);
  check_base_refused("let a = F.x", DIAG_MISSING_INDEX, 1);
}

static void test_constraints_refused(void **state) {
  (void)state;
  check_base_refused("output a = multiplier(slip)", DIAG_MISSING_INDEX, 1);
  check_base_refused("output a = multiplier(close[1])", DIAG_INDEX_COUNT, 1);
  check_base_refused("output a = reaction(close)", DIAG_MISSING_INDEX, 1);
  check_base_refused("output a = reaction(slip[1])", DIAG_NOT_AN_ARRAY, 1);
  check_base_refused("output a = reaction(pin.x)", DIAG_NOT_A_CONSTRAINT, 1);
  check_base_refused("output a = multiplier(pin.w)", DIAG_NOT_A_CONSTRAINT, 1);
  check_base_refused("output a = multiplier(A.norm)", DIAG_NOT_A_CONSTRAINT, 1);
  check_base_refused("output a = multiplier(P.x)", DIAG_NOT_A_CONSTRAINT, 1);
  check_base_refused("output a = reaction(nothing)", DIAG_NOT_A_CONSTRAINT, 1);
}

static void test_tuples_refused(void **state) {
  (void)state;
  check_base_refused("let v = (1, 2, 3)", DIAG_BARE_TUPLE, 1);
  check_base_refused("param p = (1, 2)", DIAG_BARE_TUPLE, 1);
  check_base_refused("force (1, 2, 3) at P", DIAG_BARE_TUPLE, 1);
  check_base_refused("let v = (1, 2) in A", DIAG_ENTRY_COUNT, 1);
  check_base_refused("frame C = world oriented (1, 0, 0)", DIAG_ENTRY_COUNT, 1);
  check_base_refused("body b(mass = m, at = P, inertia = (1, 2))", DIAG_ENTRY_COUNT, 1);
  check_base_refused("point Q [mm] = (1, 2)", DIAG_POINT_WITH_UNIT, 1);
}

static void test_arguments_refused(void **state) {
  (void)state;
  check_base_refused("particle b(mass = m)", DIAG_BODY_ARGUMENT_MISSING, 1);
  check_base_refused("particle b()", DIAG_BODY_ARGUMENT_MISSING, 1);
  check_base_refused("particle b(mas = m, at = P)", DIAG_UNKNOWN_BODY_ARGUMENT, 1);
  check_base_refused("particle b(mass = m, at = P, inertia = 2)", DIAG_UNKNOWN_BODY_ARGUMENT, 1);
  check_base_refused("body b(mass = m, at = P, at = P)", DIAG_BODY_ARGUMENT_TWICE, 1);
  check_base_refused("body b(mass = m, at = P, about = origin)", DIAG_BODY_ARGUMENT_MISSING, 1);
  check_base_refused("body b(m, at = P)", DIAG_NAMED_ARGUMENT_NEEDED, 1);
}

static void test_calls_refused(void **state) {
  (void)state;
  check_base_refused("let a = vel()", DIAG_ARGUMENT_COUNT, 1);
  check_base_refused("let a = acc(P, A)", DIAG_ARGUMENT_COUNT, 1);
  check_base_refused("let a = vell(P)", DIAG_UNKNOWN_FUNCTION, 1);
  check_base_refused("frame G[1..3] = world", DIAG_EXPRESSION_NOT_SUPPORTED, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_members),
      cmocka_unit_test(test_axes),
      cmocka_unit_test(test_arguments),
      cmocka_unit_test(test_ranks),
      cmocka_unit_test(test_elements_of_points),
      cmocka_unit_test(test_accepted),
      cmocka_unit_test(test_members_refused),
      cmocka_unit_test(test_constraints_refused),
      cmocka_unit_test(test_tuples_refused),
      cmocka_unit_test(test_arguments_refused),
      cmocka_unit_test(test_calls_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
