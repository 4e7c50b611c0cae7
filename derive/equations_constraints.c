/* Constraints arranged for a reader, on all levels: what moves stands on the left, the rest on the
 * right.
 *
 *     rod: x^2 + y^2 = l^2,      2*x*x' + 2*y*y' = 0,      2*x*x'' + 2*y*y'' = -2*x'^2 - 2*y'^2 */
#include "derive/equations.h"
#include "derive/method_state.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

typedef VECTOR(expr) expr_vector;

/* 0 = residual with the terms that are free of `moving` brought to the right. */
static struct equation_line split(struct expr_graph *graph, struct expr_symbol_set *moving,
                                  expr residual) {
  struct equation_line line = {residual, expr_integer(graph, 0)};
  if (expr_operator_of(graph, residual) != EXPR_SUM) return line;
  uint32_t count;
  const struct expr_operand *operands = expr_operands(graph, residual, &count);
  struct expr_operand *terms = checked_malloc((count + (size_t)1) * sizeof *terms);
  for (uint32_t i = 0; i < count; i++) terms[i] = operands[i];
  expr_vector rest = {0};
  vector_push(&rest, expr_rational(graph, expr_constant(graph, residual)));
  for (uint32_t i = 0; i < count; i++) {
    if (expr_symbol_set_touches(moving, terms[i].node)) continue;
    expr factor = expr_rational(graph, expr_pool_number(graph, terms[i].number));
    vector_push(&rest, expr_multiply(graph, factor, terms[i].node));
  }
  expr right = expr_sum(graph, rest.items, rest.count);
  line.left = expr_subtract(graph, residual, right);
  line.right = expr_negate(graph, right);
  vector_free(&rest);
  free(terms);
  return line;
}

static struct equation_line acceleration_line(const struct system *s, uint32_t k, expr *terms) {
  for (uint32_t j = 0; j < s->n; j++)
    terms[j] = expr_multiply(s->graph, s->constraint_jacobian[k + (size_t)j * s->m],
                             s->model->coordinates.items[j].acceleration);
  return (struct equation_line){expr_sum(s->graph, terms, s->n),
                                expr_negate(s->graph, s->constraint_bias[k])};
}

void equations_arrange_constraints(struct equations *equations) {
  const struct system *s = equations->system;
  struct expr_symbol_set *positions = expr_symbol_set_new(s->graph);
  struct expr_symbol_set *velocities = expr_symbol_set_new(s->graph);
  expr *terms = checked_calloc((size_t)s->n + 1, sizeof *terms);
  for (uint32_t j = 0; j < s->n; j++) {
    expr_symbol_set_add(positions, s->model->coordinates.items[j].position);
    expr_symbol_set_add(velocities, s->model->coordinates.items[j].velocity);
  }
  equations->constraints = checked_calloc((size_t)s->m + 1, sizeof *equations->constraints);
  for (uint32_t k = 0; k < s->m; k++) {
    const struct model_constraint *constraint = &s->model->constraints.items[k];
    struct constraint_lines *lines = &equations->constraints[k];
    lines->velocity = split(s->graph, velocities, s->constraint[k]);
    lines->acceleration = acceleration_line(s, k, terms);
    lines->is_integral = constraint->level == CONSTRAINT_VELOCITY && constraint->integral != 0;
    if (lines->is_integral) lines->position.left = constraint->integral;
    if (constraint->level == CONSTRAINT_POSITION)
      lines->position = split(s->graph, positions, constraint->residual);
  }
  free(terms);
  expr_symbol_set_free(positions);
  expr_symbol_set_free(velocities);
}

/* ---- names of multipliers */

char *equations_multiplier_name(const struct equations *equations, uint32_t constraint) {
  const struct model *model = equations->system->model;
  const struct model_constraint *item = &model->constraints.items[constraint];
  struct text name = {0};
  text_format(&name, equations->has_hats ? "λ̂_%s" : "λ_%s", item->id.name);
  if (method_state_is_taken(model, text_string(&name))) {
    text_free(&name);
    text_put(&name, item->multiplier_name);
  }
  return text_take(&name);
}

void equations_name_multipliers(struct equations *equations) {
  const struct system *s = equations->system;
  for (uint32_t k = 0; k < s->m; k++) {
    expr multiplier = s->model->constraints.items[k].multiplier;
    char *name = equations_multiplier_name(equations, k);
    static const char plain[] = "\\lambda";
    const char *latex = expr_symbol_latex(s->graph, multiplier);
    struct text hat = {0};
    if (equations->has_hats && strncmp(latex, plain, sizeof plain - 1) == 0)
      text_format(&hat, "\\hat{\\lambda}%s", latex + sizeof plain - 1);
    expr_printer_name(equations->printer, multiplier, name, hat.length ? text_string(&hat) : latex);
    text_free(&hat);
    free(name);
  }
}
