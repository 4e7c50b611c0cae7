/* Structure of a sparse L D L^T: order of elimination (AMD), fill, and the tables that the loop
 * kernel runs over. Everything here happens when a model is compiled.
 * Source: P. Amestoy, T. Davis, I. Duff, An approximate minimum degree ordering algorithm (1996).
 */
#include "codegen/builder.h"
#include <suitesparse/amd.h>
#include <string.h>

void sparse_order(uint32_t n, const bool *nonzero, int32_t *order) {
  VECTOR(int) rows = {0};
  int *starts = checked_calloc((size_t)n + 1, sizeof *starts);
  for (uint32_t j = 0; j < n; j++) {
    for (uint32_t i = 0; i < n; i++)
      if (i != j && (nonzero[i + (size_t)j * n] || nonzero[j + (size_t)i * n]))
        vector_push(&rows, (int)i);
    starts[j + 1] = (int)rows.count;
  }
  vector_reserve(&rows, (size_t)rows.count + 1);
  int status = amd_order((int)n, starts, rows.items, order, NULL, NULL);
  if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED)
    for (uint32_t k = 0; k < n; k++) order[k] = (int32_t)k;
  vector_free(&rows);
  free(starts);
}

uint64_t sparse_fill(uint32_t n, const bool *nonzero, const int32_t *order, bool *filled,
                     uint64_t *factor_count) {
  size_t size = n;
  uint64_t operations = 0, entries = 0;
  uint32_t *list = checked_calloc(size + 1, sizeof *list);
  for (size_t j = 0; j < size; j++)
    for (size_t i = 0; i < size; i++) {
      size_t row = (size_t)order[i], column = (size_t)order[j];
      filled[i + j * size] =
          i > j && (nonzero[row + column * size] || nonzero[column + row * size]);
    }
  for (size_t k = 0; k < size; k++) {
    uint32_t count = 0;
    for (size_t i = k + 1; i < size; i++)
      if (filled[i + k * size]) list[count++] = (uint32_t)i;
    for (uint32_t j = 0; j < count; j++)
      for (uint32_t i = j + 1; i < count; i++) filled[list[i] + list[j] * size] = true;
    entries += count;
    operations += (uint64_t)count * (count + 1) / 2;
  }
  *factor_count = entries;
  free(list);
  return operations;
}

/* starts and rows of L, and place[i + j*n]: where entry (i, j) stands, diagonals behind. */
static void number_places(struct tape_solver *solver, const bool *filled, int32_t *place) {
  size_t n = solver->n;
  int32_t next = 0;
  for (size_t j = 0; j < n; j++) {
    solver->starts[j] = next;
    for (size_t i = j + 1; i < n; i++) {
      if (!filled[i + j * n]) continue;
      solver->rows[next] = (int32_t)i;
      place[i + j * n] = next++;
    }
    place[j + j * n] = (int32_t)(solver->factor_count + j);
  }
  solver->starts[n] = next;
}

static void list_targets(struct tape_solver *solver, const int32_t *place) {
  size_t n = solver->n;
  int32_t *target = solver->targets;
  for (size_t k = 0; k < n; k++)
    for (int32_t j = solver->starts[k]; j < solver->starts[k + 1]; j++)
      for (int32_t i = j; i < solver->starts[k + 1]; i++)
        *target++ = place[solver->rows[i] + solver->rows[j] * (int32_t)n];
}

static void list_entries(struct tape_solver *solver, const bool *nonzero, const int32_t *place) {
  size_t n = solver->n;
  uint32_t count = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) {
      size_t row = (size_t)solver->order[i], column = (size_t)solver->order[j];
      if (i != j && !nonzero[row + column * n] && !nonzero[column + row * n]) continue;
      solver->entry_rows[count] = (int32_t)row;
      solver->entry_columns[count] = (int32_t)column;
      solver->entry_places[count++] = place[i + j * n];
    }
  solver->entry_count = count;
}

void sparse_tables(struct tape_solver *solver, const bool *nonzero, const bool *filled) {
  size_t n = solver->n;
  int32_t *place = checked_calloc(n * n + 1, sizeof *place);
  solver->starts = checked_calloc(n + 1, sizeof *solver->starts);
  solver->rows = checked_calloc((size_t)solver->factor_count + 1, sizeof *solver->rows);
  solver->targets = checked_calloc((size_t)solver->target_count + 1, sizeof *solver->targets);
  size_t most = (size_t)solver->factor_count + n + 1;
  solver->entry_rows = checked_calloc(most, sizeof *solver->entry_rows);
  solver->entry_columns = checked_calloc(most, sizeof *solver->entry_columns);
  solver->entry_places = checked_calloc(most, sizeof *solver->entry_places);
  number_places(solver, filled, place);
  list_targets(solver, place);
  list_entries(solver, nonzero, place);
  free(place);
}
