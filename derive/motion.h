/* How particles and bodies move by the speeds of a method: velocities, partial velocities,
 * accelerations. Without speeds (lagrange, augmented, hamilton) the velocities of coordinates stand
 * in their place. */
#ifndef DYN_DERIVE_MOTION_H
#define DYN_DERIVE_MOTION_H
#include "derive/speeds.h"
#include "kinematics/kinematics.h"

/* Vectors hold q, t and the variables of their motions; those of turns of frames also q'. */
struct body_motion {
  uint32_t body;                               /* of the model */
  vector_id velocity, omega;                   /* of the mass centre and of the frame, in world */
  vector_id *partial_velocity, *partial_omega; /* n each: dv/du_r, dω/du_r */
  vector_id acceleration, alpha;               /* in world, without the rates of the variables */
  bool only_turns;     /* about a point at rest: mass centre and mass are left away */
  const expr *inertia; /* about that point, or the mass centre; in the body's frame */
};

struct motions {
  const struct system *system;
  struct kinematics *kinematics;
  uint32_t n;
  expr *variable;   /* n: u_r, or q' where a speed is the velocity of a coordinate */
  bool *is_derived; /* of the model's bodies: by body_motion; else only its kinetic energy counts */
  VECTOR(struct body_motion) bodies;
  struct motion_basis *basis;
};

/* Bodies whose places depend on states or inputs, and those of models so large that all products of
 * partial velocities would take too long, are left to their kinetic energies. Needs the system's
 * speeds derived. The caller clears it. */
struct motions motions_of(const struct system *system);
void motions_clear(struct motions *motions);
/* v(q, q', t) written with the variables, and its partial derivatives by them, n. */
vector_id motions_express(struct motions *motions, vector_id v);
void motions_partials(struct motions *motions, vector_id v, vector_id *partials);

/* Mass matrix and inertia forces of the derived bodies: for each body,
 *   mass_rs = m v_r.v_s + ω_r.I.ω_s,      rest_r = m v_r.a + ω_r.(I.α + ω x I.ω)
 * so that F*_r = -(mass u' + rest)_r. n*n, column by column, and n. */
void motions_inertia(struct motions *motions, const struct body_motion *body, expr *mass,
                     expr *rest);
/* Writes inertia forces by their coefficients of velocities where that is shorter, next to the mass
 * matrix. */
void motions_shorten(struct motions *motions, const expr *mass, expr *rest);
/* The body's part of the Gibbs function, 1/2 m a.a + 1/2 α.I.α + α.(ω x I.ω) with the rates `rate`
 * of the variables: G2 + G1 + G0. */
expr motions_gibbs(struct motions *motions, const struct body_motion *body, const expr *rate);

/* ---- Euler parameters (motion_norm.c) */
/* False if frames are turned by Euler parameters that are neither coordinates nor of length 1. */
bool motions_norms_are_plain(const struct system *system);
/* Takes what Lagrange's equations have besides the inertia forces `rest` (n, by speeds) of the
 * bodies, in the direction of the norms, off the system's forcing of speeds. `left`: Lagrange's
 * terms of what is no derived body, n. */
bool motions_norm_terms(const struct motions *motions, const expr *left, const expr *rest,
                        expr *out); /* the same, n on coordinates; false: there are none */
void motions_take_norms(const struct motions *motions, const struct speed_relations *relations,
                        const expr *left, const expr *rest);
#endif
