/* dyn_context: what every stage gets as its first argument. There is no other mutable
 * state; two contexts in one process do not know of each other. */
#ifndef DYN_BASE_CONTEXT_H
#define DYN_BASE_CONTEXT_H
#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/intern.h"
#include "base/source.h"

typedef struct dyn_context dyn_context;
struct dyn_context {
  struct arena arena; /* lives as long as the context */
  struct interner names;
  struct source_set sources;
  struct diagnostic_list diagnostics;
};

dyn_context *context_new(void);
void context_free(dyn_context *context);
#endif
