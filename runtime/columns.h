/* columns.h: the columns of a trajectory, in the order in which every writer has them: the time,
 * coordinates, velocities, first-order states, outputs; then, for a model with constraints, the
 * multiplier of each and the generalized constraint force on each coordinate. */
#ifndef DYN_RUNTIME_COLUMNS_H
#define DYN_RUNTIME_COLUMNS_H
#include "dyn/dyn_runtime.h"

struct column {
  char *name, *unit; /* owned */
  const char *doc;
};

size_t columns_count(const dyn_model *model);
/* Returns 0 when there is no memory; else column_clear ends what it gave. */
int column_describe(const dyn_model *model, size_t column, struct column *out);
void column_clear(struct column *column);
double columns_value(const dyn_model *model, const dyn_row *row, size_t column);

#endif
