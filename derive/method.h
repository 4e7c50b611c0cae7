/* Inside derive/: what a method of derivation is, and the steps they share. */
#ifndef DYN_DERIVE_METHOD_H
#define DYN_DERIVE_METHOD_H
#include "derive/system.h"
#include "derive/terms.h"

/* Fills the constraints of all levels, their Jacobians and biases, and multiplier_force with A^T.
 */
void constraints_derive(struct system *system);

/* Fills mass, mass_is_symmetric, forcing and its parts, momenta and their rates of a system whose
 * arrays are allocated and whose constraints are derived; adds the multipliers in forces to
 * multiplier_force. Reports and returns false where the model does not allow it. */
bool lagrange_derive(dyn_context *context, struct system *system, const struct terms *terms);

/* As lagrange_derive, with the forcing made from the canonical equations; fills in the state of
 * momenta. */
bool hamilton_derive(dyn_context *context, struct system *system, const struct terms *terms);

/* As lagrange_derive, with forcing and biases in the terms of the augmented form. */
bool augmented_derive(dyn_context *context, struct system *system, const struct terms *terms);

/* Kane's equations and the Gibbs-Appell equations in the model's speeds: as lagrange_derive, and
 * the state of speeds is filled in with the method's own equations. */
bool kane_derive(dyn_context *context, struct system *system, const struct terms *terms);
bool gibbs_appell_derive(dyn_context *context, struct system *system, const struct terms *terms);

/* Reports coordinates without inertia and a mass matrix that is singular identically. */
/* A mass matrix that was put off is derived where doubles can't show it regular. */
bool inertia_check(dyn_context *context, struct system *system, const struct terms *terms);

/* Reports coordinates whose inertia vanishes with the values of the model's parameters. */
bool inertia_check_values(dyn_context *context, const struct system *system);

/* Finds the energy or Jacobi integral and the momenta that are conserved. */
void invariants_find(struct system *system, const struct terms *terms);
#endif
