/* Functions of the C library in every lane. Sine, cosine and tangent are arithmetic here; what the
 * processor has is an instruction; the others are calls of the vector functions of the C library
 * (libmvec of glibc, within 4 units in the last place), four lanes at a time, or of its ordinary
 * ones, lane by lane, where it has none. A lane's result depends on nothing but its own argument,
 * and is the same with 4 lanes and with 8.
 *
 * Sine and cosine: with k = x/(pi/2) rounded to an integer, r = x - k pi/2 lies within +-pi/4 and k
 * modulo 4 tells which of them is to be taken of r, and its sign. pi/2 is the sum of three doubles;
 * k times the first leaves no error in a fused multiply-add; the errors of the product with the
 * second, and of the sum with that, are kept, so that r = high + low to some 100 bits. There the
 * Taylor series to r^17 and r^16 are exact to 0.02 units in the last place. Results are within 1.
 * Source: Muller, Elementary Functions, 3rd ed., 11.2 (additive range reduction, Cody and Waite)
 * and 11.3. */
#define _GNU_SOURCE
#include "codegen/llvm_ir.h"
#include "dyn/dyn_lanes.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 4 /* lanes of a call of the library */ };

static LLVMValueRef call(struct ir *ir, LLVMValueRef function, LLVMValueRef *arguments,
                         unsigned count) {
  return LLVMBuildCall2(ir->builder, LLVMGlobalGetValueType(function), function, arguments, count,
                        "");
}

static LLVMValueRef call_intrinsic(struct ir *ir, const char *name, LLVMValueRef *arguments,
                                   unsigned count) {
  char full[64];
  snprintf(full, sizeof full, "llvm.%s.v%uf64", name, ir->lanes);
  return call(ir, ir_declare_math(ir, full, ir->value, count), arguments, count);
}

/* a*b + c, rounded once. */
static LLVMValueRef fused(struct ir *ir, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  LLVMValueRef arguments[3] = {a, b, c};
  return call_intrinsic(ir, "fma", arguments, 3);
}

/* ---- sine and cosine */

static const double taylor_sine[] = {
    -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
    -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
static const double taylor_cosine[] = {
    1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
    1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};

struct turn { /* an angle: quarter turns, and the rest */
  LLVMValueRef quarters, high, low, square;
};

static LLVMValueRef polynomial(struct ir *ir, const double *coefficients, size_t count,
                               LLVMValueRef x) {
  LLVMValueRef sum = ir_real(ir, coefficients[count - 1]);
  for (size_t i = count - 1; i-- > 0;) sum = fused(ir, sum, x, ir_real(ir, coefficients[i]));
  return sum;
}

/* a + b = the result + *low, exactly (Knuth). */
static LLVMValueRef two_sum(struct ir *ir, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *low) {
  LLVMBuilderRef builder = ir->builder;
  LLVMValueRef sum = LLVMBuildFAdd(builder, a, b, "");
  LLVMValueRef of_b = LLVMBuildFSub(builder, sum, a, "");
  LLVMValueRef of_a = LLVMBuildFSub(builder, sum, of_b, "");
  LLVMValueRef a_left = LLVMBuildFSub(builder, a, of_a, "");
  LLVMValueRef b_left = LLVMBuildFSub(builder, b, of_b, "");
  *low = LLVMBuildFAdd(builder, a_left, b_left, "");
  return sum;
}

/* Beyond 2^30 k does not leave enough bits; so do angles that are not finite. */
static struct turn reduce(struct ir *ir, LLVMValueRef x) {
  static const double first = 0x1.921fb54442d18p+0, second = 0x1.1a62633145c07p-54,
                      third = -0x1.f1976b7ed8fbcp-110, two_by_pi = 0x1.45f306dc9c883p-1;
  LLVMBuilderRef builder = ir->builder;
  LLVMTypeRef bits = LLVMVectorType(ir->i64, ir->lanes);
  LLVMValueRef size = call_intrinsic(ir, "fabs", &x, 1), rounder = ir_real(ir, 0x1.8p52);
  ir_lose(ir, LLVMBuildFCmp(builder, LLVMRealUGT, size, ir_real(ir, 0x1p30), ""));
  /* Added to 1.5 * 2^52 a number is rounded to an integer, which then stands in the last bits. */
  LLVMValueRef shifted = fused(ir, x, ir_real(ir, two_by_pi), rounder);
  LLVMValueRef k = LLVMBuildFNeg(builder, LLVMBuildFSub(builder, shifted, rounder, ""), "");
  LLVMValueRef rest = fused(ir, k, ir_real(ir, first), x);
  struct turn turn = {.quarters = LLVMBuildBitCast(builder, shifted, bits, "")};
  LLVMValueRef product = LLVMBuildFMul(builder, k, ir_real(ir, second), "");
  LLVMValueRef left = fused(ir, k, ir_real(ir, second), LLVMBuildFNeg(builder, product, ""));
  turn.high = two_sum(ir, rest, product, &turn.low);
  left = fused(ir, k, ir_real(ir, third), left);
  turn.low = LLVMBuildFAdd(builder, turn.low, left, "");
  turn.square = LLVMBuildFMul(builder, turn.high, turn.high, "");
  return turn;
}

/* sin(high + low) = sin(high) + low cos(high) */
static LLVMValueRef sine_of_rest(struct ir *ir, const struct turn *turn) {
  LLVMBuilderRef builder = ir->builder;
  LLVMValueRef series =
      polynomial(ir, taylor_sine, sizeof taylor_sine / sizeof *taylor_sine, turn->square);
  LLVMValueRef cube = LLVMBuildFMul(builder, turn->square, turn->high, "");
  LLVMValueRef half = LLVMBuildFMul(builder, turn->square, ir_real(ir, -0.5), "");
  LLVMValueRef low = fused(ir, half, turn->low, turn->low);
  return LLVMBuildFAdd(builder, turn->high, fused(ir, cube, series, low), "");
}

/* 1 - square/2 is rounded; what that takes off is added to the rest of the series. */
static LLVMValueRef cosine_of_rest(struct ir *ir, const struct turn *turn) {
  LLVMBuilderRef builder = ir->builder;
  LLVMValueRef series =
      polynomial(ir, taylor_cosine, sizeof taylor_cosine / sizeof *taylor_cosine, turn->square);
  LLVMValueRef half = LLVMBuildFMul(builder, turn->square, ir_real(ir, 0.5), "");
  LLVMValueRef main = LLVMBuildFSub(builder, ir_real(ir, 1), half, "");
  LLVMValueRef taken = LLVMBuildFSub(builder, ir_real(ir, 1), main, "");
  taken = LLVMBuildFSub(builder, taken, half, "");
  LLVMValueRef low = fused(ir, LLVMBuildFNeg(builder, turn->high, ""), turn->low, taken);
  LLVMValueRef fourth = LLVMBuildFMul(builder, turn->square, turn->square, "");
  return LLVMBuildFAdd(builder, main, fused(ir, fourth, series, low), "");
}

/* By quarter turns modulo 4: sine s, c, -s, -c; cosine, which is a quarter ahead, c, -s, -c, s. */
static LLVMValueRef by_quarter(struct ir *ir, const struct turn *turn, int is_cosine) {
  LLVMBuilderRef builder = ir->builder;
  LLVMTypeRef bits = LLVMTypeOf(turn->quarters);
  LLVMValueRef lane[DYN_MOST_LANES], one, quarters = turn->quarters;
  for (unsigned i = 0; i < ir->lanes; i++) lane[i] = ir_int(ir, 1);
  one = LLVMConstVector(lane, ir->lanes);
  if (is_cosine) quarters = LLVMBuildAdd(builder, quarters, one, "");
  LLVMValueRef odd = LLVMBuildTrunc(builder, quarters, ir->truth, "");
  LLVMValueRef value =
      LLVMBuildSelect(builder, odd, cosine_of_rest(ir, turn), sine_of_rest(ir, turn), "");
  for (unsigned i = 0; i < ir->lanes; i++) lane[i] = ir_int(ir, 62);
  LLVMValueRef sign = LLVMBuildShl(builder, quarters, LLVMConstVector(lane, ir->lanes), "");
  for (unsigned i = 0; i < ir->lanes; i++) lane[i] = ir_int(ir, INT64_MIN);
  sign = LLVMBuildAnd(builder, sign, LLVMConstVector(lane, ir->lanes), "");
  value = LLVMBuildXor(builder, LLVMBuildBitCast(builder, value, bits, ""), sign, "");
  return LLVMBuildBitCast(builder, value, ir->value, "");
}

/* What sine, cosine and tangent of one angle share is written down for each, and found to be the
 * same by LLVM. */
static LLVMValueRef sine(struct ir *ir, LLVMValueRef x) {
  struct turn turn = reduce(ir, x);
  return by_quarter(ir, &turn, 0);
}

static LLVMValueRef cosine(struct ir *ir, LLVMValueRef x) {
  struct turn turn = reduce(ir, x);
  return by_quarter(ir, &turn, 1);
}

static LLVMValueRef tangent(struct ir *ir, LLVMValueRef x) {
  struct turn turn = reduce(ir, x);
  LLVMValueRef s = by_quarter(ir, &turn, 0), c = by_quarter(ir, &turn, 1);
  return LLVMBuildFDiv(ir->builder, s, c, "");
}

/* ---- functions of the C library */

/* Stays open as long as the process: machine code may hold addresses in it. */
void *lanes_library_function(const char *name) {
#if defined(__x86_64__) && defined(__linux__)
  void *library = __builtin_cpu_supports("avx2") ? dlopen("libmvec.so.1", RTLD_NOW) : NULL;
  return library != NULL ? dlsym(library, name) : NULL;
#else
  (void)name;
  return NULL;
#endif
}

static LLVMValueRef piece_of(struct ir *ir, LLVMValueRef value, unsigned first) {
  LLVMValueRef lane[PIECE];
  for (unsigned i = 0; i < PIECE; i++) lane[i] = ir_code(ir, (int32_t)(first + i));
  return LLVMBuildShuffleVector(ir->builder, value, value, LLVMConstVector(lane, PIECE), "");
}

static LLVMValueRef lane_by_lane(struct ir *ir, const char *name, LLVMValueRef *arguments,
                                 unsigned count) {
  LLVMValueRef function = ir_declare_math(ir, name, ir->f64, count);
  LLVMValueRef result = LLVMGetPoison(ir->value);
  for (unsigned i = 0; i < ir->lanes; i++) {
    LLVMValueRef own[2], index = ir_code(ir, (int32_t)i);
    for (unsigned k = 0; k < count; k++)
      own[k] = LLVMBuildExtractElement(ir->builder, arguments[k], index, "");
    result = LLVMBuildInsertElement(ir->builder, result, call(ir, function, own, count), index, "");
  }
  return result;
}

static LLVMValueRef call_library(struct ir *ir, const char *name, LLVMValueRef *arguments,
                                 unsigned count) {
  struct ir_datum datum;
  snprintf(datum.name, sizeof datum.name, "_ZGVdN%d%s_%.16s", PIECE, count == 2 ? "vv" : "v", name);
  datum.address = lanes_library_function(datum.name);
  if (datum.address == NULL) return lane_by_lane(ir, name, arguments, count);
  if (LLVMGetNamedFunction(ir->module, datum.name) == NULL) vector_push(&ir->data, datum);
  LLVMValueRef function = ir_declare_math(ir, datum.name, LLVMVectorType(ir->f64, PIECE), count),
               piece[2];
  for (unsigned first = 0; first < ir->lanes; first += PIECE) {
    LLVMValueRef own[2];
    for (unsigned k = 0; k < count; k++) own[k] = piece_of(ir, arguments[k], first);
    piece[first / PIECE] = call(ir, function, own, count);
  }
  if (ir->lanes == PIECE) return piece[0];
  LLVMValueRef lane[DYN_MOST_LANES];
  for (unsigned i = 0; i < ir->lanes; i++) lane[i] = ir_code(ir, (int32_t)i);
  return LLVMBuildShuffleVector(ir->builder, piece[0], piece[1], LLVMConstVector(lane, ir->lanes),
                                "");
}

LLVMValueRef lanes_call_math(struct ir *ir, const char *name, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef arguments[2] = {a, b};
  char plain[16] = "";
  if (sscanf(name, "llvm.%15[a-z0-9]", plain) != 1) snprintf(plain, sizeof plain, "%s", name);
  if (strcmp(plain, "sin") == 0) return sine(ir, a);
  if (strcmp(plain, "cos") == 0) return cosine(ir, a);
  if (strcmp(plain, "tan") == 0) return tangent(ir, a);
  if (strcmp(plain, "sqrt") == 0 || strcmp(plain, "fabs") == 0 || strcmp(plain, "floor") == 0)
    return call_intrinsic(ir, plain, arguments, 1);
  return call_library(ir, plain, arguments, b != NULL ? 2 : 1);
}
