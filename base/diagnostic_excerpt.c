/* One source line with marks under a range of it.
 *
 * Marks are counted in display columns: wide characters take two, combining ones none, a tab is
 * TAB_WIDTH blanks, and what cannot be shown is named in angle brackets. Of a long line only a
 * window around the range is shown, found by walking from the range in both directions, so that
 * the cost does not depend on the length of the line. */
#include "base/diagnostic_excerpt.h"
#include <stdio.h>
#include <string.h>
#include <unictype.h>
#include <uniwidth.h>

enum { TAB_WIDTH = 4, WINDOW = 100, CONTEXT = 30, LONGEST_CELL = 16, LONGEST_CLUSTER = 400 };

/* ---------------------------------------------------------------- one character */

struct cell {
  char text[LONGEST_CELL]; /* NUL-terminated; what is printed */
  unsigned bytes;          /* of the source */
  int width;               /* display columns */
};

static bool is_hidden(uint32_t letter) {
  return uc_is_general_category_withtable(letter, UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf |
                                                      UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp |
                                                      UC_CATEGORY_MASK_Cs | UC_CATEGORY_MASK_Cn);
}

static struct cell read_cell(const char *bytes, size_t left) {
  struct cell cell = {.bytes = 1};
  uint32_t letter = 0;
  unsigned length = utf8_sequence(bytes, left, &letter);
  if (length == 0) {
    cell.width = snprintf(cell.text, sizeof cell.text, "<%02X>", (unsigned char)*bytes);
    return cell;
  }
  cell.bytes = length;
  if (letter == '\t') {
    cell.width = snprintf(cell.text, sizeof cell.text, "%*s", TAB_WIDTH, "");
  } else if (is_hidden(letter)) {
    cell.width = snprintf(cell.text, sizeof cell.text, "<U+%04X>", (unsigned)letter);
  } else {
    memcpy(cell.text, bytes, length);
    cell.width = uc_width(letter, "UTF-8");
    if (cell.width < 0) cell.width = 1;
  }
  return cell;
}

void excerpt_put_safe(struct text *out, const char *bytes, size_t length) {
  while (length > 0) {
    struct cell cell = read_cell(bytes, length);
    text_put(out, cell.text);
    bytes += cell.bytes;
    length -= cell.bytes;
  }
}

/* The start of the character before `offset`, not before `begin`. */
static uint32_t step_back(const struct source *source, uint32_t offset, uint32_t begin) {
  for (uint32_t length = 1; length <= 4 && begin + length <= offset; length++)
    if (utf8_sequence(source->text + offset - length, length, NULL) == length)
      return offset - length;
  return offset - 1;
}

/* ---------------------------------------------------------------- the window */

struct window {
  uint32_t begin, end;           /* bytes of the line that are shown */
  uint32_t line_begin, line_end; /* the whole line */
};

/* Grows to the left by up to `columns` and returns those not used. A run of combining marks
 * counts towards LONGEST_CLUSTER, so that it ends too. */
static int grow_left(const struct source *source, struct window *window, int columns) {
  for (int steps = 0; window->begin > window->line_begin && steps < LONGEST_CLUSTER; steps++) {
    uint32_t begin = step_back(source, window->begin, window->line_begin);
    struct cell cell = read_cell(source->text + begin, window->line_end - begin);
    if (cell.width > columns) break;
    columns -= cell.width;
    window->begin = begin;
  }
  return columns;
}

static int grow_right(const struct source *source, struct window *window, int columns) {
  for (int steps = 0; window->end < window->line_end && steps < LONGEST_CLUSTER; steps++) {
    struct cell cell = read_cell(source->text + window->end, window->line_end - window->end);
    if (cell.width > columns) break;
    columns -= cell.width;
    window->end += cell.bytes;
  }
  return columns;
}

static struct window choose_window(const struct source *source, struct source_place place,
                                   uint32_t begin) {
  if (begin > place.line_end) begin = place.line_end;
  struct window window = {begin, begin, place.line_begin, place.line_end};
  int left = CONTEXT - grow_left(source, &window, CONTEXT);
  int unused = grow_right(source, &window, WINDOW - left);
  grow_left(source, &window, unused);
  return window;
}

/* ---------------------------------------------------------------- lines and marks */

static void put_colour(const struct excerpt *excerpt, const char *code) {
  if (excerpt->colour) text_put(excerpt->out, code);
}

static void put_gutter(const struct excerpt *excerpt, uint32_t line) {
  put_colour(excerpt, "\033[1;34m");
  if (line > 0)
    text_format(excerpt->out, "%*u |", excerpt->gutter - 1, line);
  else
    text_format(excerpt->out, "%*s |", excerpt->gutter - 1, "");
  put_colour(excerpt, "\033[0m");
}

static void put_line(struct excerpt *excerpt, const struct source *source, uint32_t line,
                     struct window window) {
  put_gutter(excerpt, line);
  if (window.line_begin < window.line_end) text_put(excerpt->out, " ");
  if (window.begin > window.line_begin) text_put(excerpt->out, "... ");
  excerpt_put_safe(excerpt->out, source->text + window.begin, window.end - window.begin);
  if (window.end < window.line_end) text_put(excerpt->out, " ...");
  text_put(excerpt->out, "\n");
  excerpt->line = line;
  excerpt->shown_begin = window.begin;
  excerpt->shown_end = window.end;
}

/* The marks under bytes begin..end of the line shown last; at least one. */
static void put_marks(struct excerpt *excerpt, const struct source *source, bool cut_left,
                      struct span span, const struct excerpt_range *range, const char *caption) {
  put_gutter(excerpt, 0);
  int blanks = cut_left ? 5 : 1, marks = 0;
  for (uint32_t at = excerpt->shown_begin; at < excerpt->shown_end;) {
    struct cell cell = read_cell(source->text + at, excerpt->shown_end - at);
    if (at + cell.bytes <= span.begin)
      blanks += cell.width;
    else if (at < span.end)
      marks += cell.width;
    at += cell.bytes;
  }
  text_format(excerpt->out, "%*s", blanks, "");
  put_colour(excerpt, range->colour);
  for (int i = 0; i < (marks > 0 ? marks : 1); i++) text_add(excerpt->out, &range->mark, 1);
  if (caption != NULL && caption[0] != '\0') {
    text_put(excerpt->out, " ");
    excerpt_put_safe(excerpt->out, caption, strlen(caption));
  }
  put_colour(excerpt, "\033[0m");
  text_put(excerpt->out, "\n");
}

static void put_part(struct excerpt *excerpt, const struct excerpt_range *range, uint32_t begin,
                     uint32_t end, const char *caption) {
  const struct source *source = source_get(excerpt->sources, range->span.source);
  struct source_place place = source_locate(excerpt->sources, range->span.source, begin);
  bool shown = excerpt->line == place.line && begin >= excerpt->shown_begin &&
               (begin < excerpt->shown_end ||
                (begin >= place.line_end && excerpt->shown_end == place.line_end));
  if (!shown) put_line(excerpt, source, place.line, choose_window(source, place, begin));
  put_marks(excerpt, source, excerpt->shown_begin > place.line_begin,
            (struct span){range->span.source, begin, end}, range, caption);
}

static uint32_t first_not_blank(const struct source *source, uint32_t begin, uint32_t end) {
  while (begin + 1 < end && (source->text[begin] == ' ' || source->text[begin] == '\t')) begin++;
  return begin;
}

void excerpt_put_range(struct excerpt *excerpt, const struct excerpt_range *range) {
  const struct source *source = source_get(excerpt->sources, range->span.source);
  uint32_t begin = range->span.begin < source->length ? range->span.begin : source->length;
  uint32_t end = range->span.end < begin ? begin : range->span.end;
  if (end > source->length) end = source->length;
  struct source_place first = source_locate(excerpt->sources, range->span.source, begin);
  struct source_place last =
      source_locate(excerpt->sources, range->span.source, end > begin ? end - 1 : end);
  if (excerpt->file != range->span.source) {
    put_colour(excerpt, "\033[1;34m");
    text_format(excerpt->out, "%*s ", excerpt->gutter - 1, "-->");
    put_colour(excerpt, "\033[0m");
    excerpt_put_safe(excerpt->out, source->name, strlen(source->name));
    text_format(excerpt->out, ":%u:%u\n", first.line, first.column);
    excerpt->file = range->span.source;
    excerpt->line = 0;
  }
  if (first.line == last.line) {
    put_part(excerpt, range, begin, end, range->caption);
    return;
  }
  put_part(excerpt, range, begin, first.line_end, NULL);
  if (last.line > first.line + 1) {
    put_gutter(excerpt, 0);
    text_put(excerpt->out, " ...\n");
  }
  put_part(excerpt, range, first_not_blank(source, last.line_begin, end), end, range->caption);
}

int excerpt_gutter_width(const struct source_set *sources, const struct diagnostic *diagnostic) {
  uint32_t highest = 0;
  for (uint32_t i = 0; i <= diagnostic->labels.count; i++) {
    struct span span = i == 0 ? diagnostic->span : diagnostic->labels.items[i - 1].span;
    if (span.source == 0) continue;
    uint32_t line =
        source_locate(sources, span.source, span.end > span.begin ? span.end - 1 : span.end).line;
    if (line > highest) highest = line;
  }
  int digits = 1;
  for (; highest > 9; highest /= 10) digits++;
  return digits < 3 ? 5 : digits + 2;
}
