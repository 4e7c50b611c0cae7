/* Dimensions of vectors, points, frames and bodies, found from the text alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "parser/ast.h"
#include "sema/dimension.h"

struct checked {
  dyn_context *context;
  struct ast *ast;
  struct scope *scope;
  struct dimension_table *table;
};

static struct checked check(const char *text) {
  struct checked c = {.context = context_new()};
  uint32_t source = source_add(&c.context->sources, "test.dyn", text, strlen(text));
  c.ast = parse_model(c.context, source);
  c.scope = scope_build(c.context, c.ast);
  c.table = dimension_check(c.scope);
  return c;
}

static void finish(struct checked *c) {
  dimension_table_free(c->table);
  scope_free(c->scope);
  ast_free(c->ast);
  context_free(c->context);
}

static void fail_with_reports(struct checked *c, const char *what) {
  struct text out = {0};
  diagnostics_render_text(c->context, &out, false);
  fail_msg("%s\n%s", what, text_string(&out));
}

#define BASE                                                                                       \
  "param m [kg], l [m]\n"                                                                          \
  "coord x, y, θ, s\n"                                                                            \
  "frame A = world rotated θ about z at P\n"                                                      \
  "frame E = world oriented (e0, e1, e2, e3)\n"                                                    \
  "coord e0, e1, e2, e3\n"                                                                         \
  "point P = (x, y), Q = P + s*A.x\n"                                                              \
  "body disc(mass = m, at = Q, frame = A, inertia = J)\n"                                          \
  "param J\n"                                                                                      \
  "constraint pin: P = Q\n"                                                                        \
  "constraint slip: vel_on(disc, P) = 0 along A.x, A.y\n"

static void check_unit(struct checked *c, const char *name, const char *unit) {
  uint32_t id =
      map_get(&c->scope->by_name, (uint64_t)(uintptr_t)intern_string(&c->context->names, name));
  if (c->context->diagnostics.error_count > 0) fail_with_reports(c, name);
  assert_int_not_equal(id, 0);
  struct unit found = dimension_of_name(c->table, id, 0);
  if (strcmp(found.si, unit) != 0) fail_msg("%s is in %s, not %s", name, found.si, unit);
}

/* The unit of an expression in the model BASE. */
static void check_value(const char *expression, const char *unit) {
  char text[2000];
  snprintf(text, sizeof text, "%slet value = %s\n", BASE, expression);
  struct checked c = check(text);
  check_unit(&c, "value", unit);
  finish(&c);
}

static void check_refused(const char *line, enum diagnostic_code code) {
  char text[2000];
  uint32_t found = 0;
  snprintf(text, sizeof text, "%s%s\n", BASE, line);
  struct checked c = check(text);
  for (uint32_t i = 0; i < c.context->diagnostics.count; i++)
    found += c.context->diagnostics.items[i]->code == code;
  if (found != 1 || c.context->diagnostics.error_count != 1) fail_with_reports(&c, line);
  finish(&c);
}

static void check_accepted(const char *line) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s\n", BASE, line);
  struct checked c = check(text);
  if (c.context->diagnostics.error_count != 0) fail_with_reports(&c, line);
  finish(&c);
}

/* ---------------------------------------------------------------- inference */

static void test_points_are_lengths(void **state) {
  (void)state;
  struct checked c = check(BASE);
  check_unit(&c, "x", "m");
  check_unit(&c, "s", "m");
  check_unit(&c, "θ", "1");
  check_unit(&c, "e0", "1");
  check_unit(&c, "P", "m");
  check_unit(&c, "J", "kg*m^2");
  finish(&c);
}

static void test_loads(void **state) {
  (void)state;
  struct checked c = check(BASE "param k, c, b, g, f, τ\n"
                                "force -k*(P - Q) at P from Q\n"
                                "force -c*vel(P) at P\n"
                                "force (f, 0, 0) in A at P\n"
                                "torque -b*omega(disc) on disc\n"
                                "torque τ*A.z on A from world\n"
                                "gravity (0, -g, 0) in world\n");
  check_unit(&c, "k", "N/m");
  check_unit(&c, "c", "N*s/m");
  check_unit(&c, "f", "N");
  check_unit(&c, "b", "N*m*s");
  check_unit(&c, "τ", "N*m");
  check_unit(&c, "g", "m/s^2");
  finish(&c);
}

static void test_functions(void **state) {
  (void)state;
  check_value("vel(P)", "m/s");
  check_value("vel(P, A)", "m/s");
  check_value("P'", "m/s");
  check_value("vel_on(disc, P)", "m/s");
  check_value("acc(P)", "m/s^2");
  check_value("omega(disc)", "rad/s");
  check_value("omega(disc, A).z", "rad/s");
  check_value("alpha(disc)", "rad/s^2");
  check_value("dot(P - Q, vel(P))", "m^2/s");
  check_value("cross(P - Q, m*vel(P))", "N*m*s");
  check_value("norm(P - Q)", "m");
  check_value("unit(P - Q)", "1");
  check_value("components(vel(P), A)", "m/s");
  check_value("der(vel(P), A)", "m/s^2");
}

static void test_members(void **state) {
  (void)state;
  check_value("P.x", "m");
  check_value("vel(P).y", "m/s");
  check_value("A.x", "1");
  check_value("disc.x", "1");
  check_value("disc.frame.z", "1");
  check_value("disc.mass", "kg");
  check_value("disc.at", "m");
  check_value("disc.at.x", "m");
  check_value("disc.inertia", "kg*m^2");
  check_value("(1, 2, 3) [N] in A", "N");
  check_value("(l, 0, x) in disc.frame", "m");
}

static void test_multipliers(void **state) {
  (void)state;
  check_value("multiplier(pin.x)", "N");
  check_value("reaction(pin)", "N");
  check_value("multiplier(slip[2])", "N");
  check_value("reaction(slip)", "N");
  check_value("multiplier(E.norm)", "N*m");
}

/* Frames and points go through functions and names. */
static void test_polymorphism(void **state) {
  (void)state;
  check_value("middle(P, Q).x + middle(x, y)\nfunction middle(a, b) = a + 0.5*(b - a)", "m");
  check_value("touch(disc, P)\nfunction touch(B, R) = vel_on(B, R)", "m/s");
  check_value("l*B.x\nlet B = A", "m");
  check_value(
      "F[1].x*l\nframe F[0] = world\nfor i in 1..2 { frame F[i] = F[i-1] rotated θ about x }", "m");
}

static void test_dimensionless(void **state) {
  (void)state;
  struct checked c = check("coord x, y, θ [deg]\nframe A = world rotated θ about z\n"
                           "point P = (x, y)\nparticle b(mass = 2, at = P)\n"
                           "gravity -world.y\nforce 2*A.x at P\n");
  check_unit(&c, "x", "1");
  check_unit(&c, "P", "1");
  finish(&c);
}

/* ---------------------------------------------------------------- faults */

static void test_refused(void **state) {
  (void)state;
  check_refused("point R = P + l^2*A.x", DIAG_OPERANDS_DIFFER);
  check_refused("point R = P + (1, 2, 3) in A", DIAG_OPERANDS_DIFFER);
  check_refused("point R = (θ, l)", DIAG_VALUE_DIFFERS);
  check_refused("let v [m/s] = (1, 2, 3) in A", DIAG_VALUE_DIFFERS);
  check_refused("let v = (l, 0, θ) in A", DIAG_OPERANDS_DIFFER);
  check_refused("frame B = A rotated l about z", DIAG_NOT_A_NUMBER);
  check_refused("frame B = A oriented (l, 0, 0, 0)", DIAG_NOT_A_NUMBER);
  check_refused("frame B = A at m*P", DIAG_ARGUMENT_DIFFERS);
  check_refused("particle b(mass = 2, at = P)", DIAG_ARGUMENT_DIFFERS);
  check_refused("particle b(mass = m, at = vel(P))", DIAG_ARGUMENT_DIFFERS);
  check_refused("body b(mass = m, at = P, inertia = (J, m*l, J))", DIAG_ARGUMENT_DIFFERS);
  check_refused("body b(mass = m, at = P, inertia = J, about = m*P)", DIAG_ARGUMENT_DIFFERS);
  check_refused("gravity -m*9.81 [m/s^2]*world.y", DIAG_LOAD_DIFFERS);
  check_refused("force 2*world.x at P", DIAG_LOAD_DIFFERS);
  check_refused("force 2 [N]*world.x at 2*m*P", DIAG_ARGUMENT_DIFFERS);
  check_refused("torque 2 [N]*A.z on A", DIAG_LOAD_DIFFERS);
  check_refused("constraint c: vel(P) = P", DIAG_SIDES_DIFFER);
  check_refused("constraint c: vel(P) = 0 along P - Q", DIAG_NOT_A_NUMBER);
  check_refused("initial vel(P) = x", DIAG_SIDES_DIFFER);
}

static void test_accepted(void **state) {
  (void)state;
  check_accepted("point R = (1, 2), S = (1, 2) [mm]");
  check_accepted("constraint c: vel(P) = 0 along unit(P - Q)");
  check_accepted("initial vel(P) = 0\nforce 0 at P\ntorque 0 on A");
  check_accepted("frame B = A rotated 0.3 about P - Q, 20 [deg] about z");
  check_accepted("body b(mass = 1 [kg], at = P, inertia = (0, 0, J, 0, 0, 0))");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_points_are_lengths), cmocka_unit_test(test_loads),
      cmocka_unit_test(test_functions),          cmocka_unit_test(test_members),
      cmocka_unit_test(test_multipliers),        cmocka_unit_test(test_polymorphism),
      cmocka_unit_test(test_dimensionless),      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
