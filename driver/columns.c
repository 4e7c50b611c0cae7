/* Lays out rows of cells; widths are counted in code points. */
#include "driver/columns.h"
#include <string.h>

void columns_add(struct columns *columns, const char *const *cells) {
  for (uint32_t i = 0; i < columns->count; i++) {
    const char *cell = cells[i] != NULL ? cells[i] : "";
    char *copy = checked_malloc(strlen(cell) + 1);
    vector_push(&columns->cells, strcpy(copy, cell));
  }
}

static size_t cell_width(const char *cell) {
  size_t width = 0;
  for (; *cell != '\0'; cell++) width += ((unsigned char)*cell & 0xc0) != 0x80;
  return width;
}

void columns_print(struct columns *columns, int indent, struct text *out) {
  size_t widths[COLUMNS_MOST] = {0};
  for (uint32_t i = 0; i < columns->cells.count; i++) {
    size_t width = cell_width(columns->cells.items[i]);
    if (width > widths[i % columns->count]) widths[i % columns->count] = width;
  }
  size_t blanks = 0; /* owed before the next cell that is not empty */
  for (uint32_t i = 0; i < columns->cells.count; i++) {
    uint32_t column = i % columns->count;
    const char *cell = columns->cells.items[i];
    if (column == 0) blanks = (size_t)indent;
    if (*cell != '\0') {
      text_format(out, "%*s%s", (int)blanks, "", cell);
      blanks = 0;
    }
    blanks += widths[column] - cell_width(cell) + 2;
    if (column + 1 == columns->count) text_put(out, "\n");
    free(columns->cells.items[i]);
  }
  columns->cells.count = 0;
  vector_free(&columns->cells);
}
