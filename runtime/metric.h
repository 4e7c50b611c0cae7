/* metric.h: distances in the norm of a mass matrix.
 *
 * A metric W = S^-T S^-1 turns changes y of the unknowns into changes w = S^-1 y whose ordinary
 * length is the W-norm of y, so that least squares in w is least W-norm in y. */
#ifndef DYN_RUNTIME_METRIC_H
#define DYN_RUNTIME_METRIC_H
#include <stdint.h>

struct metric {
  int32_t n_mass; /* unknowns that the mass matrix is about: the first ones; */
  int32_t n;      /* the others have unit weight */
  int is_unit;    /* all have */
  double *factor; /* n_mass^2, column by column: L of W = L L^T, or the eigenvectors */
  double *roots;  /* NULL, or the square roots of the eigenvalues, then n_mass to work in */
};

/* mass is n_mass^2, column by column, or NULL for the unit norm. Its symmetric part counts;
 * directions in which it is not positive have unit weight. Returns 0 when there is no memory. */
int metric_init(struct metric *metric, int32_t n_mass, int32_t n, const double *mass);
void metric_clear(struct metric *metric);
/* w = S^-1 y, in place. */
void metric_lengths(const struct metric *metric, double *y);
/* y = S w, in place. */
void metric_changes(const struct metric *metric, double *w);
/* The derivative by w of what has the derivative g by y: S^T g, in place. */
void metric_gradient(const struct metric *metric, double *g);

#endif
