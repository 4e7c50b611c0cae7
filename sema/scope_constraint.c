/* What stands in `multiplier(...)` and `reaction(...)`: the name of a constraint, or of an element
 * of an array of them; in the first also a component of a constraint between vectors, and the norm
 * of Euler parameters. Which constraints are between vectors is known later. */
#include "sema/scope_resolve.h"
#include <string.h>

static const struct ast_expression *node(const struct resolver *r, ast_expr e) {
  return ast_expression(r->text->ast, e);
}

static const struct name_entry *nearest(const struct scope *scope, const char *name) {
  VECTOR(const char *) names = {0};
  for (uint32_t id = 1; id < scope->file_count; id++)
    if (scope->entries.items[id].kind == NAME_CONSTRAINT)
      vector_push(&names, scope->entries.items[id].name);
  const char *near = nearest_name(name, names.items, names.count);
  vector_free(&names);
  return near != NULL ? scope_find(scope, near) : NULL;
}

static void report_unknown(struct resolver *r, const char *function,
                           const struct ast_expression *n) {
  dyn_context *context = r->scope->context;
  struct diagnostic *d =
      diagnostic_add(context, DIAG_NOT_A_CONSTRAINT, n->span, function,
                     arena_format(&context->arena, "there is no '%s'", n->name), NULL);
  if (context->diagnostics.dropped > 0) return;
  const struct name_entry *near = nearest(r->scope, n->name);
  if (near == NULL) return;
  diagnostic_label(context, d, near->span, "a constraint with a similar name");
  diagnostic_help(context, d, "did you mean '%s'?", near->name);
}

static void report_other(struct resolver *r, const char *function, const struct ast_expression *n,
                         const struct name_entry *entry) {
  dyn_context *context = r->scope->context;
  const char *what =
      arena_format(&context->arena, "'%s' is a%s %s", n->name,
                   entry->kind == NAME_INPUT || entry->kind == NAME_OUTPUT ? "n" : "",
                   name_kind_word(entry->kind));
  struct diagnostic *d =
      diagnostic_add(context, DIAG_NOT_A_CONSTRAINT, n->span, function, what, NULL);
  if (entry->span.source != 0) diagnostic_label(context, d, entry->span, "declared here");
  if (entry->kind == NAME_FRAME)
    diagnostic_help(context, d, "only a frame that is 'oriented' by Euler parameters has a .norm");
}

/* True if the name is one of `kind`; else something is reported, now or when it is met. */
static bool check_name(struct resolver *r, const char *function, const struct ast_expression *n,
                       enum name_kind kind) {
  uint32_t id = resolve_find(r, n->name);
  struct name_entry *entry = &r->scope->entries.items[id];
  if (id == 0) {
    if (!r->scope->has_import) report_unknown(r, function, n);
    return false;
  }
  bool is_broken = entry->is_broken;
  if (entry->kind == kind && (kind == NAME_CONSTRAINT || resolve_is_oriented(r, entry)))
    return !is_broken;
  entry->use_count++;
  if (!is_broken) report_other(r, function, n, entry);
  return false;
}

/* A component; false if there is no such one, which is reported. */
static bool check_component(struct resolver *r, const char *function,
                            const struct ast_expression *n) {
  dyn_context *context = r->scope->context;
  bool is_whole = strcmp(function, "reaction") == 0;
  int member = member_find(n->name);
  if (!is_whole && (member <= MEMBER_Z || member == MEMBER_NORM) && member >= 0) return true;
  if (resolve_is_silent(r, n->operand)) return false;
  const char *what = is_whole ? "this is a component of it"
                              : arena_format(&context->arena, "none has a component '%s'", n->name);
  struct diagnostic *d =
      diagnostic_add(context, DIAG_NOT_A_CONSTRAINT, n->span, function, what, NULL);
  if (is_whole)
    diagnostic_help(context, d, "the component of the force is reaction(...).%s", n->name);
  else
    diagnostic_help(context, d, "a constraint between vectors has the components x, y and z");
  return false;
}

void resolve_multiplier(struct resolver *r, ast_expr e, int function) {
  ast_expr argument = ast_list_item(r->text->ast, node(r, e)->list, 0);
  const struct ast_expression *n = node(r, argument), *base = n;
  const char *name = node(r, e)->name;
  enum name_kind kind = NAME_CONSTRAINT;
  bool fits = true;
  if (n->kind == AST_MEMBER) {
    fits = check_component(r, name, n);
    if (member_find(n->name) == MEMBER_NORM) kind = NAME_FRAME;
    base = node(r, n->operand);
  }
  if (base->kind == AST_INDEX) base = node(r, base->operand);
  bool is_name = base->kind == AST_NAME;
  if (fits && is_name && check_name(r, name, base, kind)) {
    resolve_want(r, argument, function == BUILTIN_reaction ? WANT_WHOLE : WANT_CONSTRAINT);
    r->text->functions[e] = (uint8_t)(function + 1);
    return;
  }
  if (fits && !is_name && !resolve_is_silent(r, argument))
    diagnostic_add(r->scope->context, DIAG_NOT_A_CONSTRAINT, n->span, name, "this is none", NULL);
  resolve_refuse(r, e);
}
