/* Names and elements of arrays: from what is written to the element that is meant, and its value.
 *
 * Elements are found by (entry, index); with several indices, each but the last leads to a node of
 * its own, so that any number of indices costs a look-up each. */
#include "sema/lower.h"
#include <string.h>

/* ---------------------------------------------------------------- finding elements */

static uint64_t index_key(uint32_t node, long index) {
  return map_pair(node, (uint32_t)(int32_t)index);
}

uint32_t lower_find_element(const struct lowering *l, uint32_t entry, const long *indices,
                            uint32_t count) {
  uint32_t at = entry;
  if (count == 0) return map_get(&l->by_index, index_key(entry, 0));
  for (uint32_t i = 0; i < count && at != 0; i++)
    at = map_get(&l->by_index, index_key(at, indices[i]));
  return at;
}

void lower_set_element(struct lowering *l, uint32_t entry, const long *indices, uint32_t count,
                       uint32_t element) {
  uint32_t node = entry;
  for (uint32_t i = 0; i + 1 < count; i++) {
    uint32_t next = map_get(&l->by_index, index_key(node, indices[i]));
    if (next == 0) {
      next = l->index_nodes++;
      map_set(&l->by_index, index_key(node, indices[i]), next);
    }
    node = next;
  }
  map_set(&l->by_index, index_key(node, count > 0 ? indices[count - 1] : 0), element);
}

static void put_indices(struct text *text, const long *indices, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) text_format(text, "%s%ld", i > 0 ? "," : "[", indices[i]);
  if (count > 0) text_put(text, "]");
}

const char *lower_element_name(struct lowering *l, const char *name, const long *indices,
                               uint32_t count) {
  if (count == 0) return name;
  struct text text = {0};
  text_put(&text, name);
  put_indices(&text, indices, count);
  const char *result = arena_string(&l->context->arena, text.bytes, text.length);
  text_free(&text);
  return result;
}

const char *lower_item_name(struct lowering *l, const struct ast_item *item, const long *indices,
                            uint32_t count) {
  if (item->lead == 0 || count < item->lead)
    return lower_element_name(l, item->name, indices, count);
  struct text text = {0};
  size_t prefix = 0;
  for (uint32_t i = 0; i < item->path_count; i++) {
    const struct ast_segment *segment = &item->path[i];
    text_put(&text, segment->name);
    put_indices(&text, indices, segment->index_count);
    text_put(&text, ".");
    prefix += strlen(segment->name) + 1;
    indices += segment->index_count;
    count -= segment->index_count;
  }
  text_put(&text, item->name + prefix);
  put_indices(&text, indices, count);
  const char *result = arena_string(&l->context->arena, text.bytes, text.length);
  text_free(&text);
  return result;
}

/* ---------------------------------------------------------------- cycles */

static const char *cycle_name(const struct lowering *l, const struct task *task) {
  if (task->kind == TASK_END_ELEMENT) return l->elements.items[task->a].name;
  return scope_entry(l->scope, l->calls.items[task->a].function)->name;
}

static void mark_broken(struct lowering *l, uint32_t from) {
  for (uint32_t i = from; i < l->tasks.count; i++) {
    struct task *task = &l->tasks.items[i];
    if (task->kind == TASK_END_ELEMENT) l->elements.items[task->a].state = ELEMENT_BROKEN;
  }
}

/* What is being evaluated stands on the stack of tasks, from the first to the last. */
void lower_report_cycle(struct lowering *l, uint32_t kind, uint32_t id) {
  uint32_t from = l->tasks.count;
  while (from-- > 0)
    if (l->tasks.items[from].kind == kind && l->tasks.items[from].a == id) break;
  struct task first = l->tasks.items[from];
  struct text chain = {0};
  struct span span = {0, 0, 0};
  uint32_t shown = 0;
  for (uint32_t i = from; i < l->tasks.count; i++) {
    const struct task *task = &l->tasks.items[i];
    if (task->kind != TASK_END_ELEMENT && task->kind != TASK_END_CALL) continue;
    if (shown++ < 20)
      text_format(&chain, "%s → ", cycle_name(l, task));
    else if (shown == 21)
      text_put(&chain, "... → ");
    if (span.source == 0 && task->kind == TASK_END_ELEMENT)
      span = l->elements.items[task->a].item->name_span;
  }
  text_put(&chain, cycle_name(l, &first));
  struct diagnostic *d = lower_report(l, (struct environment){NULL, NULL}, DIAG_DEFINITION_CYCLE,
                                      span, cycle_name(l, &first), text_string(&chain), NULL);
  for (uint32_t i = from + 1, labels = 0; d != NULL && i < l->tasks.count && labels < 5; i++) {
    const struct task *task = &l->tasks.items[i];
    if (task->kind != TASK_END_ELEMENT) continue;
    struct span other = l->elements.items[task->a].item->name_span;
    if (other.begin == span.begin && other.source == span.source) continue;
    diagnostic_label(l->context, d, other, "by way of %s", cycle_name(l, task));
    labels++;
  }
  mark_broken(l, from);
  text_free(&chain);
}

/* ---------------------------------------------------------------- referring to elements */

static void begin_definition(struct lowering *l, const struct task *end) {
  const struct element *element = &l->elements.items[end->a];
  if (element->kind == NAME_FRAME)
    lower_begin_frame(l, end);
  else if (element->kind == NAME_BODY || element->kind == NAME_PARTICLE)
    lower_begin_body(l, end);
  else if (element->value.value != 0)
    push_evaluate(l, element->value.environment, element->value.value);
  else
    push_value(l, 0);
}

void lower_refer(struct lowering *l, const struct task *task) {
  struct element *element = &l->elements.items[task->a];
  if (element->kind == NAME_CONSTRAINT) {
    lower_begin_equation(l, task);
    return;
  }
  if (element->symbol != 0) {
    push_value(l, element->symbol);
    return;
  }
  switch (element->state) {
  case ELEMENT_DONE:
    push_value(l, element->result);
    return;
  case ELEMENT_BROKEN:
    push_value(l, 0);
    return;
  case ELEMENT_ACTIVE:
    lower_report_cycle(l, TASK_END_ELEMENT, task->a);
    push_value(l, 0);
    return;
  case ELEMENT_NEW:
    break;
  }
  element->state = ELEMENT_ACTIVE;
  struct task end = *task;
  end.kind = TASK_END_ELEMENT;
  lower_push(l, end);
  begin_definition(l, &end);
}

/* What may stand behind the name: a constant is a number, a point a point. */
static any_value end_definition(struct lowering *l, const struct task *task) {
  struct element *element = &l->elements.items[task->a];
  const struct environment environment = element->value.environment;
  const char *what = lower_words(l, "the value of %s '%s'", name_kind_word(element->kind), element->name);
  ast_expr e = element->value.value;
  any_value value;
  switch (element->kind) {
  case NAME_FRAME:
    return lower_end_frame(l, task->a);
  case NAME_BODY:
  case NAME_PARTICLE:
    return lower_end_body(l, task->a);
  case NAME_POINT:
    return value_of(VALUE_POINT, lower_to_point(l, environment, e, pop_value(l), what));
  case NAME_LET:
  case NAME_OUTPUT:
    value = pop_value(l);
    break;
  default:
    value = lower_to_scalar(l, environment, e, pop_value(l), what);
    break;
  }
  if (value == 0 || element->value.scale == 0) return value;
  if (value_is_scalar(value)) return expr_multiply(l->graph, value, element->value.scale);
  struct task at = {.e = e, .environment = environment};
  return lower_scale_value(l, &at, value, element->value.scale);
}

void lower_end_element(struct lowering *l, const struct task *task) {
  any_value value = end_definition(l, task);
  struct element *element = &l->elements.items[task->a];
  if (element->state == ELEMENT_BROKEN) value = 0; /* part of a cycle */
  element->result = value;
  element->state = value != 0 ? ELEMENT_DONE : ELEMENT_BROKEN;
  push_value(l, value);
}

/* ---------------------------------------------------------------- what is written */

static void report_early(struct lowering *l, const struct task *task,
                         const struct name_entry *entry) {
  struct diagnostic *d = lower_report(l, task->environment, DIAG_NOT_COMPILE_TIME,
                                      lower_node(task)->span, "this", NULL, NULL);
  if (d == NULL) return;
  diagnostic_caption(l->context, d, "'%s' is a %s", entry->name, name_kind_word(entry->kind));
  if (entry->span.source != 0) diagnostic_label(l->context, d, entry->span, "declared here");
  if (entry->kind == NAME_PARAM)
    diagnostic_help(l->context, d, "declare it with 'const' instead of 'param'");
}

/* An element that does not exist: outside of a declared range, or never declared. */
static void report_missing(struct lowering *l, const struct task *task, uint32_t id,
                           const long *indices, uint32_t count) {
  const struct name_entry *entry = scope_entry(l->scope, id);
  if (l->has_gaps) return;
  const struct ast_item *item = l->scope->sites.items[entry->first_site].item;
  const char *name = item != NULL ? lower_item_name(l, item, indices, count)
                                  : lower_element_name(l, entry->name, indices, count);
  uint32_t range = map_get(&l->ranges_of, id);
  struct diagnostic *d;
  struct span span = lower_node(task)->span;
  if (count == 0)
    d = lower_report(l, task->environment, DIAG_UNKNOWN_NAME, span, name, NULL, NULL);
  else if (range != 0)
    d = lower_report(l, task->environment, DIAG_INDEX_OUT_OF_RANGE, span, name,
                     lower_words(l, "%ld", l->ranges.items[range - 1].first),
                     lower_words(l, "%ld", l->ranges.items[range - 1].last));
  else
    d = lower_report(l, task->environment, DIAG_ELEMENT_NOT_DECLARED, span, name, entry->name,
                     NULL);
  if (d == NULL) return;
  diagnostic_label(l->context, d, entry->span, "%s",
                   count == 0 ? "declared in a branch that is not taken" : "declared here");
}

static void refer_or_report(struct lowering *l, const struct task *task, uint32_t id,
                            const long *indices, uint32_t count) {
  const struct name_entry *entry = scope_entry(l->scope, id);
  uint32_t element = lower_find_element(l, id, indices, count);
  if (entry->is_broken) {
    push_value(l, 0);
  } else if (l->is_early && entry->kind != NAME_CONST) {
    report_early(l, task, entry);
    push_value(l, 0);
  } else if (element == 0) {
    report_missing(l, task, id, indices, count);
    push_value(l, 0);
  } else {
    struct task refer = *task;
    refer.kind = TASK_REFER;
    refer.a = element;
    lower_push(l, refer);
  }
}

/* A constraint along several axes, all of them: its elements have one index more. */
static void refer_to_whole(struct lowering *l, const struct task *task, uint32_t id,
                           const long *indices, uint32_t count) {
  long *all = checked_malloc((count + 1) * sizeof *all);
  for (uint32_t i = 0; i < count; i++) all[i] = indices[i];
  all[count] = 1;
  struct task whole = *task;
  whole.b = 1;
  refer_or_report(l, &whole, id, all, count + 1);
  free(all);
}

static any_value local_value(const struct lowering *l, const struct task *task, uint32_t id) {
  for (const struct binding *b = task->environment.bindings; b != NULL; b = b->outer)
    if (b->entry == id) return b->value;
  if (l->quiet > 0) return 0; /* scope_constant: indices have no value there */
  bug("no value for '%s'", scope_entry(l->scope, id)->name);
}

void lower_name(struct lowering *l, const struct task *task) {
  uint32_t id = scope_entry_of(task->environment.text, task->e);
  if (id == 0) {
    push_value(l, 0);
    return;
  }
  const struct name_entry *entry = scope_entry(l->scope, id);
  switch (entry->kind) {
  case NAME_WORLD:
  case NAME_ORIGIN:
    if (l->is_early)
      report_early(l, task, entry);
    push_value(l, l->is_early                  ? 0
                  : entry->kind == NAME_WORLD ? value_of(VALUE_FRAME, 1)
                                               : value_of(VALUE_POINT, VECTOR_ZERO));
    break;
  case NAME_TIME:
    if (l->is_early) report_early(l, task, entry);
    push_value(l, l->is_early ? 0 : l->model->time);
    break;
  case NAME_PI:
    push_value(l, expr_pi(l->graph));
    break;
  case NAME_INDEX:
  case NAME_ARGUMENT:
    push_value(l, local_value(l, task, id));
    break;
  default:
    if (entry->rank == 0)
      refer_or_report(l, task, id, NULL, 0);
    else if (entry->has_axes && entry->rank == 1)
      refer_to_whole(l, task, id, NULL, 0);
    else
      push_value(l, 0); /* without its index: reported */
    break;
  }
}

void lower_index(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  const struct ast *ast = task->environment.text->ast;
  uint32_t id = scope_entry_of(task->environment.text, n->operand), count = n->list.count;
  const any_value *values = l->values.items + l->values.count - count;
  long *indices = checked_malloc((count + 1) * sizeof *indices);
  bool is_known = true;
  for (uint32_t i = 0; i < count; i++) {
    is_known = lower_integer(l, task->environment, ast_list_item(ast, n->list, i), values[i],
                             "an index", &indices[i]) &&
               is_known;
  }
  l->values.count -= count;
  const struct name_entry *entry = scope_entry(l->scope, id);
  if (is_known && entry->rank == count)
    refer_or_report(l, task, id, indices, count);
  else if (is_known && entry->has_axes && entry->rank == count + 1)
    refer_to_whole(l, task, id, indices, count);
  else
    push_value(l, 0);
  free(indices);
}
