/* Ranks on the manifold of a group of constraints, with a record of the effort behind them, and
 * the search for a smallest set that has a property.
 *
 * A rank that is full is proven. One that is not full is what random points of the manifold show;
 * the number of points and bits is kept for reports. */
#include "sema/structure.h"
#include <string.h>

static bool all_zero(const struct expr_graph *graph, const expr *entries, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!expr_is_integer_value(graph, entries[i], 0)) return false;
  return true;
}

static struct structure_rank rank_on(struct pfaffian *p, struct expr_manifold manifold,
                                     const expr *entries, uint32_t rows, uint32_t columns) {
  struct structure_rank answer = {0};
  uint32_t smaller = rows < columns ? rows : columns;
  if (smaller == 0 || all_zero(p->graph, entries, (size_t)rows * columns)) return answer;
  struct zero_test test = {.seed = STRUCTURE_SEED};
  manifold.guess = structure_guess;
  manifold.user = p->all;
  struct manifold_rank found =
      expr_matrix_rank_on(p->graph, &manifold, entries, rows, columns, &test);
  if (!found.has_point && manifold.count > 0) {
    /* Another rank was asked there before, with success; the points are the same ones. */
    p->is_undecided = true;
    manifold_rank_clear(&found);
    manifold.count = 0;
    return rank_on(p, manifold, entries, rows, columns);
  }
  answer.rank = found.rank.rank;
  answer.pivot_rows = arena_array(p->arena, uint32_t, answer.rank + 1);
  answer.pivot_columns = arena_array(p->arena, uint32_t, answer.rank + 1);
  if (answer.rank > 0) {
    memcpy(answer.pivot_rows, found.rank.pivot_rows, answer.rank * sizeof(uint32_t));
    memcpy(answer.pivot_columns, found.rank.pivot_columns, answer.rank * sizeof(uint32_t));
  }
  if (answer.rank < smaller) {
    if (!found.rank.believed) p->is_undecided = true;
    if (test.points_used > p->points) p->points = test.points_used;
    if (test.bits_used > p->bits) p->bits = test.bits_used;
  }
  manifold_rank_clear(&found);
  return answer;
}

struct structure_rank pfaffian_rank(struct pfaffian *p, const expr *entries, uint32_t rows,
                                    uint32_t columns) {
  struct expr_manifold manifold = {.equations = p->equations,
                                   .count = p->has_point ? p->equation_count : 0};
  return rank_on(p, manifold, entries, rows, columns);
}

/* Rows that are not linear in the velocities are taken at velocities that satisfy all rows. */
uint32_t pfaffian_rank_with(struct pfaffian *p, const uint32_t *rows, uint32_t count,
                            const expr *column) {
  uint32_t columns = p->n + (column != NULL ? 1 : 0);
  expr *entries = arena_array(p->arena, expr, (size_t)count * columns + 1);
  bool is_linear = true;
  for (uint32_t i = 0; i < count; i++) {
    if (rows[i] >= p->linear_count) is_linear = false;
    for (uint32_t j = 0; j < p->n; j++)
      entries[i + (size_t)j * count] = p->a[rows[i] + (size_t)j * p->m];
    if (column != NULL) entries[i + (size_t)p->n * count] = column[rows[i]];
  }
  if (is_linear || !p->has_point) return pfaffian_rank(p, entries, count, columns).rank;
  struct expr_manifold manifold = {.equations = p->value_equations,
                                   .count = p->value_equation_count};
  return rank_on(p, manifold, entries, count, columns).rank;
}

uint32_t pfaffian_rank_of(struct pfaffian *p, const uint32_t *rows, uint32_t count, bool with_b) {
  return pfaffian_rank_with(p, rows, count, with_b ? p->b : NULL);
}

/* Leaves out blocks of falling size, so that a small result from a large set is found in few
 * questions. */
struct index_list
structure_smallest(struct arena *arena, struct index_list set,
                   bool (*holds)(void *user, const uint32_t *items, uint32_t count), void *user) {
  struct index_list left = {arena_array(arena, uint32_t, set.count + 1), set.count};
  uint32_t *rest = arena_array(arena, uint32_t, set.count + 1);
  if (set.count > 0) memcpy(left.items, set.items, set.count * sizeof(uint32_t));
  for (uint32_t block = set.count > 1 ? (set.count + 1) / 2 : 1; block > 0 && left.count > 0;
       block /= 2) {
    for (uint32_t from = 0; from < left.count;) {
      uint32_t to = from + block < left.count ? from + block : left.count, count = 0;
      for (uint32_t i = 0; i < left.count; i++)
        if (i < from || i >= to) rest[count++] = left.items[i];
      if (!holds(user, rest, count)) {
        from = to;
        continue;
      }
      memcpy(left.items, rest, count * sizeof(uint32_t));
      left.count = count;
    }
  }
  return left;
}
