/* Series of the solutions of linear systems (tape.h). With M x = f for series M, x, f,
 *   M[0] x[k] = f[k] - sum of M[j] x[k-j] over j = 1 .. k:
 * the factors of order 0 serve all orders, and neither the matrix is factorised again nor are its
 * factors expanded. Holds for every kind of solver and for its cold path: where constraints are
 * redundant everywhere, the accelerations of each order are unique, whichever of the multipliers
 * are taken in lower orders.
 *
 * Not where rank is lost at this state alone: M[0] does not determine what is determined nearby.
 * There `start` ends with DYN_TAYLOR_DECLINED.
 *
 * An elimination of a bordered matrix may lose digits (program_motion.c); so its solutions are
 * refined at every order, which costs little beside the sums. */
#include "base/bug.h"
#include "codegen/taylor_build.h"

enum { REFINEMENTS = 2 };

static void push_entry(struct taylor_system *system, uint32_t row, uint32_t column, tape_value a) {
  vector_push(&system->matrix, ((struct taylor_entry){row, column, a}));
}

static tape_value stored_at(const struct taylor_maker *maker, uint32_t place) {
  uint32_t found = map_get(&maker->stored, place);
  return found != 0 ? found - 1 : NO_VALUE;
}

/* ---- what a system is */

static void list_unrolled(const struct taylor_maker *maker, const struct tape_solver *solver,
                          struct taylor_system *system) {
  uint32_t n = solver->n;
  for (uint32_t e = 0; e < n * n; e++)
    if (!builder_is_constant(&maker->start, solver->values[e], 0))
      push_entry(system, e % n, e / n, solver->values[e]);
}

/* Both triangles. */
static void list_stored(const struct taylor_maker *maker, const struct tape_solver *solver,
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

/* Redundant constraints that the solver leaves out follow from the others. */
static void list_rows(const struct tape_solver *solver, struct taylor_system *system) {
  bool is_part = solver->kind == SOLVER_UNROLLED;
  for (uint32_t i = 0; i < solver->n; i++) vector_push(&system->is_solved, !is_part);
  for (uint32_t k = 0; is_part && k < solver->ordered; k++)
    system->is_solved.items[solver->order[k]] = true;
}

/* ---- solutions, in one of the tapes */

/* x has room for one value more. The tapes share the workspace. */
static void solve_once(struct taylor_maker *maker, struct tape_builder *b,
                       const struct taylor_system *system, const tape_value *right, tape_value *x) {
  uint32_t side = right_side_begin(b, system->solver, system->columns, false);
  maker->start.tape->work = maker->order.tape->work = b->tape->work;
  for (uint32_t c = 0; c < system->columns; c++)
    for (uint32_t i = 0; i < system->n; i++)
      right_side_entry(b, side, i, c, right[i + c * system->n]);
  right_side_solve(b, side, x);
}

/* right - M x of a row, with the entries as they stand in `matrix`; `at` is the row in its column.
 */
static tape_value residual_of(struct tape_builder *b, const struct taylor_system *system,
                              const tape_value *matrix, const tape_value *right,
                              const tape_value *x, uint32_t at) {
  uint32_t row = at % system->n, column_begin = at - row;
  if (!system->is_solved.items[row]) return builder_constant(b, 0);
  tape_value sum = right[at];
  for (uint32_t e = system->first.items[row]; e < system->first.items[row + 1]; e++) {
    tape_value factor = x[column_begin + system->matrix.items[e].column];
    sum =
        builder_binary(b, TAPE_SUBTRACT, sum, builder_binary(b, TAPE_MULTIPLY, matrix[e], factor));
  }
  return sum;
}

static void refine(struct taylor_maker *maker, struct tape_builder *b,
                   const struct taylor_system *system, const tape_value *matrix,
                   const tape_value *right, tape_value *x) {
  uint32_t count = system->n * system->columns;
  tape_value *residual = checked_calloc(2 * (size_t)count + 2, sizeof *residual);
  tape_value *change = residual + count;
  for (int step = 0; step < REFINEMENTS; step++) {
    for (uint32_t i = 0; i < count; i++) residual[i] = residual_of(b, system, matrix, right, x, i);
    solve_once(maker, b, system, residual, change);
    for (uint32_t i = 0; i < count; i++) x[i] = builder_binary(b, TAPE_ADD, x[i], change[i]);
  }
  free(residual);
}

/* ---- order 0 */

bool taylor_is_of_solver(const struct tape_instruction *i) {
  switch ((enum tape_operation)i->operation) {
  case TAPE_STORE:
  case TAPE_CLEAR:
  case TAPE_LOAD:
  case TAPE_FACTOR:
  case TAPE_SUBSTITUTE:
  case TAPE_GUARD_FACTOR:
  case TAPE_GUARD_SUBSTITUTE:
  case TAPE_SOLUTION:
    return true;
  default:
    return false;
  }
}

static tape_value *copy_values(const tape_value *values, size_t count, const tape_value *number) {
  tape_value *copy = checked_calloc(count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++) copy[i] = number[values[i]];
  return copy;
}

/* Its arithmetic is on the tape already, and is shared. */
static void factor_unrolled(struct taylor_maker *maker, const struct tape *tape, uint32_t index,
                            const tape_value *number) {
  const struct tape_solver *solver = &tape->solvers.items[index];
  struct tape_builder *b = &maker->start;
  b->tape->solvers.items[index].values =
      copy_values(solver->values, (size_t)solver->n * solver->n, number);
  unroll_factor(b, index);
}

/* The first solution; that of a bordered system has how many constraints are dependent behind it.
 */
static void solve_start(struct taylor_maker *maker, const struct tape *tape, uint32_t side,
                        const tape_value *number, tape_value *x) {
  struct tape_builder *b = &maker->start;
  const struct tape_right_side *original = &tape->right_sides.items[side];
  const struct tape_solver *solver = &tape->solvers.items[original->solver];
  uint32_t count = solver->n * original->columns, offset = original->offset;
  if (solver->kind == SOLVER_UNROLLED) {
    b->tape->right_sides.items[side].values = copy_values(original->values, count, number);
    unroll_solve(b, side, x);
    return;
  }
  builder_effect(b, TAPE_SUBSTITUTE, 0, side, 0);
  for (uint32_t i = 0; i < count + tape_solver_is_bordered(solver); i++)
    x[i] = builder_effect(b, TAPE_LOAD, TAPE_ARRAY_WORK, offset + i, 0);
}

static void list_right_side(struct taylor_maker *maker, const struct tape *tape, uint32_t side,
                            const tape_value *number, tape_value *right) {
  const struct tape_right_side *original = &tape->right_sides.items[side];
  uint32_t count = tape->solvers.items[original->solver].n * original->columns;
  for (uint32_t i = 0; i < count; i++) {
    right[i] = original->values != NULL ? number[original->values[i]]
                                        : stored_at(maker, original->offset + i);
    if (right[i] == NO_VALUE) right[i] = builder_constant(&maker->start, 0);
  }
}

/* Rank that is lost at this state alone: see above. */
static void decline_singular(struct taylor_maker *maker, const struct tape_solver *solver,
                             tape_value dependent) {
  struct tape_builder *b = &maker->start;
  tape_value always = builder_constant(b, solver->n - solver->rank);
  taylor_leave_unless(b, builder_binary(b, TAPE_LESS_EQUAL, dependent, always));
}

static void add_system(struct taylor_maker *maker, const struct tape *tape, uint32_t side,
                       const tape_value *number) {
  struct tape_builder *b = &maker->start;
  const struct tape_right_side *original = &tape->right_sides.items[side];
  const struct tape_solver solver = b->tape->solvers.items[original->solver];
  uint32_t count = solver.n * original->columns, offset = original->offset;
  struct taylor_system system = {
      .solver = original->solver, .n = solver.n, .columns = original->columns};
  if (solver.kind == SOLVER_UNROLLED)
    list_unrolled(maker, &solver, &system);
  else
    list_stored(maker, &solver, &system);
  sort_matrix(&system);
  list_rows(&solver, &system);
  for (uint32_t i = 0; i <= count; i++) {
    vector_push(&system.right_side, NO_VALUE);
    vector_push(&system.solution, NO_VALUE);
  }
  tape_value *right = system.right_side.items, *x = system.solution.items;
  list_right_side(maker, tape, side, number, right);
  solve_start(maker, tape, side, number, x);
  if (tape_solver_is_bordered(&solver)) {
    tape_value *matrix = checked_calloc((size_t)system.matrix.count + 1, sizeof *matrix);
    for (uint32_t e = 0; e < system.matrix.count; e++) matrix[e] = system.matrix.items[e].a;
    refine(maker, b, &system, matrix, right, x);
    free(matrix);
    decline_singular(maker, &solver, x[count]);
    map_set(&maker->stored, offset + count, x[count] + 1);
  }
  for (uint32_t i = 0; i < count; i++) {
    map_set(&maker->stored, offset + i, x[i] + 1);
    if (builder_is_constant(b, x[i], 0)) continue; /* a row of zeros meets nothing else */
    map_set(&maker->system_of, x[i], maker->systems.count + 1);
  }
  vector_push(&maker->systems, system);
}

tape_value taylor_copy_solver(struct taylor_maker *maker, const struct tape *tape,
                              const struct tape_instruction *i, const tape_value *number) {
  struct tape_builder *b = &maker->start;
  switch ((enum tape_operation)i->operation) {
  case TAPE_LOAD:
    return stored_at(maker, i->b);
  case TAPE_SOLUTION:
    return stored_at(maker, tape->right_sides.items[i->b].offset + i->c);
  case TAPE_STORE:
    map_set(&maker->stored, i->c, number[i->a] + 1);
    builder_effect(b, TAPE_STORE, number[i->a], i->b, i->c);
    return NO_VALUE;
  case TAPE_GUARD_FACTOR:
    factor_unrolled(maker, tape, i->b, number);
    return NO_VALUE;
  case TAPE_SUBSTITUTE:
  case TAPE_GUARD_SUBSTITUTE:
    add_system(maker, tape, i->b, number);
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

/* ---- the orders */

/* The factors of an unrolled solver, from `start`. */
static void share_factors(struct taylor_maker *maker, uint32_t index) {
  const struct solver_state *from = &maker->start.solver_states.items[index];
  struct solver_state *to = &maker->order.solver_states.items[index];
  struct tape_solver *solver = &maker->order.tape->solvers.items[index];
  size_t n = solver->ordered;
  if (solver->kind != SOLVER_UNROLLED || to->l != NULL) return;
  to->l = checked_calloc(n * n + 1, sizeof *to->l);
  to->pivots = checked_calloc(n + 1, sizeof *to->pivots);
  to->inverses = checked_calloc(n + 1, sizeof *to->inverses);
  for (size_t k = 0; k < n; k++) {
    to->inverses[k] = taylor_inverse(maker, from->pivots[k]);
    for (size_t i = k + 1; i < n; i++)
      to->l[i + k * n] = taylor_at_start(maker, from->l[i + k * n]);
  }
  solver->ok = taylor_truth(maker, maker->start.tape->solvers.items[index].ok);
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
    tape_value m = taylor_coefficient(maker, entry->a), lower = taylor_sum(maker, entry->a, x);
    if (m == NO_VALUE) continue;
    tape_value last = builder_binary(b, TAPE_MULTIPLY, m, taylor_at_start(maker, x));
    if (lower != NO_VALUE) last = builder_binary(b, TAPE_ADD, lower, last);
    sum = builder_binary(b, TAPE_SUBTRACT, sum, last);
  }
  return sum;
}

static void refine_order(struct taylor_maker *maker, const struct taylor_system *system,
                         const tape_value *right, tape_value *x) {
  tape_value *matrix = checked_calloc((size_t)system->matrix.count + 1, sizeof *matrix);
  for (uint32_t e = 0; e < system->matrix.count; e++)
    matrix[e] = taylor_at_start(maker, system->matrix.items[e].a);
  refine(maker, &maker->order, system, matrix, right, x);
  free(matrix);
}

tape_value taylor_solve(struct taylor_maker *maker, tape_value a) {
  struct taylor_system *system = taylor_system_of(maker, a);
  struct tape *tape = maker->order.tape;
  uint32_t count = system->n * system->columns;
  if (taylor_value_at(maker, a)->series != NO_VALUE) return taylor_value_at(maker, a)->series;
  tape_value *right = checked_calloc(2 * ((size_t)count + 1), sizeof *right);
  tape_value *x = right + count + 1;
  share_factors(maker, system->solver);
  for (uint32_t i = 0; i < count; i++) right[i] = rest(maker, system, i % system->n, i / system->n);
  solve_once(maker, &maker->order, system, right, x);
  if (tape_solver_is_bordered(&tape->solvers.items[system->solver]))
    refine_order(maker, system, right, x);
  for (uint32_t i = 0; i < count; i++)
    if (taylor_system_of(maker, system->solution.items[i]) == system)
      taylor_value_at(maker, system->solution.items[i])->series = x[i];
  free(right);
  return taylor_value_at(maker, a)->series;
}

void taylor_systems_free(struct taylor_maker *maker) {
  for (uint32_t i = 0; i < maker->systems.count; i++) {
    struct taylor_system *system = &maker->systems.items[i];
    vector_free(&system->matrix);
    vector_free(&system->first);
    vector_free(&system->is_solved);
    vector_free(&system->right_side);
    vector_free(&system->solution);
  }
  vector_free(&maker->systems);
  map_free(&maker->stored);
  map_free(&maker->system_of);
}
