/* A mass matrix that is singular everywhere, and now and then in a single coordinate: ranks of
 * constraints do not follow what rounding makes of it. The pendulum of unit length with inertia
 * along its circle only moves as the one with mass. */
#include "constrained.h"

FUNCTION(mass_along_circle) {
  UNUSED;
  out[0] = x[1] * x[1];
  out[1] = out[2] = -x[0] * x[1];
  out[3] = x[0] * x[0];
  return DYN_OK;
}

static void run_to(const dyn_model *m, const char *integrator, double until, double *x) {
  dyn_problem problem = {m, NULL, NULL};
  dyn_run_options o = run_options(until, until, 1e-9, integrator);
  dyn_run_summary summary = {0};
  char text[1000];
  x[0] = 1, x[1] = x[2] = x[3] = 0; /* the first coordinate has no inertia here */
  assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &summary), DYN_DONE);
  dyn_run_summary_text(m, &summary, text, sizeof text);
  print_message("%s", text);
  assert_int_equal(summary.n_rank_changes, 0);
  dyn_run_summary_clear(&summary);
}

static void test_ranks_stay(void **state) {
  (void)state;
  static const char *const names[] = {"dopri5", "dop853", "ida"};
  dyn_model ordinary = cartesian_pendulum(1), singular = ordinary;
  singular.mass_matrix = mass_along_circle;
  double expected[4], x[4];
  run_to(&ordinary, "dop853", 10, expected);
  for (size_t i = 0; i < 3; i++) {
    run_to(&singular, names[i], 10, x);
    for (size_t j = 0; j < 4; j++) assert_close(x[j], expected[j], i == 2 ? 1e-4 : 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks_stay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
