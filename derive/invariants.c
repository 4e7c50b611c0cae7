/* First integrals that can be read off (Goldstein, 3rd ed., sections 2.6 and 2.7):
 *
 *   h = sum q' dL/dq' - L   changes by   h' = -dL/dt + sum (Q - dD/dq') q'       (t, z explicit)
 *   p_j = dL/dq'_j          changes by   p'_j = dL/dq_j + Q_j - dD/dq'_j
 *
 * Where h' is zero identically, h is the energy T + V if T is homogeneous of degree two in the
 * velocities and V free of them, and otherwise the Jacobi integral, which is not the energy.
 * With constraints a q' + b = 0 the reactions A^T λ add λ·A q' = -λ·b to h' and A^T λ to p': h
 * stays constant where they do not work, momenta where no reaction acts on the coordinate. In a
 * driven system they do work, but let a constant velocity v satisfy the constraints, A v + b = 0.
 * Then (v·p)' = v·(dL/dq + Q - dD/dq') - λ·b, and in
 *
 *   (h - v·p)' = -dL/dt + (Q - dD/dq')·q' - v·(dL/dq + Q - dD/dq')
 *
 * the reactions are gone. Where that vanishes, h - v·p is what Jacobi's integral is for coordinates
 * that move with v.
 *
 * Forces whose virtual power vanishes (gyroscopic ones) do no harm. Inputs count as arbitrary
 * functions of time. What is undecided is not claimed; where forces depend on accelerations, no
 * claim about energy is made. */
#include "derive/energy_form.h"
#include "derive/homogeneous.h"
#include "derive/method.h"
#include "derive/momentum_sums.h"
#include "derive/momentum_unit.h"
#include "derive/sample.h"
#include "derive/simple_ratio.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

struct invariants {
  struct system *system;
  const struct terms *terms;
  struct expr_graph *graph;
  struct expr_symbol_set *inputs, *accelerations;
  struct expr_symbol_set *variables; /* all that is no parameter */
  struct energy_form form;
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

/* h = L2 - L0, if that is shorter than as it was found. */
static expr shorter_h(struct invariants *s, expr h) {
  if (!s->form.is_quadratic) return h;
  return energy_form_shorter(s->graph, h, expr_subtract(s->graph, s->form.quadratic, s->form.rest));
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

/* ---- what constraints do */

/* The part of constraint k that is left at rest: b where it is linear, a q' + b = 0. */
static expr drift_of_constraint(struct invariants *s, uint32_t k) {
  struct system *system = s->system;
  expr *terms = checked_calloc((size_t)system->n + 1, sizeof *terms);
  terms[0] = system->constraint[k];
  for (uint32_t j = 0; j < system->n; j++)
    terms[j + 1] = expr_negate(
        s->graph, expr_multiply(s->graph, system->constraint_jacobian[k + (size_t)j * system->m],
                                system->model->coordinates.items[j].velocity));
  expr rest = expr_sum(s->graph, terms, (size_t)system->n + 1);
  free(terms);
  return rest;
}

/* Does the reaction of constraint k work? Its power is λ A q'. A linear constraint has A q' = -b;
 * one that is homogeneous of degree d in the velocities has A q' = d f = 0 by Euler's theorem. */
static bool reaction_is_idle(struct invariants *s, uint32_t k) {
  expr rest = drift_of_constraint(s, k);
  if (is_zero(s, rest)) return true;
  if (s->system->model->constraints.items[k].is_linear) return false;
  expr power = expr_subtract(s->graph, s->system->constraint[k], rest);
  for (long degree = -4; degree <= 4; degree++) {
    expr scaled = expr_multiply(s->graph, expr_integer(s->graph, degree), s->system->constraint[k]);
    if (is_zero(s, expr_subtract(s->graph, power, scaled))) return true;
  }
  return false;
}

/* Redundant constraints say nothing new: their reactions are like those of the others. */
static bool is_counted(const struct invariants *s, uint32_t k) {
  return !s->system->model->constraints.items[k].is_redundant;
}

static bool reactions_are_idle(struct invariants *s) {
  for (uint32_t k = 0; k < s->system->m; k++)
    if (is_counted(s, k) && !reaction_is_idle(s, k)) return false;
  return true;
}

/* p'_j with the reactions. */
static expr momentum_change(struct invariants *s, uint32_t j) {
  const struct system *system = s->system;
  expr *terms = checked_calloc((size_t)system->m + 1, sizeof *terms);
  uint32_t count = 0;
  terms[count++] = system->momentum_rate[j];
  for (uint32_t k = 0; k < system->m; k++)
    if (is_counted(s, k))
      terms[count++] =
          expr_multiply(s->graph, system->constraint_jacobian[k + (size_t)j * system->m],
                        system->model->constraints.items[k].multiplier);
  expr change = expr_sum(s->graph, terms, count);
  free(terms);
  return change;
}

static expr combine(struct invariants *s, const expr *factors, const expr *items) {
  uint32_t n = s->system->n;
  expr *terms = checked_calloc((size_t)n + 1, sizeof *terms);
  for (uint32_t j = 0; j < n; j++) terms[j] = expr_multiply(s->graph, factors[j], items[j]);
  expr sum = expr_sum(s->graph, terms, n);
  free(terms);
  return sum;
}

/* ---- driven systems: a constant velocity v with A v + b = 0 */

/* Row k as an equation for the one v_j that is not known yet, if coefficients and time part are
 * made of parameters only. */
static bool drift_from_row(struct invariants *s, uint32_t k, expr *drift) {
  const struct system *system = s->system;
  uint32_t unknown = system->n;
  expr rest = drift_of_constraint(s, k);
  if (expr_symbol_set_touches(s->variables, rest)) return false;
  for (uint32_t j = 0; j < system->n; j++) {
    expr entry = system->constraint_jacobian[k + (size_t)j * system->m];
    if (expr_is_integer_value(s->graph, entry, 0)) continue;
    if (expr_symbol_set_touches(s->variables, entry)) return false;
    if (drift[j])
      rest = expr_add(s->graph, rest, expr_multiply(s->graph, entry, drift[j]));
    else if (unknown == system->n)
      unknown = j;
    else
      return false;
  }
  if (unknown == system->n) return false;
  expr entry = system->constraint_jacobian[k + (size_t)unknown * system->m];
  drift[unknown] = expr_negate(s->graph, expr_divide(s->graph, rest, entry));
  return true;
}

enum { LONGEST_TRAIN = 16 }; /* of gears that carry a drive on, if their order is the worst */

/* v from constraints such as  φ = w*t,  and from those that carry it on; 0 where none says more.
 * False if that is not a motion that all constraints allow. */
static bool drift_find(struct invariants *s, expr *drift) {
  const struct system *system = s->system;
  bool found = true;
  for (int pass = 0; pass < LONGEST_TRAIN && found; pass++) {
    found = false;
    for (uint32_t k = 0; k < system->m; k++)
      found = (is_counted(s, k) && drift_from_row(s, k, drift)) || found;
  }
  for (uint32_t j = 0; j < system->n; j++)
    if (!drift[j]) drift[j] = expr_integer(s->graph, 0);
  for (uint32_t k = 0; k < system->m; k++) {
    if (!is_counted(s, k)) continue;
    expr left = drift_of_constraint(s, k);
    for (uint32_t j = 0; j < system->n; j++)
      left =
          expr_add(s->graph, left,
                   expr_multiply(s->graph, system->constraint_jacobian[k + (size_t)j * system->m],
                                 drift[j]));
    if (!system->model->constraints.items[k].is_linear || !is_zero(s, left)) return false;
  }
  return true;
}

/* Is h - v·p constant? Its rate is rate_of_h - v·(dL/dq + Q - dD/dq'), see the top. */
static bool drift_keeps_h(struct invariants *s, const expr *drift, expr rate) {
  const struct system *system = s->system;
  for (uint32_t j = 0; j < system->n; j++)
    if (!expr_is_integer_value(s->graph, drift[j], 0) &&
        expr_symbol_set_touches(s->accelerations, system->momentum_rate[j]))
      return false;
  expr carried = combine(s, drift, system->momentum_rate);
  return is_zero(s, expr_subtract(s->graph, rate, carried));
}

static void find_energy(struct invariants *s) {
  struct system *system = s->system;
  if (!s->terms->has_kinetic || expr_symbol_set_touches(s->inputs, s->terms->kinetic) ||
      expr_symbol_set_touches(s->inputs, s->terms->potential))
    return;
  expr rate = rate_of_h(s);
  if (expr_symbol_set_touches(s->accelerations, rate)) return;
  const char *unit = system->model->is_dimensionless ? "1" : "J";
  if (reactions_are_idle(s)) {
    if (!is_zero(s, rate)) return;
    expr h = jacobi_integral(s);
    system->energy_is_conserved = h_is_energy(s, h);
    if (system->energy_is_conserved)
      h = expr_add(s->graph, system->kinetic_energy, system->potential_energy);
    add_invariant(system, system->energy_is_conserved ? "energy" : "Jacobi integral", unit,
                  shorter_h(s, h));
    return;
  }
  expr *drift = checked_calloc((size_t)system->n + 1, sizeof *drift);
  if (drift_find(s, drift) && drift_keeps_h(s, drift, rate)) {
    expr carried = combine(s, drift, system->momentum);
    add_invariant(system, "Jacobi integral", unit,
                  expr_subtract(s->graph, shorter_h(s, jacobi_integral(s)), carried));
  }
  free(drift);
}

static bool is_clean(struct invariants *s, uint32_t j) {
  return !expr_symbol_set_touches(s->accelerations, s->system->momentum_rate[j]) &&
         !expr_symbol_set_touches(s->inputs, s->system->momentum[j]);
}

static void add_momentum(struct invariants *s, const char *of, const char *coordinate_unit,
                         expr value) {
  struct text name = {0}, unit = {0};
  text_format(&name, "momentum of %s", of);
  momentum_unit(s->system->model, coordinate_unit, &unit);
  add_invariant(s->system, text_string(&name), text_string(&unit), value);
  text_free(&name);
  text_free(&unit);
}

/* Conserved if it is a momentum of coordinates with one unit, and its rate is zero. */
static void check_sum(struct invariants *s, const struct momentum_sums *sums, uint32_t which,
                      const uint32_t *columns, const expr *changes) {
  const struct model *model = s->system->model;
  const long *p = sums->numerator + (size_t)which * sums->width;
  const long *q = sums->denominator + (size_t)which * sums->width;
  expr *rates = checked_calloc(sums->width, sizeof *rates);
  expr *momenta = checked_calloc(sums->width, sizeof *momenta);
  struct text name = {0};
  const char *unit = NULL;
  uint32_t count = 0;
  bool fits = true;
  for (uint32_t i = 0; i < sums->width; i++) {
    if (p[i] == 0) continue;
    const struct model_name *id = &model->coordinates.items[columns[i]].id;
    fits = fits && (!unit || strcmp(unit, id->unit.si) == 0);
    unit = id->unit.si;
    simple_ratio_put_term(&name, count == 0, p[i], q[i], id->name);
    expr factor = expr_ratio(s->graph, p[i], q[i]);
    rates[count] = expr_multiply(s->graph, factor, changes[i]);
    momenta[count++] = expr_multiply(s->graph, factor, s->system->momentum[columns[i]]);
  }
  if (fits && count > 1 && is_zero(s, expr_sum(s->graph, rates, count)))
    add_momentum(s, text_string(&name), unit, expr_sum(s->graph, momenta, count));
  text_free(&name);
  free(rates);
  free(momenta);
}

/* Momenta that are conserved one by one, then sums of the others. */
static void find_momenta(struct invariants *s) {
  const struct system *system = s->system;
  uint32_t *columns = checked_calloc(system->n, sizeof *columns), width = 0;
  expr *changes = checked_calloc(system->n, sizeof *changes);
  for (uint32_t j = 0; j < system->n; j++) {
    if (!is_clean(s, j)) continue;
    const struct model_name *id = &system->model->coordinates.items[j].id;
    columns[width] = j;
    changes[width] = momentum_change(s, j);
    if (is_zero(s, changes[width]))
      add_momentum(s, id->name, id->unit.si, system->momentum[j]);
    else
      width++;
  }
  struct momentum_sums sums = momentum_sums_find(&s->sample, s->graph, changes, width);
  for (uint32_t v = 0; v < sums.count; v++) check_sum(s, &sums, v, columns, changes);
  momentum_sums_clear(&sums);
  free(columns);
  free(changes);
}

static void fill_sets(struct invariants *s) {
  const struct model *model = s->system->model;
  expr_symbol_set_add(s->variables, model->time);
  for (uint32_t k = 0; k < model->inputs.count; k++) {
    expr_symbol_set_add(s->inputs, model->inputs.items[k].symbol);
    expr_symbol_set_add(s->variables, model->inputs.items[k].symbol);
  }
  for (uint32_t k = 0; k < model->states.count; k++)
    expr_symbol_set_add(s->variables, model->states.items[k].value);
  for (uint32_t j = 0; j < model->coordinates.count; j++) {
    const struct model_coordinate *coordinate = &model->coordinates.items[j];
    expr_symbol_set_add(s->accelerations, coordinate->acceleration);
    expr_symbol_set_add(s->variables, coordinate->position);
    expr_symbol_set_add(s->variables, coordinate->velocity);
    expr_symbol_set_add(s->variables, coordinate->acceleration);
  }
}

void invariants_find(struct system *system, const struct terms *terms) {
  if (system->n == 0) return;
  struct invariants s = {.system = system,
                         .terms = terms,
                         .graph = system->graph,
                         .inputs = expr_symbol_set_new(system->graph),
                         .accelerations = expr_symbol_set_new(system->graph),
                         .variables = expr_symbol_set_new(system->graph),
                         .form = energy_form_of(system, terms)};
  fill_sets(&s);
  sample_init(&s.sample, system->model);
  find_energy(&s);
  find_momenta(&s);
  sample_clear(&s.sample);
  expr_symbol_set_free(s.inputs);
  expr_symbol_set_free(s.accelerations);
  expr_symbol_set_free(s.variables);
}
