/* Sines and cosines by arithmetic: within a unit in the last place of what they are, also next to
 * multiples of pi/2; beyond their range, the C library's. And the groups that a tape gets. */
#include "support.h"
#include "codegen/sines.h"
#include <float.h>
#include <stdlib.h>

#if LDBL_MANT_DIG < 64
#define NO_REFERENCE 1 /* there is nothing that knows better here */
#else
#define NO_REFERENCE 0
#endif

/* How many units in its last place a number is away from what it should be. */
static double units_off(double number, long double exact) {
  int exponent;
  frexpl(exact, &exponent);
  return (double)fabsl(((long double)number - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

static void check_angle(double angle) {
  long double sine = sinl((long double)angle), cosine = cosl((long double)angle);
  if (units_off(sines_sine(angle), sine) > 0.9 || units_off(sines_cosine(angle), cosine) > 0.9)
    fail_msg("of %.17g: %.17g and %.17g", angle, sines_sine(angle), sines_cosine(angle));
}

static void angles_of_all_sizes(void **state) {
  (void)state;
  if (NO_REFERENCE) skip();
  struct random_source random = {7};
  static const double ranges[] = {1e-8, 1e-3, 0.8, 3.2, 7, 100, 1e4, SINES_LARGEST};
  for (size_t k = 0; k < COUNT(ranges); k++)
    for (int i = 0; i < 20000; i++) check_angle(random_between(&random, -ranges[k], ranges[k]));
}

/* There one of the two is hardly more than the rounding of the angle. */
static void angles_near_quarter_turns(void **state) {
  (void)state;
  if (NO_REFERENCE) skip();
  struct random_source random = {8};
  const long double half_pi = 1.57079632679489661923132169163975L;
  for (uint32_t i = 0; i < 20000; i++) {
    double near = (double)(half_pi * (i < 2000 ? i : random_below(&random, 660000)));
    check_angle(near);
    check_angle(nextafter(near, 0));
    check_angle(nextafter(near, INFINITY));
  }
}

static void what_is_far_goes_to_the_library(void **state) {
  (void)state;
  static const double angles[] = {0x1.000001p20, -1e9, 1e300, -DBL_MAX};
  for (size_t i = 0; i < COUNT(angles); i++) {
    assert_true(sines_sine(angles[i]) == sin(angles[i]));
    assert_true(sines_cosine(angles[i]) == cos(angles[i]));
  }
  assert_true(isnan(sines_sine(NAN)) && isnan(sines_cosine(INFINITY)));
  assert_true(sines_sine(0) == 0 && sines_cosine(0) == 1);
}

/* Sines of x[i] + x[i+1] for i < count, then the cosine of the first of them. */
static struct tape *sines_of_sums(uint32_t count) {
  struct expr_graph *graph = expr_graph_new(0);
  struct tape_builder builder;
  builder_init(&builder, graph);
  builder.tape->out_count = count + 1;
  tape_value sine = 0, of_first = 0;
  for (uint32_t i = 0; i < count; i++) {
    tape_value sum = builder_binary(&builder, TAPE_ADD, builder_input(&builder, TAPE_ARRAY_X, i),
                                    builder_input(&builder, TAPE_ARRAY_X, i + 1));
    sine = builder_unary(&builder, TAPE_SIN, sum);
    builder_output(&builder, i, sine);
    if (i == 0) of_first = sine;
  }
  /* of what is not ready before the sines are */
  builder_output(&builder, count, builder_unary(&builder, TAPE_COS, of_first));
  struct tape *tape = builder_finish(&builder);
  expr_graph_free(graph);
  return tape;
}

static void groups(void **state) {
  (void)state;
  for (uint32_t count = 1; count < 11; count++) {
    struct tape *tape = sines_of_sums(count);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < tape->code.count; i++) {
      const struct tape_instruction *instruction = &tape->code.items[i];
      if (instruction->operation == TAPE_SIN)
        assert_int_equal(instruction->b, count < SINES_GROUP ? 0 : 1 + seen++ / SINES_GROUP);
      if (instruction->operation == TAPE_COS) assert_int_equal(instruction->b, 0);
    }
    double x[12], out[12];
    double *work = checked_calloc(tape_interpreter_work(tape) + 1, sizeof *work);
    for (int i = 0; i < 12; i++) x[i] = 0.3 * i;
    struct tape_arguments arguments = {.x = x, .work = work, .out = out};
    assert_int_equal(tape_run(tape, &arguments), 0);
    for (uint32_t i = 0; i < count; i++)
      assert_true(out[i] ==
                  (count < SINES_GROUP ? sin(x[i] + x[i + 1]) : sines_sine(x[i] + x[i + 1])));
    assert_true(out[count] == cos(out[0]));
    free(work);
    tape_free(tape);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(angles_of_all_sizes),
      cmocka_unit_test(angles_near_quarter_turns),
      cmocka_unit_test(what_is_far_goes_to_the_library),
      cmocka_unit_test(groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
