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

static inline struct fixture analyse(const char *text) {
  struct fixture f = {.context = context_new()};
  struct sema_overrides overrides = {0};
  uint32_t source = source_add(&f.context->sources, "test.dyn", text, strlen(text));
  f.ast = parse_model(f.context, source);
  f.model = sema_analyse(f.context, f.ast, &overrides);
  if (f.model != NULL) model_check(f.model);
  return f;
}

static inline void end(struct fixture *f) {
  model_free(f->model);
  ast_free(f->ast);
  context_free(f->context);
}
#endif
