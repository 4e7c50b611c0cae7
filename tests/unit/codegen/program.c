/* Programs: defaults, parameters that follow others, the Jacobian against differences, growth of
 * the right-hand side with the length of a chain, and no mutable state at file scope. */
#define _GNU_SOURCE
#include "plant.h"
#include <stdlib.h>

static void defaults_are_evaluated(void **state) {
  (void)state;
  struct plant plant;
  chain_init(&plant, 2);
  struct program *program = program_build(plant.context, &plant.system, PROGRAM_ALL);
  program_check(program);
  const dyn_model *tables = &program->tables;
  assert_true(tables->parameters[1].value == 1.5 * 0.25);
  assert_true(tables->parameters[3].value == 9.81);
  assert_true(tables->coordinates[1].value == 0.2);
  assert_true(tables->rates[0].value == 0.25);
  assert_string_equal(tables->velocities[1].name, "θ[2]'");
  assert_string_equal(tables->velocities[1].unit, "rad/s");
  assert_string_equal(tables->accelerations[1].unit, "rad/s^2");
  assert_int_equal(tables->n_initial_position, 1);
  assert_int_equal(tables->n_initial_velocity, 1);
  assert_string_equal(tables->initial_velocity[0].text, "θ[1]'*θ[1] = 1");
  program_free(program);
  plant_clear(&plant);
}

static void dependent_parameters_follow(void **state) {
  (void)state;
  struct plant plant;
  chain_init(&plant, 1);
  struct program *program = program_build(plant.context, &plant.system, PROGRAM_HOT);
  dyn_model *model = program_interpreted_model(program);
  double *work = checked_calloc((size_t)model->n_work + 1, sizeof(double)), out[4];
  double set[4] = {0, 0, 1, 0}, own[4] = {NAN, NAN, 2, NAN};
  assert_int_equal(model->complete_parameters(model, 0, set, NULL, own, work, out), 0);
  assert_true(out[0] == 1.5 && out[1] == 6 && out[2] == 2 && out[3] == 9.81);
  double both[4] = {0, 1, 1, 0};
  own[1] = 7;
  assert_int_equal(model->complete_parameters(model, 0, both, NULL, own, work, out), 0);
  assert_true(out[1] == 7);
  assert_int_equal(model->default_inputs(model, 3, NULL, NULL, out, work, own), 0);
  assert_true(own[0] == 4.5);
  double run[DYN_RUN_COUNT];
  assert_int_equal(model->run_defaults(model, 0, NULL, NULL, out, work, run), 0);
  assert_true(isnan(run[DYN_RUN_UNTIL]));
  free(work);
  free(model);
  program_free(program);
  plant_clear(&plant);
}

/* M x'' = f with the matrix and forcing of the same model. */
static void accelerations_satisfy_the_equations(void **state) {
  (void)state;
  struct random_source random = {1};
  for (uint32_t n = 1; n <= 15; n += 2) {
    struct plant plant;
    chain_init(&plant, n);
    struct program *program = program_build(plant.context, &plant.system, PROGRAM_ALL);
    dyn_model *model = program_interpreted_model(program);
    struct arguments arguments = arguments_new(model, &random);
    double a[15], f[15], x[31];
    assert_int_equal(call(model, model->rhs, &arguments), 0);
    memcpy(x, arguments.out, (2 * n + 1) * sizeof(double));
    assert_int_equal(call(model, model->acceleration, &arguments), 0);
    memcpy(a, arguments.out, n * sizeof(double));
    assert_int_equal(call(model, model->forcing, &arguments), 0);
    memcpy(f, arguments.out, n * sizeof(double));
    assert_int_equal(call(model, model->mass_matrix, &arguments), 0);
    for (uint32_t i = 0; i < n; i++) {
      double sum = 0;
      for (uint32_t j = 0; j < n; j++) sum += arguments.out[i + j * n] * a[j];
      assert_nearly(sum, f[i], 1e-10);
      assert_true(x[i] == arguments.x[n + i] && x[n + i] == a[i]);
    }
    assert_nearly(x[2 * n], a[n - 1] / 3 - arguments.x[2 * n], 1e-14);
    arguments_clear(&arguments);
    free(model);
    program_free(program);
    plant_clear(&plant);
  }
}

static void compare_jacobian(uint32_t n) {
  struct random_source random = {n};
  struct plant plant;
  chain_init(&plant, n);
  struct program *program =
      program_build(plant.context, &plant.system, PROGRAM_RHS | PROGRAM_JACOBIAN);
  program_check(program);
  dyn_model *model = program_interpreted_model(program);
  struct arguments arguments = arguments_new(model, &random);
  size_t size = (size_t)model->n_state;
  double *jacobian = checked_calloc((size_t)model->jacobian_pattern->n_entries + 1, sizeof(double));
  double *above = checked_calloc(size, sizeof(double)), *difference = checked_calloc(size, 8);
  assert_int_equal(call(model, model->jacobian, &arguments), 0);
  memcpy(jacobian, arguments.out, (size_t)model->jacobian_pattern->n_entries * sizeof(double));
  for (size_t j = 0; j < size; j++) {
    double x = arguments.x[j], h = 1e-5;
    arguments.x[j] = x + h;
    call(model, model->rhs, &arguments);
    memcpy(above, arguments.out, size * sizeof(double));
    arguments.x[j] = x - h;
    call(model, model->rhs, &arguments);
    arguments.x[j] = x;
    for (size_t i = 0; i < size; i++) difference[i] = (above[i] - arguments.out[i]) / (2 * h);
    int32_t previous = -1;
    for (int32_t e = model->jacobian_pattern->columns[j];
         e < model->jacobian_pattern->columns[j + 1]; e++) {
      int32_t row = model->jacobian_pattern->rows[e];
      assert_true(row > previous);
      assert_nearly(jacobian[e], difference[row], 1e-6);
      difference[row] = 0;
      previous = row;
    }
    for (size_t i = 0; i < size; i++) assert_true(difference[i] == 0); /* the pattern holds all */
  }
  assert_int_equal(model->jacobian_pattern->columns[size], model->jacobian_pattern->n_entries);
  free(jacobian);
  free(above);
  free(difference);
  arguments_clear(&arguments);
  free(model);
  program_free(program);
  plant_clear(&plant);
}

static void jacobian_matches_differences(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 5; n++) compare_jacobian(n);
  compare_jacobian(11);
}

/* Derivatives of the conditions, row by row behind the residuals. */
static void conditions_come_with_derivatives(void **state) {
  (void)state;
  struct random_source random = {4};
  struct plant plant;
  chain_init(&plant, 2);
  struct program *program = program_build(plant.context, &plant.system, PROGRAM_ALL);
  dyn_model *model = program_interpreted_model(program);
  struct arguments arguments = arguments_new(model, &random);
  const double *x = arguments.x, *out = arguments.out;
  assert_int_equal(call(model, model->initial_position_equations, &arguments), 0);
  assert_nearly(out[0], x[0] - x[4] * x[4], 1e-15);
  assert_true(out[1] == 1 && out[2] == 0);
  assert_nearly(out[3], -2 * x[4], 1e-15);
  assert_int_equal(call(model, model->initial_velocity_equations, &arguments), 0);
  assert_nearly(out[0], x[2] * x[0] - 1, 1e-15);
  assert_true(out[1] == x[0] && out[2] == 0);
  arguments_clear(&arguments);
  free(model);
  program_free(program);
  plant_clear(&plant);
}

static void chain_costs_grow_quadratically(void **state) {
  (void)state;
  double previous = 0;
  for (uint32_t n = 20; n <= 160; n *= 2) {
    struct plant plant;
    chain_init(&plant, n);
    struct program *program = program_build(plant.context, &plant.system, PROGRAM_RHS);
    struct tape_counts counts = tape_count(program->tapes[PROGRAM_FUNCTION_RHS]);
    if (previous > 0) assert_true(counts.instructions < 4.2 * previous);
    assert_int_equal(counts.functions, 2 * n); /* one sine and one cosine for each angle */
    previous = counts.instructions;
    program_free(program);
    plant_clear(&plant);
  }
}

static void empty_models_are_fine(void **state) {
  (void)state;
  for (uint32_t rates = 0; rates <= 1; rates++) {
    struct plant plant;
    plant_init(&plant, 0, rates);
    if (rates > 0)
      plant.system.rate[0] = expr_negate(plant.model.graph, plant.model.states.items[0].value);
    struct program *program = program_build(plant.context, &plant.system, PROGRAM_ALL);
    program_check(program);
    dyn_model *model = program_interpreted_model(program);
    struct random_source random = {1};
    struct arguments arguments = arguments_new(model, &random);
    assert_int_equal(call(model, model->rhs, &arguments), 0);
    if (rates > 0) assert_true(arguments.out[0] == -arguments.x[0]);
    if (rates > 0) {
      assert_int_equal(call(model, model->jacobian, &arguments), 0);
      assert_true(arguments.out[0] == -1);
    } else {
      assert_null(model->jacobian); /* nothing to differentiate */
    }
    assert_null(model->energies);
    assert_null(model->initial_position_equations);
    arguments_clear(&arguments);
    free(model);
    program_free(program);
    plant_clear(&plant);
  }
}

/* Writable data of our own objects in the library: none. */
static void no_mutable_state(void **state) {
  (void)state;
  char path[1100], command[1400], line[256];
  path_above(path, sizeof path, "libdyn_codegen.a");
  snprintf(command, sizeof command,
           "objdump -t %s | grep -E ' O +\\.(data|bss|tdata|tbss)[[:space:]]' | grep -v asan",
           path);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  if (fgets(line, sizeof line, pipe) != NULL) fail_msg("mutable: %s", line);
  pclose(pipe);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_evaluated),
      cmocka_unit_test(dependent_parameters_follow),
      cmocka_unit_test(accelerations_satisfy_the_equations),
      cmocka_unit_test(jacobian_matches_differences),
      cmocka_unit_test(conditions_come_with_derivatives),
      cmocka_unit_test(chain_costs_grow_quadratically),
      cmocka_unit_test(empty_models_are_fine),
      cmocka_unit_test(no_mutable_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
