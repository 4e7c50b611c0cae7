/* columns.h: the columns of a trajectory, in the order in which every writer has them: the time,
 * coordinates, velocities, first-order states, outputs. */
#ifndef DYN_RUNTIME_COLUMNS_H
#define DYN_RUNTIME_COLUMNS_H
#include "dyn/dyn_runtime.h"

size_t columns_count(const dyn_model *model);
dyn_variable columns_variable(const dyn_model *model, size_t column);
static inline double columns_value(const dyn_model *model, const dyn_row *row, size_t column) {
  size_t n = (size_t)model->n_state;
  return column == 0 ? row->t : column <= n ? row->x[column - 1] : row->outputs[column - 1 - n];
}

#endif
