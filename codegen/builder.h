/* Building a tape: instructions with hash-consing and constant folding (builder.c), expressions
 * (lower.c), sines and cosines of sums of angles (angles.c), linear systems (solve.c). */
#ifndef DYN_CODEGEN_BUILDER_H
#define DYN_CODEGEN_BUILDER_H
#include "base/map.h"
#include "codegen/tape.h"
#include "expr/expr.h"
#include "expr/nested_sums.h"

/* What a value depends on; operands of sums and products that are known earlier go first, so that
 * partial results of constants and parameters are shared and fold. */
enum tape_level { TAPE_LEVEL_CONSTANT, TAPE_LEVEL_PARAMETER, TAPE_LEVEL_STATE };

struct angle_base { /* an angle whose own sine and cosine are computed by the library */
  expr node;        /* 0: the number `constant` */
  uint32_t number;  /* coefficient in the graph's pool; 0: 1 */
  double constant;
  bool is_available; /* its sine and cosine are needed anyway */
  uint32_t pair;     /* 1 + index in pairs once computed */
};

struct angle_pair {
  tape_value sine, cosine;
};

struct angle_term {
  uint32_t base;
  bool is_negative;
};

struct angles {
  VECTOR(struct angle_base) bases;
  VECTOR(struct angle_pair) pairs;
  VECTOR(struct angle_term) terms; /* scratch: the argument being looked at */
  struct map base_of;              /* (node, number) or constant -> 1 + base */
  struct map partial_sums;         /* (pair, signed base) -> 1 + pair */
  struct map expanded;             /* argument -> 1: by addition theorems */
};

struct solver_state { /* what is known of a solver while the tape is built */
  struct map entries; /* SPARSE: (row, column) -> 1 + stored entry, rows >= columns */
  /* UNROLLED, in the order of elimination: L below the diagonal by columns, pivots, their
   * reciprocals (NO_VALUE until one is needed), and what each pivot is held against. */
  tape_value *l, *pivots, *inverses, *wholes;
};
#define NO_VALUE UINT32_MAX

struct tape_builder {
  struct tape *tape;
  struct expr_graph *graph;
  VECTOR(uint8_t) levels; /* enum tape_level of every instruction */
  uint32_t *slots;        /* hash table of instructions: 1 + index */
  uint32_t slot_count, used_slots;
  tape_value *memo; /* 1 + value of every expression lowered */
  uint32_t memo_size;
  struct angles angles;
  struct nested_sums sums;  /* planned */
  tape_value *partial_sums; /* beside sums.sums: 1 + value */
  VECTOR(struct solver_state) solver_states; /* beside tape->solvers */
  VECTOR(expr) stack;
  VECTOR(tape_value) scratch;
};

void builder_init(struct tape_builder *builder, struct expr_graph *graph);
/* Removes what no result needs, checks, and hands the tape over. The builder is cleared. */
struct tape *builder_finish(struct tape_builder *builder);

/* ---- instructions (builder.c). All answer an existing equal instruction where there is one. */
tape_value builder_constant(struct tape_builder *builder, double number);
tape_value builder_input(struct tape_builder *builder, enum tape_array array, uint32_t index);
tape_value builder_unary(struct tape_builder *builder, enum tape_operation operation, tape_value a);
tape_value builder_binary(struct tape_builder *builder, enum tape_operation operation, tape_value a,
                          tape_value b);
tape_value builder_select(struct tape_builder *builder, tape_value condition, tape_value then,
                          tape_value otherwise);
tape_value builder_truth(struct tape_builder *builder, bool truth);
bool builder_is_constant(const struct tape_builder *builder, tape_value a, double number);
/* base^exponent for a small integer, by squaring. */
tape_value builder_power(struct tape_builder *builder, tape_value base, uint32_t exponent);
/* An instruction with effects or one that reads memory: never shared, never folded. */
tape_value builder_effect(struct tape_builder *builder, enum tape_operation operation, uint32_t a,
                          uint32_t b, uint32_t c);
void builder_output(struct tape_builder *builder, uint32_t index, tape_value a);
/* The first `count` outputs are 0 unless they are given afterwards. */
void builder_clear_outputs(struct tape_builder *builder, uint32_t count);
uint32_t builder_reserve_work(struct tape_builder *builder, size_t doubles); /* its offset */

/* ---- expressions (lower.c) */
/* The symbol stands for the value from now on; it must not have been lowered before. */
void builder_bind(struct tape_builder *builder, expr symbol, tape_value a);
bool builder_is_bound(const struct tape_builder *builder, expr symbol);
/* Looks at all sines and cosines below the roots and decides which are made by addition theorems
 * (angles.c). Once, before builder_lower. */
void builder_plan_angles(struct tape_builder *builder, const expr *roots, size_t count);
/* Has sums below the roots that begin alike share their partial sums. Once, before builder_lower. */
void builder_plan_sums(struct tape_builder *builder, const expr *roots, size_t count);
tape_value builder_lower(struct tape_builder *builder, expr e);

/* ---- angles (angles.c) */
bool angles_is_expanded(const struct tape_builder *builder, expr argument);
/* sin (or cos) of an argument all of whose terms have been lowered. */
tape_value angles_sine(struct tape_builder *builder, expr argument, bool want_cosine);
void angles_free(struct angles *angles);

/* ---- linear systems (solve.c). Order of calls: begin, entries, factor, then for each set of right
 * sides: begin, entries, solve. Entries not given are 0. */
struct solver_shape {
  uint32_t n;           /* unknowns */
  uint32_t coordinates; /* those that are accelerations; n where there are no constraints */
  uint32_t rank;        /* of the matrix in general position: n, less where some are redundant */
  bool is_symmetric;    /* then only entries with row >= column are given */
  const bool *nonzero;  /* n*n by columns: which entries may differ from 0 */
  /* NULL, or n: redundant constraints without which the rank is full. Given where multipliers do
   * not matter: those of the solution then need not be least. */
  const bool *is_left_out;
  /* Bordered: by elimination of dependent unknowns (SOLVER_ELIMINATING). */
  bool eliminates;
  /* Bordered, where nothing is redundant and there is one right side: if it is unrolled, the cold
   * path is a tape that the caller makes (SOLVER_UNROLLED, is_careful). */
  bool is_careful;
  uint32_t columns; /* how many right sides there will be in all: decides the method */
};
uint32_t solver_begin(struct tape_builder *builder, const struct solver_shape *shape);
void solver_entry(struct tape_builder *builder, uint32_t solver, uint32_t row, uint32_t column,
                  tape_value a);
void solver_factor(struct tape_builder *builder, uint32_t solver);
/* `is_checked`: it is a failure if the equations of a bordered system contradict each other (which
 * derivatives in a direction that leaves the constraints do). */
uint32_t right_side_begin(struct tape_builder *builder, uint32_t solver, uint32_t columns,
                          bool is_checked);
void right_side_entry(struct tape_builder *builder, uint32_t right_side, uint32_t row,
                      uint32_t column, tape_value a);
/* solution: n*columns values, column by column, and of a bordered system one more: the number of
 * dependent constraints. */
void right_side_solve(struct tape_builder *builder, uint32_t right_side, tape_value *solution);
void solver_states_free(struct tape_builder *builder);

/* ---- the unrolled way (unroll.c) */
void unroll_factor(struct tape_builder *builder, uint32_t solver);
/* After it: whether every pivot keeps more than this part of what it came from. */
tape_value unroll_keeps(struct tape_builder *builder, uint32_t solver, double part);
/* A careful solver: makes the solution depend on its `ok`, which the caller has completed. */
void unroll_guard(struct tape_builder *builder, uint32_t right_side, tape_value *solution);
void unroll_solve(struct tape_builder *builder, uint32_t right_side, tape_value *solution);

/* ---- sparse structure (sparse.c) */
/* Fills order, starts, rows, ... of a solver of kind SPARSE for the pattern of a symmetric matrix;
 * the tables are malloc'ed. `order` alone if order_only. */
void sparse_order(uint32_t n, const bool *nonzero, int32_t *order);
/* Fill pattern of L D L^T in that order: filled[i + j*n], i > j in the new order. Returns the
 * number of multiply-adds of the factorisation, *factor_count the entries of L. */
uint64_t sparse_fill(uint32_t n, const bool *nonzero, const int32_t *order, bool *filled,
                     uint64_t *factor_count);
void sparse_tables(struct tape_solver *solver, const bool *nonzero, const bool *filled);

/* ---- bordered matrices (border_order.c) */
/* An order in which L D L^T of a bordered matrix needs no exchanges; false if its structure alone
 * makes it singular. */
bool border_order(uint32_t n, uint32_t coordinates, const bool *nonzero, int32_t *order);
#endif
