/* The coefficients of a quadratic polynomial from its derivatives:
 *     e = a + sum_i b_i w_i + 1/2 sum_ij c_ij w_i w_j,    de/dw_i = b_i + sum_j c_ij w_j */
#include "derive/quadratic_form.h"
#include "base/bug.h"
#include <stdlib.h>

struct form {
  struct expr_graph *graph;
  const expr *w;
  size_t count, terms;
  expr *sum; /* count*(count + 3)/2 + 1 */
  expr *row; /* count */
};

/* b_i w_i and the c_ij w_i w_j with j >= i. */
static bool add_slope(struct form *f, expr e, size_t i) {
  struct expr_graph *graph = f->graph;
  expr constant;
  expr slope = expr_derivative(graph, e, f->w[i]);
  if (!expr_linear_parts(graph, slope, f->w, f->count, f->row, &constant)) return false;
  f->sum[f->terms++] = expr_multiply(graph, constant, f->w[i]);
  for (size_t j = i; j < f->count; j++) {
    expr factors[4] = {f->row[j], f->w[i], f->w[j], expr_ratio(graph, 1, i == j ? 2 : 1)};
    if (!expr_is_integer_value(graph, f->row[j], 0))
      f->sum[f->terms++] = expr_product(graph, factors, 4);
  }
  return true;
}

expr quadratic_form_of(struct expr_graph *graph, expr e, const expr *w, size_t count) {
  struct form f = {graph, w, count, 0, NULL, NULL};
  struct expr_substitution *rest = expr_substitution_new(graph);
  f.sum = checked_calloc(count * (count + 3) / 2 + 1, sizeof(expr));
  f.row = checked_calloc(count + 1, sizeof(expr));
  bool ok = true;
  for (size_t i = 0; i < count; i++) expr_substitution_add(rest, w[i], expr_integer(graph, 0));
  for (size_t i = 0; i < count && ok; i++) ok = add_slope(&f, e, i);
  f.sum[f.terms++] = expr_substitution_of(rest, e);
  expr sum = ok ? expr_sum(graph, f.sum, f.terms) : 0;
  free(f.sum);
  free(f.row);
  expr_substitution_free(rest);
  return sum;
}
