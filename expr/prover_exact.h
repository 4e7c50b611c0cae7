/* Inside of the module dyn_prover: exact polynomial arithmetic over programs. */
#ifndef DYN_EXPR_PROVER_EXACT_H
#define DYN_EXPR_PROVER_EXACT_H
#include "expr/prover_balls.h"
#include <flint/fmpq_mpoly.h>

enum {
  STEPS_LIMIT = 20000,
  VARIABLES_LIMIT = 200,
  TERMS_LIMIT = 4000,
  WORK_LIMIT = 10 * 1000 * 1000, /* products of terms, over the whole proof */
  POWER_LIMIT = 24,
  ROOT_LIMIT = 12
};

/* The variables that a step stands for or is the base of; negative: none. */
struct variable {
  slong own;          /* the step itself: a symbol, or something not algebraic */
  slong cosine, sine; /* of step/parts */
  slong root;         /* step^(1/root_degree) */
  long parts, root_degree;
  bool root_related;
};

struct relation { /* generator^degree = value */
  slong generator, degree;
  fmpq_mpoly_t value;
};

struct quotient {
  fmpq_mpoly_t above, below;
};

struct exact {
  const struct program *program;
  bool *needed;               /* per step */
  struct variable *variables; /* per step */
  slong generator_count;
  fmpq_mpoly_ctx_t ring;
  struct relation *relations;
  uint32_t relation_count;
  struct quotient *values;
  double work; /* so far */
  bool failed; /* too large, or beyond this arithmetic */
};

/* The angle of a sine, cosine or tangent as a sum of number * atom. */
struct angle_terms {
  uint32_t argument; /* the step of the angle */
  uint32_t count;
  bool whole; /* the argument is the only atom, times 1 */
};
/* False if the angle has a constant part. */
bool exact_angle_terms(const struct program *program, const struct program_step *step,
                       struct angle_terms *terms);
uint32_t exact_angle_atom(const struct program *program, const struct angle_terms *terms,
                          uint32_t i);
mpq_srcptr exact_angle_number(const struct program *program, const struct angle_terms *terms,
                              uint32_t i); /* NULL: 1 */

/* Fills `needed` and `variables`; false if there is too much of it. */
bool exact_plan(struct exact *exact);
void quotient_init(struct exact *exact, struct quotient *quotient);
void quotient_clear(struct exact *exact, struct quotient *quotient);
#endif
