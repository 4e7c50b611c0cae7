/* Runs a fuzz target over every file of the folders given, without a fuzzer. */
#include "tests/fuzz/fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 0;
  uint8_t *bytes = NULL;
  size_t size = 0, capacity = 0, got = 1;
  while (got > 0) {
    if (size == capacity) {
      capacity = capacity == 0 ? 4096 : capacity * 2;
      uint8_t *grown = realloc(bytes, capacity);
      if (grown == NULL) break;
      bytes = grown;
    }
    got = fread(bytes + size, 1, capacity - size, file);
    size += got;
  }
  fclose(file);
  LLVMFuzzerTestOneInput(bytes, size);
  free(bytes);
  return 1;
}

int main(int count, char **folders) {
  int files = 0;
  for (int i = 1; i < count; i++) {
    DIR *folder = opendir(folders[i]);
    if (folder == NULL) {
      perror(folders[i]);
      return 1;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
      char path[4096];
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
      files += replay_file(path);
    }
    closedir(folder);
  }
  printf("%d files\n", files);
  return files > 0 ? 0 : 1;
}
