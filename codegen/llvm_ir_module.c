/* A module under construction and the small things every emitter needs. */
#include "codegen/llvm_ir.h"
#include <stdio.h>
#include <string.h>

void ir_init(struct ir *ir, const char *name) {
  LLVMContextRef context = LLVMContextCreate();
  *ir = (struct ir){.context = context};
  ir->module = LLVMModuleCreateWithNameInContext(name, context);
  ir->builder = LLVMCreateBuilderInContext(context);
  ir->i1 = LLVMInt1TypeInContext(context);
  ir->i32 = LLVMInt32TypeInContext(context);
  ir->i64 = LLVMInt64TypeInContext(context);
  ir->f64 = LLVMDoubleTypeInContext(context);
  ir->ptr = LLVMPointerTypeInContext(context, 0);
  ir->nothing = LLVMVoidTypeInContext(context);
  LLVMTypeRef arguments[7] = {ir->ptr, ir->f64, ir->ptr, ir->ptr, ir->ptr, ir->ptr, ir->ptr};
  ir->function = LLVMFunctionType(ir->i32, arguments, 7, 0);
}

void ir_clear(struct ir *ir) {
  LLVMDisposeBuilder(ir->builder);
  LLVMDisposeModule(ir->module);
  LLVMContextDispose(ir->context);
  vector_free(&ir->data);
  *ir = (struct ir){0};
}

LLVMValueRef ir_int(const struct ir *ir, int64_t value) {
  return LLVMConstInt(ir->i64, (unsigned long long)value, 1);
}

LLVMValueRef ir_code(const struct ir *ir, int32_t value) {
  return LLVMConstInt(ir->i32, (unsigned long long)(int64_t)value, 1);
}

LLVMValueRef ir_real(const struct ir *ir, double value) {
  return LLVMConstReal(ir->f64, value);
}

LLVMValueRef ir_address(struct ir *ir, const void *object) {
  struct ir_datum datum = {.address = object};
  snprintf(datum.name, sizeof datum.name, "dyn_datum_%u", ir->data.count);
  vector_push(&ir->data, datum);
  return LLVMAddGlobal(ir->module, LLVMInt8TypeInContext(ir->context), datum.name);
}

void ir_set_attribute(const struct ir *ir, LLVMValueRef function, const char *name,
                      uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(ir->context, kind, value);
  LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

LLVMValueRef ir_declare_math(struct ir *ir, const char *name, unsigned arguments) {
  LLVMValueRef function = LLVMGetNamedFunction(ir->module, name);
  if (function != NULL) return function;
  LLVMTypeRef types[2] = {ir->f64, ir->f64};
  function = LLVMAddFunction(ir->module, name, LLVMFunctionType(ir->f64, types, arguments, 0));
  if (strncmp(name, "llvm.", 5) == 0) return function;
  ir_set_attribute(ir, function, "nounwind", 0);
  ir_set_attribute(ir, function, "willreturn", 0);
  ir_set_attribute(ir, function, "memory", 0); /* no access at all: errno is not used */
  return function;
}
