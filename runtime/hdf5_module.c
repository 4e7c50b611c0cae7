/* hdf5_module.c: rows to an HDF5 file; the module libdyn_hdf5.so. One extendable data set per
 * column with the attributes name, unit and doc; the file carries the model's name and doc. What
 * was flushed stays readable whatever happens later. Promises that the library's own error texts
 * are never printed. */
#include "runtime/columns.h"
#include "runtime/message.h"
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 1024 /* rows */

struct hdf5 {
  char *path;
  hid_t file;
  const dyn_model *model;
  size_t n_columns;
  hid_t *columns;
  double *rows; /* CHUNK values of each column */
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

static int make_column(struct hdf5 *h, size_t i, hid_t space, hid_t create, hid_t link) {
  struct column column;
  if (!column_describe(h->model, i, &column)) return 0;
  char *name = data_set_name(column.name);
  if (name)
    h->columns[i] = H5Dcreate2(h->file, name, H5T_IEEE_F64LE, space, link, create, H5P_DEFAULT);
  free(name);
  int good = h->columns[i] >= 0 && set_text(h->columns[i], "name", column.name) &&
             set_text(h->columns[i], "unit", column.unit) &&
             set_text(h->columns[i], "doc", column.doc);
  column_clear(&column);
  return good;
}

static int make_columns(struct hdf5 *h) {
  hsize_t now = 0, most = H5S_UNLIMITED, chunk = CHUNK;
  hid_t space = H5Screate_simple(1, &now, &most);
  hid_t create = H5Pcreate(H5P_DATASET_CREATE), link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_chunk(create, 1, &chunk);
  H5Pset_char_encoding(link, H5T_CSET_UTF8);
  int good = set_text(h->file, "model", h->model->name) &&
             set_text(h->file, "doc", h->model->doc) &&
             set_text(h->file, "method", h->model->method) &&
             set_text(h->file, "compiler", h->model->compiler);
  for (size_t i = 0; good && i < h->n_columns; i++) good = make_column(h, i, space, create, link);
  H5Pclose(link);
  H5Pclose(create);
  H5Sclose(space);
  return good;
}

static int hdf5_begin(void *user, const dyn_model *model) {
  struct hdf5 *h = user;
  h->model = model;
  h->n_columns = columns_count(model);
  h->columns = malloc(h->n_columns * sizeof *h->columns);
  h->rows = malloc(h->n_columns * CHUNK * sizeof *h->rows);
  if (!h->columns || !h->rows) {
    h->n_columns = 0;
    message_set(&h->message, DYN_OUT_OF_MEMORY, "there is not enough memory to write %s", h->path);
    return 1;
  }
  for (size_t i = 0; i < h->n_columns; i++) h->columns[i] = H5I_INVALID_HID;
  struct quiet before = be_quiet();
  int failed = make_columns(h) ? 0 : fail(h);
  restore(before);
  return failed;
}

static int write_column(struct hdf5 *h, size_t i) {
  hsize_t end = h->written + h->waiting, start = h->written, count = h->waiting;
  if (H5Dset_extent(h->columns[i], &end) < 0) return 0;
  hid_t file_space = H5Dget_space(h->columns[i]), space = H5Screate_simple(1, &count, NULL);
  int good = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
             H5Dwrite(h->columns[i], H5T_NATIVE_DOUBLE, space, file_space, H5P_DEFAULT,
                      h->rows + i * CHUNK) >= 0;
  H5Sclose(space);
  H5Sclose(file_space);
  return good;
}

static int flush_rows(struct hdf5 *h) {
  if (h->waiting == 0) return 0;
  struct quiet before = be_quiet();
  int failed = 0;
  for (size_t i = 0; !failed && i < h->n_columns; i++) failed = write_column(h, i) ? 0 : fail(h);
  h->written += h->waiting;
  h->waiting = 0;
  if (!failed && H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0) failed = fail(h);
  restore(before);
  return failed;
}

static int hdf5_row(void *user, const dyn_row *row) {
  struct hdf5 *h = user;
  for (size_t i = 0; i < h->n_columns; i++)
    h->rows[i * CHUNK + h->waiting] = columns_value(h->model, row, i);
  return ++h->waiting == CHUNK ? flush_rows(h) : 0;
}

static int close_file(struct hdf5 *h) {
  int good = 1;
  for (size_t i = 0; i < h->n_columns; i++)
    if (h->columns[i] >= 0 && H5Dclose(h->columns[i]) < 0) good = 0;
  h->n_columns = 0;
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
  free(h->path);
  free(h);
}

static dyn_status hdf5_open(const char *path, dyn_sink *sink, dyn_message *message) {
  memset(sink, 0, sizeof *sink);
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
  *sink = (dyn_sink){.user = h,
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
