/* lanes.c: several members of an ensemble at once, one in each lane of the machine's vectors. Needs
 * steps made for that (dyn_lanes.h); promises of each member what dyn_run would do with it, but for
 * the rounding of its functions, and that what happens in one lane depends on no other.
 *
 * Every lane has a run (run_private.h) with its integrator. But the steps of explicit methods are
 * made for all at once: each lane proposes a step of its own size, all evaluations are made in one
 * call, and each lane accepts or refuses by its own error (paces.h). Accepted or not, the next call
 * is for all again; a lane whose run is over takes the next member.
 *
 * State and slope at the beginning of a step stand in the lanes. Most steps are quiet: nothing is
 * to be done for their run but to count them (run_quiet.c), which the paces do; its integrator
 * stays where it was. Where something else is to be done, the integrator catches up with the lane,
 * takes the step over and all that run.c does between steps is done; it gets what it is asked for:
 * the state at the end of the step, slopes where something within the step is to be told. A step
 * that lanes cannot make is made by the integrator alone. */
#include "runtime/lanes.h"
#include "dyn/dyn_lanes.h"
#include "runtime/explicit_private.h"
#include "runtime/message.h"
#include "runtime/method_state.h"
#include "runtime/paces.h"
#include "runtime/run_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

enum outcome {        /* of the call in work */
               WAITS, /* nothing to be done: no run, a quiet step, or one that was refused */
               ACCEPTED,
               ALONE /* to be made by the integrator */
};

struct lane {
  struct run run;
  dyn_problem problem;
  dyn_member *member;            /* NULL: the lane never has one */
  struct integrator *integrator; /* the run's, which may get another one, ... */
  struct explicit *s;            /* ... or what is within it */
  enum outcome outcome;
  enum step_result result; /* of a step that was accepted */
};

struct lanes {
  const dyn_ensemble *ensemble;
  const dyn_lanes *code;
  const struct rk_table *table;
  int32_t n, width;
  dyn_lane_step call;
  void *memory;
  double *y, *y_end, *cap, *p, *u; /* vectors of lanes */
  double *slope[RK_MAX_STAGES];
  double *relative, *absolute, *error, *error_low, *slope_change, *state_change; /* one a lane */
  struct paces paces;
  struct lane lane[DYN_MOST_LANES];
  int has_more;                                         /* members */
  double *look_y, *look_t, *look_x, *values, *energies; /* of states to be looked at */
  uint32_t looks;                                       /* the lanes that have one, as bits */
  uint32_t idle;                                        /* lanes without a run, as bits */
  dyn_status status;
};

/* ---- Between the lanes and their integrators ---- */

static void put(const struct lanes *w, int k, const double *from, double *vector) {
  for (int32_t i = 0; i < w->n; i++) vector[(size_t)i * (size_t)w->width + (size_t)k] = from[i];
}

static void get(const struct lanes *w, int k, const double *vector, double *to) {
  for (int32_t i = 0; i < w->n; i++) to[i] = vector[(size_t)i * (size_t)w->width + (size_t)k];
}

/* Whether the integrator of a run can be stepped in a lane. */
static struct explicit *suits(const struct lanes *w, struct run *r) {
  if (!r->integrator || r->e.model != w->ensemble->model) return NULL;
  struct explicit *s = explicit_of(method_state_inner(r->integrator));
  return s && s->table == w->table ? s : NULL;
}

/* ---- Invariants of states that quiet steps have led to: for many lanes at once ---- */

/* Invariants are functions of the natural state. */
static int can_look(const struct lanes *w) {
  return w->code->invariant_values && !w->ensemble->model->natural_state;
}

static void look(struct lanes *w, int k, int is_lost, const double *energies) {
  const dyn_model *m = w->ensemble->model;
  struct run *r = &w->lane[k].run;
  if (is_lost) {
    get(w, k, w->look_y, w->look_x);
    monitor_look(&r->monitor, &r->e, w->look_t[k], w->look_x);
    return;
  }
  double own[2];
  for (int32_t i = 0; i < 2 && energies; i++)
    own[i] = energies[(size_t)i * (size_t)w->width + (size_t)k];
  for (int32_t i = 0; i < m->n_invariants; i++)
    r->monitor.values[i] = w->values[(size_t)i * (size_t)w->width + (size_t)k];
  monitor_take(&r->monitor, m, r->monitor.values, energies ? own : NULL);
}

/* Looks at the states that wait for it. */
static void look_at_all(struct lanes *w) {
  const dyn_model *m = w->ensemble->model;
  const dyn_lane_step *c = &w->call;
  const double *energies = w->code->energies ? w->energies : NULL;
  uint32_t lost =
      w->code->invariant_values(m, w->look_t, w->look_y, w->u, w->p, c->work, w->values);
  if (energies)
    lost |= w->code->energies(m, w->look_t, w->look_y, w->u, w->p, c->work, w->energies);
  for (int k = 0; k < w->width; k++)
    if (w->looks >> k & 1) look(w, k, (int)(lost >> k & 1), energies);
  w->looks = 0;
}

/* The state at the end of a quiet step is looked at once others are, but before the next of its own
 * lane. */
static void ask_for_look(struct lanes *w, int k) {
  if (!can_look(w)) return;
  if (w->looks >> k & 1) look_at_all(w);
  for (int32_t i = 0; i < w->n; i++) {
    size_t at = (size_t)i * (size_t)w->width + (size_t)k;
    w->look_y[at] = w->y_end[at];
  }
  w->look_t[k] = w->paces.t_end[k];
  w->looks |= 1u << k;
}

/* ---- Where integrators stand ---- */

/* What the lane counts from here on, where its integrator stands too. */
static void begin_quiet(struct lanes *w, int k) {
  struct paces *p = &w->paces;
  const struct run *r = &w->lane[k].run;
  int has_looks = can_look(w) || !r->monitor.values;
  paces_take(p, k, &w->lane[k].s->pace);
  p->limit[k] = run_limit(r);
  p->quiet_left[k] = (double)run_quiet_steps(r, has_looks, &p->quiet_until[k]);
  p->since_look[k] = (double)r->steps_since_look;
  p->quiet_steps[k] = p->rejected[k] = p->largest[k] = 0;
  p->least[k] = HUGE_VAL;
}

/* The lane begins where its integrator stands. */
static void enter(struct lanes *w, int k) {
  struct explicit *s = w->lane[k].s;
  put(w, k, s->base.x, w->y);
  put(w, k, s->has_step ? s->slope[w->table->stages] : s->slope[0], w->slope[0]);
  put(w, k, s->cap, w->cap);
  w->relative[k] = s->base.control->relative;
  w->absolute[k] = s->base.control->absolute;
  w->paces.t[k] = s->base.t;
  w->paces.longest[k] = s->base.control->max_step;
  w->paces.direction[k] = s->base.control->direction;
  w->paces.refused[k] = 0;
}

/* The integrator goes to where its lane stands: the beginning of a step. */
static void catch_up(struct lanes *w, int k) {
  struct lane *lane = &w->lane[k];
  struct paces *p = &w->paces;
  struct explicit *s = lane->s;
  if (w->looks >> k & 1) look_at_all(w);
  int64_t steps = (int64_t)p->quiet_steps[k], rejected = (int64_t)p->rejected[k];
  paces_give(p, k, &s->pace);
  explicit_advance(s);
  s->has_step = 0;
  get(w, k, w->slope[0], s->slope[0]);
  int64_t attempts = steps + rejected + (p->is_good[k] > 0);
  s->base.e->rhs_evaluations += attempts * w->table->stages;
  s->base.rejected_steps += rejected;
  if (steps == 0) return;
  get(w, k, w->y, s->x_old);
  s->base.x = s->x_old;
  s->base.t = p->begin[k];
  s->base.steps += steps;
  /* The natural state has a value where the rates of a good step have one. */
  method_state_follow(lane->run.integrator);
  run_count_quiet(&lane->run, steps, p->least[k], p->largest[k]);
}

/* ---- Members ---- */

static void copy_constants(struct lanes *w, int k) {
  const dyn_model *m = w->ensemble->model;
  const struct lane *lane = &w->lane[k];
  for (int32_t i = 0; i < m->n_parameters; i++) w->p[i * w->width + k] = lane->member->p[i];
  for (int32_t i = 0; i < m->n_inputs; i++) w->u[i * w->width + k] = lane->run.e.u[i];
}

static int inputs_are_constant(const struct lanes *w, const dyn_member *member) {
  for (int32_t i = 0; i < w->ensemble->model->n_inputs; i++) {
    dyn_input_kind kind = member->inputs ? member->inputs[i].kind : DYN_INPUT_DEFAULT;
    if (kind != DYN_INPUT_CONSTANT && (kind != DYN_INPUT_DEFAULT || w->code->inputs_vary)) return 0;
  }
  return 1;
}

/* Takes the end of a lane's run, if it is over; or the rest of it, if lanes can't go on with it. */
static void end_run(struct lanes *w, int k, dyn_status status) {
  struct lane *lane = &w->lane[k];
  w->idle |= 1u << k;
  lane->outcome = WAITS;
  run_on(&lane->run, status);
  dyn_status taken = ensemble_take(w->ensemble, lane->member);
  if (taken) w->status = taken;
}

/* Goes on with a run after what may have changed its integrator. */
static void go_on(struct lanes *w, int k, dyn_status status) {
  struct lane *lane = &w->lane[k];
  int is_going = !status && run_goes_on(&lane->run);
  /* A new integrator may have the address of the one before, but has made no step. */
  if (is_going && lane->outcome == ACCEPTED && lane->run.integrator == lane->integrator &&
      lane->integrator->steps > 0) {
    begin_quiet(w, k);
    return;
  }
  lane->s = is_going ? suits(w, &lane->run) : NULL;
  if (!lane->s) {
    end_run(w, k, status);
    return;
  }
  lane->integrator = lane->run.integrator;
  enter(w, k);
  begin_quiet(w, k);
}

static void begin_run(struct lanes *w, int k) {
  struct lane *lane = &w->lane[k];
  dyn_member *member = lane->member;
  lane->problem =
      (dyn_problem){.model = w->ensemble->model, .p = member->p, .inputs = member->inputs};
  lane->run = (struct run){.problem = &lane->problem,
                           .options = &member->options,
                           .sink = member->sink,
                           .callbacks = w->ensemble->callbacks,
                           .summary = &member->summary,
                           .x = member->x,
                           .asked_for_steps = 1};
  w->idle &= ~(1u << k);
  lane->s = NULL;
  lane->integrator = NULL;
  lane->outcome = WAITS;
  dyn_status status = run_start(&lane->run);
  int suits_lane = !status && run_goes_on(&lane->run) && inputs_are_constant(w, member) &&
                   !evaluate_inputs(&lane->run.e, lane->run.plan.from);
  if (!suits_lane) {
    end_run(w, k, status);
    return;
  }
  copy_constants(w, k);
  go_on(w, k, status);
}

static uint32_t all_lanes(const struct lanes *w) {
  return (1u << w->width) - 1;
}

/* Fills the lanes; 0 if nothing is left to do. */
static int fill(struct lanes *w) {
  for (int k = 0; k < w->width && !w->status; k++) {
    struct lane *lane = &w->lane[k];
    while (!w->status && lane->member && w->idle >> k & 1 && w->has_more) {
      w->has_more = w->ensemble->next(w->ensemble->user, lane->member) != 0;
      if (w->has_more) begin_run(w, k);
    }
  }
  return w->idle != all_lanes(w) && !w->status;
}

/* ---- Steps ---- */

/* A lane without a run stands still, and so does one whose step is too small. */
static void stand_still(struct lanes *w, uint32_t which) {
  struct paces *p = &w->paces;
  for (int k = 0; k < w->width; k++) {
    if (!(which >> k & 1)) continue;
    p->h[k] = 0;
    p->t_end[k] = p->t[k];
    p->is_alone[k] = 1;
  }
}

static void set_alone(struct lanes *w, uint32_t which) {
  for (int k = 0; k < w->width; k++)
    if (which >> k & 1) w->paces.is_alone[k] = 1;
}

/* The integrator of a lane whose step is to be told catches up. */
static void prepare_loud(struct lanes *w, int k) {
  struct lane *lane = &w->lane[k];
  catch_up(w, k);
  lane->outcome = w->paces.is_alone[k] > 0 ? ALONE : ACCEPTED;
  dyn_status status = run_before_step(&lane->run);
  if (status) end_run(w, k, status);
}

/* Rows before the end of an accepted step; at its end they are the state there. */
static int has_row_within(const struct lanes *w, int k) {
  const struct run *r = &w->lane[k].run;
  return w->lane[k].outcome == ACCEPTED && r->next_row < r->plan.rows &&
         r->plan.direction * (w->paces.t_end[k] - run_plan_time(&r->plan, r->next_row)) > 0;
}

/* The integrator of a lane takes its step over. */
static void record(struct lanes *w, int k, int has_row, int has_extra) {
  struct lane *lane = &w->lane[k];
  const struct paces *p = &w->paces;
  struct explicit *s = lane->s;
  int is_looked_into = has_row || lane->run.events.count > 0 || lane->run.variables.may_turn;
  get(w, k, w->y_end, s->x_new);
  int last = has_extra ? w->table->stages + w->table->extra : w->table->stages;
  for (int i = 1; is_looked_into && i <= last; i++) get(w, k, w->slope[i], s->slope[i]);
  s->base.x = s->x_new;
  s->base.t_old = p->begin[k];
  s->base.t = p->t_end[k];
  s->base.steps++;
  s->h_done = p->h[k];
  s->has_step = 1;
  s->has_dense = 0;
  s->is_projected = 0;
  s->has_extra = has_extra;
  int is_stiff = p->is_stiff[k] > 0 && explicit_confirms_stiff(s, p->h[k]);
  lane->result = is_stiff ? STEP_STIFF : STEP_DONE;
}

/* Evaluations for rows within steps, in all lanes if one has such. */
static void record_all(struct lanes *w) {
  int is_within[DYN_MOST_LANES], any = 0;
  uint32_t lost = 0;
  for (int k = 0; k < w->width; k++) any |= is_within[k] = has_row_within(w, k);
  if (any && w->code->dense) lost = w->code->dense(w->ensemble->model, &w->call);
  for (int k = 0; k < w->width; k++) {
    if (w->lane[k].outcome != ACCEPTED) continue;
    int has_extra = is_within[k] && !(lost >> k & 1);
    if (has_extra) w->lane[k].s->base.e->rhs_evaluations += w->table->extra;
    record(w, k, is_within[k], has_extra);
  }
}

/* What ended the steps is where the next ones begin; lanes whose step is not made stay. */
static void advance(struct lanes *w) {
  double **slope_end = &w->slope[w->table->stages], *y = w->y, *slope = w->slope[0];
  paces_keep(&w->paces, w->n, y, w->y_end);
  paces_keep(&w->paces, w->n, slope, *slope_end);
  w->y = w->y_end;
  w->y_end = y;
  w->slope[0] = *slope_end;
  *slope_end = slope;
}

static void finish_step(struct lanes *w, int k) {
  struct lane *lane = &w->lane[k];
  struct integrator *g = lane->run.integrator;
  if (lane->outcome == WAITS) return;
  enum step_result result = lane->result;
  if (lane->outcome == ALONE)
    result = g->methods->step(g, w->paces.limit[k]);
  else if (!method_state_follow(g))
    result = STEP_FAILED;
  go_on(w, k, run_after_step(&lane->run, result));
  lane->outcome = WAITS;
}

static void step_all(struct lanes *w) {
  uint32_t still = paces_try(&w->paces) | w->idle;
  if (still) stand_still(w, still);
  w->call.y = w->y;
  w->call.y_end = w->y_end;
  uint32_t lost = w->code->step(w->ensemble->model, &w->call);
  if (lost) set_alone(w, lost);
  paces_judge(&w->paces, w->table, w->n, &w->call);
  uint32_t loud = w->paces.loud & ~w->idle, due = w->paces.due;
  for (int k = 0; due >> k; k++)
    if (due >> k & 1) ask_for_look(w, k);
  for (int k = 0; loud >> k; k++)
    if (loud >> k & 1) prepare_loud(w, k);
  if (loud) record_all(w);
  advance(w);
  for (int k = 0; loud >> k; k++)
    if (loud >> k & 1) finish_step(w, k);
}

/* ---- Memory ---- */

/* The next array of so many doubles of a block that is being measured (NULL), or dealt out. */
static double *deal(double *block, size_t *used, size_t count) {
  double *array = block ? block + *used : NULL;
  *used += (count * sizeof(double) + ALIGNMENT - 1) / ALIGNMENT * (ALIGNMENT / sizeof(double));
  return array;
}

static size_t lay_out(struct lanes *w, double *block) {
  const dyn_model *m = w->ensemble->model;
  size_t used = 0, width = (size_t)w->width, vector = (size_t)w->n * width;
  dyn_lane_step *c = &w->call;
  w->y = deal(block, &used, vector);
  w->y_end = deal(block, &used, vector);
  w->cap = deal(block, &used, vector);
  c->y_last = deal(block, &used, vector);
  c->scratch = deal(block, &used, vector);
  for (int i = 0; i <= w->table->stages + w->table->extra; i++)
    w->slope[i] = deal(block, &used, vector);
  w->p = deal(block, &used, (size_t)m->n_parameters * width);
  w->u = deal(block, &used, (size_t)m->n_inputs * width);
  w->look_y = deal(block, &used, vector);
  w->look_x = deal(block, &used, (size_t)w->n);
  w->values = deal(block, &used, (size_t)m->n_invariants * width);
  w->energies = deal(block, &used, 2 * width);
  c->work = deal(block, &used, (size_t)w->code->n_work);
  double **lanes[] = {&w->relative,     &w->absolute,     &w->error, &w->error_low,
                      &w->slope_change, &w->state_change, &w->look_t};
  for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
    *lanes[i] = deal(block, &used, DYN_MOST_LANES);
  return used;
}

static int prepare(struct lanes *w) {
  size_t size = lay_out(w, NULL) * sizeof(double);
  w->memory = aligned_alloc(ALIGNMENT, size + ALIGNMENT);
  if (!w->memory) return 0;
  memset(w->memory, 0, size);
  lay_out(w, w->memory);
  dyn_lane_step *c = &w->call;
  paces_init(&w->paces, w->width);
  w->paces.look_after = RUN_LOOK_STEPS;
  c->t = w->paces.begin;
  c->h = w->paces.h;
  c->t_end = w->paces.t_end;
  c->slopes = w->slope;
  c->relative = w->relative;
  c->absolute = w->absolute;
  c->cap = w->cap;
  c->error = w->error;
  c->error_low = w->error_low;
  c->p = w->p;
  c->u = w->u;
  c->slope_change = w->slope_change;
  c->state_change = w->state_change;
  for (int k = 0; k < w->width && k < w->ensemble->n_members; k++)
    w->lane[k].member = &w->ensemble->members[k];
  return 1;
}

dyn_status lanes_run(const dyn_ensemble *ensemble) {
  struct lanes *w = calloc(1, sizeof *w);
  if (!w) return DYN_OUT_OF_MEMORY;
  w->ensemble = ensemble;
  w->code = ensemble->lanes;
  w->table = strcmp(w->code->integrator, rk_table_dp8.name) ? &rk_table_dp5 : &rk_table_dp8;
  w->n = ensemble->model->n_state;
  w->width = w->code->lanes;
  w->has_more = 1;
  w->idle = all_lanes(w);
  w->status = prepare(w) ? DYN_DONE : DYN_OUT_OF_MEMORY;
  while (fill(w)) {
    uint32_t idle = w->idle;
    while (w->idle == idle) step_all(w);
  }
  for (int k = 0; k < w->width; k++) {
    struct lane *lane = &w->lane[k];
    if (w->idle >> k & 1) continue;
    run_end(&lane->run, DYN_INTERRUPTED);
    dyn_run_summary_clear(&lane->member->summary);
  }
  dyn_status status = w->status;
  free(w->memory);
  free(w);
  return status;
}
