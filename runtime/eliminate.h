/* eliminate.h: linear equations between changes, solved for some of them: dependent unknowns by the
 * independent ones. */
#ifndef DYN_RUNTIME_ELIMINATE_H
#define DYN_RUNTIME_ELIMINATE_H
#include <stddef.h>
#include <stdint.h>

/* Of the m equations a (m * n, column by column) in n unknowns: which unknowns, at most `most`,
 * can be solved for. Those with the largest columns, over all that were taken before, are taken,
 * each column times its weight[n] (>= 0; 0: never). Rows are measured by their largest entry.
 * dependent[most] in the order of choice; returns how many, -1 without memory. */
int32_t eliminate_choose(int32_t m, int32_t n, const double *a, const double *weight, int32_t most,
                         int32_t *dependent);

struct elimination {
  int32_t m, rank;
  double *qr, *tau, *scale, *work; /* m * rank, rank, m: of the rows */
  int work_size;
};

/* Takes the columns dependent[rank] of a, which are independent. Returns 0 without memory. */
int elimination_init(struct elimination *elimination, int32_t m, const double *a, int32_t rank,
                     const int32_t *dependent);
void elimination_clear(struct elimination *elimination);
/* The dependent unknowns x[rank] with (columns) x = right[m], in place; of least squares where
 * redundant equations differ by rounding. */
void elimination_solve(const struct elimination *elimination, double *right);

#endif
