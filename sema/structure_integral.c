/* Integrals of the velocity-level constraints of a group that are holonomic, in closed form where
 * one can be found. They hold for every value of the parameters, so that here parameters are
 * symbols again.
 *
 * An integral that is a coordinate says that this coordinate stays: others may then be integrable
 * without its differential. That is tried until nothing new is found. */
#include "sema/integral.h"
#include "sema/structure.h"

struct integrating {
  const struct pfaffian *p;
  struct model *model;
  struct integral_space space, free_space; /* free: without frozen coordinates */
  expr **forms;                            /* per row; NULL at position level */
  bool *is_frozen;
};

/* False if the row has no form of the kind that is integrated. */
static bool take_form(struct integrating *w, uint32_t row) {
  const struct pfaffian *p = w->p;
  w->forms[row] = arena_array(p->arena, expr, p->n + 1);
  return expr_linear_parts(p->graph, pfaffian_constraint(p, row)->residual, p->velocity, p->n,
                           w->forms[row], &w->forms[row][p->n]);
}

/* c*q_j + rest(parameters) = const with a number c: then dq_j = 0. (A parameter may be 0.) */
static void freeze(struct integrating *w, expr integral) {
  const struct pfaffian *p = w->p;
  struct expr_symbol_set *others = expr_symbol_set_new(p->graph);
  uint32_t at = p->n, count = 0;
  expr_symbol_set_add(others, p->time);
  for (uint32_t k = 0; k < p->s; k++) expr_symbol_set_add(others, p->z[k]);
  for (uint32_t j = 0; j < p->n; j++) {
    struct expr_symbol_set *own = expr_symbol_set_new(p->graph);
    expr_symbol_set_add(own, p->q[j]);
    if (expr_symbol_set_touches(own, integral)) at = j;
    if (at == j) count++;
    expr_symbol_set_free(own);
  }
  expr slope, rest;
  struct expr_list symbols = {0};
  if (count == 1 && !expr_symbol_set_touches(others, integral) &&
      expr_linear_parts(p->graph, integral, &p->q[at], 1, &slope, &rest)) {
    expr_symbols_of(p->graph, &slope, 1, &symbols);
    if (symbols.count == 0) w->is_frozen[at] = true;
    vector_free(&symbols);
  }
  expr_symbol_set_free(others);
}

static void prepare(struct integrating *w, struct structure *all, const struct pfaffian *p) {
  w->p = p;
  w->model = all->model;
  w->is_frozen = arena_array(p->arena, bool, p->n + 1);
  w->forms = arena_array(p->arena, expr *, p->m + 1);
  expr *rate = arena_array(p->arena, expr, p->s + 1);
  for (uint32_t k = 0; k < p->s; k++) rate[k] = all->model->states.items[p->states[k]].rate;
  w->space = (struct integral_space){.graph = p->graph,
                                     .arena = p->arena,
                                     .n = p->n,
                                     .s = p->s,
                                     .q = p->q,
                                     .z = p->z,
                                     .rate = rate,
                                     .time = p->time,
                                     .is_frozen = w->is_frozen,
                                     .start = structure_guess,
                                     .user = all};
  w->free_space = w->space;
  w->free_space.is_frozen = arena_array(p->arena, bool, p->n + 1);
  for (uint32_t i = 0; i < p->position_count; i++) freeze(w, pfaffian_constraint(p, i)->residual);
}

/* The row that stands for this constraint of the model. */
static const expr *form_of(const struct integrating *w, uint32_t constraint) {
  for (uint32_t i = w->p->position_count; i < w->p->linear_count; i++)
    if (w->p->rows[i] == constraint) return w->forms[i];
  return NULL;
}

static expr combine(const struct integrating *w, uint32_t first, const uint32_t *others,
                    uint32_t count) {
  const expr **forms = arena_array(w->p->arena, const expr *, count + 1);
  uint32_t used = 0;
  forms[used++] = form_of(w, first);
  for (uint32_t i = 0; i < count; i++)
    if (others[i] != first && form_of(w, others[i]) != NULL) forms[used++] = form_of(w, others[i]);
  return forms[0] != NULL ? integral_of_combination(&w->space, forms, used) : 0;
}

/* True if that gave the row an integral. */
static bool integrate_row(struct integrating *w, uint32_t row, bool any_frozen) {
  struct model_constraint *c = pfaffian_constraint(w->p, row);
  c->integral = integral_of_exact(&w->free_space, w->forms[row]);
  if (c->integral != 0) c->integrating_factor = expr_integer(w->p->graph, 1);
  if (c->integral == 0) c->integral = integral_of_exact(&w->space, w->forms[row]);
  if (c->integral != 0) return true;
  expr factor = 0;
  c->integral = integral_with_factor(&w->space, w->forms[row], &factor);
  if (c->integral != 0 && !any_frozen) c->integrating_factor = factor;
  if (c->integral == 0 && c->class == CLASS_JOINT)
    c->integral = combine(w, w->p->rows[row], c->partners, c->partner_count);
  return c->integral != 0;
}

static void integrate_all(struct integrating *w) {
  const struct pfaffian *p = w->p;
  bool *is_done = arena_array(p->arena, bool, p->m + 1);
  for (uint32_t i = p->position_count; i < p->linear_count; i++) is_done[i] = !take_form(w, i);
  bool any_new = true, any_frozen = false;
  for (uint32_t j = 0; j < p->n; j++) any_frozen = any_frozen || w->is_frozen[j];
  while (any_new) {
    any_new = false;
    for (uint32_t i = p->position_count; i < p->linear_count; i++) {
      const struct model_constraint *c = pfaffian_constraint(p, i);
      if (is_done[i] || !structure_is_integrable(c->class) || !integrate_row(w, i, any_frozen))
        continue;
      is_done[i] = true;
      any_new = true;
    }
    for (uint32_t i = p->position_count; i < p->linear_count && any_new; i++)
      if (is_done[i] && pfaffian_constraint(p, i)->integral != 0)
        freeze(w, pfaffian_constraint(p, i)->integral);
    for (uint32_t j = 0; j < p->n; j++) any_frozen = any_frozen || w->is_frozen[j];
  }
}

void structure_integrate(struct structure *all, const struct pfaffian *p) {
  struct integrating w;
  if (p->linear_count == p->position_count || !p->rates_are_closed) return;
  prepare(&w, all, p);
  integrate_all(&w);
  for (uint32_t i = 0; i < all->model->structure.combinations.count; i++) {
    struct model_combination *c = &all->model->structure.combinations.items[i];
    if (c->integral == 0) c->integral = combine(&w, c->members[0], c->members, c->count);
  }
}
