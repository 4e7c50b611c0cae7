/* The tape gives what expr_evaluate gives, for every operator; sharing, folding and addition
 * theorems do what they promise. */
#include "support.h"

static struct tape *tape_of(struct scene *scene, const expr *roots, uint32_t count) {
  struct tape_builder builder;
  scene_builder(&builder, scene);
  builder_plan_angles(&builder, roots, count);
  for (uint32_t i = 0; i < count; i++)
    builder_output(&builder, i, builder_lower(&builder, roots[i]));
  return builder_finish(&builder);
}

static void random_expressions_agree(void **state) {
  (void)state;
  struct random_source random = {1};
  for (int round = 0; round < 400; round++) {
    struct scene scene;
    scene_init(&scene, &random);
    expr roots[3];
    double expected[3], out[3];
    for (int i = 0; i < 3; i++)
      roots[i] = random_expression(&scene, &random, 3 + random_below(&random, 40));
    expr_evaluate(scene.graph, roots, 3, scene_value, &scene, expected);
    struct tape *tape = tape_of(&scene, roots, 3);
    assert_int_equal(run_tape(tape, scene.values, out), 0);
    for (int i = 0; i < 3; i++) assert_nearly(out[i], expected[i], 1e-13);
    tape_free(tape);
    expr_graph_free(scene.graph);
  }
}

static uint32_t count_operation(const struct tape *tape, enum tape_operation operation) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < tape->code.count; i++)
    count += tape->code.items[i].operation == operation;
  return count;
}

/* cos(a-b), cos(a-c), cos(b-c), sin(a-b), ... : three sines and cosines for all pairs. */
static void angle_differences_share_library_calls(void **state) {
  (void)state;
  struct random_source random = {2};
  struct scene scene;
  scene_init(&scene, &random);
  expr roots[40];
  double expected[40], out[40];
  uint32_t count = 0;
  for (int i = 0; i < SYMBOL_COUNT; i++)
    for (int j = 0; j < i; j++) {
      expr difference = expr_subtract(scene.graph, scene.symbols[i], scene.symbols[j]);
      roots[count++] = expr_unary(scene.graph, EXPR_COS, difference);
      roots[count++] = expr_unary(scene.graph, EXPR_SIN, difference);
    }
  struct tape *tape = tape_of(&scene, roots, count);
  assert_int_equal(count_operation(tape, TAPE_SIN), SYMBOL_COUNT);
  assert_int_equal(count_operation(tape, TAPE_COS), SYMBOL_COUNT);
  expr_evaluate(scene.graph, roots, count, scene_value, &scene, expected);
  assert_int_equal(run_tape(tape, scene.values, out), 0);
  for (uint32_t i = 0; i < count; i++) assert_nearly(out[i], expected[i], 1e-15);
  tape_free(tape);
  expr_graph_free(scene.graph);
}

static void angle_sums_of_all_kinds_agree(void **state) {
  (void)state;
  struct random_source random = {3};
  for (int round = 0; round < 200; round++) {
    struct scene scene;
    scene_init(&scene, &random);
    expr roots[24];
    double expected[24], out[24];
    for (int i = 0; i < 24; i++) {
      expr sum = expr_ratio(scene.graph, (long)random_below(&random, 3), 7);
      for (int k = 0; k < 3; k++) {
        expr term = scene.symbols[random_below(&random, 3)];
        long multiple = (long)random_below(&random, 11) - 5;
        expr factor = expr_ratio(scene.graph, multiple, random_below(&random, 4) == 0 ? 2 : 1);
        sum = expr_add(scene.graph, sum, expr_multiply(scene.graph, factor, term));
      }
      roots[i] = expr_unary(scene.graph, random_below(&random, 2) ? EXPR_SIN : EXPR_COS, sum);
    }
    expr_evaluate(scene.graph, roots, 24, scene_value, &scene, expected);
    struct tape *tape = tape_of(&scene, roots, 24);
    assert_int_equal(run_tape(tape, scene.values, out), 0);
    for (uint32_t i = 0; i < 24; i++) assert_nearly(out[i], expected[i], 1e-14);
    tape_free(tape);
    expr_graph_free(scene.graph);
  }
}

/* sin(c*a + c*b) where the double next to c is 0, as if the angles were not there. */
static void angles_may_vanish(void **state) {
  (void)state;
  struct random_source random = {7};
  struct scene scene;
  scene_init(&scene, &random);
  expr tiny = expr_integer(scene.graph, 1);
  for (int i = 0; i < 40; i++)
    tiny = expr_multiply(scene.graph, tiny, expr_ratio(scene.graph, 1, 10000000000));
  expr sum = expr_add(scene.graph, expr_multiply(scene.graph, tiny, scene.symbols[0]),
                      expr_multiply(scene.graph, tiny, scene.symbols[1]));
  expr more = expr_add(scene.graph, sum, scene.symbols[2]);
  expr roots[4] = {expr_unary(scene.graph, EXPR_SIN, sum), expr_unary(scene.graph, EXPR_COS, sum),
                   expr_unary(scene.graph, EXPR_SIN, more),
                   expr_unary(scene.graph, EXPR_COS, more)};
  double expected[4], out[4];
  expr_evaluate(scene.graph, roots, 4, scene_value, &scene, expected);
  struct tape *tape = tape_of(&scene, roots, 4);
  assert_int_equal(run_tape(tape, scene.values, out), 0);
  for (int i = 0; i < 4; i++) assert_nearly(out[i], expected[i], 1e-15);
  tape_free(tape);
  expr_graph_free(scene.graph);
}

/* m*l^2 is one value wherever it stands; a/(b^2*c) is one division. */
static void products_share_and_divide_once(void **state) {
  (void)state;
  struct random_source random = {4};
  struct scene scene;
  scene_init(&scene, &random);
  struct expr_graph *graph = scene.graph;
  expr a = scene.symbols[0], b = scene.symbols[1], c = scene.symbols[2];
  expr denominator = expr_multiply(graph, expr_multiply(graph, b, b), c);
  expr roots[2] = {expr_divide(graph, a, denominator),
                   expr_power_ratio(graph, expr_add(graph, a, b), -5, 2)};
  struct tape *tape = tape_of(&scene, roots, 2);
  struct tape_counts counts = tape_count(tape);
  assert_int_equal(counts.divisions, 2);
  assert_int_equal(counts.functions, 1);       /* one square root */
  assert_int_equal(counts.multiplications, 4); /* b*b, *c; square, times root */
  tape_free(tape);
  expr_graph_free(graph);
}

static void rationals_become_nearest_doubles(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } cases[] = {{"1/3", 1.0 / 3},
               {"-2/3", -2.0 / 3},
               {"1/10", 0.1},
               {"0", 0},
               {"9007199254740993/1", 0x1p53},
               {"9007199254740995/1", 0x1p53 + 4},
               {"123456789/1000", 123456.789}};
  mpq_t number;
  mpq_init(number);
  for (size_t i = 0; i < COUNT(cases); i++) {
    assert_int_equal(mpq_set_str(number, cases[i].text, 10), 0);
    assert_true(expr_nearest_double(number) == cases[i].value);
  }
  struct random_source random = {5};
  for (int round = 0; round < 2000; round++) {
    double value = random_between(&random, -1, 1) * ldexp(1, (int)random_below(&random, 200) - 100);
    mpq_set_d(number, value);
    assert_true(expr_nearest_double(number) == value);
  }
  mpq_clear(number);
}

static void dump_shows_instructions(void **state) {
  (void)state;
  struct random_source random = {6};
  struct scene scene;
  scene_init(&scene, &random);
  expr root = expr_multiply(scene.graph, expr_integer(scene.graph, 2),
                            expr_unary(scene.graph, EXPR_SIN, scene.symbols[1]));
  struct tape *tape = tape_of(&scene, &root, 1);
  struct text out = {0};
  tape_dump(tape, &out);
  assert_string_equal(text_string(&out), "  %0 = x[1]\n  %1 = sin %0\n  %2 = 2\n"
                                         "  %3 = multiply %1 %2\n  out[0] = %3\n");
  text_free(&out);
  tape_free(tape);
  expr_graph_free(scene.graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_expressions_agree),
      cmocka_unit_test(angle_differences_share_library_calls),
      cmocka_unit_test(angle_sums_of_all_kinds_agree),
      cmocka_unit_test(angles_may_vanish),
      cmocka_unit_test(products_share_and_divide_once),
      cmocka_unit_test(rationals_become_nearest_doubles),
      cmocka_unit_test(dump_shows_instructions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
