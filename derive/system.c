/* From model to system: picks the method, runs its steps in order, and keeps the structure's
 * promises (system_check). The list of steps is derive_system; the mathematics is in the files of
 * the methods. */
#include "derive/method.h"
#include "derive/method_state.h"
#include "derive/recursion_forms.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

typedef bool derive_function(dyn_context *, struct system *, const struct terms *);

static const struct {
  const char *name;
  derive_function *derive;
} methods[] = {{"lagrange", lagrange_derive},
               {"augmented", augmented_derive},
               {"kane", kane_derive},
               {"gibbs-appell", gibbs_appell_derive},
               {"hamilton", hamilton_derive}};
enum { METHOD_COUNT = sizeof methods / sizeof *methods };

/* The method's number, or METHOD_COUNT after a report. */
static int find_method(dyn_context *context, const char *name, struct span span) {
  const char *names[METHOD_COUNT];
  struct text available = {0};
  int found = METHOD_COUNT;
  for (int i = 0; i < METHOD_COUNT; i++) {
    names[i] = methods[i].name;
    if (strcmp(name, methods[i].name) == 0) found = i;
    text_format(&available, "%s'%s'", i > 0 ? ", " : "", methods[i].name);
  }
  if (found == METHOD_COUNT) {
    struct diagnostic *d = diagnostic_add(context, DIAG_UNKNOWN_METHOD, span, name, NULL);
    const char *near = nearest_name(name, names, METHOD_COUNT);
    if (near) diagnostic_help(context, d, "did you mean '%s'?", near);
    diagnostic_help(context, d, "available: %s", text_string(&available));
  }
  text_free(&available);
  return found;
}

static expr *expr_array(size_t count) {
  return checked_calloc(count ? count : 1, sizeof(expr));
}

static void allocate_constraints(struct system *system) {
  size_t n = system->n, m = system->model->constraints.count;
  system->m = (uint32_t)m;
  system->constraint_rank = system->model->structure.rank;
  system->constraint = expr_array(m);
  system->constraint_jacobian = expr_array(m * n);
  system->constraint_bias = expr_array(m);
  system->multiplier_force = expr_array(n * m);
  size_t equations = m + system->model->structure.combinations.count;
  system->position_constraint = checked_calloc(equations + 1, sizeof(uint32_t));
  system->position_residual = expr_array(equations);
}

static struct system *system_new(struct model *model, const struct terms *terms) {
  struct system *system = checked_calloc(1, sizeof *system);
  size_t n = model->coordinates.count;
  system->model = model;
  system->graph = model->graph;
  system->n = (uint32_t)n;
  system->rates = model->states.count;
  system->forcing = expr_array(n);
  system->inertial = expr_array(n);
  system->applied = expr_array(n);
  system->momentum = expr_array(n);
  system->momentum_rate = expr_array(n);
  system->nonconservative = expr_array(n);
  system->rate = expr_array(system->rates);
  allocate_constraints(system);
  system->output = expr_array(model->outputs.count);
  for (uint32_t k = 0; k < system->rates; k++) system->rate[k] = model->states.items[k].rate;
  for (uint32_t k = 0; k < model->outputs.count; k++)
    system->output[k] = model->outputs.items[k].value;
  system->has_energy = !terms->is_lagrangian;
  system->kinetic_energy = system->has_energy ? terms->kinetic : 0;
  system->potential_energy = system->has_energy ? terms->potential : 0;
  return system;
}

/* The mass matrix is stored whole: 400 megabytes at this size. From so many coordinates on it is
 * not derived where a recursion makes it unnecessary and it is long. */
enum { MOST_COORDINATES = 10000, MANY_COORDINATES = 16 };

/* True (after a report) if the expression graph ran full, so that no result can be trusted. */
static bool is_too_large(dyn_context *context, const struct system *system) {
  if (!expr_graph_is_full(system->graph)) return false;
  diagnostic_add(context, DIAG_EQUATIONS_TOO_LARGE, (struct span){0}, NULL);
  return true;
}

struct system *derive_system(dyn_context *context, struct model *model, const char *method) {
  struct span span = {0};
  if (!method && model->run.method) {
    method = model->run.method;
    span = model->run.span;
  }
  int chosen = find_method(context, method ? method : "lagrange", span);
  if (chosen == METHOD_COUNT) return NULL;
  if (model->coordinates.count > MOST_COORDINATES || model->constraints.count > MOST_COORDINATES) {
    diagnostic_add(context, DIAG_EQUATIONS_TOO_LARGE, (struct span){0}, NULL);
    return NULL;
  }

  struct terms terms = terms_of_model(model);
  struct system *system = system_new(model, &terms);
  system->method = methods[chosen].name;
  constraints_derive(system);
  if (methods[chosen].derive == lagrange_derive && system->n >= MANY_COORDINATES)
    system->recursion = recursion_of_model(model); /* may spare the mass matrix */
  bool ok = methods[chosen].derive(context, system, &terms);
  ok = !is_too_large(context, system) && ok;
  ok = ok && inertia_check(context, system, &terms);
  if (ok) invariants_find(system, &terms);
  if (ok && system->state.kind == VARIABLES_VELOCITIES && system->recursion == NULL)
    system->recursion = recursion_of_model(model);
  if (!ok || is_too_large(context, system)) {
    system_free(system);
    return NULL;
  }
  return system;
}

void system_free(struct system *system) {
  if (!system) return;
  for (uint32_t i = 0; i < system->invariant_count; i++) {
    free((char *)system->invariants[i].name);
    free((char *)system->invariants[i].unit);
  }
  free(system->invariants);
  free(system->mass);
  free(system->forcing);
  free(system->inertial);
  free(system->applied);
  free(system->momentum);
  free(system->momentum_rate);
  free(system->nonconservative);
  free(system->rate);
  free(system->output);
  free(system->constraint);
  free(system->constraint_jacobian);
  free(system->constraint_bias);
  free(system->multiplier_force);
  free(system->position_constraint);
  free(system->position_residual);
  free(system->position_jacobian);
  free(system->residual_by_state);
  free(system->rate_by_state);
  free(system->rate_by_acceleration);
  method_state_clear(system);
  recursion_free(system->recursion);
  free(system);
}

static void check_present(const expr *items, size_t count, uint32_t limit, const char *what) {
  if (!items) bug("system: no %s", what);
  for (size_t i = 0; i < count; i++)
    if (items[i] == 0 || items[i] > limit) bug("system: %s %zu is no expression", what, i);
}

static void check_free_of(struct expr_symbol_set *set, const expr *items, size_t count,
                          const char *what) {
  for (size_t i = 0; i < count; i++)
    if (expr_symbol_set_touches(set, items[i]))
      bug("system: %s %zu holds accelerations or multipliers", what, i);
}

static void check_state(const struct system *system, uint32_t limit) {
  const struct system_method_state *state = &system->state;
  size_t n = system->n;
  if (state->kind == VARIABLES_VELOCITIES) return;
  check_present(state->symbol, n, limit, "variable");
  check_present(state->symbol_rate, n, limit, "rate of a variable");
  check_present(state->value, n, limit, "value of a variable");
  for (size_t j = 0; j < n; j++)
    if (!state->name[j] || !state->unit[j]) bug("system: variable %zu has no name", j);
  check_present(state->mass, n * n, limit, "entry of the variables' matrix");
  if (state->kind == VARIABLES_MOMENTA) {
    check_present(state->rest, n, limit, "momentum at rest");
    check_present(state->rate, n, limit, "rate of a momentum");
    return;
  }
  check_present(state->velocity, n, limit, "velocity by speeds");
  check_present(state->acceleration, n, limit, "acceleration by speeds");
  check_present(state->forcing, n, limit, "forcing of a speed");
  check_present(state->jacobian, n * system->m, limit, "constraint Jacobian by speeds");
  check_present(state->bias, system->m, limit, "constraint bias by speeds");
  check_present(state->multiplier_force, n * system->m, limit, "multiplier force on a speed");
}

static void check_constraints(const struct system *system, uint32_t limit) {
  size_t n = system->n, m = system->m;
  if (m != system->model->constraints.count || system->constraint_rank > m)
    bug("system: constraints differ from the model's");
  check_present(system->constraint, m, limit, "constraint");
  check_present(system->constraint_jacobian, m * n, limit, "constraint Jacobian");
  check_present(system->constraint_bias, m, limit, "constraint bias");
  check_present(system->multiplier_force, n * m, limit, "multiplier force");
  check_present(system->position_residual, system->positions, limit, "position equation");
  check_present(system->position_jacobian, system->positions * n, limit, "position Jacobian");
  for (uint32_t i = 0; i < system->positions; i++)
    if (system->position_constraint[i] >= m) bug("system: position equation %u of none", i);
  for (size_t k = 0; k < m && system->multiplier_force_is_transpose; k++)
    for (size_t i = 0; i < n; i++)
      if (system->multiplier_force[i + k * n] != system->constraint_jacobian[k + i * m])
        bug("system: multiplier force %zu, %zu is not the transposed Jacobian's", i, k);
}

static void check_jacobians(const struct system *system, uint32_t limit) {
  size_t n = system->n, m = system->m, z = system->rates, width = 2 * n + z;
  check_present(system->residual_by_state, (n + m) * width, limit, "Jacobian");
  check_present(system->rate_by_state, z * width, limit, "Jacobian");
  check_present(system->rate_by_acceleration, z * (n + m), limit, "Jacobian");
}

void system_check(const struct system *system) {
  uint32_t limit = expr_graph_size(system->graph), n = system->n, z = system->rates;
  if (n != system->model->coordinates.count || z != system->model->states.count)
    bug("system: sizes differ from the model's");
  if (system->mass == NULL && (system->recursion == NULL || !system->mass_is_symmetric))
    bug("system: no mass matrix");
  if (system->mass != NULL) check_present(system->mass, (size_t)n * n, limit, "mass matrix entry");
  check_present(system->forcing, n, limit, "forcing");
  check_present(system->inertial, n, limit, "inertial term");
  check_present(system->applied, n, limit, "applied force");
  check_present(system->momentum, n, limit, "momentum");
  check_present(system->momentum_rate, n, limit, "momentum rate");
  check_present(system->nonconservative, n, limit, "nonconservative force");
  check_present(system->rate, z, limit, "rate");
  check_present(system->output, system->model->outputs.count, limit, "output");
  if (system->has_energy) {
    check_present(&system->kinetic_energy, 1, limit, "kinetic energy");
    check_present(&system->potential_energy, 1, limit, "potential energy");
  }
  for (uint32_t j = 0; j < n && system->mass_is_symmetric && system->mass != NULL; j++)
    for (uint32_t i = 0; i < j; i++)
      if (system->mass[i + (size_t)j * n] != system->mass[j + (size_t)i * n])
        bug("system: mass matrix is not symmetric at %u, %u", i, j);
  check_constraints(system, limit);
  check_state(system, limit);
  if (system->residual_by_state) check_jacobians(system, limit);
  struct expr_symbol_set *set = expr_symbol_set_new(system->graph);
  for (uint32_t j = 0; j < n; j++)
    expr_symbol_set_add(set, system->model->coordinates.items[j].acceleration);
  for (uint32_t k = 0; k < system->m; k++)
    expr_symbol_set_add(set, system->model->constraints.items[k].multiplier);
  check_free_of(set, system->mass, system->mass != NULL ? (size_t)n * n : 0, "mass matrix entry");
  check_free_of(set, system->forcing, n, "forcing");
  check_free_of(set, system->momentum, n, "momentum");
  check_free_of(set, system->constraint, system->m, "constraint");
  check_free_of(set, system->constraint_jacobian, (size_t)n * system->m, "constraint Jacobian");
  check_free_of(set, system->constraint_bias, system->m, "constraint bias");
  check_free_of(set, system->multiplier_force, (size_t)n * system->m, "multiplier force");
  for (uint32_t i = 0; i < system->invariant_count; i++)
    check_free_of(set, &system->invariants[i].value, 1, "invariant");
  expr_symbol_set_free(set);
}
