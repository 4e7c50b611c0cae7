/* Steps that a model brings as code: when they are asked for, that they are used, what is refused.
 */
#include "models.h"

static const double one[] = {1, 1};

struct asked { /* by a run */
  int times;
  char integrator[16];
  const dyn_model *model; /* the answer */
};

static const dyn_model *give_steps(void *user, const char *integrator) {
  struct asked *asked = user;
  asked->times++;
  snprintf(asked->integrator, sizeof asked->integrator, "%s", integrator);
  return asked->model;
}

/* The classical method, in the order of sums that dyn_step promises; counts its calls. */
static int rk4_step(const dyn_model *model, dyn_step *s) {
  static const double weights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static const double parts[] = {0, 0.5, 0.5, 1};
  int64_t *calls = model->implementation;
  double *states[] = {NULL, s->scratch, s->scratch, s->y_last, s->y_end};
  ++*calls;
  for (int i = 1; i <= 4; i++) {
    for (int32_t k = 0; k < model->n_state; k++) {
      double sum = i < 4 ? parts[i] * s->slopes[i - 1][k] : weights[0] * s->slopes[0][k];
      for (int j = 1; i == 4 && j < 4; j++) sum += weights[j] * s->slopes[j][k];
      states[i][k] = s->y[k] + s->h * sum;
    }
    double t = i >= 3 ? s->t_end : s->t + parts[i] * s->h;
    if (model->rhs(model, t, states[i], s->u, s->p, s->work, s->slopes[i]) > 0) return 1;
  }
  s->error = s->error_low = 0;
  return 0;
}

static int always_fails(const dyn_model *model, dyn_step *s) {
  (void)s;
  ++*(int64_t *)model->implementation;
  return 1;
}

static dyn_status run_rk4(const dyn_model *m, double until, struct asked *asked, double *x,
                          dyn_run_summary *s) {
  dyn_problem problem = {m, one, NULL};
  dyn_run_callbacks callbacks = {.user = asked, .steps_model = give_steps};
  dyn_run_options o = run_options(until, until, 1e-8, "rk4");
  o.step = 1e-4;
  x[0] = 1;
  x[1] = 0;
  return dyn_run(&problem, &o, NULL, asked ? &callbacks : NULL, x, s);
}

/* After 200000 steps, once; the state is what it is without them, to the last bit. */
static void test_long_runs_ask_once(void **state) {
  (void)state;
  int64_t calls = 0;
  dyn_model m = oscillator_model(), with_steps = m;
  with_steps.rk4 = rk4_step;
  with_steps.implementation = &calls;
  struct asked asked = {.model = &with_steps};
  double x[2], loops[2];
  dyn_run_summary s = {0}, reference = {0};
  assert_int_equal(run_rk4(&m, 25, NULL, loops, &reference), DYN_DONE);
  assert_int_equal(run_rk4(&m, 25, &asked, x, &s), DYN_DONE);
  assert_int_equal(asked.times, 1);
  assert_string_equal(asked.integrator, "rk4");
  assert_int_equal(s.steps, 250000);
  assert_int_equal(calls, 50000);
  assert_int_equal(s.rhs_evaluations, reference.rhs_evaluations);
  assert_memory_equal(x, loops, sizeof x);
  assert_true(fabs(x[0] - cos(25)) < 1e-11);
  dyn_run_summary_clear(&s);
  dyn_run_summary_clear(&reference);
}

static void test_short_runs_do_not_ask(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  struct asked asked = {.model = NULL};
  double x[2];
  dyn_run_summary s = {0};
  assert_int_equal(run_rk4(&m, 1, &asked, x, &s), DYN_DONE);
  assert_int_equal(asked.times, 0);
  dyn_run_summary_clear(&s);
}

/* A model that brings its steps has them used at once, and is not asked for. */
static void test_steps_of_the_model_itself(void **state) {
  (void)state;
  int64_t calls = 0;
  dyn_model m = oscillator_model();
  m.rk4 = rk4_step;
  m.implementation = &calls;
  struct asked asked = {.model = NULL};
  double x[2];
  dyn_run_summary s = {0};
  assert_int_equal(run_rk4(&m, 21, &asked, x, &s), DYN_DONE);
  assert_int_equal(calls, 210000);
  assert_int_equal(asked.times, 0);
  dyn_run_summary_clear(&s);
}

/* What fails in a step is done again by the loops, which tell why; here nothing is wrong. */
static void test_step_that_fails_is_repeated(void **state) {
  (void)state;
  int64_t calls = 0;
  dyn_model m = oscillator_model(), failing = m;
  failing.rk4 = always_fails;
  failing.implementation = &calls;
  double x[2], loops[2];
  dyn_run_summary s = {0};
  assert_int_equal(run_rk4(&m, 1, NULL, loops, &s), DYN_DONE);
  assert_int_equal(run_rk4(&failing, 1, NULL, x, &s), DYN_DONE);
  assert_int_equal(calls, 10000);
  assert_memory_equal(x, loops, sizeof x);
  dyn_run_summary_clear(&s);
}

static void test_other_models_are_refused(void **state) {
  (void)state;
  dyn_model m = oscillator_model(), other = m;
  other.n_state++;
  struct asked asked = {.model = &other};
  double x[2];
  dyn_run_summary s = {0};
  assert_int_equal(run_rk4(&m, 25, &asked, x, &s), DYN_BAD_OPTION);
  assert_string_equal(s.message.text, "the model with the steps is another model");
  dyn_run_summary_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_long_runs_ask_once),
      cmocka_unit_test(test_short_runs_do_not_ask),
      cmocka_unit_test(test_steps_of_the_model_itself),
      cmocka_unit_test(test_step_that_fails_is_repeated),
      cmocka_unit_test(test_other_models_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
