/* Target machines and the passes to run.
 *
 * A tape has no common subexpressions and no control flow worth the name, so the optimiser finds
 * little: folding what known parameters make constant, and (level 3) vectorising straight-line
 * code. The solver kernels are loops, for which the full pipeline with its vectoriser pays. */
#include "codegen/llvm_ir.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

/* LLVM's own registry of targets is filled when the module is loaded, before any thread uses it. */
__attribute__((constructor)) static void initialize_targets(void) {
#ifdef DYN_THIS_MACHINE_ALONE
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
#else
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMInitializeAllAsmPrinters();
#endif
}

static char *copy_message(char *message) {
  struct text out = {0};
  text_put(&out, message);
  LLVMDisposeMessage(message);
  return text_take(&out);
}

char *target_machine_new(const struct backend_options *options, int level,
                         LLVMTargetMachineRef *out) {
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                               LLVMCodeGenLevelDefault, LLVMCodeGenLevelDefault};
  char *message = NULL;
  char *triple = options->target != NULL ? LLVMNormalizeTargetTriple(options->target)
                                         : LLVMGetDefaultTargetTriple();
  bool is_native = options->target == NULL && strcmp(options->cpu, "native") == 0;
  bool is_generic = strcmp(options->cpu, "generic") == 0 ||
                    (options->target != NULL && strcmp(options->cpu, "native") == 0);
  char *host_cpu = is_native ? LLVMGetHostCPUName() : NULL;
  char *features = is_native ? LLVMGetHostCPUFeatures() : NULL;
  const char *cpu = is_native ? host_cpu : is_generic ? "" : options->cpu;
  LLVMTargetRef target;
  *out = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &message))
    message = copy_message(message);
  else {
    *out = LLVMCreateTargetMachine(target, triple, cpu, features != NULL ? features : "",
                                   levels[level], LLVMRelocPIC, LLVMCodeModelDefault);
    message = NULL;
  }
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(host_cpu);
  LLVMDisposeMessage(features);
  if (message == NULL && *out == NULL) {
    struct text fault = {0};
    text_put(&fault, "LLVM has no code generator for this target");
    message = text_take(&fault);
  }
  return message;
}

static const char *pipeline_for(const struct ir *ir, int level) {
  enum { LONG = 50000 }; /* instructions */
  if (level >= 3) return "default<O3>";
  if (ir->lanes > 1 && !ir->has_kernels)
    return level >= 1 ? "function(mem2reg,early-cse)" : "function(mem2reg)";
  if (ir->has_kernels && level >= 1 && ir->instructions < LONG) return "default<O2>";
  if (ir->has_kernels)
    return "function(mem2reg,instsimplify,early-cse,simplifycfg,loop-simplify,"
           "loop-mssa(loop-rotate,licm),loop-vectorize,simplifycfg)";
  if (ir->parameters != NULL && level >= 1) return "function(early-cse)";
  return NULL;
}

char *target_run_passes(struct ir *ir, LLVMTargetMachineRef machine, int level) {
  const char *pipeline = pipeline_for(ir, level);
#ifndef NDEBUG
  char *broken = NULL;
  if (LLVMVerifyModule(ir->module, LLVMReturnStatusAction, &broken)) bug("LLVM IR: %s", broken);
  LLVMDisposeMessage(broken);
#endif
  if (pipeline == NULL) return NULL;
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
  LLVMPassBuilderOptionsSetSLPVectorization(options, level >= 3);
  LLVMErrorRef error = LLVMRunPasses(ir->module, pipeline, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error == NULL) return NULL;
  char *message = LLVMGetErrorMessage(error);
  struct text out = {0};
  text_put(&out, message);
  LLVMDisposeErrorMessage(message);
  return text_take(&out);
}
