/* reset.c: what events do. All right sides are taken at the state before; coordinates and states
 * get their values, other coordinates move least to stay on the constraints; then velocities, those
 * of the resets and of the constraints given, change least in the norm of the mass matrix: an
 * impulse that the model does not name acts along the resets only, and the constraints' impulses do
 * no work on motions that they allow. (Brogliato, Nonsmooth Mechanics, 3rd ed., 5.1 and 6.2; Pars,
 * A Treatise on Analytical Dynamics, XIV: Gauss' principle for impulses.) */
#include "runtime/events.h"
#include "runtime/level.h"
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_ROUNDS = 100,   /* of events that set each other off at one moment */
  MOST_CROWDED = 5000, /* events in a billionth of the run */
  MOST_SHRINKING = 2   /* gaps between events, in a row, ... */
};
#define SHORT 1e-10 /* ... that are shorter than this part of the run */
#define CROWDED 1e-9
#define TURNED 1e-9 /* of the rate before: no more than this after a reset is no motion */

struct reset_run {
  struct events *v;
  double t;
  int is_velocity;
  int32_t *list; /* the resets that act; then the unknowns, groups */
  int32_t n_resets, n_rows, n_unknowns, *unknowns, *groups;
  double *scratch;
};

static int acts(const struct events *v, int32_t reset) {
  const dyn_model *m = v->e->model;
  for (int32_t i = 0; i < v->count; i++)
    if (v->fires[i] && reset >= m->events[i].first_reset &&
        reset < m->events[i].first_reset + m->events[i].n_resets)
      return 1;
  return 0;
}

static int is_of_velocities(const dyn_reset *reset) {
  return reset->kind == DYN_RESET_VELOCITY || reset->kind == DYN_RESET_SPEED;
}

static int is_fixed(const struct reset_run *r, int32_t coordinate) {
  const dyn_model *m = r->v->e->model;
  for (int32_t k = 0; k < r->n_resets; k++) {
    const dyn_reset *reset = &m->resets[r->list[k]];
    if (reset->kind == DYN_RESET_COORDINATE && reset->index == coordinate) return 1;
  }
  return 0;
}

/* ---- One level */

/* Rows of constraints: residual, then derivatives by the unknowns. Integrals follow the reset. */
static int evaluate_constraints(struct reset_run *r, double *values, double *derivatives,
                                int32_t *out) {
  const dyn_model *m = r->v->e->model;
  int32_t n = m->n_coordinates, count = r->is_velocity ? m->n_constraints : m->n_position;
  dyn_function *f = r->is_velocity ? m->velocity_residuals : m->position_residuals;
  if (count == 0) return 1;
  if (evaluate_function(r->v->e, f, r->t, r->v->after, r->scratch)) return 0;
  for (int32_t i = 0; i < count; i++) {
    if (!r->is_velocity && m->position_equations[i].is_integral) continue;
    values[*out] = r->scratch[i];
    for (int32_t j = 0; j < r->n_unknowns; j++) {
      int32_t column = r->unknowns[j] - (r->is_velocity ? n : 0);
      derivatives[*out * r->n_unknowns + j] = r->scratch[count + i * n + column];
    }
    ++*out;
  }
  return 1;
}

static int evaluate_level(void *user, double *values) {
  struct reset_run *r = user;
  struct events *v = r->v;
  const dyn_model *m = v->e->model;
  int32_t n = m->n_coordinates, out = 0;
  double *derivatives = values + r->n_rows;
  if (!evaluate_constraints(r, values, derivatives, &out)) return 0;
  if (!r->is_velocity) return 1;
  if (evaluate_function(v->e, m->reset_targets, r->t, v->after, v->target)) return 0;
  for (int32_t k = 0; k < r->n_resets; k++) {
    int32_t reset = r->list[k];
    if (!is_of_velocities(&m->resets[reset])) continue;
    values[out] = v->target[reset] - v->reset[reset];
    memcpy(derivatives + (size_t)out * (size_t)r->n_unknowns, v->target + m->n_resets + reset * n,
           (size_t)n * sizeof *derivatives);
    out++;
  }
  return 1;
}

static void list_unknowns(struct reset_run *r) {
  const dyn_model *m = r->v->e->model;
  int32_t n = m->n_coordinates;
  r->n_unknowns = r->n_rows = 0;
  for (int32_t j = 0; j < n; j++)
    if (r->is_velocity || !is_fixed(r, j))
      r->unknowns[r->n_unknowns++] = r->is_velocity ? n + j : j;
  for (int32_t i = 0; i < m->n_position && !r->is_velocity; i++)
    r->n_rows += !m->position_equations[i].is_integral;
  if (r->is_velocity) r->n_rows = m->n_constraints;
  for (int32_t k = 0; k < r->n_resets && r->is_velocity; k++)
    r->n_rows += is_of_velocities(&m->resets[r->list[k]]);
  for (int32_t i = 0; i < r->n_rows; i++) r->groups[i] = i;
}

/* The mass matrix of the unknowns as a metric; 0 without memory. */
static int make_metric(struct reset_run *r, struct metric *metric) {
  const dyn_model *m = r->v->e->model;
  size_t n = (size_t)m->n_coordinates, k = (size_t)r->n_unknowns;
  double *mass = calloc(2 * n * n + 1, sizeof *mass), *part = mass ? mass + n * n : NULL;
  if (!mass) return 0;
  int known = !evaluate_function(r->v->e, m->mass_matrix, r->t, r->v->after, mass);
  size_t offset = r->is_velocity ? n : 0;
  for (size_t j = 0; j < k && known; j++)
    for (size_t i = 0; i < k; i++)
      part[i + j * k] =
          mass[((size_t)r->unknowns[i] - offset) + ((size_t)r->unknowns[j] - offset) * n];
  int good = metric_init(metric, (int32_t)k, (int32_t)k, known ? part : NULL);
  free(mass);
  return good;
}

static dyn_status level_failed(const struct reset_run *r, enum level_result result,
                               dyn_message *message) {
  const struct events *v = r->v;
  int32_t first = 0;
  if (result == LEVEL_NO_MEMORY)
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory for events");
  while (first + 1 < v->count && !v->fires[first]) first++;
  return message_set(message, DYN_NO_PROGRESS,
                     "at t = %.12g s no %s satisfy the resets of the event '%s'%s", r->t,
                     r->is_velocity ? "velocities" : "positions", v->e->model->events[first].text,
                     v->e->model->n_constraints > 0 ? " and the constraints" : "");
}

static dyn_status solve(struct reset_run *r, int is_velocity, dyn_message *message) {
  struct metric metric = {0};
  r->is_velocity = is_velocity;
  list_unknowns(r);
  if (r->n_rows == 0) return DYN_DONE;
  size_t rows = (size_t)r->n_rows;
  struct level_report report = {.at_start = calloc(3 * rows, sizeof(double)),
                                .state = calloc(rows, 1)};
  enum level_result result = LEVEL_NO_MEMORY;
  if (report.at_start && report.state && make_metric(r, &metric)) {
    report.residuals = report.at_start + rows;
    report.size = report.residuals + rows;
    struct level level = {.x = r->v->after,
                          .n_equations = r->n_rows,
                          .n = r->n_unknowns,
                          .unknowns = r->unknowns,
                          .groups = r->groups,
                          .metric = &metric,
                          .evaluate = evaluate_level,
                          .user = r};
    result = level_solve(&level, &report);
  }
  metric_clear(&metric);
  free(report.at_start);
  free(report.state);
  return result == LEVEL_DONE ? DYN_DONE : level_failed(r, result, message);
}

/* ---- One round of resets */

static int touches(const struct reset_run *r, int of_velocities) {
  const dyn_model *m = r->v->e->model;
  for (int32_t k = 0; k < r->n_resets; k++) {
    const dyn_reset *reset = &m->resets[r->list[k]];
    if (reset->kind == DYN_RESET_COORDINATE || (of_velocities && is_of_velocities(reset))) return 1;
  }
  return 0;
}

/* Two events at one moment that reset one thing to two values. */
static dyn_status check_agreement(const struct reset_run *r, dyn_message *message) {
  const dyn_model *m = r->v->e->model;
  for (int32_t k = 0; k < r->n_resets; k++)
    for (int32_t i = 0; i < k; i++) {
      const dyn_reset *a = &m->resets[r->list[k]], *b = &m->resets[r->list[i]];
      if (a->kind == b->kind && a->index == b->index && a->kind != DYN_RESET_SPEED &&
          r->v->reset[r->list[k]] != r->v->reset[r->list[i]])
        return message_set(message, DYN_NO_PROGRESS,
                           "two events at t = %.12g s reset %s, to %.9g and to %.9g", r->t, a->name,
                           r->v->reset[r->list[i]], r->v->reset[r->list[k]]);
    }
  return DYN_DONE;
}

static dyn_status reset_round(struct reset_run *r, dyn_message *message) {
  struct events *v = r->v;
  const dyn_model *m = v->e->model;
  int32_t n = m->n_coordinates;
  r->n_resets = 0;
  for (int32_t k = 0; k < m->n_resets; k++)
    if (acts(v, k)) r->list[r->n_resets++] = k;
  if (r->n_resets > 0 && evaluate_function(v->e, m->reset_values, r->t, v->x, v->reset))
    return evaluate_failure_message(v->e, v->x, message);
  dyn_status status = check_agreement(r, message);
  memcpy(v->after, v->x, (size_t)v->e->n * sizeof *v->x);
  for (int32_t k = 0; k < r->n_resets && !status; k++) {
    const dyn_reset *reset = &m->resets[r->list[k]];
    double value = v->reset[r->list[k]];
    if (!isfinite(value))
      status = message_set(message, DYN_OUT_OF_RANGE,
                           "at t = %.12g s the value that %s is reset to is not a finite number",
                           r->t, reset->name);
    else if (reset->kind == DYN_RESET_COORDINATE)
      v->after[reset->index] = value;
    else if (reset->kind == DYN_RESET_STATE)
      v->after[2 * n + reset->index] = value;
  }
  if (!status && touches(r, 0)) status = solve(r, 0, message);
  if (!status && touches(r, 1)) status = solve(r, 1, message);
  if (status || !v->projection || !touches(r, 1)) return status;
  projection_clear(v->projection);
  return projection_init(v->projection, v->e, r->t, v->after, message);
}

/* ---- All that happens at one moment */

/* An event whose reset took the speed away with which its relation became true, though it is true
 * still: it must become false now, or the motion goes through. */
static dyn_status note_turned(struct events *v, double t, dyn_message *message) {
  const dyn_model *m = v->e->model;
  if (evaluate_function(v->e, m->event_rates, t, v->after, v->before))
    return evaluate_failure_message(v->e, v->after, message);
  v->turned = -1;
  for (int32_t i = 0; i < v->count; i++)
    if (v->fires[i] && event_holds(&m->events[i], v->value[i]) &&
        (m->events[i].flags & DYN_EVENT_HAS_RATE) && v->rate[i] > 0 &&
        v->before[i] <= TURNED * v->rate[i])
      v->turned = i;
  return DYN_DONE;
}

/* Which relations are true now, and which of them became so by the reset: those are to fire next.
 */
static dyn_status look_after(struct events *v, double t, int *again, dyn_message *message) {
  const dyn_model *m = v->e->model;
  if (evaluate_function(v->e, m->event_values, t, v->after, v->value))
    return evaluate_failure_message(v->e, v->after, message);
  dyn_status status = note_turned(v, t, message);
  for (int32_t i = 0; i < v->count; i++) {
    int is_true = !event_is_periodic(&m->events[i]) && event_holds(&m->events[i], v->value[i]);
    v->fires[i] = (unsigned char)(is_true && !v->is_true[i]);
    v->is_true[i] = (unsigned char)is_true;
    if (v->fires[i]) *again = 1;
  }
  return status;
}

static void count_events(const struct events *v, double t, dyn_run_summary *s) {
  for (int32_t i = 0; i < v->count; i++) {
    if (!v->fires[i]) continue;
    if (s->events[i].count++ == 0) s->events[i].first = t;
    s->events[i].last = t;
  }
}

/* Gaps that shrink like a geometric series come to an end in finite time (Zeno). */
static dyn_status check_shrinking(struct events *v, double t, double length, int32_t event,
                                  dyn_message *message) {
  double gap = t - v->t_last, ratio = v->gap > 0 ? gap / v->gap : 1;
  v->shrinking = gap < SHORT * length && ratio < 0.9999 ? v->shrinking + 1 : 0;
  v->gap = gap;
  v->t_last = t;
  if (v->shrinking < MOST_SHRINKING || gap <= 0) return DYN_DONE;
  return message_set(
      message, DYN_NO_PROGRESS,
      "the event '%s' comes at ever shorter intervals, each %.4g of the one before: "
      "infinitely many are over at t = %.12g s, and the motion after that is not known",
      v->e->model->events[event].text, ratio, t + gap * ratio / (1 - ratio));
}

static dyn_status check_crowd(struct events *v, double t, double length, dyn_message *message) {
  if (fabs(t - v->crowd_t) > CROWDED * length) {
    v->crowd_t = t;
    v->crowd = 0;
  }
  int32_t first = 0;
  while (first + 1 < v->count && !v->fires[first]) first++;
  if (++v->crowd <= MOST_CROWDED) return check_shrinking(v, t, length, first, message);
  return message_set(
      message, DYN_NO_PROGRESS,
      "%d events within %.3g s, the last '%s' at t = %.12g s: they do not come to an end",
      MOST_CROWDED, CROWDED * length, v->e->model->events[first].text, t);
}

/* The event that ends the run among those that fire; what was found before stays. */
static void note_stop(const struct events *v, int32_t *stopping) {
  for (int32_t i = 0; i < v->count && *stopping < 0; i++)
    if (v->fires[i] && v->e->model->events[i].stop) *stopping = i;
}

dyn_status events_apply(struct events *v, double t, double length, dyn_run_summary *s,
                        int32_t *stopping, int *resets) {
  const dyn_model *m = v->e->model;
  size_t n = (size_t)m->n_coordinates,
         rows = (size_t)(m->n_constraints + m->n_position + m->n_resets);
  struct reset_run r = {.v = v, .t = t};
  dyn_status status = DYN_DONE;
  if (events_has_relation(v)) status = check_crowd(v, t, length, &s->message);
  int again = 1;
  *stopping = -1;
  *resets = 0;
  r.list = calloc((size_t)m->n_resets + n + rows + 1, sizeof *r.list);
  r.scratch = calloc(rows * (1 + n) + 1, sizeof *r.scratch);
  if (!r.list || !r.scratch)
    status = message_set(&s->message, DYN_OUT_OF_MEMORY, "there is not enough memory for events");
  r.unknowns = r.list ? r.list + m->n_resets : NULL;
  r.groups = r.list ? r.unknowns + n : NULL;
  for (int round = 0; again && !status; round++) {
    again = 0;
    if (round == MOST_ROUNDS)
      status = message_set(&s->message, DYN_NO_PROGRESS,
                           "at t = %.12g s events set each other off without end", t);
    count_events(v, t, s);
    note_stop(v, stopping);
    if (!status && evaluate_function(v->e, m->event_rates, t, v->x, v->rate))
      status = evaluate_failure_message(v->e, v->x, &s->message);
    if (!status) status = reset_round(&r, &s->message);
    *resets |= r.n_resets > 0;
    if (!status) status = look_after(v, t, &again, &s->message);
    if (again && !status) memcpy(v->x, v->after, (size_t)v->e->n * sizeof *v->x);
  }
  v->is_fresh = 1;
  v->t = t;
  free(r.list);
  free(r.scratch);
  return status;
}
