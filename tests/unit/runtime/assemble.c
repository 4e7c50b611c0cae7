/* Start states: solvable, redundant and conflicting equations, and the metric of the change. */
#include "models.h"

/* Two coordinates a, b with the mass matrix diag(p0, p1), a state z, and a choice of equations. */
static const dyn_variable pair_q[] = {{"a", "m", "", 0}, {"b", "m", "", 0}};
static const dyn_variable pair_v[] = {{"a'", "m/s", "", 0}, {"b'", "m/s", "", 0}};
static const dyn_variable pair_a[] = {{"a''", "m/s^2", "", 0}, {"b''", "m/s^2", "", 0}};
static const dyn_variable pair_z[] = {{"z", "1", "", 0}};
static const dyn_variable pair_p[] = {{"m1", "kg", "", 1}, {"m2", "kg", "", 1}};
static const dyn_condition position_texts[] = {{"first"}, {"second"}, {"third"}};
static const dyn_condition velocity_texts[] = {{"a' + b' = 3"}, {"a' = 2*b'"}};

FUNCTION(pair_rhs) {
  UNUSED;
  memset(out, 0, 5 * sizeof *out);
  return DYN_OK;
}
FUNCTION(pair_mass) {
  UNUSED;
  out[0] = p[0];
  out[1] = out[2] = 0;
  out[3] = p[1];
  return DYN_OK;
}
static dyn_model pair_model(dyn_function *position, int32_t n_position, dyn_function *velocity,
                            int32_t n_velocity) {
  return (dyn_model){MODEL_HEAD("pair"),
                     .n_coordinates = 2,
                     .n_rates = 1,
                     .n_state = 5,
                     .n_parameters = 2,
                     .coordinates = pair_q,
                     .velocities = pair_v,
                     .accelerations = pair_a,
                     .rates = pair_z,
                     .parameters = pair_p,
                     .rhs = pair_rhs,
                     .mass_matrix = pair_mass,
                     .initial_position = position_texts,
                     .initial_velocity = velocity_texts,
                     .n_initial_position = n_position,
                     .initial_position_equations = position,
                     .n_initial_velocity = n_velocity,
                     .initial_velocity_equations = velocity};
}

static dyn_status assemble(const dyn_model *m, const double *p, double *x, dyn_assembly *a) {
  dyn_problem problem = {m, p, NULL};
  return dyn_start_assemble(&problem, 0, x, a);
}

FUNCTION(sum_is_ten) { /* a + b = 10 */
  UNUSED;
  out[0] = x[0] + x[1] - 10;
  out[1] = out[2] = 1;
  out[3] = 0;
  return DYN_OK;
}
FUNCTION(velocity_sum) { /* a' + b' = 3 */
  UNUSED;
  out[0] = x[2] + x[3] - 3;
  out[1] = out[2] = 1;
  return DYN_OK;
}

/* Least m1 da^2 + m2 db^2 with da + db = 10: da/db = m2/m1. */
static void test_change_is_shared_by_mass(void **state) {
  (void)state;
  dyn_model m = pair_model(sum_is_ten, 1, velocity_sum, 1);
  double p[] = {1, 4}, x[5] = {0, 0, 0, 0, 7};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, p, x, &a), DYN_DONE);
  assert_close(x[0], 8, 1e-12);
  assert_close(x[1], 2, 1e-12);
  assert_close(x[2], 2.4, 1e-12);
  assert_close(x[3], 0.6, 1e-12);
  assert_true(x[4] == 7);
  assert_int_equal(a.position_rank, 1);
  assert_int_equal(a.velocity_rank, 1);
  assert_int_equal(a.n_moved, 4);
  char text[1000];
  size_t length = dyn_assembly_text(&m, &a, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_non_null(strstr(text, "the start value of a moved from 0 to 8 m (by 8)\n"));
  assert_non_null(strstr(text, "the start value of b' moved from 0 to 0.6 m/s (by 0.6)\n"));
  dyn_assembly_clear(&a);
}

static void test_massless_coordinate_has_unit_weight(void **state) {
  (void)state;
  dyn_model m = pair_model(sum_is_ten, 1, NULL, 0);
  double p[] = {4, 0}, x[5] = {0};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, p, x, &a), DYN_DONE);
  assert_close(x[0], 2, 1e-12); /* weights 4 and 1 */
  assert_close(x[1], 8, 1e-12);
  dyn_assembly_clear(&a);
}

FUNCTION(circle) { /* a^2 + b^2 = 1 */
  UNUSED;
  out[0] = x[0] * x[0] + x[1] * x[1] - 1;
  out[1] = 2 * x[0];
  out[2] = 2 * x[1];
  out[3] = 0;
  return DYN_OK;
}

static void test_nearest_point_of_a_circle(void **state) {
  (void)state;
  static const double starts[][2] = {{3, 4}, {0.03, 0.04}, {30, 40}, {0.6, 0.8}};
  for (size_t i = 0; i < 4; i++) {
    dyn_model m = pair_model(circle, 1, NULL, 0);
    double p[] = {2, 2}, x[5] = {starts[i][0], starts[i][1]};
    dyn_assembly a = {0};
    assert_int_equal(assemble(&m, p, x, &a), DYN_DONE);
    assert_close(x[0], 0.6, 1e-9);
    assert_close(x[1], 0.8, 1e-9);
    assert_int_equal(a.n_moved, i < 3 ? 2 : 0);
    dyn_assembly_clear(&a);
  }
}

/* Nearest in the metric diag(1, 9): (x - x0) m is parallel to the gradient. */
static void test_nearest_point_in_the_metric(void **state) {
  (void)state;
  dyn_model m = pair_model(circle, 1, NULL, 0);
  double p[] = {1, 9}, x[5] = {1.5, 1};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, p, x, &a), DYN_DONE);
  assert_close(hypot(x[0], x[1]), 1, 1e-13);
  assert_close(1 * (x[0] - 1.5) * x[1] - 9 * (x[1] - 1) * x[0], 0, 1e-8);
  dyn_assembly_clear(&a);
}

/* The centre is as far from every point: any of them will do, but it must get away. */
static void test_start_on_a_singularity(void **state) {
  (void)state;
  dyn_model m = pair_model(circle, 1, NULL, 0);
  double p[] = {1, 1}, x[5] = {0, 0};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, p, x, &a), DYN_DONE);
  assert_close(hypot(x[0], x[1]), 1, 1e-12);
  dyn_assembly_clear(&a);
}

FUNCTION(redundant) { /* a = 2, b = 5, a + b = 7 in other units */
  UNUSED;
  out[0] = x[0] - 2;
  out[1] = x[1] - 5;
  out[2] = 1e6 * (x[0] + x[1] - 7);
  static const double rows[] = {1, 0, 0, 0, 1, 0, 1e6, 1e6, 0};
  memcpy(out + 3, rows, sizeof rows);
  return DYN_OK;
}
FUNCTION(contradiction) { /* a = 2, b = 5, a + b = 8 */
  redundant(model, t, x, u, p, work, out);
  out[2] = x[0] + x[1] - 8;
  out[9] = out[10] = 1;
  return DYN_OK;
}
FUNCTION(impossible_circle) { /* a^2 + b^2 = -1, and z = 4 */
  circle(model, t, x, u, p, work, out);
  double row[3] = {out[1], out[2], 0};
  out[0] += 2;
  out[1] = x[4] - 4;
  memcpy(out + 2, row, sizeof row);
  out[5] = out[6] = 0;
  out[7] = 1;
  return DYN_OK;
}

static void test_redundant_equations_agree(void **state) {
  (void)state;
  dyn_model m = pair_model(redundant, 3, NULL, 0);
  double p[] = {1, 3}, x[5] = {0};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, p, x, &a), DYN_DONE);
  assert_close(x[0], 2, 1e-12);
  assert_close(x[1], 5, 1e-12);
  assert_int_equal(a.position_rank, 2);
  dyn_assembly_clear(&a);
}

static void test_conflict_names_the_equations(void **state) {
  (void)state;
  dyn_model m = pair_model(contradiction, 3, NULL, 0);
  double p[] = {1, 1}, x[5] = {0};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, p, x, &a), DYN_CONFLICT);
  assert_int_equal(a.n_failed, 3);
  print_message("%s\n", a.message.text);
  assert_non_null(strstr(a.message.text, "first"));
  assert_non_null(strstr(a.message.text, " and third"));
  assert_non_null(strstr(a.message.text, " cannot hold at once"));
  m = pair_model(impossible_circle, 2, NULL, 0);
  x[0] = 1;
  assert_int_equal(assemble(&m, p, x, &a), DYN_CONFLICT);
  assert_int_equal(a.n_failed, 1); /* z = 4 holds at the best point */
  assert_int_equal(a.failed[0].condition, 0);
  assert_close(a.failed[0].residual, 1, 1e-3);
  assert_close(x[4], 4, 1e-9);
  char text[500];
  dyn_assembly_text(&m, &a, text, sizeof text);
  assert_string_equal(text, "  first: residual 1 at the best point, 29.5625 at the start values\n");
  assert_string_equal(a.message.text, "first (off by 1) cannot hold");
  dyn_assembly_clear(&a);
}

FUNCTION(velocity_squared) { /* a'^2 = 4: not linear, and singular at rest */
  UNUSED;
  out[0] = x[2] * x[2] - 4;
  out[1] = 2 * x[2];
  out[2] = 0;
  return DYN_OK;
}
FUNCTION(velocity_conflict) { /* 0 = 1, whatever the velocities are */
  UNUSED;
  out[0] = 1;
  out[1] = out[2] = 0;
  return DYN_OK;
}

static void test_velocity_equations(void **state) {
  (void)state;
  dyn_model m = pair_model(NULL, 0, velocity_squared, 1);
  double p[] = {1, 1}, x[5] = {1, 2, 0, 3, 4};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, p, x, &a), DYN_DONE);
  assert_close(fabs(x[2]), 2, 1e-10);
  assert_close(x[3], 3, 1e-8);
  assert_true(x[0] == 1 && x[1] == 2 && x[4] == 4);
  m = pair_model(NULL, 0, velocity_conflict, 1);
  assert_int_equal(assemble(&m, p, x, &a), DYN_CONFLICT);
  assert_int_equal(a.n_failed, 1);
  assert_true(a.failed[0].is_velocity);
  dyn_assembly_clear(&a);
}

FUNCTION(no_number) {
  UNUSED;
  out[0] = sqrt(-1 - x[0] * x[0]);
  out[1] = out[2] = out[3] = 1;
  return DYN_OK;
}
FUNCTION(rank_lost) {
  UNUSED;
  return 2;
}

static void test_equations_that_cannot_be_evaluated(void **state) {
  (void)state;
  dyn_model m = pair_model(no_number, 1, NULL, 0);
  double p[] = {1, 1}, x[5] = {0};
  dyn_assembly a = {0};
  assert_int_equal(assemble(&m, p, x, &a), DYN_OUT_OF_RANGE);
  m = pair_model(rank_lost, 1, NULL, 0);
  assert_int_equal(assemble(&m, p, x, &a), DYN_RANK_LOST);
  assert_non_null(strstr(a.message.text, "lost rank at b"));
  dyn_assembly_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_change_is_shared_by_mass),
      cmocka_unit_test(test_massless_coordinate_has_unit_weight),
      cmocka_unit_test(test_nearest_point_of_a_circle),
      cmocka_unit_test(test_nearest_point_in_the_metric),
      cmocka_unit_test(test_start_on_a_singularity),
      cmocka_unit_test(test_redundant_equations_agree),
      cmocka_unit_test(test_conflict_names_the_equations),
      cmocka_unit_test(test_velocity_equations),
      cmocka_unit_test(test_equations_that_cannot_be_evaluated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
