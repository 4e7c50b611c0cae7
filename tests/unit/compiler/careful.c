/* Constrained right-hand sides solve and look, and refine only where they must (program_motion.c):
 * in these models the first solution is good, also where rounding is all that is left of an
 * acceleration, as of the bicycle's sideways one while it stands upright. The other way leads to
 * the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/bug.h"
#include "compiler/compiler.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void evaluate(const dyn_model *model, dyn_function *function, const double *p,
                     const double *x, double *out) {
  double *work = checked_calloc((size_t)model->n_work + 1, sizeof *work);
  double *u = checked_calloc((size_t)model->n_inputs + 1, sizeof *u);
  for (int32_t i = 0; i < model->n_inputs; i++) u[i] = model->inputs[i].value;
  for (int32_t i = 0; i < model->n_work; i++) work[i] = NAN; /* holds nothing between calls */
  assert_int_equal(function(model, 0, x, u, p, work, out), 0);
  free(work);
  free(u);
}

/* Two masses tied through a coordinate s that has next to none; a thousand of its units are one of
 * theirs, so that its own number is of the size of theirs. An elimination loses six of their digits
 * beside it: by numbers alone what is left looks like rounding. */
static void units_of_any_size(void **state) {
  (void)state;
  static const char text[] = "param c = 1000\n"
                             "coord x, y, s\n"
                             "kinetic 1/2*(x'^2 + y'^2 + s'^2/2)\n"
                             "force 1.25 on x\n"
                             "force -0.3 on y\n"
                             "constraint first: x = c*s\n"
                             "constraint second: y = c*s\n";
  dyn_compiler *compiler = dyn_compiler_new();
  assert_int_equal(dyn_compiler_add_text(compiler, "test", text, strlen(text)), 0);
  assert_true(compiler_derive(compiler, NULL));
  struct program *program = program_build(compiler->context, compiler->system, 0);
  program_add(program, PROGRAM_ALL);
  dyn_model *model = program_interpreted_model(program);
  const double c = 1000, x[6] = {0}, exact = 0.95 * c / (2 * c * c + 0.5);
  double out[3];
  evaluate(model, model->acceleration, &c, x, out);
  assert_true(fabs(out[0] - c * exact) <= 1e-14);
  assert_true(fabs(out[1] - c * exact) <= 1e-14);
  assert_true(fabs(out[2] - exact) <= 1e-17);
  free(model);
  program_free(program);
  dyn_compiler_free(compiler);
}

static void is_solved_at_once(const char *path) {
  dyn_compiler *compiler = dyn_compiler_new();
  assert_int_equal(dyn_compiler_add_file(compiler, path), 0);
  assert_true(compiler_derive(compiler, NULL));
  struct program *program = program_build(compiler->context, compiler->system, 0);
  program_add(program, PROGRAM_ALL);
  dyn_model *model = program_interpreted_model(program);
  size_t n = (size_t)model->n_coordinates;
  double *p = checked_calloc((size_t)model->n_parameters + 1, sizeof *p);
  double *x = checked_calloc((size_t)model->n_state + 1, sizeof *x);
  double *quick = checked_calloc(2 * n + 1, sizeof *quick), *slow = quick + n;
  for (int32_t i = 0; i < model->n_parameters; i++) p[i] = model->parameters[i].value;
  evaluate(model, model->start, p, NULL, x);
  struct tape *tape = program->tapes[PROGRAM_FUNCTION_ACCELERATION];
  assert_non_null(tape->careful);
  uint32_t length = tape->careful->code.count;
  tape->careful->code.count = 0; /* without results */
  evaluate(model, model->acceleration, p, x, quick);
  tape->careful->code.count = length;
  tape->code.items[tape->solvers.items[0].ok] = (struct tape_instruction){.operation = TAPE_FALSE};
  evaluate(model, model->acceleration, p, x, slow);
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(slow[i]));
  assert_true(largest > 0);
  for (size_t i = 0; i < n; i++) {
    assert_true(isfinite(quick[i]));
    assert_true(fabs(quick[i] - slow[i]) <= 1e-13 * largest);
  }
  free(p);
  free(x);
  free(quick);
  free(model);
  program_free(program);
  dyn_compiler_free(compiler);
}

static void bicycle(void **state) {
  (void)state;
  is_solved_at_once("examples/whipple_bicycle.dyn");
}

static void squeezer(void **state) {
  (void)state;
  is_solved_at_once("examples/reference/andrews_squeezer.dyn");
}

static void four_bar(void **state) {
  (void)state;
  is_solved_at_once("examples/reference/n_four_bar.dyn");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bicycle),
      cmocka_unit_test(squeezer),
      cmocka_unit_test(four_bar),
      cmocka_unit_test(units_of_any_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
