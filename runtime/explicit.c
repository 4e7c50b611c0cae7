/* explicit.c: explicit Runge-Kutta methods with dense output: their steps, which explicit_stages.c
 * evaluates and explicit_control.c gives their size. Needs a method's table (dyn_tableau.h);
 * promises steps whose estimated local error is within the tolerance, states within a step to the
 * order of the method's dense output, and a warning when stability rather than accuracy limits the
 * steps. Where a model has constraints, every step ends projected on them and the next one begins
 * there; dense output stays that of the step as the method made it. Source: Hairer, Norsett,
 * Wanner, Solving Ordinary Differential Equations I (II.4 starting step, II.5 and II.6 the
 * methods). */
#include "runtime/explicit_private.h"
#include "runtime/message.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Projection takes a step's own error away, which is about as large as the tolerance (40 times it
 * in a chain of 20 links). What moves the end of a step so much further is no error of the step. */
#define FAR_MOVED 1000
/* Nor is what undoes a good part of the step, unless it is rounding: a motion that is put back at a
 * kink again and again. */
#define UNDONE 0.1
#define ROUNDING 0.01 /* of the tolerance */
/* What rounding makes of an entry that is 0, enlarged by constraints that are nearly dependent:
 * parts of the largest entry of its kind. */
#define NOISE 1e-11
/* Steps that were shortened by a jump count JUMP_STEP, others take 1 off: so many are a jump. */
#define JUMP_STEP 4
#define MOST_JUMPS 400
#define LEAST_ERROR 1e-4 /* that is taken for one, in how much longer the next step may be */
/* Over a singular configuration, parts of the distance to the next branch. */
#define PASSAGE_MOVED 0.01

static struct explicit *self_of(struct integrator *base) {
  return (struct explicit *)base;
}

static int is_stiff(struct explicit *s, double h, double remaining) {
  int32_t n = s->base.e->n;
  const double *f_new = s->slope[s->table->stages], *f_stage = s->slope[s->table->stages - 1];
  double f2 = 0, x2 = 0;
  for (int32_t i = 0; i < n; i++) {
    double df = f_new[i] - f_stage[i], dx = s->x_new[i] - s->x_last_stage[i];
    f2 += df * df;
    x2 += dx * dx;
  }
  return pace_is_stiff(&s->pace, s->table, h, f2, x2, remaining) && explicit_confirms_stiff(s, h);
}

/* The step to try: that of the pace, or what passes a singular configuration. */
static double step_to_try(struct explicit *s, double limit, double refused, double *t_new) {
  double remaining = limit - s->base.t, h = passage_step(&s->passage, s->base.t, refused);
  double longest = fmin(s->base.control->max_step, s->longest_passage);
  if (h != 0 && fabs(h) <= fmin(fabs(remaining), longest)) {
    *t_new = s->base.t + h;
    return h;
  }
  if (s->is_fixed && fabs(s->pace.h) >= fabs(s->grid.h))
    return step_grid_next(&s->grid, s->base.t, limit, t_new);
  return pace_try(&s->pace, s->base.t, limit, t_new);
}

void explicit_advance(struct explicit *s) {
  if (!s->has_step) return;
  double *x = s->x_old, *f = s->slope[0];
  double **x_end = s->is_projected ? &s->x_projected : &s->x_new;
  double **f_end = s->is_projected ? &s->f_projected : &s->slope[s->table->stages];
  s->x_old = *x_end;
  *x_end = x;
  s->slope[0] = *f_end;
  *f_end = f;
  s->base.x = s->x_old;
}

static enum step_result accept(struct explicit *s, double h, double t_new, double limit,
                               double error, int was_rejected) {
  s->base.t_old = s->base.t;
  s->base.t = t_new;
  s->base.x = s->is_projected ? s->x_projected : s->x_new;
  s->base.steps++;
  s->h_done = h;
  if (s->is_looking) passage_look(&s->passage, t_new, projection_least_pivot(s->projection));
  s->has_step = 1;
  s->has_dense = s->has_extra = 0;
  if (s->is_fixed) {
    s->pace.h = s->grid.h;
    step_grid_take(&s->grid, t_new);
  } else {
    pace_accept(&s->pace, s->table, s->base.control, h, error, was_rejected);
  }
  return is_stiff(s, h, limit - t_new) ? STEP_STIFF : STEP_DONE;
}

/* How far projection moved component i of the end of a step, over the tolerance. */
static double moved_by_projection(const struct explicit *s, int32_t i) {
  double magnitude = fmax(fabs(s->x_new[i]), fabs(s->x_projected[i]));
  return fabs(s->x_projected[i] - s->x_new[i]) / error_scale(s->base.control, i, magnitude);
}

/* The largest entry of component i's kind (positions, velocities) at the end of a step. */
static double largest_beside(const struct explicit *s, int32_t i) {
  int32_t n = s->base.e->model->n_coordinates, begin = i < n ? 0 : i < 2 * n ? n : i;
  double largest = fabs(s->x_new[i]);
  for (int32_t j = begin; i < 2 * n && j < begin + n; j++)
    largest = fmax(largest, fabs(s->x_new[j]));
  return largest;
}

/* At the end of a passage, where the next branch is as far as the least pivot. */
static int has_changed_branch(const struct explicit *s) {
  double far = PASSAGE_MOVED * fmax(0, projection_least_pivot(s->projection));
  for (int32_t i = 0; i < s->base.e->n; i++)
    if (!(fabs(s->x_projected[i] - s->x_new[i]) <= far * largest_beside(s, i)) &&
        !(moved_by_projection(s, i) <= FAR_MOVED))
      return 1;
  return 0;
}

static int is_far_moved(const struct explicit *s) {
  if (s->passage.is_near) return has_changed_branch(s);
  double moved = 0, step = 0;
  for (int32_t i = 0; i < s->base.e->n; i++) {
    double magnitude = fmax(fabs(s->x_new[i]), fabs(s->x_projected[i]));
    double scale = error_scale(s->base.control, i, magnitude);
    step = fmax(step, fabs(s->x_new[i] - s->x_old[i]) / scale);
    if (fabs(s->x_projected[i] - s->x_new[i]) > NOISE * largest_beside(s, i))
      moved = fmax(moved, moved_by_projection(s, i));
  }
  int is_far = moved > FAR_MOVED && !s->is_fixed; /* whose step the tolerance did not choose */
  return is_far || (moved > ROUNDING && moved > UNDONE * step);
}

/* A step after one that was refused looks where the constraints are going; the state at its end is
 * in x_natural. */
static int is_too_near(struct explicit *s, double t_new) {
  double pivot = projection_least_pivot(s->projection);
  if (pivot < 0 && s->is_looking && !projection_look(s->projection, t_new, s->x_natural))
    pivot = projection_least_pivot(s->projection);
  return pivot >= 0 && passage_refuses(&s->passage, t_new, pivot);
}

/* Looks at the beginning of a step that was refused. */
static void look_from(struct explicit *s) {
  struct integrator *base = &s->base;
  s->is_looking = s->projection && s->projection->start_rank > 0;
  if (!s->is_looking || (s->passage.has_look && s->passage.t == base->t)) return;
  projection_forget(s->projection);
  if (evaluate_natural_state(base->e, base->t, s->x_old, s->x_natural) ||
      projection_look(s->projection, base->t, s->x_natural))
    return;
  passage_look(&s->passage, base->t, projection_least_pivot(s->projection));
}

/* Puts the end of a step on the constraints, which are about natural states; 0 if that fails. */
static int project_end(struct explicit *s, double t_new) {
  struct evaluator *e = s->base.e;
  s->is_projected = 0;
  if (!s->projection) return 1;
  projection_forget(s->projection);
  s->projection->is_strict = s->is_looking;
  if (evaluate_natural_state(e, t_new, s->x_new, s->x_natural)) {
    s->worst = NOT_EVALUATED;
    return 0;
  }
  enum projection_result result = projection_project(s->projection, t_new, s->x_natural);
  if (result == PROJECTION_FAILED) {
    s->worst = NOT_PROJECTED;
    return 0;
  }
  if (is_too_near(s, t_new)) {
    s->worst = TOO_NEAR;
    return 0;
  }
  s->is_projected = result == PROJECTION_MOVED;
  if (!s->is_projected) return 1;
  s->worst = NOT_EVALUATED;
  if (evaluate_method_state(e, t_new, s->x_natural, s->x_projected)) return 0;
  if (is_far_moved(s)) {
    s->worst = JUMPED;
    return 0;
  }
  if (!evaluate_rhs(e, t_new, s->x_projected, s->f_projected)) return 1;
  return 0;
}

/* However short the step, its end is far off the constraints. The last attempt is in x_new. */
static void jumped(struct explicit *s) {
  struct integrator *base = &s->base;
  const dyn_model *m = base->e->model;
  int32_t most = 0;
  for (int32_t i = 1; i < base->e->n; i++)
    if (moved_by_projection(s, i) > moved_by_projection(s, most)) most = i;
  if (evaluate_natural_state(base->e, base->t, s->x_new, s->x_natural)) {
    integrator_evaluation_failed(base);
    return;
  }
  base->status = projection_jump_message(s->projection, base->t, s->x_natural, &base->message);
  message_add(&base->message, "%s from %.6g to %.6g", integrated_name(m, most),
              s->x_new[most] + 0.0, s->x_projected[most] + 0.0);
}

static enum step_result step_failed(struct explicit *s) {
  struct integrator *base = &s->base;
  if (s->worst == NOT_EVALUATED) return integrator_evaluation_failed(base);
  if (s->worst == NOT_PROJECTED)
    base->status = projection_failure_message(s->projection, base->t, s->x_natural, &base->message);
  else if (s->worst == JUMPED)
    jumped(s);
  else if (s->worst == NOT_KNOWN)
    return integrator_step_too_small(base, s->pace.h, explicit_worst(s));
  else
    return integrator_step_too_small(base, s->pace.h, s->worst);
  return STEP_FAILED;
}

static enum step_result explicit_step(struct integrator *base, double limit) {
  struct explicit *s = self_of(base);
  explicit_advance(s);
  s->has_step = 0;
  s->is_looking = s->passage.is_near;
  if (s->watches) look_from(s);
  s->longest_passage = HUGE_VAL;
  double refused = 0;
  for (int tries = 0;; tries++) {
    double t_new, h = step_to_try(s, limit, refused, &t_new);
    /* A step to the limit may be short, but not because shorter and shorter ones have failed. */
    if ((tries > 0 || t_new != limit) && fabs(h) <= 8 * DBL_EPSILON * fabs(base->t)) break;
    if (fabs(h) < DBL_MIN) break;
    double error;
    int is_passage = s->passage.is_near; /* whose stages may lie far off the constraints */
    if (is_passage) projection_remember(s->projection);
    enum evaluate_result result = explicit_attempt(s, h, t_new, &error);
    int is_good = !result && error <= 1;
    if (is_good && project_end(s, t_new)) {
      if (s->jumps > 0) s->jumps--;
      return accept(s, h, t_new, limit, error, tries > 0);
    }
    base->rejected_steps++;
    if (is_passage) projection_recall(s->projection);
    if (tries == 0) look_from(s);
    /* A step that was good but for where it ended tells how much longer ones may be; the estimate
     * of one that is far too long may be anything. */
    if (is_good && s->worst == TOO_NEAR)
      s->longest_passage = fabs(h) / pace_root(s->table, fmax(error, LEAST_ERROR));
    /* What projection undoes is no matter of the step, and shorter ones would not help. */
    refused = is_good && s->worst == JUMPED ? copysign(HUGE_VAL, h) : h;
    if (is_good && s->worst == JUMPED && (s->jumps += JUMP_STEP) > MOST_JUMPS) break;
    if (!result && !is_good) {
      pace_reject(&s->pace, s->table, h, error);
      continue;
    }
    if (result) s->worst = NOT_EVALUATED; /* else it is good, but not on the constraints */
    s->pace.h = 0.25 * h;
    s->pace.stiff_steps = 0;
  }
  return step_failed(s);
}

static dyn_status explicit_interpolate(struct integrator *base, double t, double *x) {
  struct explicit *s = self_of(base);
  int32_t n = base->e->n;
  if (t == base->t || !s->has_step) {
    memcpy(x, base->x, (size_t)n * sizeof *x);
    return DYN_DONE;
  }
  if (!s->has_dense && explicit_prepare_dense(s)) {
    integrator_evaluation_failed(base);
    return base->status;
  }
  double r = (t - base->t_old) / s->h_done, weight[2] = {r, 1 - r};
  for (int32_t i = 0; i < n; i++) {
    int top = 3 + s->table->n_dense;
    double value = s->dense[top][i];
    for (int j = top; j > 0; j--) value = s->dense[j - 1][i] + weight[(j - 1) & 1] * value;
    x[i] = value;
  }
  return DYN_DONE;
}

static void explicit_free(struct integrator *base) {
  struct explicit *s = self_of(base);
  free(s->memory);
  free(s);
}

/* A first step: such that an explicit Euler step of it is a hundredth of the state, corrected by
 * the second derivative that this step shows. */
static double starting_step(struct explicit *s) {
  struct integrator *b = &s->base;
  const struct error_control *control = b->control;
  int32_t n = b->e->n;
  double x2 = 0, f2 = 0, bend2 = 0;
  for (int32_t i = 0; i < n; i++) {
    double scale = error_scale(control, i, fabs(s->x_old[i]));
    x2 += pow(s->x_old[i] / scale, 2);
    f2 += pow(s->slope[0][i] / scale, 2);
  }
  double h = f2 <= 1e-10 || x2 <= 1e-10 ? 1e-6 * control->interval : 0.01 * sqrt(x2 / f2);
  /* A state that is 0 but for rounding (a bounce) is no length to go by. */
  h = fmax(h, 1e-9 * control->interval);
  h = control->direction * fmin(h, fmin(control->max_step, control->interval));
  for (int32_t i = 0; i < n; i++) s->stage[i] = s->x_old[i] + h * s->slope[0][i];
  if (evaluate_rhs(b->e, b->t + h, s->stage, s->slope[1])) return 0.01 * h;
  for (int32_t i = 0; i < n; i++) {
    double scale = error_scale(control, i, fabs(s->x_old[i]));
    bend2 += pow((s->slope[1][i] - s->slope[0][i]) / scale, 2);
  }
  double largest = fmax(sqrt(bend2) / fabs(h), sqrt(f2)) / sqrt(n > 0 ? n : 1);
  double second = largest <= 1e-15 ? fmax(1e-6 * control->interval, fabs(h) * 1e-3)
                                   : pow(0.01 / largest, 1.0 / s->table->order);
  double result = fmin(100 * fabs(h), fmin(second, control->max_step));
  return control->direction * fmin(result, control->interval);
}

static int allocate(struct explicit *s, int32_t n) {
  const struct rk_table *table = s->table;
  int slopes = table->stages + 1 + table->extra, dense = 4 + table->n_dense;
  size_t vectors = (size_t)(slopes + dense + 10);
  size_t length = ((size_t)n / EXPLICIT_LANES + 1) * EXPLICIT_LANES;
  s->memory = calloc(vectors, length * sizeof(double));
  if (!s->memory) return 0;
  double *next = s->memory;
  for (int i = 0; i < slopes; i++, next += length) s->slope[i] = next;
  for (int i = 0; i < dense; i++, next += length) s->dense[i] = next;
  s->x_old = next;
  s->x_new = next + length;
  s->stage = next + 2 * length;
  s->x_last_stage = next + 3 * length;
  s->x_projected = next + 4 * length;
  s->f_projected = next + 5 * length;
  s->x_natural = next + 6 * length;
  s->error = next + 7 * length;
  s->error_low = next + 8 * length;
  s->cap = next + 9 * length;
  return 1;
}

static const struct integrator_methods methods = {explicit_step, explicit_interpolate,
                                                  explicit_free};

void explicit_watch(struct integrator *integrator) {
  struct explicit *s = explicit_of(integrator);
  if (s) s->watches = 1;
}

struct explicit *explicit_of(struct integrator *integrator) {
  return integrator->methods == &methods ? self_of(integrator) : NULL;
}

struct integrator *explicit_integrator_new(const struct rk_table *table, struct evaluator *e,
                                           const struct error_control *control,
                                           struct projection *projection, double t, const double *x,
                                           dyn_status *status, dyn_message *message) {
  struct explicit *s = calloc(1, sizeof *s);
  if (s) s->table = table, s->projection = projection;
  if (!s || !allocate(s, e->n)) {
    free(s);
    *status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to integrate");
    return NULL;
  }
  s->base = (struct integrator){.methods = &methods,
                                .name = table->name,
                                .linear_solver = "",
                                .e = e,
                                .control = control,
                                .t_old = t,
                                .t = t,
                                .x = s->x_old};
  memcpy(s->x_old, x, (size_t)e->n * sizeof *x);
  for (int32_t i = 0; i < e->n; i++) s->cap[i] = error_cap(control, i);
  s->pace.last_error = 1e-4;
  if (evaluate_rhs(e, t, s->x_old, s->slope[0])) {
    integrator_evaluation_failed(&s->base);
    *status = s->base.status;
    *message = s->base.message;
    explicit_free(&s->base);
    return NULL;
  }
  s->is_fixed = table->error.count == 0;
  s->grid = (struct step_grid){.begin = t, .h = control->direction * control->step};
  s->pace.h = s->is_fixed ? s->grid.h : starting_step(s);
  passage_init(&s->passage, table->c, table->stages + 1 + table->extra);
  return &s->base;
}
