/* Dense LU in IR: see lu_copy, lu_equilibrate, lu_eliminate and kernel_lu_substitute in kernels.c.
 */
#include "codegen/kernels.h"
#include "codegen/llvm_kernels.h"

struct lu {
  LLVMValueRef f, row_scale, column_scale, row_number;
};

static struct lu lu_at(struct kernel *k, LLVMValueRef f) {
  LLVMValueRef end = kernel_index(k, k->zero, k->n); /* n*n */
  struct lu lu = {.f = f};
  lu.row_scale = ir_element(k->ir, f, end);
  lu.column_scale = ir_element(k->ir, lu.row_scale, k->n);
  lu.row_number = ir_element(k->ir, lu.column_scale, k->n);
  return lu;
}

/* To largest entry 1 in each row (or column); scales are kept. Returns where there is no entry. */
static void equilibrate(struct kernel *k, struct lu *lu, bool by_rows) {
  struct ir *ir = k->ir;
  struct ir_loop line = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef largest = ir_variable(ir, ir->f64, ir_real(ir, 0));
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef place =
      by_rows ? kernel_index(k, line.index, i.index) : kernel_index(k, i.index, line.index);
  LLVMValueRef size = kernel_absolute(k, ir_load(ir, lu->f, place));
  LLVMValueRef old = ir_load(ir, largest, k->zero);
  LLVMValueRef larger = kernel_is_larger(k, size, old);
  ir_store(ir, LLVMBuildSelect(k->builder, larger, size, old, ""), largest, k->zero);
  ir_loop_end(ir, &i);
  LLVMValueRef found = ir_load(ir, largest, k->zero);
  LLVMValueRef is_empty = LLVMBuildFCmp(k->builder, LLVMRealOLE, found, ir_real(ir, 0), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_empty);
  kernel_return(k, kernel_add(k, line.index, k->one));
  ir_if_end(ir, after);
  if (by_rows) /* undefined if infinite */
    found = LLVMBuildFAdd(k->builder, found, kernel_multiply(k, ir_real(ir, 0), found), "");
  LLVMValueRef scale = kernel_reciprocal(k, found);
  i = ir_loop_begin(ir, k->zero, k->n);
  place = by_rows ? kernel_index(k, line.index, i.index) : kernel_index(k, i.index, line.index);
  ir_store(ir, kernel_multiply(k, ir_load(ir, lu->f, place), scale), lu->f, place);
  ir_loop_end(ir, &i);
  ir_store(ir, scale, by_rows ? lu->row_scale : lu->column_scale, line.index);
  if (by_rows)
    ir_store(ir, LLVMBuildSIToFP(k->builder, line.index, ir->f64, ""), lu->row_number, line.index);
  ir_loop_end(ir, &line);
}

/* The row of the largest entry on or below the diagonal of column p; returns if all are lost. */
static LLVMValueRef find_pivot(struct kernel *k, struct lu *lu, LLVMValueRef p) {
  struct ir *ir = k->ir;
  LLVMValueRef largest = ir_variable(ir, ir->f64, ir_real(ir, 0));
  LLVMValueRef row = ir_variable(ir, ir->i64, p);
  struct ir_loop i = ir_loop_begin(ir, p, k->n);
  LLVMValueRef size = kernel_absolute(k, ir_load(ir, lu->f, kernel_index(k, i.index, p)));
  LLVMValueRef old = ir_load(ir, largest, k->zero);
  LLVMValueRef old_row = LLVMBuildLoad2(k->builder, ir->i64, row, "");
  LLVMValueRef larger = kernel_is_larger(k, size, old);
  LLVMBuildStore(k->builder, LLVMBuildSelect(k->builder, larger, i.index, old_row, ""), row);
  ir_store(ir, LLVMBuildSelect(k->builder, larger, size, old, ""), largest, k->zero);
  ir_loop_end(ir, &i);
  LLVMValueRef tolerance = kernel_tolerance(k, KERNEL_LU_TOLERANCE);
  LLVMValueRef found = ir_load(ir, largest, k->zero);
  LLVMValueRef is_lost = LLVMBuildFCmp(k->builder, LLVMRealOLE, found, tolerance, "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_lost);
  kernel_return(k, kernel_add(k, p, k->one));
  ir_if_end(ir, after);
  return LLVMBuildLoad2(k->builder, ir->i64, row, "");
}

static void swap_rows(struct kernel *k, struct lu *lu, LLVMValueRef r, LLVMValueRef s) {
  struct ir_loop j = ir_loop_begin(k->ir, k->zero, k->n);
  kernel_swap(k, lu->f, kernel_index(k, r, j.index), kernel_index(k, s, j.index));
  ir_loop_end(k->ir, &j);
  kernel_swap(k, lu->row_number, r, s);
}

static void eliminate(struct kernel *k, struct lu *lu) {
  struct ir *ir = k->ir;
  struct ir_loop p = ir_loop_begin(ir, k->zero, k->n);
  swap_rows(k, lu, find_pivot(k, lu, p.index), p.index);
  LLVMValueRef next = kernel_add(k, p.index, k->one);
  LLVMValueRef diagonal = kernel_index(k, p.index, p.index);
  LLVMValueRef inverse = kernel_reciprocal(k, ir_load(ir, lu->f, diagonal));
  struct ir_loop i = ir_loop_begin(ir, next, k->n);
  LLVMValueRef place = kernel_index(k, i.index, p.index);
  ir_store(ir, kernel_multiply(k, ir_load(ir, lu->f, place), inverse), lu->f, place);
  ir_loop_end(ir, &i);
  struct ir_loop j = ir_loop_begin(ir, next, k->n);
  LLVMValueRef u = ir_load(ir, lu->f, kernel_index(k, p.index, j.index));
  i = ir_loop_begin(ir, next, k->n);
  LLVMValueRef l = ir_load(ir, lu->f, kernel_index(k, i.index, p.index));
  ir_subtract_product(ir, lu->f, kernel_index(k, i.index, j.index), l, u);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &j);
  ir_store(ir, inverse, lu->f, diagonal);
  ir_loop_end(ir, &p);
}

void kernel_body_lu_factor(struct kernel *k) {
  struct lu lu = lu_at(k, LLVMGetParam(k->function, 3));
  kernel_copy(k, LLVMGetParam(k->function, 1), LLVMGetParam(k->function, 2), lu.f);
  equilibrate(k, &lu, true);
  equilibrate(k, &lu, false);
  eliminate(k, &lu);
  LLVMBuildRet(k->builder, ir_code(k->ir, 0));
}

static void permute(struct kernel *k, struct lu *lu, LLVMValueRef s, LLVMValueRef b) {
  struct ir *ir = k->ir;
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef row = LLVMBuildFPToSI(k->builder, ir_load(ir, lu->row_number, i.index), ir->i64, "");
  LLVMValueRef scaled = kernel_multiply(k, ir_load(ir, b, row), ir_load(ir, lu->row_scale, row));
  ir_store(ir, scaled, s, i.index);
  ir_loop_end(ir, &i);
}

/* s(i) -= f(i,p) * y for from <= i < to. */
static void subtract_column(struct kernel *k, LLVMValueRef f, LLVMValueRef s, LLVMValueRef p,
                            LLVMValueRef y, LLVMValueRef from, LLVMValueRef to) {
  struct ir_loop i = ir_loop_begin(k->ir, from, to);
  LLVMValueRef factor = ir_load(k->ir, f, kernel_index(k, i.index, p));
  ir_subtract_product(k->ir, s, i.index, factor, y);
  ir_loop_end(k->ir, &i);
}

void kernel_body_lu_substitute(struct kernel *k) {
  struct ir *ir = k->ir;
  struct lu lu = lu_at(k, LLVMGetParam(k->function, 1));
  LLVMValueRef s = LLVMGetParam(k->function, 2), all = LLVMGetParam(k->function, 3);
  struct ir_loop c = ir_loop_begin(ir, k->zero, LLVMGetParam(k->function, 4));
  LLVMValueRef b = ir_element(ir, all, kernel_index(k, k->zero, c.index));
  permute(k, &lu, s, b);
  struct ir_loop p = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef y = ir_load(ir, s, p.index);
  subtract_column(k, lu.f, s, p.index, y, kernel_add(k, p.index, k->one), k->n);
  ir_loop_end(ir, &p);
  struct ir_loop step = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef row = kernel_downwards(k, step.index);
  y = kernel_multiply(k, ir_load(ir, s, row), ir_load(ir, lu.f, kernel_index(k, row, row)));
  ir_store(ir, kernel_multiply(k, y, ir_load(ir, lu.column_scale, row)), b, row);
  subtract_column(k, lu.f, s, row, y, k->zero, row);
  ir_loop_end(ir, &step);
  ir_loop_end(ir, &c);
  LLVMBuildRetVoid(k->builder);
}
