/* Speeds u = Y(q, t) q' + b(q, t) as variables in place of velocities: completion of the declared
 * ones, the inverse relation
 *
 *     q' = W (u - b),     W = Y^-1,     q'' = W (u' - Y' q' - b'),
 *
 * and what is said where Y is singular. (Kane & Levinson, Dynamics: Theory and Applications,
 * section 2.12; Papastavridis, Analytical Mechanics, section 2.9, where the quasi-velocities of
 * constraints complete the others.)
 *
 * Completion: every declared speed takes one velocity of a coordinate for itself, one with a
 * constant coefficient if it can, else the one with the largest coefficient at the start. If all
 * are constant, the velocities that are left complete the set and it is regular everywhere. If not,
 * the velocities that constraints forbid are preferred: with them the set is often regular
 * everywhere too (Euler parameters with their norm, a knife edge with its sideways velocity), while
 * one with a velocity of a coordinate has a singular place. */
#include "derive/speeds.h"
#include "derive/elimination.h"
#include "derive/inverse.h"
#include "derive/method_state.h"
#include "derive/sample.h"
#include "base/bug.h"
#include "sema/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_BLOCK = INVERSE_LARGEST_BLOCK };
static const double SINGULAR = 1e-9; /* least over largest pivot */

/* ---- completion */

struct completion {
  const struct system *system;
  struct speeds *speeds;
  struct expr_symbol_set *varying;
  struct sample sample;
  uint32_t count; /* speeds so far */
  double *rows;   /* n*n, row by row: coefficients at the sample, eliminated so far */
  bool *is_taken; /* n: velocities that a speed has taken */
};

static double *row_of(struct completion *c, uint32_t row) {
  return c->rows + (size_t)row * c->speeds->n;
}

/* Adds a speed with its coefficients. */
static void add(struct completion *c, enum speed_origin origin, uint32_t index, const expr *row,
                expr rest) {
  struct speeds *s = c->speeds;
  for (uint32_t j = 0; j < s->n; j++) s->coefficient[c->count + (size_t)j * s->n] = row[j];
  s->rest[c->count] = rest;
  s->origin[c->count] = origin;
  s->index[c->count++] = index;
}

/* What is left of a row after those before it. */
static void reduce(struct completion *c, uint32_t row, const uint32_t *pivots) {
  double *own = row_of(c, row);
  for (uint32_t i = 0; i < row; i++) {
    const double *other = row_of(c, i);
    double factor = own[pivots[i]] / other[pivots[i]];
    for (uint32_t j = 0; j < c->speeds->n; j++) own[j] -= factor * other[j];
    own[pivots[i]] = 0;
  }
}

/* The velocity that the row takes: n if it depends on those before it. */
static uint32_t take(struct completion *c, uint32_t row, uint32_t *pivots, bool *is_constant) {
  uint32_t n = c->speeds->n, best = n;
  double *own = row_of(c, row), largest = 0, scale = 0;
  bool constant = false;
  expr *entries = checked_calloc((size_t)n + 1, sizeof(expr));
  for (uint32_t j = 0; j < n; j++) entries[j] = c->speeds->coefficient[row + (size_t)j * n];
  expr_evaluate(c->system->graph, entries, n, sample_value, &c->sample, own);
  for (uint32_t j = 0; j < n; j++) scale = fmax(scale, fabs(own[j]));
  reduce(c, row, pivots);
  for (uint32_t j = 0; j < n; j++) {
    double size = fabs(own[j]);
    bool fits = !expr_symbol_set_touches(c->varying, entries[j]) &&
                !expr_is_integer_value(c->system->graph, entries[j], 0);
    if (c->is_taken[j] || !(size > SINGULAR * scale) || (constant && !fits)) continue;
    if (size <= largest && fits == constant) continue;
    best = j;
    largest = size;
    constant = fits;
  }
  free(entries);
  *is_constant = *is_constant && constant;
  if (best < n) c->is_taken[best] = true;
  pivots[row] = best;
  return best;
}

static struct expr_symbol_set *varying_symbols(const struct system *system) {
  const struct model *model = system->model;
  struct expr_symbol_set *varying = expr_symbol_set_new(system->graph);
  for (uint32_t j = 0; j < model->coordinates.count; j++)
    expr_symbol_set_add(varying, model->coordinates.items[j].position);
  for (uint32_t k = 0; k < model->states.count; k++)
    expr_symbol_set_add(varying, model->states.items[k].value);
  expr_symbol_set_add(varying, model->time);
  return varying;
}

/* Declared speeds that are singular at the start and nearby stay unresolved: singularity is
 * reported later. True if all took a velocity with a constant coefficient. */
static bool take_declared(struct completion *c, uint32_t *pivots) {
  const struct model *model = c->system->model;
  uint32_t n = c->speeds->n;
  expr *velocity = checked_calloc(2 * (size_t)n + 1, sizeof(expr)), *row = velocity + n, rest;
  bool is_constant = true;
  for (uint32_t j = 0; j < n; j++) velocity[j] = model->coordinates.items[j].velocity;
  for (uint32_t i = 0; i < model->speeds.count && i < n; i++) {
    if (!expr_linear_parts(c->system->graph, model->speeds.items[i].value, velocity, n, row, &rest))
      bug("speed '%s' is not linear", model->speeds.items[i].id.name);
    add(c, SPEED_DECLARED, i, row, rest);
    if (take(c, i, pivots, &is_constant) < n) continue;
    for (uint32_t j = 0; j < n && pivots[i] == n; j++) /* any that is left */
      if (!c->is_taken[j]) pivots[i] = j;
    c->is_taken[pivots[i]] = true;
    row_of(c, i)[pivots[i]] = 1;
  }
  free(velocity);
  return is_constant;
}

static void take_constraints(struct completion *c, uint32_t *pivots) {
  const struct system *s = c->system;
  uint32_t n = c->speeds->n;
  expr *row = checked_calloc((size_t)n + 1, sizeof(expr));
  for (uint32_t k = 0; k < s->m && c->count < n; k++) {
    const struct model_constraint *constraint = &s->model->constraints.items[k];
    struct expr_substitution *rest = expr_substitution_new(s->graph);
    bool ignored = true;
    if (constraint->is_redundant || !constraint->is_linear) continue;
    for (uint32_t j = 0; j < n; j++) {
      row[j] = s->constraint_jacobian[k + (size_t)j * s->m];
      expr_substitution_add(rest, s->model->coordinates.items[j].velocity,
                            expr_integer(s->graph, 0));
    }
    add(c, SPEED_OF_CONSTRAINT, k, row, expr_substitution_of(rest, s->constraint[k]));
    expr_substitution_free(rest);
    if (take(c, c->count - 1, pivots, &ignored) == n) c->count--;
  }
  free(row);
}

static void take_coordinates(struct completion *c) {
  const struct system *s = c->system;
  uint32_t n = c->speeds->n;
  expr *row = checked_calloc((size_t)n + 1, sizeof(expr)), zero = expr_integer(s->graph, 0);
  for (uint32_t j = 0; j < n; j++) row[j] = zero;
  for (uint32_t j = 0; j < n && c->count < n; j++) {
    if (c->is_taken[j]) continue;
    row[j] = expr_integer(s->graph, 1);
    add(c, SPEED_OF_COORDINATE, j, row, zero);
    row[j] = zero;
  }
  free(row);
}

struct speeds speeds_choose(const struct system *system) {
  size_t n = system->n;
  struct speeds speeds = {.n = system->n};
  speeds.origin = checked_calloc(n + 1, sizeof *speeds.origin);
  speeds.index = checked_calloc(n + 1, sizeof *speeds.index);
  speeds.coefficient = checked_calloc(n * n + 1, sizeof(expr));
  speeds.rest = checked_calloc(n + 1, sizeof(expr));
  struct completion c = {.system = system, .speeds = &speeds};
  uint32_t *pivots = checked_calloc(n + 1, sizeof *pivots);
  c.varying = varying_symbols(system);
  c.rows = checked_calloc(n * n + 1, sizeof(double));
  c.is_taken = checked_calloc(n + 1, sizeof(bool));
  sample_init(&c.sample, system->model);
  sample_start(&c.sample, 1e-3); /* a little off the start: that may be a singular place */
  if (!take_declared(&c, pivots)) take_constraints(&c, pivots);
  take_coordinates(&c);
  sample_clear(&c.sample);
  expr_symbol_set_free(c.varying);
  free(c.rows);
  free(c.is_taken);
  free(pivots);
  return speeds;
}

void speeds_clear(struct speeds *speeds) {
  free(speeds->origin);
  free(speeds->index);
  free(speeds->coefficient);
  free(speeds->rest);
  *speeds = (struct speeds){0};
}

/* ---- singular places */

static double pivot_ratio(const struct speeds *s, const struct system *system,
                          struct sample *sample, double *a) {
  size_t n = s->n;
  expr_evaluate(system->graph, s->coefficient, n * n, sample_value, sample, a);
  for (size_t i = 0; i < n; i++) {
    double largest = 0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(a[i + j * n]));
    for (size_t j = 0; j < n && largest > 0; j++) a[i + j * n] /= largest;
  }
  return elimination_pivot_ratio(a, s->n);
}

static void put_declared(const struct system *system, struct text *names) {
  const struct model *model = system->model;
  text_put(names, model->speeds.count == 1 ? "speed " : "speeds ");
  for (uint32_t i = 0; i < model->speeds.count; i++)
    text_format(names, "%s%s", i ? ", " : "", model->speeds.items[i].id.name);
}

/* Names the coordinates without whose value the place would not be singular. */
static void put_place(const struct speeds *s, const struct system *system, struct sample *sample,
                      double *a, struct text *place) {
  const struct model *model = system->model;
  for (uint32_t j = 0; j < s->n; j++) {
    expr position = model->coordinates.items[j].position;
    double value = sample_value(sample, position);
    sample_set(sample, position, value + 0.3);
    if (pivot_ratio(s, system, sample, a) > 1e-4)
      text_format(place, "%s%s = %.6g", place->length ? " and " : "",
                  model->coordinates.items[j].id.name, value);
    sample_set(sample, position, value);
  }
  if (place->length == 0) text_put(place, "the model starts");
}

static bool check_start(dyn_context *context, const struct speeds *s, const struct system *system) {
  struct sample sample;
  size_t n = s->n;
  double *a = checked_calloc(n * n + 1, sizeof *a);
  sample_init(&sample, system->model);
  sample_start(&sample, 0);
  bool ok =
      n == 0 || system->model->speeds.count == 0 || pivot_ratio(s, system, &sample, a) > SINGULAR;
  if (!ok) {
    struct text names = {0}, place = {0};
    put_declared(system, &names);
    put_place(s, system, &sample, a, &place);
    struct diagnostic *d =
        diagnostic_add(context, DIAG_SINGULAR_SPEEDS, system->model->speeds.items[0].id.span,
                       text_string(&names), text_string(&place), NULL);
    diagnostic_help(
        context, d,
        "start elsewhere, choose other coordinates (for an orientation: other angles or "
        "Euler parameters), or, if only the speeds are at fault, use 'lagrange'");
    text_free(&names);
    text_free(&place);
  }
  sample_clear(&sample);
  free(a);
  return ok;
}

/* ---- names and relations */

static void name_variables(struct system *system, const struct speeds *s) {
  const struct model *model = system->model;
  for (uint32_t i = 0; i < s->n; i++) {
    struct text name = {0}, unit = {0};
    expr value;
    if (s->origin[i] == SPEED_DECLARED) {
      const struct model_speed *speed = &model->speeds.items[s->index[i]];
      text_put(&name, speed->id.name);
      text_put(&unit, speed->id.unit.si);
      value = speed->value;
    } else if (s->origin[i] == SPEED_OF_COORDINATE) {
      const struct model_coordinate *coordinate = &model->coordinates.items[s->index[i]];
      text_put(&name, expr_symbol_name(system->graph, coordinate->velocity));
      text_format(&unit, "%s/s", coordinate->id.unit.si);
      value = coordinate->velocity;
    } else {
      const struct model_constraint *constraint = &model->constraints.items[s->index[i]];
      text_format(&name, "u_%s", constraint->id.name);
      if (method_state_is_taken(model, text_string(&name))) {
        text_free(&name);
        text_format(&name, "u(%s)", constraint->id.name);
      }
      text_format(&unit, "%s%s", constraint->id.unit.si,
                  constraint->level == CONSTRAINT_POSITION ? "/s" : "");
      value = system->constraint[s->index[i]];
    }
    method_state_name(system, i, text_string(&name), NULL, text_string(&unit));
    system->state.value[i] = value;
    text_free(&name);
    text_free(&unit);
  }
}

char *system_completion(const struct system *system) {
  struct text names = {0};
  struct speeds speeds = speeds_choose(system);
  for (uint32_t i = system->model->speeds.count; i < speeds.n; i++) {
    const struct model *model = system->model;
    if (names.length > 0) text_put(&names, ", ");
    if (speeds.origin[i] == SPEED_OF_CONSTRAINT)
      text_format(&names, "u_%s (of the constraint)",
                  model->constraints.items[speeds.index[i]].id.name);
    else
      text_put(&names,
               expr_symbol_name(system->graph, model->coordinates.items[speeds.index[i]].velocity));
  }
  speeds_clear(&speeds);
  return text_take(&names);
}

/* d/dt with q'' left out, of all definitions: Y' q' + b'. */
static void derive_rates(struct system *system, expr *rates) {
  const struct model *model = system->model;
  struct expr_tangent *tangent = expr_tangent_new(system->graph);
  for (uint32_t j = 0; j < system->n; j++)
    expr_tangent_seed(tangent, model->coordinates.items[j].position,
                      model->coordinates.items[j].velocity);
  for (uint32_t k = 0; k < model->states.count; k++)
    expr_tangent_seed(tangent, model->states.items[k].value, model->states.items[k].rate);
  expr_tangent_seed(tangent, model->time, expr_integer(system->graph, 1));
  for (uint32_t r = 0; r < system->n; r++)
    rates[r] = expr_tangent_of(tangent, system->state.value[r]);
  expr_tangent_free(tangent);
}

/* The part of q'' without u' by the derivative of q'(q, u, t) along the motion. */
static void derive_along(struct system *system, expr *without) {
  const struct model *model = system->model;
  struct expr_tangent *tangent = expr_tangent_new(system->graph);
  for (uint32_t j = 0; j < system->n; j++)
    expr_tangent_seed(tangent, model->coordinates.items[j].position, system->state.velocity[j]);
  expr_tangent_seed(tangent, model->time, expr_integer(system->graph, 1));
  for (uint32_t j = 0; j < system->n; j++)
    without[j] = expr_tangent_of(tangent, system->state.velocity[j]);
  expr_tangent_free(tangent);
}

/* q' = W (u - b), q'' = W u' + w with w = -W (Y' q' + b'), or the derivative of q'(q, u, t) with
 * u' = 0 where that is shorter. */
static void derive_relations(struct system *system, const struct speeds *s, const expr *inverse,
                             expr *without) {
  struct system_method_state *state = &system->state;
  struct expr_graph *graph = system->graph;
  size_t n = s->n;
  expr *memory = checked_calloc(3 * n + 2, sizeof(expr)), *rates = memory, *terms = memory + n;
  expr *along = memory + 2 * n + 1;
  derive_rates(system, rates);
  for (size_t j = 0; j < n; j++) {
    for (size_t r = 0; r < n; r++)
      terms[r] = expr_multiply(graph, inverse[j + r * n],
                               expr_subtract(graph, state->symbol[r], s->rest[r]));
    state->velocity[j] = expr_sum(graph, terms, n);
    for (size_t r = 0; r < n; r++) terms[r] = expr_multiply(graph, inverse[j + r * n], rates[r]);
    without[j] = expr_negate(graph, expr_sum(graph, terms, n));
  }
  derive_along(system, along);
  if (expr_reachable_count(graph, along, n) < expr_reachable_count(graph, without, n))
    memcpy(without, along, n * sizeof *without);
  for (size_t j = 0; j < n; j++) {
    for (size_t r = 0; r < n; r++)
      terms[r] = expr_multiply(graph, inverse[j + r * n], state->symbol_rate[r]);
    terms[n] = without[j];
    state->acceleration[j] = expr_sum(graph, terms, n + 1);
  }
  free(memory);
}

bool speeds_derive(dyn_context *context, struct system *system, expr *inverse, expr *without) {
  struct speeds speeds = speeds_choose(system);
  struct expr_symbol_set *varying = varying_symbols(system);
  bool is_regular = false, ok = check_start(context, &speeds, system);
  if (ok && !inverse_of(system->graph, speeds.coefficient, speeds.n, varying, LARGEST_BLOCK,
                        inverse, &is_regular)) {
    struct text names = {0};
    put_declared(system, &names);
    diagnostic_add(context, DIAG_SPEEDS_ENTANGLED, system->model->speeds.items[0].id.span,
                   text_string(&names) + (system->model->speeds.count == 1 ? 6 : 7), NULL);
    text_free(&names);
    ok = false;
  }
  if (ok) {
    method_state_begin(system, VARIABLES_SPEEDS);
    system->state.is_regular = is_regular;
    name_variables(system, &speeds);
    derive_relations(system, &speeds, inverse, without);
  }
  expr_symbol_set_free(varying);
  speeds_clear(&speeds);
  return ok;
}
