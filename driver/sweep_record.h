/* Journals of a sweep: what trajectories gave, written as they end, so that nothing that has ended
 * is lost when the program is killed. A journal is a sequence of records with check sums; it is
 * read up to the first record that is not whole. */
#ifndef DYN_DRIVER_SWEEP_RECORD_H
#define DYN_DRIVER_SWEEP_RECORD_H
#include "base/vector.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum sweep_record_kind {
  SWEEP_ROWS, /* some of the rows of a trajectory */
  SWEEP_END   /* its last rows, and how it ended */
};
/* Flags of an end; from SWEEP_STATUS on the dyn_status. */
enum { SWEEP_FAILED = 1, SWEEP_START_MOVED = 2, SWEEP_STATUS = 256 };

struct sweep_record {
  uint64_t trajectory; /* from 0 */
  uint32_t kind, flags;
  uint32_t n_numbers;   /* rows one after the other */
  uint32_t text_length; /* without a final 0; of an end: how it ended */
};

/* Appends in one piece; false, with errno, on failure. */
bool sweep_record_write(int file, const struct sweep_record *record, const double *numbers,
                        const char *text);

struct sweep_entry {
  struct sweep_record record;
  uint64_t offset; /* of the payload */
};

/* A journal that is read. */
struct sweep_journal {
  FILE *file;
  VECTOR(struct sweep_entry)
  entries;         /* of trajectories that have ended, in their order: each its
                      rows, then its end, once */
  double *numbers; /* of the record that was loaded last */
  char *text;
  size_t capacity;
};

/* False, with errno, if the file cannot be opened. */
bool sweep_journal_open(struct sweep_journal *journal, const char *path);
void sweep_journal_close(struct sweep_journal *journal);
/* Reads numbers and text (ended by a 0) of entry i; false if they cannot be read any more. */
bool sweep_journal_load(struct sweep_journal *journal, uint32_t i);
#endif
