/* Lagrange's inertial terms of what is given as kinetic energy, to be projected on the directions
 * of the speeds:  d/dt dT/dq'_j - dT/dq_j = sum_k M_jk q''_k + inertial_j. (Papastavridis,
 * Analytical Mechanics, section 3.3: it is the inertia force in the direction of q_j with its sign
 * turned.)
 *
 * Needs: a system with Lagrange's equations derived. */
#include "derive/energy_inertia.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

bool energy_inertia_holds(const struct motions *motions, const struct model_energy *energy) {
  return energy->kind == ENERGY_LAGRANGIAN ||
         (energy->kind == ENERGY_KINETIC &&
          (energy->body == 0 || !motions->is_derived[energy->body - 1]));
}

/* T of the energies that count as such, and V. */
static expr sum_energies(const struct system *system, const struct motions *motions,
                         bool is_kinetic) {
  const struct model *model = system->model;
  expr *terms = checked_calloc((size_t)model->energies.count + 1, sizeof(expr));
  size_t count = 0;
  for (uint32_t i = 0; i < model->energies.count; i++) {
    const struct model_energy *energy = &model->energies.items[i];
    if (is_kinetic ? energy_inertia_holds(motions, energy) : energy->kind == ENERGY_POTENTIAL)
      terms[count++] = energy->value;
  }
  expr sum = expr_sum(system->graph, terms, count);
  free(terms);
  return sum;
}

static void derive_by(struct expr_graph *graph, expr symbol, const expr *items, size_t count,
                      expr *out) {
  struct expr_tangent *tangent = expr_tangent_new(graph);
  expr_tangent_seed(tangent, symbol, expr_integer(graph, 1));
  for (size_t i = 0; i < count; i++) out[i] = expr_tangent_of(tangent, items[i]);
  expr_tangent_free(tangent);
}

/* The time derivative of the momenta, without accelerations and multipliers: those are counted with
 * what the system's mass matrix and multiplier force have besides. */
static void rates_at_rest(const struct system *system, const expr *momentum, expr *out) {
  const struct model *model = system->model;
  struct expr_tangent *tangent = expr_tangent_new(system->graph);
  struct expr_substitution *none = expr_substitution_new(system->graph);
  expr zero = expr_integer(system->graph, 0);
  for (uint32_t j = 0; j < system->n; j++) {
    const struct model_coordinate *coordinate = &model->coordinates.items[j];
    expr_tangent_seed(tangent, coordinate->position, coordinate->velocity);
    expr_substitution_add(none, coordinate->acceleration, zero);
  }
  for (uint32_t k = 0; k < model->states.count; k++)
    expr_tangent_seed(tangent, model->states.items[k].value, model->states.items[k].rate);
  for (uint32_t k = 0; k < system->m; k++)
    expr_substitution_add(none, model->constraints.items[k].multiplier, zero);
  expr_tangent_seed(tangent, model->time, expr_integer(system->graph, 1));
  for (uint32_t i = 0; i < system->n; i++)
    out[i] = expr_substitution_of(none, expr_tangent_of(tangent, momentum[i]));
  expr_tangent_free(tangent);
  expr_substitution_free(none);
}

/* Of T - V for the mass, of T for the rest. */
static void derive_energies(const struct system *system, const struct motions *motions,
                            struct energy_inertia *p) {
  struct expr_graph *graph = system->graph;
  size_t n = system->n;
  expr energy[2] = {sum_energies(system, motions, true), 0};
  energy[1] = expr_subtract(graph, energy[0], sum_energies(system, motions, false));
  expr *momenta = checked_calloc(4 * n + 2, sizeof(expr)), *whole = momenta + n;
  expr *slope = whole + n, *rate = slope + n, both[2];
  for (size_t j = 0; j < n; j++) {
    derive_by(graph, system->model->coordinates.items[j].velocity, energy, 2, both);
    momenta[j] = both[0];
    whole[j] = both[1];
    derive_by(graph, system->model->coordinates.items[j].position, energy, 1, slope + j);
  }
  for (size_t j = 0; j < n; j++) {
    derive_by(graph, system->model->coordinates.items[j].velocity, whole, n, p->mass + j * n);
    for (size_t i = 0; i < j; i++) p->mass[j + i * n] = p->mass[i + j * n];
  }
  rates_at_rest(system, momenta, rate);
  for (size_t j = 0; j < n; j++) p->inertial[j] = expr_subtract(graph, rate[j], slope[j]);
  free(momenta);
}

/* d(dL/dq'_i)/dq'_j of the whole: the mass matrix without what forces and rates added to it. */
static void find_added(const struct system *system, struct energy_inertia *p, expr *kinetic) {
  size_t n = system->n;
  for (size_t j = 0; j < n; j++)
    derive_by(system->graph, system->model->coordinates.items[j].velocity, system->momentum, n,
              kinetic + j * n);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++) kinetic[j + i * n] = kinetic[i + j * n];
  for (size_t i = 0; i < n * n; i++) {
    p->added[i] = expr_subtract(system->graph, system->mass[i], kinetic[i]);
    p->has_added = p->has_added || !expr_is_integer_value(system->graph, p->added[i], 0);
  }
}

struct energy_inertia energy_inertia_of(const struct system *system,
                                        const struct motions *motions) {
  size_t n = system->n;
  struct energy_inertia p = {0};
  expr *kinetic = checked_calloc(n * n + 1, sizeof(expr));
  p.mass = checked_calloc(2 * n * n + n + 1, sizeof(expr));
  p.added = p.mass + n * n;
  p.inertial = p.added + n * n;
  find_added(system, &p, kinetic);
  if (motions->bodies.count > 0) {
    derive_energies(system, motions, &p);
  } else { /* all of it, and then Lagrange's equations have it in a shorter form */
    memcpy(p.mass, kinetic, n * n * sizeof(expr));
    memcpy(p.inertial, system->inertial, n * sizeof(expr));
  }
  for (size_t i = 0; i < n * n; i++)
    p.has_energy = p.has_energy || !expr_is_integer_value(system->graph, p.mass[i], 0);
  for (size_t i = 0; i < n; i++)
    p.has_energy = p.has_energy || !expr_is_integer_value(system->graph, p.inertial[i], 0);
  free(kinetic);
  return p;
}

void energy_inertia_clear(struct energy_inertia *p) {
  free(p->mass);
  *p = (struct energy_inertia){0};
}
