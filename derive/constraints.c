/* Constraints with multipliers, ready for the bordered system
 *
 *     M q'' = f + B λ,      A q'' + bias = 0
 *
 * (Goldstein, Poole, Safko, Classical Mechanics, 3rd ed., section 2.4; Papastavridis, Analytical
 * Mechanics, chapter 3, and its Chetaev rule for constraints that are not linear in velocities;
 * Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, chapter 6, for the right side
 * of the acceleration equations.)
 *
 * A position-level equation φ(q, z, t) = 0 is differentiated once,
 *
 *     constraint = φ_q q' + φ_z z' + φ_t,
 *
 * a velocity-level one is taken as it stands. In both cases A = d(constraint)/dq', and the bias is
 * what is left of d/dt(constraint) when q'' = 0, with the rates of states for z'.
 *
 * Needs: a checked model, in which no rate of a state brings accelerations, multipliers or the
 * derivatives of inputs into these. Promises: every array for constraints of the system filled,
 * B = A^T; the bias free of accelerations and multipliers (system_check looks). */
#include "derive/method.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

struct bordering {
  struct system *system;
  const struct model *model;
  struct expr_graph *graph;
  uint32_t n, m;
};

/* d/dt with q'' = 0. What holds no velocity needs no more than this for its whole derivative. */
static struct expr_tangent *time_tangent(const struct bordering *b) {
  struct expr_tangent *tangent = expr_tangent_new(b->graph);
  for (uint32_t j = 0; j < b->n; j++) {
    const struct model_coordinate *coordinate = &b->model->coordinates.items[j];
    expr_tangent_seed(tangent, coordinate->position, coordinate->velocity);
  }
  for (uint32_t k = 0; k < b->model->states.count; k++)
    expr_tangent_seed(tangent, b->model->states.items[k].value, b->model->states.items[k].rate);
  expr_tangent_seed(tangent, b->model->time, expr_integer(b->graph, 1));
  return tangent;
}

static void derive_by_time(struct bordering *b) {
  struct expr_tangent *tangent = time_tangent(b);
  for (uint32_t k = 0; k < b->m; k++) {
    const struct model_constraint *constraint = &b->model->constraints.items[k];
    expr form = constraint->residual;
    if (constraint->level == CONSTRAINT_POSITION) form = expr_tangent_of(tangent, form);
    b->system->constraint[k] = form;
    b->system->constraint_bias[k] = expr_tangent_of(tangent, form);
  }
  expr_tangent_free(tangent);
}

/* A by columns, which all rows share the tangent of. The slope of a position-level equation by a
 * position is that of its derivative by the velocity, and shorter to find. */
static void derive_by_velocities(struct bordering *b) {
  size_t m = b->m, n = b->n;
  for (size_t j = 0; j < n; j++) {
    const struct model_coordinate *coordinate = &b->model->coordinates.items[j];
    struct expr_tangent *by_position = expr_tangent_new(b->graph);
    struct expr_tangent *by_velocity = expr_tangent_new(b->graph);
    expr_tangent_seed(by_position, coordinate->position, expr_integer(b->graph, 1));
    expr_tangent_seed(by_velocity, coordinate->velocity, expr_integer(b->graph, 1));
    for (size_t k = 0; k < m; k++) {
      const struct model_constraint *constraint = &b->model->constraints.items[k];
      expr entry = constraint->level == CONSTRAINT_POSITION
                       ? expr_tangent_of(by_position, constraint->residual)
                       : expr_tangent_of(by_velocity, constraint->residual);
      b->system->constraint_jacobian[k + j * m] = entry;
      b->system->multiplier_force[j + k * n] = entry;
    }
    expr_tangent_free(by_position);
    expr_tangent_free(by_velocity);
  }
  b->system->multiplier_force_is_transpose = true;
}

static void add_position(struct system *system, uint32_t constraint, expr residual) {
  if (!residual) return;
  system->position_constraint[system->positions] = constraint;
  system->position_residual[system->positions++] = residual;
}

/* The equations on positions: constraints written so, integrals of others, and integrals of
 * combinations, which count for their first member. */
static void collect_positions(struct bordering *b) {
  struct system *system = b->system;
  for (uint32_t k = 0; k < b->m; k++) {
    const struct model_constraint *constraint = &b->model->constraints.items[k];
    add_position(system, k,
                 constraint->level == CONSTRAINT_POSITION ? constraint->residual
                                                          : constraint->integral);
  }
  for (uint32_t i = 0; i < b->model->structure.combinations.count; i++) {
    const struct model_combination *combination = &b->model->structure.combinations.items[i];
    add_position(system, combination->members[0], combination->integral);
  }
}

static void derive_positions(struct bordering *b) {
  struct system *system = b->system;
  size_t rows = system->positions;
  system->position_jacobian = checked_calloc(rows * b->n + 1, sizeof(expr));
  for (size_t j = 0; j < b->n && rows > 0; j++) {
    struct expr_tangent *tangent = expr_tangent_new(b->graph);
    expr_tangent_seed(tangent, b->model->coordinates.items[j].position, expr_integer(b->graph, 1));
    for (size_t i = 0; i < rows; i++)
      system->position_jacobian[i + j * rows] =
          expr_tangent_of(tangent, system->position_residual[i]);
    expr_tangent_free(tangent);
  }
}

void constraints_derive(struct system *system) {
  struct bordering b = {system, system->model, system->graph, system->n, system->m};
  derive_by_time(&b);
  derive_by_velocities(&b);
  collect_positions(&b);
  derive_positions(&b);
}
