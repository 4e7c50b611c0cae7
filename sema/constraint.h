/* Constraints of a model, each by itself. Private to sema; see constraint.c. */
#ifndef DYN_SEMA_CONSTRAINT_H
#define DYN_SEMA_CONSTRAINT_H
#include "sema/analysis.h"

/* ---- constraint_linear.c */
/* True if the residual is linear in the velocities. Where that is so, but not as it stands, it is
 * put into the form a*q' + b. */
bool constraint_make_linear(struct analysis *a, struct model_constraint *c);
/* The degree of the residual as a polynomial in the velocities; 0 if it is none. */
unsigned constraint_degree(struct analysis *a, const struct model_constraint *c);
/* One flag for each constraint, owned: its residual is 0 everywhere. */
bool *constraints_find_empty(struct analysis *a);
#endif
