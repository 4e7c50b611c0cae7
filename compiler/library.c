/* The modules of the standard library as trees, for those who want to know what is in them. */
#include "compiler/compiler.h"
#include <stdlib.h>

const char *compiler_library_directory(void) {
  const char *directory = getenv("DYN_STDLIB");
  return directory != NULL && directory[0] != '\0' ? directory : NULL;
}

void compiler_library_list(dyn_compiler *compiler, struct library_names *names) {
  library_list(compiler->context, compiler_library_directory(), names);
}

struct ast *compiler_library_tree(dyn_compiler *compiler, const char *name) {
  uint32_t source = library_read(compiler->context, compiler_library_directory(), name);
  return source != 0 ? parse_model(compiler->context, source) : NULL;
}
