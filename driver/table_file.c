/* Opens files of rows in the form that their name tells. */
#include "driver/table_file.h"
#include "base/module.h"
#include <string.h>

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static dyn_status open_hdf5(struct session *session, const char *path, dyn_table *table,
                            dyn_message *message) {
  const char *reason = "";
  void *address = module_open("dyn_hdf5", &reason);
  dyn_hdf5_entry *entry = NULL;
  memcpy(&entry, &address, sizeof entry);
  const dyn_hdf5_module *module = entry != NULL ? entry() : NULL;
  if (module != NULL && module->abi == DYN_HDF5_ABI) return module->open(path, table, message);
  diagnostic_add(session_context(session), DIAG_MODULE_UNAVAILABLE, nowhere, "dyn_hdf5",
                 module != NULL ? "it is of another version of dyn" : reason, NULL);
  return DYN_BAD_FILE;
}

bool table_file_open(struct session *session, const char *path, const char *name,
                     dyn_table *table) {
  dyn_message message = {""};
  dyn_status status;
  if (path == NULL || strcmp(path, "-") == 0)
    status = dyn_csv_table_attach(stdout, table, &message);
  else if (ends_with(name, ".h5") || ends_with(name, ".hdf5"))
    status = open_hdf5(session, path, table, &message);
  else
    status = dyn_csv_table_open(path, table, &message);
  if (status != DYN_DONE && message.text[0] != '\0') session_report_write(session, message.text);
  return status == DYN_DONE;
}
