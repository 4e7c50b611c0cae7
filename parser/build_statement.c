/* Making statements. Parts of a statement are collected in the builder while it is read and moved
 * to the context's arena when it is whole; blocks hold their statements on one common stack. */
#include "parser/build.h"
#include <string.h>

struct ast_statement *statement_new(struct builder *b, enum ast_statement_kind kind,
                                    struct token_range at) {
  struct ast_statement *statement = arena_new(&b->context->arena, struct ast_statement);
  statement->kind = kind;
  statement->span = build_span(b, at);
  statement->keyword_span = b->tokens[at.begin].span;
  /* What stands behind a formal documents that formal. */
  statement->doc = kind == AST_COMPONENT ? doc_before(b, at.begin) : doc_of_range(b, at);
  return statement;
}

/* ---------------------------------------------------------------- names and texts */

/* Where the index behind a name ends: with the bracket that closes what opens right behind it. */
static uint32_t find_index_end(const struct builder *b, uint32_t name) {
  uint32_t close = name + 2;
  while (b->tokens[close].kind != TOKEN_CLOSE_BRACKET || b->tokens[close].open != name + 1) close++;
  return b->tokens[close].span.end;
}

void statement_label(struct builder *b, struct ast_statement *statement,
                     const struct declared *label) {
  if (label->token == 0) return;
  struct span name = b->tokens[label->token].span, span = name;
  if (label->indices.count > 0) span.end = find_index_end(b, label->token);
  statement->label = (struct ast_item){.name = b->tokens[label->token].text,
                                       .span = span,
                                       .name_span = name,
                                       .doc = statement->doc,
                                       .indices = label->indices,
                                       .is_range = label->is_range,
                                       .index_variable = label->index_variable};
}

void statement_set_name(struct builder *b, struct ast_statement *statement, uint32_t token) {
  struct declared name = {.token = token};
  statement_label(b, statement, &name);
}

void statement_set_text(struct builder *b, struct ast_statement *statement, uint32_t token) {
  statement->text = b->tokens[token].text;
  statement->text_span = b->tokens[token].span;
}

/* ---------------------------------------------------------------- parts */

static void *move(struct builder *b, const void *items, size_t size) {
  return arena_copy(&b->context->arena, items, size);
}

#define TAKE(b, statement, part)                                                                   \
  ((statement)->part.items =                                                                       \
       move((b), (b)->part.items, (b)->part.count * sizeof *(b)->part.items),                      \
   (statement)->part.count = (statement)->part.capacity = (b)->part.count, (b)->part.count = 0)

/* What stands before the statement documents all of its items that have no comment of their own. */
void statement_take_items(struct builder *b, struct ast_statement *statement) {
  const char *doc = doc_before(b, b->statement_begin);
  TAKE(b, statement, items);
  for (uint32_t i = 0; i < statement->items.count; i++)
    if (statement->items.items[i].doc == NULL) statement->items.items[i].doc = doc;
}

void statement_take_equations(struct builder *b, struct ast_statement *statement) {
  TAKE(b, statement, equations);
}

void statement_take_formals(struct builder *b, struct ast_statement *statement) {
  TAKE(b, statement, formals);
}

void statement_take_rotations(struct builder *b, struct ast_statement *statement) {
  TAKE(b, statement, rotations);
}

void statement_take_body(struct ast_statement *statement, struct statement_list body) {
  statement->body.items = body.items;
  statement->body.count = statement->body.capacity = body.count;
}

void statement_take_otherwise(struct ast_statement *statement, struct statement_list body) {
  statement->otherwise.items = body.items;
  statement->otherwise.count = statement->otherwise.capacity = body.count;
}

struct statement_list statements_take(struct builder *b, uint32_t begin) {
  struct statement_list list = {NULL, b->statements.count - begin};
  if (list.count > 0)
    list.items = move(b, b->statements.items + begin, list.count * sizeof *list.items);
  b->statements.count = begin;
  return list;
}

/* Also the place where what a faulty statement left behind is cleared away. */
void statements_add(struct builder *b, struct ast_statement *statement) {
  if (statement != NULL) vector_push(&b->statements, statement);
  b->list.count = b->items.count = b->equations.count = 0;
  b->formals.count = b->rotations.count = b->factors.count = 0;
}

/* `mass == 3` in a list of named arguments. */
static bool report_compared_argument(struct builder *b, const struct ast_expression *n) {
  if (n->kind != AST_BINARY || n->operator_ != AST_EQUAL ||
      ast_expression(b->ast, n->operand)->kind != AST_NAME)
    return false;
  struct diagnostic *d =
      diagnostic_add(b->context, DIAG_COMPARISON_IN_EQUATION, n->name_span, "==", NULL);
  diagnostic_help(b->context, d, "write '='");
  return true;
}

/* Particles, bodies, instances and simulate take named arguments only. For those of instances the
 * component has to be known to say more; they are reported later. */
struct ast_statement *statement_arguments(struct builder *b, struct ast_statement *statement,
                                          uint32_t list) {
  statement->arguments = list_end(b, list);
  for (uint32_t i = 0; i < statement->arguments.count; i++) {
    ast_expr argument = ast_list_item(b->ast, statement->arguments, i);
    const struct ast_expression *n = ast_expression(b->ast, argument);
    if (n->kind == AST_ARGUMENT) continue;
    bool is_compared = report_compared_argument(b, n);
    if (!is_compared && statement->kind == AST_INSTANCE) continue;
    b->ast->expressions.items[argument].kind = AST_ERROR;
    if (is_compared) continue;
    struct diagnostic *d = diagnostic_add(b->context, DIAG_NAMED_ARGUMENT_NEEDED, n->span, NULL);
    if (statement->kind == AST_PARTICLE)
      diagnostic_help(b->context, d, "write particle name(mass = ..., at = ...)");
    else if (statement->kind == AST_BODY)
      diagnostic_help(b->context, d,
                      "write body name(mass = ..., at = ..., frame = ..., inertia = ...)");
    else
      diagnostic_help(b->context, d, "write the argument's name and '=' before it");
    break;
  }
  return statement;
}

/* ---------------------------------------------------------------- items and equations */

/* `output h` records h under its own name. */
static ast_expr value_of_output(struct builder *b, const struct declared *declared) {
  return declared->indices.count > 0 ? 0 : build_leaf(b, AST_NAME, declared->token);
}

/* `coord x[m]`: the unit touches its name. True if that was reported. */
static bool check_unit_in_index(struct builder *b, const struct declared *declared) {
  uint32_t open = declared->token + 1;
  if (declared->indices.count != 1 || b->tokens[open].kind != TOKEN_OPEN_INDEX ||
      !is_unit_in_index(b, open))
    return false;
  const char *name = b->tokens[declared->token].text;
  struct diagnostic *d =
      diagnostic_add(b->context, DIAG_INDEX_FOR_UNIT, b->tokens[open].span, name, NULL);
  diagnostic_help(b->context, d, "put a blank before a unit: %s [...]", name);
  return true;
}

void add_item(struct builder *b, struct token_range at, const struct declared *declared,
              uint32_t primes, struct ast_unit *unit, ast_expr value) {
  const struct token *name = &b->tokens[declared->token];
  enum token_kind keyword = (enum token_kind)b->tokens[b->statement_begin].kind;
  struct span span = name->span;
  struct ast_item item = {.name = name->text,
                          .name_span = name->span,
                          .indices = declared->indices,
                          .is_range = declared->is_range,
                          .index_variable = declared->index_variable,
                          .unit = unit};
  /* One mistake, one message: what follows sees a scalar. */
  if (check_unit_in_index(b, declared)) item.indices = (struct ast_list){0};
  if (declared->indices.count > 0) span.end = find_index_end(b, declared->token);
  if (primes != 0) {
    item.primes = b->tokens[primes].count;
    span.end = b->tokens[primes].span.end;
  }
  item.span = span;
  bool needs_value = keyword == TOKEN_LET || keyword == TOKEN_SPEED || keyword == TOKEN_POINT ||
                     keyword == TOKEN_OUTPUT;
  if (value == 0 && keyword == TOKEN_OUTPUT && primes == 0) value = value_of_output(b, declared);
  if (value == 0 && needs_value) {
    struct diagnostic *d = diagnostic_add(b->context, DIAG_VALUE_MISSING, span, name->text, NULL);
    diagnostic_help(b->context, d, "write '%s %s = ...'", token_spelling(keyword), name->text);
    value = build_error(b, at);
  }
  item.value = value;
  /* Leading comments of the first item are those of the statement. */
  item.doc = doc_of_range(b, at);
  vector_push(&b->items, item);
}

void add_equation(struct builder *b, struct token_range at, ast_expr left, ast_expr right) {
  struct ast_equation equation = {build_span(b, at), left, right};
  vector_push(&b->equations, equation);
}

void add_rotation(struct builder *b, struct token_range at, ast_expr angle, ast_expr axis) {
  struct ast_rotation rotation = {build_span(b, at), angle, axis};
  vector_push(&b->rotations, rotation);
}

void add_formal(struct builder *b, struct token_range at, uint32_t name, struct ast_unit *unit,
                uint32_t kind, ast_expr value) {
  struct ast_formal formal = {.name = b->tokens[name].text,
                              .span = b->tokens[name].span,
                              .unit = unit,
                              .value = value,
                              .doc = doc_of_range(b, at)};
  switch (kind == 0 ? TOKEN_BEGIN : (enum token_kind)b->tokens[kind].kind) {
  case TOKEN_POINT:
    formal.kind = FORMAL_POINT;
    break;
  case TOKEN_VECTOR:
    formal.kind = FORMAL_VECTOR;
    break;
  case TOKEN_FRAME:
    formal.kind = FORMAL_FRAME;
    break;
  case TOKEN_BODY:
    formal.kind = FORMAL_BODY;
    break;
  default:
    formal.kind = FORMAL_SCALAR;
    break;
  }
  vector_push(&b->formals, formal);
}

/* ---------------------------------------------------------------- relations as statements */

/* True for what a value can be given to: names, members, elements, and their derivatives. */
static bool is_reference(const struct builder *b, ast_expr e) {
  for (;;) {
    const struct ast_expression *n = ast_expression(b->ast, e);
    if (n->kind == AST_NAME || n->kind == AST_ERROR) return true;
    if (n->kind != AST_MEMBER && n->kind != AST_INDEX && n->kind != AST_PRIME) return false;
    e = n->operand;
  }
}

static bool check_reference(struct builder *b, ast_expr left) {
  if (is_reference(b, left)) return true;
  diagnostic_add(b->context, DIAG_BAD_LEFT_SIDE, ast_expression(b->ast, left)->span, NULL);
  return false;
}

/* `z' = e` and `x := e`. */
struct ast_statement *statement_relation(struct builder *b, enum ast_statement_kind kind,
                                         struct token_range at, ast_expr left, ast_expr right) {
  const struct ast_expression *n = ast_expression(b->ast, left);
  if (kind == AST_RATE && n->kind != AST_PRIME && n->kind != AST_ERROR) {
    struct diagnostic *d = diagnostic_add(b->context, DIAG_NOT_A_DEFINITION, n->span, NULL);
    if (n->kind == AST_NAME) diagnostic_help(b->context, d, "write 'let %s = ...'", n->name);
    diagnostic_help(b->context, d, "an equation between coordinates is a 'constraint'");
    return NULL;
  }
  if (!check_reference(b, left)) return NULL;
  struct ast_statement *statement = statement_new(b, kind, at);
  statement->left = left;
  statement->right = right;
  return statement;
}

/* Each equation of a `start` or an assignment list is a statement. */
struct ast_statement *statement_starts(struct builder *b, struct token_range at) {
  struct ast_statement *last = NULL;
  for (uint32_t i = 0; i < b->equations.count; i++) {
    struct ast_equation *equation = &b->equations.items[i];
    if (!check_reference(b, equation->left)) continue;
    if (last != NULL) vector_push(&b->statements, last);
    last = statement_new(b, AST_START, at);
    last->equations.items = move(b, equation, sizeof *equation);
    last->equations.count = last->equations.capacity = 1;
    if (b->is_assignments) last->span = last->keyword_span = equation->span;
  }
  b->equations.count = 0;
  return last;
}
