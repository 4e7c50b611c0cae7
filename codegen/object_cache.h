/* Machine code that an earlier run left on disk, so that LLVM need not make it again.
 *
 * An entry is a file that holds the whole key beside the value. Both are compared byte by byte: two
 * keys with one hash, a torn write or a damaged disk give a miss, never the wrong code. Entries
 * are written beside their name and renamed, so that several processes may share a folder. What
 * fails (no folder, a full disk) is not reported: a cache that does not work costs time only. */
#ifndef DYN_CODEGEN_OBJECT_CACHE_H
#define DYN_CODEGEN_OBJECT_CACHE_H
#include "base/text.h"
#include <stdbool.h>

/* All entries of a folder together; the ones not used for longest go first. */
#define OBJECT_CACHE_MOST_BYTES ((size_t)64 << 20)

/* Appends the value kept under `key` to `value`. Entries that others than this user could have
 * written are not looked at: they would be run. */
bool object_cache_find(const char *folder, const struct text *key, struct text *value);
/* Makes the folder if it is missing. */
void object_cache_keep(const char *folder, const struct text *key, const char *value, size_t size);
/* Lets the oldest entries go until at most `most` bytes are left; object_cache_keep calls it. */
void object_cache_trim(const char *folder, size_t most);
#endif
