/* What constraints are for parameters in general position, which are symbols here.
 *
 * A rank can only fall, and a derived system only grow, where parameters take special values: what
 * is independent, or not holonomic, for the present values is so in general. Only what is redundant
 * or holonomic has to be looked at again. */
#include "sema/structure.h"

struct general {
  struct structure *all;
  struct pfaffian *p;
  struct expr_symbol_set *parameters;
};

static bool touches_parameters(const struct general *g) {
  const struct pfaffian *p = g->p;
  for (uint32_t i = 0; i < p->m; i++)
    if (expr_symbol_set_touches(g->parameters, p->residual[i])) return true;
  for (uint32_t k = 0; k < p->s; k++)
    if (expr_symbol_set_touches(g->parameters, g->all->model->states.items[p->states[k]].rate))
      return true;
  return false;
}

/* ---------------------------------------------------------------- parameters by name */

/* The parameters of the constraint and its partners, or else those of all its group. */
static void name_parameters(const struct general *g, struct model_constraint *c) {
  struct model *model = g->all->model;
  struct expr_list symbols = {0};
  expr *roots = arena_array(g->p->arena, expr, (size_t)c->partner_count + 1 + g->p->m + g->p->s);
  uint32_t count = 0;
  roots[count++] = c->residual;
  for (uint32_t i = 0; i < c->partner_count; i++)
    roots[count++] = model->constraints.items[c->partners[i]].residual;
  bool any = false;
  for (uint32_t i = 0; i < count; i++)
    any = any || expr_symbol_set_touches(g->parameters, roots[i]);
  for (uint32_t i = 0; i < g->p->m && !any; i++) roots[count++] = g->p->residual[i];
  for (uint32_t k = 0; k < g->p->s && !any; k++)
    roots[count++] = model->states.items[g->p->states[k]].rate;
  expr_symbols_of(g->all->graph, roots, count, &symbols);
  uint32_t *special = arena_array(&g->all->context->arena, uint32_t, symbols.count + 1);
  struct map is_used = {0};
  for (uint32_t i = 0; i < symbols.count; i++) map_set(&is_used, symbols.items[i], 1);
  c->special_count = 0;
  for (uint32_t i = 0; i < model->parameters.count; i++)
    if (map_get(&is_used, model->parameters.items[i].symbol) != 0) special[c->special_count++] = i;
  c->special = special;
  map_free(&is_used);
  vector_free(&symbols);
}

/* ---------------------------------------------------------------- one group */

/* The kept rows for the present values may be more, where the search in general ended on another
 * part of the manifold: then all that are kept there count. */
static void generalise_rank(struct general *g, uint32_t here) {
  struct pfaffian *p = g->p;
  bool is_known = p->has_point && !p->is_undecided;
  for (uint32_t i = 0; i < p->m; i++) {
    struct model_constraint *c = pfaffian_constraint(p, i);
    c->general.is_redundant = c->is_redundant && is_known && !pfaffian_keeps(p, i);
    if (c->is_redundant && !c->general.is_redundant) name_parameters(g, c);
  }
  uint32_t rank = is_known ? p->rank : p->m;
  if (rank > here) g->all->model->structure.general_rank += rank - here;
}

/* Integrals were found in general: nothing is left to ask about those constraints. */
static void generalise_classes(struct general *g) {
  struct pfaffian *p = g->p;
  pfaffian_differentiate(p);
  if (p->curl.count > 0 || p->s > 0) {
    struct flag *flag = flag_find(p, p->kept);
    for (uint32_t i = p->position_count; i < p->linear_count; i++) {
      struct model_constraint *c = pfaffian_constraint(p, i);
      if (!structure_is_integrable(c->class) || c->integral != 0) continue;
      if (!flag->is_undecided && flag_holds(flag, i)) continue;
      c->general.class = flag->is_undecided ? CLASS_UNDECIDED : CLASS_NONHOLONOMIC;
      name_parameters(g, c);
    }
  }
  vector_free(&p->curl);
}

static void generalise_group(struct general *g) {
  struct pfaffian *p = g->p;
  bool any_open = false;
  uint32_t here = 0; /* rank for the present values */
  for (uint32_t i = 0; i < p->m; i++) {
    struct model_constraint *c = pfaffian_constraint(p, i);
    c->general.class = c->class;
    c->general.is_redundant = c->is_redundant;
    c->general.is_rheonomic = c->is_rheonomic || pfaffian_row_is_rheonomic(p, i);
    any_open = any_open || (structure_is_integrable(c->class) && c->integral == 0);
    if (!c->is_redundant) here++;
  }
  g->all->model->structure.general_rank += here;
  if ((here == p->m && !any_open) || !touches_parameters(g)) return;
  pfaffian_find_basis(p);
  if (here < p->m) generalise_rank(g, here);
  if (any_open) generalise_classes(g);
}

void structure_generalise(struct structure *all) {
  uint32_t count;
  all->keeps_parameters = true;
  struct pfaffian **groups = structure_groups(all, &count);
  struct general g = {.all = all, .parameters = expr_symbol_set_new(all->graph)};
  for (uint32_t i = 0; i < all->model->parameters.count; i++)
    expr_symbol_set_add(g.parameters, all->model->parameters.items[i].symbol);
  for (uint32_t i = 0; i < count; i++) {
    structure_integrate(all, groups[i]);
    g.p = groups[i];
    if (all->context->diagnostics.error_count == 0) generalise_group(&g);
    map_free(&groups[i]->point);
  }
  expr_symbol_set_free(g.parameters);
}
