/* A worker of a sweep: takes chunks, runs their trajectories, keeps the journals. Several chunks
 * may be open at once, because several trajectories may be in work. */
#include "driver/sweep_worker.h"
#include "driver/sweep_member.h"
#include "driver/sweep_record.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  MEMBERS = 8
}; /* trajectories that may be in work at once: the lanes of the widest vectors */

struct open_chunk {
  uint64_t number, begin, next, end; /* next: the trajectory that is looked at next */
  uint32_t in_work;
  unsigned char *is_known; /* per trajectory: found in a journal that somebody left */
  int file;
  char *path;
};

struct worker {
  const struct sweep_work *work;
  const struct sweep *sweep;
  struct sweep_worker_tally *tally;
  struct open_chunk *current; /* whose trajectories are begun; NULL: none */
  dyn_member members[MEMBERS];
  struct sweep_member own[MEMBERS];
  struct open_chunk *chunk_of[MEMBERS];
  double last; /* when a trajectory ended last */
};

static bool fail(struct worker *w, const char *path) {
  if (w->tally->fault[0] == '\0')
    snprintf(w->tally->fault, sizeof w->tally->fault, "%s: %s", path, strerror(errno));
  atomic_store(&w->work->shared->stop, 1);
  return false;
}

/* ---------------------------------------------------------------- chunks */

static void forget_chunk(struct open_chunk *chunk) {
  if (chunk->file >= 0) close(chunk->file);
  free(chunk->is_known);
  free(chunk->path);
  free(chunk);
}

/* Where the parts of a chunk begin in the sorted list. */
static uint32_t first_part(const struct sweep_state *state, uint64_t chunk) {
  uint32_t low = 0, high = state->n_parts;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (state->parts[middle].chunk < chunk)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Takes over what has ended in a journal that was left. One that cannot be read is as good as none.
 */
static bool take_over(struct worker *w, struct open_chunk *chunk, const char *path) {
  struct sweep_journal journal;
  bool good = true;
  uint64_t found = 0;
  if (!sweep_journal_open(&journal, path)) return true;
  for (uint32_t i = 0; good && i < journal.entries.count; i++) {
    const struct sweep_record *record = &journal.entries.items[i].record;
    uint64_t place = record->trajectory - chunk->begin;
    if (record->trajectory < chunk->begin || record->trajectory >= chunk->end) continue;
    if (chunk->is_known[place] || !sweep_journal_load(&journal, i)) continue;
    good = sweep_record_write(chunk->file, record, journal.numbers, journal.text);
    if (record->kind == SWEEP_END) {
      chunk->is_known[place] = 1;
      found++;
    }
  }
  sweep_journal_close(&journal);
  atomic_fetch_add(&w->tally->found, found);
  return good;
}

static bool open_chunk(struct worker *w, uint64_t number) {
  const struct sweep_state *state = w->work->state;
  struct open_chunk *chunk = checked_calloc(1, sizeof *chunk);
  chunk->number = number;
  chunk->begin = chunk->next = sweep_chunk_begin(w->sweep, number);
  chunk->end = sweep_chunk_end(w->sweep, number);
  chunk->is_known = checked_calloc((size_t)(chunk->end - chunk->begin), 1);
  chunk->path = sweep_part_path(w->sweep, number);
  chunk->file = open(chunk->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666);
  bool good = chunk->file >= 0;
  for (uint32_t i = first_part(state, number);
       good && i < state->n_parts && state->parts[i].chunk == number; i++)
    good = take_over(w, chunk, state->parts[i].path);
  w->current = chunk;
  return good || fail(w, chunk->path);
}

/* The chunk's file, whole and on the disk; then the journals that led to it are of no use. */
static bool finish_chunk(struct worker *w, struct open_chunk *chunk) {
  const struct sweep_state *state = w->work->state;
  char *path = sweep_chunk_path(w->sweep, chunk->number);
  bool good = fsync(chunk->file) == 0;
  /* Somebody else may have finished it meanwhile, with the same content, and cleared this away. */
  good = good && (rename(chunk->path, path) == 0 || (errno == ENOENT && access(path, F_OK) == 0));
  if (!good) fail(w, path);
  for (uint32_t i = first_part(state, chunk->number);
       good && i < state->n_parts && state->parts[i].chunk == chunk->number; i++)
    unlink(state->parts[i].path);
  free(path);
  return good;
}

/* Ends a chunk once nothing of it is left or in work. */
static bool settle_chunk(struct worker *w, struct open_chunk *chunk) {
  while (chunk->next < chunk->end && chunk->is_known[chunk->next - chunk->begin]) chunk->next++;
  if (chunk->next < chunk->end) return true;
  if (w->current == chunk) w->current = NULL;
  if (chunk->in_work > 0) return true;
  bool good = finish_chunk(w, chunk);
  forget_chunk(chunk);
  return good;
}

/* Makes the current chunk one that has a trajectory to begin; false if there is none. */
static bool find_chunk(struct worker *w) {
  while (w->current == NULL) {
    uint64_t i = atomic_fetch_add(&w->work->shared->next, 1);
    if (i >= w->work->n_todo || !open_chunk(w, w->work->todo[i]) || !settle_chunk(w, w->current))
      return false;
  }
  return true;
}

/* ---------------------------------------------------------------- trajectories */

/* With the times between ends, which count what lanes share once. */
static void count_end(struct worker *w, bool failed) {
  struct sweep_worker_tally *tally = w->tally;
  double now = compiler_clock(), seconds = now - w->last;
  w->last = now;
  atomic_store(&tally->seconds, atomic_load(&tally->seconds) + seconds);
  atomic_store(&tally->squares, atomic_load(&tally->squares) + seconds * seconds);
  atomic_fetch_add(&tally->failed, failed);
  atomic_fetch_add(&tally->ended, 1);
}

static bool end_trajectory(struct worker *w, dyn_member *member) {
  struct sweep_member *own = member->user;
  struct open_chunk *chunk = w->chunk_of[member - w->members];
  chunk->in_work--;
  if (!sweep_member_end(own)) return fail(w, chunk->path);
  count_end(w, member->summary.status != DYN_DONE);
  return settle_chunk(w, chunk);
}

static int next_member(void *user, dyn_member *member) {
  struct worker *w = user;
  while (!atomic_load(&w->work->shared->stop) && !*w->work->interrupted && find_chunk(w)) {
    struct open_chunk *chunk = w->current;
    uint64_t trajectory = chunk->next++;
    chunk->in_work++;
    w->chunk_of[member - w->members] = chunk;
    atomic_store(&w->tally->current, trajectory + 1);
    dyn_run_summary *summary = &member->summary;
    summary->status = sweep_member_begin(member->user, trajectory, chunk->file, &summary->message);
    if (summary->status == DYN_DONE) return settle_chunk(w, chunk);
    summary->reached = member->options.from;
    if (!end_trajectory(w, member)) return 0;
    *summary = (dyn_run_summary){0};
  }
  return 0;
}

static int member_done(void *user, dyn_member *member) {
  return !end_trajectory(user, member);
}

static const dyn_model *on_jacobian(void *user) {
  struct worker *w = user;
  return compiler_add_functions(w->sweep->session->compiler, PROGRAM_JACOBIAN);
}

/* What `auto` turns to in long trajectories; steps were compiled before, where they pay. */
static const dyn_model *on_steps(void *user, const char *integrator) {
  struct worker *w = user;
  if (strcmp(integrator, "taylor") != 0) return NULL;
  return compiler_add_functions(w->sweep->session->compiler, PROGRAM_TAYLOR);
}

bool sweep_worker_run(const struct sweep_work *work, uint32_t index) {
  struct worker w = {.work = work,
                     .sweep = work->sweep,
                     .tally = &work->shared->workers[index],
                     .last = compiler_clock()};
  for (int i = 0; i < MEMBERS; i++)
    sweep_member_init(&w.own[i], work->sweep, work->model, &w.members[i]);
  dyn_run_callbacks callbacks = {.user = &w,
                                 .stop = work->interrupted,
                                 .jacobian_model = on_jacobian,
                                 .steps_model = on_steps};
  dyn_ensemble ensemble = {.model = work->model,
                           .callbacks = &callbacks,
                           .members = w.members,
                           .n_members = MEMBERS,
                           .lanes = work->lanes,
                           .user = &w,
                           .next = next_member,
                           .done = member_done};
  dyn_ensemble_run(&ensemble);
  for (int i = 0; i < MEMBERS; i++) sweep_member_clear(&w.own[i]);
  return w.tally->fault[0] == '\0';
}
