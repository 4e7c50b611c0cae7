/* The solution of the equations of motion on a tape (program_state.c has the matrix).
 *
 * An elimination that meets a mass which is tiny beside the inertia it is tied to loses the others'
 * digits, whichever way the matrix is factorised, because masses can't be scaled away against the
 * constraints. Residuals computed with the matrix itself and solved for again bring them back
 * (fixed-precision iterative refinement: Skeel, Math. Comp. 35 (1980); Higham, Accuracy and
 * Stability of Numerical Algorithms, 12.2). Where even that does not satisfy the constraints the
 * numbers are useless: they become undefined, which every caller reports.
 *
 * Mostly none of that is needed: a solution whose residual is rounding beside the terms of each
 * equation is that of a system whose every entry is off by rounding (Oettli and Prager, Numer.
 * Math. 6 (1964)), which refinement can't improve. So a solution is looked at first, and the
 * whole way through refinement and verification stands on a tape of its own that is run where it
 * is not good (careful solvers, tape.h). */
#include "codegen/motion.h"

enum { REFINEMENTS = 2 };

/* Some sixty roundings of the terms of an equation. */
#define TIGHT 0x1p-46
/* What an elimination keeps of a pivot that has lost few digits. */
#define KEPT 0x1p-10

bool motion_leaves_out(const struct motion *motion, uint32_t k) {
  const struct tape_solver *solver = &motion->builder->tape->solvers.items[motion->solver];
  return solver->kind == SOLVER_UNROLLED && solver->ordered < solver->n &&
         motion->system->model->constraints.items[k].is_redundant;
}

/* Entry (row, j) times its unknown; false where it is none. */
static bool get_term(const struct motion *motion, uint32_t row, uint32_t j, tape_value *term) {
  struct tape_builder *b = motion->builder;
  expr entry = motion_entry(motion->system, row, j);
  if (entry == 0 || expr_is_integer_value(motion->system->graph, entry, 0)) return false;
  *term = builder_binary(b, TAPE_MULTIPLY, builder_lower(b, entry), motion->solution[j]);
  return true;
}

void motion_residual(const struct motion *motion, uint32_t row, tape_value *residual,
                     tape_value *size) {
  struct tape_builder *b = motion->builder;
  tape_value sum = motion->right[row], sizes = builder_unary(b, TAPE_ABS, sum), term;
  for (uint32_t j = 0; j < motion->n + motion->m; j++) {
    if (!get_term(motion, row, j, &term)) continue;
    sum = builder_binary(b, TAPE_SUBTRACT, sum, term);
    if (size != NULL) sizes = builder_binary(b, TAPE_ADD, sizes, builder_unary(b, TAPE_ABS, term));
  }
  *residual = sum;
  if (size != NULL) *size = sizes;
}

static void motion_solve(const struct motion *motion, const tape_value *right, bool is_checked,
                         tape_value *solution) {
  uint32_t side = right_side_begin(motion->builder, motion->solver, 1, is_checked);
  for (uint32_t i = 0; i < motion->n + motion->m; i++)
    right_side_entry(motion->builder, side, i, 0, right[i]);
  right_side_solve(motion->builder, side, solution);
}

static void motion_refine(const struct motion *motion) {
  struct tape_builder *b = motion->builder;
  uint32_t size = motion->n + motion->m;
  tape_value *change = checked_calloc((size_t)size + 1, sizeof *change);
  for (uint32_t i = 0; i < size; i++) {
    motion_residual(motion, i, &motion->residual[i], NULL);
    if (i >= motion->n && motion_leaves_out(motion, i - motion->n))
      motion->residual[i] = builder_constant(b, 0);
  }
  motion_solve(motion, motion->residual, false, change);
  for (uint32_t i = 0; i < size; i++)
    motion->solution[i] = builder_binary(b, TAPE_ADD, motion->solution[i], change[i]);
  free(change);
}

/* ---- by the longer way */

static void motion_init(struct motion *motion, struct tape_builder *builder,
                        const struct program *program, uint32_t solver) {
  const struct system *system = program->system;
  uint32_t n = system->n, m = system->m, size = n + m;
  struct motion_form form = motion_form_of(system);
  tape_value *memory = checked_calloc(3 * ((size_t)size + 1), sizeof *memory);
  *motion = (struct motion){.builder = builder,
                            .system = system,
                            .solver = solver,
                            .n = n,
                            .m = m,
                            .right = memory,
                            .solution = memory + size + 1,
                            .residual = memory + 2 * ((size_t)size + 1)};
  for (uint32_t i = 0; i < n; i++) motion->right[i] = builder_lower(builder, form.forcing[i]);
  for (uint32_t k = 0; k < m; k++)
    motion->right[n + k] =
        builder_unary(builder, TAPE_NEGATE, builder_lower(builder, form.bias[k]));
}

static void solve_refined(const struct motion *motion) {
  motion_solve(motion, motion->right, true, motion->solution);
  for (int step = 0; motion->m > 0 && step < REFINEMENTS; step++) motion_refine(motion);
  if (motion->m > 0) motion_verify(motion);
}

/* Its results are the solution. */
static struct tape *careful_tape(const struct program *program) {
  struct tape_builder builder;
  struct expr_list none = {0};
  struct motion motion;
  state_builder_init(&builder, program);
  plan_with_motion(&builder, program, &none);
  motion_init(&motion, &builder, program, lower_motion_matrix(&builder, program, 1, false));
  solve_refined(&motion);
  for (uint32_t i = 0; i <= motion.n + motion.m; i++)
    builder_output(&builder, i, motion.solution[i]);
  free(motion.right);
  return builder_finish(&builder);
}

/* ---- by the shorter way */

static tape_value is_within(struct tape_builder *b, tape_value residual, tape_value size) {
  tape_value limit = builder_binary(b, TAPE_MULTIPLY, builder_constant(b, TIGHT), size);
  return builder_binary(b, TAPE_LESS_EQUAL, builder_unary(b, TAPE_ABS, residual), limit);
}

/* Whether the elimination meets coordinate i before all that its equation ties it to. Then back
 * substitution takes its acceleration from that very equation, (right - terms) / mass, with some
 * three roundings a term: the equation is satisfied as it is. */
static bool is_own_equation(const struct motion *motion, uint32_t i) {
  enum { MOST_TERMS = 32 };
  const struct tape_builder *b = motion->builder;
  const struct tape_solver *solver = &b->tape->solvers.items[motion->solver];
  uint32_t terms = 0, place = 0;
  while ((uint32_t)solver->order[place] != i) place++;
  for (uint32_t k = 0; k < solver->ordered; k++) {
    size_t entry = i + (size_t)solver->order[k] * solver->n;
    if (k == place || builder_is_constant(b, solver->values[entry], 0)) continue;
    if (k < place) return false;
    terms++;
  }
  return terms <= MOST_TERMS;
}

/* The sizes of what moves coordinate i: of all terms of its equation but its own. */
static tape_value forces_on(const struct motion *motion, uint32_t i) {
  struct tape_builder *b = motion->builder;
  tape_value sizes = builder_unary(b, TAPE_ABS, motion->right[i]), term;
  for (uint32_t j = 0; j < motion->n + motion->m; j++)
    if (j != i && get_term(motion, i, j, &term))
      sizes = builder_binary(b, TAPE_ADD, sizes, builder_unary(b, TAPE_ABS, term));
  return sizes;
}

/* The size of each acceleration: its own and, where rounding is all that is left of it, what the
 * terms that cancelled would give the largest mass. Masses in different units can't be compared,
 * but where the elimination has lost digits of some of them, pivots tell that in any units. */
static void acceleration_sizes(const struct motion *motion, const tape_value *forces,
                               tape_value *sizes) {
  struct tape_builder *b = motion->builder;
  tape_value mass = builder_constant(b, 0);
  for (uint32_t i = 0; i < motion->n; i++)
    mass = builder_binary(b, TAPE_MAX, mass, builder_lower(b, motion_entry(motion->system, i, i)));
  tape_value is_known = builder_binary(b, TAPE_AND, unroll_keeps(b, motion->solver, KEPT),
                                       builder_binary(b, TAPE_LESS, builder_constant(b, 0), mass));
  tape_value inverse = builder_binary(b, TAPE_DIVIDE, builder_constant(b, 1), mass);
  inverse = builder_select(b, is_known, inverse, builder_constant(b, 0));
  for (uint32_t i = 0; i < motion->n; i++)
    sizes[i] = builder_binary(b, TAPE_ADD, builder_unary(b, TAPE_ABS, motion->solution[i]),
                              builder_binary(b, TAPE_MULTIPLY, forces[i], inverse));
}

/* The residual of each equation is rounding beside the sizes of its terms. */
static tape_value is_tight(const struct motion *motion) {
  struct tape_builder *b = motion->builder;
  uint32_t n = motion->n;
  tape_value *forces = checked_calloc(2 * ((size_t)n + 1), sizeof *forces), *sizes = forces + n + 1;
  tape_value ok = builder_truth(b, true), residual, size;
  for (uint32_t i = 0; i < n; i++) {
    forces[i] = forces_on(motion, i);
    if (is_own_equation(motion, i)) continue;
    motion_residual(motion, i, &residual, &size);
    ok = builder_binary(b, TAPE_AND, ok, is_within(b, residual, size));
  }
  acceleration_sizes(motion, forces, sizes);
  for (uint32_t k = 0; k < motion->m; k++) {
    motion_residual(motion, n + k, &residual, NULL);
    size = builder_unary(b, TAPE_ABS, motion->right[n + k]);
    for (uint32_t j = 0; j < n; j++) {
      expr entry = motion_entry(motion->system, n + k, j);
      if (entry == 0 || expr_is_integer_value(motion->system->graph, entry, 0)) continue;
      tape_value length = builder_unary(b, TAPE_ABS, builder_lower(b, entry));
      size = builder_binary(b, TAPE_ADD, size, builder_binary(b, TAPE_MULTIPLY, length, sizes[j]));
    }
    ok = builder_binary(b, TAPE_AND, ok, is_within(b, residual, size));
  }
  free(forces);
  return ok;
}

static void solve_checked(const struct motion *motion, const struct program *program) {
  struct tape_builder *b = motion->builder;
  struct tape *tape = b->tape;
  uint32_t side = tape->right_sides.count;
  motion_solve(motion, motion->right, true, motion->solution);
  tape->solvers.items[motion->solver].ok =
      builder_binary(b, TAPE_AND, tape->solvers.items[motion->solver].ok, is_tight(motion));
  tape->careful = careful_tape(program);
  tape->careful_work = builder_reserve_work(b, tape_interpreter_work(tape->careful));
  tape->careful_out = tape->right_sides.items[side].offset;
  unroll_guard(b, side, motion->solution);
}

/* Binds and hands out what is solved; clears the motion. */
static void motion_finish(struct motion *motion, tape_value *values) {
  struct tape_builder *b = motion->builder;
  uint32_t n = motion->n, m = motion->m;
  bind_accelerations(b, motion->system, motion->solution);
  for (uint32_t k = 0; k < m; k++) {
    motion->solution[n + k] = builder_unary(b, TAPE_NEGATE, motion->solution[n + k]);
    builder_bind(b, motion->system->model->constraints.items[k].multiplier,
                 motion->solution[n + k]);
  }
  for (uint32_t i = 0; values != NULL && i < n + m + (m > 0); i++) values[i] = motion->solution[i];
  free(motion->right);
}

void lower_motion(struct tape_builder *builder, const struct program *program, uint32_t solver,
                  tape_value *values) {
  struct motion motion;
  motion_init(&motion, builder, program, solver);
  if (builder->tape->solvers.items[solver].is_careful)
    solve_checked(&motion, program);
  else
    solve_refined(&motion);
  motion_finish(&motion, values);
}

void lower_motion_once(struct tape_builder *builder, const struct program *program, uint32_t solver,
                       tape_value *values) {
  struct motion motion;
  motion_init(&motion, builder, program, solver);
  motion_solve(&motion, motion.right, true, motion.solution);
  if (motion.m > 0) motion_verify(&motion);
  motion_finish(&motion, values);
}
