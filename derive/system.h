/* The system: the equations of motion as expressions, ready for code generation. Nothing is
 * solved symbolically: the mass matrix is factorised by the generated code.
 *
 *     M(q, t, p) q'' = f(q, q', z, u, p, t) + B λ,      z' = rates(q, q', q'', z, u, p, t, λ)
 *     A q'' + bias = 0
 *
 * M depends on z, u and q' as well where energies or forces linear in accelerations do. The m
 * constraints are those of the model, in its order, each at velocity level:  constraint = A q' + b
 * for linear ones (position-level ones differentiated once), and A = d(constraint)/dq' for all
 * (Chetaev's rule where they are not linear). B = A^T, plus what forces linear in multipliers
 * (friction) push. */
#ifndef DYN_DERIVE_SYSTEM_H
#define DYN_DERIVE_SYSTEM_H
#include "base/context.h"
#include "derive/recursion.h"
#include "expr/expr.h"

struct model;

struct system_invariant {
  const char *name; /* "energy", "Jacobi integral", "momentum of φ" */
  const char *unit;
  expr value; /* over q, q', z, u, p, t */
};

/* What a method integrates besides positions and first-order states: its state is y = [q, v, z]. */
enum system_variables { VARIABLES_VELOCITIES, VARIABLES_SPEEDS, VARIABLES_MOMENTA };

struct system_method_state {
  enum system_variables kind; /* VELOCITIES: v = q', and nothing below is there */
  char **name, **unit;        /* n: of v */
  expr *symbol, *symbol_rate; /* n: v, v' */
  expr *value;                /* n: v over q, q', z, t, p; linear in q' */
  expr *mass;                 /* n*n, column by column */
  /* MOMENTA: v = mass q' + rest, v' = rate + A^T λ. The rate may hold the symbols of accelerations
   * and, where forces do (friction), of multipliers. The mass is symmetric. */
  expr *rest;   /* n: over q, z, t, p, like the mass */
  expr *rate;   /* n */
  expr at_rest; /* L0 = T - V without velocities: H = 1/2 (p - rest) mass^-1 (p - rest) - L0 */
  /* SPEEDS: q' over q, v, t, p; q'' over q, q', t, p and v'; and the equations of motion and the
   * constraints in the speeds, mass v' = forcing + B λ and A v' + bias = 0, over q, q', v, z, u, p,
   * t. The solver eliminates dependent speeds. */
  expr *velocity, *acceleration;   /* n */
  expr *forcing, *jacobian, *bias; /* n; m*n and m, as constraint_jacobian and constraint_bias */
  expr *multiplier_force;          /* n*m */
  expr gibbs_quadratic,
      gibbs_linear; /* gibbs-appell: G2 and G1, over the rates of speeds; else 0 */
  bool is_regular;  /* known: v determines q' at every state; else there may be singular places */
};

struct system {
  const struct model *model; /* names, units, defaults, symbols; must outlive the system */
  struct expr_graph *graph;  /* the model's */
  const char *method;        /* "lagrange", "augmented", "kane", "gibbs-appell", "hamilton" */
  uint32_t n;                /* coordinates */
  uint32_t rates;            /* first-order states */

  /* n*n, column by column; entry of (row i, column j) at [i + j*n]. NULL where it is put off,
   * because a recursion serves right-hand sides and its entries are many and long: see
   * system_derive_mass. */
  expr *mass;
  bool mass_is_symmetric; /* structurally; false where forces are linear in accelerations */
  expr *forcing;          /* n; forcing = applied - inertial */
  expr *inertial;         /* n: d/dt(dT/dq') - dT/dq without q'', for printing the equations */
  expr *applied;          /* n: from potentials, dissipation and forces, without q'' */
  struct system_method_state state;
  /* The same equations as a recursion over the bodies (derive/recursion.h), where there is one and
   * it may be shorter; NULL otherwise. */
  struct recursion *recursion;
  expr *rate;   /* rates; may hold symbols of accelerations and multipliers */
  expr *output; /* the model's outputs; likewise */

  uint32_t m;                /* constraints */
  uint32_t constraint_rank;  /* m, or less where constraints are redundant: model->structure.rank */
  expr *constraint;          /* m: over q, q', z, t, p */
  expr *constraint_jacobian; /* m*n, column by column: A; entry of (constraint k, q'_j) at [k + j*m]
                              */
  expr *constraint_bias;     /* m: free of accelerations and multipliers */
  expr *multiplier_force;    /* n*m, column by column: B; entry of (q_i, λ_k) at [i + k*n] */
  bool multiplier_force_is_transpose; /* B = A^T: no force holds a multiplier */
  /* Equations at position level, for assembly and projection: position-level constraints, and
   * integrals of others, which hold up to a constant. */
  uint32_t positions;
  uint32_t *position_constraint; /* positions: index of the constraint */
  expr *position_residual;       /* positions: residual, or integral */
  expr *position_jacobian;       /* positions*n, column by column, by q */

  bool has_energy; /* kinetic and potential parts are known apart */
  bool energy_is_conserved;
  expr kinetic_energy, potential_energy;
  expr *momentum;        /* n: p = dL/dq' */
  expr *momentum_rate;   /* n: p' = dL/dq + nonconservative; may hold acceleration symbols */
  expr *nonconservative; /* n: Q - dD/dq'; may hold acceleration symbols */
  struct system_invariant *invariants;
  uint32_t invariant_count;

  /* Derivatives of the residuals r = [M q'' - f - B λ; A q'' + bias] and of the rates, made on
   * demand by system_derive_jacobian: by column, over x = [q, q', z] and with the symbols of
   * accelerations and multipliers. With speeds, r is that of the equations in them, over
   * y = [q, u, z], and u' stands in place of q''. */
  expr *residual_by_state;    /* (n + m) * (2n + rates), column by column; NULL before */
  expr *rate_by_state;        /* rates * (2n + rates) */
  expr *rate_by_acceleration; /* rates * (n + m): by q'', then by λ */
};

/* Derives by the named method ("lagrange", ...; NULL: the model's choice or the default). Reports
 * and returns NULL where mechanics is at fault (a coordinate without inertia, a mass matrix
 * singular identically) or the method does not apply. Owned by the caller. */
struct system *derive_system(dyn_context *context, struct model *model, const char *method);
void system_derive_jacobian(struct system *system);
/* Derives the mass matrix if it was put off. Where the expression graph gets full (see there) its
 * entries are useless. */
void system_derive_mass(struct system *system);

/* Partial derivatives by symbols, a column for each. The unknowns of the equations (q'' and λ) and,
 * with momenta, q' are held; with speeds, q' and q'' follow from the symbol and the rates of speeds
 * are held. */
struct system_partials {
  size_t columns, functions;
  expr *residual; /* (n + m)*columns: of r as above; without entries where not asked for */
  expr *function; /* functions*columns */
};
/* `of_equations`: the residuals are wanted. `functions`: over the symbols of the model and of the
 * method's state. The caller clears the result. */
struct system_partials system_partials_by(const struct system *system, const expr *symbols,
                                          size_t columns, bool of_equations, const expr *functions,
                                          size_t count);
void system_partials_clear(struct system_partials *partials);
void system_state_symbols(const struct system *system, expr *symbols);   /* 2n + rates: of y */
void system_unknown_symbols(const struct system *system, expr *symbols); /* n + m */
/* Does time itself move the geometry: does the kinetic energy (mass matrix, momenta, T at rest)
 * depend on t, or a constraint? A time in T that cancels does not count; forces and potentials that
 * depend on t do not either. With a `lagrangian`, whose T is not known apart, L at rest is not
 * looked at. */
bool system_is_rheonomic(const struct system *system);
/* Does the motion separate into kicks and drifts: a mass matrix of constants and parameters, forces
 * that depend on positions, inputs and time only, no first-order states, and constraint forces A^T
 * λ? As the expressions stand: what cancels without being seen to counts as there. */
bool system_is_separable(const struct system *system);
/* Do all forces but those of constraints come from a Lagrangian? */
bool system_has_potential_forces(const struct system *system);
/* What completes the speeds that the model declares, for the methods that integrate them: "x',
 * u_rod";
 * "" if they are complete. The caller frees it. */
char *system_completion(const struct system *system);
void system_free(struct system *system);
void system_dump(const struct system *system, struct text *out); /* --dump=system */
void system_check(const struct system *system);                  /* bug() on a broken promise */

/* What `dyn derive` prints: the equations for a reader. `show` is a list of parts separated by
 * commas (energies, partials, mass, trace, ...: EQUATIONS_PARTS in equations.h) or NULL: text and
 * JSON then have the equations, LaTeX and HTML, whole documents, the steps of the method. */
enum equation_format { EQUATIONS_TEXT, EQUATIONS_LATEX, EQUATIONS_JSON, EQUATIONS_HTML };
/* False, after a report, if `show` names something that does not exist, or is no part of the
 * method.
 */
bool equations_print(dyn_context *context, struct system *system, enum equation_format format,
                     const char *show, struct text *out);
#endif
