/* What the functions of a state share: names of the arguments, and the accelerations and
 * multipliers, which solve
 *
 *     [ M  B ] [ q'' ]   [  f    ]
 *     [ A  0 ] [ -λ  ] = [ -bias ],
 *
 * symmetric where M is and B = A^T. Without constraints that is M q'' = f. */
#include "codegen/program_build.h"

void state_builder_init(struct tape_builder *builder, const struct program *program) {
  const struct model *model = program->system->model;
  uint32_t n = model->coordinates.count;
  builder_init(builder, program->system->graph);
  builder_bind(builder, model->time, builder_input(builder, TAPE_ARRAY_TIME, 0));
  for (uint32_t i = 0; i < n; i++) {
    const struct model_coordinate *coordinate = &model->coordinates.items[i];
    builder_bind(builder, coordinate->position, builder_input(builder, TAPE_ARRAY_X, i));
    builder_bind(builder, coordinate->velocity, builder_input(builder, TAPE_ARRAY_X, n + i));
  }
  for (uint32_t i = 0; i < model->states.count; i++)
    builder_bind(builder, model->states.items[i].value,
                 builder_input(builder, TAPE_ARRAY_X, 2 * n + i));
  for (uint32_t i = 0; i < model->inputs.count; i++)
    builder_bind(builder, model->inputs.items[i].symbol, builder_input(builder, TAPE_ARRAY_U, i));
  for (uint32_t i = 0; i < model->parameters.count; i++)
    builder_bind(builder, model->parameters.items[i].symbol,
                 builder_input(builder, TAPE_ARRAY_P, i));
}

static bool depends_on(const struct program *program, bool on_accelerations, const expr *roots,
                       size_t count) {
  const struct model *model = program->system->model;
  struct expr_symbol_set *set = expr_symbol_set_new(program->system->graph);
  for (uint32_t i = 0; i < model->coordinates.count && on_accelerations; i++)
    expr_symbol_set_add(set, model->coordinates.items[i].acceleration);
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
  push_all(&all, system->mass, n * n);
  push_all(&all, system->constraint_jacobian, m * n);
  if (!system->multiplier_force_is_transpose) push_all(&all, system->multiplier_force, n * m);
  push_all(&all, system->forcing, n);
  push_all(&all, system->constraint_bias, m);
  push_all(&all, roots->items, roots->count);
  builder_plan_angles(builder, all.items, all.count);
  vector_free(&all);
}

/* The entry (i, j) of the matrix; 0 is the zero matrix in its corner. */
static expr motion_entry(const struct system *system, uint32_t i, uint32_t j) {
  uint32_t n = system->n, m = system->m;
  if (i < n && j < n) return system->mass[i + (size_t)j * n];
  if (i >= n && j < n) return system->constraint_jacobian[i - n + (size_t)j * m];
  return i < n ? system->multiplier_force[i + (size_t)(j - n) * n] : 0;
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

uint32_t lower_motion_matrix(struct tape_builder *builder, const struct program *program,
                             uint32_t columns, bool wants_multipliers) {
  const struct system *system = program->system;
  uint32_t size = system->n + system->m;
  bool *nonzero = motion_pattern(system), *is_redundant = redundant_unknowns(system);
  struct solver_shape shape = {.n = size,
                               .coordinates = system->n,
                               .rank = system->n + (system->m == 0 ? 0 : system->constraint_rank),
                               .is_symmetric = system->mass_is_symmetric,
                               .nonzero = nonzero,
                               .is_left_out = wants_multipliers ? NULL : is_redundant,
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

void lower_motion(struct tape_builder *builder, const struct program *program, uint32_t solver,
                  tape_value *motion) {
  const struct system *system = program->system;
  uint32_t n = system->n, m = system->m;
  tape_value *solution = checked_calloc((size_t)n + m + 1, sizeof *solution);
  uint32_t side = right_side_begin(builder, solver, 1, true);
  for (uint32_t i = 0; i < n; i++)
    right_side_entry(builder, side, i, 0, builder_lower(builder, system->forcing[i]));
  for (uint32_t k = 0; k < m; k++)
    right_side_entry(
        builder, side, n + k, 0,
        builder_unary(builder, TAPE_NEGATE, builder_lower(builder, system->constraint_bias[k])));
  right_side_solve(builder, side, solution);
  for (uint32_t i = 0; i < n; i++)
    builder_bind(builder, system->model->coordinates.items[i].acceleration, solution[i]);
  for (uint32_t k = 0; k < m; k++) {
    solution[n + k] = builder_unary(builder, TAPE_NEGATE, solution[n + k]);
    builder_bind(builder, system->model->constraints.items[k].multiplier, solution[n + k]);
  }
  for (uint32_t i = 0; motion != NULL && i < n + m + (m > 0); i++) motion[i] = solution[i];
  free(solution);
}
