/* Speeds given with --at: the velocities d to add solve
 *
 *     [ M  Yᵀ ] [  d ]   [     0      ]
 *     [ Y  0  ] [ -μ ] = [ given - u  ],
 *
 * without those that --at names. A velocity without inertia counts as one of unit mass. */
#include "driver/at_speeds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct change {
  const struct at_speeds *at;
  const struct model *model;
  size_t n, s, size;
  bool *is_fixed;    /* n */
  double *matrix;    /* size*size, row by row */
  double *right;     /* size */
  const char **name; /* s */
  struct span *span; /* s */
};

static double evaluate(const struct change *c, expr e) {
  double value;
  expr_evaluate(c->model->graph, &e, 1, c->at->value, c->at->user, &value);
  return value;
}

static void fill_speeds(struct change *c) {
  size_t row = c->n;
  for (uint32_t i = 0; i < c->model->at.count; i++) {
    const struct model_assignment *given = &c->model->at.items[i];
    if (given->speed == NULL) continue;
    c->name[row - c->n] = given->speed;
    c->span[row - c->n] = given->span;
    c->right[row] = evaluate(c, given->value) - evaluate(c, given->symbol);
    for (size_t j = 0; j < c->n; j++) {
      expr slope =
          expr_derivative(c->model->graph, given->symbol, c->model->coordinates.items[j].velocity);
      double entry = c->is_fixed[j] ? 0 : evaluate(c, slope);
      c->matrix[row * c->size + j] = c->matrix[j * c->size + row] = entry;
    }
    row++;
  }
}

static bool fill_mass(struct change *c) {
  const dyn_model *model = c->at->problem->model;
  double *mass = checked_calloc(c->n * c->n + 1, sizeof *mass);
  double *work = checked_calloc((size_t)model->n_work + 1, sizeof *work);
  double *u = checked_calloc((size_t)model->n_inputs + 1, sizeof *u);
  int status =
      model->mass_matrix(model, c->at->t, c->at->problem->x, u, c->at->problem->p, work, mass);
  for (size_t i = 0; i < c->n; i++)
    for (size_t j = 0; j < c->n; j++) {
      bool is_fixed = c->is_fixed[i] || c->is_fixed[j];
      double entry = is_fixed ? 0 : mass[i + j * c->n];
      c->matrix[i * c->size + j] = i == j && !(entry > 0) ? 1 : entry;
    }
  free(mass);
  free(work);
  free(u);
  return status == 0;
}

/* Elimination with full exchange; unknowns without a pivot stay 0. */
static void solve(struct change *c, double *solution) {
  size_t n = c->size, rank = 0;
  size_t *column = checked_calloc(n + 1, sizeof *column);
  double *a = c->matrix, largest = 0;
  for (size_t i = 0; i < n; i++) column[i] = i;
  for (; rank < n; rank++) {
    size_t row = rank, best = rank;
    for (size_t i = rank; i < n; i++)
      for (size_t j = rank; j < n; j++)
        if (fabs(a[i * n + j]) > fabs(a[row * n + best])) row = i, best = j;
    double pivot = a[row * n + best];
    largest = fmax(largest, fabs(pivot));
    if (!(fabs(pivot) > 1e-13 * largest)) break;
    for (size_t j = 0; j < n; j++) {
      double keep = a[rank * n + j];
      a[rank * n + j] = a[row * n + j];
      a[row * n + j] = keep;
    }
    double keep = c->right[rank];
    c->right[rank] = c->right[row];
    c->right[row] = keep;
    for (size_t i = 0; i < n; i++) {
      double value = a[i * n + rank];
      a[i * n + rank] = a[i * n + best];
      a[i * n + best] = value;
    }
    size_t number = column[rank];
    column[rank] = column[best];
    column[best] = number;
    for (size_t i = rank + 1; i < n; i++) {
      double factor = a[i * n + rank] / a[rank * n + rank];
      for (size_t j = rank; j < n && factor != 0; j++) a[i * n + j] -= factor * a[rank * n + j];
      c->right[i] -= factor * c->right[rank];
    }
  }
  for (size_t k = rank; k-- > 0;) {
    double sum = c->right[k];
    for (size_t j = k + 1; j < rank; j++) sum -= a[k * n + j] * solution[column[j]];
    solution[column[k]] = sum / a[k * n + k];
  }
  free(column);
}

/* Whether the speeds have their values now. */
static bool check(const struct change *c, const double *gap, const double *slopes,
                  const double *d) {
  for (size_t k = 0; k < c->s; k++) {
    double rest = gap[k], size = fabs(gap[k]);
    for (size_t j = 0; j < c->n; j++) {
      rest -= slopes[k * c->n + j] * d[j];
      size = fmax(size, fabs(slopes[k * c->n + j] * d[j]));
    }
    if (fabs(rest) <= 1e-9 * size + 1e-14) continue;
    diagnostic_add(session_context(c->at->session), DIAG_AT_SPEEDS_DISAGREE, c->span[k], c->name[k],
                   NULL);
    return false;
  }
  return true;
}

static bool apply(struct change *c) {
  double *gap = checked_calloc(c->s + c->s * c->n + c->size + 1, sizeof *gap);
  double *slopes = gap + c->s, *solution = slopes + c->s * c->n;
  for (size_t k = 0; k < c->s; k++) {
    gap[k] = c->right[c->n + k];
    memcpy(slopes + k * c->n, c->matrix + (c->n + k) * c->size, c->n * sizeof *slopes);
  }
  solve(c, solution);
  bool good = check(c, gap, slopes, solution);
  for (size_t j = 0; j < c->n && good; j++)
    if (!c->is_fixed[j]) c->at->problem->x[c->n + j] += solution[j];
  free(gap);
  return good;
}

bool at_speeds_apply(const struct at_speeds *at) {
  const struct model *model = at->session->compiler->model;
  struct change c = {.at = at, .model = model, .n = model->coordinates.count};
  for (uint32_t i = 0; i < model->at.count; i++) c.s += model->at.items[i].speed != NULL;
  if (c.s == 0) return true;
  c.size = c.n + c.s;
  c.is_fixed = checked_calloc(c.n + 1, sizeof *c.is_fixed);
  c.matrix = checked_calloc(c.size * c.size + 1, sizeof *c.matrix);
  c.right = checked_calloc(c.size + 1, sizeof *c.right);
  c.name = checked_calloc(c.s + 1, sizeof *c.name);
  c.span = checked_calloc(c.s + 1, sizeof *c.span);
  for (uint32_t i = 0; i < model->at.count; i++)
    for (size_t j = 0; j < c.n; j++)
      if (model->at.items[i].symbol == model->coordinates.items[j].velocity &&
          model->at.items[i].speed == NULL)
        c.is_fixed[j] = true;
  bool good = fill_mass(&c);
  fill_speeds(&c);
  good = good && apply(&c);
  free(c.is_fixed);
  free(c.matrix);
  free(c.right);
  free((void *)c.name);
  free(c.span);
  return good;
}
