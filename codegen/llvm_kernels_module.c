/* Solver kernels in the module under construction: which there are, their types, and how they are
 * called. Their bodies (llvm_kernels_dense_module.c, _lu_, _sparse_, _border_) do the same
 * operations in the same order as the C kernels of the interpreter (kernels.c). */
#include "codegen/llvm_kernels.h"
#include "codegen/kernels.h"
#include <stdio.h>
#include <string.h>

/* Signatures: result, then arguments. i: i32, l: i64, d: double, p: pointer, v: nothing. */
static const struct kernel_facts {
  const char *name, *signature;
  void (*body)(struct kernel *);
} kernel_facts[] = {
    {"dyn_factor", "ipp", NULL}, /* of the process: kernel_factor and kernel_substitute */
    {"dyn_substitute", "ippp", NULL},
    {"dyn_careful", "ipdppppp", NULL}, /* tape_run_plain */
    {"dyn_ldlt_factor", "illppp", kernel_body_ldlt_factor},
    {"dyn_ldlt_substitute", "vlppl", kernel_body_ldlt_substitute},
    {"dyn_lu_factor", "ilpip", kernel_body_lu_factor},
    {"dyn_lu_substitute", "vlpppl", kernel_body_lu_substitute},
    {"dyn_sparse_factor", "ilppppppllpl", kernel_body_sparse_factor},
    {"dyn_sparse_substitute", "vlpppppppl", kernel_body_sparse_substitute},
    {"dyn_border_factor", "illlpippi", kernel_body_border_factor},
    {"dyn_border_substitute", "illpppli", kernel_body_border_substitute},
};

static LLVMTypeRef type_of(struct ir *ir, char letter) {
  switch (letter) {
  case 'i':
    return ir->i32;
  case 'l':
    return ir->i64;
  case 'd':
    return ir->f64;
  case 'p':
    return ir->ptr;
  default:
    return ir->nothing;
  }
}

static void add_body(struct ir *ir, const struct kernel_facts *facts, LLVMValueRef function) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder);
  struct kernel k = {.ir = ir, .builder = ir->builder, .function = function};
  k.n = LLVMGetParam(function, 0);
  k.zero = ir_int(ir, 0);
  k.one = ir_int(ir, 1);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMPositionBuilderAtEnd(ir->builder, LLVMAppendBasicBlockInContext(ir->context, function, ""));
  LLVMValueRef lost = ir_begin_lost(ir);
  facts->body(&k);
  ir->lost = lost;
  if (here != NULL) LLVMPositionBuilderAtEnd(ir->builder, here);
}

LLVMValueRef kernel_function(struct ir *ir, const char *name) {
  LLVMValueRef function = LLVMGetNamedFunction(ir->module, name);
  const struct kernel_facts *facts = kernel_facts;
  if (function != NULL) return function;
  while (strcmp(facts->name, name) != 0) facts++;
  LLVMTypeRef types[16];
  unsigned count = (unsigned)strlen(facts->signature) - 1;
  for (unsigned i = 0; i < count; i++) types[i] = type_of(ir, facts->signature[i + 1]);
  LLVMTypeRef type = LLVMFunctionType(type_of(ir, facts->signature[0]), types, count, 0);
  function = LLVMAddFunction(ir->module, name, type);
  ir_set_attribute(ir, function, "nounwind", 0);
  ir_set_attribute(ir, function, "noinline", 0);
  if (facts->body == NULL) return function;
  ir->has_kernels = true;
  add_body(ir, facts, function);
  return function;
}

LLVMValueRef kernel_call(struct ir *ir, const char *name, LLVMValueRef *arguments, unsigned count) {
  LLVMValueRef function = kernel_function(ir, name);
  return LLVMBuildCall2(ir->builder, LLVMGlobalGetValueType(function), function, arguments, count,
                        "");
}

/* ---- what bodies are made of */

LLVMValueRef kernel_index(struct kernel *k, LLVMValueRef i, LLVMValueRef j) {
  return LLVMBuildNSWAdd(k->builder, i, LLVMBuildNSWMul(k->builder, j, k->n, ""), "");
}

LLVMValueRef kernel_add(struct kernel *k, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildNSWAdd(k->builder, a, b, "");
}

LLVMValueRef kernel_subtract(struct kernel *k, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildNSWSub(k->builder, a, b, "");
}

LLVMValueRef kernel_multiply(struct kernel *k, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFMul(k->builder, a, b, "");
}

LLVMValueRef kernel_reciprocal(struct kernel *k, LLVMValueRef a) {
  return LLVMBuildFDiv(k->builder, ir_real(k->ir, 1), a, "");
}

LLVMValueRef kernel_absolute(struct kernel *k, LLVMValueRef a) {
  return ir_call_math(k->ir, "llvm.fabs.f64", a, NULL);
}

LLVMValueRef kernel_tolerance(struct kernel *k, double relative) {
  LLVMValueRef n = LLVMBuildSIToFP(k->builder, k->n, k->ir->f64, "");
  return kernel_multiply(k, ir_in_every_lane(k->ir, n), ir_real(k->ir, relative));
}

LLVMValueRef kernel_pivot_limit(struct kernel *k, LLVMValueRef coordinates) {
  LLVMValueRef is_bordered = LLVMBuildICmp(k->builder, LLVMIntSLT, coordinates, k->n, "");
  return LLVMBuildSelect(k->builder, is_bordered, ir_real(k->ir, KERNEL_BORDER_PIVOT_TOLERANCE),
                         kernel_tolerance(k, KERNEL_PIVOT_TOLERANCE), "");
}

LLVMValueRef kernel_integer(struct kernel *k, LLVMValueRef base, LLVMValueRef index) {
  LLVMValueRef place = LLVMBuildInBoundsGEP2(k->builder, k->ir->i32, base, &index, 1, "");
  LLVMValueRef value = LLVMBuildLoad2(k->builder, k->ir->i32, place, "");
  return LLVMBuildSExt(k->builder, value, k->ir->i64, "");
}

void kernel_return(struct kernel *k, LLVMValueRef code) {
  LLVMBuildRet(k->builder, LLVMBuildTrunc(k->builder, code, k->ir->i32, ""));
}

void kernel_leave_if(struct kernel *k, LLVMValueRef condition, LLVMValueRef code) {
  if (k->ir->lanes > 1) {
    ir_lose(k->ir, condition);
    return;
  }
  LLVMBasicBlockRef after = ir_if_begin(k->ir, condition);
  kernel_return(k, code);
  ir_if_end(k->ir, after);
}

void kernel_return_good(struct kernel *k) {
  LLVMBuildRet(k->builder, k->ir->lanes > 1 ? ir_lost_bits(k->ir) : ir_code(k->ir, 0));
}

LLVMValueRef kernel_downwards(struct kernel *k, LLVMValueRef i) {
  return kernel_subtract(k, kernel_subtract(k, k->n, k->one), i);
}

/* One that is not a number stays the largest. */
LLVMValueRef kernel_is_larger(struct kernel *k, LLVMValueRef size, LLVMValueRef largest) {
  LLVMValueRef is_above = LLVMBuildFCmp(k->builder, LLVMRealOGT, size, largest, "");
  LLVMValueRef is_undefined = LLVMBuildFCmp(k->builder, LLVMRealUNO, size, size, "");
  return LLVMBuildOr(k->builder, is_above, is_undefined, "");
}

void kernel_swap(struct kernel *k, LLVMValueRef base, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef first = ir_load(k->ir, base, a), second = ir_load(k->ir, base, b);
  ir_store(k->ir, second, base, a);
  ir_store(k->ir, first, base, b);
}

void kernel_copy(struct kernel *k, LLVMValueRef a, LLVMValueRef is_symmetric, LLVMValueRef f) {
  struct ir *ir = k->ir;
  struct ir_loop j = ir_loop_begin(ir, k->zero, k->n);
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef is_above = LLVMBuildICmp(k->builder, LLVMIntSLT, i.index, j.index, "");
  LLVMValueRef is_mirrored = LLVMBuildICmp(k->builder, LLVMIntNE, is_symmetric, ir_code(ir, 0), "");
  LLVMValueRef own = kernel_index(k, i.index, j.index);
  LLVMValueRef mirror = kernel_index(k, j.index, i.index);
  LLVMValueRef from = LLVMBuildSelect(
      k->builder, LLVMBuildAnd(k->builder, is_above, is_mirrored, ""), mirror, own, "");
  ir_store(ir, ir_load(ir, a, from), f, own);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &j);
}

LLVMValueRef kernel_pivot_is_lost(struct kernel *k, LLVMValueRef is_coordinate, LLVMValueRef pivot,
                                  LLVMValueRef limit) {
  LLVMValueRef negative = LLVMBuildFNeg(k->builder, pivot, "");
  LLVMValueRef size = LLVMBuildSelect(k->builder, is_coordinate, pivot, negative, "");
  return LLVMBuildFCmp(k->builder, LLVMRealULE, size, limit, "");
}

/* ---- calls with constant tables */

static LLVMValueRef constant_table(struct ir *ir, const int32_t *items, size_t count) {
  LLVMValueRef *values = checked_calloc(count + 1, sizeof(LLVMValueRef));
  for (size_t i = 0; i < count; i++) values[i] = ir_code(ir, items[i]);
  LLVMValueRef array = LLVMConstArray2(ir->i32, values, count);
  LLVMValueRef global = LLVMAddGlobal(ir->module, LLVMTypeOf(array), "table");
  LLVMSetInitializer(global, array);
  LLVMSetGlobalConstant(global, 1);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  free(values);
  return global;
}

static LLVMValueRef work_at(struct ir *ir, LLVMValueRef work, uint32_t offset) {
  return ir_element(ir, work, ir_int(ir, offset));
}

/* The way out of sparse L D L^T is prepared here and not in a kernel: it needs tables that few
 * calls use. */
LLVMValueRef kernel_expand_sparse(struct ir *ir, const struct tape_solver *solver,
                                  LLVMValueRef work) {
  LLVMValueRef full = work_at(ir, work, solver->scratch + solver->n);
  size_t size = (size_t)solver->n * solver->n;
  LLVMBuildMemSet(ir->builder, full, LLVMConstInt(LLVMInt8TypeInContext(ir->context), 0, 0),
                  ir_int(ir, (int64_t)(size * 8)), 8);
  LLVMValueRef rows = constant_table(ir, solver->entry_rows, solver->entry_count);
  LLVMValueRef columns = constant_table(ir, solver->entry_columns, solver->entry_count);
  struct kernel k = {.ir = ir, .builder = ir->builder, .n = ir_int(ir, solver->n)};
  struct ir_loop e = ir_loop_begin(ir, ir_int(ir, 0), ir_int(ir, solver->entry_count));
  LLVMValueRef value = ir_load(ir, work_at(ir, work, solver->matrix), e.index);
  LLVMValueRef row = kernel_integer(&k, rows, e.index);
  LLVMValueRef column = kernel_integer(&k, columns, e.index);
  ir_store(ir, value, full, kernel_index(&k, row, column));
  ir_store(ir, value, full, kernel_index(&k, column, row));
  ir_loop_end(ir, &e);
  return full;
}

/* Several tapes share the tables of equal solvers only if LLVM merges them; one function has one.
 */
LLVMValueRef kernel_call_sparse_factor(struct ir *ir, const struct tape_solver *solver,
                                       LLVMValueRef work) {
  LLVMValueRef arguments[11] = {ir_int(ir, solver->n),
                                constant_table(ir, solver->order, solver->n),
                                constant_table(ir, solver->starts, (size_t)solver->n + 1),
                                constant_table(ir, solver->rows, solver->factor_count),
                                constant_table(ir, solver->targets, solver->target_count),
                                constant_table(ir, solver->entry_places, solver->entry_count),
                                work_at(ir, work, solver->matrix),
                                ir_int(ir, solver->entry_count),
                                ir_int(ir, solver->factor_count),
                                work_at(ir, work, solver->factor),
                                ir_int(ir, solver->coordinates)};
  return kernel_call(ir, "dyn_sparse_factor", arguments, 11);
}

void kernel_call_sparse_substitute(struct ir *ir, const struct tape_solver *solver,
                                   const struct tape_right_side *side, LLVMValueRef work) {
  LLVMValueRef arguments[9] = {ir_int(ir, solver->n),
                               constant_table(ir, solver->order, solver->n),
                               constant_table(ir, solver->starts, (size_t)solver->n + 1),
                               constant_table(ir, solver->rows, solver->factor_count),
                               work_at(ir, work, solver->factor),
                               work_at(ir, work, solver->factor + solver->factor_count),
                               work_at(ir, work, solver->scratch),
                               work_at(ir, work, side->offset),
                               ir_int(ir, side->columns)};
  kernel_call(ir, "dyn_sparse_substitute", arguments, 9);
}
