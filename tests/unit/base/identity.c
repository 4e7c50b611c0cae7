/* Build ids of ELF files, and what stands for them where there are none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/identity.h"
#include "base/module.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Linked with --build-id=sha1: 20 bytes. */
static void this_program_has_one(void **state) {
  (void)state;
  char path[PATH_MAX];
  struct text id = {0}, again = {0};
  assert_true(module_own_path(path, sizeof path));
  assert_true(identity_of_file(path, &id));
  assert_true(identity_of_file(path, &again));
  assert_int_equal(id.length, 40);
  assert_int_equal(strspn(text_string(&id), "0123456789abcdef"), 40);
  assert_string_equal(text_string(&id), text_string(&again));
  text_free(&id);
  text_free(&again);
}

static void identity_of_bytes(const char *bytes, size_t size, struct text *out) {
  char path[] = "/tmp/identity-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, bytes, size) == (ssize_t)size);
  close(file);
  assert_true(identity_of_file(path, out));
  unlink(path);
}

/* All bytes count in other files, and in what only begins like an ELF file. */
static void other_files_have_hashes(void **state) {
  (void)state;
  static char long_one[200000] = "\x7f"
                                 "ELF";
  struct text one = {0}, other = {0};
  identity_of_bytes(long_one, sizeof long_one, &one);
  long_one[sizeof long_one - 1] = 1;
  identity_of_bytes(long_one, sizeof long_one, &other);
  assert_int_equal(one.length, 16);
  assert_string_not_equal(text_string(&one), text_string(&other));
  text_free(&one);
  text_free(&other);
}

static void a_file_that_is_not_there_has_none(void **state) {
  (void)state;
  struct text id = {0};
  assert_false(identity_of_file("/no/such/file", &id));
  assert_int_equal(id.length, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(this_program_has_one),
                                     cmocka_unit_test(other_files_have_hashes),
                                     cmocka_unit_test(a_file_that_is_not_there_has_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
