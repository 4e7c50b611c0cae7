/* Diagnostics: values from one catalogue (catalogue.def), collected in the context, rendered
 * at the end in the order of the text.
 *
 *   struct diagnostic *d = diagnostic_add(context, DIAG_UNKNOWN_NAME, span, name, NULL);
 *   diagnostic_caption(context, d, "not declared");
 *   diagnostic_label(context, d, other_span, "did you mean this one?");
 *   diagnostic_help(context, d, "write '%s'", other);
 *
 * The words of the message stand in the catalogue; the strings given replace {0}, {1}, ...
 *
 * A place in a view (see source.h) is shown where it is written, followed by what led there: the
 * instance whose component has the fault, the import that had the file read. Spans in diagnostics
 * are always in written sources. */
#ifndef DYN_BASE_DIAGNOSTIC_H
#define DYN_BASE_DIAGNOSTIC_H
#include "base/source.h"
#include "base/text.h"
#include "base/vector.h"
#include <stdbool.h>

typedef struct dyn_context dyn_context;

enum diagnostic_severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE };

enum diagnostic_code {
  DIAG_NONE,
#define DIAGNOSTIC(number, name, severity, message, explanation) DIAG_##name,
#include "base/catalogue.def"
#undef DIAGNOSTIC
  DIAGNOSTIC_CODE_COUNT
};

struct diagnostic_label {
  struct span span;
  const char *caption;
};

struct diagnostic {
  enum diagnostic_code code;
  struct span span; /* source 0: about the model as a whole */
  const char *message;
  const char *caption; /* under the main range; may be NULL */
  VECTOR(struct diagnostic_label) labels;
  VECTOR(const char *) helps; /* several lines are several entries */
  bool is_unheard;            /* not kept: nothing is written to it */
};

struct diagnostic_list {
  struct diagnostic **items; /* in the context's arena */
  uint32_t count, capacity;
  uint32_t error_count, warning_count; /* include those that were not kept */
  uint32_t dropped;                    /* beyond the first 200 */
  bool omits_library_notes;            /* notes in texts of the standard library are not kept */
  struct diagnostic unheard;           /* what diagnostic_add answers for those */
};

struct diagnostic_entry { /* a row of the catalogue */
  const char *name;       /* "E0101" */
  enum diagnostic_severity severity;
  const char *identifier; /* "BAD_UTF8" */
  const char *message;    /* with {0} ... */
  const char *explanation;
};

/* Never returns NULL. Strings are copied; the list ends with NULL. A second report of the same
 * code at the same span is not kept (the returned diagnostic then goes nowhere). */
struct diagnostic *diagnostic_add(dyn_context *context, enum diagnostic_code code, struct span span,
                                  ...) __attribute__((sentinel));
void diagnostic_caption(dyn_context *context, struct diagnostic *diagnostic, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));
void diagnostic_label(dyn_context *context, struct diagnostic *diagnostic, struct span span,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
void diagnostic_help(dyn_context *context, struct diagnostic *diagnostic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The words alone, for reports that are no diagnostics; the list ends with NULL. */
void diagnostic_put_message(struct text *out, enum diagnostic_code code, ...)
    __attribute__((sentinel));

const struct diagnostic_entry *diagnostic_entry(enum diagnostic_code code);
/* The code of "E0123" (any case, the letter may be missing); DIAG_NONE if there is none. */
enum diagnostic_code diagnostic_find(const char *name);

/* Renders all diagnostics sorted by place: for people (colour with escape codes if asked) or
 * as one JSON array of objects {code, severity, message, file, line, column, end_line,
 * end_column, byte_begin, byte_end, caption, labels, help}. */
void diagnostics_render_text(dyn_context *context, struct text *out, bool colour);
void diagnostics_render_json(dyn_context *context, struct text *out);
/* True if any error lies in text given with an option (then the exit status is 2). */
bool diagnostics_blame_command_line(const dyn_context *context);

/* The candidate nearest to `name` by edit distance over code points (case and Greek spelled in
 * Latin letters, such as theta for θ, count little), or NULL if none is near. Linear in count. */
const char *nearest_name(const char *name, const char *const *candidates, size_t count);
#endif
