/* Linear systems on a tape: the choice between the ways described in tape.h, the layout of the
 * workspace, and the stores and loads around the kernels. */
#include "codegen/builder.h"

enum {
  UNROLL_ALWAYS = 6,             /* unknowns */
  UNROLL_OPERATIONS = 3000,      /* multiply-adds of factor and right sides, sparse matrices */
  UNROLL_CAREFUL = 8000,         /* the same of sparse careful solvers, which store nothing */
  UNROLL_DENSE_OPERATIONS = 400, /* the same where little is zero: loops do well */
  LARGEST_DENSE_FALLBACK = 2000, /* unknowns of a sparse system that get room for LU */
};

struct choice {
  enum tape_solver_kind kind;
  int32_t *order;
  bool *filled;
  uint32_t ordered; /* unknowns in the order */
  uint64_t factor_count, operations, total;
};

static bool has_zero_diagonal(const struct solver_shape *shape, uint32_t count) {
  for (size_t i = 0; i < count; i++)
    if (!shape->nonzero[i + i * shape->n]) return true;
  return false;
}

/* False if L D L^T has no good order. A symmetric matrix with a zero on the diagonal is indefinite
 * (or singular), unless the zeros are those of a bordered matrix. */
static bool find_order(const struct solver_shape *shape, int32_t *order) {
  if (shape->coordinates < shape->n)
    return border_order(shape->n, shape->coordinates, shape->nonzero, order);
  sparse_order(shape->n, shape->nonzero, order);
  return !has_zero_diagonal(shape, shape->n);
}

/* Finds the order and what the factorisation costs; false if there is none. */
static bool plan_factor(const struct solver_shape *shape, struct choice *choice) {
  size_t n = shape->n;
  choice->order = checked_calloc(n + 1, sizeof *choice->order);
  choice->ordered = shape->n;
  if (!find_order(shape, choice->order)) return false;
  choice->filled = checked_calloc(n * n + 1, sizeof *choice->filled);
  choice->operations =
      sparse_fill(shape->n, shape->nonzero, choice->order, choice->filled, &choice->factor_count);
  choice->total = choice->operations + shape->columns * (2 * choice->factor_count + n);
  return true;
}

/* Constraints are redundant. Where multipliers do not matter, L D L^T of the matrix without the
 * redundant ones gives the accelerations; on the tape only, since the loops know no subset. */
static struct choice choose_subset(const struct solver_shape *shape) {
  struct choice choice = {.kind = SOLVER_REVEALING};
  size_t n = shape->n, count = 0;
  if (!shape->is_symmetric || shape->is_left_out == NULL) return choice;
  uint32_t *kept = checked_calloc(n + 1, sizeof *kept);
  for (uint32_t i = 0; i < n; i++)
    if (!shape->is_left_out[i]) kept[count++] = i;
  bool *nonzero = checked_calloc(count * count + 1, sizeof *nonzero);
  for (size_t j = 0; j < count; j++)
    for (size_t i = 0; i < count; i++)
      nonzero[i + j * count] = shape->nonzero[kept[i] + kept[j] * n];
  struct solver_shape part = *shape;
  part.n = (uint32_t)count;
  part.nonzero = nonzero;
  if (count == shape->rank && plan_factor(&part, &choice) && choice.total <= UNROLL_OPERATIONS) {
    choice.kind = SOLVER_UNROLLED;
    for (size_t k = 0; k < count; k++) choice.order[k] = (int32_t)kept[choice.order[k]];
  }
  free(kept);
  free(nonzero);
  return choice;
}

static struct choice choose(const struct solver_shape *shape) {
  struct choice choice = {.kind = SOLVER_LU};
  size_t n = shape->n;
  if (shape->eliminates && shape->coordinates < n)
    return (struct choice){.kind = SOLVER_ELIMINATING};
  if (shape->rank < n) return choose_subset(shape);
  if (!shape->is_symmetric || !plan_factor(shape, &choice)) return choice;
  bool is_sparse = 2 * choice.factor_count <= n * (n - 1) / 2 && n > 1;
  uint64_t limit = is_sparse || n <= UNROLL_ALWAYS ? UNROLL_OPERATIONS : UNROLL_DENSE_OPERATIONS;
  if (is_sparse && shape->is_careful) limit = UNROLL_CAREFUL;
  if (choice.total <= limit)
    choice.kind = SOLVER_UNROLLED;
  else if (3 * choice.operations <= n * n * n / 6 || has_zero_diagonal(shape, shape->coordinates))
    choice.kind = SOLVER_SPARSE; /* the dense way takes coordinates before constraints */
  else
    choice.kind = SOLVER_DENSE;
  return choice;
}

static void lay_out(struct tape_builder *builder, struct tape_solver *solver) {
  size_t n = solver->n, full = n * n;
  if (solver->is_careful) return; /* everything is on the tapes */
  bool is_sparse = solver->kind == SOLVER_SPARSE;
  solver->matrix = builder_reserve_work(builder, is_sparse ? solver->entry_count : full);
  solver->mode = builder_reserve_work(builder, 1);
  bool has_full = is_sparse && n <= LARGEST_DENSE_FALLBACK;
  solver->scratch = builder_reserve_work(builder, has_full ? n + full : n);
  if (is_sparse)
    solver->factor = builder_reserve_work(builder, (size_t)solver->factor_count + 2 * n);
  solver->lu = TAPE_NO_LU;
  size_t m = n - solver->coordinates, border = m == 0 ? 0 : n + 1 + m * m + m;
  if (!is_sparse || has_full) solver->lu = builder_reserve_work(builder, full + 3 * n + border);
  if (!is_sparse) solver->factor = solver->lu;
}

static bool lower_triangle_is_full(const struct solver_shape *shape) {
  for (size_t j = 0; j < shape->n; j++)
    for (size_t i = shape->is_symmetric ? j : 0; i < shape->n; i++)
      if (!shape->nonzero[i + j * shape->n]) return false;
  return true;
}

static void number_entries(struct tape_builder *builder, uint32_t index) {
  const struct tape_solver *solver = &builder->tape->solvers.items[index];
  struct map *entries = &builder->solver_states.items[index].entries;
  for (uint32_t e = 0; e < solver->entry_count; e++) {
    uint32_t row = (uint32_t)solver->entry_rows[e], column = (uint32_t)solver->entry_columns[e];
    map_set(entries, row >= column ? map_pair(row, column) : map_pair(column, row), e + 1);
  }
}

uint32_t solver_begin(struct tape_builder *builder, const struct solver_shape *shape) {
  struct choice choice = choose(shape);
  struct tape_solver solver = {
      .kind = choice.kind, .n = shape->n, .is_symmetric = shape->is_symmetric};
  solver.coordinates = shape->coordinates;
  solver.rank = shape->rank;
  solver.order = choice.order; /* UNROLLED and SPARSE need it; freed with the tape */
  solver.ordered = choice.ordered;
  solver.is_careful = solver.kind == SOLVER_UNROLLED && shape->is_careful;
  solver.factor_count = (uint32_t)choice.factor_count;
  if (solver.kind == SOLVER_SPARSE) {
    solver.target_count = (uint32_t)choice.operations;
    sparse_tables(&solver, shape->nonzero, choice.filled);
  }
  lay_out(builder, &solver);
  if (solver.kind == SOLVER_UNROLLED) {
    size_t size = (size_t)shape->n * shape->n;
    solver.values = checked_calloc(size + 1, sizeof *solver.values);
    for (size_t i = 0; i < size; i++) solver.values[i] = builder_constant(builder, 0);
  } else if (solver.kind == SOLVER_SPARSE || !lower_triangle_is_full(shape)) {
    uint32_t size = solver.kind == SOLVER_SPARSE ? solver.entry_count : shape->n * shape->n;
    builder_effect(builder, TAPE_CLEAR, TAPE_ARRAY_WORK, solver.matrix, size);
  }
  free(choice.filled);
  vector_push(&builder->tape->solvers, solver);
  vector_push(&builder->solver_states, (struct solver_state){0});
  uint32_t index = builder->tape->solvers.count - 1;
  if (solver.kind == SOLVER_SPARSE) number_entries(builder, index);
  return index;
}

void solver_entry(struct tape_builder *builder, uint32_t index, uint32_t row, uint32_t column,
                  tape_value a) {
  struct tape_solver *solver = &builder->tape->solvers.items[index];
  uint32_t place = row + column * solver->n;
  if (solver->kind == SOLVER_UNROLLED) {
    solver->values[place] = a;
    solver->values[column + row * solver->n] = a;
    return;
  }
  if (solver->kind == SOLVER_SPARSE) {
    const struct map *entries = &builder->solver_states.items[index].entries;
    place = map_get(entries, map_pair(row, column));
    if (place-- == 0) bug("entry (%u, %u) is not in the pattern of the matrix", row, column);
  }
  builder_effect(builder, TAPE_STORE, a, TAPE_ARRAY_WORK, solver->matrix + place);
}

void solver_factor(struct tape_builder *builder, uint32_t index) {
  if (builder->tape->solvers.items[index].n == 0) return;
  if (builder->tape->solvers.items[index].kind == SOLVER_UNROLLED)
    unroll_factor(builder, index);
  else
    builder_effect(builder, TAPE_FACTOR, 0, index, 0);
}

/* ---- right sides */

uint32_t right_side_begin(struct tape_builder *builder, uint32_t index, uint32_t columns,
                          bool is_checked) {
  const struct tape_solver *solver = &builder->tape->solvers.items[index];
  struct tape_right_side side = {.solver = index, .columns = columns, .is_checked = is_checked};
  size_t size = (size_t)solver->n * columns + tape_solver_is_bordered(solver);
  side.offset = builder_reserve_work(builder, size);
  if (solver->kind == SOLVER_UNROLLED) {
    side.values = checked_calloc(size + 1, sizeof *side.values);
    for (size_t i = 0; i < size; i++) side.values[i] = builder_constant(builder, 0);
  } else if (size > 0) {
    builder_effect(builder, TAPE_CLEAR, TAPE_ARRAY_WORK, side.offset, (uint32_t)size);
  }
  vector_push(&builder->tape->right_sides, side);
  return builder->tape->right_sides.count - 1;
}

void right_side_entry(struct tape_builder *builder, uint32_t right_side, uint32_t row,
                      uint32_t column, tape_value a) {
  struct tape_right_side *side = &builder->tape->right_sides.items[right_side];
  uint32_t place = row + column * builder->tape->solvers.items[side->solver].n;
  if (side->values != NULL)
    side->values[place] = a;
  else if (!builder_is_constant(builder, a, 0))
    builder_effect(builder, TAPE_STORE, a, TAPE_ARRAY_WORK, side->offset + place);
}

void right_side_solve(struct tape_builder *builder, uint32_t right_side, tape_value *solution) {
  const struct tape_right_side *side = &builder->tape->right_sides.items[right_side];
  const struct tape_solver *solver = &builder->tape->solvers.items[side->solver];
  uint32_t count = solver->n * side->columns, offset = side->offset;
  if (count == 0) return;
  if (tape_solver_is_bordered(solver)) count++;
  if (side->values != NULL) {
    unroll_solve(builder, right_side, solution);
    return;
  }
  builder_effect(builder, TAPE_SUBSTITUTE, 0, right_side, 0);
  for (uint32_t i = 0; i < count; i++)
    solution[i] = builder_effect(builder, TAPE_LOAD, TAPE_ARRAY_WORK, offset + i, 0);
}

void solver_states_free(struct tape_builder *builder) {
  for (uint32_t i = 0; i < builder->solver_states.count; i++) {
    struct solver_state *state = &builder->solver_states.items[i];
    map_free(&state->entries);
    free(state->l);
    free(state->pivots);
    free(state->inverses);
    free(state->wholes);
  }
  vector_free(&builder->solver_states);
}
