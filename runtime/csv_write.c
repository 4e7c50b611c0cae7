/* csv_write.c: rows to a CSV file (RFC 4180, lines ending in LF). Promises that a full disk or a
 * closed pipe ends the run with a message, at the latest when the run finishes. */
#include "runtime/columns.h"
#include "runtime/message.h"
#include "runtime/number.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_SIZE (1 << 16)

struct csv {
  FILE *file;
  int owns_file;
  char *path; /* for messages */
  const dyn_model *model;
  size_t n_columns, used;
  dyn_message message;
  char buffer[BUFFER_SIZE];
};

static int fail(struct csv *c) {
  if (!c->message.text[0])
    message_set(&c->message, DYN_SINK_FAILED, "cannot write to %s: %s", c->path, strerror(errno));
  return 1;
}

static int flush_buffer(struct csv *c) {
  size_t size = c->used;
  c->used = 0;
  return size > 0 && fwrite(c->buffer, 1, size, c->file) != size ? fail(c) : 0;
}

static int put(struct csv *c, const char *text, size_t length) {
  while (length > 0) {
    if (c->used == BUFFER_SIZE && flush_buffer(c)) return 1;
    size_t part = BUFFER_SIZE - c->used < length ? BUFFER_SIZE - c->used : length;
    memcpy(c->buffer + c->used, text, part);
    c->used += part;
    text += part;
    length -= part;
  }
  return 0;
}

static int put_name(struct csv *c, const char *name) {
  if (!strpbrk(name, ",\"\r\n")) return put(c, name, strlen(name));
  if (put(c, "\"", 1)) return 1;
  for (; *name; name++) {
    if (*name == '"' && put(c, "\"", 1)) return 1;
    if (put(c, name, 1)) return 1;
  }
  return put(c, "\"", 1);
}

static int csv_begin(void *user, const dyn_model *model) {
  struct csv *c = user;
  c->model = model;
  c->n_columns = columns_count(model);
  for (size_t i = 0; i < c->n_columns; i++) {
    if (i > 0 && put(c, ",", 1)) return 1;
    struct column column;
    if (!column_describe(model, i, &column)) {
      message_set(&c->message, DYN_OUT_OF_MEMORY, "there is not enough memory to write %s",
                  c->path);
      return 1;
    }
    int failed = put_name(c, column.name);
    column_clear(&column);
    if (failed) return 1;
  }
  return put(c, "\n", 1);
}

static int csv_row(void *user, const dyn_row *row) {
  struct csv *c = user;
  for (size_t i = 0; i < c->n_columns; i++) {
    if (c->used + NUMBER_SIZE + 1 > BUFFER_SIZE && flush_buffer(c)) return 1;
    c->used += number_write(columns_value(c->model, row, i), c->buffer + c->used);
    c->buffer[c->used++] = i + 1 < c->n_columns ? ',' : '\n';
  }
  return 0;
}

static int csv_finish(void *user) {
  struct csv *c = user;
  int failed = flush_buffer(c);
  if (fflush(c->file) != 0) failed = fail(c);
  if (c->owns_file) {
    FILE *file = c->file;
    c->file = NULL;
    c->owns_file = 0;
    /* The last word of a network file system comes with the close. */
    if (fclose(file) != 0) failed = fail(c);
  }
  return failed;
}

static const char *csv_message(void *user) {
  struct csv *c = user;
  return c->message.text;
}

static void csv_close(void *user) {
  struct csv *c = user;
  if (c->owns_file) {
    flush_buffer(c);
    fclose(c->file);
  }
  free(c->path);
  free(c);
}

static dyn_status make_sink(FILE *file, int owns_file, const char *path, dyn_sink *sink,
                            dyn_message *message) {
  struct csv *c = malloc(sizeof *c);
  char *name = strdup(path);
  if (!c || !name) {
    free(c);
    free(name);
    if (owns_file) fclose(file);
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to write %s", path);
  }
  c->file = file;
  c->owns_file = owns_file;
  c->path = name;
  c->model = NULL;
  c->n_columns = c->used = 0;
  c->message.text[0] = 0;
  *sink = (dyn_sink){.user = c,
                     .begin = csv_begin,
                     .row = csv_row,
                     .finish = csv_finish,
                     .message = csv_message,
                     .close = csv_close};
  return DYN_DONE;
}

dyn_status dyn_csv_open(const char *path, dyn_sink *sink, dyn_message *message) {
  memset(sink, 0, sizeof *sink);
  message_set(message, DYN_DONE, "%s", "");
  FILE *file = fopen(path, "wb");
  if (!file)
    return message_set(message, DYN_BAD_FILE, "cannot write to %s: %s", path, strerror(errno));
  return make_sink(file, 1, path, sink, message);
}

dyn_status dyn_csv_attach(FILE *file, dyn_sink *sink, dyn_message *message) {
  memset(sink, 0, sizeof *sink);
  message_set(message, DYN_DONE, "%s", "");
  return make_sink(file, 0, file == stdout ? "standard output" : "the output", sink, message);
}
