/* The system: the equations of motion as expressions, ready for code generation. Nothing is
 * solved symbolically: the mass matrix is factorised by the generated code.
 *
 *     M(q, t, p) q'' = f(q, q', z, u, p, t),      z' = rates(q, q', q'', z, u, p, t)
 *
 * M depends on z, u and q' as well where energies or forces linear in accelerations do. */
#ifndef DYN_DERIVE_SYSTEM_H
#define DYN_DERIVE_SYSTEM_H
#include "base/context.h"
#include "expr/expr.h"

struct model;

struct system_invariant {
  const char *name; /* "energy", "Jacobi integral", "momentum of φ" */
  const char *unit;
  expr value; /* over q, q', z, u, p, t */
};

struct system {
  const struct model *model; /* names, units, defaults, symbols; must outlive the system */
  struct expr_graph *graph;  /* the model's */
  const char *method;        /* "lagrange" */
  uint32_t n;                /* coordinates */
  uint32_t rates;            /* first-order states */

  expr *mass;             /* n*n, column by column; entry of (row i, column j) at [i + j*n] */
  bool mass_is_symmetric; /* structurally; false where forces are linear in accelerations */
  expr *forcing;          /* n; forcing = applied - inertial */
  expr *inertial;         /* n: d/dt(dT/dq') - dT/dq without q'', for printing the equations */
  expr *applied;          /* n: from potentials, dissipation and forces, without q'' */
  expr *rate;             /* rates; may hold acceleration symbols */
  expr *output;           /* the model's outputs; may hold acceleration symbols */

  bool has_energy; /* kinetic and potential parts are known apart */
  bool energy_is_conserved;
  expr kinetic_energy, potential_energy;
  expr *momentum;        /* n: p = dL/dq' */
  expr *momentum_rate;   /* n: p' = dL/dq + nonconservative; may hold acceleration symbols */
  expr *nonconservative; /* n: Q - dD/dq'; may hold acceleration symbols */
  struct system_invariant *invariants;
  uint32_t invariant_count;

  /* Derivatives of the residual r = M q'' - f and of the rates, made on demand by
   * system_derive_jacobian: by column, over x = [q, q', z] and with acceleration symbols. */
  expr *residual_by_state;    /* n * (2n + rates), column by column; NULL before */
  expr *rate_by_state;        /* rates * (2n + rates) */
  expr *rate_by_acceleration; /* rates * n */

  char *unknown_part; /* the word that equations_print did not know last, or NULL */
};

/* Derives by the named method ("lagrange"; NULL: the model's choice or the default). Reports
 * and returns NULL where mechanics is at fault (a coordinate without inertia, a mass matrix
 * singular identically) or the method does not apply. Owned by the caller. */
struct system *derive_system(dyn_context *context, struct model *model, const char *method);
void system_derive_jacobian(struct system *system);
void system_free(struct system *system);
void system_dump(const struct system *system, struct text *out); /* --dump=system */
void system_check(const struct system *system);                  /* bug() on a broken promise */

/* What `dyn derive` prints: the equations for a reader. `show` is a list of extra parts separated
 * by commas (energies, momenta, invariants, mass, forcing, jacobian) or NULL. */
enum equation_format { EQUATIONS_TEXT, EQUATIONS_LATEX, EQUATIONS_JSON };
/* False, with the unknown word in *fault (owned by the system), if `show` names something that does
 * not exist. */
bool equations_print(struct system *system, enum equation_format format, const char *show,
                     struct text *out, const char **fault);
#endif
