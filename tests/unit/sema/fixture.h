/* For tests of sema/: a text and the model that it becomes. */
#ifndef DYN_TESTS_SEMA_FIXTURE_H
#define DYN_TESTS_SEMA_FIXTURE_H
#include "parser/ast.h"
#include "sema/model.h"
#include <string.h>

struct fixture {
  dyn_context *context;
  struct ast *ast;
  struct model *model; /* NULL if errors were reported */
};

/* With what --vary hands over ("m = 1, l = 2"), or NULL. */
static inline struct fixture analyse_varied(const char *text, const char *varied) {
  struct fixture f = {.context = context_new()};
  struct sema_overrides overrides = {0};
  if (varied != NULL) {
    uint32_t option = source_add(&f.context->sources, "--vary", varied, strlen(varied));
    source_get(&f.context->sources, option)->is_command_line = true;
    vector_push(&overrides.vary, option);
  }
  uint32_t source = source_add(&f.context->sources, "test.dyn", text, strlen(text));
  f.ast = parse_model(f.context, source);
  f.model = sema_analyse(f.context, f.ast, &overrides);
  if (f.model != NULL) model_check(f.model);
  vector_free(&overrides.vary);
  return f;
}

static inline struct fixture analyse(const char *text) {
  return analyse_varied(text, NULL);
}

static inline void end(struct fixture *f) {
  model_free(f->model);
  ast_free(f->ast);
  context_free(f->context);
}
#endif
