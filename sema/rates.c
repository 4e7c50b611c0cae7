/* Rates of states: z' is replaced by its rate everywhere. Rates that use others are put in order
 * first; where that is impossible they depend on each other, which is reported as a chain. */
#include "sema/analysis.h"
#include <stdlib.h>

enum { NEW, OPEN, CLOSED };

struct visit {
  uint32_t state, next;
  struct expr_list uses; /* the symbols of its rate */
};

struct rates {
  struct analysis *a;
  uint8_t *marks;
  VECTOR(struct visit) path;
};

/* The state whose derivative the symbol is; the number of states if it is none. */
static uint32_t state_of(const struct rates *r, expr symbol) {
  const struct lowering *l = r->a->l;
  uint32_t role = map_get(&l->roles, symbol);
  if (role % ROLE_COUNT != ROLE_RATE) return r->a->model->states.count;
  return l->elements.items[role / ROLE_COUNT].index;
}

static void open_state(struct rates *r, uint32_t state) {
  struct visit visit = {.state = state};
  expr_symbols_of(r->a->l->graph, &r->a->rates[state], 1, &visit.uses);
  r->marks[state] = OPEN;
  vector_push(&r->path, visit);
}

static void report_loop(struct rates *r, uint32_t state) {
  const struct model *model = r->a->model;
  uint32_t from = r->path.count;
  while (from-- > 0 && r->path.items[from].state != state) {
  }
  struct text chain = {0};
  for (uint32_t i = from; i < r->path.count && i < from + 20; i++)
    text_format(&chain, "%s' → ", model->states.items[r->path.items[i].state].id.name);
  text_format(&chain, "%s%s'", r->path.count > from + 20 ? "... → " : "",
              model->states.items[state].id.name);
  struct diagnostic *d =
      diagnostic_add(r->a->context, DIAG_RATE_LOOP, model->states.items[state].rate_span,
                     text_string(&chain), NULL);
  for (uint32_t i = from + 1; i < r->path.count && i < from + 5; i++)
    diagnostic_label(r->a->context, d, model->states.items[r->path.items[i].state].rate_span,
                     "the rate of %s", model->states.items[r->path.items[i].state].id.name);
  for (uint32_t i = from; i < r->path.count; i++) r->a->rates[r->path.items[i].state] = 0;
  text_free(&chain);
}

static void close_state(struct rates *r) {
  struct visit visit = vector_pop(&r->path);
  struct model_rate_state *z = &r->a->model->states.items[visit.state];
  expr rate = r->a->rates[visit.state];
  vector_free(&visit.uses);
  r->marks[visit.state] = CLOSED;
  if (rate == 0) return;
  /* A substitution can't be added to once it was used, so each rate has its own. */
  struct expr_substitution *own = expr_substitution_new(r->a->l->graph);
  struct expr_list symbols = {0};
  expr_symbols_of(r->a->l->graph, &rate, 1, &symbols);
  bool is_known = true, is_changed = false;
  for (uint32_t i = 0; i < symbols.count; i++) {
    uint32_t other = state_of(r, symbols.items[i]);
    if (other == r->a->model->states.count) continue;
    is_changed = true;
    is_known = is_known && r->a->rates[other] != 0;
    if (r->a->rates[other] != 0) expr_substitution_add(own, symbols.items[i], r->a->rates[other]);
  }
  if (is_changed && is_known) rate = expr_substitution_of(own, rate);
  r->a->rates[visit.state] = is_known ? rate : 0;
  z->rate = r->a->rates[visit.state];
  vector_free(&symbols);
  expr_substitution_free(own);
}

static void follow(struct rates *r, uint32_t start) {
  open_state(r, start);
  while (r->path.count > 0) {
    struct visit *top = &vector_last(&r->path);
    if (r->a->rates[top->state] == 0 || top->next == top->uses.count) {
      close_state(r);
      continue;
    }
    uint32_t other = state_of(r, top->uses.items[top->next++]);
    if (other == r->a->model->states.count || r->a->rates[other] == 0) continue;
    if (r->marks[other] == OPEN)
      report_loop(r, other);
    else if (r->marks[other] == NEW)
      open_state(r, other);
  }
}

/* A state that events reset and that has no rate stays as it is between them. */
static void hold_reset_states(struct analysis *a) {
  const struct model *model = a->model;
  for (uint32_t k = 0; k < model->resets.count; k++) {
    const struct model_reset *reset = &model->resets.items[k];
    if (reset->kind != RESET_STATE || a->rate_spans[reset->index].source != 0) continue;
    a->rates[reset->index] = expr_integer(model->graph, 0);
    a->rate_spans[reset->index] = reset->span;
  }
}

static void check_presence(struct analysis *a) {
  for (uint32_t i = 0; i < a->model->states.count; i++) {
    const struct model_rate_state *z = &a->model->states.items[i];
    if (a->rate_spans[i].source != 0) continue;
    struct diagnostic *d =
        diagnostic_add(a->context, DIAG_STATE_WITHOUT_RATE, z->id.span, z->id.name, NULL);
    diagnostic_help(a->context, d, "write %s' = ...", z->id.name);
  }
}

void substitute_everywhere(struct analysis *a, struct expr_substitution *s) {
  struct model *model = a->model;
  for (uint32_t i = 0; i < model->states.count; i++)
    if (model->states.items[i].rate != 0)
      model->states.items[i].rate = expr_substitution_of(s, model->states.items[i].rate);
  for (uint32_t i = 0; i < model->constraints.count; i++)
    if (model->constraints.items[i].residual != 0)
      model->constraints.items[i].residual =
          expr_substitution_of(s, model->constraints.items[i].residual);
  for (uint32_t i = 0; i < model->energies.count; i++)
    model->energies.items[i].value = expr_substitution_of(s, model->energies.items[i].value);
  for (uint32_t i = 0; i < model->forces.count; i++)
    model->forces.items[i].value = expr_substitution_of(s, model->forces.items[i].value);
  for (uint32_t i = 0; i < model->outputs.count; i++)
    model->outputs.items[i].value = expr_substitution_of(s, model->outputs.items[i].value);
  for (uint32_t i = 0; i < model->conditions.count; i++)
    model->conditions.items[i].residual =
        expr_substitution_of(s, model->conditions.items[i].residual);
  for (uint32_t i = 0; i < model->events.count; i++)
    model->events.items[i].value = expr_substitution_of(s, model->events.items[i].value);
  for (uint32_t i = 0; i < model->resets.count; i++)
    model->resets.items[i].value = expr_substitution_of(s, model->resets.items[i].value);
}

static expr substitute_in(void *user, expr e) {
  return expr_substitution_of(user, e);
}

/* Places depend on states, velocities on their rates. */
static void substitute_in_bodies(struct model *model, struct expr_substitution *s) {
  for (uint32_t i = 0; i < model->bodies.count; i++) {
    struct model_body *body = &model->bodies.items[i];
    body->velocity = vector_map(model->kinematics, body->velocity, substitute_in, s);
    body->omega = vector_map(model->kinematics, body->omega, substitute_in, s);
  }
}

/* Puts the rates into everything that was lowered; they are free of rates themselves. */
static void substitute(struct analysis *a) {
  struct expr_substitution *s = expr_substitution_new(a->l->graph);
  struct model *model = a->model;
  for (uint32_t i = 0; i < model->states.count; i++)
    if (model->states.items[i].rate != 0)
      expr_substitution_add(s, model->states.items[i].derivative, model->states.items[i].rate);
  substitute_everywhere(a, s);
  substitute_in_bodies(model, s);
  expr_substitution_free(s);
}

void resolve_rates(struct analysis *a) {
  uint32_t count = a->model->states.count;
  if (count == 0) return;
  struct rates r = {.a = a, .marks = checked_calloc(count, 1)};
  hold_reset_states(a);
  check_presence(a);
  for (uint32_t i = 0; i < count; i++)
    if (r.marks[i] == NEW && a->rates[i] != 0) follow(&r, i);
  substitute(a);
  vector_free(&r.path);
  free(r.marks);
}
