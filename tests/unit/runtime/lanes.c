/* Ensembles in lanes, with a step in C in place of a generated one: the same numbers as one by one,
 * to the last bit, also where lanes lose steps, which are then made alone; rows; more lanes than
 * members; ends. */
#include "dyn/dyn_ensemble.h"
#include "dyn/dyn_lanes.h"
#include "dyn/dyn_tableau.h"
#include "models.h"
#include <string.h>

enum { LANES = 4, TRAJECTORIES = 17, ROWS = 40 };

struct losses { /* what the steps lose: one of so many; 0: none */
  uint64_t state;
  uint32_t one_of;
  int calls;
};

/* Sums in the order of the runtime's loops, which for two entries is that of their lanes. */
static double row_sum(const dyn_lane_step *s, const struct rk_row *row, int at) {
  double sum = row->weight[0] * s->slopes[row->slope[0]][at];
  for (int j = 1; j < row->count; j++) sum += row->weight[j] * s->slopes[row->slope[j]][at];
  return sum;
}

static void stages(const dyn_model *m, dyn_lane_step *s, int first, int last, int k) {
  const struct rk_table *table = &rk_table_dp8;
  for (int i = first; i <= last; i++) {
    double *to = i == table->stages ? s->y_end : i == table->stages - 1 ? s->y_last : s->scratch;
    double x[2], rate[2], work[8], p[2] = {s->p[k], s->p[LANES + k]};
    for (int e = 0; e < 2; e++) {
      int at = e * LANES + k;
      to[at] = x[e] = s->y[at] + s->h[k] * row_sum(s, &table->rows[i], at);
    }
    double t = table->c[i] == 1 ? s->t_end[k] : s->t[k] + table->c[i] * s->h[k];
    m->rhs(m, t, x, NULL, p, work, rate);
    for (int e = 0; e < 2; e++) s->slopes[i][e * LANES + k] = rate[e];
  }
}

static void judge(dyn_lane_step *s, int k) {
  const struct rk_table *table = &rk_table_dp8;
  s->error[k] = s->error_low[k] = s->slope_change[k] = s->state_change[k] = 0;
  for (int e = 0; e < 2; e++) {
    int at = e * LANES + k, n = table->stages;
    double size = fmin(s->cap[at], fmax(fabs(s->y[at]), fabs(s->y_end[at])));
    double scale = s->absolute[k] + s->relative[k] * size;
    double high = s->h[k] * row_sum(s, &table->error, at) / scale;
    double low = s->h[k] * row_sum(s, &table->error_low, at) / scale;
    double slope = s->slopes[n][at] - s->slopes[n - 1][at], change = s->y_end[at] - s->y_last[at];
    s->error[k] += high * high;
    s->error_low[k] += low * low;
    s->slope_change[k] += slope * slope;
    s->state_change[k] += change * change;
  }
}

static uint32_t lose(const dyn_model *m) {
  struct losses *losses = m->implementation;
  uint32_t lost = 0;
  losses->calls++;
  for (int k = 0; k < LANES && losses->one_of > 0; k++) {
    losses->state = losses->state * 6364136223846793005u + 1442695040888963407u;
    if ((losses->state >> 40) % losses->one_of == 0) lost |= 1u << k;
  }
  return lost;
}

static uint32_t values(const dyn_model *m, dyn_function *function, int32_t n, const double *x,
                       const double *p, double *out) {
  for (int k = 0; k < LANES; k++) {
    double own[2] = {x[k], x[LANES + k]}, parameters[2] = {p[k], p[LANES + k]}, work[8], value[2];
    function(m, 0, own, NULL, parameters, work, value);
    for (int32_t i = 0; i < n; i++) out[i * LANES + k] = value[i];
  }
  return lose(m);
}

static uint32_t invariant_values(const dyn_model *m, const double *t, const double *x,
                                 const double *u, const double *p, double *work, double *out) {
  (void)t, (void)u, (void)work;
  return values(m, m->invariant_values, 1, x, p, out);
}

static uint32_t energies(const dyn_model *m, const double *t, const double *x, const double *u,
                         const double *p, double *work, double *out) {
  (void)t, (void)u, (void)work;
  return values(m, m->energies, 2, x, p, out);
}

static uint32_t step(const dyn_model *m, dyn_lane_step *s) {
  for (int k = 0; k < LANES; k++) {
    stages(m, s, 1, rk_table_dp8.stages, k);
    judge(s, k);
  }
  return lose(m);
}

static uint32_t dense(const dyn_model *m, dyn_lane_step *s) {
  double keep[2 * LANES]; /* the state of the end stays what it is */
  memcpy(keep, s->y_end, sizeof keep);
  int first = rk_table_dp8.stages + 1;
  for (int k = 0; k < LANES; k++) stages(m, s, first, first + rk_table_dp8.extra - 1, k);
  assert_memory_equal(keep, s->y_end, sizeof keep);
  return lose(m);
}

/* No invariant: what is seen of it depends on where it is looked at. */
FUNCTION(position) {
  UNUSED;
  out[0] = x[0];
  return DYN_OK;
}

/* Catches the motion where it stands still. */
FUNCTION(dry_friction) {
  UNUSED;
  out[0] = x[1];
  out[1] = -p[1] * (x[0] + 0.4 * ((x[1] > 0) - (x[1] < 0)));
  return DYN_OK;
}

struct trajectory {
  double x[2], rows[ROWS + 1][3];
  int64_t n_rows, steps, rejected, evaluations;
  double smallest, largest, reached;
  dyn_invariant_drift drift;
  dyn_status status;
};

struct work {
  dyn_model model;
  dyn_function *rhs; /* another one than the model's, or NULL */
  int begun, last, ended, has_looks;
  int told, stop_after; /* times that progress was told; stop at one of them (0: don't) */
  volatile sig_atomic_t stop;
  struct trajectory trajectory[TRAJECTORIES];
};

struct slot {
  struct trajectory *trajectory;
  double p[2], x[2];
  dyn_sink sink;
};

static int keep_state(void *user, const dyn_row *row) {
  struct trajectory *t = ((struct slot *)user)->trajectory;
  double *to = t->rows[t->n_rows++];
  to[0] = row->t;
  memcpy(to + 1, row->x, 2 * sizeof *to);
  return 0;
}

static int next(void *user, dyn_member *member) {
  struct work *w = user;
  struct slot *slot = member->user;
  if (w->begun == TRAJECTORIES) return 0;
  int k = w->begun++;
  slot->trajectory = &w->trajectory[k];
  member->p[0] = 1 + 0.5 * k;
  member->p[1] = member->p[0] * member->p[0];
  member->x[0] = 1;
  member->x[1] = 0.1 * k;
  member->options = run_options(4 + k, (4.0 + k) / ROWS, k % 2 ? 1e-10 : 1e-7, "dop853");
  if (k == 3) member->options.integrator = "dopri5"; /* alone */
  if (k == 4) member->options.tolerance = -1;        /* makes no sense */
  if (k == 6 || k > 10) {                            /* between few rows, most steps are quiet */
    member->options.every = 0;
    member->options.instants = k - 5;
  }
  if (k == 12) member->options.max_steps = 9;                  /* are too few */
  if (k == 13) member->options.until = -member->options.until; /* backwards */
  if (k == 14) member->options.until = 1000;                   /* some ten thousand steps */
  if (k == 15) member->options.max_step = 1e-3;
  return 1;
}

static int done(void *user, dyn_member *member) {
  struct work *w = user;
  struct trajectory *t = ((struct slot *)member->user)->trajectory;
  memcpy(t->x, member->x, sizeof t->x);
  t->steps = member->summary.steps;
  t->rejected = member->summary.rejected_steps;
  t->evaluations = member->summary.rhs_evaluations;
  t->smallest = member->summary.smallest_step;
  t->largest = member->summary.largest_step;
  t->reached = member->summary.reached;
  if (member->summary.n_invariants > 0) t->drift = member->summary.invariants[0];
  t->status = member->summary.status;
  return ++w->ended == w->last;
}

static void progress(void *user, double t, const dyn_run_options *options) {
  struct work *w = user;
  (void)t, (void)options;
  if (++w->told == w->stop_after) w->stop = 1;
}

static dyn_status run(struct work *w, struct losses *losses, int32_t n_members, int has_lanes) {
  static const dyn_lanes with_looks = {.lanes = LANES,
                                       .n_work = 1,
                                       .integrator = "dop853",
                                       .step = step,
                                       .dense = dense,
                                       .invariant_values = invariant_values,
                                       .energies = energies};
  static const dyn_lanes without = {
      .lanes = LANES, .n_work = 1, .integrator = "dop853", .step = step, .dense = dense};
  const dyn_lanes *lanes = w->has_looks ? &with_looks : &without;
  struct slot slots[LANES] = {0};
  dyn_member members[LANES] = {0};
  w->model = oscillator_model();
  w->model.implementation = losses;
  w->model.invariant_values = position;
  if (w->rhs) w->model.rhs = w->rhs;
  dyn_run_callbacks callbacks = {.user = w, .stop = &w->stop, .progress = progress};
  dyn_ensemble ensemble = {.model = &w->model,
                           .callbacks = &callbacks,
                           .members = members,
                           .n_members = n_members,
                           .lanes = has_lanes ? lanes : NULL,
                           .user = w,
                           .next = next,
                           .done = done};
  for (int32_t i = 0; i < n_members; i++) {
    slots[i].sink = (dyn_sink){.user = &slots[i], .row = keep_state};
    members[i] =
        (dyn_member){.user = &slots[i], .p = slots[i].p, .x = slots[i].x, .sink = &slots[i].sink};
  }
  return dyn_ensemble_run(&ensemble);
}

static void assert_same(const struct work *a, const struct work *b) {
  for (int k = 0; k < TRAJECTORIES; k++) {
    const struct trajectory *s = &a->trajectory[k], *t = &b->trajectory[k];
    assert_int_equal(s->status, t->status);
    assert_int_equal(s->steps, t->steps);
    assert_int_equal(s->n_rows, t->n_rows);
    assert_true(s->largest == t->largest && s->smallest == t->smallest);
    assert_true(s->reached == t->reached);
    assert_memory_equal(&s->drift, &t->drift, sizeof s->drift);
    assert_memory_equal(s->x, t->x, sizeof s->x);
    assert_memory_equal(s->rows, t->rows, (size_t)s->n_rows * sizeof *s->rows);
  }
}

static void test_lanes_are_runs(void **state) {
  (void)state;
  static struct work alone, lanes;
  struct losses none = {0};
  assert_int_equal(run(&alone, &none, 1, 0), DYN_DONE);
  assert_int_equal(none.calls, 0);
  for (int32_t n_members = 1; n_members <= 2 * LANES; n_members++) {
    lanes = (struct work){.has_looks = n_members % 2};
    assert_int_equal(run(&lanes, &none, (n_members + 1) / 2, 1), DYN_DONE);
    assert_int_equal(lanes.ended, TRAJECTORIES);
    assert_same(&alone, &lanes);
    for (int k = 0; k < TRAJECTORIES; k++) {
      if (k == 12) continue; /* lanes have tried its next step before it fails */
      assert_int_equal(alone.trajectory[k].rejected, lanes.trajectory[k].rejected);
      assert_int_equal(alone.trajectory[k].evaluations, lanes.trajectory[k].evaluations);
    }
    assert_int_equal(alone.told, lanes.told);
  }
  assert_int_equal(alone.trajectory[4].status, DYN_BAD_OPTION);
  assert_int_equal(alone.trajectory[12].status, DYN_NO_PROGRESS);
  assert_true(alone.trajectory[13].reached < 0);
  assert_true(alone.trajectory[14].steps > 10000);
  assert_true(alone.told > 100 && none.calls > 100);
}

static void test_chatter_is_noticed(void **state) {
  (void)state;
  static struct work alone, lanes;
  struct losses none = {0};
  int caught = 0;
  alone.rhs = lanes.rhs = dry_friction;
  assert_int_equal(run(&alone, &none, 1, 0), DYN_DONE);
  assert_int_equal(run(&lanes, &none, LANES, 1), DYN_DONE);
  assert_same(&alone, &lanes);
  for (int k = 0; k < TRAJECTORIES; k++)
    caught += alone.trajectory[k].status == DYN_NO_PROGRESS && alone.trajectory[k].steps > 2000;
  assert_true(caught > 3);
}

/* Steps that are lost, for their stages or for rows within them, are made alone. */
static void test_lost_steps_are_made_alone(void **state) {
  (void)state;
  static struct work alone, lanes;
  struct losses none = {0};
  assert_int_equal(run(&alone, &none, 1, 0), DYN_DONE);
  for (uint32_t one_of = 1; one_of <= 9; one_of += 4) {
    struct losses losses = {.state = one_of, .one_of = one_of};
    lanes = (struct work){.has_looks = 1};
    assert_int_equal(run(&lanes, &losses, LANES, 1), DYN_DONE);
    assert_same(&alone, &lanes);
  }
}

static void test_ends(void **state) {
  (void)state;
  static struct work given_up, stopped;
  struct losses none = {0};
  given_up.last = 3;
  assert_int_equal(run(&given_up, &none, LANES, 1), DYN_INTERRUPTED);
  assert_int_equal(given_up.ended, 3);
  stopped.stop = 1;
  assert_int_equal(run(&stopped, &none, LANES, 1), DYN_INTERRUPTED);
  assert_int_equal(stopped.ended, 0);
  for (int after = 1; after < 100; after += 7) { /* in the middle, where several are in work */
    stopped = (struct work){.stop_after = after, .has_looks = 1};
    assert_int_equal(run(&stopped, &none, LANES, 1), DYN_INTERRUPTED);
    assert_in_range(stopped.told, after, after + 2 * LANES);
  }
}

static void test_integrators(void **state) {
  (void)state;
  dyn_run_options o = run_options(1, 0.1, 1e-8, NULL);
  assert_string_equal(dyn_ensemble_integrator(&o), "dop853");
  o.tolerance = 1e-4;
  assert_string_equal(dyn_ensemble_integrator(&o), "dopri5");
  o.integrator = "bdf";
  assert_null(dyn_ensemble_integrator(&o));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lanes_are_runs), cmocka_unit_test(test_chatter_is_noticed),
      cmocka_unit_test(test_lost_steps_are_made_alone), cmocka_unit_test(test_ends),
      cmocka_unit_test(test_integrators)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
