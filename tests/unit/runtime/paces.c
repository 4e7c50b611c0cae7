/* The paces of lanes: number by number what the pace of one trajectory is (explicit_control.h), for
 * all errors and in all widths, and lane by lane independent of the others. */
#include "runtime/paces.h"
#include "models.h"

enum { ROUNDS = 20000 };

static uint64_t state = 1;

static double random_unit(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53;
}

static int one_of(int n) {
  return random_unit() * n < 1;
}

/* Of all sizes, with what is none. */
static double random_square(void) {
  if (one_of(30)) return 0;
  if (one_of(50)) return HUGE_VAL;
  if (one_of(50)) return NAN;
  return pow(10, 12 * random_unit() - 8);
}

struct one { /* a trajectory by itself */
  struct pace pace;
  struct error_control control;
  double t, limit;
  int tries, is_alone;
};

static void begin(struct one *o, struct paces *p, int32_t k) {
  int is_backward = one_of(3);
  *o = (struct one){
      .control = {.max_step = one_of(3) ? 0.5 : HUGE_VAL, .direction = is_backward ? -1 : 1},
      .t = 10 * random_unit() - 5};
  o->limit = o->t + o->control.direction * 200;
  o->pace = (struct pace){.h = 0.1 * o->control.direction, .last_error = 1e-4};
  p->t[k] = o->t;
  p->limit[k] = o->limit;
  p->longest[k] = o->control.max_step;
  p->direction[k] = o->control.direction;
  p->refused[k] = p->quiet_steps[k] = p->rejected[k] = p->largest[k] = p->since_look[k] = 0;
  p->least[k] = HUGE_VAL;
  p->quiet_left[k] = 5;
  p->quiet_until[k] = o->t + o->control.direction * 3;
  paces_take(p, k, &o->pace);
}

/* What the integrator of one trajectory does with the same sums. */
static void step_one(struct one *o, const struct rk_table *table, const struct paces *p, int32_t k,
                     const dyn_lane_step *step) {
  double t_end, h = pace_try(&o->pace, o->t, o->limit, &t_end);
  int is_stiff = 0, is_good = 0;
  if (!o->is_alone) {
    assert_true(h == p->h[k] && t_end == p->t_end[k] && o->t == p->begin[k]);
    double error = pace_error(table, 2, step->error[k], step->error_low[k]);
    is_good = error <= 1;
    if (is_good) {
      pace_accept(&o->pace, table, &o->control, h, error, o->tries > 0);
      is_stiff = pace_is_stiff(&o->pace, table, h, step->slope_change[k], step->state_change[k],
                               o->limit - t_end);
      o->t = t_end;
      o->tries = 0;
    } else {
      pace_reject(&o->pace, table, h, error);
      o->tries++;
    }
  }
  assert_true(p->is_good[k] == is_good && p->is_stiff[k] == is_stiff);
  assert_true(p->is_bad[k] == (!is_good && !o->is_alone) && p->is_kept[k] == !is_good);
  assert_true(p->t[k] == o->t && p->refused[k] == o->tries);
  struct pace pace;
  paces_give(p, k, &pace);
  assert_true(pace.h == o->pace.h && pace.last_error == o->pace.last_error);
  assert_int_equal(pace.stiff_steps, o->pace.stiff_steps);
  assert_int_equal(pace.not_stiff_steps, o->pace.not_stiff_steps);
}

/* Counts of steps that are quiet, by those before. */
static void count_one(const struct paces *before, const struct paces *p, int32_t k) {
  double h = fabs(p->t_end[k] - p->begin[k]);
  int is_quiet = p->is_good[k] > 0 && p->is_stiff[k] == 0 &&
                 p->direction[k] * (p->quiet_until[k] - p->t_end[k]) > 0 &&
                 before->quiet_steps[k] < p->quiet_left[k];
  int is_due = is_quiet && before->since_look[k] == 2;
  assert_true(p->is_quiet[k] == is_quiet);
  assert_true(p->quiet_steps[k] == before->quiet_steps[k] + is_quiet);
  assert_true(p->least[k] == (is_quiet ? fmin(h, before->least[k]) : before->least[k]));
  assert_true(p->largest[k] == (is_quiet ? fmax(h, before->largest[k]) : before->largest[k]));
  assert_true(p->rejected[k] == before->rejected[k] + (p->is_bad[k] > 0));
  assert_true(p->since_look[k] == (is_due ? 0 : before->since_look[k] + is_quiet));
  assert_int_equal(p->due >> k & 1, is_due);
  assert_int_equal(p->loud >> k & 1, !is_quiet && p->is_bad[k] == 0);
}

static void compare(const struct rk_table *table, int32_t width) {
  double error[8], error_low[8], slope_change[8], state_change[8];
  dyn_lane_step step = {.error = error,
                        .error_low = error_low,
                        .slope_change = slope_change,
                        .state_change = state_change};
  struct paces p = {.look_after = 3};
  struct one one[8];
  int alone = 0, stiff = 0, quiet = 0;
  paces_init(&p, width);
  for (int32_t k = 0; k < width; k++) begin(&one[k], &p, k);
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t small = paces_try(&p);
    int is_stiff = i / 40 % 2;
    for (int32_t k = 0; k < width; k++) {
      if (one_of(60)) p.is_alone[k] = 1;
      assert_true(!(small >> k & 1) || p.is_alone[k] == 1);
      one[k].is_alone = p.is_alone[k] == 1;
      error[k] = is_stiff ? 0.1 * random_unit() : random_square();
      error_low[k] = random_square();
      slope_change[k] = is_stiff ? 1e6 / (p.h[k] * p.h[k]) : random_square();
      state_change[k] = 1;
    }
    struct paces before = p;
    paces_judge(&p, table, 2, &step);
    for (int32_t k = 0; k < width; k++) {
      step_one(&one[k], table, &p, k, &step);
      count_one(&before, &p, k);
      alone += one[k].is_alone;
      stiff += p.is_stiff[k] > 0;
      quiet += p.is_quiet[k] > 0;
      if (one[k].is_alone || !(p.loud >> k & 1)) continue;
      if (one_of(4) || fabs(one[k].limit - one[k].t) < 1) begin(&one[k], &p, k);
    }
  }
  assert_in_range(alone, 100, ROUNDS);
  assert_in_range(stiff, 20, 8 * ROUNDS);
  assert_in_range(quiet, 1000, 8 * ROUNDS);
}

static void test_paces_are_those_of_one(void **unused) {
  (void)unused;
  for (int32_t width = 1; width <= DYN_MOST_LANES; width++) {
    compare(&rk_table_dp8, width);
    compare(&rk_table_dp5, width);
  }
}

static void test_small_steps_are_alone(void **unused) {
  (void)unused;
  struct paces p = {0};
  paces_init(&p, 4);
  for (int k = 0; k < 4; k++) {
    p.t[k] = 1;
    p.limit[k] = k == 3 ? 1 + 4e-16 : 2;
    p.size[k] = k == 0 ? 1e-3 : k == 1 ? 1e-17 : k == 2 ? 0 : 1e-3;
  }
  assert_int_equal(paces_try(&p), 1 << 1 | 1 << 2); /* not the one that is to end there */
  p.refused[3] = 1;
  assert_int_equal(paces_try(&p), 1 << 1 | 1 << 2 | 1 << 3);
}

static void test_states_are_kept(void **unused) {
  (void)unused;
  for (int32_t width = 1; width <= DYN_MOST_LANES; width++) {
    struct paces p = {0};
    double from[5 * DYN_MOST_LANES], to[5 * DYN_MOST_LANES];
    paces_init(&p, width);
    for (int32_t k = 0; k < width; k++) p.is_kept[k] = k % 3 == 1;
    for (int32_t i = 0; i < 5 * width; i++) from[i] = i, to[i] = 100 + i;
    paces_keep(&p, 5, from, to);
    for (int32_t i = 0; i < 5 * width; i++)
      assert_true(to[i] == (i % width % 3 == 1 ? i : 100 + i));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_paces_are_those_of_one),
                                     cmocka_unit_test(test_small_steps_are_alone),
                                     cmocka_unit_test(test_states_are_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
