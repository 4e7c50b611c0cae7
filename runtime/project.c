/* project.c: holds a running model on its constraints. An integrator's step satisfies them within
 * its tolerance only, and such errors add up (position-level constraints grow off like t^2); the
 * least change in the metric of the mass matrix takes them away without spoiling the order of the
 * method. Positions: Newton's method on all position-level equations (with integrals of
 * velocity-level ones, which keep their start values); then velocities on all constraints. Ranks
 * are limited to what the model's structure allows, so that redundant equations, which agree only
 * to the size of the error, do no harm.
 * Source: Hairer, Wanner, Solving Ordinary Differential Equations II, VII.2; Eich-Soellner,
 * Fuehrer, Numerical Methods in Multibody Dynamics, 5. */
#include "runtime/project.h"
#include "runtime/message.h"
#include "runtime/scatter.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ITERATIONS 20
#define HELD 1e-9      /* residual over the size of terms: where stalled Newton has met rounding */
#define AT_START 1e-6  /* the same: a start state that was not assembled */
#define RANK_LOST 1e-8 /* a pivot below is lost; ... */
#define SOFTENING 1e-6 /* of the metric: lengths by w are told apart by up to its root */
#define RANK_AT_STEP 1e-4  /* at a state within an integrator's error of a singular one */
#define RANK_REGAINED 1e-6 /* ... and back above this, so that nothing flickers */

double projection_softening(const struct projection *p, size_t i) {
  return p->inertia[i] > 0 ? SOFTENING * p->inertia[i] : 1;
}

static int look_at_mass(struct projection *p, double t, const double *x) {
  const dyn_model *m = p->e->model;
  size_t n = (size_t)m->n_coordinates;
  if (!m->mass_matrix || evaluate_function(p->e, m->mass_matrix, t, x, p->mass)) return 0;
  for (size_t j = 0; j < n; j++) p->inertia[j] = fmax(p->inertia[j], fabs(p->mass[j * n + j]));
  return 1;
}

/* A coordinate may have no inertia where the model starts, but some near it. */
static void survey_mass(struct projection *p, double t, const double *x) {
  size_t n = (size_t)p->e->model->n_coordinates;
  memcpy(p->saved, x, (size_t)p->e->n * sizeof *x);
  scatter(2 * n, x, SCATTER_NEARBY, 1, p->saved);
  look_at_mass(p, t, p->saved);
}

/* The mass matrix at (t, x) with a little of the largest inertia that each coordinate has shown on
 * its diagonal. A mass matrix may be singular everywhere (Euler parameters) or come near it now and
 * then, or lose a coordinate's inertia in passing; lengths in the metric, which decide ranks, must
 * not jump with what rounding makes of it. */
static const double *soften_mass(struct projection *p, double t, const double *x) {
  size_t n = (size_t)p->e->model->n_coordinates;
  if (!look_at_mass(p, t, x)) return NULL;
  for (size_t j = 0; j < n; j++) p->mass[j * n + j] += projection_softening(p, j);
  return p->mass;
}

static void update_metric(struct projection *p, double t, const double *x) {
  int32_t n = p->e->model->n_coordinates;
  const double *mass = soften_mass(p, t, x);
  metric_clear(&p->metric);
  if (metric_init(&p->metric, n, n, mass)) return;
  /* Without memory the unit norm has to do: every point of the constraints is a good one. */
  metric_clear(&p->metric);
  metric_init(&p->metric, n, n, NULL);
}

static int within(const struct constraint_rows *c, const double *limit, double factor) {
  for (size_t i = 0; i < c->m; i++)
    if (!(fabs(c->residuals[i]) <= factor * limit[i])) return 0;
  return 1;
}

static double merit(const struct constraint_rows *c) {
  double sum = 0;
  for (size_t i = 0; i < c->m; i++) {
    double r = c->typical[i] > 0 ? c->residuals[i] / c->typical[i] : 0;
    sum += r * r;
  }
  return sum;
}

static enum projection_result failed(struct projection *p, const struct constraint_rows *c) {
  double worst = -1;
  p->failed = -1;
  for (size_t i = 0; i < c->m; i++) {
    double r = fabs(c->residuals[i]) / (c->size[i] > 0 ? c->size[i] : 1);
    if (r <= worst) continue;
    worst = r;
    p->failed = constraint_rows_constraint(c, i);
    p->failed_residual = c->residuals[i];
  }
  p->failed_is_velocity = c->is_velocity;
  return PROJECTION_FAILED;
}

/* Fewer equations are independent once an integral was dropped. The state may be off by a step's
 * error, which must not make redundant equations count. */
static void recount(struct projection *p, double t, const double *x) {
  if (p->position.n_dropped == p->known_dropped) return;
  p->known_dropped = p->position.n_dropped;
  update_metric(p, t, x);
  constraint_rows_decompose(&p->position, x, &p->metric, p->position_rank);
  size_t rank = rows_independent(&p->position.rows, RANK_REGAINED);
  if (rank < p->position_rank) p->position_rank = rank;
}

static enum projection_result not_evaluated(struct projection *p) {
  p->failed = -1;
  return PROJECTION_FAILED;
}

/* What a converged iteration leaves is rounding: next time it is known at once. */
static void learn_noise(struct constraint_rows *c) {
  for (size_t i = 0; i < c->m; i++) {
    double seen = fmin(4 * fabs(c->residuals[i]), 1e-12 * c->size[i]);
    c->noise[i] = fmax(c->noise[i], seen);
  }
}

/* Newton on one level, from x. */
static enum projection_result project_level(struct projection *p, struct constraint_rows *c,
                                            size_t most_rank, double t, double *x) {
  double *unknowns = c->is_velocity ? x + c->n : x, last = HUGE_VAL;
  if (c->m == 0) return PROJECTION_HELD;
  for (int i = 0;; i++) {
    if (constraint_rows_evaluate(c, t, x)) return not_evaluated(p);
    if (within(c, c->noise, p->is_strict ? 0 : 1))
      return i == 0 ? PROJECTION_HELD : PROJECTION_MOVED;
    double now = merit(c);
    if (!(now < 0.25 * last)) { /* stalled: at rounding, or nowhere */
      if (!within(c, c->size, HELD)) return failed(p, c);
      learn_noise(c);
      return PROJECTION_MOVED;
    }
    if (i == MOST_ITERATIONS) return failed(p, c);
    last = now;
    constraint_rows_decompose(c, x, &p->metric, most_rank);
    if (c->is_velocity) p->has_rank = 1;
    constraint_rows_solve(c, &p->metric, p->change);
    for (size_t j = 0; j < c->n; j++) unknowns[j] += p->change[j];
  }
}

/* Integrals only help against drift. Where one cannot be held (its terms grow beyond all bounds, or
 * it jumps from branch to branch) that is no reason to fail: the constraint is held all the same,
 * by its velocities. */
static enum projection_result project_positions(struct projection *p, double t, double *x) {
  enum projection_result result = project_level(p, &p->position, p->position_rank, t, x);
  if (result != PROJECTION_FAILED) return result;
  int32_t failed = p->failed;
  double residual = p->failed_residual;
  if (constraint_rows_set_aside(&p->position) == 0) return result;
  memcpy(x, p->saved, (size_t)p->e->n * sizeof *x);
  result = project_level(p, &p->position, p->position_rank, t, x);
  constraint_rows_settle(&p->position, result != PROJECTION_FAILED);
  if (result == PROJECTION_FAILED) p->failed = failed, p->failed_residual = residual;
  return result;
}

enum projection_result projection_project(struct projection *p, double t, double *x) {
  size_t n_state = (size_t)p->e->n, rank = (size_t)p->e->model->constraint_rank;
  if (constraint_rows_evaluate(&p->position, t, x)) return not_evaluated(p);
  recount(p, t, x);
  if (!p->is_strict && within(&p->position, p->position.noise, 1)) {
    if (constraint_rows_evaluate(&p->velocity, t, x)) return not_evaluated(p);
    if (within(&p->velocity, p->velocity.noise, 1)) return PROJECTION_HELD;
  }
  memcpy(p->saved, x, n_state * sizeof *x);
  update_metric(p, t, x);
  enum projection_result position = project_positions(p, t, x);
  enum projection_result velocity = PROJECTION_HELD;
  if (position != PROJECTION_FAILED) velocity = project_level(p, &p->velocity, rank, t, x);
  if (position == PROJECTION_FAILED || velocity == PROJECTION_FAILED) {
    memcpy(x, p->saved, n_state * sizeof *x);
    return PROJECTION_FAILED;
  }
  p->count++;
  return PROJECTION_MOVED;
}

enum evaluate_result projection_look(struct projection *p, double t, const double *x) {
  enum evaluate_result result = constraint_rows_evaluate(&p->position, t, x);
  if (!result) result = constraint_rows_evaluate(&p->velocity, t, x);
  if (result) return result;
  update_metric(p, t, x);
  constraint_rows_decompose(&p->velocity, x, &p->metric, (size_t)p->e->model->constraint_rank);
  p->has_rank = 1;
  return EVALUATE_OK;
}

void projection_forget(struct projection *p) {
  p->has_rank = 0;
}

double projection_least_pivot(const struct projection *p) {
  const struct rows *rows = &p->velocity.rows;
  size_t rank = p->start_rank;
  if (!p->has_rank || rank == 0) return -1;
  return fabs(rows->a[(rank - 1) * rows->n + rank - 1]);
}

dyn_status projection_failure_message(const struct projection *p, double t, const double *x,
                                      dyn_message *message) {
  if (p->failed < 0) return evaluate_failure_message(p->e, x, message);
  const dyn_constraint *c = &p->e->model->constraints[p->failed];
  int is_rate = p->failed_is_velocity && (c->flags & DYN_CONSTRAINT_POSITION);
  return message_set(message, DYN_SOLVER_FAILED,
                     "the %sconstraint %s cannot be held at t = %.9g s: its residual stays at %.3g",
                     is_rate ? "derivative of the " : "", c->name, t, p->failed_residual);
}

dyn_status projection_jump_message(struct projection *p, double t, const double *x,
                                   dyn_message *message) {
  struct constraint_rows *levels[2] = {&p->position, &p->velocity};
  if (projection_look(p, t, x)) return evaluate_failure_message(p->e, x, message);
  int level = within(&p->position, p->position.size, HELD);
  failed(p, levels[level]);
  const dyn_constraint *c = &p->e->model->constraints[p->failed];
  int is_rate = level == 1 && (c->flags & DYN_CONSTRAINT_POSITION);
  if (rows_independent(&p->velocity.rows, RANK_AT_STEP) < p->rank)
    return message_set(message, DYN_SOLVER_FAILED,
                       "the motion cannot be followed through the singular configuration near t = "
                       "%.9g s, where constraints depend on each other; the constraint %s would "
                       "move ",
                       t, c->name);
  return message_set(message, DYN_SOLVER_FAILED,
                     "the %sconstraint %s jumps near t = %.9g s, where no motion can follow: it "
                     "would move ",
                     is_rate ? "derivative of the " : "", c->name, t);
}

/* ---- Start and end ---- */

static dyn_status start_violates(struct projection *p, const struct constraint_rows *c,
                                 dyn_message *message) {
  failed(p, c);
  return message_set(message, DYN_CONFLICT,
                     "the start state violates the constraint %s%s (residual %.6g); assemble it "
                     "first",
                     p->e->model->constraints[p->failed].name,
                     c->is_velocity ? " at velocity level" : "", p->failed_residual);
}

static dyn_status start(struct projection *p, double t, double *x, dyn_message *message) {
  struct constraint_rows *levels[2] = {&p->position, &p->velocity};
  const dyn_model *m = p->e->model;
  survey_mass(p, t, x);
  update_metric(p, t, x);
  enum evaluate_result result = constraint_rows_survey(&p->position, t, x, &p->metric);
  if (!result) constraint_rows_begin(&p->position, &p->metric);
  if (!result) result = constraint_rows_survey(&p->velocity, t, x, &p->metric);
  if (result) return evaluate_failure_message(p->e, x, message);
  for (int i = 0; i < 2; i++)
    if (!within(levels[i], levels[i]->size, AT_START)) return start_violates(p, levels[i], message);
  p->position_rank = (size_t)m->constraint_rank;
  constraint_rows_decompose(&p->position, x, &p->metric, p->position_rank);
  p->position_rank = p->position.rows.rank;
  p->known_dropped = p->position.n_dropped;
  if (projection_project(p, t, x) == PROJECTION_FAILED)
    return projection_failure_message(p, t, x, message);
  p->count = 0;
  if (projection_look(p, t, x)) return evaluate_failure_message(p->e, x, message);
  p->rank = p->start_rank = p->velocity.rows.rank;
  return DYN_DONE;
}

dyn_status projection_init(struct projection *p, struct evaluator *e, double t, double *x,
                           dyn_message *message) {
  size_t n = (size_t)e->model->n_coordinates, n_state = (size_t)e->n;
  *p = (struct projection){.e = e, .failed = -1};
  size_t scales = n + 3 * (size_t)(e->model->n_position + e->model->n_constraints);
  p->mass = calloc(n * n + n_state + 2 * n + scales + 1, sizeof(double));
  if (!constraint_rows_init(&p->position, e, 0) || !constraint_rows_init(&p->velocity, e, 1) ||
      !p->mass)
    return message_set(message, DYN_OUT_OF_MEMORY,
                       "there is not enough memory to hold the constraints");
  p->saved = p->mass + n * n;
  p->change = p->saved + n_state;
  p->inertia = p->change + n;
  p->scales = p->inertia + n;
  return start(p, t, x, message);
}

void projection_clear(struct projection *p) {
  constraint_rows_clear(&p->position);
  constraint_rows_clear(&p->velocity);
  metric_clear(&p->metric);
  free(p->mass);
  p->mass = NULL;
}

/* ---- What was learned ---- */

static void exchange(struct projection *p, int is_recalled) {
  const struct constraint_rows *levels[2] = {&p->position, &p->velocity};
  size_t n = (size_t)p->e->model->n_coordinates;
  double *kept = p->scales;
  memcpy(is_recalled ? p->inertia : kept, is_recalled ? kept : p->inertia, n * sizeof *kept);
  kept += n;
  for (int i = 0; i < 2; i++) {
    double *scales[3] = {levels[i]->typical, levels[i]->size, levels[i]->noise};
    for (int k = 0; k < 3; k++, kept += levels[i]->m)
      memcpy(is_recalled ? scales[k] : kept, is_recalled ? kept : scales[k],
             levels[i]->m * sizeof *kept);
  }
}

void projection_remember(struct projection *p) {
  exchange(p, 0);
}

void projection_recall(struct projection *p) {
  exchange(p, 1);
}

/* ---- The summary ---- */

static void note_residuals(const struct constraint_rows *c, double *largest, int32_t *worst) {
  for (size_t i = 0; i < c->m; i++)
    if (constraint_rows_is_dropped(c, i))
      continue;
    else if (*worst < 0 || fabs(c->residuals[i]) > *largest) {
      *largest = fabs(c->residuals[i]);
      *worst = constraint_rows_constraint(c, i);
    }
}

/* Constraints became dependent, or independent again. */
static void note_rank(struct projection *p, double t, const double *x, dyn_run_summary *s) {
  const struct rows *rows = &p->velocity.rows;
  size_t most = (size_t)p->e->model->constraint_rank;
  size_t surely = rows_independent(rows, RANK_REGAINED), maybe = rows_independent(rows, RANK_LOST);
  if (surely > most) surely = most;
  size_t rank = p->rank > maybe ? maybe : p->rank < surely ? surely : p->rank;
  if (rank == p->rank) return;
  if (rank > p->rank) { /* a singular start let too few position-level equations be counted */
    constraint_rows_decompose(&p->position, x, &p->metric, most);
    if (p->position.rows.rank > p->position_rank) p->position_rank = p->position.rows.rank;
  }
  if (s->n_rank_changes < DYN_MAX_RANK_CHANGES) {
    size_t first = rank < p->rank ? rank : p->rank;
    int32_t constraint =
        constraint_rows_constraint(&p->velocity, constraint_rows_pivot(&p->velocity, first));
    s->rank_changes[s->n_rank_changes] =
        (dyn_rank_change){t, (int32_t)p->rank, (int32_t)rank, constraint};
  }
  s->n_rank_changes++;
  p->rank = rank;
}

void projection_note(struct projection *p, double t, const double *x, int is_step,
                     dyn_run_summary *s) {
  note_residuals(&p->position, &s->largest_position_residual, &s->worst_position);
  note_residuals(&p->velocity, &s->largest_velocity_residual, &s->worst_velocity);
  if (is_step && p->has_rank) note_rank(p, t, x, s);
  p->has_rank = 0;
}
