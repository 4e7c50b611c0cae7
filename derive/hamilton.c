/* Hamilton's canonical equations, with forces that have no potential and with constraints:
 *
 *     p_i = dL/dq'_i,     q'_i = dH/dp_i,     p'_i = -dH/dq_i + Q_i - dD/dq'_i + (A^T λ)_i
 *
 * (Goldstein, Poole, Safko, Classical Mechanics, 3rd ed., section 8.1 for the canonical equations
 * and the matrix form of H, section 8.5 for constraints by multipliers; Pars, A Treatise on
 * Analytical Dynamics, chapter XI; the nonconservative forces as in Whittaker, Analytical
 * Dynamics, section 109.)
 *
 * L is quadratic in the velocities, L = 1/2 q' M q' + b q' + L0 with M, b, L0 over q, z and t, so
 * that  p = M q' + b  and
 *
 *     H(q, p, t) = 1/2 (p - b) M^-1 (p - b) - L0.
 *
 * With v = M^-1 (p - b) and d(M^-1) = -M^-1 dM M^-1,
 *
 *     dH/dp = v,      dH/dq_k = -1/2 v (dM/dq_k) v - (db/dq_k) v - dL0/dq_k :
 *
 * M is never inverted; the generated code solves M v = p - b. The partial derivatives are those of
 * 1/2 v M v + b v + L0 with v held fixed, made from the entries of M and not from L as written, so
 * that an error in either shows when methods are compared (dyn verify).
 *
 * Needs: a checked model, its constraints derived. Promises: the system as lagrange_derive leaves
 * it, but with a forcing made of the canonical equations, M q'' = p' - M' q' - b', and the method's
 * state filled in. */
#include "derive/elimination.h"
#include "derive/method.h"
#include "derive/method_state.h"
#include "derive/momentum_unit.h"
#include "derive/sample.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

struct hamilton {
  dyn_context *context;
  struct system *system;
  struct expr_graph *graph;
  const struct model *model;
  uint32_t n;
  expr *velocity; /* n: symbols q' */
};

/* ---- which models the method is for */

static bool check_constraints(const struct hamilton *h) {
  bool ok = true;
  for (uint32_t k = 0; k < h->model->constraints.count; k++) {
    const struct model_constraint *constraint = &h->model->constraints.items[k];
    if (constraint->class != CLASS_NONHOLONOMIC && constraint->class != CLASS_UNDECIDED) continue;
    struct diagnostic *d = diagnostic_add(h->context, DIAG_HAMILTON_NONHOLONOMIC, constraint->span,
                                          constraint->id.name, NULL);
    diagnostic_help(h->context, d, "'lagrange', 'kane' and 'gibbs-appell' take such constraints");
    ok = false;
  }
  return ok;
}

static bool refuse_momentum(const struct hamilton *h, uint32_t i) {
  const struct model_name *id = &h->model->coordinates.items[i].id;
  struct diagnostic *d =
      diagnostic_add(h->context, DIAG_HAMILTON_NOT_QUADRATIC, id->span, id->name, NULL);
  diagnostic_caption(h->context, d, "its momentum dL/d(%s') is not linear in the velocities",
                     id->name);
  diagnostic_help(h->context, d, "'lagrange' takes any kinetic energy");
  return false;
}

/* p = M q' + b. */
static bool find_momenta(struct hamilton *h) {
  struct system_method_state *state = &h->system->state;
  expr *row = checked_calloc((size_t)h->n + 1, sizeof(expr));
  uint32_t i = 0;
  for (; i < h->n; i++) {
    if (!expr_linear_parts(h->graph, h->system->momentum[i], h->velocity, h->n, row,
                           &state->rest[i]))
      break;
    for (uint32_t j = 0; j < h->n; j++) state->mass[i + (size_t)j * h->n] = row[j];
  }
  free(row);
  return i == h->n || refuse_momentum(h, i);
}

/* The coordinate that moves most in a motion without momentum. */
static uint32_t moved_coordinate(const struct hamilton *h, double *a) {
  size_t n = h->n;
  double *null = checked_calloc(n * n, sizeof *null), largest = 0;
  uint32_t coordinate = 0;
  elimination_null_space(a, h->n, 1e-10, null);
  for (uint32_t j = 0; j < h->n; j++) {
    double part = null[j] < 0 ? -null[j] : null[j];
    if (part <= largest) continue;
    coordinate = j;
    largest = part;
  }
  free(null);
  return coordinate;
}

/* Whether M is singular at all of a few random states, and who moves then. */
static bool is_singular(const struct hamilton *h, uint32_t *coordinate) {
  struct sample sample;
  size_t n = h->n, size = n * n * sizeof(double);
  double *a = checked_malloc(size), *copy = checked_malloc(size);
  double *scale = checked_calloc(n, sizeof *scale);
  bool singular = true;
  sample_init(&sample, h->model);
  for (uint64_t seed = 0; seed < 4 && singular; seed++) {
    sample_draw(&sample, 0x4a77 + seed, seed >= 2);
    expr_evaluate(h->graph, h->system->state.mass, n * n, sample_value, &sample, a);
    elimination_scale(a, h->n, scale);
    memcpy(copy, a, size);
    singular = elimination_pivot_ratio(copy, h->n) <= 1e-8;
  }
  if (singular) *coordinate = moved_coordinate(h, a);
  sample_clear(&sample);
  free(a);
  free(copy);
  free(scale);
  return singular;
}

/* Coordinates without inertia may be determined by constraints; their momenta are not. */
static bool check_regular(const struct hamilton *h) {
  uint32_t coordinate = 0;
  if (h->n == 0 || !is_singular(h, &coordinate)) return true;
  struct zero_test test = {0};
  if (expr_determinant_is_zero(h->graph, h->system->state.mass, h->n, &test) == VERDICT_NO)
    return true;
  const struct model_name *id = &h->model->coordinates.items[coordinate].id;
  struct diagnostic *d =
      diagnostic_add(h->context, DIAG_HAMILTON_SINGULAR, id->span, id->name, NULL);
  diagnostic_help(h->context, d, "'lagrange' lets constraints determine motions without inertia");
  return false;
}

/* ---- the equations */

/* L0: L at rest. */
static expr energy_at_rest(const struct hamilton *h, const struct terms *terms) {
  struct expr_substitution *rest = expr_substitution_new(h->graph);
  for (uint32_t j = 0; j < h->n; j++)
    expr_substitution_add(rest, h->velocity[j], expr_integer(h->graph, 0));
  expr lagrangian = expr_subtract(h->graph, expr_substitution_of(rest, terms->kinetic),
                                  expr_substitution_of(rest, terms->potential));
  expr_substitution_free(rest);
  return lagrangian;
}

/* 1/2 v M v + b v. */
static expr energy_of_motion(const struct hamilton *h) {
  const struct system_method_state *state = &h->system->state;
  size_t n = h->n, count = 0;
  expr *terms = checked_calloc(n * n + n + 1, sizeof(expr));
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i <= j; i++) {
      expr factors[4] = {state->mass[i + j * n], h->velocity[i], h->velocity[j],
                         expr_ratio(h->graph, 1, i == j ? 2 : 1)};
      if (!expr_is_integer_value(h->graph, factors[0], 0))
        terms[count++] = expr_product(h->graph, factors, 4);
    }
    terms[count++] = expr_multiply(h->graph, state->rest[j], h->velocity[j]);
  }
  expr sum = expr_sum(h->graph, terms, count);
  free(terms);
  return sum;
}

/* -dH/dq + Q - dD/dq'. */
static void derive_rates(struct hamilton *h, expr at_rest) {
  expr moving = energy_of_motion(h);
  for (uint32_t k = 0; k < h->n; k++) {
    struct expr_tangent *tangent = expr_tangent_new(h->graph);
    expr_tangent_seed(tangent, h->model->coordinates.items[k].position, expr_integer(h->graph, 1));
    expr parts[3] = {expr_tangent_of(tangent, moving), expr_tangent_of(tangent, at_rest),
                     h->system->nonconservative[k]};
    h->system->state.rate[k] = expr_sum(h->graph, parts, 3);
    expr_tangent_free(tangent);
  }
}

/* d/dt with q'' left out. */
static struct expr_tangent *time_tangent(const struct hamilton *h) {
  struct expr_tangent *tangent = expr_tangent_new(h->graph);
  for (uint32_t j = 0; j < h->n; j++)
    expr_tangent_seed(tangent, h->model->coordinates.items[j].position, h->velocity[j]);
  for (uint32_t k = 0; k < h->model->states.count; k++)
    expr_tangent_seed(tangent, h->model->states.items[k].value, h->model->states.items[k].rate);
  expr_tangent_seed(tangent, h->model->time, expr_integer(h->graph, 1));
  return tangent;
}

/* M q'' = p' - M' q' - b': what forces and rates hold of accelerations and multipliers stands in
 * the system's mass matrix and multiplier force already. */
static void derive_forcing(struct hamilton *h) {
  const struct system_method_state *state = &h->system->state;
  struct expr_tangent *tangent = time_tangent(h);
  struct expr_substitution *without = expr_substitution_new(h->graph);
  expr zero = expr_integer(h->graph, 0);
  for (uint32_t j = 0; j < h->n; j++)
    expr_substitution_add(without, h->model->coordinates.items[j].acceleration, zero);
  for (uint32_t k = 0; k < h->model->constraints.count; k++)
    expr_substitution_add(without, h->model->constraints.items[k].multiplier, zero);
  expr *terms = checked_calloc((size_t)h->n + 2, sizeof(expr));
  for (uint32_t i = 0; i < h->n; i++) {
    for (uint32_t j = 0; j < h->n; j++) {
      expr change = expr_tangent_of(tangent, state->mass[i + (size_t)j * h->n]);
      terms[j] = expr_multiply(h->graph, change, h->velocity[j]);
    }
    terms[h->n] = expr_tangent_of(tangent, state->rest[i]);
    expr change = expr_sum(h->graph, terms, (size_t)h->n + 1);
    expr forcing = expr_subtract(h->graph, state->rate[i], change);
    h->system->forcing[i] = expr_substitution_of(without, forcing);
  }
  free(terms);
  expr_substitution_free(without);
  expr_tangent_free(tangent);
}

static void name_momenta(struct hamilton *h) {
  for (uint32_t j = 0; j < h->n; j++) {
    const struct model_coordinate *coordinate = &h->model->coordinates.items[j];
    struct text name = {0}, latex = {0}, unit = {0};
    text_format(&name, "p_%s", coordinate->id.name);
    if (method_state_is_taken(h->model, text_string(&name))) {
      text_free(&name);
      text_format(&name, "p(%s)", coordinate->id.name);
    }
    text_format(&latex, "p_{%s}", expr_symbol_latex(h->graph, coordinate->position));
    momentum_unit(h->model, coordinate->id.unit.si, &unit);
    method_state_name(h->system, j, text_string(&name), text_string(&latex), text_string(&unit));
    h->system->state.value[j] = h->system->momentum[j];
    text_free(&name);
    text_free(&latex);
    text_free(&unit);
  }
}

bool hamilton_derive(dyn_context *context, struct system *system, const struct terms *terms) {
  struct hamilton h = {.context = context,
                       .system = system,
                       .graph = system->graph,
                       .model = system->model,
                       .n = system->n};
  if (!check_constraints(&h) || !lagrange_derive(context, system, terms)) return false;
  h.velocity = checked_calloc((size_t)h.n + 1, sizeof(expr));
  for (uint32_t j = 0; j < h.n; j++) h.velocity[j] = h.model->coordinates.items[j].velocity;
  method_state_begin(system, VARIABLES_MOMENTA);
  bool ok = find_momenta(&h);
  if (ok) {
    name_momenta(&h);
    system->state.at_rest = energy_at_rest(&h, terms);
    derive_rates(&h, system->state.at_rest);
    derive_forcing(&h);
    ok = check_regular(&h);
  }
  free(h.velocity);
  return ok;
}
