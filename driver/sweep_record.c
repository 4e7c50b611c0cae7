/* Journals of a sweep, in the byte order of the machine: another order shows as a wrong mark. */
#include "driver/sweep_record.h"
#include "base/map.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK 0x64796e2e73776570u /* "dyn.swep" */

struct head {
  uint64_t mark, checksum; /* checksum: of the record and its payload */
  struct sweep_record record;
};

static uint64_t checksum(const struct sweep_record *record, const void *payload, size_t size) {
  return hash_bytes(payload, size, hash_bytes(record, sizeof *record, MARK));
}

static size_t payload_size(const struct sweep_record *record) {
  return (size_t)record->n_numbers * sizeof(double) + record->text_length;
}

static bool write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes += written;
    size -= (size_t)written;
  }
  return true;
}

bool sweep_record_write(int file, const struct sweep_record *record, const double *numbers,
                        const char *text) {
  size_t size = payload_size(record), n = (size_t)record->n_numbers * sizeof(double);
  char *bytes = checked_calloc(sizeof(struct head) + size + 1, 1), *payload;
  payload = bytes + sizeof(struct head);
  if (n > 0) memcpy(payload, numbers, n);
  if (record->text_length > 0) memcpy(payload + n, text, record->text_length);
  struct head head = {MARK, checksum(record, payload, size), *record};
  memcpy(bytes, &head, sizeof head);
  bool good = write_all(file, bytes, sizeof head + size);
  int fault = errno;
  free(bytes);
  errno = fault;
  return good;
}

/* ---------------------------------------------------------------- reading */

static void reserve(struct sweep_journal *journal, size_t size) {
  if (size <= journal->capacity) return;
  journal->numbers = checked_realloc(journal->numbers, size);
  journal->capacity = size;
}

/* The payload at the file's position, with a 0 behind it. */
static bool read_payload(struct sweep_journal *journal, const struct sweep_record *record) {
  size_t size = payload_size(record);
  reserve(journal, size + 1);
  char *bytes = (char *)journal->numbers;
  journal->text = bytes + (size_t)record->n_numbers * sizeof(double);
  if (fread(bytes, 1, size, journal->file) != size) return false;
  bytes[size] = '\0';
  return true;
}

/* All whole records; entry by entry as they stand. */
static void scan(struct sweep_journal *journal, uint64_t file_size) {
  struct head head;
  uint64_t at = 0;
  while (at + sizeof head <= file_size && fread(&head, sizeof head, 1, journal->file) == 1) {
    size_t size = payload_size(&head.record);
    if (head.mark != MARK || size > file_size - at - sizeof head) return;
    if (!read_payload(journal, &head.record)) return;
    if (head.checksum != checksum(&head.record, journal->numbers, size)) return;
    struct sweep_entry entry = {head.record, at + sizeof head};
    vector_push(&journal->entries, entry);
    at += sizeof head + size;
  }
}

static int compare_entries(const void *a, const void *b) {
  const struct sweep_entry *x = a, *y = b;
  if (x->record.trajectory != y->record.trajectory)
    return x->record.trajectory < y->record.trajectory ? -1 : 1;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Leaves out trajectories without an end, and what stands behind an end. */
static void keep_ended(struct sweep_journal *journal) {
  struct sweep_entry *items = journal->entries.items;
  uint32_t count = journal->entries.count, kept = 0;
  for (uint32_t i = 0; i < count;) {
    uint32_t next = i, end = UINT32_MAX;
    uint64_t trajectory = items[i].record.trajectory;
    for (; next < count && items[next].record.trajectory == trajectory; next++)
      if (end == UINT32_MAX && items[next].record.kind == SWEEP_END) end = next;
    for (uint32_t k = i; end != UINT32_MAX && k <= end; k++) items[kept++] = items[k];
    i = next;
  }
  journal->entries.count = kept;
}

bool sweep_journal_open(struct sweep_journal *journal, const char *path) {
  struct stat status;
  *journal = (struct sweep_journal){.file = fopen(path, "rb")};
  if (journal->file == NULL) return false;
  if (fstat(fileno(journal->file), &status) == 0 && status.st_size > 0)
    scan(journal, (uint64_t)status.st_size);
  if (journal->entries.count > 0)
    qsort(journal->entries.items, journal->entries.count, sizeof(struct sweep_entry),
          compare_entries);
  keep_ended(journal);
  return true;
}

void sweep_journal_close(struct sweep_journal *journal) {
  if (journal->file != NULL) fclose(journal->file);
  vector_free(&journal->entries);
  free(journal->numbers);
  *journal = (struct sweep_journal){0};
}

bool sweep_journal_load(struct sweep_journal *journal, uint32_t i) {
  const struct sweep_entry *entry = &journal->entries.items[i];
  return fseeko(journal->file, (off_t)entry->offset, SEEK_SET) == 0 &&
         read_payload(journal, &entry->record);
}
