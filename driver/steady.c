/* A motion is steady if all independent velocities stay as they are, and if nothing that rests
 * depends on the coordinates (and states z) that move: neither its rate nor the linear equations.
 * Dependence is looked for in the exact matrices at the state itself, and at two states to which
 * the moving ones have been carried far away: what is analytic and the same there is the same
 * everywhere, but for a coincidence. Source: Routh, Dynamics of a System of Rigid Bodies, advanced
 * part (6th ed.), chapter III. */
#include "driver/steady.h"
#include "base/map.h"
#include <stdarg.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REST 1e-6      /* a rate over what it is made of: typed values have few digits */
#define ROUNDING 1e-12 /* forces that cancel show in what a change of the state makes of them */
#define STANDING 1e-10 /* a velocity beside the fastest one */
#define DEPENDS 1e-9   /* a derivative over what it is made of */
#define SAME 1e-7      /* the same at two states */
enum { TRIALS = 2, SHORTER = 3 };

struct trial {
  struct linear_analysis *a;
  const struct linear_state_values *at;
  struct steady *steady;
  int32_t n, w; /* coordinates; entries of the reduced state */
};

static void __attribute__((format(printf, 3, 4)))
refuse(struct trial *s, int32_t index, const char *format, ...) {
  struct steady *steady = s->steady;
  va_list arguments;
  if (steady->reason[0] != '\0') return;
  va_start(arguments, format);
  vsnprintf(steady->reason, sizeof steady->reason, format, arguments);
  va_end(arguments);
  if (index >= s->n && index < 2 * s->n) steady->blamed = index - s->n;
}

static const char *rate_unit(const struct linear_analysis *a, int32_t i) {
  int32_t n = a->model->n_coordinates;
  if (i < n) return a->model->velocities[i].unit;
  return i < 2 * n ? a->model->accelerations[i - n].unit : "";
}

/* Below this a rate counts as 0. */
static double rest(const struct trial *s, const struct linear_state_values *v, int32_t i) {
  int32_t index = linear_index(s->a, i), n = s->n;
  double largest = 0, sum = v->system.rate_size[i], linear = 0;
  for (int32_t j = 0; j < s->w; j++)
    linear += v->system.a_size[i + (ptrdiff_t)j * s->w] * fabs(v->x[linear_index(s->a, j)]);
  if (index >= 2 * n) return REST * (sum + linear); /* of z' */
  double mass = v->equations.mass[(index % n) * (ptrdiff_t)(n + 1)];
  if (index >= n) return REST * sum + ROUNDING * linear + (mass > 0 ? s->a->rest / sqrt(mass) : 0);
  for (int32_t j = 0; j < n; j++)
    largest =
        fmax(largest, fabs(v->x[n + j]) * sqrt(fmax(v->equations.mass[j + (ptrdiff_t)j * n], 0)));
  return mass > 0 ? STANDING * largest / sqrt(mass) : 0;
}

static void note_residual(struct trial *s, const struct linear_state_values *v, int32_t i) {
  double size = rest(s, v, i) / REST;
  double rate = fabs(v->rate[linear_index(s->a, i)]);
  if (size > 0) s->steady->residual = fmax(s->steady->residual, rate / size);
}

static void find_moving(struct trial *s) {
  for (int32_t i = 0; i < s->w; i++) {
    int32_t index = linear_index(s->a, i);
    double rate = s->at->rate[index];
    bool is_velocity = index >= s->n && index < 2 * s->n;
    if (index >= s->n) note_residual(s, s->at, i);
    if (fabs(rate) <= rest(s, s->at, i)) continue;
    s->steady->is_moving[i] = true;
    if (is_velocity)
      refuse(s, index, "%s = %.6g %s", linear_rate_name(s->a, index), rate, rate_unit(s->a, index));
  }
}

static bool depends(const struct trial *s, const struct linear_state_values *v, int32_t i,
                    int32_t j) {
  ptrdiff_t entry = i + (ptrdiff_t)j * s->w;
  return s->steady->is_moving[j] && !s->steady->is_moving[i] &&
         fabs(v->system.a[entry]) > DEPENDS * v->system.a_size[entry];
}

/* A coordinate whose velocity depends on what moves, moves as well (the contact point of a disc
 * that rolls in a circle); an acceleration must not. */
static void check_dependence(struct trial *s, const struct linear_state_values *v) {
  const dyn_model *model = s->a->model;
  bool found = true;
  while (found && s->steady->reason[0] == '\0') {
    found = false;
    for (int32_t j = 0; j < s->w; j++)
      for (int32_t i = 0; i < s->w; i++) {
        int32_t moving = linear_index(s->a, j), resting = linear_index(s->a, i);
        if (!depends(s, v, i, j)) continue;
        s->steady->is_moving[i] = found = true;
        if (resting < s->n || resting >= 2 * s->n) continue;
        refuse(s, resting, "%s moves (%s = %.6g %s), and %s depends on it",
               problem_state_variable(model, moving)->name, linear_rate_name(s->a, moving),
               s->at->rate[moving], rate_unit(s->a, moving), linear_rate_name(s->a, resting));
      }
  }
}

static void check_outputs(struct trial *s, const struct linear_state_values *v) {
  int32_t outputs = s->a->model->n_outputs;
  const dyn_linear_system *now = &v->system, *first = &s->at->system;
  for (int32_t o = 0; o < outputs; o++) {
    for (int32_t j = 0; j < s->w; j++) {
      ptrdiff_t entry = o + (ptrdiff_t)j * outputs;
      double size = fmax(now->c_size[entry], first->c_size[entry]);
      bool differs = fabs(now->c[entry] - first->c[entry]) > SAME * size;
      bool follows = fabs(now->c[entry]) > DEPENDS * size;
      if (s->steady->is_moving[j] ? follows : differs) s->steady->is_output_moving[o] = true;
    }
    for (int32_t j = 0; j < now->inputs; j++) {
      double a = now->d[o + (ptrdiff_t)j * outputs], b = first->d[o + (ptrdiff_t)j * outputs];
      if (fabs(a - b) > SAME * fmax(fabs(a), fabs(b))) s->steady->is_output_moving[o] = true;
    }
  }
}

static void check_same(struct trial *s, const struct linear_state_values *v, double t) {
  const dyn_linear_system *now = &v->system, *first = &s->at->system;
  bool differs = false;
  for (int32_t i = 0; i < s->w; i++) {
    int32_t index = linear_index(s->a, i);
    if (s->steady->is_moving[i]) continue;
    if (fabs(v->rate[index]) > rest(s, v, i))
      refuse(s, index, "where the motion leads, %s = %.6g %s", linear_rate_name(s->a, index),
             v->rate[index], rate_unit(s->a, index));
    for (int32_t j = 0; j < s->w; j++) {
      ptrdiff_t entry = i + (ptrdiff_t)j * s->w;
      if (s->steady->is_moving[j]) continue;
      double size = fmax(now->a_size[entry], first->a_size[entry]);
      differs = differs || fabs(now->a[entry] - first->a[entry]) > SAME * size;
    }
    for (int32_t j = 0; j < now->inputs; j++) {
      double a = now->b[i + (ptrdiff_t)j * s->w], b = first->b[i + (ptrdiff_t)j * s->w];
      differs = differs || fabs(a - b) > SAME * fmax(fabs(a), fabs(b));
    }
  }
  if (differs)
    refuse(s, -1, "%s",
           t != s->a->t ? "the linear equations change with time or with what moves"
                        : "the linear equations change with what moves");
}

/* In [-1, 1), the same in every run. */
static double scatter(uint64_t *state) {
  *state = hash_mix(*state + 1);
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* The motion carried on: moving entries and the time elsewhere, the others as they are. */
static bool carry(struct trial *s, uint64_t *random, double *t, struct linear_state_values *v) {
  size_t size = (size_t)s->a->model->n_state;
  double *x = checked_calloc(size + 1, sizeof *x);
  dyn_message message = {""};
  bool good = false;
  double scale = 1;
  for (int attempt = 0; attempt < SHORTER && !good; attempt++, scale /= 10) {
    memcpy(x, s->at->x, size * sizeof *x);
    *t = s->a->t + scale * (1 + fabs(scatter(random)));
    for (int32_t i = 0; i < s->w; i++)
      if (s->steady->is_moving[i]) {
        int32_t index = linear_index(s->a, i);
        x[index] += scale * (1 + fabs(x[index])) * scatter(random);
      }
    good = dyn_linear_complete(&s->a->problem.model_problem, &s->a->choice, *t, x, &message) ==
               DYN_DONE &&
           linear_look(s->a, *t, x, v, &message) == DYN_DONE &&
           linear_reduce(s->a, v, &message) == DYN_DONE &&
           linear_clean(s->a, *t, v, &message) == DYN_DONE;
  }
  free(x);
  if (!good) refuse(s, -1, "it can't be followed: %s", message.text);
  return good;
}

void steady_find(struct linear_analysis *a, const struct linear_state_values *v,
                 struct steady *steady) {
  struct trial s = {
      .a = a, .at = v, .steady = steady, .n = a->model->n_coordinates, .w = v->system.n_states};
  *steady = (struct steady){.blamed = -1,
                            .is_moving = checked_calloc((size_t)s.w + 1, sizeof(bool)),
                            .is_output_moving =
                                checked_calloc((size_t)a->model->n_outputs + 1, sizeof(bool))};
  find_moving(&s);
  check_dependence(&s, v);
  check_outputs(&s, v);
  uint64_t random = 0x57ead1;
  for (int i = 0; i < TRIALS && steady->reason[0] == '\0'; i++) {
    struct linear_state_values there = {0};
    double t;
    if (carry(&s, &random, &t, &there)) {
      check_dependence(&s, &there);
      check_same(&s, &there, t);
      check_outputs(&s, &there);
    }
    linear_values_clear(&there);
  }
}

void steady_clear(struct steady *steady) {
  free(steady->is_moving);
  free(steady->is_output_moving);
  *steady = (struct steady){.blamed = -1};
}
