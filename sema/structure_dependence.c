/* Do the constraints of a group hold together, and which follow from others?
 *
 * On the manifold N of the position-level constraints: rank [A | b] > rank A means that no velocity
 * satisfies them (conflict); rank A < m that some follow from others (redundant). Of dependent
 * constraints those at position level are kept first, then the earlier ones; a redundant one names
 * the kept ones that its row of A is a combination of. */
#include "sema/structure.h"
#include "sema/structure_report.h"
#include <stdlib.h>
#include <string.h>

static struct index_list list_new(struct pfaffian *p, uint32_t capacity) {
  return (struct index_list){arena_array(p->arena, uint32_t, capacity + 1), 0};
}

static struct index_list first_rows(struct pfaffian *p, uint32_t count) {
  struct index_list all = list_new(p, count);
  for (; all.count < count; all.count++) all.items[all.count] = all.count;
  return all;
}

/* ---------------------------------------------------------------- a point of the manifold */

/* Position-level rows without a gradient are marked. */
static void find_point(struct pfaffian *p, bool *is_flat) {
  p->has_point = true;
  if (p->position_count == 0) return;
  struct expr_manifold manifold = {.equations = p->residual,
                                   .count = p->position_count,
                                   .guess = structure_guess,
                                   .user = p->all};
  struct zero_test test = {.seed = STRUCTURE_SEED};
  expr *entries = arena_array(p->arena, expr, (size_t)p->position_count * p->n + 1);
  for (uint32_t j = 0; j < p->n; j++)
    for (uint32_t i = 0; i < p->position_count; i++)
      entries[i + (size_t)j * p->position_count] = p->a[i + (size_t)j * p->m];
  struct manifold_rank found =
      expr_matrix_rank_on(p->graph, &manifold, entries, p->position_count, p->n, &test);
  if (!found.has_point) {
    p->has_point = false;
    p->is_undecided = true;
    p->nearest = arena_array(p->arena, double, p->position_count);
    memcpy(p->nearest, found.nearest, p->position_count * sizeof(double));
  }
  for (uint32_t i = 0; i < p->position_count && p->has_point; i++)
    is_flat[i] = found.has_no_gradient[i];
  manifold_rank_clear(&found);
}

/* False if an error was reported. */
static bool check_point(struct pfaffian *p) {
  bool *is_flat = arena_array(p->arena, bool, p->position_count + 1), is_right = true;
  find_point(p, is_flat);
  for (uint32_t i = 0; i < p->position_count; i++) {
    if (!is_flat[i]) continue;
    report_no_gradient(p, i);
    is_right = false;
  }
  return is_right;
}

/* Rows that are not linear: (x' - y')^2 = 0 has no gradient either. */
static bool check_gradients(struct pfaffian *p) {
  if (p->linear_count == p->m || !p->has_point) return true;
  struct expr_manifold manifold = {.equations = p->value_equations,
                                   .count = p->value_equation_count,
                                   .guess = structure_guess,
                                   .user = p->all};
  struct zero_test test = {.seed = STRUCTURE_SEED};
  struct manifold_rank found = expr_matrix_rank_on(p->graph, &manifold, p->a, p->m, p->n, &test);
  bool is_right = true;
  if (!found.has_point) p->is_undecided = true;
  for (uint32_t i = p->linear_count; i < p->m && found.has_point; i++) {
    if (!found.has_no_gradient[i]) continue;
    report_no_gradient(p, i);
    is_right = false;
  }
  manifold_rank_clear(&found);
  return is_right;
}

/* ---------------------------------------------------------------- conflicts */

static bool is_conflict(void *user, const uint32_t *rows, uint32_t count) {
  struct pfaffian *p = user;
  return pfaffian_rank_of(p, rows, count, true) > pfaffian_rank_of(p, rows, count, false);
}

static bool check_conflict(struct pfaffian *p) {
  bool moves = false;
  for (uint32_t i = 0; i < p->linear_count; i++)
    moves = moves || !expr_is_integer_value(p->graph, p->b[i], 0);
  struct index_list all = first_rows(p, p->linear_count);
  if (!moves || !p->has_point || !is_conflict(p, all.items, all.count)) return true;
  report_conflict(p, structure_smallest(p->arena, all, is_conflict, p));
  return false;
}

/* ---------------------------------------------------------------- redundancy */

static bool are_independent(struct pfaffian *p, struct index_list base, uint32_t from,
                            uint32_t to) {
  struct index_list all = list_new(p, base.count + to - from);
  memcpy(all.items, base.items, base.count * sizeof(uint32_t));
  all.count = base.count;
  for (uint32_t i = from; i < to; i++) all.items[all.count++] = i;
  return pfaffian_rank_of(p, all.items, all.count, false) == all.count;
}

/* The first independent rows, by bisection from one dependent row to the next. */
static void choose_kept(struct pfaffian *p) {
  p->kept = list_new(p, p->m);
  for (uint32_t next = 0; next < p->m && p->kept.count < p->rank;) {
    uint32_t low = next, high = p->m + 1; /* rows up to `low` are independent of those kept */
    while (high - low > 1) {
      uint32_t middle = low + (high - low) / 2;
      if (are_independent(p, p->kept, next, middle))
        low = middle;
      else
        high = middle;
    }
    for (; next < low; next++) p->kept.items[p->kept.count++] = next;
    next++; /* a dependent one */
  }
}

struct dependence {
  struct pfaffian *p;
  uint32_t row;
};

static bool implies_row(void *user, const uint32_t *rows, uint32_t count) {
  struct dependence *d = user;
  struct index_list with = list_new(d->p, count + 1);
  memcpy(with.items, rows, count * sizeof(uint32_t));
  with.items[count] = d->row;
  return pfaffian_rank_of(d->p, with.items, count + 1, false) == count;
}

/* Joins rows that depend on each other: parent[] of a union. */
static uint32_t root_of(const uint32_t *parent, uint32_t row) {
  while (parent[row] != row) row = parent[row];
  return row;
}

/* The row that implies it, if it is a single one; else m. */
static uint32_t mark_redundant(struct pfaffian *p, uint32_t row, uint32_t *parent) {
  struct dependence d = {p, row};
  struct index_list candidates = list_new(p, p->kept.count);
  for (uint32_t i = 0; i < p->kept.count && p->kept.items[i] < row; i++)
    candidates.items[candidates.count++] = p->kept.items[i];
  struct index_list support = structure_smallest(p->arena, candidates, implies_row, &d);
  struct model_constraint *c = pfaffian_constraint(p, row);
  for (uint32_t i = 0; i < support.count; i++) {
    uint32_t a = root_of(parent, row), b = root_of(parent, support.items[i]);
    parent[a > b ? a : b] = a > b ? b : a;
  }
  if (support.count == 0) /* its form vanishes on the manifold: what makes that implies it */
    for (uint32_t i = 0; i < candidates.count && candidates.items[i] < p->position_count; i++)
      support.items[support.count++] = candidates.items[i];
  uint32_t *partners = arena_array(&p->all->context->arena, uint32_t, (size_t)support.count + 1);
  for (uint32_t i = 0; i < support.count; i++) partners[i] = p->rows[support.items[i]];
  c->is_redundant = true;
  c->partners = partners;
  c->partner_count = support.count;
  return support.count == 1 ? support.items[0] : p->m;
}

bool pfaffian_keeps(const struct pfaffian *p, uint32_t row) {
  for (uint32_t i = 0; i < p->kept.count; i++)
    if (p->kept.items[i] == row) return true;
  return false;
}

static bool check_redundancy(struct pfaffian *p) {
  uint32_t *parent = first_rows(p, p->m).items;
  choose_kept(p);
  for (uint32_t i = 0; i < p->m; i++)
    if (!pfaffian_keeps(p, i)) mark_redundant(p, i, parent);
  struct index_list set = list_new(p, p->m);
  bool is_right = true;
  for (uint32_t i = 0; i < p->m; i++) {
    set.count = 0;
    for (uint32_t k = i; k < p->m && root_of(parent, i) == i; k++)
      if (root_of(parent, k) == i) set.items[set.count++] = k;
    if (set.count > 1 || (set.count == 1 && !pfaffian_keeps(p, i)))
      is_right = report_redundant(p, set) && is_right;
  }
  return is_right;
}

/* Without a point whether dependent rows agree is not known, unless two of them say the same of
 * different constants: then there is no point. */
static bool are_contradictory(struct pfaffian *p, uint32_t row, uint32_t other) {
  expr ratio = 0;
  for (uint32_t j = 0; j < p->n && ratio == 0; j++) {
    expr above = p->a[other + (size_t)j * p->m], below = p->a[row + (size_t)j * p->m];
    if (!expr_is_integer_value(p->graph, below, 0)) ratio = expr_divide(p->graph, above, below);
  }
  if (ratio == 0) return false;
  expr difference =
      expr_subtract(p->graph, p->residual[other], expr_multiply(p->graph, ratio, p->residual[row]));
  struct expr_list symbols = {0};
  struct zero_test test = {0};
  expr_symbols_of(p->graph, &difference, 1, &symbols);
  bool is_constant = symbols.count == 0;
  vector_free(&symbols);
  return is_constant && expr_is_zero(p->graph, difference, &test) == VERDICT_NO;
}

static bool check_without_point(struct pfaffian *p) {
  if (p->rank == p->m) return true;
  uint32_t *parent = first_rows(p, p->m).items;
  choose_kept(p);
  for (uint32_t i = 0; i < p->m; i++) {
    if (pfaffian_keeps(p, i)) continue;
    uint32_t other = mark_redundant(p, i, parent);
    if (i >= p->position_count || other == p->m || !are_contradictory(p, i, other)) continue;
    struct index_list both = list_new(p, 2);
    both.items[both.count++] = other;
    both.items[both.count++] = i;
    report_conflict(p, both);
    return false;
  }
  return true;
}

bool pfaffian_check_dependence(struct pfaffian *p) {
  if (!check_point(p) || !check_gradients(p) || !check_conflict(p)) return false;
  struct index_list all = first_rows(p, p->m);
  p->rank = pfaffian_rank_of(p, all.items, p->m, false);
  p->kept = all;
  if (!p->has_point) return check_without_point(p) && report_no_configuration(p);
  return p->rank == p->m || check_redundancy(p);
}

void pfaffian_find_basis(struct pfaffian *p) {
  find_point(p, arena_array(p->arena, bool, p->position_count + 1));
  p->kept = first_rows(p, p->m);
  p->rank = pfaffian_rank_of(p, p->kept.items, p->m, false);
  if (p->rank < p->m) choose_kept(p);
}
