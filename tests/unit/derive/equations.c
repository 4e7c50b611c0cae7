/* The printed equations: what a reader sees, letter by letter. */
#include "tests/unit/derive/build.h"

static char *printed(struct built *b, enum equation_format format, const char *show) {
  struct system *s = built_derive(b);
  struct text out = {0};
  const char *fault = NULL;
  assert_true(equations_print(s, format, show, &out, &fault));
  system_free(s);
  return text_take(&out);
}

static void build_pendulum(struct built *b) {
  built_init(b);
  built_coordinate(b, "θ", "rad");
  built_parameter(b, "m", "0.5");
  built_parameter(b, "l", "2");
  built_parameter(b, "g", "9.81");
  built_energy(b, ENERGY_KINETIC, "1/2*m*l^2*θ'^2");
  built_energy(b, ENERGY_POTENTIAL, "-m*g*l*cos(θ)");
}

int main(void) {
  struct built b;
  build_pendulum(&b);
  for (int f = 0; f < 3; f++) puts(printed(&b, f, "energies,momenta,invariants,mass,forcing,jacobian"));
  built_init(&b);
  built_coordinate(&b, "x2", "m");
  built_parameter(&b, "m", "0.5");
  built_parameter(&b, "k", "0.5");
  built_parameter(&b, "c", "0.5");
  built_input(&b, "x1", "0", false);
  built_input(&b, "v1", "0", false);
  built_energy(&b, ENERGY_KINETIC, "1/2*m*x2'^2");
  built_energy(&b, ENERGY_POTENTIAL, "1/2*k*(x2-x1)^2");
  built_energy(&b, ENERGY_DISSIPATION, "1/2*c*(x2'-v1)^2");
  puts(printed(&b, 0, NULL));
  built_init(&b);
  built_coordinate(&b, "r", "m");
  built_coordinate(&b, "φ", "rad");
  built_parameter(&b, "m", "0.5");
  built_parameter(&b, "F_r", "0.5");
  built_parameter(&b, "F_φ", "0.5");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(r'^2 + r^2*φ'^2)");
  built_force(&b, "F_r", "r", false);
  built_force(&b, "r*F_φ", "φ", false);
  puts(printed(&b, 0, NULL));
  puts(printed(&b, 1, NULL));
  built_init(&b);
  built_coordinate(&b, "a", "rad");
  built_coordinate(&b, "b", "rad");
  built_parameter(&b, "m1", "1.3");
  built_parameter(&b, "m2", "0.7");
  built_parameter(&b, "l1", "0.6");
  built_parameter(&b, "l2", "0.9");
  built_parameter(&b, "g", "9.81");
  built_energy(&b, ENERGY_KINETIC, "1/2*m1*l1^2*a'^2");
  built_energy(&b, ENERGY_KINETIC,
               "1/2*m2*((l1*cos(a)*a' + l2*cos(b)*b')^2 + (l1*sin(a)*a' + l2*sin(b)*b')^2)");
  built_energy(&b, ENERGY_POTENTIAL, "-m1*g*l1*cos(a) - m2*g*(l1*cos(a) + l2*cos(b))");
  puts(printed(&b, 0, "momenta,invariants"));
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "y", "m");
  built_parameter(&b, "m", "1.3");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*(x'+2*y')^2");
  puts(built_fault(&b, NULL));
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_coordinate(&b, "s", "m");
  built_parameter(&b, "m", "1.3");
  built_energy(&b, ENERGY_KINETIC, "1/2*m*x'^2");
  built_energy(&b, ENERGY_POTENTIAL, "1/2*s^2+(x-s)^2");
  puts(built_fault(&b, NULL));
  puts(built_fault(&b, "kane"));
  puts(built_fault(&b, "lagrang"));
}
