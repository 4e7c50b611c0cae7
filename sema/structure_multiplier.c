/* Multipliers of constraints that depend on each other are not unique: y can be added to them where
 * y^T A = 0. A force or a rate of a state may depend on them all the same, if it does not change
 * with that: where its gradient g by the multipliers lies in the column space of A. Else the motion
 * would depend on which multipliers are taken. */
#include "sema/structure.h"
#include "sema/structure_report.h"

struct multipliers {
  struct pfaffian *p;
  struct index_list rows;
  struct expr_symbol_set *symbols;
  uint32_t rank; /* of the rows; UINT32_MAX: not asked yet */
  expr *gradient;
};

static bool is_determined(struct multipliers *w, expr value) {
  if (!expr_symbol_set_touches(w->symbols, value)) return true;
  if (w->rank == UINT32_MAX) w->rank = pfaffian_rank_of(w->p, w->rows.items, w->rows.count, false);
  value = structure_value(w->p->all, value);
  for (uint32_t i = 0; i < w->rows.count; i++) {
    uint32_t row = w->rows.items[i];
    expr multiplier = pfaffian_constraint(w->p, row)->multiplier;
    w->gradient[row] = expr_derivative(w->p->graph, value, multiplier);
  }
  return pfaffian_rank_with(w->p, w->rows.items, w->rows.count, w->gradient) == w->rank;
}

bool pfaffian_check_multipliers(struct pfaffian *p, struct index_list rows) {
  struct multipliers w = {.p = p, .rows = rows, .symbols = expr_symbol_set_new(p->graph)};
  const struct model *model = p->all->model;
  bool is_right = true;
  w.gradient = arena_array(p->arena, expr, p->m + 1);
  w.rank = UINT32_MAX;
  for (uint32_t i = 0; i < rows.count; i++)
    expr_symbol_set_add(w.symbols, pfaffian_constraint(p, rows.items[i])->multiplier);
  for (uint32_t i = 0; i < model->forces.count; i++) {
    if (is_determined(&w, model->forces.items[i].value)) continue;
    report_multiplier(p, rows, model->forces.items[i].span, "this force");
    is_right = false;
  }
  for (uint32_t i = 0; i < model->states.count; i++) {
    const struct model_rate_state *state = &model->states.items[i];
    if (is_determined(&w, state->rate)) continue;
    report_multiplier(p, rows, state->rate_span,
                      arena_format(p->arena, "the rate of '%s'", state->id.name));
    is_right = false;
  }
  expr_symbol_set_free(w.symbols);
  return is_right;
}
