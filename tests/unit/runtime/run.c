/* Runs against closed forms: accuracy, rows at the instants asked for, summaries. */
#include "models.h"
#include <pthread.h>
#include <stdio.h>

static const double one[] = {1, 1};

static double oscillator_error(const char *integrator, double tolerance, dyn_run_summary *s) {
  dyn_model m = oscillator_model();
  dyn_problem problem = {&m, one, NULL};
  struct kept k = {0};
  dyn_sink sink = keep_sink(&k);
  dyn_run_options o = run_options(20, 0.037, tolerance, integrator);
  double x[2] = {1, 0}, error = 0;
  assert_int_equal(dyn_run(&problem, &o, &sink, NULL, x, s), DYN_DONE);
  assert_int_equal(k.rows, 542); /* 0 .. 540*0.037 = 19.98, then 20 */
  for (int64_t i = 0; i < k.rows; i++) {
    assert_true(k.t[i] == (i == 541 ? 20 : (double)i * 0.037));
    error = fmax(error, fabs(k.x[2 * i] - cos(k.t[i])));
    error = fmax(error, fabs(k.x[2 * i + 1] + sin(k.t[i])));
  }
  assert_close(x[0], cos(20), error);
  kept_clear(&k);
  return error;
}

static void test_accuracy_follows_tolerance(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double factor; /* allowed error over tolerance after 20 s */
  } cases[] = {{"auto", 30},   {"rk", 30},     {"dopri5", 30},
               {"dop853", 30}, {"adams", 300}, {"bdf", 1000}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (double tolerance = 1e-4; tolerance > 5e-11; tolerance *= 1e-2) {
      dyn_run_summary s = {0};
      double error = oscillator_error(cases[i].name, tolerance, &s);
      print_message("%s %g: error %.2g, drift %.2g, %lld steps %lld evaluations\n", cases[i].name,
                    tolerance, error, s.invariants[0].relative, (long long)s.steps,
                    (long long)s.rhs_evaluations);
      assert_true(error < cases[i].factor * tolerance);
      assert_true(s.invariants[0].relative < 2 * cases[i].factor * tolerance);
      assert_close(s.invariants[0].start, 0.5, 1e-15);
      assert_int_equal(s.rows, 542);
      assert_true(s.reached == 20);
      dyn_run_summary_clear(&s);
    }
}

/* With fixed steps (by max_step, under a loose tolerance) the error falls by 2^order. */
static void test_order_of_convergence(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double step, order;
  } cases[] = {{"rk4", 0.1, 4}, {"dopri5", 0.05, 5}, {"dop853", 0.25, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double errors[2], inside[2];
    for (int j = 0; j < 2; j++) {
      dyn_model m = oscillator_model();
      dyn_problem problem = {&m, one, NULL};
      struct kept k = {0};
      dyn_sink sink = keep_sink(&k);
      dyn_run_options o = run_options(10, 0.0123, 0.05, cases[i].name);
      *(i == 0 ? &o.step : &o.max_step) = cases[i].step / (1 << j);
      dyn_run_summary s = {0};
      double x[2] = {1, 0};
      assert_int_equal(dyn_run(&problem, &o, &sink, NULL, x, &s), DYN_DONE);
      errors[j] = hypot(x[0] - cos(10), x[1] + sin(10));
      inside[j] = 0;
      for (int64_t r = 0; r < k.rows; r++)
        inside[j] = fmax(inside[j], fabs(k.x[2 * r] - cos(k.t[r])));
      kept_clear(&k);
      dyn_run_summary_clear(&s);
    }
    double order = log2(errors[0] / errors[1]), dense = log2(inside[0] / inside[1]);
    print_message("%s: order %.2f, of dense output %.2f\n", cases[i].name, order, dense);
    assert_close(order, cases[i].order, 0.7);
    assert_true(dense > cases[i].order - 1.3);
  }
}

static void test_double_pendulum(void **state) {
  (void)state;
  dyn_model m = pendula_model();
  dyn_problem problem = {&m, NULL, NULL};
  dyn_run_options o = run_options(10, 0.01, 1e-9, NULL);
  dyn_run_summary s = {0};
  double x[4] = {1.5, 1.5, 0, 0}, y[4] = {1.5, 1.5, 0, 0};
  assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_DONE);
  char text[2000];
  assert_true(dyn_run_summary_text(&m, &s, text, sizeof text) < sizeof text);
  print_message("%s", text);
  assert_int_equal(s.rows, 1001);
  assert_string_equal(s.integrator, "dop853");
  assert_true(s.invariants[0].relative < 1e-7);
  assert_true(s.wall_seconds < 0.1);
  dyn_run_options tight = run_options(10, 0, 1e-13, "dop853");
  assert_int_equal(dyn_run(&problem, &tight, NULL, NULL, y, &s), DYN_DONE);
  for (int i = 0; i < 4; i++) assert_close(x[i], y[i], 1e-5); /* chaotic: errors grow */
  dyn_run_summary_clear(&s);
}

/* Both at right angles: the energy is 0 and its drift is measured by the energies exchanged. */
static void test_drift_of_an_energy_that_is_zero(void **state) {
  (void)state;
  dyn_model m = pendula_model();
  dyn_problem problem = {&m, NULL, NULL};
  dyn_run_options o = run_options(2, 0.01, 1e-9, NULL);
  dyn_run_summary s = {0};
  double quarter = 1.5707963267948966, x[4] = {quarter, quarter, 0, 0};
  assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_DONE);
  assert_close(s.invariants[0].start, 0, 1e-14);
  assert_true(s.invariants[0].scale_is_energy);
  assert_true(s.invariants[0].scale > 9.81 && s.invariants[0].scale < 30);
  assert_true(s.invariants[0].relative < 1e-8);
  char text[1000];
  dyn_run_summary_text(&m, &s, text, sizeof text);
  assert_non_null(strstr(text, "of the largest energy seen\n"));
  dyn_run_summary_clear(&s);
}

/* A wheel that has turned far: its angle winds up, the error allowed for it does not. */
FUNCTION(wheel_rhs) {
  UNUSED;
  out[0] = x[1];
  out[1] = 50 * cos(t);
  return DYN_OK;
}

static void test_winding_angle_keeps_its_accuracy(void **state) {
  (void)state;
  static const char *const names[] = {"dopri5", "dop853", "adams"};
  dyn_model m = oscillator_model();
  dyn_variable angle = {"φ", "rad", "", 0};
  m.coordinates = &angle;
  m.rhs = wheel_rhs;
  m.n_invariants = 0;
  for (size_t i = 0; i < 3; i++) {
    dyn_problem problem = {&m, one, NULL};
    dyn_run_options o = run_options(10, 0.1, 1e-8, names[i]);
    dyn_run_summary s = {0};
    double x[2] = {1e6, 0};
    assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_DONE);
    assert_close(x[0], 1e6 + 50 * (1 - cos(10)), 1e-5); /* and not 1e-2 */
    dyn_run_summary_clear(&s);
  }
}

static void test_backward_run_returns(void **state) {
  (void)state;
  dyn_model m = pendula_model();
  dyn_problem problem = {&m, NULL, NULL};
  static const char *const names[] = {"auto", "dopri5", "adams", "bdf"};
  for (size_t i = 0; i < 4; i++) {
    dyn_run_options there = run_options(1.3, 0.5, 1e-10, names[i]), back = there;
    back.from = 1.3;
    back.until = 0;
    struct kept k = {0};
    dyn_sink sink = keep_sink(&k);
    dyn_run_summary s = {0};
    double x[4] = {1.5, 1.4, 0.2, 0};
    assert_int_equal(dyn_run(&problem, &there, NULL, NULL, x, &s), DYN_DONE);
    assert_int_equal(dyn_run(&problem, &back, &sink, NULL, x, &s), DYN_DONE);
    assert_close(x[0], 1.5, 1e-7);
    assert_close(x[3], 0, 1e-7);
    assert_int_equal(k.rows, 4);
    char text[2000];
    dyn_run_summary_text(&m, &s, text, sizeof text);
    assert_int_equal(strncmp(text, "4 rows, t = 1.3 s backwards to 0 s, in ", 39), 0);
    assert_true(k.t[0] == 1.3 && k.t[1] == 1.3 - 0.5 && k.t[3] == 0);
    dyn_run_summary_clear(&s);
    kept_clear(&k);
  }
}

static void test_instants(void **state) {
  (void)state;
  static const struct {
    double from, until, every;
    int64_t instants, rows;
  } cases[] = {{0, 1, 0.1, 0, 11}, {0, 1, 0.3, 0, 5},      {0, 0.3, 0.1, 0, 4},
               {5, 5, 0.1, 0, 1},  {0, 1, 2, 0, 2},        {0, 1, 0, 4, 5},
               {0, 1, 0, 0, 1001}, {1, 0, 0.25, 0, 5},     {0, 10, 0.01, 0, 1001},
               {-1, 2, 1, 0, 4},   {0, 1e-9, 1e-10, 0, 11}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dyn_model m = oscillator_model();
    dyn_problem problem = {&m, one, NULL};
    struct kept k = {0};
    dyn_sink sink = keep_sink(&k);
    dyn_run_options o = run_options(cases[i].until, cases[i].every, 1e-6, NULL);
    o.from = cases[i].from;
    o.instants = cases[i].instants;
    dyn_run_summary s = {0};
    double x[2] = {1, 0};
    assert_int_equal(dyn_run(&problem, &o, &sink, NULL, x, &s), DYN_DONE);
    assert_int_equal(k.rows, cases[i].rows);
    assert_true(k.t[0] == cases[i].from);
    assert_true(k.t[k.rows - 1] == cases[i].until);
    assert_int_equal(k.begun, 1);
    assert_int_equal(k.finished, 1);
    dyn_run_summary_clear(&s);
    kept_clear(&k);
  }
}

static void test_options(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  dyn_run_options o;
  dyn_message message;
  assert_int_equal(dyn_run_options_init(&m, one, &o, &message), DYN_DONE);
  assert_true(o.from == 0 && o.until == 5 && o.every == 0.1 && o.tolerance == 1e-8);
  static const struct {
    dyn_run_options options;
    const char *part;
  } cases[] = {
      {{.until = 1, .tolerance = 0}, "tolerance must lie between"},
      {{.until = 1, .tolerance = NAN}, "tolerance must lie between"},
      {{.until = INFINITY, .tolerance = 1e-8}, "is not finite"},
      {{.until = 1, .tolerance = 1e-8, .every = -1}, "every must be"},
      {{.until = 1, .tolerance = 1e-8, .every = 1e-300}, "asks for"},
      {{.until = 10, .tolerance = 1e-8, .every = 1e-8}, "every = 1e-08 s asks for 1e+09 rows"},
      {{.until = 1, .tolerance = 1e-8, .instants = DYN_MOST_ROWS}, "100000000 intervals"},
      {{.until = 1, .tolerance = 1e-8, .absolute = -1}, "absolute"},
      {{.until = 1, .tolerance = 1e-8, .max_step = NAN}, "max_step"},
      {{.until = 1, .tolerance = 1e-8, .step = -1}, "the step must be"},
      {{.until = 1, .tolerance = 1e-8, .integrator = "euler"},
       "no integrator \"euler\"; there are auto, rk, dopri5, dop853, taylor, adams, bdf, ida, rk4, verlet, "}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dyn_problem problem = {&m, one, NULL};
    dyn_run_summary s = {0};
    double x[2] = {1, 0};
    assert_int_equal(dyn_run(&problem, &cases[i].options, NULL, NULL, x, &s), DYN_BAD_OPTION);
    if (!strstr(s.message.text, cases[i].part)) fail_msg("%s", s.message.text);
    dyn_run_summary_clear(&s);
  }
}

/* What `simulate` says is checked where it is read: 0 does not mean "not given" there. */
FUNCTION(defaults_of_work) {
  UNUSED;
  for (int i = 0; i < DYN_RUN_COUNT; i++) out[i] = NAN;
  out[(int)p[0]] = p[1];
  return DYN_OK;
}

static void test_model_defaults(void **state) {
  (void)state;
  static const struct {
    int which;
    double value;
    const char *message; /* NULL: accepted */
  } cases[] = {
      {DYN_RUN_EVERY, 0, "simulate gives every = 0 s, but it must be greater than 0"},
      {DYN_RUN_EVERY, -1, "simulate gives every = -1 s, but it must be greater than 0"},
      {DYN_RUN_EVERY, 0.5, NULL},
      {DYN_RUN_TOLERANCE, 0, "simulate gives tolerance = 0, but it must lie between 1e-15 and 0.1"},
      {DYN_RUN_TOLERANCE, 1e-3, NULL},
      {DYN_RUN_ABSOLUTE, -1, "simulate gives absolute = -1, but it must be greater than 0"},
      {DYN_RUN_MAX_STEP, -1, "simulate gives max_step = -1 s, but it must be greater than 0"},
      {DYN_RUN_UNTIL, INFINITY, "simulate gives 'until' a value that is not a finite number"},
      {DYN_RUN_UNTIL, -1, NULL},
      {DYN_RUN_FROM, 0, NULL}};
  dyn_model m = oscillator_model();
  m.run_defaults = defaults_of_work;
  dyn_run_options o;
  dyn_message message;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const double p[] = {cases[i].which, cases[i].value};
    dyn_status wanted = cases[i].message ? DYN_BAD_OPTION : DYN_DONE;
    assert_int_equal(dyn_run_options_init(&m, p, &o, &message), wanted);
    assert_string_equal(message.text, cases[i].message ? cases[i].message : "");
  }
  const double p[] = {DYN_RUN_FROM, 0};
  m.integrator = "nonsense";
  assert_int_equal(dyn_run_options_init(&m, p, &o, &message), DYN_BAD_OPTION);
  assert_int_equal(dyn_run_value_check(DYN_RUN_EVERY, NAN, &message), DYN_BAD_OPTION);
}

static void test_parameters(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  dyn_message message;
  double p[2] = {3, 77};
  unsigned char w_set[] = {1, 0}, both[] = {1, 1};
  assert_int_equal(dyn_parameters_complete(&m, p, w_set, &message), DYN_DONE);
  assert_true(p[0] == 3 && p[1] == 9);
  p[1] = 5;
  assert_int_equal(dyn_parameters_complete(&m, p, both, &message), DYN_DONE);
  assert_true(p[0] == 3 && p[1] == 5);
  assert_int_equal(dyn_parameters_complete(&m, p, NULL, &message), DYN_DONE);
  assert_true(p[0] == 1 && p[1] == 1);
  p[0] = INFINITY;
  assert_int_equal(dyn_parameters_complete(&m, p, w_set, &message), DYN_OUT_OF_RANGE);
  assert_string_equal(message.text, "the parameter w is not a finite number");
}

FUNCTION(no_rhs) {
  UNUSED;
  return DYN_OK;
}

static void test_model_without_state(void **state) {
  (void)state;
  static const char *const names[] = {"auto", "adams", "bdf"};
  dyn_model m = oscillator_model();
  m.rhs = no_rhs;
  m.n_coordinates = m.n_state = m.n_invariants = m.n_outputs = 0;
  for (size_t i = 0; i < 3; i++) {
    dyn_problem problem = {&m, one, NULL};
    dyn_run_options o = run_options(1, 0.5, 1e-6, names[i]);
    dyn_run_summary s = {0};
    double x[1];
    assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_DONE);
    assert_int_equal(s.rows, 3);
    dyn_run_summary_clear(&s);
  }
}

static void *run_in_thread(void *user) {
  double *x = user;
  dyn_model m = pendula_model();
  dyn_problem problem = {&m, NULL, NULL};
  for (int i = 0; i < 4; i++) {
    dyn_run_options o = run_options(2, 0.01, 1e-9, i % 2 ? "bdf" : "dop853");
    dyn_run_summary s = {0};
    x[0] = x[1] = 1.5;
    x[2] = x[3] = 0;
    if (dyn_run(&problem, &o, NULL, NULL, x, &s)) x[0] = NAN;
    dyn_run_summary_clear(&s);
  }
  return NULL;
}

static void test_two_threads(void **state) {
  (void)state;
  double a[4], b[4];
  pthread_t one_thread, other;
  assert_int_equal(pthread_create(&one_thread, NULL, run_in_thread, a), 0);
  assert_int_equal(pthread_create(&other, NULL, run_in_thread, b), 0);
  pthread_join(one_thread, NULL);
  pthread_join(other, NULL);
  assert_memory_equal(a, b, sizeof a);
  assert_true(isfinite(a[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accuracy_follows_tolerance),
      cmocka_unit_test(test_order_of_convergence),
      cmocka_unit_test(test_double_pendulum),
      cmocka_unit_test(test_drift_of_an_energy_that_is_zero),
      cmocka_unit_test(test_winding_angle_keeps_its_accuracy),
      cmocka_unit_test(test_backward_run_returns),
      cmocka_unit_test(test_instants),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_model_defaults),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_model_without_state),
      cmocka_unit_test(test_two_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
