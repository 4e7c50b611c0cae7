/* The relations between velocities and speeds, which kane and gibbs-appell share. */
#ifndef DYN_DERIVE_SPEEDS_H
#define DYN_DERIVE_SPEEDS_H
#include "derive/system.h"

/* The n speeds of a model: u = Y q' + b. Declared ones come first, then what completes them:
 * constraints (the velocities that they forbid) and velocities of coordinates. */
enum speed_origin { SPEED_DECLARED, SPEED_OF_CONSTRAINT, SPEED_OF_COORDINATE };

struct speeds {
  uint32_t n;
  enum speed_origin *origin; /* n */
  uint32_t *index;           /* n: in the model's speeds, constraints or coordinates */
  expr *coefficient;         /* n*n, column by column: Y */
  expr *rest;                /* n: b */
};

/* Completes the model's speeds to n. Needs the system's constraints derived. */
struct speeds speeds_choose(const struct system *system);
void speeds_clear(struct speeds *speeds);

/* Gives the system the state of these speeds: names, values, velocities, accelerations. Fills
 * inverse (n*n, column by column: dq'_j/du_r at [j + r*n]) and without (n): the part of q'' without
 * u'. Reports and returns false where speeds are singular at the start or too entangled. */
bool speeds_derive(dyn_context *context, struct system *system, expr *inverse, expr *without);

/* The relations of a system with speeds. */
struct speed_relations {
  struct system *system;
  const expr *inverse, *without;
};
/* Constraints and their forces in the speeds: A W u' + bias + A (q'' without u') = 0, W^T B λ. */
void speeds_constrain(const struct speed_relations *relations);
/* sum_j dq'_j/du_r e_j: the part of e (n, on coordinates) in the direction of each speed. */
void speeds_project(const struct speed_relations *relations, const expr *e, expr *out);
/* W^T mass W and W^T mass (q'' without u'), of a matrix on accelerations. */
void speeds_project_mass(const struct speed_relations *relations, const expr *mass, expr *out,
                         expr *without);
#endif
