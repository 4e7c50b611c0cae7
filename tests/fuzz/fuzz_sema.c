/* Any bytes go through the parser and semantic analysis, the second half of them as assignments
 * from the command line where a line "%%" parts them; models that come out are checked and dumped.
 */
#include "parser/ast.h"
#include "sema/model.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

static size_t find_part(const char *bytes, size_t size) {
  for (size_t i = 0; i + 4 <= size; i++)
    if (memcmp(bytes + i, "\n%%\n", 4) == 0) return i + 1;
  return size;
}

static void add_overrides(dyn_context *context, struct sema_overrides *overrides, const char *bytes,
                          size_t size) {
  uint32_t source = source_add(&context->sources, "--set", bytes, size);
  if (source == 0) return;
  source_get(&context->sources, source)->is_command_line = true;
  vector_push(&overrides->set, source);
  vector_push(&overrides->start, source);
  vector_push(&overrides->at, source);
  vector_push(&overrides->input, source);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  dyn_context *context = context_new();
  struct sema_overrides overrides = {0};
  struct text out = {0};
  size_t part = find_part((const char *)bytes, size);
  uint32_t source = source_add(&context->sources, "fuzz.dyn", (const char *)bytes, part);
  if (part < size)
    add_overrides(context, &overrides, (const char *)bytes + part + 3, size - part - 3);
  if (source != 0) {
    struct ast *ast = parse_model(context, source);
    struct model *model = sema_analyse(context, ast, &overrides);
    if (model != NULL) {
      model_check(model);
      model_dump(model, &out);
    }
    model_free(model);
    diagnostics_render_text(context, &out, false);
    ast_free(ast);
  }
  text_free(&out);
  vector_free(&overrides.set);
  vector_free(&overrides.start);
  vector_free(&overrides.at);
  vector_free(&overrides.input);
  context_free(context);
  return 0;
}
