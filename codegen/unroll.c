/* L D L^T as instructions: in a fill-reducing order, right-looking, structural zeros left out.
 *
 * A pivot is good if it is above n*2^-49 (bordered: 2^-26) times the diagonal entry it came from,
 * which an infinite or undefined one is not; so only positive definite matrices take this way, for
 * which the factorisation is stable without exchanges (Golub & Van Loan, Matrix Computations, 4.2).
 * The truth value "all are good" guards the results: otherwise the cold path solves (tape.h).
 *
 * In a bordered matrix the pivots of constraints are negative (border_order.c). Unknowns of the
 * other kind add to the size of a diagonal and those of the same kind take from it: a pivot is held
 * against the diagonal with all that was added. */
#include "codegen/builder.h"
#include "codegen/kernels.h"

static void start_state(struct tape_builder *builder, uint32_t index) {
  const struct tape_solver *solver = &builder->tape->solvers.items[index];
  struct solver_state *state = &builder->solver_states.items[index];
  size_t n = solver->ordered;
  state->l = checked_calloc(n * n + 1, sizeof *state->l);
  state->pivots = checked_calloc(n + 1, sizeof *state->pivots);
  state->inverses = checked_calloc(n + 1, sizeof *state->inverses);
  state->wholes = checked_calloc(n + 1, sizeof *state->wholes);
  for (size_t j = 0; j < n; j++) {
    state->inverses[j] = NO_VALUE;
    const tape_value *column = solver->values + (size_t)solver->order[j] * solver->n;
    state->wholes[j] = column[solver->order[j]];
    for (size_t i = 0; i < n; i++) state->l[i + j * n] = column[solver->order[i]];
  }
}

static bool is_zero(const struct tape_builder *builder, tape_value a) {
  return builder_is_constant(builder, a, 0);
}

static tape_value inverse_pivot(struct tape_builder *builder, struct solver_state *state,
                                size_t k) {
  if (state->inverses[k] == NO_VALUE)
    state->inverses[k] =
        builder_binary(builder, TAPE_DIVIDE, builder_constant(builder, 1), state->pivots[k]);
  return state->inverses[k];
}

/* a - b*c, where any may be zero. */
static tape_value subtract_product(struct tape_builder *builder, tape_value a, tape_value b,
                                   tape_value c) {
  if (is_zero(builder, b) || is_zero(builder, c)) return a;
  return builder_binary(builder, TAPE_SUBTRACT, a, builder_binary(builder, TAPE_MULTIPLY, b, c));
}

static tape_value pivot_is_good(struct tape_builder *builder, double tolerance, bool is_coordinate,
                                tape_value whole, tape_value pivot) {
  tape_value factor = builder_constant(builder, tolerance);
  tape_value limit = builder_binary(builder, TAPE_MULTIPLY, factor, whole);
  /* the whole of a constraint is kept with the sign of its pivot */
  if (!is_coordinate) return builder_binary(builder, TAPE_LESS, pivot, limit);
  return builder_binary(builder, TAPE_LESS, limit, pivot);
}

/* Column k is finished: subtracts it from column j >= k. */
static void eliminate(struct tape_builder *builder, uint32_t index, size_t k, size_t j) {
  const struct tape_solver *solver = &builder->tape->solvers.items[index];
  struct solver_state *state = &builder->solver_states.items[index];
  size_t n = solver->ordered;
  tape_value *l = state->l;
  tape_value scaled =
      builder_binary(builder, TAPE_MULTIPLY, l[j + k * n], inverse_pivot(builder, state, k));
  bool is_other = ((uint32_t)solver->order[k] < solver->coordinates) !=
                  ((uint32_t)solver->order[j] < solver->coordinates);
  if (is_other)
    state->wholes[j] = subtract_product(builder, state->wholes[j], l[j + k * n], scaled);
  for (size_t i = j; i < n; i++)
    l[i + j * n] = subtract_product(builder, l[i + j * n], l[i + k * n], scaled);
  l[j + k * n] = scaled;
}

void unroll_factor(struct tape_builder *builder, uint32_t index) {
  start_state(builder, index);
  struct tape_solver *solver = &builder->tape->solvers.items[index];
  struct solver_state *state = &builder->solver_states.items[index];
  size_t n = solver->ordered;
  double tolerance = tape_solver_is_bordered(solver) ? KERNEL_BORDER_PIVOT_TOLERANCE
                                                     : kernel_pivot_tolerance(n, n);
  tape_value ok = builder_truth(builder, true);
  for (size_t k = 0; k < n; k++) {
    bool is_coordinate = (uint32_t)solver->order[k] < solver->coordinates;
    state->pivots[k] = state->l[k + k * n];
    ok = builder_binary(
        builder, TAPE_AND, ok,
        pivot_is_good(builder, tolerance, is_coordinate, state->wholes[k], state->pivots[k]));
    for (size_t j = k + 1; j < n; j++)
      if (!is_zero(builder, state->l[j + k * n])) eliminate(builder, index, k, j);
  }
  solver->ok = ok;
  if (!solver->is_careful) builder_effect(builder, TAPE_GUARD_FACTOR, ok, index, 0);
}

tape_value unroll_keeps(struct tape_builder *builder, uint32_t index, double part) {
  const struct tape_solver *solver = &builder->tape->solvers.items[index];
  const struct solver_state *state = &builder->solver_states.items[index];
  tape_value keeps = builder_truth(builder, true);
  for (size_t k = 0; k < solver->ordered; k++) {
    bool is_coordinate = (uint32_t)solver->order[k] < solver->coordinates;
    if (state->pivots[k] == state->wholes[k]) continue; /* nothing was taken from it */
    keeps = builder_binary(
        builder, TAPE_AND, keeps,
        pivot_is_good(builder, part, is_coordinate, state->wholes[k], state->pivots[k]));
  }
  return keeps;
}

/* One column, in the order of elimination, in place. */
static void substitute(struct tape_builder *builder, struct solver_state *state, size_t n,
                       bool is_single, tape_value *y) {
  const tape_value *l = state->l;
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) y[i] = subtract_product(builder, y[i], l[i + k * n], y[k]);
  for (size_t k = n; k-- > 0;) {
    if (!is_zero(builder, y[k])) {
      if (is_single && state->inverses[k] == NO_VALUE)
        y[k] = builder_binary(builder, TAPE_DIVIDE, y[k], state->pivots[k]);
      else
        y[k] = builder_binary(builder, TAPE_MULTIPLY, y[k], inverse_pivot(builder, state, k));
    }
    for (size_t i = k + 1; i < n; i++) y[k] = subtract_product(builder, y[k], l[i + k * n], y[i]);
  }
}

void unroll_solve(struct tape_builder *builder, uint32_t right_side, tape_value *solution) {
  const struct tape_right_side *side = &builder->tape->right_sides.items[right_side];
  const struct tape_solver *solver = &builder->tape->solvers.items[side->solver];
  struct solver_state *state = &builder->solver_states.items[side->solver];
  size_t n = solver->n, count = solver->ordered, columns = side->columns, results = n * columns;
  tape_value *y = checked_calloc(count + 1, sizeof *y);
  for (size_t i = 0; i < results; i++) solution[i] = builder_constant(builder, 0);
  for (size_t c = 0; c < columns; c++) {
    for (size_t k = 0; k < count; k++) y[k] = side->values[(size_t)solver->order[k] + c * n];
    substitute(builder, state, count, columns == 1, y);
    for (size_t k = 0; k < count; k++) solution[(size_t)solver->order[k] + c * n] = y[k];
  }
  free(y);
  bool is_bordered = tape_solver_is_bordered(solver);
  if (is_bordered) solution[results++] = builder_constant(builder, (double)(n - count));
  if (solver->is_careful) return; /* guarded when it is known how good it is */
  unroll_guard(builder, right_side, solution);
}

void unroll_guard(struct tape_builder *builder, uint32_t right_side, tape_value *solution) {
  const struct tape_right_side *side = &builder->tape->right_sides.items[right_side];
  const struct tape_solver *solver = &builder->tape->solvers.items[side->solver];
  bool is_bordered = tape_solver_is_bordered(solver);
  size_t results = (size_t)solver->n * side->columns + is_bordered;
  if (solver->is_careful) builder_effect(builder, TAPE_GUARD_FACTOR, solver->ok, side->solver, 0);
  builder_effect(builder, TAPE_GUARD_SUBSTITUTE, solver->ok, right_side, 0);
  for (size_t i = 0; i < results; i++)
    if (is_bordered || !is_zero(builder, solution[i]))
      solution[i] = builder_effect(builder, TAPE_SOLUTION, solution[i], right_side, (uint32_t)i);
}
