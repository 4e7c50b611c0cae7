/* Runs that cannot go on: what is said, and that every row before is delivered. */
#include "models.h"
#include <stdio.h>

struct outcome {
  dyn_run_summary summary;
  struct kept kept;
  double x[8];
};

static dyn_status run_model(const dyn_model *m, const double *p, const dyn_run_options *o,
                            const dyn_run_callbacks *callbacks, struct outcome *out) {
  dyn_problem problem = {m, p, NULL};
  dyn_sink sink = keep_sink(&out->kept);
  dyn_status status = dyn_run(&problem, o, &sink, callbacks, out->x, &out->summary);
  assert_int_equal(status, out->summary.status);
  assert_int_equal(out->kept.finished, out->kept.begun);
  assert_int_equal(out->kept.rows, out->summary.rows);
  print_message("%s: %s\n", dyn_status_name(status), out->summary.message.text);
  return status;
}

static void clear(struct outcome *out) {
  dyn_run_summary_clear(&out->summary);
  kept_clear(&out->kept);
}

static void test_blow_up(void **state) {
  (void)state;
  static const char *const names[] = {"auto", "dopri5", "adams", "bdf"};
  dyn_model m = blow_up_model(blow_up_rhs);
  for (size_t i = 0; i < 4; i++) {
    dyn_run_options o = run_options(2, 0.1, 1e-8, names[i]);
    struct outcome out = {.x = {1}};
    assert_int_equal(run_model(&m, NULL, &o, NULL, &out), DYN_STEP_TOO_SMALL);
    assert_non_null(strstr(out.summary.message.text, "z grows without bound"));
    assert_true(out.kept.rows >= 10 && out.kept.rows <= 11);
    assert_close(out.kept.x[9], 10, 1e-3); /* z(0.9) = 10 */
    assert_close(out.summary.reached, 1, 1e-3);
    assert_true(out.x[0] > 1e6);
    clear(&out);
  }
}

static void test_no_number(void **state) {
  (void)state;
  static const char *const names[] = {"auto", "dopri5", "adams", "bdf"};
  dyn_model m = blow_up_model(root_rhs);
  for (size_t i = 0; i < 4; i++) {
    dyn_run_options o = run_options(2, 0.125, 1e-6, names[i]);
    struct outcome out = {.x = {1}};
    /* The multistep methods may meet the infinite slope at t = 1 before the missing number. */
    dyn_status status = run_model(&m, NULL, &o, NULL, &out);
    assert_true(status == DYN_OUT_OF_RANGE || (i >= 2 && status == DYN_STEP_TOO_SMALL));
    if (status == DYN_OUT_OF_RANGE)
      assert_non_null(strstr(out.summary.message.text, "z' left the range of numbers at t = "));
    assert_int_equal(out.kept.rows, 8);
    assert_close(out.kept.x[7], sqrt(0.125), 1e-3);
    clear(&out);
  }
}

FUNCTION(overflow_rhs) { /* the velocity overflows */
  UNUSED;
  out[0] = x[1];
  out[1] = t < 0.5 ? 0 : exp(1e4 * t);
  return DYN_OK;
}
FUNCTION(lost_rank_rhs) {
  UNUSED;
  if (t > 0.8) return 1;
  return oscillator_rhs(model, t, x, u, p, work, out);
}

static void test_mechanical_names(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  static const double p[] = {1, 1};
  dyn_run_options o = run_options(2, 0.25, 1e-6, NULL);
  m.rhs = lost_rank_rhs;
  struct outcome out = {.x = {1, 0}};
  assert_int_equal(run_model(&m, p, &o, NULL, &out), DYN_RANK_LOST);
  assert_non_null(strstr(out.summary.message.text, "the mass matrix lost rank at x at t = 0.8"));
  assert_int_equal(out.kept.rows, 4);
  clear(&out);
  m.rhs = overflow_rhs;
  out = (struct outcome){.x = {1, 0}};
  assert_int_equal(run_model(&m, p, &o, NULL, &out), DYN_OUT_OF_RANGE);
  assert_non_null(strstr(out.summary.message.text, "x'' left the range of numbers at t = 0.5"));
  clear(&out);
  out = (struct outcome){.x = {1, NAN}};
  assert_int_equal(run_model(&m, p, &o, NULL, &out), DYN_OUT_OF_RANGE);
  assert_string_equal(out.summary.message.text, "the start value of x' is not a finite number");
  assert_int_equal(out.kept.rows, 0);
  clear(&out);
}

static void test_stop_flag(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  static const double p[] = {1, 1};
  volatile sig_atomic_t stop = 1;
  dyn_run_callbacks callbacks = {.stop = &stop};
  dyn_run_options o = run_options(1e6, 1, 1e-6, NULL);
  struct outcome out = {.x = {1, 0}};
  assert_int_equal(run_model(&m, p, &o, &callbacks, &out), DYN_INTERRUPTED);
  assert_string_equal(out.summary.message.text, "stopped at t = 0 s");
  assert_int_equal(out.kept.rows, 1);
  clear(&out);
}

static void stop_after_a_while(void *user, double t, const dyn_run_options *options) {
  (void)options;
  if (t > 100) *(sig_atomic_t *)user = 1;
}

static void test_progress_and_stop(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  static const double p[] = {1, 1};
  sig_atomic_t stop = 0;
  dyn_run_callbacks callbacks = {.user = &stop, .progress = stop_after_a_while, .stop = &stop};
  dyn_run_options o = run_options(1e6, 1, 1e-6, NULL);
  struct outcome out = {.x = {1, 0}};
  assert_int_equal(run_model(&m, p, &o, &callbacks, &out), DYN_INTERRUPTED);
  assert_true(out.summary.reached > 100 && out.summary.reached < 1000);
  assert_int_equal(out.kept.rows, (int64_t)floor(out.summary.reached) + 1);
  clear(&out);
}

/* One step holds all rows but the first: the flag, set while the 1000th is written, is heard there,
 * and the state is the one of that row. */
struct stopper {
  struct kept kept;
  sig_atomic_t stop;
};
static int stop_row(void *user, const dyn_row *row) {
  struct stopper *s = user;
  int result = keep_row(&s->kept, row);
  if (s->kept.rows == 1000) s->stop = 1;
  return result;
}
static int stop_begin(void *user, const dyn_model *model) {
  return keep_begin(&((struct stopper *)user)->kept, model);
}

static void test_stop_between_rows(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  static const double p[] = {1, 1};
  struct stopper s = {0};
  dyn_problem problem = {&m, p, NULL};
  dyn_sink sink = {.user = &s, .begin = stop_begin, .row = stop_row};
  dyn_run_callbacks callbacks = {.stop = &s.stop};
  dyn_run_options o = run_options(0.05, 1e-8, 1e-4, "dop853");
  dyn_run_summary summary = {0};
  double x[2] = {1, 0};
  assert_int_equal(dyn_run(&problem, &o, &sink, &callbacks, x, &summary), DYN_INTERRUPTED);
  assert_int_equal(s.kept.rows, 1000);
  assert_int_equal(summary.rows, 1000);
  assert_true(summary.reached == s.kept.t[999]);
  assert_memory_equal(x, s.kept.x + 2 * 999, sizeof x);
  assert_string_equal(summary.message.text, "stopped at t = 9.99e-06 s");
  dyn_run_summary_clear(&summary);
  kept_clear(&s.kept);
}

FUNCTION(root_output) {
  UNUSED;
  out[0] = sqrt(x[0]);
  return DYN_OK;
}

static void test_output_without_value(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  static const double p[] = {1, 1};
  m.output_values = root_output;
  for (int negative = 0; negative < 2; negative++) {
    dyn_run_options o = run_options(negative ? 3 : 1.5, 0.5, 1e-8, NULL);
    struct outcome out = {.x = {1, 0}}; /* cos t < 0 from the row at 2 on */
    assert_int_equal(run_model(&m, p, &o, NULL, &out), DYN_DONE);
    assert_int_equal(out.kept.rows, negative ? 7 : 4);
    assert_int_equal(out.summary.n_outputs, 1);
    assert_int_equal(out.summary.output_gaps[0].rows, negative ? 3 : 0);
    assert_true(!negative || out.summary.output_gaps[0].from == 2);
    assert_true(!negative || isnan(out.summary.output_gaps[0].value));
    clear(&out);
  }
}

static void test_sink_failure(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  static const double p[] = {1, 1};
  dyn_run_options o = run_options(1, 0.1, 1e-6, NULL);
  struct outcome out = {.x = {1, 0}, .kept.fail_at = 5};
  assert_int_equal(run_model(&m, p, &o, NULL, &out), DYN_SINK_FAILED);
  assert_int_equal(out.kept.rows, 4);
  clear(&out);
}

static void test_no_progress(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  static const double p[] = {1, 1};
  dyn_run_options o = run_options(1e6, 1e6, 1e-6, "rk");
  o.max_steps = 1000;
  struct outcome out = {.x = {1, 0}};
  assert_int_equal(run_model(&m, p, &o, NULL, &out), DYN_NO_PROGRESS);
  assert_int_equal(out.summary.steps, 1000);
  clear(&out);
}

static void test_messages_are_cut_at_characters(void **state) {
  (void)state;
  char name[1100];
  memset(name, 0, sizeof name);
  for (size_t i = 0; i < 540; i++) memcpy(name + 2 * i, "θ", 2);
  dyn_variable q = {name, "rad", "", 0};
  dyn_model m = oscillator_model();
  m.coordinates = &q;
  static const double p[] = {1, 1};
  for (int odd = 0; odd < 2; odd++) {
    if (odd) name[0] = 'a', memmove(name + 1, name + 2, 1078);
    dyn_run_options o = run_options(1, 0.1, 1e-6, NULL);
    struct outcome out = {.x = {NAN, 0}};
    assert_int_equal(run_model(&m, p, &o, NULL, &out), DYN_OUT_OF_RANGE);
    size_t length = strlen(out.summary.message.text);
    assert_true(length >= sizeof out.summary.message.text - 3);
    assert_memory_equal(out.summary.message.text + length - 2, "θ", 2);
    clear(&out);
  }
}

static void test_model_of_another_version(void **state) {
  (void)state;
  dyn_model m = oscillator_model();
  m.abi = 77;
  static const double p[] = {1, 1};
  dyn_run_options o = run_options(1, 0.1, 1e-6, NULL);
  struct outcome out = {.x = {1, 0}};
  assert_int_equal(run_model(&m, p, &o, NULL, &out), DYN_BAD_OPTION);
  clear(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blow_up),
      cmocka_unit_test(test_no_number),
      cmocka_unit_test(test_mechanical_names),
      cmocka_unit_test(test_stop_flag),
      cmocka_unit_test(test_progress_and_stop),
      cmocka_unit_test(test_stop_between_rows),
      cmocka_unit_test(test_output_without_value),
      cmocka_unit_test(test_sink_failure),
      cmocka_unit_test(test_no_progress),
      cmocka_unit_test(test_messages_are_cut_at_characters),
      cmocka_unit_test(test_model_of_another_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
