/* Hash map from 64-bit keys to 32-bit values (open addressing, never shrinks).
 * Keys may be pointers, ids or pairs of ids; the value 0 means "absent". */
#ifndef DYN_BASE_MAP_H
#define DYN_BASE_MAP_H
#include <stddef.h>
#include <stdint.h>

struct map {
  uint64_t *keys;
  uint32_t *values;
  uint32_t count, capacity; /* capacity is 0 or a power of two */
};

uint32_t map_get(const struct map *map, uint64_t key);              /* 0 if absent */
void map_set(struct map *map, uint64_t key, uint32_t value);        /* value must not be 0 */
void map_free(struct map *map);

static inline uint64_t map_pair(uint32_t a, uint32_t b) {
  return (uint64_t)a << 32 | b;
}

/* Mixes the bits of a key (splitmix64 finaliser); also the building block of other hashes. */
static inline uint64_t hash_mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed);
#endif
