/* Tables for people: cells in columns as wide as their widest cell. */
#ifndef DYN_DRIVER_COLUMNS_H
#define DYN_DRIVER_COLUMNS_H
#include "base/text.h"
#include "base/vector.h"

enum { COLUMNS_MOST = 6 };

struct columns {
  uint32_t count; /* of cells in a row */
  VECTOR(char *) cells;
};

/* Adds a row of `count` cells, which are copied; NULL is "". */
void columns_add(struct columns *columns, const char *const *cells);
/* Prints the rows, each indented, and forgets them. */
void columns_print(struct columns *columns, int indent, struct text *out);
#endif
