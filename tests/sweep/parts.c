/* Parts of sweeps by themselves: journals that are cut anywhere, mixed and damaged; the estimate of
 * the time left against simulated sweeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/random.h"
#include "driver/sweep_progress.h"
#include "driver/sweep_record.h"

/* Two trajectories whose rows are interleaved, one that never ends, and an end that comes twice. */
static const struct {
  struct sweep_record record;
  double first;
  const char *text;
} written[] = {{{7, SWEEP_ROWS, 0, 3, 0}, 1, ""},
               {{2, SWEEP_ROWS, 0, 2, 0}, 4, ""},
               {{7, SWEEP_END, 0, 1, 4}, 2, "done"},
               {{9, SWEEP_ROWS, 0, 5, 0}, 0, ""},
               {{2, SWEEP_END, SWEEP_FAILED, 0, 7}, 0, "it fell"},
               {{7, SWEEP_END, 0, 1, 4}, 3, "done"}};
enum { WRITTEN = sizeof written / sizeof written[0] };

static void write_journal(const char *path, size_t ends[WRITTEN]) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  assert_true(file >= 0);
  for (int i = 0; i < WRITTEN; i++) {
    double numbers[5];
    for (int k = 0; k < 5; k++) numbers[k] = written[i].first + k;
    assert_true(sweep_record_write(file, &written[i].record, numbers, written[i].text));
    ends[i] = (size_t)lseek(file, 0, SEEK_END);
  }
  close(file);
}

static void check_whole(const char *path) {
  static const int order[] = {1, 4, 0, 2}; /* trajectory 2, then 7 */
  struct sweep_journal journal;
  assert_true(sweep_journal_open(&journal, path));
  assert_int_equal(journal.entries.count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    const struct sweep_record *got = &journal.entries.items[i].record;
    assert_memory_equal(got, &written[order[i]].record, sizeof *got);
    assert_true(sweep_journal_load(&journal, i));
    assert_string_equal(journal.text, written[order[i]].text);
    for (uint32_t k = 0; k < got->n_numbers; k++)
      assert_true(journal.numbers[k] == written[order[i]].first + k);
  }
  sweep_journal_close(&journal);
}

static void copy_with(const char *from, const char *to, size_t size, size_t flipped) {
  char *bytes = malloc(size + 1);
  FILE *file = fopen(from, "rb");
  assert_non_null(file);
  assert_int_equal(fread(bytes, 1, size, file), size);
  fclose(file);
  if (flipped < size) bytes[flipped] ^= 1;
  assert_non_null(file = fopen(to, "wb"));
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  free(bytes);
}

/* How many entries there are of what ends within the first `whole` records. */
static uint32_t expected(int whole) {
  return whole >= 5 ? 4 : whole >= 3 ? 2 : 0;
}

static void test_journals_cut_and_damaged(void **state) {
  (void)state;
  char path[] = "/tmp/dyn-journal-XXXXXX", cut[64];
  size_t ends[WRITTEN];
  close(mkstemp(path));
  snprintf(cut, sizeof cut, "%s-cut", path);
  write_journal(path, ends);
  check_whole(path);
  for (size_t size = 0; size <= ends[WRITTEN - 1]; size++)
    for (int flips = 0; flips < 2; flips++) {
      if (flips && size == ends[WRITTEN - 1]) continue;
      copy_with(path, cut, flips ? ends[WRITTEN - 1] : size, flips ? size : SIZE_MAX);
      int whole = 0;
      while (whole < WRITTEN && ends[whole] <= size) whole++;
      struct sweep_journal journal;
      assert_true(sweep_journal_open(&journal, cut));
      assert_int_equal(journal.entries.count, expected(whole));
      sweep_journal_close(&journal);
    }
  unlink(path);
  unlink(cut);
}

/* Sweeps whose trajectories take exponentially distributed times: the range holds the time that it
 * took in the end, nearly always, and is not much wider than it must be. */
static void test_time_left(void **state) {
  (void)state;
  enum { SWEEPS = 400, TOTAL = 1000, SEEN = 200 };
  int inside = 0;
  double width = 0;
  for (int s = 0; s < SWEEPS; s++) {
    struct sweep_measure m = {.total = TOTAL, .workers = 2};
    double rest = 0, least, most;
    for (int i = 0; i < TOTAL; i++) {
      double u[2];
      random_uniform((uint64_t)s, (uint64_t)i, 0, u);
      double seconds = -log(u[0]);
      if (i >= SEEN) {
        rest += seconds / m.workers;
        continue;
      }
      m.ended++;
      m.seconds += seconds;
      m.squares += seconds * seconds;
    }
    assert_true(sweep_time_left(&m, &least, &most));
    inside += least <= rest && rest <= most;
    width += (most - least) / SWEEPS;
  }
  double ideal = 2 * 2 * sqrt(800 + 800.0 * 800 / 200) / 2;
  assert_true(inside > 0.92 * SWEEPS); /* two standard deviations: 95 % */
  assert_true(width > 0.9 * ideal && width < 1.1 * ideal);
}

static void test_words(void **state) {
  (void)state;
  static const struct {
    struct sweep_measure measure;
    const char *words;
  } cases[] = {{{.total = 100, .workers = 2}, "0 of 100 trajectories"},
               {{.total = 100, .known = 5, .ended = 3, .seconds = 1, .squares = 1, .workers = 2},
                "8 of 100 trajectories"},
               {{.total = 10000, .ended = 400, .seconds = 400, .squares = 500, .workers = 2},
                "400 of 10000 trajectories, 2 a second, 76 to 84 min left"},
               {{.total = 400, .ended = 400, .seconds = 40, .squares = 4, .workers = 1},
                "400 of 400 trajectories, 10 a second, less than a second left"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct text text = {0};
    sweep_progress_words(&cases[i].measure, &text);
    assert_string_equal(text_string(&text), cases[i].words);
    text_free(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_journals_cut_and_damaged),
                                     cmocka_unit_test(test_time_left),
                                     cmocka_unit_test(test_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
