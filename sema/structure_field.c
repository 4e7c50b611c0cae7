/* Vector fields of a group of constraints: those that all forms annihilate (the admissible
 * motions, by Gaussian elimination over expressions), brackets, and exterior derivatives.
 *
 * On the space (q, z, t) the directions are  D_j = d/dq_j + rate_q d/dz  and
 * D_t = d/dt + rate_t d/dz, so that every field follows the rates of states. */
#include "sema/structure.h"

/* ---------------------------------------------------------------- exterior derivatives */

/* The coefficient of form `form` on direction j. */
static expr coefficient(const struct pfaffian *p, uint32_t form, uint32_t j) {
  uint32_t velocity_rows = p->linear_count - p->position_count;
  if (form < velocity_rows) {
    uint32_t row = p->position_count + form;
    return j < p->n ? p->a[row + (size_t)j * p->m] : p->b[row];
  }
  uint32_t k = form - velocity_rows;
  return expr_negate(p->graph, j < p->n ? p->rate_q[k + (size_t)j * p->s] : p->rate_t[k]);
}

/* Zero entries that the constructors did not see are dropped too. */
static void add_curl(struct pfaffian *p, struct curl curl) {
  struct zero_test test = {.only_refutes = true};
  if (expr_is_zero(p->graph, curl.value, &test) == VERDICT_NO) {
    vector_push(&p->curl, curl);
    return;
  }
  if (test.points_used > p->points) p->points = test.points_used;
  if (test.bits_used > p->bits) p->bits = test.bits_used;
  if (test.failure != NULL) p->is_undecided = true;
}

void pfaffian_differentiate(struct pfaffian *p) {
  p->form_count = p->linear_count - p->position_count + (p->rates_are_closed ? 0 : p->s);
  size_t width = p->n + 1;
  for (uint32_t form = 0; form < p->form_count; form++) {
    bool is_constant = true;
    for (uint32_t l = 0; l < width && is_constant; l++)
      is_constant = expr_is_number(p->graph, coefficient(p, form, l));
    if (is_constant) continue;
    /* Derivatives of the row's own coefficients only; most are zero. */
    expr *derivative = arena_array(p->arena, expr, width * width);
    for (uint32_t k = 0; k < width; k++) {
      struct expr_tangent *along = pfaffian_direction(p, k);
      for (uint32_t l = 0; l < width; l++)
        derivative[k * width + l] = expr_tangent_of(along, coefficient(p, form, l));
      expr_tangent_free(along);
    }
    for (uint32_t k = 0; k < width; k++)
      for (uint32_t l = k + 1; l < width; l++) {
        expr value = expr_subtract(p->graph, derivative[k * width + l], derivative[l * width + k]);
        if (!expr_is_integer_value(p->graph, value, 0))
          add_curl(p, (struct curl){form, k, l, value});
      }
  }
}

/* ---------------------------------------------------------------- admissible motions */

/* Gauss-Jordan elimination of [A | b] with pivots that are proven not to vanish on N. */
static bool eliminate(struct pfaffian *p, expr *work, uint32_t rows,
                      const struct structure_rank *pivots) {
  struct expr_graph *graph = p->graph;
  for (uint32_t step = 0; step < rows; step++) {
    uint32_t row = pivots->pivot_rows[step], column = pivots->pivot_columns[step];
    expr pivot = work[row + (size_t)column * rows];
    if (expr_is_integer_value(graph, pivot, 0) || expr_graph_is_full(graph)) return false;
    for (uint32_t j = 0; j <= p->n; j++)
      work[row + (size_t)j * rows] = expr_divide(graph, work[row + (size_t)j * rows], pivot);
    for (uint32_t i = 0; i < rows; i++) {
      expr factor = work[i + (size_t)column * rows];
      if (i == row || expr_is_integer_value(graph, factor, 0)) continue;
      for (uint32_t j = 0; j <= p->n; j++) {
        expr *entry = &work[i + (size_t)j * rows];
        *entry = expr_subtract(graph, *entry,
                               expr_multiply(graph, factor, work[row + (size_t)j * rows]));
      }
    }
  }
  return true;
}

static struct field field_new(const struct pfaffian *p) {
  struct field field = {arena_array(p->arena, expr, (size_t)p->n + p->s + 1)};
  for (uint32_t j = 0; j <= p->n + p->s; j++) field.at[j] = expr_integer(p->graph, 0);
  return field;
}

/* States move by their rates. */
static void complete_field(const struct pfaffian *p, struct field field) {
  expr *terms = arena_array(p->arena, expr, p->n + 1);
  for (uint32_t k = 0; k < p->s; k++) {
    for (uint32_t j = 0; j < p->n; j++)
      terms[j] = expr_multiply(p->graph, p->rate_q[k + (size_t)j * p->s], field.at[j]);
    terms[p->n] = expr_multiply(p->graph, p->rate_t[k], field.at[p->n + p->s]);
    field.at[p->n + k] = expr_sum(p->graph, terms, p->n + 1);
  }
}

bool pfaffian_solve(struct pfaffian *p, struct index_list rows, struct field *fields) {
  uint32_t count = rows.count, next = 0;
  expr *work = arena_array(p->arena, expr, (size_t)count * (p->n + 1) + 1);
  bool *is_pivot = arena_array(p->arena, bool, p->n + 1);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = 0; j < p->n; j++)
      work[i + (size_t)j * count] = p->a[rows.items[i] + (size_t)j * p->m];
    work[i + (size_t)p->n * count] = p->b[rows.items[i]];
  }
  struct structure_rank pivots = pfaffian_rank(p, work, count, p->n);
  if (pivots.rank < count || !eliminate(p, work, count, &pivots)) return false;
  for (uint32_t i = 0; i < count; i++) is_pivot[pivots.pivot_columns[i]] = true;
  for (uint32_t j = 0; j <= p->n; j++) {
    if (is_pivot[j]) continue;
    struct field field = fields[next++] = field_new(p);
    field.at[j < p->n ? j : p->n + p->s] = expr_integer(p->graph, 1);
    for (uint32_t i = 0; i < count; i++)
      field.at[pivots.pivot_columns[i]] =
          expr_negate(p->graph, work[pivots.pivot_rows[i] + (size_t)j * count]);
    complete_field(p, field);
  }
  return true;
}

/* ---------------------------------------------------------------- brackets */

static struct expr_tangent *along_field(const struct pfaffian *p, struct field field) {
  struct expr_tangent *tangent = expr_tangent_new(p->graph);
  for (uint32_t j = 0; j < p->n; j++) expr_tangent_seed(tangent, p->q[j], field.at[j]);
  for (uint32_t k = 0; k < p->s; k++) expr_tangent_seed(tangent, p->z[k], field.at[p->n + k]);
  expr time = field.at[p->n + p->s];
  expr_tangent_seed(tangent, p->time, time);
  for (uint32_t k = 0; k < p->input_count; k++)
    expr_tangent_seed(tangent, p->input[k], expr_multiply(p->graph, p->input_rate[k], time));
  return tangent;
}

struct field pfaffian_bracket(const struct pfaffian *p, struct field x, struct field y) {
  struct field bracket = field_new(p);
  struct expr_tangent *along_x = along_field(p, x), *along_y = along_field(p, y);
  for (uint32_t j = 0; j <= p->n + p->s; j++)
    bracket.at[j] = expr_subtract(p->graph, expr_tangent_of(along_x, y.at[j]),
                                  expr_tangent_of(along_y, x.at[j]));
  expr_tangent_free(along_x);
  expr_tangent_free(along_y);
  return bracket;
}

expr pfaffian_form_on(const struct pfaffian *p, uint32_t form, struct field field) {
  expr *terms = arena_array(p->arena, expr, p->n + 1);
  for (uint32_t j = 0; j < p->n; j++)
    terms[j] = expr_multiply(p->graph, coefficient(p, form, j), field.at[j]);
  uint32_t velocity_rows = p->linear_count - p->position_count;
  terms[p->n] =
      form < velocity_rows ? expr_integer(p->graph, 0) : field.at[p->n + form - velocity_rows];
  return expr_sum(p->graph, terms, p->n + 1);
}
