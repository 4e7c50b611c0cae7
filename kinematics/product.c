/* Products of vectors, taken in the frame where their parts meet. */
#include "kinematics/store.h"
#include <string.h>

expr dot_components(struct kinematics *k, const expr a[3], const expr b[3]) {
  expr terms[3];
  for (int i = 0; i < 3; i++) terms[i] = expr_multiply(k->graph, a[i], b[i]);
  return expr_sum(k->graph, terms, 3);
}

void cross_components(struct kinematics *k, const expr a[3], const expr b[3], expr out[3]) {
  struct expr_graph *g = k->graph;
  expr result[3];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    result[i] = expr_subtract(g, expr_multiply(g, a[j], b[l]), expr_multiply(g, a[l], b[j]));
  }
  memcpy(out, result, sizeof result);
}

/* The frame below all others if they lie on one path, else the last one above all ends of paths. */
frame_id vector_meeting(const struct kinematics *k, vector_id a, vector_id b) {
  const struct cell *one = cell_at(k, a), *two = cell_at(k, b);
  if (!one->forked && frame_is_above(k, one->meeting, two->meeting)) return two->meeting;
  if (!two->forked && frame_is_above(k, two->meeting, one->meeting)) return one->meeting;
  return frame_common(k, one->meeting, two->meeting);
}

frame_id vector_frame(struct kinematics *k, vector_id a) {
  return cell_at(k, a)->meeting;
}

static vector_id single(struct kinematics *k, const struct part *part) {
  return vector_in(k, part->frame, part->c);
}

/* Two single parts meet in the frame of the later one: there is no other to share work with, and
 * between turns about one axis only the difference of the angles is seen. */
static frame_id dot_frame(const struct kinematics *k, vector_id a, vector_id b) {
  const struct cell *one = cell_at(k, a), *two = cell_at(k, b);
  if (one->count != 1 || two->count != 1) return vector_meeting(k, a, b);
  return one->part.frame > two->part.frame ? one->part.frame : two->part.frame;
}

expr vector_square(struct kinematics *k, vector_id a) {
  expr c[3];
  struct cell cell = *cell_at(k, a);
  if (cell.count != 2) {
    vector_components(k, a, cell.meeting, c);
    return dot_components(k, c, c);
  }
  struct part other = cell_at(k, cell.rest)->part;
  vector_id first = single(k, &cell.part);
  expr terms[3] = {dot_components(k, cell.part.c, cell.part.c), dot_components(k, other.c, other.c),
                   vector_dot(k, first, cell.rest)};
  terms[2] = expr_multiply(k->graph, expr_integer(k->graph, 2), terms[2]);
  return expr_sum(k->graph, terms, 3);
}

expr vector_dot(struct kinematics *k, vector_id a, vector_id b) {
  if (a == VECTOR_ZERO || b == VECTOR_ZERO) return k->zero;
  if (a == b) return vector_square(k, a);
  expr x[3], y[3];
  frame_id in = dot_frame(k, a, b);
  vector_components(k, a, in, x);
  vector_components(k, b, in, y);
  return dot_components(k, x, y);
}

vector_id vector_cross(struct kinematics *k, vector_id a, vector_id b) {
  if (a == VECTOR_ZERO || b == VECTOR_ZERO || a == b) return VECTOR_ZERO;
  expr x[3], y[3];
  frame_id in = dot_frame(k, a, b);
  vector_components(k, a, in, x);
  vector_components(k, b, in, y);
  cross_components(k, x, y, x);
  return vector_in(k, in, x);
}

expr vector_norm(struct kinematics *k, vector_id a) {
  const struct cell *cell = cell_at(k, a);
  if (cell->count == 1) {
    int present = 0;
    expr last = k->zero;
    for (int i = 0; i < 3; i++) {
      if (cell->part.c[i] == k->zero) continue;
      last = cell->part.c[i];
      present++;
    }
    if (present == 1) return expr_unary(k->graph, EXPR_ABS, last);
  }
  return expr_sqrt(k->graph, vector_square(k, a));
}
