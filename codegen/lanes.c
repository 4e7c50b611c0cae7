/* Which programs can be run for several trajectories at once, and by how many on this processor.
 * All arithmetic can, and the factorisations whose order is known beforehand; what looks for its
 * pivots would take another way in every lane. */
#include "codegen/program.h"

static const char *obstacle_of(const struct tape *tape) {
  for (uint32_t i = 0; i < tape->solvers.count; i++) {
    const struct tape_solver *solver = &tape->solvers.items[i];
    if (tape_solver_is_bordered(solver)) return "the model has constraints";
    if (solver->kind == SOLVER_LU) return "its mass matrix is not symmetric";
  }
  return NULL;
}

const char *lanes_obstacle(const struct program *program) {
  const struct tape *tape = program->tapes[PROGRAM_FUNCTION_RHS];
  return tape != NULL ? obstacle_of(tape) : "there is no right-hand side";
}

program_functions lanes_functions(const struct program *program) {
  static const int watched[] = {PROGRAM_FUNCTION_INVARIANT_VALUES, PROGRAM_FUNCTION_ENERGIES};
  const struct tape *rhs = program->tapes[PROGRAM_FUNCTION_RHS];
  program_functions functions = PROGRAM_RHS;
  for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
    const struct tape *tape = program->tapes[watched[i]];
    if (tape == NULL) continue;
    if (obstacle_of(tape) != NULL || tape->code.count > rhs->code.count) return PROGRAM_RHS;
    functions |= 1ull << watched[i];
  }
  return functions;
}

int32_t lanes_of_processor(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return 8;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 4;
#endif
  return 1;
}
