/* Interned strings: equal texts have equal pointers, so names compare with ==. */
#ifndef DYN_BASE_INTERN_H
#define DYN_BASE_INTERN_H
#include "base/arena.h"
#include <stddef.h>
#include <stdint.h>

struct interner {
  struct arena *arena; /* not owned; the texts live in it */
  const char **slots;
  uint32_t count, capacity;
};

void interner_init(struct interner *interner, struct arena *arena);
void interner_clear(struct interner *interner);
const char *intern(struct interner *interner, const char *text, size_t length);
const char *intern_string(struct interner *interner, const char *text);
#endif
