/* Sines and cosines of a group of angles (sines.h), in one function of vectors that a module has
 * once. It promises the numbers of sines.c to the last bit: the same operations in the same order.
 */
#include "codegen/llvm_ir.h"
#include "codegen/sines.h"

struct sines { /* the function under construction */
  struct ir *ir;
  LLVMTypeRef type, bits;
};

struct turn { /* angles: quarter turns modulo 4, and the rest */
  LLVMValueRef quarters, high, low, square;
};

static LLVMValueRef in_all(LLVMValueRef constant) {
  LLVMValueRef entries[SINES_GROUP];
  for (unsigned i = 0; i < SINES_GROUP; i++) entries[i] = constant;
  return LLVMConstVector(entries, SINES_GROUP);
}

static LLVMValueRef real(const struct sines *s, double number) {
  return in_all(LLVMConstReal(s->ir->f64, number));
}

static LLVMValueRef integer(const struct sines *s, int64_t number) {
  return in_all(ir_int(s->ir, number));
}

static LLVMValueRef add(const struct sines *s, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFAdd(s->ir->builder, a, b, "");
}

static LLVMValueRef subtract(const struct sines *s, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFSub(s->ir->builder, a, b, "");
}

static LLVMValueRef multiply(const struct sines *s, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFMul(s->ir->builder, a, b, "");
}

static LLVMValueRef two_difference(const struct sines *s, LLVMValueRef a, LLVMValueRef b,
                                   LLVMValueRef *low) {
  LLVMValueRef difference = subtract(s, a, b), of_b = subtract(s, difference, a);
  *low = subtract(s, subtract(s, a, subtract(s, difference, of_b)), add(s, b, of_b));
  return difference;
}

static struct turn reduce(const struct sines *s, LLVMValueRef angles) {
  LLVMValueRef rounder = real(s, SINES_ROUNDER), first, second, part[SINES_PARTS];
  LLVMValueRef shifted = add(s, multiply(s, angles, real(s, SINES_TWO_BY_PI)), rounder);
  LLVMValueRef k = subtract(s, shifted, rounder);
  struct turn turn;
  for (int i = 0; i < SINES_PARTS; i++) part[i] = multiply(s, k, real(s, sines_half_pi[i]));
  turn.quarters = LLVMBuildBitCast(s->ir->builder, shifted, s->bits, "");
  turn.high = subtract(s, angles, part[0]);
  turn.high = two_difference(s, turn.high, part[1], &first);
  turn.high = two_difference(s, turn.high, part[2], &second);
  turn.low = subtract(s, add(s, first, second), part[3]);
  turn.square = multiply(s, turn.high, turn.high);
  return turn;
}

static LLVMValueRef polynomial(const struct sines *s, const double *terms, int count,
                               LLVMValueRef x) {
  LLVMValueRef sum = real(s, terms[count - 1]);
  for (int i = count - 1; i-- > 0;) sum = add(s, multiply(s, sum, x), real(s, terms[i]));
  return sum;
}

static LLVMValueRef sine_of_rest(const struct sines *s, const struct turn *turn) {
  LLVMValueRef cube = multiply(s, turn->square, turn->high);
  LLVMValueRef half = multiply(s, turn->square, real(s, 0.5));
  LLVMValueRef low = subtract(s, turn->low, multiply(s, half, turn->low));
  LLVMValueRef series = polynomial(s, sines_terms, SINES_TERMS, turn->square);
  return add(s, turn->high, add(s, multiply(s, cube, series), low));
}

static LLVMValueRef cosine_of_rest(const struct sines *s, const struct turn *turn) {
  LLVMValueRef one = real(s, 1), half = multiply(s, turn->square, real(s, 0.5));
  LLVMValueRef main = subtract(s, one, half), taken = subtract(s, subtract(s, one, main), half);
  LLVMValueRef low = subtract(s, taken, multiply(s, turn->high, turn->low));
  LLVMValueRef fourth = multiply(s, turn->square, turn->square);
  LLVMValueRef series = polynomial(s, cosines_terms, COSINES_TERMS, turn->square);
  return add(s, main, add(s, multiply(s, fourth, series), low));
}

/* Of two values the one for odd quarters or the other, and the sign of the upper two quarters. */
static LLVMValueRef by_quarter(const struct sines *s, LLVMValueRef quarters, LLVMValueRef odd_value,
                               LLVMValueRef even_value) {
  LLVMBuilderRef builder = s->ir->builder;
  LLVMTypeRef truths = LLVMVectorType(s->ir->i1, SINES_GROUP);
  LLVMValueRef odd = LLVMBuildTrunc(builder, quarters, truths, "");
  LLVMValueRef value = LLVMBuildSelect(builder, odd, odd_value, even_value, "");
  LLVMValueRef sign = LLVMBuildAnd(builder, LLVMBuildShl(builder, quarters, integer(s, 62), ""),
                                   integer(s, INT64_MIN), "");
  value = LLVMBuildXor(builder, LLVMBuildBitCast(builder, value, s->bits, ""), sign, "");
  return LLVMBuildBitCast(builder, value, s->type, "");
}

/* Where `is_far`, what the C library has of the angle; else the value. */
static LLVMValueRef with_library(const struct sines *s, const char *name, LLVMValueRef angles,
                                 LLVMValueRef is_far, LLVMValueRef value) {
  LLVMBuilderRef builder = s->ir->builder;
  LLVMValueRef function = ir_declare_math(s->ir, name, s->ir->f64, 1);
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  LLVMValueRef far = value;
  for (int i = 0; i < SINES_GROUP; i++) {
    LLVMValueRef index = ir_code(s->ir, i);
    LLVMValueRef angle = LLVMBuildExtractElement(builder, angles, index, "");
    LLVMValueRef result = LLVMBuildCall2(builder, type, function, &angle, 1, "");
    far = LLVMBuildInsertElement(builder, far, result, index, "");
  }
  return LLVMBuildSelect(builder, is_far, far, value, "");
}

static void return_pair(const struct sines *s, LLVMValueRef sine, LLVMValueRef cosine) {
  LLVMValueRef pair[2] = {sine, cosine};
  LLVMBuildAggregateRet(s->ir->builder, pair, 2);
}

static void write_body(const struct sines *s, LLVMValueRef function) {
  struct ir *ir = s->ir;
  LLVMBuilderRef builder = ir->builder;
  LLVMValueRef angles = LLVMGetParam(function, 0);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(ir->context, function, ""));
  LLVMValueRef fabs = ir_declare_math(ir, "llvm.fabs.v4f64", s->type, 1);
  LLVMValueRef size = LLVMBuildCall2(builder, LLVMGlobalGetValueType(fabs), fabs, &angles, 1, "");
  LLVMValueRef is_far = LLVMBuildFCmp(builder, LLVMRealUGT, size, real(s, SINES_LARGEST), "");
  struct turn turn = reduce(s, angles);
  LLVMValueRef of_sine = sine_of_rest(s, &turn), of_cosine = cosine_of_rest(s, &turn);
  LLVMValueRef ahead = LLVMBuildAdd(builder, turn.quarters, integer(s, 1), "");
  LLVMValueRef sine = by_quarter(s, turn.quarters, of_cosine, of_sine);
  LLVMValueRef cosine = by_quarter(s, ahead, of_cosine, of_sine);
  LLVMValueRef any = LLVMBuildICmp(
      builder, LLVMIntNE,
      LLVMBuildBitCast(builder, is_far, LLVMIntTypeInContext(ir->context, SINES_GROUP), ""),
      LLVMConstInt(LLVMIntTypeInContext(ir->context, SINES_GROUP), 0, 0), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, any);
  return_pair(s, with_library(s, "llvm.sin.f64", angles, is_far, sine),
              with_library(s, "llvm.cos.f64", angles, is_far, cosine));
  LLVMPositionBuilderAtEnd(builder, after);
  return_pair(s, sine, cosine);
}

static LLVMValueRef function_of(struct ir *ir) {
  static const char name[] = "dyn_sines";
  LLVMValueRef function = LLVMGetNamedFunction(ir->module, name);
  if (function != NULL) return function;
  struct sines s = {ir, LLVMVectorType(ir->f64, SINES_GROUP), LLVMVectorType(ir->i64, SINES_GROUP)};
  LLVMTypeRef pair[2] = {s.type, s.type};
  LLVMTypeRef result = LLVMStructTypeInContext(ir->context, pair, 2, 0);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder);
  function = LLVMAddFunction(ir->module, name, LLVMFunctionType(result, &s.type, 1, 0));
  LLVMSetLinkage(function, LLVMInternalLinkage);
  ir_set_attribute(ir, function, "nounwind", 0);
  write_body(&s, function);
  LLVMPositionBuilderAtEnd(ir->builder, here);
  return function;
}

void ir_emit_sines(struct ir *ir, const LLVMValueRef *angles, unsigned count, LLVMValueRef *sines,
                   LLVMValueRef *cosines) {
  LLVMBuilderRef builder = ir->builder;
  LLVMValueRef function = function_of(ir);
  LLVMValueRef group = LLVMGetPoison(LLVMVectorType(ir->f64, SINES_GROUP));
  for (unsigned i = 0; i < SINES_GROUP; i++)
    group = LLVMBuildInsertElement(builder, group, angles[i < count ? i : 0],
                                   ir_code(ir, (int32_t)i), "");
  LLVMValueRef pair =
      LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, &group, 1, "");
  LLVMValueRef of_sine = LLVMBuildExtractValue(builder, pair, 0, "");
  LLVMValueRef of_cosine = LLVMBuildExtractValue(builder, pair, 1, "");
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef index = ir_code(ir, (int32_t)i);
    sines[i] = LLVMBuildExtractElement(builder, of_sine, index, "");
    cosines[i] = LLVMBuildExtractElement(builder, of_cosine, index, "");
  }
}
