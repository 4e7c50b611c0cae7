/* The matrix that determines accelerations and multipliers, [M -B; A 0]. */
#ifndef DYN_DERIVE_BORDERED_H
#define DYN_DERIVE_BORDERED_H
#include "derive/system.h"

struct bordered {
  const struct system *system;
  uint32_t size;       /* n coordinates, then `rows` constraints */
  uint32_t rows;       /* constraints that are not redundant */
  uint32_t *row;       /* rows: their indices among the model's */
  const expr *entries; /* size*size, column by column; the system's own mass matrix without rows */
  expr *owned;         /* entries, or NULL */
};

/* Redundant constraints are left out: with them the matrix is singular, though accelerations are
 * determined. */
struct bordered bordered_new(const struct system *system);
void bordered_clear(struct bordered *bordered);
#endif
