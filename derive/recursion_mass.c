/* The mass matrix of a recursion (recursion.h), entry by entry, without its expressions.
 *
 * With the forms s = J q'' the kinetic energy is 1/2 q' (J^T D J) q', where D holds the inertias on
 * the forms and J their partial sums. D stands over all variables; putting in what a sum is, the
 * last one first, moves its row and column to the variables before. What is left over the
 * accelerations is M: for bodies in a tree the algorithm of composite bodies (Featherstone, Rigid
 * Body Dynamics Algorithms (2008), 6.2), with a number of moves that grows as that of the
 * entries. */
#include "derive/recursion_forms.h"
#include "base/map.h"
#include "derive/sample.h"
#include <stdlib.h>

/* More is not worth the memory; an entry takes some four. */
enum { MOST_MOVES = 20000000 };
/* So many times as long as the recursion: with less, both are to be compared (codegen). */
enum { TIMES_AS_LONG = 2 };

struct planner {
  struct recursion *r;
  struct map slot_of;      /* (u, v) with u <= v -> 1 + slot */
  VECTOR(uint32_t) * with; /* of each variable: those it has an entry with, itself apart */
};

/* The slot of an entry; made, with 0 in it, if it was not there. */
static uint32_t slot_of(struct planner *p, uint32_t u, uint32_t v) {
  uint64_t key = u < v ? map_pair(u, v) : map_pair(v, u);
  uint32_t found = map_get(&p->slot_of, key);
  if (found != 0) return found - 1;
  uint32_t slot = p->r->mass.slots++;
  map_set(&p->slot_of, key, slot + 1);
  if (u == v) return slot;
  vector_push(&p->with[u], v);
  vector_push(&p->with[v], u);
  return slot;
}

static void add_move(struct planner *p, uint32_t to, uint32_t from, uint32_t term, bool is_twice) {
  vector_push(&p->r->mass.moves, ((struct recursion_move){to, from, term, is_twice}));
}

/* Row and column of v go to the terms of its sum; those of later sums have gone before. */
static void put_in(struct planner *p, uint32_t v) {
  struct recursion *r = p->r;
  struct recursion_sum sum = r->sums.items[v - r->n];
  const struct recursion_term *terms = r->sum_terms.items + sum.first;
  uint32_t own = map_get(&p->slot_of, map_pair(v, v)), count = p->with[v].count;
  for (uint32_t j = 0; j < sum.count; j++) {
    uint32_t x = terms[j].variable, term = sum.first + j;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t u = p->with[v].items[i];
      if (u > v) continue;
      uint32_t from = slot_of(p, u, v);
      add_move(p, slot_of(p, u, x), from, term, u == x);
    }
    if (own == 0) continue;
    uint32_t moved = r->mass.slots++;
    add_move(p, moved, own - 1, term, false);
    for (uint32_t k = 0; k <= j; k++)
      add_move(p, slot_of(p, x, terms[k].variable), moved, sum.first + k, false);
  }
}

static void take_entries(struct planner *p) {
  struct recursion *r = p->r;
  for (uint32_t j = 0; j < r->n; j++) {
    uint32_t own = map_get(&p->slot_of, map_pair(j, j));
    if (own != 0) vector_push(&r->mass.entries, ((struct recursion_entry){j, j, own - 1}));
    for (uint32_t k = 0; k < p->with[j].count; k++) {
      uint32_t i = p->with[j].items[k];
      if (i > j && i < r->n)
        vector_push(&r->mass.entries, ((struct recursion_entry){i, j, slot_of(p, i, j)}));
    }
  }
}

/* How many accelerations each variable is made of. */
static uint32_t *count_accelerations(const struct recursion *r) {
  size_t count = r->variables.count, words = ((size_t)r->n + 63) / 64;
  uint64_t *sets = checked_calloc(count * words + 1, sizeof *sets);
  uint32_t *sizes = checked_calloc(count + 1, sizeof *sizes);
  for (size_t v = 0; v < count; v++) {
    uint64_t *set = sets + v * words;
    if (v < r->n) set[v / 64] = (uint64_t)1 << v % 64;
    struct recursion_sum sum = {0};
    if (v >= r->n) sum = r->sums.items[v - r->n];
    for (uint32_t i = 0; i < sum.count; i++) {
      const uint64_t *part = sets + r->sum_terms.items[sum.first + i].variable * words;
      for (size_t w = 0; w < words; w++) set[w] |= part[w];
    }
    for (size_t w = 0; w < words; w++)
      for (uint64_t left = set[w]; left != 0; left &= left - 1) sizes[v]++;
  }
  free(sets);
  return sizes;
}

/* As expressions the entries have a term for each inertia and each pair of accelerations that move
 * it; the factorisation takes a third of the cube where all is full. */
static bool is_long(const struct recursion *r) {
  uint32_t *sizes = count_accelerations(r);
  uint64_t entries = 2 * (uint64_t)r->mass.entries.count, work = entries * r->n / 3;
  for (uint32_t i = 0; i < r->inertias.count; i++)
    work += (uint64_t)sizes[r->inertias.items[i].a] * sizes[r->inertias.items[i].b];
  free(sizes);
  return work > TIMES_AS_LONG * r->operations;
}

void recursion_plan_mass(struct recursion *r) {
  struct planner p = {.r = r};
  uint32_t count = r->variables.count;
  bool ok = true;
  p.with = checked_calloc((size_t)count + 1, sizeof *p.with);
  for (uint32_t i = 0; i < r->inertias.count; i++)
    (void)slot_of(&p, r->inertias.items[i].a, r->inertias.items[i].b);
  for (uint32_t v = count; v-- > r->n && ok;) {
    put_in(&p, v);
    ok = r->mass.moves.count <= MOST_MOVES;
  }
  if (ok) {
    take_entries(&p);
    r->mass.is_long = is_long(r);
  } else {
    vector_free(&r->mass.moves);
    r->mass.slots = 0;
  }
  for (uint32_t v = 0; v < count; v++) vector_free(&p.with[v]);
  free(p.with);
  map_free(&p.slot_of);
}

void recursion_mass_at(const struct recursion *r, struct expr_graph *graph, struct sample *sample,
                       double *mass) {
  size_t inertias = r->inertias.count, terms = r->sum_terms.count, n = r->n;
  expr *roots = checked_calloc(inertias + terms + 1, sizeof *roots);
  double *values = checked_calloc(inertias + terms + 1, sizeof *values);
  double *slots = checked_calloc((size_t)r->mass.slots + 1, sizeof *slots);
  const double *coefficients = values + inertias;
  for (size_t i = 0; i < inertias; i++) roots[i] = r->inertias.items[i].value;
  for (size_t i = 0; i < terms; i++) roots[inertias + i] = r->sum_terms.items[i].coefficient;
  expr_evaluate(graph, roots, inertias + terms, sample_value, sample, values);
  for (size_t i = 0; i < inertias; i++) slots[i] = values[i];
  for (uint32_t i = 0; i < r->mass.moves.count; i++) {
    struct recursion_move move = r->mass.moves.items[i];
    slots[move.to] += (move.is_twice ? 2 : 1) * coefficients[move.term] * slots[move.from];
  }
  for (size_t i = 0; i < n * n; i++) mass[i] = 0;
  for (uint32_t i = 0; i < r->mass.entries.count; i++) {
    struct recursion_entry entry = r->mass.entries.items[i];
    mass[entry.row + entry.column * n] = mass[entry.column + entry.row * n] = slots[entry.slot];
  }
  free(roots);
  free(values);
  free(slots);
}
