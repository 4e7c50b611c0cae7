/* linear_choose.c: independent coordinates and velocities of a constrained model, and states that
 * follow from them. Dependent coordinates are chosen among those whose velocities are dependent:
 * the derivatives of position-level equations are rows of A, so that enough of them are there. */
#include "runtime/eliminate.h"
#include "runtime/evaluate.h"
#include "runtime/message.h"
#include "dyn/dyn_linear.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ITERATIONS 50
#define HELD 1e-11 /* a residual over the size of its terms, where Newton's method stalls */
#define NOTHING 1e-200

static dyn_status no_memory(dyn_message *message) {
  return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to linearise");
}

void dyn_linear_choice_clear(dyn_linear_choice *c) {
  free(c->coordinates);
  free(c->position_offset);
  *c = (dyn_linear_choice){0};
}

/* The indices below n that are not among `taken`, ascending; `taken` becomes ascending as well. */
static int32_t list_others(int32_t n, int32_t *taken, int32_t count, unsigned char *is_taken,
                           int32_t *others) {
  int32_t found = 0;
  memset(is_taken, 0, (size_t)n);
  for (int32_t i = 0; i < count; i++) is_taken[taken[i]] = 1;
  for (int32_t j = 0, i = 0; j < n; j++)
    if (is_taken[j])
      taken[i++] = j;
    else
      others[found++] = j;
  return found;
}

static dyn_status note_integrals(const dyn_problem *problem, double t, const double *x,
                                 double *offset, dyn_message *message) {
  const dyn_model *model = problem->model;
  size_t positions = (size_t)model->n_position, n = (size_t)model->n_coordinates;
  if (positions == 0) return DYN_DONE;
  struct evaluator e;
  dyn_status status = evaluator_init(&e, problem, message);
  if (status) return status;
  double *values = calloc(positions * (1 + n), sizeof *values);
  if (!values)
    status = no_memory(message);
  else if (evaluate_function(&e, model->position_residuals, t, x, values))
    status = evaluate_failure_message(&e, x, message);
  for (size_t i = 0; i < positions && !status; i++)
    if (model->position_equations[i].is_integral) offset[i] = values[i];
  free(values);
  evaluator_clear(&e);
  return status;
}

static dyn_status choose(const dyn_linear_equations *e, const double *preference, double *weight,
                         unsigned char *is_taken, dyn_linear_choice *c, dyn_message *message) {
  int32_t n = e->n;
  int32_t rank = eliminate_choose(e->m, n, e->constraint_jacobian, preference, e->constraint_rank,
                                  c->dependent_velocities);
  if (rank < 0) return no_memory(message);
  if (rank < e->constraint_rank)
    return message_set(message, DYN_RANK_LOST,
                       "of %d constraints that are independent elsewhere, %d are there, and two "
                       "branches of the motion meet",
                       (int)e->constraint_rank, (int)rank);
  c->n_dependent_velocities = rank;
  c->n_velocities = list_others(n, c->dependent_velocities, rank, is_taken, c->velocities);
  for (int32_t j = 0; j < n; j++) weight[j] = is_taken[j] ? preference[j] : 0;
  rank = eliminate_choose(e->positions, n, e->position_by_state, weight, e->constraint_rank,
                          c->dependent_coordinates);
  if (rank < 0) return no_memory(message);
  c->n_dependent_coordinates = rank;
  c->n_coordinates = list_others(n, c->dependent_coordinates, rank, is_taken, c->coordinates);
  return DYN_DONE;
}

dyn_status dyn_linear_choose(const dyn_problem *problem, double t, const double *x,
                             const dyn_linear_equations *e, const double *preference,
                             dyn_linear_choice *c, dyn_message *message) {
  size_t n = (size_t)e->n;
  message_set(message, DYN_DONE, "%s", "");
  *c = (dyn_linear_choice){0};
  c->coordinates = calloc(4 * n + 1, sizeof *c->coordinates);
  c->position_offset = calloc((size_t)e->positions + 1, sizeof(double));
  double *weight = calloc(n + 1, sizeof *weight);
  unsigned char *is_taken = calloc(n + 1, 1);
  dyn_status status = DYN_DONE;
  if (!c->coordinates || !c->position_offset || !weight || !is_taken) {
    status = no_memory(message);
  } else {
    c->velocities = c->coordinates + n;
    c->dependent_coordinates = c->velocities + n;
    c->dependent_velocities = c->dependent_coordinates + n;
    status = choose(e, preference, weight, is_taken, c, message);
  }
  if (!status) status = note_integrals(problem, t, x, c->position_offset, message);
  free(weight);
  free(is_taken);
  if (status) dyn_linear_choice_clear(c);
  return status;
}

/* ---- states that follow from the independent values */

/* One level: residuals and derivatives of count equations by n unknowns, row by row. */
struct level {
  struct evaluator *e;
  dyn_function *function;
  double t, *x, *unknowns;
  size_t count, n;
  const double *offset; /* or NULL */
  int32_t rank;
  const int32_t *dependent;
  double *values, *columns, *right;
};

/* The largest residual over the terms that make it up. */
static double look(struct level *s) {
  double worst = 0;
  if (evaluate_function(s->e, s->function, s->t, s->x, s->values)) return NAN;
  for (size_t i = 0; i < s->count; i++) {
    double size = 1e-300, *row = s->values + s->count + i * s->n;
    if (s->offset) s->values[i] -= s->offset[i];
    for (size_t j = 0; j < s->n; j++) {
      size = fmax(size, fabs(row[j]) * (1 + fabs(s->unknowns[j])));
      s->columns[i + j * s->count] = row[j];
    }
    double residual = fabs(s->values[i]) / size;
    if (!(residual <= worst)) worst = residual; /* also if it is no number */
  }
  return worst;
}

static int step(struct level *s) {
  struct elimination elimination;
  if (!elimination_init(&elimination, (int32_t)s->count, s->columns, s->rank, s->dependent))
    return 0;
  for (size_t i = 0; i < s->count; i++) s->right[i] = -s->values[i];
  elimination_solve(&elimination, s->right);
  for (int32_t i = 0; i < s->rank; i++) {
    double *unknown = &s->unknowns[s->dependent[i]];
    *unknown += s->right[i];
    if (fabs(*unknown) < NOTHING) *unknown = 0; /* Newton's method squares errors down to there */
  }
  elimination_clear(&elimination);
  return 1;
}

static dyn_status solve_level(struct level *s, dyn_message *message) {
  double last = HUGE_VAL;
  if (s->count == 0) return DYN_DONE;
  s->values = calloc(s->count * (2 + 2 * s->n), sizeof(double));
  if (!s->values) return no_memory(message);
  s->columns = s->values + s->count * (1 + s->n);
  s->right = s->columns + s->count * s->n;
  dyn_status status = DYN_CONFLICT;
  for (int i = 0; i < MOST_ITERATIONS; i++) {
    double now = look(s);
    if (now == 0 || (now <= HELD && !(now < 0.25 * last))) status = DYN_DONE;
    if (!status || !isfinite(now) || !step(s)) break;
    last = now;
  }
  free(s->values);
  if (status)
    message_set(message, status,
                "no state with these independent values satisfies the constraints");
  return status;
}

dyn_status dyn_linear_complete(const dyn_problem *problem, const dyn_linear_choice *c, double t,
                               double *x, dyn_message *message) {
  const dyn_model *model = problem->model;
  size_t n = (size_t)model->n_coordinates;
  struct evaluator e;
  message_set(message, DYN_DONE, "%s", "");
  dyn_status status = evaluator_init(&e, problem, message);
  if (status) return status;
  struct level position = {.e = &e,
                           .function = model->position_residuals,
                           .t = t,
                           .x = x,
                           .unknowns = x,
                           .count = (size_t)model->n_position,
                           .n = n,
                           .offset = c->position_offset,
                           .rank = c->n_dependent_coordinates,
                           .dependent = c->dependent_coordinates};
  struct level velocity = {.e = &e,
                           .function = model->velocity_residuals,
                           .t = t,
                           .x = x,
                           .unknowns = x + n,
                           .count = (size_t)model->n_constraints,
                           .n = n,
                           .rank = c->n_dependent_velocities,
                           .dependent = c->dependent_velocities};
  status = solve_level(&position, message);
  if (!status) status = solve_level(&velocity, message);
  evaluator_clear(&e);
  return status;
}
