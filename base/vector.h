/* Growable arrays of any type: VECTOR(int) numbers = {0}; vector_push(&numbers, 3);
 * numbers.items[0] == 3. Owned by the holder: vector_free when done. */
#ifndef DYN_BASE_VECTOR_H
#define DYN_BASE_VECTOR_H
#include "base/bug.h"
#include <stdint.h>
#include <stdlib.h>

#define VECTOR(type)                                                                               \
  struct {                                                                                         \
    type *items;                                                                                   \
    uint32_t count, capacity;                                                                      \
  }

static inline void *vector_grow(void *items, uint32_t *capacity, size_t wanted, size_t item_size) {
  size_t grown = *capacity < 8 ? 8 : (size_t)*capacity * 2;
  if (grown < wanted) grown = wanted;
  if (grown > UINT32_MAX) out_of_memory(grown * item_size);
  *capacity = (uint32_t)grown;
  return checked_realloc(items, grown * item_size);
}

#define vector_reserve(vector, wanted)                                                             \
  ((size_t)(wanted) > (vector)->capacity                                                           \
       ? (void)((vector)->items = vector_grow((vector)->items, &(vector)->capacity, (wanted),      \
                                              sizeof *(vector)->items))                            \
       : (void)0)
#define vector_push(vector, item)                                                                  \
  (vector_reserve((vector), (size_t)(vector)->count + 1),                                          \
   (vector)->items[(vector)->count++] = (item))
#define vector_pop(vector) ((vector)->items[--(vector)->count])
#define vector_last(vector) ((vector)->items[(vector)->count - 1])
#define vector_free(vector)                                                                        \
  (free((vector)->items), (vector)->items = NULL, (vector)->count = (vector)->capacity = 0)
#endif
