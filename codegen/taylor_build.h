/* Inside of taylor_build: taylor.c makes the tape of order 0 and knows what varies with time,
 * taylor_series.c has the recurrences, taylor_solve.c those of linear systems. */
#ifndef DYN_CODEGEN_TAYLOR_BUILD_H
#define DYN_CODEGEN_TAYLOR_BUILD_H
#include "codegen/builder.h"
#include "codegen/taylor.h"

/* What is known of a value of the tape `start`. */
struct taylor_value {
  bool varies;         /* with time */
  bool is_needed;      /* its series is */
  tape_value helper;   /* another whose series its recurrence needs, or NO_VALUE */
  tape_value series;   /* in `order`: its coefficient; NO_VALUE: 0 */
  tape_value at_start; /* in `order`: coefficient 0; NO_VALUE until it is needed */
  uint32_t cell;       /* 1 + place of coefficient 0 */
  uint32_t inverse;    /* 1 + place of its reciprocal */
  uint32_t arrays[TAYLOR_ARRAY_COUNT], weighted; /* 1 + places; weighted: j a[j], forward */
};

/* A right side of a linear system, with the matrix. */
struct taylor_entry {
  uint32_t row, column;
  tape_value a;
};
struct taylor_system {
  uint32_t solver, n, columns;             /* solver: its number, on both tapes */
  VECTOR(struct taylor_entry) matrix;      /* entries that are not 0, by rows: ... */
  VECTOR(uint32_t) first;                  /* ... n + 1 */
  VECTOR(bool) is_solved;                  /* n: rows; the others are left out (tape_solver) */
  VECTOR(tape_value) right_side, solution; /* n*columns, and one */
};

struct taylor_maker {
  struct taylor *taylor;
  struct tape_builder start, order;
  VECTOR(struct taylor_value)
  values;                    /* beside the instructions of `start`, before it is finished */
  VECTOR(tape_value) inputs; /* values of the model's own inputs; NO_VALUE: constant */
  tape_value order_number, reciprocal; /* in `order`: k and 1/k */
  struct map dots;                     /* (forward place, reversed place) -> 1 + value */
  tape_value required;                 /* the last condition that `start` was left without */
  VECTOR(struct taylor_system) systems;
  struct map stored;    /* place in the workspace -> 1 + value that stands there */
  struct map system_of; /* value: a solution -> 1 + system */
};

struct taylor_value *taylor_value_at(struct taylor_maker *maker, tape_value a);
/* In `order`, of a value of `start`: its coefficient 0, the reciprocal of that, and its coefficient
 * k (which is NO_VALUE if it does not vary). */
tape_value taylor_at_start(struct taylor_maker *maker, tape_value a);
tape_value taylor_inverse(struct taylor_maker *maker, tape_value a);
tape_value taylor_truth(struct taylor_maker *maker, tape_value a); /* likewise of a truth value */
tape_value taylor_coefficient(struct taylor_maker *maker, tape_value a);
/* Sum over j = 1 .. k-1 of a[j] b[k-j], or of j a[j] b[k-j]. */
tape_value taylor_sum(struct taylor_maker *maker, tape_value a, tape_value b);
tape_value taylor_weighted_sum(struct taylor_maker *maker, tape_value a, tape_value b);
/* Coefficient k of the product of a and b. */
tape_value taylor_product(struct taylor_maker *maker, tape_value a, tape_value b);

/* Coefficient k of an instruction of `start` (taylor_series.c). */
tape_value taylor_recurrence(struct taylor_maker *maker, tape_value a);
/* Adds to `start` what the recurrence of a needs besides its operands; the value, or NO_VALUE. */
tape_value taylor_add_helper(struct taylor_maker *maker, tape_value a);
bool taylor_has_series(enum tape_operation operation);

/* Ends `start` with DYN_TAYLOR_DECLINED unless the truth value holds (taylor.c). */
void taylor_leave_unless(struct tape_builder *start, tape_value is_good);

/* Linear systems (taylor_solve.c): whether an instruction is of one, and its copy to `start`,
 * operands as `number` has them: its value, or NO_VALUE. */
bool taylor_is_of_solver(const struct tape_instruction *instruction);
tape_value taylor_copy_solver(struct taylor_maker *maker, const struct tape *tape,
                              const struct tape_instruction *instruction, const tape_value *number);
struct taylor_system *taylor_system_of(const struct taylor_maker *maker,
                                       tape_value solution); /* or NULL */
/* Coefficient k of a solution; makes those of its whole system. */
tape_value taylor_solve(struct taylor_maker *maker, tape_value solution);
void taylor_systems_free(struct taylor_maker *maker);
#endif
