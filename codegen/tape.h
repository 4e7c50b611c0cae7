/* The tape: one function as a straight list of instructions over doubles, every common
 * subexpression once. It is what both the interpreter (tape_run) and the LLVM back end execute, and
 * they do the same operations in the same order.
 *
 * An instruction's index is the name of its value; operands have smaller indices. Instructions run
 * in order. Results leave by STORE to the array `out`.
 *
 * Linear systems  A X = B  (mass matrix) come in two ways:
 *  - unrolled: A = L D L^T stands on the tape as ordinary arithmetic, together with a truth value
 *    "all pivots are good". GUARD_FACTOR and GUARD_SUBSTITUTE do nothing if that holds; otherwise
 *    they solve by LU with row pivoting in the workspace, and SOLUTION picks the result.
 *  - by kernel: STOREs put A and B into the workspace, FACTOR and SUBSTITUTE call loops (dense or
 *    sparse L D L^T with the same way out to LU; LU at once where A is not symmetric), LOADs fetch
 * X. Where LU finds A singular too, the function ends and returns 1 + the index of the unknown.
 * Recursions over a tree (recursion.c) are ordinary arithmetic; LEAVE ends the function where one
 * of their pivots is lost.
 *
 * Bordered systems  [M B; A 0] [q''; -λ] = [f; -bias]  (unknowns from `coordinates` on are
 * multipliers) do the same with pivots of known sign; instead of LU their cold path is one that
 * bears dependent constraints (kernels_border.c), and the only one where constraints are redundant
 * everywhere (REVEALING). With ELIMINATING it takes its pivots from A first, then from B: what is
 * left then is T^T M T, the equations of the independent unknowns, for a basis T of the motions
 * that the constraints allow; which unknowns are dependent is chosen anew at every state. Each of
 * their right sides has one result more behind the columns: how many constraints were dependent.
 *
 * A careful solver (unrolled, bordered, with one right side) has for its cold path a whole tape of
 * its own, `careful`: it solves, refines and verifies. The truth value of its guards then says that
 * all pivots are good and that the solution satisfies the equations to rounding. */
#ifndef DYN_CODEGEN_TAPE_H
#define DYN_CODEGEN_TAPE_H
#include "base/text.h"
#include "base/vector.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t tape_value; /* index of an instruction */

enum tape_operation {
#define TAPE_OPERATION(name, operands, text, result) TAPE_##name,
#include "codegen/operations.def"
#undef TAPE_OPERATION
  TAPE_OPERATION_COUNT
};

/* Arrays an instruction may name. TIME has the one entry 0. */
enum tape_array {
  TAPE_ARRAY_TIME,
  TAPE_ARRAY_X,
  TAPE_ARRAY_U,
  TAPE_ARRAY_P,
  TAPE_ARRAY_WORK,
  TAPE_ARRAY_OUT
};

struct tape_instruction {
  uint32_t operation; /* enum tape_operation */
  uint32_t a;
  union {
    struct {
      uint32_t b, c;
    };
    double number; /* CONSTANT */
  };
};

#define TAPE_NO_LU UINT32_MAX

enum tape_solver_kind {
  SOLVER_UNROLLED,   /* L D L^T on the tape; the workspace is used by the cold path only */
  SOLVER_DENSE,      /* kernel: dense L D L^T */
  SOLVER_SPARSE,     /* kernel: sparse L D L^T over constant tables */
  SOLVER_LU,         /* kernel: dense LU; the matrix need not be symmetric */
  SOLVER_REVEALING,  /* kernel: bordered, by the cold path always */
  SOLVER_ELIMINATING /* the same, its first pivots taken from the constraints */
};

/* A factorised matrix. Offsets are into the workspace. Dense matrices stand by columns. */
struct tape_solver {
  enum tape_solver_kind kind;
  uint32_t n;
  uint32_t coordinates; /* of n unknowns; the others are multipliers of constraints */
  uint32_t rank;        /* pivots that there can be in general position: n, or less */
  uint32_t ordered;     /* of order[]: n; UNROLLED: or less: redundant constraints are left out */
  bool is_symmetric;    /* DENSE: only the lower triangle is stored */
  uint32_t matrix;      /* n*n doubles; SPARSE: `entry_count` doubles */
  uint32_t factor;      /* DENSE: as lu; SPARSE: factor_count doubles (below), n pivots, n more */
  uint32_t lu;          /* n*n of L and U, then n row scales, n column scales, n row numbers;
                         * bordered: then as in kernels_border.c;
                         * TAPE_NO_LU: too large, a lost pivot of L D L^T is final (SPARSE only) */
  uint32_t scratch;     /* n doubles; SPARSE with lu: n*n more for the full matrix */
  uint32_t mode;        /* 1 double: 0 = the fast way holds, 1 = the cold path */
  tape_value *values;   /* UNROLLED: the n*n entries */
  tape_value ok;        /* UNROLLED: truth value, all pivots are good */
  bool is_careful;      /* UNROLLED: GUARD_FACTOR runs the careful tape, and so solves as well */
  /* SPARSE: with row and column order[k] of A in place k. L is unit lower triangular by columns,
   * without its diagonal: entries starts[k] .. starts[k+1]-1 lie in the ascending rows rows[].
   * Entry e of the stored matrix is A(entry_rows[e], entry_columns[e]) (lower triangle in the new
   * order) and starts the factorisation at place entry_places[e] (>= factor_count: pivot).
   * targets[]: for each column k, each pair j <= i of its entries, the place updated. */
  int32_t *order, *starts, *rows, *entry_rows, *entry_columns, *entry_places, *targets;
  uint32_t entry_count, factor_count, target_count;
};

static inline bool tape_solver_is_bordered(const struct tape_solver *solver) {
  return solver->coordinates < solver->n;
}

/* One set of right sides of a solver: `columns` columns of n, solved in place at `offset`. */
struct tape_right_side {
  uint32_t solver, columns, offset;
  bool is_checked;    /* bordered: fail where dependent constraints contradict each other */
  tape_value *values; /* UNROLLED: the n*columns entries */
};

struct tape {
  VECTOR(struct tape_instruction) code;
  VECTOR(struct tape_solver) solvers;
  VECTOR(struct tape_right_side) right_sides;
  /* NULL, or what the careful solver's guard runs on the same arguments: its workspace starts at
   * careful_work of this one's, its results are the solution, at careful_out. */
  struct tape *careful;
  uint32_t careful_work, careful_out;
  uint32_t work;      /* doubles of workspace that memory and solver instructions use */
  uint32_t out_count; /* entries of `out`; all are stored */
};

struct tape_arguments {
  double t;
  const double *x, *u, *p;
  double *work; /* tape_interpreter_work(tape) doubles */
  double *out;
};

/* Runs the tape; 0, or 1 + the unknown at which a matrix lost rank. */
int tape_run(const struct tape *tape, const struct tape_arguments *arguments);
uint32_t tape_interpreter_work(const struct tape *tape);
/* The same for compiled code, which has the arguments one by one. */
int32_t tape_run_plain(const struct tape *tape, double t, const double *x, const double *u,
                       const double *p, double *work, double *out);

struct tape_counts {
  uint32_t instructions;                                     /* all but constants and inputs */
  uint32_t additions, multiplications, divisions, functions; /* sqrt and libm calls */
  uint32_t memory;                                           /* loads and stores */
  uint32_t kernel_operations; /* multiply-adds inside solver kernels (estimate) */
};
struct tape_counts tape_count(const struct tape *tape);

void tape_dump(const struct tape *tape, struct text *out); /* one line an instruction */
void tape_check(const struct tape *tape);                  /* bug() on a broken promise */
void tape_free(struct tape *tape);                         /* NULL is fine */
/* Of its own, for another tape with the same workspace; UNROLLED: without values and `ok`. */
struct tape_solver tape_solver_copy(const struct tape_solver *solver);

/* ---- facts about instructions */
enum tape_result { TAPE_RESULT_V, TAPE_RESULT_T, TAPE_RESULT_N };
extern const struct tape_operation_facts {
  const char *text;
  uint8_t operands;
  uint8_t result; /* enum tape_result */
} tape_facts[TAPE_OPERATION_COUNT];
bool tape_operation_has_effect(enum tape_operation operation); /* must not be removed */
#endif
