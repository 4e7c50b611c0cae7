/* A list of nodes as plain arrays, operands before their users, for evaluation outside of the
 * graph: by the interpreter (evaluate.c) and by the prover, which lives in its own module and
 * knows nothing of graphs. */
#ifndef DYN_EXPR_PROGRAM_H
#define DYN_EXPR_PROGRAM_H
#include "expr/expr.h"

struct program_operand {
  uint32_t step;   /* index of an earlier step */
  uint32_t number; /* index in `numbers`: coefficient in a sum, exponent in a product */
};

struct program_step {
  uint8_t operator_;     /* enum expr_operator */
  uint32_t number;       /* index in `numbers`: a number, the constant of a sum or product */
  uint32_t symbol;       /* index in `symbols` */
  uint32_t first, count; /* in `operands` */
};

struct program {
  struct program_step *steps;
  uint32_t step_count;
  struct program_operand *operands;
  uint32_t operand_count;
  mpq_srcptr *numbers; /* used by the steps; they belong to the graph */
  double *doubles;     /* the same, nearest doubles */
  uint32_t number_count;
  expr *symbols;
  uint32_t symbol_count;
  uint32_t *roots; /* the step of each root */
  uint32_t root_count;
};

void program_make(struct program *program, struct expr_graph *graph, const expr *roots,
                  size_t count);
void program_clear(struct program *program);
/* Values of all steps in doubles; one value per symbol is given. */
void program_evaluate(const struct program *program, const double *symbol_values, double *values);
/* Bounds, to first order, of the rounding errors of these values (symbols count as exact). */
void program_rounding(const struct program *program, const double *values, double *errors);
#endif
