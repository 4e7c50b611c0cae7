/* Kane's equations  F_r + F_r* = 0  in the speeds u_r: the generalized active forces
 *
 *     F_r = sum of R.v_r + M.ω_r  over forces R at points and torques M,  or sum_j dq'_j/du_r Q_j,
 *
 * and the generalized inertia forces  F_r* = -sum over bodies of (m a.v_r + (I.α + ω x I.ω).ω_r)
 * with partial velocities v_r and partial angular velocities ω_r. (Kane & Levinson, Dynamics:
 * Theory and Applications, sections 2.14, 4.4, 4.11 and 6.1.) What is given as kinetic energy
 * enters by Lagrange's inertial terms, -sum_j dq'_j/du_r (d/dt dT/dq'_j - dT/dq_j) (section 5.8 and
 * Papastavridis, Analytical Mechanics, section 3.3.)
 *
 * With q'' = W u' + w the latter are linear in u':  F* = -(W^T M W u' + W^T M w + W^T h).
 * Constraints between velocities make some of the speeds depend on the others (Kane & Levinson,
 * section 2.13). Which ones is chosen by the generated code at every state: its solver eliminates
 * them together with the multipliers, so that what is solved are the equations of the independent
 * speeds, and the multipliers follow afterwards.
 *
 * Needs: a checked model, its constraints derived. */
#include "derive/method.h"
#include "derive/energy_inertia.h"
#include "derive/speeds.h"
#include "base/bug.h"
#include <stdlib.h>

static void add_all(struct expr_graph *graph, expr *sums, const expr *items, size_t count) {
  for (size_t i = 0; i < count; i++) sums[i] = expr_add(graph, sums[i], items[i]);
}

/* -F_r* of the bodies. */
static void sum_bodies(const struct system *system, struct motions *motions, expr *mass,
                       expr *rest) {
  size_t n = system->n;
  expr *body_mass = checked_calloc(n * n + n + 1, sizeof(expr)), *body_rest = body_mass + n * n;
  for (size_t i = 0; i < n; i++) rest[i] = expr_integer(system->graph, 0);
  for (uint32_t i = 0; i < motions->bodies.count; i++) {
    motions_inertia(motions, &motions->bodies.items[i], body_mass, body_rest);
    add_all(system->graph, mass, body_mass, n * n);
    add_all(system->graph, rest, body_rest, n);
  }
  free(body_mass);
}

static void derive_equations(const struct speed_relations *r) {
  struct system *system = r->system;
  struct system_method_state *state = &system->state;
  size_t n = system->n;
  struct motions motions = motions_of(system);
  struct energy_inertia energies = energy_inertia_of(system, &motions);
  expr *memory = checked_calloc(3 * n + 1, sizeof(expr)), *inertia = memory;
  expr *inertial = memory + n, *bodies = memory + 2 * n;
  add_all(system->graph, energies.mass, energies.added, energies.has_added ? n * n : 0);
  speeds_project_mass(r, energies.mass, state->mass, inertia);
  speeds_project(r, energies.inertial, inertial);
  sum_bodies(system, &motions, state->mass, bodies);
  add_all(system->graph, inertia, inertial, n);
  add_all(system->graph, inertia, bodies, n);
  motions_shorten(&motions, state->mass, inertia);
  speeds_project(r, system->applied, state->forcing);
  for (size_t u = 0; u < n; u++)
    state->forcing[u] = expr_subtract(system->graph, state->forcing[u], inertia[u]);
  motions_take_norms(&motions, r, energies.inertial, bodies);
  speeds_constrain(r);
  free(memory);
  energy_inertia_clear(&energies);
  motions_clear(&motions);
}

bool kane_derive(dyn_context *context, struct system *system, const struct terms *terms) {
  size_t n = system->n;
  if (!lagrange_derive(context, system, terms)) return false;
  expr *inverse = checked_calloc(n * n + n + 1, sizeof(expr));
  struct speed_relations relations = {system, inverse, inverse + n * n};
  bool ok = speeds_derive(context, system, inverse, inverse + n * n);
  if (ok) derive_equations(&relations);
  free(inverse);
  return ok;
}
