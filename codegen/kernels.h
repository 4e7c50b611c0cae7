/* Solver kernels, as the interpreter and JIT-compiled code run them. For object files the LLVM back
 * end emits the same loops with the same operations in the same order (llvm_kernels_module.c);
 * change both together. */
#ifndef DYN_CODEGEN_KERNELS_H
#define DYN_CODEGEN_KERNELS_H
#include "codegen/tape.h"

/* Relative size below which a pivot counts as lost. */
#define KERNEL_PIVOT_TOLERANCE 0x1p-49 /* L D L^T: times n, relative to the diagonal of A */
#define KERNEL_LU_TOLERANCE 0x1p-48    /* LU: times n, absolute after equilibration */
/* L D L^T of a bordered matrix, which may be regular though M is singular: then the last pivot of M
 * is nothing but rounding. The cold path, which is for such matrices, takes over in time. */
#define KERNEL_BORDER_PIVOT_TOLERANCE 0x1p-26
static inline double kernel_pivot_tolerance(size_t n, size_t coordinates) {
  return coordinates < n ? KERNEL_BORDER_PIVOT_TOLERANCE : (double)n * KERNEL_PIVOT_TOLERANCE;
}

/* Bordered systems by complete pivoting, after masses and constraints are scaled to 1: times n.
 * Errors of rounding stay some powers of two above 2^-52; what is left of 2^-40 is for errors of
 * the entries themselves (differences of sines and cosines near a singular position). */
#define KERNEL_BORDER_TOLERANCE 0x1p-40
/* A coordinate with an entry that is so much larger than the others of a constraint, masses scaled
 * to 1, has a mass that is nothing beside the inertia it is tied to. It is scaled by the
 * constraint, in which the others would be lost otherwise, but no further than the largest mass. */
#define KERNEL_BORDER_DOMINANT 0x1p20
/* Part of an equation left over that may be unsatisfied, and part of a null vector that may belong
 * to coordinates: both vanish on the constraint manifold and grow with the distance from it (steps
 * of an integrator), while a contradiction or a missing mass makes them of size 1. */
#define KERNEL_BORDER_NEGLIGIBLE 0x1p-10
/* What is left of an equation where all right sides are rounding (much enlarged, where its own
 * coefficients nearly vanish) contradicts nothing: an
 * acceleration in m/s^2 times the root of a mass in kg. */
#define KERNEL_BORDER_ROUNDING 0x1p-26

/* FACTOR for kinds DENSE, SPARSE, LU, REVEALING; for UNROLLED the cold path alone. 0 or 1 +
 * unknown. */
int32_t kernel_factor(const struct tape_solver *solver, double *work);
/* 0, or for a bordered matrix 1 + an equation that the others contradict. */
int32_t kernel_substitute(const struct tape_solver *solver, const struct tape_right_side *side,
                          double *work);

/* The careful way through a bordered system (kernels_border.c). */
int32_t kernel_border_factor(const struct tape_solver *solver, const double *a, bool is_symmetric,
                             double *work);
int32_t kernel_border_substitute(const struct tape_solver *solver,
                                 const struct tape_right_side *side, double *work);
#endif
