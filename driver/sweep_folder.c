/* The folder of a sweep: <output>.sweep with
 *   manifest.json           what the sweep is
 *   000012.chunk            what chunk 12 gave: written beside its place, then renamed
 *   000012.HOST-PID-K.part  the journal of a process that computes it or was killed in it
 *   shards-20               somebody computes one of 20 shards
 * Any number of processes, on any number of machines, may work in it at the same time. */
#include "driver/sweep.h"
#include "driver/sweep_manifest.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path_in(const struct sweep *sweep, const char *name) {
  struct text path = {0};
  text_format(&path, "%s/%s", sweep->folder, name);
  return text_take(&path);
}

char *sweep_chunk_path(const struct sweep *sweep, uint64_t chunk) {
  struct text path = {0};
  text_format(&path, "%s/%06llu.chunk", sweep->folder, (unsigned long long)chunk);
  return text_take(&path);
}

char *sweep_part_path(const struct sweep *sweep, uint64_t chunk) {
  char host[64] = "";
  struct text path = {0};
  gethostname(host, sizeof host - 1);
  for (char *c = host; *c != '\0'; c++)
    if (*c == '/') *c = '_';
  for (int k = 0;; k++) { /* process numbers come again */
    text_free(&path);
    text_format(&path, "%s/%06llu.%s-%ld-%d.part", sweep->folder, (unsigned long long)chunk, host,
                (long)getpid(), k);
    if (access(text_string(&path), F_OK) != 0) return text_take(&path);
  }
}

static bool report(const struct sweep *sweep, const char *path) {
  struct text reason = {0};
  text_format(&reason, "%s: %s", path, strerror(errno));
  session_report_write(sweep->session, text_string(&reason));
  text_free(&reason);
  return false;
}

/* ---------------------------------------------------------------- the manifest */

/* The whole file; false, with errno, if it cannot be read. */
static bool read_file(const char *path, struct text *out) {
  char block[4096];
  size_t length;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  while ((length = fread(block, 1, sizeof block, file)) > 0) text_add(out, block, length);
  bool good = !ferror(file);
  fclose(file);
  return good;
}

/* Puts the file there whole if there is none; somebody else may do the same at the same time. */
static bool create_file(const char *path, const struct text *text) {
  struct text beside = {0};
  text_format(&beside, "%s.%ld.part", path, (long)getpid());
  int file = open(text_string(&beside), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  bool good = file >= 0;
  good = good && write(file, text_string(text), text->length) == (ssize_t)text->length;
  good = good && fsync(file) == 0;
  if (file >= 0 && close(file) != 0) good = false;
  /* A file system without links has no better way than to overwrite what is equal, mostly. */
  if (good && link(text_string(&beside), path) != 0 && errno != EEXIST)
    good = rename(text_string(&beside), path) == 0;
  int fault = errno;
  unlink(text_string(&beside));
  text_free(&beside);
  errno = fault;
  return good;
}

static bool compare_manifest(const struct sweep *sweep, const char *there, const char *here) {
  struct text words = {0};
  enum sweep_difference difference = sweep_manifest_differ(there, here, &words);
  if (difference != SWEEP_SAME) {
    dyn_context *context = session_context(sweep->session);
    struct diagnostic *d = diagnostic_add(context, DIAG_SWEEP_DIFFERS, nowhere, sweep->folder,
                                          text_string(&words), NULL);
    diagnostic_help(context, d,
                    difference == SWEEP_OTHER
                        ? "repeat the command as it was to go on with that sweep; or remove the "
                          "folder, or choose another -o"
                        : "its last digits would be those of two; finish it where it was begun, or "
                          "begin anew: remove the folder, or choose another -o");
  }
  text_free(&words);
  return difference == SWEEP_SAME;
}

static bool report_none(const struct sweep *sweep) {
  dyn_context *context = session_context(sweep->session);
  char *why = arena_format(&context->arena, "there is no sweep in '%s'", sweep->folder);
  struct diagnostic *d = diagnostic_add(context, DIAG_SWEEP_INCOMPLETE, nowhere, why, NULL);
  diagnostic_help(
      context, d,
      "run the shards first: the same command, with the same -o, and --shard 1/4, 2/4, ...");
  return false;
}

bool sweep_folder_open(struct sweep *sweep, bool must_exist) {
  struct text here = {0}, there = {0};
  char *path = path_in(sweep, "manifest.json");
  bool good = sweep_manifest_write(sweep, &here);
  if (good && !must_exist && mkdir(sweep->folder, 0777) != 0 && errno != EEXIST)
    good = report(sweep, sweep->folder);
  if (good && !must_exist && access(path, F_OK) != 0 && !create_file(path, &here))
    good = report(sweep, path);
  if (good && !read_file(path, &there))
    good = must_exist && errno == ENOENT ? report_none(sweep) : report(sweep, path);
  good = good && compare_manifest(sweep, text_string(&there), text_string(&here));
  if (good && sweep->shards > 1 && !must_exist) {
    char name[40];
    snprintf(name, sizeof name, "shards-%llu", (unsigned long long)sweep->shards);
    char *marker = path_in(sweep, name);
    int file = open(marker, O_WRONLY | O_CREAT, 0666);
    if (file < 0 || close(file) != 0) good = report(sweep, marker);
    free(marker);
  }
  free(path);
  text_free(&here);
  text_free(&there);
  return good;
}

/* ---------------------------------------------------------------- what is there */

static void note_name(const struct sweep *sweep, struct sweep_state *state, const char *name) {
  char *end = NULL;
  unsigned long long number = 0;
  if (sscanf(name, "shards-%llu", &number) == 1)
    state->shards = state->shards == 0 || state->shards == number ? number : 1;
  if (name[0] < '0' || name[0] > '9') return;
  number = strtoull(name, &end, 10);
  if (number >= sweep->n_chunks) return;
  size_t length = strlen(end);
  if (strcmp(end, ".chunk") == 0) {
    state->is_done[number] = 1;
  } else if (length > 5 && strcmp(end + length - 5, ".part") == 0) {
    state->parts = checked_realloc(state->parts, (state->n_parts + 1) * sizeof *state->parts);
    state->parts[state->n_parts++] = (struct sweep_part){number, path_in(sweep, name)};
  }
}

static int compare_parts(const void *a, const void *b) {
  const struct sweep_part *x = a, *y = b;
  if (x->chunk != y->chunk) return x->chunk < y->chunk ? -1 : 1;
  return strcmp(x->path, y->path);
}

bool sweep_folder_look(const struct sweep *sweep, struct sweep_state *state) {
  *state = (struct sweep_state){.is_done = checked_calloc(sweep->n_chunks + 1, 1)};
  DIR *folder = opendir(sweep->folder);
  if (folder == NULL) return report(sweep, sweep->folder);
  struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) note_name(sweep, state, entry->d_name);
  closedir(folder);
  if (state->n_parts > 0) qsort(state->parts, state->n_parts, sizeof *state->parts, compare_parts);
  return true;
}

void sweep_state_clear(struct sweep_state *state) {
  for (uint32_t i = 0; i < state->n_parts; i++) free(state->parts[i].path);
  free(state->parts);
  free(state->is_done);
}

/* ---------------------------------------------------------------- the end */

/* Only what is a sweep's own, so that nobody's files are lost. */
static bool is_own(const char *name) {
  size_t length = strlen(name);
  bool is_numbered = name[0] >= '0' && name[0] <= '9';
  return strncmp(name, "manifest.json", 13) == 0 || strncmp(name, "shards-", 7) == 0 ||
         (is_numbered && length > 6 && strcmp(name + length - 6, ".chunk") == 0) ||
         (is_numbered && length > 5 && strcmp(name + length - 5, ".part") == 0);
}

void sweep_folder_remove(const struct sweep *sweep) {
  DIR *folder = opendir(sweep->folder);
  struct dirent *entry;
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    if (!is_own(entry->d_name)) continue;
    char *path = path_in(sweep, entry->d_name);
    unlink(path);
    free(path);
  }
  if (folder != NULL) closedir(folder);
  rmdir(sweep->folder);
}
