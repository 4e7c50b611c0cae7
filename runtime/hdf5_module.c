/* hdf5_module.c: a table as an HDF5 file; the module libdyn_hdf5.so. One extendable data set per
 * column with the attributes name, unit and doc; the file carries the model's name and doc. What
 * was flushed stays readable whatever happens later. Promises that the library's own error texts
 * are never printed, and that equal rows make equal files: no times are kept in them. */
#include "runtime/message.h"
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 1024 /* rows */

struct hdf5 {
  char *path;
  hid_t file;
  int32_t n_columns;
  hid_t *columns;
  hid_t text_type;        /* texts of any length in UTF-8 */
  double *rows;           /* CHUNK values of each column */
  char **texts;           /* likewise, the module's own; NULL without columns of texts */
  unsigned char *is_text; /* n_columns */
  size_t waiting;
  hsize_t written;
  dyn_message message;
};

/* The library prints errors unless told otherwise; the setting belongs to the program. */
struct quiet {
  H5E_auto2_t function;
  void *user;
};
static struct quiet be_quiet(void) {
  struct quiet before = {NULL, NULL};
  H5Eget_auto2(H5E_DEFAULT, &before.function, &before.user);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}
static void restore(struct quiet before) {
  H5Eset_auto2(H5E_DEFAULT, before.function, before.user);
}

/* The innermost of the library's reasons. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *user) {
  (void)n;
  const char **reason = user;
  if (error->desc && error->desc[0]) *reason = error->desc;
  return 0;
}

static int fail(struct hdf5 *h) {
  const char *reason = "unknown error";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &reason);
  if (!h->message.text[0])
    message_set(&h->message, DYN_SINK_FAILED, "cannot write to %s: %s", h->path, reason);
  return 1;
}

static int set_text(hid_t object, const char *name, const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  size_t size = text && text[0] ? strlen(text) : 1;
  H5Tset_size(type, size);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  int good = attribute >= 0 && H5Awrite(attribute, type, text && text[0] ? text : "\0") >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  return good;
}

/* "/" would make a group of the name: U+2215 looks like it. */
static char *data_set_name(const char *name) {
  char *result = malloc(3 * strlen(name) + 1), *out = result;
  if (!result) return NULL;
  for (; *name; name++) {
    if (*name == '/') {
      memcpy(out, "\xE2\x88\x95", 3);
      out += 3;
    } else {
      *out++ = *name;
    }
  }
  *out = 0;
  return result;
}

static int make_column(struct hdf5 *h, int32_t i, const dyn_table_column *column, hid_t space,
                       hid_t create, hid_t link) {
  char *name = data_set_name(column->name);
  hid_t type = column->is_text ? h->text_type : H5T_IEEE_F64LE;
  if (name) h->columns[i] = H5Dcreate2(h->file, name, type, space, link, create, H5P_DEFAULT);
  free(name);
  h->is_text[i] = column->is_text != 0;
  return h->columns[i] >= 0 && set_text(h->columns[i], "name", column->name) &&
         set_text(h->columns[i], "unit", column->unit) &&
         set_text(h->columns[i], "doc", column->doc);
}

static int make_columns(struct hdf5 *h, const dyn_model *model, const dyn_table_column *columns) {
  hsize_t now = 0, most = H5S_UNLIMITED, chunk = CHUNK;
  hid_t space = H5Screate_simple(1, &now, &most);
  hid_t create = H5Pcreate(H5P_DATASET_CREATE), link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_chunk(create, 1, &chunk);
  H5Pset_obj_track_times(create, 0);
  H5Pset_char_encoding(link, H5T_CSET_UTF8);
  h->text_type = H5Tcopy(H5T_C_S1);
  H5Tset_size(h->text_type, H5T_VARIABLE);
  H5Tset_cset(h->text_type, H5T_CSET_UTF8);
  int good = set_text(h->file, "model", model->name) && set_text(h->file, "doc", model->doc) &&
             set_text(h->file, "method", model->method) &&
             set_text(h->file, "compiler", model->compiler);
  for (int32_t i = 0; good && i < h->n_columns; i++)
    good = make_column(h, i, &columns[i], space, create, link);
  H5Pclose(link);
  H5Pclose(create);
  H5Sclose(space);
  return good;
}

static int has_text(int32_t n_columns, const dyn_table_column *columns) {
  for (int32_t i = 0; i < n_columns; i++)
    if (columns[i].is_text) return 1;
  return 0;
}

static int out_of_memory(struct hdf5 *h) {
  message_set(&h->message, DYN_OUT_OF_MEMORY, "there is not enough memory to write %s", h->path);
  return 1;
}

static int hdf5_begin(void *user, const dyn_model *model, int32_t n_columns,
                      const dyn_table_column *columns) {
  struct hdf5 *h = user;
  size_t n = (size_t)n_columns;
  h->columns = malloc((n + 1) * sizeof *h->columns);
  h->rows = malloc((n + 1) * CHUNK * sizeof *h->rows);
  h->is_text = calloc(n + 1, 1);
  if (has_text(n_columns, columns)) h->texts = calloc(n * CHUNK, sizeof *h->texts);
  if (!h->columns || !h->rows || !h->is_text || (has_text(n_columns, columns) && !h->texts))
    return out_of_memory(h);
  for (size_t i = 0; i < n; i++) h->columns[i] = H5I_INVALID_HID;
  h->n_columns = n_columns;
  struct quiet before = be_quiet();
  int failed = make_columns(h, model, columns) ? 0 : fail(h);
  restore(before);
  return failed;
}

static int write_column(struct hdf5 *h, int32_t i) {
  hsize_t end = h->written + h->waiting, start = h->written, count = h->waiting;
  if (H5Dset_extent(h->columns[i], &end) < 0) return 0;
  hid_t file_space = H5Dget_space(h->columns[i]), space = H5Screate_simple(1, &count, NULL);
  const void *values = h->is_text[i] ? (const void *)(h->texts + (size_t)i * CHUNK)
                                     : (const void *)(h->rows + (size_t)i * CHUNK);
  int good = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
             H5Dwrite(h->columns[i], h->is_text[i] ? h->text_type : H5T_NATIVE_DOUBLE, space,
                      file_space, H5P_DEFAULT, values) >= 0;
  H5Sclose(space);
  H5Sclose(file_space);
  return good;
}

/* The texts of the rows that wait. */
static void forget_texts(struct hdf5 *h) {
  if (!h->texts) return;
  for (size_t i = 0; i < (size_t)h->n_columns * CHUNK; i++) {
    free(h->texts[i]);
    h->texts[i] = NULL;
  }
}

static int flush_rows(struct hdf5 *h) {
  if (h->waiting == 0) return 0;
  struct quiet before = be_quiet();
  int failed = 0;
  for (int32_t i = 0; !failed && i < h->n_columns; i++) failed = write_column(h, i) ? 0 : fail(h);
  forget_texts(h);
  h->written += h->waiting;
  h->waiting = 0;
  if (!failed && H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0) failed = fail(h);
  restore(before);
  return failed;
}

static int hdf5_row(void *user, const double *numbers, const char *const *texts) {
  struct hdf5 *h = user;
  for (int32_t i = 0; i < h->n_columns; i++) {
    size_t at = (size_t)i * CHUNK + h->waiting;
    h->rows[at] = h->is_text[i] ? 0 : numbers[i];
    if (h->is_text[i] && !(h->texts[at] = strdup(texts[i]))) return out_of_memory(h);
  }
  return ++h->waiting == CHUNK ? flush_rows(h) : 0;
}

static int close_file(struct hdf5 *h) {
  int good = 1;
  for (int32_t i = 0; i < h->n_columns; i++)
    if (h->columns[i] >= 0 && H5Dclose(h->columns[i]) < 0) good = 0;
  forget_texts(h);
  h->n_columns = 0;
  if (h->text_type > 0) H5Tclose(h->text_type);
  h->text_type = 0;
  if (h->file >= 0 && H5Fclose(h->file) < 0) good = 0;
  h->file = H5I_INVALID_HID;
  return good;
}

static int hdf5_finish(void *user) {
  struct hdf5 *h = user;
  int failed = flush_rows(h);
  struct quiet before = be_quiet();
  if (!close_file(h)) failed = fail(h);
  restore(before);
  return failed;
}

static const char *hdf5_message(void *user) {
  struct hdf5 *h = user;
  return h->message.text;
}

static void hdf5_close(void *user) {
  struct hdf5 *h = user;
  struct quiet before = be_quiet();
  close_file(h);
  restore(before);
  free(h->columns);
  free(h->rows);
  free(h->texts);
  free(h->is_text);
  free(h->path);
  free(h);
}

static dyn_status hdf5_open(const char *path, dyn_table *table, dyn_message *message) {
  memset(table, 0, sizeof *table);
  message_set(message, DYN_DONE, "%s", "");
  struct hdf5 *h = calloc(1, sizeof *h);
  if (h) h->path = strdup(path);
  if (!h || !h->path) {
    free(h);
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to write %s", path);
  }
  /* At exit the library would try to write what a full disk did not take, and print. Files are
   * closed here long before. (No effect if the program uses HDF5 already.) */
  H5dont_atexit();
  struct quiet before = be_quiet();
  h->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (h->file < 0) fail(h);
  restore(before);
  if (h->file < 0) {
    if (message) *message = h->message;
    hdf5_close(h);
    return DYN_BAD_FILE;
  }
  *table = (dyn_table){.user = h,
                       .begin = hdf5_begin,
                       .row = hdf5_row,
                       .finish = hdf5_finish,
                       .message = hdf5_message,
                       .close = hdf5_close};
  return DYN_DONE;
}

DYN_API const dyn_hdf5_module *dyn_hdf5(void);
const dyn_hdf5_module *dyn_hdf5(void) {
  static const dyn_hdf5_module module = {DYN_HDF5_ABI, hdf5_open};
  return &module;
}
