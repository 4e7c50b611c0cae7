/* Is there inertia with the values that the parameters have? `param m = 0`, or --set m=0, can take
 * away what the equations would need. Looked at only when some parameter is zero: then the mass
 * matrix is evaluated at random states, and a row that is exactly zero at all of them is reported
 * with the parameters that make it so. */
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
static void mark_rows(const struct system *system, const double *matrix, bool *zero) {
  size_t n = system->n;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      if (matrix[i + j * n] != 0) zero[i] = false;
}

static void report_row(dyn_context *context, const struct system *system, struct sample *sample,
                       uint32_t row) {
  const struct model *model = system->model;
  const struct model_coordinate *coordinate = &model->coordinates.items[row];
  struct diagnostic *d = diagnostic_add(context, DIAG_COORDINATE_WITHOUT_INERTIA,
                                        coordinate->id.span, coordinate->id.name, NULL);
  diagnostic_caption(context, d, "no mass moves with %s'", coordinate->id.name);
  expr *entries = checked_calloc(system->n, sizeof *entries);
  for (uint32_t j = 0; j < system->n; j++) entries[j] = system->mass[row + (size_t)j * system->n];
  struct expr_symbol_set *set = expr_symbol_set_new(system->graph);
  struct expr_list symbols = {0};
  expr_symbols_of(system->graph, entries, system->n, &symbols);
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
  free(entries);
}

bool inertia_check_values(dyn_context *context, const struct system *system) {
  size_t n = system->n;
  struct sample sample;
  sample_init(&sample, system->model);
  sample_draw(&sample, 0x0a11, false);
  if (n == 0 || !some_parameter_is_zero(&sample, system->model)) {
    sample_clear(&sample);
    return true;
  }
  bool *zero = checked_calloc(n, sizeof *zero), ok = true;
  double *matrix = checked_calloc(n * n, sizeof *matrix);
  for (size_t i = 0; i < n; i++) zero[i] = true;
  for (uint64_t attempt = 0; attempt < 3; attempt++) {
    sample_draw(&sample, 0x0a11 + attempt, false);
    expr_evaluate(system->graph, system->mass, n * n, sample_value, &sample, matrix);
    mark_rows(system, matrix, zero);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!zero[i]) continue;
    report_row(context, system, &sample, i);
    ok = false;
  }
  free(zero);
  free(matrix);
  sample_clear(&sample);
  return ok;
}
