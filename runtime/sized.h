/* sized.h: matrices that know, entry by entry, the sum of the sizes of the terms that made them, so
 * that what is left of terms that cancel can be told from what is there. Column by column. */
#ifndef DYN_RUNTIME_SIZED_H
#define DYN_RUNTIME_SIZED_H
#include <stdint.h>

struct sized {
  int32_t rows, columns;
  double *value, *size; /* size NULL: that of the values */
};

/* Zeros, in one block that begins at `value`; NULL there without memory. */
struct sized sized_new(int32_t rows, int32_t columns);
void sized_free(struct sized matrix);
/* Numbers taken as they are; they are not copied. */
struct sized sized_given(int32_t rows, int32_t columns, double *values);
/* The sizes become those of the values. */
void sized_settle(struct sized matrix);
/* out += a b, out += a. */
void sized_add_product(struct sized a, struct sized b, struct sized out);
void sized_add(struct sized a, struct sized out);
void sized_copy_row(struct sized from, int32_t row, struct sized to, int32_t to_row);
/* What is rounding of its terms becomes 0. */
void sized_drop_rounding(struct sized matrix);
int sized_is_finite(struct sized matrix);

#endif
