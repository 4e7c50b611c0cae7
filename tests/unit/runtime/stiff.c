/* Stiff models: the implicit method, its Jacobians and linear solvers, and the turn to it. */
#include "models.h"

static dyn_status run_stiff(const dyn_model *m, const double *p, double until, double tolerance,
                            const char *integrator, const dyn_run_callbacks *callbacks, double *x,
                            dyn_run_summary *s) {
  dyn_problem problem = {m, p, NULL};
  dyn_run_options o = run_options(until, until / 10, tolerance, integrator);
  dyn_status status = dyn_run(&problem, &o, NULL, callbacks, x, s);
  char text[2000];
  dyn_run_summary_text(m, s, text, sizeof text);
  print_message("%s", text);
  return status;
}

/* Reference at t = 40: a = 0.7158, b = 9.185e-6, c = 0.2842 (Robertson 1966). */
static void check_robertson(const double *x) {
  assert_close(x[0], 0.71582706, 1e-6);
  assert_close(x[1], 9.18553e-6, 1e-10);
  assert_close(x[2], 0.28416375, 1e-6);
  assert_close(x[0] + x[1] + x[2], 1, 1e-6);
}

static void test_robertson(void **state) {
  (void)state;
  static const char *const names[] = {"bdf", "auto"};
  for (int i = 0; i < 2; i++)
    for (int with_jacobian = 0; with_jacobian < 2; with_jacobian++) {
      dyn_model m = robertson_model(with_jacobian);
      dyn_run_summary s = {0};
      double x[3] = {1, 0, 0};
      assert_int_equal(run_stiff(&m, NULL, 40, 1e-8, names[i], NULL, x, &s), DYN_DONE);
      check_robertson(x);
      assert_int_equal(s.jacobian_is_exact, with_jacobian);
      assert_int_equal(s.jacobian_evaluations > 0, with_jacobian);
      assert_string_equal(s.integrator, "bdf");
      assert_string_equal(s.linear_solver, "dense");
      assert_int_equal(s.n_switches, i);
      if (i == 1) {
        assert_string_equal(s.switches[0].from, "dop853");
        assert_string_equal(s.switches[0].to, "bdf");
        assert_true(s.switches[0].t > 0 && s.switches[0].t < 1);
      }
      dyn_run_summary_clear(&s);
    }
}

static int asked;
static const dyn_model *give_jacobian(void *user) {
  asked++;
  return user;
}

static void test_jacobian_is_asked_for_when_needed(void **state) {
  (void)state;
  dyn_model m = robertson_model(0), with_jacobian = robertson_model(1);
  dyn_run_callbacks callbacks = {.user = &with_jacobian, .jacobian_model = give_jacobian};
  dyn_run_summary s = {0};
  double x[3] = {1, 0, 0};
  asked = 0;
  assert_int_equal(run_stiff(&m, NULL, 40, 1e-8, "auto", &callbacks, x, &s), DYN_DONE);
  assert_int_equal(asked, 1);
  assert_true(s.jacobian_is_exact);
  check_robertson(x);
  dyn_model easy = pendula_model();
  double y[4] = {1.5, 1.5, 0, 0};
  assert_int_equal(run_stiff(&easy, NULL, 10, 1e-8, "auto", &callbacks, y, &s), DYN_DONE);
  assert_int_equal(asked, 1);
  assert_int_equal(s.n_switches, 0);
  callbacks.user = NULL;
  x[0] = 1, x[1] = x[2] = 0;
  assert_int_equal(run_stiff(&m, NULL, 40, 1e-8, "bdf", &callbacks, x, &s), DYN_DONE);
  assert_int_equal(asked, 2);
  assert_false(s.jacobian_is_exact);
  dyn_run_summary_clear(&s);
}

/* Reference at t = 2000, past the first fast swing: the test set for initial value problem solvers
 * (Mazzia, Magherini) has x = 1.706167732170483 and 1000 x' = -0.8928097010247975. */
static void test_van_der_pol(void **state) {
  (void)state;
  static const double p[] = {1000};
  static const char *const names[] = {"bdf", "auto"};
  for (int i = 0; i < 2; i++)
    for (int with_jacobian = 0; with_jacobian < 2; with_jacobian++) {
      dyn_model m = van_der_pol_model(with_jacobian);
      dyn_run_summary s = {0};
      double x[2] = {2, 0};
      assert_int_equal(run_stiff(&m, p, 2000, 1e-9, names[i], NULL, x, &s), DYN_DONE);
      print_message("x = %.12g, 1000 x' = %.12g\n", x[0], 1000 * x[1]);
      assert_close(x[0], 1.706167732170483, 1e-6);
      assert_close(1000 * x[1], -0.8928097010247975, 1e-6);
      assert_int_equal(s.n_switches, i);
      dyn_run_summary_clear(&s);
    }
}

static void test_nothing_turns_without_need(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  for (double tolerance = 1e-2; tolerance > 1e-12; tolerance *= 0.1) {
    static const double p[] = {10, 100};
    dyn_problem problem = {&m, p, NULL};
    dyn_run_options o = run_options(1000, 100, tolerance, "auto");
    dyn_run_summary s = {0};
    double x[2] = {1, 0};
    assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_DONE);
    assert_int_equal(s.n_switches, 0);
    dyn_run_summary_clear(&s);
  }
}

/* A chain of N masses between walls, coupled by springs and strong dampers: sparse and stiff. Its
 * lowest mode decays in closed form. */
enum { N = 100 };
static double damping(void) {
  return 1e4;
}
static dyn_variable chain_names[3][N];
static char chain_text[3][N][16];
static int32_t chain_columns[2 * N + 1], chain_rows[8 * N];
static int32_t chain_entries;
static dyn_pattern chain_pattern;

FUNCTION(chain_rhs) {
  UNUSED;
  for (int i = 0; i < N; i++) {
    double left = i > 0 ? x[i - 1] : 0, right = i + 1 < N ? x[i + 1] : 0;
    double left_v = i > 0 ? x[N + i - 1] : 0, right_v = i + 1 < N ? x[N + i + 1] : 0;
    out[i] = x[N + i];
    out[N + i] = 1e4 * (left - 2 * x[i] + right) + damping() * (left_v - 2 * x[N + i] + right_v);
  }
  return DYN_OK;
}
FUNCTION(chain_jacobian) {
  UNUSED;
  for (int32_t j = 0; j < 2 * N; j++)
    for (int32_t k = chain_columns[j]; k < chain_columns[j + 1]; k++) {
      int32_t row = chain_rows[k];
      double weight = j < N ? 1e4 : damping();
      out[k] = row < N ? 1 : row - N == j % N ? -2 * weight : weight;
    }
  return DYN_OK;
}

static dyn_model chain_model(void) {
  chain_entries = 0;
  for (int32_t j = 0; j < 2 * N; j++) {
    chain_columns[j] = chain_entries;
    if (j >= N) chain_rows[chain_entries++] = j - N; /* q' = v */
    for (int32_t i = j % N - 1; i <= j % N + 1; i++)
      if (i >= 0 && i < N) chain_rows[chain_entries++] = N + i;
  }
  chain_columns[2 * N] = chain_entries;
  chain_pattern = (dyn_pattern){2 * N, 2 * N, chain_entries, chain_columns, chain_rows};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < N; i++) {
      snprintf(chain_text[k][i], sizeof chain_text[k][i], "q[%d]%.*s", i + 1, k, "''");
      chain_names[k][i] = (dyn_variable){chain_text[k][i], "m", "", 0};
    }
  return (dyn_model){MODEL_HEAD("chain"),
                     .n_coordinates = N,
                     .n_state = 2 * N,
                     .coordinates = chain_names[0],
                     .velocities = chain_names[1],
                     .accelerations = chain_names[2],
                     .rhs = chain_rhs,
                     .jacobian = chain_jacobian,
                     .jacobian_pattern = &chain_pattern};
}

/* q'' + a D q' + a q = 0 with a = 1e4 * 4 sin^2(pi/(2(N+1))), D = damping/1e4 = 1. */
static double chain_mode(double t) {
  double a = 1e4 * 4 * pow(sin(3.14159265358979323846 / (2 * (N + 1))), 2);
  double decay = a * damping() / 1e4 / 2, root = sqrt(decay * decay - a);
  double slow = -decay + root, fast = -decay - root;
  return (slow * exp(fast * t) - fast * exp(slow * t)) / (slow - fast);
}

static void test_sparse_chain(void **state) {
  (void)state;
  static const char *const names[] = {"bdf", "auto"};
  dyn_model m = chain_model();
  for (int i = 0; i < 2; i++) {
    double x[2 * N] = {0};
    for (int j = 0; j < N; j++) x[j] = sin(3.14159265358979323846 * (j + 1) / (N + 1));
    double amplitude = x[10];
    dyn_run_summary s = {0};
    assert_int_equal(run_stiff(&m, NULL, 2, 1e-8, names[i], NULL, x, &s), DYN_DONE);
    assert_close(x[10], amplitude * chain_mode(2), 1e-6);
    assert_string_equal(s.linear_solver, "sparse");
    assert_int_equal(s.n_switches, i);
    assert_true(s.jacobian_is_exact);
    dyn_run_summary_clear(&s);
  }
  m.jacobian = NULL;
  double x[2 * N] = {0};
  for (int j = 0; j < N; j++) x[j] = sin(3.14159265358979323846 * (j + 1) / (N + 1));
  double amplitude = x[10];
  dyn_run_summary s = {0};
  assert_int_equal(run_stiff(&m, NULL, 2, 1e-8, "bdf", NULL, x, &s), DYN_DONE);
  assert_close(x[10], amplitude * chain_mode(2), 1e-6);
  assert_string_equal(s.linear_solver, "dense");
  dyn_run_summary_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_robertson),    cmocka_unit_test(test_jacobian_is_asked_for_when_needed),
      cmocka_unit_test(test_van_der_pol),  cmocka_unit_test(test_nothing_turns_without_need),
      cmocka_unit_test(test_sparse_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
