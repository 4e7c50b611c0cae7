/* The standard library: the files of stdlib/, put into a C file by cmake/EmbedLibrary.cmake, or
 * those of a directory in their place (`directory`; NULL: the built-in ones). */
#ifndef DYN_SEMA_LIBRARY_H
#define DYN_SEMA_LIBRARY_H
#include "base/context.h"
#include "base/vector.h"

struct library_file {
  const char *name; /* "joints" */
  const char *text; /* not NUL-terminated */
  uint32_t length;
};
extern const struct library_file library_files[];
extern const uint32_t library_file_count;

struct library_names { /* strings in the context's arena, or static; `items` owned by the caller */
  const char **items;
  uint32_t count, capacity;
};
/* Appends the names of all modules, sorted with what is there. */
void library_list(dyn_context *context, const char *directory, struct library_names *names);
/* The path that a module's text is known by; in the context's arena. */
const char *library_path(dyn_context *context, const char *directory, const char *name);
/* A new source with the module's text; 0 if there is none or it can't be read. */
uint32_t library_read(dyn_context *context, const char *directory, const char *name);
#endif
