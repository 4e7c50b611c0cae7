/* Reading sources and turning byte offsets into lines and columns. */
#include "base/source.h"
#include "base/bug.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_SOURCE = 1 << 30 };

void source_set_init(struct source_set *set, struct arena *arena) {
  *set = (struct source_set){.arena = arena};
}

void source_set_clear(struct source_set *set) {
  free(set->items);
  source_set_init(set, set->arena);
}

static uint32_t push(struct source_set *set, struct source *source) {
  if (set->count == set->capacity) {
    set->capacity = set->capacity == 0 ? 8 : set->capacity * 2;
    set->items = checked_realloc(set->items, set->capacity * sizeof(struct source *));
  }
  set->items[set->count++] = source;
  return set->count;
}

uint32_t source_add(struct source_set *set, const char *name, const char *text, size_t length) {
  if (length > LONGEST_SOURCE) {
    errno = EFBIG;
    return 0;
  }
  struct source *source = arena_new(set->arena, struct source);
  source->name = arena_string(set->arena, name, strlen(name));
  source->text = arena_string(set->arena, text, length);
  source->length = (uint32_t)length;
  return push(set, source);
}

uint32_t source_add_view(struct source_set *set, uint32_t index, struct span led_here) {
  const struct source *of = source_get(set, index);
  struct source *view = arena_new(set->arena, struct source);
  *view = (struct source){.name = of->name,
                          .text = of->text,
                          .length = of->length,
                          .is_command_line = of->is_command_line,
                          .written = of->written != 0 ? of->written : index,
                          .led_here = led_here};
  return push(set, view);
}

uint32_t source_read(struct source_set *set, const char *path) {
  bool standard = strcmp(path, "-") == 0;
  FILE *file = standard ? stdin : fopen(path, "rb");
  if (file == NULL) return 0;
  char *text = NULL;
  size_t length = 0, capacity = 0, got = 0;
  int fault = 0;
  struct stat status;
  if (!standard && fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) fault = EISDIR;
  while (fault == 0) {
    if (length == capacity) text = checked_realloc(text, capacity = capacity ? capacity * 2 : 65536);
    got = fread(text + length, 1, capacity - length, file);
    if (got == 0) break;
    length += got;
    if (length > LONGEST_SOURCE) fault = EFBIG;
  }
  if (fault == 0 && ferror(file)) fault = errno != 0 ? errno : EIO;
  if (!standard) fclose(file);
  uint32_t index = fault ? 0 : source_add(set, standard ? "<stdin>" : path, text, length);
  if (index != 0) source_get(set, index)->is_file = !standard;
  free(text);
  if (fault) errno = fault;
  return index;
}

struct source *source_get(const struct source_set *set, uint32_t index) {
  return index == 0 || index > set->count ? NULL : set->items[index - 1];
}

struct span source_written(const struct source_set *set, struct span span) {
  const struct source *source = source_get(set, span.source);
  if (source != NULL && source->written != 0) span.source = source->written;
  return span;
}

uint32_t source_depth(const struct source_set *set, uint32_t index) {
  uint32_t depth = 0;
  for (const struct source *source = source_get(set, index); source != NULL && source->written != 0;
       source = source_get(set, source->led_here.source))
    depth++;
  return depth;
}

static void find_lines(struct arena *arena, struct source *source) {
  uint32_t lines = 1;
  for (uint32_t i = 0; i < source->length; i++) lines += source->text[i] == '\n';
  source->line_starts = arena_array(arena, uint32_t, lines);
  source->line_count = lines;
  for (uint32_t i = 0, line = 1; i < source->length; i++)
    if (source->text[i] == '\n') source->line_starts[line++] = i + 1;
}

static bool is_continuation_byte(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}

struct source_place source_locate(const struct source_set *set, uint32_t index, uint32_t offset) {
  struct source *source = source_get(set, index);
  if (source == NULL) return (struct source_place){0};
  if (source->written != 0) source = source_get(set, source->written);
  if (source->line_starts == NULL) find_lines(set->arena, source);
  if (offset > source->length) offset = source->length;
  uint32_t low = 0, high = source->line_count; /* the line is in [low, high) */
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (source->line_starts[middle] <= offset) low = middle;
    else high = middle;
  }
  struct source_place place = {.line = low + 1, .column = 1, .line_begin = source->line_starts[low]};
  place.line_end = low + 1 < source->line_count ? source->line_starts[low + 1] - 1 : source->length;
  if (place.line_end > place.line_begin && source->text[place.line_end - 1] == '\r')
    place.line_end--;
  uint32_t from = place.line_begin;
  if (source->known_offset > from && source->known_offset <= offset) {
    from = source->known_offset;
    place.column = source->known_column;
  }
  for (uint32_t i = from; i < offset; i++)
    place.column += !is_continuation_byte(source->text[i]);
  source->known_offset = offset;
  source->known_column = place.column;
  return place;
}
