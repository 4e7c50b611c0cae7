/* Equations of motion are linear in energies, forces and multipliers, so that every statement has
 * its own part of each:
 *
 *     kinetic        d/dt dT/dq'_i - dT/dq_i, or of a body m a.v_r + (I.α + ω x I.ω).ω_r
 *     potential      -dV/dq_i + d/dt dV/dq'_i
 *     dissipation    -dD/dq'_i
 *     force          F de/dq_i, or F du/dq'_i
 *     constraint     λ da/dq'_i
 *
 * With speeds, rows on coordinates are projected: sum_j dq'_j/du_r row_j. (Sources: lagrange.c,
 * motion.c, speeds_project.c, hamilton.c.) The parts add up to the system's equations; terms that
 * two statements cancel are seen here and not there. */
#include "derive/contributions.h"
#include "derive/energy_inertia.h"
#include "derive/quadratic_form.h"
#include "derive/terms.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

/* Rows are put into short forms in systems of this size. */
enum { FEW_COORDINATES = 12 };

struct collector {
  struct contributions *out;
  const struct system *system;
  struct expr_graph *graph;
  const struct model *model;
  size_t n;
  expr *velocity, *acceleration;                  /* n: symbols q', q'' */
  expr *directions;                               /* SPEEDS: n*n, dq'_j/du_r at [j + r*n] */
  struct expr_substitution *by_speeds, *by_rates; /* q' and q'' by the speeds */
  struct expr_tangent *rate;                      /* d/dt with accelerations */
};

static expr slope_of(const struct collector *c, expr e, expr by) {
  return expr_derivative(c->graph, e, by);
}

/* States by their rates. */
static void seed_rate(struct collector *c) {
  struct expr_tangent *tangent = c->rate = expr_tangent_new(c->graph);
  for (size_t j = 0; j < c->n; j++) {
    expr_tangent_seed(tangent, c->model->coordinates.items[j].position, c->velocity[j]);
    expr_tangent_seed(tangent, c->velocity[j], c->acceleration[j]);
  }
  for (uint32_t k = 0; k < c->model->states.count; k++)
    expr_tangent_seed(tangent, c->model->states.items[k].value, c->model->states.items[k].rate);
  expr_tangent_seed(tangent, c->model->time, expr_integer(c->graph, 1));
}

static expr rate_of(const struct collector *c, expr e) {
  return expr_tangent_of(c->rate, e);
}

/* ---- rows */

static expr *new_rows(const struct collector *c) {
  return checked_calloc(c->n + 1, sizeof(expr));
}

/* Accelerations apart, the rest by its coefficients of velocities. */
static expr shorten(const struct collector *c, expr e, const expr *rates) {
  expr rest, *row = new_rows(c), *terms = new_rows(c);
  bool ok = c->n <= FEW_COORDINATES && expr_linear_parts(c->graph, e, rates, c->n, row, &rest);
  if (ok) {
    for (size_t j = 0; j < c->n; j++) terms[j] = expr_multiply(c->graph, row[j], rates[j]);
    expr form = quadratic_form_of(
        c->graph, rest, c->directions != NULL ? c->system->state.symbol : c->velocity, c->n);
    terms[c->n] = form != 0 ? form : rest;
    expr sum = expr_sum(c->graph, terms, c->n + 1);
    if (expr_reachable_count(c->graph, &sum, 1) < expr_reachable_count(c->graph, &e, 1)) e = sum;
  }
  free(row);
  free(terms);
  return e;
}

/* Takes rows that are on speeds already (or the system has none). Rows of the same statement and
 * name go together. */
static void add(struct collector *c, enum contribution_kind kind, struct span span, const char *of,
                expr *rows) {
  bool has_speeds = c->directions != NULL;
  for (size_t i = 0; i < c->n; i++) {
    if (has_speeds) rows[i] = expr_substitution_of(c->by_speeds, rows[i]);
    rows[i] = shorten(c, rows[i], has_speeds ? c->system->state.symbol_rate : c->acceleration);
  }
  struct contribution *last = c->out->items.count > 0 ? &vector_last(&c->out->items) : NULL;
  if (last != NULL && last->kind == kind && memcmp(&last->span, &span, sizeof span) == 0 &&
      span.source != 0 && strcmp(last->of, of) == 0) {
    for (size_t i = 0; i < c->n; i++) last->rows[i] = expr_add(c->graph, last->rows[i], rows[i]);
    free(rows);
    return;
  }
  struct contribution item = {.kind = kind, .span = span, .of = of, .rows = rows};
  vector_push(&c->out->items, item);
}

/* Takes rows on coordinates. */
static void project(struct collector *c, enum contribution_kind kind, struct span span,
                    const char *of, expr *rows) {
  if (c->directions == NULL) {
    add(c, kind, span, of, rows);
    return;
  }
  expr *projected = new_rows(c), *terms = new_rows(c);
  for (size_t j = 0; j < c->n; j++) rows[j] = expr_substitution_of(c->by_rates, rows[j]);
  for (size_t r = 0; r < c->n; r++) {
    for (size_t j = 0; j < c->n; j++)
      terms[j] = expr_multiply(c->graph, c->directions[j + r * c->n], rows[j]);
    projected[r] = expr_sum(c->graph, terms, c->n);
  }
  free(rows);
  free(terms);
  add(c, kind, span, of, projected);
}

/* ---- statements */

/* Lagrange's terms; with momenta dT/dq_i alone, which stands on the right. */
static void add_kinetic(struct collector *c, const struct model_energy *energy) {
  bool has_momenta = c->system->state.kind == VARIABLES_MOMENTA;
  expr *rows = new_rows(c);
  for (size_t i = 0; i < c->n; i++) {
    expr slope = slope_of(c, energy->value, c->model->coordinates.items[i].position);
    expr momentum = slope_of(c, energy->value, c->velocity[i]);
    rows[i] = has_momenta ? slope : expr_subtract(c->graph, rate_of(c, momentum), slope);
  }
  project(c, has_momenta ? CONTRIBUTION_SLOPE : CONTRIBUTION_INERTIA, energy->span, energy->label,
          rows);
  vector_last(&c->out->items).of_energy = true;
}

static void add_potential(struct collector *c, const struct model_energy *energy) {
  bool has_momenta = c->system->state.kind == VARIABLES_MOMENTA;
  expr *rows = new_rows(c);
  for (size_t i = 0; i < c->n; i++) {
    expr slope = slope_of(c, energy->value, c->model->coordinates.items[i].position);
    expr momentum = slope_of(c, energy->value, c->velocity[i]);
    expr rate = has_momenta ? expr_integer(c->graph, 0) : rate_of(c, momentum);
    rows[i] = expr_subtract(c->graph, rate, slope);
  }
  project(c, CONTRIBUTION_FORCE, energy->span, energy->label, rows);
}

static void add_dissipation(struct collector *c, const struct model_energy *energy) {
  expr *rows = new_rows(c);
  for (size_t i = 0; i < c->n; i++)
    rows[i] = expr_negate(c->graph, slope_of(c, energy->value, c->velocity[i]));
  project(c, CONTRIBUTION_FORCE, energy->span, energy->label, rows);
}

static void add_energies(struct collector *c, const struct motions *motions) {
  for (uint32_t i = 0; i < c->model->energies.count; i++) {
    const struct model_energy *energy = &c->model->energies.items[i];
    if (energy_inertia_holds(motions, energy)) add_kinetic(c, energy);
  }
  for (uint32_t i = 0; i < c->model->energies.count; i++) {
    const struct model_energy *energy = &c->model->energies.items[i];
    if (energy->kind == ENERGY_POTENTIAL) add_potential(c, energy);
    if (energy->kind == ENERGY_DISSIPATION) add_dissipation(c, energy);
  }
}

/* mass u' + rest of each body, and Lagrange's terms along the norms of Euler parameters. */
static void add_bodies(struct collector *c, struct motions *motions) {
  size_t n = c->n;
  expr *mass = checked_calloc(n * n + 1, sizeof(expr)), *rest = new_rows(c), *sums = new_rows(c);
  for (size_t r = 0; r < n; r++) sums[r] = expr_integer(c->graph, 0);
  for (uint32_t b = 0; b < motions->bodies.count; b++) {
    const struct model_body *body = &c->model->bodies.items[motions->bodies.items[b].body];
    motions_inertia(motions, &motions->bodies.items[b], mass, rest);
    expr *rows = new_rows(c), *terms = new_rows(c);
    for (size_t r = 0; r < n; r++) {
      for (size_t s = 0; s < n; s++)
        terms[s] = expr_multiply(c->graph, mass[r + s * n], c->system->state.symbol_rate[s]);
      terms[n] = rest[r];
      rows[r] = expr_sum(c->graph, terms, n + 1);
      sums[r] = expr_add(c->graph, sums[r], rest[r]);
    }
    free(terms);
    add(c, CONTRIBUTION_INERTIA, body->span, body->name, rows);
  }
  struct energy_inertia left = energy_inertia_of(c->system, motions);
  expr *norms = new_rows(c);
  if (motions_norm_terms(motions, left.inertial, sums, norms))
    project(c, CONTRIBUTION_INERTIA, (struct span){0}, "norm of Euler parameters", norms);
  else
    free(norms);
  energy_inertia_clear(&left);
  free(mass);
  free(rest);
  free(sums);
}

static void add_forces(struct collector *c) {
  for (uint32_t i = 0; i < c->model->forces.count; i++) {
    const struct model_force *force = &c->model->forces.items[i];
    expr *rows = new_rows(c);
    for (size_t j = 0; j < c->n; j++) {
      expr by = force->target_is_speed ? c->velocity[j] : c->model->coordinates.items[j].position;
      rows[j] = expr_multiply(c->graph, force->value, slope_of(c, force->target, by));
    }
    project(c, CONTRIBUTION_FORCE, force->span, force->label, rows);
  }
}

static void add_reactions(struct collector *c) {
  const struct system *s = c->system;
  for (uint32_t k = 0; k < s->m; k++) {
    const struct model_constraint *constraint = &c->model->constraints.items[k];
    expr *rows = new_rows(c);
    for (size_t j = 0; j < c->n; j++)
      rows[j] =
          expr_multiply(c->graph, constraint->multiplier, s->constraint_jacobian[k + j * s->m]);
    project(c, CONTRIBUTION_REACTION, constraint->span, constraint->id.name, rows);
  }
}

/* ---- all */

static void find_directions(struct collector *c) {
  const struct system_method_state *state = &c->system->state;
  c->directions = checked_calloc(c->n * c->n + 1, sizeof(expr));
  for (size_t j = 0; j < c->n; j++) {
    for (size_t r = 0; r < c->n; r++)
      c->directions[j + r * c->n] = slope_of(c, state->velocity[j], state->symbol[r]);
    expr_substitution_add(c->by_speeds, c->velocity[j], state->velocity[j]);
    expr_substitution_add(c->by_rates, c->acceleration[j], state->acceleration[j]);
  }
}

struct contributions contributions_of(const struct system *system) {
  struct contributions out = {.system = system};
  struct collector c = {&out, system, system->graph, system->model, system->n};
  struct motions motions = motions_of(system);
  bool has_speeds = system->state.kind == VARIABLES_SPEEDS;
  c.velocity = new_rows(&c);
  c.acceleration = new_rows(&c);
  c.by_speeds = expr_substitution_new(c.graph);
  c.by_rates = expr_substitution_new(c.graph);
  for (size_t j = 0; j < c.n; j++) {
    c.velocity[j] = system->model->coordinates.items[j].velocity;
    c.acceleration[j] = system->model->coordinates.items[j].acceleration;
  }
  seed_rate(&c);
  if (has_speeds) {
    find_directions(&c);
    add_bodies(&c, &motions);
  } else {
    memset(motions.is_derived, 0, system->model->bodies.count * sizeof *motions.is_derived);
  }
  add_energies(&c, &motions);
  add_forces(&c);
  add_reactions(&c);
  expr_substitution_free(c.by_speeds);
  expr_substitution_free(c.by_rates);
  expr_tangent_free(c.rate);
  free(c.velocity);
  free(c.acceleration);
  free(c.directions);
  motions_clear(&motions);
  return out;
}

void contributions_clear(struct contributions *contributions) {
  for (uint32_t i = 0; i < contributions->items.count; i++)
    free(contributions->items.items[i].rows);
  vector_free(&contributions->items);
}
