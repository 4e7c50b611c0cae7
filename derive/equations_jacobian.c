/* The Jacobians of `--show jacobian`, entry by entry; zeros are left away. */
#include "derive/equations.h"
#include "sema/model.h"
#include <stdlib.h>

/* d(of)/d(by): `text` and `latex` are what is differentiated. */
struct partial {
  const char *text, *latex;
};

static expr state_symbol(const struct equations *e, size_t column) {
  const struct system *s = e->system;
  if (column < s->n) return s->model->coordinates.items[column].position;
  if (column < 2 * (size_t)s->n && s->state.kind == VARIABLES_SPEEDS)
    return s->state.symbol[column - s->n];
  if (column < 2 * (size_t)s->n) return s->model->coordinates.items[column - s->n].velocity;
  return s->model->states.items[column - 2 * (size_t)s->n].value;
}

static void put_partial(struct equations *e, struct partial of, const char *by, expr symbol,
                        expr entry) {
  struct document *d = &e->document;
  if (expr_is_integer_value(e->system->graph, entry, 0)) return;
  const char *latex = arena_format(&d->arena, "\\frac{\\partial %s}{\\partial %s}", of.latex,
                                   expr_symbol_latex(e->system->graph, symbol));
  document_row(d, NULL, document_name(d, arena_format(&d->arena, "%s/d(%s)", of.text, by), latex),
               entry);
}

static const char *name_of(const struct equations *e, expr symbol) {
  return expr_symbol_name(e->system->graph, symbol);
}

static void put_rate(struct equations *e, size_t i) {
  const struct system *s = e->system;
  size_t n = s->n, z = s->rates, width = 2 * n + z;
  const struct model_rate_state *state = &s->model->states.items[i];
  struct partial of = {arena_format(&e->document.arena, "d(%s')", state->id.name),
                       expr_symbol_latex(s->graph, state->derivative)};
  for (size_t j = 0; j < width; j++)
    put_partial(e, of, name_of(e, state_symbol(e, j)), state_symbol(e, j),
                s->rate_by_state[i + j * z]);
  for (size_t j = 0; j < n; j++) {
    expr rate = s->state.kind == VARIABLES_SPEEDS ? s->state.symbol_rate[j]
                                                  : s->model->coordinates.items[j].acceleration;
    put_partial(e, of, name_of(e, rate), rate, s->rate_by_acceleration[i + j * z]);
  }
  for (size_t k = 0; k < s->m; k++) {
    char *by = equations_multiplier_name(e, (uint32_t)k);
    put_partial(e, of, by, s->model->constraints.items[k].multiplier,
                s->rate_by_acceleration[i + (n + k) * z]);
    free(by);
  }
}

void equations_put_jacobian(struct equations *e) {
  const struct system *s = e->system;
  struct document *d = &e->document;
  size_t n = s->n, rows = n + s->m, width = 2 * n + s->rates;
  const char *rate = s->state.kind == VARIABLES_SPEEDS ? "u'" : "q''";
  const char *residual = s->m ? arena_format(&d->arena, "[M %s - f - B λ; A %s + bias]", rate, rate)
                              : arena_format(&d->arena, "M %s - f", rate);
  const char *title = arena_format(
      &d->arena, "Jacobian of the residual r = %s, entries that are not zero", residual);
  document_heading(d, title, NULL);
  for (size_t i = 0; i < rows; i++) {
    const struct model_constraint *constraint = i < n ? NULL : &s->model->constraints.items[i - n];
    struct document_index row = {constraint ? constraint->id.name : equations_row(e, i).text,
                                 constraint ? expr_symbol_latex(s->graph, constraint->multiplier)
                                            : equations_row(e, i).latex};
    struct partial of = {arena_format(&d->arena, "dr[%s]", row.text),
                         arena_format(&d->arena, "r_{%s}", row.latex)};
    for (size_t j = 0; j < width; j++)
      put_partial(e, of, name_of(e, state_symbol(e, j)), state_symbol(e, j),
                  s->residual_by_state[i + j * rows]);
  }
  for (size_t i = 0; i < s->rates; i++) put_rate(e, i);
}
