/* Inertia that is known by its kinetic energy only, for methods that start from bodies. */
#ifndef DYN_DERIVE_ENERGY_INERTIA_H
#define DYN_DERIVE_ENERGY_INERTIA_H
#include "derive/motion.h"

/* The part of T - V in the mass matrix, d/dt dT/dq' - dT/dq without accelerations, and what forces
 * and rates of states add to the mass matrix: n*n column by column, n, and n*n, on coordinates.
 * T is what is left without the bodies that `motions` derives. False in has_added: no such thing.
 */
struct energy_inertia {
  expr *mass, *inertial, *added;
  bool has_energy; /* some inertia comes from an energy */
  bool has_added;
};
struct energy_inertia energy_inertia_of(const struct system *system, const struct motions *motions);
void energy_inertia_clear(struct energy_inertia *inertia);
/* Whether this energy counts as such: no body is derived for it. */
struct model_energy;
bool energy_inertia_holds(const struct motions *motions, const struct model_energy *energy);
#endif
