/* Motions caught at a jump of their equations are told at once; those that only pass jumps, or are
 * only stiff, are not. */
#include "models.h"

static dyn_run_summary run_model(dyn_function *rhs, const char *integrator, double until,
                                 dyn_status expected) {
  dyn_model m = oscillator_model();
  static const double p[] = {1, 1};
  double x[2] = {1, 0};
  m.rhs = rhs;
  m.n_invariants = 0;
  dyn_problem problem = {&m, p, NULL};
  dyn_run_options o = run_options(until, until, 1e-8, integrator);
  dyn_run_summary s = {0};
  dyn_status status = dyn_run(&problem, &o, NULL, NULL, x, &s);
  print_message("%s: %lld steps: %s: %s\n", integrator, (long long)s.steps, dyn_status_name(status),
                s.message.text);
  assert_int_equal(status, expected);
  return s;
}

static double sign(double v) {
  return (v > 0) - (v < 0);
}
FUNCTION(dry_friction) {
  UNUSED;
  out[0] = x[1];
  out[1] = -x[0] - 0.4 * sign(x[1]);
  return DYN_OK;
}
FUNCTION(sliding) { /* along x + x' = 0 */
  UNUSED;
  out[0] = x[1];
  out[1] = -3 * sign(x[0] + x[1]);
  return DYN_OK;
}
FUNCTION(relay) { /* passes a jump every now and then */
  UNUSED;
  out[0] = x[1];
  out[1] = -sign(x[0]);
  return DYN_OK;
}
FUNCTION(driven_by_steps) { /* 400 jumps of the drive */
  UNUSED;
  out[0] = x[1];
  out[1] = -x[0] + sign(sin(200 * t));
  return DYN_OK;
}
FUNCTION(stiff_then_pushed) { /* stiff, and a jump of the drive */
  UNUSED;
  out[0] = x[1];
  out[1] = -1e6 * (x[1] + 1e-3 * x[0]) + (t > 1e-3 ? 1 : 0);
  return DYN_OK;
}

static void test_caught(void **state) {
  (void)state;
  static const char *const names[] = {"dopri5", "dop853", "adams", "bdf"};
  static dyn_function *const functions[] = {dry_friction, sliding};
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < 4; i++) {
      dyn_run_summary s = run_model(functions[k], names[i], 20, DYN_NO_PROGRESS);
      assert_non_null(strstr(s.message.text, "the motion chatters at t = "));
      assert_non_null(strstr(s.message.text, "x'' jumps between "));
      assert_true(s.steps < 20000);
      dyn_run_summary_clear(&s);
    }
}

static void test_not_caught(void **state) {
  (void)state;
  static const char *const names[] = {"dopri5", "dop853", "adams", "bdf"};
  for (size_t i = 0; i < 4; i++) {
    dyn_run_summary s = run_model(relay, names[i], 20, DYN_DONE);
    dyn_run_summary_clear(&s);
    s = run_model(driven_by_steps, names[i], 6.28, DYN_DONE);
    dyn_run_summary_clear(&s);
  }
  dyn_run_summary s = run_model(stiff_then_pushed, "dopri5", 0.5, DYN_DONE);
  dyn_run_summary_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_caught),
                                     cmocka_unit_test(test_not_caught)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
