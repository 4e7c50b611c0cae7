/* Storage and names of a method's own variables (momenta, speeds). Promises: arrays of n entries
 * that method_state_clear frees; names that nothing else in the model has are the caller's matter
 * (method_state_is_taken tells). */
#include "derive/method_state.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

static expr *expr_array(size_t count) {
  return checked_calloc(count + 1, sizeof(expr));
}

void method_state_begin(struct system *system, enum system_variables kind) {
  struct system_method_state *state = &system->state;
  size_t n = system->n;
  state->kind = kind;
  state->name = checked_calloc(n + 1, sizeof *state->name);
  state->unit = checked_calloc(n + 1, sizeof *state->unit);
  state->symbol = expr_array(n);
  state->symbol_rate = expr_array(n);
  state->value = expr_array(n);
  state->mass = expr_array(n * n);
  if (kind == VARIABLES_MOMENTA) {
    state->rest = expr_array(n);
    state->rate = expr_array(n);
    return;
  }
  size_t m = system->m;
  state->velocity = expr_array(n);
  state->acceleration = expr_array(n);
  state->forcing = expr_array(n);
  state->jacobian = expr_array(m * n);
  state->bias = expr_array(m);
  state->multiplier_force = expr_array(n * m);
}

static char *copy(const char *string) {
  size_t size = strlen(string) + 1;
  return memcpy(checked_malloc(size), string, size);
}

/* The rate of x_1 is written \dot{x}_{1} by the printer's own rules, that of p_{\theta} is not. */
static expr rate_symbol(struct expr_graph *graph, const char *name, const char *latex) {
  struct text primed = {0}, dotted = {0};
  text_format(&primed, "%s'", name);
  if (latex) text_format(&dotted, "\\dot{%s}", latex);
  expr symbol = expr_symbol(graph, text_string(&primed), latex ? text_string(&dotted) : NULL);
  text_free(&primed);
  text_free(&dotted);
  return symbol;
}

void method_state_name(struct system *system, uint32_t j, const char *name, const char *latex,
                       const char *unit) {
  struct system_method_state *state = &system->state;
  state->name[j] = copy(name);
  state->unit[j] = copy(unit);
  state->symbol[j] = expr_symbol(system->graph, name, latex);
  expr_symbol_set_rank(system->graph, state->symbol[j], EXPR_RANK_VELOCITY);
  state->symbol_rate[j] = rate_symbol(system->graph, name, latex);
  expr_symbol_set_rank(system->graph, state->symbol_rate[j], EXPR_RANK_ACCELERATION);
}

void method_state_clear(struct system *system) {
  struct system_method_state *state = &system->state;
  for (uint32_t j = 0; j < system->n && state->name; j++) {
    free(state->name[j]);
    free(state->unit[j]);
  }
  free(state->name);
  free(state->unit);
  free(state->symbol);
  free(state->symbol_rate);
  free(state->value);
  free(state->mass);
  free(state->rest);
  free(state->rate);
  free(state->velocity);
  free(state->acceleration);
  free(state->forcing);
  free(state->jacobian);
  free(state->bias);
  free(state->multiplier_force);
  *state = (struct system_method_state){0};
}

bool method_state_is_taken(const struct model *model, const char *name) {
  for (uint32_t i = 0; i < model->coordinates.count; i++)
    if (strcmp(model->coordinates.items[i].id.name, name) == 0) return true;
  for (uint32_t i = 0; i < model->states.count; i++)
    if (strcmp(model->states.items[i].id.name, name) == 0) return true;
  for (uint32_t i = 0; i < model->parameters.count; i++)
    if (strcmp(model->parameters.items[i].id.name, name) == 0) return true;
  for (uint32_t i = 0; i < model->inputs.count; i++)
    if (strcmp(model->inputs.items[i].id.name, name) == 0) return true;
  return false;
}
