/* Vectors as shared lists of parts: making, adding, scaling.
 *
 * A part along the axis of its frame's own turn belongs to the parent as well and is moved there,
 * so that it drags no angle along. */
#include "kinematics/store.h"
#include <string.h>

/* ---- cells */

static void find_meeting(const struct kinematics *k, struct cell *cell) {
  const struct cell *rest = cell_at(k, cell->rest);
  cell->meeting = cell->part.frame;
  cell->forked = 0;
  if (cell->rest == VECTOR_ZERO) return;
  if (!rest->forked && frame_is_above(k, rest->meeting, cell->part.frame)) return;
  cell->meeting = frame_common(k, rest->meeting, cell->part.frame);
  cell->forked = 1;
}

/* part + rest, where all frames of the rest have smaller ids and the part is in standard form. */
static vector_id intern(struct kinematics *k, const struct part *part, vector_id rest) {
  uint32_t words[5] = {part->frame, part->c[0], part->c[1], part->c[2], rest};
  uint64_t key = hash_bytes(words, sizeof words, 2);
  for (vector_id found; (found = map_get(&k->cell_of_hash, key)) != 0; key++) {
    const struct cell *cell = cell_at(k, found);
    if (cell->rest == rest && memcmp(&cell->part, part, sizeof *part) == 0) return found;
  }
  struct cell cell = {.part = *part, .rest = rest, .count = cell_at(k, rest)->count + 1};
  find_meeting(k, &cell);
  vector_push(&k->cells, cell);
  map_set(&k->cell_of_hash, key, k->cells.count - 1);
  return k->cells.count - 1;
}

/* ---- sums */

static bool is_along_own_axis(const struct kinematics *k, const struct part *part) {
  const struct frame *frame = frame_at(k, part->frame);
  return frame->kind == FRAME_TURN && part->c[(frame->axis + 1) % 3] == k->zero &&
         part->c[(frame->axis + 2) % 3] == k->zero;
}

/* What is still to be added: two lists, and parts that were moved to a parent; those stand at
 * k->parts[loose_from ..] in rising order of frame. */
struct addition {
  vector_id a, b;
  bool subtract; /* b */
  uint32_t loose_from;
};

static void add_loose(struct kinematics *k, const struct addition *sum, struct part part) {
  uint32_t at = k->parts.count;
  vector_push(&k->parts, part);
  for (; at > sum->loose_from && k->parts.items[at - 1].frame > part.frame; at--)
    k->parts.items[at] = k->parts.items[at - 1];
  k->parts.items[at] = part;
}

static void accumulate(struct kinematics *k, struct part *into, const struct part *part,
                       bool subtract) {
  for (int i = 0; i < 3; i++)
    into->c[i] = subtract ? expr_subtract(k->graph, into->c[i], part->c[i])
                          : expr_add(k->graph, into->c[i], part->c[i]);
}

static bool has_loose(const struct kinematics *k, const struct addition *sum) {
  return k->parts.count > sum->loose_from;
}

/* The sum of all parts of the greatest frame. */
static struct part take_greatest(struct kinematics *k, struct addition *sum) {
  frame_id greatest = has_loose(k, sum) ? vector_last(&k->parts).frame : 0;
  struct part a = cell_at(k, sum->a)->part, b = cell_at(k, sum->b)->part;
  if (a.frame > greatest) greatest = a.frame;
  if (b.frame > greatest) greatest = b.frame;
  struct part result = {greatest, {k->zero, k->zero, k->zero}};
  if (a.frame == greatest) {
    accumulate(k, &result, &a, false);
    sum->a = cell_at(k, sum->a)->rest;
  }
  if (b.frame == greatest) {
    accumulate(k, &result, &b, sum->subtract);
    sum->b = cell_at(k, sum->b)->rest;
  }
  while (has_loose(k, sum) && vector_last(&k->parts).frame == greatest) {
    struct part loose = vector_pop(&k->parts);
    accumulate(k, &result, &loose, false);
  }
  return result;
}

/* True if the sum of what is left needs no more work; that vector in *left. */
static bool is_simple(const struct kinematics *k, struct addition *sum, vector_id *left) {
  if (sum->subtract && sum->a == sum->b) sum->a = sum->b = VECTOR_ZERO;
  if (has_loose(k, sum)) return false;
  *left = sum->b == VECTOR_ZERO ? sum->a : sum->b;
  return sum->b == VECTOR_ZERO || (sum->a == VECTOR_ZERO && !sum->subtract);
}

/* a +- b + the parts above `loose_from`, which are taken off. */
static vector_id add_all(struct kinematics *k, struct addition sum) {
  VECTOR(struct part) done = {0}; /* in falling order of frame */
  vector_id result = VECTOR_ZERO;
  while (!is_simple(k, &sum, &result)) {
    struct part part = take_greatest(k, &sum);
    if (is_zero_triple(k, part.c)) continue;
    if (is_along_own_axis(k, &part)) {
      part.frame = frame_at(k, part.frame)->parent;
      add_loose(k, &sum, part);
    } else {
      vector_push(&done, part);
    }
  }
  while (done.count > 0) {
    struct part part = vector_pop(&done);
    result = intern(k, &part, result);
  }
  vector_free(&done);
  return result;
}

vector_id vector_add_part(struct kinematics *k, vector_id v, frame_id f, const expr c[3]) {
  struct part part = {f, {c[0], c[1], c[2]}};
  struct addition sum = {v, VECTOR_ZERO, false, k->parts.count};
  vector_push(&k->parts, part);
  return add_all(k, sum);
}

vector_id vector_in(struct kinematics *k, frame_id frame, const expr components[3]) {
  return vector_add_part(k, VECTOR_ZERO, frame, components);
}

vector_id vector_add(struct kinematics *k, vector_id a, vector_id b) {
  return add_all(k, (struct addition){a, b, false, k->parts.count});
}

vector_id vector_subtract(struct kinematics *k, vector_id a, vector_id b) {
  return add_all(k, (struct addition){a, b, true, k->parts.count});
}

/* ---- part by part */

/* Puts the parts of a on k->parts in falling order of frame. */
static void push_parts(struct kinematics *k, vector_id a) {
  for (; a != VECTOR_ZERO; a = cell_at(k, a)->rest) vector_push(&k->parts, cell_at(k, a)->part);
}

vector_id vector_scale(struct kinematics *k, expr factor, vector_id a) {
  if (factor == k->one) return a;
  if (factor == k->zero) return VECTOR_ZERO;
  uint32_t height = k->parts.count;
  vector_id result = VECTOR_ZERO;
  push_parts(k, a);
  while (k->parts.count > height) {
    struct part part = vector_pop(&k->parts);
    for (int i = 0; i < 3; i++) part.c[i] = expr_multiply(k->graph, factor, part.c[i]);
    result = vector_add_part(k, result, part.frame, part.c);
  }
  return result;
}

vector_id vector_map(struct kinematics *k, vector_id a, expr (*map)(void *user, expr e),
                     void *user) {
  uint32_t height = k->parts.count;
  vector_id result = VECTOR_ZERO;
  push_parts(k, a);
  while (k->parts.count > height) {
    struct part part = vector_pop(&k->parts);
    for (int i = 0; i < 3; i++) part.c[i] = map(user, part.c[i]);
    result = vector_add_part(k, result, part.frame, part.c);
  }
  return result;
}

uint32_t vector_part_count(const struct kinematics *k, vector_id a) {
  return cell_at(k, a)->count;
}

frame_id vector_part(const struct kinematics *k, vector_id a, uint32_t i, expr out[3]) {
  for (uint32_t from_end = cell_at(k, a)->count - 1; from_end > i; from_end--)
    a = cell_at(k, a)->rest;
  memcpy(out, cell_at(k, a)->part.c, 3 * sizeof *out);
  return cell_at(k, a)->part.frame;
}

void vector_print(struct kinematics *k, struct text *out, vector_id a,
                  const char *(*name)(void *user, frame_id frame), void *user) {
  if (a == VECTOR_ZERO) text_put(out, "0");
  uint32_t height = k->parts.count;
  push_parts(k, a);
  const char *between = "";
  while (k->parts.count > height) {
    struct part part = vector_pop(&k->parts);
    text_format(out, "%s%s: (", between, name(user, part.frame));
    for (int i = 0; i < 3; i++) {
      if (i > 0) text_put(out, ", ");
      expr_print_text(k->graph, out, part.c[i]);
    }
    text_put(out, ")");
    between = " + ";
  }
}
