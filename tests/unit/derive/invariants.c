/* Which first integrals are claimed, which are not, and that the claimed ones are constant along
 * the motion: dI/dt by the chain rule in numbers, with accelerations from M q'' = f. */
#include "tests/unit/derive/build.h"

static void set_everything(struct built *b, double shift) {
  built_set(b, "t", 0.4 + shift);
  for (uint32_t i = 0; i < b->model.coordinates.count; i++) {
    char name[80];
    const char *base = b->model.coordinates.items[i].id.name;
    built_set(b, base, 0.7 + 0.2 * i + shift);
    snprintf(name, sizeof name, "%s'", base);
    built_set(b, name, 0.9 - 0.5 * i - shift);
  }
  for (uint32_t i = 0; i < b->model.states.count; i++)
    built_set(b, b->model.states.items[i].id.name, 0.3 + shift);
  for (uint32_t i = 0; i < b->model.inputs.count; i++)
    built_set(b, b->model.inputs.items[i].id.name, 1.3 - shift);
}

/* The rate of change of an expression along the motion. */
static double rate_along_motion(struct built *b, const struct system *s, expr value) {
  double a[12], rate = 0;
  built_accelerations(b, s, a);
  for (uint32_t i = 0; i < s->n; i++) {
    const struct model_coordinate *c = &b->model.coordinates.items[i];
    rate +=
        built_value(b, expr_derivative(s->graph, value, c->position)) * built_value(b, c->velocity);
    rate += built_value(b, expr_derivative(s->graph, value, c->velocity)) * a[i];
  }
  for (uint32_t k = 0; k < s->rates; k++)
    rate += built_value(b, expr_derivative(s->graph, value, b->model.states.items[k].value)) *
            built_value(b, s->rate[k]);
  return rate + built_value(b, expr_derivative(s->graph, value, b->model.time));
}

static void check_constant(struct built *b, const struct system *s) {
  for (int k = 0; k < 3; k++) {
    set_everything(b, 0.1 * k);
    for (uint32_t i = 0; i < s->invariant_count; i++)
      assert_near(rate_along_motion(b, s, s->invariants[i].value), 0, 1e-12);
  }
}

static void expect(struct built *b, const char *names, bool energy) {
  struct system *s = built_derive(b);
  struct text found = {0};
  for (uint32_t i = 0; i < s->invariant_count; i++)
    text_format(&found, "%s%s [%s]", i ? ", " : "", s->invariants[i].name, s->invariants[i].unit);
  assert_string_equal(text_string(&found), names);
  assert_int_equal(s->energy_is_conserved, energy);
  check_constant(b, s);
  text_free(&found);
  system_free(s);
  built_clear(b);
}

static void build_plane(struct built *b) {
  built_init(b);
  built_coordinate(b, "x", "m");
  built_coordinate(b, "y", "m");
  built_parameter(b, "m", "2");
  built_parameter(b, "k", "3");
  built_energy(b, ENERGY_KINETIC, "1/2*m*(x'^2 + y'^2)");
}

static void test_kepler(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "r", "m");
  built_coordinate(&b, "φ", "rad");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "mu", "3");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(r'^2 + r^2*φ'^2)");
  built_energy(&b, ENERGY_POTENTIAL, "-mu*m/r");
  expect(&b, "energy [J], momentum of φ [kg*m^2/s]", true);
}

static void test_free_particle(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  expect(&b, "energy [J], momentum of x [kg*m/s], momentum of y [kg*m/s]", true);
}

static void test_dimensionless(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  b.model.is_dimensionless = true;
  built_energy(&b, ENERGY_POTENTIAL, "k*y");
  expect(&b, "energy [1], momentum of x [1]", true);
}

static void test_damped(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_energy(&b, ENERGY_DISSIPATION, "1/2*k*x'^2");
  expect(&b, "momentum of y [kg*m/s]", false);
}

static void test_constant_force(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_force(&b, "k", "x", false);
  expect(&b, "momentum of y [kg*m/s]", false);
}

/* The power of k y' on x and -k x' on y vanishes. */
static void test_gyroscopic_forces(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_force(&b, "k*sin(x)*y'", "x", false);
  built_force(&b, "-k*sin(x)*x'", "y", false);
  expect(&b, "energy [J]", true);
}

static void test_driven(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_energy(&b, ENERGY_POTENTIAL, "1/2*k*(x - sin(t))^2");
  expect(&b, "momentum of y [kg*m/s]", false);
}

/* Terms in time that cancel are no drive. */
static void test_cancelling_time(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_energy(&b, ENERGY_POTENTIAL, "k*x*(cos(t)^2 + sin(t)^2) + k*t - k*t");
  expect(&b, "energy [J], momentum of y [kg*m/s]", true);
}

static void test_input_force(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_input(&b, "F", "0", false);
  built_force(&b, "F", "x", false);
  expect(&b, "momentum of y [kg*m/s]", false);
}

static void test_input_in_potential(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_input(&b, "u", "1", false);
  built_energy(&b, ENERGY_POTENTIAL, "u*x^2");
  expect(&b, "momentum of y [kg*m/s]", false);
}

static void test_state_in_force(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_state(&b, "z");
  built_rate(&b, 0, "x - z");
  built_force(&b, "-z", "x", false);
  expect(&b, "momentum of y [kg*m/s]", false);
}

static void test_state_that_stands_apart(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_state(&b, "z");
  built_rate(&b, 0, "x - z");
  expect(&b, "energy [J], momentum of x [kg*m/s], momentum of y [kg*m/s]", true);
}

/* In a frame that turns at constant rate: h is constant and is not T + V. */
static void test_rotating_frame(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "w", "0.7");
  built_parameter(&b, "k", "3");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*((x' - w*y)^2 + (y' + w*x)^2)");
  built_energy(&b, ENERGY_POTENTIAL, "1/2*k*x^2");
  expect(&b, "Jacobi integral [J]", false);
}

/* Squares that are not expanded: the degree is still seen. */
static void test_odd_forms_of_kinetic_energy(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "a", "rad");
  built_coordinate(&b, "b", "rad");
  built_energy(&b, ENERGY_KINETIC, "1/2*sqrt((a'^2 + sin(b)^2*b'^2)^2 + a'^4) + b'^3/(a' + b')");
  struct system *s = built_derive(&b);
  assert_true(s->energy_is_conserved);
  assert_non_null(built_invariant(s, "momentum of a"));
  check_constant(&b, s);
  system_free(s);
  built_clear(&b);
}

static void test_added_mass_gives_no_claim(void **state) {
  (void)state;
  struct built b;
  build_plane(&b);
  built_force(&b, "-k*x''", "x", false);
  expect(&b, "momentum of y [kg*m/s]", false);
}

static void test_lagrangian(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "2");
  built_energy(&b, ENERGY_LAGRANGIAN, "1/2*m*(x'^2 + y'^2) - 1/2*x^2");
  expect(&b, "Jacobi integral [J], momentum of y [kg*m/s]", false);
}

static void test_other_units(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "Q", "A*s");
  built_parameter(&b, "L", "2");
  built_energy(&b, ENERGY_KINETIC, "1/2*L*Q'^2");
  expect(&b, "energy [J], momentum of Q [J*s/(A*s)]", true);
}

/* A bead on a spring in a turntable driven by φ = w*t: the reaction works, and
 * h - w*p_φ = 1/2 m r'^2 - 1/2 m r^2 w^2 + V on the motion is constant all the same. */
static void build_turntable(struct built *b, const char *drive) {
  built_init(b);
  built_coordinate(b, "φ", "rad");
  built_coordinate(b, "r", "m");
  built_coordinate(b, "ψ", "rad");
  built_parameter(b, "m", "2");
  built_parameter(b, "k", "50");
  built_parameter(b, "w", "5");
  built_parameter(b, "n", "3");
  built_energy(b, ENERGY_KINETIC, "1/2*m*(r'^2 + r^2*φ'^2) + 1/2*ψ'^2");
  built_energy(b, ENERGY_POTENTIAL, "1/2*k*r^2");
  built_constraint(b, "drive", CONSTRAINT_POSITION, drive);
  built_constraint(b, "gear", CONSTRAINT_VELOCITY, "ψ' - n*φ'");
}

static void test_driven_by_a_constraint(void **state) {
  (void)state;
  struct built b;
  build_turntable(&b, "φ - w*t");
  struct system *s = built_derive(&b);
  const struct system_invariant *h = built_invariant(s, "Jacobi integral");
  assert_non_null(h);
  assert_null(built_invariant(s, "energy"));
  assert_false(s->energy_is_conserved);
  expr right = built_formula(&b, "1/2*m*(r'^2 + r^2*φ'^2) + 1/2*ψ'^2 + 1/2*k*r^2 - w*m*r^2*φ'"
                                 " - n*w*ψ'");
  struct zero_test test = {0};
  assert_int_equal(expr_is_zero(s->graph, expr_subtract(s->graph, h->value, right), &test),
                   VERDICT_YES);
  system_free(s);
  built_clear(&b);
  build_turntable(&b, "φ - w*t^2"); /* speeds up */
  s = built_derive(&b);
  assert_null(built_invariant(s, "Jacobi integral"));
  system_free(s);
  built_clear(&b);
}

/* Two masses that a rod joins, and gravity across: the momentum along is that of both. */
static void test_sums_of_momenta(void **state) {
  (void)state;
  static const char *const names[] = {"x1", "y1", "x2", "y2"};
  struct built b;
  built_init(&b);
  for (int i = 0; i < 4; i++) built_coordinate(&b, names[i], "m");
  built_parameter(&b, "m1", "2");
  built_parameter(&b, "m2", "3");
  built_energy(&b, ENERGY_KINETIC, "1/2*m1*(x1'^2 + y1'^2) + 1/2*m2*(x2'^2 + y2'^2)");
  built_energy(&b, ENERGY_POTENTIAL, "9.81*(m1*y1 + m2*y2)");
  built_constraint(&b, "rod", CONSTRAINT_POSITION, "(x1 - x2)^2 + (y1 - y2)^2 - 4");
  struct system *s = built_derive(&b);
  assert_int_equal(s->invariant_count, 2);
  assert_true(built_invariant(s, "momentum of x1 + x2")->value ==
              built_formula(&b, "m1*x1' + m2*x2'"));
  assert_string_equal(built_invariant(s, "momentum of x1 + x2")->unit, "kg*m/s");
  system_free(s);
  built_clear(&b);
}

/* A homogeneous constraint that is not linear does no work. */
static void test_homogeneous_constraint(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_coordinate(&b, "z", "m");
  built_energy(&b, ENERGY_KINETIC, "1/2*(x'^2 + y'^2 + z'^2)");
  built_energy(&b, ENERGY_POTENTIAL, "z");
  built_constraint(&b, "cone", CONSTRAINT_VELOCITY, "x'^2 + y'^2 - 3*z'^2")->is_linear = false;
  struct system *s = built_derive(&b);
  assert_true(s->energy_is_conserved);
  assert_null(built_invariant(s, "momentum of x"));
  system_free(s);
  built_clear(&b);
}

/* A pivot that runs in a circle is a prescribed motion, although its energy does not change with t;
 * a t that cancels is none. */
static void test_rheonomic(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_parameter(&b, "w", "3");
  built_energy(&b, ENERGY_KINETIC, "1/2*((x'*sin(w*t))^2 + (x'*cos(w*t))^2)");
  built_energy(&b, ENERGY_POTENTIAL, "x*cos(w*t)");
  struct system *s = built_derive(&b);
  assert_false(system_is_rheonomic(s));
  system_free(s);
  built_energy(&b, ENERGY_KINETIC, "1/2*((w*sin(w*t))^2 + (w*cos(w*t))^2)");
  s = built_derive(&b);
  assert_true(system_is_rheonomic(s));
  system_free(s);
  built_energy(&b, ENERGY_KINETIC, "x'*cos(w*t)");
  s = built_derive(&b);
  assert_true(system_is_rheonomic(s));
  system_free(s);
  built_clear(&b);
}

/* The energy in the shorter of two ways: with the mass matrix, where squares fold. */
static void test_folded_energy(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "θ", "rad");
  built_parameter(&b, "l", "3");
  built_energy(&b, ENERGY_KINETIC, "1/2*((l*θ'*cos(θ))^2 + (l*θ'*sin(θ))^2)");
  built_energy(&b, ENERGY_POTENTIAL, "-cos(θ)");
  struct system *s = built_derive(&b);
  assert_true(built_invariant(s, "energy")->value == built_formula(&b, "1/2*l^2*θ'^2 - cos(θ)"));
  system_free(s);
  built_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kepler),
      cmocka_unit_test(test_free_particle),
      cmocka_unit_test(test_dimensionless),
      cmocka_unit_test(test_damped),
      cmocka_unit_test(test_constant_force),
      cmocka_unit_test(test_gyroscopic_forces),
      cmocka_unit_test(test_driven),
      cmocka_unit_test(test_cancelling_time),
      cmocka_unit_test(test_input_force),
      cmocka_unit_test(test_input_in_potential),
      cmocka_unit_test(test_state_in_force),
      cmocka_unit_test(test_state_that_stands_apart),
      cmocka_unit_test(test_rotating_frame),
      cmocka_unit_test(test_odd_forms_of_kinetic_energy),
      cmocka_unit_test(test_added_mass_gives_no_claim),
      cmocka_unit_test(test_lagrangian),
      cmocka_unit_test(test_other_units),
      cmocka_unit_test(test_driven_by_a_constraint),
      cmocka_unit_test(test_homogeneous_constraint),
      cmocka_unit_test(test_rheonomic),
      cmocka_unit_test(test_folded_energy),
      cmocka_unit_test(test_sums_of_momenta),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
