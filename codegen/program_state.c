/* What the functions of a state share: names of the arguments, and the accelerations and
 * multipliers, which solve
 *
 *     [ M  B ] [ q'' ]   [  f    ]
 *     [ A  0 ] [ -λ  ] = [ -bias ],
 *
 * symmetric where M is and B = A^T. Without constraints that is M q'' = f. */
#include "codegen/motion.h"

static void bind_inputs(struct tape_builder *builder, const struct program *program) {
  const struct model *model = program->system->model;
  uint32_t n = model->coordinates.count;
  builder_init(builder, program->system->graph);
  builder_bind(builder, model->time, builder_input(builder, TAPE_ARRAY_TIME, 0));
  for (uint32_t i = 0; i < n; i++)
    builder_bind(builder, model->coordinates.items[i].position,
                 builder_input(builder, TAPE_ARRAY_X, i));
  for (uint32_t i = 0; i < model->states.count; i++)
    builder_bind(builder, model->states.items[i].value,
                 builder_input(builder, TAPE_ARRAY_X, 2 * n + i));
  for (uint32_t i = 0; i < model->inputs.count; i++)
    builder_bind(builder, model->inputs.items[i].symbol, builder_input(builder, TAPE_ARRAY_U, i));
  for (uint32_t i = 0; i < model->parameters.count; i++)
    builder_bind(builder, model->parameters.items[i].symbol,
                 builder_input(builder, TAPE_ARRAY_P, i));
}

void state_builder_init(struct tape_builder *builder, const struct program *program) {
  const struct model *model = program->system->model;
  uint32_t n = model->coordinates.count;
  bind_inputs(builder, program);
  for (uint32_t i = 0; i < n; i++)
    builder_bind(builder, model->coordinates.items[i].velocity,
                 builder_input(builder, TAPE_ARRAY_X, n + i));
}

void method_builder_init(struct tape_builder *builder, const struct program *program) {
  const struct system *system = program->system;
  bind_inputs(builder, program);
  for (uint32_t i = 0; i < system->n; i++) {
    expr symbol = system->state.kind == VARIABLES_VELOCITIES
                      ? system->model->coordinates.items[i].velocity
                      : system->state.symbol[i];
    builder_bind(builder, symbol, builder_input(builder, TAPE_ARRAY_X, system->n + i));
  }
}

struct motion_form motion_form_of(const struct system *system) {
  const struct system_method_state *state = &system->state;
  if (state->kind != VARIABLES_SPEEDS)
    return (struct motion_form){system->mass, system->forcing, system->constraint_jacobian,
                                system->constraint_bias, system->multiplier_force};
  return (struct motion_form){state->mass, state->forcing, state->jacobian, state->bias,
                              state->multiplier_force};
}

static bool depends_on(const struct program *program, bool on_accelerations, const expr *roots,
                       size_t count) {
  const struct model *model = program->system->model;
  struct expr_symbol_set *set = expr_symbol_set_new(program->system->graph);
  bool by_speeds = program->system->state.kind == VARIABLES_SPEEDS;
  for (uint32_t i = 0; i < model->coordinates.count && on_accelerations; i++) {
    expr_symbol_set_add(set, model->coordinates.items[i].acceleration);
    if (by_speeds) expr_symbol_set_add(set, program->system->state.symbol_rate[i]);
  }
  for (uint32_t k = 0; k < program->system->m; k++)
    expr_symbol_set_add(set, model->constraints.items[k].multiplier);
  bool touches = false;
  for (size_t i = 0; i < count && !touches; i++)
    touches = roots[i] != 0 && expr_symbol_set_touches(set, roots[i]);
  expr_symbol_set_free(set);
  return touches;
}

bool needs_motion(const struct program *program, const expr *roots, size_t count) {
  return depends_on(program, true, roots, count);
}

bool needs_multipliers(const struct program *program, const expr *roots, size_t count) {
  return depends_on(program, false, roots, count);
}

static void push_all(struct expr_list *list, const expr *items, size_t count) {
  for (size_t i = 0; i < count; i++) vector_push(list, items[i]);
}

void plan_with_motion(struct tape_builder *builder, const struct program *program,
                      const struct expr_list *roots) {
  const struct system *system = program->system;
  size_t n = system->n, m = system->m;
  struct expr_list all = {0};
  struct motion_form form = motion_form_of(system);
  push_all(&all, form.mass, n * n);
  push_all(&all, form.jacobian, m * n);
  if (!system->multiplier_force_is_transpose) push_all(&all, form.multiplier_force, n * m);
  push_all(&all, form.forcing, n);
  push_all(&all, form.bias, m);
  if (system->state.kind == VARIABLES_SPEEDS) {
    push_all(&all, system->state.value, n);
    push_all(&all, system->state.acceleration, n);
  }
  push_all(&all, roots->items, roots->count);
  builder_plan_angles(builder, all.items, all.count);
  vector_free(&all);
}

expr motion_entry(const struct system *system, uint32_t i, uint32_t j) {
  uint32_t n = system->n, m = system->m;
  struct motion_form form = motion_form_of(system);
  if (i < n && j < n) return form.mass[i + (size_t)j * n];
  if (i >= n && j < n) return form.jacobian[i - n + (size_t)j * m];
  return i < n ? form.multiplier_force[i + (size_t)(j - n) * n] : 0;
}

static bool *motion_pattern(const struct system *system) {
  uint32_t size = system->n + system->m;
  bool *nonzero = checked_calloc((size_t)size * size + 1, sizeof *nonzero);
  for (uint32_t j = 0; j < size; j++)
    for (uint32_t i = 0; i < size; i++) {
      expr entry = motion_entry(system, i, j);
      nonzero[i + (size_t)j * size] = entry != 0 && !expr_is_integer_value(system->graph, entry, 0);
    }
  return nonzero;
}

/* The redundant constraints, in places n .. of n + m. */
static bool *redundant_unknowns(const struct system *system) {
  bool *is_redundant = checked_calloc((size_t)system->n + system->m + 1, sizeof *is_redundant);
  for (uint32_t k = 0; k < system->m; k++)
    is_redundant[system->n + k] = system->model->constraints.items[k].is_redundant;
  return is_redundant;
}

/* In the natural state, speeds follow from the velocities. */
static void bind_speeds(struct tape_builder *builder, const struct system *system) {
  const struct system_method_state *state = &system->state;
  for (uint32_t j = 0; j < system->n && state->kind == VARIABLES_SPEEDS; j++)
    if (!builder_is_bound(builder, state->symbol[j]))
      builder_bind(builder, state->symbol[j], builder_lower(builder, state->value[j]));
}

static uint32_t lower_matrix(struct tape_builder *builder, const struct program *program,
                             uint32_t columns, bool wants_multipliers, bool is_careful) {
  const struct system *system = program->system;
  uint32_t size = system->n + system->m;
  bind_speeds(builder, system);
  bool *nonzero = motion_pattern(system), *is_redundant = redundant_unknowns(system);
  struct solver_shape shape = {.n = size,
                               .coordinates = system->n,
                               .rank = system->n + (system->m == 0 ? 0 : system->constraint_rank),
                               .is_symmetric = system->mass_is_symmetric,
                               .nonzero = nonzero,
                               .is_left_out = wants_multipliers ? NULL : is_redundant,
                               .eliminates = system->state.kind == VARIABLES_SPEEDS,
                               .is_careful = is_careful,
                               .columns = columns};
  if (system->m > 0 && !system->multiplier_force_is_transpose) shape.is_symmetric = false;
  uint32_t solver = solver_begin(builder, &shape);
  for (uint32_t j = 0; j < size; j++)
    for (uint32_t i = shape.is_symmetric ? j : 0; i < size; i++)
      if (nonzero[i + (size_t)j * size])
        solver_entry(builder, solver, i, j, builder_lower(builder, motion_entry(system, i, j)));
  free(nonzero);
  free(is_redundant);
  solver_factor(builder, solver);
  return solver;
}

uint32_t lower_motion_matrix(struct tape_builder *builder, const struct program *program,
                             uint32_t columns, bool wants_multipliers) {
  return lower_matrix(builder, program, columns, wants_multipliers, false);
}

uint32_t lower_careful_matrix(struct tape_builder *builder, const struct program *program) {
  return lower_matrix(builder, program, 1, false, true);
}

void bind_accelerations(struct tape_builder *builder, const struct system *system,
                        const tape_value *solution) {
  const struct system_method_state *state = &system->state;
  bool by_speeds = state->kind == VARIABLES_SPEEDS;
  for (uint32_t j = 0; j < system->n && by_speeds; j++)
    builder_bind(builder, state->symbol_rate[j], solution[j]);
  for (uint32_t j = 0; j < system->n; j++)
    builder_bind(builder, system->model->coordinates.items[j].acceleration,
                 by_speeds ? builder_lower(builder, state->acceleration[j]) : solution[j]);
}

/* ---- by the shorter way */

void plan_motion(struct tape_builder *builder, const struct program *program,
                 const struct expr_list *roots) {
  if (!program->by_recursion) {
    plan_with_motion(builder, program, roots);
    return;
  }
  struct expr_list all = {0};
  plan_recursion(program->system->recursion, &all);
  push_all(&all, roots->items, roots->count);
  builder_plan_angles(builder, all.items, all.count);
  builder_plan_sums(builder, all.items, all.count);
  vector_free(&all);
}

void solve_motion(struct tape_builder *builder, const struct program *program,
                  bool wants_multipliers, tape_value *motion) {
  const struct system *system = program->system;
  if (!program->by_recursion) {
    bool is_careful = system->m > 0 && system->constraint_rank == system->m &&
                      system->state.kind == VARIABLES_VELOCITIES;
    uint32_t solver = is_careful ? lower_careful_matrix(builder, program)
                                 : lower_motion_matrix(builder, program, 1, wants_multipliers);
    lower_motion(builder, program, solver, motion);
    return;
  }
  tape_value *accelerations = checked_calloc((size_t)system->n + 1, sizeof *accelerations);
  lower_recursion(builder, system->recursion, accelerations);
  bind_accelerations(builder, system, accelerations);
  for (uint32_t i = 0; motion != NULL && i < system->n; i++) motion[i] = accelerations[i];
  free(accelerations);
}
