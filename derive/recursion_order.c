/* The order in which a recursion eliminates its variables, and which of them meet on the way.
 *
 * Unknowns with the fewest sums above them come first, each after the sums above it, the
 * outer ones first. In a tree of bodies that is from the leaves on, a branch at a time, and the
 * variables that meet at a step are those at one joint: their number does not grow with the tree.
 */
#include "derive/recursion_forms.h"
#include "base/bug.h"
#include "base/map.h"
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS_OF_COORDINATE = 3000 }; /* more is not worth a tape */

/* ---- the order */

struct uses { /* of variable v: user[first[v]] .. user[first[v+1]-1] have it in their definition */
  uint32_t *first, *user;
};

static struct uses uses_of(const struct recursion *r) {
  uint32_t count = r->variables.count;
  struct uses uses = {checked_calloc((size_t)count + 1, sizeof(uint32_t)),
                      checked_calloc((size_t)r->terms.count + 1, sizeof(uint32_t))};
  for (uint32_t i = 0; i < r->terms.count; i++) uses.first[r->terms.items[i].variable]++;
  for (uint32_t v = 0, sum = 0; v <= count; v++) uses.first[v] = sum += uses.first[v];
  for (uint32_t v = 0; v < count; v++)
    for (uint32_t i = 0; i < r->variables.items[v].count; i++)
      uses.user[--uses.first[r->terms.items[r->variables.items[v].first + i].variable]] = v;
  return uses;
}

struct ranked {
  uint32_t unknown, above;
};

static int by_rank(const void *left, const void *right) {
  const struct ranked *a = left, *b = right;
  if (a->above != b->above) return a->above < b->above ? -1 : 1;
  return (a->unknown < b->unknown) - (a->unknown > b->unknown);
}

static int descending(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a < b) - (a > b);
}

typedef VECTOR(uint32_t) index_list;

/* Appends the sums above a variable that are not marked yet, and marks them. */
static void collect_above(const struct uses *uses, uint32_t variable, uint32_t mark,
                          uint32_t *marks, index_list *out) {
  uint32_t next = out->count, at = variable;
  for (;;) {
    for (uint32_t i = uses->first[at]; i < uses->first[at + 1]; i++) {
      uint32_t user = uses->user[i];
      if (marks[user] == mark) continue;
      marks[user] = mark;
      vector_push(out, user);
    }
    if (next == out->count) return;
    at = out->items[next++];
  }
}

/* The unknowns in the order of elimination; freed by the caller. */
static struct ranked *rank_unknowns(const struct recursion *r, const struct uses *uses,
                                    uint32_t *marks) {
  struct ranked *ranked = checked_calloc((size_t)r->n + 1, sizeof *ranked);
  index_list above = {0};
  uint32_t count = 0;
  for (uint32_t v = 0; v < r->variables.count; v++) {
    if (!r->variables.items[v].is_unknown) continue;
    above.count = 0;
    collect_above(uses, v, v + 1, marks, &above);
    ranked[count++] = (struct ranked){v, above.count};
  }
  if (count != r->n) bug("recursion: %u unknowns for %u accelerations", count, r->n);
  qsort(ranked, r->n, sizeof *ranked, by_rank);
  vector_free(&above);
  return ranked;
}

/* Sums are made of those before them and of accelerations, so the last go first; before all go
 * accelerations that follow from a sum, which are in no other. */
static void place_above(struct recursion *r, index_list *above, uint32_t *placed) {
  if (above->count > 1) qsort(above->items, above->count, sizeof *above->items, descending);
  for (uint32_t i = 0; i < above->count; i++)
    if (above->items[i] < r->n) r->order[(*placed)++] = above->items[i];
  for (uint32_t i = 0; i < above->count; i++)
    if (above->items[i] >= r->n) r->order[(*placed)++] = above->items[i];
}

void recursion_order(struct recursion *r) {
  struct uses uses = uses_of(r);
  uint32_t count = r->variables.count, placed = 0;
  uint32_t *marks = checked_calloc((size_t)count + 1, sizeof *marks);
  struct ranked *ranked = rank_unknowns(r, &uses, marks);
  index_list above = {0};
  memset(marks, 0, count * sizeof *marks);
  r->order = checked_calloc((size_t)count + 1, sizeof *r->order);
  for (uint32_t k = 0; k < r->n; k++) {
    above.count = 0;
    collect_above(&uses, ranked[k].unknown, 1, marks, &above);
    place_above(r, &above, &placed);
    r->order[placed++] = ranked[k].unknown;
  }
  if (placed != count) bug("recursion: a sum without an acceleration");
  vector_free(&above);
  free(ranked);
  free(marks);
  free(uses.first);
  free(uses.user);
}

/* ---- which variables meet */

struct meeting {
  struct map pairs;
  index_list *lists; /* of each variable */
  bool *has_own;     /* its square is there */
};

static void meet(struct meeting *m, uint32_t a, uint32_t b) {
  uint64_t key = a < b ? map_pair(a, b) : map_pair(b, a);
  if (a == b) m->has_own[a] = true;
  if (a == b || map_get(&m->pairs, key) != 0) return;
  map_set(&m->pairs, key, 1);
  vector_push(&m->lists[a], b);
  vector_push(&m->lists[b], a);
}

/* Variable v leaves; false if that has become too much work. */
static bool eliminate(struct recursion *r, struct meeting *m, const bool *is_gone, uint32_t v) {
  struct recursion_variable *variable = &r->variables.items[v];
  const struct recursion_term *terms = r->terms.items + variable->first;
  variable->first_neighbour = r->neighbours.count;
  for (uint32_t i = 0; i < m->lists[v].count; i++)
    if (!is_gone[m->lists[v].items[i]]) vector_push(&r->neighbours, m->lists[v].items[i]);
  variable->neighbours = r->neighbours.count - variable->first_neighbour;
  const uint32_t *near = r->neighbours.items + variable->first_neighbour;
  uint64_t close = variable->neighbours, own = variable->count;
  r->operations += variable->is_unknown ? close * (close + 5) + 8
                                        : own * (own + 1) * m->has_own[v] + 2 * own * (close + 1);
  if (r->operations > OPERATIONS_OF_COORDINATE * (uint64_t)r->n) return false;
  for (uint32_t i = 0; i < close; i++) {
    for (uint32_t k = i; k < close && variable->is_unknown; k++) meet(m, near[i], near[k]);
    for (uint32_t k = 0; k < own; k++) meet(m, near[i], terms[k].variable);
  }
  for (uint32_t i = 0; i < own && m->has_own[v]; i++)
    for (uint32_t k = i; k < own; k++) meet(m, terms[i].variable, terms[k].variable);
  return true;
}

bool recursion_meet(struct recursion *r) {
  uint32_t count = r->variables.count;
  struct meeting m = {.lists = checked_calloc((size_t)count + 1, sizeof *m.lists),
                      .has_own = checked_calloc((size_t)count + 1, sizeof *m.has_own)};
  bool *is_gone = checked_calloc((size_t)count + 1, sizeof *is_gone), ok = true;
  for (uint32_t i = 0; i < r->inertias.count; i++)
    meet(&m, r->inertias.items[i].a, r->inertias.items[i].b);
  for (uint32_t k = 0; k < count && ok; k++) {
    is_gone[r->order[k]] = true;
    ok = eliminate(r, &m, is_gone, r->order[k]);
  }
  for (uint32_t v = 0; v < count; v++) vector_free(&m.lists[v]);
  free(m.lists);
  free(m.has_own);
  map_free(&m.pairs);
  free(is_gone);
  return ok;
}
