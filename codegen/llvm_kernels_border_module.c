/* Bordered systems with dependent constraints in IR: see kernels_border.c, function by function. */
#include "codegen/kernels.h"
#include "codegen/llvm_kernels.h"
#include <math.h>

struct border {
  LLVMValueRef coordinates, m, f, row_scale, column_scale, row_number, column_number;
  LLVMValueRef rank, basis, squares; /* rank: of type i64, once it is known */
};

static struct border border_at(struct kernel *k, LLVMValueRef coordinates, LLVMValueRef f) {
  struct ir *ir = k->ir;
  struct border b = {.coordinates = coordinates, .f = f};
  b.m = kernel_subtract(k, k->n, coordinates);
  b.row_scale = ir_element(ir, f, kernel_index(k, k->zero, k->n));
  b.column_scale = ir_element(ir, b.row_scale, k->n);
  b.row_number = ir_element(ir, b.column_scale, k->n);
  b.column_number = ir_element(ir, b.row_number, k->n);
  b.basis = ir_element(ir, ir_element(ir, b.column_number, k->n), k->one);
  b.squares = ir_element(ir, b.basis, LLVMBuildNSWMul(k->builder, b.m, b.m, ""));
  return b;
}

static LLVMValueRef to_real(struct kernel *k, LLVMValueRef integer) {
  return LLVMBuildSIToFP(k->builder, integer, k->ir->f64, "");
}

static LLVMValueRef to_integer(struct kernel *k, LLVMValueRef real) {
  return LLVMBuildFPToSI(k->builder, real, k->ir->i64, "");
}

static LLVMValueRef rank_place(struct kernel *k, struct border *b) {
  return ir_element(k->ir, b->column_number, k->n);
}

static LLVMValueRef load_rank(struct kernel *k, struct border *b) {
  return to_integer(k, ir_load(k->ir, rank_place(k, b), k->zero));
}

/* last - 1 - i: runs a loop of `last` steps downwards. */
static LLVMValueRef downwards_from(struct kernel *k, LLVMValueRef last, LLVMValueRef i) {
  return kernel_subtract(k, kernel_subtract(k, last, k->one), i);
}

static void keep_larger(struct kernel *k, LLVMValueRef largest, LLVMValueRef size) {
  LLVMValueRef old = ir_load(k->ir, largest, k->zero);
  LLVMValueRef larger = kernel_is_larger(k, size, old);
  ir_store(k->ir, LLVMBuildSelect(k->builder, larger, size, old, ""), largest, k->zero);
}

static LLVMValueRef sum_variable(struct kernel *k) {
  return ir_variable(k->ir, k->ir->f64, ir_real(k->ir, 0));
}

/* sum += a*b */
static void add_product(struct kernel *k, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef old = ir_load(k->ir, sum, k->zero);
  LLVMValueRef next = LLVMBuildFAdd(k->builder, old, kernel_multiply(k, a, b), "");
  ir_store(k->ir, next, sum, k->zero);
}

/* ---- scales */

static LLVMValueRef inverse_size(struct kernel *k, LLVMValueRef size) {
  LLVMValueRef zero = ir_real(k->ir, 0);
  LLVMValueRef is_nothing = LLVMBuildFCmp(k->builder, LLVMRealOEQ, size, zero, "");
  LLVMValueRef sum = LLVMBuildFAdd(k->builder, size, kernel_multiply(k, zero, size), "");
  return LLVMBuildSelect(k->builder, is_nothing, zero, kernel_reciprocal(k, sum), "");
}

static void start_scales(struct kernel *k, struct border *b, LLVMValueRef a,
                         LLVMValueRef is_symmetric) {
  struct ir *ir = k->ir;
  kernel_copy(k, a, is_symmetric, b->f);
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef size = kernel_absolute(k, ir_load(ir, b->f, kernel_index(k, i.index, i.index)));
  size = ir_call_math(ir, "llvm.sqrt.f64", size, NULL);
  LLVMValueRef scale = inverse_size(k, size), number = to_real(k, i.index);
  ir_store(ir, scale, b->row_scale, i.index);
  ir_store(ir, scale, b->column_scale, i.index);
  ir_store(ir, number, b->row_number, i.index);
  ir_store(ir, number, b->column_number, i.index);
  ir_loop_end(ir, &i);
}

static LLVMValueRef is_above(struct kernel *k, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFCmp(k->builder, LLVMRealOGT, a, b, "");
}

/* The least scale of a coordinate with a mass. */
static LLVMValueRef least_scale(struct kernel *k, struct border *b) {
  struct ir *ir = k->ir;
  LLVMValueRef least = ir_variable(ir, ir->f64, ir_real(ir, HUGE_VAL));
  struct ir_loop i = ir_loop_begin(ir, k->zero, b->coordinates);
  LLVMValueRef own = ir_load(ir, b->column_scale, i.index), low = ir_load(ir, least, k->zero);
  LLVMValueRef is_less =
      LLVMBuildAnd(k->builder, is_above(k, own, ir_real(ir, 0)), is_above(k, low, own), "");
  ir_store(ir, LLVMBuildSelect(k->builder, is_less, own, low, ""), least, k->zero);
  ir_loop_end(ir, &i);
  return ir_load(ir, least, k->zero);
}

static void tame_scales(struct kernel *k, struct border *b) {
  struct ir *ir = k->ir;
  LLVMValueRef least = least_scale(k, b);
  struct ir_loop j = ir_loop_begin(ir, b->coordinates, k->n);
  LLVMValueRef largest = sum_variable(k), second = sum_variable(k);
  LLVMValueRef which = ir_variable(ir, ir->i64, k->zero);
  struct ir_loop i = ir_loop_begin(ir, k->zero, b->coordinates);
  LLVMValueRef entry = kernel_absolute(k, ir_load(ir, b->f, kernel_index(k, j.index, i.index)));
  LLVMValueRef size = kernel_multiply(k, entry, ir_load(ir, b->column_scale, i.index));
  LLVMValueRef old = ir_load(ir, largest, k->zero), next = ir_load(ir, second, k->zero);
  LLVMValueRef is_largest = is_above(k, size, old);
  LLVMValueRef lesser = LLVMBuildSelect(k->builder, is_largest, old, size, "");
  ir_store(ir, LLVMBuildSelect(k->builder, is_above(k, lesser, next), lesser, next, ""), second,
           k->zero);
  LLVMValueRef place = LLVMBuildLoad2(k->builder, ir->i64, which, "");
  LLVMBuildStore(k->builder, LLVMBuildSelect(k->builder, is_largest, i.index, place, ""), which);
  ir_store(ir, LLVMBuildSelect(k->builder, is_largest, size, old, ""), largest, k->zero);
  ir_loop_end(ir, &i);
  next = ir_load(ir, second, k->zero);
  LLVMValueRef limit = kernel_multiply(k, ir_real(ir, KERNEL_BORDER_DOMINANT), next);
  LLVMValueRef is_dominant = LLVMBuildAnd(k->builder, is_above(k, next, ir_real(ir, 0)),
                                          is_above(k, ir_load(ir, largest, k->zero), limit), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_dominant);
  place = LLVMBuildLoad2(k->builder, ir->i64, which, "");
  entry = kernel_absolute(k, ir_load(ir, b->f, kernel_index(k, j.index, place)));
  LLVMValueRef scale = LLVMBuildFDiv(k->builder, next, entry, "");
  scale = LLVMBuildSelect(k->builder, is_above(k, scale, least), scale, least, "");
  ir_store(ir, scale, b->row_scale, place);
  ir_store(ir, scale, b->column_scale, place);
  ir_if_end(ir, after);
  ir_loop_end(ir, &j);
}

/* The scale of line i (a row or a column), if it has none, from those of the lines others .. end.
 */
static void fill_scale(struct kernel *k, struct border *b, LLVMValueRef i, bool is_row,
                       LLVMValueRef others, LLVMValueRef end) {
  struct ir *ir = k->ir;
  LLVMValueRef own = is_row ? b->row_scale : b->column_scale;
  LLVMValueRef theirs = is_row ? b->column_scale : b->row_scale;
  LLVMValueRef is_open =
      LLVMBuildFCmp(k->builder, LLVMRealOEQ, ir_load(ir, own, i), ir_real(ir, 0), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_open);
  LLVMValueRef largest = sum_variable(k);
  struct ir_loop j = ir_loop_begin(ir, others, end);
  LLVMValueRef place = is_row ? kernel_index(k, i, j.index) : kernel_index(k, j.index, i);
  LLVMValueRef size = kernel_absolute(k, ir_load(ir, b->f, place));
  keep_larger(k, largest, kernel_multiply(k, size, ir_load(ir, theirs, j.index)));
  ir_loop_end(ir, &j);
  ir_store(ir, inverse_size(k, ir_load(ir, largest, k->zero)), own, i);
  ir_if_end(ir, after);
}

static void fill_scales(struct kernel *k, struct border *b, bool of_constraints) {
  LLVMValueRef middle = b->coordinates;
  LLVMValueRef from = of_constraints ? middle : k->zero, to = of_constraints ? k->n : middle;
  LLVMValueRef others = of_constraints ? k->zero : middle, end = of_constraints ? middle : k->n;
  struct ir_loop i = ir_loop_begin(k->ir, from, to);
  fill_scale(k, b, i.index, true, others, end);
  fill_scale(k, b, i.index, false, others, end);
  ir_loop_end(k->ir, &i);
}

static void close_scale(struct kernel *k, LLVMValueRef scales, LLVMValueRef i) {
  LLVMValueRef scale = ir_load(k->ir, scales, i);
  LLVMValueRef is_open = LLVMBuildFCmp(k->builder, LLVMRealOEQ, scale, ir_real(k->ir, 0), "");
  ir_store(k->ir, LLVMBuildSelect(k->builder, is_open, ir_real(k->ir, 1), scale, ""), scales, i);
}

static void apply_scales(struct kernel *k, struct border *b) {
  struct ir *ir = k->ir;
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  close_scale(k, b->row_scale, i.index);
  close_scale(k, b->column_scale, i.index);
  ir_loop_end(ir, &i);
  struct ir_loop j = ir_loop_begin(ir, k->zero, k->n);
  i = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef place = kernel_index(k, i.index, j.index);
  LLVMValueRef scaled =
      kernel_multiply(k, ir_load(ir, b->f, place), ir_load(ir, b->row_scale, i.index));
  scaled = kernel_multiply(k, scaled, ir_load(ir, b->column_scale, j.index));
  LLVMValueRef zero = kernel_multiply(k, ir_real(ir, 0), scaled);
  ir_store(ir, LLVMBuildFAdd(k->builder, scaled, zero, ""), b->f, place);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &j);
}

/* ---- elimination */

static void swap_lines(struct kernel *k, struct border *b, bool are_rows, LLVMValueRef r,
                       LLVMValueRef s) {
  struct ir_loop i = ir_loop_begin(k->ir, k->zero, k->n);
  LLVMValueRef first = are_rows ? kernel_index(k, r, i.index) : kernel_index(k, i.index, r);
  LLVMValueRef second = are_rows ? kernel_index(k, s, i.index) : kernel_index(k, i.index, s);
  kernel_swap(k, b->f, first, second);
  ir_loop_end(k->ir, &i);
  kernel_swap(k, are_rows ? b->row_number : b->column_number, r, s);
}

/* As is_allowed of kernels_border.c; stages are numbered as there. */
static LLVMValueRef is_allowed(struct kernel *k, struct border *b, LLVMValueRef stage,
                               LLVMValueRef number, int64_t of_constraints) {
  LLVMValueRef place = to_integer(k, number), asked = ir_int(k->ir, of_constraints);
  LLVMValueRef is_rest = LLVMBuildICmp(k->builder, LLVMIntEQ, stage, ir_int(k->ir, 2), "");
  LLVMValueRef is_constraint = LLVMBuildICmp(k->builder, LLVMIntSGE, place, b->coordinates, "");
  LLVMValueRef wanted = LLVMBuildICmp(k->builder, LLVMIntEQ, stage, asked, "");
  LLVMValueRef fits = LLVMBuildICmp(k->builder, LLVMIntEQ, is_constraint, wanted, "");
  return LLVMBuildOr(k->builder, is_rest, fits, "");
}

/* Answers the size of the largest entry of the rest, after bringing it to place p. */
static LLVMValueRef take_pivot(struct kernel *k, struct border *b, LLVMValueRef stage,
                               LLVMValueRef p) {
  struct ir *ir = k->ir;
  LLVMValueRef largest = sum_variable(k);
  LLVMValueRef row = ir_variable(ir, ir->i64, p), column = ir_variable(ir, ir->i64, p);
  struct ir_loop j = ir_loop_begin(ir, p, k->n);
  struct ir_loop i = ir_loop_begin(ir, p, k->n);
  LLVMValueRef size = kernel_absolute(k, ir_load(ir, b->f, kernel_index(k, i.index, j.index)));
  LLVMValueRef row_fits = is_allowed(k, b, stage, ir_load(ir, b->row_number, i.index), 0);
  LLVMValueRef column_fits = is_allowed(k, b, stage, ir_load(ir, b->column_number, j.index), 1);
  LLVMValueRef is_larger = kernel_is_larger(k, size, ir_load(ir, largest, k->zero));
  LLVMValueRef fits = LLVMBuildAnd(k->builder, row_fits, column_fits, "");
  LLVMBasicBlockRef after = ir_if_begin(ir, LLVMBuildAnd(k->builder, fits, is_larger, ""));
  ir_store(ir, size, largest, k->zero);
  LLVMBuildStore(k->builder, i.index, row);
  LLVMBuildStore(k->builder, j.index, column);
  ir_if_end(ir, after);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &j);
  swap_lines(k, b, true, LLVMBuildLoad2(k->builder, ir->i64, row, ""), p);
  swap_lines(k, b, false, LLVMBuildLoad2(k->builder, ir->i64, column, ""), p);
  return ir_load(ir, largest, k->zero);
}

static void eliminate(struct kernel *k, LLVMValueRef f, LLVMValueRef p) {
  struct ir *ir = k->ir;
  LLVMValueRef diagonal = kernel_index(k, p, p), next = kernel_add(k, p, k->one);
  LLVMValueRef inverse = kernel_reciprocal(k, ir_load(ir, f, diagonal));
  struct ir_loop i = ir_loop_begin(ir, next, k->n);
  LLVMValueRef place = kernel_index(k, i.index, p);
  ir_store(ir, kernel_multiply(k, ir_load(ir, f, place), inverse), f, place);
  ir_loop_end(ir, &i);
  struct ir_loop j = ir_loop_begin(ir, next, k->n);
  LLVMValueRef u = ir_load(ir, f, kernel_index(k, p, j.index));
  i = ir_loop_begin(ir, next, k->n);
  LLVMValueRef l = ir_load(ir, f, kernel_index(k, i.index, p));
  ir_subtract_product(ir, f, kernel_index(k, i.index, j.index), l, u);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &j);
  ir_store(ir, inverse, f, diagonal);
}

/* How many pivots there may be at the end of the stage. */
static LLVMValueRef stage_limit(struct kernel *k, struct border *b, LLVMValueRef stage,
                                LLVMValueRef limit, LLVMValueRef eliminates) {
  LLVMValueRef is_first = LLVMBuildICmp(k->builder, LLVMIntEQ, stage, k->zero, "");
  LLVMValueRef is_rest = LLVMBuildICmp(k->builder, LLVMIntEQ, stage, ir_int(k->ir, 2), "");
  LLVMValueRef does = LLVMBuildICmp(k->builder, LLVMIntNE, eliminates, ir_code(k->ir, 0), "");
  LLVMValueRef first =
      LLVMBuildSelect(k->builder, does, kernel_subtract(k, limit, b->coordinates), k->zero, "");
  LLVMValueRef taken = load_rank(k, b);
  LLVMValueRef earlier =
      LLVMBuildSelect(k->builder, is_first, first, kernel_add(k, taken, taken), "");
  return LLVMBuildSelect(k->builder, is_rest, limit, earlier, "");
}

static void factor(struct kernel *k, struct border *b, LLVMValueRef limit,
                   LLVMValueRef eliminates) {
  struct ir *ir = k->ir;
  LLVMValueRef tolerance = kernel_tolerance(k, KERNEL_BORDER_TOLERANCE);
  ir_store(ir, ir_real(ir, 0), rank_place(k, b), k->zero);
  struct ir_loop stage = ir_loop_begin(ir, k->zero, ir_int(ir, 3));
  LLVMValueRef end = stage_limit(k, b, stage.index, limit, eliminates);
  struct ir_loop p = ir_loop_begin(ir, load_rank(k, b), end);
  LLVMValueRef largest = take_pivot(k, b, stage.index, p.index);
  LLVMValueRef is_lost = LLVMBuildFCmp(k->builder, LLVMRealOLE, largest, tolerance, "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_lost);
  LLVMBuildBr(k->builder, p.after);
  ir_if_end(ir, after);
  eliminate(k, b->f, p.index);
  ir_store(ir, to_real(k, kernel_add(k, p.index, k->one)), rank_place(k, b), k->zero);
  ir_loop_end(ir, &p);
  ir_loop_end(ir, &stage);
  b->rank = load_rank(k, b);
}

/* ---- the null space */

static void null_vector(struct kernel *k, struct border *b, LLVMValueRef j, LLVMValueRef s) {
  struct ir *ir = k->ir;
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef is_pivot = LLVMBuildICmp(k->builder, LLVMIntSLT, i.index, b->rank, "");
  LLVMValueRef is_own = LLVMBuildICmp(k->builder, LLVMIntEQ, i.index, j, "");
  LLVMValueRef entry = ir_load(ir, b->f, kernel_index(k, i.index, j));
  LLVMValueRef other = LLVMBuildSelect(k->builder, is_own, ir_real(ir, 1), ir_real(ir, 0), "");
  entry = LLVMBuildFNeg(k->builder, entry, "");
  ir_store(ir, LLVMBuildSelect(k->builder, is_pivot, entry, other, ""), s, i.index);
  ir_loop_end(ir, &i);
  struct ir_loop step = ir_loop_begin(ir, k->zero, b->rank);
  LLVMValueRef p = downwards_from(k, b->rank, step.index);
  LLVMValueRef y = kernel_multiply(k, ir_load(ir, s, p), ir_load(ir, b->f, kernel_index(k, p, p)));
  ir_store(ir, y, s, p);
  i = ir_loop_begin(ir, k->zero, p);
  ir_subtract_product(ir, s, i.index, ir_load(ir, b->f, kernel_index(k, i.index, p)), y);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &step);
}

/* Returns from the kernel if the vector moves a coordinate. */
static void check_vector(struct kernel *k, struct border *b, LLVMValueRef s) {
  struct ir *ir = k->ir;
  LLVMValueRef coordinates = sum_variable(k), multipliers = sum_variable(k);
  LLVMValueRef moved = ir_variable(ir, ir->i64, k->zero);
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef number = to_integer(k, ir_load(ir, b->column_number, i.index));
  LLVMValueRef size = kernel_absolute(k, ir_load(ir, s, i.index));
  LLVMValueRef is_coordinate = LLVMBuildICmp(k->builder, LLVMIntSLT, number, b->coordinates, "");
  LLVMBasicBlockRef after = ir_if_begin(ir, LLVMBuildNot(k->builder, is_coordinate, ""));
  keep_larger(k, multipliers, size);
  ir_if_end(ir, after);
  LLVMValueRef larger = kernel_is_larger(k, size, ir_load(ir, coordinates, k->zero));
  after = ir_if_begin(ir, LLVMBuildAnd(k->builder, is_coordinate, larger, ""));
  ir_store(ir, size, coordinates, k->zero);
  LLVMBuildStore(k->builder, number, moved);
  ir_if_end(ir, after);
  ir_loop_end(ir, &i);
  LLVMValueRef limit =
      kernel_multiply(k, ir_real(ir, KERNEL_BORDER_NEGLIGIBLE), ir_load(ir, multipliers, k->zero));
  LLVMValueRef is_lost =
      LLVMBuildFCmp(k->builder, LLVMRealOGT, ir_load(ir, coordinates, k->zero), limit, "");
  after = ir_if_begin(ir, is_lost);
  kernel_return(k, kernel_add(k, LLVMBuildLoad2(k->builder, ir->i64, moved, ""), k->one));
  ir_if_end(ir, after);
}

/* vector -= (vector . basis v) / (its square) * basis v, for v < count. */
static void take_out_basis(struct kernel *k, struct border *b, LLVMValueRef vector,
                           LLVMValueRef count) {
  struct ir *ir = k->ir;
  struct ir_loop v = ir_loop_begin(ir, k->zero, count);
  LLVMValueRef other = ir_element(ir, b->basis, LLVMBuildNSWMul(k->builder, v.index, b->m, ""));
  LLVMValueRef product = sum_variable(k);
  struct ir_loop i = ir_loop_begin(ir, k->zero, b->m);
  add_product(k, product, ir_load(ir, vector, i.index), ir_load(ir, other, i.index));
  ir_loop_end(ir, &i);
  LLVMValueRef factor = LLVMBuildFDiv(k->builder, ir_load(ir, product, k->zero),
                                      ir_load(ir, b->squares, v.index), "");
  i = ir_loop_begin(ir, k->zero, b->m);
  ir_subtract_product(ir, vector, i.index, factor, ir_load(ir, other, i.index));
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &v);
}

static void add_basis_vector(struct kernel *k, struct border *b, LLVMValueRef s,
                             LLVMValueRef count) {
  struct ir *ir = k->ir;
  LLVMValueRef vector = ir_element(ir, b->basis, LLVMBuildNSWMul(k->builder, count, b->m, ""));
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef number = to_integer(k, ir_load(ir, b->column_number, i.index));
  LLVMValueRef is_multiplier = LLVMBuildICmp(k->builder, LLVMIntSGE, number, b->coordinates, "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_multiplier);
  LLVMValueRef entry =
      kernel_multiply(k, ir_load(ir, s, i.index), ir_load(ir, b->column_scale, number));
  ir_store(ir, entry, vector, kernel_subtract(k, number, b->coordinates));
  ir_if_end(ir, after);
  ir_loop_end(ir, &i);
  take_out_basis(k, b, vector, count);
  LLVMValueRef square = sum_variable(k);
  i = ir_loop_begin(ir, k->zero, b->m);
  entry = ir_load(ir, vector, i.index);
  add_product(k, square, entry, entry);
  ir_loop_end(ir, &i);
  ir_store(ir, ir_load(ir, square, k->zero), b->squares, count);
}

static void find_null_space(struct kernel *k, struct border *b, LLVMValueRef s) {
  struct ir *ir = k->ir;
  struct ir_loop j = ir_loop_begin(ir, b->rank, k->n);
  LLVMValueRef number = to_integer(k, ir_load(ir, b->column_number, j.index));
  LLVMValueRef is_lost = LLVMBuildICmp(k->builder, LLVMIntSLT, number, b->coordinates, "");
  LLVMBasicBlockRef after = ir_if_begin(ir, is_lost);
  kernel_return(k, kernel_add(k, number, k->one));
  ir_if_end(ir, after);
  ir_loop_end(ir, &j);
  j = ir_loop_begin(ir, b->rank, k->n);
  null_vector(k, b, j.index, s);
  check_vector(k, b, s);
  add_basis_vector(k, b, s, kernel_subtract(k, j.index, b->rank));
  ir_loop_end(ir, &j);
}

/* Arguments: n, coordinates, limit, a, is_symmetric, f, scratch. */
void kernel_body_border_factor(struct kernel *k) {
  LLVMValueRef function = k->function;
  struct border b = border_at(k, LLVMGetParam(function, 1), LLVMGetParam(function, 5));
  start_scales(k, &b, LLVMGetParam(function, 3), LLVMGetParam(function, 4));
  tame_scales(k, &b);
  fill_scales(k, &b, true);
  fill_scales(k, &b, false);
  fill_scales(k, &b, true);
  apply_scales(k, &b);
  factor(k, &b, LLVMGetParam(function, 2), LLVMGetParam(function, 7));
  find_null_space(k, &b, LLVMGetParam(function, 6));
  LLVMBuildRet(k->builder, ir_code(k->ir, 0));
}

/* ---- right sides */

static LLVMValueRef scale_right_side(struct kernel *k, struct border *b, LLVMValueRef right,
                                     LLVMValueRef s) {
  struct ir *ir = k->ir;
  LLVMValueRef largest = sum_variable(k);
  struct ir_loop i = ir_loop_begin(ir, k->zero, k->n);
  LLVMValueRef row = to_integer(k, ir_load(ir, b->row_number, i.index));
  LLVMValueRef scaled = kernel_multiply(k, ir_load(ir, right, row), ir_load(ir, b->row_scale, row));
  ir_store(ir, scaled, s, i.index);
  keep_larger(k, largest, kernel_absolute(k, scaled));
  ir_loop_end(ir, &i);
  return ir_load(ir, largest, k->zero);
}

/* Returns from the kernel if an equation left over is not satisfied. */
static void substitute_forward(struct kernel *k, struct border *b, LLVMValueRef right,
                               LLVMValueRef is_checked, LLVMValueRef s) {
  struct ir *ir = k->ir;
  LLVMValueRef largest = scale_right_side(k, b, right, s);
  struct ir_loop p = ir_loop_begin(ir, k->zero, b->rank);
  LLVMValueRef y = ir_load(ir, s, p.index);
  struct ir_loop i = ir_loop_begin(ir, kernel_add(k, p.index, k->one), k->n);
  ir_subtract_product(ir, s, i.index, ir_load(ir, b->f, kernel_index(k, i.index, p.index)), y);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &p);
  LLVMValueRef limit = kernel_multiply(k, ir_real(ir, KERNEL_BORDER_NEGLIGIBLE), largest);
  LLVMValueRef rounding = ir_real(ir, KERNEL_BORDER_ROUNDING);
  limit = LLVMBuildSelect(k->builder, is_above(k, limit, rounding), limit, rounding, "");
  i = ir_loop_begin(ir, b->rank, k->n);
  LLVMValueRef rest = kernel_absolute(k, ir_load(ir, s, i.index));
  LLVMValueRef is_wrong = LLVMBuildFCmp(k->builder, LLVMRealOGT, rest, limit, "");
  LLVMValueRef is_wanted = LLVMBuildICmp(k->builder, LLVMIntNE, is_checked, ir_code(ir, 0), "");
  LLVMBasicBlockRef after = ir_if_begin(ir, LLVMBuildAnd(k->builder, is_wrong, is_wanted, ""));
  LLVMValueRef row = to_integer(k, ir_load(ir, b->row_number, i.index));
  kernel_return(k, kernel_add(k, row, k->one));
  ir_if_end(ir, after);
  ir_loop_end(ir, &i);
}

static void substitute_backward(struct kernel *k, struct border *b, LLVMValueRef right,
                                LLVMValueRef s) {
  struct ir *ir = k->ir;
  struct ir_loop i = ir_loop_begin(ir, b->rank, k->n);
  LLVMValueRef number = to_integer(k, ir_load(ir, b->column_number, i.index));
  ir_store(ir, ir_real(ir, 0), right, number);
  ir_loop_end(ir, &i);
  struct ir_loop step = ir_loop_begin(ir, k->zero, b->rank);
  LLVMValueRef p = downwards_from(k, b->rank, step.index);
  number = to_integer(k, ir_load(ir, b->column_number, p));
  LLVMValueRef y = kernel_multiply(k, ir_load(ir, s, p), ir_load(ir, b->f, kernel_index(k, p, p)));
  ir_store(ir, kernel_multiply(k, y, ir_load(ir, b->column_scale, number)), right, number);
  i = ir_loop_begin(ir, k->zero, p);
  ir_subtract_product(ir, s, i.index, ir_load(ir, b->f, kernel_index(k, i.index, p)), y);
  ir_loop_end(ir, &i);
  ir_loop_end(ir, &step);
}

/* Arguments: n, coordinates, f, scratch, right sides, columns, is_checked. */
void kernel_body_border_substitute(struct kernel *k) {
  struct ir *ir = k->ir;
  LLVMValueRef function = k->function, columns = LLVMGetParam(function, 5);
  struct border b = border_at(k, LLVMGetParam(function, 1), LLVMGetParam(function, 2));
  LLVMValueRef s = LLVMGetParam(function, 3), all = LLVMGetParam(function, 4);
  b.rank = load_rank(k, &b);
  LLVMValueRef dependent = kernel_subtract(k, k->n, b.rank);
  struct ir_loop c = ir_loop_begin(ir, k->zero, columns);
  LLVMValueRef right = ir_element(ir, all, kernel_index(k, k->zero, c.index));
  substitute_forward(k, &b, right, LLVMGetParam(function, 6), s);
  substitute_backward(k, &b, right, s);
  take_out_basis(k, &b, ir_element(ir, right, b.coordinates), dependent);
  ir_loop_end(ir, &c);
  ir_store(ir, to_real(k, dependent), all, kernel_index(k, k->zero, columns));
  LLVMBuildRet(k->builder, ir_code(ir, 0));
}
