/* The table of a sweep: its columns, and the chunks' rows in the order of the trajectories. */
#include "driver/sweep.h"
#include "driver/sweep_record.h"
#include "driver/table_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------- columns */

struct columns {
  struct sweep *sweep;
  VECTOR(dyn_table_column) items; /* texts in the context's arena */
};

static const char *keep(struct columns *c, const char *text) {
  return text != NULL ? arena_format(&session_context(c->sweep->session)->arena, "%s", text) : NULL;
}

static void add_column(struct columns *c, const char *name, const char *unit, const char *doc,
                       bool is_text) {
  dyn_table_column column = {name, keep(c, unit), keep(c, doc), is_text};
  vector_push(&c->items, column);
}

/* The table's own columns give way to names of the model. */
static const char *free_name(const struct columns *c, const char *name) {
  for (uint32_t i = 0; i < c->items.count; i++)
    if (strcmp(c->items.items[i].name, name) == 0) { /* then look from the begin again */
      name = arena_format(&session_context(c->sweep->session)->arena, "%s_", name);
      i = UINT32_MAX;
    }
  return name;
}

static void add_varied(struct columns *c, const struct variation *v) {
  const dyn_model *m = c->sweep->problem.model;
  const dyn_variable *variable = v->target == VARY_PARAMETER ? &m->parameters[v->index]
                                 : v->target == VARY_INPUT   ? &m->inputs[v->index]
                                                             : problem_state_variable(m, v->index);
  struct arena *arena = &session_context(c->sweep->session)->arena;
  char *name = v->target == VARY_START ? arena_format(arena, "start(%s)", variable->name)
                                       : arena_format(arena, "%s", variable->name);
  add_column(c, name, variable->unit, variable->doc, false);
}

static void add_recorded(struct columns *c, uint32_t i) {
  static const char *const extremes[] = {"min", "max"};
  struct arena *arena = &session_context(c->sweep->session)->arena;
  dyn_column column;
  if (dyn_column_describe(c->sweep->problem.model, c->sweep->columns.items[i], &column) != DYN_DONE)
    out_of_memory(1);
  bool are_two = c->sweep->recorded == RECORD_EXTREMES && i > 0;
  for (int k = 0; k < (are_two ? 2 : 1); k++)
    add_column(
        c, are_two ? arena_format(arena, "%s(%s)", extremes[k], column.name) : keep(c, column.name),
        column.unit, column.doc, false);
  dyn_column_clear(&column);
}

static void list_columns(struct columns *c) {
  const struct sweep *sweep = c->sweep;
  add_column(c, "", "1", "number of the trajectory", false);
  for (uint32_t i = 0; i < sweep->variations.items.count; i++)
    add_varied(c, &sweep->variations.items.items[i]);
  for (uint32_t i = 0; i < sweep->columns.count; i++) add_recorded(c, i);
  c->items.items[0].name = free_name(c, "trajectory");
  add_column(c, free_name(c, "status"), "", "how the trajectory ended", true);
}

/* ---------------------------------------------------------------- rows */

struct writer {
  struct sweep *sweep;
  dyn_table table;
  uint32_t n_columns;
  double *numbers;    /* n_columns */
  const char **texts; /* n_columns; the last one is used */
  struct sweep_failures *failures;
};

static bool report_table(struct writer *w) {
  session_report_write(w->sweep->session, w->table.message(w->table.user));
  return false;
}

static bool report_damage(const struct sweep *sweep, const char *path) {
  dyn_context *context = session_context(sweep->session);
  char *why = arena_format(&context->arena, "'%s' is not what a sweep wrote there", path);
  struct diagnostic *d = diagnostic_add(context, DIAG_SWEEP_INCOMPLETE, nowhere, why, NULL);
  diagnostic_help(context, d, "remove it and repeat the command: it is computed anew");
  return false;
}

static void note_end(struct writer *w, const struct sweep_record *end, const char *how) {
  struct sweep_failures *failures = w->failures;
  struct sweep_failure *failure = &failures->by_status[end->flags / SWEEP_STATUS % SWEEP_STATUSES];
  if (end->flags & SWEEP_START_MOVED) failures->moved++;
  if (!(end->flags & SWEEP_FAILED)) return;
  failures->failed++;
  if (failure->count++ > 0) return;
  failure->first = end->trajectory + 1;
  failure->text = strcpy(checked_malloc(strlen(how) + 1), how);
}

/* The rows of one record. */
static bool write_rows(struct writer *w, const struct sweep_journal *journal,
                       const struct sweep_record *record) {
  uint32_t n = w->sweep->n_numbers, before = 1 + w->sweep->variations.items.count;
  for (uint32_t at = 0; at + n <= record->n_numbers; at += n) {
    memcpy(w->numbers + before, journal->numbers + at, n * sizeof(double));
    if (w->table.row(w->table.user, w->numbers, w->texts)) return report_table(w);
  }
  return true;
}

/* Entries first ... end of one trajectory, the end being last; what it said goes into each row. */
static bool write_trajectory(struct writer *w, struct sweep_journal *journal, uint32_t first,
                             uint32_t end, const char *path) {
  const struct variations *all = &w->sweep->variations;
  const struct sweep_entry *entries = journal->entries.items;
  if (!sweep_journal_load(journal, end)) return report_damage(w->sweep, path);
  char *how = strcpy(checked_malloc(strlen(journal->text) + 1), journal->text);
  note_end(w, &entries[end].record, how);
  w->texts[w->n_columns - 1] = how;
  w->numbers[0] = (double)(entries[end].record.trajectory + 1);
  for (uint32_t v = 0; v < all->items.count; v++)
    w->numbers[1 + v] = variations_value(all, v, entries[end].record.trajectory);
  bool good = true;
  for (uint32_t i = first; good && i <= end; i++) {
    good = sweep_journal_load(journal, i) || report_damage(w->sweep, path);
    good = good && write_rows(w, journal, &entries[i].record);
  }
  free(how);
  return good;
}

static bool write_chunk(struct writer *w, uint64_t chunk) {
  char *path = sweep_chunk_path(w->sweep, chunk);
  struct sweep_journal journal;
  uint64_t next = sweep_chunk_begin(w->sweep, chunk);
  bool good = sweep_journal_open(&journal, path) || report_damage(w->sweep, path);
  for (uint32_t i = 0; good && i < journal.entries.count; i++, next++) {
    uint32_t first = i;
    while (journal.entries.items[i].record.kind != SWEEP_END) i++; /* one always follows */
    if (journal.entries.items[i].record.trajectory != next) break;
    good = write_trajectory(w, &journal, first, i, path);
  }
  if (good && next != sweep_chunk_end(w->sweep, chunk)) good = report_damage(w->sweep, path);
  sweep_journal_close(&journal);
  free(path);
  return good;
}

static bool write_all(struct writer *w) {
  struct columns columns = {.sweep = w->sweep};
  list_columns(&columns);
  w->n_columns = columns.items.count;
  w->numbers = checked_calloc(w->n_columns, sizeof *w->numbers);
  w->texts = checked_calloc(w->n_columns, sizeof *w->texts);
  bool good = !w->table.begin(w->table.user, w->sweep->problem.model, (int32_t)w->n_columns,
                              columns.items.items) ||
              report_table(w);
  for (uint64_t c = 0; good && c < w->sweep->n_chunks; c++) good = write_chunk(w, c);
  if (good && w->table.finish(w->table.user)) good = report_table(w);
  vector_free(&columns.items);
  free(w->numbers);
  free(w->texts);
  return good;
}

/* ---------------------------------------------------------------- the file */

/* Written beside its place, unless that is no regular file. */
static char *path_beside(const char *output) {
  struct stat status;
  struct text path = {0};
  if (output == NULL || strcmp(output, "-") == 0) return NULL;
  if (lstat(output, &status) == 0 && !S_ISREG(status.st_mode))
    text_put(&path, output);
  else
    text_format(&path, "%s.%ld.part", output, (long)getpid());
  return text_take(&path);
}

int sweep_write_table(struct sweep *sweep, struct sweep_failures *failures) {
  struct writer w = {.sweep = sweep, .failures = failures};
  char *beside = path_beside(sweep->output);
  bool is_moved = beside != NULL && strcmp(beside, sweep->output) != 0;
  bool good = table_file_open(sweep->session, beside, sweep->output, &w.table);
  if (good) {
    good = write_all(&w);
    w.table.close(w.table.user);
  }
  if (good && is_moved && rename(beside, sweep->output) != 0) {
    struct text reason = {0};
    text_format(&reason, "%s: %s", sweep->output, strerror(errno));
    session_report_write(sweep->session, text_string(&reason));
    text_free(&reason);
    good = false;
  }
  if (!good && is_moved) unlink(beside);
  free(beside);
  return good ? EXIT_DONE : EXIT_NUMERICAL;
}

/* ---------------------------------------------------------------- what is missing */

enum { MOST_NAMED = 6 };

/* "250 of 500 trajectories are missing: 3 to 4, 7, ..."; nothing if none is. */
static void put_missing(const struct sweep *sweep, const struct sweep_state *state,
                        struct text *out) {
  struct text stretches = {0};
  uint64_t count = 0;
  uint32_t ranges = 0;
  for (uint64_t c = 0; c < sweep->n_chunks;) {
    uint64_t begin = c;
    if (state->is_done[c++]) continue;
    while (c < sweep->n_chunks && !state->is_done[c]) c++;
    uint64_t first = sweep_chunk_begin(sweep, begin) + 1, last = sweep_chunk_end(sweep, c - 1);
    count += last - first + 1;
    if (ranges++ >= MOST_NAMED) continue;
    text_format(&stretches, "%s%llu", ranges > 1 ? ", " : "", (unsigned long long)first);
    if (last > first) text_format(&stretches, " to %llu", (unsigned long long)last);
  }
  if (ranges > MOST_NAMED)
    text_format(&stretches, " and %d more stretches", (int)(ranges - MOST_NAMED));
  if (count > 0)
    text_format(out, "%llu of %llu trajectories are missing: %s", (unsigned long long)count,
                (unsigned long long)sweep->variations.count, text_string(&stretches));
  text_free(&stretches);
}

/* Of the shards that others spoke of, those that have a chunk that is missing. */
static void put_shards(const struct sweep *sweep, const struct sweep_state *state,
                       struct text *out) {
  uint64_t n = state->shards, count = 0;
  if (n < 2) return;
  for (uint64_t shard = 0; shard < n; shard++) {
    bool is_missing = false;
    for (uint64_t c = shard; c < sweep->n_chunks && !is_missing; c += n)
      is_missing = !state->is_done[c];
    if (is_missing && count++ < MOST_NAMED)
      text_format(out, "%s%llu", count > 1 ? ", " : "", (unsigned long long)shard + 1);
  }
  if (count > MOST_NAMED)
    text_format(out, " and %llu more", (unsigned long long)(count - MOST_NAMED));
  text_format(out, " of %llu", (unsigned long long)n);
}

bool sweep_check_complete(struct sweep *sweep, const struct sweep_state *state) {
  struct text missing = {0}, shards = {0};
  dyn_context *context = session_context(sweep->session);
  put_missing(sweep, state, &missing);
  bool good = missing.length == 0;
  if (!good) {
    put_shards(sweep, state, &shards);
    struct diagnostic *d =
        diagnostic_add(context, DIAG_SWEEP_INCOMPLETE, nowhere, text_string(&missing), NULL);
    if (shards.length > 0)
      diagnostic_help(context, d, "they belong to shard %s: run it again with --shard",
                      text_string(&shards));
    diagnostic_help(context, d,
                    "without --shard and --merge the same command computes what is missing");
  }
  text_free(&missing);
  text_free(&shards);
  return good;
}
