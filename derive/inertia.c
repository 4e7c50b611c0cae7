/* Is there inertia for every motion that the constraints allow? Reports coordinates whose row of
 * the bordered matrix [M -B; A 0] is zero, and matrices whose determinant is zero identically, in
 * the model's own names.
 *
 * Needs: mass matrix, applied forces, constraints. Most models are answered by a look at the
 * structure or by one elimination in doubles at a random state; only near-singular ones go to the
 * prover. Where the prover cannot decide, the matrix is refused with the number of points and bits
 * tried. */
#include "derive/bordered.h"
#include "derive/elimination.h"
#include "derive/method.h"
#include "derive/inertia_report.h"
#include "derive/recursion_forms.h"
#include "derive/sample.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

static bool is_zero_entry(const struct system *system, uint32_t i, uint32_t j) {
  return expr_is_integer_value(system->graph, system->mass[i + (size_t)j * system->n], 0);
}

/* The coordinate's equation holds no acceleration, and no multiplier either. */
static bool row_is_zero(const struct system *system, uint32_t i) {
  for (uint32_t j = 0; j < system->n; j++)
    if (!is_zero_entry(system, i, j)) return false;
  for (uint32_t k = 0; k < system->m; k++)
    if (!expr_is_integer_value(system->graph, system->multiplier_force[i + (size_t)k * system->n],
                               0))
      return false;
  return true;
}

/* The coordinate's acceleration is in no equation, and in no constraint either. */
static bool column_is_zero(const struct system *system, uint32_t j) {
  for (uint32_t i = 0; i < system->n; i++)
    if (!is_zero_entry(system, i, j)) return false;
  for (uint32_t k = 0; k < system->m; k++)
    if (!expr_is_integer_value(system->graph,
                               system->constraint_jacobian[k + (size_t)j * system->m], 0))
      return false;
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
    if (!row_is_zero(system, i) && !column_is_zero(system, i)) continue;
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

/* True if a determinant is far from zero at one of a few random states. They need not satisfy the
 * constraints: what is regular on their manifold is regular in general position. */
static bool is_clearly_regular(const struct bordered *bordered) {
  size_t n = bordered->size;
  double *a = checked_malloc(n * n * sizeof *a), *scale = checked_malloc(n * sizeof *scale);
  struct sample sample;
  sample_init(&sample, bordered->system->model);
  bool regular = false;
  for (uint64_t attempt = 0; attempt < 6 && !regular; attempt++) {
    if (attempt < 4)
      sample_draw(&sample, 0x1e55 + attempt, attempt >= 2);
    else /* where random states have no value, those near the start may */
      sample_start(&sample, 1e-2 * (double)(attempt - 3));
    expr_evaluate(bordered->system->graph, bordered->entries, n * n, sample_value, &sample, a);
    elimination_scale(a, (uint32_t)n, scale);
    regular = elimination_pivot_ratio(a, (uint32_t)n) > 1e-8;
  }
  sample_clear(&sample);
  free(a);
  free(scale);
  return regular;
}

/* How sure the refusal is. */
static void put_effort(const struct zero_test *test, enum verdict verdict, struct text *how) {
  if (verdict == VERDICT_UNDECIDED && test->failure)
    text_format(how, " at every state tried (no proof: %s)", test->failure);
  else if (verdict == VERDICT_UNDECIDED && test->bits_used == 0)
    text_format(how, " (at each of %u random points, in exact arithmetic modulo a prime)",
                (unsigned)test->points_used);
  else if (verdict == VERDICT_UNDECIDED)
    text_format(how, " (not refuted at %u points to %u bits)", (unsigned)test->points_used,
                (unsigned)test->bits_used);
}

/* Constraints may determine motions that have no inertia: then nothing is wrong. */
static bool check_bordered(dyn_context *context, const struct system *system) {
  if (system->m == 0 && is_diagonal(system)) return true;
  struct bordered bordered = bordered_new(system);
  bool ok = is_clearly_regular(&bordered);
  if (!ok) {
    struct zero_test test = {0};
    enum verdict verdict =
        expr_determinant_is_zero(system->graph, bordered.entries, bordered.size, &test);
    ok = verdict == VERDICT_NO;
    if (!ok) {
      struct text how = {0};
      put_effort(&test, verdict, &how);
      inertia_report_singular(context, &bordered, text_string(&how));
      text_free(&how);
    }
  }
  bordered_clear(&bordered);
  return ok;
}

static bool nothing_has_inertia(const struct system *system) {
  for (size_t k = 0; k < (size_t)system->n * system->n; k++)
    if (!expr_is_integer_value(system->graph, system->mass[k], 0)) return false;
  return true;
}

/* Fewer constraints than coordinates can't determine a motion without any mass. */
static bool check_kinetic_energy(dyn_context *context, const struct system *system,
                                 const struct terms *terms) {
  if (terms->has_kinetic || system->m >= system->n || !nothing_has_inertia(system)) return true;
  struct diagnostic *d = diagnostic_add(context, DIAG_NO_KINETIC_ENERGY,
                                        system->model->coordinates.items[0].id.span, NULL);
  diagnostic_caption(context, d, "nothing says what mass moves with it");
  return false;
}

/* By the values that the recursion gives the mass matrix, with those of the parameters: what is
 * regular with them is so in general, too. */
static bool put_off_mass_is_regular(const struct system *system) {
  size_t n = system->n;
  double *mass = checked_malloc(n * n * sizeof *mass), *scale = checked_malloc(n * sizeof *scale);
  struct sample sample;
  bool regular = false;
  sample_init(&sample, system->model);
  for (uint64_t attempt = 0; attempt < 4 && !regular; attempt++) {
    sample_draw(&sample, 0x1e55 + attempt, false);
    recursion_mass_at(system->recursion, system->graph, &sample, mass);
    elimination_scale(mass, (uint32_t)n, scale);
    regular = elimination_pivot_ratio(mass, (uint32_t)n) > 1e-8;
  }
  sample_clear(&sample);
  free(mass);
  free(scale);
  return regular;
}

bool inertia_check(dyn_context *context, struct system *system, const struct terms *terms) {
  if (system->n == 0 || (system->mass == NULL && put_off_mass_is_regular(system))) return true;
  system_derive_mass(system);
  if (expr_graph_is_full(system->graph)) return true; /* which is a report of its own */
  return check_kinetic_energy(context, system, terms) && check_rows(context, system) &&
         inertia_check_values(context, system) && check_bordered(context, system);
}
