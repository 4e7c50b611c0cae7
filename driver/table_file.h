/* Files of rows: CSV, or HDF5 by the module that is loaded for it. */
#ifndef DYN_DRIVER_TABLE_FILE_H
#define DYN_DRIVER_TABLE_FILE_H
#include "driver/session.h"

/* Can files of the form that the name tells be written here? False, with a diagnostic, if not: to
 * be asked before hours of work. */
bool table_file_check(struct session *session, const char *name);
/* Opens `path` (NULL or "-": standard output, as CSV); `name`, perhaps where it goes in the end,
 * tells the form: HDF5 if it ends in .h5 or .hdf5, else CSV. False, with a diagnostic, on failure.
 */
bool table_file_open(struct session *session, const char *path, const char *name, dyn_table *table);
#endif
