/* Diagnostics as text for people and as JSON for tools, in the order of the text.
 *
 *   pendulum.dyn:3:15: error[E0203]: this '(' is never closed
 *     3 | kinetic 1/2*m*(x'^2
 *       |               ^ opened here
 *     4 | param m = 2
 *       | ----- a new statement starts here
 *       help: ...
 *
 * The excerpt of a line is laid out by diagnostic_excerpt.c. Whatever a model or a command line
 * holds, only printable text goes out: other characters and bytes are named (<U+0007>, <FF>). */
#include "base/context.h"
#include "base/diagnostic_excerpt.h"
#include <stdlib.h>
#include <string.h>

static const char *const severity_words[] = {"error", "warning", "note"};
static const char *const severity_colours[] = {"\033[1;31m", "\033[1;33m", "\033[1;36m"};

static const struct diagnostic_entry *entry_of(const struct diagnostic *diagnostic) {
  return diagnostic_entry(diagnostic->code);
}

/* ---------------------------------------------------------------- order */

struct ranked {
  const struct diagnostic *diagnostic;
  uint32_t rank; /* keeps the order of reports where places are equal */
};

static int compare_places(const void *left, const void *right) {
  const struct ranked *a = left, *b = right;
  /* Faults of the model as a whole come last: 0 - 1 is the largest source. */
  uint32_t source_a = a->diagnostic->span.source - 1, source_b = b->diagnostic->span.source - 1;
  if (source_a != source_b) return source_a < source_b ? -1 : 1;
  uint32_t begin_a = a->diagnostic->span.begin, begin_b = b->diagnostic->span.begin;
  if (begin_a != begin_b) return begin_a < begin_b ? -1 : 1;
  return a->rank < b->rank ? -1 : 1;
}

/* The caller frees the array. */
static struct ranked *sort_by_place(const struct diagnostic_list *list) {
  struct ranked *sorted = checked_malloc(list->count * sizeof *sorted);
  for (uint32_t i = 0; i < list->count; i++) sorted[i] = (struct ranked){list->items[i], i};
  qsort(sorted, list->count, sizeof *sorted, compare_places);
  return sorted;
}

/* ---------------------------------------------------------------- text */

struct printer {
  dyn_context *context;
  struct text *out;
  bool colour;
};

static void put_coloured(const struct printer *p, const char *colour, const char *text) {
  if (p->colour) text_put(p->out, colour);
  text_put(p->out, text);
  if (p->colour) text_put(p->out, "\033[0m");
}

static void put_head(const struct printer *p, const struct diagnostic *diagnostic) {
  const struct diagnostic_entry *entry = entry_of(diagnostic);
  const struct source *source = source_get(&p->context->sources, diagnostic->span.source);
  if (p->colour) text_put(p->out, "\033[1m");
  if (source != NULL) {
    struct source_place place =
        source_locate(&p->context->sources, diagnostic->span.source, diagnostic->span.begin);
    excerpt_put_safe(p->out, source->name, strlen(source->name));
    text_format(p->out, ":%u:%u: ", place.line, place.column);
  }
  if (p->colour) text_put(p->out, severity_colours[entry->severity]);
  text_format(p->out, "%s[%s]", severity_words[entry->severity], entry->name);
  if (p->colour) text_put(p->out, "\033[0m\033[1m");
  text_put(p->out, ": ");
  excerpt_put_safe(p->out, diagnostic->message, strlen(diagnostic->message));
  if (p->colour) text_put(p->out, "\033[0m");
  text_put(p->out, "\n");
}

/* The label to be shown next: those of the file in question go by line, the rest as reported. */
static const struct diagnostic_label *take_label(const struct printer *p,
                                                 const struct diagnostic *diagnostic,
                                                 bool *is_taken, uint32_t file) {
  const struct diagnostic_label *best = NULL;
  uint32_t best_line = 0;
  for (uint32_t i = 0; i < diagnostic->labels.count; i++) {
    const struct diagnostic_label *label = &diagnostic->labels.items[i];
    if (is_taken[i] || label->span.source == 0 || (file != 0) != (label->span.source == file))
      continue;
    uint32_t line = source_locate(&p->context->sources, label->span.source, label->span.begin).line;
    if (best != NULL && (file == 0 || line >= best_line)) continue;
    best = label;
    best_line = line;
  }
  if (best != NULL) is_taken[best - diagnostic->labels.items] = true;
  return best;
}

/* The file of the fault first, its lines in their order, the main range before others of its
 * line; then the ranges in other files. */
static void put_ranges(const struct printer *p, const struct diagnostic *diagnostic) {
  struct excerpt excerpt = {.sources = &p->context->sources, .out = p->out, .colour = p->colour};
  struct excerpt_range main_range = {diagnostic->span, diagnostic->caption, '^',
                                     severity_colours[entry_of(diagnostic)->severity]};
  excerpt.gutter = excerpt_gutter_width(&p->context->sources, diagnostic);
  excerpt.file = diagnostic->span.source;
  uint32_t file = excerpt.file;
  uint32_t main_line = source_locate(&p->context->sources, file, diagnostic->span.begin).line;
  bool *is_taken = checked_calloc(diagnostic->labels.count, sizeof *is_taken);
  bool is_main_due = file != 0;
  while (true) {
    const struct diagnostic_label *label = take_label(p, diagnostic, is_taken, file);
    uint32_t line =
        label == NULL
            ? UINT32_MAX
            : source_locate(&p->context->sources, label->span.source, label->span.begin).line;
    if (is_main_due && (label == NULL || line >= main_line)) {
      excerpt_put_range(&excerpt, &main_range);
      is_main_due = false;
    }
    if (label == NULL && file == 0) break;
    if (label == NULL)
      file = 0;
    else
      excerpt_put_range(&excerpt,
                        &(struct excerpt_range){label->span, label->caption, '-', "\033[1;34m"});
  }
  free(is_taken);
}

static void put_helps(const struct printer *p, const struct diagnostic *diagnostic) {
  int indent = excerpt_gutter_width(&p->context->sources, diagnostic) + 2;
  for (uint32_t i = 0; i < diagnostic->helps.count; i++) {
    text_format(p->out, "%*s", indent, "");
    put_coloured(p, "\033[1;32m", "help:");
    for (const char *line = diagnostic->helps.items[i]; line != NULL;) {
      const char *end = strchr(line, '\n');
      text_put(p->out, " ");
      excerpt_put_safe(p->out, line, end != NULL ? (size_t)(end - line) : strlen(line));
      text_put(p->out, "\n");
      line = end != NULL ? end + 1 : NULL;
      if (line != NULL) text_format(p->out, "%*s", indent + 5, "");
    }
  }
}

static void put_count(struct text *out, uint32_t count, const char *word, const char *before) {
  if (count > 0) text_format(out, "%s%u %s%s", before, count, word, count == 1 ? "" : "s");
}

static void put_summary(const struct printer *p) {
  const struct diagnostic_list *list = &p->context->diagnostics;
  if (list->dropped > 0)
    text_format(p->out, "(%u further message%s not shown)\n", list->dropped,
                list->dropped == 1 ? "" : "s");
  if (list->error_count + list->warning_count == 0) return;
  put_count(p->out, list->error_count, "error", "");
  put_count(p->out, list->warning_count, "warning", list->error_count > 0 ? ", " : "");
  text_put(p->out, "\n");
}

void diagnostics_render_text(dyn_context *context, struct text *out, bool colour) {
  struct printer printer = {context, out, colour};
  struct ranked *sorted = sort_by_place(&context->diagnostics);
  for (uint32_t i = 0; i < context->diagnostics.count; i++) {
    put_head(&printer, sorted[i].diagnostic);
    put_ranges(&printer, sorted[i].diagnostic);
    put_helps(&printer, sorted[i].diagnostic);
  }
  put_summary(&printer);
  free(sorted);
}

/* ---------------------------------------------------------------- JSON */

static void json_string_or_null(struct text *out, const char *string) {
  if (string != NULL)
    text_json_string(out, string);
  else
    text_put(out, "null");
}

static void json_place(const dyn_context *context, struct text *out, struct span span) {
  const struct source *source = source_get(&context->sources, span.source);
  if (source == NULL) {
    text_put(out, "\"file\": null, \"line\": null, \"column\": null, \"end_line\": null, "
                  "\"end_column\": null, \"byte_begin\": null, \"byte_end\": null");
    return;
  }
  struct source_place begin = source_locate(&context->sources, span.source, span.begin);
  struct source_place end = source_locate(&context->sources, span.source, span.end);
  text_put(out, "\"file\": ");
  text_json_string(out, source->name);
  text_format(out, ", \"line\": %u, \"column\": %u, \"end_line\": %u, \"end_column\": %u",
              begin.line, begin.column, end.line, end.column);
  text_format(out, ", \"byte_begin\": %u, \"byte_end\": %u", span.begin, span.end);
}

static void json_diagnostic(const dyn_context *context, struct text *out,
                            const struct diagnostic *diagnostic) {
  const struct diagnostic_entry *entry = entry_of(diagnostic);
  text_format(out, "  {\"code\": \"%s\", \"severity\": \"%s\", \"message\": ", entry->name,
              severity_words[entry->severity]);
  text_json_string(out, diagnostic->message);
  text_put(out, ", ");
  json_place(context, out, diagnostic->span);
  text_put(out, ", \"caption\": ");
  json_string_or_null(out, diagnostic->caption);
  text_put(out, ", \"labels\": [");
  for (uint32_t i = 0; i < diagnostic->labels.count; i++) {
    text_put(out, i > 0 ? ", {" : "{");
    json_place(context, out, diagnostic->labels.items[i].span);
    text_put(out, ", \"caption\": ");
    json_string_or_null(out, diagnostic->labels.items[i].caption);
    text_put(out, "}");
  }
  text_put(out, "], \"help\": [");
  for (uint32_t i = 0; i < diagnostic->helps.count; i++) {
    if (i > 0) text_put(out, ", ");
    text_json_string(out, diagnostic->helps.items[i]);
  }
  text_put(out, "]}");
}

void diagnostics_render_json(dyn_context *context, struct text *out) {
  struct ranked *sorted = sort_by_place(&context->diagnostics);
  text_put(out, "[");
  for (uint32_t i = 0; i < context->diagnostics.count; i++) {
    text_put(out, i > 0 ? ",\n" : "\n");
    json_diagnostic(context, out, sorted[i].diagnostic);
  }
  text_put(out, context->diagnostics.count > 0 ? "\n]\n" : "]\n");
  free(sorted);
}
