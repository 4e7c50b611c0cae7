/* Kinetic energy and angular momentum.
 *
 * A tensor that is symmetric about an axis is the same before and after a turn about that axis, so
 * such turns of its frame are left away: the energy of a spinning disc does not know the angle. A
 * tensor that is a number times 1 is the same in all frames. */
#include "kinematics/store.h"

enum { XX, YY, ZZ, XY, XZ, YZ };

static bool is_diagonal(const struct kinematics *k, const expr inertia[6]) {
  return inertia[XY] == k->zero && inertia[XZ] == k->zero && inertia[YZ] == k->zero;
}

static bool is_isotropic(const struct kinematics *k, const expr inertia[6]) {
  return is_diagonal(k, inertia) && inertia[XX] == inertia[YY] && inertia[YY] == inertia[ZZ];
}

frame_id inertia_frame(const struct kinematics *k, frame_id frame, const expr inertia[6]) {
  if (!is_diagonal(k, inertia)) return frame;
  for (;; frame = frame_at(k, frame)->parent) {
    const struct frame *f = frame_at(k, frame);
    if (f->kind != FRAME_TURN || inertia[(f->axis + 1) % 3] != inertia[(f->axis + 2) % 3])
      return frame;
  }
}

expr kinetic_of_translation(struct kinematics *k, expr mass, vector_id velocity) {
  expr factors[3] = {expr_ratio(k->graph, 1, 2), mass, vector_square(k, velocity)};
  return expr_product(k->graph, factors, 3);
}

/* Equal moments are taken together, so that squares of sines and cosines meet in one sum. */
static expr diagonal_form(struct kinematics *k, const expr inertia[6], const expr w[3]) {
  struct expr_graph *g = k->graph;
  expr terms[3];
  int count = 0;
  for (int i = 0; i < 3; i++) {
    expr squares[3];
    int equal = 0;
    bool is_first = true;
    for (int j = 0; j < 3; j++) {
      if (inertia[j] != inertia[i]) continue;
      if (j < i) is_first = false;
      squares[equal++] = expr_multiply(g, w[j], w[j]);
    }
    if (is_first)
      terms[count++] = expr_multiply(g, inertia[i], expr_sum(g, squares, (size_t)equal));
  }
  return expr_sum(g, terms, (size_t)count);
}

expr kinetic_of_rotation(struct kinematics *k, frame_id frame, const expr inertia[6],
                         vector_id omega) {
  struct expr_graph *g = k->graph;
  if (is_isotropic(k, inertia)) return kinetic_of_translation(k, inertia[XX], omega);
  expr w[3];
  vector_components(k, omega, inertia_frame(k, frame, inertia), w);
  expr terms[4] = {diagonal_form(k, inertia, w),
                   expr_product(g, (expr[]){expr_integer(g, 2), inertia[XY], w[0], w[1]}, 4),
                   expr_product(g, (expr[]){expr_integer(g, 2), inertia[XZ], w[0], w[2]}, 4),
                   expr_product(g, (expr[]){expr_integer(g, 2), inertia[YZ], w[1], w[2]}, 4)};
  return expr_multiply(g, expr_ratio(g, 1, 2), expr_sum(g, terms, 4));
}

vector_id inertia_times(struct kinematics *k, frame_id frame, const expr inertia[6],
                        vector_id omega) {
  if (is_isotropic(k, inertia)) return vector_scale(k, inertia[XX], omega);
  frame = inertia_frame(k, frame, inertia);
  expr w[3], result[3];
  vector_components(k, omega, frame, w);
  const expr rows[3][3] = {{inertia[XX], inertia[XY], inertia[XZ]},
                           {inertia[XY], inertia[YY], inertia[YZ]},
                           {inertia[XZ], inertia[YZ], inertia[ZZ]}};
  for (int i = 0; i < 3; i++) result[i] = dot_components(k, rows[i], w);
  return vector_in(k, frame, result);
}
