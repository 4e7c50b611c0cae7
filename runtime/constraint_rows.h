/* constraint_rows.h: the constraints of one level, position or velocity: their residuals, their
 * derivatives as rows of comparable length, and the least change that takes the residuals away. */
#ifndef DYN_RUNTIME_CONSTRAINT_ROWS_H
#define DYN_RUNTIME_CONSTRAINT_ROWS_H
#include "runtime/evaluate.h"
#include "runtime/metric.h"
#include "runtime/rows.h"

struct constraint_rows {
  struct evaluator *e;
  int is_velocity;
  size_t m, n;         /* equations; coordinates */
  double *residuals;   /* m, at the state evaluated last; 0 of equations that were dropped */
  double *derivatives; /* m n, row by row, by q or q'; at the same state */
  double *offset;      /* m: value at the start of a run, of integrals; else 0 */
  double *typical;     /* m: the longest that each row has been, in the metric in use */
  double *size;        /* m: the largest that the terms of each residual have been */
  double *noise;       /* m: residuals this small are rounding */
  double *right;
  unsigned char *state; /* m: private */
  size_t n_dropped;     /* integrals that say nothing any more */
  struct rows rows;     /* of at most about unit length: derivatives by w over `typical` */
};

/* Rows with pivots below this are dependent. */
#define CONSTRAINT_LEAST_PIVOT 1e-9

int constraint_rows_init(struct constraint_rows *rows, struct evaluator *e, int is_velocity);
void constraint_rows_clear(struct constraint_rows *rows);
/* Residuals and derivatives at (t, x). A constraint that is not finite there is a failure; the
 * integral of one is a help against drift only, and is dropped for good. */
enum evaluate_result constraint_rows_evaluate(struct constraint_rows *rows, double t,
                                              const double *x);
/* Learns lengths and sizes at x and at a point near it. Needs nothing evaluated before. */
enum evaluate_result constraint_rows_survey(struct constraint_rows *rows, double t, const double *x,
                                            const struct metric *metric);
/* After a survey, at a start: takes the values that integrals have there as those to be kept, and
 * drops integrals that have no gradient there, and so no surface to stay on. */
void constraint_rows_begin(struct constraint_rows *rows, const struct metric *metric);
/* The largest residual evaluated last, over the size of its terms; infinite if one is no number. */
double constraint_rows_worst(const struct constraint_rows *rows);
/* Whether equation i is an integral that was dropped. */
int constraint_rows_is_dropped(const struct constraint_rows *rows, size_t i);
/* Integrals that were not dropped are as if they were; returns how many. Until: */
size_t constraint_rows_set_aside(struct constraint_rows *rows);
/* They are dropped for good, or count again. */
void constraint_rows_settle(struct constraint_rows *rows, int drops);
/* Decomposes the rows evaluated last, at x; never more than most_rank count as independent. */
void constraint_rows_decompose(struct constraint_rows *rows, const double *x,
                               const struct metric *metric, size_t most_rank);
/* change[n] = the least one, in the metric, that takes the residuals away to first order. */
void constraint_rows_solve(struct constraint_rows *rows, const struct metric *metric,
                           double *change);
/* The k-th row that decomposition took, or (from rank on) left. */
size_t constraint_rows_pivot(const struct constraint_rows *rows, size_t k);
/* After a decomposition that left rows: the constraint of one of them, of one that is not redundant
 * anyway if there is such a one; else -1. */
int32_t constraint_rows_dependent(const struct constraint_rows *rows);
/* The constraint that equation i belongs to. */
int32_t constraint_rows_constraint(const struct constraint_rows *rows, size_t i);

#endif
