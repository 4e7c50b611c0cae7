/* An order of elimination for  L D L^T  of a bordered matrix [M A^T; A 0] without exchanges.
 *
 * First come the coordinates with mass, for which M is positive definite, in a fill-reducing order
 * (AMD). What is left is -A M^-1 A^T for the constraints, negative definite if A has full rank, so
 * that both halves are stable without exchanges however small single entries become. (Constraints
 * taken earlier, beside some of their coordinates only, would leave less fill now and then, but
 * fail near states where those coordinates' coefficients vanish.)
 *
 * Coordinates without mass come among the constraints, in a fill-reducing order of what is left, in
 * which unknowns wait until their leading block is regular as far as structure tells:
 *   - the constraints eliminated so far can each be matched with another coordinate eliminated so
 *     far, and
 *   - the coordinates without mass can each be matched with another constraint eliminated so far.
 * The leading block of a coordinates and b constraints then has a positive and b negative
 * eigenvalues: pivots of coordinates are positive, those of constraints negative.
 *
 * Source: R. Vanderbei, Symmetric quasidefinite matrices, SIAM J. Optimization 5 (1995); Nocedal &
 * Wright, Numerical Optimization, 16.1 (inertia of the bordered matrix). */
#include "codegen/builder.h"
#include <string.h>

#define UNMATCHED UINT32_MAX

struct ordering {
  uint32_t n, coordinates;
  const bool *nonzero;
  uint32_t *starts, *neighbours; /* adjacency of the unknowns */
  bool *is_done, *is_massless;
  uint32_t *partner_of_coordinate; /* the constraint that uses it */
  uint32_t *partner_of_constraint; /* the coordinate without mass that uses it */
  uint32_t *queue, *reached_from;  /* search: waiting unknowns; by which each was reached */
  uint32_t *seen, round;           /* in which search an unknown was seen last */
};

static bool is_entry(const struct ordering *o, size_t i, size_t j) {
  return o->nonzero[i + j * o->n] || o->nonzero[j + i * o->n];
}

static void list_neighbours(struct ordering *o) {
  VECTOR(uint32_t) list = {0};
  for (uint32_t j = 0; j < o->n; j++) {
    o->starts[j] = list.count;
    for (uint32_t i = 0; i < o->n; i++)
      if (i != j && is_entry(o, i, j)) vector_push(&list, i);
  }
  o->starts[o->n] = list.count;
  vector_reserve(&list, (size_t)list.count + 1);
  o->neighbours = list.items;
}

/* Unknowns of the other kind that `unknown` may be matched with: constraints with any coordinate
 * they touch, coordinates without mass with any constraint. */
static bool may_match(const struct ordering *o, uint32_t unknown, uint32_t other) {
  return o->is_done[other] && (unknown < o->coordinates) != (other < o->coordinates);
}

/* Matches `start` by an augmenting path (breadth first). partner[] belongs to the other kind. */
static bool match(struct ordering *o, uint32_t start, uint32_t *partner) {
  uint32_t head = 0, tail = 0;
  o->round++;
  o->queue[tail++] = start;
  while (head < tail) {
    uint32_t unknown = o->queue[head++];
    for (uint32_t e = o->starts[unknown]; e < o->starts[unknown + 1]; e++) {
      uint32_t other = o->neighbours[e];
      if (!may_match(o, unknown, other) || o->seen[other] == o->round) continue;
      o->seen[other] = o->round;
      o->reached_from[other] = unknown;
      if (partner[other] != UNMATCHED) {
        o->queue[tail++] = partner[other];
        continue;
      }
      while (true) { /* turns the path around */
        uint32_t by = o->reached_from[other], next = UNMATCHED;
        for (uint32_t k = o->starts[by]; k < o->starts[by + 1]; k++)
          if (partner[o->neighbours[k]] == by) next = o->neighbours[k];
        partner[other] = by;
        if (by == start) return true;
        other = next;
      }
    }
  }
  return false;
}

static bool is_ready(struct ordering *o, uint32_t unknown) {
  if (unknown >= o->coordinates) return match(o, unknown, o->partner_of_coordinate);
  return !o->is_massless[unknown] || match(o, unknown, o->partner_of_constraint);
}

/* Takes `unknown` and then those waiting beside it that have become ready. */
static void take(struct ordering *o, uint32_t unknown, bool *is_waiting, int32_t *order,
                 uint32_t *count) {
  uint32_t first = *count;
  o->is_done[unknown] = true;
  order[(*count)++] = (int32_t)unknown;
  for (; first < *count; first++) {
    uint32_t taken = (uint32_t)order[first];
    for (uint32_t e = o->starts[taken]; e < o->starts[taken + 1]; e++) {
      uint32_t other = o->neighbours[e];
      if (!is_waiting[other] || !is_ready(o, other)) continue;
      is_waiting[other] = false;
      o->is_done[other] = true;
      order[(*count)++] = (int32_t)other;
    }
  }
}

/* ---- the two halves */

/* The rows and columns `list` of a pattern. */
static bool *part_of_pattern(const struct ordering *o, const uint32_t *list, uint32_t count) {
  bool *part = checked_calloc((size_t)count * count + 1, sizeof *part);
  for (size_t j = 0; j < count; j++)
    for (size_t i = 0; i < count; i++)
      part[i + j * count] = list[i] == list[j] || is_entry(o, list[i], list[j]);
  return part;
}

/* Puts the unknowns of the list into a fill-reducing order. */
static void reduce_fill(const bool *pattern, uint32_t *list, uint32_t count) {
  int32_t *order = checked_calloc((size_t)count + 1, sizeof *order);
  uint32_t *old = checked_calloc((size_t)count + 1, sizeof *old);
  memcpy(old, list, count * sizeof *list);
  sparse_order(count, pattern, order);
  for (uint32_t k = 0; k < count; k++) list[k] = old[order[k]];
  free(order);
  free(old);
}

/* Eliminates the coordinates with mass, and adds what that fills to the pattern of the rest: all
 * unknowns of it that touch the same block of M become neighbours. */
static void eliminate_masses(struct ordering *o, int32_t *order, uint32_t *count,
                             const uint32_t *rest, uint32_t rest_count, bool *pattern) {
  uint32_t *touching = checked_calloc((size_t)rest_count + 1, sizeof *touching);
  uint32_t *place = checked_calloc((size_t)o->n + 1, sizeof *place);
  for (uint32_t k = 0; k < rest_count; k++) place[rest[k]] = k;
  for (uint32_t first = 0; first < o->coordinates; first++) {
    if (o->is_massless[first] || o->seen[first] != 0) continue;
    uint32_t head = 0, tail = 0, touched = 0; /* breadth first through the block */
    o->queue[tail++] = first;
    o->seen[first] = 1;
    while (head < tail) {
      uint32_t unknown = o->queue[head++];
      for (uint32_t e = o->starts[unknown]; e < o->starts[unknown + 1]; e++) {
        uint32_t other = o->neighbours[e];
        bool is_rest = other >= o->coordinates || o->is_massless[other];
        if (o->seen[other] == (is_rest ? first + 2 : 1)) continue;
        o->seen[other] = is_rest ? first + 2 : 1;
        if (is_rest)
          touching[touched++] = place[other];
        else
          o->queue[tail++] = other;
      }
    }
    for (uint32_t j = 0; j < touched; j++)
      for (uint32_t i = 0; i < touched; i++)
        pattern[touching[i] + (size_t)touching[j] * rest_count] = true;
  }
  for (uint32_t k = 0; k < *count; k++) o->is_done[order[k]] = true;
  memset(o->seen, 0, o->n * sizeof *o->seen);
  free(touching);
  free(place);
}

/* The rest in the order wished, each when it is ready. */
static bool arrange(struct ordering *o, const uint32_t *wished, uint32_t wishes, int32_t *order,
                    uint32_t count) {
  bool *is_waiting = checked_calloc((size_t)o->n + 1, sizeof *is_waiting);
  for (uint32_t k = 0; k < wishes; k++) {
    if (is_ready(o, wished[k]))
      take(o, wished[k], is_waiting, order, &count);
    else
      is_waiting[wished[k]] = true;
  }
  for (uint32_t before = UINT32_MAX; count < o->n && count != before;) {
    before = count; /* ready by a longer path only */
    for (uint32_t k = 0; k < wishes; k++) {
      if (!is_waiting[wished[k]] || !is_ready(o, wished[k])) continue;
      is_waiting[wished[k]] = false;
      take(o, wished[k], is_waiting, order, &count);
    }
  }
  free(is_waiting);
  return count == o->n;
}

static bool find_order(struct ordering *o, int32_t *order) {
  uint32_t *first = checked_calloc((size_t)o->n + 1, sizeof *first), first_count = 0;
  uint32_t *rest = checked_calloc((size_t)o->n + 1, sizeof *rest), rest_count = 0;
  for (uint32_t i = 0; i < o->n; i++)
    if (i < o->coordinates && !o->is_massless[i])
      first[first_count++] = i;
    else
      rest[rest_count++] = i;
  bool *pattern = part_of_pattern(o, first, first_count);
  reduce_fill(pattern, first, first_count);
  free(pattern);
  for (uint32_t k = 0; k < first_count; k++) order[k] = (int32_t)first[k];
  pattern = part_of_pattern(o, rest, rest_count);
  eliminate_masses(o, order, &first_count, rest, rest_count, pattern);
  reduce_fill(pattern, rest, rest_count);
  free(pattern);
  bool is_found = arrange(o, rest, rest_count, order, first_count);
  free(first);
  free(rest);
  return is_found;
}

bool border_order(uint32_t n, uint32_t coordinates, const bool *nonzero, int32_t *order) {
  struct ordering o = {.n = n, .coordinates = coordinates, .nonzero = nonzero};
  size_t size = (size_t)n + 1;
  uint32_t **const arrays[] = {&o.starts, &o.partner_of_coordinate, &o.partner_of_constraint,
                               &o.queue,  &o.reached_from,          &o.seen};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = checked_calloc(size, sizeof(uint32_t));
  o.is_done = checked_calloc(size, sizeof(bool));
  o.is_massless = checked_calloc(size, sizeof(bool));
  for (uint32_t i = 0; i < n; i++) {
    o.partner_of_coordinate[i] = o.partner_of_constraint[i] = UNMATCHED;
    o.is_massless[i] = i < coordinates && !nonzero[i + (size_t)i * n];
  }
  list_neighbours(&o);
  bool is_found = find_order(&o, order);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(*arrays[i]);
  free(o.neighbours);
  free(o.is_done);
  free(o.is_massless);
  return is_found;
}
