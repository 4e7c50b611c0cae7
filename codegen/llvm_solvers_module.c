/* Solver instructions in IR. A JIT-compiled tape calls the interpreter's kernels, which live in
 * this process and know the solver by its address; an object file brings its own, and what
 * kernels.c decides by the kind of the solver is decided here. */
#include "codegen/llvm_ir.h"

static LLVMValueRef work_at(struct ir *ir, LLVMValueRef work, uint32_t offset) {
  return ir_element(ir, work, ir_int(ir, offset));
}

/* ---- factors */

/* The fast way, NULL if there is none. */
static LLVMValueRef fast_factor(struct ir *ir, const struct tape_solver *solver,
                                LLVMValueRef work) {
  LLVMValueRef n = ir_int(ir, solver->n), a = work_at(ir, work, solver->matrix);
  if (solver->kind == SOLVER_SPARSE) return kernel_call_sparse_factor(ir, solver, work);
  if (solver->kind == SOLVER_DENSE) {
    LLVMValueRef arguments[5] = {n, ir_int(ir, solver->coordinates), a,
                                 work_at(ir, work, solver->factor),
                                 work_at(ir, work, solver->scratch)};
    return kernel_call(ir, "dyn_ldlt_factor", arguments, 5);
  }
  if (solver->kind != SOLVER_LU || !tape_solver_is_bordered(solver)) return NULL;
  LLVMValueRef arguments[4] = {n, a, ir_code(ir, solver->is_symmetric),
                               work_at(ir, work, solver->factor)};
  return kernel_call(ir, "dyn_lu_factor", arguments, 4);
}

static LLVMValueRef slow_factor(struct ir *ir, const struct tape_solver *solver,
                                LLVMValueRef work) {
  bool is_sparse = solver->kind == SOLVER_SPARSE;
  LLVMValueRef a =
      is_sparse ? kernel_expand_sparse(ir, solver, work) : work_at(ir, work, solver->matrix);
  LLVMValueRef n = ir_int(ir, solver->n), f = work_at(ir, work, solver->lu);
  LLVMValueRef is_symmetric = ir_code(ir, solver->is_symmetric && !is_sparse);
  if (!tape_solver_is_bordered(solver)) {
    LLVMValueRef arguments[4] = {n, a, is_symmetric, f};
    return kernel_call(ir, "dyn_lu_factor", arguments, 4);
  }
  LLVMValueRef arguments[8] = {n,
                               ir_int(ir, solver->coordinates),
                               ir_int(ir, solver->rank),
                               a,
                               is_symmetric,
                               f,
                               work_at(ir, work, solver->scratch),
                               ir_code(ir, solver->kind == SOLVER_ELIMINATING)};
  return kernel_call(ir, "dyn_border_factor", arguments, 8);
}

LLVMValueRef ir_emit_factor(struct ir *ir, const struct tape_solver *solver, LLVMValueRef work) {
  if (ir->lanes > 1) return fast_factor(ir, solver, work); /* which there is: see backend.h */
  if (ir->is_jit) {
    LLVMValueRef arguments[2] = {ir_address(ir, solver), work};
    return kernel_call(ir, "dyn_factor", arguments, 2);
  }
  LLVMValueRef lost = fast_factor(ir, solver, work), mode = ir_int(ir, solver->mode);
  if (lost == NULL) return slow_factor(ir, solver, work);
  if (solver->lu == TAPE_NO_LU) return lost;
  LLVMValueRef result = ir_variable(ir, ir->i32, lost);
  ir_store(ir, ir_real(ir, 0), work, mode);
  LLVMValueRef is_lost = LLVMBuildICmp(ir->builder, LLVMIntNE, lost, ir_code(ir, 0), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_lost);
  ir_store(ir, ir_real(ir, 1), work, mode);
  LLVMBuildStore(ir->builder, slow_factor(ir, solver, work), result);
  ir_if_end(ir, after);
  return LLVMBuildLoad2(ir->builder, ir->i32, result, "");
}

/* ---- right sides */

static void substitute_by_lu(struct ir *ir, const struct tape_solver *solver,
                             const struct tape_right_side *side, LLVMValueRef work) {
  LLVMValueRef arguments[5] = {ir_int(ir, solver->n), work_at(ir, work, solver->lu),
                               work_at(ir, work, solver->scratch), work_at(ir, work, side->offset),
                               ir_int(ir, side->columns)};
  kernel_call(ir, "dyn_lu_substitute", arguments, 5);
}

static void fast_substitute(struct ir *ir, const struct tape_solver *solver,
                            const struct tape_right_side *side, LLVMValueRef work) {
  if (solver->kind == SOLVER_SPARSE) {
    kernel_call_sparse_substitute(ir, solver, side, work);
  } else if (solver->kind == SOLVER_DENSE) {
    LLVMValueRef arguments[4] = {ir_int(ir, solver->n), work_at(ir, work, solver->factor),
                                 work_at(ir, work, side->offset), ir_int(ir, side->columns)};
    kernel_call(ir, "dyn_ldlt_substitute", arguments, 4);
  } else {
    substitute_by_lu(ir, solver, side, work);
  }
}

static LLVMValueRef slow_substitute(struct ir *ir, const struct tape_solver *solver,
                                    const struct tape_right_side *side, LLVMValueRef work) {
  if (!tape_solver_is_bordered(solver)) {
    substitute_by_lu(ir, solver, side, work);
    return ir_code(ir, 0);
  }
  LLVMValueRef arguments[7] = {ir_int(ir, solver->n),           ir_int(ir, solver->coordinates),
                               work_at(ir, work, solver->lu),   work_at(ir, work, solver->scratch),
                               work_at(ir, work, side->offset), ir_int(ir, side->columns),
                               ir_code(ir, side->is_checked)};
  return kernel_call(ir, "dyn_border_substitute", arguments, 7);
}

LLVMValueRef ir_emit_substitute(struct ir *ir, const struct tape_solver *solver,
                                const struct tape_right_side *side, LLVMValueRef work) {
  if (ir->lanes > 1) {
    fast_substitute(ir, solver, side, work);
    return ir_code(ir, 0);
  }
  if (ir->is_jit) {
    LLVMValueRef arguments[3] = {ir_address(ir, solver), ir_address(ir, side), work};
    return kernel_call(ir, "dyn_substitute", arguments, 3);
  }
  bool is_slow_only = solver->kind == SOLVER_UNROLLED || solver->kind == SOLVER_REVEALING ||
                      solver->kind == SOLVER_ELIMINATING ||
                      (solver->kind == SOLVER_LU && !tape_solver_is_bordered(solver));
  if (is_slow_only) return slow_substitute(ir, solver, side, work);
  if (solver->lu == TAPE_NO_LU) {
    fast_substitute(ir, solver, side, work);
    return ir_code(ir, 0);
  }
  LLVMValueRef result = ir_variable(ir, ir->i32, ir_code(ir, 0));
  LLVMValueRef mode = ir_load(ir, work, ir_int(ir, solver->mode));
  LLVMValueRef is_slow = LLVMBuildFCmp(ir->builder, LLVMRealUNE, mode, ir_real(ir, 0), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_slow);
  LLVMBuildStore(ir->builder, slow_substitute(ir, solver, side, work), result);
  ir_if_end(ir, after);
  after = ir_if_begin(ir, LLVMBuildNot(ir->builder, is_slow, ""));
  fast_substitute(ir, solver, side, work);
  ir_if_end(ir, after);
  return LLVMBuildLoad2(ir->builder, ir->i32, result, "");
}
