/* What frames, bodies and the forces between them ask of the dimensions of their parts: angles are
 * pure numbers, places lengths, and so on. */
#include "sema/dimension_private.h"

static const struct ast_expression *node(const struct walk *w, ast_expr e) {
  return ast_expression(w->text->ast, e);
}

static void walk_only(struct walk *w, ast_expr e) {
  if (e == 0) return;
  struct quantity value = dimension_walk(w, e);
  quantity_free(&value);
}

static void walk_pure(struct walk *w, const char *what, ast_expr e) {
  if (e == 0) return;
  struct dimension pure = dimension_pure();
  struct quantity value = dimension_walk(w, e);
  if (!dimension_unify_with(w, &value, &pure, node(w, e)->span))
    report_not_a_number(w, what, &value);
  quantity_free(&value);
}

static void walk_argument(struct walk *w, const char *name, const struct dimension *expected,
                          ast_expr e) {
  if (e == 0) return;
  struct quantity value = dimension_walk(w, e);
  if (!dimension_unify_with(w, &value, expected, node(w, e)->span))
    report_argument(w, name, expected, &value);
  quantity_free(&value);
}

static void walk_place(struct walk *w, const char *name, ast_expr e) {
  struct dimension length = dimension_of_base(UNIT_METRE, 1);
  walk_argument(w, name, &length, e);
}

/* ---------------------------------------------------------------- frames */

void dimension_walk_axes(struct walk *w, struct ast_list axes) {
  for (uint32_t i = 0; i < axes.count; i++)
    walk_pure(w, "an axis behind 'along'", ast_list_item(w->text->ast, axes, i));
}

/* The length of an axis of rotation is immaterial, and so is its dimension. */
static void walk_frame(struct walk *w, const struct ast_statement *statement) {
  walk_only(w, statement->value);
  for (uint32_t i = 0; i < statement->rotations.count; i++) {
    walk_pure(w, "an angle of rotation", statement->rotations.items[i].angle);
    walk_only(w, statement->rotations.items[i].axis);
  }
  walk_pure(w, "'oriented'", statement->source);
  walk_place(w, "at", statement->target);
}

/* ---------------------------------------------------------------- bodies */

static void walk_body(struct walk *w, const struct ast_statement *statement) {
  struct dimension mass = dimension_of_base(UNIT_KILOGRAM, 1), inertia = dimension_of_inertia();
  const struct ast *ast = w->text->ast;
  walk_argument(w, "mass", &mass, scope_body_argument(ast, statement, BODY_MASS));
  walk_place(w, "at", scope_body_argument(ast, statement, BODY_AT));
  walk_only(w, scope_body_argument(ast, statement, BODY_FRAME));
  walk_place(w, "about", scope_body_argument(ast, statement, BODY_ABOUT));
  ast_expr e = scope_body_argument(ast, statement, BODY_INERTIA);
  if (e == 0 || node(w, e)->kind != AST_TUPLE) {
    walk_argument(w, "inertia", &inertia, e);
    return;
  }
  for (uint32_t i = 0; i < node(w, e)->list.count; i++) /* each by itself: says which is wrong */
    walk_argument(w, "inertia", &inertia, ast_list_item(ast, node(w, e)->list, i));
}

/* ---------------------------------------------------------------- forces */

static struct dimension force(void) {
  struct dimension out = dimension_of_base(UNIT_KILOGRAM, 1);
  out.exponent[UNIT_METRE] = rational_integer(1);
  out.exponent[UNIT_SECOND] = rational_integer(-2);
  return out;
}

static struct dimension torque(void) {
  struct dimension out = force();
  out.exponent[UNIT_METRE] = rational_integer(2);
  return out;
}

static struct dimension acceleration(void) {
  struct dimension out = dimension_of_base(UNIT_METRE, 1);
  out.exponent[UNIT_SECOND] = rational_integer(-2);
  return out;
}

static void walk_load(struct walk *w, const char *name, const char *unit,
                      const struct dimension *expected, ast_expr e) {
  if (e == 0) return;
  struct quantity value = dimension_walk(w, e);
  if (!dimension_unify_with(w, &value, expected, node(w, e)->span))
    report_load(w, name, unit, expected, &value);
  quantity_free(&value);
}

/* ---------------------------------------------------------------- all */

void dimension_walk_body(struct walk *w, const struct ast_statement *statement) {
  struct dimension newton = force(), couple = torque(), field = acceleration();
  const struct ast_item *label = &statement->label;
  for (uint32_t i = 0; i < label->indices.count; i++)
    walk_only(w, ast_list_item(w->text->ast, label->indices, i));
  switch (statement->kind) {
  case AST_FRAME:
    walk_frame(w, statement);
    break;
  case AST_PARTICLE:
  case AST_BODY:
    walk_body(w, statement);
    break;
  case AST_FORCE_AT:
    walk_load(w, "a force", "N", &newton, statement->value);
    walk_place(w, "at", statement->target);
    walk_place(w, "from", statement->source);
    break;
  case AST_TORQUE:
    walk_load(w, "a torque", "N*m", &couple, statement->value);
    walk_only(w, statement->target);
    walk_only(w, statement->source);
    break;
  case AST_GRAVITY:
    walk_load(w, "gravity", "m/s^2", &field, statement->value);
    break;
  default:
    break;
  }
}
