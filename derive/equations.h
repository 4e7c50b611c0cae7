/* Inside derive/: the equations of a system arranged for a reader, before they are printed in one
 * of the formats. */
#ifndef DYN_DERIVE_EQUATIONS_H
#define DYN_DERIVE_EQUATIONS_H
#include "derive/system.h"
#include "base/vector.h"
#include "derive/document.h"
#include "expr/printer.h"

/* What --show names, in the order in which documents have them. */
#define EQUATIONS_PARTS(PART)                                                                      \
  PART(STRUCTURE, "structure")                                                                     \
  PART(ENERGIES, "energies")                                                                       \
  PART(MOMENTA, "momenta")                                                                         \
  PART(PARTIALS, "partials")                                                                       \
  PART(ACCELERATIONS, "accelerations")                                                             \
  PART(FORCES, "forces")                                                                           \
  PART(INERTIA, "inertia")                                                                         \
  PART(GIBBS, "gibbs")                                                                             \
  PART(HAMILTONIAN, "hamiltonian")                                                                 \
  PART(MASS, "mass")                                                                               \
  PART(FORCING, "forcing")                                                                         \
  PART(RECURSION, "recursion")                                                                     \
  PART(CONSTRAINTS, "constraints")                                                                 \
  PART(INVARIANTS, "invariants")                                                                   \
  PART(JACOBIAN, "jacobian")                                                                       \
  PART(TRACE, "trace")                                                                             \
  PART(STEPS, "steps") /* those of the method */

enum show_index {
#define EQUATIONS_PART_INDEX(name, word) SHOW_INDEX_##name,
  EQUATIONS_PARTS(EQUATIONS_PART_INDEX)
#undef EQUATIONS_PART_INDEX
};
enum show_part {
#define EQUATIONS_PART(name, word) SHOW_##name = 1 << SHOW_INDEX_##name,
  EQUATIONS_PARTS(EQUATIONS_PART)
#undef EQUATIONS_PART
};

struct equation_line { /* left = right */
  expr left, right;
};

struct constraint_lines {            /* of one constraint; left is 0 where there is none */
  struct equation_line position;     /* written so, or the integral (equal to a constant) */
  struct equation_line velocity;     /* A q' = -b, or f = 0 */
  struct equation_line acceleration; /* A q'' = -bias */
  bool is_integral;                  /* `position` holds up to a constant: no right side */
};

struct equations {
  dyn_context *context;
  struct system *system;
  unsigned show;                        /* of enum show_part */
  VECTOR(struct equation_line) motion;  /* in the form of the method */
  struct constraint_lines *constraints; /* m */
  bool is_text;                         /* the format is plain text */
  bool has_hats;    /* augmented: multipliers are printed as λ̂ = -λ, their forces on the left */
  bool as_matrices; /* too long for a line each: print M and the forcing instead */
  expr dissipation; /* Rayleigh function, or 0 */
  expr lagrangian;  /* L = T - V, or 0 where T and V are known apart */
  struct document document;
  struct expr_printer *printer;
  struct text *out;
};

/* The sum of `right` and the forces that multipliers exert on coordinate (or variable) i, with
 * `arms` by (i, constraint), rows of n. */
expr equations_with_reactions(const struct equations *equations, const expr *arms, uint32_t i,
                              expr right);
/* Fills equations->motion with H and the canonical equations. */
void equations_arrange_momenta(struct equations *equations);
/* The same with the equations in speeds. */
void equations_arrange_speeds(struct equations *equations);

/* M and f of the method's equations M q'' = f + B λ (M u' = f + B λ in speeds), and B. */
static inline const expr *equations_mass(const struct system *s) {
  return s->state.kind == VARIABLES_SPEEDS ? s->state.mass : s->mass;
}
static inline const expr *equations_forcing(const struct system *s) {
  return s->state.kind == VARIABLES_SPEEDS ? s->state.forcing : s->forcing;
}
static inline const expr *equations_multiplier_force(const struct system *s) {
  return s->state.kind == VARIABLES_SPEEDS ? s->state.multiplier_force : s->multiplier_force;
}
/* Fills equations->constraints, which the caller frees. */
void equations_arrange_constraints(struct equations *equations);
/* Has multipliers printed as λ_rod, in a text for reading; as multiplier(rod) where the model uses
 * that name for something else. */
void equations_name_multipliers(struct equations *equations);
/* What a multiplier is printed as; the caller frees the text. */
char *equations_multiplier_name(const struct equations *equations, uint32_t constraint);

/* What an equation or unknown of motion belongs to, and a coordinate, for names of entries. */
struct document_index equations_row(const struct equations *equations, size_t i);
struct document_index equations_coordinate(const struct equations *equations, size_t j);

/* ---- parts of the document, in the order of textbooks */
/* The whole, and only what EQUATIONS_JSON has no members for. */
void equations_put_document(struct equations *equations);
void equations_put_steps(struct equations *equations);
void equations_put_structure(struct equations *equations);
/* Velocities, partial velocities and accelerations of bodies; forces and inertia forces. */
void equations_put_motions(struct equations *equations);
void equations_put_forces(struct equations *equations);
void equations_put_jacobian(struct equations *equations);
/* The recursion over the bodies, or that there is none. */
void equations_put_recursion(struct equations *equations);
/* Every equation with what each statement of the model puts into it. */
void equations_put_trace(struct equations *equations);

void equations_print_json(struct equations *equations);
#endif
