/* The names of frames and points in the model, for documents that show vectors. Nothing is
 * evaluated for it: what no statement has asked for is left out. */
#include "sema/analysis.h"

static void name_frame(struct analysis *a, const struct element *element) {
  struct model_frame frame = {element->name, a->l->frames.items[value_id(element->result)].frame};
  vector_push(&a->model->frames, frame);
}

/* A point whose place follows an input has no velocity that is known. */
static void name_point(struct analysis *a, const struct element *element) {
  struct model_point point = {element->name, value_id(element->result)};
  if (lower_has_rate(a->l, point.place, FRAME_WORLD)) vector_push(&a->model->points, point);
}

void name_geometry(struct analysis *a) {
  struct model_frame world = {"world", FRAME_WORLD};
  if (a->model->kinematics == NULL || lower_is_exhausted(a->l)) return;
  vector_push(&a->model->frames, world);
  for (uint32_t i = 0; i < a->l->elements.count; i++) {
    const struct element *element = &a->l->elements.items[i];
    any_value v = element->result;
    if (v == 0 || element->name == NULL) continue;
    if (element->kind == NAME_FRAME && value_kind_of(v) == VALUE_FRAME) name_frame(a, element);
    if (element->kind == NAME_POINT && value_kind_of(v) == VALUE_POINT) name_point(a, element);
  }
}
