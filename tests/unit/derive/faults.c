/* What mechanics does not allow is reported in the model's names; what only looks odd is not. */
#include "tests/unit/derive/build.h"

static void expect_fault(struct built *b, const char *method, const char *first,
                         const char *second) {
  char *text = built_fault(b, method);
  if (!strstr(text, first)) fail_msg("'%s' is not in:\n%s", first, text);
  if (second && !strstr(text, second)) fail_msg("'%s' is not in:\n%s", second, text);
  assert_int_equal(b->context->diagnostics.error_count, 1);
  free(text);
  built_clear(b);
}

static void build_two(struct built *b, const char *kinetic) {
  built_init(b);
  built_coordinate(b, "x1", "m");
  built_coordinate(b, "x2", "m");
  built_parameter(b, "m", "2");
  built_parameter(b, "k", "3");
  if (kinetic) built_energy(b, ENERGY_KINETIC, kinetic);
}

static void test_massless_joint_between_springs(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "s", "m");
  built_energy(&b, ENERGY_KINETIC, "3/4*x'^2");
  built_energy(&b, ENERGY_POTENTIAL, "15*s^2 + 25*(x - s)^2");
  expect_fault(&b, NULL, "error[E0704]: coordinate 's' has no inertia", "balance of forces");
}

static void test_massless_and_damped(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*x1'^2");
  built_energy(&b, ENERGY_DISSIPATION, "1/2*k*(x2' - x1')^2");
  built_energy(&b, ENERGY_POTENTIAL, "1/2*k*x2^2");
  expect_fault(&b, NULL, "coordinate 'x2' has no inertia", "declare it as `state x2`");
}

static void test_idle_coordinate(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*x1'^2");
  expect_fault(&b, NULL, "coordinate 'x2' has no inertia", "'x2' enters no energy and no force");
}

static void test_no_kinetic_energy(void **state) {
  (void)state;
  struct built b;
  build_two(&b, NULL);
  built_energy(&b, ENERGY_POTENTIAL, "1/2*k*(x1 - x2)^2");
  expect_fault(&b, NULL, "error[E0703]: the model has coordinates but no kinetic energy", NULL);
}

static void test_only_the_sum_has_inertia(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*(x1' + x2')^2");
  expect_fault(&b, NULL, "error[E0705]: the mass matrix is singular",
               "only the combination x1 + x2 has inertia");
}

static void test_only_a_combination_of_three(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x1", "m");
  built_coordinate(&b, "z", "m");
  built_coordinate(&b, "x2", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "2");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x1' - 2*x2' + y'/3)^2 + 1/2*m*z'^2");
  expect_fault(&b, NULL, "the mass matrix is singular",
               "only the combination x1 - 2*x2 + y/3 has inertia");
}

/* The direction without inertia depends on the configuration. */
static void test_moving_direction(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*(x1'*cos(x2) + x2'*sin(x1))^2");
  expect_fault(&b, NULL, "the mass matrix is singular",
               "the coordinates 'x1' and 'x2' can move together so that no mass moves");
}

/* The gimbal: a body with inertia about its axis only. */
static void test_thin_body(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "ψ", "rad");
  built_coordinate(&b, "θ", "rad");
  built_coordinate(&b, "φ", "rad");
  built_energy(&b, ENERGY_KINETIC, "1/2*θ'^2 + 1/2*(φ' + ψ'*cos(θ))^2");
  expect_fault(&b, NULL, "the mass matrix is singular", "'ψ' and 'φ'");
}

static void test_regular_at_most_places(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*(x1'^2 + sin(x1)^2*x2'^2)"); /* singular at the start, x1 = 0 */
  struct system *s = built_derive(&b);
  assert_non_null(s);
  system_free(s);
  built_clear(&b);
}

/* A badly scaled but regular matrix: the exact test speaks. */
static void test_nearly_singular(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*(x1' + x2')^2 + 1/1000000000000000*x2'^2");
  struct system *s = built_derive(&b);
  assert_non_null(s);
  system_free(s);
  built_clear(&b);
}

static void test_different_scales(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*(x1'^2 + x1'*x2'/1000000000000 + x2'^2/1000000000000000000000)");
  struct system *s = built_derive(&b);
  assert_non_null(s);
  system_free(s);
  built_clear(&b);
}

static void test_parameter_is_zero(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "0");
  built_parameter(&b, "J", "0");
  built_parameter(&b, "d", "2");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*x'^2 + 1/2*(J + d)*y'^2");
  expect_fault(&b, NULL, "coordinate 'x' has no inertia", "give 'm' a value other than 0");
}

static void test_input_derivative(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*x1'^2");
  built_input(&b, "v", "0", false);
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x2' + v)^2");
  expect_fault(&b, NULL,
               "error[E0707]: the equation of 'x2' needs the time derivative of input 'v'",
               "'let v = ...'");
}

/* A set input can still be driven by other values when the system runs. */
static void test_set_input_derivative(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*x1'^2");
  built_input(&b, "u", "0", false);
  built_input(&b, "v", "sin(3*t)", true);
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x2' + v)^2");
  expect_fault(&b, NULL,
               "error[E0707]: the equation of 'x2' needs the time derivative of input 'v'",
               "make 'v' a parameter");
}

/* A number that grows beyond all bounds fills the graph like too many nodes do. */
static void test_too_large(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  struct expr_graph *g = b.model.graph;
  expr big = expr_decimal(g, "1e10000"), exponent = big;
  for (int i = 0; i < 4; i++) exponent = expr_multiply(g, exponent, big);
  built_energy(&b, ENERGY_KINETIC, "x'^2");
  b.model.energies.items[0].value = expr_power(g, built_symbol(&b, "x'"), exponent);
  assert_false(expr_graph_is_full(g));
  expect_fault(&b, NULL, "error[E0708]: the equations of motion are too large", NULL);
}

static void test_not_linear_in_accelerations(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_state(&b, "z");
  built_rate(&b, 0, "x''^2");
  built_energy(&b, ENERGY_KINETIC, "1/2*z*x'^2");
  expect_fault(&b, NULL, "error[E0706]: the equation of 'x' is not linear in the accelerations",
               NULL);
}

static void test_methods(void **state) {
  (void)state;
  struct built b;
  build_two(&b, "1/2*m*(x1'^2 + x2'^2)");
  expect_fault(&b, "lagranje", "error[E0701]: there is no method 'lagranje'",
               "did you mean 'lagrange'?");
  build_two(&b, "1/2*m*(x1'^2 + x2'^2)");
  b.model.run.method = "newton";
  expect_fault(&b, NULL, "error[E0701]: there is no method 'newton'", "available: 'lagrange'");
  build_two(&b, "1/2*m*(x1'^2 + x2'^2)");
  b.model.run.method = "kane"; /* the command line comes before the model */
  struct system *s = derive_system(b.context, &b.model, "lagrange");
  assert_non_null(s);
  system_free(s);
  built_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_massless_joint_between_springs),
      cmocka_unit_test(test_massless_and_damped),
      cmocka_unit_test(test_idle_coordinate),
      cmocka_unit_test(test_no_kinetic_energy),
      cmocka_unit_test(test_only_the_sum_has_inertia),
      cmocka_unit_test(test_only_a_combination_of_three),
      cmocka_unit_test(test_moving_direction),
      cmocka_unit_test(test_thin_body),
      cmocka_unit_test(test_regular_at_most_places),
      cmocka_unit_test(test_nearly_singular),
      cmocka_unit_test(test_different_scales),
      cmocka_unit_test(test_parameter_is_zero),
      cmocka_unit_test(test_too_large),
      cmocka_unit_test(test_input_derivative),
      cmocka_unit_test(test_set_input_derivative),
      cmocka_unit_test(test_not_linear_in_accelerations),
      cmocka_unit_test(test_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
