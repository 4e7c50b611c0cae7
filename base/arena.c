/* Arena allocation in blocks that double in size up to a megabyte. */
#include "base/arena.h"
#include "base/bug.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 8 * 1024, LARGEST_BLOCK = 1024 * 1024, ALIGNMENT = 16 };

struct arena_block {
  struct arena_block *next;
  size_t size, used;
  _Alignas(16) unsigned char bytes[];
};

void arena_init(struct arena *arena) {
  arena->head = NULL;
  arena->used = 0;
}

void arena_clear(struct arena *arena) {
  for (struct arena_block *block = arena->head; block != NULL;) {
    struct arena_block *next = block->next;
    free(block);
    block = next;
  }
  arena_init(arena);
}

static struct arena_block *block_new(struct arena *arena, size_t size) {
  size_t wanted = arena->head == NULL ? FIRST_BLOCK : arena->head->size * 2;
  if (wanted > LARGEST_BLOCK) wanted = LARGEST_BLOCK;
  if (wanted < size) wanted = size;
  struct arena_block *block = checked_malloc(sizeof *block + wanted);
  block->size = wanted;
  block->used = 0;
  block->next = arena->head;
  arena->head = block;
  return block;
}

void *arena_alloc(struct arena *arena, size_t size) {
  if (size > SIZE_MAX / 2) out_of_memory(size);
  size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  struct arena_block *block = arena->head;
  if (block == NULL || block->size - block->used < size) block = block_new(arena, size);
  void *result = block->bytes + block->used;
  block->used += size;
  arena->used += size;
  return memset(result, 0, size);
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size) {
  void *copy = arena_alloc(arena, size);
  if (size > 0) memcpy(copy, bytes, size);
  return copy;
}

char *arena_string(struct arena *arena, const char *text, size_t length) {
  char *copy = arena_alloc(arena, length + 1);
  if (length > 0) memcpy(copy, text, length);
  return copy;
}

char *arena_vformat(struct arena *arena, const char *format, va_list list) {
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0) bug("bad format '%s'", format);
  char *text = arena_alloc(arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, list);
  return text;
}

char *arena_format(struct arena *arena, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text = arena_vformat(arena, format, list);
  va_end(list);
  return text;
}
