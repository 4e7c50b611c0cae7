/* Solver kernels, as the interpreter and JIT-compiled code run them. For object files the LLVM back
 * end emits the same loops with the same operations in the same order (llvm_kernels_module.c);
 * change both together. */
#ifndef DYN_CODEGEN_KERNELS_H
#define DYN_CODEGEN_KERNELS_H
#include "codegen/tape.h"

/* Relative size below which a pivot counts as lost, per unknown. */
#define KERNEL_PIVOT_TOLERANCE 0x1p-49 /* L D L^T: times n, relative to the diagonal of A */
#define KERNEL_LU_TOLERANCE 0x1p-48    /* LU: times n, absolute after equilibration */

/* FACTOR for kinds DENSE, SPARSE, LU; for UNROLLED the LU part alone. Returns 0 or 1 + unknown. */
int32_t kernel_factor(const struct tape_solver *solver, double *work);
void kernel_substitute(const struct tape_solver *solver, const struct tape_right_side *side,
                       double *work);
#endif
