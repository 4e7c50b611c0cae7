/* columns.c: names, units and doc texts of the columns of a trajectory. */
#include "runtime/columns.h"

size_t columns_count(const dyn_model *model) {
  return 1 + (size_t)model->n_state + (size_t)model->n_outputs;
}

dyn_variable columns_variable(const dyn_model *model, size_t column) {
  size_t n = (size_t)model->n_coordinates, n_rates = (size_t)model->n_rates;
  if (column == 0) return (dyn_variable){"t", "s", "time", 0};
  column--;
  if (column < n) return model->coordinates[column];
  column -= n;
  if (column < n) return model->velocities[column];
  column -= n;
  if (column < n_rates) return model->rates[column];
  return model->outputs[column - n_rates];
}
