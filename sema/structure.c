/* The pass over all groups of constraints, and the counts of the whole.
 *
 * Groups are made twice. With parameters at their values they tell what the model at hand is:
 * ranks, classes, conflicts. With parameters as symbols they tell what holds for all values:
 * integrals, and what code that is run with other values may rely on (structure_general.c). */
#include "sema/structure.h"
#include "sema/structure_report.h"

/* False if an error was reported. */
static bool analyse_group(struct structure *all, struct pfaffian *p) {
  struct model_structure *structure = &all->model->structure;
  if (!pfaffian_check_dependence(p)) return false;
  pfaffian_classify(p);
  structure->rank += p->rank;
  if (!p->has_point) structure->has_point = false;
  if (p->is_undecided) structure->is_certain = false;
  if (p->points > structure->points) structure->points = p->points;
  if (p->bits > structure->bits) structure->bits = p->bits;
  return true;
}

void structure_find(dyn_context *context, struct model *model) {
  struct model_structure *structure = &model->structure;
  structure->degrees_of_freedom = model->coordinates.count;
  structure->has_point = structure->is_certain = true;
  if (model->constraints.count == 0) return;
  struct structure all = {.context = context, .model = model, .graph = model->graph};
  arena_init(&all.arena);
  structure_prepare(&all);
  for (uint32_t i = 0; i < model->constraints.count; i++) model->constraints.items[i].bracket = "";
  uint32_t count;
  struct pfaffian **groups = structure_groups(&all, &count);
  bool *is_right = arena_array(&all.arena, bool, count + 1);
  for (uint32_t i = 0; i < count; i++) is_right[i] = analyse_group(&all, groups[i]);
  structure_generalise(&all);
  for (uint32_t i = 0; i < count; i++)
    if (is_right[i]) report_claims(groups[i]);
  for (uint32_t i = 0; i < count; i++) map_free(&groups[i]->point);
  structure->nonholonomic = structure->rank - structure->holonomic;
  structure->degrees_of_freedom = model->coordinates.count - structure->rank;
  structure_clear(&all);
}

void model_generalise(struct model *model) {
  struct model_structure *structure = &model->structure;
  structure->rank = structure->general_rank;
  for (uint32_t i = 0; i < model->constraints.count; i++) {
    struct model_constraint *c = &model->constraints.items[i];
    c->class = c->general.class;
    c->is_redundant = c->general.is_redundant;
    c->is_rheonomic = c->general.is_rheonomic;
    if (c->is_rheonomic) structure->is_rheonomic = true;
    c->special_count = 0;
  }
}
