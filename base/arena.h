/* Arena: memory by lifetime. Everything allocated from an arena lives until arena_clear.
 * Allocation never returns NULL: a process without memory ends with a message (see bug.h). */
#ifndef DYN_BASE_ARENA_H
#define DYN_BASE_ARENA_H
#include <stddef.h>
#include <stdarg.h>

struct arena_block;
struct arena {
  struct arena_block *head;
  size_t used; /* bytes handed out, for --timings and for limits */
};

void arena_init(struct arena *arena);
void arena_clear(struct arena *arena); /* frees everything; the arena can be used again */

/* Zeroed memory for `size` bytes, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *bytes, size_t size);
/* A NUL-terminated copy of `length` bytes. */
char *arena_string(struct arena *arena, const char *text, size_t length);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vformat(struct arena *arena, const char *format, va_list list);

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(count)))
#endif
