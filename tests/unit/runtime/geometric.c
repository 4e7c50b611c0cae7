/* Integrators of fixed steps: closed forms of what they do to an oscillator, orders, the way back
 * to the start, areas kept, energies that stay where they are, refusals. */
#include "constrained.h"
#include <complex.h>

static const char *const names[] = {"verlet",   "yoshida4", "yoshida6", "yoshida8",
                                    "midpoint", "gauss4",   "gauss6",   "gauss8"};
static const int orders[] = {2, 4, 6, 8, 2, 4, 6, 8};
enum { METHODS = 8, SPLITTING = 4 /* the first ones */ };
#define CANONICAL (DYN_SEPARABLE | DYN_POTENTIAL_FORCES)
static const double pi = 3.14159265358979323846;

/* ---- Kepler's problem, GM = 1 ---- */
FUNCTION(kepler_rhs) {
  UNUSED;
  double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * sqrt(r2);
  out[0] = x[2];
  out[1] = x[3];
  out[2] = -x[0] / r3;
  out[3] = -x[1] / r3;
  return DYN_OK;
}
FUNCTION(kepler_energy) {
  UNUSED;
  out[0] = 0.5 * (x[2] * x[2] + x[3] * x[3]) - 1 / hypot(x[0], x[1]);
  return DYN_OK;
}
static dyn_model kepler_model(void) {
  return (dyn_model){MODEL_HEAD("Kepler"),
                     .flags = CANONICAL | DYN_ENERGY_CONSERVED,
                     .n_coordinates = 2,
                     .n_state = 4,
                     .coordinates = plane_q,
                     .velocities = plane_v,
                     .accelerations = plane_a,
                     .rhs = kepler_rhs,
                     .n_invariants = 1,
                     .invariants = plane_energy,
                     .invariant_values = kepler_energy};
}
static void kepler_start(double e, double *x) {
  x[0] = 1 - e;
  x[1] = x[2] = 0;
  x[3] = sqrt((1 + e) / (1 - e));
}

/* Runs from x; the state at the end is in x. */
static dyn_status go(const dyn_model *m, const char *name, double step, double from, double until,
                     double *x, dyn_run_summary *s) {
  static const double p[2] = {1, 1};
  dyn_problem problem = {m, p, NULL};
  dyn_run_options o = run_options(until, fabs(until - from), 1e-9, name);
  o.from = from;
  o.step = step;
  return dyn_run(&problem, &o, NULL, NULL, x, s);
}

static void go_well(const dyn_model *m, const char *name, double step, double from, double until,
                    double *x) {
  dyn_run_summary s = {0};
  assert_int_equal(go(m, name, step, from, until, x, &s), DYN_DONE);
  assert_string_equal(s.integrator, name);
  dyn_run_summary_clear(&s);
}

/* The angle by which a step h turns an oscillator of frequency 1: of Verlet's method by
 * 2 sin(angle/2) = h, of Gauss's by the diagonal Pade approximants of exp(i h) (Hairer, Wanner,
 * Solving Ordinary Differential Equations II, IV.3 and IV.5). */
static double turn_of_step(int method, double h) {
  static const double pade[4][5] = {{1, 1. / 2},
                                    {1, 1. / 2, 1. / 12},
                                    {1, 1. / 2, 1. / 10, 1. / 120},
                                    {1, 1. / 2, 3. / 28, 1. / 84, 1. / 1680}};
  double complex z = CMPLX(0, h), sum = 0, power = 1;
  if (method == 0) return 2 * asin(h / 2);
  for (int k = 0; k < 5; k++, power *= z) sum += pade[method - SPLITTING][k] * power;
  return 2 * carg(sum);
}

static void test_closed_form_of_the_oscillator(void **state) {
  (void)state;
  static const int chosen[] = {0, 4, 5, 6, 7};
  dyn_model m = oscillator_model();
  m.flags |= CANONICAL;
  for (int i = 0; i < 5; i++) {
    int steps = 40;
    double h = 0.5, x[2] = {1, 0}, turn = steps * turn_of_step(chosen[i], h);
    go_well(&m, names[chosen[i]], h, 0, steps * h, x);
    assert_close(x[0], cos(turn), 2e-14);
    /* Verlet's ellipse is flatter: x'^2/(1 - h^2/4) + x^2 = 1. */
    double flat = chosen[i] == 0 ? sqrt(1 - h * h / 4) : 1;
    assert_close(x[1], -flat * sin(turn), 2e-14);
  }
}

static void test_order(void **state) {
  (void)state;
  static const double steps[METHODS] = {1. / 800, 1. / 100, 1. / 80, 1. / 50,
                                        1. / 800, 1. / 60,  1. / 40, 1. / 25};
  dyn_model m = kepler_model();
  for (int i = 0; i < METHODS; i++) {
    double error[2];
    for (int j = 0; j < 2; j++) {
      double x[4], end[4];
      kepler_start(0.3, x);
      kepler_start(0.3, end);
      go_well(&m, names[i], 2 * pi * steps[i] / (1 << j), 0, 2 * pi, x);
      error[j] = hypot(x[0] - end[0], x[1] - end[1]);
    }
    double order = log2(error[0] / error[1]);
    print_message("%s: errors %.3g %.3g, order %.2f\n", names[i], error[0], error[1], order);
    assert_close(order, orders[i], 0.4);
  }
}

/* Rows between the steps have the order of the method too. */
static void test_order_between_steps(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  m.flags |= CANONICAL;
  static const double one[2] = {1, 1};
  dyn_problem problem = {&m, one, NULL};
  for (int i = 0; i < METHODS; i++) {
    double error[2] = {0};
    for (int j = 0; j < 2; j++) {
      struct kept k = {0};
      dyn_sink sink = keep_sink(&k);
      dyn_run_summary s = {0};
      dyn_run_options o = run_options(8, 0.37, 1e-9, names[i]);
      double x[2] = {1, 0};
      o.step = (orders[i] == 8 ? 0.8 : 0.4) / (1 << j);
      assert_int_equal(dyn_run(&problem, &o, &sink, NULL, x, &s), DYN_DONE);
      for (int64_t r = 0; r < k.rows; r++)
        error[j] = fmax(error[j], fabs(k.x[2 * r] - cos(k.t[r])));
      kept_clear(&k);
      dyn_run_summary_clear(&s);
    }
    double order = log2(error[0] / error[1]);
    print_message("%s: rows %.3g %.3g, order %.2f\n", names[i], error[0], error[1], order);
    assert_close(order, orders[i], 0.5);
  }
}

/* RATTLE, its compositions and Gauss's methods, with a rod and a redundant copy of it. */
static void test_order_on_constraints(void **state) {
  (void)state;
  static const double steps[METHODS] = {1. / 800, 1. / 100, 1. / 50, 1. / 25,
                                        1. / 400, 1. / 50,  1. / 25, 1. / 16};
  dyn_model m = cartesian_pendulum(2);
  m.flags |= CANONICAL;
  double end[4] = {0.8, -0.6, 0, 0};
  go_well(&m, "dop853", 0, 0, 2, end); /* at 1e-9: made better below */
  double best[4] = {0.8, -0.6, 0, 0};
  go_well(&m, "gauss8", 1. / 128, 0, 2, best);
  assert_close(best[0], end[0], 1e-7);
  for (int i = 0; i < METHODS; i++) {
    double error[2];
    for (int j = 0; j < 2; j++) {
      double x[4] = {0.8, -0.6, 0, 0};
      go_well(&m, names[i], steps[i] / (1 << j), 0, 2, x);
      error[j] = hypot(x[0] - best[0], x[1] - best[1]) + hypot(x[2] - best[2], x[3] - best[3]);
      assert_close(hypot(x[0], x[1]), 1, 1e-15);
      assert_close(x[0] * x[2] + x[1] * x[3], 0, 2e-15);
    }
    double order = log2(error[0] / error[1]);
    print_message("%s: errors %.3g %.3g, order %.2f\n", names[i], error[0], error[1], order);
    assert_close(order, orders[i], 0.5);
  }
}

/* A symmetric method goes back the way that it came, however long its steps. */
static void test_way_back(void **state) {
  (void)state;
  dyn_model free_model = kepler_model(), bound = cartesian_double_pendulum();
  bound.flags |= CANONICAL;
  for (int i = 0; i < METHODS; i++) {
    double x[4], start[4];
    kepler_start(0.3, start);
    kepler_start(0.3, x);
    go_well(&free_model, names[i], 0.05, 0, 20, x);
    assert_true(fabs(x[1] - start[1]) > 0.1);
    go_well(&free_model, names[i], 0.05, 20, 0, x);
    for (int k = 0; k < 4; k++) assert_close(x[k], start[k], 1e-12);
    double y[8] = {0.6, -0.8, 1.4, -1.4}, y0[8] = {0.6, -0.8, 1.4, -1.4};
    go_well(&bound, names[i], 0.02, 0, 2, y);
    go_well(&bound, names[i], 0.02, 2, 0, y);
    for (int k = 0; k < 8; k++) assert_close(y[k], y0[k], 1e-12);
  }
}

/* The state after two steps, of a pendulum by its angle, in Cartesian coordinates. */
static void swing(const dyn_model *m, const char *name, double angle, double rate, double *out) {
  double x[4] = {sin(angle), -cos(angle), rate * cos(angle), rate * sin(angle)};
  go_well(m, name, 0.2, 0, 0.4, x);
  out[0] = atan2(x[0], -x[1]);
  out[1] = x[2] * cos(out[0]) + x[3] * sin(out[0]);
}

/* RATTLE keeps the area of the phase plane, by central differences: their error is h^2 = 1e-10. */
static void test_area_is_kept(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(1);
  m.flags |= CANONICAL;
  double h = 1e-5;
  for (int i = 0; i < SPLITTING; i++) {
    double d[2][2];
    for (int k = 0; k < 2; k++) {
      double high[2], low[2];
      swing(&m, names[i], 0.7 + (k == 0) * h, 0.4 + (k == 1) * h, high);
      swing(&m, names[i], 0.7 - (k == 0) * h, 0.4 - (k == 1) * h, low);
      for (int r = 0; r < 2; r++) d[r][k] = (high[r] - low[r]) / (2 * h);
    }
    assert_close(d[0][0] * d[1][1] - d[0][1] * d[1][0], 1, 1e-9);
  }
}

static double largest_drift(const dyn_model *m, const char *name, double e, double step,
                            double periods, double *end) {
  dyn_run_summary s = {0};
  double x[4];
  kepler_start(e, x);
  assert_int_equal(go(m, name, step, 0, periods * 2 * pi, x, &s), DYN_DONE);
  double result = s.invariants[0].largest;
  if (end) *end = fabs(s.invariants[0].end - s.invariants[0].start);
  dyn_run_summary_clear(&s);
  return result;
}

/* The error of energy does not grow, over 2000 revolutions on an orbit of eccentricity 0.6. (By
 * bench/ over 10^5.) */
static void test_energy_of_an_orbit(void **state) {
  (void)state;
  dyn_model m = kepler_model();
  static const char *const chosen[] = {"verlet", "yoshida8", "gauss4", "gauss8"};
  for (int i = 0; i < 4; i++) {
    double brief = largest_drift(&m, chosen[i], 0.6, 2 * pi / 100, 100, NULL);
    double far = largest_drift(&m, chosen[i], 0.6, 2 * pi / 100, 2000, NULL);
    print_message("%s: energy off by %.3g in 100 revolutions, %.3g in 2000\n", chosen[i], brief,
                  far);
    assert_true(far < 1.3 * brief);
  }
  /* At steps whose own error is below rounding, what is left is a random walk: the root of 400000
   * steps times half a rounding of 0.5 to 2.5 each. */
  double end, most = largest_drift(&m, "gauss8", 0.6, 2 * pi / 400, 1000, &end);
  print_message("gauss8, short steps: energy off by %.3g\n", most);
  assert_true(most < 632 * 1.1e-16);
}

/* Rounding has no preferred direction: over 4000 revolutions energy stays within the random walk of
 * 400000 steps, half a rounding of 0.4 (the largest step of the velocity) each. Weights rounded to
 * doubles would make 10^-16 per revolution. */
static void test_no_drift_by_rounding(void **state) {
  (void)state;
  dyn_model m = kepler_model();
  double step = 2 * pi / 100.37; /* falls on other places each revolution */
  double brief = largest_drift(&m, "gauss8", 0.6, step, 400, NULL);
  double far = largest_drift(&m, "gauss8", 0.6, step, 4000, NULL);
  print_message("gauss8: energy off by %.6g in 400 revolutions, %.6g in 4000\n", brief, far);
  assert_close(far, brief, 3 * 632 * 0.2 * 1.1e-16 + 1e-3 * brief);
}

/* Fixed steps between two rows are as many as they are. */
static void test_many_steps_without_a_row(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  m.flags |= CANONICAL;
  static const double one[2] = {1, 1};
  dyn_problem problem = {&m, one, NULL};
  dyn_run_options o = run_options(20, 20, 1e-9, "verlet");
  dyn_run_summary s = {0};
  double x[2] = {1, 0};
  o.step = 0.01;
  o.max_steps = 100;
  assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_DONE);
  assert_int_equal(s.steps, 2000);
  o.step = 1e-15;
  assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_BAD_OPTION);
  assert_non_null(strstr(s.message.text, "is nothing beside times"));
  o.integrator = "dop853";
  o.step = 0.01;
  assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_BAD_OPTION);
  assert_non_null(strstr(s.message.text, "dop853 chooses its steps"));
  dyn_run_summary_clear(&s);
}

/* What long runs are advised to take is what applies: on constraints yoshida8 only with a mass
 * matrix that can be divided by. */
FUNCTION(mass_of_x) {
  UNUSED;
  out[0] = 1;
  out[1] = out[2] = out[3] = 0;
  return DYN_OK;
}
static void test_advice(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(1);
  m.flags |= CANONICAL | DYN_ENERGY_CONSERVED;
  for (int i = 0; i < 2; i++) {
    dyn_run_summary s = {0};
    static const double start[4] = {0.8, -0.6, 0, 0}, p[2] = {1, 1};
    double x[4];
    memcpy(x, start, sizeof x);
    dyn_problem problem = {&m, p, NULL};
    /* No advice where the energy is held to rounding. */
    dyn_run_options o = run_options(11, 11, 1e-9, "dop853");
    o.max_step = 1e-3;
    assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_DONE);
    assert_true(s.steps >= 10000 && s.invariants[0].relative < 1e-12 && !s.advised);
    dyn_run_summary_clear(&s);
    memcpy(x, start, sizeof x);
    o = run_options(6000, 6000, 1e-7, "dopri5");
    assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_DONE);
    const char *advised = s.advised;
    assert_string_equal(advised, i == 0 ? "yoshida8" : "gauss8");
    dyn_message message;
    assert_int_equal(dyn_integrator_check(&problem, advised, &message), DYN_DONE);
    assert_int_equal(dyn_integrator_check(&problem, "yoshida8", &message),
                     i == 0 ? DYN_DONE : DYN_BAD_OPTION);
    dyn_run_summary_clear(&s);
    m.mass_matrix = mass_of_x;
  }
}

static void test_steps_lead_from_row_to_row(void **state) {
  (void)state;
  dyn_model m = kepler_model();
  dyn_problem problem = {&m, NULL, NULL};
  for (int i = 0; i < METHODS; i++) {
    struct kept k = {0};
    dyn_sink sink = keep_sink(&k);
    dyn_run_summary s = {0};
    dyn_run_options o = run_options(30, 0.7, 1e-6, names[i]);
    double x[4];
    kepler_start(0.3, x);
    assert_int_equal(dyn_run(&problem, &o, &sink, NULL, x, &s), DYN_DONE);
    double whole = 0.7 / s.fixed_step;
    assert_close(whole, round(whole), 1e-9 * whole);
    assert_int_equal(k.rows, 44);
    print_message("%s: energy off by %.3g at a tolerance of 1e-6\n", names[i],
                  s.invariants[0].relative);
    assert_true(s.invariants[0].relative < 3e-6 && s.invariants[0].relative > 1e-9);
    assert_string_equal(s.structure, "symplectic");
    kept_clear(&k);
    dyn_run_summary_clear(&s);
  }
}

static void test_refusals(void **state) {
  (void)state;
  dyn_model m = pendula_model(), bound = cartesian_pendulum(1), orbit = kepler_model();
  dyn_run_summary s = {0};
  double x[4] = {1, 1}, y[4] = {1, 0}, z[4];
  assert_int_equal(go(&m, "verlet", 0.01, 0, 1, x, &s), DYN_BAD_OPTION);
  assert_non_null(strstr(s.message.text, "does not separate"));
  assert_int_equal(go(&m, "gauss8", -0.01, 0, 1, x, &s), DYN_BAD_OPTION);
  assert_int_equal(go(&m, "gauss8", 0.01, 0, 1, x, &s), DYN_DONE);
  assert_string_equal(s.structure, "symmetric");
  static dyn_constraint edge[1];
  edge[0] = rods[0];
  edge[0].flags = DYN_CONSTRAINT_NONHOLONOMIC;
  bound.constraints = edge;
  bound.flags |= CANONICAL;
  assert_int_equal(go(&bound, "yoshida4", 0.01, 0, 1, y, &s), DYN_BAD_OPTION);
  assert_non_null(strstr(s.message.text, "nonholonomic"));
  kepler_start(0.6, z);
  assert_int_equal(go(&orbit, "gauss8", 4, 0, 100, z, &s), DYN_SOLVER_FAILED);
  assert_non_null(strstr(s.message.text, "too long for the method gauss8"));
  assert_true(dyn_integrator_has_steps("yoshida6"));
  assert_true(dyn_integrator_has_steps("rk4"));
  assert_false(dyn_integrator_has_steps("dop853"));
  assert_false(dyn_integrator_has_steps("nothing"));
  dyn_run_summary_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_form_of_the_oscillator),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_order_between_steps),
      cmocka_unit_test(test_order_on_constraints),
      cmocka_unit_test(test_way_back),
      cmocka_unit_test(test_area_is_kept),
      cmocka_unit_test(test_energy_of_an_orbit),
      cmocka_unit_test(test_no_drift_by_rounding),
      cmocka_unit_test(test_many_steps_without_a_row),
      cmocka_unit_test(test_advice),
      cmocka_unit_test(test_steps_lead_from_row_to_row),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
