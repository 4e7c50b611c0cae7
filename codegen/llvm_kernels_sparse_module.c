/* Sparse L D L^T in IR: see sparse_factor and sparse_substitute in kernels.c. */
#include "codegen/kernels.h"
#include "codegen/llvm_kernels.h"
#include <math.h>

struct sparse_arguments {
  LLVMValueRef order, starts, rows, targets, places, a, entry_count, factor_count, f, coordinates;
  LLVMValueRef pivots, whole;
};

/* f = 0, then the entries of a, then a copy of the diagonal. */
static void load_matrix(struct kernel *k, struct sparse_arguments *s) {
  struct ir *ir = k->ir;
  struct ir_loop e = ir_loop_begin(ir, k->zero, kernel_add(k, s->factor_count, k->n));
  ir_store(ir, ir_real(ir, 0), s->f, e.index);
  ir_loop_end(ir, &e);
  e = ir_loop_begin(ir, k->zero, s->entry_count);
  ir_store(ir, ir_load(ir, s->a, e.index), s->f, kernel_integer(k, s->places, e.index));
  ir_loop_end(ir, &e);
  e = ir_loop_begin(ir, k->zero, k->n);
  ir_store(ir, ir_load(ir, s->pivots, e.index), s->whole, e.index);
  ir_loop_end(ir, &e);
}

static LLVMValueRef is_coordinate(struct kernel *k, struct sparse_arguments *s,
                                  LLVMValueRef place) {
  LLVMValueRef unknown = kernel_integer(k, s->order, place);
  return LLVMBuildICmp(k->builder, LLVMIntSLT, unknown, s->coordinates, "");
}

/* What an unknown of the other kind contributes to the diagonal of row j is added to its whole. */
static void add_gain(struct kernel *k, struct sparse_arguments *s, LLVMValueRef own_kind,
                     LLVMValueRef j, LLVMValueRef l) {
  struct ir *ir = k->ir;
  LLVMValueRef row = kernel_integer(k, s->rows, j);
  LLVMValueRef is_other = LLVMBuildXor(k->builder, own_kind, is_coordinate(k, s, row), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_other);
  LLVMValueRef size = kernel_absolute(k, kernel_multiply(k, ir_load(ir, s->f, j), l));
  ir_store(ir, LLVMBuildFAdd(k->builder, ir_load(ir, s->whole, row), size, ""), s->whole, row);
  ir_if_end(ir, after);
}

static void eliminate(struct kernel *k, struct sparse_arguments *s, LLVMValueRef target,
                      LLVMValueRef p, LLVMValueRef inverse) {
  struct ir *ir = k->ir;
  LLVMValueRef end = kernel_integer(k, s->starts, kernel_add(k, p, k->one));
  LLVMValueRef own_kind = is_coordinate(k, s, p);
  struct ir_loop j = ir_loop_begin(ir, kernel_integer(k, s->starts, p), end);
  LLVMValueRef l = kernel_multiply(k, ir_load(ir, s->f, j.index), inverse);
  add_gain(k, s, own_kind, j.index, l);
  struct ir_loop i = ir_loop_begin(ir, j.index, end);
  LLVMValueRef next = LLVMBuildLoad2(k->builder, ir->i64, target, "");
  LLVMValueRef place = kernel_integer(k, s->targets, next);
  ir_subtract_product(ir, s->f, place, ir_load(ir, s->f, i.index), l);
  LLVMBuildStore(k->builder, kernel_add(k, next, k->one), target);
  ir_loop_end(ir, &i);
  ir_store(ir, l, s->f, j.index);
  ir_loop_end(ir, &j);
}

/* The pivot to go on with: undefined if it is lost and not finite; returns if it is lost. */
static LLVMValueRef check_pivot(struct kernel *k, struct sparse_arguments *s, LLVMValueRef p,
                                LLVMValueRef tolerance) {
  struct ir *ir = k->ir;
  LLVMValueRef pivot = ir_load(ir, s->pivots, p);
  LLVMValueRef limit = kernel_multiply(k, tolerance, ir_load(ir, s->whole, p));
  LLVMValueRef is_lost = kernel_pivot_is_lost(k, is_coordinate(k, s, p), pivot, limit);
  LLVMValueRef zero = LLVMBuildFSub(k->builder, pivot, pivot, "");
  LLVMValueRef is_finite = LLVMBuildFCmp(k->builder, LLVMRealOEQ, zero, ir_real(ir, 0), "");
  kernel_leave_if(k, LLVMBuildAnd(k->builder, is_lost, is_finite, ""),
                  kernel_add(k, kernel_integer(k, s->order, p), k->one));
  return LLVMBuildSelect(k->builder, is_lost, ir_real(ir, NAN), pivot, "");
}

/* Arguments: n, order, starts, rows, targets, places, a, entry_count, factor_count, f, coordinates.
 */
void kernel_body_sparse_factor(struct kernel *k) {
  struct ir *ir = k->ir;
  LLVMValueRef f = k->function;
  struct sparse_arguments s = {.order = LLVMGetParam(f, 1),
                               .starts = LLVMGetParam(f, 2),
                               .rows = LLVMGetParam(f, 3),
                               .targets = LLVMGetParam(f, 4),
                               .places = LLVMGetParam(f, 5),
                               .a = LLVMGetParam(f, 6),
                               .entry_count = LLVMGetParam(f, 7),
                               .factor_count = LLVMGetParam(f, 8),
                               .f = LLVMGetParam(f, 9),
                               .coordinates = LLVMGetParam(f, 10)};
  s.pivots = ir_element(ir, s.f, s.factor_count);
  s.whole = ir_element(ir, s.pivots, k->n);
  load_matrix(k, &s);
  LLVMValueRef tolerance = kernel_pivot_limit(k, s.coordinates);
  LLVMValueRef target = ir_variable(ir, ir->i64, k->zero);
  struct ir_loop p = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef inverse = kernel_reciprocal(k, check_pivot(k, &s, p.index, tolerance));
  eliminate(k, &s, target, p.index, inverse);
  ir_store(ir, inverse, s.pivots, p.index);
  ir_loop_end(ir, &p);
  kernel_return_good(k);
}

static void substitute_forward(struct kernel *k, LLVMValueRef starts, LLVMValueRef rows,
                               LLVMValueRef f, LLVMValueRef s) {
  struct ir *ir = k->ir;
  struct ir_loop p = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef y = ir_load(ir, s, p.index);
  LLVMValueRef end = kernel_integer(k, starts, kernel_add(k, p.index, k->one));
  struct ir_loop e = ir_loop_begin(ir, kernel_integer(k, starts, p.index), end);
  ir_subtract_product(ir, s, kernel_integer(k, rows, e.index), ir_load(ir, f, e.index), y);
  ir_loop_end(ir, &e);
  ir_loop_end(ir, &p);
}

static void substitute_backward(struct kernel *k, LLVMValueRef starts, LLVMValueRef rows,
                                LLVMValueRef f, LLVMValueRef pivots, LLVMValueRef s) {
  struct ir *ir = k->ir;
  struct ir_loop step = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef p = kernel_downwards(k, step.index);
  LLVMValueRef start = kernel_multiply(k, ir_load(ir, s, p), ir_load(ir, pivots, p));
  LLVMValueRef y = ir_variable(ir, ir->value, start);
  LLVMValueRef end = kernel_integer(k, starts, kernel_add(k, p, k->one));
  struct ir_loop e = ir_loop_begin(ir, kernel_integer(k, starts, p), end);
  LLVMValueRef other = ir_load(ir, s, kernel_integer(k, rows, e.index));
  ir_subtract_product(ir, y, k->zero, ir_load(ir, f, e.index), other);
  ir_loop_end(ir, &e);
  ir_store(ir, ir_load(ir, y, k->zero), s, p);
  ir_loop_end(ir, &step);
}

/* Arguments: n, order, starts, rows, f, pivots, scratch, b, columns. */
void kernel_body_sparse_substitute(struct kernel *k) {
  struct ir *ir = k->ir;
  LLVMValueRef order = LLVMGetParam(k->function, 1), starts = LLVMGetParam(k->function, 2);
  LLVMValueRef rows = LLVMGetParam(k->function, 3), f = LLVMGetParam(k->function, 4);
  LLVMValueRef pivots = LLVMGetParam(k->function, 5), s = LLVMGetParam(k->function, 6);
  LLVMValueRef all = LLVMGetParam(k->function, 7);
  struct ir_loop c = ir_loop_begin(ir, k->zero, LLVMGetParam(k->function, 8));
  LLVMValueRef b = ir_element(ir, all, kernel_index(k, k->zero, c.index));
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  ir_store(ir, ir_load(ir, b, kernel_integer(k, order, i.index)), s, i.index);
  ir_loop_end(ir, &i);
  substitute_forward(k, starts, rows, f, s);
  substitute_backward(k, starts, rows, f, pivots, s);
  i = ir_loop_begin(ir, k->zero, k->n);
  ir_store(ir, ir_load(ir, s, i.index), b, kernel_integer(k, order, i.index));
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &c);
  LLVMBuildRetVoid(k->builder);
}
