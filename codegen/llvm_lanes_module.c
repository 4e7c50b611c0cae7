/* Several lanes at once: what differs from code for one trajectory. Lanes never branch apart. One
 * that would have to (a pivot is lost, an angle is beyond what its reduction bears) is lost: its
 * bit is set in what the function answers, it computes on with whatever it has, and its caller
 * takes that trajectory alone. */
#include "codegen/llvm_ir.h"
#include "dyn/dyn_lanes.h"

LLVMValueRef ir_in_every_lane(struct ir *ir, LLVMValueRef value) {
  LLVMValueRef none, first[DYN_MOST_LANES];
  if (ir->lanes == 1) return value;
  none = LLVMGetPoison(ir->value);
  for (unsigned i = 0; i < ir->lanes; i++) first[i] = ir_code(ir, 0);
  LLVMValueRef vector = LLVMBuildInsertElement(ir->builder, none, value, ir_code(ir, 0), "");
  return LLVMBuildShuffleVector(ir->builder, vector, none, LLVMConstVector(first, ir->lanes), "");
}

/* ---- lanes that are lost */

LLVMValueRef ir_begin_lost(struct ir *ir) {
  LLVMValueRef before = ir->lost;
  if (ir->lanes > 1) ir->lost = ir_variable(ir, ir->truth, ir_truth(ir, false));
  return before;
}

void ir_lose(struct ir *ir, LLVMValueRef truth) {
  LLVMValueRef lost = LLVMBuildLoad2(ir->builder, ir->truth, ir->lost, "");
  LLVMBuildStore(ir->builder, LLVMBuildOr(ir->builder, lost, truth, ""), ir->lost);
}

void ir_lose_bits(struct ir *ir, LLVMValueRef bits) {
  LLVMTypeRef narrow = LLVMIntTypeInContext(ir->context, ir->lanes);
  bits = LLVMBuildTrunc(ir->builder, bits, narrow, "");
  ir_lose(ir, LLVMBuildBitCast(ir->builder, bits, ir->truth, ""));
}

LLVMValueRef ir_lost_bits(struct ir *ir) {
  LLVMTypeRef narrow = LLVMIntTypeInContext(ir->context, ir->lanes);
  LLVMValueRef lost = LLVMBuildLoad2(ir->builder, ir->truth, ir->lost, "");
  lost = LLVMBuildBitCast(ir->builder, lost, narrow, "");
  return LLVMBuildZExt(ir->builder, lost, ir->i32, "");
}
