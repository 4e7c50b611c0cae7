/* Puts mass matrix and constraints together:
 *
 *     [ M  -B ] [ q'' ]   [   f   ]
 *     [ A   0 ] [  λ  ] = [ -bias ]
 *
 * (Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, chapter 6). Where A has full
 * rank and M is positive on the motions that A allows, the matrix is regular, even if M is not. */
#include "derive/bordered.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

static void fill(struct bordered *b) {
  const struct system *s = b->system;
  size_t n = s->n, m = s->m, size = b->size;
  expr zero = expr_integer(s->graph, 0);
  b->owned = checked_calloc(size * size + 1, sizeof(expr));
  for (size_t k = 0; k < size * size; k++) b->owned[k] = zero;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) b->owned[i + j * size] = s->mass[i + j * n];
  for (size_t r = 0; r < b->rows; r++)
    for (size_t i = 0; i < n; i++) {
      b->owned[n + r + i * size] = s->constraint_jacobian[b->row[r] + i * m];
      b->owned[i + (n + r) * size] = expr_negate(s->graph, s->multiplier_force[i + b->row[r] * n]);
    }
  b->entries = b->owned;
}

struct bordered bordered_new(const struct system *system) {
  struct bordered b = {.system = system, .entries = system->mass};
  b.row = checked_calloc((size_t)system->m + 1, sizeof *b.row);
  for (uint32_t k = 0; k < system->m; k++)
    if (!system->model->constraints.items[k].is_redundant) b.row[b.rows++] = k;
  b.size = system->n + b.rows;
  if (b.rows > 0) fill(&b);
  return b;
}

void bordered_clear(struct bordered *bordered) {
  free(bordered->row);
  free(bordered->owned);
  *bordered = (struct bordered){0};
}
