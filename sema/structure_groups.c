/* Groups of constraints that share no coordinate and no state, each with its forms. What holds for
 * a group does not depend on the others, so that large models cost what their groups cost. */
#include "sema/structure.h"
#include <stdlib.h>

enum role_kind { POSITION, VELOCITY, STATE, OTHER, KIND_COUNT };

/* Nodes of the union: constraints, then coordinates, then states. */
struct grouping {
  struct structure *all;
  const struct model *model;
  uint32_t *parent;
  bool *is_reached; /* coordinates and states that constraints depend on */
  expr *residuals;
  expr *rates;
  uint32_t first_coordinate, first_state, count;
  VECTOR(uint32_t) open; /* states whose rates are still to be looked at */
};

static uint32_t root_of(struct grouping *g, uint32_t node) {
  while (g->parent[node] != node) {
    g->parent[node] = g->parent[g->parent[node]];
    node = g->parent[node];
  }
  return node;
}

/* The smaller node stays the root, so that a group is named by its first constraint. */
static void join(struct grouping *g, uint32_t a, uint32_t b) {
  a = root_of(g, a);
  b = root_of(g, b);
  if (a < b)
    g->parent[b] = a;
  else
    g->parent[a] = b;
}

static void set_role(struct structure *all, expr symbol, enum role_kind kind, uint32_t index) {
  map_set(&all->roles, symbol, index * KIND_COUNT + kind + 1);
}

static void set_roles(struct structure *all) {
  const struct model *model = all->model;
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    set_role(all, model->coordinates.items[i].position, POSITION, i);
    set_role(all, model->coordinates.items[i].velocity, VELOCITY, i);
  }
  for (uint32_t i = 0; i < model->states.count; i++)
    set_role(all, model->states.items[i].value, STATE, i);
  for (uint32_t i = 0; i < model->parameters.count; i++)
    set_role(all, model->parameters.items[i].symbol, OTHER, 0);
  set_role(all, model->time, OTHER, 0);
}

static void join_symbols(struct grouping *g, uint32_t node, expr e) {
  struct expr_list symbols = {0};
  expr_symbols_of(g->all->graph, &e, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count; i++) {
    uint32_t role = map_get(&g->all->roles, symbols.items[i]);
    if (role == 0 || (role - 1) % KIND_COUNT == OTHER) continue;
    uint32_t index = (role - 1) / KIND_COUNT;
    bool is_state = (role - 1) % KIND_COUNT == STATE;
    uint32_t other = (is_state ? g->first_state : g->first_coordinate) + index;
    if (is_state && !g->is_reached[other]) vector_push(&g->open, index);
    g->is_reached[other] = true;
    join(g, node, other);
  }
  vector_free(&symbols);
}

static void make_groups(struct grouping *g) {
  const struct model *model = g->model;
  struct arena *arena = &g->all->arena;
  g->first_coordinate = model->constraints.count;
  g->first_state = g->first_coordinate + model->coordinates.count;
  g->count = g->first_state + model->states.count;
  g->parent = arena_array(arena, uint32_t, g->count);
  g->is_reached = arena_array(arena, bool, g->count);
  g->residuals = arena_array(arena, expr, model->constraints.count + 1);
  g->rates = arena_array(arena, expr, model->states.count + 1);
  for (uint32_t i = 0; i < g->count; i++) g->parent[i] = i;
  for (uint32_t i = 0; i < model->constraints.count; i++) {
    g->residuals[i] = structure_value(g->all, model->constraints.items[i].residual);
    join_symbols(g, i, g->residuals[i]);
  }
  while (g->open.count > 0) {
    uint32_t state = vector_pop(&g->open);
    g->rates[state] = structure_value(g->all, model->states.items[state].rate);
    join_symbols(g, g->first_state + state, g->rates[state]);
  }
}

/* ---------------------------------------------------------------- forms */

struct expr_tangent *pfaffian_direction(const struct pfaffian *p, uint32_t j) {
  struct expr_tangent *tangent = expr_tangent_new(p->graph);
  expr one = expr_integer(p->graph, 1);
  expr_tangent_seed(tangent, j < p->n ? p->q[j] : p->time, one);
  for (uint32_t k = 0; k < p->s; k++)
    expr_tangent_seed(tangent, p->z[k], j < p->n ? p->rate_q[k + (size_t)j * p->s] : p->rate_t[k]);
  for (uint32_t k = 0; j == p->n && k < p->input_count; k++)
    expr_tangent_seed(tangent, p->input[k], p->input_rate[k]);
  return tangent;
}

static void find_inputs(struct pfaffian *p, const expr *rates) {
  struct expr_list symbols = {0};
  expr_symbols_of(p->graph, rates, p->s, &symbols);
  p->input = arena_array(p->arena, expr, symbols.count + 1);
  p->input_rate = arena_array(p->arena, expr, symbols.count + 1);
  for (uint32_t i = 0; i < symbols.count; i++) {
    if (map_get(&p->all->roles, symbols.items[i]) != 0) continue;
    p->input[p->input_count] = symbols.items[i];
    p->input_rate[p->input_count++] = expr_symbol(p->graph, "input'", NULL);
  }
  vector_free(&symbols);
}

static void take_rates(struct pfaffian *p, const struct grouping *g) {
  expr *rates = arena_array(p->arena, expr, p->s + 1);
  expr *parts = arena_array(p->arena, expr, p->n + 1);
  p->rate_q = arena_array(p->arena, expr, (size_t)p->s * p->n + 1);
  p->rate_t = arena_array(p->arena, expr, p->s + 1);
  p->rates_are_linear = p->rates_are_closed = true;
  struct expr_symbol_set *motion = expr_symbol_set_new(p->graph);
  for (uint32_t j = 0; j < p->n; j++) expr_symbol_set_add(motion, p->q[j]);
  for (uint32_t j = 0; j < p->n; j++) expr_symbol_set_add(motion, p->velocity[j]);
  for (uint32_t k = 0; k < p->s; k++) {
    rates[k] = g->rates[p->states[k]];
    if (expr_symbol_set_touches(motion, rates[k])) p->rates_are_closed = false;
    bool is_linear = expr_linear_parts(p->graph, rates[k], p->velocity, p->n, parts, &p->rate_t[k]);
    if (!is_linear) p->rate_t[k] = rates[k];
    if (!is_linear) p->rates_are_linear = false;
    for (uint32_t j = 0; j < p->n; j++)
      p->rate_q[k + (size_t)j * p->s] = is_linear ? parts[j] : expr_integer(p->graph, 0);
  }
  find_inputs(p, rates);
  expr_symbol_set_free(motion);
}

/* Position level: the differential. */
static void take_differentials(struct pfaffian *p) {
  for (uint32_t j = 0; j <= p->n && p->position_count > 0; j++) {
    struct expr_tangent *along = pfaffian_direction(p, j);
    for (uint32_t i = 0; i < p->position_count; i++) {
      expr derivative = expr_tangent_of(along, p->residual[i]);
      if (j < p->n)
        p->a[i + (size_t)j * p->m] = derivative;
      else
        p->b[i] = derivative;
    }
    expr_tangent_free(along);
  }
}

static void take_velocity_forms(struct pfaffian *p) {
  expr *parts = arena_array(p->arena, expr, p->n + 1);
  expr rest;
  for (uint32_t i = p->position_count; i < p->linear_count; i++) {
    if (!expr_linear_parts(p->graph, p->residual[i], p->velocity, p->n, parts, &rest))
      bug("'%s' is not linear in the velocities", pfaffian_constraint(p, i)->id.name);
    for (uint32_t j = 0; j < p->n; j++) p->a[i + (size_t)j * p->m] = parts[j];
    p->b[i] = rest;
  }
  for (uint32_t i = p->linear_count; i < p->m; i++)
    for (uint32_t j = 0; j < p->n; j++)
      p->a[i + (size_t)j * p->m] = expr_derivative(p->graph, p->residual[i], p->velocity[j]);
}

/* Nonlinear rows (Chetaev's rule) depend on velocities, which have to satisfy the constraints. */
static void take_value_equations(struct pfaffian *p) {
  if (p->linear_count == p->m) return;
  p->value_equations = arena_array(p->arena, expr, (size_t)p->m + p->position_count);
  expr *terms = arena_array(p->arena, expr, p->n + 1);
  for (uint32_t i = 0; i < p->m; i++)
    if (p->implied[i].items == NULL) p->value_equations[p->value_equation_count++] = p->residual[i];
  for (uint32_t i = 0; i < p->position_count; i++) {
    if (p->implied[i].items != NULL) continue;
    for (uint32_t j = 0; j < p->n; j++)
      terms[j] = expr_multiply(p->graph, p->a[i + (size_t)j * p->m], p->velocity[j]);
    terms[p->n] = p->b[i];
    p->value_equations[p->value_equation_count++] = expr_sum(p->graph, terms, p->n + 1);
  }
}

static void take_forms(struct pfaffian *p, const struct grouping *g) {
  take_rates(p, g);
  p->a = arena_array(p->arena, expr, (size_t)p->m * p->n + 1);
  p->b = arena_array(p->arena, expr, p->m + 1);
  p->residual = arena_array(p->arena, expr, p->m + 1);
  for (uint32_t i = 0; i < p->m; i++) {
    p->residual[i] = g->residuals[p->rows[i]];
    p->b[i] = expr_integer(p->graph, 0);
  }
  take_differentials(p);
  take_velocity_forms(p);
  pfaffian_find_implied(p);
  take_value_equations(p);
}

/* ---------------------------------------------------------------- members */

/* 0: position level, 1: linear in the velocities, 2: not. */
static int sort_of(const struct model_constraint *c) {
  if (c->level == CONSTRAINT_POSITION) return 0;
  return c->is_linear ? 1 : 2;
}

static void add_variables(struct pfaffian *p, const struct grouping *g, const uint32_t *members,
                          uint32_t count) {
  p->q = arena_array(p->arena, expr, count + 1);
  p->velocity = arena_array(p->arena, expr, count + 1);
  p->z = arena_array(p->arena, expr, count + 1);
  p->coordinates = arena_array(p->arena, uint32_t, count + 1);
  p->states = arena_array(p->arena, uint32_t, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    if (members[i] >= g->first_state) {
      p->states[p->s] = members[i] - g->first_state;
      p->z[p->s] = g->model->states.items[p->states[p->s]].value;
      p->s++;
    } else if (members[i] >= g->first_coordinate) {
      p->coordinates[p->n] = members[i] - g->first_coordinate;
      p->q[p->n] = g->model->coordinates.items[p->coordinates[p->n]].position;
      p->velocity[p->n] = g->model->coordinates.items[p->coordinates[p->n]].velocity;
      p->n++;
    }
  }
}

static void add_rows(struct pfaffian *p, const struct grouping *g, const uint32_t *members,
                     uint32_t count) {
  p->rows = arena_array(p->arena, uint32_t, count + 1);
  for (int sort = 0; sort < 3; sort++) {
    for (uint32_t i = 0; i < count && members[i] < g->first_coordinate; i++)
      if (sort_of(&g->model->constraints.items[members[i]]) == sort) p->rows[p->m++] = members[i];
    if (sort == 0) p->position_count = p->m;
    if (sort == 1) p->linear_count = p->m;
  }
}

static struct pfaffian *pfaffian_new(struct grouping *g, const uint32_t *members, uint32_t count) {
  struct pfaffian *p = arena_new(&g->all->arena, struct pfaffian);
  p->all = g->all;
  p->graph = g->all->graph;
  p->arena = &g->all->arena;
  p->time = g->model->time;
  add_rows(p, g, members, count);
  add_variables(p, g, members, count);
  take_forms(p, g);
  return p;
}

struct pfaffian **structure_groups(struct structure *all, uint32_t *count) {
  struct grouping g = {.all = all, .model = all->model};
  set_roles(all);
  make_groups(&g);
  /* Members of each group, by counting. */
  uint32_t *start = arena_array(&all->arena, uint32_t, g.count + 2);
  uint32_t *members = arena_array(&all->arena, uint32_t, g.count + 1);
  for (uint32_t i = 0; i < g.count; i++) start[root_of(&g, i) + 2]++;
  for (uint32_t i = 0; i <= g.count; i++) start[i + 1] += start[i];
  for (uint32_t i = 0; i < g.count; i++) members[start[root_of(&g, i) + 1]++] = i;
  struct pfaffian **groups =
      arena_array(&all->arena, struct pfaffian *, all->model->constraints.count + 1);
  *count = 0;
  for (uint32_t i = 0; i < all->model->constraints.count; i++)
    if (root_of(&g, i) == i)
      groups[(*count)++] = pfaffian_new(&g, members + start[i], start[i + 1] - start[i]);
  vector_free(&g.open);
  return groups;
}
