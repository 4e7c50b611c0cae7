/* The interpreter of Taylor series (taylor.h): runs the two tapes order by order. It is the
 * reference of what llvm_taylor_module.c makes: the same operations in the same order. */
#include "codegen/taylor.h"
#include "dyn/dyn_model.h"
#include <string.h>

double taylor_dot(const double *forward, const double *reversed, uint32_t order) {
  const double *back = reversed + TAYLOR_ORDERS + 1 - order;
  uint32_t blocks = taylor_blocks(order);
  double lane[TAYLOR_LANES] = {0};
  for (uint32_t i = 0; i < blocks; i++)
    for (uint32_t j = 0; j < TAYLOR_LANES; j++)
      lane[j] += forward[i * TAYLOR_LANES + j] * back[i * TAYLOR_LANES + j];
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

void taylor_keep(double *series, enum taylor_array array, uint32_t order, double value) {
  if (array == TAYLOR_REVERSED) {
    series[TAYLOR_ORDERS - order] = value;
    return;
  }
  series += order - 1;
  series[0] = value;
  for (int j = 1; j < TAYLOR_LANES; j++) series[j] = 0;
}

uint32_t taylor_work(const struct taylor *taylor) {
  uint32_t start = tape_interpreter_work(taylor->start);
  uint32_t order = tape_interpreter_work(taylor->order);
  return start > order ? start : order;
}

int taylor_run(const struct taylor *taylor, const struct taylor_arguments *a) {
  uint32_t n = taylor->start->out_count;
  memcpy(a->out, a->y, n * sizeof *a->out);
  a->work[taylor->scale] = a->scale;
  struct tape_arguments start = {a->t, a->y, a->u, a->p, a->work, a->out + n};
  int failure = tape_run(taylor->start, &start);
  for (uint32_t k = 1; k < a->order && failure == 0; k++) {
    double *row = a->out + (size_t)k * n;
    struct tape_arguments order = {k, row, a->follows, a->p, a->work, row + n};
    failure = tape_run(taylor->order, &order);
  }
  return failure;
}
