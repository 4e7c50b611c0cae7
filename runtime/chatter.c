/* chatter.c: notices a motion that is caught at a jump of its equations. Steps that fall to a small
 * part of what they were and would take millions to the end are suspicious, but not more: the model
 * may be stiff. So some of them are looked at: between the ends of a step the place is searched
 * where x' changes most. What is continuous, however steep, changes less and less as the search
 * closes in; what jumps does not. Costs nothing where steps are not suspicious. */
#include "runtime/chatter.h"
#include "runtime/message.h"
#include "runtime/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 2000      /* steps whose mean size is judged at first */
#define SAMPLES 64       /* steps looked at where it is suspicious, ... */
#define CHATTERING 8     /* of which so many crossed a jump */
#define ROUNDS 3         /* that this has to be found, one after the other */
#define FAR_FROM_END 1e6 /* steps of the mean size that would be left */
#define COLLAPSED 1e-3   /* the mean size, of the largest */
#define BEYOND 20        /* steps around one that are looked at with it */
#define HALVINGS 45
#define CANDIDATES 16   /* entries of x' that are looked at */
#define NOTEWORTHY 1e-6 /* a change of x', of its size */
#define PROBE 1e-7      /* how far off a step that failed is looked at, of the run */

int chatter_init(struct chatter *c, struct evaluator *e, double t) {
  size_t n = (size_t)e->n;
  *c = (struct chatter){.e = e, .t_old = t, .t_window = t, .window = WINDOW};
  c->memory = calloc(8 * n + 1, sizeof(double));
  if (!c->memory) return 0;
  c->x_old = c->memory;
  c->x_low = c->x_old + n;
  c->x_high = c->x_low + n;
  c->x_middle = c->x_high + n;
  c->f_low = c->x_middle + n;
  c->f_high = c->f_low + n;
  c->f_middle = c->f_high + n;
  c->x_new = c->f_middle + n;
  return 1;
}

void chatter_clear(struct chatter *c) {
  free(c->memory);
  c->memory = NULL;
}

static void swap(double **a, double **b) {
  double *old = *a;
  *a = *b;
  *b = old;
}

/* Closes in on where entry i of x' changes most between x_low and x_high, with f_low and f_high
 * evaluated there; whether it jumps. */
static int close_in(struct chatter *c, double t_low, double t_high, int32_t i) {
  double all = fabs(c->f_high[i] - c->f_low[i]);
  for (int k = 0; k < HALVINGS; k++) {
    double t = t_low + 0.5 * (t_high - t_low);
    for (int32_t j = 0; j < c->e->n; j++)
      c->x_middle[j] = c->x_low[j] + 0.5 * (c->x_high[j] - c->x_low[j]);
    if (evaluate_natural_rhs(c->e, t, c->x_middle, c->f_middle)) return 0;
    if (fabs(c->f_middle[i] - c->f_low[i]) > fabs(c->f_high[i] - c->f_middle[i])) {
      t_high = t;
      swap(&c->x_high, &c->x_middle);
      swap(&c->f_high, &c->f_middle);
    } else {
      t_low = t;
      swap(&c->x_low, &c->x_middle);
      swap(&c->f_low, &c->f_middle);
    }
  }
  return fabs(c->f_high[i] - c->f_low[i]) > 0.25 * all;
}

/* Whether x' jumps between the states from and to: the entry that does, or -1; then f_low and
 * f_high are its values on both sides. Velocities do not, being entries of the state. */
static int32_t find_jump(struct chatter *c, double t_from, const double *from, double t_to,
                         const double *to) {
  size_t size = (size_t)c->e->n * sizeof *from;
  int looked = 0;
  for (int32_t i = c->e->model->n_coordinates; i < c->e->n && looked < CANDIDATES; i++) {
    if (i == c->e->model->n_coordinates || c->is_moved) {
      memcpy(c->x_low, from, size);
      memcpy(c->x_high, to, size);
      if (evaluate_natural_rhs(c->e, t_from, c->x_low, c->f_low)) return -1;
      if (evaluate_natural_rhs(c->e, t_to, c->x_high, c->f_high)) return -1;
      c->is_moved = 0;
    }
    double largest = fmax(fabs(c->f_low[i]), fabs(c->f_high[i]));
    if (!(fabs(c->f_high[i] - c->f_low[i]) > NOTEWORTHY * largest)) continue;
    looked++;
    c->is_moved = 1;
    if (close_in(c, t_from, t_to, i)) return i;
  }
  return -1;
}

static void begin_window(struct chatter *c, double t) {
  c->steps = c->samples = c->jumps = 0;
  c->t_window = t;
}

static void add_jump(const struct chatter *c, int32_t i, dyn_message *message) {
  const dyn_model *m = c->e->model;
  int32_t n = m->n_coordinates;
  int is_acceleration = i >= n && i < 2 * n;
  const char *name = i < n             ? m->velocities[i].name
                     : is_acceleration ? m->accelerations[i - n].name
                                       : m->rates[i - 2 * n].name;
  const char *unit = i < n             ? m->velocities[i].unit
                     : is_acceleration ? m->accelerations[i - n].unit
                                       : "";
  int plain = unit_is_plain(unit);
  message_add(message, "%s%s jumps between %.6g and %.6g%s%s", name, i < 2 * n ? "" : "'",
              fmin(c->f_low[i], c->f_high[i]) + 0.0, fmax(c->f_low[i], c->f_high[i]) + 0.0,
              plain ? "" : " ", plain ? "" : unit);
}

static const char advice[] =
    ". No step is short enough for a function that jumps (sign, floor, if); one that is steep "
    "instead, such as tanh(v/0.001) for sign(v), can be followed";

/* Looks at the step that ended at g, and around it: those that cross the jump may all have been
 * rejected. */
static dyn_status sample(struct chatter *c, const struct integrator *g, dyn_message *message) {
  double step = g->t - c->t_old;
  for (int32_t i = 0; i < c->e->n; i++) {
    double change = g->x[i] - c->x_old[i];
    c->x_old[i] -= BEYOND * change;
    c->x_new[i] = g->x[i] + BEYOND * change;
  }
  int32_t found = find_jump(c, c->t_old - BEYOND * step, c->x_old, g->t + BEYOND * step, c->x_new);
  c->samples++;
  if (found < 0 || ++c->jumps < CHATTERING) return DYN_DONE;
  if (++c->rounds < ROUNDS) { /* it may pass */
    begin_window(c, g->t);
    return DYN_DONE;
  }
  message_set(message, DYN_NO_PROGRESS, "the motion chatters at t = %.9g s: ", g->t);
  add_jump(c, found, message);
  message_add(message, " again and again, near ");
  message_add_state(message, c->e->model, g->x);
  message_add(message, "%s", advice);
  return DYN_NO_PROGRESS;
}

static int is_suspicious(const struct chatter *c, double t, double until) {
  double mean = fabs(t - c->t_window) / (double)c->window;
  return mean < COLLAPSED * c->largest_step && fabs(until - t) > FAR_FROM_END * mean;
}

dyn_status chatter_step(struct chatter *c, const struct integrator *g, double until,
                        dyn_message *message) {
  dyn_status status = DYN_DONE;
  c->largest_step = fmax(c->largest_step, fabs(g->t - g->t_old));
  c->steps++;
  if (c->steps > c->window + 1) { /* the window before was suspicious, and x_old is known */
    status = sample(c, g, message);
  } else if (c->steps == c->window && !is_suspicious(c, g->t, until)) {
    begin_window(c, g->t);
    c->rounds = 0;
  }
  if (c->samples == SAMPLES) {
    begin_window(c, g->t);
    c->rounds = 0;
    c->window *= 4; /* innocent: looked at less and less often */
  } else if (c->steps > c->window) {
    memcpy(c->x_old, g->x, (size_t)c->e->n * sizeof *g->x);
    c->t_old = g->t;
  }
  return status;
}

int64_t chatter_quiet_steps(const struct chatter *c) {
  return c->steps < c->window ? c->window - c->steps - 1 : 0;
}

void chatter_count(struct chatter *c, int64_t steps, double largest) {
  c->largest_step = fmax(c->largest_step, largest);
  c->steps += steps;
}

void chatter_explain(struct chatter *c, const struct integrator *g, dyn_message *message) {
  double step = PROBE * g->control->interval;
  if (c->e->n == 0 || evaluate_natural_rhs(c->e, g->t, g->x, c->f_low)) return;
  step *= g->control->direction;
  for (int32_t i = 0; i < c->e->n; i++) {
    c->x_old[i] = g->x[i] - step * c->f_low[i];
    c->x_new[i] = g->x[i] + step * c->f_low[i];
  }
  int32_t found = find_jump(c, g->t - step, c->x_old, g->t + step, c->x_new);
  if (found < 0) return;
  message_add(message, "; ");
  add_jump(c, found, message);
  message_add(message, " there%s", advice);
}
