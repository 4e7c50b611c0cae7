/* Tapes to LLVM IR: one function a tape, or one for each part of a long tape and one that calls
 * them. Inputs, constants and values of earlier parts are loaded where they are first used. */
#include "codegen/llvm_ir.h"
#include "codegen/sines.h"
#include <stdio.h>
#include <string.h>

/* Instructions of a tape. */
enum { LONGEST_FUNCTION = 1500, PART = 400, QUICK_CAREFUL = 1500, LONG_CAREFUL = 24000 };

struct emitter {
  struct ir *ir;
  const struct tape *tape;
  const struct tape_split *split;
  LLVMValueRef function, careful; /* that of the careful tape */
  LLVMValueRef *values;           /* of the whole tape; those of other parts are NULL */
  LLVMValueRef time, x, u, p, work, out;
  LLVMValueRef order; /* of a tape of orders: the time as an i64, in this part */
  bool is_order;
  bool is_quick;              /* to compile, not to run */
  int blocks;                 /* in its sums, or negative */
  VECTOR(tape_value) fetched; /* values made again in this part */
  uint32_t begin, end;        /* of this part */
};

static LLVMValueRef work_at(struct emitter *emitter, uint32_t offset) {
  return ir_element(emitter->ir, emitter->work, ir_int(emitter->ir, offset));
}

static LLVMValueRef emit_input(struct emitter *emitter, uint32_t array, uint32_t index) {
  struct ir *ir = emitter->ir;
  switch (array) {
  case TAPE_ARRAY_X:
    return ir_load(ir, emitter->x, ir_int(ir, index));
  case TAPE_ARRAY_U:
    return ir_load(ir, emitter->u, ir_int(ir, index));
  case TAPE_ARRAY_P:
    if (ir->parameters != NULL) return ir_real(ir, ir->parameters[index]);
    return ir_load(ir, emitter->p, ir_int(ir, index));
  default:
    return emitter->time;
  }
}

static LLVMValueRef slot_of(struct emitter *emitter, tape_value a) {
  return ir_int(emitter->ir, (int64_t)emitter->tape->work + emitter->split->slots[a] - 1);
}

/* A value that is not computed in this part: NULL if it has to be. */
static LLVMValueRef fetch(struct emitter *emitter, tape_value a) {
  struct ir *ir = emitter->ir;
  const struct tape_instruction *instruction = &emitter->tape->code.items[a];
  switch (instruction->operation) {
  case TAPE_CONSTANT:
    return ir_real(ir, instruction->number);
  case TAPE_INPUT:
    return emit_input(emitter, instruction->a, instruction->b);
  case TAPE_TRUE:
    return ir_truth(ir, true);
  case TAPE_FALSE:
    return ir_truth(ir, false);
  default:
    break;
  }
  if (a >= emitter->begin) return NULL;
  LLVMValueRef loaded = ir_load(ir, emitter->work, slot_of(emitter, a));
  if (tape_facts[instruction->operation].result != TAPE_RESULT_T) return loaded;
  return LLVMBuildFCmp(ir->builder, LLVMRealUNE, loaded, ir_real(ir, 0), "");
}

static LLVMValueRef value_of(struct emitter *emitter, tape_value a) {
  if (emitter->values[a] == NULL) {
    emitter->values[a] = fetch(emitter, a);
    vector_push(&emitter->fetched, a);
  }
  return emitter->values[a];
}

/* In a block that does not dominate the rest: not remembered. */
static LLVMValueRef value_in_cold_block(struct emitter *emitter, tape_value a) {
  return emitter->values[a] != NULL ? emitter->values[a] : fetch(emitter, a);
}

/* ---- operations */

static LLVMValueRef arithmetic(struct ir *ir, LLVMValueRef value) {
  if (ir->contract && LLVMIsAInstruction(value) != NULL && LLVMCanValueUseFastMathFlags(value))
    LLVMSetFastMathFlags(value, LLVMFastMathAllowContract);
  return value;
}

static LLVMValueRef emit_sign(struct ir *ir, LLVMValueRef a) {
  LLVMValueRef zero = ir_real(ir, 0);
  LLVMValueRef negative = LLVMBuildFCmp(ir->builder, LLVMRealOLT, a, zero, "");
  LLVMValueRef below = LLVMBuildSelect(ir->builder, negative, ir_real(ir, -1), zero, "");
  LLVMValueRef positive = LLVMBuildFCmp(ir->builder, LLVMRealOGT, a, zero, "");
  return LLVMBuildSelect(ir->builder, positive, ir_real(ir, 1), below, "");
}

static LLVMValueRef emit_mod(struct ir *ir, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef quotient = LLVMBuildFDiv(ir->builder, a, b, "");
  LLVMValueRef whole = ir_call_math(ir, "llvm.floor.f64", quotient, NULL);
  return LLVMBuildFSub(ir->builder, a, LLVMBuildFMul(ir->builder, b, whole, ""), "");
}

/* b if it is less (for max: greater) than a, else a; as the interpreter treats NaNs. */
static LLVMValueRef emit_extreme(struct ir *ir, LLVMRealPredicate order, LLVMValueRef a,
                                 LLVMValueRef b) {
  LLVMValueRef takes_b = LLVMBuildFCmp(ir->builder, order, b, a, "");
  return LLVMBuildSelect(ir->builder, takes_b, b, a, "");
}

static const char *const math_names[TAPE_OPERATION_COUNT] = {
    [TAPE_SQRT] = "llvm.sqrt.f64",
    [TAPE_POW] = "llvm.pow.f64",
    [TAPE_SIN] = "llvm.sin.f64",
    [TAPE_COS] = "llvm.cos.f64",
    [TAPE_TAN] = "tan",
    [TAPE_ASIN] = "asin",
    [TAPE_ACOS] = "acos",
    [TAPE_ATAN] = "atan",
    [TAPE_ATAN2] = "atan2",
    [TAPE_SINH] = "sinh",
    [TAPE_COSH] = "cosh",
    [TAPE_TANH] = "tanh",
    [TAPE_EXP] = "llvm.exp.f64",
    [TAPE_LOG] = "llvm.log.f64",
    [TAPE_ABS] = "llvm.fabs.f64",
    [TAPE_FLOOR] = "llvm.floor.f64",
};

static LLVMValueRef emit_operation(struct ir *ir, enum tape_operation operation, LLVMValueRef a,
                                   LLVMValueRef b, LLVMValueRef c) {
  LLVMBuilderRef builder = ir->builder;
  switch (operation) {
  case TAPE_ADD:
    return arithmetic(ir, LLVMBuildFAdd(builder, a, b, ""));
  case TAPE_SUBTRACT:
    return arithmetic(ir, LLVMBuildFSub(builder, a, b, ""));
  case TAPE_MULTIPLY:
    return arithmetic(ir, LLVMBuildFMul(builder, a, b, ""));
  case TAPE_DIVIDE:
    return LLVMBuildFDiv(builder, a, b, "");
  case TAPE_NEGATE:
    return LLVMBuildFNeg(builder, a, "");
  case TAPE_SIGN:
    return emit_sign(ir, a);
  case TAPE_MIN:
    return emit_extreme(ir, LLVMRealOLT, a, b);
  case TAPE_MAX:
    return emit_extreme(ir, LLVMRealOGT, a, b);
  case TAPE_MOD:
    return emit_mod(ir, a, b);
  case TAPE_LESS:
    return LLVMBuildFCmp(builder, LLVMRealOLT, a, b, "");
  case TAPE_LESS_EQUAL:
    return LLVMBuildFCmp(builder, LLVMRealOLE, a, b, "");
  case TAPE_EQUAL:
    return LLVMBuildFCmp(builder, LLVMRealOEQ, a, b, "");
  case TAPE_AND:
    return LLVMBuildAnd(builder, a, b, "");
  case TAPE_OR:
    return LLVMBuildOr(builder, a, b, "");
  case TAPE_NOT:
    return LLVMBuildNot(builder, a, "");
  case TAPE_SELECT:
    return LLVMBuildSelect(builder, a, b, c, "");
  default:
    return ir_call_math(ir, math_names[operation], a, b);
  }
}

/* ---- solvers (their calls: llvm_solvers_module.c) */

/* Goes on only if `code` is 0; otherwise the function returns it. Of several lanes `code` has the
 * bits of those that are lost. */
static void return_if_failed(struct emitter *emitter, LLVMValueRef code) {
  struct ir *ir = emitter->ir;
  if (ir->lanes > 1) {
    ir_lose_bits(ir, code);
    return;
  }
  LLVMValueRef failed = LLVMBuildICmp(ir->builder, LLVMIntNE, code, ir_code(ir, 0), "");
  LLVMBasicBlockRef fail = LLVMAppendBasicBlockInContext(ir->context, emitter->function, "fail");
  LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(ir->context, emitter->function, "");
  LLVMBuildCondBr(ir->builder, failed, fail, next);
  LLVMPositionBuilderAtEnd(ir->builder, fail);
  LLVMBuildRet(ir->builder, code);
  LLVMPositionBuilderAtEnd(ir->builder, next);
}

/* Most entries of a sparse matrix are zero: these are cleared in one go. `is_lower`: of a square of
 * n columns only the lower triangle is wanted. */
static void store_list(struct emitter *emitter, const tape_value *values, size_t n, size_t columns,
                       bool is_lower, uint32_t offset) {
  struct ir *ir = emitter->ir;
  const struct tape_instruction *code = emitter->tape->code.items;
  LLVMBuildMemSet(ir->builder, work_at(emitter, offset),
                  LLVMConstInt(LLVMInt8TypeInContext(ir->context), 0, 0),
                  ir_int(ir, (int64_t)(n * columns * sizeof(double))), 8);
  for (size_t j = 0; j < columns; j++)
    for (size_t i = is_lower ? j : 0; i < n; i++) {
      tape_value value = values[i + j * n];
      if (code[value].operation == TAPE_CONSTANT && code[value].number == 0) continue;
      ir_store(ir, value_in_cold_block(emitter, value), emitter->work,
               ir_int(ir, (int64_t)(offset + i + j * n)));
    }
}

static void emit_substitute(struct emitter *emitter, const struct tape_right_side *side) {
  const struct tape_solver *solver = &emitter->tape->solvers.items[side->solver];
  LLVMValueRef code = ir_emit_substitute(emitter->ir, solver, side, emitter->work);
  if (tape_solver_is_bordered(solver)) return_if_failed(emitter, code);
}

/* Leaves the builder in a block entered only if the truth value is false; *after is where the usual
 * way goes on. */
static void begin_cold(struct emitter *emitter, tape_value ok, LLVMBasicBlockRef *after) {
  struct ir *ir = emitter->ir;
  LLVMBasicBlockRef cold = LLVMAppendBasicBlockInContext(ir->context, emitter->function, "cold");
  *after = LLVMAppendBasicBlockInContext(ir->context, emitter->function, "");
  LLVMMetadataRef nodes[3] = {LLVMMDStringInContext2(ir->context, "branch_weights", 14),
                              LLVMValueAsMetadata(ir_code(ir, 1 << 20)),
                              LLVMValueAsMetadata(ir_code(ir, 1))};
  LLVMValueRef branch = LLVMBuildCondBr(ir->builder, value_of(emitter, ok), *after, cold);
  LLVMValueRef node = LLVMMetadataAsValue(ir->context, LLVMMDNodeInContext2(ir->context, nodes, 3));
  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(ir->context, "prof", 4), node);
  LLVMPositionBuilderAtEnd(ir->builder, cold);
}

/* The careful tape as a function of the module, or, where that would be long to compile for a run
 * that hardly needs it, interpreted. */
static LLVMValueRef call_careful(struct emitter *emitter) {
  struct ir *ir = emitter->ir;
  const struct tape *tape = emitter->tape;
  LLVMValueRef arguments[7];
  for (unsigned i = 0; i < 7; i++) arguments[i] = LLVMGetParam(emitter->function, i);
  arguments[5] = work_at(emitter, tape->careful_work);
  arguments[6] = work_at(emitter, tape->careful_out);
  if (emitter->careful != NULL)
    return LLVMBuildCall2(ir->builder, ir->function, emitter->careful, arguments, 7, "");
  arguments[0] = ir_address(ir, tape->careful);
  return kernel_call(ir, "dyn_careful", arguments, 7);
}

static void emit_guard_factor(struct emitter *emitter, const struct tape_instruction *instruction) {
  const struct tape_solver *solver = &emitter->tape->solvers.items[instruction->b];
  LLVMBasicBlockRef after;
  if (emitter->ir->lanes > 1) {
    LLVMValueRef ok = value_of(emitter, instruction->a);
    ir_lose(emitter->ir, LLVMBuildNot(emitter->ir->builder, ok, ""));
    return;
  }
  begin_cold(emitter, instruction->a, &after);
  if (solver->is_careful) {
    return_if_failed(emitter, call_careful(emitter));
  } else {
    store_list(emitter, solver->values, solver->n, solver->n, solver->is_symmetric, solver->matrix);
    return_if_failed(emitter, ir_emit_factor(emitter->ir, solver, emitter->work));
  }
  LLVMBuildBr(emitter->ir->builder, after);
  LLVMPositionBuilderAtEnd(emitter->ir->builder, after);
}

static bool is_in_place(const struct emitter *emitter, uint32_t index) {
  return tape_split_in_place(emitter->split, emitter->tape, index);
}

/* The cold path's results, where solutions are kept or as values. */
static void emit_cold_solutions(struct emitter *emitter, const struct tape_right_side *side,
                                uint32_t begin, uint32_t end) {
  struct ir *ir = emitter->ir;
  for (uint32_t i = begin; i < end; i++) {
    uint32_t entry = side->offset + emitter->tape->code.items[i].c;
    emitter->values[i] = ir_load(ir, emitter->work, ir_int(ir, entry));
    if (is_in_place(emitter, i))
      ir_store(ir, emitter->values[i], emitter->work, slot_of(emitter, i));
  }
}

/* With the SOLUTION instructions behind it, which become phi nodes or are loaded again. */
static void emit_guard_substitute(struct emitter *emitter, uint32_t index) {
  struct ir *ir = emitter->ir;
  const struct tape_instruction *code = emitter->tape->code.items;
  const struct tape_right_side *side = &emitter->tape->right_sides.items[code[index].b];
  const struct tape_solver *solver = &emitter->tape->solvers.items[side->solver];
  uint32_t end = index + 1;
  while (end < emitter->tape->code.count && code[end].operation == TAPE_SOLUTION) end++;
  for (uint32_t i = index + 1; i < end; i++)
    if (ir->lanes > 1 || !is_in_place(emitter, i)) value_of(emitter, code[i].a);
  if (ir->lanes > 1) { /* those where it went cold are lost already */
    for (uint32_t i = index + 1; i < end; i++) emitter->values[i] = value_of(emitter, code[i].a);
    return;
  }
  LLVMBasicBlockRef before = LLVMGetInsertBlock(ir->builder), after;
  begin_cold(emitter, code[index].a, &after);
  if (!solver->is_careful) {
    store_list(emitter, side->values, solver->n, side->columns, false, side->offset);
    emit_substitute(emitter, side);
  }
  LLVMBasicBlockRef cold = LLVMGetInsertBlock(ir->builder);
  emit_cold_solutions(emitter, side, index + 1, end);
  LLVMBuildBr(ir->builder, after);
  LLVMPositionBuilderAtEnd(ir->builder, after);
  for (uint32_t i = index + 1; i < end; i++) {
    if (is_in_place(emitter, i)) continue;
    LLVMValueRef incoming[2] = {emitter->values[code[i].a], emitter->values[i]};
    LLVMBasicBlockRef blocks[2] = {before, cold};
    emitter->values[i] = LLVMBuildPhi(ir->builder, ir->f64, "");
    LLVMAddIncoming(emitter->values[i], incoming, blocks, 2);
  }
  for (uint32_t i = index + 1; i < end; i++)
    if (is_in_place(emitter, i))
      emitter->values[i] = ir_load(ir, emitter->work, slot_of(emitter, i));
}

/* ---- instructions */

static void emit_clear(struct emitter *emitter, const struct tape_instruction *instruction) {
  struct ir *ir = emitter->ir;
  LLVMValueRef size = ir_int(ir, (int64_t)instruction->c * 8 * ir->lanes);
  LLVMValueRef array = instruction->a == TAPE_ARRAY_OUT ? emitter->out : emitter->work;
  LLVMBuildMemSet(ir->builder, ir_element(ir, array, ir_int(ir, instruction->b)),
                  LLVMConstInt(LLVMInt8TypeInContext(ir->context), 0, 0), size, 8);
}

static void emit_value(struct emitter *emitter, uint32_t index) {
  const struct tape_instruction *instruction = &emitter->tape->code.items[index];
  const uint32_t operands[3] = {instruction->a, instruction->b, instruction->c};
  LLVMValueRef values[3] = {NULL, NULL, NULL};
  for (unsigned k = 0; k < tape_facts[instruction->operation].operands; k++)
    values[k] = value_of(emitter, operands[k]);
  emitter->values[index] =
      emit_operation(emitter->ir, instruction->operation, values[0], values[1], values[2]);
}

static void emit_leave(struct emitter *emitter, LLVMValueRef code) {
  struct ir *ir = emitter->ir;
  if (ir->lanes > 1)
    ir_lose(ir, LLVMBuildFCmp(ir->builder, LLVMRealUNE, code, ir_real(ir, 0), ""));
  else
    return_if_failed(emitter, LLVMBuildFPToSI(ir->builder, code, ir->i32, ""));
}

static void keep_for_later_parts(struct emitter *emitter, uint32_t index) {
  struct ir *ir = emitter->ir;
  LLVMValueRef value = emitter->values[index];
  if (emitter->split->slots[index] == 0 || is_in_place(emitter, index)) return;
  if (LLVMTypeOf(value) == ir->truth) value = LLVMBuildUIToFP(ir->builder, value, ir->value, "");
  ir_store(ir, value, emitter->work, slot_of(emitter, index));
}

static bool is_sine(const struct tape_instruction *instruction) {
  return instruction->operation == TAPE_SIN || instruction->operation == TAPE_COS;
}

/* Cheap arithmetic behind `index`, up to `last`, whose operands are there. */
static void emit_early(struct emitter *emitter, uint32_t index, uint32_t last) {
  const struct tape_instruction *code = emitter->tape->code.items;
  for (uint32_t i = index + 1; i <= last; i++) {
    const uint32_t operands[2] = {code[i].a, code[i].b};
    bool is_ready = sines_can_be_early(code[i].operation) && emitter->values[i] == NULL;
    unsigned count = tape_facts[code[i].operation].operands;
    if (!is_ready || count == 0) continue;
    for (unsigned k = 0; k < count; k++)
      is_ready = is_ready && (operands[k] < index || emitter->values[operands[k]] != NULL ||
                              tape_facts[code[operands[k]].operation].operands == 0);
    if (!is_ready) continue;
    emit_value(emitter, i);
    keep_for_later_parts(emitter, i);
  }
}

/* Those of the instruction's group that are in this part, all at once. */
static void emit_group(struct emitter *emitter, uint32_t index) {
  const struct tape_instruction *code = emitter->tape->code.items;
  LLVMValueRef angles[SINES_GROUP], sines[SINES_GROUP], cosines[SINES_GROUP];
  tape_value angle_of[SINES_GROUP];
  unsigned count = 0;
  for (uint32_t i = index; i < emitter->end; i++) {
    if (!is_sine(&code[i]) || code[i].b != code[index].b) continue;
    unsigned k = 0;
    while (k < count && angle_of[k] != code[i].a) k++;
    if (k == count) angle_of[count++] = code[i].a;
    if (code[i].a > index) emit_early(emitter, index, code[i].a);
  }
  for (unsigned k = 0; k < count; k++) angles[k] = value_of(emitter, angle_of[k]);
  ir_emit_sines(emitter->ir, angles, count, sines, cosines);
  for (uint32_t i = index; i < emitter->end; i++) {
    if (!is_sine(&code[i]) || code[i].b != code[index].b) continue;
    unsigned k = 0;
    while (angle_of[k] != code[i].a) k++;
    emitter->values[i] = code[i].operation == TAPE_SIN ? sines[k] : cosines[k];
    keep_for_later_parts(emitter, i);
  }
}

static void emit_instruction(struct emitter *emitter, uint32_t index) {
  struct ir *ir = emitter->ir;
  const struct tape_instruction *instruction = &emitter->tape->code.items[index];
  if (emitter->values[index] != NULL && instruction->operation != TAPE_SOLUTION)
    return; /* made early, for a group of sines */
  switch (instruction->operation) {
  case TAPE_CONSTANT:
  case TAPE_INPUT:
  case TAPE_TRUE:
  case TAPE_FALSE:
    return; /* made where they are used */
  case TAPE_STORE:
    ir_store(ir, value_of(emitter, instruction->a),
             instruction->b == TAPE_ARRAY_OUT ? emitter->out : emitter->work,
             ir_int(ir, instruction->c));
    return;
  case TAPE_CLEAR:
    emit_clear(emitter, instruction);
    return;
  case TAPE_LEAVE:
    emit_leave(emitter, value_of(emitter, instruction->a));
    return;
  case TAPE_FACTOR:
    return_if_failed(
        emitter, ir_emit_factor(ir, &emitter->tape->solvers.items[instruction->b], emitter->work));
    return;
  case TAPE_SUBSTITUTE:
    emit_substitute(emitter, &emitter->tape->right_sides.items[instruction->b]);
    return;
  case TAPE_GUARD_FACTOR:
    emit_guard_factor(emitter, instruction);
    return;
  case TAPE_GUARD_SUBSTITUTE:
    emit_guard_substitute(emitter, index);
    return;
  case TAPE_KEEP:
    ir_emit_keep(ir, emitter->work, instruction, emitter->order, value_of(emitter, instruction->a));
    return;
  case TAPE_DOT:
    emitter->values[index] =
        ir_emit_dot(ir, emitter->work, instruction, emitter->order, emitter->blocks);
    break;
  case TAPE_LOAD:
    emitter->values[index] = ir_load(ir, emitter->work, ir_int(ir, instruction->b));
    break;
  case TAPE_SIN:
  case TAPE_COS:
    if (instruction->b != 0 && ir->lanes == 1) {
      emit_group(emitter, index);
      return;
    }
    emit_value(emitter, index);
    break;
  case TAPE_SOLUTION:
    break; /* made by the guard */
  default:
    emit_value(emitter, index);
  }
  keep_for_later_parts(emitter, index);
}

/* ---- functions */

static LLVMValueRef add_function(const struct emitter *emitter, const char *name, bool is_local) {
  struct ir *ir = emitter->ir;
  LLVMValueRef function = LLVMAddFunction(ir->module, name, ir->function);
  if (is_local) LLVMSetLinkage(function, LLVMInternalLinkage);
  ir_set_attribute(ir, function, "nounwind", 0);
  ir_set_attribute(ir, function, "noinline", 0);
  if (emitter->is_quick) ir_set_attribute(ir, function, "optnone", 0);
  for (unsigned i = 2; i < 7; i++) {
    unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
    LLVMAddAttributeAtIndex(function, i + 1, LLVMCreateEnumAttribute(ir->context, kind, 0));
    kind = LLVMGetEnumAttributeKindForName("readonly", 8);
    if (i < 5)
      LLVMAddAttributeAtIndex(function, i + 1, LLVMCreateEnumAttribute(ir->context, kind, 0));
  }
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(ir->context, function, "");
  LLVMPositionBuilderAtEnd(ir->builder, entry);
  ir_begin_lost(ir);
  return function;
}

/* The function ends well, but for lanes that are lost. */
static void emit_return(struct ir *ir) {
  LLVMBuildRet(ir->builder, ir->lanes > 1 ? ir_lost_bits(ir) : ir_code(ir, 0));
}

static void emit_part(struct emitter *emitter, uint32_t begin, uint32_t end) {
  LLVMValueRef function = emitter->function;
  emitter->time = LLVMGetParam(function, 1);
  if (emitter->ir->lanes > 1)
    emitter->time = ir_load(emitter->ir, emitter->time, ir_int(emitter->ir, 0));
  emitter->x = LLVMGetParam(function, 2);
  emitter->u = LLVMGetParam(function, 3);
  emitter->p = LLVMGetParam(function, 4);
  emitter->work = LLVMGetParam(function, 5);
  emitter->out = LLVMGetParam(function, 6);
  emitter->begin = begin;
  emitter->end = end;
  if (emitter->is_order)
    emitter->order =
        LLVMBuildFPToSI(emitter->ir->builder, emitter->time, emitter->ir->i64, "order");
  for (uint32_t i = begin; i < end; i++) emit_instruction(emitter, i);
  emit_return(emitter->ir);
}

static void emit_calls(struct emitter *emitter, const LLVMValueRef *parts, uint32_t count) {
  struct ir *ir = emitter->ir;
  LLVMValueRef arguments[7];
  for (unsigned i = 0; i < 7; i++) arguments[i] = LLVMGetParam(emitter->function, i);
  for (uint32_t i = 0; i < count; i++)
    return_if_failed(emitter,
                     LLVMBuildCall2(ir->builder, ir->function, parts[i], arguments, 7, ""));
  emit_return(ir);
}

static void emit_parts(struct emitter *emitter, const char *name) {
  const struct tape_split *split = emitter->split;
  LLVMValueRef *parts = checked_calloc(split->parts, sizeof(LLVMValueRef));
  uint32_t begin = 0;
  for (uint32_t i = 0; i < split->parts; i++) {
    char part_name[256];
    snprintf(part_name, sizeof part_name, "%.200s.%u", name, i);
    emitter->function = parts[i] = add_function(emitter, part_name, true);
    emit_part(emitter, begin, split->ends[i]);
    for (; begin < split->ends[i]; begin++) emitter->values[begin] = NULL;
    while (emitter->fetched.count > 0) emitter->values[vector_pop(&emitter->fetched)] = NULL;
  }
  emitter->function = add_function(emitter, name, !emitter->ir->is_jit);
  emit_calls(emitter, parts, split->parts);
  free(parts);
}

/* The function of the careful tape, or NULL where it is interpreted. Mostly it never runs: where it
 * is long, the time to compile it counts. */
static LLVMValueRef add_tape(struct ir *ir, const struct tape *tape, const char *name,
                             const struct emitter *kind, int32_t *work);

static LLVMValueRef add_careful(struct ir *ir, const struct tape *tape, const char *name) {
  char own_name[256];
  int32_t work;
  if (tape->careful == NULL || (ir->is_jit && tape->careful->code.count > LONG_CAREFUL))
    return NULL;
  snprintf(own_name, sizeof own_name, "%.200s.careful", name);
  struct emitter kind = {.is_quick = ir->is_jit && tape->careful->code.count > QUICK_CAREFUL};
  LLVMValueRef function = add_tape(ir, tape->careful, own_name, &kind, &work);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  ir_set_attribute(ir, function, "cold", 0);
  return function;
}

static LLVMValueRef add_tape(struct ir *ir, const struct tape *tape, const char *name,
                             const struct emitter *kind, int32_t *work) {
  struct tape_split split;
  tape_split_init(&split, tape, tape->code.count <= LONGEST_FUNCTION ? UINT32_MAX - 2 : PART);
  struct emitter emitter = *kind;
  emitter.ir = ir;
  emitter.tape = tape;
  emitter.split = &split;
  emitter.careful = add_careful(ir, tape, name);
  emitter.values = checked_calloc((size_t)tape->code.count + 1, sizeof(LLVMValueRef));
  if (split.parts > 1)
    emit_parts(&emitter, name);
  else {
    emitter.function = add_function(&emitter, name, !ir->is_jit);
    emit_part(&emitter, 0, tape->code.count);
  }
  *work = (int32_t)(tape->work + split.slot_count);
  ir->instructions += tape->code.count;
  free(emitter.values);
  vector_free(&emitter.fetched);
  tape_split_clear(&split);
  return emitter.function;
}

LLVMValueRef ir_add_tape(struct ir *ir, const struct tape *tape, const char *name, int32_t *work) {
  return add_tape(ir, tape, name, &(struct emitter){0}, work);
}

LLVMValueRef ir_add_order(struct ir *ir, const struct tape *tape, int blocks, const char *name,
                          int32_t *work) {
  return add_tape(ir, tape, name, &(struct emitter){.is_order = true, .blocks = blocks}, work);
}
