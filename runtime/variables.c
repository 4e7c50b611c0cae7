/* variables.c: looks at the relation v = Y q' + b between the variables of a method and the
 * velocities, and says when to integrate which.
 *
 * How well v determines q' is measured by the condition number of Bauer and Skeel,
 * max_j (|Y^-1| |Y|)_j summed over the row, which does not depend on the scales of the speeds
 * (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 7.2). Units make it
 * large in itself, so that it is compared with the least one seen. A place where Y is singular that
 * lies within a step is found by the sign of its determinant, or by looking inside.
 *
 * Promises: no state that is used lies where the condition number is more than FAR times the least
 * one, while the speeds are integrated. */
#include "runtime/variables.h"
#include "runtime/blas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR 30  /* speeds are left at this multiple of the least condition number, ... */
#define NEAR 10 /* ... and taken again at this one */
#define ALERT 3 /* steps are looked into from this one on */
#define LOOKS 4 /* equal parts of a step, at whose ends it is looked at */

int variables_init(struct variables *v, struct evaluator *e) {
  const dyn_model *m = e->model;
  size_t n = (size_t)m->n_coordinates, states = (size_t)m->n_state;
  *v = (struct variables){.e = e, .own = m, .least = INFINITY, .sign = 1};
  v->may_turn = m->method_state && m->natural_rhs && n > 0;
  if (!v->may_turn) return 1;
  v->natural = *m;
  v->natural.rhs = m->natural_rhs;
  v->natural.multipliers = m->natural_multipliers;
  v->natural.output_values = m->natural_outputs;
  v->natural.method_state = v->natural.natural_state = v->natural.jacobian = NULL;
  v->natural.acceleration = NULL;
  v->natural.taylor = NULL;
  v->natural.method_variables = NULL;
  v->memory = calloc(4 * states + n + 2 * n * n + n, sizeof *v->memory);
  v->pivots = calloc(n, sizeof *v->pivots);
  if (!v->memory || !v->pivots) {
    variables_clear(v);
    return 0;
  }
  v->x_start = v->memory;
  v->x = v->x_start + states;
  v->y = v->x + states;
  v->base = v->y + states;
  v->rows = v->base + states;
  v->lu = v->rows + n;
  v->inverse_work = v->lu + n * n;
  return 1;
}

void variables_clear(struct variables *v) {
  free(v->memory);
  free(v->pivots);
  v->memory = NULL;
  v->pivots = NULL;
}

int variables_are_natural(const struct variables *v) {
  return v->may_turn && v->e->model == &v->natural;
}

/* v->lu = Y at the positions of x, and v->rows the sums of |Y| over its rows. */
static int evaluate_relation(struct variables *v, double t, const double *x) {
  const dyn_model *m = v->own;
  size_t n = (size_t)m->n_coordinates;
  memcpy(v->x, x, (size_t)m->n_state * sizeof *x);
  memset(v->x + n, 0, n * sizeof *x);
  memset(v->rows, 0, n * sizeof *x);
  if (evaluate_function(v->e, m->method_state, t, v->x, v->base)) return 0;
  for (size_t j = 0; j < n; j++) {
    v->x[n + j] = 1;
    if (evaluate_function(v->e, m->method_state, t, v->x, v->y)) return 0;
    v->x[n + j] = 0;
    for (size_t i = 0; i < n; i++) {
      double entry = v->y[n + i] - v->base[n + i];
      v->lu[i + j * n] = entry;
      v->rows[i] += fabs(entry);
    }
  }
  return 1;
}

/* v->condition and v->sign at x. */
static void look(struct variables *v, double t, const double *x) {
  int n = v->own->n_coordinates, info = 1, size = n * n;
  v->condition = INFINITY;
  if (!evaluate_relation(v, t, x)) return;
  for (int i = 0; i < n; i++)
    if (!(v->rows[i] > 0) || !isfinite(v->rows[i])) return;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) v->lu[i + (size_t)j * (size_t)n] /= v->rows[i];
  LAPACK_dgetrf(&n, &n, v->lu, &n, v->pivots, &info);
  if (info) return;
  double sign = 1, largest = 0;
  for (int i = 0; i < n; i++)
    if ((v->lu[i + (size_t)i * (size_t)n] < 0) != (v->pivots[i] != i + 1)) sign = -sign;
  LAPACK_dgetri(&n, v->lu, &n, v->pivots, v->inverse_work, &size, &info);
  for (int j = 0; j < n; j++) { /* rows of Y were made of length 1: their sums are done */
    double sum = 0;
    for (int r = 0; r < n; r++) sum += fabs(v->lu[j + (size_t)r * (size_t)n]);
    largest = fmax(largest, sum);
  }
  if (info || !isfinite(largest)) return;
  v->condition = largest;
  v->sign = sign;
  v->least = fmin(v->least, largest);
}

int variables_begin(struct variables *v, double t, const double *x) {
  if (!v->may_turn) return 0;
  look(v, t, x);
  return isinf(v->condition);
}

void variables_before_step(struct variables *v, const struct integrator *g) {
  if (!v->may_turn) return;
  memcpy(v->x_start, g->x, (size_t)v->e->n * sizeof *g->x);
  v->t_start = g->t;
}

/* Whether a place within the step is singular, or nearly. */
static int passes_near(struct variables *v, struct integrator *g) {
  double before = v->condition, sign = v->sign, alert = ALERT * v->least;
  look(v, g->t, g->x);
  double after = v->condition, sign_after = v->sign;
  int is_near = isinf(after) || after > FAR * v->least || sign_after != sign;
  for (int k = 1; k < LOOKS && !is_near && fmax(before, after) > alert; k++) {
    double t = v->t_start + (g->t - v->t_start) * k / LOOKS;
    if (g->methods->interpolate(g, t, v->y)) {
      is_near = 1; /* the velocities can't be had there */
      break;
    }
    look(v, t, v->y);
    is_near = isinf(v->condition) || v->condition > FAR * v->least || v->sign != sign;
  }
  v->condition = after;
  v->sign = sign_after;
  return is_near;
}

enum variables_advice variables_after_step(struct variables *v, struct integrator *g, int is_done) {
  if (!v->may_turn) return VARIABLES_KEEP;
  if (variables_are_natural(v)) {
    if (!is_done) return VARIABLES_KEEP;
    look(v, g->t, g->x);
    return v->condition < NEAR * v->least ? VARIABLES_TURN_BACK : VARIABLES_KEEP;
  }
  if (!is_done) return v->condition > ALERT * v->least ? VARIABLES_REDO : VARIABLES_KEEP;
  return passes_near(v, g) ? VARIABLES_REDO : VARIABLES_KEEP;
}

void variables_turn(struct variables *v) {
  if (variables_are_natural(v)) {
    v->e->model = v->own;
    v->e->jacobian_model = v->own_jacobian;
    return;
  }
  v->own_jacobian = v->e->jacobian_model;
  v->e->model = &v->natural;
  v->e->jacobian_model = NULL;
}
