/* lanes.c: several members of an ensemble at once, one in each lane of the machine's vectors. Needs
 * steps made for that (dyn_lanes.h); promises of each member what dyn_run would do with it, but for
 * the rounding of its functions, and that what happens in one lane depends on no other.
 *
 * Every lane has a run (run_private.h) with its integrator, and all that run.c does between steps
 * is done for each. But the steps of explicit methods are made for all at once: each lane proposes
 * a step of its own size, all evaluations are made in one call, and each lane accepts or refuses by
 * its own error. Accepted or not, the next call is for all again; a lane whose run is over takes
 * the next member. State and slope at the beginning of a step stand in the lanes; a lane's
 * integrator gets what it is asked for: the state at the end of each step, slopes where something
 * within the step is to be told. A step that lanes cannot make is made by the integrator alone. */
#include "runtime/lanes.h"
#include "dyn/dyn_lanes.h"
#include "runtime/explicit_private.h"
#include "runtime/message.h"
#include "runtime/method_state.h"
#include "runtime/run_private.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

enum outcome { /* of the call in work */
               IDLE,
               TRIED, /* and refused, unless one of: */
               ACCEPTED,
               ALONE /* to be made by the integrator */
};

struct lane {
  struct run run;
  dyn_problem problem;
  dyn_member *member; /* NULL: the lane never has one */
  int is_busy;
  struct integrator *integrator; /* the run's, which may get another one, ... */
  struct explicit *s;            /* ... or what is within it */
  int tries;                     /* of the step in work that were refused */
  double limit;                  /* of that step */
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
  double *t, *h, *t_end, *error, *error_low; /* one each lane */
  double *relative, *absolute, *slope_change, *state_change;
  struct lane lane[DYN_MOST_LANES];
  int has_more; /* members */
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

/* The lane begins where its integrator stands. */
static void enter(struct lanes *w, int k) {
  struct lane *lane = &w->lane[k];
  struct explicit *s = lane->s;
  put(w, k, s->base.x, w->y);
  put(w, k, s->has_step ? s->slope[w->table->stages] : s->slope[0], w->slope[0]);
  put(w, k, s->cap, w->cap);
  w->t[k] = s->base.t;
  w->relative[k] = s->base.control->relative;
  w->absolute[k] = s->base.control->absolute;
  lane->tries = 0;
}

/* What a step from the lane's state needs, made by the integrator alone. */
static void leave(struct lanes *w, int k) {
  struct explicit *s = w->lane[k].s;
  get(w, k, w->slope[0], s->has_step ? s->slope[w->table->stages] : s->slope[0]);
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
  lane->is_busy = 0;
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
      lane->integrator->steps > 0)
    return;
  struct explicit *s = is_going ? suits(w, &lane->run) : NULL;
  if (!s) {
    end_run(w, k, status);
    return;
  }
  lane->s = s;
  lane->integrator = lane->run.integrator;
  enter(w, k);
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
  lane->is_busy = 1;
  lane->s = NULL;
  lane->integrator = NULL;
  lane->outcome = IDLE;
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

/* Fills the lanes; 0 if nothing is left to do. */
static int fill(struct lanes *w) {
  int busy = 0;
  for (int k = 0; k < w->width && !w->status; k++) {
    struct lane *lane = &w->lane[k];
    while (!w->status && lane->member && !lane->is_busy && w->has_more) {
      w->has_more = w->ensemble->next(w->ensemble->user, lane->member) != 0;
      if (w->has_more) begin_run(w, k);
    }
    busy |= lane->is_busy;
  }
  return busy && !w->status;
}

/* ---- Steps ---- */

/* The step that a lane tries; one without a run stands still. */
static void propose(struct lanes *w, int k) {
  struct lane *lane = &w->lane[k];
  lane->outcome = IDLE;
  w->h[k] = 0;
  w->t_end[k] = w->t[k];
  if (!lane->is_busy) return;
  dyn_status status = lane->tries == 0 ? run_before_step(&lane->run) : DYN_DONE;
  if (status) {
    end_run(w, k, status);
    return;
  }
  lane->limit = lane->run.events.count == 0 ? lane->run.plan.until : run_limit(&lane->run);
  double t_end, h = pace_try(&lane->s->pace, w->t[k], lane->limit, &t_end);
  /* The integrator knows what to say of it. */
  int is_small = fabs(h) <= 8 * DBL_EPSILON * fabs(w->t[k]);
  lane->outcome = TRIED;
  if (((lane->tries > 0 || t_end != lane->limit) && is_small) || fabs(h) < DBL_MIN) {
    lane->outcome = ALONE;
    return;
  }
  w->h[k] = h;
  w->t_end[k] = t_end;
}

static void judge(struct lanes *w, int k, int is_lost) {
  struct lane *lane = &w->lane[k];
  if (lane->outcome != TRIED) return;
  if (is_lost) {
    lane->outcome = ALONE;
    return;
  }
  struct explicit *s = lane->s;
  double error = pace_error(w->table, w->n, w->error[k], w->error_low[k]);
  s->base.e->rhs_evaluations += w->table->stages;
  if (error <= 1) {
    lane->outcome = ACCEPTED;
    pace_accept(&s->pace, w->table, s->base.control, w->h[k], error, lane->tries > 0);
    return;
  }
  s->base.rejected_steps++;
  lane->tries++;
  pace_reject(&s->pace, w->table, w->h[k], error);
}

/* Rows before the end of an accepted step; at its end they are the state there. */
static int has_row_within(const struct lanes *w, int k) {
  const struct run *r = &w->lane[k].run;
  return w->lane[k].outcome == ACCEPTED && r->next_row < r->plan.rows &&
         r->plan.direction * (w->t_end[k] - run_plan_time(&r->plan, r->next_row)) > 0;
}

/* The integrator of a lane takes its step over. */
static void record(struct lanes *w, int k, int has_row, int has_extra) {
  struct lane *lane = &w->lane[k];
  struct explicit *s = lane->s;
  int is_looked_into = has_row || lane->run.events.count > 0 || lane->run.variables.may_turn;
  explicit_advance(s);
  get(w, k, w->y_end, s->x_new);
  int last = has_extra ? w->table->stages + w->table->extra : w->table->stages;
  for (int i = 0; is_looked_into && i <= last; i++) get(w, k, w->slope[i], s->slope[i]);
  s->base.x = s->x_new;
  s->base.t_old = w->t[k];
  s->base.t = w->t_end[k];
  s->base.steps++;
  s->h_done = w->h[k];
  s->has_step = 1;
  s->has_dense = 0;
  s->is_projected = 0;
  s->has_extra = has_extra;
  lane->result = pace_is_stiff(&s->pace, w->table, w->h[k], w->slope_change[k], w->state_change[k],
                               lane->limit - w->t_end[k]) &&
                         explicit_confirms_stiff(s, w->h[k])
                     ? STEP_STIFF
                     : STEP_DONE;
  w->t[k] = w->t_end[k];
  lane->tries = 0;
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

/* What ended the steps is where the next ones begin; other lanes stay where they were. */
static void advance(struct lanes *w) {
  double **slope_end = &w->slope[w->table->stages], *y = w->y, *slope = w->slope[0];
  for (int k = 0; k < w->width; k++) {
    if (w->lane[k].outcome == ACCEPTED) continue;
    for (int32_t i = 0; i < w->n; i++) {
      w->y_end[i * w->width + k] = y[i * w->width + k];
      (*slope_end)[i * w->width + k] = slope[i * w->width + k];
    }
  }
  w->y = w->y_end;
  w->y_end = y;
  w->slope[0] = *slope_end;
  *slope_end = slope;
}

static void finish_step(struct lanes *w, int k) {
  struct lane *lane = &w->lane[k];
  struct integrator *g = lane->run.integrator;
  if (!lane->is_busy || lane->outcome == IDLE || lane->outcome == TRIED) return;
  enum step_result result = lane->result;
  if (lane->outcome == ALONE) {
    leave(w, k);
    result = g->methods->step(g, lane->limit);
  } else if (!method_state_follow(g)) {
    result = STEP_FAILED;
  }
  go_on(w, k, run_after_step(&lane->run, result));
}

static void step_all(struct lanes *w) {
  for (int k = 0; k < w->width; k++) propose(w, k);
  w->call.y = w->y;
  w->call.y_end = w->y_end;
  uint32_t lost = w->code->step(w->ensemble->model, &w->call);
  for (int k = 0; k < w->width; k++) judge(w, k, (int)(lost >> k & 1));
  record_all(w);
  advance(w);
  for (int k = 0; k < w->width; k++) finish_step(w, k);
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
  c->work = deal(block, &used, (size_t)w->code->n_work);
  double **lanes[] = {&w->t,        &w->h,        &w->t_end,        &w->error,       &w->error_low,
                      &w->relative, &w->absolute, &w->slope_change, &w->state_change};
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
  c->t = w->t;
  c->h = w->h;
  c->t_end = w->t_end;
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
  w->status = prepare(w) ? DYN_DONE : DYN_OUT_OF_MEMORY;
  while (fill(w)) step_all(w);
  for (int k = 0; k < w->width; k++) {
    struct lane *lane = &w->lane[k];
    if (!lane->is_busy) continue;
    run_end(&lane->run, DYN_INTERRUPTED);
    dyn_run_summary_clear(&lane->member->summary);
  }
  dyn_status status = w->status;
  free(w->memory);
  free(w);
  return status;
}
