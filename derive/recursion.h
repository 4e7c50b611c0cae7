/* The equations of motion of chains and trees, in a form that is solved in as many steps as there
 * are bodies: without a mass matrix.
 *
 * Energies, bodies and forces act on forms s_a that are linear in the accelerations q'', most of
 * which are sums over the bodies that come before (a velocity of a mass centre, a turn of a frame):
 *
 *     sum_ab I_ab s_a(q'') s_b(δ) = sum_a F_a s_a(δ)      for all δ.
 *
 * Each such partial sum is a variable of its own here, x_v = sum_j c_vj x_j. Where an acceleration
 * is in one sum alone, as the angle of a hinge is in the turning of its body, the sum takes its
 * place among the unknowns and the acceleration follows from it: hinges then leave nothing of the
 * turning of their body to the one before. Eliminated in `order` from the leaves on, a sum by
 * putting in what it is, an unknown by the equation of its own, that is the articulated-body
 * algorithm (Featherstone, Rigid Body Dynamics Algorithms (2008), 7.3; as a dynamic programme for
 * Gauss's principle: Vereshchagin, Engineering Cybernetics 12 (1974)). The pivots are those of the
 * mass matrix in these unknowns: all are positive where it is positive definite. */
#ifndef DYN_DERIVE_RECURSION_H
#define DYN_DERIVE_RECURSION_H
#include "base/vector.h"
#include "expr/expr.h"
#include <stdbool.h>

struct recursion_term {
  uint32_t variable;
  expr coefficient; /* over q, q', z, u, t, p */
};

struct recursion_variable {
  bool is_unknown;
  uint32_t coordinate;   /* of an unknown: whose acceleration it is or stands for */
  uint32_t first, count; /* terms of its definition; of an unknown: none */
  expr force;            /* F, with what masses do without q''; 0: none */
  /* In `neighbours`: the variables that meet it in a product when it is eliminated, besides itself.
   */
  uint32_t first_neighbour, neighbours;
};

struct recursion_sum {
  uint32_t first, count; /* in `sum_terms` */
};

struct recursion_inertia {
  uint32_t a, b; /* a <= b */
  expr value;
};

/* The mass matrix M = J^T D J in as many moves as it has entries: a sum's row and column go to what
 * it is made of, the last sum first. Slot `to` += (1 or 2) * coefficient of the term * slot `from`.
 */
struct recursion_move {
  uint32_t to, from, term; /* in `sum_terms` */
  bool is_twice;
};

struct recursion_entry {
  uint32_t row, column, slot; /* row >= column */
};

struct recursion_mass {
  uint32_t slots; /* first the values of the inertias, then zeros */
  VECTOR(struct recursion_move) moves;
  VECTOR(struct recursion_entry) entries; /* all that may differ from 0; none: it was not made */
  bool is_long; /* with the factorisation it takes several times as long as the recursion */
};

struct recursion {
  uint32_t n;
  VECTOR(struct recursion_variable) variables; /* the first n: q'' */
  VECTOR(struct recursion_term) terms;
  VECTOR(struct recursion_inertia) inertias; /* each pair once */
  VECTOR(uint32_t) neighbours;
  uint32_t *order;     /* all variables */
  uint64_t operations; /* multiplications and additions of the elimination */
  /* The sums n, n + 1, ... by those before and by accelerations, as they were found. */
  VECTOR(struct recursion_sum) sums;
  VECTOR(struct recursion_term) sum_terms;
  struct recursion_mass mass;
};
#endif
