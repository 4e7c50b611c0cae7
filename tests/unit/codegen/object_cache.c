/* The cache of machine code: what is kept is found, and nothing else ever is. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/map.h"
#include "codegen/object_cache.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
  char root[64];
  struct text folder; /* two levels below the root: the cache makes them */
};

static int open_fixture(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  strcpy(f->root, "/tmp/dyn-cache-XXXXXX");
  assert_non_null(mkdtemp(f->root));
  text_format(&f->folder, "%s/a/b", f->root);
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  struct fixture *f = *state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", f->root);
  int status = system(command);
  text_free(&f->folder);
  free(f);
  return status;
}

static struct text key_of(const char *name) {
  struct text key = {0};
  text_put(&key, name);
  return key;
}

static bool finds(const struct fixture *f, const char *name, const char *wanted) {
  struct text key = key_of(name), value = {0};
  bool found = object_cache_find(text_string(&f->folder), &key, &value);
  if (found) assert_string_equal(text_string(&value), wanted);
  text_free(&key);
  text_free(&value);
  return found;
}

static void keep(const struct fixture *f, const char *name, const char *value) {
  struct text key = key_of(name);
  object_cache_keep(text_string(&f->folder), &key, value, strlen(value));
  text_free(&key);
}

static struct text path_of(const struct fixture *f, const char *name) {
  struct text path = {0};
  text_format(&path, "%s/%016llx.dynobj", text_string(&f->folder),
              (unsigned long long)hash_bytes(name, strlen(name), 0));
  return path;
}

static void what_is_kept_is_found(void **state) {
  struct fixture *f = *state;
  assert_false(finds(f, "one", ""));
  keep(f, "one", "first");
  keep(f, "two", "second");
  assert_true(finds(f, "one", "first"));
  assert_true(finds(f, "two", "second"));
  assert_false(finds(f, "three", ""));
  keep(f, "one", "anew");
  assert_true(finds(f, "one", "anew"));
}

/* An entry in the place of another key (equal hashes) is not that key's. */
static void equal_hashes_are_told_apart(void **state) {
  struct fixture *f = *state;
  keep(f, "one", "first");
  struct text one = path_of(f, "one"), two = path_of(f, "two");
  assert_int_equal(rename(text_string(&one), text_string(&two)), 0);
  assert_false(finds(f, "two", ""));
  text_free(&one);
  text_free(&two);
}

/* Every byte of an entry matters, and so does its length. */
static void damage_is_seen(void **state) {
  struct fixture *f = *state;
  keep(f, "key", "value");
  struct text path = path_of(f, "key");
  struct stat facts;
  assert_int_equal(stat(text_string(&path), &facts), 0);
  for (off_t at = 0; at < facts.st_size; at++) {
    char byte;
    int file = open(text_string(&path), O_RDWR);
    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte ^= 4;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    assert_false(finds(f, "key", ""));
    byte ^= 4;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    close(file);
  }
  assert_true(finds(f, "key", "value"));
  for (off_t size = 0; size < facts.st_size; size++) {
    keep(f, "key", "value");
    assert_int_equal(truncate(text_string(&path), size), 0);
    assert_false(finds(f, "key", ""));
  }
  text_free(&path);
}

/* What others may write would be run as they please. */
static void open_files_are_not_trusted(void **state) {
  struct fixture *f = *state;
  keep(f, "key", "value");
  struct text path = path_of(f, "key");
  assert_int_equal(chmod(text_string(&path), 0622), 0);
  assert_false(finds(f, "key", ""));
  assert_int_equal(chmod(text_string(&path), 0600), 0);
  assert_true(finds(f, "key", "value"));
  text_free(&path);
}

static void set_use(const struct fixture *f, const char *name, time_t when) {
  struct text path = path_of(f, name);
  const struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};
  assert_int_equal(utimensat(AT_FDCWD, text_string(&path), times, 0), 0);
  text_free(&path);
}

/* The entries not used for longest go; looking one up is using it. */
static void old_entries_go(void **state) {
  struct fixture *f = *state;
  static const char *const names[] = {"k1", "k2", "k3"};
  for (int i = 0; i < 3; i++) {
    keep(f, names[i], "value");
    set_use(f, names[i], 1000 + i);
  }
  assert_true(finds(f, "k1", "value"));
  struct text path = path_of(f, "k1");
  struct stat facts;
  assert_int_equal(stat(text_string(&path), &facts), 0);
  object_cache_trim(text_string(&f->folder), (size_t)facts.st_size * 2);
  assert_true(finds(f, "k1", "value"));
  assert_false(finds(f, "k2", ""));
  assert_true(finds(f, "k3", "value"));
  object_cache_trim(text_string(&f->folder), 0);
  assert_false(finds(f, "k1", ""));
  text_free(&path);
}

static void no_folder_is_no_fault(void **state) {
  (void)state;
  struct text key = key_of("key"), value = {0};
  object_cache_keep("/proc/no/such/folder", &key, "value", 5);
  assert_false(object_cache_find("/proc/no/such/folder", &key, &value));
  text_free(&key);
  text_free(&value);
}

int main(void) {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
  const struct CMUnitTest tests[] = {
      WITH_FOLDER(what_is_kept_is_found), WITH_FOLDER(equal_hashes_are_told_apart),
      WITH_FOLDER(damage_is_seen),        WITH_FOLDER(open_files_are_not_trusted),
      WITH_FOLDER(old_entries_go),        cmocka_unit_test(no_folder_is_no_fault)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
