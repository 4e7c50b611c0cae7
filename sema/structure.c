/* The pass over all groups of constraints, and the counts of the whole. */
#include "sema/structure.h"
#include "sema/structure_report.h"

static void add_group(struct structure *all, struct pfaffian *p) {
  struct model_structure *structure = &all->model->structure;
  if (!pfaffian_check_dependence(p)) return;
  pfaffian_classify(p);
  structure->rank += p->rank;
  if (!p->has_point) structure->has_point = false;
  if (p->is_undecided) structure->is_certain = false;
  if (p->points > structure->points) structure->points = p->points;
  if (p->bits > structure->bits) structure->bits = p->bits;
  structure_integrate(all, p);
  report_claims(p);
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
  for (uint32_t i = 0; i < count; i++) add_group(&all, groups[i]);
  structure->nonholonomic = structure->rank - structure->holonomic;
  structure->degrees_of_freedom = model->coordinates.count - structure->rank;
  structure_clear(&all);
}
