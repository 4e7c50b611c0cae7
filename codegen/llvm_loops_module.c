/* Loops and choices for the kernels. Loop counters and variables are stack slots here; the pass
 * mem2reg turns them into registers. */
#include "codegen/llvm_ir.h"

static LLVMBasicBlockRef new_block(struct ir *ir, const char *name) {
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(ir->builder));
  return LLVMAppendBasicBlockInContext(ir->context, function, name);
}

/* In the entry block, so that it is one slot however often the place is passed. */
LLVMValueRef ir_variable(struct ir *ir, LLVMTypeRef type, LLVMValueRef start) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(here));
  LLVMValueRef first = LLVMGetFirstInstruction(entry);
  if (first != NULL) LLVMPositionBuilderBefore(ir->builder, first);
  LLVMValueRef variable = LLVMBuildAlloca(ir->builder, type, "");
  LLVMPositionBuilderAtEnd(ir->builder, here);
  LLVMBuildStore(ir->builder, start, variable);
  return variable;
}

struct ir_loop ir_loop_begin(struct ir *ir, LLVMValueRef from, LLVMValueRef to) {
  struct ir_loop loop = {.counter = ir_variable(ir, ir->i64, from)};
  loop.head = new_block(ir, "head");
  LLVMBasicBlockRef body = new_block(ir, "body");
  loop.after = new_block(ir, "after");
  LLVMBuildBr(ir->builder, loop.head);
  LLVMPositionBuilderAtEnd(ir->builder, loop.head);
  loop.index = LLVMBuildLoad2(ir->builder, ir->i64, loop.counter, "");
  LLVMValueRef goes_on = LLVMBuildICmp(ir->builder, LLVMIntSLT, loop.index, to, "");
  LLVMBuildCondBr(ir->builder, goes_on, body, loop.after);
  LLVMPositionBuilderAtEnd(ir->builder, body);
  return loop;
}

void ir_loop_end(struct ir *ir, struct ir_loop *loop) {
  LLVMValueRef next = LLVMBuildNSWAdd(ir->builder, loop->index, ir_int(ir, 1), "");
  LLVMBuildStore(ir->builder, next, loop->counter);
  LLVMBuildBr(ir->builder, loop->head);
  LLVMPositionBuilderAtEnd(ir->builder, loop->after);
}

LLVMBasicBlockRef ir_if_begin(struct ir *ir, LLVMValueRef condition) {
  LLVMBasicBlockRef then = new_block(ir, "then"), after = new_block(ir, "after");
  LLVMBuildCondBr(ir->builder, condition, then, after);
  LLVMPositionBuilderAtEnd(ir->builder, then);
  return after;
}

void ir_if_end(struct ir *ir, LLVMBasicBlockRef after) {
  if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(ir->builder)) == NULL)
    LLVMBuildBr(ir->builder, after);
  LLVMPositionBuilderAtEnd(ir->builder, after);
}

LLVMValueRef ir_element(struct ir *ir, LLVMValueRef base, LLVMValueRef index) {
  return LLVMBuildInBoundsGEP2(ir->builder, ir->value, base, &index, 1, "");
}

LLVMValueRef ir_load(struct ir *ir, LLVMValueRef base, LLVMValueRef index) {
  LLVMValueRef value = LLVMBuildLoad2(ir->builder, ir->value, ir_element(ir, base, index), "");
  LLVMSetAlignment(value, sizeof(double));
  return value;
}

void ir_store(struct ir *ir, LLVMValueRef value, LLVMValueRef base, LLVMValueRef index) {
  LLVMValueRef store = LLVMBuildStore(ir->builder, value, ir_element(ir, base, index));
  LLVMSetAlignment(store, sizeof(double));
}

void ir_subtract_product(struct ir *ir, LLVMValueRef base, LLVMValueRef index, LLVMValueRef a,
                         LLVMValueRef b) {
  LLVMValueRef product = LLVMBuildFMul(ir->builder, a, b, "");
  LLVMValueRef old = ir_load(ir, base, index);
  LLVMValueRef difference = LLVMBuildFSub(ir->builder, old, product, "");
  if (ir->contract) {
    LLVMSetFastMathFlags(product, LLVMFastMathAllowContract);
    LLVMSetFastMathFlags(difference, LLVMFastMathAllowContract);
  }
  ir_store(ir, difference, base, index);
}
