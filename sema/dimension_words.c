/* How messages speak of dimensions; see dimension_words.h. Only the neighbourhood of a fault is
 * looked at, so that a report costs little in a long sum. */
#include "sema/dimension_words.h"
#include "base/text.h"
#include <string.h>

enum { LONGEST_QUOTE = 40, MOST_NODES = 200, MOST_NAMES = 2 };

static const struct ast_expression *node(const struct walk *w, ast_expr e) {
  return ast_expression(w->text->ast, e);
}

static struct arena *arena_of(struct walk *w) {
  return &w->table->context->arena;
}

/* ---------------------------------------------------------------- units */

static const char *argument_name(const struct dimension_table *table, uint32_t variable) {
  for (uint32_t i = 1; i < table->schemes.count; i++) {
    const struct function_scheme *scheme = &table->schemes.items[i];
    uint32_t at = variable - scheme->first_argument;
    if (variable >= scheme->first_argument && at < scheme->statement->formals.count)
      return scheme->statement->formals.items[at].name;
  }
  return "?";
}

const char *words_of_form(struct walk *w, const struct form *form) {
  struct form reduced = form_copy(form);
  form_reduce(&w->table->solver, &reduced);
  if (form_is_pure(&reduced)) {
    form_free(&reduced);
    return "a pure number";
  }
  struct text out = {0};
  if (!dimension_is_pure(&reduced.constant) || reduced.count == 0)
    text_put(&out, dimension_text(arena_of(w), &reduced.constant, rational_integer(0)));
  for (uint32_t i = 0; i < reduced.count && i < 4; i++) {
    struct rational power = reduced.terms[i].power;
    if (out.length > 0) text_put(&out, "*");
    text_format(&out, "[%s]", argument_name(w->table, reduced.terms[i].variable));
    if (!rational_is_integer(power))
      text_format(&out, "^(%lld/%lld)", (long long)power.numerator, (long long)power.denominator);
    else if (power.numerator != 1)
      text_format(&out, "^%lld", (long long)power.numerator);
  }
  const char *words = arena_string(arena_of(w), text_string(&out), out.length);
  text_free(&out);
  form_free(&reduced);
  return words;
}

/* The entry that an expression names, below primes and indices; 0 if it is no name. */
static uint32_t named_entry(struct walk *w, ast_expr e, unsigned *primes) {
  *primes = 0;
  while (e != 0 && (node(w, e)->kind == AST_PRIME || node(w, e)->kind == AST_INDEX)) {
    if (node(w, e)->kind == AST_PRIME) *primes += node(w, e)->count;
    e = node(w, e)->operand;
  }
  if (e == 0 || node(w, e)->kind != AST_NAME) return 0;
  uint32_t id = scope_entry_of(w->text, e);
  return id < w->table->name_count ? id : 0;
}

const char *words_of_quantity(struct walk *w, const struct quantity *quantity) {
  unsigned primes;
  uint32_t entry = named_entry(w, quantity->node, &primes);
  if (entry != 0 && w->table->names[entry].unit != 0 &&
      !dimension_is_pure(&quantity->form.constant))
    return dimension_of_name(w->table, entry, primes).si;
  return words_of_form(w, &quantity->form);
}

const char *words_in_form(struct walk *w, const struct form *form) {
  const char *words = words_of_form(w, form);
  return form_is_pure(form) ? words : arena_format(arena_of(w), "in %s", words);
}

const char *words_in_quantity(struct walk *w, const struct quantity *quantity) {
  const char *words = words_of_quantity(w, quantity);
  return form_is_pure(&quantity->form) ? words : arena_format(arena_of(w), "in %s", words);
}

/* ---------------------------------------------------------------- the text */

const char *words_as_written(struct walk *w, ast_expr e) {
  struct span span = node(w, e)->span;
  const struct source *source = source_get(&w->table->context->sources, span.source);
  if (source == NULL || span.end <= span.begin || span.end - span.begin > LONGEST_QUOTE)
    return NULL;
  const char *begin = source->text + span.begin;
  if (memchr(begin, '\n', span.end - span.begin) != NULL) return NULL;
  return arena_string(arena_of(w), begin, span.end - span.begin);
}

ast_expr words_leading_term(struct walk *w, ast_expr e) {
  for (;;) {
    const struct ast_expression *n = node(w, e);
    bool is_sum =
        n->kind == AST_BINARY && (n->operator_ == AST_ADD || n->operator_ == AST_SUBTRACT);
    if (!is_sum && n->kind != AST_UNARY) return e;
    e = n->operand;
  }
}

/* ---------------------------------------------------------------- labels */

static bool has_label(const struct diagnostic *d, struct span span) {
  for (uint32_t i = 0; i < d->labels.count; i++)
    if (memcmp(&d->labels.items[i].span, &span, sizeof span) == 0) return true;
  return memcmp(&d->span, &span, sizeof span) == 0;
}

static void label_name(struct walk *w, struct diagnostic *d, uint32_t entry) {
  dyn_context *context = w->table->context;
  const struct name_entry *name = scope_entry(w->table->scope, entry);
  const struct name_dimension *dimension = &w->table->names[entry];
  struct unit unit = dimension_of_name(w->table, entry, 0);
  if (name->span.source == 0) return;
  if (dimension->unit != 0) {
    if (!has_label(d, name->span))
      diagnostic_label(context, d, name->span, "%s [%s]", name->name, unit.text);
    return;
  }
  if (name->kind == NAME_POINT && !has_label(d, name->span))
    diagnostic_label(context, d, name->span, "point %s [%s]", name->name, unit.text);
  if (dimension->variable == 0) return;
  const struct variable *variable = &w->table->solver.variables.items[dimension->variable];
  bool is_pure = dimension_is_pure(&unit.dimension);
  if (variable->is_default || variable->origin.source == 0) {
    if (!has_label(d, name->span))
      diagnostic_label(context, d, name->span, "%s has no unit: a pure number", name->name);
  } else if (!has_label(d, variable->origin)) {
    diagnostic_label(context, d, variable->origin,
                     is_pure ? "this makes %s a pure number" : "this makes %s [%s]", name->name,
                     unit.text);
  }
}

void words_label_names(struct walk *w, struct diagnostic *d, ast_expr e) {
  uint32_t seen[MOST_NAMES], count = 0;
  ast_expr first = node(w, e)->first;
  if (e - first > MOST_NODES) first = e - MOST_NODES;
  bool is_alone = node(w, e)->kind == AST_NAME;
  for (ast_expr at = first; at <= e && count < MOST_NAMES; at++) {
    unsigned primes;
    uint32_t entry = node(w, at)->kind == AST_NAME ? named_entry(w, at, &primes) : 0;
    bool is_known = entry == 0 || scope_entry(w->table->scope, entry)->is_broken;
    for (uint32_t i = 0; i < count; i++) is_known = is_known || seen[i] == entry;
    if (is_known) continue;
    struct unit unit = dimension_of_name(w->table, entry, 0);
    if (!is_alone && dimension_is_pure(&unit.dimension)) continue; /* explains nothing */
    seen[count++] = entry;
    label_name(w, d, entry);
  }
}

void words_label(struct walk *w, struct diagnostic *d, const struct quantity *quantity) {
  dyn_context *context = w->table->context;
  ast_expr term = words_leading_term(w, quantity->node);
  const char *unit = words_of_quantity(w, quantity), *quote = words_as_written(w, term);
  struct span span = node(w, term)->span;
  if (form_is_pure(&quantity->form)) {
    unsigned primes;
    uint32_t entry = named_entry(w, term, &primes);
    bool is_angle = entry != 0 && dimension_of_name(w->table, entry, 0).angle.numerator != 0;
    if (!has_label(d, span))
      diagnostic_label(context, d, span, is_angle ? "an angle: %s" : "%s", unit);
  } else if (!has_label(d, span)) {
    if (quote != NULL && node(w, term)->kind != AST_UNIT)
      diagnostic_label(context, d, span, "%s [%s]", quote, unit);
    else
      diagnostic_label(context, d, span, "this is in %s", unit);
  }
  words_label_names(w, d, term);
}

/* ---------------------------------------------------------------- slips */

/* A factor of `e` that is just what is missing: squared, it would fit. */
static ast_expr find_unsquared(struct walk *w, ast_expr e, const struct dimension *missing) {
  ast_expr first = node(w, e)->first, best = 0;
  if (e - first > MOST_NODES) first = e - MOST_NODES;
  for (ast_expr at = first; at <= e; at++) {
    unsigned primes;
    uint32_t entry = named_entry(w, at, &primes);
    enum name_kind kind = scope_entry(w->table->scope, entry)->kind;
    if (entry == 0 || kind == NAME_CONSTRAINT || kind == NAME_POINT) continue;
    struct dimension dimension = dimension_of_name(w->table, entry, primes).dimension;
    if (!dimension_equal(&dimension, missing)) continue;
    bool is_coordinate = scope_entry(w->table->scope, entry)->kind == NAME_COORD;
    if (best == 0 || is_coordinate) best = at; /* x' rather than some constant length */
  }
  return best;
}

/* A bare number that was meant to have a unit. */
static bool suggest_unit(struct walk *w, struct diagnostic *d, ast_expr e,
                         const struct form *expected) {
  bool is_vector = node(w, e)->kind == AST_IN;
  const char *frame = is_vector ? words_as_written(w, node(w, e)->second) : NULL;
  if (is_vector && frame == NULL) return false;
  if (is_vector) e = node(w, e)->operand;
  bool is_tuple = node(w, e)->kind == AST_TUPLE;
  const char *quote = words_as_written(w, e);
  if (quote == NULL || !scope_is_bare(w->table->scope, w->text, e) || expected->count > 0)
    return false;
  const char *unit = dimension_text(arena_of(w), &expected->constant, rational_integer(0));
  bool is_plain = node(w, e)->kind == AST_NUMBER;
  if (is_vector)
    diagnostic_help(w->table->context, d, "give the numbers their unit: %s [%s] in %s", quote, unit,
                    frame);
  else
    diagnostic_help(w->table->context, d,
                    is_plain   ? "give the number its unit: %s [%s]"
                    : is_tuple ? "give the numbers their unit: %s [%s]"
                               : "give the numbers their unit: (%s) [%s]",
                    quote, unit);
  return true;
}

bool words_suggest_bracket(struct walk *w, struct diagnostic *d, ast_expr sum,
                           const struct form *first, const struct form *second) {
  const struct ast *ast = w->text->ast;
  ast_expr parent = sum + 1; /* in postorder, if the sum is its last operand */
  unsigned primes;
  struct dimension ratio;
  if (parent >= ast->expressions.count || first->count > 0 || second->count > 0) return false;
  const struct ast_expression *n = node(w, parent);
  if (n->kind != AST_BINARY || n->operator_ != AST_MULTIPLY || n->second != sum) return false;
  uint32_t entry = named_entry(w, n->operand, &primes);
  const char *factor = words_as_written(w, n->operand);
  const char *term = words_as_written(w, node(w, sum)->second);
  if (entry == 0 || factor == NULL || term == NULL ||
      !dimension_multiply(&second->constant, &first->constant, rational_integer(-1), &ratio))
    return false;
  struct dimension dimension = dimension_of_name(w->table, entry, primes).dimension;
  if (!dimension_equal(&dimension, &ratio)) return false;
  diagnostic_help(w->table->context, d, "is a bracket misplaced? %s*(...) %s %s would fit", factor,
                  node(w, sum)->operator_ == AST_ADD ? "+" : "-", term);
  return true;
}

/* Something that moves: only there may a prime be missing, or be one too many. */
static bool has_motion(struct walk *w, ast_expr e, bool with_prime) {
  ast_expr first = node(w, e)->first;
  if (e - first > MOST_NODES) first = e - MOST_NODES;
  for (ast_expr at = first; at <= e; at++) {
    unsigned primes;
    uint32_t entry = named_entry(w, at, &primes);
    enum name_kind kind = scope_entry(w->table->scope, entry)->kind;
    if (entry == 0 || (with_prime && primes == 0)) continue;
    if (kind == NAME_COORD || kind == NAME_STATE || kind == NAME_LET || kind == NAME_POINT ||
        kind == NAME_SPEED)
      return true;
  }
  return false;
}

bool words_suggest(struct walk *w, struct diagnostic *d, ast_expr e, const struct form *actual,
                   const struct form *expected) {
  dyn_context *context = w->table->context;
  struct dimension missing, mass = dimension_of_base(UNIT_KILOGRAM, 1);
  struct dimension second = dimension_of_base(UNIT_SECOND, 1);
  struct dimension rate = dimension_of_base(UNIT_SECOND, -1);
  if (form_is_pure(actual) && suggest_unit(w, d, e, expected)) return true;
  if (actual->count > 0 || expected->count > 0 ||
      !dimension_multiply(&expected->constant, &actual->constant, rational_integer(-1), &missing))
    return false;
  ast_expr term = words_leading_term(w, e);
  ast_expr root = dimension_equal(&missing, &mass) ? 0 : find_unsquared(w, term, &missing);
  if (root != 0 && words_as_written(w, root) != NULL) {
    const char *quote = words_as_written(w, root);
    diagnostic_help(context, d, "is '%s' meant to be squared: %s^2?", quote, quote);
  } else if (dimension_equal(&missing, &mass)) {
    diagnostic_help(context, d, "a mass seems to be missing as a factor");
  } else if (dimension_equal(&missing, &rate) && has_motion(w, term, false)) {
    diagnostic_help(context, d, "a time derivative (') seems to be missing");
  } else if (dimension_equal(&missing, &second) && has_motion(w, term, true)) {
    diagnostic_help(context, d, "there seems to be one time derivative (') too many");
  } else {
    return false;
  }
  return true;
}

/* The number before the rest of a product: 9.81*world.y. */
static ast_expr find_number(struct walk *w, ast_expr e) {
  for (;;) {
    const struct ast_expression *n = node(w, e);
    bool is_product =
        n->kind == AST_BINARY && (n->operator_ == AST_MULTIPLY || n->operator_ == AST_DIVIDE);
    if (n->kind != AST_UNARY && scope_is_bare(w->table->scope, w->text, e)) return e;
    if (!is_product && n->kind != AST_UNARY) return 0;
    e = n->operand;
  }
}

bool words_suggest_load(struct walk *w, struct diagnostic *d, const struct quantity *value,
                        const struct form *expected) {
  ast_expr number = form_is_pure(&value->form) ? find_number(w, value->node) : 0;
  return (number != 0 && suggest_unit(w, d, number, expected)) ||
         words_suggest(w, d, value->node, &value->form, expected);
}
