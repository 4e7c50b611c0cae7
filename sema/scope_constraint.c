/* What stands in `multiplier(...)`: the name of a constraint, or of an element of an array of them.
 */
#include "sema/scope_resolve.h"

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

static void report_unknown(struct resolver *r, const struct ast_expression *n) {
  dyn_context *context = r->scope->context;
  struct diagnostic *d =
      diagnostic_add(context, DIAG_NOT_A_CONSTRAINT, n->span,
                     arena_format(&context->arena, "there is no '%s'", n->name), NULL);
  if (context->diagnostics.dropped > 0) return;
  const struct name_entry *near = nearest(r->scope, n->name);
  if (near == NULL) return;
  diagnostic_label(context, d, near->span, "a constraint with a similar name");
  diagnostic_help(context, d, "did you mean '%s'?", near->name);
}

static void report_other(struct resolver *r, const struct ast_expression *n,
                         const struct name_entry *entry) {
  dyn_context *context = r->scope->context;
  const char *what =
      arena_format(&context->arena, "'%s' is a%s %s", n->name,
                   entry->kind == NAME_INPUT || entry->kind == NAME_OUTPUT ? "n" : "",
                   name_kind_word(entry->kind));
  struct diagnostic *d = diagnostic_add(context, DIAG_NOT_A_CONSTRAINT, n->span, what, NULL);
  if (entry->span.source != 0) diagnostic_label(context, d, entry->span, "declared here");
}

/* True if the argument is one; else something is reported, now or when the argument is met. */
static bool check_name(struct resolver *r, const struct ast_expression *n) {
  uint32_t id = resolve_find(r, n->name);
  struct name_entry *entry = &r->scope->entries.items[id];
  if (id == 0) {
    if (!r->scope->has_import) report_unknown(r, n);
    return false;
  }
  if (entry->kind == NAME_CONSTRAINT) return !entry->is_broken;
  entry->use_count++;
  if (!entry->is_broken) report_other(r, n, entry);
  return false;
}

void resolve_multiplier(struct resolver *r, ast_expr e, int function) {
  ast_expr argument = ast_list_item(r->text->ast, node(r, e)->list, 0);
  const struct ast_expression *n = node(r, argument);
  const struct ast_expression *base = n->kind == AST_INDEX ? node(r, n->operand) : n;
  if (base->kind == AST_MEMBER || base->kind == AST_MEMBER_CALL) {
    r->text->functions[e] = SCOPE_REFUSED; /* the member is reported */
    return;
  }
  if (base->kind == AST_NAME ? check_name(r, base) : false) {
    resolve_want(r, argument, WANT_CONSTRAINT);
    r->text->functions[e] = (uint8_t)(function + 1);
    return;
  }
  if (base->kind != AST_NAME && base->kind != AST_ERROR)
    diagnostic_add(r->scope->context, DIAG_NOT_A_CONSTRAINT, n->span, "this is none", NULL);
  resolve_refuse(r, e);
}
