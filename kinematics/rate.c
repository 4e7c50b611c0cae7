/* Angular velocities and derivatives.
 *
 * Angular velocities add along the path; the one of a single edge is rate * axis for a turn, and
 * for Euler parameters 2 (e0 e' - e0' e + e x e') in the parent, 2 (e0 e' - e0' e - e x e') in the
 * frame itself (Wittenburg, section 2.1.4; both only on e.e = 1). The derivative of a part in
 * another frame is the one in its own plus omega x part (transport theorem), again in its own. */
#include "kinematics/store.h"

/* ---- angular velocity */

static expr rate_of(struct kinematics *k, expr e) {
  return expr_tangent_of(k->rate, e);
}

void oriented_omega(struct kinematics *k, frame_id f, bool in_parent, expr out[3]) {
  struct expr_graph *g = k->graph;
  struct frame frame = *frame_at(k, f);
  expr rate[4], cross[3], two = expr_integer(g, 2);
  for (int i = 0; i < 4; i++) rate[i] = rate_of(k, frame.data[i]);
  cross_components(k, frame.data + 1, rate + 1, cross);
  for (int i = 0; i < 3; i++) {
    expr terms[3] = {expr_multiply(g, frame.data[0], rate[i + 1]),
                     expr_negate(g, expr_multiply(g, rate[0], frame.data[i + 1])),
                     in_parent ? cross[i] : expr_negate(g, cross[i])};
    out[i] = expr_multiply(g, two, expr_sum(g, terms, 3));
  }
}

/* Against the parent. Turns about other than coordinate axes and Euler parameters keep it in the
 * frame itself: going down the tree, it then does not have to pass the frame's own matrix. */
static vector_id own_rate(struct kinematics *k, frame_id f) {
  struct frame frame = *frame_at(k, f);
  if (frame.own_rate != 0) return frame.own_rate;
  expr c[3] = {k->zero, k->zero, k->zero};
  if (frame.kind == FRAME_ORIENTED) {
    oriented_omega(k, f, false, c);
  } else {
    expr rate = rate_of(k, frame.data[0]);
    if (frame.kind == FRAME_TURN) c[frame.axis] = rate;
    for (int i = 0; i < 3 && frame.kind == FRAME_SKEW; i++)
      c[i] = expr_multiply(k->graph, rate, frame.data[i + 1]);
  }
  vector_id result = vector_in(k, f, c);
  k->frames.items[f].own_rate = result;
  return result;
}

/* Against a frame above. */
static vector_id omega_up(struct kinematics *k, frame_id of, frame_id above) {
  vector_id result = VECTOR_ZERO;
  uint32_t height = k->path.count;
  for (frame_id f = of; f != above; f = frame_at(k, f)->parent) {
    vector_id known = map_get(&k->omegas, map_pair(f, above));
    if (known != 0) {
      result = known;
      break;
    }
    vector_push(&k->path, f);
  }
  while (k->path.count > height) {
    frame_id f = vector_pop(&k->path);
    result = vector_add(k, result, own_rate(k, f));
    map_set(&k->omegas, map_pair(f, above), result);
  }
  return result;
}

vector_id frame_omega(struct kinematics *k, frame_id of, frame_id in) {
  frame_id common = frame_common(k, of, in);
  return vector_subtract(k, omega_up(k, of, common), omega_up(k, in, common));
}

vector_id frame_alpha(struct kinematics *k, frame_id of, frame_id in) {
  return vector_derivative(k, frame_omega(k, of, in), in);
}

/* ---- derivatives */

enum { MANY = 4 };

static vector_id add_part_derivative(struct kinematics *k, vector_id sum, struct part part,
                                     frame_id in) {
  expr omega[3], turned[3];
  vector_components(k, frame_omega(k, part.frame, in), part.frame, omega);
  cross_components(k, omega, part.c, turned);
  for (int i = 0; i < 3; i++) part.c[i] = expr_add(k->graph, rate_of(k, part.c[i]), turned[i]);
  return vector_add_part(k, sum, part.frame, part.c);
}

/* The frame above all parts and above `in`. */
static frame_id top_of(const struct kinematics *k, vector_id a, frame_id in) {
  frame_id top = frame_common(k, cell_at(k, a)->meeting, in);
  while (cell_at(k, a)->rest != VECTOR_ZERO) a = cell_at(k, a)->rest;
  return frame_common(k, cell_at(k, a)->part.frame, top);
}

static vector_id derivative_of_parts(struct kinematics *k, vector_id a, frame_id in) {
  vector_id result = VECTOR_ZERO;
  uint32_t height = k->path.count;
  for (; a != VECTOR_ZERO; a = cell_at(k, a)->rest) {
    vector_id known = map_get(&k->derivatives, map_pair(a, in));
    if (known != 0) {
      result = known;
      break;
    }
    vector_push(&k->path, a);
  }
  while (k->path.count > height) {
    vector_id v = vector_pop(&k->path);
    result = add_part_derivative(k, result, cell_at(k, v)->part, in);
    map_set(&k->derivatives, map_pair(v, in), result);
  }
  return result;
}

/* Seen in a frame that is not above all parts, many parts would each need an angular velocity of
 * their own: then the difference between that frame and one above is taken for all at once. */
vector_id vector_derivative(struct kinematics *k, vector_id a, frame_id in) {
  vector_id known = map_get(&k->derivatives, map_pair(a, in));
  if (known != 0) return known;
  if (cell_at(k, a)->count <= MANY) return derivative_of_parts(k, a, in);
  frame_id top = top_of(k, a, in);
  vector_id result = derivative_of_parts(k, a, top);
  if (top == in) return result;
  result = vector_add(k, result, vector_cross(k, frame_omega(k, top, in), a));
  map_set(&k->derivatives, map_pair(a, in), result);
  return result;
}
