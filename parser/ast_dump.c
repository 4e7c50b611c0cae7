/* The syntax tree as an indented text, one node a line, without places. */
#include "parser/ast.h"
#include <string.h>

static const char *const operators[] = {
    [AST_ADD] = "+",        [AST_SUBTRACT] = "-",       [AST_MULTIPLY] = "*",
    [AST_DIVIDE] = "/",     [AST_POWER] = "^",          [AST_NEGATE] = "-",
    [AST_PLUS] = "+",       [AST_LESS] = "<",           [AST_LESS_EQUAL] = "<=",
    [AST_GREATER] = ">",    [AST_GREATER_EQUAL] = ">=", [AST_EQUAL] = "==",
    [AST_NOT_EQUAL] = "!=", [AST_AND] = "and",          [AST_OR] = "or",
    [AST_NOT] = "not"};

static const char *const statement_words[] = {[AST_MODEL] = "model",
                                              [AST_IMPORT] = "import",
                                              [AST_CONST] = "const",
                                              [AST_PARAM] = "param",
                                              [AST_INPUT] = "input",
                                              [AST_COORD] = "coord",
                                              [AST_STATE] = "state",
                                              [AST_SPEED] = "speed",
                                              [AST_LET] = "let",
                                              [AST_OUTPUT] = "output",
                                              [AST_RATE] = "rate",
                                              [AST_FUNCTION] = "function",
                                              [AST_INITIAL] = "initial",
                                              [AST_START] = "start",
                                              [AST_SIMULATE] = "simulate",
                                              [AST_KINETIC] = "kinetic",
                                              [AST_POTENTIAL] = "potential",
                                              [AST_LAGRANGIAN] = "lagrangian",
                                              [AST_DISSIPATION] = "dissipation",
                                              [AST_FORCE_ON] = "force on",
                                              [AST_FORCE_AT] = "force at",
                                              [AST_TORQUE] = "torque",
                                              [AST_GRAVITY] = "gravity",
                                              [AST_FRAME] = "frame",
                                              [AST_POINT] = "point",
                                              [AST_PARTICLE] = "particle",
                                              [AST_BODY] = "body",
                                              [AST_CONSTRAINT] = "constraint",
                                              [AST_COMPONENT] = "component",
                                              [AST_INSTANCE] = "instance",
                                              [AST_FOR] = "for",
                                              [AST_IF_BLOCK] = "if",
                                              [AST_WHEN] = "when",
                                              [AST_EVERY] = "every",
                                              [AST_RESET] = "reset",
                                              [AST_RELEASE] = "release",
                                              [AST_STOP] = "stop",
                                              [AST_RESERVED] = "reserved"};

struct dump {
  const struct ast *ast;
  struct text *out;
  VECTOR(uint64_t) pending; /* nodes still to be written: depth and node */
};

static void indent(struct dump *d, uint32_t depth) {
  text_format(d->out, "%*s", (int)(2 * depth), "");
}

/* ---------------------------------------------------------------- expressions */

static void dump_unit(struct dump *d, const struct ast_unit *unit) {
  text_put(d->out, " [");
  for (uint32_t i = 0; i < unit->factors.count; i++) {
    const struct ast_unit_factor *factor = &unit->factors.items[i];
    text_format(d->out, "%s%s", i > 0 ? " " : "", factor->name);
    if (factor->denominator != 1)
      text_format(d->out, "^(%lld/%lld)", (long long)factor->numerator,
                  (long long)factor->denominator);
    else if (factor->numerator != 1)
      text_format(d->out, "^%lld", (long long)factor->numerator);
  }
  text_put(d->out, unit->factors.count == 0 ? "1]" : "]");
}

static void dump_node(struct dump *d, const struct ast_expression *n) {
  switch (n->kind) {
  case AST_ERROR:
    text_put(d->out, "error");
    break;
  case AST_NUMBER:
    text_format(d->out, "number %s", n->name);
    break;
  case AST_STRING:
    text_put(d->out, "string ");
    text_json_string(d->out, n->name);
    break;
  case AST_NAME:
    text_format(d->out, "name %s", n->name);
    break;
  case AST_MEMBER:
    text_format(d->out, "member %s", n->name);
    break;
  case AST_INDEX:
    text_put(d->out, "index");
    break;
  case AST_PRIME:
    text_format(d->out, "prime %u", n->count);
    break;
  case AST_UNIT:
    text_put(d->out, "unit");
    dump_unit(d, n->unit);
    break;
  case AST_UNARY:
    text_format(d->out, "unary %s", operators[n->operator_]);
    break;
  case AST_BINARY:
    text_format(d->out, "binary %s", operators[n->operator_]);
    break;
  case AST_CALL:
    text_format(d->out, "call %s", n->name);
    break;
  case AST_MEMBER_CALL:
    text_format(d->out, "member call %s", n->name);
    break;
  case AST_ARGUMENT:
    text_format(d->out, "argument %s", n->name);
    break;
  case AST_IF:
    text_put(d->out, "if");
    break;
  case AST_REDUCE:
    text_format(d->out, "%s %s", n->operator_ == AST_ADD ? "sum" : "product", n->name);
    break;
  case AST_TUPLE:
    text_put(d->out, "tuple");
    break;
  case AST_IN:
    text_put(d->out, "in");
    break;
  default:
    bug("a node of kind %u", n->kind);
  }
  text_put(d->out, "\n");
}

static void push_child(struct dump *d, uint32_t depth, ast_expr e) {
  if (e != 0) vector_push(&d->pending, (uint64_t)depth << 32 | e);
}

/* Depth first with a stack of its own; children are pushed last to first. Beyond a depth of 100
 * the indentation stays, so that the text grows no faster than the tree. */
static void dump_expression(struct dump *d, uint32_t depth, ast_expr root) {
  uint32_t begin = d->pending.count;
  push_child(d, depth, root);
  while (d->pending.count > begin) {
    uint64_t next = vector_pop(&d->pending);
    uint32_t at = (uint32_t)(next >> 32);
    const struct ast_expression *n = ast_expression(d->ast, (ast_expr)next);
    if (n->kind == AST_BINARY || n->kind == AST_IN) push_child(d, at + 1, n->second);
    if (n->kind == AST_IF || n->kind == AST_REDUCE) {
      push_child(d, at + 1, n->third);
      push_child(d, at + 1, n->second);
    }
    for (uint32_t i = n->list.count; i > 0; i--)
      push_child(d, at + 1, ast_list_item(d->ast, n->list, i - 1));
    push_child(d, at + 1, n->operand);
    indent(d, at < 100 ? at : 100);
    dump_node(d, n);
  }
}

static void dump_part(struct dump *d, uint32_t depth, const char *word, ast_expr e) {
  if (e == 0) return;
  indent(d, depth);
  text_format(d->out, "%s:\n", word);
  dump_expression(d, depth + 1, e);
}

static void dump_list(struct dump *d, uint32_t depth, const char *word, struct ast_list list) {
  if (list.count == 0) return;
  indent(d, depth);
  text_format(d->out, "%s:\n", word);
  for (uint32_t i = 0; i < list.count; i++)
    dump_expression(d, depth + 1, ast_list_item(d->ast, list, i));
}

/* ---------------------------------------------------------------- statements */

static void dump_doc(struct dump *d, const char *doc) {
  if (doc == NULL) return;
  text_put(d->out, " doc ");
  text_json_string(d->out, doc);
}

static void dump_item(struct dump *d, uint32_t depth, const char *word, const struct ast_item *item,
                      bool with_doc) {
  indent(d, depth);
  text_format(d->out, "%s %s", word, item->name);
  for (unsigned i = 0; i < item->primes; i++) text_put(d->out, "'");
  if (item->index_variable != NULL) text_format(d->out, " for %s", item->index_variable);
  for (uint32_t i = 0; i < item->path_count; i++)
    text_format(d->out, "%s%s/%u", i == 0 ? " in " : " ", item->path[i].name,
                item->path[i].index_count);
  if (item->unit != NULL) dump_unit(d, item->unit);
  if (with_doc) dump_doc(d, item->doc);
  text_put(d->out, "\n");
  dump_list(d, depth + 1, item->is_range ? "range" : "index", item->indices);
  dump_part(d, depth + 1, "value", item->value);
}

static void dump_formal(struct dump *d, uint32_t depth, const struct ast_formal *formal) {
  static const char *const words[] = {"scalar", "point", "vector", "frame", "body"};
  indent(d, depth);
  text_format(d->out, "formal %s: %s", formal->name, words[formal->kind]);
  if (formal->unit != NULL) dump_unit(d, formal->unit);
  dump_doc(d, formal->doc);
  text_put(d->out, "\n");
  dump_part(d, depth + 1, "value", formal->value);
}

static void dump_head(struct dump *d, uint32_t depth, const struct ast_statement *s) {
  indent(d, depth);
  if (s->claim == CLAIM_HOLONOMIC) text_put(d->out, "holonomic ");
  if (s->claim == CLAIM_NONHOLONOMIC) text_put(d->out, "nonholonomic ");
  text_put(d->out, statement_words[s->kind]);
  if (s->module != NULL) text_format(d->out, " %s.", s->module);
  if (s->text != NULL) {
    text_put(d->out, " ");
    text_json_string(d->out, s->text);
  }
  if (s->index_variable != NULL) text_format(d->out, " %s", s->index_variable);
  dump_doc(d, s->doc);
  text_put(d->out, "\n");
  if (s->label.name != NULL) dump_item(d, depth + 1, "name", &s->label, false);
}

static void dump_block(struct dump *d, uint32_t depth, const char *word,
                       struct ast_statement *const *items, uint32_t count);

/* Recursion as deep as blocks nest, which the lexer bounds. */
static void dump_statement(struct dump *d, uint32_t depth, const struct ast_statement *s) {
  dump_head(d, depth++, s);
  for (uint32_t i = 0; i < s->formals.count; i++) dump_formal(d, depth, &s->formals.items[i]);
  for (uint32_t i = 0; i < s->items.count; i++)
    dump_item(d, depth, "item", &s->items.items[i], true);
  for (uint32_t i = 0; i < s->equations.count; i++) {
    dump_part(d, depth, "left", s->equations.items[i].left);
    dump_part(d, depth, "right", s->equations.items[i].right);
  }
  dump_list(d, depth, "arguments", s->arguments);
  dump_part(d, depth, "value", s->value);
  for (uint32_t i = 0; i < s->rotations.count; i++) {
    dump_part(d, depth, "angle", s->rotations.items[i].angle);
    dump_part(d, depth, "axis", s->rotations.items[i].axis);
  }
  dump_part(d, depth, "target", s->target);
  dump_part(d, depth, "source", s->source);
  dump_part(d, depth, "left", s->left);
  dump_part(d, depth, "right", s->right);
  dump_list(d, depth, "along", s->along);
  dump_part(d, depth, "from", s->from);
  dump_part(d, depth, "to", s->to);
  dump_block(d, depth, "body", s->body.items, s->body.count);
  dump_block(d, depth, "otherwise", s->otherwise.items, s->otherwise.count);
}

static void dump_block(struct dump *d, uint32_t depth, const char *word,
                       struct ast_statement *const *items, uint32_t count) {
  if (count == 0) return;
  indent(d, depth);
  text_format(d->out, "%s:\n", word);
  for (uint32_t i = 0; i < count; i++) dump_statement(d, depth + 1, items[i]);
}

void ast_dump(const struct ast *ast, struct text *out) {
  struct dump d = {.ast = ast, .out = out};
  text_put(out, "file");
  dump_doc(&d, ast->doc);
  text_put(out, "\n");
  for (uint32_t i = 0; i < ast->statements.count; i++)
    dump_statement(&d, 1, ast->statements.items[i]);
  vector_free(&d.pending);
}
