/* What statements ask of the dimensions of their expressions. Loops are not expanded: their indices
 * are pure numbers, so one look at a body serves all its runs. The recursion over blocks is as deep
 * as the lexer lets blocks nest. */
#include "sema/dimension_private.h"
#include "sema/scope_private.h"
#include <string.h>

static const struct ast_expression *node(const struct walk *w, ast_expr e) {
  return ast_expression(w->text->ast, e);
}

static struct dimension energy(void) {
  struct dimension out = dimension_of_base(UNIT_KILOGRAM, 1);
  out.exponent[UNIT_METRE] = rational_integer(2);
  out.exponent[UNIT_SECOND] = rational_integer(-2);
  return out;
}

static struct dimension power(void) {
  struct dimension out = energy();
  out.exponent[UNIT_SECOND] = rational_integer(-3);
  return out;
}

/* An expression without a condition of its own. */
static void walk_only(struct walk *w, ast_expr e) {
  if (e == 0) return;
  struct quantity value = dimension_walk(w, e);
  quantity_free(&value);
}

/* ---------------------------------------------------------------- values of names */

/* Holds pi, and is bare otherwise: an angle in radians. */
static bool is_bare_with_pi(struct walk *w, ast_expr e) {
  bool has_pi = false;
  for (ast_expr at = node(w, e)->first; at <= e; at++) {
    uint32_t id;
    switch (node(w, at)->kind) {
    case AST_NUMBER:
    case AST_UNARY:
    case AST_BINARY:
      break;
    case AST_NAME:
      id = scope_entry_of(w->text, at);
      if (id == 0) return false;
      if (scope_entry(w->table->scope, id)->kind == NAME_PI)
        has_pi = true;
      else if (scope_entry(w->table->scope, id)->kind != NAME_INDEX &&
               !scope_entry(w->table->scope, id)->is_bare)
        return false;
      break;
    default:
      return false;
    }
  }
  return has_pi;
}

/* A value that holds pi is in SI: that is the declared unit, or a conversion nobody wrote. True if
 * nothing more is to be said about it. */
static bool accept_pi(struct walk *w, ast_expr value, const struct unit *unit) {
  if (!is_bare_with_pi(w, value)) return false;
  if (unit_is_coherent(unit)) return true;
  struct dimension second = dimension_of_base(UNIT_SECOND, -1);
  if (!dimension_is_pure(&unit->dimension) && !dimension_equal(&unit->dimension, &second))
    return false;
  report_pi(w, value, unit);
  return true;
}

/* What a name is, divided by s^primes. */
static struct form form_of_target(struct walk *w, uint32_t entry, unsigned primes) {
  struct form form = dimension_form_of_name(w->table, entry);
  struct dimension second = dimension_of_base(UNIT_SECOND, 1);
  struct form divisor = form_of(&second);
  form_multiply(&w->table->solver, &form, &divisor, rational_integer(-(int64_t)primes));
  form_reduce(&w->table->solver, &form);
  return form;
}

static const char *describe(struct walk *w, uint32_t entry, unsigned primes) {
  const struct name_entry *name = scope_entry(w->table->scope, entry);
  return arena_format(&w->table->context->arena, "%s '%s%.*s'",
                      primes > 0 ? "velocity" : name_kind_word(name->kind), name->name, (int)primes,
                      "''''");
}

static void walk_value(struct walk *w, uint32_t entry, unsigned primes, const struct unit *unit,
                       struct span declared, ast_expr value) {
  if (w->table->names[entry].is_broken) return;
  if (w->table->is_dimensionless) {
    if (w->table->is_checking && unit != NULL) accept_pi(w, value, unit);
    return;
  }
  if (unit != NULL && accept_pi(w, value, unit)) return;
  struct quantity quantity = dimension_walk(w, value);
  struct quantity expected = {.form = form_of_target(w, entry, primes)};
  if (!dimension_unify(w, &quantity, &expected, node(w, value)->span)) {
    struct span place = declared;
    uint32_t variable = w->table->names[entry].variable;
    if (place.source == 0 && variable != 0)
      place = w->table->solver.variables.items[variable].origin;
    report_value(w, describe(w, entry, primes), &expected.form, &quantity, place,
                 declared.source != 0 && unit != NULL && primes == 0 ? unit->text : NULL);
  }
  quantity_free(&expected);
  quantity_free(&quantity);
}

/* The value of a declared name: bare ones are in its unit, whatever that is. Arrays may have one
 * value for each element. */
static void walk_named_value(struct walk *w, uint32_t entry, unsigned primes,
                             const struct unit *unit, struct span declared, ast_expr value) {
  if (value == 0 || scope_is_bare(w->table->scope, w->text, value)) return;
  const struct ast_expression *n = node(w, value);
  if (n->kind != AST_TUPLE) {
    walk_value(w, entry, primes, unit, declared, value);
    return;
  }
  for (uint32_t i = 0; i < n->list.count; i++)
    walk_value(w, entry, primes, unit, declared, ast_list_item(w->text->ast, n->list, i));
}

static uint32_t entry_of_item(const struct walk *w, const struct ast_statement *statement,
                              const struct ast_item *item) {
  const struct map *names =
      statement->kind == AST_OUTPUT ? &w->table->scope->by_output : &w->table->scope->by_name;
  uint32_t id = map_get(names, (uint64_t)(uintptr_t)item->name);
  if (id == 0 && statement->kind == AST_OUTPUT)
    id = map_get(&w->table->scope->by_name, (uint64_t)(uintptr_t)item->name);
  if (id == 0 || scope_entry(w->table->scope, id)->is_broken) return 0;
  /* Declared as something else, which was reported: its value says nothing about that. */
  bool is_other = statement->kind != AST_OUTPUT &&
                  scope_entry(w->table->scope, id)->kind != statement_name_kind(statement->kind);
  return is_other ? 0 : id;
}

static void walk_item(struct walk *w, const struct ast_statement *statement,
                      const struct ast_item *item) {
  for (uint32_t i = 0; i < item->indices.count && !w->table->is_dimensionless; i++)
    walk_only(w, ast_list_item(w->text->ast, item->indices, i));
  uint32_t entry = entry_of_item(w, statement, item);
  if (entry == 0) {
    if (!w->table->is_dimensionless) walk_only(w, item->value);
    return;
  }
  const struct name_dimension *name = &w->table->names[entry];
  struct unit unit = dimension_of_item(w->table, entry, item);
  bool has_unit = item->unit != NULL || name->unit != 0;
  struct span declared = item->unit != NULL ? item->unit->span : name->unit_span;
  walk_named_value(w, entry, item->primes, has_unit ? &unit : NULL, declared, item->value);
}

/* ---------------------------------------------------------------- equations */

static void walk_sides(struct walk *w, const struct ast_equation *equation) {
  if (equation->left == 0 || equation->right == 0) return;
  struct quantity left = dimension_walk(w, equation->left);
  struct quantity right = dimension_walk(w, equation->right);
  if (!dimension_unify(w, &left, &right, equation->span)) report_sides(w, equation, &left, &right);
  quantity_free(&left);
  quantity_free(&right);
}

static uint32_t entry_of_constraint(const struct walk *w, const struct ast_statement *statement) {
  const struct scope *scope = w->table->scope;
  uint32_t id = map_get(&scope->by_statement, (uint64_t)(uintptr_t)statement);
  if (statement->label.name != NULL)
    id = map_get(&scope->by_name, (uint64_t)(uintptr_t)statement->label.name);
  bool fits = id != 0 && scope_entry(scope, id)->kind == NAME_CONSTRAINT;
  return fits ? id : 0;
}

/* The sides agree, and so do the elements of an array. */
static void walk_constraint(struct walk *w, const struct ast_statement *statement) {
  for (uint32_t i = 0; i < statement->label.indices.count; i++)
    walk_only(w, ast_list_item(w->text->ast, statement->label.indices, i));
  dimension_walk_axes(w, statement->along);
  uint32_t entry = entry_of_constraint(w, statement);
  struct ast_equation sides = {statement->span, statement->left, statement->right};
  if (sides.left == 0 || sides.right == 0) return;
  struct quantity left = dimension_walk(w, sides.left), right = dimension_walk(w, sides.right);
  const struct quantity *said = left.any ? &right : &left;
  struct span span = node(w, sides.left)->span;
  if (!dimension_unify(w, &left, &right, span)) {
    report_sides(w, &sides, &left, &right);
  } else if (entry != 0) {
    struct quantity expected = {.form = dimension_form_of_name(w->table, entry)};
    form_reduce(&w->table->solver, &expected.form);
    if (!dimension_unify(w, said, &expected, span))
      report_value(w,
                   arena_format(&w->table->context->arena, "constraint '%s'",
                                scope_entry(w->table->scope, entry)->name),
                   &expected.form, said,
                   w->table->solver.variables.items[w->table->names[entry].variable].origin, NULL);
    quantity_free(&expected);
  }
  quantity_free(&left);
  quantity_free(&right);
}

/* x, x', q[2]': the name below, and the primes. 0 if it is something else. */
static uint32_t find_target(const struct walk *w, ast_expr left, unsigned *primes) {
  *primes = 0;
  while (node(w, left)->kind == AST_PRIME || node(w, left)->kind == AST_INDEX) {
    if (node(w, left)->kind == AST_PRIME) *primes += node(w, left)->count;
    left = node(w, left)->operand;
  }
  if (node(w, left)->kind != AST_NAME) return 0;
  uint32_t id = map_get(&w->table->scope->by_name, (uint64_t)(uintptr_t)node(w, left)->name);
  if (id == 0 || scope_entry(w->table->scope, id)->is_broken) return 0;
  return id;
}

void dimension_walk_assignment(struct walk *w, const struct ast_equation *equation) {
  unsigned primes;
  uint32_t entry = equation->left != 0 ? find_target(w, equation->left, &primes) : 0;
  if (entry == 0) {
    if (!w->table->is_dimensionless && equation->right != 0) walk_only(w, equation->right);
    return;
  }
  struct unit unit = dimension_of_name(w->table, entry, primes);
  const struct name_dimension *name = &w->table->names[entry];
  walk_named_value(w, entry, primes, name->unit != 0 ? &unit : NULL, name->unit_span,
                   equation->right);
}

/* ---------------------------------------------------------------- energies and forces */

static void walk_energy(struct walk *w, const struct ast_statement *statement) {
  static const struct {
    enum ast_statement_kind kind;
    const char *name;
  } names[] = {{AST_KINETIC, "a kinetic energy"},
               {AST_POTENTIAL, "a potential energy"},
               {AST_LAGRANGIAN, "the Lagrangian"},
               {AST_DISSIPATION, "the dissipation function"}};
  if (statement->value == 0) return;
  bool is_power = statement->kind == AST_DISSIPATION;
  struct dimension expected = is_power ? power() : energy();
  struct quantity value = dimension_walk(w, statement->value);
  if (!dimension_unify_with(w, &value, &expected, node(w, statement->value)->span))
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (names[i].kind == statement->kind)
        report_energy(w, names[i].name, is_power ? "W" : "J", &expected, &value);
  quantity_free(&value);
}

/* force * target is an energy, on a speed a power */
static void walk_force(struct walk *w, const struct ast_statement *statement) {
  if (statement->value == 0 || statement->target == 0) return;
  struct quantity value = dimension_walk(w, statement->value);
  struct quantity target = dimension_walk(w, statement->target);
  ast_expr named = statement->target;
  if (node(w, named)->kind == AST_INDEX) named = node(w, named)->operand;
  uint32_t id = node(w, named)->kind == AST_NAME ? scope_entry_of(w->text, named) : 0;
  bool on_speed = id != 0 && scope_entry(w->table->scope, id)->kind == NAME_SPEED;
  struct dimension work = on_speed ? power() : energy();
  struct quantity expected = {.form = form_of(&work), .broken = target.broken || target.any};
  form_multiply(&w->table->solver, &expected.form, &target.form, rational_integer(-1));
  if (!dimension_unify(w, &value, &expected, node(w, statement->value)->span))
    report_force(w, statement->target, &expected.form, &value);
  quantity_free(&value);
  quantity_free(&target);
  quantity_free(&expected);
}

/* ---------------------------------------------------------------- runs */

static void walk_timed(struct walk *w, const char *name, ast_expr e) {
  if (e == 0 || scope_is_bare(w->table->scope, w->text, e)) return; /* bare: seconds */
  struct dimension second = dimension_of_base(UNIT_SECOND, 1);
  struct quantity value = dimension_walk(w, e);
  if (!dimension_unify_with(w, &value, &second, node(w, e)->span))
    report_argument(w, name, &second, &value);
  quantity_free(&value);
}

static void walk_simulate(struct walk *w, const struct ast_statement *statement) {
  static const char *const times[] = {"from", "until", "every", "max_step", "step"};
  struct dimension pure = dimension_pure();
  for (uint32_t i = 0; i < statement->arguments.count; i++) {
    ast_expr e = ast_list_item(w->text->ast, statement->arguments, i);
    const struct ast_expression *n = node(w, e);
    if (n->kind != AST_ARGUMENT || node(w, n->operand)->kind == AST_STRING) continue;
    bool is_time = false;
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
      is_time = is_time || strcmp(n->name, times[k]) == 0;
    if (is_time) {
      walk_timed(w, n->name, n->operand);
      continue;
    }
    struct quantity value = dimension_walk(w, n->operand);
    if (!dimension_unify_with(w, &value, &pure, node(w, n->operand)->span))
      report_argument(w, n->name, &pure, &value);
    quantity_free(&value);
  }
}

/* ---------------------------------------------------------------- all statements */

static void walk_statement(struct walk *w, const struct ast_statement *statement);

static void walk_block(struct walk *w, struct ast_statement *const *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) walk_statement(w, items[i]);
}

static void walk_equations(struct walk *w, const struct ast_statement *statement) {
  for (uint32_t i = 0; i < statement->equations.count; i++) {
    if (statement->kind == AST_START)
      dimension_walk_assignment(w, &statement->equations.items[i]);
    else if (!w->table->is_dimensionless)
      walk_sides(w, &statement->equations.items[i]);
  }
}

/* What is only checked in a model that has dimensions. */
static void walk_mechanics(struct walk *w, const struct ast_statement *statement) {
  struct ast_equation sides = {statement->span, statement->left, statement->right};
  switch (statement->kind) {
  case AST_KINETIC:
  case AST_POTENTIAL:
  case AST_LAGRANGIAN:
  case AST_DISSIPATION:
    walk_energy(w, statement);
    break;
  case AST_FORCE_ON:
    walk_force(w, statement);
    break;
  case AST_CONSTRAINT:
    walk_constraint(w, statement);
    break;
  case AST_RATE:
  case AST_RESET:
    walk_sides(w, &sides);
    break;
  case AST_SIMULATE:
    walk_simulate(w, statement);
    break;
  case AST_EVERY:
    walk_timed(w, "every", statement->value);
    break;
  case AST_WHEN:
  case AST_IF_BLOCK:
    walk_only(w, statement->value);
    break;
  case AST_FOR:
    walk_only(w, statement->from);
    walk_only(w, statement->to);
    break;
  case AST_FORCE_AT:
  case AST_TORQUE:
  case AST_GRAVITY:
  case AST_FRAME:
  case AST_PARTICLE:
  case AST_BODY:
    dimension_walk_body(w, statement);
    break;
  default: /* declarations */
    break;
  }
}

static void walk_statement(struct walk *w, const struct ast_statement *statement) {
  for (uint32_t i = 0; i < statement->items.count; i++)
    walk_item(w, statement, &statement->items.items[i]);
  walk_equations(w, statement);
  if (!w->table->is_dimensionless) walk_mechanics(w, statement);
  if (statement->kind == AST_COMPONENT) return;
  walk_block(w, statement->body.items, statement->body.count);
  walk_block(w, statement->otherwise.items, statement->otherwise.count);
}

/* The unit of a constraint comes from its equation, not from what is done with its multiplier. */
static void walk_constraints(struct walk *w, struct ast_statement *const *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const struct ast_statement *s = items[i];
    if (s->kind == AST_CONSTRAINT) walk_constraint(w, s);
    if (s->kind != AST_FOR && s->kind != AST_IF_BLOCK) continue;
    walk_constraints(w, s->body.items, s->body.count);
    walk_constraints(w, s->otherwise.items, s->otherwise.count);
  }
}

void dimension_walk_statements(struct dimension_table *table) {
  struct walk w = {table, &table->scope->model};
  const struct ast *ast = table->scope->model.ast;
  if (!table->is_checking && !table->is_dimensionless)
    walk_constraints(&w, ast->statements.items, ast->statements.count);
  walk_block(&w, ast->statements.items, ast->statements.count);
}
