/* Open-addressing set of NUL-terminated strings. */
#include "base/intern.h"
#include "base/bug.h"
#include "base/map.h"
#include <stdlib.h>
#include <string.h>

void interner_init(struct interner *interner, struct arena *arena) {
  *interner = (struct interner){.arena = arena};
}

void interner_clear(struct interner *interner) {
  free(interner->slots);
  interner_init(interner, interner->arena);
}

static const char **find_slot(const struct interner *in, const char *text, size_t length) {
  uint32_t mask = in->capacity - 1;
  uint32_t slot = (uint32_t)hash_bytes(text, length, 0) & mask;
  for (;; slot = (slot + 1) & mask) {
    const char *held = in->slots[slot];
    if (held == NULL || (strncmp(held, text, length) == 0 && held[length] == '\0'))
      return &in->slots[slot];
  }
}

static void grow(struct interner *in) {
  struct interner old = *in;
  in->capacity = old.capacity == 0 ? 64 : old.capacity * 2;
  in->slots = checked_calloc(in->capacity, sizeof *in->slots);
  for (uint32_t i = 0; i < old.capacity; i++)
    if (old.slots[i] != NULL) *find_slot(in, old.slots[i], strlen(old.slots[i])) = old.slots[i];
  free(old.slots);
}

const char *intern(struct interner *in, const char *text, size_t length) {
  if ((in->count + 1) * 2 > in->capacity) grow(in);
  const char **slot = find_slot(in, text, length);
  if (*slot == NULL) {
    *slot = arena_string(in->arena, text, length);
    in->count++;
  }
  return *slot;
}

const char *intern_string(struct interner *interner, const char *text) {
  return intern(interner, text, strlen(text));
}
