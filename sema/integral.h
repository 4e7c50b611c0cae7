/* Closed-form integrals of differential forms: antiderivatives, exact forms, integrating factors.
 * Everything found is verified by differentiation; nothing found means only that. */
#ifndef DYN_SEMA_INTEGRAL_H
#define DYN_SEMA_INTEGRAL_H
#include "base/arena.h"
#include "expr/expr.h"

/* The space of a form  a dq + b dt,  given as n + 1 coefficients. States follow dz = rate dt. */
struct integral_space {
  struct expr_graph *graph;
  struct arena *arena; /* for work */
  uint32_t n, s;
  const expr *q, *z, *rate; /* n, s, s */
  expr time;
  const bool *is_frozen; /* n: dq_j = 0 is known from elsewhere; its coefficient does not count */
  double (*start)(void *user, expr symbol);
  void *user;
};

/* ---- integral_term.c */
/* F with dF/dx = e, or 0. Sums of products of powers, sines, cosines and exponentials of x, and
 * forms u^p u_x; all else may be symbols. */
expr integral_antiderivative(struct expr_graph *graph, expr e, expr x);

/* ---- integral.c */
/* F with dF = form, or 0; never a constant. */
expr integral_of_exact(const struct integral_space *space, const expr *form);

/* ---- integral_factor.c */
/* F and *factor with dF = factor * form, or 0. */
expr integral_with_factor(const struct integral_space *space, const expr *form, expr *factor);
/* F with dF = the sum of numbers times the forms (the first one times 1), or 0. */
expr integral_of_combination(const struct integral_space *space, const expr *const *forms,
                             uint32_t count);
#endif
