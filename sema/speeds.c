/* Speeds: names for velocities of another kind than q', linear in them: u = a(q, t) q' + b(q, t).
 * A speed in an expression means its definition; the methods kane and gibbs-appell take the speeds
 * as variables. Reports definitions that are no speeds, and speeds that depend on each other. */
#include "sema/analysis.h"
#include <stdlib.h>

static void report(struct analysis *a, const struct element *e, enum diagnostic_code code,
                   const char *what) {
  struct span span = ast_expression(e->value.environment.text->ast, e->value.value)->span;
  struct diagnostic *d = lower_report(a->l, e->value.environment, code, span, e->name, what, NULL);
  if (d != NULL && code == DIAG_SPEED_WITHOUT_VELOCITY)
    diagnostic_help(a->context, d, "for a name of an expression write 'let %s = ...'", e->name);
}

/* Linear in the velocities, with coefficients of positions, time and parameters. */
static bool is_speed(struct analysis *a, const struct element *e, expr value) {
  role_set allowed = role_bit(ROLE_PARAMETER) | role_bit(ROLE_POSITION) | role_bit(ROLE_VELOCITY) |
                     role_bit(ROLE_TIME);
  expr other = find_other_role(a->l, value, allowed);
  if (other != 0) {
    report(a, e, DIAG_SPEED_OF_OTHERS, role_words(a->l, other));
    return false;
  }
  uint32_t n = a->model->coordinates.count;
  expr *parts = checked_calloc(2 * (size_t)n + 1, sizeof *parts), rest;
  for (uint32_t j = 0; j < n; j++) parts[n + j] = a->model->coordinates.items[j].velocity;
  bool is_linear = expr_linear_parts(a->l->graph, value, parts + n, n, parts, &rest);
  bool has_velocity = false;
  for (uint32_t j = 0; j < n && is_linear; j++)
    has_velocity = has_velocity || !expr_is_integer_value(a->l->graph, parts[j], 0);
  free(parts);
  if (!is_linear) report(a, e, DIAG_SPEED_NOT_LINEAR, NULL);
  if (is_linear && !has_velocity) report(a, e, DIAG_SPEED_WITHOUT_VELOCITY, NULL);
  return is_linear && has_velocity;
}

void declare_speed(struct analysis *a, uint32_t element, struct model_name id, expr start) {
  const struct element *e = &a->l->elements.items[element];
  if (e->value.value == 0) return; /* reported by the parser */
  expr value = lower_element(a->l, element);
  if (value == 0 || !is_speed(a, e, value)) return;
  struct model_speed speed = {.id = id, .value = value, .start = start};
  vector_push(&a->model->speeds, speed);
}

/* ---------------------------------------------------------------- dependence */

/* Speeds with the largest rank so far: the first `count`, by the rank of their coefficients. */
static uint32_t rank_of(const struct model *model, const uint32_t *speeds, uint32_t count,
                        bool *is_sure) {
  uint32_t n = model->coordinates.count;
  expr *entries = checked_calloc((size_t)count * n + 1, sizeof *entries);
  expr *parts = checked_calloc(2 * (size_t)n + 1, sizeof *parts), rest;
  for (uint32_t j = 0; j < n; j++) parts[n + j] = model->coordinates.items[j].velocity;
  for (uint32_t i = 0; i < count; i++) {
    expr_linear_parts(model->graph, model->speeds.items[speeds[i]].value, parts + n, n, parts,
                      &rest);
    for (uint32_t j = 0; j < n; j++) entries[i + (size_t)j * count] = parts[j];
  }
  struct zero_test test = {0};
  struct rank_result result = expr_matrix_rank(model->graph, entries, count, n, &test);
  uint32_t rank = result.rank;
  *is_sure = rank == count || result.believed;
  rank_result_clear(&result);
  free(entries);
  free(parts);
  return rank;
}

static void report_dependent(struct analysis *a, const uint32_t *speeds, uint32_t count) {
  struct model *model = a->model;
  struct text names = {0};
  for (uint32_t i = 0; i < count; i++) {
    const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
    text_format(&names, "%s%s", between, model->speeds.items[speeds[i]].id.name);
  }
  const struct model_name *last = &model->speeds.items[speeds[count - 1]].id;
  struct diagnostic *d =
      diagnostic_add(a->context, DIAG_SPEEDS_DEPENDENT, last->span, text_string(&names),
                     lower_words(a->l, "rank %u of %u", count - 1, count), NULL);
  for (uint32_t i = 0; i + 1 < count; i++)
    diagnostic_label(a->context, d, model->speeds.items[speeds[i]].id.span,
                     "it follows from this one%s", count > 2 ? " and others" : "");
  text_free(&names);
}

/* Leaves out every speed without which the set stays dependent. */
static void find_circuit(struct analysis *a, uint32_t *speeds, uint32_t count) {
  bool is_sure;
  for (uint32_t i = 0; i + 1 < count;) {
    uint32_t left_out = speeds[i];
    for (uint32_t k = i; k + 1 < count; k++) speeds[k] = speeds[k + 1];
    if (rank_of(a->model, speeds, count - 1, &is_sure) < count - 1) {
      count--;
      continue;
    }
    for (uint32_t k = count - 1; k > i; k--) speeds[k] = speeds[k - 1];
    speeds[i++] = left_out;
  }
  report_dependent(a, speeds, count);
}

void check_speeds(struct analysis *a) {
  struct model *model = a->model;
  uint32_t count = model->speeds.count, n = model->coordinates.count;
  if (count == 0 || a->context->diagnostics.error_count > 0) return;
  if (count > n) {
    diagnostic_add(a->context, DIAG_TOO_MANY_SPEEDS, model->speeds.items[n].id.span,
                   lower_words(a->l, "%u", count), lower_words(a->l, "%u", n), NULL);
    return;
  }
  uint32_t *speeds = checked_calloc((size_t)count + 1, sizeof *speeds), taken = 0;
  bool is_sure;
  for (uint32_t i = 0; i < count; i++) speeds[i] = i;
  if (rank_of(model, speeds, count, &is_sure) < count && is_sure) {
    while (++taken < count && rank_of(model, speeds, taken, &is_sure) == taken) {
    }
    find_circuit(a, speeds, taken);
  }
  free(speeds);
}
