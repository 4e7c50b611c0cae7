/* Derivatives for linearisation that implicit integrators have no use for: by inputs, of
 * constraints by the state, of outputs. Forward tangents, one for each column, shared by all rows.
 */
#include "derive/linear_form.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

/* Column `column` of the derivatives of `count` rows, by the tangent. */
static void put_column(struct expr_tangent *tangent, const expr *rows, size_t count, size_t column,
                       expr *out) {
  for (size_t i = 0; i < count; i++) out[i + column * count] = expr_tangent_of(tangent, rows[i]);
}

static struct expr_tangent *along(const struct linear_form *form, expr symbol) {
  struct expr_tangent *tangent = expr_tangent_new(form->system->graph);
  expr_tangent_seed(tangent, symbol, expr_integer(form->system->graph, 1));
  return tangent;
}

static expr state_symbol(const struct linear_form *form, size_t i) {
  const struct model *model = form->system->model;
  if (i < form->n) return model->coordinates.items[i].position;
  if (i < 2 * form->n) return model->coordinates.items[i - form->n].velocity;
  return model->states.items[i - 2 * form->n].value;
}

static expr motion_symbol(const struct linear_form *form, size_t i) {
  const struct model *model = form->system->model;
  return i < form->n ? model->coordinates.items[i].acceleration
                     : model->constraints.items[i - form->n].multiplier;
}

static void derive_by_state(struct linear_form *form) {
  const struct system *system = form->system;
  for (size_t j = 0; j < form->width; j++) {
    struct expr_tangent *tangent = along(form, state_symbol(form, j));
    put_column(tangent, system->position_residual, form->positions, j, form->position_by_state);
    put_column(tangent, system->constraint, form->m, j, form->constraint_by_state);
    put_column(tangent, system->output, form->outputs, j, form->output_by_state);
    expr_tangent_free(tangent);
  }
  for (size_t j = 0; j < form->n + form->m; j++) {
    struct expr_tangent *tangent = along(form, motion_symbol(form, j));
    put_column(tangent, system->output, form->outputs, j, form->output_by_motion);
    expr_tangent_free(tangent);
  }
}

/* Row i of r changes with an input as M q'' - f - B λ (resp. A q'' + bias) does, with q'' and λ
 * held. */
static expr residual_change(const struct linear_form *form, struct expr_tangent *tangent,
                            size_t i) {
  const struct system *system = form->system;
  struct expr_graph *graph = system->graph;
  size_t n = form->n, m = form->m;
  expr *terms = checked_calloc(n + m + 1, sizeof *terms);
  size_t count = 0;
  bool is_motion = i < n;
  for (size_t j = 0; j < n; j++) {
    expr entry = is_motion ? system->mass[i + j * n] : system->constraint_jacobian[i - n + j * m];
    terms[count++] = expr_multiply(graph, expr_tangent_of(tangent, entry), motion_symbol(form, j));
  }
  for (size_t k = 0; k < m && is_motion; k++) {
    expr entry = expr_tangent_of(tangent, system->multiplier_force[i + k * n]);
    terms[count++] = expr_negate(graph, expr_multiply(graph, entry, motion_symbol(form, n + k)));
  }
  terms[count++] = is_motion ? expr_negate(graph, expr_tangent_of(tangent, system->forcing[i]))
                             : expr_tangent_of(tangent, system->constraint_bias[i - n]);
  expr sum = expr_sum(graph, terms, count);
  free(terms);
  return sum;
}

static void derive_by_input(struct linear_form *form) {
  const struct system *system = form->system;
  size_t unknowns = form->n + form->m;
  for (size_t j = 0; j < form->inputs; j++) {
    struct expr_tangent *tangent = along(form, system->model->inputs.items[j].symbol);
    for (size_t i = 0; i < unknowns; i++)
      form->residual_by_input[i + j * unknowns] = residual_change(form, tangent, i);
    put_column(tangent, system->rate, form->rates, j, form->rate_by_input);
    put_column(tangent, system->output, form->outputs, j, form->output_by_input);
    expr_tangent_free(tangent);
  }
}

static expr *matrix(size_t rows, size_t columns) {
  return checked_calloc(rows * columns + 1, sizeof(expr));
}

struct linear_form *linear_form_new(struct system *system) {
  if (system->state.kind != VARIABLES_VELOCITIES) bug("linearisation is in velocities");
  system_derive_jacobian(system);
  struct linear_form *form = checked_calloc(1, sizeof *form);
  *form = (struct linear_form){.system = system,
                               .n = system->n,
                               .m = system->m,
                               .rates = system->rates,
                               .positions = system->positions,
                               .inputs = system->model->inputs.count,
                               .outputs = system->model->outputs.count};
  size_t unknowns = form->n + form->m;
  form->width = 2 * form->n + form->rates;
  form->residual_by_input = matrix(unknowns, form->inputs);
  form->rate_by_input = matrix(form->rates, form->inputs);
  form->position_by_state = matrix(form->positions, form->width);
  form->constraint_by_state = matrix(form->m, form->width);
  form->output_by_state = matrix(form->outputs, form->width);
  form->output_by_motion = matrix(form->outputs, unknowns);
  form->output_by_input = matrix(form->outputs, form->inputs);
  derive_by_state(form);
  derive_by_input(form);
  return form;
}

void linear_form_free(struct linear_form *form) {
  free(form->residual_by_input);
  free(form->rate_by_input);
  free(form->position_by_state);
  free(form->constraint_by_state);
  free(form->output_by_state);
  free(form->output_by_motion);
  free(form->output_by_input);
  free(form);
}
