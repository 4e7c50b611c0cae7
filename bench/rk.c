/* Dormand-Prince 8(5,3) in the tightest loop, for the numbers in runtime/rk_tables.c. Step size
 * control: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4 and II.5. */
#include "dyn/dyn_tableau.h"
#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void combine(int n, const struct rk_row *row, const double *slopes, double h,
                    const double *x, double *restrict out) {
  for (int i = 0; i < n; i++) out[i] = 0;
  for (int j = 0; j < row->count; j++) {
    const double *slope = slopes + row->slope[j] * n;
    double weight = row->weight[j] * h;
    for (int i = 0; i < n; i++) out[i] += weight * slope[i];
  }
  if (x != NULL)
    for (int i = 0; i < n; i++) out[i] += x[i];
}

/* The local error over its tolerance. */
static double error_of(int n, const struct rk_table *table, const double *slopes, double h,
                       double tolerance, const double *x, const double *next, double *scratch) {
  double *high = scratch, *low = scratch + n, high_sum = 0, low_sum = 0;
  combine(n, &table->error, slopes, 1, NULL, high);
  combine(n, &table->error_low, slopes, 1, NULL, low);
  for (int i = 0; i < n; i++) {
    double scale = 1 / (tolerance * (1 + fmax(fabs(x[i]), fabs(next[i]))));
    high_sum += high[i] * scale * high[i] * scale;
    low_sum += low[i] * scale * low[i] * scale;
  }
  if (high_sum == 0) return 0;
  return h * high_sum / sqrt((high_sum + 0.01 * low_sum) * n);
}

long rk_run(void (*rhs)(void *self, const double *x, double *out), void *self, int n, double until,
            double tolerance, double *x) {
  const struct rk_table *table = &rk_table_dp8;
  size_t size = (size_t)n;
  double *slopes = calloc(size * (RK_MAX_STAGES + 4), sizeof *slopes);
  double *next = slopes + size * RK_MAX_STAGES, *stage = next + size, *scratch = stage + size;
  double t = 0, h = 1e-3;
  long evaluations = 1;
  rhs(self, x, slopes);
  while (t < until) {
    if (t + h > until) h = until - t;
    for (int i = 1; i <= table->stages; i++) {
      double *to = i == table->stages ? next : stage;
      combine(n, &table->rows[i], slopes, h, x, to);
      rhs(self, to, slopes + i * n);
    }
    evaluations += table->stages;
    double error = error_of(n, table, slopes, h, tolerance, x, next, scratch);
    double factor = error > 0 ? 0.9 * pow(error, -1.0 / table->order) : table->grow;
    if (error <= 1) {
      t += h;
      memcpy(x, next, size * sizeof *x);
      memcpy(slopes, slopes + table->stages * n, size * sizeof *x);
    }
    h *= fmin(table->grow, fmax(table->shrink, factor));
    if (!(h > 1e-12)) break;
  }
  free(slopes);
  return evaluations;
}
