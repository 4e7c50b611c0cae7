/* table_sink.c: the rows of a trajectory to a table, one number for each of its columns. */
#include "runtime/message.h"
#include <stdlib.h>
#include <string.h>

struct table_sink {
  dyn_table table;
  const dyn_model *model;
  int32_t n_columns;
  double *numbers; /* n_columns */
  int is_out_of_memory;
};

static int sink_begin(void *user, const dyn_model *model) {
  struct table_sink *s = user;
  int32_t n = s->n_columns = dyn_column_count(model), known = 0;
  s->model = model;
  s->numbers = calloc((size_t)n, sizeof *s->numbers);
  dyn_column *columns = calloc((size_t)n, sizeof *columns);
  dyn_table_column *heads = calloc((size_t)n, sizeof *heads);
  int good = s->numbers && columns && heads;
  for (; good && known < n; known++) {
    dyn_column *column = &columns[known];
    if (dyn_column_describe(model, known, column)) break;
    heads[known] = (dyn_table_column){column->name, column->unit, column->doc, 0};
  }
  s->is_out_of_memory = known < n;
  int failed = known < n || s->table.begin(s->table.user, model, n, heads);
  for (int32_t i = 0; i < known; i++) dyn_column_clear(&columns[i]);
  free(columns);
  free(heads);
  return failed;
}

static int sink_row(void *user, const dyn_row *row) {
  struct table_sink *s = user;
  for (int32_t i = 0; i < s->n_columns; i++) s->numbers[i] = dyn_column_value(s->model, row, i);
  return s->table.row(s->table.user, s->numbers, NULL);
}

static int sink_finish(void *user) {
  struct table_sink *s = user;
  return s->table.finish(s->table.user);
}

static const char *sink_message(void *user) {
  struct table_sink *s = user;
  return s->is_out_of_memory ? "there is not enough memory for a row"
                             : s->table.message(s->table.user);
}

static void sink_close(void *user) {
  struct table_sink *s = user;
  s->table.close(s->table.user);
  free(s->numbers);
  free(s);
}

dyn_status dyn_table_sink(const dyn_table *table, dyn_sink *sink, dyn_message *message) {
  struct table_sink *s = calloc(1, sizeof *s);
  memset(sink, 0, sizeof *sink);
  if (!s) {
    table->close(table->user);
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory for a row");
  }
  s->table = *table;
  *sink = (dyn_sink){.user = s,
                     .begin = sink_begin,
                     .row = sink_row,
                     .finish = sink_finish,
                     .message = sink_message,
                     .close = sink_close};
  return DYN_DONE;
}

dyn_status dyn_csv_open(const char *path, dyn_sink *sink, dyn_message *message) {
  dyn_table table;
  memset(sink, 0, sizeof *sink);
  dyn_status status = dyn_csv_table_open(path, &table, message);
  return status ? status : dyn_table_sink(&table, sink, message);
}

dyn_status dyn_csv_attach(FILE *file, dyn_sink *sink, dyn_message *message) {
  dyn_table table;
  memset(sink, 0, sizeof *sink);
  dyn_status status = dyn_csv_table_attach(file, &table, message);
  return status ? status : dyn_table_sink(&table, sink, message);
}
