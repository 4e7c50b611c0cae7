/* Dense L D L^T in IR: see ldlt_factor and ldlt_substitute in kernels.c. */
#include "codegen/kernels.h"
#include "codegen/llvm_kernels.h"

static void copy_lower_triangle(struct kernel *k, LLVMValueRef a, LLVMValueRef f) {
  struct ir *ir = k->ir;
  struct ir_loop j = ir_loop_begin(ir, k->zero, k->n);
  struct ir_loop i = ir_loop_begin(ir, j.index, k->n);
  LLVMValueRef place = kernel_index(k, i.index, j.index);
  ir_store(ir, ir_load(ir, a, place), f, place);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &j);
}

/* Column j of the rest, i = j .. n-1: f(i,j) -= f(i,k) * l. */
static void eliminate_column(struct kernel *k, LLVMValueRef f, LLVMValueRef column,
                             LLVMValueRef pivot_column, LLVMValueRef l) {
  struct ir *ir = k->ir;
  struct ir_loop i = ir_loop_begin(ir, column, k->n);
  LLVMValueRef factor = ir_load(ir, f, kernel_index(k, i.index, pivot_column));
  ir_subtract_product(ir, f, kernel_index(k, i.index, column), factor, l);
  ir_loop_end(ir, &i);
}

/* Arguments: n, coordinates, a, f, gain. */
void kernel_body_ldlt_factor(struct kernel *k) {
  struct ir *ir = k->ir;
  LLVMValueRef coordinates = LLVMGetParam(k->function, 1), a = LLVMGetParam(k->function, 2);
  LLVMValueRef f = LLVMGetParam(k->function, 3), gain = LLVMGetParam(k->function, 4);
  LLVMValueRef tolerance = kernel_pivot_limit(k, coordinates);
  copy_lower_triangle(k, a, f);
  struct ir_loop j = ir_loop_begin(ir, coordinates, k->n);
  ir_store(ir, ir_real(ir, 0), gain, j.index);
  ir_loop_end(ir, &j);
  struct ir_loop p = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef diagonal = kernel_index(k, p.index, p.index);
  LLVMValueRef pivot = ir_load(ir, f, diagonal);
  LLVMValueRef is_coordinate = LLVMBuildICmp(k->builder, LLVMIntSLT, p.index, coordinates, "");
  LLVMValueRef whole = LLVMBuildSelect(k->builder, is_coordinate, ir_element(ir, a, diagonal),
                                       ir_element(ir, gain, p.index), "");
  LLVMValueRef limit = kernel_multiply(k, tolerance, ir_load(ir, whole, k->zero));
  kernel_leave_if(k, kernel_pivot_is_lost(k, is_coordinate, pivot, limit), k->one);
  LLVMValueRef inverse = kernel_reciprocal(k, pivot);
  j = ir_loop_begin(ir, kernel_add(k, p.index, k->one), k->n);
  LLVMValueRef place = kernel_index(k, j.index, p.index), entry = ir_load(ir, f, place);
  LLVMValueRef l = kernel_multiply(k, entry, inverse);
  LLVMValueRef is_constraint = LLVMBuildICmp(k->builder, LLVMIntSGE, j.index, coordinates, "");
  LLVMBasicBlockRef after =
      ir_if_begin(ir, LLVMBuildAnd(k->builder, is_coordinate, is_constraint, ""));
  LLVMValueRef sum =
      LLVMBuildFAdd(k->builder, ir_load(ir, gain, j.index), kernel_multiply(k, entry, l), "");
  ir_store(ir, sum, gain, j.index);
  ir_if_end(ir, after);
  eliminate_column(k, f, j.index, p.index, l);
  ir_store(ir, l, f, place);
  ir_loop_end(ir, &j);
  ir_store(ir, inverse, f, diagonal);
  ir_loop_end(ir, &p);
  kernel_return_good(k);
}

static void substitute_forward(struct kernel *k, LLVMValueRef f, LLVMValueRef b) {
  struct ir *ir = k->ir;
  struct ir_loop p = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef y = ir_load(ir, b, p.index);
  struct ir_loop i = ir_loop_begin(ir, kernel_add(k, p.index, k->one), k->n);
  LLVMValueRef l = ir_load(ir, f, kernel_index(k, i.index, p.index));
  ir_subtract_product(ir, b, i.index, l, y);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &p);
}

static void substitute_backward(struct kernel *k, LLVMValueRef f, LLVMValueRef b) {
  struct ir *ir = k->ir;
  struct ir_loop step = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef p = kernel_downwards(k, step.index);
  LLVMValueRef start = kernel_multiply(k, ir_load(ir, b, p), ir_load(ir, f, kernel_index(k, p, p)));
  LLVMValueRef y = ir_variable(ir, ir->value, start);
  struct ir_loop below = ir_loop_begin(ir, k->zero, step.index);
  LLVMValueRef i = kernel_downwards(k, below.index); /* n-1 down to p+1 */
  LLVMValueRef l = ir_load(ir, f, kernel_index(k, i, p));
  ir_subtract_product(ir, y, k->zero, l, ir_load(ir, b, i));
  ir_loop_end(ir, &below);
  ir_store(ir, ir_load(ir, y, k->zero), b, p);
  ir_loop_end(ir, &step);
}

/* Arguments: n, f, right sides, columns. */
void kernel_body_ldlt_substitute(struct kernel *k) {
  struct ir *ir = k->ir;
  LLVMValueRef f = LLVMGetParam(k->function, 1), all = LLVMGetParam(k->function, 2);
  struct ir_loop c = ir_loop_begin(ir, k->zero, LLVMGetParam(k->function, 3));
  LLVMValueRef b = ir_element(ir, all, kernel_index(k, k->zero, c.index));
  substitute_forward(k, f, b);
  substitute_backward(k, f, b);
  ir_loop_end(ir, &c);
  LLVMBuildRetVoid(k->builder);
}
