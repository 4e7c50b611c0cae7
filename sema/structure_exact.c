/* What the analysis of constraints takes as given: parameters at their exact values (which may
 * follow from other parameters), and a place to look for configurations: the start values. */
#include "sema/structure.h"
#include <stdlib.h>

enum { NEW, OPEN, CLOSED };

struct visit {
  uint32_t parameter, next;
  struct expr_list uses;
};

struct resolving {
  struct structure *all;
  struct map index; /* parameter symbol -> index + 1 */
  expr *values;     /* per parameter, 0: not yet */
  VECTOR(struct visit) path;
};

static void open_parameter(struct resolving *r, uint32_t parameter) {
  struct visit visit = {.parameter = parameter};
  expr_symbols_of(r->all->graph, &r->all->model->parameters.items[parameter].value, 1, &visit.uses);
  vector_push(&r->path, visit);
}

/* A substitution can't be added to once it was used, so each value has its own. */
static void close_parameter(struct resolving *r) {
  struct visit visit = vector_pop(&r->path);
  expr value = r->all->model->parameters.items[visit.parameter].value;
  if (visit.uses.count > 0) {
    struct expr_substitution *own = expr_substitution_new(r->all->graph);
    for (uint32_t i = 0; i < visit.uses.count; i++) {
      uint32_t other = map_get(&r->index, visit.uses.items[i]);
      if (other != 0) expr_substitution_add(own, visit.uses.items[i], r->values[other - 1]);
    }
    value = expr_substitution_of(own, value);
    expr_substitution_free(own);
  }
  r->values[visit.parameter] = value;
  vector_free(&visit.uses);
}

static void resolve_from(struct resolving *r, uint32_t start) {
  open_parameter(r, start);
  while (r->path.count > 0) {
    struct visit *top = &vector_last(&r->path);
    if (top->next == top->uses.count) {
      close_parameter(r);
      continue;
    }
    uint32_t other = map_get(&r->index, top->uses.items[top->next++]);
    if (other != 0 && r->values[other - 1] == 0) open_parameter(r, other - 1);
  }
}

static void resolve_parameters(struct structure *all) {
  uint32_t count = all->model->parameters.count;
  struct resolving r = {.all = all, .values = arena_array(&all->arena, expr, count + 1)};
  for (uint32_t i = 0; i < count; i++)
    map_set(&r.index, all->model->parameters.items[i].symbol, i + 1);
  all->exact = expr_substitution_new(all->graph);
  for (uint32_t i = 0; i < count; i++) {
    if (r.values[i] == 0) resolve_from(&r, i);
    expr_substitution_add(all->exact, all->model->parameters.items[i].symbol, r.values[i]);
  }
  map_free(&r.index);
  vector_free(&r.path);
}

static void add_guess(struct structure *all, expr symbol, expr value) {
  double number = 0;
  if (value != 0) {
    value = expr_substitution_of(all->exact, value);
    expr_evaluate(all->graph, &value, 1, structure_guess, all, &number);
  }
  vector_push(&all->guesses, number - number == 0 ? number : 0);
  map_set(&all->place, symbol, all->guesses.count);
}

double structure_guess(void *user, expr symbol) {
  const struct structure *all = user;
  uint32_t place = map_get(&all->place, symbol);
  return place != 0 ? all->guesses.items[place - 1] : 0;
}

expr structure_value(struct structure *all, expr e) {
  return all->keeps_parameters ? e : expr_substitution_of(all->exact, e);
}

void structure_prepare(struct structure *all) {
  const struct model *model = all->model;
  all->varied = model_varied(model);
  resolve_parameters(all);
  add_guess(all, model->time, model->run.from);
  for (uint32_t i = 0; i < model->parameters.count; i++)
    add_guess(all, model->parameters.items[i].symbol, model->parameters.items[i].value);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    add_guess(all, model->inputs.items[i].symbol, model->inputs.items[i].value);
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    const struct model_coordinate *q = &model->coordinates.items[i];
    add_guess(all, q->position, q->start_position);
    add_guess(all, q->velocity, q->start_velocity);
  }
  for (uint32_t i = 0; i < model->states.count; i++)
    add_guess(all, model->states.items[i].value, model->states.items[i].start);
}

void structure_clear(struct structure *all) {
  expr_symbol_set_free(all->varied);
  expr_substitution_free(all->exact);
  map_free(&all->roles);
  map_free(&all->place);
  vector_free(&all->guesses);
  arena_clear(&all->arena);
}
