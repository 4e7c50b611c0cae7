/* Momenta that only together are conserved: of two masses that a rod or a spring joins, each
 * changes, and p_1 + p_2 does not (Goldstein, Poole, Safko, Classical Mechanics, 3rd ed., section
 * 2.6: translation of the whole). A constant vector c with c·p' = 0 at every state is a null vector
 * of the matrix whose rows are p' at random states; as many states as momenta are enough. */
#include "derive/momentum_sums.h"
#include "derive/elimination.h"
#include "derive/simple_ratio.h"
#include "base/bug.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_MOMENTA = 64 };

/* Rows of p', each divided by its largest entry; false if one has no value. */
static bool fill_rows(struct sample *sample, struct expr_graph *graph, const expr *changes,
                      uint32_t width, double *matrix) {
  double *row = checked_calloc(width, sizeof *row);
  bool ok = true;
  for (uint32_t i = 0; i < width && ok; i++) {
    double largest = 0;
    sample_draw(sample, 0x50a5 + i, true);
    expr_evaluate(graph, changes, width, sample_value, sample, row);
    for (uint32_t j = 0; j < width; j++) {
      ok = ok && isfinite(row[j]);
      largest = fmax(largest, fabs(row[j]));
    }
    for (uint32_t j = 0; j < width; j++)
      matrix[i + (size_t)j * width] = largest > 0 ? row[j] / largest : 0;
  }
  free(row);
  return ok;
}

/* Takes a vector whose entries are simple, with its first one positive. */
static void take_vector(struct momentum_sums *sums, const double *vector) {
  long *p = sums->numerator + (size_t)sums->count * sums->width;
  long *q = sums->denominator + (size_t)sums->count * sums->width;
  double sign = 0;
  for (uint32_t j = 0; j < sums->width; j++) {
    p[j] = 0;
    q[j] = 1;
    if (fabs(vector[j]) < 1e-7) continue;
    if (sign == 0) sign = vector[j] < 0 ? -1 : 1;
    if (!simple_ratio_find(sign * vector[j], &p[j], &q[j])) return;
  }
  sums->count++;
}

struct momentum_sums momentum_sums_find(struct sample *sample, struct expr_graph *graph,
                                        const expr *changes, uint32_t width) {
  struct momentum_sums sums = {.width = width};
  if (width < 2 || width > MOST_MOMENTA) return sums;
  size_t size = (size_t)width * width;
  double *matrix = checked_calloc(size, sizeof *matrix);
  double *null = checked_calloc(size, sizeof *null);
  sums.numerator = checked_calloc(size, sizeof *sums.numerator);
  sums.denominator = checked_calloc(size, sizeof *sums.denominator);
  if (fill_rows(sample, graph, changes, width, matrix)) {
    uint32_t rank = elimination_null_space(matrix, width, 1e-9, null);
    for (uint32_t v = 0; v < width - rank; v++) take_vector(&sums, null + (size_t)v * width);
  }
  free(matrix);
  free(null);
  return sums;
}

void momentum_sums_clear(struct momentum_sums *sums) {
  free(sums->numerator);
  free(sums->denominator);
  *sums = (struct momentum_sums){0};
}
