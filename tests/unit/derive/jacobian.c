/* Derivatives of the residual M q'' - f and of the rates against central differences, with
 * accelerations as independent numbers. */
#include "tests/unit/derive/build.h"

static void build_system(struct built *b) {
  built_init(b);
  built_coordinate(b, "r", "m");
  built_coordinate(b, "φ", "rad");
  built_state(b, "z");
  built_state(b, "w");
  built_parameter(b, "m", "1.5");
  built_parameter(b, "k", "3");
  built_rate(b, 0, "r*φ' - z^2 + 0.3*r''*cos(φ)");
  built_rate(b, 1, "sin(z) - w");
  built_energy(b, ENERGY_KINETIC, "1/2*m*(r'^2 + (r + 0.2*cos(φ))^2*φ'^2 + r'*φ'*sin(φ))");
  built_energy(b, ENERGY_POTENTIAL, "1/2*k*(r - 1)^2 - m*r*cos(φ)");
  built_energy(b, ENERGY_DISSIPATION, "1/2*k*r'^2*φ'^2");
  built_force(b, "z*r'*φ + w*t - 0.1*φ''", "r", false);
}

static const char *const names[] = {"r", "φ", "r'", "φ'", "z", "w", "r''", "φ''"};
static const double values[] = {1.2, 0.4, -0.3, 0.9, 0.5, -0.6, 0.7, -1.1};

static double row_value(struct built *b, const struct system *s, size_t row) {
  if (row >= s->n) return built_value(b, s->rate[row - s->n]);
  double sum = -built_value(b, s->forcing[row]);
  for (size_t j = 0; j < s->n; j++)
    sum += built_value(b, s->mass[row + j * s->n]) *
           built_value(b, b->model.coordinates.items[j].acceleration);
  return sum;
}

static double difference(struct built *b, const struct system *s, size_t row, size_t variable) {
  static const double weight[4] = {1, -8, 8, -1}, step[4] = {-2, -1, 1, 2};
  double h = 1e-3, sum = 0;
  for (int k = 0; k < 4; k++) {
    built_set(b, names[variable], values[variable] + step[k] * h);
    sum += weight[k] * row_value(b, s, row);
  }
  built_set(b, names[variable], values[variable]);
  return sum / (12 * h);
}

static void test_against_differences(void **state) {
  (void)state;
  struct built b;
  build_system(&b);
  struct system *s = built_derive(&b);
  system_derive_jacobian(s);
  system_derive_jacobian(s); /* asking twice is harmless */
  system_check(s);
  built_set(&b, "t", 0.3);
  for (size_t k = 0; k < 8; k++) built_set(&b, names[k], values[k]);
  for (size_t column = 0; column < 6; column++) {
    for (size_t i = 0; i < 2; i++) {
      assert_near(built_value(&b, s->residual_by_state[i + column * 2]),
                  difference(&b, s, i, column), 1e-9);
      assert_near(built_value(&b, s->rate_by_state[i + column * 2]),
                  difference(&b, s, 2 + i, column), 1e-9);
    }
  }
  for (size_t column = 0; column < 2; column++)
    for (size_t i = 0; i < 2; i++)
      assert_near(built_value(&b, s->rate_by_acceleration[i + column * 2]),
                  difference(&b, s, 2 + i, 6 + column), 1e-9);
  system_free(s);
  built_clear(&b);
}

static void test_without_states(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  built_coordinate(&b, "x", "m");
  built_energy(&b, ENERGY_KINETIC, "x'^2");
  built_energy(&b, ENERGY_POTENTIAL, "3*x^2");
  struct system *s = built_derive(&b);
  system_derive_jacobian(s);
  system_check(s);
  assert_int_equal(s->residual_by_state[0], expr_integer(b.model.graph, 6));
  assert_int_equal(s->residual_by_state[1], expr_integer(b.model.graph, 0));
  system_free(s);
  built_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_differences),
      cmocka_unit_test(test_without_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
