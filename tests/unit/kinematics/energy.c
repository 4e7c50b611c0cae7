/* Kinetic energies and angular momenta against closed forms and against sums in doubles. */
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

static frame_id three_turns(const char *const names[3], const int axes[3]) {
  frame_id f = FRAME_WORLD;
  expr q[3];
  for (int i = 0; i < 3; i++) q[i] = motion_coordinate(m, names[i]);
  for (int i = 0; i < 3; i++) f = turned(m, f, axes[i], q[i]);
  return f;
}

static frame_id euler_frame(void) {
  return three_turns((const char *const[]){"psi", "theta", "phi"}, (const int[]){2, 0, 2});
}

/* ---- closed forms */

/* Goldstein, 2nd ed., eq. 5-52. */
static void test_symmetric_top(void **state) {
  (void)state;
  frame_id f = euler_frame();
  expr a = motion_parameter(m, "A"), c = motion_parameter(m, "C");
  expr energy = kinetic_of_rotation(m->k, f, (expr[]){a, a, c, zero(), zero(), zero()},
                                    frame_omega(m->k, f, FRAME_WORLD));
  assert_prints(m, energy,
                "1/2*C*(psi'*cos(theta) + phi')^2 + 1/2*A*(psi'^2*sin(theta)^2 + theta'^2)");
}

static void test_sphere_and_rod(void **state) {
  (void)state;
  frame_id f = euler_frame();
  expr i = motion_parameter(m, "I");
  vector_id omega = frame_omega(m->k, f, FRAME_WORLD);
  expr sphere = kinetic_of_rotation(m->k, f, (expr[]){i, i, i, zero(), zero(), zero()}, omega);
  assert_same(m, sphere, kinetic_of_translation(m->k, i, omega));
  assert_int_equal(inertia_times(m->k, f, (expr[]){i, i, i, zero(), zero(), zero()}, omega),
                   vector_scale(m->k, i, omega));
  expr rod = kinetic_of_rotation(m->k, f, (expr[]){i, i, zero(), zero(), zero(), zero()}, omega);
  assert_prints(m, rod, "1/2*I*(psi'^2*sin(theta)^2 + theta'^2)");
}

static void test_pendulums(void **state) {
  (void)state;
  expr l = motion_parameter(m, "l"), mass = motion_parameter(m, "m");
  expr a = motion_coordinate(m, "a"), b = motion_coordinate(m, "b"), x = motion_coordinate(m, "x");
  frame_id A = turned(m, FRAME_WORLD, 2, a), B = turned(m, FRAME_WORLD, 2, b);
  vector_id down = vector3(m, A, zero(), expr_negate(m->g, l), zero());
  vector_id two = vector_add(m->k, down, vector3(m, B, zero(), expr_negate(m->g, l), zero()));
  vector_id cart = vector_add(m->k, down, vector3(m, FRAME_WORLD, x, zero(), zero()));
  expr energy = kinetic_of_translation(m->k, mass, vector_derivative(m->k, two, FRAME_WORLD));
  assert_prints(m, energy, "1/2*m*(2*l^2*a'*b'*cos(a - b) + l^2*a'^2 + l^2*b'^2)");
  energy = kinetic_of_translation(m->k, mass, vector_derivative(m->k, cart, FRAME_WORLD));
  assert_prints(m, energy, "1/2*m*(l^2*a'^2 + 2*l*a'*x'*cos(a) + x'^2)");
  assert_same(m, vector_dot(m->k, unit_vector(m, FRAME_WORLD, 1), down),
              expr_negate(m->g, times(m, l, cosine(m, a))));
  expr inertia[6] = {l, mass, l, zero(), zero(), zero()};
  energy = kinetic_of_rotation(m->k, A, inertia, frame_omega(m->k, A, FRAME_WORLD));
  assert_prints(m, energy, "1/2*l*a'^2");
}

/* Polar coordinates of a spherical pendulum. */
static void test_spherical_pendulum(void **state) {
  (void)state;
  expr l = motion_parameter(m, "l"), mass = motion_parameter(m, "m");
  expr a = motion_coordinate(m, "a"), b = motion_coordinate(m, "b");
  frame_id f = turned(m, turned(m, FRAME_WORLD, 2, a), 0, b);
  vector_id v =
      vector_derivative(m->k, vector3(m, f, zero(), zero(), expr_negate(m->g, l)), FRAME_WORLD);
  assert_prints(m, kinetic_of_translation(m->k, mass, v), "1/2*m*(l^2*a'^2*sin(b)^2 + l^2*b'^2)");
}

/* ---- numbers */

static void test_general_tensor(void **state) {
  (void)state;
  frame_id f = three_turns((const char *const[]){"a", "b", "c"}, (const int[]){2, 1, 0});
  const char *names[] = {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
  expr inertia[6];
  double value[6], w[3], momentum[3], got[3];
  for (int i = 0; i < 6; i++) {
    inertia[i] = motion_parameter(m, names[i]);
    value[i] = motion_value(m, inertia[i]);
  }
  vector_id omega = frame_omega(m->k, f, FRAME_WORLD);
  motion_components(m, omega, f, w);
  const double tensor[9] = {value[0], value[3], value[4], value[3], value[1],
                            value[5], value[4], value[5], value[2]};
  matrix_apply(tensor, w, momentum);
  double energy = motion_value(m, kinetic_of_rotation(m->k, f, inertia, omega));
  assert_near(energy, dot3(w, momentum) / 2, 1e-13);
  vector_id product = inertia_times(m->k, f, inertia, omega);
  motion_components(m, product, f, got);
  assert_all_near(got, momentum, 3, 1e-13);
  assert_near(motion_value(m, vector_dot(m->k, omega, product)) / 2, energy, 1e-13);
}

/* A tensor that is symmetric about its frame's last axis of turning gives the same values there as
 * with that turn. */
static void test_axis_of_symmetry(void **state) {
  (void)state;
  frame_id f = euler_frame();
  expr a = motion_parameter(m, "A"), c = motion_parameter(m, "C");
  double w[3], got[3];
  for (int axis = 0; axis < 3; axis++) {
    expr inertia[6] = {a, a, a, zero(), zero(), zero()};
    inertia[axis] = c;
    vector_id omega = frame_omega(m->k, f, FRAME_WORLD);
    motion_components(m, omega, f, w);
    motion_components(m, inertia_times(m->k, f, inertia, omega), f, got);
    double energy = 0;
    for (int i = 0; i < 3; i++) {
      double value = motion_value(m, inertia[i]);
      assert_near(got[i], value * w[i], 1e-14);
      energy += value * w[i] * w[i] / 2;
    }
    assert_near(motion_value(m, kinetic_of_rotation(m->k, f, inertia, omega)), energy, 1e-14);
  }
}

/* Moments 1, 2, 3 with body rates (0.3, 1.1, 0.2), free of torque: 2T, H^2, and H is constant. At
 * the state yaw = pitch = roll = 0. */
static void test_free_body(void **state) {
  (void)state;
  const double w[3] = {0.3, 1.1, 0.2}, dw[3] = {-0.22, 0.06, -0.11};
  expr q[3];
  const char *names[] = {"roll", "pitch", "yaw"};
  const double second[3] = {dw[0] + w[2] * w[1], dw[1] - w[2] * w[0], dw[2] + w[1] * w[0]};
  for (int i = 0; i < 3; i++)
    motion_set(m, q[i] = motion_coordinate(m, names[i]), 0, w[i], second[i]);
  frame_id f = turned(m, turned(m, turned(m, FRAME_WORLD, 2, q[2]), 1, q[1]), 0, q[0]);
  expr inertia[6] = {integer(m, 1), integer(m, 2), integer(m, 3), zero(), zero(), zero()};
  vector_id omega = frame_omega(m->k, f, FRAME_WORLD),
            momentum = inertia_times(m->k, f, inertia, omega);
  double rate[3];
  assert_near(2 * motion_value(m, kinetic_of_rotation(m->k, f, inertia, omega)), 2.63, 1e-14);
  assert_near(motion_value(m, vector_dot(m->k, momentum, momentum)), 5.29, 1e-14);
  motion_components(m, frame_alpha(m->k, f, FRAME_WORLD), f, rate);
  assert_all_near(rate, dw, 3, 1e-14);
  motion_components(m, vector_derivative(m->k, momentum, FRAME_WORLD), FRAME_WORLD, rate);
  assert_all_near(rate, (const double[3]){0}, 3, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_symmetric_top, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_sphere_and_rod, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_pendulums, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_spherical_pendulum, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_general_tensor, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_axis_of_symmetry, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_free_body, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
