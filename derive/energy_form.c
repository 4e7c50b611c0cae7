/* The parts of a Lagrangian by their degree in the velocities, from its momenta:
 *
 *     p = M q' + b,     L = 1/2 q' M q' + b q' + L0,     h = q' p - L = 1/2 q' M q' - L0
 *
 * (Goldstein, Poole, Safko, Classical Mechanics, 3rd ed., section 2.7; Whittaker, Analytical
 * Dynamics, section 41). M has gone through foldings that the squares of velocities in T, as they
 * were written, have not. */
#include "derive/energy_form.h"
#include "derive/sample.h"
#include "base/bug.h"
#include "expr/printer.h"
#include "sema/model.h"
#include <math.h>
#include <stdlib.h>

/* Beyond these sizes nobody reads the result. */
enum { MOST_ROWS = 24, LARGE_GRAPH = 20000, LONGEST_TEXT = 4096 };

static expr at_rest(const struct system *system, expr e) {
  struct expr_substitution *zero = expr_substitution_new(system->graph);
  for (uint32_t j = 0; j < system->n; j++)
    expr_substitution_add(zero, system->model->coordinates.items[j].velocity,
                          expr_integer(system->graph, 0));
  expr rest = expr_substitution_of(zero, e);
  expr_substitution_free(zero);
  return rest;
}

/* An expression such as v^2/v has no value at rest. */
static bool has_value(const struct system *system, expr e) {
  struct sample sample;
  double value = NAN;
  sample_init(&sample, system->model);
  for (uint64_t seed = 0; seed < 4 && !isfinite(value); seed++) {
    sample_draw(&sample, 0xe4e6 + seed, seed >= 2);
    expr_evaluate(system->graph, &e, 1, sample_value, &sample, &value);
  }
  sample_clear(&sample);
  return isfinite(value);
}

struct parts {
  expr *velocity, *row; /* n */
  expr *quadratic;      /* n*(n + 1)/2 terms */
  expr *linear;         /* n terms */
  uint32_t count;
};

/* Adds what row i of p has: its half of the quadratic terms, with those of the transposed entries.
 */
static bool add_row(const struct system *system, struct parts *parts, uint32_t i) {
  struct expr_graph *graph = system->graph;
  expr rest;
  if (!expr_linear_parts(graph, system->momentum[i], parts->velocity, system->n, parts->row, &rest))
    return false;
  for (uint32_t j = i; j < system->n; j++) {
    expr factors[4] = {parts->row[j], parts->velocity[i], parts->velocity[j],
                       expr_ratio(graph, 1, i == j ? 2 : 1)};
    parts->quadratic[parts->count++] = expr_product(graph, factors, 4);
  }
  parts->linear[i] = expr_multiply(graph, rest, parts->velocity[i]);
  return true;
}

struct energy_form energy_form_of(const struct system *system, const struct terms *terms) {
  struct energy_form form = {0};
  uint32_t n = system->n;
  if (n == 0 || n > MOST_ROWS || !terms->has_kinetic ||
      expr_reachable_count(system->graph, system->momentum, n) > LARGE_GRAPH)
    return form;
  struct parts parts = {.velocity = checked_calloc(n, sizeof(expr)),
                        .row = checked_calloc(n, sizeof(expr)),
                        .quadratic = checked_calloc((size_t)n * (n + 1), sizeof(expr)),
                        .linear = checked_calloc(n, sizeof(expr))};
  for (uint32_t j = 0; j < n; j++) parts.velocity[j] = system->model->coordinates.items[j].velocity;
  form.is_quadratic = true;
  for (uint32_t i = 0; i < n && form.is_quadratic; i++)
    form.is_quadratic = add_row(system, &parts, i);
  if (form.is_quadratic) {
    form.quadratic = expr_sum(system->graph, parts.quadratic, parts.count);
    form.linear = expr_sum(system->graph, parts.linear, n);
    form.rest_kinetic = at_rest(system, terms->kinetic);
    form.rest = expr_subtract(system->graph, form.rest_kinetic, at_rest(system, terms->potential));
    form.is_quadratic = has_value(system, form.rest) && has_value(system, form.rest_kinetic);
  }
  free(parts.velocity);
  free(parts.row);
  free(parts.quadratic);
  free(parts.linear);
  return form;
}

/* The length of e as text, up to a limit. */
static size_t length_of(struct expr_graph *graph, expr e) {
  struct expr_printer *printer = expr_printer_new(graph, EXPR_TEXT, &e, 1);
  struct text text = {0};
  expr_printer_limit(printer, LONGEST_TEXT);
  expr_printer_print(printer, &text, e);
  size_t length = text.length;
  expr_printer_free(printer);
  text_free(&text);
  return length;
}

expr energy_form_shorter(struct expr_graph *graph, expr a, expr b) {
  size_t first = length_of(graph, a), second = length_of(graph, b);
  if (first >= LONGEST_TEXT && second >= LONGEST_TEXT) {
    first = expr_reachable_count(graph, &a, 1);
    second = expr_reachable_count(graph, &b, 1);
  }
  return second < first ? b : a;
}
