/* First integrals that can be read off (Goldstein, 3rd ed., sections 2.6 and 2.7):
 *
 *   h = sum q' dL/dq' - L   changes by   h' = -dL/dt + sum (Q - dD/dq') q'       (t, z explicit)
 *   p_j = dL/dq'_j          changes by   p'_j = dL/dq_j + Q_j - dD/dq'_j
 *
 * Where h' is zero identically, h is the energy T + V if T is homogeneous of degree two in the
 * velocities and V free of them, and otherwise the Jacobi integral, which is not the energy.
 * Forces whose virtual power vanishes (gyroscopic ones) do no harm. Inputs count as arbitrary
 * functions of time. What is undecided is not claimed; where forces depend on accelerations, no
 * claim about energy is made. */
#include "derive/homogeneous.h"
#include "derive/method.h"
#include "derive/momentum_unit.h"
#include "derive/sample.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

struct invariants {
  struct system *system;
  const struct terms *terms;
  struct expr_graph *graph;
  struct expr_symbol_set *inputs, *accelerations;
  struct sample sample;
};

/* Certain zeros only. The numeric look comes first, because it is cheap and mostly answers. */
static bool is_zero(struct invariants *s, expr e) {
  if (expr_is_integer_value(s->graph, e, 0)) return true;
  if (sample_is_clearly_nonzero(&s->sample, s->graph, e)) return false;
  struct zero_test test = {0};
  return expr_is_zero(s->graph, e, &test) == VERDICT_YES;
}

static char *copy_text(const char *string) {
  size_t size = strlen(string) + 1;
  return memcpy(checked_malloc(size), string, size);
}

static void add_invariant(struct system *system, const char *name, const char *unit, expr value) {
  uint32_t count = system->invariant_count;
  system->invariants =
      checked_realloc(system->invariants, (count + (size_t)1) * sizeof *system->invariants);
  system->invariants[count] = (struct system_invariant){copy_text(name), copy_text(unit), value};
  system->invariant_count++;
}

/* dL/dt by explicit time and by first-order states. */
static expr explicit_rate(struct invariants *s) {
  const struct model *model = s->system->model;
  struct expr_tangent *tangent = expr_tangent_new(s->graph);
  expr_tangent_seed(tangent, model->time, expr_integer(s->graph, 1));
  for (uint32_t k = 0; k < model->states.count; k++)
    expr_tangent_seed(tangent, model->states.items[k].value, model->states.items[k].rate);
  expr rate = expr_subtract(s->graph, expr_tangent_of(tangent, s->terms->kinetic),
                            expr_tangent_of(tangent, s->terms->potential));
  expr_tangent_free(tangent);
  return rate;
}

/* h' = sum of nonconservative forces times velocities - dL/dt. */
static expr rate_of_h(struct invariants *s) {
  uint32_t n = s->system->n;
  expr *terms = checked_calloc((size_t)n + 1, sizeof *terms);
  for (uint32_t j = 0; j < n; j++)
    terms[j] = expr_multiply(s->graph, s->system->nonconservative[j],
                             s->system->model->coordinates.items[j].velocity);
  terms[n] = expr_negate(s->graph, explicit_rate(s));
  expr rate = expr_sum(s->graph, terms, (size_t)n + 1);
  free(terms);
  return rate;
}

static expr jacobi_integral(struct invariants *s) {
  uint32_t n = s->system->n;
  expr *terms = checked_calloc((size_t)n + 2, sizeof *terms);
  for (uint32_t j = 0; j < n; j++)
    terms[j] = expr_multiply(s->graph, s->system->momentum[j],
                             s->system->model->coordinates.items[j].velocity);
  terms[n] = expr_negate(s->graph, s->terms->kinetic);
  terms[n + 1] = s->terms->potential;
  expr h = expr_sum(s->graph, terms, (size_t)n + 2);
  free(terms);
  return h;
}

/* Is h the energy: by Euler's theorem where the structure shows the degrees, else by a zero test.
 */
static bool h_is_energy(struct invariants *s, expr h) {
  const struct system *system = s->system;
  if (!system->has_energy) return false;
  expr *velocities = checked_calloc((size_t)system->n + 1, sizeof *velocities);
  for (uint32_t j = 0; j < system->n; j++)
    velocities[j] = system->model->coordinates.items[j].velocity;
  bool by_degree =
      homogeneous_is_of_degree(s->graph, system->kinetic_energy, velocities, system->n, 2) &&
      homogeneous_is_of_degree(s->graph, system->potential_energy, velocities, system->n, 0);
  free(velocities);
  if (by_degree) return true;
  expr energy = expr_add(s->graph, system->kinetic_energy, system->potential_energy);
  return is_zero(s, expr_subtract(s->graph, h, energy));
}

static void find_energy(struct invariants *s) {
  struct system *system = s->system;
  if (!s->terms->has_kinetic || expr_symbol_set_touches(s->inputs, s->terms->kinetic) ||
      expr_symbol_set_touches(s->inputs, s->terms->potential))
    return;
  expr rate = rate_of_h(s);
  if (expr_symbol_set_touches(s->accelerations, rate) || !is_zero(s, rate)) return;
  expr h = jacobi_integral(s);
  const char *unit = system->model->is_dimensionless ? "1" : "J";
  if (h_is_energy(s, h)) {
    system->energy_is_conserved = true;
    add_invariant(system, "energy", unit,
                  expr_add(s->graph, system->kinetic_energy, system->potential_energy));
  } else {
    add_invariant(system, "Jacobi integral", unit, h);
  }
}

static void find_momenta(struct invariants *s) {
  struct system *system = s->system;
  for (uint32_t j = 0; j < system->n; j++) {
    const struct model_name *id = &system->model->coordinates.items[j].id;
    if (expr_symbol_set_touches(s->accelerations, system->momentum_rate[j]) ||
        expr_symbol_set_touches(s->inputs, system->momentum[j]) ||
        !is_zero(s, system->momentum_rate[j]))
      continue;
    struct text name = {0}, unit = {0};
    text_format(&name, "momentum of %s", id->name);
    momentum_unit(system->model, id->unit.si, &unit);
    add_invariant(system, text_string(&name), text_string(&unit), system->momentum[j]);
    text_free(&name);
    text_free(&unit);
  }
}

void invariants_find(struct system *system, const struct terms *terms) {
  const struct model *model = system->model;
  if (system->n == 0) return;
  struct invariants s = {system,
                         terms,
                         system->graph,
                         expr_symbol_set_new(system->graph),
                         expr_symbol_set_new(system->graph),
                         {0}};
  for (uint32_t k = 0; k < model->inputs.count; k++)
    expr_symbol_set_add(s.inputs, model->inputs.items[k].symbol);
  for (uint32_t j = 0; j < system->n; j++)
    expr_symbol_set_add(s.accelerations, model->coordinates.items[j].acceleration);
  sample_init(&s.sample, model);
  find_energy(&s);
  find_momenta(&s);
  sample_clear(&s.sample);
  expr_symbol_set_free(s.inputs);
  expr_symbol_set_free(s.accelerations);
}
