/* assemble.c: start values to a start state: positions and first-order states that satisfy the
 * position-level equations, then velocities that satisfy the velocity-level ones at those
 * positions. A level is one block of equations with its unknowns and metric (level.h); constraints
 * on either level join its block. Promises the nearest such state, or the equations that conflict.
 */
#include "runtime/level.h"
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct assembly_run {
  struct evaluator e;
  double t;
  double *x;
  double *residuals;
  unsigned char *failed;
  int32_t *unknowns;
  double *mass; /* n_coordinates^2, or NULL */
  dyn_assembly *report;
};

static dyn_status no_memory(dyn_assembly *a) {
  return a->status =
             message_set(&a->message, DYN_OUT_OF_MEMORY, "there is not enough memory to assemble");
}

static dyn_status allocate(struct assembly_run *r) {
  const dyn_model *m = r->e.model;
  size_t n = (size_t)m->n_coordinates;
  size_t equations = (size_t)m->n_initial_position + (size_t)m->n_initial_velocity + 1;
  r->residuals = calloc(equations, sizeof(double));
  r->failed = calloc(equations, 1);
  r->unknowns = calloc((size_t)m->n_state + 1, sizeof(int32_t));
  if (!r->residuals || !r->failed || !r->unknowns) return no_memory(r->report);
  if (m->mass_matrix && n > 0 && equations > 1) {
    r->mass = malloc(n * n * sizeof(double));
    if (!r->mass) return no_memory(r->report);
  }
  return DYN_DONE;
}

static void release(struct assembly_run *r) {
  evaluator_clear(&r->e);
  free(r->residuals);
  free(r->failed);
  free(r->unknowns);
  free(r->mass);
}

static void list_failed(struct assembly_run *r, int32_t count, int32_t is_velocity) {
  dyn_assembly *a = r->report;
  a->failed = calloc((size_t)count, sizeof *a->failed);
  for (int32_t i = 0; a->failed && i < count; i++)
    if (r->failed[i])
      a->failed[a->n_failed++] = (dyn_failed_condition){i, is_velocity, r->residuals[i]};
}

static const char *condition_text(const dyn_model *m, const dyn_failed_condition *f) {
  return (f->is_velocity ? m->initial_velocity : m->initial_position)[f->condition].text;
}

/* "A (off by 0.5) and B (off by 0.5) cannot hold at once". */
static dyn_status conflict_message(const dyn_model *m, dyn_assembly *a) {
  message_set(&a->message, DYN_CONFLICT, "%s", a->n_failed == 0 ? "the initial equations" : "");
  int32_t shown = a->n_failed <= 4 ? a->n_failed : 3;
  for (int32_t i = 0; i < shown; i++) {
    const char *join = i == 0 ? "" : i == a->n_failed - 1 ? " and " : ", ";
    message_add(&a->message, "%s%s (off by %.3g)", join, condition_text(m, &a->failed[i]),
                fabs(a->failed[i].residual));
  }
  if (shown < a->n_failed)
    message_add(&a->message, " and %d more equations", (int)(a->n_failed - shown));
  message_add(&a->message, a->n_failed == 1 ? " cannot hold" : " cannot hold at once");
  return a->status = DYN_CONFLICT;
}

static dyn_status solve_level(struct assembly_run *r, struct level *level, int32_t is_velocity,
                              int32_t *rank) {
  dyn_assembly *a = r->report;
  const dyn_model *m = r->e.model;
  int32_t n_mass = m->n_coordinates; /* the first unknowns of both levels */
  int has_mass = r->mass && !evaluate_function(&r->e, m->mass_matrix, r->t, r->x, r->mass);
  struct metric metric;
  if (!metric_init(&metric, n_mass, level->n, has_mass ? r->mass : NULL)) {
    metric_clear(&metric);
    return no_memory(a);
  }
  level->metric = &metric;
  enum level_result result = level_solve(level, r->residuals, r->failed, rank, &a->iterations);
  metric_clear(&metric);
  if (result == LEVEL_NO_MEMORY) return no_memory(a);
  if (result == LEVEL_NOT_EVALUATED) {
    if (r->e.failure) return a->status = evaluate_failure_message(&r->e, r->x, &a->message);
    return a->status = message_set(&a->message, DYN_OUT_OF_RANGE,
                                   "the initial equations are no numbers at the start values");
  }
  if (result == LEVEL_DONE) return DYN_DONE;
  list_failed(r, level->n_equations, is_velocity);
  return conflict_message(m, a);
}

static dyn_status solve_positions(struct assembly_run *r) {
  const dyn_model *m = r->e.model;
  int32_t n = m->n_coordinates;
  if (m->n_initial_position == 0 || !m->initial_position_equations) return DYN_DONE;
  for (int32_t i = 0; i < n; i++) r->unknowns[i] = i;
  for (int32_t i = 0; i < m->n_rates; i++) r->unknowns[n + i] = 2 * n + i;
  struct level level = {.e = &r->e,
                        .t = r->t,
                        .x = r->x,
                        .equations = m->initial_position_equations,
                        .n_equations = m->n_initial_position,
                        .n = n + m->n_rates,
                        .unknowns = r->unknowns};
  return solve_level(r, &level, 0, &r->report->position_rank);
}

static dyn_status solve_velocities(struct assembly_run *r) {
  const dyn_model *m = r->e.model;
  int32_t n = m->n_coordinates;
  if (m->n_initial_velocity == 0 || !m->initial_velocity_equations) return DYN_DONE;
  for (int32_t i = 0; i < n; i++) r->unknowns[i] = n + i;
  struct level level = {.e = &r->e,
                        .t = r->t,
                        .x = r->x,
                        .equations = m->initial_velocity_equations,
                        .n_equations = m->n_initial_velocity,
                        .n = n,
                        .unknowns = r->unknowns};
  return solve_level(r, &level, 1, &r->report->velocity_rank);
}

/* Lists what moved by more than rounding. Returns 0 when there is no memory. */
static int list_moved(const dyn_model *m, const double *before, const double *x, dyn_assembly *a) {
  a->moved = calloc((size_t)m->n_state + 1, sizeof *a->moved);
  for (int32_t i = 0; a->moved && i < m->n_state; i++) {
    double rounding = 1e-10 * fmax(fabs(before[i]), fabs(x[i])) + 1e-13;
    if (fabs(x[i] - before[i]) > rounding)
      a->moved[a->n_moved++] = (dyn_moved_value){i, before[i], x[i]};
  }
  return a->moved != NULL;
}

dyn_status dyn_start_assemble(const dyn_problem *problem, double t, double *x, dyn_assembly *a) {
  struct assembly_run r = {.t = t, .x = x, .report = a};
  dyn_assembly_clear(a);
  a->status = evaluator_init(&r.e, problem, &a->message);
  if (a->status) return a->status;
  size_t size = ((size_t)r.e.n + 1) * sizeof *x;
  double *before = malloc(size);
  dyn_status status = before ? allocate(&r) : no_memory(a);
  if (!status) {
    memcpy(before, x, (size_t)r.e.n * sizeof *x);
    status = solve_positions(&r);
    if (!status) status = solve_velocities(&r);
    if (!list_moved(r.e.model, before, x, a) && !status) status = no_memory(a);
  }
  free(before);
  release(&r);
  return status;
}

void dyn_assembly_clear(dyn_assembly *a) {
  free(a->moved);
  free(a->failed);
  memset(a, 0, sizeof *a);
}

size_t dyn_assembly_text(const dyn_model *m, const dyn_assembly *a, char *text, size_t size) {
  struct text_out out = text_out_begin(text, size);
  for (int32_t i = 0; i < a->n_failed; i++)
    text_out_add(&out, "  %s: residual %.6g at the best point\n", condition_text(m, &a->failed[i]),
                 a->failed[i].residual);
  if (a->status) return out.length;
  for (int32_t i = 0; i < a->n_moved; i++) {
    const dyn_moved_value *v = &a->moved[i];
    const char *unit = state_unit(m, v->state);
    int plain = !unit || !unit[0] || !strcmp(unit, "1");
    text_out_add(&out, "the start value of %s moved from %.9g to %.9g%s%s (by %.3g)\n",
                 state_name(m, v->state), v->from, v->to, plain ? "" : " ", plain ? "" : unit,
                 v->to - v->from);
  }
  return out.length;
}
