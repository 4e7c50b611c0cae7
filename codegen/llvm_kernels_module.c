/* Solver kernels in the module under construction: which there are, their types, and how they are
 * called. Their bodies (llvm_kernels_dense_module.c, _lu_, _sparse_) do the same operations in the
 * same order as the C kernels of the interpreter (kernels.c). */
#include "codegen/llvm_kernels.h"
#include "codegen/kernels.h"
#include <stdio.h>
#include <string.h>

/* Signatures: result, then arguments. i: i32, l: i64, p: pointer, v: nothing. */
static const struct kernel_facts {
  const char *name, *signature;
  void (*body)(struct kernel *);
} kernel_facts[] = {
    {"dyn_factor", "ipp", NULL}, /* of the process: kernel_factor and kernel_substitute */
    {"dyn_substitute", "vppp", NULL},
    {"dyn_ldlt_factor", "ilppp", kernel_body_ldlt_factor},
    {"dyn_ldlt_substitute", "vlppppl", kernel_body_ldlt_substitute},
    {"dyn_lu_factor", "ilpip", kernel_body_lu_factor},
    {"dyn_lu_substitute", "vlpppl", kernel_body_lu_substitute},
    {"dyn_sparse_factor", "ilpppppllp", kernel_body_sparse_factor},
    {"dyn_sparse_substitute", "vlpppppppl", kernel_body_sparse_substitute},
};

static LLVMTypeRef type_of(struct ir *ir, char letter) {
  switch (letter) {
  case 'i':
    return ir->i32;
  case 'l':
    return ir->i64;
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
  facts->body(&k);
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
  LLVMValueRef function = ir_declare_math(k->ir, "llvm.fabs.f64", 1);
  return LLVMBuildCall2(k->builder, LLVMGlobalGetValueType(function), function, &a, 1, "");
}

LLVMValueRef kernel_tolerance(struct kernel *k, double relative) {
  LLVMValueRef n = LLVMBuildSIToFP(k->builder, k->n, k->ir->f64, "");
  return kernel_multiply(k, n, ir_real(k->ir, relative));
}

LLVMValueRef kernel_integer(struct kernel *k, LLVMValueRef base, LLVMValueRef index) {
  LLVMValueRef place = LLVMBuildInBoundsGEP2(k->builder, k->ir->i32, base, &index, 1, "");
  LLVMValueRef value = LLVMBuildLoad2(k->builder, k->ir->i32, place, "");
  return LLVMBuildSExt(k->builder, value, k->ir->i64, "");
}

void kernel_return(struct kernel *k, LLVMValueRef code) {
  LLVMBuildRet(k->builder, LLVMBuildTrunc(k->builder, code, k->ir->i32, ""));
}

LLVMValueRef kernel_downwards(struct kernel *k, LLVMValueRef i) {
  return kernel_subtract(k, kernel_subtract(k, k->n, k->one), i);
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

/* The way out to LU is taken here and not in the kernel: it needs tables that few calls use. */
static LLVMValueRef call_dense_fallback(struct ir *ir, const struct tape_solver *solver,
                                        LLVMValueRef work) {
  uint32_t full = solver->scratch + solver->n;
  size_t size = (size_t)solver->n * solver->n;
  LLVMBuildMemSet(ir->builder, work_at(ir, work, full),
                  LLVMConstInt(LLVMInt8TypeInContext(ir->context), 0, 0),
                  ir_int(ir, (int64_t)(size * 8)), 8);
  LLVMValueRef rows = constant_table(ir, solver->entry_rows, solver->entry_count);
  LLVMValueRef columns = constant_table(ir, solver->entry_columns, solver->entry_count);
  struct kernel k = {.ir = ir, .builder = ir->builder, .n = ir_int(ir, solver->n)};
  struct ir_loop e = ir_loop_begin(ir, ir_int(ir, 0), ir_int(ir, solver->entry_count));
  LLVMValueRef value = ir_load(ir, work_at(ir, work, solver->matrix), e.index);
  LLVMValueRef row = kernel_integer(&k, rows, e.index);
  LLVMValueRef column = kernel_integer(&k, columns, e.index);
  ir_store(ir, value, work_at(ir, work, full), kernel_index(&k, row, column));
  ir_store(ir, value, work_at(ir, work, full), kernel_index(&k, column, row));
  ir_loop_end(ir, &e);
  LLVMValueRef arguments[4] = {ir_int(ir, solver->n), work_at(ir, work, full), ir_code(ir, 0),
                               work_at(ir, work, solver->lu)};
  return kernel_call(ir, "dyn_lu_factor", arguments, 4);
}

/* Several tapes share the tables of equal solvers only if LLVM merges them; one function has one.
 */
LLVMValueRef kernel_call_sparse_factor(struct ir *ir, const struct tape_solver *solver,
                                       LLVMValueRef work) {
  LLVMValueRef arguments[9] = {ir_int(ir, solver->n),
                               constant_table(ir, solver->order, solver->n),
                               constant_table(ir, solver->starts, (size_t)solver->n + 1),
                               constant_table(ir, solver->targets, solver->target_count),
                               constant_table(ir, solver->entry_places, solver->entry_count),
                               work_at(ir, work, solver->matrix),
                               ir_int(ir, solver->entry_count),
                               ir_int(ir, solver->factor_count),
                               work_at(ir, work, solver->factor)};
  LLVMValueRef lost = kernel_call(ir, "dyn_sparse_factor", arguments, 9);
  if (solver->lu == TAPE_NO_LU) return lost;
  LLVMValueRef result = ir_variable(ir, ir->i32, lost);
  ir_store(ir, ir_real(ir, 0), work, ir_int(ir, solver->mode));
  LLVMValueRef is_lost = LLVMBuildICmp(ir->builder, LLVMIntNE, lost, ir_code(ir, 0), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_lost);
  ir_store(ir, ir_real(ir, 1), work, ir_int(ir, solver->mode));
  LLVMBuildStore(ir->builder, call_dense_fallback(ir, solver, work), result);
  ir_if_end(ir, after);
  return LLVMBuildLoad2(ir->builder, ir->i32, result, "");
}

void kernel_call_sparse_substitute(struct ir *ir, const struct tape_solver *solver,
                                   const struct tape_right_side *side, LLVMValueRef work) {
  LLVMValueRef b = work_at(ir, work, side->offset), scratch = work_at(ir, work, solver->scratch);
  LLVMValueRef columns = ir_int(ir, side->columns);
  LLVMValueRef factor = work_at(ir, work, solver->factor);
  LLVMValueRef arguments[9] = {ir_int(ir, solver->n),
                               constant_table(ir, solver->order, solver->n),
                               constant_table(ir, solver->starts, (size_t)solver->n + 1),
                               constant_table(ir, solver->rows, solver->factor_count),
                               factor,
                               work_at(ir, work, solver->factor + solver->factor_count),
                               scratch,
                               b,
                               columns};
  LLVMBasicBlockRef after = NULL;
  if (solver->lu != TAPE_NO_LU) {
    LLVMValueRef mode = ir_load(ir, work, ir_int(ir, solver->mode));
    LLVMValueRef by_lu = LLVMBuildFCmp(ir->builder, LLVMRealUNE, mode, ir_real(ir, 0), "");
    after = ir_if_begin(ir, by_lu);
    LLVMValueRef lu_arguments[5] = {ir_int(ir, solver->n), work_at(ir, work, solver->lu), scratch,
                                    b, columns};
    kernel_call(ir, "dyn_lu_substitute", lu_arguments, 5);
    ir_if_end(ir, after);
    after = ir_if_begin(ir, LLVMBuildNot(ir->builder, by_lu, ""));
  }
  kernel_call(ir, "dyn_sparse_substitute", arguments, 9);
  if (after != NULL) ir_if_end(ir, after);
}
