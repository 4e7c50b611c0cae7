/* Steps of explicit Runge-Kutta methods as machine code (dyn_step in dyn_model.h): the stages, with
 * the right-hand side called directly, and the sums of the error estimates. Needs a method's
 * tableau; promises the numbers of runtime/explicit.c to the last bit, which does the same in loops
 * over the tableau and is the reference. What happens between steps (step size, projection, output)
 * stays there. Source of the methods: Hairer, Norsett, Wanner, Solving Ordinary Differential
 * Equations I, II.5.
 *
 * A sum over slopes is unrolled over the tableau, so that its weights are constants, and goes over
 * the state in blocks: of four entries; or, where several trajectories are stepped at once
 * (dyn_lanes.h), of one entry in every lane. Slopes are read from memory wherever they are used: a
 * call of the right-hand side leaves no register to keep them in. */
#include "codegen/llvm_ir.h"
#include "dyn/dyn_lanes.h"
#include "dyn/dyn_tableau.h"
#include <stddef.h>

enum { ENTRIES = 4, MOST_UNROLLED = 8 /* doubles of a state, over 4; beyond, a loop */ };

enum field { /* of dyn_step, in its order */
             FIELD_T,
             FIELD_H,
             FIELD_T_END,
             FIELD_Y,
             FIELD_Y_END,
             FIELD_Y_LAST,
             FIELD_SCRATCH,
             FIELD_SLOPES,
             FIELD_RELATIVE,
             FIELD_ABSOLUTE,
             FIELD_CAP,
             FIELD_ERROR,
             FIELD_ERROR_LOW,
             FIELD_P,
             FIELD_U,
             FIELD_WORK,
             FIELD_INPUTS,
             FIELD_USER,
             FIELD_COUNT,
             FIELD_SLOPE_CHANGE = FIELD_INPUTS, /* of dyn_lane_step */
             FIELD_STATE_CHANGE = FIELD_USER
};

struct step {
  struct ir *ir;
  const struct rk_table *table;
  const dyn_model *sizes;
  bool has_lanes;
  unsigned width;          /* doubles in a block */
  int64_t stride;          /* values in a block */
  LLVMTypeRef type, block; /* dyn_step or dyn_lane_step; a vector of doubles */
  LLVMValueRef function, model, self, rhs;
  LLVMValueRef slopes[RK_MAX_STAGES];
  LLVMValueRef value[FIELD_COUNT]; /* of the fields that are read */
  LLVMValueRef h;                  /* a block */
  LLVMValueRef t, stage_t;         /* of several lanes: a block; where that of a stage stands */
  LLVMBasicBlockRef failed;
};

/* A sum that runs over the state: adds what belongs to the entries index ... to the sums. */
struct sums {
  LLVMValueRef high, low, not_finite;
  LLVMValueRef slope_change, state_change; /* of several lanes */
};
struct combination {
  const struct rk_row *row;
  LLVMValueRef out;
};
typedef void block_body(struct step *step, LLVMValueRef index, const struct combination *what,
                        struct sums *sums);

/* ---- dyn_step and dyn_lane_step: what is one number there is an array here */

static LLVMTypeRef step_type(struct ir *ir) {
  LLVMTypeRef p = ir->ptr, v = ir->lanes > 1 ? p : ir->f64;
  LLVMTypeRef types[FIELD_COUNT] = {v, v, v, p, p, p, p, p, v, v, p, v, v, p, p, p, p, p};
  _Static_assert(sizeof(dyn_step) == sizeof(dyn_lane_step) &&
                     offsetof(dyn_step, cap) == offsetof(dyn_lane_step, cap) &&
                     offsetof(dyn_step, user) == offsetof(dyn_lane_step, state_change),
                 "both have the same members");
  LLVMTypeRef type = LLVMStructTypeInContext(ir->context, types, FIELD_COUNT, 0);
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(ir->module);
  if (LLVMPointerSize(layout) == sizeof(void *) &&
      (LLVMABISizeOfType(layout, type) != sizeof(dyn_step) ||
       LLVMOffsetOfElement(layout, type, FIELD_CAP) != offsetof(dyn_step, cap) ||
       LLVMOffsetOfElement(layout, type, FIELD_USER) != offsetof(dyn_step, user)))
    bug("dyn_step is laid out in another way in LLVM than in C");
  return type;
}

static LLVMValueRef field_address(struct step *step, enum field field) {
  return LLVMBuildStructGEP2(step->ir->builder, step->type, step->self, (unsigned)field, "");
}

static LLVMValueRef load_field(struct step *step, enum field field) {
  LLVMTypeRef type = LLVMStructGetTypeAtIndex(step->type, (unsigned)field);
  return LLVMBuildLoad2(step->ir->builder, type, field_address(step, field), "");
}

/* ---- blocks */

static LLVMValueRef in_block(struct step *step, LLVMValueRef value) {
  struct ir *ir = step->ir;
  LLVMValueRef none = LLVMGetUndef(step->block), first[DYN_MOST_LANES];
  for (unsigned i = 0; i < step->width; i++) first[i] = ir_code(ir, 0);
  LLVMValueRef vector = LLVMBuildInsertElement(ir->builder, none, value, ir_code(ir, 0), "");
  return LLVMBuildShuffleVector(ir->builder, vector, none, LLVMConstVector(first, step->width), "");
}

static LLVMValueRef constant_block(struct step *step, double value) {
  LLVMValueRef values[DYN_MOST_LANES];
  for (unsigned i = 0; i < step->width; i++) values[i] = LLVMConstReal(step->ir->f64, value);
  return LLVMConstVector(values, step->width);
}

static LLVMValueRef load_block(struct step *step, LLVMValueRef base, LLVMValueRef index) {
  struct ir *ir = step->ir;
  LLVMValueRef value = LLVMBuildLoad2(ir->builder, step->block, ir_element(ir, base, index), "");
  LLVMSetAlignment(value, sizeof(double));
  return value;
}

static void store_block(struct step *step, LLVMValueRef value, LLVMValueRef address) {
  LLVMSetAlignment(LLVMBuildStore(step->ir->builder, value, address), sizeof(double));
}

static LLVMValueRef absolute(struct step *step, LLVMValueRef value) {
  const char *name = step->width == ENTRIES ? "llvm.fabs.v4f64" : "llvm.fabs.v8f64";
  LLVMValueRef function = ir_declare_math(step->ir, name, step->block, 1);
  return LLVMBuildCall2(step->ir->builder, LLVMGlobalGetValueType(function), function, &value, 1,
                        "");
}

/* a if a > b, else b; or the other way round. */
static LLVMValueRef choose(struct step *step, LLVMRealPredicate is_first, LLVMValueRef a,
                           LLVMValueRef b) {
  LLVMBuilderRef builder = step->ir->builder;
  return LLVMBuildSelect(builder, LLVMBuildFCmp(builder, is_first, a, b, ""), a, b, "");
}

static LLVMValueRef sum_of_block(struct step *step, LLVMValueRef value) {
  LLVMBuilderRef builder = step->ir->builder;
  LLVMValueRef entry[ENTRIES];
  for (int i = 0; i < ENTRIES; i++)
    entry[i] = LLVMBuildExtractElement(builder, value, ir_code(step->ir, i), "");
  LLVMValueRef low = LLVMBuildFAdd(builder, entry[0], entry[1], "");
  return LLVMBuildFAdd(builder, low, LLVMBuildFAdd(builder, entry[2], entry[3], ""), "");
}

/* The body over the whole state, with sums carried along (or NULL). */
static void over_state(struct step *step, block_body *body, const struct combination *what,
                       struct sums *sums) {
  struct ir *ir = step->ir;
  int64_t blocks = (step->sizes->n_state + step->stride - 1) / step->stride;
  if (step->stride * blocks <= MOST_UNROLLED) {
    for (int64_t i = 0; i < blocks; i++) body(step, ir_int(ir, step->stride * i), what, sums);
    return;
  }
  LLVMBasicBlockRef before = LLVMGetInsertBlock(ir->builder);
  LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(ir->context, step->function, "");
  LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(ir->context, step->function, "");
  LLVMBuildBr(ir->builder, head);
  LLVMPositionBuilderAtEnd(ir->builder, head);
  LLVMValueRef index = LLVMBuildPhi(ir->builder, ir->i64, ""), start = ir_int(ir, 0);
  LLVMValueRef *carried = (LLVMValueRef *)sums, from[5], phi[5];
  unsigned count = sums == NULL ? 0 : step->has_lanes ? 5 : 3;
  for (unsigned i = 0; i < count; i++) {
    from[i] = carried[i];
    carried[i] = phi[i] = LLVMBuildPhi(ir->builder, step->block, "");
  }
  body(step, index, what, sums);
  LLVMValueRef next = LLVMBuildNSWAdd(ir->builder, index, ir_int(ir, step->stride), "");
  LLVMValueRef goes_on =
      LLVMBuildICmp(ir->builder, LLVMIntSLT, next, ir_int(ir, step->stride * blocks), "");
  LLVMBuildCondBr(ir->builder, goes_on, head, after);
  LLVMAddIncoming(index, &start, &before, 1);
  LLVMAddIncoming(index, &next, &head, 1);
  for (unsigned i = 0; i < count; i++) {
    LLVMAddIncoming(phi[i], &from[i], &before, 1);
    LLVMAddIncoming(phi[i], &carried[i], &head, 1);
  }
  LLVMPositionBuilderAtEnd(ir->builder, after);
}

/* ---- the step */

static LLVMValueRef row_sum(struct step *step, const struct rk_row *row, LLVMValueRef index) {
  LLVMBuilderRef builder = step->ir->builder;
  LLVMValueRef sum = NULL;
  for (int j = 0; j < row->count; j++) {
    LLVMValueRef slope = load_block(step, step->slopes[row->slope[j]], index);
    LLVMValueRef term = LLVMBuildFMul(builder, constant_block(step, row->weight[j]), slope, "");
    sum = sum == NULL ? term : LLVMBuildFAdd(builder, sum, term, "");
  }
  return sum;
}

/* out = y + h * row of slopes */
static void combine(struct step *step, LLVMValueRef index, const struct combination *what,
                    struct sums *sums) {
  struct ir *ir = step->ir;
  (void)sums;
  LLVMValueRef change = LLVMBuildFMul(ir->builder, step->h, row_sum(step, what->row, index), "");
  LLVMValueRef y = load_block(step, step->value[FIELD_Y], index);
  LLVMValueRef out = ir_element(ir, what->out, index);
  store_block(step, LLVMBuildFAdd(ir->builder, y, change, ""), out);
}

/* What is not finite makes a sum of zeros a nan. */
static void check_slopes(struct step *step, LLVMValueRef index, int from, int to,
                         struct sums *sums) {
  LLVMBuilderRef builder = step->ir->builder;
  for (int i = from; i <= to; i++) {
    LLVMValueRef slope = load_block(step, step->slopes[i], index);
    LLVMValueRef zero = LLVMBuildFMul(builder, constant_block(step, 0), slope, "");
    sums->not_finite = LLVMBuildFAdd(builder, sums->not_finite, zero, "");
  }
}

static LLVMValueRef scaled_square(struct step *step, const struct rk_row *row, LLVMValueRef index,
                                  LLVMValueRef scale) {
  LLVMBuilderRef builder = step->ir->builder;
  LLVMValueRef error = LLVMBuildFMul(builder, step->h, row_sum(step, row, index), "");
  LLVMValueRef scaled = LLVMBuildFDiv(builder, error, scale, "");
  return LLVMBuildFMul(builder, scaled, scaled, "");
}

/* sum + (a - b)^2 */
static LLVMValueRef add_square(struct step *step, LLVMValueRef sum, LLVMValueRef index,
                               LLVMValueRef a, LLVMValueRef b) {
  LLVMBuilderRef builder = step->ir->builder;
  LLVMValueRef difference =
      LLVMBuildFSub(builder, load_block(step, a, index), load_block(step, b, index), "");
  return LLVMBuildFAdd(builder, sum, LLVMBuildFMul(builder, difference, difference, ""), "");
}

/* What is one number for the whole step, or one for each lane. */
static LLVMValueRef of_step(struct step *step, enum field field) {
  LLVMValueRef value = step->value[field];
  return step->has_lanes ? load_block(step, value, ir_int(step->ir, 0)) : in_block(step, value);
}

static void judge(struct step *step, LLVMValueRef index, const struct combination *what,
                  struct sums *sums) {
  const struct rk_table *table = step->table;
  LLVMBuilderRef builder = step->ir->builder;
  (void)what;
  check_slopes(step, index, 1, table->stages, sums);
  if (step->has_lanes) {
    sums->slope_change = add_square(step, sums->slope_change, index, step->slopes[table->stages],
                                    step->slopes[table->stages - 1]);
    sums->state_change = add_square(step, sums->state_change, index, step->value[FIELD_Y_END],
                                    step->value[FIELD_Y_LAST]);
  }
  if (table->error.count == 0) return;
  LLVMValueRef y = absolute(step, load_block(step, step->value[FIELD_Y], index));
  LLVMValueRef y_end = absolute(step, load_block(step, step->value[FIELD_Y_END], index));
  LLVMValueRef cap = load_block(step, step->value[FIELD_CAP], index);
  LLVMValueRef size = choose(step, LLVMRealOLT, cap, choose(step, LLVMRealOGT, y, y_end));
  LLVMValueRef scale = LLVMBuildFMul(builder, of_step(step, FIELD_RELATIVE), size, "");
  scale = LLVMBuildFAdd(builder, of_step(step, FIELD_ABSOLUTE), scale, "");
  LLVMValueRef high = scaled_square(step, &table->error, index, scale);
  sums->high = LLVMBuildFAdd(builder, sums->high, high, "");
  if (table->error_low.count == 0) return;
  LLVMValueRef low = scaled_square(step, &table->error_low, index, scale);
  sums->low = LLVMBuildFAdd(builder, sums->low, low, "");
}

static void judge_dense(struct step *step, LLVMValueRef index, const struct combination *what,
                        struct sums *sums) {
  int stages = step->table->stages;
  (void)what;
  check_slopes(step, index, stages + 1, stages + step->table->extra, sums);
}

/* `condition` is about the step, or about each lane. */
static void fail_if(struct step *step, LLVMValueRef condition) {
  struct ir *ir = step->ir;
  if (step->has_lanes) {
    ir_lose(ir, condition);
    return;
  }
  LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(ir->context, step->function, "");
  LLVMBuildCondBr(ir->builder, condition, step->failed, next);
  LLVMPositionBuilderAtEnd(ir->builder, next);
}

static void emit_inputs(struct step *step, LLVMValueRef t) {
  struct ir *ir = step->ir;
  LLVMValueRef inputs = step->value[FIELD_INPUTS];
  LLVMValueRef arguments[2] = {step->value[FIELD_USER], t};
  LLVMTypeRef types[2] = {ir->ptr, ir->f64};
  if (step->sizes->n_inputs == 0 || step->has_lanes) return; /* of lanes, inputs are constant */
  LLVMValueRef has_inputs = LLVMBuildIsNotNull(ir->builder, inputs, "");
  LLVMBasicBlockRef after = ir_if_begin(ir, has_inputs);
  LLVMValueRef answer =
      LLVMBuildCall2(ir->builder, LLVMFunctionType(ir->i32, types, 2, 0), inputs, arguments, 2, "");
  fail_if(step, LLVMBuildICmp(ir->builder, LLVMIntNE, answer, ir_code(ir, 0), ""));
  ir_if_end(ir, after);
}

/* The time of stage i: a number, or an array of the lanes'. */
static LLVMValueRef stage_time(struct step *step, int i) {
  struct ir *ir = step->ir;
  double c = step->table->c[i];
  if (c == 1) return step->value[FIELD_T_END];
  if (!step->has_lanes) {
    LLVMValueRef part = LLVMBuildFMul(ir->builder, ir_real(ir, c), step->value[FIELD_H], "");
    return LLVMBuildFAdd(ir->builder, step->value[FIELD_T], part, "");
  }
  LLVMValueRef part = LLVMBuildFMul(ir->builder, constant_block(step, c), step->h, "");
  store_block(step, LLVMBuildFAdd(ir->builder, step->t, part, ""), step->stage_t);
  return step->stage_t;
}

/* The state of stage i and its slope. */
static void emit_stage(struct step *step, int i) {
  struct ir *ir = step->ir;
  const struct rk_table *table = step->table;
  enum field to = i == table->stages       ? FIELD_Y_END
                  : i == table->stages - 1 ? FIELD_Y_LAST
                                           : FIELD_SCRATCH;
  struct combination what = {&table->rows[i], step->value[to]};
  over_state(step, combine, &what, NULL);
  LLVMValueRef t = stage_time(step, i);
  emit_inputs(step, t);
  LLVMValueRef arguments[7] = {step->model,
                               t,
                               what.out,
                               step->value[FIELD_U],
                               step->value[FIELD_P],
                               step->value[FIELD_WORK],
                               step->slopes[i]};
  LLVMValueRef answer = LLVMBuildCall2(ir->builder, ir->function, step->rhs, arguments, 7, "");
  if (step->has_lanes)
    ir_lose_bits(ir, answer);
  else
    fail_if(step, LLVMBuildICmp(ir->builder, LLVMIntSGT, answer, ir_code(ir, 0), ""));
}

/* What the judgement gives goes to a field, or to the array that a field points to. */
static void put_sum(struct step *step, LLVMValueRef sum, enum field field) {
  if (step->has_lanes)
    store_block(step, sum, step->value[field]);
  else
    LLVMBuildStore(step->ir->builder, sum_of_block(step, sum), field_address(step, field));
}

static void emit_judgement(struct step *step, bool is_dense) {
  struct ir *ir = step->ir;
  LLVMValueRef zero = constant_block(step, 0), none = ir_real(ir, 0);
  struct sums sums = {zero, zero, zero, zero, zero};
  over_state(step, is_dense ? judge_dense : judge, NULL, &sums);
  LLVMValueRef not_finite = step->has_lanes ? sums.not_finite : sum_of_block(step, sums.not_finite);
  fail_if(step, LLVMBuildFCmp(ir->builder, LLVMRealUNE, not_finite, none, ""));
  if (is_dense) return;
  put_sum(step, sums.high, FIELD_ERROR);
  put_sum(step, sums.low, FIELD_ERROR_LOW);
  if (!step->has_lanes) return;
  put_sum(step, sums.slope_change, FIELD_SLOPE_CHANGE);
  put_sum(step, sums.state_change, FIELD_STATE_CHANGE);
}

static void load_fields(struct step *step, int evaluations) {
  struct ir *ir = step->ir;
  for (int i = 0; i < FIELD_COUNT; i++)
    if (step->has_lanes || (i != FIELD_ERROR && i != FIELD_ERROR_LOW))
      step->value[i] = load_field(step, (enum field)i);
  for (int i = 0; i <= evaluations; i++) {
    LLVMValueRef place = ir_int(ir, i);
    LLVMValueRef address =
        LLVMBuildInBoundsGEP2(ir->builder, ir->ptr, step->value[FIELD_SLOPES], &place, 1, "");
    step->slopes[i] = LLVMBuildLoad2(ir->builder, ir->ptr, address, "");
  }
  step->h = of_step(step, FIELD_H);
  if (!step->has_lanes) return;
  step->t = of_step(step, FIELD_T);
  step->stage_t = ir_variable(ir, step->block, step->t);
}

static void emit_step(struct step *step, bool is_dense) {
  struct ir *ir = step->ir;
  const struct rk_table *table = step->table;
  int first = is_dense ? table->stages + 1 : 1;
  int last = is_dense ? table->stages + table->extra : table->stages;
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(ir->context, step->function, "entry");
  if (!step->has_lanes) {
    step->failed = LLVMAppendBasicBlockInContext(ir->context, step->function, "failed");
    LLVMPositionBuilderAtEnd(ir->builder, step->failed);
    LLVMBuildRet(ir->builder, ir_code(ir, 1));
  }
  LLVMPositionBuilderAtEnd(ir->builder, entry);
  ir_begin_lost(ir);
  load_fields(step, last);
  for (int i = first; i <= last; i++) emit_stage(step, i);
  emit_judgement(step, is_dense);
  LLVMBuildRet(ir->builder, step->has_lanes ? ir_lost_bits(ir) : ir_code(ir, DYN_OK));
}

LLVMValueRef ir_add_step(struct ir *ir, enum program_step which, LLVMValueRef rhs,
                         const dyn_model *sizes, const char *name) {
  static const struct {
    const struct rk_table *table;
    bool is_dense;
  } steps[PROGRAM_STEP_COUNT] = {
#define PROGRAM_STEP(NAME, member, tableau, is_dense) {&tableau, is_dense},
#include "codegen/steps.def"
#undef PROGRAM_STEP
  };
  LLVMTypeRef types[2] = {ir->ptr, ir->ptr};
  LLVMValueRef function = LLVMAddFunction(ir->module, name, LLVMFunctionType(ir->i32, types, 2, 0));
  bool has_lanes = ir->lanes > 1;
  struct step step = {.ir = ir,
                      .table = steps[which].table,
                      .sizes = sizes,
                      .has_lanes = has_lanes,
                      .width = has_lanes ? ir->lanes : ENTRIES,
                      .stride = has_lanes ? 1 : ENTRIES,
                      .type = step_type(ir),
                      .function = function,
                      .model = LLVMGetParam(function, 0),
                      .self = LLVMGetParam(function, 1),
                      .rhs = rhs};
  step.block = LLVMVectorType(ir->f64, step.width);
  if (!ir->is_jit) LLVMSetLinkage(function, LLVMInternalLinkage);
  ir_set_attribute(ir, function, "nounwind", 0);
  emit_step(&step, steps[which].is_dense);
  return function;
}
