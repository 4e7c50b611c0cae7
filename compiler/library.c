/* The modules of the standard library as trees, for those who want to know what is in them. */
#include "compiler/compiler.h"
#include "sema/library.h"
#include <string.h>

const char *compiler_library_module(uint32_t i) {
  return i < library_file_count ? library_files[i].name : NULL;
}

struct ast *compiler_library_tree(dyn_compiler *compiler, const char *name) {
  for (uint32_t i = 0; i < library_file_count; i++) {
    const struct library_file *file = &library_files[i];
    if (strcmp(file->name, name) != 0) continue;
    dyn_context *context = compiler->context;
    return parse_model(context, source_add(&context->sources, name, file->text, file->length));
  }
  return NULL;
}
