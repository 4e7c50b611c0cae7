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

/* Gaussian elimination with full pivoting; pivots are entries that are proven not to be zero. */
struct elimination {
  uint32_t rows, columns, rank;
  arb_ptr entries;                    /* column by column */
  uint32_t *row_order, *column_order; /* pivots first */
};

void elimination_init(struct elimination *work, uint32_t rows, uint32_t columns);
void elimination_clear(struct elimination *work);
/* Fills the matrix from the roots; false if an entry is undefined at the point. */
bool elimination_fill(struct elimination *work, const struct balls *balls);
void elimination_run(struct elimination *work, slong precision);
/* No entry that is left besides the pivots can be above the limit. */
bool elimination_is_sharp(struct elimination *work, const mag_t limit);

struct prover_point_answer prover_rank_at(const struct prover_point *point, uint32_t bits,
                                          uint32_t *pivot_rows, uint32_t *pivot_columns);
bool prover_is_exactly_zero(const struct program *program);
uint32_t prover_rank(const struct program *program, uint32_t rows, uint32_t columns,
                     struct prover_question *question, uint32_t *pivot_rows,
                     uint32_t *pivot_columns);
#endif
