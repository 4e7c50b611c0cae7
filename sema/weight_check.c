/* Weights that count twice: a stated potential, or a part of it, is the one that gravity has
 * already; or a force at a point does the work of a potential.
 *
 * Two potentials say the same if their derivatives agree. They are compared in one direction of
 * coordinates that no model has any reason to know, at three states with random parameters: numbers
 * decide, because it is only a warning. */
#include "sema/analysis.h"
#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 3 };

enum weight_kind { WEIGHT_STATED, WEIGHT_GRAVITY, WEIGHT_FORCE };

struct weight { /* the power that something does in the direction */
  enum weight_kind kind;
  struct span span;
  expr power;
  double values[ROUNDS];
};

struct weights {
  struct analysis *a;
  struct expr_tangent *direction;
  VECTOR(struct weight) items;
};

/* ---------------------------------------------------------------- powers */

static double direction_of(expr coordinate) {
  return 0.5 + (double)(hash_mix(coordinate) >> 40) / (double)(1u << 24);
}

static void seed_direction(struct weights *w) {
  struct model *model = w->a->model;
  w->direction = expr_tangent_new(model->graph);
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    expr q = model->coordinates.items[i].position;
    expr_tangent_seed(w->direction, q, expr_double(model->graph, direction_of(q)));
  }
}

static void add_weight(struct weights *w, enum weight_kind kind, struct span span, expr power) {
  struct weight weight = {.kind = kind, .span = span, .power = power};
  vector_push(&w->items, weight);
}

static expr power_of_potential(struct weights *w, expr potential) {
  return expr_negate(w->a->l->graph, expr_tangent_of(w->direction, potential));
}

/* A stated potential as a whole, and each summand of it. */
static void add_stated(struct weights *w, const struct model_energy *energy) {
  struct expr_graph *graph = w->a->l->graph;
  add_weight(w, WEIGHT_STATED, energy->span, power_of_potential(w, energy->value));
  if (expr_operator_of(graph, energy->value) != EXPR_SUM) return;
  uint32_t count;
  expr_operands(graph, energy->value, &count);
  for (uint32_t i = 0; i < count && count > 1; i++) {
    struct expr_operand operand = expr_operands(graph, energy->value, &count)[i];
    expr factor = expr_rational(graph, expr_pool_number(graph, operand.number));
    expr term = expr_multiply(graph, factor, operand.node);
    add_weight(w, WEIGHT_STATED, energy->span, power_of_potential(w, term));
  }
}

/* Gravity on single bodies, and on all together. */
static void add_potentials(struct weights *w) {
  const struct model *model = w->a->model;
  VECTOR(expr) all = {0};
  struct span span = {0, 0, 0};
  for (uint32_t i = 0; i < model->energies.count; i++) {
    const struct model_energy *energy = &model->energies.items[i];
    if (energy->kind != ENERGY_POTENTIAL) continue;
    if (energy->body == 0) {
      add_stated(w, energy);
      continue;
    }
    span = energy->span;
    expr power = power_of_potential(w, energy->value);
    vector_push(&all, power);
    add_weight(w, WEIGHT_GRAVITY, span, power);
  }
  if (all.count > 1)
    add_weight(w, WEIGHT_GRAVITY, span, expr_sum(w->a->l->graph, all.items, all.count));
  vector_free(&all);
}

/* Forces, at points or on coordinates: a weight is one, too. */
static void add_forces(struct weights *w) {
  const struct model *model = w->a->model;
  for (uint32_t i = 0; i < model->forces.count;) {
    struct span span = model->forces.items[i].span;
    VECTOR(expr) powers = {0};
    for (; i < model->forces.count && model->forces.items[i].span.begin == span.begin &&
           model->forces.items[i].span.source == span.source;
         i++) {
      const struct model_force *force = &model->forces.items[i];
      expr rate = force->target_is_speed ? force->target
                                         : expr_tangent_of(w->direction, force->target);
      vector_push(&powers, expr_multiply(w->a->l->graph, force->value, rate));
    }
    add_weight(w, WEIGHT_FORCE, span, expr_sum(w->a->l->graph, powers.items, powers.count));
    vector_free(&powers);
  }
}

/* ---------------------------------------------------------------- comparing */

struct state {
  const struct lowering *l;
  uint64_t round;
};

/* Velocities are those of the direction. */
static double value_at(void *user, expr symbol) {
  const struct state *state = user;
  uint32_t role = map_get(&state->l->roles, symbol);
  if (role % ROLE_COUNT == ROLE_VELOCITY) {
    uint32_t index = state->l->elements.items[role / ROLE_COUNT].index;
    return direction_of(state->l->model->coordinates.items[index].position);
  }
  return 0.5 + (double)(hash_mix(symbol + hash_mix(state->round)) >> 40) / (double)(1u << 24);
}

static void evaluate(struct weights *w) {
  uint32_t count = w->items.count;
  expr *powers = checked_calloc((size_t)count + 1, sizeof *powers);
  double *values = checked_calloc((size_t)count + 1, sizeof *values);
  for (uint32_t i = 0; i < count; i++) powers[i] = w->items.items[i].power;
  for (int round = 0; round < ROUNDS; round++) {
    struct state state = {w->a->l, (uint64_t)round};
    expr_evaluate(w->a->l->graph, powers, count, value_at, &state, values);
    for (uint32_t i = 0; i < count; i++)
      w->items.items[i].values[round] = isfinite(values[i]) ? values[i] : 0;
  }
  free(powers);
  free(values);
}

static bool is_same(const struct weight *a, const struct weight *b) {
  bool is_zero = true;
  for (int i = 0; i < ROUNDS; i++) {
    if (!(fabs(a->values[i] - b->values[i]) <= 1e-10 * fabs(a->values[i]))) return false;
    is_zero = is_zero && a->values[i] == 0;
  }
  return !is_zero;
}

static void report(struct weights *w, const struct weight *a, const struct weight *b) {
  bool by_force = b->kind == WEIGHT_FORCE, by_gravity = a->kind == WEIGHT_GRAVITY;
  struct diagnostic *d = diagnostic_add(
      w->a->context, DIAG_WEIGHT_TWICE, b->span, by_force ? "this force" : "this potential",
      by_gravity ? "gravity" : "a potential", NULL);
  diagnostic_label(w->a->context, d, a->span, by_gravity ? "gravity acts here" : "stated here");
  diagnostic_help(w->a->context, d, "leave one of them out");
}

/* Sorted by their first value, so that equals are neighbours: gravity first, forces last. */
static int by_value(const void *a, const void *b) {
  const struct weight *x = a, *y = b;
  if (x->values[0] != y->values[0]) return x->values[0] < y->values[0] ? -1 : 1;
  return 0;
}

static int rank_of(enum weight_kind kind) {
  return kind == WEIGHT_GRAVITY ? 0 : kind == WEIGHT_STATED ? 1 : 2;
}

static void compare_all(struct weights *w) {
  enum { NEAR = 64 }; /* how many equal ones are looked at: warnings, not proofs */
  qsort(w->items.items, w->items.count, sizeof *w->items.items, by_value);
  for (uint32_t i = 0; i < w->items.count; i++)
    for (uint32_t k = i + 1; k < w->items.count && k <= i + NEAR; k++) {
      const struct weight *a = &w->items.items[i], *b = &w->items.items[k];
      if (!(fabs(a->values[0] - b->values[0]) <= 1e-10 * fabs(a->values[0]))) break;
      if (a->kind == b->kind || !is_same(a, b)) continue;
      if (rank_of(a->kind) < rank_of(b->kind))
        report(w, a, b);
      else
        report(w, b, a);
    }
}

void check_weights(struct analysis *a) {
  struct weights w = {.a = a};
  if (a->model->coordinates.count == 0) return;
  bool has_gravity = false;
  for (uint32_t i = 0; i < a->model->energies.count && !has_gravity; i++)
    has_gravity = a->model->energies.items[i].body != 0 &&
                  a->model->energies.items[i].kind == ENERGY_POTENTIAL;
  for (uint32_t i = 0; i < a->model->forces.count && !has_gravity; i++)
    has_gravity = a->model->forces.items[i].target_is_speed;
  if (!has_gravity) return;
  seed_direction(&w);
  add_potentials(&w);
  add_forces(&w);
  evaluate(&w);
  compare_all(&w);
  expr_tangent_free(w.direction);
  vector_free(&w.items);
}
