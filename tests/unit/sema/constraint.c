/* Constraints from texts: names, levels, units, linearity, and what is refused. */
#include "tests/unit/sema/fixture.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the headers above first. */
#include <cmocka.h>

static void assert_text(const struct fixture *f, expr e, const char *expected) {
  struct text text = {0};
  expr_print_text(f->model->graph, &text, e);
  assert_string_equal(text_string(&text), expected);
  text_free(&text);
}

static const struct model_constraint *constraint(const struct fixture *f, const char *name) {
  for (uint32_t i = 0; i < f->model->constraints.count; i++)
    if (strcmp(f->model->constraints.items[i].id.name, name) == 0)
      return &f->model->constraints.items[i];
  return NULL;
}

static uint32_t count_of(const struct fixture *f, enum diagnostic_code code) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->context->diagnostics.count; i++)
    if (f->context->diagnostics.items[i]->code == code) count++;
  return count;
}

static void test_pendulum(void **state) {
  (void)state;
  struct fixture f = analyse("param m = 1 [kg], l = 2 [m], g = 9.81 [m/s^2]\n"
                           "coord x [m] = 1, y [m] = -1\nkinetic 1/2*m*(x'^2 + y'^2)\n"
                           "potential m*g*y\n"
                           "constraint rod:   x^2 +  # squares\n  y^2 = (l)^2   ## the rod\n"
                           "output S = 2*l*multiplier(rod)\n");
  assert_non_null(f.model);
  assert_int_equal(f.model->constraints.count, 1);
  const struct model_constraint *rod = constraint(&f, "rod");
  assert_text(&f, rod->residual, "x^2 - l^2 + y^2");
  assert_string_equal(rod->text, "x^2 + y^2 = (l)^2");
  assert_string_equal(rod->id.doc, "the rod");
  assert_string_equal(rod->id.unit.si, "m^2");
  assert_string_equal(rod->multiplier_name, "multiplier(rod)");
  assert_string_equal(rod->multiplier_unit.si, "N/m");
  assert_string_equal(expr_symbol_latex(f.model->graph, rod->multiplier),
                      "\\lambda_{\\mathit{rod}}");
  assert_int_equal(rod->level, CONSTRAINT_POSITION);
  assert_int_equal(rod->claim, CONSTRAINT_NO_CLAIM);
  assert_true(rod->is_linear);
  assert_text(&f, f.model->outputs.items[0].value, "2*l*multiplier(rod)");
  assert_string_equal(f.model->outputs.items[0].id.unit.si, "N");
  end(&f);
}

/* The dimension of a multiplier depends on the level, through lets, functions and rates. */
static void test_levels(void **state) {
  (void)state;
  struct fixture f =
      analyse("param m = 1 [kg], R = 0.5 [m], T = 1 [s]\n"
            "coord x [m], y [m], φ [rad], ψ [rad], u [m]\nstate z [m] = 0\nz' = y/T\n"
            "let slip = x' - R*φ', d = x - R*φ\n"
            "function rate(a) = a'\nfunction same(a) = a\n"
            "kinetic 1/2*m*(x'^2 + y'^2 + R^2*φ'^2 + R^2*ψ'^2 + u'^2)\n"
            "constraint roll: slip = 0\nconstraint also: d' = 0\n"
            "constraint call: rate(d) = 0\nconstraint held: same(d) = 0\n"
            "constraint slow: z' = x/T\n"
            "output a [N] = multiplier(roll), b [N] = multiplier(also),\n"
            "       c [N] = multiplier(call), e [N] = multiplier(held),\n"
            "       g [N*s] = multiplier(slow)\n");
  assert_non_null(f.model);
  assert_int_equal(constraint(&f, "roll")->level, CONSTRAINT_VELOCITY);
  assert_int_equal(constraint(&f, "also")->level, CONSTRAINT_VELOCITY);
  assert_int_equal(constraint(&f, "call")->level, CONSTRAINT_VELOCITY);
  assert_int_equal(constraint(&f, "held")->level, CONSTRAINT_POSITION);
  assert_int_equal(constraint(&f, "slow")->level, CONSTRAINT_POSITION);
  assert_text(&f, constraint(&f, "slow")->residual, "y/T - x/T");
  assert_string_equal(constraint(&f, "roll")->multiplier_unit.si, "N");
  assert_string_equal(constraint(&f, "slow")->multiplier_unit.si, "kg*m/s");
  end(&f);
}

static void test_names(void **state) {
  (void)state;
  struct fixture f =
      analyse("const n = 2\ncoord q[9], c2\nkinetic sum(i in 1..9, q[i]'^2) + c2'^2\n"
            "constraint q[1] = t\n"
            "for i in 1..n { constraint q[i] = q[i+2]\n"
            "  constraint tie[i]: q[i+4]*q[i+5] = 1 }\n"
            "constraint far[k in 2..3]: q[k+6]' = c2'*q[k+5]\n"
            "output a = multiplier(c1), b = multiplier(c3[2]), d = multiplier(far[3]) "
            "+ multiplier(tie[1])\n");
  assert_non_null(f.model);
  static const char *const names[] = {"c1",     "c3[1]",  "tie[1]", "c3[2]",
                                      "tie[2]", "far[2]", "far[3]"};
  assert_int_equal(f.model->constraints.count, 7);
  for (int i = 0; i < 7; i++) assert_string_equal(f.model->constraints.items[i].id.name, names[i]);
  assert_text(&f, constraint(&f, "far[3]")->residual, "q[9]' - q[8]*c2'");
  assert_text(&f, f.model->outputs.items[1].value, "multiplier(c3[2])");
  end(&f);
}

static void test_linear(void **state) {
  (void)state;
  struct fixture f = analyse("coord x, y, z, w, φ, ψ\n"
                           "kinetic x'^2 + y'^2 + z'^2 + w'^2 + φ'^2 + ψ'^2\n"
                           "constraint square: (x' + y)^2 - x'^2 = 2*y*x' + y^2 + x*y'\n"
                           "holonomic constraint ratio: (x'^2 - z'^2)/(x' + z') = 1\n"
                           "nonholonomic constraint disc: w'^2 + z'^2 = 1\n"
                           "nonholonomic constraint skate: φ'*sin(ψ) = w'\n");
  assert_non_null(f.model);
  assert_true(constraint(&f, "square")->is_linear);
  assert_text(&f, constraint(&f, "square")->residual, "-x*y'");
  assert_true(constraint(&f, "ratio")->is_linear);
  assert_text(&f, constraint(&f, "ratio")->residual, "x' - z' - 1");
  assert_int_equal(constraint(&f, "ratio")->claim, CONSTRAINT_HOLONOMIC);
  assert_false(constraint(&f, "disc")->is_linear);
  assert_true(constraint(&f, "skate")->is_linear);
  end(&f);

  f = analyse("coord x, y\nkinetic x'^2 + y'^2\nconstraint a: abs(x') = y'\n"
            "constraint b: x'*y' = 1\nconstraint c: sqrt(x'^2 + y'^2) = 1\n"
            "constraint d: (if x' > 0 then x' else 2*x') = y'\n");
  assert_null(f.model);
  assert_int_equal(count_of(&f, DIAG_CONSTRAINT_NOT_LINEAR), 4);
  end(&f);
}

static void test_content(void **state) {
  (void)state;
  struct fixture f = analyse("param a = 1, b = 2\ncoord x, y\nkinetic x'^2 + y'^2\n"
                           "constraint c: tan(x)*cos(x) = sin(x)\nconstraint d: x = y\n"
                           "force -multiplier(c) - 2*multiplier(d) on x\n"
                           "output s = multiplier(c) + multiplier(d) + a*b\n");
  assert_non_null(f.model);
  assert_int_equal(count_of(&f, DIAG_CONSTRAINT_ALWAYS_TRUE), 1);
  assert_int_equal(f.model->constraints.count, 1);
  assert_text(&f, f.model->forces.items[0].value, "-2*multiplier(d)");
  assert_text(&f, f.model->outputs.items[0].value, "multiplier(d) + a*b");
  end(&f);

  f = analyse("param a = 1, b = 2\ncoord x, y\nkinetic x'^2 + y'^2\nconstraint a = b\n"
            "constraint (x + a)^2 = x^2 + 2*a*x + b\nconstraint (x + 1)^2 = x^2 + 2*x\n"
            "constraint t = 1\n");
  assert_null(f.model);
  assert_int_equal(count_of(&f, DIAG_CONSTRAINT_WITHOUT_COORDINATE), 3);
  assert_int_equal(count_of(&f, DIAG_CONSTRAINT_NEVER_TRUE), 1);
  end(&f);
}

/* Rates come into the derivatives of a constraint. */
static void test_states(void **state) {
  (void)state;
  struct fixture f = analyse("input u\ncoord x, y\nkinetic x'^2 + y'^2\nstate z, w\n"
                           "z' = w - x\nw' = x'\n"
                           "constraint a: x = z\nconstraint b: x' = w*y'\n");
  assert_non_null(f.model);
  end(&f);
  f = analyse("input u\ncoord x, y\nkinetic x'^2 + y'^2\nstate z, w, v, s\n"
            "z' = w\nw' = x''\nv' = u\ns' = x'\n"
            "constraint a: x = z\nconstraint b: x' = w\nconstraint c: y = v\nconstraint d: y' = v\n"
            "constraint e: x = s\nconstraint f: x' = s\nconstraint g: x' = v'\n");
  assert_null(f.model);
  assert_int_equal(count_of(&f, DIAG_CONSTRAINT_OF_STATE), 4); /* not d, not f */
  assert_int_equal(count_of(&f, DIAG_CONSTRAINT_OF_INPUT), 1);
  end(&f);
}

static void test_multipliers(void **state) {
  (void)state;
  struct fixture f = analyse("coord x, y\nkinetic x'^2 + y'^2\nstate z\nz' = multiplier(c)\n"
                           "constraint c: y = x^2\nforce x''*x - 0.1*multiplier(c)*sign(x') on x\n"
                           "output a = z' + z\n");
  assert_non_null(f.model);
  assert_text(&f, f.model->states.items[0].rate, "multiplier(c)");
  end(&f);
  f = analyse(
      "coord x, y = multiplier(c)\nkinetic x'^2 + y'^2\nstate z\nz' = multiplier(c)\n"
      "constraint c: y = x^2\nconstraint d: x = z'*y\npotential z'*x\ninitial z' = 1\n"
      "param p = multiplier(c)\ninput u = multiplier(c)\n"
      "force x''*multiplier(c) on x\nforce p*y on multiplier(c)\noutput o = multiplier(c)'\n");
  assert_null(f.model);
  assert_int_equal(count_of(&f, DIAG_CONSTRAINT_DEPENDENCE), 1);
  assert_int_equal(count_of(&f, DIAG_MULTIPLIER_NOT_ALLOWED), 2);
  assert_int_equal(count_of(&f, DIAG_WRONG_DEPENDENCE), 3);
  assert_int_equal(count_of(&f, DIAG_FORCE_NOT_LINEAR), 1);
  assert_int_equal(count_of(&f, DIAG_BAD_FORCE_TARGET), 1);
  assert_int_equal(count_of(&f, DIAG_DERIVATIVE_TOO_HIGH), 1);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),   cmocka_unit_test(test_levels),
      cmocka_unit_test(test_names),      cmocka_unit_test(test_linear),
      cmocka_unit_test(test_content),    cmocka_unit_test(test_states),
      cmocka_unit_test(test_multipliers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
