/* The standard library as it is built in: the files of stdlib/, put into a C file by
 * cmake/EmbedLibrary.cmake. */
#ifndef DYN_SEMA_LIBRARY_H
#define DYN_SEMA_LIBRARY_H
#include <stdint.h>

struct library_file {
  const char *name; /* "joints" */
  const char *text; /* not NUL-terminated */
  uint32_t length;
};
extern const struct library_file library_files[];
extern const uint32_t library_file_count;
#endif
