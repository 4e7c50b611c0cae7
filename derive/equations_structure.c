/* `--show structure`: the counts and the classes of the constraints, which the analysis of the
 * model has proved. */
#include "derive/equations.h"
#include "sema/model.h"

static const char *class_words(const struct model_constraint *constraint) {
  static const char *const words[] = {[CLASS_POSITION] = "holonomic: between positions",
                                      [CLASS_EXACT] = "holonomic: the derivative of its integral",
                                      [CLASS_INTEGRABLE] = "holonomic: integrable",
                                      [CLASS_JOINT] = "holonomic: integrable together with others",
                                      [CLASS_NONHOLONOMIC] = "nonholonomic",
                                      [CLASS_UNDECIDED] = "taken for nonholonomic"};
  return words[constraint->class];
}

void equations_put_structure(struct equations *e) {
  const struct model *model = e->system->model;
  const struct model_structure *structure = &model->structure;
  document_heading(&e->document, "structure", NULL);
  document_note(&e->document,
                "coordinates n = %u, holonomic d = %u, nonholonomic g = %u, degrees of freedom "
                "f = %u",
                (unsigned)model->coordinates.count, (unsigned)structure->holonomic,
                (unsigned)structure->nonholonomic, (unsigned)structure->degrees_of_freedom);
  document_note(&e->document, "%s",
                system_is_rheonomic(e->system) ? "rheonomic: geometry depends on time"
                                               : "scleronomic: geometry does not depend on time");
  for (uint32_t k = 0; k < model->constraints.count; k++) {
    const struct model_constraint *constraint = &model->constraints.items[k];
    document_note(&e->document, "%s: %s%s", constraint->id.name, class_words(constraint),
                  constraint->is_redundant ? "; follows from others" : "");
  }
}
