/* The Gibbs-Appell equations  dG/du'_r = Q_r  in the speeds u_r, with the Gibbs function G of the
 * accelerations. For what is given as kinetic energy T = 1/2 q' M q' + ... it is, up to terms
 * without accelerations,
 *
 *     G = 1/2 q'' M q'' + h q'',      h = d/dt dT/dq' - dT/dq  without q'',
 *
 * because dG/dq''_j is then Lagrange's inertial term of q_j. The speeds enter by
 * q'' = W u' + w(q, u, t), and Q_r = sum_j dq'_j/du_r Q_j. (Appell, J. reine angew. Math. 121
 * (1900) 310; Pars, A Treatise on Analytical Dynamics, chapter XII; Papastavridis, Analytical
 * Mechanics, sections 3.5 and 3.3.)
 *
 * G is split by its degree in the rates u': G2 gives the mass matrix, G1 the rest of dG/du', G0 has
 * no derivative and is left out. Forces that are linear in accelerations stay with the forces.
 * Constraints: as for Kane's equations, see kane.c.
 *
 * Needs: a checked model, its constraints derived. */
#include "derive/method.h"
#include "derive/speeds.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

/* d(dT/dq'_i)/dq'_j: without what forces and rates added to the system's mass matrix. */
static void kinetic_mass(const struct system *system, expr *mass) {
  size_t n = system->n;
  for (size_t j = 0; j < n; j++) {
    struct expr_tangent *tangent = expr_tangent_new(system->graph);
    expr_tangent_seed(tangent, system->model->coordinates.items[j].velocity,
                      expr_integer(system->graph, 1));
    for (size_t i = 0; i < n; i++) mass[i + j * n] = expr_tangent_of(tangent, system->momentum[i]);
    expr_tangent_free(tangent);
  }
}

/* G2 + G1 of the rates of speeds: the accelerations, as they depend on those, put into
 * 1/2 q'' M q'' + h q''. */
static expr gibbs_function(const struct system *system, const expr *mass) {
  const struct system_method_state *state = &system->state;
  size_t n = system->n, count = 0;
  expr *terms = checked_calloc(n * (n + 1) / 2 + n + 1, sizeof(expr));
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i <= j; i++) {
      expr factors[4] = {mass[i + j * n], state->acceleration[i], state->acceleration[j],
                         expr_ratio(system->graph, 1, i == j ? 2 : 1)};
      if (!expr_is_integer_value(system->graph, factors[0], 0))
        terms[count++] = expr_product(system->graph, factors, 4);
    }
    terms[count++] = expr_multiply(system->graph, system->inertial[j], state->acceleration[j]);
  }
  expr gibbs = expr_sum(system->graph, terms, count);
  free(terms);
  return gibbs;
}

/* Mass and forcing from the derivatives of G by the rates. */
static void derive_gibbs(struct system *system) {
  struct system_method_state *state = &system->state;
  struct expr_graph *graph = system->graph;
  size_t n = system->n;
  struct expr_substitution *at_rest = expr_substitution_new(graph);
  expr *slope = checked_calloc(n + 1, sizeof(expr));
  for (size_t r = 0; r < n; r++) {
    slope[r] = expr_derivative(graph, state->gibbs, state->symbol_rate[r]);
    expr_substitution_add(at_rest, state->symbol_rate[r], expr_integer(graph, 0));
  }
  for (size_t s = 0; s < n; s++) {
    struct expr_tangent *tangent = expr_tangent_new(graph);
    expr_tangent_seed(tangent, state->symbol_rate[s], expr_integer(graph, 1));
    for (size_t r = 0; r <= s; r++)
      state->mass[r + s * n] = state->mass[s + r * n] = expr_tangent_of(tangent, slope[r]);
    expr_tangent_free(tangent);
  }
  for (size_t r = 0; r < n; r++)
    state->forcing[r] =
        expr_subtract(graph, state->forcing[r], expr_substitution_of(at_rest, slope[r]));
  free(slope);
  expr_substitution_free(at_rest);
}

/* What forces linear in accelerations, and momenta of states, added to the mass matrix. */
static void add_masses(const struct speed_relations *r, const expr *kinetic) {
  struct system *system = r->system;
  struct system_method_state *state = &system->state;
  size_t n = system->n;
  bool any = false;
  expr *added = checked_calloc(2 * n * n + n + 1, sizeof(expr));
  expr *projected = added + n * n, *moved = projected + n * n;
  for (size_t i = 0; i < n * n; i++) {
    added[i] = expr_subtract(system->graph, system->mass[i], kinetic[i]);
    any = any || !expr_is_integer_value(system->graph, added[i], 0);
  }
  if (any) {
    speeds_project_mass(r, added, projected, moved);
    for (size_t i = 0; i < n * n; i++)
      state->mass[i] = expr_add(system->graph, state->mass[i], projected[i]);
    for (size_t i = 0; i < n; i++)
      state->forcing[i] = expr_subtract(system->graph, state->forcing[i], moved[i]);
  }
  free(added);
}

bool gibbs_appell_derive(dyn_context *context, struct system *system, const struct terms *terms) {
  size_t n = system->n;
  if (!lagrange_derive(context, system, terms)) return false;
  expr *inverse = checked_calloc(n * n + n + 1, sizeof(expr));
  expr *mass = checked_calloc(n * n + 1, sizeof(expr));
  struct speed_relations relations = {system, inverse, inverse + n * n};
  bool ok = speeds_derive(context, system, inverse, inverse + n * n);
  if (ok) {
    kinetic_mass(system, mass);
    system->state.gibbs = gibbs_function(system, mass);
    speeds_project(&relations, system->applied, system->state.forcing);
    derive_gibbs(system);
    add_masses(&relations, mass);
    speeds_constrain(&relations);
  }
  free(inverse);
  free(mass);
  return ok;
}
