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

static void *open_in(const char *directory, const char *below, const char *name) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s%s/lib%s.so", directory, below, name);
  if (length < 0 || (size_t)length >= sizeof path || access(path, R_OK) != 0) return NULL;
  /* Global: LLVM's debugger hooks and process symbol search need to see each other. */
  return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

/* The folder of the binary or library that this code is in. */
static int own_directory(char *directory, size_t size) {
  Dl_info info;
  char real[PATH_MAX];
  if (dladdr((void *)(size_t)&module_open, &info) == 0 || info.dli_fname == NULL) return 0;
  ssize_t length = -1;
  const char *name = info.dli_fname;
  if (strchr(name, '/') == NULL) {
    length = readlink("/proc/self/exe", real, sizeof real - 1);
    if (length > 0) real[length] = '\0';
    const char *started = (const char *)getauxval(AT_EXECFN); /* where /proc is not mounted */
    if (started != NULL) name = started;
  }
  if (length <= 0 && realpath(name, real) == NULL) return 0;
  char *slash = strrchr(real, '/');
  if (slash == NULL || (size_t)(slash - real) >= size) return 0;
  *slash = '\0';
  strcpy(directory, real);
  return 1;
}

void *module_open(const char *name, const char **reason) {
  char directory[PATH_MAX];
  void *handle = NULL;
  dlerror();
  if (own_directory(directory, sizeof directory)) {
    handle = open_in(directory, "", name);
    if (handle == NULL) handle = open_in(directory, "/../lib/dyn", name);
    if (handle == NULL) handle = open_in(directory, "/dyn", name);
  }
  if (handle == NULL) handle = open_in(DYN_MODULE_DIRECTORY, "", name);
  void *entry = handle != NULL ? dlsym(handle, name) : NULL;
  if (entry == NULL && reason != NULL) {
    const char *loader = dlerror();
    *reason = loader != NULL ? loader : "it is neither beside the program nor in " DYN_MODULE_DIRECTORY;
  }
  return entry;
}
