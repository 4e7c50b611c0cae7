/* A second way to write the inertial terms, often shorter: from the mass matrix. */
#ifndef DYN_DERIVE_CHRISTOFFEL_H
#define DYN_DERIVE_CHRISTOFFEL_H
#include "derive/system.h"

struct christoffel {
  struct system *system;              /* mass matrix: the Hessian of `kinetic` by the velocities */
  expr kinetic;                       /* T */
  const expr *kinetic_momentum;       /* n: dT/dq' */
  const expr *at_rest;                /* n: parts of dT/dq that are counted elsewhere */
  struct expr_tangent *explicit_time; /* derivative by time where positions stay */
};

/* Fills inertial and momentum (n each) with d/dt(dT/dq') - dT/dq + at_rest without q'', and dT/dq',
 * both written with the entries of M. False if T is not quadratic in the velocities. */
bool christoffel_terms(const struct christoffel *problem, expr *inertial, expr *momentum);
#endif
