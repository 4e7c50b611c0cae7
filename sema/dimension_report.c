/* The messages of the dimension check. They are made in the second walk only, when all dimensions
 * are known. */
#include "sema/dimension_words.h"
#include <string.h>

static const struct ast_expression *node(const struct walk *w, ast_expr e) {
  return ast_expression(w->text->ast, e);
}

static dyn_context *context_of(const struct walk *w) {
  return w->table->context;
}

static bool is_silent(const struct walk *w) {
  return !w->table->is_checking || w->table->solver.is_exhausted;
}

/* ---------------------------------------------------------------- operands */

static const char *operands_message(struct walk *w, const struct ast_expression *n, const char *a,
                                    const char *b) {
  struct arena *arena = &context_of(w)->arena;
  switch ((enum ast_expr_kind)n->kind) {
  case AST_IF:
    return arena_format(arena, "the branches of this 'if' have different units: %s and %s", a, b);
  case AST_CALL:
    return arena_format(arena, "the arguments of '%s' have different units: %s and %s", n->name, a,
                        b);
  case AST_TUPLE:
    return arena_format(arena, "the entries of this list have different units: %s and %s", a, b);
  default:
    break;
  }
  if (n->operator_ == AST_ADD) return arena_format(arena, "can't add %s and %s", a, b);
  if (n->operator_ == AST_SUBTRACT) return arena_format(arena, "can't subtract %s from %s", b, a);
  return arena_format(arena, "can't compare %s with %s", a, b);
}

void report_operands(struct walk *w, ast_expr e, const struct quantity *a,
                     const struct quantity *b) {
  if (is_silent(w)) return;
  const struct ast_expression *n = node(w, e);
  const char *message = operands_message(w, n, words_of_quantity(w, a), words_of_quantity(w, b));
  struct span at = n->name_span.source != 0 ? n->name_span : node(w, b->node)->span;
  struct diagnostic *d = diagnostic_add(context_of(w), DIAG_OPERANDS_DIFFER, at, message, NULL);
  words_label(w, d, a);
  words_label(w, d, b);
  if (n->kind == AST_BINARY && n->operator_ <= AST_SUBTRACT &&
      words_suggest_bracket(w, d, e, &a->form, &b->form))
    return;
  if (!words_suggest(w, d, b->node, &b->form, &a->form))
    words_suggest(w, d, a->node, &a->form, &b->form);
}

void report_sides(struct walk *w, const struct ast_equation *equation, const struct quantity *a,
                  const struct quantity *b) {
  if (is_silent(w)) return;
  struct span span = span_join(node(w, equation->left)->span, node(w, equation->right)->span);
  struct diagnostic *d = diagnostic_add(context_of(w), DIAG_SIDES_DIFFER, span,
                                        words_of_quantity(w, a), words_of_quantity(w, b), NULL);
  words_label(w, d, a);
  words_label(w, d, b);
  if (!words_suggest(w, d, b->node, &b->form, &a->form))
    words_suggest(w, d, a->node, &a->form, &b->form);
}

/* ---------------------------------------------------------------- pure numbers */

void report_not_a_number(struct walk *w, const char *what, const struct quantity *a) {
  if (is_silent(w)) return;
  const char *unit = words_of_quantity(w, a);
  struct span span = node(w, a->node)->span;
  struct diagnostic *d = diagnostic_add(context_of(w), DIAG_NOT_A_NUMBER, span, what, unit, NULL);
  struct dimension rate = dimension_of_base(UNIT_SECOND, -1);
  diagnostic_caption(context_of(w), d, "this is in %s", unit);
  words_label_names(w, d, words_leading_term(w, a->node));
  const char *quote = words_as_written(w, a->node);
  bool is_name = quote != NULL && node(w, a->node)->kind != AST_BINARY;
  if (a->form.count > 0) return;
  if (strncmp(what, "an axis", 7) == 0 && quote != NULL)
    diagnostic_help(context_of(w), d, "the unit vector is unit(%s)", quote);
  else if (strncmp(what, "the unit", 8) == 0)
    diagnostic_help(context_of(w), d, "it has a unit already; leave the bracket out");
  else if (dimension_equal(&a->form.constant, &rate) && is_name)
    diagnostic_help(context_of(w), d, "an angular rate times a time is an angle: %s*t", quote);
  else if (is_name)
    diagnostic_help(context_of(w), d, "divide it by something in %s", unit);
}

void report_exponent(struct walk *w, ast_expr e, const struct quantity *base, const char *what) {
  if (is_silent(w)) return;
  struct diagnostic *d =
      diagnostic_add(context_of(w), DIAG_BAD_EXPONENT, node(w, e)->name_span, what, NULL);
  words_label(w, d, base);
}

/* ---------------------------------------------------------------- expected units */

void report_value(struct walk *w, const char *name, const struct form *expected,
                  const struct quantity *value, struct span place, const char *declared) {
  if (is_silent(w)) return;
  dyn_context *context = context_of(w);
  const char *unit = words_of_form(w, expected);
  struct diagnostic *d =
      diagnostic_add(context, DIAG_VALUE_DIFFERS, node(w, value->node)->span, name,
                     words_in_form(w, expected), words_in_quantity(w, value), NULL);
  if (place.source != 0 && declared != NULL)
    diagnostic_label(context, d, place, "declared in %s", declared);
  else if (place.source != 0)
    diagnostic_label(context, d, place, "this makes it %s", unit);
  words_label(w, d, value);
  const char *quote = words_as_written(w, value->node);
  if (!words_suggest(w, d, value->node, &value->form, expected) && quote != NULL &&
      form_is_pure(&value->form) && node(w, value->node)->kind != AST_NAME)
    diagnostic_help(context, d, "if it is meant in %s, write (%s) [%s]", unit, quote, unit);
}

static struct diagnostic *report_expected(struct walk *w, enum diagnostic_code code,
                                          const char *name, const char *unit,
                                          const struct quantity *value) {
  struct diagnostic *d = diagnostic_add(context_of(w), code, node(w, value->node)->span, name, unit,
                                        words_in_quantity(w, value), NULL);
  words_label(w, d, value);
  return d;
}

void report_energy(struct walk *w, const char *name, const char *unit,
                   const struct dimension *expected, const struct quantity *value) {
  if (is_silent(w)) return;
  struct diagnostic *d = report_expected(w, DIAG_ENERGY_DIFFERS, name, unit, value);
  struct form wanted = form_of(expected);
  words_suggest(w, d, value->node, &value->form, &wanted);
}

void report_load(struct walk *w, const char *name, const char *unit,
                 const struct dimension *expected, const struct quantity *value) {
  if (is_silent(w)) return;
  struct diagnostic *d = report_expected(w, DIAG_LOAD_DIFFERS, name, unit, value);
  struct dimension ratio, length = dimension_of_base(UNIT_METRE, 1);
  struct dimension mass = dimension_of_base(UNIT_KILOGRAM, -1);
  struct form wanted = form_of(expected);
  bool is_known = value->form.count == 0 &&
                  dimension_multiply(expected, &value->form.constant, rational_integer(-1), &ratio);
  if (is_known && dimension_equal(&ratio, &length) && strcmp(name, "a torque") == 0)
    diagnostic_help(context_of(w), d, "a torque is a force times a lever arm");
  else if (is_known && dimension_equal(&ratio, &mass) && strcmp(name, "gravity") == 0)
    diagnostic_help(context_of(w), d,
                    "it is an acceleration; the masses are those of the particles and bodies");
  else
    words_suggest_load(w, d, value, &wanted);
}

void report_force(struct walk *w, ast_expr target, const struct form *expected,
                  const struct quantity *value) {
  if (is_silent(w)) return;
  const char *quote = words_as_written(w, target);
  const char *name = quote != NULL ? arena_format(&context_of(w)->arena, "'%s'", quote) : "this";
  struct diagnostic *d =
      diagnostic_add(context_of(w), DIAG_FORCE_DIFFERS, node(w, value->node)->span, name,
                     words_in_form(w, expected), words_in_quantity(w, value), NULL);
  words_label(w, d, value);
  words_label_names(w, d, target);
  struct dimension ratio, length = dimension_of_base(UNIT_METRE, 1);
  if (expected->count > 0 || value->form.count > 0 ||
      !dimension_multiply(&expected->constant, &value->form.constant, rational_integer(-1), &ratio))
    return;
  struct dimension torque = dimension_of_base(UNIT_KILOGRAM, 1);
  torque.exponent[UNIT_METRE] = rational_integer(2);
  torque.exponent[UNIT_SECOND] = rational_integer(-2);
  if (dimension_equal(&ratio, &length) && dimension_equal(&expected->constant, &torque))
    diagnostic_help(context_of(w), d, "a torque is a force times a lever arm");
  else
    words_suggest(w, d, value->node, &value->form, expected);
}

void report_argument(struct walk *w, const char *name, const struct dimension *expected,
                     const struct quantity *value) {
  if (is_silent(w)) return;
  struct form wanted = form_of(expected);
  struct diagnostic *d =
      diagnostic_add(context_of(w), DIAG_ARGUMENT_DIFFERS, node(w, value->node)->span, name,
                     words_in_form(w, &wanted), words_in_quantity(w, value), NULL);
  words_label_names(w, d, value->node);
  if (form_is_pure(&value->form)) words_suggest(w, d, value->node, &value->form, &wanted);
}

void report_call(struct walk *w, ast_expr call, const struct quantity *argument,
                 const struct form *expected, struct span origin) {
  if (is_silent(w)) return;
  struct diagnostic *d = diagnostic_add(context_of(w), DIAG_CALL_DIFFERS,
                                        node(w, argument->node)->span, node(w, call)->name, NULL);
  diagnostic_caption(context_of(w), d, "this is %s, but has to be %s here",
                     words_in_quantity(w, argument), words_in_form(w, expected));
  if (origin.source != 0)
    diagnostic_label(context_of(w), d, origin, "the definition asks for it here");
  words_label_names(w, d, argument->node);
  words_suggest(w, d, argument->node, &argument->form, expected);
}

/* ---------------------------------------------------------------- declarations */

void report_elements(struct dimension_table *table, const char *name, const struct unit *here,
                     struct span here_span, const struct unit *there, struct span there_span) {
  struct diagnostic *d = diagnostic_add(table->context, DIAG_ELEMENTS_DIFFER, here_span, name,
                                        here->text, there->text, NULL);
  if (there_span.source != 0)
    diagnostic_label(table->context, d, there_span, "this makes it %s", there->text);
}

void report_pi(struct walk *w, ast_expr value, const struct unit *unit) {
  if (is_silent(w)) return;
  struct diagnostic *d = diagnostic_add(context_of(w), DIAG_PI_IN_UNIT, node(w, value)->span,
                                        unit->si, unit->text, NULL);
  const char *quote = words_as_written(w, value);
  if (quote == NULL) return;
  bool is_pi = node(w, value)->kind == AST_NAME;
  diagnostic_help(context_of(w), d,
                  is_pi ? "say what is meant: %s [%s] or %s [%s]"
                        : "say what is meant: (%s) [%s] or (%s) [%s]",
                  quote, unit->si, quote, unit->text);
}

bool report_limits(struct walk *w, struct span span) {
  struct solver *solver = &w->table->solver;
  if (solver->is_exhausted) {
    if (!w->table->is_tangled) diagnostic_add(context_of(w), DIAG_DIMENSIONS_TANGLED, span, NULL);
    w->table->is_tangled = true;
    return true;
  }
  if (!solver->has_overflow) return false;
  solver->has_overflow = false;
  if (w->table->is_checking) diagnostic_add(context_of(w), DIAG_DIMENSION_RANGE, span, NULL);
  return true;
}
