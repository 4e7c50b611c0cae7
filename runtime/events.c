/* events.c: finds the moments at which relations become true. Needs a model with events and an
 * integrator with dense output; promises the first such moment of a step, to the last digit of the
 * time and on the side where the relation is true.
 *
 * The step is looked at in eight places; behind a reset, where motions begin anew (a bounce), in
 * places that come near to its begin by powers of two as well. Between a place where a relation is
 * false and one where it is true the moment is found by the secant of Illinois with bisection
 * (Dowell, Jarratt, BIT 11 (1971) 168). A relation that is true and false again between two places
 * is not seen: max_step bounds how far they are apart. */
#include "runtime/events.h"
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double next_sample(const struct events *v, int32_t event) {
  return v->t_begin + (double)v->samples[event] * v->period[event];
}

double events_next_sample(const struct events *v) {
  double next = HUGE_VAL;
  for (int32_t i = 0; i < v->count && v->n_relations < v->count; i++)
    if (event_is_periodic(&v->e->model->events[i])) next = fmin(next, next_sample(v, i));
  return next;
}

enum { PLACES = 8, NEAREST = 45 }; /* of a step; powers of two behind a reset */

dyn_status events_init(struct events *v, struct evaluator *e, struct projection *projection,
                       double t, const double *x, dyn_message *message) {
  const dyn_model *m = e->model;
  size_t n = (size_t)e->n + 1, count = (size_t)m->n_events, resets = (size_t)m->n_resets;
  *v =
      (struct events){.e = e, .projection = projection, .count = m->n_events, .t = t, .t_begin = t};
  v->turned = -1;
  v->crowd_t = v->t_last = t;
  if (count == 0) return DYN_DONE;
  v->x = calloc(2 * n, sizeof(double));
  v->value = calloc(4 * count, sizeof(double));
  v->samples = calloc(count, sizeof *v->samples);
  v->is_true = calloc(2 * count, 1);
  v->reset = calloc(resets * (2 + (size_t)m->n_coordinates) + 1, sizeof(double));
  if (!v->x || !v->value || !v->is_true || !v->reset || !v->samples)
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory for events");
  v->after = v->x + n;
  v->rate = v->value + count;
  v->before = v->rate + count;
  v->period = v->before + count;
  v->fires = v->is_true + count;
  v->target = v->reset + resets;
  if (evaluate_function(e, m->event_values, t, x, v->value))
    return evaluate_failure_message(e, x, message);
  for (int32_t i = 0; i < v->count; i++) {
    int is_periodic = event_is_periodic(&m->events[i]);
    v->is_true[i] = (unsigned char)(!is_periodic && event_holds(&m->events[i], v->value[i]));
    v->n_relations += !is_periodic;
    v->period[i] = v->value[i];
    if (is_periodic && !(v->period[i] > 0 && isfinite(v->period[i])))
      return message_set(message, DYN_OUT_OF_RANGE,
                         "the period of '%s' is %.9g s, and must be positive", m->events[i].text,
                         v->period[i]);
  }
  return DYN_DONE;
}

void events_clear(struct events *v) {
  free(v->x);
  free(v->value);
  free(v->is_true);
  free(v->samples);
  free(v->reset);
}

/* ---- Looking */

struct look { /* at one step */
  struct events *v;
  struct integrator *g;
  dyn_status status;
  dyn_message *message;
};

/* The state at t, on the constraints, into v->x, and all values there. 0 on failure. */
static int look_at(struct look *l, double t) {
  struct events *v = l->v;
  l->status = l->g->methods->interpolate(l->g, t, v->x);
  if (l->status) {
    *l->message = l->g->message;
    return 0;
  }
  if (v->projection && projection_project(v->projection, t, v->x) == PROJECTION_FAILED) {
    l->status = projection_failure_message(v->projection, t, v->x, l->message);
    return 0;
  }
  if (!evaluate_function(v->e, v->e->model->event_values, t, v->x, v->value)) return 1;
  l->status = evaluate_failure_message(v->e, v->x, l->message);
  return 0;
}

static int is_between(double a, double c, double b) {
  return (a < c && c < b) || (b < c && c < a);
}

struct bracket {
  double a, b, at_a, at_b; /* false at a, true at b */
};

/* The next place to try: by the secant, or the middle. */
static double next_place(const struct bracket *k, int bisects) {
  double middle = k->a + (k->b - k->a) / 2;
  double c = k->b - k->at_b * (k->b - k->a) / (k->at_b - k->at_a);
  return !bisects && is_between(k->a, c, k->b) ? c : middle;
}

/* b becomes the first time at which the event's relation is true. 0 on failure. */
static int locate(struct look *l, int32_t event, struct bracket *k) {
  const dyn_event *which = &l->v->e->model->events[event];
  int side = 0;
  for (int step = 0;; step++) {
    double width = fabs(k->b - k->a), c = next_place(k, step % 3 == 2);
    if (!is_between(k->a, c, k->b) || width <= 0) return 1; /* neighbours */
    if (!look_at(l, c)) return 0;
    double value = l->v->value[event];
    if (event_holds(which, value)) {
      k->b = c, k->at_b = value;
      if (side > 0) k->at_a /= 2;
      side = 1;
    } else {
      k->a = c, k->at_a = value;
      if (side < 0) k->at_b /= 2;
      side = -1;
    }
  }
}

/* Of the relations that are false at a and true at *t: the first moment, into *t. */
static int find_first(struct look *l, double a, const double *at_a, double *t) {
  struct events *v = l->v;
  const dyn_model *m = v->e->model;
  int found = 0;
  double *at_b = v->rate; /* free until an event happens */
  memcpy(at_b, v->value, (size_t)v->count * sizeof *at_b);
  for (int32_t i = 0; i < v->count; i++) {
    if (v->is_true[i] || !event_holds(&m->events[i], at_b[i]) || event_is_periodic(&m->events[i]))
      continue;
    struct bracket k = {a, *t, at_a[i], at_b[i]};
    if (found) { /* only what comes before the one found */
      if (!look_at(l, *t)) return -1;
      if (!event_holds(&m->events[i], v->value[i])) continue;
      k.at_b = v->value[i];
    }
    if (!locate(l, i, &k)) return -1;
    *t = k.b;
    found = 1;
  }
  return found;
}

/* The places to look at, in order: the j-th of a step from v->t to t_end; NAN behind the last. */
static double place_of(const struct events *v, double t_end, int j) {
  double length = t_end - v->t;
  int near = v->is_fresh ? NEAREST - 3 : 0;
  if (j < near) return v->t + ldexp(length, j - NEAREST);
  j -= near;
  if (j >= PLACES) return NAN;
  return j == PLACES - 1 ? t_end : v->t + length * (j + 1) / PLACES;
}

/* A reset turned the motion, but its relation did not become false: it would go through. */
static dyn_status goes_through(const struct events *v, dyn_message *message) {
  const dyn_event *event = &v->e->model->events[v->turned];
  return message_set(
      message, DYN_NO_PROGRESS,
      "at t = %.12g s the event '%s' turned the motion, but too slowly for its relation "
      "to become false again: the events come closer and closer together there, and the "
      "motion after them is not known",
      v->t, event->text);
}

/* The periodic events that happen at t are to fire. */
static int note_samples(struct events *v, double t) {
  int any = 0;
  for (int32_t i = 0; i < v->count; i++) {
    if (!event_is_periodic(&v->e->model->events[i])) continue;
    v->fires[i] = next_sample(v, i) <= t;
    v->samples[i] += v->fires[i];
    any |= v->fires[i];
  }
  return any;
}

int events_begin(struct events *v, const double *x) {
  if (v->n_relations == v->count) return 0;
  memcpy(v->x, x, (size_t)v->e->n * sizeof *x);
  return note_samples(v, v->t_begin);
}

int events_has_relation(const struct events *v) {
  for (int32_t i = 0; i < v->count; i++)
    if (v->fires[i] && !event_is_periodic(&v->e->model->events[i])) return 1;
  return 0;
}

/* Of a model with periodic events alone, which steps end at. */
static int find_sample(struct look *l, double t_end, dyn_status *status) {
  struct events *v = l->v;
  v->t = t_end;
  if (events_next_sample(v) > t_end) return 0;
  int good = look_at(l, t_end);
  *status = l->status;
  return good ? note_samples(v, t_end) : -1;
}

int events_find(struct events *v, struct integrator *g, double t_end, double *t, dyn_status *status,
                dyn_message *message) {
  const dyn_model *m = v->e->model;
  struct look l = {v, g, DYN_DONE, message};
  double previous = v->t, *before = v->before;
  int found = 0;
  *t = t_end;
  if (t_end == v->t) return 0;
  if (v->n_relations == 0) return find_sample(&l, t_end, status);
  if (look_at(&l, v->t)) memcpy(before, v->value, (size_t)v->count * sizeof *before);
  for (int j = 0; !l.status && !found; j++) {
    double place = place_of(v, t_end, j);
    if (isnan(place)) break;
    if (place == previous) continue;
    if (!look_at(&l, place)) break;
    *t = place;
    int any = find_first(&l, previous, before, t);
    if (any < 0 || (any && !look_at(&l, *t))) break;
    for (int32_t i = 0; i < v->count; i++) {
      int is_true = !event_is_periodic(&m->events[i]) && event_holds(&m->events[i], v->value[i]);
      v->fires[i] = (unsigned char)(any && is_true && !v->is_true[i]);
      v->is_true[i] = (unsigned char)is_true;
      if (i == v->turned && !is_true) v->turned = -1; /* it got away */
    }
    memcpy(before, v->value, (size_t)v->count * sizeof *before);
    previous = *t;
    found = note_samples(v, *t) || any;
  }
  if (!l.status && v->turned >= 0 && v->is_fresh) l.status = goes_through(v, message);
  v->t = previous;
  v->is_fresh = 0;
  *status = l.status;
  return l.status ? -1 : found;
}
