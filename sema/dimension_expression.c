/* The dimension of an expression, bottom-up.
 *
 * Nodes come in postorder: each finds the quantities of its operands on top of a stack. What an
 * operator asks of its operands is an equation for the solver; the rules are those of section
 * "Dimensions" of the language: sums, comparisons and branches agree, products multiply, functions
 * take pure numbers, a prime divides by the second. */
#include "sema/dimension_private.h"
#include <stdlib.h>
#include <string.h>

struct stack {
  VECTOR(struct quantity) items;
};

void quantity_free(struct quantity *quantity) {
  form_free(&quantity->form);
}

static const struct ast_expression *node(const struct walk *w, ast_expr e) {
  return ast_expression(w->text->ast, e);
}

static struct quantity quantity_pure(ast_expr e) {
  return (struct quantity){.node = e, .form = {.constant = dimension_pure()}};
}

static struct quantity quantity_broken(ast_expr e) {
  struct quantity out = quantity_pure(e);
  out.broken = true;
  return out;
}

/* ---------------------------------------------------------------- equations */

bool dimension_unify(struct walk *w, const struct quantity *a, const struct quantity *b,
                     struct span origin) {
  if (a->any || b->any || a->broken || b->broken) return true;
  struct form difference = form_copy(&a->form);
  form_multiply(&w->table->solver, &difference, &b->form, rational_integer(-1));
  bool fits = form_equate_one(&w->table->solver, &difference, origin);
  form_free(&difference);
  return fits || a->frame || b->frame;
}

bool dimension_unify_with(struct walk *w, const struct quantity *a, const struct dimension *b,
                          struct span origin) {
  struct quantity other = quantity_pure(0);
  other.form.constant = *b;
  return dimension_unify(w, a, &other, origin);
}

static bool unify_pure(struct walk *w, const struct quantity *a, struct span origin) {
  struct dimension pure = dimension_pure();
  return dimension_unify_with(w, a, &pure, origin);
}

/* Literals are by far the most frequent exponents; the rest is evaluated. */
bool dimension_constant(struct walk *w, ast_expr e, struct rational *out) {
  const struct ast_expression *n = node(w, e);
  if (n->kind == AST_NUMBER && strlen(n->name) <= 9 &&
      strspn(n->name, "0123456789") == strlen(n->name)) {
    *out = rational_integer(strtol(n->name, NULL, 10));
    return true;
  }
  return scope_constant(w->table->scope, w->text, e, out);
}

/* ---------------------------------------------------------------- leaves */

static bool is_literal_zero(const char *digits) {
  for (; *digits != '\0' && *digits != 'e' && *digits != 'E'; digits++)
    if (*digits != '0' && *digits != '.') return false;
  return true;
}

struct form dimension_form_of_name(const struct dimension_table *table, uint32_t entry) {
  const struct name_dimension *name = &table->names[entry];
  return name->variable != 0 ? form_of_variable(name->variable) : form_of(&name->dimension);
}

static struct quantity walk_name(struct walk *w, ast_expr e) {
  uint32_t id = scope_entry_of(w->text, e);
  if (scope_axis_of(w->text, e) >= 0) return quantity_pure(e);
  if (id == 0 || scope_entry(w->table->scope, id)->is_broken ||
      (id < w->table->name_count && w->table->names[id].is_broken))
    return quantity_broken(e);
  struct quantity out = quantity_pure(e);
  switch (scope_entry(w->table->scope, id)->kind) {
  case NAME_CONST:
  case NAME_PARAM:
  case NAME_INPUT:
  case NAME_COORD:
  case NAME_STATE:
  case NAME_SPEED:
  case NAME_LET:
  case NAME_ARGUMENT:
  case NAME_CONSTRAINT: /* in multiplier(...) only */
    out.form = dimension_form_of_name(w->table, id);
    form_reduce(&w->table->solver, &out.form);
    return out;
  case NAME_TIME:
    out.form.constant = dimension_of_base(UNIT_SECOND, 1);
    return out;
  case NAME_PI:
  case NAME_INDEX:
    return out;
  case NAME_POINT:
  case NAME_ORIGIN:
    out.form.constant = dimension_of_base(UNIT_METRE, 1);
    return out;
  case NAME_FRAME:
  case NAME_WORLD:
  case NAME_PARTICLE:
  case NAME_BODY: /* no quantity: what can be done with it is a question of kinds */
    out.frame = true;
    return out;
  default:
    return quantity_broken(e);
  }
}

/* ---------------------------------------------------------------- operators */

/* a := a * b^power */
static void multiply(struct walk *w, struct quantity *a, const struct quantity *b, int power) {
  a->any = a->any || b->any;
  a->broken = a->broken || b->broken;
  a->frame = a->frame || b->frame;
  if (a->any || a->broken) return;
  form_multiply(&w->table->solver, &a->form, &b->form, rational_integer(power));
}

/* What has to agree agrees: the first of them that says anything, or a broken one. */
static void agree(struct walk *w, ast_expr e, struct quantity *a, struct quantity *b) {
  if (!dimension_unify(w, a, b, node(w, e)->span)) {
    report_operands(w, e, a, b);
    a->broken = true;
  }
  a->broken = a->broken || b->broken;
  a->frame = a->frame || b->frame;
  if (!a->any) return;
  struct form form = a->form;
  a->any = b->any;
  a->form = b->form;
  b->form = form;
}

static void raise(struct walk *w, ast_expr e, struct quantity *base,
                  const struct quantity *exponent) {
  const struct ast_expression *n = node(w, e);
  struct rational power;
  if (!unify_pure(w, exponent, node(w, n->second)->span)) {
    report_exponent(w, e, exponent, "an exponent is a pure number");
    base->broken = true;
  }
  base->broken = base->broken || exponent->broken;
  if (base->any || base->broken) return;
  form_reduce(&w->table->solver, &base->form);
  if (form_is_pure(&base->form)) return;
  if (dimension_constant(w, n->second, &power)) {
    form_raise(&w->table->solver, &base->form, power);
    return;
  }
  if (unify_pure(w, base, n->span)) {
    form_raise(&w->table->solver, &base->form, rational_integer(0));
    base->form.constant = dimension_pure();
    return;
  }
  report_exponent(
      w, e, base,
      scope_is_constant(w->table->scope, w->text, n->second)
          ? "the exponent of a quantity with a unit has to be a rational number, such as "
            "1/2"
          : "the exponent of a quantity with a unit has to be a constant");
  base->broken = true;
}

static struct quantity walk_binary(struct walk *w, ast_expr e, struct quantity *a,
                                   struct quantity *b) {
  switch ((enum ast_operator)node(w, e)->operator_) {
  case AST_ADD:
  case AST_SUBTRACT:
    agree(w, e, a, b);
    return *a;
  case AST_MULTIPLY:
    multiply(w, a, b, 1);
    return *a;
  case AST_DIVIDE:
    multiply(w, a, b, -1);
    return *a;
  case AST_POWER:
    raise(w, e, a, b);
    return *a;
  case AST_AND:
  case AST_OR:
    break;
  default: /* relations */
    agree(w, e, a, b);
    break;
  }
  bool broken = a->broken || b->broken;
  quantity_free(a);
  *a = quantity_pure(e);
  a->broken = broken;
  return *a;
}

static void walk_prime(struct walk *w, const struct ast_expression *n, struct quantity *a) {
  struct quantity second = quantity_pure(0);
  second.form.constant = dimension_of_base(UNIT_SECOND, n->count);
  multiply(w, a, &second, -1);
}

static void walk_unit(struct walk *w, const struct ast_expression *n, struct quantity *a) {
  const struct unit *unit = dimension_unit(w->table, n->unit);
  if (!unify_pure(w, a, n->unit->span)) {
    report_not_a_number(w, arena_format(&w->table->context->arena, "the unit [%s]", n->unit->text),
                        a);
    a->broken = true;
  }
  if (dimension_unit_is_refused(w->table, n->unit)) a->broken = true;
  quantity_free(a);
  a->any = false; /* 0 [m] is a length */
  a->form = form_of(&unit->dimension);
}

/* sum and product: operands are the range and the body */
static struct quantity walk_reduce(struct walk *w, ast_expr e, struct quantity *operands) {
  const struct ast_expression *n = node(w, e);
  struct quantity *body = &operands[2];
  struct rational from, to, count;
  for (int i = 0; i < 2; i++)
    if (!unify_pure(w, &operands[i], node(w, operands[i].node)->span))
      report_not_a_number(w, "a range", &operands[i]);
  if (n->operator_ == AST_ADD || body->any || body->broken) return *body;
  form_reduce(&w->table->solver, &body->form);
  if (form_is_pure(&body->form)) return *body;
  if (dimension_constant(w, n->operand, &from) && dimension_constant(w, n->second, &to) &&
      rational_subtract(to, from, &count) && rational_add(count, rational_integer(1), &count)) {
    form_raise(&w->table->solver, &body->form, count.numerator > 0 ? count : rational_integer(0));
  } else if (!unify_pure(w, body, n->span)) {
    report_exponent(w, e, body, "the number of factors with a unit has to be a constant");
    body->broken = true;
  }
  return *body;
}

/* ---------------------------------------------------------------- functions */

static enum dimension_rule rule_of(int function) {
  static const uint8_t rules[] = {
#define BUILTIN_RULE(name, least, most, rule) rule,
      BUILTIN_FUNCTIONS(BUILTIN_RULE)
#undef BUILTIN_RULE
  };
  return (enum dimension_rule)rules[function];
}

static struct quantity walk_builtin(struct walk *w, ast_expr e, struct quantity *arguments,
                                    uint32_t count) {
  struct quantity *a = &arguments[0];
  enum dimension_rule rule = rule_of(scope_builtin_of(w->text, e));
  if (rule == PURE && !unify_pure(w, a, node(w, e)->span)) {
    report_not_a_number(w, arena_format(&w->table->context->arena, "'%s'", node(w, e)->name), a);
    a->broken = true;
  }
  if (rule == SAME || rule == RATIO)
    for (uint32_t i = 1; i < count; i++) agree(w, e, a, &arguments[i]);
  if (rule == ROOT) form_raise(&w->table->solver, &a->form, (struct rational){1, 2});
  if (rule == NONE) a->broken = true;
  if (rule == PRODUCT) multiply(w, a, &arguments[1], 1);
  dimension_walk_motion(w, rule, arguments);
  if (rule != PURE && rule != RATIO && rule != FREE) return *a;
  bool broken = a->broken;
  quantity_free(a);
  *a = quantity_pure(e);
  a->broken = broken;
  return *a;
}

static struct quantity walk_call(struct walk *w, ast_expr e, struct quantity *arguments,
                                 uint32_t count) {
  int function = scope_builtin_of(w->text, e);
  if (function >= 0 && count > 0)
    return rule_of(function) == FORCE ? dimension_walk_multiplier(w, e, arguments)
                                      : walk_builtin(w, e, arguments, count);
  struct quantity out = scope_entry_of(w->text, e) != 0 ? dimension_apply(w, e, arguments, count)
                                                        : quantity_broken(e);
  if (count > 0) quantity_free(&arguments[0]);
  return out;
}

/* ---------------------------------------------------------------- the walk */

static uint32_t operand_count(const struct ast_expression *n) {
  return (n->operand != 0) + (n->second != 0) + (n->third != 0) + n->list.count;
}

/* Tuples: entries agree; the quantity of all. */
static struct quantity walk_tuple(struct walk *w, ast_expr e, struct quantity *entries,
                                  uint32_t count) {
  for (uint32_t i = 1; i < count; i++) agree(w, e, &entries[0], &entries[i]);
  return entries[0];
}

/* An element: its array's quantity; indices are pure numbers. */
static struct quantity walk_index(struct walk *w, struct quantity *operands, uint32_t count) {
  for (uint32_t i = 1; i < count; i++)
    if (!unify_pure(w, &operands[i], node(w, operands[i].node)->span))
      report_not_a_number(w, "an index", &operands[i]);
  return operands[0];
}

/* The quantity of a node, made in place of its first operand's; the others are freed by the
 * caller. Rules never keep a form of another operand than the first, but walk_reduce and `if`,
 * which swap it there. */
static struct quantity walk_node(struct walk *w, ast_expr e, struct quantity *operands,
                                 uint32_t count) {
  const struct ast_expression *n = node(w, e);
  if (scope_is_refused(w->text, e)) {
    if (count > 0) quantity_free(&operands[0]);
    return quantity_broken(e);
  }
  switch ((enum ast_expr_kind)n->kind) {
  case AST_NUMBER: {
    struct quantity out = quantity_pure(e);
    out.any = is_literal_zero(n->name);
    return out;
  }
  case AST_NAME:
    return walk_name(w, e);
  case AST_INDEX:
    return walk_index(w, operands, count);
  case AST_PRIME:
    walk_prime(w, n, &operands[0]);
    return operands[0];
  case AST_UNIT:
    walk_unit(w, n, &operands[0]);
    return operands[0];
  case AST_UNARY:
    return operands[0];
  case AST_BINARY:
    return walk_binary(w, e, &operands[0], &operands[1]);
  case AST_CALL:
    return walk_call(w, e, operands, count);
  case AST_IF:
  case AST_REDUCE: {
    struct quantity out;
    if (n->kind == AST_IF) {
      agree(w, e, &operands[1], &operands[2]);
      out = operands[1];
      operands[1].form = (struct form){.constant = dimension_pure()};
      out.broken = out.broken || operands[0].broken;
    } else {
      out = walk_reduce(w, e, operands);
      operands[2].form = (struct form){.constant = dimension_pure()};
    }
    quantity_free(&operands[0]);
    return out;
  }
  case AST_TUPLE:
    return walk_tuple(w, e, operands, count);
  case AST_MEMBER:
    dimension_walk_member(w, e, &operands[0]);
    return operands[0];
  case AST_IN:
    return operands[0];
  default: /* errors and texts: reported elsewhere */
    if (count > 0) quantity_free(&operands[0]);
    return quantity_broken(e);
  }
}

struct quantity dimension_walk(struct walk *w, ast_expr e) {
  struct stack stack = {0};
  for (ast_expr at = node(w, e)->first; at <= e; at++) {
    uint32_t count = operand_count(node(w, at));
    if (count > stack.items.count) bug("expression %u is not in postorder", at);
    struct quantity *operands =
        stack.items.count > 0 ? stack.items.items + (stack.items.count - count) : NULL;
    struct quantity out = walk_node(w, at, operands, count);
    for (uint32_t i = 1; i < count; i++) quantity_free(&operands[i]);
    stack.items.count -= count;
    out.node = at;
    if (report_limits(w, node(w, at)->span)) out.broken = true;
    if (out.broken || out.any) {
      form_free(&out.form);
      out.form.constant = dimension_pure();
    }
    vector_push(&stack.items, out);
  }
  struct quantity out = stack.items.items[stack.items.count - 1];
  for (uint32_t i = 0; i + 1 < stack.items.count; i++) quantity_free(&stack.items.items[i]);
  vector_free(&stack.items);
  return out;
}
