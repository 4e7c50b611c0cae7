/* A module under construction and the small things every emitter needs. */
#include "codegen/llvm_ir.h"
#include "dyn/dyn_lanes.h"
#include <stdio.h>
#include <string.h>

void ir_init(struct ir *ir, const char *name, unsigned lanes) {
  LLVMContextRef context = LLVMContextCreate();
  *ir = (struct ir){.context = context, .lanes = lanes};
  ir->module = LLVMModuleCreateWithNameInContext(name, context);
  ir->builder = LLVMCreateBuilderInContext(context);
  ir->i1 = LLVMInt1TypeInContext(context);
  ir->i32 = LLVMInt32TypeInContext(context);
  ir->i64 = LLVMInt64TypeInContext(context);
  ir->f64 = LLVMDoubleTypeInContext(context);
  ir->ptr = LLVMPointerTypeInContext(context, 0);
  ir->nothing = LLVMVoidTypeInContext(context);
  ir->value = lanes > 1 ? LLVMVectorType(ir->f64, lanes) : ir->f64;
  ir->truth = lanes > 1 ? LLVMVectorType(ir->i1, lanes) : ir->i1;
  LLVMTypeRef time = lanes > 1 ? ir->ptr : ir->f64;
  LLVMTypeRef arguments[7] = {ir->ptr, time, ir->ptr, ir->ptr, ir->ptr, ir->ptr, ir->ptr};
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

static LLVMValueRef in_lanes(const struct ir *ir, LLVMValueRef constant) {
  LLVMValueRef lane[DYN_MOST_LANES];
  for (unsigned i = 0; i < ir->lanes; i++) lane[i] = constant;
  return ir->lanes > 1 ? LLVMConstVector(lane, ir->lanes) : constant;
}

LLVMValueRef ir_real(const struct ir *ir, double value) {
  return in_lanes(ir, LLVMConstReal(ir->f64, value));
}

LLVMValueRef ir_truth(const struct ir *ir, bool value) {
  return in_lanes(ir, LLVMConstInt(ir->i1, value, 0));
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

LLVMValueRef ir_declare_math(struct ir *ir, const char *name, LLVMTypeRef type,
                             unsigned arguments) {
  LLVMValueRef function = LLVMGetNamedFunction(ir->module, name);
  if (function != NULL) return function;
  LLVMTypeRef types[3] = {type, type, type};
  function = LLVMAddFunction(ir->module, name, LLVMFunctionType(type, types, arguments, 0));
  if (strncmp(name, "llvm.", 5) == 0) return function;
  ir_set_attribute(ir, function, "nounwind", 0);
  ir_set_attribute(ir, function, "willreturn", 0);
  ir_set_attribute(ir, function, "memory", 0); /* no access at all: errno is not used */
  return function;
}

LLVMValueRef ir_call_math(struct ir *ir, const char *name, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef arguments[2] = {a, b};
  unsigned count = b != NULL ? 2 : 1;
  if (ir->lanes > 1) return lanes_call_math(ir, name, a, b);
  LLVMValueRef function = ir_declare_math(ir, name, ir->f64, count);
  return LLVMBuildCall2(ir->builder, LLVMGlobalGetValueType(function), function, arguments, count,
                        "");
}
