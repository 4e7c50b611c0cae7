/* Angular velocities, derivatives in frames, accelerations: closed forms from books, numbers of
 * published problems, and differences of rotation matrices and of components in time. */
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

static void assert_components(vector_id v, frame_id in, const double want[3], double tolerance) {
  double got[3];
  motion_components(m, v, in, got);
  assert_all_near(got, want, 3, tolerance);
}

/* ---- sequences of three turns */

struct sequence {
  expr q[3], rate[3];
  frame_id frames[4];
};

static struct sequence make_sequence(int a, int b, int c) {
  struct sequence s = {{0}, {0}, {FRAME_WORLD}};
  const char *names[] = {"q1", "q2", "q3"};
  const int axes[] = {a, b, c};
  for (int i = 0; i < 3; i++) s.q[i] = motion_coordinate(m, names[i]);
  for (int i = 0; i < 3; i++) {
    s.rate[i] = motion_rate(m, s.q[i], 1);
    s.frames[i + 1] = turned(m, s.frames[i], axes[i], s.q[i]);
  }
  return s;
}

/* Goldstein, 2nd ed., eq. 4-125 and its space-fixed form. */
static void test_sequence_3_1_3(void **state) {
  (void)state;
  struct sequence s = make_sequence(2, 0, 2);
  vector_id omega = frame_omega(m->k, s.frames[3], FRAME_WORLD);
  expr c[3];
  vector_components(m->k, omega, s.frames[3], c);
  double phi = motion_value(m, s.q[0]), theta = motion_value(m, s.q[1]),
         psi = motion_value(m, s.q[2]), dphi = motion_value(m, s.rate[0]),
         dtheta = motion_value(m, s.rate[1]), dpsi = motion_value(m, s.rate[2]);
  assert_prints(m, c[2], "q1'*cos(q2) + q3'");
  const double body[3] = {dphi * sin(theta) * sin(psi) + dtheta * cos(psi),
                          dphi * sin(theta) * cos(psi) - dtheta * sin(psi),
                          dphi * cos(theta) + dpsi};
  const double space[3] = {dtheta * cos(phi) + dpsi * sin(theta) * sin(phi),
                           dtheta * sin(phi) - dpsi * sin(theta) * cos(phi),
                           dpsi * cos(theta) + dphi};
  assert_components(omega, s.frames[3], body, 1e-14);
  assert_components(omega, FRAME_WORLD, space, 1e-14);
}

/* Kane, Likins, Levinson, Spacecraft Dynamics, appendix II: body-three 3-2-1. */
static void test_sequence_3_2_1(void **state) {
  (void)state;
  struct sequence s = make_sequence(2, 1, 0);
  expr c[3];
  vector_components(m->k, frame_omega(m->k, s.frames[3], FRAME_WORLD), s.frames[3], c);
  struct expr_graph *g = m->g;
  expr s2 = sine(m, s.q[1]), c2 = cosine(m, s.q[1]), s3 = sine(m, s.q[2]), c3 = cosine(m, s.q[2]);
  assert_same(m, c[0], expr_subtract(g, s.rate[2], times(m, s.rate[0], s2)));
  assert_same(
      m, c[1],
      expr_add(g, expr_product(g, (expr[]){s.rate[0], c2, s3}, 3), times(m, s.rate[1], c3)));
  assert_same(
      m, c[2],
      expr_subtract(g, expr_product(g, (expr[]){s.rate[0], c2, c3}, 3), times(m, s.rate[1], s3)));
}

/* Body-fixed and space-fixed x y z at one state; the derivative of the body components is that of
 * the vector, since omega x omega is zero. */
static void test_published_sequences(void **state) {
  (void)state;
  expr a[3];
  const char *names[] = {"a1", "a2", "a3"};
  const double at[3][3] = {{0.4, 0.9, 0.2}, {-0.7, -0.6, 0.5}, {1.1, 1.3, -0.8}};
  for (int i = 0; i < 3; i++)
    motion_set(m, a[i] = motion_coordinate(m, names[i]), at[i][0], at[i][1], at[i][2]);
  frame_id body = FRAME_WORLD, space = FRAME_WORLD;
  for (int i = 0; i < 3; i++) {
    body = turned(m, body, i, a[i]);
    space = turned(m, space, 2 - i, a[2 - i]);
  }
  static const double want[2][3][3] = {
      {{-0.2224879113474521, -0.8856273607894269, 0.7202040814860781},
       {0.06251700659100164, -0.9398332461117933, 0.6821551914730789},
       {-0.7941219069783346, 0.6897367820937044, -1.341858318581162}},
      {{1.7374829934089984, -0.1654399466916688, 1.1494572022434595},
       {0.8469609207262703, 0.3413120150787341, 1.879795918513922},
       {0.2812027562917481, 1.0610883742575066, -1.0722100143741788}}};
  for (int i = 0; i < 2; i++) {
    frame_id f = i == 0 ? body : space;
    assert_components(frame_omega(m->k, f, FRAME_WORLD), f, want[i][0], 1e-14);
    assert_components(frame_omega(m->k, f, FRAME_WORLD), FRAME_WORLD, want[i][1], 1e-14);
    assert_components(frame_alpha(m->k, f, FRAME_WORLD), f, want[i][2], 1e-14);
  }
}

/* ---- published problems */

/* r d_y - l c_x with d turned about x, c about d_y. */
static void test_point_in_three_frames(void **state) {
  (void)state;
  expr a = motion_coordinate(m, "a"), b = motion_coordinate(m, "b");
  expr r = motion_parameter(m, "r"), l = motion_parameter(m, "l");
  motion_set(m, a, 0.5, 1.2, -0.6);
  motion_set(m, b, -0.9, 0.8, 0.3);
  motion_set(m, r, 0.7, 0, 0);
  motion_set(m, l, 0.4, 0, 0);
  frame_id d = turned(m, FRAME_WORLD, 0, a), c = turned(m, d, 1, b);
  vector_id p = vector_subtract(m->k, vector_scale(m->k, r, unit_vector(m, d, 1)),
                                vector_scale(m->k, l, unit_vector(m, c, 0)));
  vector_id v = vector_derivative(m->k, p, FRAME_WORLD);
  const double position[3] = {-0.24864398730826578, 0.7, -0.31333076385099334};
  const double velocity[3] = {-0.2506646110807947, 0.375996916621192, 1.0389151898466127};
  const double acceleration[3] = {0.0651329227219921, -1.6733949139424664, 0.3063211850025459};
  assert_components(p, d, position, 1e-14);
  assert_components(v, d, velocity, 1e-14);
  assert_components(vector_derivative(m->k, v, FRAME_WORLD), d, acceleration, 1e-14);
}

static frame_id yaw_pitch_roll(const double at[3], const double rates[3], const double seconds[3]) {
  frame_id f = FRAME_WORLD;
  const char *names[] = {"yaw", "pitch", "roll"};
  expr q[3];
  for (int i = 0; i < 3; i++)
    motion_set(m, q[i] = motion_coordinate(m, names[i]), at[i], rates[i], seconds[i]);
  for (int i = 0; i < 3; i++) f = turned(m, f, 2 - i, q[i]);
  return f;
}

/* A free body seen from a point away from its mass centre. */
static void test_offset_mass_centre(void **state) {
  (void)state;
  expr c[3] = {expr_decimal(m->g, "0.3"), expr_decimal(m->g, "-0.1"), expr_decimal(m->g, "0.2")};
  frame_id f =
      yaw_pitch_roll((const double[]){0.4, 0.2, -0.6},
                     (const double[]){2.0875326303875803, 0.5515500163532959, 1.6147287106919543},
                     (const double[]){0.3024712495650574, -1.604880942134127, 2.028519500340975});
  const double omega[3] = {1.2, -0.7, 2}, alpha[3] = {0.84, 1.8666666666666667, 0.28};
  assert_components(frame_omega(m->k, f, FRAME_WORLD), f, omega, 1e-14);
  assert_components(frame_alpha(m->k, f, FRAME_WORLD), f, alpha, 1e-14);
  vector_id offset = vector_in(m->k, f, c),
            gravity = vector3(m, FRAME_WORLD, zero(), zero(), expr_decimal(m->g, "-9.81"));
  vector_id second =
      vector_derivative(m->k, vector_derivative(m->k, offset, FRAME_WORLD), FRAME_WORLD);
  const double want[3] = {0.3022452193306696, 0.2965202291828474, -9.788159086064189};
  assert_components(vector_subtract(m->k, gravity, second), FRAME_WORLD, want, 1e-14);
}

/* Body rates against a turning planet, from the inertial ones: the sign of the cross product. */
static void test_rates_against_a_planet(void **state) {
  (void)state;
  const double w[3] = {0.26, 0.05, -0.1}, dw[3] = {0.01, -0.02, 0.03};
  double turning = w[1] * sin(0.4) + w[2] * cos(0.4);
  const double rates[3] = {turning / cos(-0.3), w[1] * cos(0.4) - w[2] * sin(0.4),
                           w[0] + turning * tan(-0.3)};
  expr c[3];
  const char *names[] = {"w1", "w2", "w3"};
  for (int i = 0; i < 3; i++) motion_set(m, c[i] = motion_coordinate(m, names[i]), w[i], dw[i], 0);
  frame_id f = yaw_pitch_roll((const double[]){0.7, -0.3, 0.4}, rates, (const double[3]){0});
  assert_components(frame_omega(m->k, f, FRAME_WORLD), f, w, 1e-15);
  vector_id planet = vector3(m, FRAME_WORLD, zero(), zero(), expr_decimal(m->g, "0.07292115"));
  vector_id relative = vector_subtract(m->k, vector_in(m->k, f, c), planet);
  const double want[3] = {0.23845032668201746, 0.022871468922985697, -0.164165009926082};
  const double rate[3] = {0.01592110360400553, -0.03883786991257957, 0.03597593441412459};
  assert_components(relative, f, want, 1e-14);
  assert_components(vector_derivative(m->k, relative, f), f, rate, 1e-14);
}

/* ---- differences in time */

enum { LINKS = 9 };

/* A tree of all kinds of turns; Euler parameters that stay on the unit sphere. */
static void make_tree(frame_id frames[LINKS]) {
  expr q[LINKS], s = motion_parameter(m, "s"), one = integer(m, 1), two = integer(m, 2);
  for (int i = 0; i < LINKS; i++) {
    char name[8];
    snprintf(name, sizeof name, "q%d", i);
    q[i] = motion_coordinate(m, name);
  }
  expr a = expr_ratio(m->g, 3, 7);
  expr e[4] = {cosine(m, q[4]), times(m, sine(m, q[4]), cosine(m, q[5])),
               expr_product(m->g, (expr[]){sine(m, q[4]), sine(m, q[5]), cosine(m, a)}, 3),
               expr_product(m->g, (expr[]){sine(m, q[4]), sine(m, q[5]), sine(m, a)}, 3)};
  frames[0] = FRAME_WORLD;
  frames[1] = turned(m, FRAME_WORLD, 2, q[0]);
  frames[2] = turned(m, frames[1], 0, expr_add(m->g, q[1], times(m, q[2], q[0])));
  frames[3] = frame_rotated(m->k, frames[2], (expr[]){one, two, two}, q[2]);
  frames[4] = frame_oriented(m->k, frames[1], e);
  frames[5] = turned(m, frames[4], 1, q[3]);
  frames[6] = frame_rotated(m->k, frames[5], (expr[]){s, one, zero()}, q[6]);
  frames[7] = turned(m, frames[2], 1, q[7]);
  frames[8] = turned(m, frames[7], 2, q[8]);
}

/* Fourth order. */
static void difference(void (*at)(void *user, double *out), void *user, int count, double *out) {
  static const double nodes[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
  const double h = 1e-3;
  double value[9], centre = m->time;
  memset(out, 0, (size_t)count * sizeof *out);
  for (int i = 0; i < 4; i++) {
    m->time = centre + nodes[i] * h;
    at(user, value);
    for (int j = 0; j < count; j++) out[j] += weights[i] * value[j] / (12 * h);
  }
  m->time = centre;
}

struct pair {
  frame_id of, in;
  vector_id v;
};

static void rotation_at(void *user, double *out) {
  struct pair *pair = user;
  motion_rotation(m, pair->of, pair->in, out);
}

static void components_at(void *user, double *out) {
  struct pair *pair = user;
  motion_components(m, pair->v, pair->in, out);
}

/* dR/dt R^T = [omega]x; the derivative of omega's components in `in` is alpha. */
static void check_omega(struct pair pair) {
  double rotation[9], rate[9], want[3], got[3];
  difference(rotation_at, &pair, 9, rate);
  motion_rotation(m, pair.of, pair.in, rotation);
  matrix_transposed(rotation, rotation);
  matrix_times(rate, rotation, rate);
  for (int i = 0; i < 3; i++) want[i] = rate[(i + 2) % 3 + 3 * ((i + 1) % 3)];
  pair.v = frame_omega(m->k, pair.of, pair.in);
  motion_components(m, pair.v, pair.in, got);
  assert_all_near(got, want, 3, 1e-8);
  difference(components_at, &pair, 3, want);
  motion_components(m, frame_alpha(m->k, pair.of, pair.in), pair.in, got);
  assert_all_near(got, want, 3, 1e-8);
}

static void test_omega_of_all_pairs(void **state) {
  (void)state;
  frame_id frames[LINKS];
  make_tree(frames);
  for (int i = 0; i < LINKS; i++)
    for (int j = 0; j < LINKS; j++) check_omega((struct pair){frames[i], frames[j], VECTOR_ZERO});
}

static vector_id test_vector(const frame_id frames[LINKS]) {
  vector_id v = VECTOR_ZERO;
  expr x = motion_coordinate(m, "x"), y = motion_coordinate(m, "y");
  for (int i = 0; i < LINKS; i++) {
    expr c[3] = {i % 2 ? x : integer(m, i), times(m, x, y), i % 3 ? zero() : y};
    v = vector_add(m->k, v, vector_in(m->k, frames[i], c));
  }
  return v;
}

/* Derivatives in every frame against differences of components there, and among one another:
 * dv/dt in A = dv/dt in B + omega(B, A) x v. */
static void test_transport_theorem(void **state) {
  (void)state;
  frame_id frames[LINKS];
  make_tree(frames);
  vector_id v = test_vector(frames);
  for (int i = 0; i < LINKS; i++) {
    struct pair pair = {0, frames[i], v};
    double want[3], got[3];
    difference(components_at, &pair, 3, want);
    assert_components(vector_derivative(m->k, v, frames[i]), frames[i], want, 1e-8);
    for (int j = 0; j < LINKS; j++) {
      vector_id turned_part = vector_cross(m->k, frame_omega(m->k, frames[j], frames[i]), v);
      vector_id other = vector_add(m->k, vector_derivative(m->k, v, frames[j]), turned_part);
      motion_components(m, vector_derivative(m->k, v, frames[i]), frames[2], got);
      assert_components(other, frames[2], got, 1e-12);
    }
  }
}

/* dR/dt R^T, the derivative taken by the rules of calculus. */
static void rotation_rate(frame_id f, double out[3]) {
  expr c[9];
  double r[9], rate[9];
  motion_rotation(m, f, FRAME_WORLD, r);
  frame_rotation(m->k, f, FRAME_WORLD, c);
  for (int i = 0; i < 9; i++) rate[i] = motion_value(m, expr_tangent_of(m->rate, c[i]));
  matrix_transposed(r, r);
  matrix_times(rate, r, rate);
  for (int i = 0; i < 3; i++) out[i] = rate[(i + 2) % 3 + 3 * ((i + 1) % 3)];
}

/* Euler parameters with their names alone: both forms agree on the unit sphere, in motion. */
static void test_euler_parameter_rates(void **state) {
  (void)state;
  double e[4], rate[4], dot = 0, square = 0;
  expr p[4];
  const char *names[] = {"e0", "e1", "e2", "e3"};
  for (int i = 0; i < 4; i++) {
    e[i] = motion_random(m);
    square += e[i] * e[i];
  }
  for (int i = 0; i < 4; i++) {
    e[i] /= sqrt(square);
    rate[i] = motion_random(m);
    dot += e[i] * rate[i];
  }
  for (int i = 0; i < 4; i++)
    motion_set(m, p[i] = motion_coordinate(m, names[i]), e[i], rate[i] - dot * e[i], 0);
  frame_id f = frame_oriented(m->k, FRAME_WORLD, p);
  expr spin = motion_coordinate(m, "spin"), c[3];
  frame_id wheel = turned(m, f, 1, spin);
  vector_id omega = frame_omega(m->k, f, FRAME_WORLD);
  vector_components(m->k, omega, FRAME_WORLD, c);
  assert_prints(m, c[0], "2*e0*e1' - 2*e1*e0' + 2*e2*e3' - 2*e3*e2'");
  vector_components(m->k, omega, f, c);
  assert_prints(m, c[0], "2*e0*e1' - 2*e1*e0' - 2*e2*e3' + 2*e3*e2'");
  double r[9], w[3], got[3];
  rotation_rate(f, w);
  assert_components(omega, FRAME_WORLD, w, 1e-14);
  /* Known in the frame, brought to the world by the matrix. */
  motion_rotation(m, f, FRAME_WORLD, r);
  motion_components(m, omega, f, w);
  matrix_apply(r, w, w);
  assert_components(omega, FRAME_WORLD, w, 1e-14);
  for (int i = 0; i < 3; i++) w[i] += r[i + 3] * motion_value(m, motion_rate(m, spin, 1));
  motion_components(m, frame_omega(m->k, wheel, FRAME_WORLD), FRAME_WORLD, got);
  assert_all_near(got, w, 3, 1e-14);
  vector_components(m->k, frame_omega(m->k, wheel, FRAME_WORLD), FRAME_WORLD, c);
  assert_prints(m, c[0], "2*e0*e1' + 2*spin'*(e1*e2 - e0*e3) - 2*e1*e0' + 2*e2*e3' - 2*e3*e2'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_sequence_3_1_3, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_sequence_3_2_1, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_published_sequences, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_point_in_three_frames, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_offset_mass_centre, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_rates_against_a_planet, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_omega_of_all_pairs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_transport_theorem, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_euler_parameter_rates, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
