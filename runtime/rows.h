/* rows.h: rank, row space and least solutions of a small dense matrix given by its rows. */
#ifndef DYN_RUNTIME_ROWS_H
#define DYN_RUNTIME_ROWS_H
#include <stddef.h>

struct rows {
  size_t m, n, k; /* rows, entries of each, the lesser of both */
  size_t rank;
  double *a;     /* m n, owned. In: row after row. After rows_decompose: R and the reflectors */
  double *basis; /* rank vectors of n: orthonormal, spanning the rows; owned */
  /* private */
  double *tau, *tau2, *lower, *right, *work;
  int *pivot;
  int work_size;
};

/* Returns 0 when there is no memory. */
int rows_init(struct rows *rows, size_t m, size_t n);
void rows_clear(struct rows *rows);
/* Decomposes a; a row counts as dependent when what the others leave of it is at most tolerance
 * times the longest row. */
void rows_decompose(struct rows *rows, double tolerance);
/* The same with pivots compared with `least` itself, and never more than most_rank of them. */
void rows_decompose_to(struct rows *rows, double least, size_t most_rank);
/* After a decomposition: how many rows are independent if pivots must exceed `least`. */
size_t rows_independent(const struct rows *rows, double least);
/* The shortest w[n] that makes |a w - b| least; b[m]. */
void rows_solve(const struct rows *rows, const double *b, double *w);
/* mu[m] with a a^T mu = b, where b agrees with the dependence of rows; 0 for rows that depend on
 * others. */
void rows_multipliers(const struct rows *rows, const double *b, double *mu);
/* Takes the part within the row space off y[n]. */
void rows_remove(const struct rows *rows, double *y);

#endif
