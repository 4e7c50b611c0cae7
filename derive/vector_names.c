/* Unit vectors are symbols "A.x", in LaTeX e^A_x, of the highest rank: they stand last in products.
 */
#include "derive/vector_names.h"
#include "expr/symbol_latex.h"
#include <string.h>

static void add_name(struct vector_names *names, frame_id frame, const char *name) {
  vector_push(&names->names, name);
  map_set(&names->name_of, frame, names->names.count);
}

static bool is_taken(const struct model *model, const char *name) {
  for (uint32_t i = 0; i < model->frames.count; i++)
    if (strcmp(model->frames.items[i].name, name) == 0) return true;
  return false;
}

/* Frames between a named one and the next above, from there on. */
static void name_turns(struct vector_names *names, const struct model_frame *frame) {
  struct kinematics *k = names->model->kinematics;
  struct arena *arena = &names->document->arena;
  VECTOR(frame_id) way = {0};
  for (frame_id f = frame_parent(k, frame->frame); f != 0 && map_get(&names->name_of, f) == 0;
       f = frame_parent(k, f))
    vector_push(&way, f);
  for (uint32_t i = 0; i < way.count; i++) {
    const char *name = arena_format(arena, "%s_%u", frame->name, (unsigned)i + 1);
    if (!is_taken(names->model, name)) add_name(names, way.items[way.count - 1 - i], name);
  }
  vector_free(&way);
}

void vector_names_init(struct vector_names *names, const struct model *model,
                       struct document *document) {
  *names = (struct vector_names){.model = model, .document = document};
  for (uint32_t i = 0; i < model->frames.count; i++)
    if (map_get(&names->name_of, model->frames.items[i].frame) == 0)
      add_name(names, model->frames.items[i].frame, model->frames.items[i].name);
  names->named = names->names.count;
  for (uint32_t i = 0; i < model->frames.count; i++) name_turns(names, &model->frames.items[i]);
}

void vector_names_clear(struct vector_names *names) {
  vector_free(&names->names);
  map_free(&names->name_of);
  map_free(&names->unit_of);
}

static expr unit_of(struct vector_names *names, frame_id frame, int axis) {
  struct document *d = names->document;
  uint64_t key = 4 * (uint64_t)frame + (uint64_t)axis + 1;
  expr known = map_get(&names->unit_of, key);
  if (known != 0) return known;
  uint32_t index = map_get(&names->name_of, frame) - 1;
  const char *name = names->names.items[index];
  struct text latex = {0};
  symbol_latex(&latex, name);
  expr unit = document_name(
      d, arena_format(&d->arena, "%s.%c", name, "xyz"[axis]),
      arena_format(&d->arena, "\\mathbf{e}^{%s}_{%c}", text_string(&latex), "xyz"[axis]));
  expr_symbol_set_rank(d->graph, unit, EXPR_RANK_ACCELERATION);
  map_set(&names->unit_of, key, unit);
  names->has_turns = names->has_turns || index >= names->named;
  text_free(&latex);
  return unit;
}

expr vector_names_print(struct vector_names *names, vector_id v) {
  struct kinematics *k = names->model->kinematics;
  struct expr_graph *graph = names->document->graph;
  VECTOR(expr) terms = {0};
  for (uint32_t i = 0; i < vector_part_count(k, v); i++) {
    expr c[3];
    frame_id frame = vector_part(k, v, i, c), named = frame;
    while (map_get(&names->name_of, named) == 0) named = frame_parent(k, named);
    if (named != frame) vector_components(k, vector_in(k, frame, c), named, c);
    for (int axis = 0; axis < 3; axis++)
      if (!expr_is_integer_value(graph, c[axis], 0))
        vector_push(&terms, expr_multiply(graph, c[axis], unit_of(names, named, axis)));
  }
  expr sum = expr_sum(graph, terms.items, terms.count);
  vector_free(&terms);
  return sum;
}

void vector_names_explain(struct vector_names *names) {
  if (names->has_turns)
    document_note(names->document,
                  "frames A_1, A_2, ... are those on the way to A, after its first turn, its "
                  "second one, ...");
}
