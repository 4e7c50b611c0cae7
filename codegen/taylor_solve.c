/* Series of the solutions of linear systems by kernels (tape.h). With M x = f for series M, x, f,
 *   M[0] x[k] = f[k] - sum of M[j] x[k-j] over j = 1 .. k:
 * the factors of order 0 serve all orders, and the matrix is not factorised again. Holds for every
 * kernel: where constraints are redundant everywhere, the accelerations of each order are unique,
 * whichever of the multipliers are taken in lower orders. */
#include "base/bug.h"
#include "codegen/taylor_build.h"

static void push_entry(struct taylor_system *system, uint32_t row, uint32_t column, tape_value a) {
  vector_push(&system->matrix, ((struct taylor_entry){row, column, a}));
}

static tape_value stored_at(const struct taylor_maker *maker, uint32_t place) {
  uint32_t found = map_get(&maker->stored, place);
  return found != 0 ? found - 1 : NO_VALUE;
}

/* Both triangles. */
static void list_matrix(const struct taylor_maker *maker, const struct tape_solver *solver,
                        struct taylor_system *system) {
  bool is_sparse = solver->kind == SOLVER_SPARSE;
  uint32_t n = solver->n, count = is_sparse ? solver->entry_count : n * n;
  for (uint32_t e = 0; e < count; e++) {
    tape_value a = stored_at(maker, solver->matrix + e);
    uint32_t row = is_sparse ? (uint32_t)solver->entry_rows[e] : e % n;
    uint32_t column = is_sparse ? (uint32_t)solver->entry_columns[e] : e / n;
    if (a == NO_VALUE) continue;
    push_entry(system, row, column, a);
    if (row != column && (is_sparse || solver->is_symmetric)) push_entry(system, column, row, a);
  }
}

static void list_system(struct taylor_maker *maker, const struct tape *tape, uint32_t number) {
  const struct tape_right_side *side = &tape->right_sides.items[number];
  const struct tape_solver *solver = &tape->solvers.items[side->solver];
  struct tape_builder *b = &maker->start;
  struct taylor_system system = {.side = number, .n = solver->n, .columns = side->columns};
  uint32_t count = solver->n * side->columns, results = count + tape_solver_is_bordered(solver);
  list_matrix(maker, solver, &system);
  for (uint32_t i = 0; i < count; i++)
    vector_push(&system.right_side, stored_at(maker, side->offset + i));
  for (uint32_t i = 0; i < results; i++) {
    tape_value x = builder_effect(b, TAPE_LOAD, TAPE_ARRAY_WORK, side->offset + i, 0);
    map_set(&maker->stored, side->offset + i, x + 1);
    if (i == count) continue; /* how many constraints are dependent */
    vector_push(&system.solution, x);
    map_set(&maker->system_of, x, maker->systems.count + 1);
  }
  vector_push(&maker->systems, system);
}

bool taylor_is_of_kernel(const struct tape_instruction *i) {
  return i->operation == TAPE_STORE || i->operation == TAPE_CLEAR || i->operation == TAPE_LOAD ||
         i->operation == TAPE_FACTOR || i->operation == TAPE_SUBSTITUTE;
}

/* The way without exchanges was refused. */
static void decline_cold(struct taylor_maker *maker, const struct tape_solver *solver) {
  struct tape_builder *b = &maker->start;
  bool has_fast =
      solver->kind == SOLVER_DENSE || solver->kind == SOLVER_SPARSE || solver->kind == SOLVER_LU;
  if (!has_fast || !tape_solver_is_bordered(solver)) return;
  tape_value mode = builder_effect(b, TAPE_LOAD, TAPE_ARRAY_WORK, solver->mode, 0);
  taylor_leave_unless(b, builder_binary(b, TAPE_EQUAL, mode, builder_constant(b, 0)));
}

tape_value taylor_copy_kernel(struct taylor_maker *maker, const struct tape *tape,
                              const struct tape_instruction *i, const tape_value *number) {
  struct tape_builder *b = &maker->start;
  switch ((enum tape_operation)i->operation) {
  case TAPE_LOAD:
    return stored_at(maker, i->b);
  case TAPE_STORE:
    map_set(&maker->stored, i->c, number[i->a] + 1);
    builder_effect(b, TAPE_STORE, number[i->a], i->b, i->c);
    return NO_VALUE;
  case TAPE_FACTOR:
    builder_effect(b, TAPE_FACTOR, 0, i->b, 0);
    decline_cold(maker, &tape->solvers.items[i->b]);
    return NO_VALUE;
  case TAPE_SUBSTITUTE:
    builder_effect(b, TAPE_SUBSTITUTE, 0, i->b, 0);
    list_system(maker, tape, i->b);
    return NO_VALUE;
  default:
    builder_effect(b, i->operation, i->a, i->b, i->c);
    return NO_VALUE;
  }
}

struct taylor_system *taylor_system_of(const struct taylor_maker *maker, tape_value a) {
  uint32_t found = map_get(&maker->system_of, a);
  return found != 0 ? &maker->systems.items[found - 1] : NULL;
}

/* f[k] less what lower orders of the solution give. */
static tape_value rest(struct taylor_maker *maker, const struct taylor_system *system, uint32_t row,
                       uint32_t column) {
  struct tape_builder *b = &maker->order;
  tape_value sum = taylor_coefficient(maker, system->right_side.items[row + column * system->n]);
  if (sum == NO_VALUE) sum = builder_constant(b, 0);
  for (uint32_t e = system->first.items[row]; e < system->first.items[row + 1]; e++) {
    const struct taylor_entry *entry = &system->matrix.items[e];
    tape_value x = system->solution.items[entry->column + column * system->n];
    tape_value m = taylor_coefficient(maker, entry->a);
    if (m == NO_VALUE) continue;
    tape_value last = builder_binary(b, TAPE_MULTIPLY, m, taylor_at_start(maker, x));
    sum = builder_binary(b, TAPE_SUBTRACT, sum,
                         builder_binary(b, TAPE_ADD, taylor_sum(maker, entry->a, x), last));
  }
  return sum;
}

/* By rows, whose begins go to `first`. */
static void sort_matrix(struct taylor_system *system) {
  uint32_t count = system->matrix.count, at = 0;
  struct taylor_entry *sorted = checked_calloc((size_t)count + 1, sizeof *sorted);
  for (uint32_t i = 0; i <= system->n; i++) vector_push(&system->first, 0);
  for (uint32_t e = 0; e < count; e++) system->first.items[system->matrix.items[e].row]++;
  for (uint32_t i = 0; i <= system->n; i++) {
    uint32_t length = system->first.items[i];
    system->first.items[i] = at;
    at += length;
  }
  for (uint32_t e = 0; e < count; e++)
    sorted[system->first.items[system->matrix.items[e].row]++] = system->matrix.items[e];
  for (uint32_t i = system->n; i > 0; i--) system->first.items[i] = system->first.items[i - 1];
  system->first.items[0] = 0;
  free(system->matrix.items);
  system->matrix.items = sorted;
}

tape_value taylor_solve(struct taylor_maker *maker, tape_value a) {
  struct taylor_system *system = taylor_system_of(maker, a);
  struct tape_builder *b = &maker->order;
  const struct tape_right_side *side = &b->tape->right_sides.items[system->side];
  uint32_t offset = side->offset, number = system->side;
  if (system->first.count > 0) return taylor_value_at(maker, a)->series;
  sort_matrix(system);
  for (uint32_t c = 0; c < system->columns; c++)
    for (uint32_t i = 0; i < system->n; i++)
      builder_effect(b, TAPE_STORE, rest(maker, system, i, c), TAPE_ARRAY_WORK,
                     offset + i + c * system->n);
  builder_effect(b, TAPE_SUBSTITUTE, 0, number, 0);
  for (uint32_t i = 0; i < system->solution.count; i++)
    taylor_value_at(maker, system->solution.items[i])->series =
        builder_effect(b, TAPE_LOAD, TAPE_ARRAY_WORK, offset + i, 0);
  return taylor_value_at(maker, a)->series;
}

void taylor_systems_free(struct taylor_maker *maker) {
  for (uint32_t i = 0; i < maker->systems.count; i++) {
    struct taylor_system *system = &maker->systems.items[i];
    vector_free(&system->matrix);
    vector_free(&system->first);
    vector_free(&system->right_side);
    vector_free(&system->solution);
  }
  vector_free(&maker->systems);
  map_free(&maker->stored);
  map_free(&maker->system_of);
}
