/* Inside derive/: making a recursion (recursion.h) of a model. */
#ifndef DYN_DERIVE_RECURSION_FORMS_H
#define DYN_DERIVE_RECURSION_FORMS_H
#include "derive/recursion.h"
#include <stdbool.h>

struct model;

/* NULL where the model is small or does not have this form (constraints, a `lagrangian`, forces
 * linear in accelerations, energies that are no sums of squares of velocities, Euler parameters),
 * or the elimination is too long. The caller frees it. */
struct recursion *recursion_of_model(struct model *model);
void recursion_free(struct recursion *recursion); /* NULL is fine */

/* ---- the order (recursion_order.c) */
/* Fills `order`. */
void recursion_order(struct recursion *recursion);
/* Fills the neighbours in that order; false if the elimination takes too long to be worth it. */
bool recursion_meet(struct recursion *recursion);

/* ---- the mass matrix by it (recursion_mass.c) */
/* Fills `mass`, or leaves it empty where that has too many moves. */
void recursion_plan_mass(struct recursion *recursion);
struct sample;
/* The mass matrix at a state: n*n values, by columns. */
void recursion_mass_at(const struct recursion *recursion, struct expr_graph *graph,
                       struct sample *sample, double *mass);

/* ---- the forms (recursion_forms.c) */
struct recursion_form {
  expr linear; /* homogeneous and linear in the symbols q'' */
  expr force;
};

struct recursion_forms {
  VECTOR(struct recursion_form) forms;
  VECTOR(struct recursion_inertia) inertias; /* between forms */
};

bool recursion_forms_find(struct model *model, struct recursion_forms *out);
void recursion_forms_clear(struct recursion_forms *forms);
#endif
