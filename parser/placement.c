/* Which statements may stand where. The grammar takes every statement in every block, so that a
 * misplaced one gets a message of its own.
 *
 *   the file         everything but `:=`, release and stop
 *   component        everything but those, model, import, simulate and component
 *   for, if          as the block around them
 *   when, every      `:=`, release, stop; for and if around them
 *
 * Needs blocks nested no deeper than the lexer allows; the recursion follows them. */
#include "parser/build.h"

enum place { IN_FILE, IN_BLOCK, IN_COMPONENT, IN_EVENT };

static bool belongs_to_file(enum ast_statement_kind kind) {
  return kind == AST_MODEL || kind == AST_IMPORT || kind == AST_SIMULATE || kind == AST_COMPONENT;
}

static bool belongs_to_event(enum ast_statement_kind kind) {
  return kind == AST_RESET || kind == AST_RELEASE || kind == AST_STOP;
}

static const char *name_of(dyn_context *context, const struct ast_statement *statement) {
  if (statement->kind == AST_RESET) return ":=";
  const struct source *source = source_get(&context->sources, statement->keyword_span.source);
  struct span span = statement->keyword_span;
  return arena_string(&context->arena, source->text + span.begin, span.end - span.begin);
}

static void report(dyn_context *context, struct ast_statement *statement,
                   const struct ast_statement *around) {
  struct span span = statement->kind == AST_RESET ? statement->span : statement->keyword_span;
  statement->is_misplaced = true;
  const char *where = around == NULL ? "here" : "in this block";
  struct diagnostic *d = diagnostic_add(context, DIAG_MISPLACED_STATEMENT, span,
                                        name_of(context, statement), where, NULL);
  if (around != NULL) diagnostic_label(context, d, around->keyword_span, "the block starts here");
  if (belongs_to_event(statement->kind))
    diagnostic_help(context, d, "it belongs into a block 'when ... { }' or 'every ... { }'");
  else if (belongs_to_file(statement->kind))
    diagnostic_help(context, d, "it stands outside of all blocks; is a '}' missing before it?");
  else
    diagnostic_help(context, d, "such a block holds ':=', 'release' and 'stop' only");
}

static void check_block(dyn_context *context, struct ast_statement *const *items, uint32_t count,
                        enum place place, const struct ast_statement *around) {
  for (uint32_t i = 0; i < count; i++) {
    struct ast_statement *statement = items[i];
    bool is_wrapper = statement->kind == AST_FOR || statement->kind == AST_IF_BLOCK;
    bool fits = place == IN_EVENT ? belongs_to_event(statement->kind) || is_wrapper
                                  : !belongs_to_event(statement->kind) &&
                                        (place == IN_FILE || !belongs_to_file(statement->kind));
    if (!fits) report(context, statement, around);
    enum place inner = statement->kind == AST_COMPONENT                              ? IN_COMPONENT
                       : statement->kind == AST_WHEN || statement->kind == AST_EVERY ? IN_EVENT
                       : place == IN_FILE                                            ? IN_BLOCK
                                                                                     : place;
    check_block(context, statement->body.items, statement->body.count, inner, statement);
    check_block(context, statement->otherwise.items, statement->otherwise.count, inner, statement);
  }
}

void placement_check(dyn_context *context, const struct ast *ast) {
  check_block(context, ast->statements.items, ast->statements.count, IN_FILE, NULL);
}
