/* dlopen with a short list of places. */
#define _GNU_SOURCE
#include "base/module.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#ifndef DYN_MODULE_DIRECTORY
#define DYN_MODULE_DIRECTORY "/usr/local/lib/dyn"
#endif

static bool is_module_in(const char *directory, const char *below, const char *name, char *path,
                         size_t size) {
  int length = snprintf(path, size, "%s%s/lib%s.so", directory, below, name);
  return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}

bool module_own_path(char *path, size_t size) {
  Dl_info info;
  char real[PATH_MAX];
  if (dladdr((void *)(size_t)&module_open, &info) == 0 || info.dli_fname == NULL) return false;
  ssize_t length = -1;
  const char *name = info.dli_fname;
  if (strchr(name, '/') == NULL) {
    length = readlink("/proc/self/exe", real, sizeof real - 1);
    if (length > 0) real[length] = '\0';
    const char *started = (const char *)getauxval(AT_EXECFN); /* where /proc is not mounted */
    if (started != NULL) name = started;
  }
  if (length <= 0 && realpath(name, real) == NULL) return false;
  if (strlen(real) >= size) return false;
  strcpy(path, real);
  return true;
}

bool module_path(const char *name, char *path, size_t size) {
  static const char *const below[] = {"", "/../lib/dyn", "/dyn"};
  char own[PATH_MAX];
  if (module_own_path(own, sizeof own)) {
    *strrchr(own, '/') = '\0';
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++)
      if (is_module_in(own, below[i], name, path, size)) return true;
  }
  return is_module_in(DYN_MODULE_DIRECTORY, "", name, path, size);
}

void *module_open(const char *name, const char **reason) {
  char path[PATH_MAX];
  void *handle = NULL;
  dlerror();
  /* Global: LLVM's debugger hooks and process symbol search need to see each other. */
  if (module_path(name, path, sizeof path)) handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  void *entry = handle != NULL ? dlsym(handle, name) : NULL;
  if (entry == NULL && reason != NULL) {
    const char *loader = dlerror();
    *reason =
        loader != NULL ? loader : "it is neither beside the program nor in " DYN_MODULE_DIRECTORY;
  }
  return entry;
}
