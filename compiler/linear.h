/* The matrices of linearisation at one state (dyn/dyn_linear.h), from exact derivatives. */
#ifndef DYN_COMPILER_LINEAR_H
#define DYN_COMPILER_LINEAR_H
#include "derive/linear_form.h"
#include "dyn/dyn_linear.h"

/* A state with what moves there; sizes as in dyn_model.h. */
struct linear_state {
  double t;
  const double *x, *u, *p;
  const double *acceleration, *multiplier; /* n, m */
};

/* The arrays belong to `equations`, which linear_equations_clear frees. */
void linear_equations_at(const struct linear_form *form, const struct linear_state *state,
                         dyn_linear_equations *equations);
void linear_equations_clear(dyn_linear_equations *equations);
#endif
