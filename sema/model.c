/* The model's life, and the promises of model.h as a check between passes. */
#include "sema/model.h"
#include <stdlib.h>

void model_free(struct model *model) {
  if (model == NULL) return;
  kinematics_free(model->kinematics);
  expr_tangent_free(model->rate);
  expr_graph_free(model->graph);
  vector_free(&model->coordinates);
  vector_free(&model->states);
  vector_free(&model->parameters);
  vector_free(&model->inputs);
  vector_free(&model->bodies);
  vector_free(&model->directions);
  vector_free(&model->frames);
  vector_free(&model->points);
  vector_free(&model->energies);
  vector_free(&model->forces);
  vector_free(&model->speeds);
  vector_free(&model->constraints);
  vector_free(&model->structure.combinations);
  vector_free(&model->outputs);
  vector_free(&model->conditions);
  vector_free(&model->events);
  vector_free(&model->resets);
  vector_free(&model->at);
  vector_free(&model->dimensions);
  free(model);
}

/* A round for each length of a chain of parameters that follow each other: they are in any order.
 */
struct expr_symbol_set *model_varied(const struct model *model) {
  struct expr_symbol_set *varied = NULL;
  uint32_t count = 0, before = 0;
  for (uint32_t i = 0; i < model->parameters.count; i++)
    count += model->parameters.items[i].varied != 0;
  while (count > before) {
    struct expr_symbol_set *last = varied;
    before = last != NULL ? count : 0;
    count = 0;
    varied = expr_symbol_set_new(model->graph);
    for (uint32_t i = 0; i < model->parameters.count; i++) {
      const struct model_parameter *p = &model->parameters.items[i];
      if (p->varied == 0 && (last == NULL || !expr_symbol_set_touches(last, p->value))) continue;
      expr_symbol_set_add(varied, p->symbol);
      count++;
    }
    expr_symbol_set_free(last);
  }
  return varied;
}

static void check_expr(const struct model *model, expr e, const char *what) {
  if (e == 0 || e > expr_graph_size(model->graph)) bug("%s has no expression", what);
}

static void check_name(const struct model_name *id) {
  if (id->name == NULL || id->name[0] == '\0') bug("a name is empty");
  if (id->doc == NULL || id->unit.si == NULL || id->unit.declared == NULL || id->unit.scale == 0)
    bug("'%s' is not described", id->name);
}

/* All expressions that stages behind this one use; rates are put in everywhere. */
static void check_free_of_rates(const struct model *model) {
  struct expr_symbol_set *rates = expr_symbol_set_new(model->graph);
  for (uint32_t i = 0; i < model->states.count; i++)
    expr_symbol_set_add(rates, model->states.items[i].derivative);
  for (uint32_t i = 0; i < model->states.count; i++)
    if (expr_symbol_set_touches(rates, model->states.items[i].rate))
      bug("the rate of '%s' holds a rate", model->states.items[i].id.name);
  for (uint32_t i = 0; i < model->energies.count; i++)
    if (expr_symbol_set_touches(rates, model->energies.items[i].value))
      bug("an energy holds a rate");
  for (uint32_t i = 0; i < model->forces.count; i++)
    if (expr_symbol_set_touches(rates, model->forces.items[i].value)) bug("a force holds a rate");
  for (uint32_t i = 0; i < model->constraints.count; i++)
    if (expr_symbol_set_touches(rates, model->constraints.items[i].residual))
      bug("constraint '%s' holds a rate", model->constraints.items[i].id.name);
  for (uint32_t i = 0; i < model->outputs.count; i++)
    if (expr_symbol_set_touches(rates, model->outputs.items[i].value))
      bug("an output holds a rate");
  for (uint32_t i = 0; i < model->events.count; i++)
    if (expr_symbol_set_touches(rates, model->events.items[i].value)) bug("an event holds a rate");
  for (uint32_t i = 0; i < model->resets.count; i++)
    if (expr_symbol_set_touches(rates, model->resets.items[i].value)) bug("a reset holds a rate");
  expr_symbol_set_free(rates);
}

static void check_constraint(const struct model *model, const struct model_constraint *c,
                             struct expr_symbol_set *velocities, struct expr_symbol_set *refused) {
  check_name(&c->id);
  check_expr(model, c->residual, c->id.name);
  check_expr(model, c->multiplier, c->id.name);
  if (c->multiplier_name == NULL || c->text == NULL || c->multiplier_unit.scale == 0)
    bug("constraint '%s' is not described", c->id.name);
  if (expr_symbol_set_touches(velocities, c->residual) != (c->level == CONSTRAINT_VELOCITY))
    bug("constraint '%s' is not on its level", c->id.name);
  if (expr_symbol_set_touches(refused, c->residual))
    bug("constraint '%s' holds accelerations, multipliers or inputs", c->id.name);
}

static void check_constraints(const struct model *model) {
  struct expr_symbol_set *velocities = expr_symbol_set_new(model->graph);
  struct expr_symbol_set *refused = expr_symbol_set_new(model->graph);
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    expr_symbol_set_add(velocities, model->coordinates.items[i].velocity);
    expr_symbol_set_add(refused, model->coordinates.items[i].acceleration);
  }
  for (uint32_t i = 0; i < model->constraints.count; i++)
    expr_symbol_set_add(refused, model->constraints.items[i].multiplier);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    expr_symbol_set_add(refused, model->inputs.items[i].symbol);
  for (uint32_t i = 0; i < model->constraints.count; i++)
    check_constraint(model, &model->constraints.items[i], velocities, refused);
  expr_symbol_set_free(velocities);
  expr_symbol_set_free(refused);
}

static void check_body(const struct model *model, const struct model_body *body) {
  if (body->name == NULL || body->doc == NULL) bug("a body is not described");
  if (model->kinematics == NULL || body->centre == 0 || body->velocity == 0 || body->omega == 0 ||
      body->frame == 0)
    bug("body '%s' has no motion", body->name);
  check_expr(model, body->mass, body->name);
  for (int i = 0; i < 6; i++) check_expr(model, body->inertia[i], body->name);
}

void model_check(const struct model *model) {
  if (model->name == NULL || model->doc == NULL) bug("a model without a name");
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    const struct model_coordinate *q = &model->coordinates.items[i];
    check_name(&q->id);
    check_expr(model, q->start_position, q->id.name);
    check_expr(model, q->start_velocity, q->id.name);
  }
  for (uint32_t i = 0; i < model->states.count; i++) {
    const struct model_rate_state *z = &model->states.items[i];
    check_name(&z->id);
    check_expr(model, z->rate, z->id.name);
    check_expr(model, z->start, z->id.name);
  }
  for (uint32_t i = 0; i < model->parameters.count; i++) {
    check_name(&model->parameters.items[i].id);
    check_expr(model, model->parameters.items[i].value, model->parameters.items[i].id.name);
  }
  for (uint32_t i = 0; i < model->inputs.count; i++) {
    check_name(&model->inputs.items[i].id);
    check_expr(model, model->inputs.items[i].value, model->inputs.items[i].id.name);
  }
  for (uint32_t i = 0; i < model->outputs.count; i++) {
    check_name(&model->outputs.items[i].id);
    check_expr(model, model->outputs.items[i].value, model->outputs.items[i].id.name);
  }
  for (uint32_t i = 0; i < model->bodies.count; i++) check_body(model, &model->bodies.items[i]);
  for (uint32_t i = 0; i < model->energies.count; i++) {
    check_expr(model, model->energies.items[i].value, "an energy");
    if (model->energies.items[i].body > model->bodies.count) bug("an energy has no body");
  }
  if (model->outputs.count < model->speeds.count) bug("a speed is not recorded");
  for (uint32_t i = 0; i < model->speeds.count; i++) {
    check_name(&model->speeds.items[i].id);
    check_expr(model, model->speeds.items[i].value, model->speeds.items[i].id.name);
  }
  for (uint32_t i = 0; i < model->forces.count; i++) {
    check_expr(model, model->forces.items[i].value, "a force");
    check_expr(model, model->forces.items[i].target, "the target of a force");
  }
  check_constraints(model);
  check_free_of_rates(model);
}
