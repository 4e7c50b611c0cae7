/* Constraints and their multipliers against closed forms. */
#include "tests/unit/derive/build.h"

static void set_all(struct built *b, const char *const *names, const double *values) {
  for (int i = 0; names[i]; i++) built_set(b, names[i], values[i]);
}

/* Pendulum in Cartesian coordinates: λ = m (g y - v^2) / (2 l^2) where x^2 + y^2 - l^2 = 0. */
static void test_cartesian_pendulum(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "g", "9.81");
  built_parameter(&b, "l", "5");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x'^2 + y'^2)");
  built_energy(&b, ENERGY_POTENTIAL, "m*g*y");
  built_constraint(&b, "rod", CONSTRAINT_POSITION, "x^2 + y^2 - l^2");
  struct system *s = built_derive(&b);
  assert_int_equal(s->m, 1);
  assert_int_equal(s->positions, 1);
  assert_true(s->multiplier_force_is_transpose);
  assert_true(s->constraint[0] == built_formula(&b, "2*x*x' + 2*y*y'"));
  assert_true(s->constraint_jacobian[0] == built_formula(&b, "2*x"));
  assert_true(s->constraint_jacobian[1] == built_formula(&b, "2*y"));
  assert_true(s->multiplier_force[1] == built_formula(&b, "2*y"));
  assert_true(s->position_jacobian[1] == built_formula(&b, "2*y"));
  assert_true(s->constraint_bias[0] == built_formula(&b, "2*x'^2 + 2*y'^2"));
  static const char *const names[] = {"x", "y", "x'", "y'", "t", NULL};
  static const double at[] = {3, -4, 1.6, 1.2, 0};
  set_all(&b, names, at);
  double out[3];
  built_motion(&b, s, out);
  double lambda = 2 * (9.81 * -4 - 4.0) / (2 * 25);
  assert_near(out[2], lambda, 1e-14);
  assert_near(out[0], 3 * lambda, 1e-14);
  assert_near(out[1], -9.81 - 4 * lambda, 1e-14);
  system_free(s);
  built_clear(&b);
}

/* A rolling disc, lean θ from the vertical, yaw ψ, spin φ. */
static void build_disc(struct built *b) {
  static const char *const angles[] = {"ψ", "θ", "φ"};
  built_init(b);
  built_coordinate(b, "x", "m");
  built_coordinate(b, "y", "m");
  for (int i = 0; i < 3; i++) built_coordinate(b, angles[i], "rad");
  built_parameter(b, "m", "2");
  built_parameter(b, "g", "9.81");
  built_parameter(b, "r", "0.5");
  /* centre = (x + r sin ψ sin θ, y - r cos ψ sin θ, r cos θ) */
  built_energy(b, ENERGY_KINETIC,
               "1/2*m*((x' + r*ψ'*cos(ψ)*sin(θ) + r*θ'*sin(ψ)*cos(θ))^2"
               " + (y' + r*ψ'*sin(ψ)*sin(θ) - r*θ'*cos(ψ)*cos(θ))^2 + (r*θ'*sin(θ))^2)");
  built_energy(b, ENERGY_KINETIC,
               "1/2*m*r^2/4*(θ'^2 + ψ'^2*cos(θ)^2) + 1/2*m*r^2/2*(φ' + ψ'*sin(θ))^2");
  built_energy(b, ENERGY_POTENTIAL, "m*g*r*cos(θ)");
  built_constraint(b, "x", CONSTRAINT_VELOCITY, "x' - r*φ'*cos(ψ)");
  built_constraint(b, "y", CONSTRAINT_VELOCITY, "y' - r*φ'*sin(ψ)");
}

static void test_rolling_disc(void **state) {
  (void)state;
  struct built b;
  build_disc(&b);
  struct system *s = built_derive(&b);
  assert_int_equal(s->positions, 0);
  assert_true(s->energy_is_conserved); /* rolling does no work */
  static const char *const names[] = {"t",  "x",  "y",  "ψ",  "θ",  "φ",
                                      "x'", "y'", "ψ'", "θ'", "φ'", NULL};
  static const double at[] = {
      0, 0.1, -0.2, 0.4, 0.3, 0.7, 1.3815914910043277, 0.5841275134629758, 0.8, -0.5, 3.0};
  set_all(&b, names, at);
  double out[7];
  built_motion(&b, s, out);
  static const double right[] = {-0.6013706156631411, 1.048589895809117,   3.1402548046142567,
                                 7.570539843924543,   -0.2911177560784657, 1.6620850720181763,
                                 -4.258299486535672};
  for (int i = 0; i < 7; i++) assert_near(out[i], right[i], 1e-12);
  system_free(s);
  built_clear(&b);
}

/* A knife edge on an incline turns steadily, is driven along its blade and can't move sideways. */
static void test_knife_edge(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_coordinate(&b, "θ", "rad");
  built_parameter(&b, "m", "1.5");
  built_parameter(&b, "J", "0.2");
  built_parameter(&b, "k", "3");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x'^2 + y'^2) + 1/2*J*θ'^2");
  built_energy(&b, ENERGY_POTENTIAL, "-m*k*x");
  built_constraint(&b, "edge", CONSTRAINT_VELOCITY, "x'*sin(θ) - y'*cos(θ)");
  struct system *s = built_derive(&b);
  assert_true(s->constraint_bias[0] == built_formula(&b, "x'*θ'*cos(θ) + y'*θ'*sin(θ)"));
  double th = 0.6, v = 1.1, w = 0.7;
  static const char *const names[] = {"x", "y", "θ", "x'", "y'", "θ'", "t", NULL};
  double at[] = {0.2, 0.3, th, v * cos(th), v * sin(th), w, 0};
  set_all(&b, names, at);
  double out[4];
  built_motion(&b, s, out);
  double along = 3 * cos(th), lambda = -1.5 * (v * w + 3 * sin(th)); /* m v w = -λ - m k sin θ */
  assert_near(out[0], along * cos(th) - v * w * sin(th), 1e-13);
  assert_near(out[1], along * sin(th) + v * w * cos(th), 1e-13);
  assert_near(out[2], 0, 1e-13);
  assert_near(out[3], lambda, 1e-13);
  assert_non_null(built_invariant(s, "momentum of θ"));
  assert_null(built_invariant(s, "momentum of y"));
  assert_non_null(built_invariant(s, "energy"));
  system_free(s);
  built_clear(&b);
}

/* Double Atwood machine with a pulley that has no mass. */
static void build_atwood(struct built *b) {
  static const char *const names[] = {"y1", "yp", "y2", "y3"};
  built_init(b);
  for (int i = 0; i < 4; i++) built_coordinate(b, names[i], "m");
  built_parameter(b, "g", "9.81");
  built_energy(b, ENERGY_KINETIC, "1/2*4*y1'^2 + 1/2*3*y2'^2 + 1/2*y3'^2");
  built_energy(b, ENERGY_POTENTIAL, "-g*(4*y1 + 3*y2 + y3)");
  built_constraint(b, "upper", CONSTRAINT_POSITION, "y1 + yp - 2");
  built_constraint(b, "lower", CONSTRAINT_POSITION, "y2 + y3 - 2*yp - 1.5");
}

static void test_massless_pulley(void **state) {
  (void)state;
  struct built b;
  build_atwood(&b);
  struct system *s = built_derive(&b);
  static const double right[] = {9.81 / 7,      -9.81 / 7,          9.81 * 3 / 7,
                                 -9.81 * 5 / 7, -33.63428571428572, -16.81714285714286};
  double out[6];
  built_motion(&b, s, out);
  for (int i = 0; i < 6; i++) assert_near(out[i], right[i], 1e-14);
  assert_true(s->energy_is_conserved);
  system_free(s);
  built_clear(&b);
}

/* A block on a rough floor: m x'' = -μ N, with N the multiplier of y = 0. */
static void test_friction(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "g", "9.81");
  built_parameter(&b, "mu", "0.3");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x'^2 + y'^2)");
  built_energy(&b, ENERGY_POTENTIAL, "m*g*y");
  built_constraint(&b, "floor", CONSTRAINT_POSITION, "y");
  built_force(&b, "-mu*λ_floor*sign(x')", "x", false);
  struct system *s = built_derive(&b);
  assert_false(s->multiplier_force_is_transpose);
  assert_true(s->multiplier_force[0] == built_formula(&b, "-mu*sign(x')"));
  assert_true(s->multiplier_force[1] == built_formula(&b, "1"));
  assert_true(s->forcing[0] == built_formula(&b, "0"));
  assert_false(s->energy_is_conserved);
  built_set(&b, "x'", 1);
  double out[3];
  built_motion(&b, s, out);
  assert_near(out[0], -0.3 * 9.81, 1e-14);
  assert_near(out[1], 0, 1e-14);
  assert_near(out[2], 2 * 9.81, 1e-14);
  system_free(s);
  built_clear(&b);
}

/* x = z with z' = -z/T drives the block: x' = -z/T, x'' = z/T^2. */
static void test_state_in_a_constraint(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "T", "0.5");
  built_state(&b, "z");
  built_rate(&b, 0, "-z/T");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*x'^2");
  built_constraint(&b, "follow", CONSTRAINT_POSITION, "x - z");
  struct system *s = built_derive(&b);
  assert_true(s->constraint[0] == built_formula(&b, "x' + z/T"));
  assert_true(s->constraint_bias[0] == built_formula(&b, "-z/T^2"));
  assert_false(s->energy_is_conserved);
  built_set(&b, "z", 0.3);
  double out[2];
  built_motion(&b, s, out);
  assert_near(out[0], 1.2, 1e-14);
  assert_near(out[1], 2.4, 1e-14);
  system_free(s);
  built_clear(&b);
}

/* x1 = x0*cos(w*t) drives a mass on a spring to another. */
static void test_drive(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x1", "m");
  built_coordinate(&b, "x2", "m");
  built_parameter(&b, "x0", "0.1");
  built_parameter(&b, "w", "3");
  built_energy(&b, ENERGY_KINETIC, "1/2*x1'^2 + 1/2*x2'^2");
  built_energy(&b, ENERGY_POTENTIAL, "1/2*5*(x2 - x1)^2");
  built_constraint(&b, "drive", CONSTRAINT_POSITION, "x1 - x0*cos(w*t)");
  struct system *s = built_derive(&b);
  assert_true(s->constraint[0] == built_formula(&b, "x1' + x0*w*sin(w*t)"));
  assert_true(s->constraint_bias[0] == built_formula(&b, "x0*w^2*cos(w*t)"));
  assert_int_equal(s->invariant_count, 0);
  static const char *const names[] = {"x1", "x2", "x1'", "x2'", "t", NULL};
  static const double at[] = {0.1, 0.4, 0, 0.2, 0};
  set_all(&b, names, at);
  double out[3];
  built_motion(&b, s, out);
  assert_near(out[0], -0.9, 1e-14);
  assert_near(out[1], -1.5, 1e-14);
  assert_near(out[2], -0.9 - 1.5, 1e-14);
  system_free(s);
  built_clear(&b);
}

/* Chetaev's rule: speed held constant, x'^2 + y'^2 = v^2. The reaction acts along the velocity. */
static void test_nonlinear(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_energy(&b, ENERGY_KINETIC, "1/2*2*(x'^2 + y'^2)");
  built_energy(&b, ENERGY_POTENTIAL, "2*10*y");
  built_constraint(&b, "speed", CONSTRAINT_VELOCITY, "x'^2 + y'^2 - 25")->is_linear = false;
  struct system *s = built_derive(&b);
  assert_true(s->constraint_jacobian[0] == built_formula(&b, "2*x'"));
  assert_true(s->constraint_bias[0] == built_formula(&b, "0"));
  assert_false(s->energy_is_conserved);
  static const char *const names[] = {"x", "y", "x'", "y'", NULL};
  static const double at[] = {0, 0, 3, 4};
  set_all(&b, names, at);
  double out[3]; /* gravity without its part along the velocity */
  built_motion(&b, s, out);
  assert_near(out[0], 10 * 0.8 * 0.6, 1e-14);
  assert_near(out[1], -10 + 10 * 0.8 * 0.8, 1e-14);
  system_free(s);
  built_clear(&b);
}

/* An integral serves at position level beside the equations written there. */
static void test_integrals(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "φ", "rad");
  built_parameter(&b, "R", "0.3");
  built_energy(&b, ENERGY_KINETIC, "x'^2 + φ'^2");
  struct model_constraint *c = built_constraint(&b, "roll", CONSTRAINT_VELOCITY, "x' - R*φ'");
  c->integral = built_formula(&b, "x - R*φ");
  c->class = CLASS_EXACT;
  struct system *s = built_derive(&b);
  assert_int_equal(s->positions, 1);
  assert_int_equal(s->position_constraint[0], 0);
  assert_true(s->position_jacobian[1] == built_formula(&b, "-R"));
  assert_true(s->energy_is_conserved);
  system_free(s);
  built_clear(&b);
}

/* The same constraint twice: the arrays hold both, the mass is still determined. */
static void test_redundant(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_energy(&b, ENERGY_KINETIC, "x'^2");
  built_constraint(&b, "one", CONSTRAINT_POSITION, "x - y");
  built_constraint(&b, "two", CONSTRAINT_POSITION, "2*x - 2*y")->is_redundant = true;
  b.model.structure.rank = 1;
  struct system *s = built_derive(&b);
  assert_int_equal(s->m, 2);
  assert_int_equal(s->constraint_rank, 1);
  assert_true(s->constraint_jacobian[1] == built_formula(&b, "2"));
  system_free(s);
  built_clear(&b);
}

static void expect_fault(struct built *b, const char *first, const char *second) {
  char *text = built_fault(b, NULL);
  if (!strstr(text, first) || !strstr(text, second))
    fail_msg("'%s' and '%s' expected in:\n%s", first, second, text);
  free(text);
  built_clear(b);
}

static void test_coordinate_is_free(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_coordinate(&b, "s", "m");
  built_energy(&b, ENERGY_KINETIC, "x'^2");
  built_energy(&b, ENERGY_POTENTIAL, "s^2 + (x - s)^2");
  built_constraint(&b, "tie", CONSTRAINT_POSITION, "x - 2*y");
  expect_fault(&b, "coordinate 's' has no inertia", "E0704");
}

static void test_motion_is_free(void **state) {
  (void)state;
  struct built b;
  build_atwood(&b);
  b.model.constraints.items[0].residual = built_formula(&b, "y1 + y2 - 3");
  b.model.energies.items[0].value = built_formula(&b, "y1'^2 + y2'^2");
  expect_fault(&b, "error[E0711]: the constraints allow a motion without inertia",
               "the coordinates 'yp' and 'y3' can move together so that no mass moves and all "
               "constraints hold");
}

static void test_mass_is_zero(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_coordinate(&b, "z", "m");
  built_parameter(&b, "m", "0");
  built_energy(&b, ENERGY_KINETIC, "x'^2 + m*(y'^2 + z'^2)");
  built_constraint(&b, "tie", CONSTRAINT_POSITION, "x + y + z");
  expect_fault(&b, "without inertia with these values of the parameters",
               "give 'm' a value other than 0");
}

static void test_reaction_is_taken_away(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_energy(&b, ENERGY_KINETIC, "x'^2 + y'^2");
  built_constraint(&b, "wall", CONSTRAINT_POSITION, "x");
  built_force(&b, "-λ_wall", "x", false);
  expect_fault(&b, "the reactions of the constraints can't act", "E0712");
}

/* A state whose rate is a multiplier, inside a momentum: linear is fine, a square is not. */
static void build_mass_by_multiplier(struct built *b, const char *rate) {
  built_init(b);
  built_coordinate(b, "x", "m");
  built_coordinate(b, "y", "m");
  built_state(b, "z");
  built_energy(b, ENERGY_KINETIC, "1/2*z*x'^2 + y'^2");
  built_constraint(b, "floor", CONSTRAINT_POSITION, "x + y");
  built_rate(b, 0, rate);
}

static void test_multiplier_in_a_momentum(void **state) {
  (void)state;
  struct built b;
  build_mass_by_multiplier(&b, "3*λ_floor");
  struct system *s = built_derive(&b);
  assert_true(s->multiplier_force[0] == built_formula(&b, "1 - 3*x'"));
  system_free(s);
  built_clear(&b);
  build_mass_by_multiplier(&b, "λ_floor^2");
  expect_fault(&b, "is not linear in the accelerations and multipliers", "E0710");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cartesian_pendulum),
      cmocka_unit_test(test_rolling_disc),
      cmocka_unit_test(test_knife_edge),
      cmocka_unit_test(test_massless_pulley),
      cmocka_unit_test(test_friction),
      cmocka_unit_test(test_state_in_a_constraint),
      cmocka_unit_test(test_drive),
      cmocka_unit_test(test_nonlinear),
      cmocka_unit_test(test_integrals),
      cmocka_unit_test(test_redundant),
      cmocka_unit_test(test_coordinate_is_free),
      cmocka_unit_test(test_motion_is_free),
      cmocka_unit_test(test_mass_is_zero),
      cmocka_unit_test(test_reaction_is_taken_away),
      cmocka_unit_test(test_multiplier_in_a_momentum),
  };
  return cmocka_run_group_tests_name("constraints", tests, NULL, NULL);
}
