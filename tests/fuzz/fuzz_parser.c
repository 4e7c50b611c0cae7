/* Any bytes go through the lexer, the parser, the dumps and both renderings of diagnostics. */
#include "lexer/lexer.h"
#include "parser/ast.h"
#include "tests/fuzz/fuzz.h"

static void read_all(dyn_context *context, uint32_t source, struct text *out) {
  struct token_list tokens;
  lexer_run(context, source, LEXER_MODEL, &tokens);
  tokens_dump(context, &tokens, out);
  lexer_clear(&tokens);
  struct ast *model = parse_model(context, source);
  ast_dump(model, out);
  ast_free(model);
  struct ast *assignments = parse_assignments(context, source);
  ast_dump(assignments, out);
  ast_free(assignments);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  dyn_context *context = context_new();
  uint32_t source = source_add(&context->sources, "fuzz.dyn", (const char *)bytes, size);
  if (source != 0) {
    struct text out = {0};
    read_all(context, source, &out);
    diagnostics_render_text(context, &out, true);
    diagnostics_render_json(context, &out);
    text_free(&out);
  }
  context_free(context);
  return 0;
}
