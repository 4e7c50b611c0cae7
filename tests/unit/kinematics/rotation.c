/* Rotations: closed forms, standard forms of frames, and random trees against matrices that are
 * made in doubles without any merging. */
#include "tests/unit/kinematics/support.h"

static struct motion motion;
static struct motion *const m = &motion;

static int set_up(void **state) {
  (void)state;
  motion_init(m);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  motion_clear(m);
  return 0;
}

static expr zero(void) {
  return integer(m, 0);
}

/* ---- single turns */

static void test_turns_about_coordinate_axes(void **state) {
  (void)state;
  expr q = motion_coordinate(m, "q");
  for (int axis = 0; axis < 3; axis++) {
    expr r[9];
    frame_rotation(m->k, turned(m, FRAME_WORLD, axis, q), FRAME_WORLD, r);
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    assert_same(m, r[axis + 3 * axis], integer(m, 1));
    assert_same(m, r[i + 3 * i], cosine(m, q));
    assert_same(m, r[j + 3 * j], cosine(m, q));
    assert_same(m, r[j + 3 * i], sine(m, q)); /* axis i turns towards axis j */
    assert_same(m, r[i + 3 * j], expr_negate(m->g, sine(m, q)));
    assert_same(m, r[axis + 3 * i], zero());
    assert_same(m, r[j + 3 * axis], zero());
  }
}

static void test_three_four_zero_axis(void **state) {
  (void)state;
  expr q = motion_coordinate(m, "q"), r[9];
  frame_id f = frame_rotated(m->k, FRAME_WORLD, (expr[]){integer(m, 6), integer(m, 8), zero()}, q);
  frame_rotation(m->k, f, FRAME_WORLD, r);
  assert_prints(m, r[0], "0.64*cos(q) + 0.36");
  assert_prints(m, r[1], "0.48 - 0.48*cos(q)");
  assert_prints(m, r[2], "-0.8*sin(q)");
  assert_same(m, r[8], cosine(m, q));
  expr c[3];
  vector_components(m->k, vector3(m, f, integer(m, 3), integer(m, 4), zero()), FRAME_WORLD, c);
  assert_same(m, c[0], integer(m, 3)); /* the axis stays */
  assert_same(m, c[1], integer(m, 4));
  assert_same(m, c[2], zero());
}

static void test_euler_parameters(void **state) {
  (void)state;
  expr p[4], r[9];
  const char *names[] = {"e0", "e1", "e2", "e3"};
  for (int i = 0; i < 4; i++) p[i] = motion_coordinate(m, names[i]);
  frame_rotation(m->k, frame_oriented(m->k, FRAME_WORLD, p), FRAME_WORLD, r);
  double e[4], want[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, got[9], square[9];
  for (int i = 0; i < 4; i++) e[i] = motion_value(m, p[i]);
  const double skew[9] = {0, e[3], -e[2], -e[3], 0, e[1], e[2], -e[1], 0};
  matrix_times(skew, skew, square);
  for (int i = 0; i < 9; i++) want[i] += 2 * e[0] * skew[i] + 2 * square[i];
  expr_evaluate(m->g, r, 9, motion_symbol_value, m, got);
  assert_all_near(got, want, 9, 1e-14);
  assert_int_equal(
      frame_oriented(m->k, FRAME_WORLD, (expr[]){integer(m, 1), zero(), zero(), zero()}),
      FRAME_WORLD);
}

/* ---- standard forms */

static void test_turns_about_one_axis_merge(void **state) {
  (void)state;
  expr a = motion_coordinate(m, "a"), b = motion_coordinate(m, "b");
  frame_id A = turned(m, FRAME_WORLD, 2, a), B = turned(m, A, 2, b);
  assert_int_equal(frame_parent(m->k, B), FRAME_WORLD);
  assert_int_equal(B, turned(m, FRAME_WORLD, 2, expr_add(m->g, a, b)));
  assert_int_equal(turned(m, B, 2, expr_negate(m->g, b)), A);
  assert_int_equal(turned(m, A, 2, expr_negate(m->g, a)), FRAME_WORLD);
  assert_int_equal(turned(m, A, 1, zero()), A);
  assert_int_equal(frame_parent(m->k, turned(m, A, 1, b)), A);
  expr r[9];
  frame_rotation(m->k, B, A, r);
  assert_same(m, r[0], cosine(m, b));
  assert_same(m, r[1], sine(m, b));
  /* The same beneath a turn about another axis, and through two of them. */
  frame_id C = turned(m, FRAME_WORLD, 0, a), D = turned(m, C, 2, a), E = turned(m, C, 2, b);
  frame_rotation(m->k, turned(m, D, 0, a), turned(m, E, 0, a), r);
  double got[9], want[9], turn[9], third[9];
  expr_evaluate(m->g, r, 9, motion_symbol_value, m, got);
  double alpha = motion_value(m, a), beta = motion_value(m, b);
  matrix_turn((const double[]){0, 0, 1}, alpha - beta, turn);
  matrix_turn((const double[]){1, 0, 0}, alpha, third);
  matrix_times(turn, third, want);
  matrix_transposed(third, third);
  matrix_times(third, want, want);
  assert_all_near(got, want, 9, 1e-14);
}

static frame_id about(expr x, expr y, expr z, expr angle) {
  return frame_rotated(m->k, FRAME_WORLD, (expr[]){x, y, z}, angle);
}

static void test_axes_in_standard_form(void **state) {
  (void)state;
  expr q = motion_coordinate(m, "q"), minus = expr_negate(m->g, q);
  expr l = motion_parameter(m, "l"), b = motion_parameter(m, "b");
  frame_id z = turned(m, FRAME_WORLD, 2, q);
  assert_int_equal(about(zero(), zero(), integer(m, -7), minus), z);
  assert_int_equal(about(zero(), zero(), expr_sqrt(m->g, l), q), z);
  assert_int_equal(about(zero(), zero(), times(m, integer(m, -2), times(m, l, l)), minus), z);
  frame_id slanted = about(integer(m, 1), integer(m, -2), zero(), q);
  assert_int_equal(about(integer(m, -3), integer(m, 6), zero(), minus), slanted);
  expr root = expr_sqrt(m->g, integer(m, 2));
  assert_int_equal(about(root, times(m, integer(m, -2), root), zero(), q), slanted);
  frame_id cone = about(cosine(m, b), zero(), sine(m, b), q);
  expr l2 = times(m, l, l);
  assert_int_equal(about(times(m, l2, cosine(m, b)), zero(), times(m, l2, sine(m, b)), q), cone);
  expr k[3] = {expr_negate(m->g, cosine(m, b)), zero(), expr_negate(m->g, sine(m, b))};
  assert_int_equal(frame_rotated(m->k, FRAME_WORLD, k, minus), cone);
  assert_int_equal(frame_rotated(m->k, cone, k, q), FRAME_WORLD);
  expr r[9];
  frame_rotation(m->k, cone, FRAME_WORLD, r);
  assert_same(m, r[4], cosine(m, q));
}

/* A factor whose sign is not known decides which way the turn goes. */
static void test_sign_of_a_parameter(void **state) {
  (void)state;
  expr q = motion_coordinate(m, "q"), s = motion_parameter(m, "s"), two = integer(m, 2);
  motion_entry(m, s)->taylor[0] = -0.4;
  frame_id frames[3] = {about(zero(), s, zero(), q), about(s, times(m, two, s), zero(), q),
                        about(s, expr_add(m->g, s, integer(m, 1)), zero(), q)};
  const double axes[3][3] = {{0, -0.4, 0}, {-0.4, -0.8, 0}, {-0.4, 0.6, 0}};
  for (int i = 0; i < 3; i++) {
    double got[9], want[9];
    motion_rotation(m, frames[i], FRAME_WORLD, got);
    matrix_turn(axes[i], motion_value(m, q), want);
    assert_all_near(got, want, 9, 1e-14);
  }
}

/* ---- random trees */

enum { FRAMES = 40 };

struct known {
  frame_id id;
  double to_world[9];
};

static expr random_angle(const expr *q) {
  switch ((int)(4 * fabs(motion_random(m)))) {
  case 0:
    return q[0];
  case 1:
    return expr_subtract(m->g, q[1], q[2]);
  case 2:
    return times(m, q[1], q[3]);
  default:
    return expr_ratio(m->g, (long)(20 * motion_random(m)) | 1, 7);
  }
}

/* Often equal to an earlier one, so that turns merge. */
static void random_axis(expr p, expr axis[3]) {
  for (int i = 0; i < 3; i++) axis[i] = zero();
  int kind = (int)(6 * fabs(motion_random(m)));
  if (kind < 3) {
    axis[kind] = integer(m, motion_random(m) < 0 ? -2 : 1);
    return;
  }
  axis[0] = kind == 5 ? p : integer(m, 2);
  axis[1] = integer(m, kind == 5 ? -1 : 3);
  if (kind == 4) axis[2] = expr_negate(m->g, axis[1]);
}

static struct known random_frame(const struct known *parent, const expr *q, expr p) {
  struct known result;
  double turn[9], a[3];
  if (motion_random(m) > 0.85) {
    expr angle = random_angle(q);
    expr e[4] = {cosine(m, angle), zero(), times(m, sine(m, angle), cosine(m, q[3])),
                 times(m, sine(m, angle), sine(m, q[3]))};
    result.id = frame_oriented(m->k, parent->id, e);
    double tilt = motion_value(m, q[3]);
    const double n[3] = {0, cos(tilt), sin(tilt)};
    matrix_turn(n, 2 * motion_value(m, angle), turn);
  } else {
    expr axis[3], angle = random_angle(q);
    random_axis(p, axis);
    result.id = frame_rotated(m->k, parent->id, axis, angle);
    for (int i = 0; i < 3; i++) a[i] = motion_value(m, axis[i]);
    matrix_turn(a, motion_value(m, angle), turn);
  }
  matrix_times(parent->to_world, turn, result.to_world);
  return result;
}

static void check_pair(const struct known *of, const struct known *in) {
  double got[9], want[9], square[9];
  motion_rotation(m, of->id, in->id, got);
  matrix_transposed(in->to_world, want);
  matrix_times(want, of->to_world, want);
  assert_all_near(got, want, 9, 1e-12);
  matrix_transposed(got, square);
  matrix_times(got, square, square);
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  assert_all_near(square, identity, 9, 1e-12);
}

static void test_random_trees(void **state) {
  (void)state;
  const char *names[] = {"q0", "q1", "q2", "q3"};
  expr q[4], p = motion_parameter(m, "p");
  for (int i = 0; i < 4; i++) q[i] = motion_coordinate(m, names[i]);
  struct known frames[FRAMES] = {{FRAME_WORLD, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  for (int round = 0; round < 6; round++) {
    for (int i = 1; i < FRAMES; i++) {
      int from = round % 2 ? i - 1 : (int)(i * fabs(motion_random(m)));
      frames[i] = random_frame(&frames[from], q, p);
    }
    for (int i = 0; i < FRAMES; i++)
      for (int j = 0; j < FRAMES; j += 3) check_pair(&frames[i], &frames[j]);
  }
}

/* ---- published sequences */

/* Body-fixed x y z, and the other order, at one state: R row by row. */
static void test_body_and_space_fixed_sequences(void **state) {
  (void)state;
  expr a[3];
  const char *names[] = {"a1", "a2", "a3"};
  const double at[3] = {0.4, -0.7, 1.1};
  for (int i = 0; i < 3; i++) motion_set(m, a[i] = motion_coordinate(m, names[i]), at[i], 0, 0);
  frame_id body = FRAME_WORLD, space = FRAME_WORLD;
  for (int i = 0; i < 3; i++) {
    body = turned(m, body, i, a[i]);
    space = turned(m, space, 2 - i, a[2 - i]);
  }
  const double body_rows[9] = {0.346929449654899,  -0.6816329865934229, -0.644217687237691,
                               0.7070625945451847, 0.6413670487431938,  -0.2978435767000479,
                               0.6162000035355246, -0.3521715212423859, 0.7044663052755917};
  const double space_rows[9] = {0.346929449654899,  -0.9346500792965607, 0.07790498208126086,
                                0.6816329865934229, 0.19421234020899747, -0.7054488206087492,
                                0.644217687237691,  0.2978435767000479,  0.7044663052755917};
  double got[9];
  motion_rotation(m, FRAME_WORLD, body, got); /* the transposed matrix: rows as columns */
  assert_all_near(got, body_rows, 9, 1e-14);
  motion_rotation(m, FRAME_WORLD, space, got);
  assert_all_near(got, space_rows, 9, 1e-14);
}

/* Goldstein, Classical Mechanics, 2nd ed., eq. 4-46: from space to body axes. */
static void test_goldstein_euler_angles(void **state) {
  (void)state;
  expr phi = motion_coordinate(m, "phi"), theta = motion_coordinate(m, "theta"),
       psi = motion_coordinate(m, "psi");
  frame_id f = turned(m, turned(m, turned(m, FRAME_WORLD, 2, phi), 0, theta), 2, psi);
  expr r[9];
  frame_rotation(m->k, FRAME_WORLD, f, r);
  assert_prints(m, r[0], "cos(phi)*cos(psi) - sin(phi)*cos(theta)*sin(psi)");
  assert_prints(m, r[1], "-sin(phi)*cos(theta)*cos(psi) - cos(phi)*sin(psi)");
  assert_prints(m, r[2], "sin(phi)*sin(theta)");
  assert_prints(m, r[3], "cos(phi)*cos(theta)*sin(psi) + sin(phi)*cos(psi)");
  assert_prints(m, r[5], "-cos(phi)*sin(theta)");
  assert_prints(m, r[6], "sin(theta)*sin(psi)");
  assert_prints(m, r[7], "sin(theta)*cos(psi)");
  assert_prints(m, r[8], "cos(theta)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_turns_about_coordinate_axes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_three_four_zero_axis, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_euler_parameters, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_turns_about_one_axis_merge, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_axes_in_standard_form, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_sign_of_a_parameter, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_random_trees, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_body_and_space_fixed_sequences, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_goldstein_euler_angles, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
