/* csv_write.c: a table as a CSV file (RFC 4180, lines ending in LF). Promises that a full disk or a
 * closed pipe ends the writing with a message, at the latest when it finishes. */
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
  int32_t n_columns;
  unsigned char *is_text; /* n_columns */
  size_t used;
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

static int put_text(struct csv *c, const char *name) {
  if (!strpbrk(name, ",\"\r\n")) return put(c, name, strlen(name));
  if (put(c, "\"", 1)) return 1;
  for (; *name; name++) {
    if (*name == '"' && put(c, "\"", 1)) return 1;
    if (put(c, name, 1)) return 1;
  }
  return put(c, "\"", 1);
}

static int csv_begin(void *user, const dyn_model *model, int32_t n_columns,
                     const dyn_table_column *columns) {
  struct csv *c = user;
  (void)model;
  c->is_text = calloc((size_t)n_columns + 1, 1);
  if (!c->is_text) {
    message_set(&c->message, DYN_OUT_OF_MEMORY, "there is not enough memory to write %s", c->path);
    return 1;
  }
  c->n_columns = n_columns;
  for (int32_t i = 0; i < n_columns; i++) {
    c->is_text[i] = columns[i].is_text != 0;
    if ((i > 0 && put(c, ",", 1)) || put_text(c, columns[i].name)) return 1;
  }
  return put(c, "\n", 1);
}

static int csv_row(void *user, const double *numbers, const char *const *texts) {
  struct csv *c = user;
  for (int32_t i = 0; i < c->n_columns; i++) {
    if (c->used + NUMBER_SIZE + 1 > BUFFER_SIZE && flush_buffer(c)) return 1;
    if (!c->is_text[i]) c->used += number_write(numbers[i], c->buffer + c->used);
    if (c->is_text[i] && put_text(c, texts[i])) return 1;
    if (c->used == BUFFER_SIZE && flush_buffer(c)) return 1;
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
  free(c->is_text);
  free(c);
}

static dyn_status make_table(FILE *file, int owns_file, const char *path, dyn_table *table,
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
  c->n_columns = 0;
  c->is_text = NULL;
  c->used = 0;
  c->message.text[0] = 0;
  *table = (dyn_table){.user = c,
                       .begin = csv_begin,
                       .row = csv_row,
                       .finish = csv_finish,
                       .message = csv_message,
                       .close = csv_close};
  return DYN_DONE;
}

dyn_status dyn_csv_table_open(const char *path, dyn_table *table, dyn_message *message) {
  memset(table, 0, sizeof *table);
  message_set(message, DYN_DONE, "%s", "");
  FILE *file = fopen(path, "wb");
  if (!file)
    return message_set(message, DYN_BAD_FILE, "cannot write to %s: %s", path, strerror(errno));
  return make_table(file, 1, path, table, message);
}

dyn_status dyn_csv_table_attach(FILE *file, dyn_table *table, dyn_message *message) {
  memset(table, 0, sizeof *table);
  message_set(message, DYN_DONE, "%s", "");
  return make_table(file, 0, file == stdout ? "standard output" : "the output", table, message);
}
