/* Making and freeing a context. */
#include "base/context.h"
#include "base/bug.h"
#include <stdlib.h>

dyn_context *context_new(void) {
  dyn_context *context = checked_calloc(1, sizeof *context);
  arena_init(&context->arena);
  interner_init(&context->names, &context->arena);
  source_set_init(&context->sources, &context->arena);
  return context;
}

void context_free(dyn_context *context) {
  if (context == NULL) return;
  vector_free(&context->diagnostics);
  interner_clear(&context->names);
  source_set_clear(&context->sources);
  arena_clear(&context->arena);
  free(context);
}
