/* Inside of the module dyn_prover: values of programs in ball arithmetic. */
#ifndef DYN_EXPR_PROVER_BALLS_H
#define DYN_EXPR_PROVER_BALLS_H
#include "expr/prover.h"
#include <arb.h>

struct balls {
  const struct program *program;
  arb_ptr values;      /* per step */
  arb_ptr points;      /* per symbol, exact */
  signed char *truths; /* per step: 0, 1, or -1 where the balls do not tell */
  slong precision;
};

void balls_init(struct balls *balls, const struct program *program);
void balls_clear(struct balls *balls);
/* Chooses the point of an attempt: the same for the same seed. */
void balls_choose_point(struct balls *balls, uint64_t seed, uint32_t attempt);
/* Encloses the value of every step. What is undefined has a ball that is not finite. */
void balls_evaluate(struct balls *balls, slong precision);

bool prover_is_exactly_zero(const struct program *program);
uint32_t prover_rank(const struct program *program, uint32_t rows, uint32_t columns,
                     struct prover_question *question, uint32_t *pivot_rows,
                     uint32_t *pivot_columns);
#endif
