/* Running the parser: lexer, grammar, checks of placement; and freeing what it made. */
#include "parser/build.h"
#include <string.h>

static struct ast *parse(dyn_context *context, uint32_t source, bool is_assignments) {
  struct ast *ast = checked_calloc(1, sizeof *ast);
  ast->source = source;
  vector_push(&ast->expressions, (struct ast_expression){0});
  struct token_list lexed;
  lexer_run(context, source, is_assignments ? LEXER_ASSIGNMENTS : LEXER_MODEL, &lexed);
  struct builder b = {.context = context,
                      .tokens = lexed.tokens.items,
                      .lexed = &lexed,
                      .ast = ast,
                      .next = 1,
                      .is_assignments = is_assignments};
  grammar_run(&b);
  for (uint32_t i = 0; i < b.statements.count; i++)
    vector_push(&ast->statements, b.statements.items[i]);
  if (!is_assignments) {
    ast->doc = doc_of_file(&b);
    placement_check(context, ast);
  }
  vector_free(&b.list);
  vector_free(&b.items);
  vector_free(&b.equations);
  vector_free(&b.formals);
  vector_free(&b.rotations);
  vector_free(&b.factors);
  vector_free(&b.statements);
  map_free(&b.declared_names);
  lexer_clear(&lexed);
  return ast;
}

struct ast *parse_model(dyn_context *context, uint32_t source) {
  return parse(context, source, false);
}

struct ast *parse_assignments(dyn_context *context, uint32_t source) {
  return parse(context, source, true);
}

/* Statements, units and texts live in the context's arena. */
void ast_free(struct ast *ast) {
  if (ast == NULL) return;
  vector_free(&ast->expressions);
  vector_free(&ast->lists);
  vector_free(&ast->statements);
  free(ast);
}
