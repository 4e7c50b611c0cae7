/* Components, functions and constants of a module with what their comments say, as text or
 * Markdown. What stands in brackets, defaults and units are shown as they were written. */
#include "driver/docs_print.h"
#include <string.h>

struct row {
  const char *name, *kind, *value, *doc; /* value and doc may be NULL */
};
typedef VECTOR(struct row) row_list;

static const char *const kind_words[] = {[AST_CONST] = "const",
                                         [AST_PARAM] = "param",
                                         [AST_INPUT] = "input",
                                         [AST_COORD] = "coord",
                                         [AST_STATE] = "state",
                                         [AST_SPEED] = "speed",
                                         [AST_LET] = "let",
                                         [AST_POINT] = "point",
                                         [AST_KINETIC] = "kinetic",
                                         [AST_FRAME] = "frame",
                                         [AST_PARTICLE] = "particle",
                                         [AST_BODY] = "body",
                                         [AST_FORCE_ON] = "force",
                                         [AST_FORCE_AT] = "force",
                                         [AST_TORQUE] = "torque",
                                         [AST_POTENTIAL] = "potential",
                                         [AST_DISSIPATION] = "dissipation",
                                         [AST_CONSTRAINT] = "constraint",
                                         [AST_OUTPUT] = NULL};
static const char *const formal_words[] = {"", "point", "vector", "frame", "body"};

/* ---------------------------------------------------------------- text */

static const char *keep(struct docs_printer *p, struct text *text) {
  const char *kept = arena_string(&p->context->arena, text_string(text), text->length);
  text_free(text);
  return kept;
}

/* The range as it was written, on one line. */
static void put_source(struct docs_printer *p, struct span span, struct text *out) {
  const struct source *source = source_get(&p->context->sources, span.source);
  bool is_blank = false;
  for (uint32_t i = span.begin; i < span.end; i++) {
    char c = source->text[i];
    bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (blank && !is_blank) text_put(out, " ");
    if (!blank) text_add(out, &c, 1);
    is_blank = blank;
  }
}

static const char *source_of(struct docs_printer *p, struct span span) {
  struct text text = {0};
  put_source(p, span, &text);
  return keep(p, &text);
}

static const char *value_of(struct docs_printer *p, ast_expr value) {
  return value != 0 ? source_of(p, ast_expression(p->ast, value)->span) : NULL;
}

static size_t width(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

static void put_padded(struct text *out, const char *text, size_t columns) {
  text_put(out, text);
  for (size_t i = width(text); i < columns; i++) text_put(out, " ");
}

/* Prose: in Markdown, signs that mean something there are escaped, except between backquotes. */
static void put_prose(struct docs_printer *p, const char *text) {
  bool is_code = false;
  for (; *text != '\0'; text++) {
    is_code ^= *text == '`';
    if (p->is_markdown && !is_code && strchr("*_|<", *text) != NULL) text_put(p->out, "\\");
    text_add(p->out, text, 1);
  }
}

/* A comment of several lines; an empty one parts paragraphs. */
static void put_paragraphs(struct docs_printer *p, const char *doc, const char *indent) {
  while (doc != NULL && *doc != '\0') {
    size_t length = strcspn(doc, "\n");
    struct text line = {0};
    text_add(&line, doc, length);
    if (length > 0) text_put(p->out, indent);
    put_prose(p, text_string(&line));
    text_put(p->out, "\n");
    text_free(&line);
    doc += length + (doc[length] == '\n');
  }
}

/* ---------------------------------------------------------------- tables */

static void put_markdown_rows(struct docs_printer *p, const char *title, const row_list *rows) {
  text_format(p->out, "\n| %s | | | |\n|---|---|---|---|\n", title);
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct row *row = &rows->items[i];
    text_format(p->out, "| `%s` | %s | ", row->name, row->kind);
    if (row->value != NULL) text_format(p->out, "`%s`", row->value);
    text_put(p->out, " | ");
    put_prose(p, row->doc != NULL ? row->doc : "");
    text_put(p->out, " |\n");
  }
}

static void put_text_rows(struct docs_printer *p, const char *title, const row_list *rows) {
  size_t name = 0, kind = 0;
  struct text middle = {0};
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct row *row = &rows->items[i];
    size_t taken = width(row->kind) + (row->value != NULL ? width(row->value) + 3 : 0);
    if (width(row->name) > name) name = width(row->name);
    if (taken > kind) kind = taken;
  }
  text_format(p->out, "\n  %s:\n", title);
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct row *row = &rows->items[i];
    text_put(p->out, "    ");
    put_padded(p->out, row->name, name + 2);
    middle.length = 0;
    text_put(&middle, row->kind);
    if (row->value != NULL)
      text_format(&middle, "%s= %s", *row->kind != '\0' ? " " : "", row->value);
    put_padded(p->out, text_string(&middle), row->doc != NULL ? kind + 2 : 0);
    if (row->doc != NULL) text_put(p->out, row->doc);
    text_put(p->out, "\n");
  }
  text_free(&middle);
}

static void put_rows(struct docs_printer *p, const char *title, row_list *rows) {
  for (uint32_t i = 0; i < rows->count; i++) {
    const char *doc = rows->items[i].doc;
    if (doc == NULL || strchr(doc, '\n') == NULL) continue;
    char *line = arena_string(&p->context->arena, doc, strlen(doc));
    for (char *c = line; *c != '\0'; c++) *c = *c == '\n' ? ' ' : *c;
    rows->items[i].doc = line;
  }
  if (rows->count > 0 && p->is_markdown) put_markdown_rows(p, title, rows);
  if (rows->count > 0 && !p->is_markdown) put_text_rows(p, title, rows);
  vector_free(rows);
}

/* ---------------------------------------------------------------- components */

static const char *with_unit(struct docs_printer *p, const char *word,
                             const struct ast_unit *unit) {
  if (unit == NULL) return word;
  struct text text = {0};
  text_format(&text, "%s%s[%s]", word, *word != '\0' ? " " : "", unit->text);
  return keep(p, &text);
}

static void add_item(struct docs_printer *p, const struct ast_statement *statement,
                     const struct ast_item *item, bool shows_value, row_list *rows) {
  const char *word = kind_words[statement->kind];
  if (item->name == NULL || item->primes > 0 || word == NULL) return;
  struct row row = {.name = source_of(p, item->span),
                    .kind = with_unit(p, word, item->unit),
                    .value = shows_value ? value_of(p, item->value) : NULL,
                    .doc = item->doc != NULL ? item->doc : statement->doc};
  vector_push(rows, row);
}

static void add_member(struct docs_printer *p, const struct ast_statement *statement,
                       row_list *rows) {
  switch (statement->kind) {
  case AST_INSTANCE: {
    struct row row = {.name = source_of(p, statement->label.span),
                      .kind = statement->text,
                      .doc = statement->doc};
    vector_push(rows, row);
    break;
  }
  case AST_CONST:
  case AST_PARAM:
  case AST_INPUT:
  case AST_COORD:
  case AST_STATE:
  case AST_SPEED:
  case AST_LET:
  case AST_POINT:
  case AST_FRAME:
  case AST_PARTICLE:
  case AST_BODY:
  case AST_KINETIC:
  case AST_POTENTIAL:
  case AST_DISSIPATION:
  case AST_FORCE_ON:
  case AST_FORCE_AT:
  case AST_TORQUE:
  case AST_CONSTRAINT:
    add_item(p, statement, &statement->label, false, rows);
    for (uint32_t i = 0; i < statement->items.count; i++)
      add_item(p, statement, &statement->items.items[i], false, rows);
    break;
  default:
    break;
  }
}

/* What stands in loops and under conditions belongs to the component as well: blocks are pushed
 * and worked off from a list. */
static void add_members(struct docs_printer *p, const struct ast_statement *component,
                        row_list *rows) {
  VECTOR(const struct ast_statement *) left = {0};
  vector_push(&left, component);
  for (uint32_t i = 0; i < left.count; i++) {
    const struct ast_statement *block = left.items[i];
    for (uint32_t k = 0; k < block->body.count + block->otherwise.count; k++) {
      const struct ast_statement *s = k < block->body.count
                                          ? block->body.items[k]
                                          : block->otherwise.items[k - block->body.count];
      add_member(p, s, rows);
      if (s->kind == AST_FOR || s->kind == AST_IF_BLOCK) vector_push(&left, s);
    }
  }
  vector_free(&left);
}

static void put_heading(struct docs_printer *p, const struct ast_statement *statement,
                        const char *bracket) {
  if (p->out->length > 0) text_put(p->out, "\n");
  if (p->is_markdown)
    text_format(p->out, "### %s\n\n", statement->label.name);
  else
    text_format(p->out, "%s.%s%s\n", p->module, statement->label.name, bracket);
  put_paragraphs(p, statement->doc, p->is_markdown ? "" : "  ");
}

static void print_component(struct docs_printer *p, const struct ast_statement *component) {
  row_list formals = {0}, members = {0};
  put_heading(p, component, "");
  for (uint32_t i = 0; i < component->formals.count; i++) {
    const struct ast_formal *formal = &component->formals.items[i];
    struct row row = {.name = formal->name,
                      .kind = with_unit(p, formal_words[formal->kind], formal->unit),
                      .value = value_of(p, formal->value),
                      .doc = formal->doc};
    vector_push(&formals, row);
  }
  add_members(p, component, &members);
  put_rows(p, "arguments", &formals);
  put_rows(p, "members", &members);
}

static void print_function(struct docs_printer *p, const struct ast_statement *function) {
  struct text call = {0};
  text_put(&call, "(");
  for (uint32_t i = 0; i < function->formals.count; i++)
    text_format(&call, "%s%s", i > 0 ? ", " : "", function->formals.items[i].name);
  text_put(&call, ")");
  put_heading(p, function, text_string(&call));
  if (p->is_markdown) text_format(p->out, "\n`%s%s`\n", function->label.name, text_string(&call));
  text_free(&call);
}

static bool is_wanted(const char *name, const char *only) {
  return name != NULL && (only == NULL || strcmp(name, only) == 0);
}

static uint32_t print_values(struct docs_printer *p, const char *only) {
  row_list rows = {0};
  for (uint32_t i = 0; i < p->ast->statements.count; i++) {
    const struct ast_statement *s = p->ast->statements.items[i];
    if (s->kind != AST_CONST && s->kind != AST_PARAM) continue;
    for (uint32_t k = 0; k < s->items.count; k++)
      if (is_wanted(s->items.items[k].name, only)) add_item(p, s, &s->items.items[k], true, &rows);
  }
  uint32_t count = rows.count;
  put_rows(p, "values", &rows);
  return count;
}

void docs_print_module(struct docs_printer *p) {
  text_format(p->out, p->is_markdown ? "\n## %s\n\n" : "%s\n", p->module);
  put_paragraphs(p, p->ast->doc, p->is_markdown ? "" : "  ");
}

uint32_t docs_print_items(struct docs_printer *p, const char *only) {
  uint32_t count = print_values(p, only);
  for (uint32_t i = 0; i < p->ast->statements.count; i++) {
    const struct ast_statement *s = p->ast->statements.items[i];
    bool is_component = s->kind == AST_COMPONENT;
    if ((!is_component && s->kind != AST_FUNCTION) || !is_wanted(s->label.name, only)) continue;
    if (is_component)
      print_component(p, s);
    else
      print_function(p, s);
    count++;
  }
  return count;
}
