/* The public dyn.h: two models in one process that know nothing of each other, errors as values,
 * calls that are refused, and a compiled model that computes. */
#include <dyn/dyn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char pendulum[] = "model Pendulum\n"
                               "param l = 2 [m], g = 10 [m/s^2]\n"
                               "coord q [rad] = 1\n"
                               "kinetic 1/2*(1 [kg])*l^2*q'^2\n"
                               "potential -(1 [kg])*g*l*cos(q)\n";
static const char spring[] = "model Spring\n"
                             "param k = 8, m = 2\n"
                             "coord q = 1\n"
                             "kinetic 1/2*m*q'^2\n"
                             "potential 1/2*k*q^2\n";

static dyn_compiler *compiler_of(const char *text) {
  dyn_compiler *compiler = dyn_compiler_new();
  assert_int_equal(dyn_compiler_add_text(compiler, "text", text, strlen(text)), 0);
  return compiler;
}

/* q'' at the model's start state. */
static double acceleration(const dyn_model *model) {
  double p[8], x[8], work[4096], out[8], unset[8] = {0};
  assert_true(model->n_work <= 4096 && model->n_parameters <= 8);
  model->complete_parameters(model, 0, unset, NULL, p, work, out);
  memcpy(p, out, sizeof p);
  model->start(model, 0, NULL, NULL, p, work, x);
  assert_int_equal(model->acceleration(model, 0, x, NULL, p, work, out), DYN_OK);
  return out[0];
}

static void test_two_compilers(void **state) {
  (void)state;
  dyn_compiler *a = compiler_of(pendulum), *b = compiler_of(spring);
  assert_int_equal(dyn_compiler_override(b, DYN_OVERRIDE_SET, "m = 4"), 0);
  const dyn_model *first = dyn_compiler_model(a, DYN_ENGINE_INTERPRETER);
  const dyn_model *second = dyn_compiler_model(b, DYN_ENGINE_JIT);
  assert_non_null(first);
  assert_non_null(second);
  assert_string_equal(first->name, "Pendulum");
  assert_string_equal(second->name, "Spring");
  assert_true(fabs(acceleration(first) + 5 * sin(1)) < 1e-14);
  assert_true(fabs(acceleration(second) + 2) < 1e-14);
  dyn_compiler_free(a);
  assert_true(fabs(acceleration(second) + 2) < 1e-14);
  dyn_compiler_free(b);
}

static void test_errors_are_values(void **state) {
  (void)state;
  dyn_compiler *compiler = compiler_of("coord q = 1\nkinetic 1/2*mass*q'^2\n");
  assert_int_equal(dyn_compiler_check(compiler), -1);
  assert_null(dyn_compiler_model(compiler, DYN_ENGINE_INTERPRETER));
  assert_int_equal(dyn_compiler_error_count(compiler), 1);
  char *text = dyn_compiler_diagnostics(compiler, DYN_DIAGNOSTICS_TEXT);
  char *json = dyn_compiler_diagnostics(compiler, DYN_DIAGNOSTICS_JSON);
  assert_non_null(strstr(text, "text:2:13: error["));
  assert_non_null(strstr(json, "\"line\": 2"));
  dyn_text_free(text);
  dyn_text_free(json);
  dyn_compiler_free(compiler);
  dyn_compiler_free(NULL);
}

static void test_equations(void **state) {
  (void)state;
  dyn_compiler *compiler = compiler_of(spring);
  char *text = dyn_compiler_equations(compiler, DYN_EQUATIONS_TEXT, NULL);
  assert_non_null(text);
  assert_non_null(strstr(text, "q''"));
  dyn_text_free(text);
  text = dyn_compiler_equations(compiler, DYN_EQUATIONS_HTML, NULL);
  assert_non_null(text);
  assert_non_null(strstr(text, "<math"));
  dyn_text_free(text);
  assert_null(dyn_compiler_equations(compiler, DYN_EQUATIONS_TEXT, "nonsense"));
  dyn_compiler_free(compiler);
}

/* Calls that could have no effect say so, and the model is as it was. */
static void test_calls_refused(void **state) {
  (void)state;
  dyn_compiler *compiler = compiler_of(spring);
  assert_int_equal(dyn_compiler_add_text(compiler, "text", pendulum, strlen(pendulum)), -1);
  assert_int_equal(dyn_compiler_add_file(compiler, "nowhere.dyn"), -1);
  assert_int_equal(dyn_compiler_override(compiler, (dyn_override)3, "q = 2"), -1);
  assert_int_equal(dyn_compiler_override(compiler, (dyn_override)-1, "q = 2"), -1);
  assert_int_equal(dyn_compiler_check(compiler), 0);
  assert_int_equal(dyn_compiler_override(compiler, DYN_OVERRIDE_SET, "m = 4"), -1);
  assert_int_equal(dyn_compiler_derive(compiler, NULL), 0);
  assert_int_equal(dyn_compiler_derive(compiler, "lagrange"), 0);
  assert_int_equal(dyn_compiler_derive(compiler, "nonsense"), -1);
  assert_null(dyn_compiler_equations(compiler, (dyn_equations)4, NULL));
  assert_null(dyn_compiler_diagnostics(compiler, (dyn_diagnostics)2));
  assert_null(dyn_compiler_model(compiler, (dyn_engine)2));
  assert_int_equal(dyn_compiler_error_count(compiler), 0);
  const dyn_model *model = dyn_compiler_model(compiler, DYN_ENGINE_INTERPRETER);
  assert_non_null(model);
  assert_string_equal(model->name, "Spring");
  assert_true(fabs(acceleration(model) + 4) < 1e-14);
  dyn_compiler_free(compiler);

  compiler = compiler_of(spring);
  assert_int_equal(dyn_compiler_derive(compiler, "nonsense"), -1);
  assert_int_equal(dyn_compiler_error_count(compiler), 1);
  dyn_compiler_free(compiler);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_compilers),
      cmocka_unit_test(test_errors_are_values),
      cmocka_unit_test(test_equations),
      cmocka_unit_test(test_calls_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
