/* Solver kernels as the interpreter runs them. The LLVM back end emits the same loops with the same
 * operations in the same order (llvm_kernels_module.c); change both together. */
#ifndef DYN_CODEGEN_KERNELS_H
#define DYN_CODEGEN_KERNELS_H
#include "codegen/tape.h"

/* Relative size below which a pivot counts as lost, per unknown. */
#define KERNEL_PIVOT_TOLERANCE 0x1p-49 /* L D L^T: times n, relative to the diagonal of A */
#define KERNEL_LU_TOLERANCE 0x1p-48    /* LU: times n, absolute after equilibration */

/* FACTOR for kinds DENSE, SPARSE, LU; for UNROLLED the LU part alone. Returns 0 or 1 + unknown. */
int kernel_factor(const struct tape_solver *solver, double *work);
void kernel_substitute(const struct tape_solver *solver, const struct tape_right_side *side,
                       double *work);

/* Dense LU alone; also what JIT-compiled code calls on its cold path. `lu`: n*n doubles and 3n more;
 * `scratch`: n doubles; b: n*columns, solved in place. */
int32_t kernel_lu_factor(int64_t n, const double *a, int32_t is_symmetric, double *lu);
void kernel_lu_substitute(int64_t n, double *lu, double *scratch, double *b, int64_t columns);
#endif
