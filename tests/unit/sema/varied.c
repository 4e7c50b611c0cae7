/* Parameters that --vary gives values: in general position for what is judged once, checked with
 * each value where they decide. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "fixture.h"
#include <math.h>
#include <stdio.h>

static double no_symbol(void *user, expr symbol) {
  (void)user;
  (void)symbol;
  return NAN;
}

static double number(const struct model *model, expr e) {
  double value;
  expr_evaluate(model->graph, &e, 1, no_symbol, NULL, &value);
  return value;
}

/* The value that the model is judged with lies near the given one and is not it. */
static void values_are_in_general_position(void **state) {
  (void)state;
  struct fixture f = analyse_varied("param a = 1, b = 1, z [mm] = 1, fixed = 1\ncoord x = 1\n"
                                    "kinetic 1/2*a*b*x'^2\noutput o = z*fixed\n",
                                    "a = 3, b = 3, z = 0");
  assert_non_null(f.model);
  const struct model_parameter *p = f.model->parameters.items;
  double a = number(f.model, p[0].value), b = number(f.model, p[1].value);
  double z = number(f.model, p[2].value);
  assert_true(number(f.model, p[0].varied) == 3 && number(f.model, p[1].varied) == 3);
  assert_true(a < 3 && a > 2.997 && b < 3 && b > 2.997 && a != b);
  assert_true(number(f.model, p[2].varied) == 0 && z > 0 && z < 1e-6);
  assert_true(p[3].varied == 0 && number(f.model, p[3].value) == 1);
  end(&f);
}

/* In any order, and however long the chain. */
static void followers_are_varied(void **state) {
  (void)state;
  static const char text[] =
      "param e = 2*d, d = c + 1, c = sqrt(a), a = 4, other = 1, last = other\n"
      "coord x = e\nkinetic 1/2*x'^2*last\n";
  struct fixture f = analyse_varied(text, "a = 9");
  struct expr_symbol_set *varied = model_varied(f.model);
  assert_non_null(varied);
  for (uint32_t i = 0; i < 6; i++)
    assert_int_equal(expr_symbol_set_touches(varied, f.model->parameters.items[i].symbol), i < 4);
  expr_symbol_set_free(varied);
  end(&f);
  f = analyse_varied(text, NULL);
  assert_null(model_varied(f.model));
  end(&f);
}

#define BODIES                                                                                     \
  "param m = 1, I = 2*m, l = 1, free = 1\ncoord x = 1, θ = 1\nframe A = world rotated θ about "  \
  "l*world.z\n"                                                                                    \
  "point P = (x, 0)\nparticle bob(mass = m, at = P)\nbody rod(mass = 1, at = origin, frame = A, "  \
  "inertia = I)\noutput o = free\n"

static void assert_why(struct value_check *check, double m, double inertia, double l,
                       const char *expected) {
  const double p[4] = {m, inertia, l, 1};
  struct text why = {0};
  assert_int_equal(value_check_run(check, p, &why), expected[0] == '\0');
  assert_string_equal(text_string(&why), expected);
  text_free(&why);
}

static void bodies_are_checked_with_each_value(void **state) {
  (void)state;
  struct fixture f = analyse_varied(BODIES, "m = -3, l = 0"); /* no fault of the model */
  assert_non_null(f.model);
  struct value_check *check = value_check_new(f.model);
  assert_why(check, 1, 2, 1, "");
  assert_why(check, -3, 2, 1, "particle 'bob' can't be: its mass is negative (-3) with m = -3");
  assert_why(check, 1, -2, 1,
             "body 'rod' can't be: its moment of inertia is negative (-2) with I = -2");
  assert_why(check, 1, 2, 0,
             "the axis of a rotation with l = 0 is the zero vector, which has no direction");
  assert_why(check, 0, 0, -1, "");
  value_check_free(check);
  end(&f);
  f = analyse_varied(BODIES, "free = 2");
  assert_null(value_check_new(f.model));
  end(&f);
}

/* What does not vary is a fault of the model as ever. */
static void the_rest_is_checked_once(void **state) {
  (void)state;
  struct fixture f = analyse_varied("param m = -1, l = 1\ncoord x = 1\npoint P = (l*x, 0)\n"
                                    "particle bob(mass = m, at = P)\n",
                                    "l = 2");
  assert_null(f.model);
  assert_int_equal(f.context->diagnostics.items[0]->code, DIAG_IMPOSSIBLE_BODY);
  end(&f);
}

/* Both lengths are 1: by chance, or for good. */
static void structure_is_that_of_most_values(void **state) {
  (void)state;
#define CIRCLE                                                                                     \
  "param a = 1, b = 1\ncoord x = 0.1, y = 0.9\nkinetic 1/2*(x'^2 + y'^2)\n"                        \
  "constraint c1: a*x^2 + b*y^2 = 1\nconstraint c2: (a - b)*x = 0\n"
  struct fixture f = analyse(CIRCLE);
  assert_true(f.model->constraints.items[1].is_redundant);
  end(&f);
  f = analyse_varied(CIRCLE, "a = 1");
  assert_false(f.model->constraints.items[1].is_redundant);
  assert_int_equal(f.model->structure.rank, 2);
  end(&f);
  /* No value satisfies both, but one: that is for the trajectories to say. */
  f = analyse_varied("param a = 1\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                     "constraint c1: x = a\nconstraint c2: x = 1\n",
                     "a = 2");
  assert_non_null(f.model);
  assert_int_equal(f.context->diagnostics.error_count, 0);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_in_general_position),
                                     cmocka_unit_test(followers_are_varied),
                                     cmocka_unit_test(bodies_are_checked_with_each_value),
                                     cmocka_unit_test(the_rest_is_checked_once),
                                     cmocka_unit_test(structure_is_that_of_most_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
