/* linear_rest.c: the step of Newton's method towards a state at which nothing accelerates. Rows and
 * columns are made comparable by the sizes of the states; directions in which no rate changes are
 * not gone (the least step), and rates that no step changes stay.
 * A shift makes of it an implicit step of the motion with so much friction that nothing has
 * momentum. Source: Golub, Van Loan, Matrix Computations (4th ed.), 5.5; Kelley, Keyes, SIAM J.
 * Numer. Anal. 35 (1998) 508. */
#include "dyn/dyn_linear.h"
#include "runtime/message.h"
#include "runtime/rows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPENDENT 1e-10 /* a row beside the longest one */

dyn_status dyn_linear_rest(const dyn_linear_system *s, const dyn_linear_choice *c,
                           const double *size, const double *rate, double shift, double *step,
                           dyn_message *message) {
  size_t w = (size_t)s->n_states, q = (size_t)c->n_coordinates, first = q + (size_t)c->n_velocities;
  size_t m = w - q, n = q + (w - first);
  struct rows rows;
  double *right = calloc(m + n + 1, sizeof *right);
  memset(step, 0, w * sizeof *step);
  if (!right || !rows_init(&rows, m, n)) {
    free(right);
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
  }
  for (size_t i = 0; i < m; i++) { /* rates of velocities and of z, by coordinates and z */
    right[i] = -rate[q + i] / size[q + i];
    for (size_t j = 0; j < n; j++) {
      size_t column = j < q ? j : first + j - q;
      double own = 0;
      if (q + i < first && j < q && c->coordinates[j] == c->velocities[i]) own = shift;
      if (q + i >= first && column == q + i) own = sqrt(shift);
      rows.a[i * n + j] = (s->a[q + i + column * w] - own) * size[column] / size[q + i];
    }
  }
  rows_decompose(&rows, DEPENDENT);
  rows_solve(&rows, right, right + m);
  for (size_t j = 0; j < n; j++) {
    size_t column = j < q ? j : first + j - q;
    step[column] = right[m + j] * size[column];
  }
  rows_clear(&rows);
  free(right);
  return DYN_DONE;
}
