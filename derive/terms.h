/* What the model's statements add up to: energies, Rayleigh function, generalized forces. */
#ifndef DYN_DERIVE_TERMS_H
#define DYN_DERIVE_TERMS_H
#include "expr/expr.h"
#include <stdbool.h>

struct model;

struct terms {
  bool is_lagrangian; /* a `lagrangian` statement replaces kinetic and potential energy */
  bool has_kinetic;   /* there is a kinetic or lagrangian statement at all */
  expr kinetic;       /* T; with is_lagrangian the whole L, and then potential is 0 */
  expr potential;     /* V */
  expr dissipation;   /* D */
};

struct terms terms_of_model(struct model *model);

/* Q of every coordinate by virtual power: a force F on e(q, t) gives Q_j = F de/dq_j, a force on
 * a speed u(q, q', t) gives Q_j = F du/dq'_j. n entries; the caller frees the array. */
expr *terms_generalized_forces(struct model *model);
#endif
