/* Components across one edge of the tree.
 *
 * Turn about a coordinate axis: four products. About another unit vector n: Rodrigues' formula
 * R = 1 + sin [n]x + (1 - cos) [n]x^2, on |n| = 1 the same as cos 1 + sin [n]x + (1 - cos) n n^T,
 * which is shorter where a component of n is zero. Euler parameters: R = 1 + 2 e0 [e]x + 2 [e]x^2
 * (Wittenburg, Dynamics of Multibody Systems, 2nd ed., section 2.1.4). */
#include "kinematics/store.h"
#include <string.h>

/* ---- turns about coordinate axes */

static void turn_plane(struct kinematics *k, int axis, expr cosine, expr sine, const expr in[3],
                       expr out[3]) {
  struct expr_graph *g = k->graph;
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  expr x = in[i], y = in[j];
  out[axis] = in[axis];
  out[i] = expr_subtract(g, expr_multiply(g, cosine, x), expr_multiply(g, sine, y));
  out[j] = expr_add(g, expr_multiply(g, sine, x), expr_multiply(g, cosine, y));
}

/* ---- matrices */

static void skew_matrix(struct kinematics *k, const expr n[3], expr cosine, expr sine,
                        expr matrix[9]) {
  struct expr_graph *g = k->graph;
  expr versine = expr_subtract(g, k->one, cosine);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      expr both = expr_product(g, (expr[]){versine, n[i], n[j]}, 3);
      expr other = cosine;
      if (i != j) {
        other = expr_multiply(g, sine, n[3 - i - j]);
        if ((j - i + 3) % 3 == 1) other = expr_negate(g, other);
      }
      matrix[i + 3 * j] = expr_add(g, other, both);
    }
  }
}

static void oriented_matrix(struct kinematics *k, const expr p[4], expr matrix[9]) {
  struct expr_graph *g = k->graph;
  expr two = expr_integer(g, 2), minus_two = expr_integer(g, -2);
  const expr *e = p + 1;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (i == j) {
        expr a = e[(i + 1) % 3], b = e[(i + 2) % 3];
        expr squares = expr_add(g, expr_multiply(g, a, a), expr_multiply(g, b, b));
        matrix[i + 3 * j] = expr_add(g, k->one, expr_multiply(g, minus_two, squares));
        continue;
      }
      expr factor = (j - i + 3) % 3 == 1 ? minus_two : two;
      matrix[i + 3 * j] = expr_add(g, expr_product(g, (expr[]){two, e[i], e[j]}, 3),
                                   expr_product(g, (expr[]){factor, p[0], e[3 - i - j]}, 3));
    }
  }
}

/* The matrix to the parent. Valid until the next one is made. */
static const expr *matrix_of(struct kinematics *k, frame_id f) {
  if (frame_at(k, f)->matrix == 0) {
    struct frame frame = *frame_at(k, f);
    expr matrix[9];
    if (frame.kind == FRAME_SKEW)
      skew_matrix(k, frame.data + 1, frame.cosine, frame.sine, matrix);
    else
      oriented_matrix(k, frame.data, matrix);
    k->frames.items[f].matrix = k->matrices.count + 1;
    for (int i = 0; i < 9; i++) vector_push(&k->matrices, matrix[i]);
  }
  return k->matrices.items + frame_at(k, f)->matrix - 1;
}

static void multiply(struct kinematics *k, const expr *matrix, bool transposed, const expr in[3],
                     expr out[3]) {
  expr result[3];
  for (int i = 0; i < 3; i++) {
    expr row[3];
    for (int j = 0; j < 3; j++) row[j] = transposed ? matrix[j + 3 * i] : matrix[i + 3 * j];
    result[i] = dot_components(k, row, in);
  }
  memcpy(out, result, sizeof result);
}

/* ---- what a turn leaves as it is */

static bool is_along(struct kinematics *k, const expr n[3], const expr c[3]) {
  for (int i = 0; i < 3; i++)
    if ((n[i] == k->zero) != (c[i] == k->zero)) return false;
  expr ratio = 0;
  for (int i = 0; i < 3; i++) {
    if (n[i] == k->zero) continue;
    expr next = expr_divide(k->graph, c[i], n[i]);
    if (ratio != 0 && next != ratio) return false;
    ratio = next;
  }
  return true;
}

static uint32_t term_count(struct kinematics *k, expr e) {
  uint32_t count;
  if (e == k->zero) return 0;
  if (expr_operator_of(k->graph, e) != EXPR_SUM) return 1;
  expr_operands(k->graph, e, &count);
  return count + (mpq_sgn(expr_constant(k->graph, e)) != 0);
}

/* If the frame's own angular velocity is visibly a summand of the vector: the rest of it. Its
 * components are known on both sides of the edge, and shorter than what the matrix would make. */
static bool take_rate_out(struct kinematics *k, frame_id f, const expr in[3], expr rest[3]) {
  vector_id rate = frame_at(k, f)->own_rate;
  if (rate <= VECTOR_ZERO) return false; /* not known yet, or none */
  struct part own = cell_at(k, rate)->part;
  for (int i = 0; i < 3; i++) {
    rest[i] = expr_subtract(k->graph, in[i], own.c[i]);
    if (own.c[i] != k->zero && term_count(k, rest[i]) >= term_count(k, in[i])) return false;
  }
  return true;
}

static void matrix_up(struct kinematics *k, frame_id f, const expr in[3], expr out[3]) {
  expr rest[3], own[3];
  if (!take_rate_out(k, f, in, rest)) {
    multiply(k, matrix_of(k, f), false, in, out);
    return;
  }
  if (frame_at(k, f)->kind == FRAME_ORIENTED)
    oriented_omega(k, f, true, own);
  else
    memcpy(own, cell_at(k, frame_at(k, f)->own_rate)->part.c, sizeof own);
  multiply(k, matrix_of(k, f), false, rest, rest);
  for (int i = 0; i < 3; i++) out[i] = expr_add(k->graph, own[i], rest[i]);
}

static bool is_unmoved(struct kinematics *k, frame_id f, const expr in[3]) {
  struct frame frame = *frame_at(k, f);
  return is_zero_triple(k, in) || (frame.kind == FRAME_SKEW && is_along(k, frame.data + 1, in));
}

/* ---- the edges */

void turn_up(struct kinematics *k, frame_id f, const expr in[3], expr out[3]) {
  struct frame frame = *frame_at(k, f);
  if (frame.kind == FRAME_TURN)
    turn_plane(k, frame.axis, frame.cosine, frame.sine, in, out);
  else if (is_unmoved(k, f, in))
    memmove(out, in, 3 * sizeof *out);
  else
    matrix_up(k, f, in, out);
}

void turn_down(struct kinematics *k, frame_id f, const expr in[3], expr out[3]) {
  struct frame frame = *frame_at(k, f);
  if (frame.kind == FRAME_TURN)
    turn_plane(k, frame.axis, frame.cosine, expr_negate(k->graph, frame.sine), in, out);
  else if (is_unmoved(k, f, in))
    memmove(out, in, 3 * sizeof *out);
  else
    multiply(k, matrix_of(k, f), true, in, out);
}

void turn_across(struct kinematics *k, frame_id from, frame_id to, const expr in[3], expr out[3]) {
  struct frame one = *frame_at(k, from), two = *frame_at(k, to);
  expr angle = expr_subtract(k->graph, one.data[0], two.data[0]);
  expr cosine = expr_unary(k->graph, EXPR_COS, angle), sine = expr_unary(k->graph, EXPR_SIN, angle);
  if (one.kind == FRAME_TURN) {
    turn_plane(k, one.axis, cosine, sine, in, out);
  } else if (is_unmoved(k, from, in)) {
    memmove(out, in, 3 * sizeof *out);
  } else {
    expr matrix[9];
    skew_matrix(k, one.data + 1, cosine, sine, matrix);
    multiply(k, matrix, false, in, out);
  }
}
