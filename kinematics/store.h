/* Inside of the kinematics, for the files of this folder only.
 *
 * Frames stand in one array, parents before children, so that ids grow along every path from the
 * world. A vector is a list of parts in falling order of frame id, made of shared cells: a cell is
 * the part with the greatest id and the vector of the others. The vectors along a serial chain then
 * differ by one cell each, and what is memoised for a cell serves all longer chains. Equal cells
 * are one cell, hence vectors are compared by id. */
#ifndef DYN_KINEMATICS_STORE_H
#define DYN_KINEMATICS_STORE_H
#include "base/map.h"
#include "base/vector.h"
#include "kinematics/kinematics.h"

enum frame_kind {
  FRAME_ROOT,    /* the world */
  FRAME_TURN,    /* about coordinate axis `axis`; data: angle */
  FRAME_SKEW,    /* about another axis; data: angle, unit vector along the axis */
  FRAME_ORIENTED /* data: Euler parameters, scalar first */
};

struct frame {
  frame_id parent;
  frame_id jump; /* an ancestor far above: paths are searched in logarithmic time (frame.c) */
  uint32_t depth;
  uint8_t kind, axis;
  expr data[4];
  expr cosine, sine;  /* of the angle */
  uint32_t matrix;    /* of SKEW and ORIENTED: 1 + index in `matrices`; 0: not made yet */
  vector_id own_rate; /* angular velocity against the parent; 0: not known yet */
};

struct part {
  frame_id frame;
  expr c[3];
};

struct cell {
  struct part part;
  vector_id rest;   /* parts of smaller frame ids */
  uint32_t count;   /* of parts */
  frame_id meeting; /* vector_frame */
  uint32_t forked;  /* 1: the parts' frames do not lie on one path from the world */
};

struct triple {
  expr c[3];
};

struct kinematics {
  struct expr_graph *graph;
  struct expr_tangent *rate;
  expr zero, one;
  VECTOR(struct frame) frames; /* [0] is unused */
  VECTOR(struct cell) cells;   /* [0] is unused, [VECTOR_ZERO] is empty */
  VECTOR(expr) matrices;       /* nine each */
  struct map frame_of_hash, cell_of_hash;

  /* Memos; keys are pairs of a cell and a frame, or of two frames. */
  struct map components; /* 1 + index in `triples` */
  VECTOR(struct triple) triples;
  struct map projections, derivatives, omegas;

  /* Scratch. Users take what is above the height they found and restore it. */
  VECTOR(struct part) parts;
  VECTOR(uint32_t) path;
  VECTOR(struct part) heap, arrived; /* components.c */
  VECTOR(expr) terms;
};

static inline const struct frame *frame_at(const struct kinematics *k, frame_id f) {
  return &k->frames.items[f];
}
static inline const struct cell *cell_at(const struct kinematics *k, vector_id v) {
  return &k->cells.items[v];
}
static inline bool is_zero_triple(const struct kinematics *k, const expr c[3]) {
  return c[0] == k->zero && c[1] == k->zero && c[2] == k->zero;
}

/* ---- axes (axis.c) */
struct axis {
  int coordinate;    /* 0..2, or -1 for another axis */
  expr direction[3]; /* unit vector of such an axis */
  expr angle;        /* about the normalised axis */
};
/* Turns about axes that differ in sign and length only become turns about one axis. False if the
 * axis is zero. */
bool axis_normalize(struct kinematics *k, const expr axis[3], expr angle, struct axis *out);

/* ---- the tree (frame.c) */
frame_id frame_ancestor(const struct kinematics *k, frame_id f, uint32_t depth);
bool frame_is_above(const struct kinematics *k, frame_id above, frame_id f); /* or equal */
frame_id frame_common(const struct kinematics *k, frame_id a, frame_id b);
bool frame_is_about_same(const struct kinematics *k, frame_id a, frame_id b); /* the same axis */

/* ---- single edges of the tree (turn.c): components from a frame to its parent and back; `out`
 * may be `in`. turn_across: between children of one parent that turn about one axis. */
void turn_up(struct kinematics *k, frame_id f, const expr in[3], expr out[3]);
void turn_down(struct kinematics *k, frame_id f, const expr in[3], expr out[3]);
void turn_across(struct kinematics *k, frame_id from, frame_id to, const expr in[3], expr out[3]);

/* ---- vectors (vector.c, components.c, product.c) */
/* Sum with one more part, which may be zero. */
vector_id vector_add_part(struct kinematics *k, vector_id v, frame_id f, const expr c[3]);
/* Where the parts of two vectors meet. */
frame_id vector_meeting(const struct kinematics *k, vector_id a, vector_id b);
void cross_components(struct kinematics *k, const expr a[3], const expr b[3], expr out[3]);
expr dot_components(struct kinematics *k, const expr a[3], const expr b[3]);
/* a.a, without angles where parts are alone in their frames. */
expr vector_square(struct kinematics *k, vector_id a);

/* ---- rates (rate.c) */
/* Angular velocity of an oriented frame from its Euler parameters, in its parent or in itself. */
void oriented_omega(struct kinematics *k, frame_id f, bool in_parent, expr out[3]);
#endif
