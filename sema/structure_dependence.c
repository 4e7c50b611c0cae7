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

/* Of the first rows those that no others imply by their form. */
static struct index_list first_rows(struct pfaffian *p, uint32_t count) {
  struct index_list rows = list_new(p, count);
  for (uint32_t i = 0; i < count; i++)
    if (p->implied[i].items == NULL) rows.items[rows.count++] = i;
  return rows;
}

/* ---------------------------------------------------------------- a point of the manifold */

/* Position-level rows without a gradient are marked. A component of an equation between vectors may
 * have none where the others imply it, as that along a bar has which is pinned at both ends: it is
 * redundant, like any that depends on the others. */
static void find_point(struct pfaffian *p, bool *is_flat) {
  p->has_point = true;
  if (p->equation_count == 0) return;
  struct expr_manifold manifold = {.equations = p->equations,
                                   .count = p->equation_count,
                                   .guess = structure_guess,
                                   .user = p->all};
  struct zero_test test = {.seed = STRUCTURE_SEED};
  struct index_list rows = first_rows(p, p->position_count);
  expr *entries = arena_array(p->arena, expr, (size_t)rows.count * p->n + 1);
  for (uint32_t j = 0; j < p->n; j++)
    for (uint32_t i = 0; i < rows.count; i++)
      entries[i + (size_t)j * rows.count] = p->a[rows.items[i] + (size_t)j * p->m];
  struct manifold_rank found =
      expr_matrix_rank_on(p->graph, &manifold, entries, rows.count, p->n, &test);
  if (!found.has_point) {
    p->has_point = false;
    p->is_undecided = true;
    p->nearest = arena_array(p->arena, double, rows.count);
    memcpy(p->nearest, found.nearest, rows.count * sizeof(double));
  }
  if (p->has_point) pfaffian_keep_point(p, &found);
  for (uint32_t i = 0; i < rows.count && p->has_point; i++)
    is_flat[rows.items[i]] =
        found.has_no_gradient[i] && !(found.is_implied[i] && is_component_row(p, rows.items[i]));
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
  struct index_list rows = first_rows(p, p->m); /* the first equations, in this order */
  struct manifold_rank found = expr_matrix_rank_on(p->graph, &manifold, p->a, p->m, p->n, &test);
  bool is_right = true;
  if (!found.has_point) p->is_undecided = true;
  if (found.has_point) pfaffian_keep_point(p, &found); /* one with velocities */
  for (uint32_t i = 0; i < rows.count && found.has_point; i++) {
    if (rows.items[i] < p->linear_count || !found.has_no_gradient[i]) continue;
    report_no_gradient(p, rows.items[i]);
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
  return report_conflict(p, structure_smallest(p->arena, all, is_conflict, p));
}

/* ---------------------------------------------------------------- redundancy */

/* Are those of the base and rows[from] .. rows[to - 1] independent? */
static bool are_independent(struct pfaffian *p, struct index_list base, struct index_list rows,
                            uint32_t from, uint32_t to) {
  struct index_list all = list_new(p, base.count + to - from);
  memcpy(all.items, base.items, base.count * sizeof(uint32_t));
  all.count = base.count;
  for (uint32_t i = from; i < to; i++) all.items[all.count++] = rows.items[i];
  return pfaffian_rank_of(p, all.items, all.count, false) == all.count;
}

/* The first independent rows, by bisection from one dependent row to the next. */
static void choose_kept(struct pfaffian *p) {
  struct index_list rows = first_rows(p, p->m);
  p->kept = list_new(p, p->m);
  for (uint32_t next = 0; next < rows.count && p->kept.count < p->rank;) {
    uint32_t low = next, high = rows.count + 1; /* up to `low` independent of those kept */
    while (high - low > 1) {
      uint32_t middle = low + (high - low) / 2;
      if (are_independent(p, p->kept, rows, next, middle))
        low = middle;
      else
        high = middle;
    }
    for (; next < low; next++) p->kept.items[p->kept.count++] = rows.items[next];
    next++; /* a dependent one */
  }
}

/* Joins rows that depend on each other: parent[] of a union. */
static uint32_t root_of(uint32_t *parent, uint32_t row) {
  for (; parent[row] != row; row = parent[row]) parent[row] = parent[parent[row]];
  return row;
}

/* The row that implies it, if it is a single one; else m. */
static uint32_t mark_redundant(struct pfaffian *p, uint32_t row, struct index_list support,
                               uint32_t *parent) {
  struct model_constraint *c = pfaffian_constraint(p, row);
  if (support.count == 0 && row < p->position_count) { /* at the end of its range */
    support = list_new(p, p->kept.count);
    for (uint32_t i = 0; i < p->kept.count; i++)
      if (p->kept.items[i] < p->position_count) support.items[support.count++] = p->kept.items[i];
  }
  for (uint32_t i = 0; i < support.count; i++) {
    uint32_t a = root_of(parent, row), b = root_of(parent, support.items[i]);
    parent[a > b ? a : b] = a > b ? b : a;
  }
  if (support.count == 0) { /* its form vanishes on the manifold: what makes that implies it */
    support = list_new(p, p->kept.count);
    for (uint32_t i = 0; i < p->kept.count && p->kept.items[i] < p->position_count; i++)
      if (p->kept.items[i] < row) support.items[support.count++] = p->kept.items[i];
  }
  uint32_t *partners = arena_array(&p->all->context->arena, uint32_t, (size_t)support.count + 1);
  for (uint32_t i = 0; i < support.count; i++) partners[i] = p->rows[support.items[i]];
  c->is_redundant = true;
  c->partners = partners;
  c->partner_count = support.count;
  return support.count == 1 ? support.items[0] : p->m;
}

bool pfaffian_keeps(const struct pfaffian *p, uint32_t row) {
  uint32_t low = 0, high = p->kept.count; /* kept rows ascend */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (p->kept.items[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low < p->kept.count && p->kept.items[low] == row;
}

static uint32_t *union_new(struct pfaffian *p) {
  uint32_t *parent = arena_array(p->arena, uint32_t, p->m + 1);
  for (uint32_t i = 0; i < p->m; i++) parent[i] = i;
  return parent;
}

/* Sets of rows that depend on each other, each ascending: lists[root]. */
static struct index_list *union_lists(struct pfaffian *p, uint32_t *parent) {
  struct index_list *lists = arena_array(p->arena, struct index_list, p->m + 1);
  for (uint32_t i = 0; i < p->m; i++) lists[root_of(parent, i)].count++;
  for (uint32_t i = 0; i < p->m; i++) lists[i] = list_new(p, lists[i].count);
  for (uint32_t i = 0; i < p->m; i++) {
    struct index_list *list = &lists[root_of(parent, i)];
    list->items[list->count++] = i;
  }
  return lists;
}

static struct index_list dependent_rows(struct pfaffian *p) {
  struct index_list rows = list_new(p, p->m);
  for (uint32_t i = 0; i < p->m; i++)
    if (!pfaffian_keeps(p, i)) rows.items[rows.count++] = i;
  return rows;
}

static bool check_redundancy(struct pfaffian *p) {
  uint32_t *parent = union_new(p);
  struct index_list rows = dependent_rows(p);
  struct index_list *supports = pfaffian_supports(p, rows);
  for (uint32_t i = 0; i < rows.count; i++) mark_redundant(p, rows.items[i], supports[i], parent);
  struct index_list *sets = union_lists(p, parent);
  bool is_right = true;
  for (uint32_t i = 0; i < p->m; i++) {
    if (sets[i].count < 1 || (sets[i].count == 1 && pfaffian_keeps(p, i))) continue;
    is_right = pfaffian_check_multipliers(p, sets[i]) && report_redundant(p, sets[i]) && is_right;
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
  struct zero_test test = {.only_refutes = true};
  expr_symbols_of(p->graph, &difference, 1, &symbols);
  bool is_constant = symbols.count == 0;
  vector_free(&symbols);
  return is_constant && expr_is_zero(p->graph, difference, &test) == VERDICT_NO;
}

static bool check_without_point(struct pfaffian *p) {
  uint32_t *parent = union_new(p);
  struct index_list rows = dependent_rows(p);
  struct index_list *supports = pfaffian_supports(p, rows);
  for (uint32_t k = 0; k < rows.count; k++) {
    uint32_t i = rows.items[k], other = mark_redundant(p, i, supports[k], parent);
    if (i >= p->position_count || other == p->m || !are_contradictory(p, i, other)) continue;
    struct index_list both = list_new(p, 2);
    both.items[both.count++] = other;
    both.items[both.count++] = i;
    if (!report_conflict(p, both)) return false;
  }
  return true;
}

static void find_kept(struct pfaffian *p) {
  p->kept = first_rows(p, p->m);
  p->rank = pfaffian_rank_of(p, p->kept.items, p->kept.count, false);
  if (p->rank < p->kept.count) choose_kept(p);
}

bool pfaffian_check_dependence(struct pfaffian *p) {
  if (!check_point(p) || !check_gradients(p) || !check_conflict(p)) return false;
  find_kept(p);
  if (!p->has_point) return check_without_point(p) && report_no_configuration(p);
  return check_redundancy(p);
}

void pfaffian_find_basis(struct pfaffian *p) {
  find_point(p, arena_array(p->arena, bool, p->position_count + 1));
  find_kept(p);
}
