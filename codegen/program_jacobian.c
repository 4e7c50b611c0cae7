/* The Jacobian d(x')/dx and its pattern.
 *
 * Differentiating the equations of motion r = [M q'' - f - B λ; A q'' + bias] = 0 at the solved q''
 * and λ gives  K [d(q'')/dx; -d(λ)/dx] = -dr/dx  with the matrix K of program_state.c, which is
 * factorised once for q'', λ and all columns. Rates follow by the chain rule: d(z')/dx = (partial
 * of z' by x) + (partial of z' by q'' and λ) d(q'', λ)/dx. K^-1 fills the connected blocks of K: a
 * column has entries in the blocks that dr/dx touches.
 *
 * Where constraints are redundant, q'' is differentiated as before, in the directions that keep the
 * constraints; the least multipliers are differentiated with the null space held fixed. */
#include "codegen/program_build.h"

struct jacobian {
  const struct program *program;
  const struct system *system;
  uint32_t n, size;        /* coordinates; with multipliers: n + m */
  uint32_t rates, columns; /* columns = 2n + rates */
  uint32_t *block;         /* of each coordinate and multiplier */
  bool *by_state;          /* size * columns: d(q'', λ)/dx may differ from 0 */
  uint32_t *solved;        /* columns: 1 + its place among the right sides, 0: zero column */
  uint32_t solved_count;
  tape_value *solution; /* size * solved_count, and one more */
};

static bool is_zero(const struct system *system, expr e) {
  return expr_is_integer_value(system->graph, e, 0);
}

static uint32_t root_of(uint32_t *block, uint32_t i) {
  while (block[i] != i) {
    block[i] = block[block[i]];
    i = block[i];
  }
  return i;
}

static void join(struct jacobian *jacobian, uint32_t i, uint32_t j, expr entry) {
  if (!is_zero(jacobian->system, entry))
    jacobian->block[root_of(jacobian->block, i)] = root_of(jacobian->block, j);
}

static void find_blocks(struct jacobian *jacobian) {
  const struct system *system = jacobian->system;
  uint32_t n = system->n, m = system->m;
  struct motion_form form = motion_form_of(system);
  for (uint32_t i = 0; i < n + m; i++) jacobian->block[i] = i;
  for (uint32_t j = 0; j < n; j++) {
    for (uint32_t i = 0; i < n; i++) join(jacobian, i, j, form.mass[i + (size_t)j * n]);
    for (uint32_t k = 0; k < m; k++) {
      join(jacobian, n + k, j, form.jacobian[k + (size_t)j * m]);
      join(jacobian, n + k, j, form.multiplier_force[j + (size_t)k * n]);
    }
  }
  for (uint32_t i = 0; i < n + m; i++) jacobian->block[i] = root_of(jacobian->block, i);
}

static void find_acceleration_pattern(struct jacobian *jacobian) {
  uint32_t n = jacobian->size;
  bool *touched = checked_calloc((size_t)n + 1, sizeof *touched);
  for (uint32_t j = 0; j < jacobian->columns; j++) {
    const expr *column = jacobian->system->residual_by_state + (size_t)j * n;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) touched[i] = false;
    for (uint32_t i = 0; i < n; i++)
      if (!is_zero(jacobian->system, column[i])) touched[jacobian->block[i]] = any = true;
    for (uint32_t i = 0; i < n; i++)
      jacobian->by_state[i + (size_t)j * n] = touched[jacobian->block[i]];
    if (any) jacobian->solved[j] = ++jacobian->solved_count;
  }
  free(touched);
}

static bool rate_may_differ(const struct jacobian *jacobian, uint32_t row, uint32_t column) {
  const struct system *system = jacobian->system;
  uint32_t rates = jacobian->rates;
  if (!is_zero(system, system->rate_by_state[row + (size_t)column * rates])) return true;
  for (uint32_t k = 0; k < jacobian->size; k++)
    if (jacobian->by_state[k + (size_t)column * jacobian->size] &&
        !is_zero(system, system->rate_by_acceleration[row + (size_t)k * rates]))
      return true;
  return false;
}

/* ---- values */

static void solve_columns(struct jacobian *jacobian, struct tape_builder *builder,
                          uint32_t solver) {
  uint32_t n = jacobian->size;
  uint32_t side = right_side_begin(builder, solver, jacobian->solved_count, false);
  for (uint32_t j = 0; j < jacobian->columns; j++) {
    const expr *column = jacobian->system->residual_by_state + (size_t)j * n;
    for (uint32_t i = 0; jacobian->solved[j] != 0 && i < n; i++)
      if (!is_zero(jacobian->system, column[i]))
        right_side_entry(builder, side, i, jacobian->solved[j] - 1,
                         builder_unary(builder, TAPE_NEGATE, builder_lower(builder, column[i])));
  }
  right_side_solve(builder, side, jacobian->solution);
}

/* d(q'')/dx, and in the rows behind d(λ)/dx. */
static tape_value motion_entry(const struct jacobian *jacobian, struct tape_builder *builder,
                               uint32_t row, uint32_t column) {
  if (jacobian->solved[column] == 0) return builder_constant(builder, 0);
  size_t place = row + (size_t)(jacobian->solved[column] - 1) * jacobian->size;
  tape_value entry = jacobian->solution[place];
  return row < jacobian->n ? entry : builder_unary(builder, TAPE_NEGATE, entry);
}

static tape_value rate_entry(const struct jacobian *jacobian, struct tape_builder *builder,
                             uint32_t row, uint32_t column) {
  const struct system *system = jacobian->system;
  tape_value sum =
      builder_lower(builder, system->rate_by_state[row + (size_t)column * jacobian->rates]);
  for (uint32_t k = 0; k < jacobian->size; k++) {
    expr chain = system->rate_by_acceleration[row + (size_t)k * jacobian->rates];
    if (is_zero(system, chain) || !jacobian->by_state[k + (size_t)column * jacobian->size])
      continue;
    tape_value product = builder_binary(builder, TAPE_MULTIPLY, builder_lower(builder, chain),
                                        motion_entry(jacobian, builder, k, column));
    sum = builder_binary(builder, TAPE_ADD, sum, product);
  }
  return sum;
}

/* d(q')/dy: plain where q' belongs to the state. */
static bool velocity_may_differ(const struct jacobian *jacobian, uint32_t row, uint32_t column) {
  const struct system *system = jacobian->system;
  if (system->state.kind == VARIABLES_VELOCITIES) return column == row + jacobian->n;
  return !is_zero(system, system->velocity_by_state[row + (size_t)column * jacobian->n]);
}

static tape_value velocity_entry(const struct jacobian *jacobian, struct tape_builder *builder,
                                 uint32_t row, uint32_t column) {
  const struct system *system = jacobian->system;
  if (system->state.kind == VARIABLES_VELOCITIES) return builder_constant(builder, 1);
  return builder_lower(builder, system->velocity_by_state[row + (size_t)column * jacobian->n]);
}

/* Stores the entries column by column and notes their rows. */
static void store_entries(const struct jacobian *jacobian, struct tape_builder *builder,
                          dyn_model *tables, struct arena *arena) {
  uint32_t n = jacobian->n, columns = jacobian->columns;
  int32_t *starts = arena_array(arena, int32_t, columns + 1);
  VECTOR(int32_t) rows = {0};
  for (uint32_t j = 0; j < columns; j++) {
    starts[j] = (int32_t)rows.count;
    for (uint32_t i = 0; i < n; i++) {
      if (!velocity_may_differ(jacobian, i, j)) continue;
      builder_output(builder, rows.count, velocity_entry(jacobian, builder, i, j));
      vector_push(&rows, (int32_t)i);
    }
    for (uint32_t i = 0; i < n; i++) {
      if (!jacobian->by_state[i + (size_t)j * jacobian->size]) continue;
      builder_output(builder, rows.count, motion_entry(jacobian, builder, i, j));
      vector_push(&rows, (int32_t)(n + i));
    }
    for (uint32_t i = 0; i < jacobian->rates; i++) {
      if (!rate_may_differ(jacobian, i, j)) continue;
      builder_output(builder, rows.count, rate_entry(jacobian, builder, i, j));
      vector_push(&rows, (int32_t)(2 * n + i));
    }
  }
  starts[columns] = (int32_t)rows.count;
  tables->n_jacobian = (int32_t)rows.count;
  tables->jacobian_columns = starts;
  tables->jacobian_rows = arena_copy(arena, rows.items, rows.count * sizeof *rows.items);
  vector_free(&rows);
}

static void list_roots(const struct jacobian *jacobian, struct expr_list *roots) {
  const struct system *system = jacobian->system;
  size_t size = jacobian->size, rates = jacobian->rates, columns = jacobian->columns;
  for (size_t i = 0; i < size * columns; i++) vector_push(roots, system->residual_by_state[i]);
  for (size_t i = 0; i < rates * columns; i++) vector_push(roots, system->rate_by_state[i]);
  for (size_t i = 0; i < rates * size; i++) vector_push(roots, system->rate_by_acceleration[i]);
  for (size_t i = 0; i < jacobian->n * columns && system->state.kind == VARIABLES_SPEEDS; i++)
    vector_push(roots, system->velocity_by_state[i]);
  plan_velocities(jacobian->program, roots);
}

/* Accelerations are differentiated right with any multipliers, rates need the least ones. */
static bool rates_need_multipliers(const struct jacobian *jacobian) {
  const struct system *system = jacobian->system;
  return needs_multipliers(jacobian->program, system->rate, system->rates);
}

struct tape *program_build_jacobian(struct program *program) {
  struct system *system = program->system;
  if (system->state.kind == VARIABLES_MOMENTA) return NULL; /* the runtime takes differences */
  system_derive_jacobian(system);
  uint32_t n = system->n, size = n + system->m, columns = 2 * n + system->rates;
  struct jacobian jacobian = {.program = program,
                              .system = system,
                              .n = n,
                              .size = size,
                              .rates = system->rates,
                              .columns = columns};
  jacobian.block = checked_calloc((size_t)size + 1, sizeof *jacobian.block);
  jacobian.by_state = checked_calloc((size_t)size * columns + 1, sizeof *jacobian.by_state);
  jacobian.solved = checked_calloc((size_t)columns + 1, sizeof *jacobian.solved);
  find_blocks(&jacobian);
  find_acceleration_pattern(&jacobian);
  size_t results = (size_t)size * jacobian.solved_count;
  jacobian.solution = checked_calloc(results + 1, sizeof *jacobian.solution);
  struct expr_list roots = {0};
  struct tape_builder builder;
  list_roots(&jacobian, &roots);
  method_builder_init(&builder, program);
  plan_with_motion(&builder, program, &roots);
  lower_velocities(&builder, program);
  bool needs_solution = needs_motion(program, roots.items, roots.count);
  if (n > 0 && (needs_solution || jacobian.solved_count > 0)) {
    uint32_t sides = jacobian.solved_count + (needs_solution ? 1 : 0);
    uint32_t solver =
        lower_motion_matrix(&builder, program, sides, rates_need_multipliers(&jacobian));
    if (needs_solution) lower_motion(&builder, program, solver, NULL);
    if (jacobian.solved_count > 0) solve_columns(&jacobian, &builder, solver);
  }
  store_entries(&jacobian, &builder, &program->tables, &program->arena);
  vector_free(&roots);
  free(jacobian.block);
  free(jacobian.by_state);
  free(jacobian.solved);
  free(jacobian.solution);
  return builder_finish(&builder);
}
