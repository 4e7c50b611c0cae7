/* Kane's equations  F_r + F_r* = 0  in the speeds u_r:
 *
 *     F_r  = sum_j dq'_j/du_r Q_j,            F_r* = -sum_j dq'_j/du_r (d/dt dT/dq'_j - dT/dq_j),
 *
 * the generalized active and inertia forces, by the projection of the forces and of the inertial
 * terms of what is given as kinetic energy on the directions dq'/du_r in which the speeds move the
 * coordinates. (Kane & Levinson, Dynamics: Theory and Applications, sections 4.4, 4.11 and 6.1;
 * that the projected terms are the inertia forces: section 5.8 and Papastavridis, Analytical
 * Mechanics, section 3.3.)
 *
 * With q'' = W u' + w the inertia forces are linear in u':  F* = -(W^T M W u' + W^T M w + W^T h).
 * Constraints between velocities make some of the speeds depend on the others (Kane & Levinson,
 * section 2.13). Which ones is chosen by the generated code at every state: its solver eliminates
 * them together with the multipliers, so that what is solved are the equations of the independent
 * speeds, and the multipliers follow afterwards.
 *
 * Needs: a checked model, its constraints derived. */
#include "derive/method.h"
#include "derive/speeds.h"
#include "base/bug.h"
#include <stdlib.h>

static void derive_equations(const struct speed_relations *r) {
  struct system *system = r->system;
  struct system_method_state *state = &system->state;
  expr *inertia = checked_calloc((size_t)system->n + 1, sizeof(expr));
  speeds_project_mass(r, system->mass, state->mass, inertia);
  speeds_project(r, system->forcing, state->forcing);
  for (uint32_t u = 0; u < system->n; u++)
    state->forcing[u] = expr_subtract(system->graph, state->forcing[u], inertia[u]);
  free(inertia);
  speeds_constrain(r);
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
