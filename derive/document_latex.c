/* Documents in LaTeX: a whole article that needs amsmath and nothing else, for pdflatex and the
 * engines that read Unicode. Formulas stand in aligned environments; pages do not break inside of
 * those, so that none has more rows than fit. Long sides are broken before signs that stand outside
 * of all brackets. */
#include "derive/document.h"
#include "base/map.h"
#include "expr/symbol_latex.h"
#include <ctype.h>
#include <string.h>

enum { LINES_PER_BLOCK = 24, WIDEST_LINE = 64, WIDE_LEFT = 24 };

struct writer {
  const struct document *document;
  struct expr_printer *printer;
  struct text *out;
  uint32_t lines; /* in the block that is open; 0: none is */
  bool in_list;
};

/* ---- words */

/* One character of more than one byte: as mathematics where it has a name there. */
static void escape_wide(struct text *out, const char *bytes, unsigned size) {
  char one[8] = {0};
  struct text latex = {0};
  memcpy(one, bytes, size);
  symbol_latex(&latex, one);
  const char *known = text_string(&latex);
  if (known[0] == '\\')
    text_format(out, "\\(%s\\)", known);
  else
    text_put(out, one);
  text_free(&latex);
}

void document_escape_latex(struct text *out, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    uint32_t code;
    unsigned size = utf8_sequence(text, left, &code);
    if (size > 1)
      escape_wide(out, text, size);
    else if (strchr("{}$&#_%", *text) != NULL)
      text_format(out, "\\%c", *text);
    else if (*text == '\\')
      text_put(out, "\\textbackslash{}");
    else if (*text == '^')
      text_put(out, "\\textasciicircum{}");
    else if (*text == '~')
      text_put(out, "\\textasciitilde{}");
    else if (*text == '<' || *text == '>' || *text == '|' || *text == '"')
      text_format(out, "\\(%s\\)", *text == '"' ? "''" : (char[]){*text, 0});
    else if (size == 1 && (unsigned char)*text >= ' ')
      text_add(out, text, 1);
    else
      text_put(out, " ");
    size = size == 0 ? 1 : size;
    text += size;
    left -= size;
  }
}

/* kg*m^2/s: signs of multiplication as spaces, exponents raised. */
static void put_unit(struct text *out, const char *unit) {
  text_put(out, "\\,\\mathrm{");
  while (*unit != '\0') {
    uint32_t code;
    unsigned size = utf8_sequence(unit, strlen(unit), &code);
    if (size == 0) size = 1;
    if (*unit == '*') {
      text_put(out, "\\,");
    } else if (*unit == '^') {
      size_t length = unit[1] == '(' ? strcspn(unit, ")") + 1 : 1 + strspn(unit + 1, "-0123456789");
      text_format(out, "^{%.*s}", (int)(length - 1), unit + 1);
      size = (unsigned)length;
    } else if (size > 1) {
      text_format(out, "\\text{%.*s}", (int)size, unit);
    } else {
      text_add(out, unit, 1);
    }
    unit += size;
  }
  text_put(out, "}");
}

/* ---- blocks */

static void end_block(struct writer *w) {
  if (w->lines > 0) text_put(w->out, "\n\\end{aligned}\n\\]\n");
  if (w->in_list) text_put(w->out, "\\end{itemize}\n");
  w->lines = 0;
  w->in_list = false;
}

/* What must stand before the next line; `needed` lines are not parted. */
static void begin_line(struct writer *w) {
  if (w->in_list || w->lines >= LINES_PER_BLOCK) end_block(w);
  text_put(w->out, w->lines == 0 ? "\\[\n\\begin{aligned}\n" : " \\\\\n");
  w->lines++;
}

/* ---- rows */

/* The change of depth of brackets and environments by what stands at `at`. */
static int depth_change(const char *at) {
  if (*at == '{') return 1;
  if (*at == '}') return -1;
  if (strncmp(at, "\\left", 5) == 0 && !isalpha((unsigned char)at[5])) return 1;
  if (strncmp(at, "\\right", 6) == 0 && !isalpha((unsigned char)at[6])) return -1;
  if (strncmp(at, "\\begin", 6) == 0) return 1;
  return strncmp(at, "\\end{", 5) == 0 ? -1 : 0;
}

/* About how many letters wide is what the command or character at `at` prints; *length: its bytes.
 */
static unsigned width_at(const char *at, size_t *length) {
  static const char *const empty[] = {"left",       "right", "mathit", "mathbf", "mathrm",
                                      "text",       "dot",   "ddot",   "dddot",  "hat",
                                      "boldsymbol", "frac",  "sqrt",   "begin",  "end"};
  static const char *const words[] = {"sin", "cos", "tan", "log", "ln", "max", "min"};
  *length = 1;
  if (*at != '\\') return strchr("{}_^ ", *at) == NULL && ((unsigned char)*at & 0xc0) != 0x80;
  size_t letters = strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  *length = 1 + (letters > 0 ? letters : at[1] != '\0');
  if (letters == 0) return 0;
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
    if (strlen(empty[i]) == letters && memcmp(empty[i], at + 1, letters) == 0) return 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == letters && memcmp(words[i], at + 1, letters) == 0) return 3;
  return 1;
}

static unsigned width_of(const char *latex) {
  unsigned width = 0;
  for (size_t length; *latex != '\0'; latex += length) width += width_at(latex, &length);
  return width;
}

/* Where the next line should begin: the last sign outside of brackets within WIDEST_LINE, or the
 * first one after; the end of the text if there is none. */
static const char *find_break(const char *from) {
  const char *best = NULL, *at = from;
  unsigned width = 0;
  int depth = 0;
  for (size_t length; *at != '\0'; at += length) {
    depth += depth_change(at);
    bool sign =
        depth == 0 && at > from && (strncmp(at, " + ", 3) == 0 || strncmp(at, " - ", 3) == 0);
    if (sign && (best == NULL || width <= WIDEST_LINE)) best = at;
    if (best != NULL && width > WIDEST_LINE) return best;
    width += width_at(at, &length);
  }
  return width > WIDEST_LINE && best != NULL ? best : at;
}

static void put_broken(struct writer *w, const char *formula) {
  for (const char *from = formula;;) {
    const char *to = find_break(from);
    text_add(w->out, from, (size_t)(to - from));
    if (*to == '\0') return;
    if (w->in_list)
      text_put(w->out, " \\\\\n");
    else
      begin_line(w);
    text_put(w->out, "&\\quad {}");
    from = to + 1;
  }
}

static void put_right(struct writer *w, const struct document_item *item) {
  struct text right = {0};
  if (item->right != 0) {
    expr_printer_print(w->printer, &right, item->right);
    put_broken(w, text_string(&right));
  } else {
    text_put(w->out, "\\text{");
    document_escape_latex(w->out, item->title);
    text_put(w->out, "}");
  }
  text_free(&right);
}

/* After a wide left side the right one has lines of its own. */
static void put_row(struct writer *w, const struct document_item *item) {
  struct text left = {0};
  expr_printer_print(w->printer, &left, item->left);
  bool is_wide = width_of(text_string(&left)) > WIDE_LEFT;
  begin_line(w);
  if (is_wide) {
    text_put(w->out, "&");
    put_broken(w, text_string(&left));
    begin_line(w);
    text_put(w->out, "&\\qquad = ");
  } else {
    text_format(w->out, "%s &= ", text_string(&left));
  }
  put_right(w, item);
  text_free(&left);
}

static void put_where(struct writer *w) {
  uint32_t count = expr_printer_definition_count(w->printer);
  if (count > 0) text_put(w->out, "\\section*{With}\n");
  for (uint32_t i = 0; i < count; i++) {
    const char *name;
    struct text body = {0};
    expr e = expr_printer_definition(w->printer, i, &name);
    begin_line(w);
    expr_printer_print(w->printer, w->out, e); /* as its name */
    text_put(w->out, " &= ");
    expr_printer_print_body(w->printer, &body, e);
    put_broken(w, text_string(&body));
    text_free(&body);
  }
}

static void put_term(struct writer *w, const struct document_item *item) {
  if (w->lines > 0) end_block(w);
  if (!w->in_list) text_put(w->out, "\\begin{itemize}\n");
  w->in_list = true;
  struct text term = {0};
  expr_printer_print(w->printer, &term, item->left);
  text_put(w->out, "\\item \\(\\begin{aligned}[t] &");
  put_broken(w, text_string(&term));
  text_put(w->out, "\\end{aligned}\\)\\\\ from \\texttt{");
  text_free(&term);
  document_escape_latex(w->out, item->text);
  text_put(w->out, "}\n");
}

static void put_unknown(struct writer *w, const struct document_item *item) {
  text_put(w->out, item->text != NULL ? "\n\n\\noindent " : ", ");
  if (item->text != NULL) {
    document_escape_latex(w->out, item->text);
    text_put(w->out, ": ");
  }
  text_put(w->out, "\\(");
  expr_printer_print(w->printer, w->out, item->left);
  text_put(w->out, "(t)\\;[");
  put_unit(w->out, item->title);
  text_put(w->out, "]\\)");
}

static void put_heading(struct writer *w, const struct document_item *item) {
  text_put(w->out, "\n\n\\section*{");
  document_escape_latex(w->out, item->title);
  if (item->left != 0) {
    text_put(w->out, " \\(");
    expr_printer_print(w->printer, w->out, item->left);
    text_put(w->out, "\\)");
  }
  text_put(w->out, "}\n");
}

static void put_item(struct writer *w, const struct document_item *item) {
  bool is_row = item->kind == DOCUMENT_ROW || item->kind == DOCUMENT_TERM;
  if (!is_row) end_block(w);
  switch (item->kind) {
  case DOCUMENT_HEADING:
    put_heading(w, item);
    break;
  case DOCUMENT_NOTE:
    text_put(w->out, "\n\\noindent ");
    document_escape_latex(w->out, item->text);
    text_put(w->out, "\n");
    break;
  case DOCUMENT_UNKNOWN:
    put_unknown(w, item);
    break;
  case DOCUMENT_ROW:
    put_row(w, item);
    break;
  case DOCUMENT_TERM:
    put_term(w, item);
    break;
  case DOCUMENT_WHERE:
    put_where(w);
    break;
  }
}

/* ---- the whole */

/* pdflatex stops at characters that it does not know: those beyond Latin letters that are left get
 * their number for a shape. */
static void declare_characters(struct text *out, const char *body) {
  struct map seen = {0};
  size_t left = strlen(body);
  text_put(out, "\\ifdefined\\DeclareUnicodeCharacter\n");
  while (left > 0) {
    uint32_t code = 0;
    unsigned size = utf8_sequence(body, left, &code);
    if (size > 1 && code >= 0x250 && map_get(&seen, code) == 0) {
      map_set(&seen, code, 1);
      text_format(out, "\\DeclareUnicodeCharacter{%04X}{\\ensuremath{\\mathrm{u%04X}}}\n",
                  (unsigned)code, (unsigned)code);
    }
    body += size == 0 ? 1 : size;
    left -= size == 0 ? 1 : size;
  }
  text_put(out, "\\fi\n");
  map_free(&seen);
}

void document_print_latex(const struct document *document, struct expr_printer *printer,
                          struct text *out) {
  struct text body = {0};
  struct writer w = {document, printer, &body, 0, false};
  for (uint32_t i = 0; i < document->items.count; i++) put_item(&w, &document->items.items[i]);
  end_block(&w);
  text_put(out, "\\documentclass{article}\n\\usepackage{amsmath}\n"
                "\\setlength{\\textwidth}{17cm}\\setlength{\\oddsidemargin}{-5mm}\n");
  declare_characters(out, text_string(&body));
  text_put(out, "\\begin{document}\n\\sloppy\n\\section*{");
  document_escape_latex(out, document->model);
  text_format(out, ": equations of motion by the method ``%s''}\n", document->method);
  text_put(out, text_string(&body));
  text_put(out, "\\end{document}\n");
  text_free(&body);
}
