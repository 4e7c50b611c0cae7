/* The tape of each function of a dyn_model, from the system's expressions. */
#include "codegen/program_build.h"
#include <math.h>

static bool is_zero_root(const struct tape_builder *builder, expr root) {
  return root == 0 || expr_is_integer_value(builder->graph, root, 0);
}

enum { MANY_ZEROS = 32 }; /* are cleared in one go */

/* Matrices of large models are mostly zero. */
static void output_roots(struct tape_builder *builder, const struct expr_list *roots) {
  uint32_t zeros = 0;
  for (uint32_t i = 0; i < roots->count; i++) zeros += is_zero_root(builder, roots->items[i]);
  if (zeros >= MANY_ZEROS) builder_clear_outputs(builder, roots->count);
  for (uint32_t i = 0; i < roots->count; i++) {
    if (!is_zero_root(builder, roots->items[i]))
      builder_output(builder, i, builder_lower(builder, roots->items[i]));
    else if (zeros < MANY_ZEROS)
      builder_output(builder, i, builder_constant(builder, 0));
  }
}

/* out[k] = roots[k]; accelerations and multipliers are solved for where a root needs them. */
static struct tape *tape_of_roots(const struct program *program, const struct expr_list *roots) {
  struct tape_builder builder;
  state_builder_init(&builder, program);
  if (needs_motion(program, roots->items, roots->count)) {
    plan_motion(&builder, program, roots);
    solve_motion(&builder, program, needs_multipliers(program, roots->items, roots->count), NULL);
  } else {
    builder_plan_angles(&builder, roots->items, roots->count);
  }
  output_roots(&builder, roots);
  return builder_finish(&builder);
}

/* As tape_of_roots; frees the list. */
static struct tape *finish_roots(const struct program *program, struct expr_list *roots) {
  struct tape *tape = tape_of_roots(program, roots);
  vector_free(roots);
  return tape;
}

static struct tape *array_tape(const struct program *program, const expr *items, size_t count) {
  struct expr_list roots = {0};
  for (size_t i = 0; i < count; i++) vector_push(&roots, items[i]);
  return finish_roots(program, &roots);
}

/* ---- q'' */

static struct tape *acceleration_tape(const struct program *program) {
  const struct system *system = program->system;
  struct expr_list roots = {0};
  for (uint32_t i = 0; i < system->n; i++)
    vector_push(&roots, system->model->coordinates.items[i].acceleration);
  return finish_roots(program, &roots);
}

/* ---- constraints */

/* Residuals, then their derivatives (given column by column) row by row. */
static struct tape *residual_tape(const struct program *program, const expr *residuals,
                                  const expr *jacobian, size_t count) {
  size_t n = program->system->n;
  struct expr_list roots = {0};
  for (size_t k = 0; k < count; k++) vector_push(&roots, residuals[k]);
  for (size_t k = 0; k < count; k++)
    for (size_t j = 0; j < n; j++) vector_push(&roots, jacobian[k + j * count]);
  if (count > 0) return finish_roots(program, &roots);
  vector_free(&roots);
  return NULL;
}

/* λ, then how many constraints were dependent. */
static struct tape *multipliers_tape(const struct program *program) {
  const struct system *system = program->system;
  uint32_t n = system->n, m = system->m;
  struct tape_builder builder;
  struct expr_list none = {0};
  state_builder_init(&builder, program);
  plan_motion(&builder, program, &none);
  tape_value *motion = checked_calloc((size_t)n + m + 1, sizeof *motion);
  solve_motion(&builder, program, true, motion);
  for (uint32_t k = 0; k <= m; k++) builder_output(&builder, k, motion[n + k]);
  free(motion);
  return builder_finish(&builder);
}

static struct tape *constraint_tape(const struct program *program, enum program_function function) {
  const struct system *system = program->system;
  size_t n = system->n, m = system->m;
  if (m == 0) return NULL;
  switch (function) {
  case PROGRAM_FUNCTION_POSITION_RESIDUALS:
    return residual_tape(program, system->position_residual, system->position_jacobian,
                         system->positions);
  case PROGRAM_FUNCTION_VELOCITY_RESIDUALS:
    return residual_tape(program, system->constraint, system->constraint_jacobian, m);
  case PROGRAM_FUNCTION_CONSTRAINT_BIAS:
    return array_tape(program, system->constraint_bias, m);
  case PROGRAM_FUNCTION_MULTIPLIER_FORCE:
    if (system->multiplier_force_is_transpose) return NULL;
    return array_tape(program, system->multiplier_force, n * m);
  default:
    return multipliers_tape(program);
  }
}

/* ---- parameters */

/* Parameters in an order where each follows those its value needs. Without recursion: a parameter
 * is left on the stack until all it needs are placed. */
struct parameter_order {
  struct map index; /* symbol -> 1 + parameter */
  VECTOR(uint32_t) order, stack;
  uint8_t *is_placed;
};

static void push_needed(const struct program *program, struct parameter_order *state,
                        uint32_t parameter) {
  const struct model *model = program->system->model;
  struct expr_list symbols = {0};
  expr value = model->parameters.items[parameter].value;
  if (value != 0) expr_symbols_of(program->system->graph, &value, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count; i++) {
    uint32_t needed = map_get(&state->index, symbols.items[i]);
    if (needed != 0 && !state->is_placed[needed - 1]) vector_push(&state->stack, needed - 1);
  }
  vector_free(&symbols);
}

static void place_parameters(const struct program *program, struct parameter_order *state) {
  const struct model *model = program->system->model;
  uint32_t count = model->parameters.count;
  state->is_placed = checked_calloc((size_t)count + 1, 1);
  for (uint32_t i = 0; i < count; i++)
    map_set(&state->index, model->parameters.items[i].symbol, i + 1);
  for (uint32_t i = 0; i < count; i++) {
    vector_push(&state->stack, i);
    while (state->stack.count > 0) {
      uint32_t top = vector_last(&state->stack), waiting = state->stack.count;
      if (!state->is_placed[top]) push_needed(program, state, top);
      if (state->stack.count > waiting) continue;
      (void)vector_pop(&state->stack);
      if (state->is_placed[top]) continue;
      state->is_placed[top] = 1;
      vector_push(&state->order, top);
    }
  }
}

static struct tape *parameters_tape(const struct program *program) {
  const struct model *model = program->system->model;
  struct parameter_order state = {0};
  struct tape_builder builder;
  place_parameters(program, &state);
  builder_init(&builder, program->system->graph);
  tape_value zero = builder_constant(&builder, 0);
  for (uint32_t k = 0; k < state.order.count; k++) {
    uint32_t i = state.order.items[k];
    const struct model_parameter *parameter = &model->parameters.items[i];
    tape_value own = parameter->value == 0 ? zero : builder_lower(&builder, parameter->value);
    tape_value mask = builder_input(&builder, TAPE_ARRAY_X, i);
    tape_value is_free = builder_binary(&builder, TAPE_EQUAL, mask, zero);
    tape_value value =
        builder_select(&builder, is_free, own, builder_input(&builder, TAPE_ARRAY_P, i));
    builder_bind(&builder, parameter->symbol, value);
    builder_output(&builder, i, value);
  }
  vector_free(&state.order);
  vector_free(&state.stack);
  map_free(&state.index);
  free(state.is_placed);
  return builder_finish(&builder);
}

/* ---- start and run */

static struct tape *inputs_tape(const struct program *program) {
  const struct model *model = program->system->model;
  struct expr_list roots = {0};
  for (uint32_t i = 0; i < model->inputs.count; i++)
    vector_push(&roots, model->inputs.items[i].value);
  return finish_roots(program, &roots);
}

static struct tape *run_tape(const struct program *program) {
  const struct model_run *run = &program->system->model->run;
  const expr values[DYN_RUN_COUNT] = {run->from,      run->until,    run->every,
                                      run->tolerance, run->absolute, run->max_step, run->step};
  struct tape_builder builder;
  state_builder_init(&builder, program);
  for (uint32_t i = 0; i < DYN_RUN_COUNT; i++)
    builder_output(&builder, i,
                   values[i] == 0 ? builder_constant(&builder, NAN)
                                  : builder_lower(&builder, values[i]));
  return builder_finish(&builder);
}

static struct tape *start_tape(const struct program *program) {
  const struct model *model = program->system->model;
  for (uint32_t i = 0; i < model->speeds.count; i++)
    if (model->speeds.items[i].start != 0) return program_start_with_speeds(program);
  struct expr_list roots = {0};
  for (uint32_t i = 0; i < model->coordinates.count; i++)
    vector_push(&roots, model->coordinates.items[i].start_position);
  for (uint32_t i = 0; i < model->coordinates.count; i++)
    vector_push(&roots, model->coordinates.items[i].start_velocity);
  for (uint32_t i = 0; i < model->states.count; i++)
    vector_push(&roots, model->states.items[i].start);
  return finish_roots(program, &roots);
}

/* ---- conditions: residuals, then their derivatives row by row */

static struct tape *condition_tape(const struct program *program, bool at_velocity_level) {
  const struct model *model = program->system->model;
  struct expr_graph *graph = program->system->graph;
  struct expr_list residuals = {0}, variables = {0};
  for (uint32_t i = 0; i < model->conditions.count; i++)
    if (model->conditions.items[i].at_velocity_level == at_velocity_level)
      vector_push(&residuals, model->conditions.items[i].residual);
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    const struct model_coordinate *coordinate = &model->coordinates.items[i];
    vector_push(&variables, at_velocity_level ? coordinate->velocity : coordinate->position);
  }
  for (uint32_t i = 0; i < model->states.count && !at_velocity_level; i++)
    vector_push(&variables, model->states.items[i].value);
  size_t rows = residuals.count, columns = variables.count;
  expr *roots = checked_calloc(rows * (1 + columns) + 1, sizeof *roots);
  for (size_t i = 0; i < rows; i++) roots[i] = residuals.items[i];
  for (size_t j = 0; j < columns && rows > 0; j++) {
    struct expr_tangent *tangent = expr_tangent_new(graph);
    expr_tangent_seed(tangent, variables.items[j], expr_integer(graph, 1));
    for (size_t i = 0; i < rows; i++)
      roots[rows + i * columns + j] = expr_tangent_of(tangent, residuals.items[i]);
    expr_tangent_free(tangent);
  }
  struct tape *tape = rows == 0 ? NULL : array_tape(program, roots, rows * (1 + columns));
  free(roots);
  vector_free(&residuals);
  vector_free(&variables);
  return tape;
}

/* ---- what is reported of a state */

static struct tape *energies_tape(const struct program *program) {
  const struct system *system = program->system;
  const expr energies[2] = {system->kinetic_energy, system->potential_energy};
  return system->has_energy ? array_tape(program, energies, 2) : NULL;
}

static struct tape *invariants_tape(const struct program *program) {
  const struct system *system = program->system;
  struct expr_list roots = {0};
  for (uint32_t i = 0; i < system->invariant_count; i++)
    vector_push(&roots, system->invariants[i].value);
  return finish_roots(program, &roots);
}

/* ---- by the velocities, where speeds are singular somewhere */

/* Lagrange's equations stand in the system beside those in the speeds. */
static struct tape *natural_tape(const struct program *program, enum program_function function) {
  const struct system *system = program->system;
  if (system->state.kind != VARIABLES_SPEEDS || system->state.is_regular) return NULL;
  struct system natural = *system;
  struct program view = *program;
  natural.state = (struct system_method_state){.kind = VARIABLES_VELOCITIES};
  view.system = &natural;
  if (function == PROGRAM_FUNCTION_NATURAL_RHS) return program_method_rhs(&view);
  if (function == PROGRAM_FUNCTION_NATURAL_MULTIPLIERS)
    return system->m > 0 ? multipliers_tape(&view) : NULL;
  return array_tape(&view, system->output, system->model->outputs.count);
}

/* ---- events */

static struct tape *event_tape(const struct program *program, enum program_function function) {
  struct expr_list roots = {0};
  if (program->system->model->events.count == 0) return NULL;
  program_list_event_roots(program, function, &roots);
  return finish_roots(program, &roots);
}

struct tape *program_build_tape(struct program *program, enum program_function function) {
  const struct system *system = program->system;
  dyn_model *tables = &program->tables;
  size_t n = system->n;
  switch (function) {
  case PROGRAM_FUNCTION_COMPLETE_PARAMETERS:
    return parameters_tape(program);
  case PROGRAM_FUNCTION_DEFAULT_INPUTS:
    return inputs_tape(program);
  case PROGRAM_FUNCTION_RUN_DEFAULTS:
    return run_tape(program);
  case PROGRAM_FUNCTION_START:
    return start_tape(program);
  case PROGRAM_FUNCTION_INITIAL_POSITION:
    return condition_tape(program, false);
  case PROGRAM_FUNCTION_INITIAL_VELOCITY:
    return condition_tape(program, true);
  case PROGRAM_FUNCTION_POSITION_RESIDUALS:
  case PROGRAM_FUNCTION_VELOCITY_RESIDUALS:
  case PROGRAM_FUNCTION_CONSTRAINT_BIAS:
  case PROGRAM_FUNCTION_MULTIPLIER_FORCE:
  case PROGRAM_FUNCTION_MULTIPLIERS:
    return constraint_tape(program, function);
  case PROGRAM_FUNCTION_RHS:
    return program_method_rhs(program);
  case PROGRAM_FUNCTION_METHOD_STATE:
    return program_method_state(program);
  case PROGRAM_FUNCTION_NATURAL_STATE:
    return program_natural_state(program);
  case PROGRAM_FUNCTION_ACCELERATION:
    return acceleration_tape(program);
  case PROGRAM_FUNCTION_MASS_MATRIX:
    if (system->mass == NULL) return recursion_mass_tape(program);
    return array_tape(program, system->mass, n * n);
  case PROGRAM_FUNCTION_FORCING:
    return array_tape(program, system->forcing, n);
  case PROGRAM_FUNCTION_JACOBIAN:
    return program_build_derivative(program, false, BY_STATE, &tables->jacobian_pattern);
  case PROGRAM_FUNCTION_RHS_BY_INPUTS:
    return program_build_derivative(program, false, BY_INPUTS, &tables->rhs_by_inputs_pattern);
  case PROGRAM_FUNCTION_RHS_BY_PARAMETERS:
    return program_build_derivative(program, false, BY_PARAMETERS,
                                    &tables->rhs_by_parameters_pattern);
  case PROGRAM_FUNCTION_OUTPUTS_BY_STATE:
    return program_build_derivative(program, true, BY_STATE, &tables->outputs_by_state_pattern);
  case PROGRAM_FUNCTION_OUTPUTS_BY_INPUTS:
    return program_build_derivative(program, true, BY_INPUTS, &tables->outputs_by_inputs_pattern);
  case PROGRAM_FUNCTION_OUTPUTS_BY_PARAMETERS:
    return program_build_derivative(program, true, BY_PARAMETERS,
                                    &tables->outputs_by_parameters_pattern);
  case PROGRAM_FUNCTION_ENERGIES:
    return energies_tape(program);
  case PROGRAM_FUNCTION_OUTPUT_VALUES:
    return array_tape(program, system->output, system->model->outputs.count);
  case PROGRAM_FUNCTION_INVARIANT_VALUES:
    return invariants_tape(program);
  case PROGRAM_FUNCTION_NATURAL_RHS:
  case PROGRAM_FUNCTION_NATURAL_MULTIPLIERS:
  case PROGRAM_FUNCTION_NATURAL_OUTPUTS:
    return natural_tape(program, function);
  case PROGRAM_FUNCTION_EVENT_VALUES:
  case PROGRAM_FUNCTION_EVENT_RATES:
  case PROGRAM_FUNCTION_RESET_VALUES:
  case PROGRAM_FUNCTION_RESET_TARGETS:
    return event_tape(program, function);
  case PROGRAM_FUNCTION_COUNT:
    break;
  }
  return NULL;
}
