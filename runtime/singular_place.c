/* singular_place.c: why the accelerations are not determined, or not finite, at a state. The place
 * is named by the coordinates any of which, moved alone, gives the solution back: where two axes of
 * three angles coincide that is the angle between them. Without constraints the motion that meets
 * no inertia there is named too: the eigenvector of the smallest eigenvalue of the mass matrix,
 * scaled to a unit diagonal because units differ. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/blas.h"
#include "runtime/evaluate.h"
#include "runtime/message.h"
#include "runtime/units.h"

#define ASIDE 0.3      /* how far a coordinate is moved: neither small nor a usual part of a turn */
#define TAKES_PART 0.1 /* of the largest entry of the scaled motion */

struct place {
  struct evaluator e;
  double t, *x, *out, *matrix, *roots;
};

static int is_singular(struct place *s) {
  const dyn_model *m = s->e.model;
  double sum = 0; /* 0*inf and 0*nan are nan */
  if (evaluate_function(&s->e, m->acceleration, s->t, s->x, s->out)) return 1;
  for (int32_t i = 0; i < m->n_coordinates; i++) sum += 0 * s->out[i];
  return sum != 0; /* true of nan, too */
}

/* Returns how many coordinates were named. */
static int put_coordinates(struct place *s, dyn_message *message) {
  const dyn_model *m = s->e.model;
  int named = 0;
  for (int32_t j = 0; j < m->n_coordinates; j++) {
    double value = s->x[j];
    s->x[j] = value + ASIDE;
    int at_fault = !is_singular(s);
    s->x[j] = value;
    if (!at_fault) continue;
    int plain = unit_is_plain(m->coordinates[j].unit);
    message_add(message, "%s%s = %.6g%s%s", named++ ? " and " : "where ", m->coordinates[j].name,
                value + 0.0, plain ? "" : " ", plain ? "" : m->coordinates[j].unit);
  }
  return named;
}

/* s->roots and s->matrix: eigenvalues and eigenvectors of the scaled mass matrix. */
static int decompose(struct place *s) {
  const dyn_model *m = s->e.model;
  int n = m->n_coordinates, info = 0, size = 3 * n + 1;
  if (evaluate_function(&s->e, m->mass_matrix, s->t, s->x, s->matrix)) return 0;
  double *scale = s->out;
  for (int i = 0; i < n; i++) {
    double d = s->matrix[i + (ptrdiff_t)i * n];
    scale[i] = d > 0 ? 1 / sqrt(d) : 1;
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) s->matrix[i + (ptrdiff_t)j * n] *= scale[i] * scale[j];
  LAPACK_dsyev("V", "L", &n, s->matrix, &n, s->roots, s->roots + n, &size, &info);
  return info == 0;
}

static void put_motion(struct place *s, dyn_message *message) {
  const dyn_model *m = s->e.model;
  int n = m->n_coordinates, count = 0, told = 0;
  if (!decompose(s) || s->roots[0] > 1e3 * n * DBL_EPSILON) return;
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(s->matrix[i]));
  for (int i = 0; i < n; i++) count += fabs(s->matrix[i]) > TAKES_PART * largest;
  message_add(message, ": ");
  for (int i = 0; i < n; i++) {
    if (!(fabs(s->matrix[i]) > TAKES_PART * largest)) continue;
    message_add(message, "%s%s",
                told == 0           ? ""
                : told + 1 == count ? " and "
                                    : ", ",
                m->velocities[i].name);
    told++;
  }
  message_add(message,
              count == 1 ? " moves no mass there" : " do not move the masses independently there");
}

void dyn_singular_place(const dyn_problem *problem, double t, const double *x,
                        dyn_message *message) {
  const dyn_model *m = problem->model;
  size_t n = (size_t)m->n_coordinates, states = (size_t)m->n_state;
  struct place s = {.t = t};
  message->text[0] = 0;
  if (!m->acceleration || evaluator_init(&s.e, problem, NULL) != DYN_DONE) return;
  s.x = calloc(states + n + n * n + n + 3 * n + 1, sizeof(double));
  if (s.x) {
    memcpy(s.x, x, states * sizeof *x);
    s.out = s.x + states;
    s.matrix = s.out + n;
    s.roots = s.matrix + n * n;
    if (is_singular(&s) && put_coordinates(&s, message) > 0 && m->n_constraints == 0)
      put_motion(&s, message);
  }
  free(s.x);
  evaluator_clear(&s.e);
}
