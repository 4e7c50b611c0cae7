/* motion.h: the equations of motion as a linear system on a tape, shared by what solves them
 * (program_motion.c) and what looks whether the solution is one (motion_verify.c). */
#ifndef DYN_CODEGEN_MOTION_H
#define DYN_CODEGEN_MOTION_H
#include "codegen/program_build.h"

struct motion {
  struct tape_builder *builder;
  const struct system *system;
  uint32_t solver, n, m;
  tape_value *right, *solution, *residual; /* n + m each; solution has one more: see tape.h */
};

/* Entry (i, j) of the matrix; 0 is the zero matrix in its corner. */
expr motion_entry(const struct system *system, uint32_t i, uint32_t j);
/* Constraints that the solver leaves out are not to be satisfied but follow from the others. */
bool motion_leaves_out(const struct motion *motion, uint32_t k);
/* right - K x, and (unless NULL) the sizes of what was added up. */
void motion_residual(const struct motion *motion, uint32_t row, tape_value *residual,
                     tape_value *size);
/* Makes the solution undefined where it is none. */
void motion_verify(const struct motion *motion);

#endif
