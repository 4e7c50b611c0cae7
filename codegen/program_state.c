/* What the functions of a state share: names of the arguments, the mass matrix, accelerations. */
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

bool needs_accelerations(const struct program *program, const expr *roots, size_t count) {
  const struct model *model = program->system->model;
  struct expr_symbol_set *set = expr_symbol_set_new(program->system->graph);
  for (uint32_t i = 0; i < model->coordinates.count; i++)
    expr_symbol_set_add(set, model->coordinates.items[i].acceleration);
  bool touches = false;
  for (size_t i = 0; i < count && !touches; i++)
    touches = roots[i] != 0 && expr_symbol_set_touches(set, roots[i]);
  expr_symbol_set_free(set);
  return touches;
}

void plan_with_mass(struct tape_builder *builder, const struct program *program,
                    const struct expr_list *roots) {
  const struct system *system = program->system;
  struct expr_list all = {0};
  for (size_t i = 0; i < (size_t)system->n * system->n; i++) vector_push(&all, system->mass[i]);
  for (uint32_t i = 0; i < system->n; i++) vector_push(&all, system->forcing[i]);
  for (uint32_t i = 0; i < roots->count; i++) vector_push(&all, roots->items[i]);
  builder_plan_angles(builder, all.items, all.count);
  vector_free(&all);
}

uint32_t lower_mass_matrix(struct tape_builder *builder, const struct program *program,
                           uint32_t columns) {
  const struct system *system = program->system;
  uint32_t n = system->n;
  bool *nonzero = checked_calloc((size_t)n * n + 1, sizeof *nonzero);
  for (size_t i = 0; i < (size_t)n * n; i++)
    nonzero[i] = !expr_is_integer_value(system->graph, system->mass[i], 0);
  struct solver_shape shape = {n, system->mass_is_symmetric, nonzero, columns};
  uint32_t solver = solver_begin(builder, &shape);
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = system->mass_is_symmetric ? j : 0; i < n; i++)
      if (nonzero[i + (size_t)j * n])
        solver_entry(builder, solver, i, j,
                     builder_lower(builder, system->mass[i + (size_t)j * n]));
  free(nonzero);
  solver_factor(builder, solver);
  return solver;
}

void lower_accelerations(struct tape_builder *builder, const struct program *program,
                         uint32_t solver, tape_value *accelerations) {
  const struct system *system = program->system;
  tape_value *solution = checked_calloc((size_t)system->n + 1, sizeof *solution);
  uint32_t side = right_side_begin(builder, solver, 1);
  for (uint32_t i = 0; i < system->n; i++)
    right_side_entry(builder, side, i, 0, builder_lower(builder, system->forcing[i]));
  right_side_solve(builder, side, solution);
  for (uint32_t i = 0; i < system->n; i++) {
    builder_bind(builder, system->model->coordinates.items[i].acceleration, solution[i]);
    if (accelerations != NULL) accelerations[i] = solution[i];
  }
  free(solution);
}
