/* The kernels' sources in IR, between llvm_kernels_module.c and the files of each kind. */
#ifndef DYN_CODEGEN_LLVM_KERNELS_H
#define DYN_CODEGEN_LLVM_KERNELS_H
#include "codegen/llvm_ir.h"

struct kernel { /* short names for the emitters: k->n is the first argument */
  struct ir *ir;
  LLVMBuilderRef builder;
  LLVMValueRef function, n, one, zero;
};

LLVMValueRef kernel_index(struct kernel *k, LLVMValueRef i, LLVMValueRef j); /* i + j*n */
LLVMValueRef kernel_add(struct kernel *k, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef kernel_subtract(struct kernel *k, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef kernel_multiply(struct kernel *k, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef kernel_reciprocal(struct kernel *k, LLVMValueRef a);
LLVMValueRef kernel_absolute(struct kernel *k, LLVMValueRef a);
/* n times the relative tolerance. */
LLVMValueRef kernel_tolerance(struct kernel *k, double relative);
/* kernel_pivot_tolerance of kernels.h */
LLVMValueRef kernel_pivot_limit(struct kernel *k, LLVMValueRef coordinates);
LLVMValueRef kernel_integer(struct kernel *k, LLVMValueRef base,
                            LLVMValueRef index);         /* i32 table */
void kernel_return(struct kernel *k, LLVMValueRef code); /* of type i64, truncated */
/* Returns the code where the condition holds; of several lanes loses those where it does. */
void kernel_leave_if(struct kernel *k, LLVMValueRef condition, LLVMValueRef code);
void kernel_return_good(struct kernel *k); /* 0, or the bits of the lanes that are lost */
/* n-1-i: runs a loop downwards. */
LLVMValueRef kernel_downwards(struct kernel *k, LLVMValueRef i);

LLVMValueRef kernel_is_larger(struct kernel *k, LLVMValueRef size, LLVMValueRef largest);
void kernel_swap(struct kernel *k, LLVMValueRef base, LLVMValueRef a, LLVMValueRef b);
/* f = a, whose lower triangle holds all if it is symmetric. */
void kernel_copy(struct kernel *k, LLVMValueRef a, LLVMValueRef is_symmetric, LLVMValueRef f);
/* Whether a pivot of L D L^T, negative for constraints, is not above the limit. */
LLVMValueRef kernel_pivot_is_lost(struct kernel *k, LLVMValueRef is_coordinate, LLVMValueRef pivot,
                                  LLVMValueRef limit);

void kernel_body_ldlt_factor(struct kernel *k);
void kernel_body_ldlt_substitute(struct kernel *k);
void kernel_body_lu_factor(struct kernel *k);
void kernel_body_lu_substitute(struct kernel *k);
void kernel_body_sparse_factor(struct kernel *k);
void kernel_body_sparse_substitute(struct kernel *k);
void kernel_body_border_factor(struct kernel *k);
void kernel_body_border_substitute(struct kernel *k);
#endif
