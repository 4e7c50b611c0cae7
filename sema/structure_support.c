/* Which of the kept rows imply a row that is not kept: those in the one combination of them that it
 * is. The combination is computed in doubles at one point of the manifold, and that its rows imply
 * the row is then asked of the usual points. */
#include "base/map.h"
#include "sema/structure.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { QUESTIONS_LIMIT = 24, SEARCHES_LIMIT = 20 }; /* what is left is believed to the doubles */
static const double WORK_LIMIT = 1e9;
static const double NEGLIGIBLE = 1e-7; /* coefficients of rows of norm 1 */

void pfaffian_keep_point(struct pfaffian *p, const struct manifold_rank *found) {
  map_free(&p->point);
  p->point_values = arena_array(p->arena, double, found->symbol_count + 1);
  for (uint32_t i = 0; i < found->symbol_count; i++) {
    p->point_values[i] = found->values[i];
    map_set(&p->point, found->symbols[i], i + 1);
  }
}

/* Symbols that the manifold leaves free: positive and of order one. */
static double point_value(void *user, expr symbol) {
  const struct pfaffian *p = user;
  uint32_t place = map_get(&p->point, symbol);
  if (place != 0) return p->point_values[place - 1];
  return 0.4 + 1.1 * ((double)(hash_mix(symbol ^ STRUCTURE_SEED) >> 11) / 9007199254740992.0);
}

/* Columns are rows of A at the point, scaled to norm 1: first the kept ones. */
struct combining {
  struct pfaffian *p;
  uint32_t n, kept, count; /* count: all columns */
  double *columns;
};

static bool evaluate_rows(struct combining *c, struct index_list rows) {
  struct pfaffian *p = c->p;
  expr *entries = arena_array(p->arena, expr, (size_t)c->n * c->count + 1);
  for (uint32_t k = 0; k < c->count; k++) {
    uint32_t row = k < c->kept ? p->kept.items[k] : rows.items[k - c->kept];
    for (uint32_t j = 0; j < c->n; j++)
      entries[j + (size_t)k * c->n] = p->a[row + (size_t)j * p->m];
  }
  size_t size = (size_t)c->n * c->count;
  expr_evaluate(p->graph, entries, size, point_value, p, c->columns);
  for (uint32_t k = 0; k < c->count; k++) {
    double *column = c->columns + (size_t)k * c->n, norm = 0;
    for (uint32_t j = 0; j < c->n; j++) norm = hypot(norm, column[j]);
    if (!isfinite(norm)) return false;
    for (uint32_t j = 0; j < c->n && norm > DBL_MIN; j++) column[j] /= norm;
  }
  return true;
}

/* Gauss-Jordan elimination of the kept columns; others become their coefficients. */
static bool solve_columns(struct combining *c) {
  uint32_t n = c->n;
  for (uint32_t k = 0; k < c->kept; k++) {
    const double *pivots = c->columns + (size_t)k * n;
    uint32_t best = k;
    for (uint32_t i = k; i < n; i++)
      if (fabs(pivots[i]) > fabs(pivots[best])) best = i;
    if (!(fabs(pivots[best]) > NEGLIGIBLE)) return false;
    for (uint32_t l = k; l < c->count; l++) {
      double *column = c->columns + (size_t)l * n, upper = column[k];
      column[k] = column[best];
      column[best] = upper;
    }
    for (uint32_t l = k + 1; l < c->count; l++) {
      double *column = c->columns + (size_t)l * n;
      double factor = column[k] / pivots[k];
      column[k] = factor;
      if (factor == 0) continue;
      for (uint32_t i = 0; i < n; i++)
        if (i != k) column[i] -= factor * pivots[i];
    }
  }
  return true;
}

/* ---------------------------------------------------------------- questions to points */

struct dependence {
  struct pfaffian *p;
  uint32_t row;
};

static bool implies_row(void *user, const uint32_t *rows, uint32_t count) {
  struct dependence *d = user;
  uint32_t *with = arena_array(d->p->arena, uint32_t, count + 1);
  memcpy(with, rows, count * sizeof(uint32_t));
  with[count] = d->row;
  return pfaffian_rank_of(d->p, with, count + 1, false) == count;
}

static struct index_list kept_before(struct pfaffian *p, uint32_t row) {
  struct index_list list = {arena_array(p->arena, uint32_t, p->kept.count + 1), 0};
  for (uint32_t i = 0; i < p->kept.count && p->kept.items[i] < row; i++)
    list.items[list.count++] = p->kept.items[i];
  return list;
}

static struct index_list nonzero_rows(const struct combining *c, uint32_t column, uint32_t row) {
  struct index_list list = {arena_array(c->p->arena, uint32_t, c->kept + 1), 0};
  for (uint32_t k = 0; k < c->kept && c->p->kept.items[k] < row; k++)
    if (fabs(c->columns[k + (size_t)column * c->n]) > NEGLIGIBLE)
      list.items[list.count++] = c->p->kept.items[k];
  return list;
}

struct index_list *pfaffian_supports(struct pfaffian *p, struct index_list rows) {
  struct index_list *supports = arena_array(p->arena, struct index_list, rows.count + 1);
  struct index_list open = {arena_array(p->arena, uint32_t, rows.count + 1), 0};
  uint32_t *place = arena_array(p->arena, uint32_t, rows.count + 1);
  for (uint32_t i = 0; i < rows.count; i++) {
    supports[i] = p->implied[rows.items[i]];
    if (supports[i].items != NULL) continue;
    place[open.count] = i;
    open.items[open.count++] = rows.items[i];
  }
  struct combining c = {p, p->n, p->kept.count, p->kept.count + open.count, NULL};
  double work = (double)c.n * c.kept * c.count;
  c.columns = arena_array(p->arena, double, (size_t)c.n *c.count + 1);
  bool is_solved =
      open.count > 0 && work < WORK_LIMIT && evaluate_rows(&c, open) && solve_columns(&c);
  uint32_t questions = 0, searches = 0;
  for (uint32_t k = 0; k < open.count; k++) {
    struct dependence d = {p, open.items[k]};
    struct index_list all = kept_before(p, d.row), support = all;
    if (is_solved) support = nonzero_rows(&c, c.kept + k, d.row);
    bool is_believed = is_solved && (questions++ >= QUESTIONS_LIMIT ||
                                     implies_row(&d, support.items, support.count));
    if (!is_believed)
      support =
          searches++ < SEARCHES_LIMIT ? structure_smallest(p->arena, all, implies_row, &d) : all;
    supports[place[k]] = support;
  }
  return supports;
}
