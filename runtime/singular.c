/* singular.c: notices when a motion passes through a configuration in which its constraints are
 * dependent. No step needs to end there, so that a small pivot is not waited for: as long as rows
 * that are independent turn little from step to step, the determinant of their products with the
 * rows before is positive; on the other side of a singular configuration it is negative. The time
 * of the change of sign is then found within the step, and decided by the rank there: rows that
 * merely turned far are independent all the way. */
#include "runtime/singular.h"
#include "runtime/blas.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUSPICIOUS 1e-5 /* a pivot of the products, which are at most 1 */
#define SINGULAR 1e-4   /* a pivot of the rows, at a state within the integrator's error */
#define BISECTIONS 50

int singular_watch_init(struct singular_watch *w, struct projection *p) {
  size_t rank = (size_t)p->e->model->constraint_rank, n = p->velocity.n;
  if (rank > p->velocity.rows.k) rank = p->velocity.rows.k;
  *w = (struct singular_watch){.projection = p, .rank = rank, .n = n};
  w->rows = calloc(rank + 1, sizeof *w->rows);
  w->old = calloc(2 * rank * n + rank * rank + (size_t)p->e->n + 1, sizeof(double));
  if (!w->rows || !w->old) return 0;
  w->now = w->old + rank * n;
  w->products = w->now + rank * n;
  w->x = w->products + rank * rank;
  for (size_t k = 0; k < rank; k++) w->rows[k] = constraint_rows_pivot(&p->velocity, k);
  return 1;
}

void singular_watch_clear(struct singular_watch *w) {
  free(w->rows);
  free(w->now && w->now < w->old ? w->now : w->old); /* they change places */
  *w = (struct singular_watch){0};
}

/* w->now = the rows evaluated last, of unit length. */
static void gather(struct singular_watch *w) {
  for (size_t k = 0; k < w->rank; k++) {
    double *row = w->now + k * w->n;
    memcpy(row, w->projection->velocity.derivatives + w->rows[k] * w->n, w->n * sizeof *row);
    double length = blas_length((int)w->n, row);
    for (size_t j = 0; j < w->n && length > 0; j++) row[j] /= length;
  }
}

/* Gaussian elimination of the products of old and new rows: its smallest pivot, with the sign of
 * the determinant. */
static double orientation(struct singular_watch *w) {
  size_t r = w->rank;
  double *a = w->products, sign = 1, least = HUGE_VAL;
  for (size_t i = 0; i < r; i++)
    for (size_t k = 0; k < r; k++) {
      double sum = 0;
      for (size_t j = 0; j < w->n; j++) sum += w->old[i * w->n + j] * w->now[k * w->n + j];
      a[i * r + k] = sum;
    }
  for (size_t c = 0; c < r; c++) {
    size_t pivot = c;
    for (size_t i = c + 1; i < r; i++)
      if (fabs(a[i * r + c]) > fabs(a[pivot * r + c])) pivot = i;
    double value = a[pivot * r + c];
    if (value == 0) return 0;
    for (size_t k = c; k < r && pivot != c; k++) {
      double swap = a[c * r + k];
      a[c * r + k] = a[pivot * r + k];
      a[pivot * r + k] = swap;
    }
    if ((pivot != c) != (value < 0)) sign = -sign;
    least = fmin(least, fabs(value));
    for (size_t i = c + 1; i < r; i++) {
      double factor = a[i * r + c] / value;
      for (size_t k = c + 1; k < r; k++) a[i * r + k] -= factor * a[c * r + k];
    }
  }
  return sign * least;
}

/* Evaluates the rows at a time within the last step. */
static int look_within(struct singular_watch *w, struct integrator *g, double t) {
  if (g->methods->interpolate(g, t, w->x)) return 0;
  return !constraint_rows_evaluate(&w->projection->velocity, t, w->x);
}

/* The time within the last step at which the orientation is lost; its end if it is not lost. */
static double find_time(struct singular_watch *w, struct integrator *g) {
  double low = g->t_old, high = g->t;
  for (int i = 0; i < BISECTIONS; i++) {
    double middle = low + 0.5 * (high - low);
    if (middle == low || middle == high || !look_within(w, g, middle)) break;
    gather(w);
    if (orientation(w) > 0)
      low = middle;
    else
      high = middle;
  }
  return high;
}

static void record(struct singular_watch *w, double t, double h, dyn_run_summary *s) {
  const struct constraint_rows *c = &w->projection->velocity;
  size_t rank = rows_independent(&c->rows, SINGULAR);
  int32_t listed = s->n_rank_changes < DYN_MAX_RANK_CHANGES ? s->n_rank_changes : 0;
  if (rank >= w->rank) return;
  if (listed > 0 && fabs(t - s->rank_changes[listed - 1].t) <= 1e-6 * fabs(h)) return;
  if (s->n_rank_changes < DYN_MAX_RANK_CHANGES) {
    int32_t constraint = constraint_rows_constraint(c, constraint_rows_pivot(c, rank));
    s->rank_changes[s->n_rank_changes] =
        (dyn_rank_change){t, (int32_t)w->rank, (int32_t)rank, constraint};
  }
  s->n_rank_changes++;
}

static void investigate(struct singular_watch *w, struct integrator *g, dyn_run_summary *s) {
  struct constraint_rows *c = &w->projection->velocity;
  double t = find_time(w, g);
  if (look_within(w, g, t)) {
    constraint_rows_decompose(c, w->x, &w->projection->metric, w->rank);
    record(w, t, g->t - g->t_old, s);
  }
  /* The rows at the end of the step are what others expect there. */
  constraint_rows_evaluate(c, g->t, g->x);
}

void singular_watch_step(struct singular_watch *w, struct integrator *g, dyn_run_summary *s) {
  if (w->rank == 0 || w->projection->rank < w->rank) {
    w->has_old = 0; /* lost already, and told by the projection */
    return;
  }
  gather(w);
  double found = w->has_old ? orientation(w) : 1;
  if (found < SUSPICIOUS) {
    investigate(w, g, s);
    gather(w);
    if (found > -SUSPICIOUS) return; /* at it, or nearly: not yet on the other side */
  }
  double *swap = w->old;
  w->old = w->now;
  w->now = swap;
  w->has_old = 1;
}
