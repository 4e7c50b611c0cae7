/* What `dyn docs` prints: a module of components, from its tree. */
#ifndef DYN_DRIVER_DOCS_PRINT_H
#define DYN_DRIVER_DOCS_PRINT_H
#include "base/text.h"
#include "compiler/compiler.h"

struct docs_printer {
  dyn_context *context;
  const struct ast *ast;
  const char *module;
  bool is_markdown;
  struct text *out;
};

/* The heading and comment of the module. */
void docs_print_module(struct docs_printer *p);
/* Its components, functions and constants, in the order of the text; only those called `only` if
 * that is not NULL. Returns how many there were. */
uint32_t docs_print_items(struct docs_printer *p, const char *only);
#endif
