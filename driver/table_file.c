/* Opens files of rows in the form that their name tells. */
#include "driver/table_file.h"
#include "base/module.h"
#include <string.h>
#include <strings.h>

/* .H5 as well: nobody means CSV by that. */
static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcasecmp(text + length - tail, end) == 0;
}

static bool is_hdf5(const char *name) {
  return name != NULL && (ends_with(name, ".h5") || ends_with(name, ".hdf5"));
}

/* NULL, with a diagnostic, if it can't be loaded. */
static const dyn_hdf5_module *open_module(struct session *session) {
  const char *reason = "";
  void *address = module_open("dyn_hdf5", &reason);
  dyn_hdf5_entry *entry = NULL;
  memcpy(&entry, &address, sizeof entry);
  const dyn_hdf5_module *module = entry != NULL ? entry() : NULL;
  if (module != NULL && module->abi == DYN_HDF5_ABI) return module;
  diagnostic_add(session_context(session), DIAG_MODULE_UNAVAILABLE, nowhere, "dyn_hdf5",
                 module != NULL ? "it is of another version of dyn" : reason, NULL);
  return NULL;
}

static dyn_status open_hdf5(struct session *session, const char *path, dyn_table *table,
                            dyn_message *message) {
  const dyn_hdf5_module *module = open_module(session);
  return module != NULL ? module->open(path, table, message) : DYN_BAD_FILE;
}

bool table_file_check(struct session *session, const char *name) {
  return !is_hdf5(name) || open_module(session) != NULL;
}

bool table_file_open(struct session *session, const char *path, const char *name,
                     dyn_table *table) {
  dyn_message message = {""};
  dyn_status status;
  if (path == NULL || strcmp(path, "-") == 0)
    status = dyn_csv_table_attach(stdout, table, &message);
  else if (is_hdf5(name))
    status = open_hdf5(session, path, table, &message);
  else
    status = dyn_csv_table_open(path, table, &message);
  if (status != DYN_DONE && message.text[0] != '\0') session_report_write(session, message.text);
  return status == DYN_DONE;
}
