/* Compares the dump of a stage with the file beside the model:
 *
 *   golden tokens|ast model.dyn expected
 *
 * With DYN_GOLDEN_UPDATE set in the environment, the expected file is written instead. The dump
 * is followed by the rendered diagnostics, so that a model in a golden test shows those too. */
#include "parser/ast.h"
#include "lexer/lexer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void dump(dyn_context *context, const char *stage, uint32_t source, struct text *out) {
  if (strcmp(stage, "tokens") == 0) {
    struct token_list tokens;
    lexer_run(context, source, LEXER_MODEL, &tokens);
    tokens_dump(context, &tokens, out);
    lexer_clear(&tokens);
  } else {
    struct ast *ast = strcmp(stage, "assignments") == 0 ? parse_assignments(context, source)
                                                        : parse_model(context, source);
    ast_dump(ast, out);
    ast_free(ast);
  }
  diagnostics_render_text(context, out, false);
}

/* Prints the first lines that differ. */
static void show_difference(const char *expected, const char *got) {
  int line = 1;
  while (*expected != '\0' && *expected == *got) line += *expected++ == '\n', got++;
  printf("line %d differs near\n  expected: %.60s\n  got:      %.60s\n", line, expected, got);
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  dyn_context *context = context_new();
  uint32_t source = source_read(&context->sources, arguments[2]);
  if (source == 0) {
    perror(arguments[2]);
    return 2;
  }
  const char *slash = strrchr(arguments[2], '/');
  struct source *held = source_get(&context->sources, source);
  if (slash != NULL) held->name = slash + 1; /* dumps do not depend on where the tests stand */
  struct text got = {0};
  dump(context, arguments[1], source, &got);
  int status = 0;
  if (getenv("DYN_GOLDEN_UPDATE") != NULL) {
    FILE *file = fopen(arguments[3], "wb");
    if (file == NULL || fputs(text_string(&got), file) < 0 || fclose(file) != 0) status = 2;
  } else {
    uint32_t expected = source_read(&context->sources, arguments[3]);
    const char *text = expected != 0 ? source_get(&context->sources, expected)->text : "";
    status = strcmp(text, text_string(&got)) != 0;
    if (status != 0) show_difference(text, text_string(&got));
  }
  text_free(&got);
  context_free(context);
  return status;
}
