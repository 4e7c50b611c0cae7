/* Linear probing with a load of at most one half. */
#include "base/map.h"
#include "base/bug.h"
#include <stdlib.h>
#include <string.h>

static uint32_t find_slot(const struct map *map, uint64_t key) {
  uint32_t mask = map->capacity - 1;
  uint32_t slot = (uint32_t)hash_mix(key) & mask;
  while (map->values[slot] != 0 && map->keys[slot] != key) slot = (slot + 1) & mask;
  return slot;
}

uint32_t map_get(const struct map *map, uint64_t key) {
  return map->capacity == 0 ? 0 : map->values[find_slot(map, key)];
}

static void grow(struct map *map) {
  struct map old = *map;
  map->capacity = old.capacity == 0 ? 16 : old.capacity * 2;
  map->keys = checked_malloc(map->capacity * sizeof *map->keys);
  map->values = checked_calloc(map->capacity, sizeof *map->values);
  for (uint32_t i = 0; i < old.capacity; i++) {
    if (old.values[i] == 0) continue;
    uint32_t slot = find_slot(map, old.keys[i]);
    map->keys[slot] = old.keys[i];
    map->values[slot] = old.values[i];
  }
  free(old.keys);
  free(old.values);
}

void map_set(struct map *map, uint64_t key, uint32_t value) {
  if (value == 0) bug("a map holds no zeros");
  if ((map->count + 1) * 2 > map->capacity) grow(map);
  uint32_t slot = find_slot(map, key);
  if (map->values[slot] == 0) map->count++;
  map->keys[slot] = key;
  map->values[slot] = value;
}

void map_free(struct map *map) {
  free(map->keys);
  free(map->values);
  memset(map, 0, sizeof *map);
}

uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed) {
  const unsigned char *p = bytes;
  uint64_t hash = seed ^ (size * 0x9e3779b97f4a7c15u);
  for (; size >= 8; size -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    hash = hash_mix(hash ^ word);
  }
  uint64_t word = 0;
  if (size > 0) memcpy(&word, p, size);
  return hash_mix(hash ^ word);
}
