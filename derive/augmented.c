/* The augmented form of constrained multibody dynamics, with the composite mass matrix M of any
 * coordinates:
 *
 *     [ M    Φ_qᵀ ] [ q'' ]   [ Q^A + Q^v ]
 *     [ Φ_q   0   ] [ λ̂  ] = [    γ      ],      γ = -(Φ_q q')_q q' - 2 Φ_qt q' - Φ_tt,
 *
 * (Shabana, Computational Dynamics, 3rd ed., sections 5.4, 6.2 and 6.3; Haug, Computer Aided
 * Kinematics and Dynamics of Mechanical Systems, sections 3.6, 6.1 and 11.3.) λ̂ = -λ of the
 * language's convention. Q^v is the quadratic velocity vector, Q^A the applied forces with those of
 * potentials.
 *
 * M is the sum over the kinetic energies of the model, each differentiated by itself, and
 * Q^v_i = -(M' q')_i - b'_i + 1/2 q' M_,i q' + b_,i q' + T0_,i made from its entries; γ by its
 * three terms from Φ for positions, by the derivative along the motion for velocities. A kinetic
 * energy that is not quadratic in the velocities is refused.
 *
 * Needs: a checked model, its constraints derived. Promises: as lagrange_derive, with mass matrix,
 * forcing and bias made this way; added masses of forces stay where they are. */
#include "derive/method.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

struct augmented {
  dyn_context *context;
  struct system *system;
  struct expr_graph *graph;
  const struct model *model;
  uint32_t n;
  expr *velocity; /* n: symbols */
  expr *mass;     /* n*n: of the energies */
  expr *linear;   /* n: b of T = 1/2 q' M q' + b q' + T0 */
  expr at_rest;   /* T0 */
  expr potential; /* V */
};

/* Adds the parts of one energy by its degree in the velocities; false if it has others. */
static bool add_energy(struct augmented *a, expr energy) {
  struct expr_graph *graph = a->graph;
  size_t n = a->n;
  expr *row = checked_calloc(n + 1, sizeof(expr)), rest = energy;
  struct expr_substitution *still = expr_substitution_new(graph);
  bool ok = true;
  for (size_t j = 0; j < n; j++)
    expr_substitution_add(still, a->velocity[j], expr_integer(graph, 0));
  for (size_t i = 0; i < n && ok; i++) {
    ok = expr_linear_parts(graph, expr_derivative(graph, energy, a->velocity[i]), a->velocity, n,
                           row, &rest);
    for (size_t j = 0; j < n && ok; j++)
      a->mass[i + j * n] = expr_add(graph, a->mass[i + j * n], row[j]);
    if (ok) a->linear[i] = expr_add(graph, a->linear[i], rest);
  }
  a->at_rest = expr_add(graph, a->at_rest, expr_substitution_of(still, energy));
  expr_substitution_free(still);
  free(row);
  return ok;
}

static bool add_energies(struct augmented *a) {
  for (uint32_t i = 0; i < a->model->energies.count; i++) {
    const struct model_energy *energy = &a->model->energies.items[i];
    if (energy->kind != ENERGY_KINETIC && energy->kind != ENERGY_LAGRANGIAN) continue;
    if (add_energy(a, energy->value)) continue;
    struct diagnostic *d =
        diagnostic_add(a->context, DIAG_AUGMENTED_NOT_QUADRATIC, energy->span, NULL);
    diagnostic_help(a->context, d, "'lagrange' takes any kinetic energy");
    return false;
  }
  return true;
}

/* Both halves of a symmetric matrix are the same expressions, not only equal: those above the
 * diagonal. */
static void mirror(expr *matrix, size_t n) {
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++) matrix[j + i * n] = matrix[i + j * n];
}

/* The composite matrix in place of dp/dq', beside what forces and rates have added to that. */
static void take_mass(struct augmented *a) {
  size_t n = a->n;
  expr *slope = checked_calloc(n * n + 1, sizeof(expr));
  for (size_t j = 0; j < n; j++) {
    struct expr_tangent *tangent = expr_tangent_new(a->graph);
    expr_tangent_seed(tangent, a->velocity[j], expr_integer(a->graph, 1));
    for (size_t i = 0; i <= j; i++)
      slope[i + j * n] = expr_tangent_of(tangent, a->system->momentum[i]);
    expr_tangent_free(tangent);
  }
  mirror(slope, n);
  for (size_t k = 0; k < n * n; k++) {
    expr added = expr_subtract(a->graph, a->system->mass[k], slope[k]);
    a->system->mass[k] = expr_add(a->graph, a->mass[k], added);
  }
  free(slope);
}

static struct expr_tangent *along_motion(const struct augmented *a) {
  struct expr_tangent *tangent = expr_tangent_new(a->graph);
  for (uint32_t j = 0; j < a->n; j++)
    expr_tangent_seed(tangent, a->model->coordinates.items[j].position, a->velocity[j]);
  for (uint32_t k = 0; k < a->model->states.count; k++)
    expr_tangent_seed(tangent, a->model->states.items[k].value, a->model->states.items[k].rate);
  expr_tangent_seed(tangent, a->model->time, expr_integer(a->graph, 1));
  return tangent;
}

/* 1/2 q' M q' + b q' + T0, with q' as symbols. */
static expr energy_of_entries(const struct augmented *a) {
  size_t n = a->n, count = 0;
  expr *terms = checked_calloc(n * n + n + 2, sizeof(expr));
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i <= j; i++) {
      expr factors[4] = {a->mass[i + j * n], a->velocity[i], a->velocity[j],
                         expr_ratio(a->graph, 1, i == j ? 2 : 1)};
      if (!expr_is_integer_value(a->graph, factors[0], 0))
        terms[count++] = expr_product(a->graph, factors, 4);
    }
    terms[count++] = expr_multiply(a->graph, a->linear[j], a->velocity[j]);
  }
  terms[count++] = a->at_rest;
  expr sum = expr_sum(a->graph, terms, count);
  free(terms);
  return sum;
}

/* Q^v without what rates hold of accelerations: that stands in the mass matrix already. */
static void derive_forcing(struct augmented *a) {
  struct system *system = a->system;
  struct expr_tangent *along = along_motion(a);
  struct expr_substitution *without = expr_substitution_new(a->graph);
  expr energy = energy_of_entries(a), zero = expr_integer(a->graph, 0);
  size_t n = a->n;
  expr *terms = checked_calloc(n + 3, sizeof(expr));
  for (size_t j = 0; j < n; j++)
    expr_substitution_add(without, a->model->coordinates.items[j].acceleration, zero);
  for (uint32_t k = 0; k < system->m; k++)
    expr_substitution_add(without, a->model->constraints.items[k].multiplier, zero);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      terms[j] = expr_multiply(a->graph, expr_tangent_of(along, a->mass[i + j * n]),
                               expr_negate(a->graph, a->velocity[j]));
    terms[n] = expr_negate(a->graph, expr_tangent_of(along, a->linear[i]));
    terms[n + 1] = expr_derivative(a->graph, energy, a->model->coordinates.items[i].position);
    terms[n + 2] = expr_subtract(
        a->graph, system->nonconservative[i],
        expr_derivative(a->graph, a->potential, a->model->coordinates.items[i].position));
    system->forcing[i] = expr_substitution_of(without, expr_sum(a->graph, terms, n + 3));
  }
  free(terms);
  expr_substitution_free(without);
  expr_tangent_free(along);
}

/* -γ of a position-level equation: (Φ_q q')_q q' + Φ_qt q', and the same of Φ_t; Φ_qt counts twice.
 */
static expr position_bias(const struct augmented *a, uint32_t k) {
  const struct system *system = a->system;
  struct expr_tangent *by_motion = expr_tangent_new(a->graph),
                      *by_time = expr_tangent_new(a->graph);
  expr *terms = checked_calloc((size_t)a->n + 1, sizeof(expr));
  for (uint32_t j = 0; j < a->n; j++) {
    expr_tangent_seed(by_motion, a->model->coordinates.items[j].position, a->velocity[j]);
    terms[j] = expr_multiply(a->graph, system->constraint_jacobian[k + (size_t)j * system->m],
                             a->velocity[j]);
  }
  for (uint32_t i = 0; i < a->model->states.count; i++)
    expr_tangent_seed(by_time, a->model->states.items[i].value, a->model->states.items[i].rate);
  expr_tangent_seed(by_time, a->model->time, expr_integer(a->graph, 1));
  expr moved = expr_sum(a->graph, terms, a->n);
  expr prescribed = expr_tangent_of(by_time, a->model->constraints.items[k].residual);
  expr parts[4] = {expr_tangent_of(by_motion, moved), expr_tangent_of(by_time, moved),
                   expr_tangent_of(by_motion, prescribed), expr_tangent_of(by_time, prescribed)};
  free(terms);
  expr_tangent_free(by_motion);
  expr_tangent_free(by_time);
  return expr_sum(a->graph, parts, 4);
}

bool augmented_derive(dyn_context *context, struct system *system, const struct terms *terms) {
  struct augmented a = {.context = context,
                        .system = system,
                        .graph = system->graph,
                        .model = system->model,
                        .n = system->n,
                        .at_rest = expr_integer(system->graph, 0),
                        .potential = terms->potential};
  size_t n = a.n, entries = n * n;
  if (!lagrange_derive(context, system, terms)) return false;
  a.velocity = checked_calloc(2 * n + entries + 1, sizeof(expr));
  a.linear = a.velocity + n;
  a.mass = a.linear + n;
  for (size_t j = 0; j < n; j++) {
    a.velocity[j] = a.model->coordinates.items[j].velocity;
    a.linear[j] = expr_integer(a.graph, 0);
  }
  for (size_t i = 0; i < entries; i++) a.mass[i] = expr_integer(a.graph, 0);
  bool ok = add_energies(&a);
  if (ok) {
    mirror(a.mass, n);
    derive_forcing(&a);
    take_mass(&a);
    for (uint32_t k = 0; k < system->m; k++)
      if (a.model->constraints.items[k].level == CONSTRAINT_POSITION)
        system->constraint_bias[k] = position_bias(&a, k);
  }
  free(a.velocity);
  return ok;
}
