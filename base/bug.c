/* The two ways the compiler gives up on itself: an internal fault and lack of memory. */
#include "base/bug.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void bug_at(const char *file, int line, const char *format, ...) {
  va_list list;
  fprintf(stderr, "dyn: internal fault at %s:%d: ", file, line);
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputs("\nThis is a fault of dyn, not of the model; please report it with the model.\n", stderr);
  abort();
}

_Noreturn void out_of_memory(size_t size) {
  fprintf(stderr, "dyn: out of memory (a request for %zu bytes failed)\n", size);
  exit(3);
}

void *checked_malloc(size_t size) {
  void *block = malloc(size > 0 ? size : 1);
  if (block == NULL) out_of_memory(size);
  return block;
}

void *checked_calloc(size_t count, size_t size) {
  void *block = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
  if (block == NULL) out_of_memory(count * size);
  return block;
}

void *checked_realloc(void *block, size_t size) {
  void *grown = realloc(block, size > 0 ? size : 1);
  if (grown == NULL) out_of_memory(size);
  return grown;
}
