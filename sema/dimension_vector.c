/* Dimensions of what is made of vectors, points and frames. A vector or point has the dimension of
 * its components; points are lengths. A frame or body has none, and what can be done with it is a
 * question of kinds, asked in lowering. */
#include "sema/dimension_private.h"

static const struct ast_expression *node(const struct walk *w, ast_expr e) {
  return ast_expression(w->text->ast, e);
}

struct dimension dimension_of_inertia(void) {
  struct dimension out = dimension_of_base(UNIT_KILOGRAM, 1);
  out.exponent[UNIT_METRE] = rational_integer(2);
  return out;
}

/* ---------------------------------------------------------------- members */

static void replace(struct quantity *quantity, const struct dimension *dimension) {
  form_free(&quantity->form);
  quantity->form = form_of(dimension);
  quantity->any = quantity->frame = false;
}

/* A, F[i], b.frame: its .x is a unit vector. A let may be a frame, too: then nothing is known of it
 * but that it is a pure number, which comes to the same. */
static bool is_frame(const struct walk *w, ast_expr e) {
  const struct ast_expression *n = node(w, e);
  if (n->kind == AST_MEMBER) return scope_member_of(w->text, e) == MEMBER_FRAME;
  if (n->kind == AST_INDEX) e = n->operand;
  if (node(w, e)->kind != AST_NAME) return false;
  enum name_kind kind = scope_entry(w->table->scope, scope_entry_of(w->text, e))->kind;
  return kind == NAME_FRAME || kind == NAME_WORLD || kind == NAME_BODY;
}

void dimension_walk_member(struct walk *w, ast_expr e, struct quantity *operand) {
  struct dimension mass = dimension_of_base(UNIT_KILOGRAM, 1), pure = dimension_pure();
  struct dimension length = dimension_of_base(UNIT_METRE, 1), inertia = dimension_of_inertia();
  switch (scope_member_of(w->text, e)) {
  case MEMBER_X:
  case MEMBER_Y:
  case MEMBER_Z:
    if (is_frame(w, node(w, e)->operand)) replace(operand, &pure);
    break;
  case MEMBER_MASS:
    replace(operand, &mass);
    break;
  case MEMBER_AT:
    replace(operand, &length);
    break;
  case MEMBER_INERTIA:
    replace(operand, &inertia);
    break;
  case MEMBER_FRAME:
    replace(operand, &pure);
    operand->frame = true;
    break;
  case MEMBER_NORM:
    replace(operand, &pure);
    break;
  default:
    operand->broken = true;
    break;
  }
}

/* ---------------------------------------------------------------- functions */

static void divide_by_seconds(struct walk *w, struct quantity *a, int power) {
  struct dimension second = dimension_of_base(UNIT_SECOND, 1);
  struct form divisor = form_of(&second);
  if (!a->any && !a->broken)
    form_multiply(&w->table->solver, &a->form, &divisor, rational_integer(-power));
}

static void turn(struct quantity *a, int power) {
  struct dimension rate = dimension_of_base(UNIT_SECOND, -power);
  replace(a, &rate);
}

void dimension_walk_motion(struct walk *w, enum dimension_rule rule, struct quantity *arguments) {
  struct quantity *a = &arguments[0];
  switch (rule) {
  case RATE1:
    divide_by_seconds(w, a, 1);
    break;
  case RATE2:
    divide_by_seconds(w, a, 2);
    break;
  case FIELD: { /* vel_on(B, P): the place says what it is */
    struct quantity frame = *a;
    *a = arguments[1];
    arguments[1] = frame;
    divide_by_seconds(w, a, 1);
    break;
  }
  case TURN1:
    turn(a, 1);
    break;
  case TURN2:
    turn(a, 2);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- multipliers */

struct form dimension_form_of_multiplier(struct dimension_table *table, uint32_t constraint,
                                         bool has_velocity) {
  struct dimension work = dimension_of_base(UNIT_KILOGRAM, 1);
  work.exponent[UNIT_METRE] = rational_integer(2);
  work.exponent[UNIT_SECOND] = rational_integer(has_velocity ? -3 : -2);
  struct form out = form_of(&work), unit = dimension_form_of_name(table, constraint);
  form_multiply(&table->solver, &out, &unit, rational_integer(-1));
  form_free(&unit);
  return out;
}

/* The name in multiplier(c), multiplier(c[i]), multiplier(c[i].x), multiplier(E.norm), and the same
 * of reaction; the quantity of the argument is not needed. */
struct quantity dimension_walk_multiplier(struct walk *w, ast_expr e, struct quantity *argument) {
  ast_expr name = argument->node;
  while (node(w, name)->kind == AST_MEMBER || node(w, name)->kind == AST_INDEX)
    name = node(w, name)->operand;
  struct quantity out = {.node = e, .form = {.constant = dimension_pure()}};
  uint32_t entry = node(w, name)->kind == AST_NAME ? scope_entry_of(w->text, name) : 0;
  out.broken = argument->broken || entry == 0;
  if (!out.broken)
    out.form = dimension_form_of_multiplier(w->table, entry, w->table->names[entry].has_velocity);
  quantity_free(argument);
  form_reduce(&w->table->solver, &out.form);
  return out;
}
