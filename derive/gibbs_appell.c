/* The Gibbs-Appell equations  dG/du'_r = Q_r  in the speeds u_r, with the Gibbs function G of the
 * accelerations: of a body 1/2 m a.a + 1/2 α.I.α + α.(ω x I.ω), see motion.c. For what is given as
 * kinetic energy T = 1/2 q' M q' + ... it is, up to terms without accelerations,
 *
 *     G = 1/2 q'' M q'' + h q'',      h = d/dt dT/dq' - dT/dq  without q'',
 *
 * because dG/dq''_j is then Lagrange's inertial term of q_j. The speeds enter by
 * q'' = W u' + w(q, u, t), and Q_r = sum_j dq'_j/du_r Q_j. (Appell, J. reine angew. Math. 121
 * (1900) 310; Pars, A Treatise on Analytical Dynamics, chapter XII; Papastavridis, Analytical
 * Mechanics, sections 3.5 and 3.3.)
 *
 * G is split by its degree in the rates u': G2 gives the mass matrix, G1 the rest of dG/du', G0 has
 * no derivative and is left out afterwards. Forces that are linear in accelerations stay with the
 * forces. Constraints: as for Kane's equations, see kane.c.
 *
 * Needs: a checked model, its constraints derived. */
#include "derive/method.h"
#include "derive/energy_inertia.h"
#include "derive/speeds.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

/* G of what is given by its kinetic energy: the accelerations, as they depend on the rates, put
 * into 1/2 q'' M q'' + h q''. */
static expr gibbs_of_energies(const struct system *system, const struct energy_inertia *energies) {
  const struct system_method_state *state = &system->state;
  struct expr_graph *graph = system->graph;
  size_t n = system->n, count = 0;
  if (!energies->has_energy) return expr_integer(graph, 0);
  expr *terms = checked_calloc(n * (n + 1) / 2 + n + 1, sizeof(expr));
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i <= j; i++) {
      expr factors[4] = {energies->mass[i + j * n], state->acceleration[i], state->acceleration[j],
                         expr_ratio(graph, 1, i == j ? 2 : 1)};
      if (!expr_is_integer_value(graph, factors[0], 0))
        terms[count++] = expr_product(graph, factors, 4);
    }
    terms[count++] = expr_multiply(graph, energies->inertial[j], state->acceleration[j]);
  }
  expr gibbs = expr_sum(graph, terms, count);
  free(terms);
  return gibbs;
}

static expr gibbs_of_bodies(const struct system *system, struct motions *motions) {
  expr *terms = checked_calloc((size_t)motions->bodies.count + 1, sizeof(expr));
  for (uint32_t b = 0; b < motions->bodies.count; b++)
    terms[b] = motions_gibbs(motions, &motions->bodies.items[b], system->state.symbol_rate);
  expr gibbs = expr_sum(system->graph, terms, motions->bodies.count);
  free(terms);
  return gibbs;
}

/* G2 = 1/2 u' mass u' and G1 = sum of rest_r u'_r. */
static void keep_degrees(struct system *system, const expr *rest) {
  struct system_method_state *state = &system->state;
  struct expr_graph *graph = system->graph;
  size_t n = system->n, count = 0;
  expr *terms = checked_calloc(n * (n + 1) / 2 + n + 1, sizeof(expr));
  for (size_t s = 0; s < n; s++)
    for (size_t r = 0; r <= s; r++) {
      expr factors[4] = {state->mass[r + s * n], state->symbol_rate[r], state->symbol_rate[s],
                         expr_ratio(graph, 1, r == s ? 2 : 1)};
      terms[count++] = expr_product(graph, factors, 4);
    }
  state->gibbs_quadratic = expr_sum(graph, terms, count);
  for (size_t r = 0; r < n; r++) terms[r] = expr_multiply(graph, rest[r], state->symbol_rate[r]);
  state->gibbs_linear = expr_sum(graph, terms, n);
  free(terms);
}

/* dG/du' without rates. */
static void slopes_at_rest(const struct system *system, expr gibbs, expr *slope, expr *rest) {
  const struct system_method_state *state = &system->state;
  struct expr_substitution *at_rest = expr_substitution_new(system->graph);
  for (uint32_t r = 0; r < system->n; r++) {
    slope[r] = expr_derivative(system->graph, gibbs, state->symbol_rate[r]);
    expr_substitution_add(at_rest, state->symbol_rate[r], expr_integer(system->graph, 0));
  }
  for (uint32_t r = 0; r < system->n; r++) rest[r] = expr_substitution_of(at_rest, slope[r]);
  expr_substitution_free(at_rest);
}

/* Mass and forcing from the derivatives of G by the rates: dG/du' = mass u' + rest. */
static void derive_gibbs(struct system *system, struct motions *motions, expr gibbs) {
  struct system_method_state *state = &system->state;
  struct expr_graph *graph = system->graph;
  size_t n = system->n;
  expr *slope = checked_calloc(2 * n + 1, sizeof(expr)), *rest = slope + n;
  slopes_at_rest(system, gibbs, slope, rest);
  for (size_t s = 0; s < n; s++) {
    struct expr_tangent *tangent = expr_tangent_new(graph);
    expr_tangent_seed(tangent, state->symbol_rate[s], expr_integer(graph, 1));
    for (size_t r = 0; r <= s; r++)
      state->mass[r + s * n] = state->mass[s + r * n] = expr_tangent_of(tangent, slope[r]);
    expr_tangent_free(tangent);
  }
  motions_shorten(motions, state->mass, rest);
  for (size_t r = 0; r < n; r++)
    state->forcing[r] = expr_subtract(graph, state->forcing[r], rest[r]);
  keep_degrees(system, rest);
  free(slope);
}

/* What forces linear in accelerations, and momenta of states, added to the mass matrix. */
static void add_masses(const struct speed_relations *r, const expr *added) {
  struct system *system = r->system;
  struct system_method_state *state = &system->state;
  size_t n = system->n;
  expr *projected = checked_calloc(n * n + n + 1, sizeof(expr)), *moved = projected + n * n;
  speeds_project_mass(r, added, projected, moved);
  for (size_t i = 0; i < n * n; i++)
    state->mass[i] = expr_add(system->graph, state->mass[i], projected[i]);
  for (size_t i = 0; i < n; i++)
    state->forcing[i] = expr_subtract(system->graph, state->forcing[i], moved[i]);
  free(projected);
}

static void derive_equations(const struct speed_relations *r) {
  struct system *system = r->system;
  struct motions motions = motions_of(system);
  struct energy_inertia energies = energy_inertia_of(system, &motions);
  expr bodies = gibbs_of_bodies(system, &motions);
  speeds_project(r, system->applied, system->state.forcing);
  derive_gibbs(system, &motions,
               expr_add(system->graph, bodies, gibbs_of_energies(system, &energies)));
  expr *slope = checked_calloc(2 * (size_t)system->n + 1, sizeof(expr)), *rest = slope + system->n;
  slopes_at_rest(system, bodies, slope, rest);
  motions_take_norms(&motions, r, energies.inertial, rest);
  free(slope);
  if (energies.has_added) add_masses(r, energies.added);
  speeds_constrain(r);
  energy_inertia_clear(&energies);
  motions_clear(&motions);
}

bool gibbs_appell_derive(dyn_context *context, struct system *system, const struct terms *terms) {
  size_t n = system->n;
  if (!lagrange_derive(context, system, terms)) return false;
  expr *inverse = checked_calloc(n * n + n + 1, sizeof(expr));
  struct speed_relations relations = {system, inverse, inverse + n * n};
  bool ok = speeds_derive(context, system, inverse, inverse + n * n);
  if (ok) derive_equations(&relations);
  free(inverse);
  return ok;
}
