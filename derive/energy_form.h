/* Energies written with the mass matrix, which is often shorter. */
#ifndef DYN_DERIVE_ENERGY_FORM_H
#define DYN_DERIVE_ENERGY_FORM_H
#include "derive/system.h"
#include "derive/terms.h"

struct energy_form {
  bool is_quadratic; /* L = L2 + L1 + L0 by degree in the velocities; else nothing is filled in */
  expr quadratic;    /* L2 = 1/2 q' M q' */
  expr linear;       /* L1 = b q' */
  expr rest;         /* L0: T - V at rest */
  expr rest_kinetic; /* T at rest */
};

/* Needs the momenta of the system. */
struct energy_form energy_form_of(const struct system *system, const struct terms *terms);

/* The one of two equal expressions that is shorter as text; a where they are alike. */
expr energy_form_shorter(struct expr_graph *graph, expr a, expr b);
#endif
