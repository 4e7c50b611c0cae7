/* What tells one build of a program or library from another. */
#ifndef DYN_BASE_IDENTITY_H
#define DYN_BASE_IDENTITY_H
#include "base/text.h"
#include <stdbool.h>

/* Appends, in hexadecimal digits, the build id of an ELF file, which the linker makes of all that
 * the file holds; a hash of its bytes if it has none. False if the file can't be read. */
bool identity_of_file(const char *path, struct text *out);
#endif
