/* Shared by the files of the LLVM module (llvm_*_module.c). Nothing else includes LLVM headers. */
#ifndef DYN_CODEGEN_LLVM_IR_H
#define DYN_CODEGEN_LLVM_IR_H
#include "base/vector.h"
#include "codegen/backend.h"
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

struct ir_datum { /* something of this process that a module for it refers to by a name */
  char name[32];
  const void *address;
};

/* A module under construction. Its functions work on one trajectory, or on several at once: then a
 * value is a vector, one entry a lane, and so is a truth value. There are no branches between lanes;
 * a lane that would go another way is lost (ir_lose), and whoever called takes it alone. */
struct ir {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMTypeRef i1, i32, i64, f64, ptr, nothing;
  unsigned lanes;           /* 1, 4 or 8 */
  LLVMTypeRef value, truth; /* f64, i1; or vectors of lanes */
  /* dyn_function. Of several lanes: all its arrays [entry][lane], the time as one of them, and the
   * result has a bit for each lane that was lost. */
  LLVMTypeRef function;
  LLVMValueRef lost; /* of the function under construction: a variable; NULL with one lane */
  bool is_jit;          /* solver kernels are the C functions of this process */
  bool contract;
  const double *parameters; /* folded, or NULL */
  size_t instructions;
  bool has_kernels;             /* loops, which are worth the full optimiser */
  VECTOR(struct ir_datum) data; /* numbered in order of use: equal tapes make equal modules */
};

void ir_init(struct ir *ir, const char *name, unsigned lanes);
void ir_clear(struct ir *ir);
LLVMValueRef ir_int(const struct ir *ir, int64_t value);  /* i64 */
LLVMValueRef ir_code(const struct ir *ir, int32_t value); /* i32 */
LLVMValueRef ir_real(const struct ir *ir, double value); /* in every lane */
LLVMValueRef ir_truth(const struct ir *ir, bool value);
/* A pointer to an object of this process, for JIT modules. */
LLVMValueRef ir_address(struct ir *ir, const void *object);
void ir_set_attribute(const struct ir *ir, LLVMValueRef function, const char *name, uint64_t value);
/* A function of the C library or an intrinsic ("sinh", "llvm.sqrt.f64") of a, or of a and b, in
 * every lane. */
LLVMValueRef ir_call_math(struct ir *ir, const char *name, LLVMValueRef a, LLVMValueRef b);
/* A function without effects from `arguments` times the type to the type. */
LLVMValueRef ir_declare_math(struct ir *ir, const char *name, LLVMTypeRef type, unsigned arguments);

/* ---- several lanes (llvm_lanes_module.c, llvm_lane_functions_module.c) */
LLVMValueRef ir_in_every_lane(struct ir *ir, LLVMValueRef value); /* a vector of an f64 */
/* Where a function of several lanes begins, in its entry block; the answer is what to restore. */
LLVMValueRef ir_begin_lost(struct ir *ir);
void ir_lose(struct ir *ir, LLVMValueRef truth); /* the lanes where that holds */
void ir_lose_bits(struct ir *ir, LLVMValueRef bits);
LLVMValueRef ir_lost_bits(struct ir *ir); /* i32: what the function answers */
LLVMValueRef lanes_call_math(struct ir *ir, const char *name, LLVMValueRef a, LLVMValueRef b);
/* A function of the process's vector library; NULL where there is none. */
void *lanes_library_function(const char *name);

/* ---- tapes (llvm_tape_module.c) */
/* Adds the function for a tape; `work` becomes the doubles of workspace it needs. Local unless
 * the module is for the JIT. */
LLVMValueRef ir_add_tape(struct ir *ir, const struct tape *tape, const char *name, int32_t *work);
/* The same of a tape of orders (taylor.h), for those orders whose sums have so many blocks; a negative
 * number: for all. */
LLVMValueRef ir_add_order(struct ir *ir, const struct tape *tape, int blocks, const char *name,
                          int32_t *work);

/* ---- sines (llvm_sines_module.c) */
/* Of `count` angles, at most SINES_GROUP (sines.h), one trajectory. */
void ir_emit_sines(struct ir *ir, const LLVMValueRef *angles, unsigned count, LLVMValueRef *sines,
                   LLVMValueRef *cosines);

/* ---- Taylor series (llvm_taylor_module.c) */
/* The dyn_taylor_function. Local unless the module is for the JIT. */
LLVMValueRef ir_add_taylor(struct ir *ir, const struct taylor *taylor, const char *name,
                           int32_t *work);
/* Instructions DOT and KEEP; order: an i64. */
LLVMValueRef ir_emit_dot(struct ir *ir, LLVMValueRef work, const struct tape_instruction *dot,
                         LLVMValueRef order, int blocks);
void ir_emit_keep(struct ir *ir, LLVMValueRef work, const struct tape_instruction *keep,
                  LLVMValueRef order, LLVMValueRef value);

/* ---- steps of integrators (llvm_step_module.c) */
/* The function of a step that calls `rhs`; of several lanes a dyn_lane_function (dyn_lanes.h). Local
 * unless the module is for the JIT. */
LLVMValueRef ir_add_step(struct ir *ir, enum program_step step, LLVMValueRef rhs,
                         const dyn_model *sizes, const char *name);

/* ---- splitting (llvm_split_module.c) */
struct tape_split {
  uint32_t *ends; /* first instruction behind each part */
  uint32_t parts;
  uint32_t *slots; /* 1 + place in the workspace of a value used by a later part, else 0 */
  uint32_t slot_count;
};
void tape_split_init(struct tape_split *split, const struct tape *tape, uint32_t part_size);
/* Whether the instruction is a solution in the slot of the value computed for it. */
bool tape_split_in_place(const struct tape_split *split, const struct tape *tape, uint32_t index);
void tape_split_clear(struct tape_split *split);

/* ---- solvers (llvm_solvers_module.c) */
/* Both answer an i32: 0, or 1 + the unknown at which they failed. */
LLVMValueRef ir_emit_factor(struct ir *ir, const struct tape_solver *solver, LLVMValueRef work);
LLVMValueRef ir_emit_substitute(struct ir *ir, const struct tape_solver *solver,
                                const struct tape_right_side *side, LLVMValueRef work);

/* ---- kernels (llvm_kernels_module.c), added to the module at first use. Their names, types and
 * bodies stand in a table there. For the JIT, without a body, kernel_factor and kernel_substitute
 * (kernels.h):
 *   i32 dyn_factor(ptr solver, ptr work)
 *   i32 dyn_substitute(ptr solver, ptr side, ptr work)
 *   i32 dyn_careful(ptr tape, double t, ptr x, ptr u, ptr p, ptr work, ptr out) */
LLVMValueRef kernel_function(struct ir *ir, const char *name);
LLVMValueRef kernel_call(struct ir *ir, const char *name, LLVMValueRef *arguments, unsigned count);
/* Kind SPARSE: the solver's tables as constants, the calls, and the matrix with its zeros. */
LLVMValueRef kernel_call_sparse_factor(struct ir *ir, const struct tape_solver *solver,
                                       LLVMValueRef work);
void kernel_call_sparse_substitute(struct ir *ir, const struct tape_solver *solver,
                                   const struct tape_right_side *side, LLVMValueRef work);
LLVMValueRef kernel_expand_sparse(struct ir *ir, const struct tape_solver *solver,
                                  LLVMValueRef work);

/* ---- loops and choices for kernels (llvm_loops_module.c) */
struct ir_loop {
  LLVMBasicBlockRef head, after;
  LLVMValueRef counter, index;
};
struct ir_loop ir_loop_begin(struct ir *ir, LLVMValueRef from,
                             LLVMValueRef to); /* from <= i < to */
void ir_loop_end(struct ir *ir, struct ir_loop *loop);
LLVMValueRef ir_variable(struct ir *ir, LLVMTypeRef type, LLVMValueRef start);
LLVMBasicBlockRef ir_if_begin(struct ir *ir, LLVMValueRef condition); /* answers the block after */
void ir_if_end(struct ir *ir, LLVMBasicBlockRef after);
LLVMValueRef ir_element(struct ir *ir, LLVMValueRef base, LLVMValueRef index); /* of values */
LLVMValueRef ir_load(struct ir *ir, LLVMValueRef base, LLVMValueRef index);
void ir_store(struct ir *ir, LLVMValueRef value, LLVMValueRef base, LLVMValueRef index);
/* base[index] -= a*b */
void ir_subtract_product(struct ir *ir, LLVMValueRef base, LLVMValueRef index, LLVMValueRef a,
                         LLVMValueRef b);

/* ---- the constant dyn_model (llvm_tables_module.c) */
void ir_add_model(struct ir *ir, const struct program *program, const char *prefix,
                  LLVMValueRef functions[PROGRAM_FUNCTION_COUNT],
                  LLVMValueRef steps[PROGRAM_STEP_COUNT], LLVMValueRef taylor, int32_t work);

/* ---- target and passes (llvm_target_module.c). Errors as texts that the caller frees. */
char *target_machine_new(const struct backend_options *options, int level,
                         LLVMTargetMachineRef *out);
char *target_run_passes(struct ir *ir, LLVMTargetMachineRef machine, int level);

/* ---- loading into the process (llvm_jit_module.c) */
struct jit_code;
/* Takes the object over, which may refer to `data` (of a struct ir). addresses[i] of symbols
 * names[i]. */
char *jit_load(LLVMMemoryBufferRef object, const struct ir_datum *data, size_t data_count,
               const char *const *names, void **addresses, size_t count, struct jit_code **out);
void jit_free(struct jit_code *code);
#endif
