/* The tree of frames: making them in standard form, and questions about paths.
 *
 * Every frame has one jump pointer besides its parent; following the one or the other finds an
 * ancestor of any depth in O(log depth) steps, and needs no more memory than the tree (Myers, An
 * applicative random-access stack, 1983). */
#include "kinematics/store.h"
#include <string.h>

static frame_id jump_below(const struct kinematics *k, frame_id parent) {
  frame_id one = frame_at(k, parent)->jump, two = frame_at(k, one)->jump;
  uint32_t depth = frame_at(k, parent)->depth;
  uint32_t first = depth - frame_at(k, one)->depth,
           second = frame_at(k, one)->depth - frame_at(k, two)->depth;
  return first == second ? two : parent;
}

static bool is_same(const struct frame *a, const struct frame *b) {
  return a->parent == b->parent && a->kind == b->kind && a->axis == b->axis &&
         memcmp(a->data, b->data, sizeof a->data) == 0;
}

static frame_id intern(struct kinematics *k, struct frame frame) {
  uint32_t words[6] = {frame.parent,  frame.kind * 4u + frame.axis,
                       frame.data[0], frame.data[1],
                       frame.data[2], frame.data[3]};
  uint64_t key = hash_bytes(words, sizeof words, 1);
  for (frame_id found; (found = map_get(&k->frame_of_hash, key)) != 0; key++)
    if (is_same(frame_at(k, found), &frame)) return found;
  if (frame.kind != FRAME_ORIENTED) {
    frame.cosine = expr_unary(k->graph, EXPR_COS, frame.data[0]);
    frame.sine = expr_unary(k->graph, EXPR_SIN, frame.data[0]);
  }
  frame.depth = frame_at(k, frame.parent)->depth + 1;
  frame.jump = jump_below(k, frame.parent);
  vector_push(&k->frames, frame);
  map_set(&k->frame_of_hash, key, k->frames.count - 1);
  return k->frames.count - 1;
}

static bool is_about(const struct frame *frame, const struct axis *axis) {
  if (axis->coordinate >= 0) return frame->kind == FRAME_TURN && frame->axis == axis->coordinate;
  return frame->kind == FRAME_SKEW &&
         memcmp(frame->data + 1, axis->direction, 3 * sizeof(expr)) == 0;
}

frame_id frame_rotated(struct kinematics *k, frame_id parent, const expr axis[3], expr angle) {
  struct axis turn;
  if (!axis_normalize(k, axis, angle, &turn)) {
    if (expr_graph_is_full(k->graph)) return parent;
    bug("a turn needs an axis");
  }
  if (is_about(frame_at(k, parent), &turn)) {
    turn.angle = expr_add(k->graph, frame_at(k, parent)->data[0], turn.angle);
    parent = frame_at(k, parent)->parent;
  }
  if (turn.angle == k->zero) return parent;
  struct frame frame = {.parent = parent, .kind = FRAME_SKEW, .data = {turn.angle}};
  if (turn.coordinate >= 0) {
    frame.kind = FRAME_TURN;
    frame.axis = (uint8_t)turn.coordinate;
  } else {
    memcpy(frame.data + 1, turn.direction, 3 * sizeof(expr));
  }
  return intern(k, frame);
}

frame_id frame_oriented(struct kinematics *k, frame_id parent, const expr parameters[4]) {
  if (is_zero_triple(k, parameters + 1)) return parent; /* R = 1 whatever e0 is */
  struct frame frame = {.parent = parent, .kind = FRAME_ORIENTED};
  memcpy(frame.data, parameters, sizeof frame.data);
  return intern(k, frame);
}

frame_id frame_parent(const struct kinematics *k, frame_id frame) {
  return frame_at(k, frame)->parent;
}

frame_id frame_last(const struct kinematics *k) {
  return k->frames.count - 1;
}

bool frame_parameters(const struct kinematics *k, frame_id frame, expr out[4]) {
  const struct frame *f = frame_at(k, frame);
  if (f->kind != FRAME_ORIENTED) return false;
  memcpy(out, f->data, sizeof f->data);
  return true;
}

/* ---- paths */

frame_id frame_ancestor(const struct kinematics *k, frame_id f, uint32_t depth) {
  while (frame_at(k, f)->depth > depth) {
    frame_id jump = frame_at(k, f)->jump;
    f = frame_at(k, jump)->depth >= depth ? jump : frame_at(k, f)->parent;
  }
  return f;
}

bool frame_is_above(const struct kinematics *k, frame_id above, frame_id f) {
  return above <= f && frame_ancestor(k, f, frame_at(k, above)->depth) == above;
}

frame_id frame_common(const struct kinematics *k, frame_id a, frame_id b) {
  a = frame_ancestor(k, a, frame_at(k, b)->depth);
  b = frame_ancestor(k, b, frame_at(k, a)->depth);
  while (a != b) {
    /* Equal depths have jumps of equal lengths. */
    frame_id jump_a = frame_at(k, a)->jump, jump_b = frame_at(k, b)->jump;
    bool jump = jump_a != jump_b;
    a = jump ? jump_a : frame_at(k, a)->parent;
    b = jump ? jump_b : frame_at(k, b)->parent;
  }
  return a;
}

bool frame_is_about_same(const struct kinematics *k, frame_id a, frame_id b) {
  const struct frame *one = frame_at(k, a), *two = frame_at(k, b);
  if (one->kind != two->kind) return false;
  if (one->kind == FRAME_TURN) return one->axis == two->axis;
  return one->kind == FRAME_SKEW && memcmp(one->data + 1, two->data + 1, 3 * sizeof(expr)) == 0;
}
