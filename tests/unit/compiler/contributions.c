/* What `dyn derive --trace` lists for every statement adds up to the equations of motion, for all
 * examples and methods: at points of the state, its rates and the multipliers that are all
 * independent, as both sides are the same functions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/bug.h"
#include "compiler/compiler.h"
#include "derive/contributions.h"
#include "sema/model.h"

static const char *const examples[] = {"areal_speed",
                                       "ball_in_bowl",
                                       "block_and_cylinder",
                                       "cart_pole",
                                       "chaplygin_sleigh",
                                       "double_pendulum",
                                       "driven_pivot",
                                       "falling_stick",
                                       "four_bar",
                                       "furuta",
                                       "gimbal_gyroscope",
                                       "heavy_top_angles",
                                       "heavy_top_parameters",
                                       "knife_edge",
                                       "particle_polar",
                                       "planetary_gear",
                                       "quarter_car",
                                       "rocking_half_disc",
                                       "rolling_disc",
                                       "rolling_disc_bodies",
                                       "spring_pendulum",
                                       "top_spin",
                                       "turntable_ball",
                                       "two_masses_constraint"};

/* Sums of terms that cancel are as exact as their largest term: in proportion to that. */
enum { POINTS = 3 };
static const double tolerance = 1e-11;

struct point {
  const dyn_compiler *compiler;
  uint32_t seed;
};

/* Between 0.3 and 1.3, whatever the symbol is: no denominator of the examples vanishes there. */
static double value_of(void *user, expr symbol) {
  const struct point *point = user;
  uint64_t hash = (symbol + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ point->seed;
  hash = (hash ^ (hash >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
  hash ^= hash >> 32;
  return 0.3 + (double)(hash & 0xffffff) / (double)0x1000000;
}

/* Left sides less right sides, as the method has them. */
static expr equation_of(const struct system *s, uint32_t i) {
  const struct model *model = s->model;
  struct expr_graph *graph = s->graph;
  const struct system_method_state *state = &s->state;
  bool has_speeds = state->kind == VARIABLES_SPEEDS;
  const expr *mass = has_speeds ? state->mass : s->mass;
  const expr *arms = has_speeds ? state->multiplier_force : s->multiplier_force;
  expr sum = has_speeds ? expr_negate(graph, state->forcing[i])
                        : expr_subtract(graph, s->inertial[i], s->applied[i]);
  for (uint32_t j = 0; j < s->n; j++) {
    expr rate = has_speeds ? state->symbol_rate[j] : model->coordinates.items[j].acceleration;
    sum = expr_add(graph, sum, expr_multiply(graph, mass[i + (size_t)j * s->n], rate));
  }
  for (uint32_t k = 0; k < s->m; k++)
    sum = expr_subtract(
        graph, sum,
        expr_multiply(graph, arms[i + (size_t)k * s->n], model->constraints.items[k].multiplier));
  return sum;
}

/* p'_i of the canonical equations. */
static expr momentum_rate_of(const struct system *s, uint32_t i) {
  expr sum = s->state.rate[i];
  for (uint32_t k = 0; k < s->m; k++)
    sum = expr_add(s->graph, sum,
                   expr_multiply(s->graph, s->constraint_jacobian[k + (size_t)i * s->m],
                                 s->model->constraints.items[k].multiplier));
  return sum;
}

static bool adds_up(const struct system *s, const struct contributions *all, uint32_t i) {
  struct expr_graph *graph = s->graph;
  bool has_momenta = s->state.kind == VARIABLES_MOMENTA;
  struct expr_substitution *by_speeds = expr_substitution_new(graph);
  for (uint32_t j = 0; j < s->n && s->state.kind == VARIABLES_SPEEDS; j++)
    expr_substitution_add(by_speeds, s->model->coordinates.items[j].velocity, s->state.velocity[j]);
  expr *roots = checked_calloc(all->items.count + 1, sizeof(expr));
  double *values = checked_calloc(all->items.count + 1, sizeof(double));
  for (uint32_t k = 0; k < all->items.count; k++) roots[k] = all->items.items[k].rows[i];
  roots[all->items.count] =
      expr_substitution_of(by_speeds, has_momenta ? momentum_rate_of(s, i) : equation_of(s, i));
  bool good = true;
  for (uint32_t p = 0; p < POINTS && good; p++) {
    struct point point = {.seed = 7 * p + 1};
    double sum = 0, size = 1;
    expr_evaluate(graph, roots, all->items.count + 1, value_of, &point, values);
    for (uint32_t k = 0; k < all->items.count; k++) {
      bool is_left = all->items.items[k].kind == CONTRIBUTION_INERTIA || has_momenta;
      sum += is_left ? values[k] : -values[k];
      size = fmax(size, fabs(values[k]));
    }
    good = fabs(sum - values[all->items.count]) <= tolerance * size;
    if (!good)
      print_error("%s by %s, equation %u: %.17g, expected %.17g\n", s->model->name, s->method,
                  (unsigned)i, sum, values[all->items.count]);
  }
  free(roots);
  free(values);
  expr_substitution_free(by_speeds);
  return good;
}

/* The number of methods that apply. */
static uint32_t check_model(const char *path) {
  static const char *const methods[] = {"lagrange", "augmented", "kane", "gibbs-appell",
                                        "hamilton"};
  uint32_t tried = 0;
  dyn_compiler *compiler = dyn_compiler_new();
  assert_int_equal(dyn_compiler_add_file(compiler, path), 0);
  assert_true(compiler_check(compiler));
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    struct system *system = derive_system(compiler->context, compiler->model, methods[i]);
    if (system == NULL) continue;
    struct contributions all = contributions_of(system);
    for (uint32_t row = 0; row < system->n; row++) assert_true(adds_up(system, &all, row));
    contributions_clear(&all);
    system_free(system);
    tried++;
  }
  dyn_compiler_free(compiler);
  return tried;
}

static void test_examples(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    char path[80];
    snprintf(path, sizeof path, "examples/%s.dyn", examples[i]);
    assert_true(check_model(path) >= 4);
  }
}

/* Kinetic energies next to bodies, states in forces, friction by multipliers, time in speeds. */
static void test_small_models(void **state) {
  (void)state;
  static const char *const models[] = {"mixed_inertia", "driven_speeds", "tumbling", "disc_speeds"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    char path[80];
    snprintf(path, sizeof path, "tests/methods/%s.dyn", models[i]);
    assert_true(check_model(path) >= 4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples),
      cmocka_unit_test(test_small_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
