/* Imports: every file that a model needs, read and parsed. */
#ifndef DYN_SEMA_IMPORT_H
#define DYN_SEMA_IMPORT_H
#include "base/context.h"
#include "base/vector.h"
#include "parser/ast.h"

struct import_edge { /* one import statement */
  const struct ast_statement *statement;
  uint32_t file; /* into imports->files; 0: it could not be had, which was reported */
};

struct import_file {
  const struct ast *ast;
  struct ast *owned; /* the same; NULL for the model itself */
  const char *key;   /* tells files apart, whatever they are called; interned */
  const char *stem;  /* "leg" of "parts/leg.dyn"; interned */
  bool is_library;   /* of the standard library */
  VECTOR(struct import_edge) edges;
};

struct imports {
  VECTOR(struct import_file) files; /* [0] is the model's file; each file once */
};

/* Reads what `ast` imports, and what those files import. Reports files that can't be had, faults in
 * their text, and files that import themselves. `library`: a directory that takes the place of the
 * standard library; NULL: the one that is built in. Owned: imports_free. */
void imports_read(dyn_context *context, const struct ast *ast, const char *library,
                  struct imports *out);
void imports_free(struct imports *imports);
#endif
