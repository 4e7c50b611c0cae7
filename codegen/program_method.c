/* The functions of a method's own state y = [q, v, z]: its conversions to and from the natural
 * state x = [q, q', z], and its right-hand side.
 *
 * Speeds give the velocities by expressions. Momenta give them by the solution of
 * mass q' = p - rest, which is factorised on the tape like every matrix. */
#include "codegen/program_build.h"

/* ---- velocities from the method's variables */

static void push_all(struct expr_list *list, const expr *items, size_t count) {
  for (size_t i = 0; i < count; i++) vector_push(list, items[i]);
}

void plan_velocities(const struct program *program, struct expr_list *roots) {
  const struct system *system = program->system;
  const struct system_method_state *state = &system->state;
  size_t n = system->n;
  if (state->kind == VARIABLES_SPEEDS) push_all(roots, state->velocity, n);
  if (state->kind != VARIABLES_MOMENTA) return;
  push_all(roots, state->mass, n * n);
  push_all(roots, state->rest, n);
}

static bool is_zero(const struct system *system, expr e) {
  return expr_is_integer_value(system->graph, e, 0);
}

static uint32_t momentum_solver(struct tape_builder *builder, const struct system *system,
                                uint32_t columns) {
  const struct system_method_state *state = &system->state;
  uint32_t n = system->n;
  bool *nonzero = checked_calloc((size_t)n * n + 1, sizeof *nonzero);
  for (size_t i = 0; i < (size_t)n * n; i++) nonzero[i] = !is_zero(system, state->mass[i]);
  struct solver_shape shape = {.n = n,
                               .coordinates = n,
                               .rank = n,
                               .is_symmetric = true,
                               .nonzero = nonzero,
                               .columns = columns};
  uint32_t solver = solver_begin(builder, &shape);
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = j; i < n; i++)
      if (nonzero[i + (size_t)j * n])
        solver_entry(builder, solver, i, j, builder_lower(builder, state->mass[i + (size_t)j * n]));
  free(nonzero);
  solver_factor(builder, solver);
  return solver;
}

static uint32_t velocities_of_momenta(struct tape_builder *builder, const struct system *system,
                                      uint32_t sides, tape_value *velocity) {
  uint32_t solver = momentum_solver(builder, system, 1 + sides);
  uint32_t side = right_side_begin(builder, solver, 1, true);
  for (uint32_t i = 0; i < system->n; i++) {
    tape_value momentum = builder_input(builder, TAPE_ARRAY_X, system->n + i);
    tape_value rest = builder_lower(builder, system->state.rest[i]);
    right_side_entry(builder, side, i, 0, builder_binary(builder, TAPE_SUBTRACT, momentum, rest));
  }
  right_side_solve(builder, side, velocity);
  return solver;
}

uint32_t lower_velocities(struct tape_builder *builder, const struct program *program,
                          uint32_t sides) {
  const struct system *system = program->system;
  uint32_t n = system->n, solver = 0;
  if (system->state.kind == VARIABLES_VELOCITIES || n == 0) return solver;
  tape_value *velocity = checked_calloc((size_t)n + 1, sizeof *velocity);
  if (system->state.kind == VARIABLES_MOMENTA)
    solver = velocities_of_momenta(builder, system, sides, velocity);
  else
    for (uint32_t j = 0; j < n; j++)
      velocity[j] = builder_lower(builder, system->state.velocity[j]);
  for (uint32_t j = 0; j < n; j++)
    builder_bind(builder, system->model->coordinates.items[j].velocity, velocity[j]);
  free(velocity);
  return solver;
}

/* ---- conversions */

static void output_others(struct tape_builder *builder, const struct system *system) {
  for (uint32_t i = 0; i < system->n; i++)
    builder_output(builder, i, builder_input(builder, TAPE_ARRAY_X, i));
  for (uint32_t k = 2 * system->n; k < 2 * system->n + system->rates; k++)
    builder_output(builder, k, builder_input(builder, TAPE_ARRAY_X, k));
}

struct tape *program_method_state(const struct program *program) {
  const struct system *system = program->system;
  struct tape_builder builder;
  if (system->state.kind == VARIABLES_VELOCITIES) return NULL;
  state_builder_init(&builder, program);
  builder_plan_angles(&builder, system->state.value, system->n);
  output_others(&builder, system);
  for (uint32_t j = 0; j < system->n; j++)
    builder_output(&builder, system->n + j, builder_lower(&builder, system->state.value[j]));
  return builder_finish(&builder);
}

struct tape *program_natural_state(const struct program *program) {
  const struct system *system = program->system;
  struct tape_builder builder;
  struct expr_list roots = {0};
  if (system->state.kind == VARIABLES_VELOCITIES) return NULL;
  method_builder_init(&builder, program);
  plan_velocities(program, &roots);
  builder_plan_angles(&builder, roots.items, roots.count);
  lower_velocities(&builder, program, 0);
  output_others(&builder, system);
  for (uint32_t j = 0; j < system->n; j++)
    builder_output(&builder, system->n + j,
                   builder_lower(&builder, system->model->coordinates.items[j].velocity));
  vector_free(&roots);
  return builder_finish(&builder);
}

/* ---- the right-hand side */

/* p' = rate + A^T λ, ... */
static tape_value momentum_rate(struct tape_builder *builder, const struct system *system,
                                uint32_t i) {
  tape_value sum = builder_lower(builder, system->state.rate[i]);
  for (uint32_t k = 0; k < system->m; k++) {
    expr arm = system->constraint_jacobian[k + (size_t)i * system->m];
    if (is_zero(system, arm)) continue;
    tape_value multiplier = builder_lower(builder, system->model->constraints.items[k].multiplier);
    tape_value force =
        builder_binary(builder, TAPE_MULTIPLY, builder_lower(builder, arm), multiplier);
    sum = builder_binary(builder, TAPE_ADD, sum, force);
  }
  return sum;
}

static struct tape *lower_rhs(const struct program *program, bool is_for_series) {
  const struct system *system = program->system;
  bool has_momenta = system->state.kind == VARIABLES_MOMENTA;
  uint32_t n = system->n, m = system->m;
  struct expr_list roots = {0};
  struct tape_builder builder;
  push_all(&roots, system->rate, system->rates);
  if (has_momenta) push_all(&roots, system->state.rate, n);
  bool solves = !has_momenta || m > 0 || needs_motion(program, roots.items, roots.count);
  bool wants = m > 0 && (has_momenta || needs_multipliers(program, roots.items, roots.count));
  plan_velocities(program, &roots);
  method_builder_init(&builder, program);
  plan_motion(&builder, program, &roots);
  lower_velocities(&builder, program, 0);
  tape_value *motion = checked_calloc((size_t)n + m + 1, sizeof *motion);
  if (solves && n > 0 && is_for_series && !program->by_recursion)
    lower_motion_once(&builder, program, lower_motion_matrix(&builder, program, 1, wants), motion);
  else if (solves && n > 0)
    solve_motion(&builder, program, wants, motion);
  for (uint32_t i = 0; i < n; i++) {
    expr velocity = system->model->coordinates.items[i].velocity;
    builder_output(&builder, i, builder_lower(&builder, velocity));
    builder_output(&builder, n + i, has_momenta ? momentum_rate(&builder, system, i) : motion[i]);
  }
  for (uint32_t k = 0; k < system->rates; k++)
    builder_output(&builder, 2 * n + k, builder_lower(&builder, system->rate[k]));
  free(motion);
  vector_free(&roots);
  return builder_finish(&builder);
}

struct tape *program_method_rhs(const struct program *program) {
  return lower_rhs(program, false);
}

struct tape *program_series_rhs(const struct program *program) {
  return lower_rhs(program, true);
}
