/* The tables of a dyn_model: names, units, documentation, and default values, which are computed by
 * running the tapes that define them. */
#include "codegen/program_build.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *program_keep(struct program *program, const char *string) {
  if (string == NULL) return "";
  return arena_string(&program->arena, string, strlen(string));
}

/* "m" -> "m/s", "m/s" -> "m/s^2", "rad*s" -> "rad", "1" -> "1/s". */
const char *unit_per_second(struct arena *arena, const char *unit) {
  size_t length = strlen(unit);
  const char *slash = strrchr(unit, '/');
  int exponent, end = 0;
  if (strcmp(unit, "s") == 0) return "1";
  if (slash != NULL && strcmp(slash, "/s") == 0) return arena_format(arena, "%s^2", unit);
  if (slash != NULL && sscanf(slash, "/s^%d%n", &exponent, &end) == 1 && slash[end] == '\0' &&
      exponent > 0)
    return arena_format(arena, "%.*s/s^%d", (int)(slash - unit), unit, exponent + 1);
  if (slash == NULL && length > 2 && strcmp(unit + length - 2, "*s") == 0)
    return arena_string(arena, unit, length - 2);
  return arena_format(arena, "%s/s", unit);
}

static dyn_variable variable(struct program *program, const struct model_name *id,
                             const char *unit) {
  return (dyn_variable){program_keep(program, id->name), program_keep(program, unit),
                        program_keep(program, id->doc), 0, 0};
}

static void fill_coordinates(struct program *program) {
  const struct model *model = program->system->model;
  uint32_t n = model->coordinates.count;
  dyn_variable *tables[3];
  for (int k = 0; k < 3; k++) tables[k] = arena_array(&program->arena, dyn_variable, n);
  for (uint32_t i = 0; i < n; i++) {
    const struct model_coordinate *coordinate = &model->coordinates.items[i];
    const expr symbols[3] = {coordinate->position, coordinate->velocity, coordinate->acceleration};
    const char *unit = coordinate->id.unit.si;
    for (int k = 0; k < 3; k++) {
      tables[k][i] = variable(program, &coordinate->id, unit);
      if (k > 0)
        tables[k][i].name =
            program_keep(program, expr_symbol_name(program->system->graph, symbols[k]));
      unit = unit_per_second(&program->arena, unit);
    }
    tables[0][i].flags = coordinate->position_given ? DYN_START_GIVEN : 0;
    tables[1][i].flags = coordinate->velocity_given ? DYN_START_GIVEN : 0;
  }
  program->tables.coordinates = tables[0];
  program->tables.velocities = tables[1];
  program->tables.accelerations = tables[2];
}

static void fill_variables(struct program *program) {
  const struct model *model = program->system->model;
  dyn_model *tables = &program->tables;
  struct arena *arena = &program->arena;
  dyn_variable *rates = arena_array(arena, dyn_variable, model->states.count);
  for (uint32_t i = 0; i < model->states.count; i++)
    rates[i] = variable(program, &model->states.items[i].id, model->states.items[i].id.unit.si);
  dyn_variable *parameters = arena_array(arena, dyn_variable, model->parameters.count);
  for (uint32_t i = 0; i < model->parameters.count; i++)
    parameters[i] =
        variable(program, &model->parameters.items[i].id, model->parameters.items[i].id.unit.si);
  dyn_variable *inputs = arena_array(arena, dyn_variable, model->inputs.count);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    inputs[i] = variable(program, &model->inputs.items[i].id, model->inputs.items[i].id.unit.si);
  dyn_variable *outputs = arena_array(arena, dyn_variable, model->outputs.count);
  for (uint32_t i = 0; i < model->outputs.count; i++)
    outputs[i] =
        variable(program, &model->outputs.items[i].id, model->outputs.items[i].id.unit.declared);
  tables->rates = rates;
  tables->parameters = parameters;
  tables->inputs = inputs;
  tables->outputs = outputs;
}

static void fill_method_variables(struct program *program) {
  const struct system *system = program->system;
  const struct system_method_state *state = &system->state;
  if (state->kind == VARIABLES_VELOCITIES) return;
  dyn_variable *variables = arena_array(&program->arena, dyn_variable, system->n);
  for (uint32_t i = 0; i < system->n; i++)
    variables[i] = (dyn_variable){program_keep(program, state->name[i]),
                                  program_keep(program, state->unit[i]), "", 0, 0};
  program->tables.method_variables = variables;
}

static dyn_condition *fill_conditions(struct program *program, bool at_velocity_level,
                                      int32_t *count) {
  const struct model *model = program->system->model;
  dyn_condition *conditions = arena_array(&program->arena, dyn_condition, model->conditions.count);
  *count = 0;
  for (uint32_t i = 0; i < model->conditions.count; i++)
    if (model->conditions.items[i].at_velocity_level == at_velocity_level)
      conditions[(*count)++].text = program_keep(program, model->conditions.items[i].text);
  return conditions;
}

static void fill_invariants(struct program *program) {
  const struct system *system = program->system;
  dyn_invariant *invariants = arena_array(&program->arena, dyn_invariant, system->invariant_count);
  for (uint32_t i = 0; i < system->invariant_count; i++)
    invariants[i] = (dyn_invariant){program_keep(program, system->invariants[i].name),
                                    program_keep(program, system->invariants[i].unit)};
  program->tables.invariants = invariants;
  program->tables.n_invariants = (int32_t)system->invariant_count;
}

static uint32_t constraint_flags(const struct model_constraint *constraint) {
  bool is_nonholonomic =
      constraint->class == CLASS_NONHOLONOMIC || constraint->class == CLASS_UNDECIDED;
  return (constraint->level == CONSTRAINT_POSITION ? DYN_CONSTRAINT_POSITION : 0u) |
         (is_nonholonomic ? DYN_CONSTRAINT_NONHOLONOMIC : 0u) |
         (constraint->is_rheonomic ? DYN_CONSTRAINT_RHEONOMIC : 0u) |
         (constraint->is_linear ? 0u : DYN_CONSTRAINT_NONLINEAR) |
         (constraint->is_redundant ? DYN_CONSTRAINT_REDUNDANT : 0u);
}

static void fill_constraints(struct program *program) {
  const struct system *system = program->system;
  const struct model *model = system->model;
  dyn_model *tables = &program->tables;
  dyn_constraint *constraints = arena_array(&program->arena, dyn_constraint, system->m);
  for (uint32_t k = 0; k < system->m; k++) {
    const struct model_constraint *constraint = &model->constraints.items[k];
    constraints[k] = (dyn_constraint){program_keep(program, constraint->id.name),
                                      program_keep(program, constraint->text),
                                      program_keep(program, constraint->id.unit.si),
                                      program_keep(program, constraint->multiplier_name),
                                      program_keep(program, constraint->multiplier_unit.si),
                                      constraint_flags(constraint)};
  }
  dyn_position_equation *equations =
      arena_array(&program->arena, dyn_position_equation, system->positions);
  for (uint32_t i = 0; i < system->positions; i++) {
    uint32_t k = system->position_constraint[i];
    bool is_integral = model->constraints.items[k].level != CONSTRAINT_POSITION;
    equations[i] = (dyn_position_equation){(int32_t)k, is_integral};
  }
  tables->n_constraints = (int32_t)system->m;
  tables->constraint_rank = (int32_t)system->constraint_rank;
  tables->n_position = (int32_t)system->positions;
  tables->constraints = constraints;
  tables->position_equations = equations;
}

/* Which entries of a matrix, which stands by columns, may differ from 0. */
static const dyn_pattern *pattern_of(struct program *program, const expr *entries, uint32_t rows,
                                     uint32_t columns) {
  struct arena *arena = &program->arena;
  int32_t *starts = arena_array(arena, int32_t, columns + 1);
  VECTOR(int32_t) found = {0};
  starts[0] = 0;
  for (uint32_t j = 0; j < columns; j++) {
    for (uint32_t i = 0; i < rows; i++)
      if (!expr_is_integer_value(program->system->graph, entries[i + (size_t)j * rows], 0))
        vector_push(&found, (int32_t)i);
    starts[j + 1] = (int32_t)found.count;
  }
  dyn_pattern *pattern = arena_array(arena, dyn_pattern, 1);
  *pattern = (dyn_pattern){(int32_t)rows, (int32_t)columns, (int32_t)found.count, starts,
                           arena_copy(arena, found.items, found.count * sizeof(int32_t))};
  vector_free(&found);
  return pattern;
}

/* Of a mass matrix that is put off: by its recursion. */
static const dyn_pattern *pattern_of_mass(struct program *program) {
  const struct system *s = program->system;
  size_t n = s->n;
  if (s->mass != NULL) return pattern_of(program, s->mass, s->n, s->n);
  expr zero = expr_integer(s->graph, 0), one = expr_integer(s->graph, 1);
  expr *entries = checked_calloc(n * n + 1, sizeof *entries);
  for (size_t i = 0; i < n * n; i++) entries[i] = zero;
  for (uint32_t i = 0; i < s->recursion->mass.entries.count; i++) {
    struct recursion_entry entry = s->recursion->mass.entries.items[i];
    entries[entry.row + entry.column * n] = entries[entry.column + entry.row * n] = one;
  }
  const dyn_pattern *pattern = pattern_of(program, entries, s->n, s->n);
  free(entries);
  return pattern;
}

static void fill_patterns(struct program *program) {
  const struct system *s = program->system;
  program->tables.mass_matrix_pattern = pattern_of_mass(program);
  program->tables.position_jacobian_pattern =
      pattern_of(program, s->position_jacobian, s->positions, s->n);
  program->tables.velocity_jacobian_pattern =
      pattern_of(program, s->constraint_jacobian, s->m, s->n);
}

void program_fill_tables(struct program *program) {
  const struct system *system = program->system;
  const struct model *model = system->model;
  dyn_model *tables = &program->tables;
  tables->abi = DYN_MODEL_ABI;
  tables->size = sizeof(dyn_model);
  tables->name = program_keep(program, model->name);
  tables->doc = program_keep(program, model->doc);
  tables->method = program_keep(program, system->method);
  tables->compiler = "dyn " DYN_VERSION;
  tables->flags = (system->has_energy ? DYN_HAS_ENERGY : 0u) |
                  (system->energy_is_conserved ? DYN_ENERGY_CONSERVED : 0u) |
                  (system_is_separable(system) ? DYN_SEPARABLE : 0u) |
                  (system_has_potential_forces(system) ? DYN_POTENTIAL_FORCES : 0u);
  tables->n_coordinates = (int32_t)system->n;
  tables->n_rates = (int32_t)system->rates;
  tables->n_state = (int32_t)(2 * system->n + system->rates);
  tables->n_parameters = (int32_t)model->parameters.count;
  tables->n_inputs = (int32_t)model->inputs.count;
  tables->n_outputs = (int32_t)model->outputs.count;
  tables->n_speeds = (int32_t)model->speeds.count;
  tables->integrator =
      model->run.integrator == NULL ? NULL : program_keep(program, model->run.integrator);
  fill_coordinates(program);
  fill_variables(program);
  fill_method_variables(program);
  fill_invariants(program);
  fill_constraints(program);
  fill_patterns(program);
  program_fill_events(program);
  tables->initial_position = fill_conditions(program, false, &tables->n_initial_position);
  tables->initial_velocity = fill_conditions(program, true, &tables->n_initial_velocity);
}

/* ---- default values */

static double *run_function(const struct program *program, enum program_function function,
                            struct tape_arguments arguments) {
  const struct tape *tape = program->tapes[function];
  double *out = checked_calloc((size_t)tape->out_count + 1, sizeof *out);
  arguments.work = checked_calloc((size_t)tape_interpreter_work(tape) + 1, sizeof(double));
  arguments.out = out;
  (void)tape_run(tape, &arguments); /* these have no matrices to fail on */
  free(arguments.work);
  return out;
}

static void set_values(const dyn_variable *variables, int32_t count, const double *values) {
  dyn_variable *own = (dyn_variable *)variables; /* in the program's arena */
  for (int32_t i = 0; i < count; i++) own[i].value = values[i];
}

void program_fill_defaults(struct program *program) {
  const dyn_model *tables = &program->tables;
  int32_t n = tables->n_coordinates;
  double *none = checked_calloc((size_t)tables->n_parameters + 1, sizeof *none);
  struct tape_arguments arguments = {.x = none, .p = none};
  double *p = run_function(program, PROGRAM_FUNCTION_COMPLETE_PARAMETERS, arguments);
  arguments = (struct tape_arguments){.p = p};
  double *run = run_function(program, PROGRAM_FUNCTION_RUN_DEFAULTS, arguments);
  arguments.t = isfinite(run[DYN_RUN_FROM]) ? run[DYN_RUN_FROM] : 0;
  double *u = run_function(program, PROGRAM_FUNCTION_DEFAULT_INPUTS, arguments);
  arguments.u = u;
  double *x = run_function(program, PROGRAM_FUNCTION_START, arguments);
  set_values(tables->parameters, tables->n_parameters, p);
  set_values(tables->inputs, tables->n_inputs, u);
  set_values(tables->coordinates, n, x);
  set_values(tables->velocities, n, x + n);
  set_values(tables->rates, tables->n_rates, x + 2 * n);
  free(none);
  free(p);
  free(run);
  free(u);
  free(x);
}
