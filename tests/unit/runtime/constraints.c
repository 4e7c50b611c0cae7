/* Runs of constrained models: constraints are held, by explicit steps and by ida; redundancy,
 * integrals, singular configurations, multipliers. */
#include "constrained.h"

static dyn_status run_model(const dyn_model *m, const double *p, double until, double tolerance,
                            const char *integrator, const dyn_sink *sink, double *x,
                            dyn_run_summary *s) {
  dyn_problem problem = {m, p, NULL};
  dyn_run_options o = run_options(until, until / 10, tolerance, integrator);
  dyn_status status = dyn_run(&problem, &o, sink, NULL, x, s);
  char text[2000];
  dyn_run_summary_text(m, s, text, sizeof text);
  print_message("%s%s%s", text, s->message.text, s->message.text[0] ? "\n" : "");
  return status;
}

/* The angle of a pendulum from the horizontal start, by its own equation at a tight tolerance. */
FUNCTION(angle_rhs) {
  UNUSED;
  out[0] = x[1];
  out[1] = -9.81 * sin(x[0]);
  return DYN_OK;
}
static void reference_pendulum(double until, double *x) {
  dyn_model m = oscillator_model();
  m.rhs = angle_rhs;
  double angle[] = {3.14159265358979323846 / 2, 0}, p[] = {1, 1};
  dyn_problem problem = {&m, p, NULL};
  dyn_run_options o = run_options(until, until, 1e-13, "dop853");
  dyn_run_summary s = {0};
  assert_int_equal(dyn_run(&problem, &o, NULL, NULL, angle, &s), DYN_DONE);
  dyn_run_summary_clear(&s);
  x[0] = sin(angle[0]);
  x[1] = -cos(angle[0]);
  x[2] = angle[1] * cos(angle[0]);
  x[3] = angle[1] * sin(angle[0]);
}

static void test_pendulum(void **state) {
  (void)state;
  static const char *const names[] = {"dopri5", "dop853", "auto", "ida"};
  double reference[4];
  reference_pendulum(10, reference);
  for (int copies = 1; copies <= 2; copies++)
    for (int i = 0; i < 4; i++) {
      dyn_model m = cartesian_pendulum(copies);
      double x[4] = {1, 0, 0, 0};
      dyn_run_summary s = {0};
      assert_int_equal(run_model(&m, NULL, 10, 1e-9, names[i], NULL, x, &s), DYN_DONE);
      for (int j = 0; j < 4; j++) assert_close(x[j], reference[j], i == 3 ? 1e-4 : 1e-6);
      assert_close(x[0] * x[0] + x[1] * x[1], 1, 1e-14);
      if (i < 3) assert_true(s.largest_position_residual < 1e-14);
      assert_true(s.projections > 0);
      assert_int_equal(s.n_rank_changes, 0);
      assert_true(s.worst_position >= 0 && s.worst_velocity >= 0);
      dyn_run_summary_clear(&s);
    }
}

static void test_long_run(void **state) {
  (void)state;
  dyn_model m = cartesian_double_pendulum();
  double x[8] = {1, 0, 2, 0};
  dyn_run_summary s = {0};
  assert_int_equal(run_model(&m, NULL, 1000, 1e-8, "rk", NULL, x, &s), DYN_DONE);
  assert_true(s.largest_position_residual < 1e-12);
  assert_true(s.largest_velocity_residual < 1e-12);
  assert_true(s.invariants[0].largest < 1e-3);
  dyn_run_summary_clear(&s);
}

/* ---- A knife edge on an incline, turned at a constant rate: a cycloid ---- */
static const dyn_constraint edges[] = {{"edge", "x'*sin(θ) = y'*cos(θ)", "m/s", "multiplier(edge)",
                                        "W*s/m", DYN_CONSTRAINT_NONHOLONOMIC}};
FUNCTION(edge_velocity) {
  UNUSED;
  out[1] = sin(x[2]);
  out[2] = -cos(x[2]);
  out[3] = 0;
  out[0] = out[1] * x[3] + out[2] * x[4];
  return DYN_OK;
}
FUNCTION(edge_bias) {
  UNUSED;
  out[0] = x[5] * (cos(x[2]) * x[3] + sin(x[2]) * x[4]);
  return DYN_OK;
}
FUNCTION(edge_force) {
  UNUSED;
  out[0] = 2;
  out[1] = out[2] = 0;
  return DYN_OK;
}

static void test_knife_edge(void **state) {
  (void)state;
  static const char *const names[] = {"rk", "ida"};
  dyn_model m = {PLANE_HEAD("knife edge", 3),
                 .n_constraints = 1,
                 .constraint_rank = 1,
                 .constraints = edges,
                 .velocity_residuals = edge_velocity,
                 .constraint_bias = edge_bias,
                 .forcing = edge_force};
  for (int i = 0; i < 2; i++) {
    const double g = 2, w = 0.7, t = 10;
    double x[6] = {0, 0, 0, 0, 0, w};
    dyn_run_summary s = {0};
    assert_int_equal(run_model(&m, NULL, t, 1e-9, names[i], NULL, x, &s), DYN_DONE);
    assert_close(x[0], g / (2 * w * w) * pow(sin(w * t), 2), i ? 1e-5 : 1e-7);
    assert_close(x[1], g / (2 * w * w) * (w * t - 0.5 * sin(2 * w * t)), i ? 1e-5 : 1e-7);
    assert_true(s.worst_position == -1 && s.worst_velocity == 0);
    assert_true(s.largest_velocity_residual < (i ? 1e-6 : 1e-14));
    dyn_run_summary_clear(&s);
  }
}

/* x x' + y y' = 0 has the integral (x^2 + y^2)/2, which keeps its start value. */
static const dyn_position_equation integral[] = {{0, 1}};
FUNCTION(integral_position) {
  pendulum_position(model, t, x, u, p, work, out);
  out[0] += 100;
  return DYN_OK;
}
static void test_integral_keeps_its_start_value(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(1);
  m.position_equations = integral;
  m.position_residuals = integral_position;
  double x[4] = {1.5, 0, 0, 0};
  dyn_run_summary s = {0};
  assert_int_equal(run_model(&m, NULL, 50, 1e-4, "rk", NULL, x, &s), DYN_DONE);
  assert_close(hypot(x[0], x[1]), 1.5, 1e-14);
  dyn_run_summary_clear(&s);
}

static void test_stiff(void **state) {
  (void)state;
  dyn_model m = spring_pendulum(), rigid = cartesian_double_pendulum();
  double p[] = {1e8, 1e6}, end[8] = {1, 0, 2, 0};
  dyn_run_summary s = {0};
  assert_int_equal(run_model(&rigid, NULL, 2, 1e-10, "rk", NULL, end, &s), DYN_DONE);
  static const char *const names[] = {"ida", "auto"};
  for (int i = 0; i < 2; i++) {
    double x[8] = {1, 0, 2, 0};
    assert_int_equal(run_model(&m, p, 2, 1e-7, names[i], NULL, x, &s), DYN_DONE);
    for (int j = 0; j < 4; j++) assert_close(x[j], end[j], 1e-4);
    assert_close(x[0] * x[0] + x[1] * x[1], 1, 1e-14);
    assert_string_equal(s.integrator, "ida");
    assert_string_equal(s.linear_solver, "dense");
    assert_false(s.jacobian_is_exact);
    assert_int_equal(s.n_switches, i);
    assert_true(s.steps < 5000);
  }
  dyn_run_summary_clear(&s);
}

static void test_what_holds_no_constraints_is_refused(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(1), free_model = oscillator_model();
  static const char *const names[] = {"adams", "bdf"};
  dyn_run_summary s = {0};
  for (int i = 0; i < 2; i++) {
    double x[4] = {1, 0, 0, 0};
    assert_int_equal(run_model(&m, NULL, 1, 1e-8, names[i], NULL, x, &s), DYN_BAD_OPTION);
    assert_non_null(strstr(s.message.text, names[i]));
    assert_non_null(strstr(s.message.text, "rk"));
    assert_non_null(strstr(s.message.text, "ida"));
  }
  double y[2] = {1, 0}, p[] = {1, 1};
  assert_int_equal(run_model(&free_model, p, 1, 1e-8, "ida", NULL, y, &s), DYN_BAD_OPTION);
  double off[4] = {0.8, -0.8, 0, 0};
  assert_int_equal(run_model(&m, NULL, 1, 1e-8, "rk", NULL, off, &s), DYN_CONFLICT);
  assert_non_null(strstr(s.message.text, "rod"));
  assert_non_null(strstr(s.message.text, "0.28"));
  dyn_run_summary_clear(&s);
}

/* ---- x^2 = y^2: two lines that cross at the origin, where the constraint says nothing ---- */
static const dyn_constraint crossing[] = {
    {"cross", "x^2 = y^2", "m^2", "multiplier(cross)", "J/m^2", DYN_CONSTRAINT_POSITION}};
FUNCTION(cross_position) {
  UNUSED;
  out[0] = x[0] * x[0] - x[1] * x[1];
  out[1] = 2 * x[0];
  out[2] = -2 * x[1];
  return DYN_OK;
}
FUNCTION(cross_velocity) {
  UNUSED;
  out[0] = 2 * x[0] * x[2] - 2 * x[1] * x[3];
  out[1] = 2 * x[0];
  out[2] = -2 * x[1];
  return DYN_OK;
}
FUNCTION(cross_bias) {
  UNUSED;
  out[0] = 2 * x[2] * x[2] - 2 * x[3] * x[3];
  return DYN_OK;
}
static dyn_model cross_model(void) {
  return (dyn_model){PLANE_HEAD("crossing", 2),
                     .n_constraints = 1,
                     .n_position = 1,
                     .constraint_rank = 1,
                     .constraints = crossing,
                     .position_equations = all_position,
                     .position_residuals = cross_position,
                     .velocity_residuals = cross_velocity,
                     .constraint_bias = cross_bias,
                     .forcing = no_force};
}

static void test_rank_change_is_told(void **state) {
  (void)state;
  dyn_model m = cross_model();
  double x[4] = {1, 1, -1, -1};
  dyn_run_summary s = {0};
  assert_int_equal(run_model(&m, NULL, 2, 1e-8, "rk", NULL, x, &s), DYN_DONE);
  assert_close(x[0], -1, 1e-12);
  assert_close(x[1], -1, 1e-12);
  assert_true(s.n_rank_changes >= 1);
  assert_close(s.rank_changes[0].t, 1, 1e-6);
  assert_int_equal(s.rank_changes[0].from, 1);
  assert_int_equal(s.rank_changes[0].to, 0);
  char text[2000];
  dyn_run_summary_text(&m, &s, text, sizeof text);
  assert_non_null(strstr(text, "cross"));
  assert_non_null(strstr(text, "singular"));
  dyn_run_summary_clear(&s);
}

static void test_ida_at_a_singular_configuration(void **state) {
  (void)state;
  dyn_model m = cross_model();
  m.forcing = gravity;
  double x[4] = {1, 1, -1, -1};
  dyn_run_summary s = {0};
  dyn_status status = run_model(&m, NULL, 2, 1e-8, "ida", NULL, x, &s);
  if (status != DYN_DONE) {
    assert_int_equal(status, DYN_RANK_LOST);
    assert_non_null(strstr(s.message.text, "cross"));
  }
  dyn_run_summary_clear(&s);
}

FUNCTION(rank_lost_at_constraint) {
  UNUSED;
  return model->n_coordinates + 1;
}
static void test_failure_names_the_constraint(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(1);
  m.rhs = rank_lost_at_constraint;
  double x[4] = {1, 0, 0, 0};
  dyn_run_summary s = {0};
  assert_int_equal(run_model(&m, NULL, 1, 1e-8, "rk", NULL, x, &s), DYN_RANK_LOST);
  assert_non_null(strstr(s.message.text, "rod"));
  dyn_run_summary_clear(&s);
}

/* ---- Rows ---- */
struct seen {
  int64_t rows;
  double worst_row, worst_force;
};
static int check_row(void *user, const dyn_row *row) {
  struct seen *seen = user;
  const double *x = row->x;
  seen->rows++;
  seen->worst_row = fmax(seen->worst_row, fabs(x[0] * x[0] + x[1] * x[1] - 1));
  /* m v^2/l = tension - weight along the rod; the force on the mass is A^T λ = 2 λ (x, y). */
  double along = row->constraint_forces[0] * x[0] + row->constraint_forces[1] * x[1];
  double expected = -(x[2] * x[2] + x[3] * x[3]) + 9.81 * x[1];
  seen->worst_force = fmax(seen->worst_force, fabs(along - expected));
  return 0;
}
static void test_rows_are_projected(void **state) {
  (void)state;
  static const char *const names[] = {"dopri5", "dop853", "ida"};
  for (int i = 0; i < 3; i++)
    for (int copies = 1; copies <= 2; copies++) {
      dyn_model m = cartesian_pendulum(copies);
      struct seen seen = {0};
      dyn_sink sink = {.user = &seen, .row = check_row};
      double x[4] = {1, 0, 0, 0};
      dyn_problem problem = {&m, NULL, NULL};
      dyn_run_options o = run_options(2, 0.01, 1e-4, names[i]);
      dyn_run_summary s = {0};
      assert_int_equal(dyn_run(&problem, &o, &sink, NULL, x, &s), DYN_DONE);
      assert_int_equal(seen.rows, 201);
      assert_true(seen.worst_row < 1e-14);
      assert_true(seen.worst_force < 1e-12);
      assert_int_equal(s.rows_without_unique_multipliers, copies == 1 ? 0 : 201);
      dyn_run_summary_clear(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_long_run),
      cmocka_unit_test(test_knife_edge),
      cmocka_unit_test(test_integral_keeps_its_start_value),
      cmocka_unit_test(test_stiff),
      cmocka_unit_test(test_what_holds_no_constraints_is_refused),
      cmocka_unit_test(test_rank_change_is_told),
      cmocka_unit_test(test_ida_at_a_singular_configuration),
      cmocka_unit_test(test_failure_names_the_constraint),
      cmocka_unit_test(test_rows_are_projected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
