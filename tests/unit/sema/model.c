/* Models from texts: what the parser and semantic analysis make of them, by asking the model. */
#include "parser/ast.h"
#include "sema/model.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the headers above first. */
#include <cmocka.h>

struct fixture {
  dyn_context *context;
  struct ast *ast;
  struct model *model;
  struct sema_overrides overrides;
};

static uint32_t add_text(struct fixture *f, const char *name, const char *text) {
  return source_add(&f->context->sources, name, text, strlen(text));
}

static void give(struct fixture *f, const char *option, const char *text) {
  uint32_t source = add_text(f, option, text);
  source_get(&f->context->sources, source)->is_command_line = true;
  if (strcmp(option, "--set") == 0) vector_push(&f->overrides.set, source);
  if (strcmp(option, "--start") == 0) vector_push(&f->overrides.start, source);
  if (strcmp(option, "--at") == 0) vector_push(&f->overrides.at, source);
  if (strcmp(option, "--input") == 0) vector_push(&f->overrides.input, source);
}

static void analyse(struct fixture *f, const char *text) {
  f->ast = parse_model(f->context, add_text(f, "folder/test.dyn", text));
  f->model = sema_analyse(f->context, f->ast, &f->overrides);
  if (f->model != NULL) model_check(f->model);
}

static struct fixture begin(void) {
  return (struct fixture){.context = context_new()};
}

static void end(struct fixture *f) {
  model_free(f->model);
  ast_free(f->ast);
  vector_free(&f->overrides.set);
  vector_free(&f->overrides.start);
  vector_free(&f->overrides.at);
  vector_free(&f->overrides.input);
  context_free(f->context);
}

static void assert_text(const struct fixture *f, expr e, const char *expected) {
  struct text text = {0};
  expr_print_text(f->model->graph, &text, e);
  assert_string_equal(text_string(&text), expected);
  text_free(&text);
}

static uint32_t count_of(const struct fixture *f, enum diagnostic_code code) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->context->diagnostics.count; i++)
    if (f->context->diagnostics.items[i]->code == code) count++;
  return count;
}

static void test_pendulum(void **state) {
  (void)state;
  struct fixture f = begin();
  analyse(&f, "param m = 1 [kg], l = 2 [m], g = 9.81 [m/s^2]\n"
              "coord θ [deg] = 90, θ' = 1 [rad/s]\n"
              "let y = -l*cos(θ), x = l*sin(θ)\n"
              "kinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y\noutput a [deg] = θ, x\n");
  assert_non_null(f.model);
  assert_string_equal(f.model->name, "test");
  assert_text(&f, f.model->coordinates.items[0].start_position, "1/2*pi");
  assert_text(&f, f.model->coordinates.items[0].start_velocity, "1");
  assert_text(&f, f.model->energies.items[0].value, "1/2*m*l^2*θ'^2");
  assert_text(&f, f.model->energies.items[1].value, "-m*l*g*cos(θ)");
  assert_int_equal(f.model->outputs.count, 2);
  assert_string_equal(f.model->outputs.items[1].id.unit.si, "m");
  end(&f);
}

static void test_arrays(void **state) {
  (void)state;
  struct fixture f = begin();
  give(&f, "--set", "n=4");
  analyse(&f, "const n = 2\ncoord q[n] = 1, q[n]' = 2, b[0..1] = (3, 4), c[i in 1..n] = i^2\n"
              "let s[0] = 0\nfor i in 1..n { let s[i] = s[i-1] + q[i] }\n"
              "kinetic sum(i in 1..n, 1/2*q[i]'^2) + sum(i in 1..n, c[i]'^2) + b[0]'^2 + b[1]'^2\n"
              "output total = s[n], odd = (if n > 4 then q[n+1] else 0)\n");
  assert_non_null(f.model);
  assert_int_equal(f.model->coordinates.count, 10);
  assert_string_equal(f.model->coordinates.items[3].id.name, "q[4]");
  assert_text(&f, f.model->coordinates.items[5].start_position, "4");
  assert_text(&f, f.model->coordinates.items[9].start_position, "16");
  assert_text(&f, f.model->outputs.items[0].value, "q[1] + q[2] + q[3] + q[4]");
  assert_text(&f, f.model->outputs.items[1].value, "0");
  end(&f);
}

static void test_rates(void **state) {
  (void)state;
  struct fixture f = begin();
  analyse(&f, "coord x\nstate z = 1, w\nkinetic 1/2*x'^2\nz' = w' + x''\nw' = -2*w\n"
              "output a = z', b = (z*x)'\nforce -z' on x\n");
  assert_non_null(f.model);
  assert_text(&f, f.model->states.items[0].rate, "x'' - 2*w");
  assert_text(&f, f.model->outputs.items[0].value, "x'' - 2*w");
  assert_text(&f, f.model->outputs.items[1].value, "x*(x'' - 2*w) + z*x'");
  end(&f);
}

static void test_overrides(void **state) {
  (void)state;
  struct fixture f = begin();
  give(&f, "--set", "m=3, l=20 [cm]");
  give(&f, "--start", "x=2, x'=5");
  give(&f, "--input", "F=2*t");
  give(&f, "--at", "x'=1");
  analyse(&f, "param m [kg], l [m] = 1\ninput F [N]\ncoord x [cm] = 1\n"
              "kinetic 1/2*m*x'^2\nforce F*x/l on x\n");
  assert_null(f.model); /* 2*t is in s, not in N */
  assert_int_equal(count_of(&f, DIAG_NOTHING_TO_SET), 0);
  end(&f);

  f = begin();
  give(&f, "--set", "m=3, l=20 [cm]");
  give(&f, "--start", "x=2, x'=5");
  give(&f, "--at", "x'=1");
  analyse(&f, "param m [kg], l [m] = 1\ninput F [N]\ncoord x [cm] = 1\n"
              "kinetic 1/2*m*x'^2\nforce F*x/l on x\n");
  assert_non_null(f.model);
  assert_true(f.model->parameters.items[0].is_set);
  assert_text(&f, f.model->parameters.items[1].value, "0.2");
  assert_text(&f, f.model->coordinates.items[0].start_position, "0.02");
  assert_text(&f, f.model->coordinates.items[0].start_velocity, "0.05");
  assert_text(&f, f.model->at.items[0].value, "0.01");
  end(&f);
}

static void test_functions_once(void **state) {
  (void)state;
  struct fixture f = begin();
  struct text text = {0};
  text_put(&text, "coord x\nkinetic 1/2*x'^2\nfunction f0(x) = x + sin(x)\n");
  for (int i = 1; i < 60; i++)
    text_format(&text, "function f%d(x) = f%d(x) + f%d(x + 1)\n", i, i - 1, i - 1);
  text_put(&text, "output o = f59(x)\n");
  analyse(&f, text_string(&text)); /* 2^59 calls if each were made anew */
  assert_non_null(f.model);
  text_free(&text);
  end(&f);
}

static void test_long_texts(void **state) {
  (void)state;
  struct fixture f = begin();
  struct text text = {0};
  text_put(&text, "coord x\nkinetic 1/2*x'^2\noutput a = 0");
  for (int i = 0; i < 100000; i++) text_format(&text, " + %d*x", i % 7);
  text_put(&text, "\noutput b = ");
  for (int i = 0; i < 50000; i++) text_put(&text, "sin(");
  text_put(&text, "x");
  for (int i = 0; i < 50000; i++) text_put(&text, ")");
  text_put(&text, "\nlet c[0] = x\nfor i in 1..20000 { let c[i] = c[i-1] + x }\n");
  text_put(&text, "output d = c[20000]\n");
  analyse(&f, text_string(&text));
  assert_non_null(f.model);
  assert_text(&f, f.model->outputs.items[0].value, "299995*x");
  assert_text(&f, f.model->outputs.items[2].value, "20001*x");
  text_free(&text);
  end(&f);
}

static void test_independent_faults(void **state) {
  (void)state;
  struct fixture f = begin();
  analyse(&f, "coord x\nparam a = b, b = a, c = c1\nlet d = e, e = d\nkinetic 1/2*x'^2 + d\n"
              "force 1 on x'\noutput o = x[1], p = sin(x, x)\nwhen x > 1 { release x }\nz' = 1\n");
  assert_null(f.model);
  assert_int_equal(count_of(&f, DIAG_DEFINITION_CYCLE), 2);
  assert_int_equal(count_of(&f, DIAG_UNKNOWN_NAME), 2);
  assert_int_equal(count_of(&f, DIAG_BAD_FORCE_TARGET), 1);
  assert_int_equal(count_of(&f, DIAG_NOT_AN_ARRAY), 1);
  assert_int_equal(count_of(&f, DIAG_ARGUMENT_COUNT), 1);
  assert_int_equal(count_of(&f, DIAG_STATEMENT_NOT_SUPPORTED), 1);
  assert_int_equal(f.context->diagnostics.error_count, 8);
  end(&f);
}

/* The largest and smallest doubles are taken, also in sums; what rounds beyond them is not. */
static void test_numbers_of_doubles(void **state) {
  static const struct {
    const char *value;
    enum diagnostic_code code;
    uint32_t count;
  } cases[] = {{"1.7976931348623158e308", DIAG_NUMBER_RANGE, 0},
               {"1.7976931348623159e308", DIAG_NUMBER_RANGE, 1},
               {"2.4703282292062328e-324", DIAG_NUMBER_RANGE, 0},
               {"2.4703282292062327e-324", DIAG_NUMBER_RANGE, 1},
               {"0e-400", DIAG_NUMBER_RANGE, 0},
               {"10^400/10^399", DIAG_NUMBER_NOT_DOUBLE, 0},
               {"10^400", DIAG_NUMBER_NOT_DOUBLE, 1},
               {"10^-400", DIAG_NUMBER_NOT_DOUBLE, 1},
               {"2^-65536", DIAG_NUMBER_NOT_DOUBLE, 1},
               {"exp(exp(7))", DIAG_NUMBER_NOT_DOUBLE, 1},
               {"exp(-1000)", DIAG_NUMBER_NOT_DOUBLE, 0},
               {"log(0)", DIAG_NUMBER_NOT_DOUBLE, 0}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fixture f = begin();
    struct text text = {0};
    text_format(&text, "coord x = 1\nkinetic 1/2*x'^2\noutput a = x*%s\n", cases[i].value);
    analyse(&f, text_string(&text));
    assert_int_equal(count_of(&f, cases[i].code), cases[i].count);
    assert_int_equal(f.context->diagnostics.error_count, cases[i].count);
    text_free(&text);
    end(&f);
  }
}

static void test_later_option(void **state) {
  (void)state;
  struct fixture f = begin();
  give(&f, "--set", "m=3");
  give(&f, "--set", "m=4");
  analyse(&f, "param m = 2\ncoord x\nkinetic 1/2*m*x'^2\n");
  assert_non_null(f.model);
  assert_text(&f, f.model->parameters.items[0].value, "4");
  end(&f);
}

static void test_most_elements(void **state) {
  (void)state;
  struct fixture f = begin();
  analyse(&f, "const n = 100000\nparam q[n] = 1\nstate z = 1\n");
  assert_int_equal(count_of(&f, DIAG_MODEL_TOO_LARGE), 1);
  end(&f);
  f = begin();
  analyse(&f, "const n = 100000\nlet q[i in 1..n] = i\n");
  assert_int_equal(count_of(&f, DIAG_MODEL_TOO_LARGE), 0);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pendulum),
                                     cmocka_unit_test(test_arrays),
                                     cmocka_unit_test(test_rates),
                                     cmocka_unit_test(test_overrides),
                                     cmocka_unit_test(test_functions_once),
                                     cmocka_unit_test(test_long_texts),
                                     cmocka_unit_test(test_numbers_of_doubles),
                                     cmocka_unit_test(test_later_option),
                                     cmocka_unit_test(test_most_elements),
                                     cmocka_unit_test(test_independent_faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
