/* Documents as plain text: rows in the language's own notation, one to a line. */
#include "derive/document.h"

static void put_where(struct expr_printer *printer, struct text *out) {
  uint32_t count = expr_printer_definition_count(printer);
  if (count) text_put(out, "\nwith\n");
  for (uint32_t i = 0; i < count; i++) {
    const char *name;
    expr body = expr_printer_definition(printer, i, &name);
    text_format(out, "%s = ", name);
    expr_printer_print_body(printer, out, body);
    text_put(out, "\n");
  }
}

static void put_row(const struct document_item *item, struct expr_printer *printer,
                    struct text *out) {
  if (item->text != NULL) text_put(out, item->text);
  expr_printer_print(printer, out, item->left);
  text_put(out, " = ");
  if (item->right != 0)
    expr_printer_print(printer, out, item->right);
  else
    text_put(out, item->title);
  text_put(out, "\n");
}

static void put_heading(const struct document_item *item, struct expr_printer *printer,
                        struct text *out) {
  text_format(out, "%s%s", item->text, item->left != 0 ? " " : "");
  if (item->left != 0) expr_printer_print(printer, out, item->left);
  text_put(out, "\n");
}

/* A list of unknowns is one line; it ends before the next one or what else comes. */
static void put_unknown(const struct document_item *item, struct expr_printer *printer,
                        struct text *out) {
  text_put(out, item->text != NULL ? item->text : ", ");
  if (item->text != NULL) text_put(out, ": ");
  expr_printer_print(printer, out, item->left);
  text_format(out, "(t) [%s]", item->title);
}

void document_print_text(const struct document *document, struct expr_printer *printer,
                         struct text *out) {
  text_format(out, "%s: equations of motion by the method \"%s\"\n", document->model,
              document->method);
  enum document_kind before = DOCUMENT_NOTE;
  for (uint32_t i = 0; i < document->items.count; i++) {
    const struct document_item *item = &document->items.items[i];
    bool begins = item->kind != DOCUMENT_UNKNOWN || item->text != NULL;
    if (before == DOCUMENT_UNKNOWN && begins) text_put(out, "\n");
    before = item->kind;
    switch (item->kind) {
    case DOCUMENT_HEADING:
      text_put(out, "\n");
      if (item->text != NULL) put_heading(item, printer, out);
      break;
    case DOCUMENT_NOTE:
      text_format(out, "%s\n", item->text);
      break;
    case DOCUMENT_UNKNOWN:
      put_unknown(item, printer, out);
      break;
    case DOCUMENT_ROW:
      put_row(item, printer, out);
      break;
    case DOCUMENT_TERM:
      text_put(out, "  ");
      expr_printer_print(printer, out, item->left);
      text_format(out, "\n    from %s\n", item->text);
      break;
    case DOCUMENT_WHERE:
      put_where(printer, out);
      break;
    }
  }
  if (before == DOCUMENT_UNKNOWN) text_put(out, "\n");
}
