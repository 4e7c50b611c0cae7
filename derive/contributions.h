/* What each statement of a model puts into the equations of motion. */
#ifndef DYN_DERIVE_CONTRIBUTIONS_H
#define DYN_DERIVE_CONTRIBUTIONS_H
#include "base/source.h"
#include "base/vector.h"
#include "derive/system.h"

/* SLOPE: dT/dq, with momenta in the place of inertia. */
enum contribution_kind {
  CONTRIBUTION_INERTIA,
  CONTRIBUTION_SLOPE,
  CONTRIBUTION_FORCE,
  CONTRIBUTION_REACTION
};

/* Equation i reads: sum of inertia = sum of forces and reactions, over accelerations (rates of
 * speeds) and multipliers. With momenta: p'_i = sum of all, as functions of q and q'. */
struct contribution {
  enum contribution_kind kind;
  bool of_energy; /* inertia by d/dt dT/dq' - dT/dq, not of a body's motion */
  struct span span;
  const char *of; /* the body, force or constraint that is meant; "" if there is no name */
  expr *rows;     /* n: on coordinates or speeds */
};

struct contributions {
  const struct system *system;
  VECTOR(struct contribution) items;
};

/* In the order of the model: inertia, potentials and dissipation, forces, constraints. Needs a
 * derived system; the caller clears it. */
struct contributions contributions_of(const struct system *system);
void contributions_clear(struct contributions *contributions);
#endif
