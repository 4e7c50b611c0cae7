/* ida_choice.c: which of the constraints, and of the equations at position level, ida solves for:
 * those that are the most independent at the start, until others are much more so. */
#include "runtime/ida_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BADLY_CHOSEN 0.1 /* of the least pivot that the best choice has */

/* The least pivot of rows of a level that were chosen, over that of the best choice. */
static double quality(struct rows *chosen, struct constraint_rows *c, const size_t *row,
                      const struct metric *metric) {
  size_t count = chosen->m, n = c->n;
  if (count == 0) return 1;
  double best = fabs(c->rows.a[(count - 1) * n + count - 1]);
  for (size_t k = 0; k < count; k++) {
    double *a = chosen->a + k * n, typical = c->typical[row[k]];
    memcpy(a, c->derivatives + row[k] * n, n * sizeof *a);
    metric_gradient(metric, a);
    for (size_t j = 0; j < n; j++) a[j] /= typical > 0 ? typical : 1;
  }
  rows_decompose_to(chosen, 0, count);
  double least = fabs(chosen->a[(count - 1) * n + count - 1]);
  /* Where all fade there is no better choice. */
  return best > IDA_SINGULAR ? least / best : 1;
}

/* Whether other equations than those in use would be much more independent, or more of them are. */
int ida_is_badly_chosen(struct ida *s) {
  struct projection *p = s->projection;
  struct integrator *b = &s->base;
  if (p->position.n_dropped != s->known_dropped) return 1;
  if (p->velocity.m == s->n_lambda && p->position.m == s->n_mu) return 0; /* there is no choice */
  if (projection_look(p, b->t, b->x)) return 0;
  constraint_rows_decompose(&p->position, b->x, &p->metric, p->position_rank);
  if (rows_independent(&p->position.rows, IDA_SINGULAR) > s->n_mu && p->position_rank > s->n_mu)
    return 1;
  return quality(&s->chosen[0], &p->velocity, s->lambda_row, &p->metric) < BADLY_CHOSEN ||
         quality(&s->chosen[1], &p->position, s->mu_row, &p->metric) < BADLY_CHOSEN;
}

/* After a failure: whether it may be due to the choice. Integrals are given up first. */
int ida_choose_otherwise(struct ida *s) {
  struct projection *p = s->projection;
  int has_more = constraint_rows_set_aside(&p->position) > 0;
  constraint_rows_settle(&p->position, 1);
  return has_more || ida_is_badly_chosen(s);
}

/* Takes the pivot rows of both levels at the start as the independent equations. */
int ida_choose_equations(struct ida *s, double t, const double *x) {
  struct projection *p = s->projection;
  size_t rank = (size_t)s->base.e->model->constraint_rank;
  if (projection_look(p, t, x)) return IDA_FIRST_RES_FAIL;
  constraint_rows_decompose(&p->position, x, &p->metric, p->position_rank);
  s->n_lambda = rank < p->velocity.rows.k ? rank : p->velocity.rows.k;
  s->n_mu = p->position.rows.rank;
  s->known_dropped = p->position.n_dropped;
  if (!rows_init(&s->chosen[0], s->n_lambda, s->n) || !rows_init(&s->chosen[1], s->n_mu, s->n))
    return IDA_MEM_FAIL;
  s->has_metric = !p->metric.is_unit && !p->metric.roots;
  size_t n = s->n, m = p->velocity.m;
  s->lambda_row = calloc(s->n_lambda + s->n_mu + 1, sizeof *s->lambda_row);
  s->mass = calloc(n * n + 2 * n + n * m + s->n_state + s->n_lambda + s->n_mu + 1, sizeof(double));
  if (!s->lambda_row || !s->mass) return IDA_MEM_FAIL;
  s->mu_row = s->lambda_row + s->n_lambda;
  s->force = s->mass + n * n;
  s->columns = s->force + n;
  s->x_rate = s->columns + n * m;
  s->soft = s->x_rate + s->n_state;
  s->largest = s->soft + n;
  for (size_t i = 0; i < n; i++) s->soft[i] = projection_softening(p, i);
  for (size_t k = 0; k < s->n_lambda; k++)
    s->lambda_row[k] = constraint_rows_pivot(&p->velocity, k);
  for (size_t k = 0; k < s->n_mu; k++) s->mu_row[k] = constraint_rows_pivot(&p->position, k);
  return IDA_SUCCESS;
}
