/* Source texts and places in them. A span is a range of bytes in one source. */
#ifndef DYN_BASE_SOURCE_H
#define DYN_BASE_SOURCE_H
#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `source` indexes the context's sources from 1; source 0 is "no place". */
struct span {
  uint32_t source, begin, end;
};

/* A view is a source that shares the text of another one: the text as some place elsewhere uses it
 * (a component as one instance uses it). A span in a view tells both where something is written
 * and what led there. */

struct source {
  const char *name;      /* as shown: a path, "<stdin>", or an option such as "--set" */
  const char *text;      /* NUL-terminated after `length` bytes; may hold NULs inside */
  uint32_t length;
  bool is_command_line;  /* text that came with an option: faults in it are exit status 2 */
  bool is_file;          /* read from the file that `name` names */
  bool is_library;       /* of the standard library: nobody who reads about it can change it */
  uint32_t written;      /* of a view: the source whose text it is; else 0 */
  struct span led_here;  /* the place that led to this view, or had this file read; source 0: none */
  uint32_t *line_starts; /* byte offset of each line, made on first use */
  uint32_t line_count;
  uint32_t known_offset, known_column; /* the last place asked for: long lines are counted once */
};

struct source_set {
  struct arena *arena; /* not owned */
  struct source **items;
  uint32_t count, capacity;
};

struct source_place {
  uint32_t line, column; /* both from 1; columns count code points */
  uint32_t line_begin, line_end; /* bytes of that line without its end */
};

void source_set_init(struct source_set *set, struct arena *arena);
void source_set_clear(struct source_set *set);

/* Copies name and text; returns the source's index (from 1), 0 if it is longer than 1 GiB. */
uint32_t source_add(struct source_set *set, const char *name, const char *text, size_t length);
/* Reads a whole file, "-" being standard input. Returns 0 and sets errno on failure. */
uint32_t source_read(struct source_set *set, const char *path);
/* A view of a source (which may be a view itself), with what led there. */
uint32_t source_add_view(struct source_set *set, uint32_t source, struct span led_here);
struct source *source_get(const struct source_set *set, uint32_t index);
/* The same place in the source that it is written in. */
struct span source_written(const struct source_set *set, struct span span);
/* How many views lie between the source and a text that nothing led to. */
uint32_t source_depth(const struct source_set *set, uint32_t source);
struct source_place source_locate(const struct source_set *set, uint32_t source, uint32_t offset);

static inline struct span span_join(struct span a, struct span b) {
  if (a.source == 0) return b;
  if (b.source != a.source) return a;
  return (struct span){a.source, a.begin < b.begin ? a.begin : b.begin,
                       a.end > b.end ? a.end : b.end};
}
#endif
