/* All methods against each other, at random states on the constraint manifold. */
#ifndef DYN_COMPILER_VERIFY_H
#define DYN_COMPILER_VERIFY_H
#include "codegen/program.h"

struct verify_method { /* one derivation of the model */
  struct system *system;
  struct program *program;
  dyn_model *model;
};

enum { VERIFY_METHODS = 8 };

struct verify {
  dyn_context *context;
  struct model *model;
  struct verify_method methods[VERIFY_METHODS]; /* the first is the reference */
  uint32_t count;
  const double *p, *u, *start; /* parameters, inputs, an assembled start state */
  double t;
  uint32_t states;  /* how many to try */
  double tolerance; /* relative; 0: 1e-10 */
  /* Filled in by verify_run. */
  uint32_t tried;         /* states that were found */
  uint32_t defined;       /* of these, those at which the first method has values */
  uint32_t disagreements; /* findings that exceed the tolerance */
  double worst;           /* largest relative difference of accelerations and multipliers */
  double worst_balance;   /* of powers against the rate of energy */
};

/* Takes a derived system in; it is owned from then on. */
void verify_add(struct verify *verify, struct system *system);
/* Compares; what disagrees is written to `out`, with the state, the numbers and the suspects. */
void verify_run(struct verify *verify, struct text *out);
void verify_clear(struct verify *verify);
#endif
