/* Is there inertia for every motion? Reports coordinates whose row of the mass matrix is zero, and
 * mass matrices whose determinant is zero identically, in the model's own names.
 *
 * Needs: mass matrix and applied forces. Most models are answered by a look at the structure or by
 * one elimination in doubles at a random state; only near-singular ones go to the prover. Where
 * the prover cannot decide, the matrix is refused with the number of points and bits tried. */
#include "derive/elimination.h"
#include "derive/method.h"
#include "derive/null_motion.h"
#include "derive/sample.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

static bool is_zero_entry(const struct system *system, uint32_t i, uint32_t j) {
  return expr_is_integer_value(system->graph, system->mass[i + (size_t)j * system->n], 0);
}

static bool row_is_zero(const struct system *system, uint32_t i) {
  for (uint32_t j = 0; j < system->n; j++)
    if (!is_zero_entry(system, i, j)) return false;
  return true;
}

static bool column_is_zero(const struct system *system, uint32_t j) {
  for (uint32_t i = 0; i < system->n; i++)
    if (!is_zero_entry(system, i, j)) return false;
  return true;
}

static bool touches(const struct system *system, expr symbol, const expr *items, uint32_t count) {
  struct expr_symbol_set *set = expr_symbol_set_new(system->graph);
  expr_symbol_set_add(set, symbol);
  bool found = false;
  for (uint32_t i = 0; i < count && !found; i++) found = expr_symbol_set_touches(set, items[i]);
  expr_symbol_set_free(set);
  return found;
}

/* What to do about it depends on how the coordinate enters the other terms. */
static void help_with_inertia(dyn_context *context, struct diagnostic *d,
                              const struct system *system, uint32_t i) {
  const struct model_coordinate *coordinate = &system->model->coordinates.items[i];
  const char *name = coordinate->id.name;
  if (touches(system, coordinate->velocity, &system->applied[i], 1))
    diagnostic_help(context, d,
                    "its equation is of first order: declare it as `state %s` and write its rate, "
                    "`%s' = ...`, from the balance of forces",
                    name, name);
  else if (!expr_is_integer_value(system->graph, system->applied[i], 0) ||
           touches(system, coordinate->position, system->forcing, system->n))
    diagnostic_help(context, d,
                    "give it a mass, or express it by the other coordinates through the balance of "
                    "forces on it");
  else
    diagnostic_help(context, d,
                    "'%s' enters no energy and no force: give it a kinetic energy, or remove it",
                    name);
}

/* Reports all coordinates without inertia. */
static bool check_rows(dyn_context *context, const struct system *system) {
  bool ok = true;
  for (uint32_t i = 0; i < system->n; i++) {
    if (!row_is_zero(system, i) && (system->mass_is_symmetric || !column_is_zero(system, i)))
      continue;
    const struct model_coordinate *coordinate = &system->model->coordinates.items[i];
    struct diagnostic *d = diagnostic_add(context, DIAG_COORDINATE_WITHOUT_INERTIA,
                                          coordinate->id.span, coordinate->id.name, NULL);
    diagnostic_caption(context, d, "no mass moves with %s'", coordinate->id.name);
    help_with_inertia(context, d, system, i);
    ok = false;
  }
  return ok;
}

static bool is_diagonal(const struct system *system) {
  for (uint32_t j = 0; j < system->n; j++)
    for (uint32_t i = 0; i < system->n; i++)
      if (i != j && !is_zero_entry(system, i, j)) return false;
  return true;
}

/* True if a determinant is far from zero at one of a few random states. */
static bool is_clearly_regular(const struct system *system) {
  size_t n = system->n;
  double *a = checked_malloc(n * n * sizeof *a), *scale = checked_malloc(n * sizeof *scale);
  struct sample sample;
  sample_init(&sample, system->model);
  bool regular = false;
  for (uint64_t attempt = 0; attempt < 4 && !regular; attempt++) {
    sample_draw(&sample, 0x1e55 + attempt, attempt >= 2);
    expr_evaluate(system->graph, system->mass, n * n, sample_value, &sample, a);
    elimination_scale(a, (uint32_t)n, scale);
    regular = elimination_pivot_ratio(a, (uint32_t)n) > 1e-8;
  }
  sample_clear(&sample);
  free(a);
  free(scale);
  return regular;
}

static void report_singular(dyn_context *context, const struct system *system,
                            const struct zero_test *test, enum verdict verdict) {
  struct text how = {0};
  if (verdict == VERDICT_UNDECIDED && test->failure)
    text_format(&how, " at every state tried (no proof: %s)", test->failure);
  else if (verdict == VERDICT_UNDECIDED && test->bits_used == 0)
    text_format(&how, " (at each of %u random points, in exact arithmetic modulo a prime)",
                (unsigned)test->points_used);
  else if (verdict == VERDICT_UNDECIDED)
    text_format(&how, " (not refuted at %u points to %u bits)", (unsigned)test->points_used,
                (unsigned)test->bits_used);
  struct span span = {0};
  bool *involved = checked_calloc((size_t)system->n + 1, sizeof(bool));
  struct text motion = {0};
  null_motion_find(system, involved, &motion);
  for (uint32_t i = system->n; i-- > 0;)
    if (involved[i]) span = system->model->coordinates.items[i].id.span;
  struct diagnostic *d =
      diagnostic_add(context, DIAG_SINGULAR_MASS_MATRIX, span, text_string(&how), NULL);
  bool first = true;
  for (uint32_t i = 0; i < system->n; i++) {
    if (!involved[i]) continue;
    if (!first)
      diagnostic_label(context, d, system->model->coordinates.items[i].id.span, "and this one");
    else
      diagnostic_caption(context, d, "this coordinate is involved");
    first = false;
  }
  diagnostic_help(context, d, "%s", text_string(&motion));
  free(involved);
  text_free(&motion);
  text_free(&how);
}

bool inertia_check(dyn_context *context, const struct system *system, const struct terms *terms) {
  if (system->n == 0) return true;
  bool none = true;
  for (uint32_t i = 0; i < system->n && none; i++) none = row_is_zero(system, i);
  if (none && !terms->has_kinetic) {
    struct diagnostic *d = diagnostic_add(context, DIAG_NO_KINETIC_ENERGY,
                                          system->model->coordinates.items[0].id.span, NULL);
    diagnostic_caption(context, d, "nothing says what mass moves with it");
    return false;
  }
  if (!check_rows(context, system)) return false;
  if (!inertia_check_values(context, system)) return false;
  if (is_diagonal(system) || is_clearly_regular(system)) return true;
  struct zero_test test = {0};
  enum verdict verdict = expr_determinant_is_zero(system->graph, system->mass, system->n, &test);
  if (verdict == VERDICT_NO) return true;
  report_singular(context, system, &test, verdict);
  return false;
}
