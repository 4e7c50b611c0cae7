/* Documents in HTML: one file that needs nothing else, with MathML for the formulas. It is XML,
 * too.
 */
#include "derive/document.h"
#include <string.h>

struct writer {
  const struct document *document;
  struct expr_printer *printer;
  struct text *out;
  const char *open; /* the element to be closed before something else comes, or NULL */
};

void document_escape_html(struct text *out, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    uint32_t code = 0;
    unsigned size = utf8_sequence(text, left, &code);
    if (*text == '<' || *text == '>' || *text == '&')
      text_put(out, *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;");
    else if (*text == '"')
      text_put(out, "&quot;");
    else if (size == 0 || (size == 1 && (unsigned char)*text < ' '))
      text_put(out, " ");
    else
      text_add(out, text, size);
    size = size == 0 ? 1 : size;
    text += size;
    left -= size;
  }
}

static void put_math(struct writer *w, expr e, bool is_body, const char *display) {
  struct text latex = {0};
  if (is_body)
    expr_printer_print_body(w->printer, &latex, e);
  else
    expr_printer_print(w->printer, &latex, e);
  text_format(w->out, "<math%s><mrow>", display);
  document_mathml(w->out, text_string(&latex));
  text_put(w->out, "</mrow></math>");
  text_free(&latex);
}

static const char block[] = " display=\"block\"";

static void open_element(struct writer *w, const char *name) {
  if (w->open != NULL && strcmp(w->open, name) == 0) return;
  if (w->open != NULL) text_format(w->out, "</%s>\n", w->open);
  if (name != NULL) text_format(w->out, "<%s>\n", name);
  w->open = name;
}

static void close_element(struct writer *w) {
  if (w->open != NULL) text_format(w->out, "</%s>\n", w->open);
  w->open = NULL;
}

static void begin_row(struct writer *w) {
  open_element(w, "table");
  text_put(w->out, "<tr><td>");
}

static void put_row(struct writer *w, const struct document_item *item) {
  begin_row(w);
  put_math(w, item->left, false, block);
  text_put(w->out, "</td><td>=</td><td>");
  if (item->right != 0)
    put_math(w, item->right, false, block);
  else
    document_escape_html(w->out, item->title);
  text_put(w->out, "</td></tr>\n");
}

static void put_where(struct writer *w) {
  uint32_t count = expr_printer_definition_count(w->printer);
  if (count == 0) return;
  text_put(w->out, "<h2>With</h2>\n");
  for (uint32_t i = 0; i < count; i++) {
    const char *name;
    expr e = expr_printer_definition(w->printer, i, &name);
    begin_row(w);
    put_math(w, e, false, block);
    text_put(w->out, "</td><td>=</td><td>");
    put_math(w, e, true, block);
    text_put(w->out, "</td></tr>\n");
  }
}

static void put_marked(struct writer *w, const char *element, const char *text) {
  text_format(w->out, "<%s>", element);
  document_escape_html(w->out, text);
  text_format(w->out, "</%s>\n", element);
}

static void put_heading(struct writer *w, const struct document_item *item) {
  text_put(w->out, "<h2>");
  document_escape_html(w->out, item->title);
  if (item->left != 0) {
    text_put(w->out, " ");
    put_math(w, item->left, false, "");
  }
  text_put(w->out, "</h2>\n");
}

static void put_unknown(struct writer *w, const struct document_item *item) {
  if (item->text != NULL) {
    close_element(w);
    text_put(w->out, "<p>");
    document_escape_html(w->out, item->text);
    text_put(w->out, ": ");
    w->open = "p";
  } else {
    text_put(w->out, ", ");
  }
  put_math(w, item->left, false, "");
  text_put(w->out, "(<i>t</i>) [");
  document_escape_html(w->out, item->title);
  text_put(w->out, "]");
}

static void put_item(struct writer *w, const struct document_item *item) {
  bool goes_on =
      item->kind == DOCUMENT_ROW || item->kind == DOCUMENT_TERM || item->kind == DOCUMENT_UNKNOWN;
  if (!goes_on) close_element(w);
  switch (item->kind) {
  case DOCUMENT_HEADING:
    put_heading(w, item);
    break;
  case DOCUMENT_NOTE:
    put_marked(w, "p", item->text);
    break;
  case DOCUMENT_UNKNOWN:
    put_unknown(w, item);
    break;
  case DOCUMENT_ROW:
    put_row(w, item);
    break;
  case DOCUMENT_TERM:
    open_element(w, "ul");
    text_put(w->out, "<li>");
    put_math(w, item->left, false, "");
    text_put(w->out, "<br/>from <code>");
    document_escape_html(w->out, item->text);
    text_put(w->out, "</code></li>\n");
    break;
  case DOCUMENT_WHERE:
    put_where(w);
    break;
  }
}

void document_print_html(const struct document *document, struct expr_printer *printer,
                         struct text *out) {
  struct writer w = {document, printer, out, NULL};
  text_put(out,
           "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
           "<meta charset=\"utf-8\"/>\n<title>");
  document_escape_html(out, document->model);
  text_put(out, "</title>\n<style>body{font-family:serif;margin:2em}table{border-spacing:.4em}"
                "td{vertical-align:top}math{overflow-x:auto}</style>\n</head>\n<body>\n<h1>");
  document_escape_html(out, document->model);
  text_format(out, ": equations of motion by the method “%s”</h1>\n", document->method);
  for (uint32_t i = 0; i < document->items.count; i++) put_item(&w, &document->items.items[i]);
  close_element(&w);
  text_put(out, "</body>\n</html>\n");
}
