/* input_table.c: columns of values over time, interpolated by monotone cubic pieces. Needs strictly
 * increasing finite times; promises an interpolant that is once continuously differentiable, passes
 * through the values and does not overshoot them.
 * Source: Fritsch and Carlson, Monotone piecewise cubic interpolation (SIAM J. Numer. Anal. 17,
 * 1980), with the slopes of Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5, 1984). */
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dyn_input_table {
  size_t n_rows, n_columns;
  double *t;      /* n_rows */
  double *values; /* column by column */
  double *slopes;
  char **names; /* n_columns */
};

void dyn_input_table_free(dyn_input_table *table) {
  if (!table) return;
  for (size_t i = 0; table->names && i < table->n_columns; i++) free(table->names[i]);
  free(table->names);
  free(table->t);
  free(table);
}

int32_t dyn_input_table_columns(const dyn_input_table *table) {
  return (int32_t)table->n_columns;
}

const char *dyn_input_table_name(const dyn_input_table *table, int32_t column) {
  return column >= 0 && (size_t)column < table->n_columns ? table->names[column] : NULL;
}

int32_t dyn_input_table_find(const dyn_input_table *table, const char *name) {
  for (size_t i = 0; i < table->n_columns; i++)
    if (!strcmp(table->names[i], name)) return (int32_t)i;
  return -1;
}

void dyn_input_table_range(const dyn_input_table *table, double *first, double *last) {
  *first = table->t[0];
  *last = table->t[table->n_rows - 1];
}

/* The slope at an end, from the parabola through three points, bent back where it would leave the
 * monotone region. h, d: length and secant slope of the first interval, h2, d2: of the second. */
static double end_slope(double h, double d, double h2, double d2) {
  double slope = ((2 * h + h2) * d - h * d2) / (h + h2);
  if (slope * d <= 0) return 0;
  if (d * d2 <= 0 && fabs(slope) > 3 * fabs(d)) return 3 * d;
  return slope;
}

static void set_slopes(size_t n, const double *t, const double *y, double *slope) {
  if (n == 2) {
    slope[0] = slope[1] = (y[1] - y[0]) / (t[1] - t[0]);
    return;
  }
  for (size_t i = 1; i + 1 < n; i++) {
    double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    double d0 = (y[i] - y[i - 1]) / h0, d1 = (y[i + 1] - y[i]) / h1;
    /* Weighted harmonic mean; 0 at an extremum. */
    slope[i] = d0 * d1 <= 0 ? 0 : 3 * (h0 + h1) / ((2 * h1 + h0) / d0 + (h1 + 2 * h0) / d1);
  }
  double h0 = t[1] - t[0], h1 = t[2] - t[1];
  slope[0] = end_slope(h0, (y[1] - y[0]) / h0, h1, (y[2] - y[1]) / h1);
  h0 = t[n - 1] - t[n - 2];
  h1 = t[n - 2] - t[n - 3];
  slope[n - 1] = end_slope(h0, (y[n - 1] - y[n - 2]) / h0, h1, (y[n - 2] - y[n - 3]) / h1);
}

static dyn_status check_columns(size_t n_rows, const double *t, size_t n_columns,
                                const char *const *names, const double *const *values,
                                dyn_message *message) {
  if (n_rows < 2)
    return message_set(message, DYN_BAD_INPUT, "a table needs at least two rows, not %zu", n_rows);
  for (size_t i = 0; i < n_rows; i++) {
    if (!isfinite(t[i]))
      return message_set(message, DYN_BAD_INPUT, "the time of row %zu is not a finite number",
                         i + 1);
    if (i > 0 && !(t[i] > t[i - 1]))
      return message_set(message, DYN_BAD_INPUT,
                         "the times must increase, but row %zu has %.9g after %.9g", i + 1, t[i],
                         t[i - 1]);
    for (size_t j = 0; j < n_columns; j++)
      if (!isfinite(values[j][i]))
        return message_set(message, DYN_BAD_INPUT, "%s is not a finite number in row %zu", names[j],
                           i + 1);
  }
  return DYN_DONE;
}

dyn_status dyn_input_table_new(size_t n_rows, const double *t, size_t n_columns,
                               const char *const *names, const double *const *values,
                               dyn_input_table **table, dyn_message *message) {
  *table = NULL;
  message_set(message, DYN_DONE, "%s", "");
  dyn_status status = check_columns(n_rows, t, n_columns, names, values, message);
  if (status) return status;
  dyn_input_table *new = calloc(1, sizeof *new);
  int complete = 0;
  if (new &&n_rows < SIZE_MAX / sizeof(double) / (1 + 2 * n_columns)) {
    new->t = malloc((1 + 2 * n_columns) * n_rows * sizeof(double));
    new->names = calloc(n_columns + 1, sizeof *new->names);
    complete = new->t &&new->names;
    new->n_rows = n_rows;
    new->n_columns = n_columns;
  }
  for (size_t j = 0; complete && j < n_columns; j++)
    complete = (new->names[j] = strdup(names[j])) != NULL;
  if (!complete) {
    dyn_input_table_free(new);
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory for the table");
  }
  new->values = new->t + n_rows;
  new->slopes = new->values + n_columns *n_rows;
  memcpy(new->t, t, n_rows * sizeof *t);
  for (size_t j = 0; j < n_columns; j++) {
    memcpy(new->values + j *n_rows, values[j], n_rows * sizeof(double));
    set_slopes(n_rows, t, values[j], new->slopes + j *n_rows);
  }
  *table = new;
  return DYN_DONE;
}

double dyn_input_table_value(const dyn_input_table *table, int32_t column, double t) {
  size_t low = 0, high = table->n_rows - 1;
  if (column < 0 || (size_t)column >= table->n_columns) return NAN;
  if (!(t >= table->t[low] && t <= table->t[high])) return NAN;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (t < table->t[middle])
      high = middle;
    else
      low = middle;
  }
  const double *y = table->values + (size_t)column * table->n_rows;
  const double *d = table->slopes + (size_t)column * table->n_rows;
  double h = table->t[high] - table->t[low], s = (t - table->t[low]) / h, r = 1 - s;
  if (t == table->t[high]) return y[high];
  /* In this form a level piece is level to the last bit. */
  return y[low] + (y[high] - y[low]) * s * s * (3 - 2 * s) + h * s * r * (d[low] * r - d[high] * s);
}
