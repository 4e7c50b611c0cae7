/* Constraints and multipliers that are no numbers: runs fail and say so. */
#include "constrained.h"

static dyn_status run_model(const dyn_model *m, const char *integrator, dyn_run_summary *summary) {
  static double x[4];
  const double start[4] = {0, -1, 1, 0};
  dyn_problem problem = {m, NULL, NULL};
  struct kept kept = {0};
  dyn_sink sink = keep_sink(&kept);
  dyn_run_options o = run_options(2, 0.1, 1e-8, integrator);
  memcpy(x, start, sizeof x);
  dyn_status status = dyn_run(&problem, &o, &sink, NULL, x, summary);
  print_message("%s: %s\n", dyn_status_name(status), summary->message.text);
  kept_clear(&kept);
  return status;
}

static const double nothing[1] = {0};
FUNCTION(half_undefined_position) {
  pendulum_position(model, t, x, u, p, work, out);
  if (x[0] > 0.2) out[1] = sqrt(*nothing - 1);
  return DYN_OK;
}
FUNCTION(half_undefined_velocity) {
  pendulum_velocity(model, t, x, u, p, work, out);
  if (x[0] > 0.2) out[1] = sqrt(*nothing - 1);
  return DYN_OK;
}
FUNCTION(infinite_derivative) {
  pendulum_velocity(model, t, x, u, p, work, out);
  if (x[0] > 0.2) out[2] = HUGE_VAL;
  return DYN_OK;
}
FUNCTION(undefined_multipliers) {
  plane_multipliers(model, t, x, u, p, work, out);
  if (x[0] > 0.2) out[0] = sqrt(*nothing - 1);
  return DYN_OK;
}

static void assert_fails(const dyn_model *m, const char *words) {
  static const char *const names[] = {"dopri5", "dop853", "ida"};
  for (size_t i = 0; i < 3; i++) {
    dyn_run_summary summary = {0};
    assert_int_equal(run_model(m, names[i], &summary), DYN_OUT_OF_RANGE);
    assert_non_null(strstr(summary.message.text, words));
    assert_true(summary.reached < 0.9);
    dyn_run_summary_clear(&summary);
  }
}

static void test_constraints(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(2);
  m.position_residuals = half_undefined_position;
  assert_fails(&m, "the constraint copy left the range of numbers at t = 0.2");
  m = cartesian_pendulum(2);
  m.velocity_residuals = half_undefined_velocity;
  assert_fails(&m, "the derivative by time of the constraint copy left the range of numbers");
}

static void test_derivatives(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(2);
  m.velocity_residuals = infinite_derivative;
  static const char *const names[] = {"dopri5", "dop853", "ida"};
  for (size_t i = 0; i < 3; i++) {
    dyn_run_summary summary = {0};
    assert_int_equal(run_model(&m, names[i], &summary), DYN_OUT_OF_RANGE);
    assert_true(summary.reached < 0.4);
    dyn_run_summary_clear(&summary);
  }
}

static void test_multipliers(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(2);
  m.multipliers = undefined_multipliers;
  assert_fails(&m, "multiplier(rod) left the range of numbers at t = 0.3");
}

/* The search meets a matrix without rank on its way; what is told is about the start values. */
FUNCTION(root_velocity) {
  if (x[2] != 1) return 1;
  pendulum_velocity(model, t, x, u, p, work, out);
  out[1] = sqrt(*nothing - 1);
  return DYN_OK;
}
FUNCTION(root_derivative) {
  pendulum_velocity(model, t, x, u, p, work, out);
  if (x[2] == 1) out[4] = HUGE_VAL;
  return x[2] == 1 ? DYN_OK : 1;
}
FUNCTION(lost_velocity) {
  pendulum_velocity(model, t, x, u, p, work, out);
  return 2;
}

static void test_starts(void **state) {
  (void)state;
  static dyn_function *const functions[] = {root_velocity, root_derivative, lost_velocity};
  static const char *const words[] = {
      "the constraint copy has no finite value at the start values",
      "a derivative of the constraint copy has no finite value at the start values",
      "lost rank at y at t = 0 s"};
  for (int i = 0; i < 3; i++) {
    dyn_model m = cartesian_pendulum(2);
    m.velocity_residuals = functions[i];
    dyn_problem problem = {&m, NULL, NULL};
    dyn_assembly a = {0};
    double x[4] = {0, -1, 1, 0.5};
    dyn_status status = dyn_start_assemble(&problem, 0, x, &a);
    print_message("%s\n", a.message.text);
    assert_int_equal(status, i == 2 ? DYN_RANK_LOST : DYN_OUT_OF_RANGE);
    assert_non_null(strstr(a.message.text, words[i]));
    dyn_assembly_clear(&a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constraints), cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_multipliers), cmocka_unit_test(test_starts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
