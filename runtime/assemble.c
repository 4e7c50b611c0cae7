/* assemble.c: start values to a start state: positions and first-order states that satisfy the
 * position-level constraints and equations, then velocities that satisfy all constraints and the
 * velocity-level equations at those positions. A level is one block of equations with its unknowns
 * and metric (level.h). Values that the user stated are kept if the guesses alone can satisfy the
 * block; if not, all move. Promises the nearest such state, or the equations that conflict. */
#include "runtime/assemble.h"
#include "runtime/constraint_rows.h"
#include "runtime/level.h"
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VIOLATED 1e-9 /* residual over the size of the equation's terms */

struct assembly_run {
  struct evaluator e;
  double t;
  double *x, *before;
  unsigned char *stated; /* n_state */
  dyn_assembly *report;
  /* Of the level in work: */
  int is_velocity;
  int32_t n_constraints, n_initial; /* equations of each kind; constraints come first */
  int32_t *constraints;             /* the rows of position_residuals that are no integrals */
  int32_t *unknowns, *groups;
  int32_t n_unknowns;
  double *scratch;     /* what the model's functions give */
  double *mass, *part; /* n_coordinates^2; of the unknowns. NULL: no metric */
  struct level_report level;
};

static dyn_status no_memory(dyn_assembly *a) {
  return a->status =
             message_set(&a->message, DYN_OUT_OF_MEMORY, "there is not enough memory to assemble");
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static dyn_status allocate(struct assembly_run *r) {
  const dyn_model *m = r->e.model;
  size_t n = (size_t)m->n_coordinates, n_state = (size_t)m->n_state + 1;
  size_t constraints = larger((size_t)m->n_position, (size_t)m->n_constraints);
  size_t initial = larger((size_t)m->n_initial_position, (size_t)m->n_initial_velocity);
  size_t equations = constraints + initial + 1;
  r->before = calloc(n_state, sizeof(double));
  r->stated = calloc(n_state, 1);
  r->unknowns = calloc(n_state, sizeof(int32_t));
  r->constraints = calloc(equations, sizeof(int32_t));
  r->groups = calloc(equations, sizeof(int32_t));
  r->scratch = calloc(equations * (1 + n_state), sizeof(double));
  r->level.at_start = calloc(3 * equations, sizeof(double));
  r->level.state = calloc(equations, 1);
  if (!r->before || !r->stated || !r->unknowns || !r->constraints || !r->groups || !r->scratch ||
      !r->level.at_start || !r->level.state)
    return no_memory(r->report);
  r->level.residuals = r->level.at_start + equations;
  r->level.size = r->level.residuals + equations;
  if (m->mass_matrix && n > 0 && equations > 1) {
    r->mass = malloc(2 * n * n * sizeof(double));
    if (!r->mass) return no_memory(r->report);
    r->part = r->mass + n * n;
  }
  return DYN_DONE;
}

static void release(struct assembly_run *r) {
  evaluator_clear(&r->e);
  free(r->before);
  free(r->stated);
  free(r->unknowns);
  free(r->constraints);
  free(r->groups);
  free(r->scratch);
  free(r->level.at_start);
  free(r->level.state);
  free(r->mass);
}

static void note_stated(struct assembly_run *r) {
  const dyn_model *m = r->e.model;
  const unsigned char *given = r->e.problem->start_given;
  for (int32_t i = 0; i < m->n_state; i++) {
    uint32_t flags = i < m->n_coordinates       ? m->coordinates[i].flags
                     : i < 2 * m->n_coordinates ? m->velocities[i - m->n_coordinates].flags
                                                : DYN_START_GIVEN;
    r->stated[i] = (flags & DYN_START_GIVEN) || (given && given[i]);
  }
}

/* ---- The equations of a level ---- */

/* The column of unknown j in what the model's functions give: q (or q'), then z. */
static int32_t column_of(const struct assembly_run *r, int32_t j) {
  int32_t n = r->e.model->n_coordinates, i = r->unknowns[j];
  return i < n ? i : i - n;
}

static int evaluate_level(void *user, double *values) {
  struct assembly_run *r = user;
  const dyn_model *m = r->e.model;
  size_t n = (size_t)m->n_coordinates, n_unknowns = (size_t)r->n_unknowns, out = 0;
  size_t all = (size_t)(r->n_constraints + r->n_initial);
  double *derivatives = values + all;
  if (r->n_constraints > 0) {
    size_t count = (size_t)(r->is_velocity ? m->n_constraints : m->n_position);
    dyn_function *f = r->is_velocity ? m->velocity_residuals : m->position_residuals;
    if (evaluate_function(&r->e, f, r->t, r->x, r->scratch)) return 0;
    for (; out < (size_t)r->n_constraints; out++) {
      size_t row = (size_t)r->constraints[out];
      values[out] = r->scratch[row];
      for (size_t j = 0; j < n_unknowns; j++) {
        size_t column = (size_t)column_of(r, (int32_t)j);
        derivatives[out * n_unknowns + j] = column < n ? r->scratch[count + row * n + column] : 0;
      }
    }
  }
  if (r->n_initial > 0) {
    size_t count = (size_t)r->n_initial, columns = r->is_velocity ? n : n + (size_t)m->n_rates;
    dyn_function *f =
        r->is_velocity ? m->initial_velocity_equations : m->initial_position_equations;
    if (evaluate_function(&r->e, f, r->t, r->x, r->scratch)) return 0;
    for (size_t i = 0; i < count; i++, out++) {
      values[out] = r->scratch[i];
      for (size_t j = 0; j < n_unknowns; j++)
        derivatives[out * n_unknowns + j] =
            r->scratch[count + i * columns + (size_t)column_of(r, (int32_t)j)];
    }
  }
  return 1;
}

static int32_t constraint_of(const struct assembly_run *r, int32_t i) {
  int32_t row = r->constraints[i];
  return r->is_velocity ? row : r->e.model->position_equations[row].constraint;
}

/* Collects the level's equations; those of constraints with equal units form groups. */
static void collect_equations(struct assembly_run *r, int is_velocity) {
  const dyn_model *m = r->e.model;
  r->is_velocity = is_velocity;
  r->n_constraints = r->n_initial = 0;
  if (is_velocity) {
    for (int32_t i = 0; i < m->n_constraints; i++) r->constraints[r->n_constraints++] = i;
    if (m->initial_velocity_equations) r->n_initial = m->n_initial_velocity;
  } else {
    for (int32_t i = 0; i < m->n_position; i++)
      if (!m->position_equations[i].is_integral) r->constraints[r->n_constraints++] = i;
    if (m->initial_position_equations) r->n_initial = m->n_initial_position;
  }
  for (int32_t i = 0; i < r->n_constraints + r->n_initial; i++) {
    r->groups[i] = i;
    if (i >= r->n_constraints) continue;
    const dyn_constraint *c = &m->constraints[constraint_of(r, i)];
    for (int32_t k = 0; k < i && r->groups[i] == i; k++) {
      const dyn_constraint *other = &m->constraints[constraint_of(r, k)];
      int same_level = !((c->flags ^ other->flags) & DYN_CONSTRAINT_POSITION);
      if (same_level && c->unit && other->unit && !strcmp(c->unit, other->unit)) r->groups[i] = k;
    }
  }
}

/* The unknowns of the level, all or only guesses; returns how many are coordinates. */
static int32_t choose_unknowns(struct assembly_run *r, int guesses_only) {
  const dyn_model *m = r->e.model;
  int32_t n = m->n_coordinates, first = r->is_velocity ? n : 0;
  r->n_unknowns = 0;
  for (int32_t i = first; i < first + n; i++)
    if (!guesses_only || !r->stated[i]) r->unknowns[r->n_unknowns++] = i;
  int32_t n_coordinates = r->n_unknowns;
  for (int32_t i = 2 * n; i < m->n_state && !r->is_velocity; i++)
    if (!guesses_only || !r->stated[i]) r->unknowns[r->n_unknowns++] = i;
  return n_coordinates;
}

/* ---- Solving ---- */

/* The metric of the unknowns, from the mass matrix at x. Returns 0 when there is no memory. */
static int make_metric(struct assembly_run *r, int32_t n_mass, struct metric *metric) {
  const dyn_model *m = r->e.model;
  size_t n = (size_t)m->n_coordinates;
  double *part = NULL;
  if (r->mass && !evaluate_function(&r->e, m->mass_matrix, r->t, r->x, r->mass)) {
    part = r->part;
    for (int32_t j = 0; j < n_mass; j++)
      for (int32_t i = 0; i < n_mass; i++)
        part[j * n_mass + i] = r->mass[(size_t)column_of(r, j) * n + (size_t)column_of(r, i)];
  }
  return metric_init(metric, n_mass, r->n_unknowns, part);
}

static enum level_result try_level(struct assembly_run *r, int guesses_only) {
  struct metric metric;
  int32_t n_mass = choose_unknowns(r, guesses_only);
  if (guesses_only && (r->n_unknowns == 0)) return LEVEL_CONFLICT;
  if (!make_metric(r, n_mass, &metric)) {
    metric_clear(&metric);
    return LEVEL_NO_MEMORY;
  }
  struct level level = {.x = r->x,
                        .n_equations = r->n_constraints + r->n_initial,
                        .n = r->n_unknowns,
                        .unknowns = r->unknowns,
                        .groups = r->groups,
                        .metric = &metric,
                        .evaluate = evaluate_level,
                        .user = r,
                        .is_attempt = guesses_only};
  enum level_result result = level_solve(&level, &r->level);
  metric_clear(&metric);
  return result;
}

static dyn_failed_condition describe(const struct assembly_run *r, int32_t i) {
  int is_constraint = i < r->n_constraints;
  return (dyn_failed_condition){.condition =
                                    is_constraint ? constraint_of(r, i) : i - r->n_constraints,
                                .is_velocity = r->is_velocity,
                                .is_constraint = is_constraint,
                                .at_start = r->level.at_start[i],
                                .residual = r->level.residuals[i],
                                .holds = r->level.state[i] != LEVEL_FAILS};
}

static dyn_status list_failed(struct assembly_run *r) {
  dyn_assembly *a = r->report;
  int32_t count = r->n_constraints + r->n_initial;
  a->failed = calloc((size_t)count + 1, sizeof *a->failed);
  if (!a->failed) return no_memory(a);
  for (int pass = 0; pass < 2; pass++) /* those that do not hold come first */
    for (int32_t i = 0; i < count; i++)
      if (r->level.state[i] == (pass == 0 ? LEVEL_FAILS : LEVEL_HELD_AGAINST))
        a->failed[a->n_failed++] = describe(r, i);
  return assembly_set_conflict(r->e.model, a);
}

/* Adds the constraints of this level that the stated start values violate, as far as their moving
 * shows. */
static dyn_status list_violated(struct assembly_run *r) {
  dyn_assembly *a = r->report;
  size_t most = (size_t)(a->n_violated + r->n_constraints) + 1;
  dyn_failed_condition *violated = realloc(a->violated, most * sizeof *violated);
  if (!violated) return no_memory(a);
  a->violated = violated;
  for (int32_t i = 0; i < r->n_constraints; i++)
    if (fabs(r->level.at_start[i]) > VIOLATED * r->level.size[i])
      violated[a->n_violated++] = describe(r, i);
  return DYN_DONE;
}

/* The first equation, of count, whose value or row is not finite; count if there is none. */
static size_t find_undefined(const struct assembly_run *r, const double *values, size_t count) {
  size_t n = (size_t)r->n_unknowns;
  for (size_t i = 0; i < count; i++) {
    double sum = 0 * values[i];
    for (size_t j = 0; j < n; j++) sum += 0 * values[count + i * n + j];
    if (sum != 0) return i;
  }
  return count;
}

/* What has no value at the start values as they were given. The search may have failed elsewhere as
 * well, but what was met there tells nothing. */
static dyn_status not_evaluated(struct assembly_run *r) {
  dyn_assembly *a = r->report;
  const dyn_model *m = r->e.model;
  size_t count = (size_t)(r->n_constraints + r->n_initial), constraints = (size_t)r->n_constraints;
  double *values = malloc(count * (1 + (size_t)r->n_unknowns) * sizeof *values);
  if (!values) return no_memory(a);
  r->e.failure = EVALUATE_OK;
  size_t i = evaluate_level(r, values) ? find_undefined(r, values, count) : count;
  const char *what = i < count && !isfinite(values[i]) ? "" : "a derivative of ";
  free(values);
  if (r->e.failure) return a->status = evaluate_failure_message(&r->e, r->x, &a->message);
  if (i == count)
    return a->status = message_set(&a->message, DYN_OUT_OF_RANGE,
                                   "the equations of the start have no finite values");
  if (i < constraints)
    return a->status = message_set(&a->message, DYN_OUT_OF_RANGE,
                                   "%sthe constraint %s has no finite value at the start values",
                                   what, m->constraints[constraint_of(r, (int32_t)i)].name);
  const dyn_condition *initial = r->is_velocity ? m->initial_velocity : m->initial_position;
  return a->status =
             message_set(&a->message, DYN_OUT_OF_RANGE,
                         "%sthe initial equation %s has no finite value at the start values", what,
                         initial[i - constraints].text);
}

static dyn_status solve_level(struct assembly_run *r, int is_velocity, int32_t *rank) {
  dyn_assembly *a = r->report;
  size_t size = (size_t)r->e.n * sizeof *r->x;
  collect_equations(r, is_velocity);
  if (r->n_constraints + r->n_initial == 0) return DYN_DONE;
  memcpy(r->before, r->x, size);
  enum level_result result = try_level(r, 1);
  int is_kept = result == LEVEL_DONE; /* all that the model states */
  if (result == LEVEL_CONFLICT || result == LEVEL_NOT_EVALUATED) {
    memcpy(r->x, r->before, size);
    result = try_level(r, 0);
  }
  a->iterations = r->level.iterations;
  if (result == LEVEL_NO_MEMORY) return no_memory(a);
  if (result == LEVEL_NOT_EVALUATED) {
    memcpy(r->x, r->before, size);
    return not_evaluated(r);
  }
  if (result == LEVEL_CONFLICT) return list_failed(r);
  *rank = r->level.rank;
  return is_kept ? DYN_DONE : list_violated(r);
}

/* ---- The report ---- */

/* How many constraints are independent at the start state, and one that is not. */
static dyn_status count_independent(struct assembly_run *r) {
  dyn_assembly *a = r->report;
  const dyn_model *m = r->e.model;
  struct constraint_rows rows = {0};
  struct metric metric = {0};
  if (m->n_constraints == 0) return DYN_DONE;
  choose_unknowns(r, 0); /* of the velocities */
  int good = constraint_rows_init(&rows, &r->e, 1) && make_metric(r, m->n_coordinates, &metric);
  enum evaluate_result result = EVALUATE_OK;
  if (good) result = constraint_rows_survey(&rows, r->t, r->x, &metric);
  if (good && !result) {
    constraint_rows_decompose(&rows, r->x, &metric, (size_t)m->constraint_rank);
    a->constraint_rank = (int32_t)rows.rows.rank;
    if (a->constraint_rank < m->constraint_rank)
      a->dependent_constraint = constraint_rows_dependent(&rows);
  }
  metric_clear(&metric);
  constraint_rows_clear(&rows);
  if (result) return a->status = evaluate_failure_message(&r->e, r->x, &a->message);
  return good ? DYN_DONE : no_memory(a);
}

/* Lists what moved by more than rounding. */
static dyn_status list_moved(struct assembly_run *r, const double *given) {
  dyn_assembly *a = r->report;
  a->moved = calloc((size_t)r->e.n + 1, sizeof *a->moved);
  if (!a->moved) return no_memory(a);
  for (int32_t i = 0; i < r->e.n; i++) {
    double rounding = 1e-10 * fmax(fabs(given[i]), fabs(r->x[i])) + 1e-13;
    if (fabs(r->x[i] - given[i]) > rounding)
      a->moved[a->n_moved++] = (dyn_moved_value){i, given[i], r->x[i], r->stated[i]};
  }
  return DYN_DONE;
}

dyn_status dyn_start_assemble(const dyn_problem *problem, double t, double *x, dyn_assembly *a) {
  struct assembly_run r = {.t = t, .x = x, .report = a};
  dyn_assembly_clear(a);
  a->dependent_constraint = -1;
  a->status = evaluator_init(&r.e, problem, &a->message);
  if (a->status) return a->status;
  double *given = malloc(((size_t)r.e.n + 1) * sizeof *given);
  dyn_status status = given ? allocate(&r) : no_memory(a);
  if (!status) {
    memcpy(given, x, (size_t)r.e.n * sizeof *x);
    note_stated(&r);
    status = solve_level(&r, 0, &a->position_rank);
    if (!status) status = solve_level(&r, 1, &a->velocity_rank);
    if (!status) status = count_independent(&r);
    dyn_status listed = list_moved(&r, given);
    if (!status) status = listed;
  }
  free(given);
  release(&r);
  return status;
}

void dyn_assembly_clear(dyn_assembly *a) {
  free(a->moved);
  free(a->failed);
  free(a->violated);
  memset(a, 0, sizeof *a);
}
