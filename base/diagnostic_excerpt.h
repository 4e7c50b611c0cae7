/* Excerpts of source lines with marks under a range; used by diagnostic_render.c only. */
#ifndef DYN_BASE_DIAGNOSTIC_EXCERPT_H
#define DYN_BASE_DIAGNOSTIC_EXCERPT_H
#include "base/diagnostic.h"
#include "base/source.h"
#include "base/text.h"

struct excerpt_range {
  struct span span;
  const char *caption; /* behind the marks; may be NULL or empty */
  char mark;           /* '^' or '-' */
  const char *colour;  /* escape code of the marks */
};

struct excerpt { /* one diagnostic's excerpts, from the first to the last */
  const struct source_set *sources;
  struct text *out;
  bool colour;
  int gutter;    /* columns up to the bar */
  uint32_t file; /* the source whose lines are being shown */
  /* The line printed last and the bytes of it that were shown, so that the next range of the
   * same line can go under it. */
  uint32_t line, shown_begin, shown_end;
};

/* Prints the lines of the range with marks under it (the first and the last of several lines). */
void excerpt_put_range(struct excerpt *excerpt, const struct excerpt_range *range);
/* Columns that the line numbers of a diagnostic take, with the blanks around them. */
int excerpt_gutter_width(const struct source_set *sources, const struct diagnostic *diagnostic);
/* Adds text with everything that is not printable named instead. */
void excerpt_put_safe(struct text *out, const char *bytes, size_t length);
#endif
