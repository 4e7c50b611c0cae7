/* Documents: how they are put together. Strings are copied into the document's arena. */
#include "derive/document.h"
#include <ctype.h>
#include <string.h>

void document_init(struct document *document, struct expr_graph *graph) {
  *document = (struct document){.graph = graph};
  arena_init(&document->arena);
}

void document_clear(struct document *document) {
  arena_clear(&document->arena);
  vector_free(&document->items);
}

static const char *copy(struct document *document, const char *text) {
  return text != NULL ? arena_string(&document->arena, text, strlen(text)) : NULL;
}

static void add(struct document *document, enum document_kind kind, const char *text,
                const char *title, expr left, expr right) {
  struct document_item item = {kind, copy(document, text), copy(document, title), left, right};
  vector_push(&document->items, item);
}

static void add_heading(struct document *document, const char *text, const char *title,
                        expr formula) {
  char *capital = arena_string(&document->arena, text != NULL ? text : "", text ? strlen(text) : 0);
  *capital = (char)toupper((unsigned char)*capital);
  add(document, DOCUMENT_HEADING, text, title != NULL ? title : capital, formula, 0);
}

void document_heading(struct document *document, const char *text, const char *title) {
  add_heading(document, text, title, 0);
}

void document_heading_of(struct document *document, const char *text, expr formula) {
  add_heading(document, text, NULL, formula);
}

void document_note(struct document *document, const char *format, ...) {
  va_list list;
  va_start(list, format);
  struct document_item item = {.kind = DOCUMENT_NOTE};
  item.text = arena_vformat(&document->arena, format, list);
  va_end(list);
  vector_push(&document->items, item);
}

void document_unknown(struct document *document, const char *list, expr symbol, const char *unit) {
  add(document, DOCUMENT_UNKNOWN, list, unit, symbol, 0);
}

void document_row(struct document *document, const char *before, expr left, expr right) {
  add(document, DOCUMENT_ROW, before, NULL, left, right);
}

void document_words(struct document *document, const char *before, expr left, const char *words) {
  add(document, DOCUMENT_ROW, before, words, left, 0);
}

void document_term(struct document *document, expr term, const char *place) {
  add(document, DOCUMENT_TERM, place, NULL, term, 0);
}

void document_where(struct document *document) {
  add(document, DOCUMENT_WHERE, NULL, NULL, 0, 0);
}

expr document_name(struct document *document, const char *text, const char *latex) {
  return expr_symbol(document->graph, text, latex);
}

expr document_entry(struct document *document, const char *letter, struct document_index row,
                    const struct document_index *column) {
  struct arena *arena = &document->arena;
  bool starred = letter[strlen(letter) - 1] == '*';
  const char *raised = starred ? arena_format(arena, "%.1s^{*}", letter) : letter;
  const char *text = column == NULL
                         ? arena_format(arena, "%s[%s]", letter, row.text)
                         : arena_format(arena, "%s[%s, %s]", letter, row.text, column->text);
  const char *latex = column == NULL
                          ? arena_format(arena, "%s_{%s}", raised, row.latex)
                          : arena_format(arena, "%s_{%s,%s}", raised, row.latex, column->latex);
  return document_name(document, text, latex);
}

void document_roots(const struct document *document, struct expr_list *roots) {
  for (uint32_t i = 0; i < document->items.count; i++) {
    const struct document_item *item = &document->items.items[i];
    if (item->left != 0) vector_push(roots, item->left);
    if (item->right != 0) vector_push(roots, item->right);
  }
}
