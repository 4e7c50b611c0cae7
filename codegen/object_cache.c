/* Files of a cache folder: <hash of the key>.dynobj = head, key, value. */
#define _DEFAULT_SOURCE /* mkstemps */
#include "codegen/object_cache.h"
#include "base/map.h"
#include "base/vector.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".dynobj"
#define SCRATCH_SUFFIX ".tmp"
enum { ABANDONED = 3600 }; /* seconds after which nobody writes a scratch file any more */

struct head {
  char magic[8];
  uint64_t key_size, value_size, check; /* check: of key and value */
};
static const char magic[8] = "dynobj1";

static uint64_t check_of(const char *key, size_t key_size, const char *value, size_t value_size) {
  return hash_bytes(value, value_size, hash_bytes(key, key_size, 1));
}

static void put_path(struct text *out, const char *folder, const struct text *key) {
  text_format(out, "%s/%016llx" SUFFIX, folder,
              (unsigned long long)hash_bytes(text_string(key), key->length, 0));
}

/* ---- reading */

static bool is_private(int file, off_t *size) {
  struct stat facts;
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  *size = facts.st_size;
  return facts.st_uid == geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool read_all(int file, char *out, size_t size) {
  while (size > 0) {
    ssize_t got = read(file, out, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    size -= (size_t)got;
  }
  return true;
}

/* The value in the entry's bytes, or NULL if they are not an entry for this key. */
static const char *value_in(const char *bytes, size_t size, const struct text *key,
                            size_t *value_size) {
  struct head head;
  if (size < sizeof head) return NULL;
  memcpy(&head, bytes, sizeof head);
  size -= sizeof head;
  bytes += sizeof head;
  bool fits = memcmp(head.magic, magic, sizeof magic) == 0 && head.key_size == key->length &&
              head.key_size <= size && head.value_size == size - head.key_size;
  if (!fits || memcmp(bytes, text_string(key), key->length) != 0) return NULL;
  const char *value = bytes + key->length;
  *value_size = (size_t)head.value_size;
  return head.check == check_of(bytes, key->length, value, *value_size) ? value : NULL;
}

static bool read_entry(int file, const struct text *key, struct text *value) {
  off_t size = 0;
  if (!is_private(file, &size) || size < 0 || (size_t)size > OBJECT_CACHE_MOST_BYTES) return false;
  char *bytes = checked_malloc((size_t)size + 1);
  size_t value_size = 0;
  const char *found = NULL;
  if (read_all(file, bytes, (size_t)size)) found = value_in(bytes, (size_t)size, key, &value_size);
  if (found != NULL) {
    text_add(value, found, value_size);
    futimens(file, NULL); /* used now */
  }
  free(bytes);
  return found != NULL;
}

bool object_cache_find(const char *folder, const struct text *key, struct text *value) {
  struct text path = {0};
  put_path(&path, folder, key);
  int file = open(text_string(&path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  text_free(&path);
  if (file < 0) return false;
  bool found = read_entry(file, key, value);
  close(file);
  return found;
}

/* ---- writing */

static bool write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t put = write(file, bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put;
    size -= (size_t)put;
  }
  return true;
}

/* The folder, with the folders above it that are missing. */
static void make_folder(const char *folder) {
  struct text path = {0};
  for (const char *end = folder; *end != '\0';) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    path.length = 0;
    text_add(&path, folder, (size_t)(end - folder));
    mkdir(text_string(&path), S_IRWXU); /* what fails shows when the file is opened */
  }
  text_free(&path);
}

static int open_scratch(const char *folder, struct text *path) {
  for (int attempt = 0; attempt < 2; attempt++) {
    path->length = 0;
    text_format(path, "%s/XXXXXX" SCRATCH_SUFFIX, folder);
    char *name = text_take(path);
    int file = mkstemps(name, (int)strlen(SCRATCH_SUFFIX));
    text_put(path, name);
    free(name);
    if (file >= 0 || errno != ENOENT) return file;
    make_folder(folder);
  }
  return -1;
}

void object_cache_keep(const char *folder, const struct text *key, const char *value, size_t size) {
  struct head head = {.key_size = key->length, .value_size = size};
  if (sizeof head + key->length + size > OBJECT_CACHE_MOST_BYTES / 4) return;
  memcpy(head.magic, magic, sizeof magic);
  head.check = check_of(text_string(key), key->length, value, size);
  struct text scratch = {0}, path = {0};
  int file = open_scratch(folder, &scratch);
  if (file >= 0) {
    put_path(&path, folder, key);
    bool good = write_all(file, (const char *)&head, sizeof head) &&
                write_all(file, text_string(key), key->length) && write_all(file, value, size);
    good = close(file) == 0 && good;
    good = good && rename(text_string(&scratch), text_string(&path)) == 0;
    if (!good) unlink(text_string(&scratch));
    object_cache_trim(folder, OBJECT_CACHE_MOST_BYTES);
  }
  text_free(&scratch);
  text_free(&path);
}

/* ---- letting go */

struct entry {
  struct timespec used;
  size_t size;
  char *path;
};

static bool ends_with(const char *name, const char *suffix) {
  size_t length = strlen(name), end = strlen(suffix);
  return length > end && strcmp(name + length - end, suffix) == 0;
}

static int by_use(const void *a, const void *b) {
  const struct timespec *one = &((const struct entry *)a)->used;
  const struct timespec *two = &((const struct entry *)b)->used;
  if (one->tv_sec != two->tv_sec) return one->tv_sec < two->tv_sec ? -1 : 1;
  return (one->tv_nsec > two->tv_nsec) - (one->tv_nsec < two->tv_nsec);
}

void object_cache_trim(const char *folder, size_t most) {
  DIR *stream = opendir(folder);
  if (stream == NULL) return;
  VECTOR(struct entry) entries = {0};
  size_t total = 0;
  for (const struct dirent *item; (item = readdir(stream)) != NULL;) {
    bool is_scratch = ends_with(item->d_name, SCRATCH_SUFFIX);
    if (!is_scratch && !ends_with(item->d_name, SUFFIX)) continue;
    struct text path = {0};
    struct stat facts;
    text_format(&path, "%s/%s", folder, item->d_name);
    if (lstat(text_string(&path), &facts) != 0 || !S_ISREG(facts.st_mode)) {
      text_free(&path);
    } else if (is_scratch) {
      if (facts.st_mtime + ABANDONED < time(NULL)) unlink(text_string(&path));
      text_free(&path);
    } else {
      total += (size_t)facts.st_size;
      vector_push(&entries,
                  ((struct entry){facts.st_mtim, (size_t)facts.st_size, text_take(&path)}));
    }
  }
  closedir(stream);
  if (total > most) qsort(entries.items, entries.count, sizeof *entries.items, by_use);
  for (uint32_t i = 0; i < entries.count; i++) {
    if (total > most && unlink(entries.items[i].path) == 0) total -= entries.items[i].size;
    free(entries.items[i].path);
  }
  vector_free(&entries);
}
