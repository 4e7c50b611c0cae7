/* Taylor series of a motion: two tapes made from that of the right-hand side y' = f(t, y).
 *
 * With s = (t - t0) / scale the series is y = sum_k y[k] s^k, and y[k+1] = scale f[k] / (k+1),
 * where f[k] follows from y[0] ... y[k] by a recurrence for every operation. `start` evaluates f at
 * t0 and keeps what the recurrences need; `order`, run for k = 1, 2, ..., makes coefficient k of
 * every value that varies with time. Both are ordinary tapes, for the interpreter and LLVM alike;
 * in `order` the arguments are t  the order k        x  the coefficients y[k]        u  1 for
 * inputs that are the model's own functions of time, 0 for constant ones and out receives y[k+1];
 * DOT and KEEP (operations.def) read and write series in the workspace. */
#ifndef DYN_CODEGEN_TAYLOR_H
#define DYN_CODEGEN_TAYLOR_H
#include "codegen/tape.h"
#include "expr/expr.h"

/* A series a in the workspace: coefficient j >= 1 at place j-1 of TAYLOR_ROOM doubles, zeros in the
 * three places behind the last; or reversed: at place TAYLOR_ORDERS - j, zeros from TAYLOR_ORDERS
 * on. A sum over j = 1 .. k-1 of a[j] b[k-j] then goes through both arrays upwards, four at a time.
 */
enum { TAYLOR_ORDERS = 24, TAYLOR_LANES = 4, TAYLOR_ROOM = TAYLOR_ORDERS + TAYLOR_LANES };
enum taylor_array { TAYLOR_FORWARD, TAYLOR_REVERSED, TAYLOR_ARRAY_COUNT };

static inline uint32_t taylor_blocks(uint32_t order) { /* of lanes, in a sum over 1 .. order-1 */
  return (order + TAYLOR_LANES - 2) / TAYLOR_LANES;
}
/* Sum over j = 1 .. order-1. The lanes are added as (0 + 1) + (2 + 3). */
double taylor_dot(const double *forward, const double *reversed, uint32_t order);
void taylor_keep(double *series, enum taylor_array array, uint32_t order, double value);

struct taylor {
  struct tape *start, *order; /* NULL if there is an obstacle; out_count is the length of y */
  uint32_t scale;             /* place of the scale in the workspace */
  uint32_t dots;              /* DOT instructions of `order` */
  bool has_obstacle; /* an operation that has no series, and on which the motion depends: */
  enum tape_operation obstacle;
};

/* rhs as in dyn_model; default_inputs may be NULL. Never NULL. */
struct taylor *taylor_build(const struct tape *rhs, const struct tape *default_inputs,
                            struct expr_graph *graph);
void taylor_free(struct taylor *taylor); /* NULL is fine */

/* The interpreter of dyn_taylor_function (dyn_model.h), with taylor_work(taylor) doubles of work.
 */
struct taylor_arguments {
  uint32_t order;
  double scale, t;
  const double *y, *u, *follows, *p;
  double *work, *out;
};
int taylor_run(const struct taylor *taylor, const struct taylor_arguments *arguments);
uint32_t taylor_work(const struct taylor *taylor);
#endif
