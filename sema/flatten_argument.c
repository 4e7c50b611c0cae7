/* The arguments of an instance against the formals of its component. An argument that names a
 * coordinate or state of the body gives its start value. */
#include "sema/flatten_private.h"
#include <string.h>

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

static const struct ast_statement *statement_of(const struct flat_use *use) {
  return use->site->statement;
}

static const struct ast_statement *component_of(const struct flat_use *use) {
  return use->component->statement;
}

static struct span outside(const struct flat_use *use, struct span span) {
  return flat_place(use->around->use, span);
}

/* ---------------------------------------------------------------- names */

static void report_twice(struct flattening *f, const struct flat_use *use,
                         const struct ast_expression *n, struct span first) {
  struct diagnostic *d =
      diagnostic_add(f->context, DIAG_ARGUMENT_TWICE, outside(use, n->name_span), n->name, NULL);
  diagnostic_label(f->context, d, outside(use, first), "given here first");
}

static bool is_startable(const struct flat_symbol *symbol) {
  return symbol->kind == NAME_COORD || symbol->kind == NAME_STATE;
}

static void report_unknown(struct flattening *f, const struct flat_use *use,
                           const struct ast_expression *n) {
  const struct flat_names *names = &use->component->names;
  const char *type = component_of(use)->label.name;
  struct diagnostic *d = diagnostic_add(f->context, DIAG_UNKNOWN_ARGUMENT,
                                        outside(use, n->name_span), type, n->name, NULL);
  const struct flat_symbol *other = flat_names_find(names, n->name);
  VECTOR(const char *) near = {0};
  for (uint32_t i = 0; i < names->symbols.count; i++)
    if (names->symbols.items[i]->formal != NULL || is_startable(names->symbols.items[i]))
      vector_push(&near, names->symbols.items[i]->name);
  const char *best = nearest_name(n->name, near.items, near.count);
  if (other != NULL) {
    diagnostic_label(f->context, d, other->span, "this '%s' is %s of its own", n->name,
                     flat_kind_words(f, other->kind));
  } else if (best != NULL) {
    diagnostic_label(f->context, d, flat_names_find(names, best)->span, "it has this one");
    diagnostic_help(f->context, d, "did you mean '%s'?", best);
  } else {
    diagnostic_label(f->context, d, component_of(use)->label.name_span, "declared here");
  }
  vector_free(&near);
}

/* `spring s(k)`: which name would have to stand there. */
static void report_positional(struct flattening *f, const struct flat_use *use, uint32_t index,
                              const struct ast_expression *n) {
  const struct ast_statement *c = component_of(use);
  struct diagnostic *d =
      diagnostic_add(f->context, DIAG_NAMED_ARGUMENT_NEEDED, outside(use, n->span), NULL);
  if (index >= c->formals.count) {
    diagnostic_label(f->context, d, c->label.name_span, "the component is declared here");
    diagnostic_help(f->context, d, "write the argument's name and '=' before it");
    return;
  }
  const struct ast_formal *formal = &c->formals.items[index];
  const char *text = source_get(&f->context->sources, n->span.source)->text + n->span.begin;
  int length = (int)(n->span.end - n->span.begin);
  diagnostic_label(f->context, d, formal->span, "is this one meant?");
  diagnostic_help(f->context, d, "write '%s = %.*s'", formal->name, length <= 60 ? length : 3,
                  length <= 60 ? text : "...");
}

static void report_missing(struct flattening *f, const struct flat_use *use) {
  const struct ast_statement *c = component_of(use), *s = statement_of(use);
  struct text names = {0}, help = {0};
  const struct ast_formal *first = NULL;
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->formals.count; i++) {
    const struct ast_formal *formal = &c->formals.items[i];
    if (use->actuals[i].span.source != 0 || formal->value != 0) continue;
    if (first == NULL) first = formal;
    if (count++ >= 8) continue;
    text_format(&names, "%s'%s'", count > 1 ? ", " : "", formal->name);
    text_format(&help, "%s%s = ...", count > 1 ? ", " : "", formal->name);
  }
  if (count > 8) text_format(&names, " and %u more", count - 8);
  if (count > 0) {
    struct span span = {s->text_span.source, s->text_span.begin, s->label.span.end};
    struct diagnostic *d = diagnostic_add(f->context, DIAG_MISSING_ARGUMENT, outside(use, span),
                                          s->label.name, text_string(&names), NULL);
    diagnostic_label(f->context, d, first->span, "'%s' has no default", first->name);
    diagnostic_help(f->context, d, "write %s %s(%s%s)", s->text, s->label.name, text_string(&help),
                    s->arguments.count > 0 || count > 8 ? ", ..." : "");
  }
  text_free(&names);
  text_free(&help);
}

/* ---------------------------------------------------------------- matching */

/* False if it is for nothing, which is reported. */
static bool give(struct flattening *f, struct flat_use *use, const struct ast_expression *n,
                 ast_expr argument) {
  const struct flat_symbol *symbol = flat_names_find(&use->component->names, n->name);
  if (symbol != NULL && symbol->formal != NULL) {
    struct flat_actual *actual = &use->actuals[symbol->formal_index];
    if (actual->span.source != 0)
      report_twice(f, use, n, actual->span);
    else
      *actual = (struct flat_actual){.env = use->around, .e = n->operand, .span = n->name_span};
  } else if (symbol != NULL && is_startable(symbol)) {
    uint32_t before = map_get(&use->starts, key_of(n->name));
    if (before != 0)
      report_twice(f, use, n, ast_expression(use->around->ast, before)->name_span);
    else
      map_set(&use->starts, key_of(n->name), argument);
  } else {
    report_unknown(f, use, n);
    return false;
  }
  return true;
}

void flat_match_arguments(struct flattening *f, struct flat_use *use) {
  const struct ast_statement *s = statement_of(use), *c = component_of(use);
  const struct ast *ast = use->around->ast;
  bool is_faulty = false;
  for (uint32_t i = 0; i < s->arguments.count; i++) {
    ast_expr argument = ast_list_item(ast, s->arguments, i);
    const struct ast_expression *n = ast_expression(ast, argument);
    if (n->kind != AST_ARGUMENT && n->kind != AST_ERROR && !is_faulty)
      report_positional(f, use, i, n);
    /* One mistake, one message: a misspelled argument is not missing as well. */
    is_faulty = n->kind != AST_ARGUMENT || !give(f, use, n, argument) || is_faulty;
  }
  for (uint32_t i = 0; i < c->formals.count; i++) {
    struct flat_actual *actual = &use->actuals[i];
    if (actual->span.source != 0) continue;
    if (c->formals.items[i].value != 0)
      *actual = (struct flat_actual){
          .env = &use->env, .e = c->formals.items[i].value, .is_default = true};
    else
      use->is_broken = true;
  }
  if (use->is_broken && !is_faulty) report_missing(f, use);
}

/* ---------------------------------------------------------------- kinds */

static const char *const wanted_words[] = {"a number", "a point", "a vector", "a frame", "a body"};

/* What the members behind a reference make of it: `b.frame`, `b.at`; kinds that are not known
 * before everything is declared are NAME_LET. */
static enum name_kind kind_of_member(const struct flattening *f, const struct flat_env *env,
                                     enum name_kind kind, uint32_t used) {
  uint32_t left = f->chain.count - used;
  if (left > 0 && flat_node(env, f->chain.items[left - 1])->kind == AST_INDEX) left--;
  if (left == 0) return kind;
  const struct ast_expression *n = flat_node(env, f->chain.items[left - 1]);
  if (left == 1 && n->kind == AST_MEMBER && kind == NAME_BODY) {
    if (strcmp(n->name, "frame") == 0) return NAME_FRAME;
    if (strcmp(n->name, "at") == 0) return NAME_POINT;
    if (strcmp(n->name, "mass") == 0) return NAME_PARAM;
  }
  return NAME_LET;
}

static bool fits(const struct ast_formal *formal, enum name_kind kind) {
  bool is_scalar = kind == NAME_CONST || kind == NAME_PARAM || kind == NAME_INPUT ||
                   kind == NAME_COORD || kind == NAME_STATE || kind == NAME_SPEED ||
                   kind == NAME_TIME || kind == NAME_PI || kind == NAME_INDEX ||
                   kind == NAME_ARGUMENT;
  switch (formal->kind) {
  case FORMAL_POINT:
    return kind == NAME_POINT || kind == NAME_ORIGIN || kind == NAME_LET;
  case FORMAL_VECTOR:
    return kind == NAME_LET;
  case FORMAL_FRAME:
    return kind == NAME_FRAME || kind == NAME_WORLD || kind == NAME_BODY;
  case FORMAL_BODY:
    return kind == NAME_BODY || kind == NAME_PARTICLE;
  default:
    return is_scalar || kind == NAME_LET;
  }
}

static void report_kind(struct flattening *f, const struct flat_use *use, uint32_t index,
                        const char *what, enum name_kind kind, struct span declared) {
  const struct flat_actual *actual = &use->actuals[index];
  const struct ast_formal *formal = &component_of(use)->formals.items[index];
  struct span span = flat_place(actual->env->use, flat_node(actual->env, actual->e)->span);
  struct diagnostic *d = diagnostic_add(f->context, DIAG_ARGUMENT_KIND, span, formal->name,
                                        wanted_words[formal->kind], what, NULL);
  diagnostic_label(f->context, d, formal->span, "'%s' of component '%s' is %s", formal->name,
                   component_of(use)->label.name, wanted_words[formal->kind]);
  if (declared.source != 0) diagnostic_label(f->context, d, declared, "declared here");
  if (kind == NAME_BODY && formal->kind == FORMAL_POINT)
    diagnostic_help(f->context, d, "the mass centre of a body b is b.at");
  else if (kind == NAME_PARTICLE && formal->kind == FORMAL_POINT)
    diagnostic_help(f->context, d, "the place of a particle p is p.at");
  else if (kind == NAME_COMPONENT)
    diagnostic_help(f->context, d, "give a member of an instance of it");
}

/* The kind that a name stands for, as far as that is known from its declaration. */
static enum name_kind kind_of(const struct flat_reference *reference) {
  if (reference->kind == FLAT_INSTANCE) return NAME_INSTANCE;
  if (reference->kind == FLAT_MODULE) return NAME_MODULE;
  if (reference->symbol != NULL) return reference->symbol->kind;
  return reference->predeclared != NAME_NONE ? reference->predeclared : NAME_INDEX;
}

static void check_kind(struct flattening *f, struct flat_use *use, uint32_t index) {
  struct flat_actual *actual = &use->actuals[index];
  const struct ast_formal *formal = &component_of(use)->formals.items[index];
  const struct flat_env *env = actual->env;
  const struct ast_expression *n = flat_node(env, actual->e);
  struct flat_reference reference;
  if (!flat_resolve(f, env, actual->e, &reference)) {
    bool is_reference = formal->kind == FORMAL_FRAME || formal->kind == FORMAL_BODY;
    bool is_tuple = n->kind == AST_TUPLE || n->kind == AST_IN;
    if (n->kind == AST_ERROR)
      use->is_broken = true;
    else if (is_reference || (is_tuple && formal->kind == FORMAL_SCALAR)) {
      report_kind(f, use, index, is_tuple ? "a vector" : "an expression", NAME_NONE,
                  (struct span){0, 0, 0});
      use->is_broken = true;
    }
    return;
  }
  if (reference.kind == FLAT_BROKEN) {
    use->is_broken = true;
    return;
  }
  enum name_kind kind = kind_of_member(f, env, kind_of(&reference), reference.used);
  if (fits(formal, kind)) return;
  struct span declared = reference.symbol != NULL ? reference.symbol->span : (struct span){0, 0, 0};
  const char *what = flat_kind_words(f, kind);
  report_kind(f, use, index, what, kind, declared);
  use->is_broken = true;
}

static void check_early(struct flattening *f, struct flat_use *use, uint32_t index) {
  struct flat_actual *actual = &use->actuals[index];
  const struct ast_formal *formal = &component_of(use)->formals.items[index];
  enum name_kind kind;
  ast_expr late = flat_find_late(f, actual->env, actual->e, &kind);
  if (late == 0) return;
  struct span span = flat_place(actual->env->use, flat_node(actual->env, late)->span);
  struct diagnostic *d = diagnostic_add(f->context, DIAG_ARGUMENT_NOT_CONSTANT, span, formal->name,
                                        component_of(use)->label.name, NULL);
  diagnostic_caption(f->context, d, "this is %s", flat_kind_words(f, kind));
  diagnostic_label(
      f->context, d, formal->span,
      "the component needs '%s' to write itself out (a size, range, index or condition)",
      formal->name);
  if (kind == NAME_PARAM) diagnostic_help(f->context, d, "declare it with 'const'");
  use->is_broken = true;
}

void flat_check_arguments(struct flattening *f, struct flat_use *use) {
  const struct ast_statement *c = component_of(use);
  for (uint32_t i = 0; i < c->formals.count; i++) {
    if (use->actuals[i].e == 0) continue;
    check_kind(f, use, i);
    if (!use->is_broken && c->formals.items[i].kind == FORMAL_SCALAR && use->component->is_early[i])
      check_early(f, use, i);
  }
}
