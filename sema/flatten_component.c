/* Facts about components that need no instance: which one contains which, how much they write out,
 * and which of their formals have to be known at compile time. Components come after those that
 * they contain; those that contain themselves are refused.
 *
 * A formal is needed early if it stands in the size or range of an array, the bounds of a loop or
 * sum, an index, the condition of a block, the value of a constant; or in what is given to a formal
 * of a component or function that is needed early there. */
#include "sema/flatten_private.h"
#include <stdlib.h>

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

enum { DEEPEST_FUNCTION = 50 }; /* functions of functions that are looked through */

struct early {
  struct flattening *f;
  const struct flat_component *component; /* NULL: a function of a file */
  const struct flat_file *file;
  struct map index;                /* name of a formal -> index + 1 */
  const struct flat_local *locals; /* indices of the loops around */
  uint8_t *is_early;
  bool *is_used; /* per formal of a component: something in it names it */
  uint32_t depth;
};

/* ---------------------------------------------------------------- expressions */

static void mark_name(struct early *w, const char *name, bool is_needed, const ast_expr *sums,
                      uint32_t count) {
  uint32_t at = map_get(&w->index, key_of(name));
  if (at == 0) return;
  for (const struct flat_local *l = w->locals; l != NULL; l = l->outer)
    if (l->name == name) return;
  for (uint32_t i = 0; i < count; i++)
    if (ast_expression(w->file->ast, sums[i])->name == name) return;
  w->is_early[at - 1] |= is_needed;
  if (w->is_used != NULL) w->is_used[at - 1] = true;
}

static const uint8_t *early_of_function(struct flattening *f, struct flat_symbol *function,
                                        uint32_t depth);

/* What is given where it is needed early is needed early itself. */
static void mark_arguments(struct early *w, const struct ast_expression *n, uint8_t *needed,
                           ast_expr first) {
  struct flat_symbol *function = NULL;
  if (n->kind == AST_CALL) {
    function = flat_find_symbol(w->component, w->file, n->name);
  } else {
    const struct ast_expression *base = ast_expression(w->file->ast, n->operand);
    const struct flat_symbol *module =
        base->kind == AST_NAME ? flat_names_find(&w->file->names, base->name) : NULL;
    if (module != NULL && module->kind == NAME_MODULE && module->module != NULL)
      function = flat_names_find(&module->module->names, n->name);
  }
  if (function == NULL || function->kind != NAME_FUNCTION) return;
  const uint8_t *early = early_of_function(w->f, function, w->depth + 1);
  for (uint32_t i = 0; i < n->list.count && i < function->statement->formals.count; i++)
    if (early[i]) needed[ast_list_item(w->file->ast, n->list, i) - first] = 1;
}

static void mark_children(struct early *w, const struct ast_expression *n, uint8_t *needed,
                          ast_expr first, bool is_needed) {
  if (n->kind == AST_CALL || n->kind == AST_MEMBER_CALL) mark_arguments(w, n, needed, first);
  bool in_list = is_needed || n->kind == AST_INDEX;
  bool in_range = is_needed || n->kind == AST_REDUCE;
  for (uint32_t i = 0; in_list && i < n->list.count; i++)
    needed[ast_list_item(w->file->ast, n->list, i) - first] = 1;
  if (in_range && n->operand != 0) needed[n->operand - first] = 1;
  if (in_range && n->second != 0) needed[n->second - first] = 1;
  if (is_needed && n->third != 0) needed[n->third - first] = 1;
}

/* Backwards, a node comes before what it is made of. */
static void mark(struct early *w, ast_expr e, bool is_whole) {
  if (e == 0) return;
  ast_expr first = ast_expression(w->file->ast, e)->first;
  uint8_t *needed = checked_calloc(e - first + 1, 1);
  VECTOR(ast_expr) sums = {0};
  needed[e - first] = is_whole;
  for (ast_expr at = e + 1; at-- > first;) {
    const struct ast_expression *n = ast_expression(w->file->ast, at);
    while (sums.count > 0 &&
           at <
               ast_expression(w->file->ast, ast_expression(w->file->ast, vector_last(&sums))->third)
                   ->first)
      sums.count--;
    if (n->kind == AST_NAME) mark_name(w, n->name, needed[at - first] != 0, sums.items, sums.count);
    mark_children(w, n, needed, first, needed[at - first] != 0);
    if (n->kind == AST_REDUCE) vector_push(&sums, at);
  }
  vector_free(&sums);
  free(needed);
}

static void mark_list(struct early *w, struct ast_list list) {
  for (uint32_t i = 0; i < list.count; i++) mark(w, ast_list_item(w->file->ast, list, i), true);
}

static void begin(struct early *w, const struct ast_statement *s) {
  w->is_early = arena_array(&w->f->context->arena, uint8_t, s->formals.count + 1);
  for (uint32_t i = 0; i < s->formals.count; i++)
    map_set(&w->index, key_of(s->formals.items[i].name), i + 1);
}

static const uint8_t *early_of_function(struct flattening *f, struct flat_symbol *function,
                                        uint32_t depth) {
  if (function->is_early != NULL) return function->is_early;
  struct early w = {
      .f = f, .component = function->component, .file = function->file, .depth = depth};
  begin(&w, function->statement);
  function->is_early = w.is_early; /* one that calls itself is refused later */
  if (depth < DEEPEST_FUNCTION) mark(&w, function->statement->value, false);
  map_free(&w.index);
  return function->is_early;
}

/* ---------------------------------------------------------------- statements */

static void mark_instance(struct early *w, const struct ast_statement *s) {
  const struct flat_names *names = &w->component->names;
  uint32_t id = map_get(&names->site_of, key_of(s));
  const struct flat_component *inner = id != 0 ? names->sites.items[id]->component : NULL;
  for (uint32_t i = 0; i < s->arguments.count; i++) {
    const struct ast_expression *n =
        ast_expression(w->file->ast, ast_list_item(w->file->ast, s->arguments, i));
    if (n->kind != AST_ARGUMENT) continue;
    const struct flat_symbol *symbol =
        inner != NULL ? flat_names_find(&inner->names, n->name) : NULL;
    bool is_early = symbol != NULL && symbol->formal != NULL && inner->is_early != NULL &&
                    inner->is_early[symbol->formal_index];
    mark(w, n->operand, is_early);
  }
}

static void mark_statement(struct early *w, const struct ast_statement *s) {
  for (uint32_t i = 0; i < s->items.count; i++) {
    mark_list(w, s->items.items[i].indices);
    mark(w, s->items.items[i].value, s->kind == AST_CONST);
  }
  for (uint32_t i = 0; i < s->equations.count; i++) {
    mark(w, s->equations.items[i].left, false);
    mark(w, s->equations.items[i].right, false);
  }
  for (uint32_t i = 0; i < s->rotations.count; i++) {
    mark(w, s->rotations.items[i].angle, false);
    mark(w, s->rotations.items[i].axis, false);
  }
  mark_list(w, s->label.indices);
  if (s->kind == AST_INSTANCE)
    mark_instance(w, s);
  else
    for (uint32_t i = 0; i < s->arguments.count; i++)
      mark(w, ast_list_item(w->file->ast, s->arguments, i), false);
  for (uint32_t i = 0; i < s->along.count; i++)
    mark(w, ast_list_item(w->file->ast, s->along, i), false);
  ast_expr parts[] = {s->target, s->source, s->left, s->right};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) mark(w, parts[i], false);
  const struct flat_local *outer = w->locals;
  for (uint32_t i = 0; s->kind == AST_FUNCTION && i < s->formals.count; i++)
    w->locals = flat_push_local(w->f, w->locals, s->formals.items[i].name);
  mark(w, s->value, s->kind == AST_IF_BLOCK);
  w->locals = outer;
  mark(w, s->from, true);
  mark(w, s->to, true);
}

static void mark_block(struct early *w, struct ast_statement *const *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const struct ast_statement *s = items[i];
    const struct flat_local *outer = w->locals;
    mark_statement(w, s);
    if (s->kind == AST_FOR) w->locals = flat_push_local(w->f, outer, s->index_variable);
    mark_block(w, s->body.items, s->body.count);
    mark_block(w, s->otherwise.items, s->otherwise.count);
    w->locals = outer;
  }
}

static void warn_unused(const struct early *w, const struct ast_statement *s) {
  for (uint32_t i = 0; i < s->formals.count && w->file->is_model; i++)
    if (!w->is_used[i])
      diagnostic_add(w->f->context, DIAG_UNUSED_PARAMETER, s->formals.items[i].span,
                     s->formals.items[i].name, NULL);
}

static void find_early(struct flattening *f, struct flat_component *component) {
  const struct ast_statement *s = component->statement;
  struct early w = {.f = f, .component = component, .file = component->file};
  w.is_used = arena_array(&f->context->arena, bool, s->formals.count + 1);
  begin(&w, s);
  mark_block(&w, s->body.items, s->body.count);
  for (uint32_t i = s->formals.count; i-- > 0;) /* defaults may refer to earlier formals */
    mark(&w, s->formals.items[i].value, w.is_early[i] != 0);
  component->is_early = w.is_early;
  if (component->is_used) warn_unused(&w, s);
  map_free(&w.index);
}

/* ---------------------------------------------------------------- order */

static double count_statements(struct ast_statement *const *items, uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += 1 + count_statements(items[i]->body.items, items[i]->body.count) +
           count_statements(items[i]->otherwise.items, items[i]->otherwise.count);
  return sum;
}

static void finish(struct flattening *f, struct flat_component *component) {
  const struct ast_statement *s = component->statement;
  component->depth = 1;
  component->statements = s->formals.count + count_statements(s->body.items, s->body.count);
  for (uint32_t i = 1; i < component->names.sites.count; i++) {
    const struct flat_component *inner = component->names.sites.items[i]->component;
    if (inner == NULL) continue;
    component->statements += inner->statements;
    if (component->depth <= inner->depth) component->depth = inner->depth + 1;
  }
  if (component->depth == DEEPEST_INSTANCE + 1)
    flat_report_large(f, s->label.name_span,
                      "components are nested in this one more than a hundred deep");
  if (component->depth > DEEPEST_INSTANCE || s->value != 0) component->is_broken = true;
  if (!component->is_broken) find_early(f, component);
}

struct step {
  struct flat_component *component;
  uint32_t next; /* site to follow */
};

struct walk {
  VECTOR(struct step) path;
  struct map state; /* component -> 1 on the path, 2 done */
};

static void report_ring(struct flattening *f, struct walk *w, const struct flat_component *inner,
                        const struct flat_site *site) {
  uint32_t from = w->path.count - 1;
  while (w->path.items[from].component != inner) from--;
  struct text chain = {0};
  uint32_t length = w->path.count - from;
  for (uint32_t i = 0; i < length; i++) {
    struct flat_component *part = w->path.items[from + i].component;
    part->is_broken = true;
    if (i < 10)
      text_format(&chain, "%s → ", part->statement->label.name);
    else if (i == 10)
      text_put(&chain, "... → ");
  }
  text_put(&chain, inner->statement->label.name);
  struct diagnostic *d =
      diagnostic_add(f->context, DIAG_COMPONENT_RECURSION, inner->statement->label.name_span,
                     inner->statement->label.name, text_string(&chain), NULL);
  for (uint32_t i = from; i + 1 < w->path.count && i < from + 5; i++) {
    const struct step *step = &w->path.items[i];
    const struct flat_site *inside = step->component->names.sites.items[step->next - 1];
    diagnostic_label(f->context, d, inside->statement->text_span, "%s contains %s",
                     step->component->statement->label.name, inside->statement->text);
  }
  diagnostic_label(f->context, d, site->statement->text_span, "%s contains %s",
                   w->path.items[w->path.count - 1].component->statement->label.name,
                   site->statement->text);
  text_free(&chain);
}

static void visit(struct walk *w, struct flat_component *component) {
  struct step step = {component, 1};
  map_set(&w->state, key_of(component), 1);
  vector_push(&w->path, step);
}

static void follow(struct flattening *f, struct walk *w, struct flat_component *start) {
  if (map_get(&w->state, key_of(start)) != 0) return;
  visit(w, start);
  while (w->path.count > 0) {
    struct step *top = &vector_last(&w->path);
    struct flat_component *component = top->component;
    if (top->next >= component->names.sites.count) {
      finish(f, component);
      map_set(&w->state, key_of(component), 2);
      w->path.count--;
      continue;
    }
    const struct flat_site *site = component->names.sites.items[top->next++];
    if (site->component == NULL) continue;
    uint32_t state = map_get(&w->state, key_of(site->component));
    if (state == 1)
      report_ring(f, w, site->component, site);
    else if (state == 0)
      visit(w, site->component);
  }
}

void flat_check_components(struct flattening *f) {
  struct walk w = {0};
  for (uint32_t i = 0; i < f->components.count; i++) follow(f, &w, f->components.items[i]);
  vector_free(&w.path);
  map_free(&w.state);
}
