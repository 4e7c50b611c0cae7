/* Inference of dimensions from text, and which faults are found: by code, once each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "sema/model.h"
#include "parser/ast.h"

struct analysed {
  dyn_context *context;
  struct model *model;
};

static struct analysed analyse_with(const char *text, const char *set) {
  struct analysed a = {.context = context_new()};
  uint32_t source = source_add(&a.context->sources, "test.dyn", text, strlen(text));
  struct sema_overrides overrides = {.set = {0}};
  if (set != NULL) {
    uint32_t id = source_add(&a.context->sources, "--set", set, strlen(set));
    source_get(&a.context->sources, id)->is_command_line = true;
    vector_push(&overrides.set, id);
  }
  struct ast *ast = parse_model(a.context, source);
  if (a.context->diagnostics.error_count == 0) a.model = sema_analyse(a.context, ast, &overrides);
  ast_free(ast);
  vector_free(&overrides.set);
  return a;
}

static struct analysed analyse(const char *text) {
  return analyse_with(text, NULL);
}

static void finish(struct analysed *a) {
  model_free(a->model);
  context_free(a->context);
}

static void fail_with_reports(struct analysed *a, const char *what) {
  struct text out = {0};
  diagnostics_render_text(a->context, &out, false);
  fail_msg("%s\n%s", what, text_string(&out));
}

/* The unit that `dyn check` prints for a name. */
static void check_unit(struct analysed *a, const char *name, const char *unit, bool inferred) {
  if (a->model == NULL) fail_with_reports(a, "the model is refused");
  for (uint32_t i = 0; i < a->model->dimensions.count; i++) {
    const struct model_dimension_row *row = &a->model->dimensions.items[i];
    if (strcmp(row->name, name) != 0) continue;
    if (strcmp(row->unit, unit) != 0) fail_msg("%s is in %s, not %s", name, row->unit, unit);
    assert_int_equal(row->inferred, inferred);
    return;
  }
  fail_msg("%s has no row", name);
}

static uint32_t count_code(const struct analysed *a, enum diagnostic_code code) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < a->context->diagnostics.count; i++)
    count += a->context->diagnostics.items[i]->code == code;
  return count;
}

/* Errors are exactly `count` of this code. */
static void check_refused(const char *text, enum diagnostic_code code, uint32_t count) {
  struct analysed a = analyse(text);
  if (count_code(&a, code) != count || a.context->diagnostics.error_count != count)
    fail_with_reports(&a, text);
  finish(&a);
}

static void check_accepted(const char *text) {
  struct analysed a = analyse(text);
  if (a.model == NULL) fail_with_reports(&a, text);
  finish(&a);
}

#define HEAD                                                                                       \
  "param m [kg] = 1, l [m] = 1, k [N/m] = 1\ncoord x [m] = 0\nkinetic 1/2*m*x'^2\n"                \
  "potential 1/2*k*(x - l)^2\n"

static void test_inference(void **state) {
  (void)state;
  struct analysed a = analyse("param m = 2 [kg], g = 9.81, k = 100, c = 0.1, L [mm] = 200\n"
                              "param w = sqrt(k/m), r = 3\n"
                              "coord x = 0, θ [deg] = 10\n"
                              "state z = 0\nz' = x - L\n"
                              "input F = 0\n"
                              "let h = L*cos(θ), half = 1/2\n"
                              "kinetic half*m*(x'^2 + L^2*θ'^2)\n"
                              "potential -m*g*h + 1/2*k*x^2\n"
                              "dissipation 1/2*c*x'^2\n"
                              "force F on x\n"
                              "output a = θ', b = x'', e = 1/2*k*x^2, p = product(i in 1..3, i*x)\n"
                              "output s = sum(i in 1..3, i*x)*r\n");
  check_unit(&a, "m", "kg", false);
  check_unit(&a, "L", "m", false);
  check_unit(&a, "g", "m/s^2", true);
  check_unit(&a, "k", "N/m", true);
  check_unit(&a, "c", "N*s/m", true);
  check_unit(&a, "w", "1/s", true);
  check_unit(&a, "x", "m", true);
  check_unit(&a, "z", "m*s", true);
  check_unit(&a, "F", "N", true);
  check_unit(&a, "h", "m", true);
  check_unit(&a, "half", "1", true);
  check_unit(&a, "θ", "rad", false);
  check_unit(&a, "a", "rad/s", true);
  check_unit(&a, "b", "m/s^2", true);
  check_unit(&a, "e", "N*m", true);
  check_unit(&a, "p", "m^3", true);
  assert_false(a.model->is_dimensionless);
  assert_string_equal(a.model->coordinates.items[1].id.unit.declared, "deg");
  finish(&a);
}

/* a = b = c = d*k0 with d a length, and k0*a*b an energy: k0^3 is a stiffness. */
static void test_chains(void **state) {
  (void)state;
  struct analysed a = analyse("param k0 = 1\nlet a = b, b = c, c = d*k0, d = x\ncoord x [m] = 0\n"
                              "kinetic 1/2*m*x'^2\nparam m = 1\n"
                              "potential k0*a*b\n");
  check_unit(&a, "m", "kg", true);
  check_unit(&a, "a", "kg^(1/3)*m/s^(2/3)", true);
  finish(&a);
}

static void test_functions(void **state) {
  (void)state;
  struct analysed a =
      analyse(HEAD "function f(x, e) = x/sqrt(x^2 + e^2)\n"
                   "function twice(x) = f(x, x)*x + 0\n"
                   "let p = f(x', 0.1 [m/s]), q = f(x, l), r = twice(m), s = f(x, 0)\n"
                   "output o = p + q, u = r, v = s\n");
  check_unit(&a, "p", "1", true);
  check_unit(&a, "r", "kg", true);
  finish(&a);
  check_refused(HEAD "function f(x, e) = x/sqrt(x^2 + e^2)\noutput p = f(x, 0.1)\n",
                DIAG_CALL_DIFFERS, 1);
  check_refused(HEAD "function f(x) = x*(1 [m] + 1 [s])\noutput p = f(x), q = f(l)\n",
                DIAG_OPERANDS_DIFFER, 1);
}

static void test_arrays(void **state) {
  (void)state;
  struct analysed a =
      analyse("const n = 3\nparam k [N/m] = 1, m[n] = (1, 2, 3)\ncoord q[n] [m] = 0\n"
              "for i in 1..n {\n  kinetic 1/2*m[i]*q[i]'^2\n"
              "  potential 1/2*k*q[i]^2*i\n}\n");
  check_unit(&a, "m", "kg", true);
  check_unit(&a, "n", "1", true);
  finish(&a);
}

static void test_dimensionless(void **state) {
  (void)state;
  struct analysed a = analyse("param m = 1, l = 2\ncoord θ [deg] = 10, w [rad] = 0\n"
                              "kinetic 1/2*m*l*(θ'^2 + w'^2)\npotential m + l*θ\n"
                              "initial θ' = 2 [rad/s]\nsimulate(until = 10 [s])\n");
  if (a.model == NULL) fail_with_reports(&a, "refused");
  assert_true(a.model->is_dimensionless);
  check_unit(&a, "θ", "rad", false);
  check_unit(&a, "m", "1", true);
  finish(&a);
}

static void test_bare_values(void **state) {
  (void)state;
  check_accepted(HEAD "param a [mm] = 3, w [rad/s] = 2*pi\noutput o = a + l, r = w\n");
  check_accepted(HEAD "start x = 2\nsimulate(until = 10, tolerance = 1e-6)\n");
  check_accepted(HEAD "output o = x + 0, p = (if x > 0 then x else 0)\n");
  struct analysed a = analyse(HEAD "param b [deg] = pi/2\noutput o = b\n");
  assert_int_equal(count_code(&a, DIAG_PI_IN_UNIT), 1);
  finish(&a);
}

static void test_refused(void **state) {
  (void)state;
  check_refused(HEAD "output o = l + 0.2\n", DIAG_OPERANDS_DIFFER, 1);
  check_refused(HEAD "output o = 1 + (l + m)*2 + l + m\n", DIAG_OPERANDS_DIFFER, 1);
  check_refused(HEAD "output o = sin(x)\n", DIAG_NOT_A_NUMBER, 1);
  check_refused(HEAD "param n = 2\noutput o = x^n\n", DIAG_BAD_EXPONENT, 1);
  check_refused(HEAD "output o = max(x, x')\n", DIAG_OPERANDS_DIFFER, 1);
  check_refused(HEAD "output o = (if x < m then 1 else 2)\n", DIAG_OPERANDS_DIFFER, 1);
  check_refused(HEAD "param p [N] = k*l^2\noutput o = p\n", DIAG_VALUE_DIFFERS, 1);
  check_refused(HEAD "potential 1/2*k*x\n", DIAG_ENERGY_DIFFERS, 1);
  check_refused(HEAD "force k on x\n", DIAG_FORCE_DIFFERS, 1);
  check_refused(HEAD "initial x' = l\n", DIAG_SIDES_DIFFER, 1);
  check_refused(HEAD "simulate(until = 2 [m])\n", DIAG_ARGUMENT_DIFFERS, 1);
  check_refused(HEAD "state z [m] = 0\nz' = l\n", DIAG_SIDES_DIFFER, 1);
  check_refused("coord x [m] = 0, x' [m] = 1\nkinetic 1/2*m*x'^2\nparam m = 1\n",
                DIAG_ELEMENTS_DIFFER, 1);
}

/* An inertia that is multiplied by a mass, because a bracket stands in the wrong place. */
static void test_misplaced_bracket(void **state) {
  (void)state;
  struct analysed a =
      analyse("param m2 = 1.4 [kg], l1 = 1 [m], l2 = 0.8 [m], J2 = 0.33 [kg*m^2], c2 = 0.4536\n"
              "coord q [rad] = 0\nlet M12 = m2*(l2^2 + l1*l2*c2 + J2)\nkinetic 1/2*M12*q'^2\n");
  struct text out = {0};
  diagnostics_render_text(a.context, &out, false);
  assert_int_equal(a.context->diagnostics.error_count, 1);
  assert_non_null(strstr(text_string(&out), "test.dyn:3:31: error[E0503]"));
  assert_non_null(strstr(text_string(&out), "l2^2 [m^2]"));
  assert_non_null(strstr(text_string(&out), "J2 [kg*m^2]"));
  assert_non_null(strstr(text_string(&out), "m2*(...) + J2 would fit"));
  text_free(&out);
  finish(&a);
}

static void test_command_line(void **state) {
  (void)state;
  struct analysed a = analyse_with(HEAD, "l=20 [cm], m=3");
  if (a.model == NULL) fail_with_reports(&a, "refused");
  finish(&a);
  a = analyse_with(HEAD, "l=3 [s]");
  assert_int_equal(count_code(&a, DIAG_VALUE_DIFFERS), 1);
  assert_true(diagnostics_blame_command_line(a.context));
  finish(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inference),     cmocka_unit_test(test_functions),
      cmocka_unit_test(test_chains),        cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_dimensionless), cmocka_unit_test(test_bare_values),
      cmocka_unit_test(test_refused),       cmocka_unit_test(test_misplaced_bracket),
      cmocka_unit_test(test_command_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
