/* What `dyn derive` prints, before a format is chosen: headings, paragraphs and rows of formulas in
 * reading order. Names that stand for something derived (f[θ], ∂v/∂u) are symbols of the graph,
 * with their LaTeX. */
#ifndef DYN_DERIVE_DOCUMENT_H
#define DYN_DERIVE_DOCUMENT_H
#include "base/arena.h"
#include "base/vector.h"
#include "expr/printer.h"

enum document_kind {
  DOCUMENT_HEADING, /* text: as plain text prints it, NULL for a blank line; title: in documents;
                     * left: a formula after both, or 0 */
  DOCUMENT_NOTE,    /* a paragraph: text */
  DOCUMENT_UNKNOWN, /* left, a function of time, with its unit `title`; text: heading of a list or
                     * NULL
                     */
  DOCUMENT_ROW,     /* left = right; or left = title in words. text: before it, in plain text */
  DOCUMENT_TERM,    /* left, from the place `text` */
  DOCUMENT_WHERE    /* the definitions of names that the printer gave */
};

struct document_item {
  enum document_kind kind;
  const char *text, *title;
  expr left, right; /* of a row; right 0: title in its place */
};

struct document {
  struct expr_graph *graph;
  struct arena arena;
  VECTOR(struct document_item) items;
  const char *model, *method;
};

void document_init(struct document *document, struct expr_graph *graph);
void document_clear(struct document *document);
/* `title` NULL: the text with a capital. */
void document_heading(struct document *document, const char *text, const char *title);
void document_heading_of(struct document *document, const char *text, expr formula);
void document_note(struct document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void document_unknown(struct document *document, const char *list, expr symbol, const char *unit);
void document_row(struct document *document, const char *before, expr left, expr right);
void document_words(struct document *document, const char *before, expr left, const char *words);
void document_term(struct document *document, expr term, const char *place);
void document_where(struct document *document);
/* A symbol that prints as `text`, in LaTeX as `latex` (NULL: made from the text). Both are copied.
 */
expr document_name(struct document *document, const char *text, const char *latex);
/* letter[row] or letter[row, column] (column NULL), in LaTeX with subscripts. */
struct document_index {
  const char *text, *latex;
};
expr document_entry(struct document *document, const char *letter, struct document_index row,
                    const struct document_index *column);
/* All formulas, appended. */
void document_roots(const struct document *document, struct expr_list *roots);

/* Documents with names in force by the printer, which is for the format. */
void document_print_text(const struct document *document, struct expr_printer *printer,
                         struct text *out);
void document_print_latex(const struct document *document, struct expr_printer *printer,
                          struct text *out);
void document_print_html(const struct document *document, struct expr_printer *printer,
                         struct text *out);
/* Text for a paragraph of LaTeX, and of HTML: what has a meaning there is escaped. */
void document_escape_latex(struct text *out, const char *text);
void document_escape_html(struct text *out, const char *text);
/* MathML of what printers make in LaTeX. */
void document_mathml(struct text *out, const char *latex);
#endif
