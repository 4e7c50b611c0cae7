/* Writing out: loops are run, blocks chosen, arrays taken apart. Makes an element of everything
 * that is declared, and a job of every statement that says something else.
 *
 * Only constants have values here. The recursion over blocks is as deep as the lexer lets them
 * nest. */
#include "sema/analysis.h"
#include <stdlib.h>

static void expand_block(struct analysis *a, struct ast_statement *const *items, uint32_t count,
                         struct environment environment);

static bool is_over(struct analysis *a, struct span span) {
  if (a->constants > MOST_ELEMENTS || a->variables > MOST_ELEMENTS)
    lower_report_large(a->l, span, "it declares more than a hundred thousand elements");
  if (a->constraints > MOST_CONSTRAINTS)
    lower_report_large(a->l, span, "it has more than five thousand constraints");
  if (a->loop_runs > MOST_LOOP_RUNS)
    lower_report_large(a->l, span, "its loops write out more than two million statements");
  return a->l->is_exhausted;
}

/* One element; of a constraint along several axes one for each, with an index more. */
static void declare_indexed(struct analysis *a, const struct ast_item *item, uint32_t entry,
                            const long *indices, uint32_t count, struct given value) {
  if (!scope_entry(a->scope, entry)->has_axes) {
    declare_element(a, item, entry, indices, count, value);
    return;
  }
  long *all = checked_malloc((count + 1) * sizeof *all);
  for (uint32_t i = 0; i < count; i++) all[i] = indices[i];
  for (uint32_t axis = 1; axis <= a->axes; axis++) {
    all[count] = axis;
    declare_element(a, item, entry, all, count + 1, value);
  }
  free(all);
}

/* ---------------------------------------------------------------- arrays */

struct whole { /* an array that one item declares */
  struct analysis *a;
  const struct ast_item *item;
  uint32_t entry, rank, lead; /* lead: indices of the instance that it is part of: one each */
  long *first, *last, *at;
  const struct ast_expression *tuple; /* or NULL */
  struct given value;
};

static bool find_bounds(struct whole *w, struct environment environment) {
  struct lowering *l = w->a->l;
  const struct ast *ast = environment.text->ast;
  uint32_t lead = w->lead;
  for (uint32_t i = 0; i < lead; i++) {
    ast_expr index = ast_list_item(ast, w->item->indices, i);
    if (!lower_expression_integer(l, environment, index, "an index", &w->first[i])) return false;
    w->last[i] = w->first[i];
  }
  if (w->item->is_range) {
    bool from = lower_expression_integer(l, environment, ast_list_item(ast, w->item->indices, lead),
                                         "the first index", &w->first[lead]);
    bool to =
        lower_expression_integer(l, environment, ast_list_item(ast, w->item->indices, lead + 1),
                                 "the last index", &w->last[lead]);
    return from && to;
  }
  for (uint32_t i = lead; i < w->rank; i++) {
    ast_expr size = ast_list_item(ast, w->item->indices, i);
    w->first[i] = 1;
    if (!lower_expression_integer(l, environment, size, "the size of an array", &w->last[i]))
      return false;
    if (w->last[i] >= 0) continue;
    lower_report(l, environment, DIAG_BAD_ARRAY_SIZE, ast_expression(ast, size)->span,
                 lower_words(l, "%ld", w->last[i]), NULL, NULL);
    return false;
  }
  return true;
}

static bool check_count(struct whole *w, struct environment environment) {
  if (w->tuple == NULL) return true;
  long count = w->last[0] - w->first[0] + 1;
  if (w->rank == 1 && count == (long)w->tuple->list.count) return true;
  struct lowering *l = w->a->l;
  for (uint32_t i = 1; i < w->rank; i++) count *= w->last[i] - w->first[i] + 1;
  if (w->rank > 1 && count == (long)w->tuple->list.count) return true;
  struct diagnostic *d =
      lower_report(l, environment, DIAG_VALUE_COUNT, w->tuple->span, w->item->name,
                   lower_words(l, "%ld", count), lower_words(l, "%u", w->tuple->list.count));
  if (d != NULL) diagnostic_label(l->context, d, w->item->span, "declared here");
  return false;
}

/* Looked at before the first element is made. */
static bool is_too_large(const struct whole *w) {
  double count = 1;
  for (uint32_t i = 0; i < w->rank; i++) count *= (double)(w->last[i] - w->first[i]) + 1;
  bool is_constant = scope_entry(w->a->scope, w->entry)->kind == NAME_CONST;
  double before = is_constant ? w->a->constants : w->a->variables;
  if (w->item->primes > 0) before = 0; /* start velocities: no elements of their own */
  if (count + before <= MOST_ELEMENTS) return false;
  lower_report_large(w->a->l, w->item->span, "it declares more than a hundred thousand elements");
  return true;
}

/* Steps to the next index tuple, the last index fastest; false behind the last one. */
static bool advance(struct whole *w) {
  for (uint32_t i = w->rank; i-- > 0;) {
    if (w->at[i] < w->last[i]) {
      w->at[i]++;
      return true;
    }
    w->at[i] = w->first[i];
  }
  return false;
}

static void declare_all(struct whole *w, const struct environment environment) {
  struct analysis *a = w->a;
  uint32_t number = 0, index_entry = 0;
  if (w->item->index_variable != NULL)
    index_entry = map_get(&a->scope->by_statement, (uint64_t)(uintptr_t)w->item);
  do {
    struct given value = w->value;
    if (w->tuple != NULL)
      value.value = ast_list_item(environment.text->ast, w->tuple->list, number);
    if (index_entry != 0) {
      struct binding *binding = arena_new(&a->context->arena, struct binding);
      *binding = (struct binding){environment.bindings, index_entry,
                                  expr_integer(a->l->graph, w->at[w->lead]), w->at[w->lead], false};
      value.environment.bindings = binding;
    }
    declare_indexed(a, w->item, w->entry, w->at, w->rank, value);
    number++;
  } while (!is_over(a, w->item->span) && advance(w));
}

static void note_range(struct whole *w) {
  struct lowering *l = w->a->l;
  struct array_range range = {w->first[0], w->last[0]};
  if (w->rank != 1 || w->item->primes > 0) return;
  vector_push(&l->ranges, range);
  map_set(&l->ranges_of, w->entry, l->ranges.count);
}

/* Start velocities have to cover what is declared. */
static bool check_velocities(struct whole *w, struct environment environment) {
  struct lowering *l = w->a->l;
  uint32_t known = map_get(&l->ranges_of, w->entry);
  if (w->item->primes == 0 || known == 0 || w->rank != 1) return true;
  const struct array_range *range = &l->ranges.items[known - 1];
  if (range->first == w->first[0] && range->last == w->last[0]) return true;
  struct diagnostic *d =
      diagnostic_add(l->context, DIAG_START_RANGE, w->item->span, w->item->name,
                     lower_words(l, "%ld", range->first), lower_words(l, "%ld", range->last),
                     lower_words(l, "%ld", w->first[0]), lower_words(l, "%ld", w->last[0]), NULL);
  diagnostic_help(l->context, d, "a single one is given by 'start %s[%ld]' = ...'", w->item->name,
                  w->last[0]);
  lower_label_loops(l, d, environment.bindings);
  return false;
}

/* Uses of the name are then silent. */
static void break_entry(struct analysis *a, uint32_t entry) {
  a->scope->entries.items[entry].is_broken = true;
}

static void expand_array(struct analysis *a, const struct ast_item *item, uint32_t entry,
                         struct environment environment, struct given value) {
  struct whole w = {.a = a, .item = item, .entry = entry, .lead = item->lead, .value = value};
  w.rank = item->is_range ? item->lead + 1 : item->indices.count;
  w.first = arena_array(&a->context->arena, long, 3 * w.rank + 3);
  w.last = w.first + w.rank;
  w.at = w.last + w.rank;
  if (item->value != 0) {
    const struct ast_expression *n = ast_expression(environment.text->ast, item->value);
    const struct ast_unit *unit = n->kind == AST_UNIT ? n->unit : NULL;
    if (unit != NULL) n = ast_expression(environment.text->ast, n->operand);
    if (n->kind == AST_TUPLE) w.tuple = n;
    if (w.tuple != NULL && unit != NULL) w.value.scale = lower_scale(a->l, lower_unit(a->l, unit));
  }
  bool is_empty = false;
  if (!find_bounds(&w, environment) || is_too_large(&w)) {
    break_entry(a, entry);
    return;
  }
  for (uint32_t i = 0; i < w.rank; i++) {
    w.at[i] = w.first[i];
    is_empty = is_empty || w.last[i] < w.first[i];
  }
  note_range(&w);
  bool is_right = check_count(&w, environment) && check_velocities(&w, environment);
  if (!is_right && item->primes == 0) break_entry(a, entry);
  if (is_right && !is_empty) declare_all(&w, environment);
}

/* ---------------------------------------------------------------- items */

static void expand_single(struct analysis *a, const struct ast_item *item, uint32_t entry,
                          struct environment environment, struct given value) {
  uint32_t count = item->indices.count;
  long *indices = arena_array(&a->context->arena, long, count + 1);
  bool is_known = true;
  for (uint32_t i = 0; i < count; i++)
    is_known = lower_expression_integer(a->l, environment,
                                        ast_list_item(environment.text->ast, item->indices, i),
                                        "an index", &indices[i]) &&
               is_known;
  if (is_known)
    declare_indexed(a, item, entry, indices, count, value);
  else
    break_entry(a, entry);
}

static uint32_t coordinate_of(const struct analysis *a, const struct ast_item *item) {
  const struct name_entry *entry = scope_find(a->scope, item->name);
  if (entry == NULL || entry->kind != NAME_COORD || item->primes != 1) return 0;
  return map_get(&a->scope->by_name, (uint64_t)(uintptr_t)item->name);
}

static void expand_item(struct analysis *a, const struct ast_item *item,
                        struct environment environment) {
  uint64_t key = (uint64_t)(uintptr_t)item;
  uint32_t entry = item->primes == 0 ? map_get(&a->entry_of_item, key) : coordinate_of(a, item);
  if (entry == 0 || is_over(a, item->span)) return;
  uint32_t site = map_get(&a->site_of_item, key);
  struct given value = {.value = item->value, .environment = environment, .span = item->span};
  value.scale = declare_scale(a, environment, entry, item);
  bool is_element = site != 0 && a->scope->sites.items[site].is_element;
  /* A start velocity goes with the coordinate: in a loop, one element. */
  if (site == 0)
    is_element = a->scope->sites.items[scope_entry(a->scope, entry)->first_site].is_element;
  if (item->indices.count > 0 && !is_element)
    expand_array(a, item, entry, environment, value);
  else
    expand_single(a, item, entry, environment, value);
  is_over(a, item->span);
}

/* ---------------------------------------------------------------- statements */

static void expand_for(struct analysis *a, const struct ast_statement *statement,
                       struct environment environment) {
  long from, to;
  uint32_t entry = map_get(&a->scope->by_statement, (uint64_t)(uintptr_t)statement);
  bool has_from =
      lower_expression_integer(a->l, environment, statement->from, "the first index", &from);
  bool has_to = lower_expression_integer(a->l, environment, statement->to, "the last index", &to);
  if (!has_from || !has_to) {
    a->l->has_gaps = true;
    return;
  }
  if (to - from >= MOST_IN_RANGE) {
    lower_report_large(a->l, statement->span,
                       lower_words(a->l, "this loop runs %ld times", to - from + 1));
    return;
  }
  for (long i = from; i <= to; i++) {
    a->loop_runs++;
    if (is_over(a, statement->span)) return;
    struct binding *binding = arena_new(&a->context->arena, struct binding);
    *binding = (struct binding){environment.bindings, entry, expr_integer(a->l->graph, i), i, true};
    struct environment inner = {environment.text, binding};
    expand_block(a, statement->body.items, statement->body.count, inner);
  }
}

static void expand_if(struct analysis *a, const struct ast_statement *statement,
                      struct environment environment) {
  int choice = lower_condition(a->l, environment, statement->value);
  if (choice < 0) a->l->has_gaps = true;
  if (choice == 1) expand_block(a, statement->body.items, statement->body.count, environment);
  if (choice == 0)
    expand_block(a, statement->otherwise.items, statement->otherwise.count, environment);
}

static void push_job(struct analysis *a, const struct ast_statement *statement,
                     struct environment environment, uint32_t element) {
  struct job job = {statement, environment, element};
  vector_push(&a->jobs, job);
}

/* Those without a label are counted by the loops around them. */
static uint32_t indices_of_loops(struct analysis *a, struct environment environment, uint32_t count,
                                 long **indices) {
  *indices = arena_array(&a->context->arena, long, count + 1);
  uint32_t at = count;
  for (const struct binding *b = environment.bindings; b != NULL && at > 0; b = b->outer)
    (*indices)[--at] = b->index;
  return count;
}

/* The elements from `before` on become constraints: each, or as many together as there are axes. */
static void add_equations(struct analysis *a, const struct ast_statement *statement,
                          uint32_t before) {
  uint32_t together = statement->along.count > 1 ? statement->along.count : 1;
  while (before + together <= a->l->elements.count) {
    struct equation_value equation = {.statement = statement,
                                      .environment = a->l->elements.items[before].value.environment,
                                      .element = before,
                                      .element_count = together};
    for (uint32_t i = 0; i < together; i++)
      a->l->elements.items[before + i].equation = a->l->equations.count;
    vector_push(&a->l->equations, equation);
    push_job(a, statement, equation.environment, before);
    before += together;
  }
}

static void expand_constraint(struct analysis *a, const struct ast_statement *statement,
                              struct environment environment) {
  const struct ast_item *item = &statement->label;
  uint32_t entry = map_get(&a->entry_of_item, (uint64_t)(uintptr_t)item), before;
  long *indices;
  a->axes = statement->along.count;
  if (item->name == NULL) {
    entry = map_get(&a->scope->by_statement, (uint64_t)(uintptr_t)statement);
    item = a->scope->sites.items[scope_entry(a->scope, entry)->first_site].item;
  }
  if (entry == 0 || is_over(a, statement->span)) return;
  before = a->l->elements.count;
  if (statement->label.name == NULL) {
    const struct name_entry *name = scope_entry(a->scope, entry);
    uint32_t count = indices_of_loops(a, environment, name->rank - name->has_axes, &indices);
    struct given none = {.environment = environment, .span = item->span};
    declare_indexed(a, item, entry, indices, count, none);
  } else {
    expand_item(a, item, environment);
  }
  if (!is_over(a, statement->span)) add_equations(a, statement, before);
}

/* Frames, particles and bodies: their statement is their value. */
static void expand_definition(struct analysis *a, const struct ast_statement *statement,
                              struct environment environment) {
  uint32_t before = a->l->elements.count;
  expand_item(a, &statement->label, environment);
  for (; before < a->l->elements.count; before++) {
    a->l->elements.items[before].statement = statement;
    push_job(a, statement, a->l->elements.items[before].value.environment, before);
  }
}

static void expand_statement(struct analysis *a, const struct ast_statement *statement,
                             struct environment environment) {
  if (environment.bindings != NULL) a->loop_runs++;
  switch (statement->kind) {
  case AST_FOR:
    expand_for(a, statement, environment);
    return;
  case AST_IF_BLOCK:
    expand_if(a, statement, environment);
    return;
  case AST_FUNCTION:
    return;
  case AST_MODEL:
  case AST_RATE:
  case AST_INITIAL:
  case AST_START:
  case AST_SIMULATE:
  case AST_KINETIC:
  case AST_POTENTIAL:
  case AST_LAGRANGIAN:
  case AST_DISSIPATION:
  case AST_FORCE_ON:
  case AST_FORCE_AT:
  case AST_TORQUE:
  case AST_GRAVITY:
    push_job(a, statement, environment, 0);
    return;
  case AST_FRAME:
  case AST_PARTICLE:
  case AST_BODY:
    expand_definition(a, statement, environment);
    return;
  case AST_CONSTRAINT:
    expand_constraint(a, statement, environment);
    return;
  case AST_WHEN:
  case AST_EVERY:
    push_job(a, statement, environment, ++a->events);
    expand_block(a, statement->body.items, statement->body.count, environment);
    return;
  case AST_RESET:
  case AST_STOP:
    if (a->events > 0) push_job(a, statement, environment, a->events);
    return;
  default: /* items; statements that were refused have none that are declared */
    break;
  }
  for (uint32_t i = 0; i < statement->items.count; i++)
    expand_item(a, &statement->items.items[i], environment);
}

static void expand_block(struct analysis *a, struct ast_statement *const *items, uint32_t count,
                         struct environment environment) {
  for (uint32_t i = 0; i < count && !is_over(a, items[i]->span); i++)
    expand_statement(a, items[i], environment);
}

/* ---------------------------------------------------------------- the two rounds */

static void note_items(struct analysis *a) {
  const struct scope *scope = a->scope;
  for (uint32_t id = 1; id < scope->file_count; id++) {
    if (scope->entries.items[id].is_broken) continue;
    for (uint32_t s = scope->entries.items[id].first_site; s != 0; s = scope->sites.items[s].next) {
      const struct ast_item *item = scope->sites.items[s].item;
      if (item == NULL) continue;
      map_set(&a->entry_of_item, (uint64_t)(uintptr_t)item, id);
      map_set(&a->site_of_item, (uint64_t)(uintptr_t)item, s);
    }
  }
}

/* First the constants outside of blocks, which bounds of loops may need wherever they stand. */
void expand_constants(struct analysis *a) {
  struct environment environment = {&a->scope->model, NULL};
  note_items(a);
  for (uint32_t i = 0; i < a->ast->statements.count; i++)
    if (a->ast->statements.items[i]->kind == AST_CONST)
      expand_statement(a, a->ast->statements.items[i], environment);
  for (uint32_t id = 1; id < a->l->elements.count; id++) lower_element(a->l, id);
}

void expand_model(struct analysis *a) {
  struct environment environment = {&a->scope->model, NULL};
  for (uint32_t i = 0; i < a->ast->statements.count; i++) {
    const struct ast_statement *statement = a->ast->statements.items[i];
    if (statement->kind != AST_CONST) expand_statement(a, statement, environment);
  }
  a->l->is_early = false;
}
