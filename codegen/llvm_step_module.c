/* Steps of explicit Runge-Kutta methods as machine code (dyn_step in dyn_model.h): the stages, with
 * the right-hand side called directly, and the sums of the error estimates. Needs a method's
 * tableau; promises the numbers of runtime/explicit.c to the last bit, which does the same in loops
 * over the tableau and is the reference. What happens between steps (step size, projection, output)
 * stays there. Source of the methods: Hairer, Norsett, Wanner, Solving Ordinary Differential
 * Equations I, II.5.
 *
 * A sum over slopes is unrolled over the tableau, so that its weights are constants, and goes over
 * the state four entries at a time. Slopes are read from memory wherever they are used: a call of
 * the right-hand side leaves no register to keep them in. */
#include "codegen/llvm_ir.h"
#include "dyn/dyn_tableau.h"
#include <stddef.h>

enum { LANES = 4, MOST_UNROLLED = 2 /* blocks of lanes of a state; beyond, a loop */ };

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
             FIELD_COUNT
};

struct step {
  struct ir *ir;
  const struct rk_table *table;
  const dyn_model *sizes;
  LLVMTypeRef type, lanes; /* dyn_step, four doubles */
  LLVMValueRef function, model, self, rhs;
  LLVMValueRef slopes[RK_MAX_STAGES];
  LLVMValueRef value[FIELD_COUNT]; /* of the fields that are read */
  LLVMValueRef h;                  /* in every lane */
  LLVMBasicBlockRef failed;
};

/* A sum that runs over the state: adds what belongs to the entries index ... to the sums. */
struct lane_sums {
  LLVMValueRef high, low, not_finite;
};
struct combination {
  const struct rk_row *row;
  LLVMValueRef out;
};
typedef void lane_body(struct step *step, LLVMValueRef index, const struct combination *what,
                       struct lane_sums *sums);

/* ---- dyn_step */

static LLVMTypeRef step_type(struct ir *ir) {
  LLVMTypeRef n = ir->f64, p = ir->ptr;
  LLVMTypeRef types[FIELD_COUNT] = {n, n, n, p, p, p, p, p, n, n, p, n, n, p, p, p, p, p};
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

/* ---- four lanes */

static LLVMValueRef in_every_lane(struct step *step, LLVMValueRef value) {
  struct ir *ir = step->ir;
  LLVMValueRef none = LLVMGetUndef(step->lanes), first[LANES];
  for (int i = 0; i < LANES; i++) first[i] = ir_code(ir, 0);
  LLVMValueRef vector = LLVMBuildInsertElement(ir->builder, none, value, ir_code(ir, 0), "");
  return LLVMBuildShuffleVector(ir->builder, vector, none, LLVMConstVector(first, LANES), "");
}

static LLVMValueRef constant_lanes(struct step *step, double value) {
  LLVMValueRef values[LANES];
  for (int i = 0; i < LANES; i++) values[i] = ir_real(step->ir, value);
  return LLVMConstVector(values, LANES);
}

static LLVMValueRef load_lanes(struct step *step, LLVMValueRef base, LLVMValueRef index) {
  struct ir *ir = step->ir;
  LLVMValueRef value = LLVMBuildLoad2(ir->builder, step->lanes, ir_element(ir, base, index), "");
  LLVMSetAlignment(value, sizeof(double));
  return value;
}

static LLVMValueRef absolute(struct step *step, LLVMValueRef value) {
  struct ir *ir = step->ir;
  const char *name = "llvm.fabs.v4f64";
  LLVMTypeRef type = LLVMFunctionType(step->lanes, &step->lanes, 1, 0);
  LLVMValueRef function = LLVMGetNamedFunction(ir->module, name);
  if (function == NULL) function = LLVMAddFunction(ir->module, name, type);
  return LLVMBuildCall2(ir->builder, type, function, &value, 1, "");
}

/* a if a > b, else b; or the other way round. */
static LLVMValueRef choose(struct step *step, LLVMRealPredicate is_first, LLVMValueRef a,
                           LLVMValueRef b) {
  LLVMBuilderRef builder = step->ir->builder;
  return LLVMBuildSelect(builder, LLVMBuildFCmp(builder, is_first, a, b, ""), a, b, "");
}

static LLVMValueRef sum_of_lanes(struct step *step, LLVMValueRef value) {
  LLVMBuilderRef builder = step->ir->builder;
  LLVMValueRef lane[LANES];
  for (int i = 0; i < LANES; i++)
    lane[i] = LLVMBuildExtractElement(builder, value, ir_code(step->ir, i), "");
  LLVMValueRef low = LLVMBuildFAdd(builder, lane[0], lane[1], "");
  return LLVMBuildFAdd(builder, low, LLVMBuildFAdd(builder, lane[2], lane[3], ""), "");
}

/* The body over the whole state, with sums carried along (or NULL). */
static void over_state(struct step *step, lane_body *body, const struct combination *what,
                       struct lane_sums *sums) {
  struct ir *ir = step->ir;
  int64_t blocks = (step->sizes->n_state + LANES - 1) / LANES;
  if (blocks <= MOST_UNROLLED) {
    for (int64_t i = 0; i < blocks; i++) body(step, ir_int(ir, LANES * i), what, sums);
    return;
  }
  LLVMBasicBlockRef before = LLVMGetInsertBlock(ir->builder);
  LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(ir->context, step->function, "");
  LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(ir->context, step->function, "");
  LLVMBuildBr(ir->builder, head);
  LLVMPositionBuilderAtEnd(ir->builder, head);
  LLVMValueRef index = LLVMBuildPhi(ir->builder, ir->i64, ""), start = ir_int(ir, 0);
  LLVMValueRef *carried = (LLVMValueRef *)sums, from[3], phi[3];
  unsigned count = sums != NULL ? 3 : 0;
  for (unsigned i = 0; i < count; i++) {
    from[i] = carried[i];
    carried[i] = phi[i] = LLVMBuildPhi(ir->builder, step->lanes, "");
  }
  body(step, index, what, sums);
  LLVMValueRef next = LLVMBuildNSWAdd(ir->builder, index, ir_int(ir, LANES), "");
  LLVMValueRef goes_on =
      LLVMBuildICmp(ir->builder, LLVMIntSLT, next, ir_int(ir, LANES * blocks), "");
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
    LLVMValueRef slope = load_lanes(step, step->slopes[row->slope[j]], index);
    LLVMValueRef term = LLVMBuildFMul(builder, constant_lanes(step, row->weight[j]), slope, "");
    sum = sum == NULL ? term : LLVMBuildFAdd(builder, sum, term, "");
  }
  return sum;
}

/* out = y + h * row of slopes */
static void combine(struct step *step, LLVMValueRef index, const struct combination *what,
                    struct lane_sums *sums) {
  struct ir *ir = step->ir;
  (void)sums;
  LLVMValueRef change = LLVMBuildFMul(ir->builder, step->h, row_sum(step, what->row, index), "");
  LLVMValueRef y = load_lanes(step, step->value[FIELD_Y], index);
  LLVMValueRef out = ir_element(ir, what->out, index);
  LLVMValueRef store = LLVMBuildStore(ir->builder, LLVMBuildFAdd(ir->builder, y, change, ""), out);
  LLVMSetAlignment(store, sizeof(double));
}

/* What is not finite makes a sum of zeros a nan. */
static void check_slopes(struct step *step, LLVMValueRef index, int from, int to,
                         struct lane_sums *sums) {
  LLVMBuilderRef builder = step->ir->builder;
  for (int i = from; i <= to; i++) {
    LLVMValueRef slope = load_lanes(step, step->slopes[i], index);
    LLVMValueRef zero = LLVMBuildFMul(builder, constant_lanes(step, 0), slope, "");
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

static void judge(struct step *step, LLVMValueRef index, const struct combination *what,
                  struct lane_sums *sums) {
  const struct rk_table *table = step->table;
  LLVMBuilderRef builder = step->ir->builder;
  (void)what;
  check_slopes(step, index, 1, table->stages, sums);
  if (table->error.count == 0) return;
  LLVMValueRef y = absolute(step, load_lanes(step, step->value[FIELD_Y], index));
  LLVMValueRef y_end = absolute(step, load_lanes(step, step->value[FIELD_Y_END], index));
  LLVMValueRef cap = load_lanes(step, step->value[FIELD_CAP], index);
  LLVMValueRef size = choose(step, LLVMRealOLT, cap, choose(step, LLVMRealOGT, y, y_end));
  LLVMValueRef scale =
      LLVMBuildFMul(builder, in_every_lane(step, step->value[FIELD_RELATIVE]), size, "");
  scale = LLVMBuildFAdd(builder, in_every_lane(step, step->value[FIELD_ABSOLUTE]), scale, "");
  LLVMValueRef high = scaled_square(step, &table->error, index, scale);
  sums->high = LLVMBuildFAdd(builder, sums->high, high, "");
  if (table->error_low.count == 0) return;
  LLVMValueRef low = scaled_square(step, &table->error_low, index, scale);
  sums->low = LLVMBuildFAdd(builder, sums->low, low, "");
}

static void judge_dense(struct step *step, LLVMValueRef index, const struct combination *what,
                        struct lane_sums *sums) {
  int stages = step->table->stages;
  (void)what;
  check_slopes(step, index, stages + 1, stages + step->table->extra, sums);
}

static void fail_if(struct step *step, LLVMValueRef condition) {
  struct ir *ir = step->ir;
  LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(ir->context, step->function, "");
  LLVMBuildCondBr(ir->builder, condition, step->failed, next);
  LLVMPositionBuilderAtEnd(ir->builder, next);
}

static void emit_inputs(struct step *step, LLVMValueRef t) {
  struct ir *ir = step->ir;
  LLVMValueRef inputs = step->value[FIELD_INPUTS];
  LLVMValueRef arguments[2] = {step->value[FIELD_USER], t};
  LLVMTypeRef types[2] = {ir->ptr, ir->f64};
  if (step->sizes->n_inputs == 0) return;
  LLVMValueRef has_inputs = LLVMBuildIsNotNull(ir->builder, inputs, "");
  LLVMBasicBlockRef after = ir_if_begin(ir, has_inputs);
  LLVMValueRef answer =
      LLVMBuildCall2(ir->builder, LLVMFunctionType(ir->i32, types, 2, 0), inputs, arguments, 2, "");
  fail_if(step, LLVMBuildICmp(ir->builder, LLVMIntNE, answer, ir_code(ir, 0), ""));
  ir_if_end(ir, after);
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
  LLVMValueRef part =
      LLVMBuildFMul(ir->builder, ir_real(ir, table->c[i]), step->value[FIELD_H], "");
  LLVMValueRef t = table->c[i] == 1 ? step->value[FIELD_T_END]
                                    : LLVMBuildFAdd(ir->builder, step->value[FIELD_T], part, "");
  emit_inputs(step, t);
  LLVMValueRef arguments[7] = {step->model,
                               t,
                               what.out,
                               step->value[FIELD_U],
                               step->value[FIELD_P],
                               step->value[FIELD_WORK],
                               step->slopes[i]};
  LLVMValueRef answer = LLVMBuildCall2(ir->builder, ir->function, step->rhs, arguments, 7, "");
  fail_if(step, LLVMBuildICmp(ir->builder, LLVMIntSGT, answer, ir_code(ir, 0), ""));
}

static void emit_judgement(struct step *step, bool is_dense) {
  struct ir *ir = step->ir;
  LLVMValueRef zero = constant_lanes(step, 0);
  struct lane_sums sums = {zero, zero, zero};
  over_state(step, is_dense ? judge_dense : judge, NULL, &sums);
  fail_if(step, LLVMBuildFCmp(ir->builder, LLVMRealUNE, sum_of_lanes(step, sums.not_finite),
                              ir_real(ir, 0), ""));
  if (is_dense) return;
  LLVMBuildStore(ir->builder, sum_of_lanes(step, sums.high), field_address(step, FIELD_ERROR));
  LLVMBuildStore(ir->builder, sum_of_lanes(step, sums.low), field_address(step, FIELD_ERROR_LOW));
}

static void load_fields(struct step *step, int evaluations) {
  struct ir *ir = step->ir;
  for (int i = 0; i < FIELD_COUNT; i++)
    if (i != FIELD_ERROR && i != FIELD_ERROR_LOW) step->value[i] = load_field(step, (enum field)i);
  for (int i = 0; i <= evaluations; i++) {
    LLVMValueRef place = ir_int(ir, i);
    LLVMValueRef address =
        LLVMBuildInBoundsGEP2(ir->builder, ir->ptr, step->value[FIELD_SLOPES], &place, 1, "");
    step->slopes[i] = LLVMBuildLoad2(ir->builder, ir->ptr, address, "");
  }
  step->h = in_every_lane(step, step->value[FIELD_H]);
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
  const struct rk_table *table = steps[which].table;
  bool is_dense = steps[which].is_dense;
  LLVMTypeRef types[2] = {ir->ptr, ir->ptr};
  LLVMValueRef function = LLVMAddFunction(ir->module, name, LLVMFunctionType(ir->i32, types, 2, 0));
  struct step step = {.ir = ir,
                      .table = table,
                      .sizes = sizes,
                      .type = step_type(ir),
                      .lanes = LLVMVectorType(ir->f64, LANES),
                      .function = function,
                      .model = LLVMGetParam(function, 0),
                      .self = LLVMGetParam(function, 1),
                      .rhs = rhs};
  if (!ir->is_jit) LLVMSetLinkage(function, LLVMInternalLinkage);
  ir_set_attribute(ir, function, "nounwind", 0);
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(ir->context, function, "entry");
  step.failed = LLVMAppendBasicBlockInContext(ir->context, function, "failed");
  LLVMPositionBuilderAtEnd(ir->builder, step.failed);
  LLVMBuildRet(ir->builder, ir_code(ir, 1));
  LLVMPositionBuilderAtEnd(ir->builder, entry);
  int first = is_dense ? table->stages + 1 : 1;
  int last = is_dense ? table->stages + table->extra : table->stages;
  load_fields(&step, last);
  for (int i = first; i <= last; i++) emit_stage(&step, i);
  emit_judgement(&step, is_dense);
  LLVMBuildRet(ir->builder, ir_code(ir, DYN_OK));
  return function;
}
