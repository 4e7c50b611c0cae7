/* Ensembles: every member is what a run of it alone is, whatever else is in work; failures, ends.
 */
#include "models.h"
#include "dyn/dyn_ensemble.h"

enum { COUNT_OF_WORK = 9, SLOTS = 4 };

struct work {
  int begun, ended, last; /* last: `done` ends the work after so many; 0: never */
  volatile sig_atomic_t stop;
  dyn_run_options options;
  double ends[COUNT_OF_WORK][2];
  dyn_status statuses[COUNT_OF_WORK];
  int64_t rows[COUNT_OF_WORK];
};

struct slot {
  double p[2], x[2];
  int number;
  int64_t rows;
};

static int count_row(void *user, const dyn_row *row) {
  struct slot *slot = user;
  (void)row;
  slot->rows++;
  return 0;
}

/* Oscillators of frequency 1, 1.5, ...; the fourth has a run that makes no sense. */
static void prepare(const struct work *w, int number, double *p, double *x, dyn_run_options *o) {
  p[0] = 1 + 0.5 * number;
  p[1] = p[0] * p[0];
  x[0] = 1;
  x[1] = 0.1 * number;
  *o = w->options;
  o->until = 5 + number;
  if (number == 3) o->tolerance = -1;
}

static int next_of_work(void *user, dyn_member *member) {
  struct work *w = user;
  struct slot *slot = member->user;
  if (w->begun == COUNT_OF_WORK) return 0;
  slot->number = w->begun++;
  slot->rows = 0;
  prepare(w, slot->number, member->p, member->x, &member->options);
  return 1;
}

static int take(void *user, dyn_member *member) {
  struct work *w = user;
  struct slot *slot = member->user;
  memcpy(w->ends[slot->number], member->x, sizeof slot->x);
  w->statuses[slot->number] = member->summary.status;
  w->rows[slot->number] = slot->rows;
  assert_int_equal(member->summary.rows, slot->rows);
  return ++w->ended == w->last;
}

static dyn_status run_work(struct work *w, int32_t slots) {
  dyn_model m = oscillator_model();
  struct slot memory[SLOTS] = {0};
  dyn_sink sinks[SLOTS] = {0};
  dyn_member members[SLOTS] = {0};
  w->options = run_options(5, 0.1, 1e-9, "dopri5");
  for (int i = 0; i < SLOTS; i++) {
    sinks[i] = (dyn_sink){.user = &memory[i], .row = count_row};
    members[i] =
        (dyn_member){.user = &memory[i], .p = memory[i].p, .x = memory[i].x, .sink = &sinks[i]};
  }
  dyn_run_callbacks callbacks = {.stop = &w->stop};
  dyn_ensemble ensemble = {.model = &m,
                           .callbacks = &callbacks,
                           .members = members,
                           .n_members = slots,
                           .user = w,
                           .next = next_of_work,
                           .done = take};
  return dyn_ensemble_run(&ensemble);
}

static void test_members_are_runs(void **state) {
  (void)state;
  for (int32_t slots = 1; slots <= SLOTS; slots++) {
    struct work w = {0};
    assert_int_equal(run_work(&w, slots), DYN_DONE);
    assert_int_equal(w.ended, COUNT_OF_WORK);
    dyn_model m = oscillator_model();
    for (int i = 0; i < COUNT_OF_WORK; i++) {
      double p[2], x[2];
      dyn_run_options o;
      dyn_run_summary s = {0};
      prepare(&w, i, p, x, &o);
      dyn_problem problem = {.model = &m, .p = p};
      assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), w.statuses[i]);
      assert_int_equal(s.status, i == 3 ? DYN_BAD_OPTION : DYN_DONE);
      assert_memory_equal(x, w.ends[i], sizeof x);
      assert_int_equal(s.rows, w.rows[i]);
      if (i == 3) continue;
      double angle = p[0] * o.until;
      assert_close(x[0], cos(angle) + 0.1 * i / p[0] * sin(angle), 1e-7);
      dyn_run_summary_clear(&s);
    }
  }
}

static void test_ends(void **state) {
  (void)state;
  struct work given_up = {.last = 2}, stopped = {.stop = 1};
  assert_int_equal(run_work(&given_up, 1), DYN_INTERRUPTED);
  assert_int_equal(given_up.ended, 2);
  assert_int_equal(run_work(&stopped, SLOTS), DYN_INTERRUPTED);
  assert_int_equal(stopped.ended, 0);
  struct work none = {0};
  assert_int_equal(run_work(&none, 0), DYN_BAD_OPTION);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_members_are_runs),
                                     cmocka_unit_test(test_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
