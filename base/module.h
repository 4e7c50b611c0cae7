/* Parts of dyn that are opened on demand, because loading what they stand on (LLVM, FLINT, HDF5)
 * costs more than most commands take. A module is a shared object named lib<name>.so that exports
 * one function with the module's name, returning its table of functions. */
#ifndef DYN_BASE_MODULE_H
#define DYN_BASE_MODULE_H
#include <stdbool.h>
#include <stddef.h>

/* Finds the module next to the running binary, in ../lib/dyn beside it, or where it was
 * installed, and returns the address of its function `name`. On failure NULL, with the reason in
 * *reason (static or owned by the loader; valid until the next call). Modules stay loaded. */
void *module_open(const char *name, const char **reason);
/* Where module_open finds it; false if it is at none of those places, or the path is too long. */
bool module_path(const char *name, char *path, size_t size);
/* The program or library that this code is in. */
bool module_own_path(char *path, size_t size);
#endif
