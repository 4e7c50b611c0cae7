/* constraint_rows.c: the constraints of one level as residuals and rows. Constraints come in all
 * units, so that "small" has to be learned: a row is measured by the longest it has been, which
 * tells a row that fades at a singular configuration (its derivatives 1e-17, not 0) from one that
 * is short by its unit; a residual by the largest terms that its derivatives have shown. Needs a
 * model with constraints; promises that no equation passes as satisfied because it is no number. */
#include "runtime/constraint_rows.h"
#include "runtime/blas.h"
#include "runtime/scatter.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_GOOD, ROW_UNDEFINED, ROW_ASIDE, ROW_DROPPED };

int constraint_rows_init(struct constraint_rows *c, struct evaluator *e, int is_velocity) {
  const dyn_model *model = e->model;
  size_t m = (size_t)(is_velocity ? model->n_constraints : model->n_position);
  size_t n = (size_t)model->n_coordinates;
  *c = (struct constraint_rows){.e = e, .is_velocity = is_velocity, .m = m, .n = n};
  c->residuals = calloc(m * (1 + n) + 5 * m + 1, sizeof(double));
  c->state = calloc(m + 1, 1);
  if (!c->residuals || !c->state || !rows_init(&c->rows, m, n)) {
    free(c->residuals);
    free(c->state);
    c->residuals = NULL;
    c->state = NULL;
    return 0;
  }
  c->derivatives = c->residuals + m;
  c->offset = c->derivatives + m * n;
  c->typical = c->offset + m;
  c->size = c->typical + m;
  c->noise = c->size + m;
  c->right = c->noise + m;
  return 1;
}

void constraint_rows_clear(struct constraint_rows *c) {
  if (c->residuals) rows_clear(&c->rows);
  free(c->residuals);
  free(c->state);
  c->residuals = NULL;
  c->state = NULL;
}

static int is_integral(const struct constraint_rows *c, size_t i) {
  return !c->is_velocity && c->e->model->position_equations[i].is_integral;
}

/* Everything at (t, x); rows that are no numbers are marked, and say nothing. */
static enum evaluate_result look(struct constraint_rows *c, double t, const double *x) {
  const dyn_model *model = c->e->model;
  if (c->m == 0) return EVALUATE_OK;
  dyn_function *function = c->is_velocity ? model->velocity_residuals : model->position_residuals;
  enum evaluate_result result = evaluate_function(c->e, function, t, x, c->residuals);
  if (result) return result;
  for (size_t i = 0; i < c->m; i++) {
    double *row = c->derivatives + i * c->n, sum;
    c->residuals[i] -= c->offset[i];
    sum = 0 * c->residuals[i];
    for (size_t j = 0; j < c->n; j++) sum += 0 * row[j];
    if (c->state[i] < ROW_ASIDE) c->state[i] = sum == 0 ? ROW_GOOD : ROW_UNDEFINED;
    if (c->state[i] == ROW_GOOD) continue;
    c->residuals[i] = 0;
    memset(row, 0, c->n * sizeof *row);
  }
  return EVALUATE_OK;
}

static void drop(struct constraint_rows *c, size_t i) {
  c->state[i] = ROW_DROPPED;
  c->n_dropped++;
}

enum evaluate_result constraint_rows_evaluate(struct constraint_rows *c, double t,
                                              const double *x) {
  enum evaluate_result result = look(c, t, x);
  for (size_t i = 0; i < c->m && !result; i++) {
    if (c->state[i] != ROW_UNDEFINED) continue;
    if (is_integral(c, i)) {
      drop(c, i);
      continue;
    }
    int32_t constraint = constraint_rows_constraint(c, i);
    int is_rate =
        c->is_velocity && (c->e->model->constraints[constraint].flags & DYN_CONSTRAINT_POSITION);
    result =
        evaluate_not_finite(c->e, is_rate ? PART_CONSTRAINT_RATE : PART_CONSTRAINT, constraint, t);
  }
  return result;
}

double constraint_rows_worst(const struct constraint_rows *c) {
  double largest = 0;
  for (size_t i = 0; i < c->m; i++) {
    double over = fabs(c->residuals[i]) / (c->size[i] > 0 ? c->size[i] : 1);
    if (!(over < HUGE_VAL)) return HUGE_VAL;
    largest = fmax(largest, over);
  }
  return largest;
}

int constraint_rows_is_dropped(const struct constraint_rows *c, size_t i) {
  return c->state[i] == ROW_DROPPED;
}

/* c->rows = derivatives by w; lengths and sizes grow to what is seen at x, `off` besides |x|. */
static void measure(struct constraint_rows *c, const double *x, double off,
                    const struct metric *metric) {
  const double *unknowns = c->is_velocity ? x + c->n : x;
  for (size_t i = 0; i < c->m; i++) {
    double *row = c->rows.a + i * c->n, size = 0;
    memcpy(row, c->derivatives + i * c->n, c->n * sizeof *row);
    for (size_t j = 0; j < c->n; j++)
      size += fabs(row[j]) * (fabs(unknowns[j]) + off * (1 + fabs(unknowns[j])));
    metric_gradient(metric, row);
    c->typical[i] = fmax(c->typical[i], blas_length((int)c->n, row));
    c->size[i] = fmax(c->size[i], size);
    c->noise[i] = fmax(c->noise[i], 8 * DBL_EPSILON * c->size[i]);
  }
}

enum evaluate_result constraint_rows_survey(struct constraint_rows *c, double t, const double *x,
                                            const struct metric *metric) {
  size_t n_state = (size_t)c->e->n;
  enum evaluate_result result = constraint_rows_evaluate(c, t, x);
  if (result) return result;
  measure(c, x, 0, metric);
  double *near = malloc((n_state + 1) * sizeof *near);
  if (!near) return EVALUATE_OK; /* then lengths are learned on the way */
  memcpy(near, x, n_state * sizeof *x);
  scatter(2 * c->n, x, SCATTER_NEARBY, 1, near);
  if (!look(c, t, near)) measure(c, x, SCATTER_NEARBY, metric);
  free(near);
  return constraint_rows_evaluate(c, t, x);
}

void constraint_rows_begin(struct constraint_rows *c, const struct metric *metric) {
  for (size_t i = 0; i < c->m; i++) {
    if (!is_integral(c, i) || c->state[i] == ROW_DROPPED) continue;
    double *gradient = c->rows.a, *row = c->derivatives + i * c->n;
    memcpy(gradient, row, c->n * sizeof *row);
    metric_gradient(metric, gradient);
    c->offset[i] += c->residuals[i];
    c->residuals[i] = 0;
    if (blas_length((int)c->n, gradient) > CONSTRAINT_LEAST_PIVOT * c->typical[i]) continue;
    drop(c, i);
    memset(row, 0, c->n * sizeof *row);
  }
}

size_t constraint_rows_set_aside(struct constraint_rows *c) {
  size_t count = 0;
  for (size_t i = 0; i < c->m; i++)
    if (is_integral(c, i) && c->state[i] != ROW_DROPPED) {
      c->state[i] = ROW_ASIDE;
      count++;
    }
  return count;
}

void constraint_rows_settle(struct constraint_rows *c, int drops) {
  for (size_t i = 0; i < c->m; i++)
    if (c->state[i] == ROW_ASIDE) {
      c->state[i] = ROW_GOOD;
      if (drops) drop(c, i);
    }
}

void constraint_rows_decompose(struct constraint_rows *c, const double *x,
                               const struct metric *metric, size_t most_rank) {
  measure(c, x, 0, metric);
  for (size_t i = 0; i < c->m; i++) {
    double *row = c->rows.a + i * c->n, scale = c->typical[i] > 0 ? 1 / c->typical[i] : 1;
    for (size_t j = 0; j < c->n; j++) row[j] *= scale;
  }
  rows_decompose_to(&c->rows, CONSTRAINT_LEAST_PIVOT, most_rank);
}

void constraint_rows_solve(struct constraint_rows *c, const struct metric *metric, double *change) {
  for (size_t i = 0; i < c->m; i++)
    c->right[i] = c->typical[i] > 0 ? -c->residuals[i] / c->typical[i] : 0;
  rows_solve(&c->rows, c->right, change);
  metric_changes(metric, change);
}

size_t constraint_rows_pivot(const struct constraint_rows *c, size_t k) {
  return c->rows.k > 0 ? (size_t)c->rows.pivot[k] - 1 : k;
}

int32_t constraint_rows_constraint(const struct constraint_rows *c, size_t i) {
  return c->is_velocity ? (int32_t)i : c->e->model->position_equations[i].constraint;
}

int32_t constraint_rows_dependent(const struct constraint_rows *c) {
  int32_t result = -1;
  for (size_t k = c->rows.rank; k < c->m; k++) {
    int32_t constraint = constraint_rows_constraint(c, constraint_rows_pivot(c, k));
    if (!(c->e->model->constraints[constraint].flags & DYN_CONSTRAINT_REDUNDANT)) return constraint;
    if (result < 0) result = constraint;
  }
  return result;
}
