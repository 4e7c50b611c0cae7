/* Start states of constrained models: what is stated is kept if guesses can give way, what the
 * start values violate is told, conflicts name constraints, redundancy and singular starts. */
#include "constrained.h"

static dyn_status assemble(const dyn_model *m, double *x, dyn_assembly *a) {
  dyn_problem problem = {m, NULL, NULL};
  dyn_status status = dyn_start_assemble(&problem, 0, x, a);
  char text[2000];
  dyn_assembly_text(m, a, text, sizeof text);
  print_message("%s\n%s", a->message.text, text);
  return status;
}

static void assert_text(const dyn_model *m, const dyn_assembly *a, const char *part) {
  char text[2000];
  dyn_assembly_text(m, a, text, sizeof text);
  if (!strstr(text, part)) fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void test_nearest_configuration(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(1);
  double x[4] = {0.8, -0.8, 0, 0}, root = sqrt(0.5);
  m.coordinates = plane_stated;
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, x, &a), DYN_DONE);
  assert_close(x[0], root, 1e-12);
  assert_close(x[1], -root, 1e-12);
  assert_int_equal(a.n_violated, 1);
  assert_close(a.violated[0].at_start, 0.28, 1e-14);
  assert_true(a.moved[0].is_stated);
  assert_text(&m, &a, "the start values violate the constraint rod: residual 0.28 m^2\n");
  assert_text(&m, &a, "the start value of x moved from 0.8 to 0.707106781 m");
  assert_int_equal(a.constraint_rank, 1);
  assert_int_equal(a.dependent_constraint, -1);
  dyn_assembly_clear(&a);
}

static const dyn_condition given_point[] = {{"x = 0.8"}, {"y = -0.8"}};
FUNCTION(point_is_given) {
  UNUSED;
  static const double rows[] = {1, 0, 0, 1};
  out[0] = x[0] - 0.8;
  out[1] = x[1] + 0.8;
  memcpy(out + 2, rows, sizeof rows);
  return DYN_OK;
}

static void test_conflict_with_initial_equations(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(1);
  double x[4] = {0.8, -0.8, 0, 0};
  m.n_initial_position = 2;
  m.initial_position = given_point;
  m.initial_position_equations = point_is_given;
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, x, &a), DYN_CONFLICT);
  assert_non_null(strstr(a.message.text, "no configuration found"));
  assert_non_null(strstr(a.message.text, "the constraint rod"));
  assert_non_null(strstr(a.message.text, "0.28"));
  assert_text(&m, &a, "the constraint rod: residual ");
  assert_text(&m, &a, "0.28 m^2 at the start values");
  assert_text(&m, &a, "x = 0.8: residual ");
  dyn_assembly_clear(&a);
}

/* ---- A linkage of lengths 0.3, 0.4, 0.2 over a ground that is too long ---- */
static const dyn_constraint loop[] = {
    {"loop_x", "", "m", "multiplier(loop_x)", "N", DYN_CONSTRAINT_POSITION},
    {"loop_y", "", "m", "multiplier(loop_y)", "N", DYN_CONSTRAINT_POSITION}};
static const double bars[] = {0.3, 0.4, -0.2};
static double ground = 1.2;
FUNCTION(loop_position) {
  UNUSED;
  out[0] = -ground;
  out[1] = 0;
  for (int j = 0; j < 3; j++) {
    out[0] += bars[j] * cos(x[j]);
    out[1] += bars[j] * sin(x[j]);
    out[2 + j] = -bars[j] * sin(x[j]);
    out[5 + j] = bars[j] * cos(x[j]);
  }
  return DYN_OK;
}
FUNCTION(loop_velocity) {
  loop_position(model, t, x, u, p, work, out);
  for (int i = 0; i < 2; i++) {
    out[i] = 0;
    for (int j = 0; j < 3; j++) out[i] += out[2 + 3 * i + j] * x[3 + j];
  }
  return DYN_OK;
}
static dyn_model loop_model(void) {
  return (dyn_model){PLANE_HEAD("loop", 3),
                     .n_constraints = 2,
                     .n_position = 2,
                     .constraint_rank = 2,
                     .constraints = loop,
                     .position_equations = all_position,
                     .position_residuals = loop_position,
                     .velocity_residuals = loop_velocity,
                     .constraint_bias = pendulum_bias,
                     .forcing = no_force};
}

static void test_least_gap(void **state) {
  (void)state;
  dyn_model m = loop_model();
  double x[6] = {0.4, 0.2, 1.0};
  dyn_assembly a = {0};
  ground = 1.2;
  assert_int_equal(assemble(&m, x, &a), DYN_CONFLICT);
  assert_non_null(strstr(a.message.text, "no configuration found"));
  assert_non_null(strstr(a.message.text, "loop_x (off by 0.3, at the start values by 0.64) cannot hold"));
  assert_close(a.failed[0].residual, -0.3, 1e-10);
  assert_close(cos(x[0]), 1, 1e-9);
  assert_close(cos(x[2]), -1, 1e-9);
  assert_text(&m, &a, "loop_y: holds at the best point, 0.027999 m at the start values");
  dyn_assembly_clear(&a);
}

/* The loop just closes: all bars in line, where loop_x says nothing. */
static void test_singular_start(void **state) {
  (void)state;
  dyn_model m = loop_model();
  double x[6] = {0, 0, 3.14159265358979323846};
  dyn_assembly a = {0};
  ground = 0.9;
  assert_int_equal(assemble(&m, x, &a), DYN_DONE);
  assert_int_equal(a.constraint_rank, 1);
  assert_int_equal(a.dependent_constraint, 0);
  assert_text(&m, &a, "singular: the constraint loop_x depends");
  dyn_assembly_clear(&a);
  double y[6] = {0.4, 0.2, 1.0};
  ground = 0.5;
  assert_int_equal(assemble(&m, y, &a), DYN_DONE);
  assert_int_equal(a.constraint_rank, 2);
  dyn_assembly_clear(&a);
}

static const dyn_variable x_stated[] = {{"x", "m", "", 0, DYN_START_GIVEN}, {"y", "m", "", 0}};
static const dyn_variable x_rate_stated[] = {{"x'", "m/s", "", 0, DYN_START_GIVEN},
                                             {"y'", "m/s", "", 0}};

static void test_stated_values_are_kept(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(1);
  m.coordinates = x_stated;
  m.velocities = x_rate_stated;
  double x[4] = {0.6, -0.5, 2, 0};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, x, &a), DYN_DONE);
  assert_true(x[0] == 0.6 && x[2] == 2);
  assert_close(x[1], -0.8, 1e-14);
  assert_close(x[3], 1.5, 1e-14);
  assert_int_equal(a.n_moved, 2);
  assert_false(a.moved[0].is_stated || a.moved[1].is_stated);
  char text[500];
  dyn_assembly_text(&m, &a, text, sizeof text);
  assert_null(strstr(text, "violate")); /* guesses do as a rule */
  dyn_assembly_clear(&a);
  double far[4] = {2, -0.5, 0, 0}; /* no y there */
  assert_int_equal(assemble(&m, far, &a), DYN_DONE);
  assert_close(hypot(far[0], far[1]), 1, 1e-14);
  assert_close(far[1] / far[0], -0.25, 1e-8);
  dyn_assembly_clear(&a);
  /* What the caller states counts as well. */
  dyn_problem problem = {&m, NULL, NULL, (const unsigned char[]){0, 1, 0, 0}};
  double y[4] = {0.5, -0.8, 0, 0};
  m.coordinates = plane_q;
  assert_int_equal(dyn_start_assemble(&problem, 0, y, &a), DYN_DONE);
  assert_true(y[1] == -0.8);
  assert_close(y[0], 0.6, 1e-14);
  dyn_assembly_clear(&a);
}

static void test_redundant_constraints(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(2);
  double x[4] = {0.8, -0.8, 1, 0};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, x, &a), DYN_DONE);
  assert_close(hypot(x[0], x[1]), 1, 1e-14);
  assert_close(x[0] * x[2] + x[1] * x[3], 0, 1e-14);
  assert_close(x[2], 0.5, 1e-12); /* half of it was along the rod */
  assert_int_equal(a.position_rank, 1);
  assert_int_equal(a.constraint_rank, 1);
  assert_int_equal(a.dependent_constraint, -1);
  dyn_assembly_clear(&a);
}

/* ---- x'^2 + y'^2 = 4: nonlinear in the velocities ---- */
static const dyn_constraint speed[] = {{"speed", "", "m^2/s^2", "multiplier(speed)", "kg/s",
                                        DYN_CONSTRAINT_NONHOLONOMIC | DYN_CONSTRAINT_NONLINEAR}};
FUNCTION(speed_velocity) {
  UNUSED;
  out[0] = x[2] * x[2] + x[3] * x[3] - 4;
  out[1] = 2 * x[2];
  out[2] = 2 * x[3];
  return DYN_OK;
}
static void test_nonlinear_velocity_constraint(void **state) {
  (void)state;
  dyn_model m = cartesian_pendulum(1);
  m.constraints = speed;
  m.n_position = 0;
  m.velocity_residuals = speed_velocity;
  double x[4] = {1, 1, 3, 4};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, x, &a), DYN_DONE);
  assert_close(x[2], 1.2, 1e-10);
  assert_close(x[3], 1.6, 1e-10);
  assert_true(x[0] == 1 && x[1] == 1);
  dyn_assembly_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nearest_configuration),
      cmocka_unit_test(test_conflict_with_initial_equations),
      cmocka_unit_test(test_least_gap),
      cmocka_unit_test(test_singular_start),
      cmocka_unit_test(test_stated_values_are_kept),
      cmocka_unit_test(test_redundant_constraints),
      cmocka_unit_test(test_nonlinear_velocity_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
