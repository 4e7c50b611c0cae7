/* Machine code gives the interpreter's numbers bit for bit: every function of a model, small and
 * large, with folded parameters, twice in a process and from two threads. */
#include "plant.h"
#include <pthread.h>

static dyn_function *function_of(const dyn_model *model, unsigned function) {
  switch (function) {
#define PROGRAM_FUNCTION(NAME, member)                                                             \
  case PROGRAM_FUNCTION_##NAME:                                                                    \
    return model->member;
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
  default:
    return NULL;
  }
}

static void assert_same_results(const struct program *program, const dyn_model *a,
                                const dyn_model *b, uint64_t seed) {
  struct random_source first = {seed}, second = {seed};
  for (unsigned f = 0; f < PROGRAM_FUNCTION_COUNT; f++) {
    if (program->tapes[f] == NULL) continue;
    struct arguments with_a = arguments_new(a, &first), with_b = arguments_new(b, &second);
    int status_a = call(a, function_of(a, f), &with_a);
    int status_b = call(b, function_of(b, f), &with_b);
    assert_int_equal(status_a, status_b);
    for (uint32_t i = 0; i < program->tapes[f]->out_count; i++)
      if (memcmp(&with_a.out[i], &with_b.out[i], sizeof(double)) != 0 &&
          !(isnan(with_a.out[i]) && isnan(with_b.out[i])))
        fail_msg("%s result %u: %.17g and %.17g", program_function_names[f], i, with_a.out[i],
                 with_b.out[i]);
    arguments_clear(&with_a);
    arguments_clear(&with_b);
  }
}

struct compiled {
  struct plant plant;
  struct program *program;
  dyn_model *interpreted;
  struct backend_model *jit;
};

static void compile_chain(struct compiled *compiled, uint32_t n, int level,
                          program_functions functions, const double *parameters) {
  const struct backend *backend = open_backend();
  struct backend_options options = backend_default_options();
  chain_init(&compiled->plant, n);
  compiled->program = program_build(compiled->plant.context, &compiled->plant.system, functions);
  program_check(compiled->program);
  compiled->interpreted = program_interpreted_model(compiled->program);
  options.level = level;
  options.parameters = parameters;
  struct backend_timings timings = {0};
  char *fault = backend->jit(compiled->program, compiled->interpreted, functions, &options,
                             &timings, &compiled->jit);
  if (fault != NULL) fail_msg("%s", fault);
  assert_true(timings.code_bytes > 0);
  if (getenv("DYN_TEST_TIMINGS") != NULL)
    printf("n = %u, level %d: build %.4f passes %.4f code %.4f link %.4f s, %zu instructions\n", n,
           level, timings.build, timings.passes, timings.code, timings.link,
           timings.ir_instructions);
}

static void compiled_clear(struct compiled *compiled) {
  open_backend()->release(compiled->jit);
  free(compiled->interpreted);
  program_free(compiled->program);
  plant_clear(&compiled->plant);
}

static void compare_chain(uint32_t n, int level, program_functions functions) {
  struct compiled compiled;
  compile_chain(&compiled, n, level, functions, NULL);
  for (uint64_t seed = 1; seed < 6; seed++)
    assert_same_results(compiled.program, compiled.interpreted, compiled.jit->model, seed);
  compiled_clear(&compiled);
}

static void every_function_agrees(void **state) {
  (void)state;
  static const uint32_t sizes[] = {1, 2, 3, 5, 6, 7, 9, 14};
  for (size_t i = 0; i < COUNT(sizes); i++) compare_chain(sizes[i], -1, PROGRAM_ALL);
}

/* Angles in vectors, and some among them that only the C library can take. */
static void far_angles_agree(void **state) {
  (void)state;
  static const double angles[] = {3e6, -0x1p20, 1e300, 0, -7};
  struct compiled compiled;
  compile_chain(&compiled, 9, -1, PROGRAM_HOT, NULL);
  const struct tape *rhs = compiled.program->tapes[PROGRAM_FUNCTION_RHS];
  uint32_t groups = 0;
  for (uint32_t i = 0; i < rhs->code.count; i++)
    if (rhs->code.items[i].operation == TAPE_SIN && rhs->code.items[i].b > groups)
      groups = rhs->code.items[i].b;
  assert_true(groups > 1);
  for (size_t far = 0; far < COUNT(angles); far++) {
    struct random_source first = {3}, second = {3};
    struct arguments a = arguments_new(compiled.interpreted, &first);
    struct arguments b = arguments_new(compiled.jit->model, &second);
    a.x[far + 2] = b.x[far + 2] = angles[far];
    assert_int_equal(call(compiled.interpreted, compiled.interpreted->rhs, &a), 0);
    assert_int_equal(call(compiled.jit->model, compiled.jit->model->rhs, &b), 0);
    assert_memory_equal(a.out, b.out, rhs->out_count * sizeof(double));
    assert_true(isfinite(a.out[rhs->out_count - 1]));
    arguments_clear(&a);
    arguments_clear(&b);
  }
  compiled_clear(&compiled);
}

static void every_level_agrees(void **state) {
  (void)state;
  for (int level = 0; level <= 3; level++) compare_chain(4, level, PROGRAM_ALL);
}

static void long_tapes_agree(void **state) {
  (void)state;
  compare_chain(30, -1, PROGRAM_HOT | PROGRAM_JACOBIAN);
}

static void folded_parameters_agree(void **state) {
  (void)state;
  static const double parameters[4] = {1.5, 0.375, 0.5, 9.81};
  struct compiled compiled;
  compile_chain(&compiled, 3, -1, PROGRAM_HOT, parameters);
  struct random_source random = {1};
  struct arguments arguments = arguments_new(compiled.jit->model, &random);
  assert_int_equal(call(compiled.interpreted, compiled.interpreted->rhs, &arguments), 0);
  double expected[7];
  memcpy(expected, arguments.out, sizeof expected);
  memset(arguments.p, 0, 4 * sizeof(double));
  assert_int_equal(call(compiled.jit->model, compiled.jit->model->rhs, &arguments), 0);
  for (int i = 0; i < 7; i++) assert_true(arguments.out[i] == expected[i]);
  arguments_clear(&arguments);
  compiled_clear(&compiled);
}

static void jacobian_can_be_added_later(void **state) {
  (void)state;
  struct compiled compiled;
  compile_chain(&compiled, 3, -1, PROGRAM_HOT, NULL);
  assert_null(compiled.jit->model->jacobian);
  program_add(compiled.program, PROGRAM_JACOBIAN);
  dyn_model *interpreted = program_interpreted_model(compiled.program);
  struct backend_options options = backend_default_options();
  struct backend_model *more;
  char *fault = open_backend()->jit(compiled.program, compiled.jit->model, PROGRAM_JACOBIAN,
                                    &options, NULL, &more);
  assert_null(fault);
  assert_true(more->model->rhs == compiled.jit->model->rhs);
  assert_true(more->model->jacobian_pattern->n_entries > 0);
  struct random_source random = {5};
  struct arguments arguments = arguments_new(interpreted, &random);
  assert_int_equal(call(interpreted, interpreted->jacobian, &arguments), 0);
  double expected[64];
  memcpy(expected, arguments.out,
         (size_t)interpreted->jacobian_pattern->n_entries * sizeof(double));
  assert_int_equal(call(more->model, more->model->jacobian, &arguments), 0);
  for (int i = 0; i < interpreted->jacobian_pattern->n_entries; i++)
    assert_true(arguments.out[i] == expected[i]);
  arguments_clear(&arguments);
  open_backend()->release(more);
  free(interpreted);
  compiled_clear(&compiled);
}

static void *compile_in_thread(void *user) {
  struct compiled *compiled = user;
  struct backend_options options = backend_default_options();
  for (int round = 0; round < 3; round++) {
    struct backend_model *jit;
    char *fault = open_backend()->jit(compiled->program, compiled->interpreted, PROGRAM_HOT,
                                      &options, NULL, &jit);
    if (fault != NULL) return fault;
    assert_same_results(compiled->program, compiled->interpreted, jit->model, 3);
    open_backend()->release(jit);
  }
  return NULL;
}

static void threads_compile_at_once(void **state) {
  (void)state;
  struct compiled compiled[2];
  pthread_t threads[2];
  for (uint32_t i = 0; i < 2; i++) {
    compile_chain(&compiled[i], 2 + i, -1, PROGRAM_HOT, NULL);
    assert_int_equal(pthread_create(&threads[i], NULL, compile_in_thread, &compiled[i]), 0);
  }
  for (int i = 0; i < 2; i++) {
    void *fault;
    pthread_join(threads[i], &fault);
    assert_null(fault);
  }
  for (int i = 0; i < 2; i++) compiled_clear(&compiled[i]);
}

static void faults_are_texts(void **state) {
  (void)state;
  struct compiled compiled;
  compile_chain(&compiled, 1, -1, PROGRAM_HOT, NULL);
  struct backend_options options = backend_default_options();
  options.target = "no-such-machine";
  struct text out = {0};
  char *fault =
      open_backend()->emit(compiled.program, PROGRAM_ALL, BACKEND_OBJECT, &options, NULL, &out);
  assert_non_null(fault);
  assert_int_equal(out.length, 0);
  free(fault);
  compiled_clear(&compiled);
}

static void empty_models_compile(void **state) {
  (void)state;
  struct plant plant;
  plant_init(&plant, 0, 0);
  struct program *program = program_build(plant.context, &plant.system, PROGRAM_ALL);
  program_check(program);
  dyn_model *interpreted = program_interpreted_model(program);
  struct backend_options options = backend_default_options();
  struct backend_model *jit;
  char *fault = open_backend()->jit(program, interpreted, PROGRAM_ALL, &options, NULL, &jit);
  assert_null(fault);
  assert_same_results(program, interpreted, jit->model, 1);
  open_backend()->release(jit);
  free(interpreted);
  program_free(program);
  plant_clear(&plant);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function_agrees),   cmocka_unit_test(every_level_agrees),
      cmocka_unit_test(far_angles_agree),        cmocka_unit_test(long_tapes_agree),
      cmocka_unit_test(folded_parameters_agree), cmocka_unit_test(jacobian_can_be_added_later),
      cmocka_unit_test(threads_compile_at_once), cmocka_unit_test(faults_are_texts),
      cmocka_unit_test(empty_models_compile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
