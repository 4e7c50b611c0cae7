/* Faults that are our own (never the user's): bug() names the place and ends the process.
 * Running out of memory ends it too, with a plain message. */
#ifndef DYN_BASE_BUG_H
#define DYN_BASE_BUG_H
#include <stddef.h>

#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void out_of_memory(size_t size);
void *checked_malloc(size_t size);
void *checked_calloc(size_t count, size_t size);
void *checked_realloc(void *block, size_t size);
#endif
