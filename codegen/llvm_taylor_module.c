/* Taylor series as machine code: the tapes of taylor.h, and what calls them order by order.
 * Promises the numbers of taylor_run.c to the last bit.
 *
 * Sums of products of series, which are nearly all of the work, go through four lanes. Where a tape
 * has few of them it is made once for each number of blocks of lanes, so that sums are straight
 * code without a branch to mispredict; where it has many it is made once, and its sums are calls of
 * one function: the length of the code is then that of the right-hand side. */
#include "codegen/llvm_ir.h"
#include "codegen/taylor.h"
#include <stdio.h>

enum { MOST_UNROLLED = 40 }; /* sums of a tape that is made for each number of blocks */

static LLVMTypeRef lanes_type(struct ir *ir) {
  return LLVMVectorType(ir->f64, TAYLOR_LANES);
}

static LLVMValueRef load_lanes(struct ir *ir, LLVMValueRef base, LLVMValueRef index) {
  LLVMValueRef value = LLVMBuildLoad2(ir->builder, lanes_type(ir), ir_element(ir, base, index), "");
  LLVMSetAlignment(value, sizeof(double));
  return value;
}

static LLVMValueRef sum_of_lanes(struct ir *ir, LLVMValueRef value) {
  LLVMValueRef lane[TAYLOR_LANES];
  for (int i = 0; i < TAYLOR_LANES; i++)
    lane[i] = LLVMBuildExtractElement(ir->builder, value, ir_code(ir, i), "");
  LLVMValueRef low = LLVMBuildFAdd(ir->builder, lane[0], lane[1], "");
  return LLVMBuildFAdd(ir->builder, low, LLVMBuildFAdd(ir->builder, lane[2], lane[3], ""), "");
}

static LLVMValueRef add_products(struct ir *ir, LLVMValueRef sum, LLVMValueRef forward,
                                 LLVMValueRef back, LLVMValueRef index) {
  LLVMValueRef product =
      LLVMBuildFMul(ir->builder, load_lanes(ir, forward, index), load_lanes(ir, back, index), "");
  return LLVMBuildFAdd(ir->builder, sum, product, "");
}

/* The loop of dot_function, whose builder stands in its entry. */
static void emit_dot_loop(struct ir *ir, LLVMValueRef function) {
  LLVMBasicBlockRef entry = LLVMGetInsertBlock(ir->builder);
  LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(ir->context, function, "head");
  LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(ir->context, function, "body");
  LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(ir->context, function, "after");
  LLVMBuildBr(ir->builder, head);
  LLVMPositionBuilderAtEnd(ir->builder, head);
  LLVMValueRef block = LLVMBuildPhi(ir->builder, ir->i64, "");
  LLVMValueRef sum = LLVMBuildPhi(ir->builder, lanes_type(ir), "");
  LLVMValueRef goes_on =
      LLVMBuildICmp(ir->builder, LLVMIntSLT, block, LLVMGetParam(function, 2), "");
  LLVMBuildCondBr(ir->builder, goes_on, body, after);
  LLVMPositionBuilderAtEnd(ir->builder, body);
  LLVMValueRef index = LLVMBuildNSWMul(ir->builder, block, ir_int(ir, TAYLOR_LANES), "");
  LLVMValueRef more =
      add_products(ir, sum, LLVMGetParam(function, 0), LLVMGetParam(function, 1), index);
  LLVMValueRef next = LLVMBuildNSWAdd(ir->builder, block, ir_int(ir, 1), "");
  LLVMBuildBr(ir->builder, head);
  LLVMValueRef blocks[2] = {ir_int(ir, 0), next}, sums[2] = {LLVMConstNull(lanes_type(ir)), more};
  LLVMBasicBlockRef from[2] = {entry, body};
  LLVMAddIncoming(block, blocks, from, 2);
  LLVMAddIncoming(sum, sums, from, 2);
  LLVMPositionBuilderAtEnd(ir->builder, after);
  LLVMBuildRet(ir->builder, sum_of_lanes(ir, sum));
}

/* double dot(ptr forward, ptr back, i64 blocks) */
static LLVMValueRef dot_function(struct ir *ir) {
  LLVMTypeRef types[3] = {ir->ptr, ir->ptr, ir->i64};
  LLVMValueRef function = LLVMGetNamedFunction(ir->module, "dyn_series_dot");
  if (function != NULL) return function;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder);
  function = LLVMAddFunction(ir->module, "dyn_series_dot", LLVMFunctionType(ir->f64, types, 3, 0));
  LLVMSetLinkage(function, LLVMInternalLinkage);
  ir_set_attribute(ir, function, "nounwind", 0);
  ir_set_attribute(ir, function, "noinline", 0);
  LLVMPositionBuilderAtEnd(ir->builder,
                           LLVMAppendBasicBlockInContext(ir->context, function, "entry"));
  emit_dot_loop(ir, function);
  LLVMPositionBuilderAtEnd(ir->builder, here);
  return function;
}

LLVMValueRef ir_emit_dot(struct ir *ir, LLVMValueRef work, const struct tape_instruction *dot,
                         LLVMValueRef order, int blocks) {
  LLVMValueRef forward = ir_element(ir, work, ir_int(ir, dot->b));
  LLVMValueRef end = ir_int(ir, (int64_t)dot->c + TAYLOR_ORDERS + 1);
  LLVMValueRef back = ir_element(ir, work, LLVMBuildNSWSub(ir->builder, end, order, ""));
  if (blocks == 0) return ir_real(ir, 0);
  if (blocks > 0) {
    LLVMValueRef sum = LLVMConstNull(lanes_type(ir));
    for (int i = 0; i < blocks; i++)
      sum = add_products(ir, sum, forward, back, ir_int(ir, TAYLOR_LANES * i));
    return sum_of_lanes(ir, sum);
  }
  LLVMValueRef more = LLVMBuildNSWAdd(ir->builder, order, ir_int(ir, TAYLOR_LANES - 2), "");
  LLVMValueRef count = LLVMBuildUDiv(ir->builder, more, ir_int(ir, TAYLOR_LANES), "");
  LLVMValueRef function = dot_function(ir), arguments[3] = {forward, back, count};
  return LLVMBuildCall2(ir->builder, LLVMGlobalGetValueType(function), function, arguments, 3, "");
}

void ir_emit_keep(struct ir *ir, LLVMValueRef work, const struct tape_instruction *keep,
                  LLVMValueRef order, LLVMValueRef value) {
  if (keep->c == TAYLOR_REVERSED) {
    LLVMValueRef end = ir_int(ir, (int64_t)keep->b + TAYLOR_ORDERS);
    ir_store(ir, value, work, LLVMBuildNSWSub(ir->builder, end, order, ""));
    return;
  }
  LLVMValueRef begin = LLVMBuildNSWAdd(ir->builder, order, ir_int(ir, (int64_t)keep->b - 1), "");
  LLVMValueRef lanes =
      LLVMBuildInsertElement(ir->builder, LLVMConstNull(lanes_type(ir)), value, ir_code(ir, 0), "");
  LLVMSetAlignment(LLVMBuildStore(ir->builder, lanes, ir_element(ir, work, begin)), sizeof(double));
}

/* ---- order by order */

struct series {
  struct ir *ir;
  LLVMValueRef function, model, order, scale, t, y, u, follows, p, work, out;
  int64_t n;
};

static LLVMValueRef row(struct series *s, LLVMValueRef k) {
  return ir_element(s->ir, s->out, LLVMBuildNSWMul(s->ir->builder, k, ir_int(s->ir, s->n), ""));
}

static void return_if_failed(struct series *s, LLVMValueRef code) {
  struct ir *ir = s->ir;
  LLVMValueRef failed = LLVMBuildICmp(ir->builder, LLVMIntNE, code, ir_code(ir, 0), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, failed);
  LLVMBuildRet(ir->builder, code);
  ir_if_end(ir, after);
}

/* Of order `from` and those after it, below `to`. */
static void emit_orders(struct series *s, LLVMValueRef function, int64_t from, LLVMValueRef to) {
  struct ir *ir = s->ir;
  struct ir_loop loop = ir_loop_begin(ir, ir_int(ir, from), to);
  LLVMValueRef next = LLVMBuildNSWAdd(ir->builder, loop.index, ir_int(ir, 1), "");
  LLVMValueRef k = LLVMBuildSIToFP(ir->builder, loop.index, ir->f64, "");
  LLVMValueRef arguments[7] = {s->model, k,       row(s, loop.index), s->follows,
                               s->p,     s->work, row(s, next)};
  return_if_failed(s, LLVMBuildCall2(ir->builder, ir->function, function, arguments, 7, ""));
  ir_loop_end(ir, &loop);
}

/* The first order whose sums have so many blocks. */
static int64_t first_order(int blocks) {
  return blocks == 0 ? 1 : TAYLOR_LANES * (blocks - 1) + 2;
}

static void emit_start(struct series *s, const struct taylor *taylor, LLVMValueRef start) {
  struct ir *ir = s->ir;
  LLVMBuildMemCpy(ir->builder, s->out, 8, s->y, 8, ir_int(ir, 8 * s->n));
  ir_store(ir, s->scale, s->work, ir_int(ir, taylor->scale));
  LLVMValueRef arguments[7] = {s->model, s->t, s->y, s->u, s->p, s->work, row(s, ir_int(ir, 1))};
  return_if_failed(s, LLVMBuildCall2(ir->builder, ir->function, start, arguments, 7, ""));
}

static struct series series_begin(struct ir *ir, const struct taylor *taylor, const char *name) {
  LLVMTypeRef types[10] = {ir->ptr, ir->i32, ir->f64, ir->f64, ir->ptr,
                           ir->ptr, ir->ptr, ir->ptr, ir->ptr, ir->ptr};
  LLVMValueRef f = LLVMAddFunction(ir->module, name, LLVMFunctionType(ir->i32, types, 10, 0));
  if (!ir->is_jit) LLVMSetLinkage(f, LLVMInternalLinkage);
  ir_set_attribute(ir, f, "nounwind", 0);
  LLVMPositionBuilderAtEnd(ir->builder, LLVMAppendBasicBlockInContext(ir->context, f, "entry"));
  struct series s = {.ir = ir, .function = f, .n = taylor->start->out_count};
  LLVMValueRef *arguments[10] = {&s.model, &s.order,   &s.scale, &s.t,    &s.y,
                                 &s.u,     &s.follows, &s.p,     &s.work, &s.out};
  for (unsigned i = 0; i < 10; i++) *arguments[i] = LLVMGetParam(f, i);
  s.order = LLVMBuildSExt(ir->builder, s.order, ir->i64, "");
  return s;
}

LLVMValueRef ir_add_taylor(struct ir *ir, const struct taylor *taylor, const char *name,
                           int32_t *work) {
  enum { MOST_BLOCKS = (TAYLOR_ORDERS + TAYLOR_LANES - 2) / TAYLOR_LANES };
  bool is_unrolled = taylor->dots <= MOST_UNROLLED;
  int kinds = is_unrolled ? MOST_BLOCKS + 1 : 1;
  LLVMValueRef orders[MOST_BLOCKS + 1];
  char part[256];
  int32_t room = 0;
  snprintf(part, sizeof part, "%.200s_start", name);
  LLVMValueRef start = ir_add_tape(ir, taylor->start, part, work);
  for (int i = 0; i < kinds; i++) {
    snprintf(part, sizeof part, "%.200s_order_%d", name, i);
    orders[i] = ir_add_order(ir, taylor->order, is_unrolled ? i : -1, part, &room);
    if (room > *work) *work = room;
  }
  struct series s = series_begin(ir, taylor, name);
  emit_start(&s, taylor, start);
  for (int i = 0; i < kinds; i++) {
    LLVMValueRef end = ir_int(ir, first_order(i + 1));
    LLVMValueRef is_less = LLVMBuildICmp(ir->builder, LLVMIntSLT, s.order, end, "");
    LLVMValueRef to = LLVMBuildSelect(ir->builder, is_less, s.order, end, "");
    emit_orders(&s, orders[i], first_order(i), i + 1 < kinds ? to : s.order);
  }
  LLVMBuildRet(ir->builder, ir_code(ir, 0));
  return s.function;
}
