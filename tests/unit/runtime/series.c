/* When a run goes by Taylor series: auto in long runs at tight tolerances, and again after places
 * that have none. */
#include "models.h"

static const double one[] = {1, 1};

/* The oscillator's own; none near the turning points of cos(t) where the model counts how often
 * that was. */
static int oscillator_series(const dyn_model *m, int32_t order, double scale, double t,
                             const double *y, const double *u, const double *follows,
                             const double *p, double *work, double *out) {
  (void)u, (void)follows, (void)work;
  int *declined = m->implementation;
  if (declined && fabs(sin(t)) < 0.1) {
    ++*declined;
    return DYN_TAYLOR_DECLINED;
  }
  out[0] = y[0];
  out[1] = y[1];
  for (int32_t k = 0; k < order; k++) {
    out[2 * k + 2] = scale * out[2 * k + 1] / (k + 1);
    out[2 * k + 3] = -scale * p[1] * out[2 * k] / (k + 1);
  }
  return DYN_OK;
}

struct asked { /* by a run */
  int times;
  const dyn_model *model; /* the answer */
};

static const dyn_model *give_series(void *user, const char *integrator) {
  struct asked *asked = user;
  if (strcmp(integrator, "taylor") != 0) return NULL;
  asked->times++;
  return asked->model;
}

/* From cos(0) on; a model that counts places gets steps that miss none. */
static void run(const dyn_model *m, const char *integrator, double tolerance, double until,
                struct asked *asked, double *x, dyn_run_summary *s) {
  dyn_problem problem = {m, one, NULL};
  dyn_run_callbacks callbacks = {.user = asked, .steps_model = give_series};
  dyn_run_options o = run_options(until, until, tolerance, integrator);
  if (m->implementation) o.max_step = 0.05;
  x[0] = 1;
  x[1] = 0;
  dyn_run_summary_clear(s);
  assert_int_equal(dyn_run(&problem, &o, NULL, asked ? &callbacks : NULL, x, s), DYN_DONE);
}

static void test_long_runs_turn(void **state) {
  (void)state;
  dyn_model m = oscillator_model(), with_series = m;
  with_series.taylor = oscillator_series;
  struct asked asked = {.model = &with_series};
  double until = 1e4, x[2];
  dyn_run_summary s = {0};
  run(&m, "auto", 1e-14, until, &asked, x, &s);
  assert_int_equal(asked.times, 1);
  assert_string_equal(s.chosen, "dop853");
  assert_string_equal(s.integrator, "taylor");
  assert_int_equal(s.n_switches, 1);
  assert_string_equal(s.switches[0].from, "dop853");
  assert_string_equal(s.switches[0].to, "taylor");
  assert_true(s.switches[0].t > 0.2 * until && s.switches[0].t < 0.9 * until);
  assert_true(fabs(x[0] - cos(until)) < 1e-8);
  char text[2000];
  dyn_run_summary_text(&m, &s, text, sizeof text);
  if (!strstr(text, "its series pays") || !strstr(text, "accuracy, not stability"))
    fail_msg("%s", text);
  dyn_run_summary_clear(&s);
}

/* Not in short runs, at looser tolerances, by an integrator that was named, or without a series;
 * the run is what it is without being asked. */
static void test_others_do_not(void **state) {
  (void)state;
  static const struct {
    const char *integrator;
    double tolerance, until;
    int has_series, times;
  } cases[] = {{"auto", 1e-14, 100, 1, 0},
               {"auto", 1e-13, 1e4, 1, 0},
               {"rk", 1e-14, 1e4, 1, 0},
               {"dop853", 1e-14, 1e4, 1, 0},
               {"auto", 1e-14, 1e4, 0, 1}};
  for (int32_t i = 0; i < COUNT(cases); i++) {
    dyn_model m = oscillator_model(), with_series = m;
    with_series.taylor = oscillator_series;
    struct asked asked = {.model = cases[i].has_series ? &with_series : NULL};
    double x[2], alone[2];
    dyn_run_summary s = {0};
    run(&m, cases[i].integrator, cases[i].tolerance, cases[i].until, &asked, x, &s);
    assert_int_equal(asked.times, cases[i].times);
    assert_string_equal(s.integrator, "dop853");
    assert_int_equal(s.n_switches, 0);
    run(&m, "dop853", cases[i].tolerance, cases[i].until, NULL, alone, &s);
    assert_memory_equal(x, alone, sizeof x);
    dyn_run_summary_clear(&s);
  }
}

/* 32 places without a series, which take 1/15 of the time: the summary tells them all, and the time
 * at which another integrator went on is little more. */
static void test_series_come_back(void **state) {
  (void)state;
  int declined = 0;
  dyn_model m = oscillator_model();
  m.taylor = oscillator_series;
  m.implementation = &declined;
  double until = 31.5 * acos(-1), x[2];
  dyn_run_summary s = {0};
  run(&m, "taylor", 1e-12, until, NULL, x, &s);
  assert_string_equal(s.integrator, "taylor");
  assert_int_equal(s.n_switches, 0);
  assert_int_equal(s.n_declined_stretches, 32);
  assert_true(declined >= 32);
  assert_true(s.first_declined == 0);
  double without = 63 * asin(0.1);
  if (!(s.declined_time >= without - 32 * 0.05 && s.declined_time < until / 2))
    fail_msg("%g s without a series, of %g s", s.declined_time, without);
  assert_true(fabs(x[0] - cos(until)) < 1e-10 && fabs(x[1] + sin(until)) < 1e-10);
  char text[2000];
  dyn_run_summary_text(&m, &s, text, sizeof text);
  if (!strstr(text, "taylor declined near t = 0 s and later, in 32 stretches: another integrator"))
    fail_msg("%s", text);
  dyn_run_summary_clear(&s);
}

/* None from some place on: another integrator ends the run, and the last stretch is as long. */
static int series_until_five(const dyn_model *m, int32_t order, double scale, double t,
                             const double *y, const double *u, const double *follows,
                             const double *p, double *work, double *out) {
  if (t >= 5) return DYN_TAYLOR_DECLINED;
  return oscillator_series(m, order, scale, t, y, u, follows, p, work, out);
}

static void test_series_that_end(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  m.taylor = series_until_five;
  double x[2];
  dyn_run_summary s = {0};
  run(&m, "taylor", 1e-12, 400, NULL, x, &s);
  assert_string_equal(s.integrator, "dop853");
  assert_int_equal(s.n_declined_stretches, 1);
  assert_true(s.first_declined >= 5 && s.first_declined < 10);
  assert_true(fabs(s.declined_time - (400 - s.first_declined)) < 1e-9);
  assert_true(fabs(x[0] - cos(400)) < 1e-9);
  dyn_run_summary_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_long_runs_turn),
      cmocka_unit_test(test_others_do_not),
      cmocka_unit_test(test_series_come_back),
      cmocka_unit_test(test_series_that_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
