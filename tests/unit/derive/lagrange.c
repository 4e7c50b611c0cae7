/* Lagrange's equations against closed forms, and against the Euler-Lagrange expression taken by
 * finite differences of the Lagrangian's values along a path (a route without any derivative on
 * the graph). */
#include "tests/unit/derive/build.h"

/* ---- the other route: residual of the Euler-Lagrange equations along q(t) = q0 + v t + a t^2/2 */
struct path {
  double q[12], v[12], a[12], t;
};

static void path_set(struct built *b, const struct path *p, double s, uint32_t j, double dq,
                     double dv) {
  uint32_t n = b->model.coordinates.count;
  for (uint32_t i = 0; i < n; i++) {
    const struct model_coordinate *c = &b->model.coordinates.items[i];
    char name[80];
    double q = p->q[i] + p->v[i] * s + p->a[i] * s * s / 2, v = p->v[i] + p->a[i] * s;
    built_set(b, c->id.name, q + (i == j ? dq : 0));
    snprintf(name, sizeof name, "%s'", c->id.name);
    built_set(b, name, v + (i == j ? dv : 0));
  }
  built_set(b, "t", p->t + s);
}

static double lagrangian_at(struct built *b) {
  double value = 0;
  for (uint32_t i = 0; i < b->model.energies.count; i++) {
    const struct model_energy *e = &b->model.energies.items[i];
    if (e->kind == ENERGY_DISSIPATION) continue;
    value += (e->kind == ENERGY_POTENTIAL ? -1 : 1) * built_value(b, e->value);
  }
  return value;
}

/* Fourth-order central difference of L by q_j (or q'_j) at path parameter s. */
static double slope(struct built *b, const struct path *p, double s, uint32_t j, bool velocity) {
  static const double weight[4] = {1, -8, 8, -1}, step[4] = {-2, -1, 1, 2};
  double h = 3e-3, sum = 0;
  for (int k = 0; k < 4; k++) {
    path_set(b, p, s, j, velocity ? 0 : step[k] * h, velocity ? step[k] * h : 0);
    sum += weight[k] * lagrangian_at(b);
  }
  return sum / (12 * h);
}

/* d/dt dL/dq' - dL/dq of coordinate j, everything by differences; about 1e-8 accurate. */
static double euler_lagrange(struct built *b, const struct path *p, uint32_t j) {
  static const double weight[4] = {1, -8, 8, -1}, step[4] = {-2, -1, 1, 2};
  double h = 3e-3, rate = 0;
  for (int k = 0; k < 4; k++) rate += weight[k] * slope(b, p, step[k] * h, j, true);
  return rate / (12 * h) - slope(b, p, 0, j, false);
}

static double residual(struct built *b, const struct system *s, const struct path *p, uint32_t i) {
  path_set(b, p, 0, UINT32_MAX, 0, 0);
  double sum = -built_value(b, s->forcing[i]);
  for (uint32_t j = 0; j < s->n; j++)
    sum += built_value(b, s->mass[i + (size_t)j * s->n]) * p->a[j];
  return sum;
}

/* The conservative part of the derived equations agrees with differences of L. */
static void check_by_differences(struct built *b, const struct path *p) {
  struct system *s = built_derive(b);
  for (uint32_t i = 0; i < s->n; i++) {
    double other = euler_lagrange(b, p, i);
    assert_near(residual(b, s, p, i), other, 1e-6);
  }
  system_free(s);
}

/* ---- one coordinate */
static void test_pendulum(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "θ", "rad");
  built_parameter(&b, "m", "0.5");
  built_parameter(&b, "l", "2");
  built_parameter(&b, "g", "9.81");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*((l*cos(θ)*θ')^2 + (l*sin(θ)*θ')^2)");
  built_energy(&b, ENERGY_POTENTIAL, "-m*g*l*cos(θ)");
  struct system *s = built_derive(&b);
  assert_int_equal(s->mass[0], built_formula(&b, "m*l^2"));
  assert_int_equal(s->forcing[0], built_formula(&b, "-m*g*l*sin(θ)"));
  assert_int_equal(s->momentum[0], built_formula(&b, "m*l^2*θ'"));
  assert_int_equal(s->inertial[0], expr_integer(b.model.graph, 0));
  assert_true(s->mass_is_symmetric);
  assert_true(s->has_energy);
  assert_string_equal(s->method, "lagrange");
  system_free(s);
  built_clear(&b);
}

/* Case of a bead on a hoop that turns at constant rate. */
static void test_bead_on_hoop(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "th", "rad");
  built_parameter(&b, "m", "0.05");
  built_parameter(&b, "R", "0.3");
  built_parameter(&b, "w", "7");
  built_parameter(&b, "g", "9.81");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*R^2*(th'^2 + w^2*sin(th)^2)");
  built_energy(&b, ENERGY_POTENTIAL, "-m*g*R*cos(th)");
  struct system *s = built_derive(&b);
  built_set(&b, "th", 0.9);
  built_set(&b, "th'", 1.4);
  double a;
  built_accelerations(&b, s, &a);
  assert_near(a, -1.7555229883029246, 1e-12);
  const struct system_invariant *h = built_invariant(s, "Jacobi integral");
  assert_non_null(h);
  assert_near(built_value(&b, h->value), -0.1547094223009847, 1e-13);
  assert_false(s->energy_is_conserved);
  assert_near(built_value(&b, expr_add(s->graph, s->kinetic_energy, s->potential_energy)),
              -0.019410391361071852, 1e-13);
  system_free(s);
  built_clear(&b);
}

/* The pivot runs on a circle: explicit time in the positions. */
static void test_driven_pivot(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "th", "rad");
  built_parameter(&b, "m", "0.9");
  built_parameter(&b, "l", "0.5");
  built_parameter(&b, "g", "9.81");
  built_parameter(&b, "A", "0.12");
  built_parameter(&b, "ga", "7");
  built_energy(&b, ENERGY_KINETIC,
               "1/2*m*((-A*ga*sin(ga*t) + l*cos(th)*th')^2 + (A*ga*cos(ga*t) + l*sin(th)*th')^2)");
  built_energy(&b, ENERGY_POTENTIAL, "m*g*(A*sin(ga*t) - l*cos(th))");
  struct system *s = built_derive(&b);
  built_set(&b, "th", 0.4);
  built_set(&b, "th'", -1.2);
  built_set(&b, "t", 0.7);
  double a;
  built_accelerations(&b, s, &a);
  assert_near(a, -10.119346477401692, 1e-12);
  assert_int_equal(s->invariant_count, 0);
  /* The energy changes by the power of the pivot force: dE/dt along the motion by differences. */
  double v = -1.2, h = 1e-4, e[2];
  for (int k = 0; k < 2; k++) {
    double d = k ? h : -h;
    built_set(&b, "th", 0.4 + v * d + a * d * d / 2);
    built_set(&b, "th'", v + a * d);
    built_set(&b, "t", 0.7 + d);
    e[k] = built_value(&b, expr_add(s->graph, s->kinetic_energy, s->potential_energy));
  }
  assert_near((e[1] - e[0]) / (2 * h), -2.4706606235942314, 1e-5);
  system_free(s);
  struct path p = {{0.4}, {-1.2}, {a}, 0.7};
  check_by_differences(&b, &p);
  built_clear(&b);
}

static void test_mass_of_time(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_parameter(&b, "m0", "3");
  built_parameter(&b, "k", "0.2");
  built_energy(&b, ENERGY_KINETIC, "1/2*(m0 - k*t)*x'^2");
  struct system *s = built_derive(&b);
  assert_int_equal(s->mass[0], built_formula(&b, "m0 - k*t"));
  assert_int_equal(s->forcing[0], built_formula(&b, "k*x'"));
  assert_false(s->energy_is_conserved);
  assert_non_null(built_invariant(s, "momentum of x"));
  system_free(s);
  built_clear(&b);
}

/* A relativistic particle: L is not quadratic, so M is the Hessian, gamma^3 m. */
static void test_relativistic_particle(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_parameter(&b, "m", "1.5");
  built_parameter(&b, "c", "2");
  built_parameter(&b, "k", "0.7");
  built_energy(&b, ENERGY_LAGRANGIAN, "-m*c^2*sqrt(1 - x'^2/c^2) - 1/2*k*x^2");
  struct system *s = built_derive(&b);
  built_set(&b, "x", 0.8);
  built_set(&b, "x'", 1.1);
  double gamma = 1 / sqrt(1 - 1.1 * 1.1 / 4);
  assert_near(built_value(&b, s->mass[0]), 1.5 * gamma * gamma * gamma, 1e-12);
  assert_near(built_value(&b, s->forcing[0]), -0.7 * 0.8, 1e-12);
  assert_int_equal(s->applied[0], built_formula(&b, "-k*x"));
  assert_false(s->has_energy);
  const struct system_invariant *h = built_invariant(s, "Jacobi integral");
  assert_non_null(h);
  assert_near(built_value(&b, h->value), gamma * 1.5 * 4 + 0.35 * 0.64, 1e-12);
  system_free(s);
  built_clear(&b);
}

/* ---- several coordinates */
static void test_double_pendulum(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "a", "rad");
  built_coordinate(&b, "b", "rad");
  built_parameter(&b, "m", "1.3");
  built_parameter(&b, "M", "0.7");
  built_parameter(&b, "l", "0.6");
  built_parameter(&b, "r", "0.9");
  built_parameter(&b, "g", "9.81");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*l^2*a'^2");
  built_energy(&b, ENERGY_KINETIC,
               "1/2*M*((l*cos(a)*a' + r*cos(b)*b')^2 + (l*sin(a)*a' + r*sin(b)*b')^2)");
  built_energy(&b, ENERGY_POTENTIAL, "-m*g*l*cos(a) - M*g*(l*cos(a) + r*cos(b))");
  struct system *s = built_derive(&b);
  double q[2] = {0.7, -0.4}, v[2] = {1.1, -2.3};
  built_set(&b, "a", q[0]);
  built_set(&b, "b", q[1]);
  built_set(&b, "a'", v[0]);
  built_set(&b, "b'", v[1]);
  double m = 1.3, M = 0.7, l = 0.6, r = 0.9, g = 9.81, d = q[0] - q[1];
  assert_near(built_value(&b, s->mass[0]), (m + M) * l * l, 1e-12);
  assert_near(built_value(&b, s->mass[1]), M * l * r * cos(d), 1e-12);
  assert_near(built_value(&b, s->mass[3]), M * r * r, 1e-12);
  assert_near(built_value(&b, s->forcing[0]),
              -M * l * r * sin(d) * v[1] * v[1] - (m + M) * g * l * sin(q[0]), 1e-12);
  assert_near(built_value(&b, s->forcing[1]),
              M * l * r * sin(d) * v[0] * v[0] - M * g * r * sin(q[1]), 1e-12);
  assert_true(s->energy_is_conserved);
  assert_int_equal(s->invariant_count, 1);
  system_free(s);
  struct path p = {{0.7, -0.4}, {1.1, -2.3}, {0.3, 0.8}, 0};
  check_by_differences(&b, &p);
  built_clear(&b);
}

static void test_spring_pendulum(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "r", "m");
  built_coordinate(&b, "φ", "rad");
  built_parameter(&b, "m", "1");
  built_parameter(&b, "k", "30");
  built_parameter(&b, "r0", "0.5");
  built_parameter(&b, "g", "9.81");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(r'^2 + r^2*φ'^2)");
  built_energy(&b, ENERGY_POTENTIAL, "1/2*k*(r - r0)^2 - m*g*r*cos(φ)");
  struct system *s = built_derive(&b);
  assert_int_equal(s->mass[0], built_formula(&b, "m"));
  assert_int_equal(s->mass[1], expr_integer(b.model.graph, 0));
  assert_int_equal(s->mass[3], built_formula(&b, "m*r^2"));
  assert_int_equal(s->inertial[0], built_formula(&b, "-m*r*φ'^2"));
  assert_int_equal(s->inertial[1], built_formula(&b, "2*m*r*r'*φ'"));
  assert_int_equal(s->applied[1], built_formula(&b, "-m*g*r*sin(φ)"));
  built_set(&b, "r", 0.6);
  built_set(&b, "r'", 0.2);
  built_set(&b, "φ", 0.3);
  built_set(&b, "φ'", 0.9);
  double a[2];
  built_accelerations(&b, s, a);
  assert_near(a[0], 0.6 * 0.81 - 30 * 0.1 + 9.81 * cos(0.3), 1e-12);
  assert_near(a[1], (-9.81 * sin(0.3) - 2 * 0.2 * 0.9) / 0.6, 1e-12);
  system_free(s);
  built_clear(&b);
}

/* ZXZ Euler angles of a torque-free body: Euler's equations come out of Lagrange's. The angles'
 * accelerations are turned into body rates and their derivatives (numbers of a published case). */
static void test_free_body(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "ψ", "rad");
  built_coordinate(&b, "θ", "rad");
  built_coordinate(&b, "φ", "rad");
  built_energy(&b, ENERGY_KINETIC,
               "1/2*(ψ'*sin(θ)*sin(φ) + θ'*cos(φ))^2"
               " + (ψ'*sin(θ)*cos(φ) - θ'*sin(φ))^2"
               " + 3/2*(ψ'*cos(θ) + φ')^2");
  struct system *s = built_derive(&b);
  const double w[3] = {0.3, 1.1, 0.2}, th = 0.8, ph = 0.5;
  double dth = w[0] * cos(ph) - w[1] * sin(ph);
  double dps = (w[0] * sin(ph) + w[1] * cos(ph)) / sin(th);
  double dph = w[2] - dps * cos(th);
  built_set(&b, "ψ", 0.1);
  built_set(&b, "θ", th);
  built_set(&b, "φ", ph);
  built_set(&b, "ψ'", dps);
  built_set(&b, "θ'", dth);
  built_set(&b, "φ'", dph);
  double a[3];
  built_accelerations(&b, s, a);
  double w1 = a[0] * sin(th) * sin(ph) + dps * (cos(th) * dth * sin(ph) + sin(th) * cos(ph) * dph) +
              a[1] * cos(ph) - dth * sin(ph) * dph;
  double w2 = a[0] * sin(th) * cos(ph) + dps * (cos(th) * dth * cos(ph) - sin(th) * sin(ph) * dph) -
              a[1] * sin(ph) - dth * cos(ph) * dph;
  double w3 = a[0] * cos(th) - dps * sin(th) * dth + a[2];
  assert_near(w1, -0.22, 1e-12);
  assert_near(w2, 0.06, 1e-12);
  assert_near(w3, -0.11, 1e-12);
  assert_near(built_value(&b, s->kinetic_energy), 2.63 / 2, 1e-13);
  assert_non_null(built_invariant(s, "energy"));
  assert_non_null(built_invariant(s, "momentum of ψ"));
  system_free(s);
  struct path p = {{0.1, th, ph}, {dps, dth, dph}, {0.4, -0.2, 0.9}, 0};
  check_by_differences(&b, &p);
  built_clear(&b);
}

/* A charge in a magnetic field: L holds q' A(q). */
static void test_charge_in_field(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "1.5");
  built_parameter(&b, "B", "0.8");
  built_energy(&b, ENERGY_LAGRANGIAN, "1/2*m*(x'^2 + y'^2) + B/2*(x*y' - y*x')");
  struct system *s = built_derive(&b);
  assert_int_equal(s->forcing[0], built_formula(&b, "B*y'"));
  assert_int_equal(s->forcing[1], built_formula(&b, "-B*x'"));
  const struct system_invariant *h = built_invariant(s, "Jacobi integral");
  assert_non_null(h);
  built_set(&b, "x", 0.3);
  built_set(&b, "y", 0.4);
  built_set(&b, "x'", 0.5);
  built_set(&b, "y'", -0.2);
  assert_near(built_value(&b, h->value), 0.75 * 0.29, 1e-13);
  system_free(s);
  built_clear(&b);
}

/* A potential that depends on velocities, U = -B (x y' - y x')/2, does the same. */
static void test_velocity_dependent_potential(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "1.5");
  built_parameter(&b, "B", "0.8");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x'^2 + y'^2)");
  built_energy(&b, ENERGY_POTENTIAL, "-B/2*(x*y' - y*x')");
  struct system *s = built_derive(&b);
  assert_int_equal(s->applied[0], built_formula(&b, "B*y'"));
  assert_int_equal(s->applied[1], built_formula(&b, "-B*x'"));
  assert_int_equal(s->mass[0], built_formula(&b, "m"));
  system_free(s);
  built_clear(&b);
}

/* All kinds of terms at once, as one Lagrangian and as T and V. */
static void test_mixed_terms(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    struct built b;
    built_init(&b);
    built_coordinate(&b, "x", "m");
    built_coordinate(&b, "y", "m");
    built_coordinate(&b, "z", "m");
    built_parameter(&b, "m", "1.5");
    built_parameter(&b, "w", "0.8");
    built_energy(&b, kind ? ENERGY_KINETIC : ENERGY_LAGRANGIAN,
                 "1/2*m*(1 + t/5)*((x' - w*y*t)^2 + (y' + w*x*cos(z))^2) + (2 + sin(x))*z'^2"
                 " + x'*z'*y/3 + x^2*y*sin(t)");
    built_energy(&b, kind ? ENERGY_KINETIC : ENERGY_LAGRANGIAN, "w*(x*y' - y*x')*exp(z)");
    if (kind) built_energy(&b, ENERGY_POTENTIAL, "-cos(t)*x*z*y'");
    if (!kind) built_energy(&b, ENERGY_LAGRANGIAN, "cos(t)*x*z*y'");
    struct path p = {{0.4, -0.7, 0.3}, {-1.2, 0.5, 0.9}, {0.3, 0.6, -0.8}, 0.7};
    check_by_differences(&b, &p);
    built_clear(&b);
  }
}

/* A Lagrangian of fourth order in the velocities: M depends on them. */
static void test_quartic_lagrangian(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_energy(&b, ENERGY_LAGRANGIAN, "x'^2*y'^2*cos(x) + x'^4*y + y'^2 + x'^2 - x*y*sin(t)");
  struct path p = {{0.4, 1.7}, {1.2, 0.5}, {0.3, 0.6}, 0.7};
  check_by_differences(&b, &p);
  built_clear(&b);
}

/* ---- forces */
static void test_forces_and_dissipation(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "c", "0.3");
  built_parameter(&b, "d", "0.4");
  built_input(&b, "F", "0", false);
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x'^2 + y'^2)");
  built_energy(&b, ENERGY_DISSIPATION, "1/2*c*x'^2");
  built_energy(&b, ENERGY_DISSIPATION, "1/2*d*(x' - y')^2");
  built_force(&b, "F", "x", false);
  built_force(&b, "3*F", "y*x - t*y", false);
  built_force(&b, "5", "x'*cos(y) + 2*y'", true);
  struct system *s = built_derive(&b);
  built_set(&b, "x", 0.3);
  built_set(&b, "y", 0.7);
  built_set(&b, "x'", 1.5);
  built_set(&b, "y'", -0.5);
  built_set(&b, "t", 2);
  built_set(&b, "F", 1.25);
  assert_near(built_value(&b, s->forcing[0]),
              1.25 + 3 * 1.25 * 0.7 + 5 * cos(0.7) - 0.3 * 1.5 - 0.4 * 2, 1e-12);
  assert_near(built_value(&b, s->forcing[1]), 3 * 1.25 * (0.3 - 2) + 10 + 0.4 * 2, 1e-12);
  assert_int_equal(s->invariant_count, 0);
  system_free(s);
  built_clear(&b);
}

static void test_symmetric_added_mass(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_energy(&b, ENERGY_KINETIC, "x'^2");
  built_force(&b, "-3*x''", "x", false);
  struct system *s = built_derive(&b);
  assert_int_equal(s->mass[0], expr_integer(b.model.graph, 5));
  assert_true(s->mass_is_symmetric);
  assert_int_equal(s->invariant_count, 0); /* no claim where forces depend on accelerations */
  system_free(s);
  built_clear(&b);
}

static void test_added_mass(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "2");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x'^2 + y'^2)");
  built_force(&b, "-3*x'' - 0.5*y''*cos(x) - 7*x", "x", false);
  struct system *s = built_derive(&b);
  assert_int_equal(s->mass[0], built_formula(&b, "m + 3"));
  assert_int_equal(s->mass[2], built_formula(&b, "0.5*cos(x)"));
  assert_int_equal(s->mass[1], expr_integer(b.model.graph, 0));
  assert_int_equal(s->forcing[0], built_formula(&b, "-7*x"));
  assert_false(s->mass_is_symmetric);
  assert_false(s->energy_is_conserved);
  assert_null(built_invariant(s, "energy"));
  assert_non_null(built_invariant(s, "momentum of y"));
  system_free(s);
  built_clear(&b);
}

/* A momentum that depends on a first-order state changes with the state's rate. */
static void test_state_in_momentum(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_parameter(&b, "m", "2");
  built_state(&b, "z");
  built_rate(&b, 0, "-z + 0.5*x''");
  built_energy(&b, ENERGY_KINETIC, "1/2*(m + z)*x'^2");
  struct system *s = built_derive(&b);
  built_set(&b, "x'", 1.2);
  built_set(&b, "z", 0.4);
  assert_near(built_value(&b, s->mass[0]), 2.4 + 0.5 * 1.2, 1e-12);
  assert_near(built_value(&b, s->forcing[0]), 0.4 * 1.2, 1e-12);
  assert_null(built_invariant(s, "energy"));
  system_free(s);
  built_clear(&b);
}

static void test_no_coordinates(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_state(&b, "z");
  built_rate(&b, 0, "-2*z");
  struct system *s = built_derive(&b);
  assert_int_equal(s->n, 0);
  assert_int_equal(s->rates, 1);
  assert_int_equal(s->rate[0], built_formula(&b, "-2*z"));
  system_free(s);
  built_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_bead_on_hoop),
      cmocka_unit_test(test_driven_pivot),
      cmocka_unit_test(test_mass_of_time),
      cmocka_unit_test(test_relativistic_particle),
      cmocka_unit_test(test_double_pendulum),
      cmocka_unit_test(test_spring_pendulum),
      cmocka_unit_test(test_free_body),
      cmocka_unit_test(test_charge_in_field),
      cmocka_unit_test(test_velocity_dependent_potential),
      cmocka_unit_test(test_mixed_terms),
      cmocka_unit_test(test_quartic_lagrangian),
      cmocka_unit_test(test_forces_and_dissipation),
      cmocka_unit_test(test_added_mass),
      cmocka_unit_test(test_symmetric_added_mass),
      cmocka_unit_test(test_state_in_momentum),
      cmocka_unit_test(test_no_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
