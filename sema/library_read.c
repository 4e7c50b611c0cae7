/* The standard library: the files that are built in, or a directory in their place. */
#include "sema/library.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void library_list(dyn_context *context, const char *directory, struct library_names *names) {
  for (uint32_t i = 0; directory == NULL && i < library_file_count; i++)
    vector_push(names, library_files[i].name);
  DIR *opened = directory != NULL ? opendir(directory) : NULL;
  for (struct dirent *entry; opened != NULL && (entry = readdir(opened)) != NULL;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot == NULL || dot == entry->d_name || strcmp(dot, ".dyn") != 0) continue;
    vector_push(names, arena_string(&context->arena, entry->d_name, (size_t)(dot - entry->d_name)));
  }
  if (opened != NULL) closedir(opened);
  if (names->count > 1) qsort(names->items, names->count, sizeof *names->items, by_name);
}

const char *library_path(dyn_context *context, const char *directory, const char *name) {
  return arena_format(&context->arena, "%s/%s.dyn", directory != NULL ? directory : "stdlib", name);
}

uint32_t library_read(dyn_context *context, const char *directory, const char *name) {
  const char *path = library_path(context, directory, name);
  if (directory != NULL) return source_read(&context->sources, path);
  for (uint32_t i = 0; i < library_file_count; i++)
    if (strcmp(library_files[i].name, name) == 0)
      return source_add(&context->sources, path, library_files[i].text, library_files[i].length);
  return 0;
}
