/* Making expression nodes. Children are made before their parents, so a node's subtree is the run
 * of nodes from its first leaf to itself; `first` is carried up from the leftmost child. */
#include "parser/build.h"
#include <string.h>

struct span build_span(const struct builder *b, struct token_range range) {
  struct span begin = b->tokens[range.begin].span;
  if (range.end <= range.begin) return (struct span){begin.source, begin.begin, begin.begin};
  struct span end = b->tokens[range.end - 1].span;
  return (struct span){begin.source, begin.begin, end.end};
}

static const struct ast_expression *node(const struct builder *b, ast_expr e) {
  return ast_expression(b->ast, e);
}

static ast_expr add(struct builder *b, struct ast_expression e) {
  if (e.first == 0) e.first = b->ast->expressions.count;
  vector_push(&b->ast->expressions, e);
  return b->ast->expressions.count - 1;
}

/* ---------------------------------------------------------------- lists */

uint32_t list_begin(const struct builder *b) {
  return b->list.count;
}

void list_add(struct builder *b, ast_expr e) {
  vector_push(&b->list, e);
}

struct ast_list list_end(struct builder *b, uint32_t begin) {
  struct ast_list list = {b->ast->lists.count, b->list.count - begin};
  for (uint32_t i = begin; i < b->list.count; i++) vector_push(&b->ast->lists, b->list.items[i]);
  b->list.count = begin;
  return list;
}

static ast_expr first_of_list(const struct builder *b, struct ast_list list) {
  return list.count > 0 ? node(b, ast_list_item(b->ast, list, 0))->first : 0;
}

/* ---------------------------------------------------------------- leaves */

ast_expr build_leaf(struct builder *b, enum ast_expr_kind kind, uint32_t token) {
  struct span span = b->tokens[token].span;
  return add(b, (struct ast_expression){.kind = (uint8_t)kind,
                                        .span = span,
                                        .name_span = span,
                                        .name = b->tokens[token].text});
}

ast_expr build_error(struct builder *b, struct token_range at) {
  struct span span = build_span(b, at);
  return add(b, (struct ast_expression){.kind = AST_ERROR, .span = span, .name_span = span});
}

/* Makes a node that was reported invisible for later stages. */
static ast_expr turn_into_error(struct builder *b, ast_expr e) {
  b->ast->expressions.items[e].kind = AST_ERROR;
  return e;
}

/* ---------------------------------------------------------------- operators */

ast_expr build_unary(struct builder *b, enum ast_operator op, struct token_range at,
                     ast_expr operand) {
  return add(b, (struct ast_expression){.kind = AST_UNARY,
                                        .operator_ = (uint8_t)op,
                                        .first = node(b, operand)->first,
                                        .span = build_span(b, at),
                                        .name_span = b->tokens[at.begin].span,
                                        .operand = operand});
}

/* True for `2 [m]` without brackets of its own, as it stands behind the operator token. */
static bool is_bare_number_with_unit(const struct builder *b, ast_expr e, uint32_t op_token) {
  const struct ast_expression *n = node(b, e);
  return n->kind == AST_UNIT && node(b, n->operand)->kind == AST_NUMBER &&
         n->span.begin == b->tokens[op_token + 1].span.begin;
}

static void warn_of_bare_unit(struct builder *b, struct token_range at, enum ast_operator op,
                              uint32_t op_token, ast_expr right) {
  const struct ast_expression *n = node(b, right);
  const char *role = op == AST_DIVIDE ? "divisor" : "exponent";
  struct diagnostic *d =
      diagnostic_add(b->context, DIAG_UNIT_ON_DIVISOR, n->unit->span, role, NULL);
  diagnostic_caption(b->context, d, "belongs to '%s' only", node(b, n->operand)->name);
  const struct source *source = source_get(&b->context->sources, n->span.source);
  struct token_range left_at = {at.begin, op_token};
  struct span left = build_span(b, left_at);
  struct span number = node(b, n->operand)->span;
  if (left.end - left.begin > 40) return;
  int left_length = (int)(left.end - left.begin), length = (int)(number.end - number.begin);
  const char *left_text = source->text + left.begin, *text = source->text + number.begin;
  const char *sign = token_spelling((enum token_kind)b->tokens[op_token].kind);
  diagnostic_help(b->context, d, "write '(%.*s%s%.*s) [%s]' if the whole is meant", left_length,
                  left_text, sign, length, text, n->unit->text);
  diagnostic_help(b->context, d, "write '%.*s%s(%.*s [%s])' if not", left_length, left_text, sign,
                  length, text, n->unit->text);
}

ast_expr build_binary(struct builder *b, enum ast_operator op, struct token_range at,
                      uint32_t op_token, ast_expr left, ast_expr right) {
  if ((op == AST_DIVIDE || op == AST_POWER) && is_bare_number_with_unit(b, right, op_token))
    warn_of_bare_unit(b, at, op, op_token, right);
  return add(b, (struct ast_expression){.kind = AST_BINARY,
                                        .operator_ = (uint8_t)op,
                                        .first = node(b, left)->first,
                                        .span = build_span(b, at),
                                        .name_span = b->tokens[op_token].span,
                                        .operand = left,
                                        .second = right});
}

/* ---------------------------------------------------------------- postfix */

ast_expr build_member(struct builder *b, struct token_range at, ast_expr operand, uint32_t name) {
  return add(b, (struct ast_expression){.kind = AST_MEMBER,
                                        .first = node(b, operand)->first,
                                        .span = build_span(b, at),
                                        .name_span = b->tokens[name].span,
                                        .operand = operand,
                                        .name = b->tokens[name].text});
}

ast_expr build_index(struct builder *b, struct token_range at, ast_expr operand, uint32_t list) {
  struct ast_list entries = list_end(b, list);
  return add(b, (struct ast_expression){.kind = AST_INDEX,
                                        .first = node(b, operand)->first,
                                        .span = build_span(b, at),
                                        .name_span = node(b, operand)->name_span,
                                        .operand = operand,
                                        .list = entries});
}

ast_expr build_primes(struct builder *b, struct token_range at, ast_expr operand, uint32_t primes) {
  return add(b, (struct ast_expression){.kind = AST_PRIME,
                                        .count = b->tokens[primes].count,
                                        .first = node(b, operand)->first,
                                        .span = build_span(b, at),
                                        .name_span = b->tokens[primes].span,
                                        .operand = operand});
}

/* A unit stands behind a number, a closing bracket or pi; behind a name it would be an index. */
static bool report_misplaced_unit(struct builder *b, struct token_range operand_at,
                                  ast_expr operand, const struct ast_unit *unit) {
  const struct ast_expression *n = node(b, operand);
  bool is_bracketed = n->span.begin != b->tokens[operand_at.begin].span.begin;
  if (is_bracketed) return false;
  if (n->kind == AST_UNIT) {
    struct diagnostic *d = diagnostic_add(b->context, DIAG_SECOND_UNIT, unit->span, NULL);
    diagnostic_label(b->context, d, n->unit->span, "the first unit");
    bool is_divided = strncmp(unit->text, "1/", 2) == 0;
    diagnostic_help(b->context, d, "join them: [%s%s%s]", n->unit->text, is_divided ? "" : "*",
                    unit->text + is_divided);
    return true;
  }
  bool is_name = n->kind == AST_NAME && strcmp(n->name, "pi") != 0;
  if (!is_name && n->kind != AST_MEMBER && n->kind != AST_PRIME) return false;
  struct span name = n->kind == AST_PRIME ? n->span : n->name_span;
  const struct source *source = source_get(&b->context->sources, name.source);
  int length = (int)(name.end - name.begin);
  const char *text = arena_string(&b->context->arena, source->text + name.begin, (size_t)length);
  struct diagnostic *d = diagnostic_add(b->context, DIAG_UNIT_AFTER_NAME, unit->span, text, NULL);
  if (n->kind == AST_PRIME)
    diagnostic_help(b->context, d, "if an index is meant: it stands before the ', as in q[i]'");
  else if (strpbrk(unit->text, "*/^") == NULL && !is_common_unit(unit->text))
    diagnostic_help(b->context, d, "if an index is meant: it touches its name, %s[%s]", text,
                    unit->text);
  diagnostic_help(b->context, d,
                  "if a unit is meant: '%s' has its unit already; leave the bracket out", text);
  return true;
}

ast_expr build_with_unit(struct builder *b, struct token_range at, struct token_range operand_at,
                         ast_expr operand, struct ast_unit *unit) {
  if (unit == NULL || report_misplaced_unit(b, operand_at, operand, unit))
    return turn_into_error(b, operand);
  return add(b, (struct ast_expression){.kind = AST_UNIT,
                                        .first = node(b, operand)->first,
                                        .span = build_span(b, at),
                                        .name_span = unit->span,
                                        .operand = operand,
                                        .unit = unit});
}

/* ---------------------------------------------------------------- calls */

/* `der(x)` is written x'; with a frame it is a function. */
static bool report_der(struct builder *b, struct span span, const char *name, ast_expr operand,
                       struct ast_list list) {
  if (operand != 0 || strcmp(name, "der") != 0 || list.count != 1) return false;
  const struct ast_expression *argument = node(b, ast_list_item(b->ast, list, 0));
  const struct source *source = source_get(&b->context->sources, span.source);
  int length = (int)(argument->span.end - argument->span.begin);
  const char *text = source->text + argument->span.begin;
  bool is_plain = argument->kind == AST_NAME || argument->kind == AST_MEMBER ||
                  argument->kind == AST_INDEX || argument->kind == AST_PRIME;
  struct diagnostic *d = diagnostic_add(b->context, DIAG_DER_FOR_PRIME, span, NULL);
  if (length <= 60)
    diagnostic_help(b->context, d, is_plain ? "write %.*s'" : "write (%.*s)'", length, text);
  diagnostic_help(b->context, d, "the derivative of a vector in a frame A is der(v, A)");
  return true;
}

static void check_positional(struct builder *b, struct ast_list list, const char *name) {
  for (uint32_t i = 0; i < list.count; i++) {
    const struct ast_expression *argument = node(b, ast_list_item(b->ast, list, i));
    if (argument->kind != AST_ARGUMENT) continue;
    diagnostic_add(b->context, DIAG_POSITIONAL_ARGUMENT_NEEDED, argument->name_span, name, NULL);
    return;
  }
}

ast_expr build_call(struct builder *b, struct token_range at, ast_expr operand, uint32_t name,
                    uint32_t list) {
  struct ast_list arguments = list_end(b, list);
  const char *text = b->tokens[name].text;
  struct span span = build_span(b, at);
  check_positional(b, arguments, text);
  bool is_faulty = report_der(b, span, text, operand, arguments);
  ast_expr first = operand != 0 ? node(b, operand)->first : first_of_list(b, arguments);
  ast_expr e = add(b, (struct ast_expression){.kind = operand != 0 ? AST_MEMBER_CALL : AST_CALL,
                                              .first = first,
                                              .span = span,
                                              .name_span = b->tokens[name].span,
                                              .operand = operand,
                                              .list = arguments,
                                              .name = text});
  return is_faulty ? turn_into_error(b, e) : e;
}

ast_expr build_argument(struct builder *b, struct token_range at, uint32_t name, ast_expr value) {
  return add(b, (struct ast_expression){.kind = AST_ARGUMENT,
                                        .first = node(b, value)->first,
                                        .span = build_span(b, at),
                                        .name_span = b->tokens[name].span,
                                        .operand = value,
                                        .name = b->tokens[name].text});
}

/* ---------------------------------------------------------------- the rest */

ast_expr build_if(struct builder *b, struct token_range at, ast_expr condition, ast_expr yes,
                  ast_expr no) {
  return add(b, (struct ast_expression){.kind = AST_IF,
                                        .first = node(b, condition)->first,
                                        .span = build_span(b, at),
                                        .name_span = b->tokens[at.begin].span,
                                        .operand = condition,
                                        .second = yes,
                                        .third = no});
}

ast_expr build_reduce(struct builder *b, struct token_range at, uint32_t name, ast_expr from,
                      ast_expr to, ast_expr body) {
  bool is_sum = b->tokens[at.begin].kind == TOKEN_SUM;
  return add(b, (struct ast_expression){.kind = AST_REDUCE,
                                        .operator_ = is_sum ? AST_ADD : AST_MULTIPLY,
                                        .first = node(b, from)->first,
                                        .span = build_span(b, at),
                                        .name_span = b->tokens[name].span,
                                        .operand = from,
                                        .second = to,
                                        .third = body,
                                        .name = b->tokens[name].text});
}

ast_expr build_tuple(struct builder *b, struct token_range at, uint32_t list) {
  struct ast_list entries = list_end(b, list);
  return add(b, (struct ast_expression){.kind = AST_TUPLE,
                                        .first = first_of_list(b, entries),
                                        .span = build_span(b, at),
                                        .name_span = build_span(b, at),
                                        .list = entries});
}

ast_expr build_in(struct builder *b, struct token_range at, ast_expr tuple, ast_expr frame) {
  return add(b, (struct ast_expression){.kind = AST_IN,
                                        .first = node(b, tuple)->first,
                                        .span = build_span(b, at),
                                        .name_span = node(b, frame)->span,
                                        .operand = tuple,
                                        .second = frame});
}
