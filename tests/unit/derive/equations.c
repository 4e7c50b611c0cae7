/* The printed equations: what a reader sees, letter by letter. */
#include "tests/unit/derive/build.h"

static char *printed(struct built *b, enum equation_format format, const char *show) {
  struct system *s = built_derive(b);
  struct text out = {0};
  assert_true(equations_print(b->context, s, format, show, &out));
  system_free(s);
  return text_take(&out);
}

static void assert_printed(struct built *b, enum equation_format format, const char *show,
                           const char *expected) {
  char *text = printed(b, format, show);
  assert_string_equal(text, expected);
  free(text);
}

static void build_pendulum(struct built *b) {
  built_init(b);
  built_coordinate(b, "θ", "rad");
  built_parameter(b, "m", "0.5");
  built_parameter(b, "g", "9.81");
  built_parameter(b, "l", "2");
  built_energy(b, ENERGY_KINETIC, "1/2*m*l^2*θ'^2");
  built_energy(b, ENERGY_POTENTIAL, "-m*g*l*cos(θ)");
}

static void test_pendulum_text(void **state) {
  (void)state;
  struct built b;
  build_pendulum(&b);
  assert_printed(&b, EQUATIONS_TEXT, "energies,momenta, invariants,mass,forcing,jacobian",
                 "test: equations of motion by the method \"lagrange\"\n"
                 "unknowns: θ(t) [rad]\n"
                 "\n"
                 "energies\n"
                 "T = 1/2*m*l^2*θ'^2\n"
                 "V = -m*g*l*cos(θ)\n"
                 "\n"
                 "momenta dL/dq'\n"
                 "p[θ] = m*l^2*θ'\n"
                 "\n"
                 "equations of motion\n"
                 "m*l^2*θ'' = -m*g*l*sin(θ)\n"
                 "\n"
                 "mass matrix (symmetric)\n"
                 "M[θ, θ] = m*l^2\n"
                 "\n"
                 "forcing\n"
                 "f[θ] = -m*g*l*sin(θ)\n"
                 "\n"
                 "constants of motion\n"
                 "energy [J] = 1/2*m*l^2*θ'^2 - m*g*l*cos(θ)\n"
                 "\n"
                 "Jacobian of the residual r = M q'' - f, entries that are not zero\n"
                 "dr[θ]/d(θ) = m*g*l*cos(θ)\n");
  built_clear(&b);
}

static void test_pendulum_latex(void **state) {
  (void)state;
  struct built b;
  build_pendulum(&b);
  assert_printed(&b, EQUATIONS_LATEX, "energies",
                 "\\documentclass{article}\n"
                 "\\usepackage{amsmath}\n"
                 "\\setlength{\\textwidth}{17cm}\\setlength{\\oddsidemargin}{-5mm}\n"
                 "\\ifdefined\\DeclareUnicodeCharacter\n"
                 "\\fi\n"
                 "\\begin{document}\n"
                 "\\sloppy\n"
                 "\\section*{test: equations of motion by the method ``lagrange''}\n"
                 "\n\n"
                 "\\noindent unknowns: \\(\\theta(t)\\;[\\,\\mathrm{rad}]\\)\n"
                 "\n"
                 "\\section*{Energies}\n"
                 "\\[\n"
                 "\\begin{aligned}\n"
                 "T &= \\frac{1}{2}\\,m\\,l^{2}\\,\\dot{\\theta}^{2} \\\\\n"
                 "V &= -m\\,g\\,l\\,\\cos \\theta\n"
                 "\\end{aligned}\n"
                 "\\]\n"
                 "\n\n"
                 "\\section*{Equations of motion}\n"
                 "\\[\n"
                 "\\begin{aligned}\n"
                 "m\\,l^{2}\\,\\ddot{\\theta} &= -m\\,g\\,l\\,\\sin \\theta\n"
                 "\\end{aligned}\n"
                 "\\]\n"
                 "\\end{document}\n");
  built_clear(&b);
}

static void test_pendulum_json(void **state) {
  (void)state;
  struct built b;
  build_pendulum(&b);
  assert_printed(&b, EQUATIONS_JSON, NULL,
                 "{\n"
                 "  \"model\": \"test\",\n"
                 "  \"method\": \"lagrange\",\n"
                 "  \"coordinates\": [\"θ\"],\n"
                 "  \"states\": [],\n"
                 "  \"definitions\": [],\n"
                 "  \"equations\": [\n"
                 "    \"m*l^2*θ'' = -m*g*l*sin(θ)\"\n"
                 "  ],\n"
                 "  \"mass_matrix\": [\n"
                 "    [\"m*l^2\"]\n"
                 "  ],\n"
                 "  \"forcing\": [\"-m*g*l*sin(θ)\"],\n"
                 "  \"rates\": [],\n"
                 "  \"constraints\": []\n"
                 "}\n");
  built_clear(&b);
}

static void assert_equations(struct built *b, const char *expected) {
  char *text = printed(b, EQUATIONS_TEXT, NULL);
  const char *lines = strstr(text, "\n\n");
  assert_non_null(lines);
  assert_string_equal(lines + 2, expected);
  free(text);
}

/* Spring and dashpot to a support that moves as the input says: the linear form. */
static void test_moving_support(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x2", "m");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "c", "0.5");
  built_parameter(&b, "k", "50");
  built_parameter(&b, "a", "0.1");
  built_parameter(&b, "w", "3");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*x2'^2");
  built_energy(&b, ENERGY_POTENTIAL, "1/2*k*(x2 - a*sin(w*t))^2");
  built_energy(&b, ENERGY_DISSIPATION, "1/2*c*(x2' - a*w*cos(w*t))^2");
  assert_equations(&b, "m*x2'' + c*x2' + k*x2 = c*a*w*cos(w*t) + k*a*sin(w*t)\n");
  built_clear(&b);
}

static void test_two_masses(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x1", "m");
  built_coordinate(&b, "x2", "m");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "k", "50");
  built_input(&b, "F", "0", false);
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x1'^2 + x2'^2)");
  built_energy(&b, ENERGY_POTENTIAL, "1/2*k*(x2 - x1)^2");
  built_force(&b, "F", "x2", false);
  assert_equations(&b, "m*x1'' + k*x1 - k*x2 = 0\n"
                       "m*x2'' - k*x1 + k*x2 = F\n");
  built_clear(&b);
}

static void test_particle_in_polar_coordinates(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "r", "m");
  built_coordinate(&b, "φ", "rad");
  built_parameter(&b, "m", "2");
  built_input(&b, "F_r", "0", false);
  built_input(&b, "F_φ", "0", false);
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(r'^2 + r^2*φ'^2)");
  built_force(&b, "F_r", "r", false);
  built_force(&b, "r*F_φ", "φ", false);
  assert_equations(&b, "m*r'' - m*r*φ'^2 = F_r\n"
                       "m*r^2*φ'' + 2*m*r*r'*φ' = F_φ*r\n");
  built_clear(&b);
}

static void test_double_pendulum(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "a", "rad");
  built_coordinate(&b, "b", "rad");
  built_parameter(&b, "m", "1.3");
  built_parameter(&b, "g", "9.81");
  built_parameter(&b, "l", "0.6");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*l^2*a'^2");
  built_energy(&b, ENERGY_KINETIC,
               "1/2*m*((l*cos(a)*a' + l*cos(b)*b')^2 + (l*sin(a)*a' + l*sin(b)*b')^2)");
  built_energy(&b, ENERGY_POTENTIAL, "-2*m*g*l*cos(a) - m*g*l*cos(b)");
  assert_equations(&b,
                   "m*l^2*cos(a - b)*b'' + 2*m*l^2*a'' + m*l^2*b'^2*sin(a - b) = -2*m*g*l*sin(a)\n"
                   "m*l^2*cos(a - b)*a'' + m*l^2*b'' - m*l^2*a'^2*sin(a - b) = -m*g*l*sin(b)\n");
  built_clear(&b);
}

static void test_driven_pivot(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "θ", "rad");
  built_parameter(&b, "m", "1.3");
  built_parameter(&b, "g", "9.81");
  built_parameter(&b, "l", "0.6");
  built_parameter(&b, "A", "0.6");
  built_parameter(&b, "w", "0.6");
  built_energy(&b, ENERGY_KINETIC,
               "1/2*m*((-A*w*sin(w*t) + l*cos(θ)*θ')^2 + (A*w*cos(w*t) + l*sin(θ)*θ')^2)");
  built_energy(&b, ENERGY_POTENTIAL, "m*g*(A*sin(w*t) - l*cos(θ))");
  assert_equations(&b, "m*l^2*θ'' - m*l*A*w^2*cos(θ - w*t) = -m*g*l*sin(θ)\n");
  built_clear(&b);
}

static void test_rates(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_parameter(&b, "k", "2");
  built_state(&b, "z");
  built_rate(&b, 0, "x'' - k*z");
  built_energy(&b, ENERGY_KINETIC, "1/2*x'^2");
  built_force(&b, "-z", "x", false);
  assert_equations(&b, "x'' = -z\nz' = x'' - k*z\n");
  built_clear(&b);
}

static void test_lagrangian(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "B", "2");
  built_energy(&b, ENERGY_LAGRANGIAN, "1/2*m*(x'^2 + y'^2) + B*x*y'");
  char *text = printed(&b, EQUATIONS_TEXT, "energies");
  assert_non_null(strstr(text, "\nm*x'' - B*y' = 0\nm*y'' + B*x' = 0\n"));
  assert_non_null(strstr(text, "\nL = B*x*y' + 1/2*m*(x'^2 + y'^2)\n"));
  free(text);
  text = printed(&b, EQUATIONS_JSON, "energies");
  assert_non_null(strstr(text, "\"lagrangian\": \"B*x*y' + 1/2*m*(x'^2 + y'^2)\""));
  free(text);
  text = printed(&b, EQUATIONS_LATEX, "energies");
  assert_non_null(strstr(text, "\nL &= B\\,x\\,\\dot{y}"));
  free(text);
  built_clear(&b);
}

/* A constant force belongs to the right-hand side like those that depend on positions. */
static void test_lagrangian_with_constant_slope(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_energy(&b, ENERGY_LAGRANGIAN, "1/2*(1 + x)*x'^2 + 3*x");
  char *text = printed(&b, EQUATIONS_TEXT, NULL);
  assert_non_null(strstr(text, " = 3\n"));
  free(text);
  built_clear(&b);
}

static void test_unknown_part(void **state) {
  (void)state;
  struct built b;
  build_pendulum(&b);
  struct system *s = built_derive(&b);
  struct text out = {0};
  assert_false(equations_print(b.context, s, EQUATIONS_TEXT, "mass,energy,forcing", &out));
  assert_int_equal(b.context->diagnostics.items[0]->code, DIAG_UNKNOWN_PART);
  assert_int_equal(out.length, 0);
  text_free(&out);
  system_free(s);
  built_clear(&b);
}

/* Many coordinates: matrix and forcing by name, and shared parts named, in bounded text. */
static void test_many_coordinates(void **state) {
  (void)state;
  struct built b;
  struct text kinetic = {0}, x = {0}, y = {0};
  char name[16];
  built_init(&b);
  for (int i = 1; i <= 30; i++) {
    snprintf(name, sizeof name, "q[%d]", i);
    built_coordinate(&b, name, "rad");
    text_format(&x, "%scos(q[%d])*q[%d]'", i > 1 ? " + " : "", i, i);
    text_format(&y, "%ssin(q[%d])*q[%d]'", i > 1 ? " + " : "", i, i);
    text_format(&kinetic, "%s((%s)^2 + (%s)^2)", i > 1 ? " + " : "", text_string(&x),
                text_string(&y));
  }
  built_energy(&b, ENERGY_KINETIC, text_string(&kinetic));
  for (int format = 0; format < 4; format++) {
    char *text = printed(&b, (enum equation_format)format, NULL);
    assert_true(strlen(text) < (format == EQUATIONS_HTML ? 4000000 : 400000));
    if (format == EQUATIONS_TEXT) {
      assert_non_null(strstr(text, "M q'' = f\n"));
      assert_non_null(strstr(text, "M[q[1], q[2]] = "));
      assert_non_null(strstr(text, "\nf[q[30]] = "));
    }
    free(text);
  }
  text_free(&kinetic);
  text_free(&x);
  text_free(&y);
  built_clear(&b);
}

static void test_dump(void **state) {
  (void)state;
  struct built b;
  build_pendulum(&b);
  struct system *s = built_derive(&b);
  struct text out = {0};
  system_dump(s, &out);
  assert_string_equal(text_string(&out),
                      "system lagrange, 1 coordinates, 0 states, mass matrix symmetric\n"
                      "q[1] is θ\n"
                      "M[1,1] = m*l^2\n"
                      "f[1] = -m*g*l*sin(θ)\n"
                      "p[1] = m*l^2*θ'\n"
                      "T = 1/2*m*l^2*θ'^2\n"
                      "V = -m*g*l*cos(θ)\n"
                      "energy is conserved: yes\n"
                      "invariant energy [J] = 1/2*m*l^2*θ'^2 - m*g*l*cos(θ)\n");
  text_free(&out);
  system_free(s);
  built_clear(&b);
}

/* Multipliers on the right, then the constraint on all its levels. */
static void test_constrained_pendulum(void **state) {
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
  built_constraint(&b, "rod", CONSTRAINT_POSITION, "x^2 + y^2 - l^2")->text = "x^2 + y^2 = l^2";
  assert_printed(&b, EQUATIONS_TEXT, "constraints",
                 "test: equations of motion by the method \"lagrange\"\n"
                 "unknowns: x(t) [m], y(t) [m]\n"
                 "multipliers: λ_rod(t) [1]\n"
                 "\n"
                 "m*x'' = 2*x*λ_rod\n"
                 "m*y'' = 2*y*λ_rod - m*g\n"
                 "\n"
                 "subject to\n"
                 "rod: x^2 + y^2 = l^2\n"
                 "  velocities:    2*x*x' + 2*y*y' = 0\n"
                 "  accelerations: 2*x*x'' + 2*y*y'' = -2*x'^2 - 2*y'^2\n"
                 "\n"
                 "constraints A q'' + bias = 0\n"
                 "A[rod, x] = 2*x\n"
                 "A[rod, y] = 2*y\n"
                 "bias[rod] = 2*x'^2 + 2*y'^2\n");
  built_clear(&b);
}

/* The integral of a constraint on velocities, and friction by its multiplier. */
static void test_constraint_with_integral(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "φ", "rad");
  built_parameter(&b, "m", "2");
  built_parameter(&b, "R", "5");
  built_parameter(&b, "mu", "0.1");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*x'^2 + 1/4*m*R^2*φ'^2");
  struct model_constraint *roll = built_constraint(&b, "roll", CONSTRAINT_VELOCITY, "x' - R*φ'");
  roll->integral = built_formula(&b, "x - R*φ");
  roll->text = "x' = R*φ'";
  built_force(&b, "-mu*λ_roll", "φ", false);
  char *text = printed(&b, EQUATIONS_LATEX, "constraints");
  assert_non_null(strstr(text, "x - R\\,\\varphi &= \\text{constant}"));
  free(text);
  char *plain = printed(&b, EQUATIONS_TEXT, "constraints");
  assert_non_null(strstr(plain, "  integral:      x - R*φ = constant\n"));
  assert_non_null(strstr(plain, "B[φ, roll] = -R - mu\n"));
  free(plain);
  char *json = printed(&b, EQUATIONS_JSON, NULL);
  assert_non_null(strstr(json, "\"position\": null, \"integral\": \"x - R*φ\", \"velocity\": "
                               "\"x' - R*φ' = 0\", \"acceleration\": \"x'' - R*φ'' = 0\"}"));
  free(json);
  built_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum_text),
      cmocka_unit_test(test_pendulum_latex),
      cmocka_unit_test(test_pendulum_json),
      cmocka_unit_test(test_constrained_pendulum),
      cmocka_unit_test(test_constraint_with_integral),
      cmocka_unit_test(test_moving_support),
      cmocka_unit_test(test_two_masses),
      cmocka_unit_test(test_particle_in_polar_coordinates),
      cmocka_unit_test(test_double_pendulum),
      cmocka_unit_test(test_driven_pivot),
      cmocka_unit_test(test_rates),
      cmocka_unit_test(test_lagrangian),
      cmocka_unit_test(test_lagrangian_with_constant_slope),
      cmocka_unit_test(test_unknown_part),
      cmocka_unit_test(test_many_coordinates),
      cmocka_unit_test(test_dump),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
