/* Is there inertia with the values that the parameters have? `param m = 0`, or --set m=0, can take
 * away what the equations would need. Looked at only when some parameter is zero: then the matrix
 * [M -B; A 0] is evaluated at random states, and a row that is exactly zero at all of them, or with
 * constraints a matrix that is singular at all of them, is reported with the parameters that make
 * it so. */
#include "derive/bordered.h"
#include "derive/elimination.h"
#include "derive/inertia_report.h"
#include "derive/method.h"
#include "derive/sample.h"
#include "base/bug.h"
#include "sema/model.h"
#include <math.h>
#include <stdlib.h>

static bool some_parameter_is_zero(struct sample *sample, const struct model *model) {
  for (uint32_t i = 0; i < model->parameters.count; i++)
    if (sample_value(sample, model->parameters.items[i].symbol) == 0) return true;
  return false;
}

/* Clears `zero` for rows that have an entry at this state. */
static void mark_rows(const struct bordered *bordered, const double *matrix, bool *zero) {
  size_t n = bordered->system->n, size = bordered->size;
  for (size_t j = 0; j < size; j++)
    for (size_t i = 0; i < n; i++)
      if (matrix[i + j * size] != 0) zero[i] = false;
}

/* Names the parameters whose value is zero among those that the entries depend on. */
static void blame_parameters(dyn_context *context, struct diagnostic *d, struct sample *sample,
                             struct expr_graph *graph, const expr *entries, size_t count) {
  const struct model *model = sample->model;
  struct expr_symbol_set *set = expr_symbol_set_new(graph);
  struct expr_list symbols = {0};
  expr_symbols_of(graph, entries, count, &symbols);
  for (uint32_t k = 0; k < symbols.count; k++) expr_symbol_set_add(set, symbols.items[k]);
  for (uint32_t p = 0; p < model->parameters.count; p++) {
    const struct model_parameter *parameter = &model->parameters.items[p];
    if (sample_value(sample, parameter->symbol) != 0 ||
        !expr_symbol_set_touches(set, parameter->symbol))
      continue;
    diagnostic_label(context, d, parameter->id.span, "this parameter is zero");
    diagnostic_help(context, d, "give '%s' a value other than 0", parameter->id.name);
  }
  expr_symbol_set_free(set);
  free(symbols.items);
}

static void report_row(dyn_context *context, const struct bordered *bordered, struct sample *sample,
                       uint32_t row) {
  const struct system *system = bordered->system;
  const struct model_coordinate *coordinate = &system->model->coordinates.items[row];
  struct diagnostic *d = diagnostic_add(context, DIAG_COORDINATE_WITHOUT_INERTIA,
                                        coordinate->id.span, coordinate->id.name, NULL);
  diagnostic_caption(context, d, "no mass moves with %s'", coordinate->id.name);
  size_t size = bordered->size;
  expr *entries = checked_calloc(size, sizeof *entries);
  for (size_t j = 0; j < size; j++) entries[j] = bordered->entries[row + j * size];
  blame_parameters(context, d, sample, system->graph, entries, size);
  free(entries);
}

/* With constraints a row without inertia may be fine, and rows that have some may not suffice. */
static bool check_matrix(dyn_context *context, const struct bordered *bordered,
                         struct sample *sample, double smallest_ratio) {
  if (bordered->rows == 0 || smallest_ratio > 1e-13) return true;
  struct diagnostic *d =
      inertia_report_singular(context, bordered, " with these values of the parameters");
  blame_parameters(context, d, sample, bordered->system->graph, bordered->system->mass,
                   (size_t)bordered->system->n * bordered->system->n);
  return false;
}

/* Evaluates the matrix at a state where all of it is a number: at random ones first, then near the
 * start, since away from the constraints a root may have none (of 1 - cos² where Euler parameters
 * are off their norm). */
static bool evaluate_somewhere(const struct bordered *bordered, struct sample *sample,
                               uint64_t attempt, double *matrix) {
  size_t count = bordered->size * bordered->size;
  double sum = 0;
  if (attempt < 4)
    sample_draw(sample, 0x0a11 + attempt, false);
  else
    sample_start(sample, 1e-2 * (double)(attempt - 3));
  expr_evaluate(bordered->system->graph, bordered->entries, count, sample_value, sample, matrix);
  for (size_t k = 0; k < count; k++) sum += 0 * matrix[k]; /* 0*inf and 0*nan are nan */
  return sum == 0;
}

/* The matrix at states with the values that the parameters have; where it has none nothing is said.
 */
static bool check_states(dyn_context *context, const struct bordered *bordered,
                         struct sample *sample) {
  enum { STATES = 3, MOST_ATTEMPTS = 8 };
  size_t n = bordered->system->n, size = bordered->size;
  bool *zero = checked_calloc(n, sizeof *zero), ok = true;
  double *matrix = checked_calloc(size * size, sizeof *matrix), ratio = 0;
  double *scale = checked_calloc(size, sizeof *scale);
  uint32_t states = 0;
  for (size_t i = 0; i < n; i++) zero[i] = true;
  for (uint64_t attempt = 0; attempt < MOST_ATTEMPTS && states < STATES; attempt++) {
    if (!evaluate_somewhere(bordered, sample, attempt, matrix)) continue;
    states++;
    mark_rows(bordered, matrix, zero);
    if (bordered->rows == 0) continue;
    elimination_scale(matrix, (uint32_t)size, scale);
    ratio = fmax(ratio, elimination_pivot_ratio(matrix, (uint32_t)size));
  }
  for (uint32_t i = 0; i < n && states == 0; i++) zero[i] = false;
  if (states == 0) ratio = 1;
  for (uint32_t i = 0; i < n; i++) {
    if (!zero[i]) continue;
    report_row(context, bordered, sample, i);
    ok = false;
  }
  ok = ok && check_matrix(context, bordered, sample, ratio);
  free(zero);
  free(matrix);
  free(scale);
  return ok;
}

bool inertia_check_values(dyn_context *context, const struct system *system) {
  struct sample sample;
  sample_init(&sample, system->model);
  sample_draw(&sample, 0x0a11, false);
  bool ok = true;
  if (system->n > 0 && some_parameter_is_zero(&sample, system->model)) {
    struct bordered bordered = bordered_new(system);
    ok = check_states(context, &bordered, &sample);
    bordered_clear(&bordered);
  }
  sample_clear(&sample);
  return ok;
}
