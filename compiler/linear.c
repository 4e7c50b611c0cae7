/* Evaluates all derivatives of a linear form at one state, in one pass over the graph. */
#include "compiler/linear.h"
#include "compiler/symbol_values.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_all(struct symbol_values *values, const struct linear_form *form,
                    const struct linear_state *state) {
  const struct model *model = form->system->model;
  symbol_values_add_state(values, model, state->x, state->p, state->u, state->t);
  for (size_t i = 0; i < form->n; i++)
    symbol_values_add(values, model->coordinates.items[i].acceleration, state->acceleration[i]);
  for (size_t i = 0; i < form->m; i++)
    symbol_values_add(values, model->constraints.items[i].multiplier, state->multiplier[i]);
}

enum { PARTS = 15 };

/* One matrix: its expressions, how many, and where its numbers go. */
struct part {
  const expr *from;
  size_t count;
  double **to;
};

static void list_parts(const struct linear_form *form, dyn_linear_equations *e,
                       struct part parts[PARTS]) {
  const struct system *system = form->system;
  size_t n = form->n, m = form->m, k = n + m, rates = form->rates, width = form->width;
  size_t inputs = form->inputs, outputs = form->outputs;
  const struct part list[PARTS] = {
      {system->mass, n * n, &e->mass},
      {system->multiplier_force, n * m, &e->multiplier_force},
      {system->constraint_jacobian, m * n, &e->constraint_jacobian},
      {system->forcing, n, &e->forcing},
      {system->constraint_bias, m, &e->bias},
      {system->residual_by_state, k * width, &e->residual_by_state},
      {form->residual_by_input, k * inputs, &e->residual_by_input},
      {system->rate_by_state, rates * width, &e->rate_by_state},
      {system->rate_by_acceleration, rates * k, &e->rate_by_motion},
      {form->rate_by_input, rates * inputs, &e->rate_by_input},
      {form->position_by_state, form->positions * width, &e->position_by_state},
      {form->constraint_by_state, m * width, &e->constraint_by_state},
      {form->output_by_state, outputs * width, &e->output_by_state},
      {form->output_by_motion, outputs * k, &e->output_by_motion},
      {form->output_by_input, outputs * inputs, &e->output_by_input}};
  memcpy(parts, list, sizeof list);
}

void linear_equations_at(const struct linear_form *form, const struct linear_state *state,
                         dyn_linear_equations *e) {
  size_t count = 0, place = 0;
  struct part parts[PARTS];
  *e = (dyn_linear_equations){.n = (int32_t)form->n,
                              .m = (int32_t)form->m,
                              .rates = (int32_t)form->rates,
                              .positions = (int32_t)form->positions,
                              .inputs = (int32_t)form->inputs,
                              .outputs = (int32_t)form->outputs,
                              .constraint_rank = (int32_t)form->system->constraint_rank,
                              .force_is_transpose = form->system->multiplier_force_is_transpose};
  list_parts(form, e, parts);
  for (int i = 0; i < PARTS; i++) count += parts[i].count;
  expr *roots = checked_calloc(count + 1, sizeof *roots);
  double *numbers = checked_calloc(count + form->n + form->m + 1, sizeof *numbers);
  for (int i = 0; i < PARTS; i++) {
    if (parts[i].count > 0) memcpy(roots + place, parts[i].from, parts[i].count * sizeof *roots);
    *parts[i].to = numbers + place; /* mass is the first: it owns them */
    place += parts[i].count;
  }
  struct symbol_values values = {0};
  add_all(&values, form, state);
  expr_evaluate(form->system->graph, roots, count, symbol_values_of, &values, numbers);
  e->motion = numbers + place;
  for (size_t i = 0; i < form->n; i++) e->motion[i] = state->acceleration[i];
  for (size_t i = 0; i < form->m; i++) e->motion[form->n + i] = state->multiplier[i];
  symbol_values_clear(&values);
  free(roots);
}

void linear_equations_clear(dyn_linear_equations *e) {
  free(e->mass);
  *e = (dyn_linear_equations){0};
}
