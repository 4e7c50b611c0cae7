/* Unknown dimensions: a linear system over the exponents.
 *
 * A form is  constant * v1^c1 * v2^c2 * ...  with unknown dimensions v and rational exponents c.
 * form_equate_one says that a form is a pure number; one of its unknowns is then bound to the rest
 * (Gaussian elimination, one equation at a time). Bindings are substituted when they are asked for,
 * and shortened on the way, so that long chains of names stay cheap. */
#ifndef DYN_SEMA_DIMENSION_SOLVE_H
#define DYN_SEMA_DIMENSION_SOLVE_H
#include "base/source.h"
#include "base/vector.h"
#include "sema/unit.h"

struct form_term {
  uint32_t variable;
  struct rational power; /* not 0 */
};
struct form { /* terms by rising variable; owned: form_free */
  struct dimension constant;
  struct form_term *terms;
  uint32_t count, capacity;
};

/* Which unknown of an equation is bound: the one that should least stay unknown, because what stays
 * unknown is a pure number in the end. */
enum variable_rank { VARIABLE_CONSTANT, VARIABLE_NAME, VARIABLE_ARGUMENT, VARIABLE_TEMPORARY };

struct variable {
  enum variable_rank rank;
  bool is_bound;
  bool is_default; /* bound to a pure number because nothing else was known */
  struct form binding;
  struct span origin; /* what it was bound at */
};

struct solver {
  VECTOR(struct variable) variables; /* [0] unused */
  VECTOR(uint32_t) pending;          /* see solve.c */
  uint64_t steps;
  bool is_exhausted; /* more than MOST_SOLVER_STEPS: nothing is found out any more */
  bool has_overflow; /* an exponent left the range; cleared by who asks */
};
enum { MOST_SOLVER_STEPS = 4000000 };

void solver_free(struct solver *solver);
uint32_t solver_add(struct solver *solver, enum variable_rank rank);

struct form form_of(const struct dimension *constant);
struct form form_of_variable(uint32_t variable);
void form_free(struct form *form);
struct form form_copy(const struct form *form);
/* *form *= other^power; other stays as it is. */
void form_multiply(struct solver *solver, struct form *form, const struct form *other,
                   struct rational power);
void form_raise(struct solver *solver, struct form *form, struct rational power);
/* Replaces what is bound. */
void form_reduce(struct solver *solver, struct form *form);
/* Without unknowns and without dimension, after form_reduce. */
bool form_is_pure(const struct form *form);
/* Says that the form is a pure number; it is used up. False if that contradicts what is known. */
bool form_equate_one(struct solver *solver, struct form *form, struct span origin);
/* Binds what is still unknown to a pure number. */
void solver_default(struct solver *solver, uint32_t variable);
#endif
