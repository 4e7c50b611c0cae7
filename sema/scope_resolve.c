/* Resolving all statements, each in the scope that it stands in. What a refused statement says is
 * not looked at. The recursion over blocks is as deep as the lexer lets blocks nest. */
#include "sema/scope_resolve.h"
#include <stdlib.h>
#include <string.h>

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

/* ---------------------------------------------------------------- unknown names */

static const char *nearest(struct scope *scope, const char *name, bool is_function,
                           const uint32_t *locals, uint32_t local_count) {
  VECTOR(const char *) names = {0};
  for (uint32_t id = 1; id < scope->file_count; id++) {
    const struct name_entry *entry = &scope->entries.items[id];
    bool fits = is_function ? entry->kind == NAME_FUNCTION
                            : entry->kind != NAME_FUNCTION && entry->kind != NAME_OUTPUT &&
                                  entry->kind != NAME_COMPONENT && entry->kind != NAME_MODULE;
    if (fits) vector_push(&names, entry->name);
  }
  for (uint32_t i = 0; i < local_count; i++)
    vector_push(&names, scope->entries.items[locals[i]].name);
  for (int f = 0; is_function && f < BUILTIN_COUNT; f++)
    if (!builtin_is_refused(f)) vector_push(&names, builtin_name(f));
  const char *near = nearest_name(name, names.items, names.count);
  vector_free(&names);
  return near;
}

void scope_report_unknown(struct scope *scope, const char *name, struct span span, bool is_function,
                          const uint32_t *locals, uint32_t local_count) {
  uint64_t key = hash_mix(key_of(name)) ^ (is_function ? 1 : 0);
  if (map_get(&scope->unknown, key) != 0) return;
  map_set(&scope->unknown, key, 1);
  dyn_context *context = scope->context;
  struct diagnostic *d = diagnostic_add(
      context, is_function ? DIAG_UNKNOWN_FUNCTION : DIAG_UNKNOWN_NAME, span, name, NULL);
  if (context->diagnostics.dropped > 0) return;
  const char *near = nearest(scope, name, is_function, locals, local_count);
  const struct name_entry *entry = near != NULL ? scope_find(scope, near) : NULL;
  if (!is_function && builtin_find(name) >= 0) {
    diagnostic_help(context, d, "it is a function, called as %s(...)", name);
  } else if (near != NULL) {
    if (entry != NULL && entry->span.source != 0)
      diagnostic_label(context, d, entry->span, "a similar name is declared here");
    diagnostic_help(context, d, "did you mean '%s'?", near);
  } else if (!is_function) {
    diagnostic_help(context, d, "declare it, for example 'param %s = ...' or 'let %s = ...'", name,
                    name);
  }
}

/* ---------------------------------------------------------------- items */

static bool is_whole_array(const struct resolver *r, const struct ast_item *item) {
  if (item->indices.count == 0) return false;
  uint32_t id = map_get(&r->scope->by_name, key_of(item->name));
  uint32_t output = map_get(&r->scope->by_output, key_of(item->name));
  for (int names = 0; names < 2; names++, id = output) {
    if (id == 0) continue;
    for (uint32_t s = r->scope->entries.items[id].first_site; s != 0;
         s = r->scope->sites.items[s].next) {
      const struct name_site *site = &r->scope->sites.items[s];
      if (site->item == item) return !site->is_element;
    }
  }
  return true; /* a start velocity of an array, or an item that was refused */
}

/* `param p = (1, 2)`: several values for one scalar. */
static bool check_single(struct resolver *r, const struct ast_statement *statement,
                         const struct ast_item *item) {
  enum name_kind kind = statement_name_kind(statement->kind);
  bool is_scalar = kind == NAME_CONST || kind == NAME_PARAM || kind == NAME_INPUT ||
                   kind == NAME_COORD || kind == NAME_STATE;
  if (!is_scalar || item->value == 0) return true;
  const struct ast_expression *n = ast_expression(r->text->ast, item->value);
  if (n->kind == AST_UNIT) n = ast_expression(r->text->ast, n->operand);
  if (n->kind != AST_TUPLE) return true;
  dyn_context *context = r->scope->context;
  struct diagnostic *d =
      diagnostic_add(context, DIAG_BARE_TUPLE, n->span,
                     arena_format(&context->arena, "'%s' takes one value", item->name), NULL);
  if (item->indices.count == 0)
    diagnostic_help(context, d, "an array of them is declared as %s[%u]", item->name,
                    n->list.count);
  r->text->functions[item->value] = SCOPE_REFUSED;
  return false;
}

static void check_point(struct resolver *r, const struct ast_statement *statement,
                        const struct ast_item *item) {
  if (statement->kind != AST_POINT || item->unit == NULL) return;
  struct diagnostic *d =
      diagnostic_add(r->scope->context, DIAG_POINT_WITH_UNIT, item->unit->span, item->name, NULL);
  diagnostic_help(r->scope->context, d, "give the numbers in its value their unit: (1, 2) [%s]",
                  item->unit->text);
}

/* `coord x = 0, x' = 1`: the second is no declaration but a start velocity. */
static bool check_primes(struct resolver *r, const struct ast_statement *statement,
                         const struct ast_item *item) {
  if (item->primes == 0) return true;
  dyn_context *context = r->scope->context;
  const struct name_entry *entry = scope_find(r->scope, item->name);
  if (statement->kind == AST_OUTPUT) {
    struct diagnostic *d =
        diagnostic_add(context, DIAG_PRIMED_DECLARATION, item->span, item->name, NULL);
    diagnostic_help(context, d, "give the output a name: output v = %s'", item->name);
    return false;
  }
  if (statement->kind != AST_COORD || item->primes > 1) {
    struct diagnostic *d =
        diagnostic_add(context, DIAG_PRIMED_DECLARATION, item->span, item->name, NULL);
    if (statement->kind == AST_COORD)
      diagnostic_help(context, d, "start values are given for %s and %s'", item->name, item->name);
    return false;
  }
  if (entry != NULL && entry->kind == NAME_COORD) return true;
  struct diagnostic *d =
      diagnostic_add(context, DIAG_VELOCITY_WITHOUT_COORDINATE, item->span, item->name, NULL);
  if (entry != NULL && entry->span.source != 0)
    diagnostic_label(context, d, entry->span, "'%s' is declared here, but not as a coordinate",
                     item->name);
  else
    diagnostic_help(context, d, "write 'coord %s = 0, %s' = ...'", item->name, item->name);
  return false;
}

static void resolve_item(struct resolver *r, const struct ast_statement *statement,
                         const struct ast_item *item) {
  if (item->name == NULL) return;
  bool fits = check_primes(r, statement, item);
  for (uint32_t i = 0; i < item->indices.count; i++)
    resolve_expression(r, ast_list_item(r->text->ast, item->indices, i), WANT_NUMBER);
  uint32_t outer = r->locals.count;
  if (item->index_variable != NULL) {
    uint32_t id = resolve_add_local(r, NAME_INDEX, item->index_variable, item->span);
    map_set(&r->scope->by_statement, key_of(item), id);
  }
  check_point(r, statement, item);
  bool is_whole = is_whole_array(r, item);
  if ((fits || item->value != 0) && (is_whole || check_single(r, statement, item)))
    resolve_expression(r, item->value, is_whole ? WANT_VALUES : WANT_NUMBER);
  r->locals.count = outer;
}

/* ---------------------------------------------------------------- statements */

static void resolve_statement(struct resolver *r, const struct ast_statement *statement);

static void resolve_block(struct resolver *r, struct ast_statement *const *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) resolve_statement(r, items[i]);
}

/* It is known everywhere, so the indices of loops around it mean nothing to it. */
static void resolve_function(struct resolver *r, const struct ast_statement *statement) {
  uint32_t outer = r->locals.count, first = r->scope->entries.count;
  r->visible = outer;
  for (uint32_t i = 0; i < statement->formals.count; i++) {
    const struct ast_formal *formal = &statement->formals.items[i];
    resolve_add_local(r, NAME_ARGUMENT, formal->name, formal->span);
  }
  struct map seen = {0};
  for (uint32_t i = 0; i < statement->formals.count; i++) {
    const struct ast_formal *formal = &statement->formals.items[i];
    uint32_t before = map_get(&seen, key_of(formal->name));
    map_set(&seen, key_of(formal->name), i + 1);
    if (before == 0) continue;
    struct diagnostic *d =
        diagnostic_add(r->scope->context, DIAG_DECLARED_TWICE, formal->span, formal->name, NULL);
    diagnostic_label(r->scope->context, d, statement->formals.items[before - 1].span,
                     "first declared here");
  }
  map_free(&seen);
  map_set(&r->scope->by_statement, key_of(statement), first);
  r->function = scope_lookup(r->scope, statement->label.name);
  resolve_expression(r, statement->value, WANT_NUMBER);
  r->function = 0;
  r->visible = 0;
  r->locals.count = outer;
}

static void resolve_for(struct resolver *r, const struct ast_statement *statement) {
  resolve_expression(r, statement->from, WANT_NUMBER);
  resolve_expression(r, statement->to, WANT_NUMBER);
  uint32_t outer = r->locals.count;
  uint32_t id =
      resolve_add_local(r, NAME_INDEX, statement->index_variable, statement->label.name_span);
  map_set(&r->scope->by_statement, key_of(statement), id);
  resolve_block(r, statement->body.items, statement->body.count);
  r->locals.count = outer;
}

static void resolve_simulate(struct resolver *r, const struct ast_statement *statement) {
  for (uint32_t i = 0; i < statement->arguments.count; i++) {
    ast_expr argument = ast_list_item(r->text->ast, statement->arguments, i);
    const struct ast_expression *n = ast_expression(r->text->ast, argument);
    if (n->kind != AST_ARGUMENT) continue;
    /* `method = lagrange` without quotes is one mistake, not two. */
    const struct ast_expression *value = ast_expression(r->text->ast, n->operand);
    bool is_bare_word = value->kind == AST_NAME &&
                        (strcmp(n->name, "method") == 0 || strcmp(n->name, "integrator") == 0);
    if (!is_bare_word) resolve_expression(r, n->operand, WANT_TEXT);
  }
}

static void resolve_label(struct resolver *r, const struct ast_statement *statement) {
  for (uint32_t i = 0; i < statement->label.indices.count; i++)
    resolve_expression(r, ast_list_item(r->text->ast, statement->label.indices, i), WANT_NUMBER);
}

/* The index of `constraint close[i in 1..n]` is known in the statement; the number of locals before
 * it. */
static uint32_t open_label(struct resolver *r, const struct ast_statement *statement) {
  const struct ast_item *label = &statement->label;
  resolve_label(r, statement);
  uint32_t outer = r->locals.count;
  if (label->index_variable != NULL) {
    uint32_t id = resolve_add_local(r, NAME_INDEX, label->index_variable, label->span);
    map_set(&r->scope->by_statement, key_of(label), id);
  } else if (label->is_range) {
    diagnostic_add(r->scope->context, DIAG_EXPRESSION_NOT_SUPPORTED, label->span,
                   arena_format(&r->scope->context->arena,
                                "a range without an index in the label of a %s",
                                name_kind_word(statement_name_kind(statement->kind))),
                   NULL);
  }
  return outer;
}

static void resolve_labelled(struct resolver *r, const struct ast_statement *statement) {
  uint32_t outer = open_label(r, statement);
  if (statement->kind == AST_FRAME) {
    resolve_frame(r, statement);
  } else if (statement->kind != AST_CONSTRAINT) {
    resolve_body(r, statement);
  } else {
    resolve_expression(r, statement->left, WANT_NUMBER);
    resolve_expression(r, statement->right, WANT_NUMBER);
    for (uint32_t i = 0; i < statement->along.count; i++)
      resolve_expression(r, ast_list_item(r->text->ast, statement->along, i), WANT_NUMBER);
  }
  r->locals.count = outer;
}

static void resolve_statement(struct resolver *r, const struct ast_statement *statement) {
  if (statement_is_refused(statement->kind)) return;
  for (uint32_t i = 0; i < statement->items.count; i++)
    resolve_item(r, statement, &statement->items.items[i]);
  for (uint32_t i = 0; i < statement->equations.count; i++) {
    resolve_expression(r, statement->equations.items[i].left, WANT_NUMBER);
    resolve_expression(r, statement->equations.items[i].right, WANT_NUMBER);
  }
  switch (statement->kind) {
  case AST_FUNCTION:
    resolve_function(r, statement);
    break;
  case AST_FOR:
    resolve_for(r, statement);
    break;
  case AST_IF_BLOCK:
    resolve_expression(r, statement->value, WANT_TRUTH);
    resolve_block(r, statement->body.items, statement->body.count);
    resolve_block(r, statement->otherwise.items, statement->otherwise.count);
    break;
  case AST_WHEN:
  case AST_EVERY:
    resolve_expression(r, statement->value, statement->kind == AST_WHEN ? WANT_TRUTH : WANT_NUMBER);
    resolve_block(r, statement->body.items, statement->body.count);
    break;
  case AST_SIMULATE:
    resolve_simulate(r, statement);
    break;
  case AST_FRAME:
  case AST_PARTICLE:
  case AST_BODY:
  case AST_CONSTRAINT:
    resolve_labelled(r, statement);
    break;
  default:
    resolve_label(r, statement);
    resolve_expression(r, statement->value, WANT_NUMBER);
    resolve_expression(r, statement->target, WANT_NUMBER);
    resolve_expression(r, statement->source, WANT_NUMBER);
    resolve_expression(r, statement->left, WANT_NUMBER);
    resolve_expression(r, statement->right, WANT_NUMBER);
    break;
  }
}

/* ---------------------------------------------------------------- the whole */

static void begin(struct resolver *r, struct scope *scope, struct scope_text *text) {
  uint32_t count = text->ast->expressions.count;
  *r = (struct resolver){.scope = scope, .text = text};
  text->entries = checked_calloc(count + 1, sizeof *text->entries);
  text->functions = checked_calloc(count + 1, sizeof *text->functions);
  r->wanted = checked_calloc(count + 1, 1);
}

static void end(struct resolver *r) {
  free(r->wanted);
  vector_free(&r->locals);
  vector_free(&r->calls);
}

void scope_resolve_model(struct scope *scope) {
  struct resolver r;
  begin(&r, scope, &scope->model);
  resolve_block(&r, scope->model.ast->statements.items, scope->model.ast->statements.count);
  scope_check_recursion(scope, &r.calls);
  scope_find_bare_consts(scope);
  end(&r);
}

bool scope_resolve_text(struct scope *scope, const struct ast *ast, struct scope_text *text) {
  struct resolver r;
  uint32_t errors = scope->context->diagnostics.error_count;
  text->ast = ast;
  begin(&r, scope, text);
  for (uint32_t i = 0; i < ast->statements.count; i++) {
    const struct ast_statement *statement = ast->statements.items[i];
    for (uint32_t k = 0; k < statement->equations.count; k++)
      resolve_expression(&r, statement->equations.items[k].right, WANT_NUMBER);
  }
  end(&r);
  return scope->context->diagnostics.error_count == errors;
}
