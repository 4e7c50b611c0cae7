/* A sweep: many runs of one model, put together into a table.
 *
 * Its work is cut into chunks of trajectories. Worker processes take one chunk after the other and
 * write what each trajectory gave to a journal in the sweep's folder, which becomes the chunk's
 * file once all of it is there. A chunk's content depends on the model, the options and its number
 * only: it does not matter who computes it, how often, or what was interrupted in between. */
#ifndef DYN_DRIVER_SWEEP_H
#define DYN_DRIVER_SWEEP_H
#include "driver/problem.h"
#include "driver/vary.h"

enum sweep_recorded { RECORD_FINAL, RECORD_EXTREMES, RECORD_TRAJECTORIES };

struct sweep {
  struct session *session;
  struct problem problem; /* with the reference values */
  struct variations variations;
  struct value_check *check; /* of values that depend on what is varied; NULL: there are none */
  enum sweep_recorded recorded;
  VECTOR(int32_t) columns; /* of a trajectory, that are recorded; the time first */
  uint32_t n_numbers;      /* of one row in the journals */
  uint64_t chunk_size, n_chunks;
  uint64_t shard, shards;  /* this run does chunks c with c % shards == shard; 0, 1: all */
  uint32_t jobs;           /* 0: as many as there are processors */
  int32_t lanes;           /* 0: as many as suit; 1: one by one */
  dyn_run_options options; /* with the reference values */
  const char *output;      /* -o; NULL: standard output */
  char *folder;            /* owned */
  bool folder_is_temporary;
};

/* Trajectories of a chunk: from number c*chunk_size on. */
static inline uint64_t sweep_chunk_begin(const struct sweep *sweep, uint64_t chunk) {
  return chunk * sweep->chunk_size;
}
static inline uint64_t sweep_chunk_end(const struct sweep *sweep, uint64_t chunk) {
  uint64_t end = (chunk + 1) * sweep->chunk_size;
  return end < sweep->variations.count ? end : sweep->variations.count;
}

/* ---- sweep_folder.c: all answer false, with a diagnostic, where the folder can't be used */
/* Makes the folder and its manifest, or finds that it holds this very sweep; if `must_exist`, it is
 * not made. */
bool sweep_folder_open(struct sweep *sweep, bool must_exist);
/* Path of the file of a chunk, resp. of the journal that this process writes of it; freed by the
 * caller. */
char *sweep_chunk_path(const struct sweep *sweep, uint64_t chunk);
char *sweep_part_path(const struct sweep *sweep, uint64_t chunk);

struct sweep_state {      /* what is in the folder */
  unsigned char *is_done; /* n_chunks */
  struct sweep_part {
    uint64_t chunk;
    char *path;
  } * parts; /* journals that others left */
  uint32_t n_parts;
  uint64_t shards; /* that runs with --shard spoke of; 0: none did; 1: different numbers */
};
bool sweep_folder_look(const struct sweep *sweep, struct sweep_state *state);
void sweep_state_clear(struct sweep_state *state);
void sweep_folder_remove(const struct sweep *sweep);

/* ---- sweep_pool.c */
struct sweep_tally {
  uint64_t before;        /* trajectories that had ended before */
  uint64_t ended, failed; /* now */
  uint32_t workers;
  int32_t lanes;                /* of each */
  const char *obstacle;         /* why these were not more; NULL: nobody asked */
  double busy_seconds, seconds; /* of all workers together; by the clock */
};
/* May trajectories be in work at once because nobody said how many? Of that the last digits depend
 * on processor and engine. */
bool sweep_has_lanes(const struct sweep *sweep);
/* Computes the chunks that are not done. Returns the exit status; diagnostics told. */
int sweep_compute(struct sweep *sweep, const struct sweep_state *state, struct sweep_tally *tally);

/* ---- sweep_table.c */
enum { SWEEP_STATUSES = 32 }; /* more than dyn_status has */
struct sweep_failures {       /* what the table tells besides its rows */
  uint64_t failed, moved;
  struct sweep_failure {
    uint64_t count, first; /* the number of the first one, from 1 */
    char *text;            /* what that one said; owned */
  } by_status[SWEEP_STATUSES];
};
/* Puts the table together and writes it. Returns the exit status. The caller frees the texts. */
int sweep_write_table(struct sweep *sweep, struct sweep_failures *failures);
/* False, with a diagnostic, if chunks are missing. */
bool sweep_check_complete(struct sweep *sweep, const struct sweep_state *state);

/* ---- sweep_report.c */
void sweep_warn(struct sweep *sweep, const struct sweep_failures *failures);
void sweep_print_summary(const struct sweep *sweep, const struct sweep_tally *tally);
#endif
