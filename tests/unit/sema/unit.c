/* The table of units against exact values, evaluation of brackets, and texts that read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "sema/unit.h"
#include "sema/unit_table.h"

static dyn_context *context;

static int setup(void **state) {
  (void)state;
  context = context_new();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  context_free(context);
  return 0;
}

/* The unit of `param x [text] = 1`. */
static bool read_unit(const char *text, struct unit *out) {
  char model[400];
  snprintf(model, sizeof model, "param x [%s] = 1\n", text);
  uint32_t source = source_add(&context->sources, "test", model, strlen(model));
  struct ast *ast = parse_model(context, source);
  assert_int_equal(ast->statements.count, 1);
  const struct ast_unit *unit = ast->statements.items[0]->items.items[0].unit;
  assert_non_null(unit);
  bool good = unit_evaluate(context, unit, out);
  ast_free(ast);
  return good;
}

static struct unit unit_of(const char *text) {
  struct unit unit;
  if (!read_unit(text, &unit)) fail_msg("[%s] is refused", text);
  return unit;
}

static void check_scale(const char *text, const char *factor, int pi_power, const char *si) {
  struct unit unit = unit_of(text);
  if (strcmp(unit.factor, factor) != 0) fail_msg("[%s] is %s, not %s", text, unit.factor, factor);
  assert_int_equal(unit.pi_power.numerator, pi_power);
  assert_int_equal(unit.pi_power.denominator, 1);
  if (strcmp(unit.si, si) != 0) fail_msg("[%s] is in %s, not %s", text, unit.si, si);
}

static void test_scales(void **state) {
  (void)state;
  check_scale("kg", "1", 0, "kg");
  check_scale("g", "1/1000", 0, "kg");
  check_scale("mm", "1/1000", 0, "m");
  check_scale("µm", "1/1000000", 0, "m");
  check_scale("μm", "1/1000000", 0, "m");
  check_scale("um", "1/1000000", 0, "m");
  check_scale("dam", "10", 0, "m");
  check_scale("qm", "1/1000000000000000000000000000000", 0, "m");
  check_scale("Qm", "1000000000000000000000000000000", 0, "m");
  check_scale("km/h", "5/18", 0, "m/s");
  check_scale("kn", "463/900", 0, "m/s");
  check_scale("mph", "1397/3125", 0, "m/s");
  check_scale("in", "127/5000", 0, "m");
  check_scale("lb", "45359237/100000000", 0, "kg");
  check_scale("lbf", "8896443230521/2000000000000", 0, "N");
  check_scale("slug", "8896443230521/609600000000", 0, "kg");
  check_scale("psi", "8896443230521/1290320000", 0, "Pa");
  check_scale("kgf", "196133/20000", 0, "N");
  check_scale("hp", "37284993579113511/50000000000000", 0, "W");
  check_scale("bar", "100000", 0, "Pa");
  check_scale("atm", "101325", 0, "Pa");
  check_scale("t", "1000", 0, "kg");
  check_scale("L", "1/1000", 0, "m^3");
  check_scale("eV", "801088317/5000000000000000000000000000", 0, "N*m");
  check_scale("kW*h", "3600000", 0, "N*m");
  check_scale("min", "60", 0, "s");
}

static void test_angles(void **state) {
  (void)state;
  check_scale("rad", "1", 0, "rad");
  check_scale("deg", "1/180", 1, "rad");
  check_scale("°", "1/180", 1, "rad");
  check_scale("deg/s", "1/180", 1, "rad/s");
  check_scale("rpm", "1/30", 1, "rad/s");
  check_scale("rev/min", "1/30", 1, "rad/s");
  check_scale("rev", "2", 1, "rad");
  check_scale("arcmin", "1/10800", 1, "rad");
  check_scale("arcsec", "1/648000", 1, "rad");
  check_scale("N*m/deg", "180", -1, "N*m/rad");
  check_scale("deg^2", "1/32400", 2, "rad^2");
  struct unit degree = unit_of("deg");
  assert_true(dimension_is_pure(&degree.dimension));
}

/* Coherent units stay as written. */
static void test_coherent(void **state) {
  (void)state;
  static const char *const texts[] = {"N*s/m", "J",   "kg*m^2/s^2", "rad/s",     "1",
                                      "V*s",   "ohm", "Pa*m^(1/2)", "1/(m*s^2)", "rad*s"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct unit unit = unit_of(texts[i]);
    assert_true(unit_is_coherent(&unit));
    assert_string_equal(unit.si, texts[i]);
  }
  assert_string_equal(unit_of("N * m").si, "N*m");
  assert_string_equal(unit_of("mm/mm").si, "1");
}

static void test_roots(void **state) {
  (void)state;
  struct unit unit = unit_of("mm^(1/2)");
  assert_int_equal(unit.root_count, 1);
  assert_string_equal(unit.roots[0].factor, "1/1000");
  struct expr_graph *graph = expr_graph_new(0);
  expr scale = unit_scale_expr(graph, &unit);
  expr twice = expr_multiply(graph, scale, scale);
  assert_int_equal(twice, expr_ratio(graph, 1, 1000));
  struct unit degree = unit_of("deg");
  assert_int_equal(unit_scale_expr(graph, &degree),
                   expr_divide(graph, expr_pi(graph), expr_integer(graph, 180)));
  expr_graph_free(graph);
}

/* Every text of a dimension reads back as that dimension. */
static void test_round_trip(void **state) {
  (void)state;
  unsigned seed = 7;
  for (int i = 0; i < 300; i++) {
    struct dimension dimension = dimension_pure();
    for (int k = 0; k < UNIT_BASE_COUNT; k++) {
      seed = seed * 1103515245u + 12345u;
      int value = (int)(seed >> 16) % 7 - 3, divisor = (seed >> 24) % 8 == 0 ? 2 : 1;
      if (k > 2 && i % 2 == 0) value = 0;
      assert_true(rational_make(value, divisor, &dimension.exponent[k]));
    }
    const char *text = dimension_text(&context->arena, &dimension, rational_integer(i % 3 - 1));
    struct unit unit = unit_of(text);
    if (!dimension_equal(&unit.dimension, &dimension)) fail_msg("%s reads back wrongly", text);
    assert_true(unit_is_coherent(&unit));
    assert_int_equal(unit.angle.numerator, i % 3 - 1);
  }
}

static void test_derivatives(void **state) {
  (void)state;
  struct unit metre = unit_of("m"), degree = unit_of("deg"), rate = unit_of("rad/s");
  assert_string_equal(unit_derivative(context, &metre, 1).si, "m/s");
  assert_string_equal(unit_derivative(context, &metre, 2).si, "m/s^2");
  assert_string_equal(unit_derivative(context, &degree, 1).text, "deg/s");
  assert_string_equal(unit_derivative(context, &degree, 2).si, "rad/s^2");
  assert_string_equal(unit_derivative(context, &rate, 1).si, "rad/s^2");
}

static void check_hint(const char *name, const char *meant) {
  struct unit_name found;
  assert_false(unit_find(name, &found));
  const char *hint = unit_suggest(&context->arena, name);
  if (hint == NULL || strcmp(hint, meant) != 0)
    fail_msg("%s: hint %s instead of %s", name, hint != NULL ? hint : "none", meant);
}

static void test_hints(void **state) {
  (void)state;
  check_hint("KG", "kg");
  check_hint("Kg", "kg");
  check_hint("Newton", "N");
  check_hint("newtons", "N");
  check_hint("Nm", "N*m");
  check_hint("sec", "s");
  check_hint("Deg", "deg");
  check_hint("degrees", "deg");
  check_hint("hz", "Hz");
  check_hint("RPM", "rpm");
  check_hint("KM", "km");
  check_hint("kmh", "km/h");
}

static void test_refused(void **state) {
  (void)state;
  struct unit unit;
  assert_false(read_unit("blorp", &unit));
  assert_true(dimension_is_pure(&unit.dimension));
  assert_false(read_unit("m^1000", &unit));
  assert_false(read_unit("km^60*km^60", &unit));
  assert_false(read_unit("kmm", &unit));  /* two prefixes */
  assert_false(read_unit("kmin", &unit)); /* none here */
  assert_int_equal(context->diagnostics.error_count, 5);
}

int main(void) {
#define UNIT_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
  const struct CMUnitTest tests[] = {UNIT_TEST(test_scales),      UNIT_TEST(test_angles),
                                     UNIT_TEST(test_coherent),    UNIT_TEST(test_roots),
                                     UNIT_TEST(test_hints),       UNIT_TEST(test_round_trip),
                                     UNIT_TEST(test_derivatives), UNIT_TEST(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
