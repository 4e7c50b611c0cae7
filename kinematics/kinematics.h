/* Frames, vectors and points over the expression graph. No concept of the language is known here.
 *
 * A frame is turned against its parent about an axis that is fixed in both, or by Euler parameters;
 * the inertial frame is FRAME_WORLD. A vector is a sum of parts, each with components in a frame of
 * its own: it stays there until a product or components ask for one common frame. A point is known
 * by its vector from the origin. Frames, vectors and points are ids that live as long as the
 * kinematics; frames, vectors and points are unique: equal parts, equal ids (the converse does not
 * hold). A frame that is made twice is one frame, and a part along the axis of its frame's own turn
 * is kept in the parent: A.z of a frame turned about z is z of its parent.
 *
 * Conventions: R(B, A) maps components in B to components in A; rotations are right-handed about
 * the axis. Sources of the mathematics stand at the functions' definitions. */
#ifndef DYN_KINEMATICS_KINEMATICS_H
#define DYN_KINEMATICS_KINEMATICS_H
#include "base/text.h"
#include "expr/expr.h"

struct kinematics;
typedef uint32_t frame_id;  /* 0: none */
typedef uint32_t vector_id; /* 0: none; VECTOR_ZERO: the zero vector */
enum { FRAME_WORLD = 1 };
enum { VECTOR_ZERO = 1 };

/* `rate` differentiates scalars by time along the motion (q -> q', q' -> q'', ...). It is not
 * owned, has to be seeded before it is first needed and stay until the kinematics is freed. */
struct kinematics *kinematics_new(struct expr_graph *graph, struct expr_tangent *rate);
void kinematics_free(struct kinematics *k);

/* ---- frames */
/* Turned by `angle` about the axis with components `axis` in the parent (of any length but 0, free
 * of time and coordinates: the caller checks that). Turns about the axis of the parent's own turn
 * against the grandparent are added to it: the new frame is then a child of the grandparent. A turn
 * by the number 0 is the parent itself. */
frame_id frame_rotated(struct kinematics *k, frame_id parent, const expr axis[3], expr angle);
/* By Euler parameters, scalar first: R = 1 + 2 e0 [e]x + 2 [e]x^2. The norm is not enforced here;
 * angular velocity is omega = 2 (e0 e' - e0' e + e x e') in the parent, which holds on e.e = 1. */
frame_id frame_oriented(struct kinematics *k, frame_id parent, const expr parameters[4]);
frame_id frame_parent(const struct kinematics *k, frame_id frame); /* 0 for the world */
frame_id frame_last(const struct kinematics *k); /* ids are FRAME_WORLD .. this one */
/* The Euler parameters of a frame; false: it is turned by an angle. */
bool frame_parameters(const struct kinematics *k, frame_id frame, expr out[4]);
/* The 3 x 3 matrix R(of, in), column by column: column j is axis j of `of` with components in `in`.
 */
void frame_rotation(struct kinematics *k, frame_id of, frame_id in, expr out[9]);
/* Angular velocity and acceleration of `of` against `in`; alpha = derivative of omega in `in`. */
vector_id frame_omega(struct kinematics *k, frame_id of, frame_id in);
vector_id frame_alpha(struct kinematics *k, frame_id of, frame_id in);

/* ---- vectors */
vector_id vector_in(struct kinematics *k, frame_id frame, const expr components[3]);
vector_id vector_add(struct kinematics *k, vector_id a, vector_id b);
vector_id vector_subtract(struct kinematics *k, vector_id a, vector_id b);
vector_id vector_scale(struct kinematics *k, expr factor, vector_id a);
expr vector_dot(struct kinematics *k, vector_id a, vector_id b);
vector_id vector_cross(struct kinematics *k, vector_id a, vector_id b);
expr vector_norm(struct kinematics *k,
                 vector_id a); /* sqrt(a.a); of one part without others: as short */
void vector_components(struct kinematics *k, vector_id a, frame_id in, expr out[3]);
/* The frame in which the parts meet with the least work: where the tree of the parts' frames
 * branches, else the deepest of them. a may be VECTOR_ZERO: FRAME_WORLD. */
frame_id vector_frame(struct kinematics *k, vector_id a);
/* Derivative by time as seen in a frame. */
vector_id vector_derivative(struct kinematics *k, vector_id a, frame_id in);
/* Replaces scalars in all components; e.g. by expr_substitution_of. */
vector_id vector_map(struct kinematics *k, vector_id a, expr (*map)(void *user, expr e),
                     void *user);
uint32_t vector_part_count(const struct kinematics *k, vector_id a);
/* Part i, from the earliest frame on: its frame and components there. Takes time that grows with
 * the number of parts. */
frame_id vector_part(const struct kinematics *k, vector_id a, uint32_t i, expr out[3]);

/* ---- energies */
/* 1/2 m v.v; v as seen in an inertial frame. */
expr kinetic_of_translation(struct kinematics *k, expr mass, vector_id velocity);
/* 1/2 omega.I.omega with the tensor's entries (xx, yy, zz, xy, xz, yz) in the axes of `frame`.
 * Turns about an axis of symmetry of the tensor are left away: a spinning disc's energy has no spin
 * angle. */
expr kinetic_of_rotation(struct kinematics *k, frame_id frame, const expr inertia[6],
                         vector_id omega);
/* The first frame from `frame` up in whose axes the tensor may not be the same for all turns: those
 * about its axes of symmetry are left away. */
frame_id inertia_frame(const struct kinematics *k, frame_id frame, const expr inertia[6]);
/* I.omega with the same conventions. */
vector_id inertia_times(struct kinematics *k, frame_id frame, const expr inertia[6],
                        vector_id omega);

/* "A: (0, l*θ', 0) + B: (...)"; frames are named by the caller: `name(user, frame)`. */
void vector_print(struct kinematics *k, struct text *out, vector_id a,
                  const char *(*name)(void *user, frame_id frame), void *user);
#endif
