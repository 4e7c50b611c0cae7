/* Lagrange's equations of the second kind, with Rayleigh dissipation and generalized forces:
 *
 *     d/dt(dL/dq'_i) - dL/dq_i + dD/dq'_i = Q_i,        L = T - V
 *
 * (Goldstein, Poole, Safko, Classical Mechanics, 3rd ed.: section 1.4 for the equations and the
 * generalized forces, section 1.5 for velocity-dependent potentials and the dissipation function;
 * Lanczos, The Variational Principles of Mechanics, 4th ed., chapter V.)
 * Several dissipation statements add up to one D, as energies do.
 *
 * With p_i = dL/dq'_i the chain rule gives
 *
 *     d/dt p_i = sum_j dp_i/dq'_j q''_j + [ sum_j dp_i/dq_j q'_j + sum_k dp_i/dz_k z'_k + dp_i/dt ]
 *
 * so that M_ij = dp_i/dq'_j is the Hessian of L, which may depend on the velocities when L is not
 * quadratic in them, and the bracket goes to the right-hand side. What the forces or the rates z'
 * hold of accelerations must be linear and moves to M; what they hold of multipliers (friction)
 * must be linear too and moves to B, beside the A^T of the constraint forces.
 *
 * Needs: a checked model, its constraints derived. Promises: M, B and forcing free of accelerations
 * and multipliers. No product is expanded:
 * derivatives are taken on the graph with one tangent per direction, shared by all rows. */
#include "derive/christoffel.h"
#include "derive/method.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

struct lagrange {
  dyn_context *context;
  struct system *system;
  const struct model *model;
  struct expr_graph *graph;
  const struct terms *terms;
  uint32_t n;
  expr *kinetic_momentum;   /* dT/dq' */
  expr *potential_momentum; /* dV/dq', 0 but for velocity-dependent potentials */
  expr *force;              /* Q - dD/dq' - dV/dq */
  expr *kinetic_slope;      /* dT/dq */
  expr *at_rest;            /* the part of dT/dq that was moved to `force` */
  expr *unknown;            /* n + m: the symbols q'', then λ */
};

/* Systems for which the inertial terms are also written with the mass matrix, which takes n^3
 * steps: few coordinates and a mass matrix of not too many nodes, or more with entries that are
 * simple. */
enum { FEW_COORDINATES = 12, FEW_NODES = 4000, MORE_COORDINATES = 32, SIMPLE_ENTRY = 8 };

static void lagrange_free(struct lagrange *l) {
  free(l->kinetic_momentum);
  free(l->potential_momentum);
  free(l->force);
  free(l->kinetic_slope);
  free(l->at_rest);
  free(l->unknown);
}

static struct lagrange lagrange_new(dyn_context *context, struct system *system,
                                    const struct terms *terms) {
  struct lagrange l = {.context = context,
                       .system = system,
                       .model = system->model,
                       .graph = system->graph,
                       .terms = terms,
                       .n = system->n};
  size_t size = l.n ? l.n : 1;
  l.kinetic_momentum = checked_calloc(size, sizeof(expr));
  l.potential_momentum = checked_calloc(size, sizeof(expr));
  l.kinetic_slope = checked_calloc(size, sizeof(expr));
  l.at_rest = checked_calloc(size, sizeof(expr));
  l.unknown = checked_calloc(size + system->m, sizeof(expr));
  for (uint32_t i = 0; i < l.n; i++) l.unknown[i] = l.model->coordinates.items[i].acceleration;
  for (uint32_t k = 0; k < system->m; k++)
    l.unknown[l.n + k] = l.model->constraints.items[k].multiplier;
  for (uint32_t i = 0; i < l.n; i++) l.at_rest[i] = expr_integer(l.graph, 0);
  l.force = terms_generalized_forces((struct model *)l.model);
  return l;
}

static expr difference(struct lagrange *l, expr a, expr b) {
  return expr_subtract(l->graph, a, b);
}

/* Momenta, the upper half of their derivatives by velocities, and the dissipative forces. Column
 * by column, so that every row shares the tangent of that velocity. */
static void derive_by_velocities(struct lagrange *l) {
  uint32_t n = l->n;
  for (uint32_t j = 0; j < n; j++) {
    struct expr_tangent *tangent = expr_tangent_new(l->graph);
    expr_tangent_seed(tangent, l->model->coordinates.items[j].velocity, expr_integer(l->graph, 1));
    l->kinetic_momentum[j] = expr_tangent_of(tangent, l->terms->kinetic);
    l->potential_momentum[j] = expr_tangent_of(tangent, l->terms->potential);
    l->system->momentum[j] = difference(l, l->kinetic_momentum[j], l->potential_momentum[j]);
    for (uint32_t i = 0; i <= j; i++) {
      expr entry = expr_tangent_of(tangent, l->system->momentum[i]);
      l->system->mass[i + (size_t)j * n] = entry;
      l->system->mass[j + (size_t)i * n] = entry;
    }
    l->force[j] = difference(l, l->force[j], expr_tangent_of(tangent, l->terms->dissipation));
    l->system->nonconservative[j] = l->force[j];
    expr_tangent_free(tangent);
  }
}

static void derive_by_positions(struct lagrange *l) {
  for (uint32_t j = 0; j < l->n; j++) {
    struct expr_tangent *tangent = expr_tangent_new(l->graph);
    expr_tangent_seed(tangent, l->model->coordinates.items[j].position, expr_integer(l->graph, 1));
    l->kinetic_slope[j] = expr_tangent_of(tangent, l->terms->kinetic);
    l->force[j] = difference(l, l->force[j], expr_tangent_of(tangent, l->terms->potential));
    l->system->momentum_rate[j] = expr_add(l->graph, l->force[j], l->kinetic_slope[j]);
    expr_tangent_free(tangent);
  }
}

/* Of energies as a recursion takes them (V free of velocities), all at once and without the mass
 * matrix: the derivatives of T share their sums over the bodies, so that they grow as n^2 along a
 * chain, and not as n^3. */
static void derive_by_gradients(struct lagrange *l) {
  uint32_t n = l->n;
  expr *symbols = checked_calloc(4 * (size_t)n + 1, sizeof *symbols), *by = symbols + 2 * n;
  for (uint32_t j = 0; j < n; j++) {
    symbols[j] = l->model->coordinates.items[j].position;
    symbols[n + j] = l->model->coordinates.items[j].velocity;
  }
  expr_gradient(l->graph, l->terms->kinetic, symbols, 2 * (size_t)n, by);
  for (uint32_t j = 0; j < n; j++) {
    l->kinetic_slope[j] = by[j];
    l->kinetic_momentum[j] = l->system->momentum[j] = by[n + j];
    l->potential_momentum[j] = expr_integer(l->graph, 0);
  }
  expr_gradient(l->graph, l->terms->dissipation, symbols + n, n, by);
  for (uint32_t j = 0; j < n; j++)
    l->system->nonconservative[j] = l->force[j] = difference(l, l->force[j], by[j]);
  expr_gradient(l->graph, l->terms->potential, symbols, n, by);
  for (uint32_t j = 0; j < n; j++) {
    l->force[j] = difference(l, l->force[j], by[j]);
    l->system->momentum_rate[j] = expr_add(l->graph, l->force[j], l->kinetic_slope[j]);
  }
  free(symbols);
}

/* The time derivative with q'' left out: total, or explicit (where positions stay). Inputs have no
 * known derivative, which check_inputs has refused where it would matter. */
static struct expr_tangent *time_tangent(struct lagrange *l, bool is_total) {
  struct expr_tangent *tangent = expr_tangent_new(l->graph);
  for (uint32_t j = 0; j < l->n && is_total; j++) {
    const struct model_coordinate *coordinate = &l->model->coordinates.items[j];
    expr_tangent_seed(tangent, coordinate->position, coordinate->velocity);
  }
  for (uint32_t k = 0; k < l->model->states.count; k++)
    expr_tangent_seed(tangent, l->model->states.items[k].value, l->model->states.items[k].rate);
  expr_tangent_seed(tangent, l->model->time, expr_integer(l->graph, 1));
  return tangent;
}

/* For a `lagrangian`, whose parts are not known apart: the terms of dL/dq without velocities are
 * read as a force of position, the others as inertia. */
static void split_lagrangian_slope(struct lagrange *l) {
  struct expr_symbol_set *velocities = expr_symbol_set_new(l->graph);
  for (uint32_t j = 0; j < l->n; j++)
    expr_symbol_set_add(velocities, l->model->coordinates.items[j].velocity);
  for (uint32_t i = 0; i < l->n; i++) {
    expr slope = l->kinetic_slope[i], at_rest;
    if (!expr_symbol_set_touches(velocities, slope)) {
      at_rest = slope;
    } else if (expr_operator_of(l->graph, slope) == EXPR_SUM) {
      uint32_t count;
      const struct expr_operand *operands = expr_operands(l->graph, slope, &count);
      struct expr_operand *terms = checked_malloc(count * sizeof *terms);
      for (uint32_t k = 0; k < count; k++) terms[k] = operands[k];
      VECTOR(expr) resting = {0};
      vector_push(&resting, expr_rational(l->graph, expr_constant(l->graph, slope)));
      for (uint32_t k = 0; k < count; k++) {
        if (expr_symbol_set_touches(velocities, terms[k].node)) continue;
        expr factor = expr_rational(l->graph, expr_pool_number(l->graph, terms[k].number));
        vector_push(&resting, expr_multiply(l->graph, factor, terms[k].node));
      }
      at_rest = expr_sum(l->graph, resting.items, resting.count);
      vector_free(&resting);
      free(terms);
    } else {
      continue;
    }
    l->kinetic_slope[i] = difference(l, slope, at_rest);
    l->force[i] = expr_add(l->graph, l->force[i], at_rest);
    l->at_rest[i] = at_rest;
  }
  expr_symbol_set_free(velocities);
}

static void derive_by_time(struct lagrange *l) {
  struct expr_tangent *tangent = time_tangent(l, true);
  for (uint32_t i = 0; i < l->n; i++) {
    expr rate = expr_tangent_of(tangent, l->kinetic_momentum[i]);
    l->system->inertial[i] = difference(l, rate, l->kinetic_slope[i]);
    l->system->applied[i] =
        expr_add(l->graph, l->force[i], expr_tangent_of(tangent, l->potential_momentum[i]));
  }
  expr_tangent_free(tangent);
}

/* Nodes that are needed besides the mass matrix. */
static uint32_t size_with_mass(const struct lagrange *l, const expr *items) {
  size_t n = l->n;
  expr *roots = checked_malloc((n * n + n) * sizeof *roots);
  memcpy(roots, l->system->mass, n * n * sizeof *roots);
  memcpy(roots + n * n, items, n * sizeof *roots);
  uint32_t size = expr_reachable_count(l->graph, roots, n * n + n);
  free(roots);
  return size;
}

static bool is_small(const struct lagrange *l) {
  size_t entries = (size_t)l->n * l->n;
  if (l->n > MORE_COORDINATES) return false;
  uint32_t nodes = expr_reachable_count(l->graph, l->system->mass, entries);
  return l->n <= FEW_COORDINATES ? nodes <= FEW_NODES : nodes <= SIMPLE_ENTRY * entries;
}

/* Takes the inertial terms and momenta written with the entries of M where that is shorter. */
static void shorten(struct lagrange *l) {
  struct system *system = l->system;
  if (!is_small(l)) return;
  for (uint32_t i = 0; i < l->n; i++)
    if (!expr_is_integer_value(l->graph, l->potential_momentum[i], 0)) return;
  expr *inertial = checked_calloc(l->n + (size_t)1, sizeof(expr));
  expr *momentum = checked_calloc(l->n + (size_t)1, sizeof(expr));
  struct christoffel problem = {system, l->terms->kinetic, l->kinetic_momentum, l->at_rest,
                                time_tangent(l, false)};
  if (christoffel_terms(&problem, inertial, momentum)) {
    if (size_with_mass(l, inertial) < size_with_mass(l, system->inertial))
      memcpy(system->inertial, inertial, l->n * sizeof(expr));
    if (size_with_mass(l, momentum) < size_with_mass(l, system->momentum))
      memcpy(system->momentum, momentum, l->n * sizeof(expr));
  }
  expr_tangent_free(problem.explicit_time);
  free(inertial);
  free(momentum);
}

/* Moves the accelerations that one side holds to the mass matrix, and the multipliers to those of
 * the constraint forces; `sign` is what the side's sign becomes on the left. */
static bool move_unknowns(struct lagrange *l, expr *side, uint32_t row, int sign,
                          expr *coefficients) {
  struct system *system = l->system;
  expr rest;
  if (!expr_linear_parts(l->graph, side[row], l->unknown, (size_t)l->n + system->m, coefficients,
                         &rest))
    return false;
  side[row] = rest;
  for (uint32_t j = 0; j < l->n; j++) {
    expr *entry = &system->mass[row + (size_t)j * l->n];
    *entry = sign > 0 ? expr_add(l->graph, *entry, coefficients[j])
                      : expr_subtract(l->graph, *entry, coefficients[j]);
  }
  for (uint32_t k = 0; k < system->m; k++) {
    expr coefficient = coefficients[l->n + k];
    expr *entry = &system->multiplier_force[row + (size_t)k * l->n];
    if (expr_is_integer_value(l->graph, coefficient, 0)) continue;
    *entry = sign > 0 ? expr_subtract(l->graph, *entry, coefficient)
                      : expr_add(l->graph, *entry, coefficient);
    system->multiplier_force_is_transpose = false;
  }
  return true;
}

static bool mass_is_symmetric(const struct system *system) {
  uint32_t n = system->n;
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = 0; i < j; i++)
      if (system->mass[i + (size_t)j * n] != system->mass[j + (size_t)i * n]) return false;
  return true;
}

/* Points at the rates that bring unknowns into the row, by way of its momentum. */
static void label_rates(struct lagrange *l, struct diagnostic *d, uint32_t row,
                        struct expr_symbol_set *unknowns) {
  for (uint32_t k = 0; k < l->model->states.count; k++) {
    const struct model_rate_state *state = &l->model->states.items[k];
    if (!expr_symbol_set_touches(unknowns, state->rate)) continue;
    struct expr_symbol_set *set = expr_symbol_set_new(l->graph);
    expr_symbol_set_add(set, state->value);
    if (expr_symbol_set_touches(set, l->system->momentum[row])) {
      diagnostic_label(l->context, d, state->rate_span, "the rate of %s", state->id.name);
      diagnostic_help(l->context, d, "the momentum of %s depends on %s, and so its rate on %s'",
                      l->model->coordinates.items[row].id.name, state->id.name, state->id.name);
    }
    expr_symbol_set_free(set);
  }
}

static void refuse_row(struct lagrange *l, uint32_t row, struct expr_symbol_set *unknowns) {
  const struct model_name *id = &l->model->coordinates.items[row].id;
  struct expr_symbol_set *multipliers = expr_symbol_set_new(l->graph);
  for (uint32_t k = 0; k < l->system->m; k++)
    expr_symbol_set_add(multipliers, l->unknown[l->n + k]);
  bool holds = expr_symbol_set_touches(multipliers, l->system->applied[row]) ||
               expr_symbol_set_touches(multipliers, l->system->inertial[row]);
  expr_symbol_set_free(multipliers);
  struct diagnostic *d = diagnostic_add(l->context,
                                        holds ? DIAG_EQUATION_NOT_LINEAR_IN_MULTIPLIERS
                                              : DIAG_EQUATION_NOT_LINEAR_IN_ACCELERATIONS,
                                        id->span, id->name, NULL);
  label_rates(l, d, row, unknowns);
}

/* The parts left of and right of the equals sign become M q'' = applied - inertial + B λ. */
static bool assemble(struct lagrange *l) {
  struct system *system = l->system;
  struct expr_symbol_set *set = expr_symbol_set_new(l->graph);
  size_t unknowns = (size_t)l->n + system->m;
  for (size_t j = 0; j < unknowns; j++) expr_symbol_set_add(set, l->unknown[j]);
  expr *coefficients = checked_calloc(unknowns + 1, sizeof(expr));
  bool ok = true;
  for (uint32_t i = 0; i < l->n && ok; i++) {
    if (expr_symbol_set_touches(set, system->applied[i]))
      ok = move_unknowns(l, system->applied, i, -1, coefficients);
    if (ok && expr_symbol_set_touches(set, system->inertial[i]))
      ok = move_unknowns(l, system->inertial, i, 1, coefficients);
    if (!ok) refuse_row(l, i, set);
    system->forcing[i] = difference(l, system->applied[i], system->inertial[i]);
  }
  free(coefficients);
  expr_symbol_set_free(set);
  system->mass_is_symmetric = mass_is_symmetric(system);
  return ok;
}

static bool touches_a_momentum(const struct lagrange *l, struct expr_symbol_set *set,
                               uint32_t *row) {
  for (*row = 0; *row < l->n; ++*row)
    if (expr_symbol_set_touches(set, l->system->momentum[*row])) return true;
  return false;
}

static void refuse_input(struct lagrange *l, const struct model_input *input) {
  const char *name = input->id.name;
  struct expr_symbol_set *set = expr_symbol_set_new(l->graph);
  expr_symbol_set_add(set, input->symbol);
  uint32_t row;
  if (touches_a_momentum(l, set, &row)) {
    struct diagnostic *d = diagnostic_add(l->context, DIAG_INPUT_DERIVATIVE_NEEDED, input->id.span,
                                          name, l->model->coordinates.items[row].id.name, NULL);
    for (uint32_t e = 0; e < l->model->energies.count; e++)
      if (expr_symbol_set_touches(set, l->model->energies.items[e].value))
        diagnostic_label(l->context, d, l->model->energies.items[e].span, "enters here");
    diagnostic_help(l->context, d,
                    "make '%s' a parameter if it is constant, or write it as a function of time "
                    "with 'let %s = ...'",
                    name, name);
  }
  expr_symbol_set_free(set);
}

/* An input in a momentum would need its time derivative. One that is set has a known derivative
 * here, but can still be driven by other values when the system runs: it is refused like the
 * others. */
static bool check_inputs(struct lagrange *l) {
  uint32_t count = l->model->inputs.count, row;
  struct expr_symbol_set *all = expr_symbol_set_new(l->graph);
  for (uint32_t k = 0; k < count; k++) expr_symbol_set_add(all, l->model->inputs.items[k].symbol);
  bool found = count > 0 && touches_a_momentum(l, all, &row);
  expr_symbol_set_free(all);
  for (uint32_t k = 0; k < count && found; k++) refuse_input(l, &l->model->inputs.items[k]);
  return !found;
}

/* Where right-hand sides come from the recursion, as nothing holds accelerations. */
static void derive_without_mass(struct lagrange *l) {
  struct system *system = l->system;
  derive_by_gradients(l);
  derive_by_time(l);
  for (uint32_t i = 0; i < l->n; i++)
    system->forcing[i] = difference(l, system->applied[i], system->inertial[i]);
  system->mass_is_symmetric = true;
}

void system_derive_mass(struct system *system) {
  size_t n = system->n;
  if (system->mass != NULL) return;
  system->mass = checked_calloc(n * n + 1, sizeof(expr));
  for (size_t j = 0; j < n; j++) {
    struct expr_tangent *tangent = expr_tangent_new(system->graph);
    expr_tangent_seed(tangent, system->model->coordinates.items[j].velocity,
                      expr_integer(system->graph, 1));
    for (size_t i = 0; i <= j; i++)
      system->mass[i + j * n] = system->mass[j + i * n] =
          expr_tangent_of(tangent, system->momentum[i]);
    expr_tangent_free(tangent);
  }
}

bool lagrange_derive(dyn_context *context, struct system *system, const struct terms *terms) {
  struct lagrange l = lagrange_new(context, system, terms);
  if (system->recursion != NULL && system->recursion->mass.is_long) {
    derive_without_mass(&l);
    lagrange_free(&l);
    return true;
  }
  system->mass = checked_calloc((size_t)l.n * l.n + 1, sizeof(expr));
  derive_by_velocities(&l);
  bool ok = check_inputs(&l);
  if (ok) {
    derive_by_positions(&l);
    if (terms->is_lagrangian) split_lagrangian_slope(&l);
    derive_by_time(&l);
    shorten(&l);
    ok = assemble(&l);
  }
  lagrange_free(&l);
  return ok;
}
