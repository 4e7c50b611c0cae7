/* Constraints of a model, each by itself. Private to sema; see constraint.c. */
#ifndef DYN_SEMA_CONSTRAINT_H
#define DYN_SEMA_CONSTRAINT_H
#include "sema/analysis.h"

/* ---- constraint_linear.c */
/* True if the residual is linear in the velocities. Where that is so, but not as it stands, it is
 * put into the form a*q' + b. *direction is made when it is first needed, and shared by all: owned
 * by the caller, NULL at first. */
bool constraint_make_linear(struct analysis *a, struct model_constraint *c,
                            struct expr_tangent **direction);
/* The degree of the residual as a polynomial in the velocities; 0 if it is none. */
unsigned constraint_degree(struct analysis *a, const struct model_constraint *c);
enum constraint_content {
  CONTENT_NONE,  /* the residual is 0 everywhere */
  CONTENT_FIXED, /* it does not depend on coordinates or velocities, whether or not it holds some */
  CONTENT_MOVING
};
/* One for each constraint, owned. A residual that could not be lowered counts as moving. */
enum constraint_content *constraints_find_content(struct analysis *a);
#endif
