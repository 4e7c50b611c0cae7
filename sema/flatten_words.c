/* Reports about names, members and sizes. */
#include "sema/flatten_private.h"
#include <string.h>

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

const char *flat_kind_words(struct flattening *f, enum name_kind kind) {
  if (kind == NAME_LET) return "a name for an expression";
  if (kind == NAME_PI) return "a number";
  if (kind == NAME_TIME) return "the time";
  const char *word = name_kind_word(kind);
  return arena_format(&f->context->arena, "%s %s", strchr("aeiou", word[0]) != NULL ? "an" : "a",
                      word);
}

void flat_report_large(struct flattening *f, struct span span, const char *what) {
  if (f->is_exhausted) return;
  f->is_exhausted = true;
  diagnostic_add(f->context, DIAG_MODEL_TOO_LARGE, span, what, NULL);
}

/* ---------------------------------------------------------------- unknown names */

struct candidates {
  VECTOR(const char *) names;
  bool functions; /* or what has a value */
};

static bool fits(const struct candidates *c, enum name_kind kind) {
  if (c->functions) return kind == NAME_FUNCTION;
  return kind != NAME_FUNCTION && kind != NAME_OUTPUT && kind != NAME_COMPONENT;
}

static void add_names(struct candidates *c, const struct flat_names *names) {
  for (uint32_t i = 0; i < names->symbols.count; i++)
    if (fits(c, names->symbols.items[i]->kind))
      vector_push(&c->names, names->symbols.items[i]->name);
}

static const char *find_near(const struct flat_env *env, const char *name, bool is_function) {
  struct candidates c = {.functions = is_function};
  for (const struct flat_local *l = env->locals; !is_function && l != NULL; l = l->outer)
    if (!l->is_barrier) vector_push(&c.names, l->name);
  if (env->use->component != NULL) add_names(&c, &env->use->component->names);
  const struct flat_file *file = env->use->file;
  add_names(&c, &file->names);
  for (uint32_t i = 1; i < file->visible.count; i++)
    if (fits(&c, file->visible.items[i].symbol->kind))
      vector_push(&c.names, file->visible.items[i].symbol->name);
  for (int i = 0; is_function && i < BUILTIN_COUNT; i++) vector_push(&c.names, builtin_name(i));
  const char *near = nearest_name(name, c.names.items, c.names.count);
  vector_free(&c.names);
  return near;
}

bool flat_help_module(struct flattening *f, struct diagnostic *d, const struct flat_file *file,
                      const char *module, const char *member) {
  const struct import_file *import = &f->imports.files.items[file->index];
  for (uint32_t i = 0; i < import->edges.count; i++) {
    const struct import_edge *edge = &import->edges.items[i];
    if (edge->file == 0 || f->imports.files.items[edge->file].stem != module) continue;
    const char *alias = edge->statement->label.name;
    const char *dot = member != NULL ? "." : "", *rest = member != NULL ? member : "";
    if (alias != NULL) {
      diagnostic_label(f->context, d, edge->statement->label.name_span, "imported under this name");
      diagnostic_help(f->context, d, "write %s%s%s", alias, dot, rest);
    } else {
      diagnostic_label(f->context, d, edge->statement->text_span, "imported without 'as'");
      diagnostic_help(f->context, d, "its names are used as they are%s%s%s; or import it as %s",
                      member != NULL ? ": '" : "", rest, member != NULL ? "'" : "", module);
    }
    return true;
  }
  return false;
}

void flat_report_unknown(struct flattening *f, const struct flat_env *env, const char *name,
                         struct span span, bool is_function) {
  if (f->is_quiet || env->use->file->has_gap) return;
  uint64_t key = hash_mix(key_of(name)) ^ hash_mix(env->use->file->index * 2u + is_function);
  if (map_get(&f->reported, key) != 0) return;
  map_set(&f->reported, key, 1);
  dyn_context *context = f->context;
  struct diagnostic *d = diagnostic_add(
      context, is_function ? DIAG_UNKNOWN_FUNCTION : DIAG_UNKNOWN_NAME, span, name, NULL);
  if (context->diagnostics.dropped > 0) return;
  if (!is_function && builtin_find(name) >= 0) {
    diagnostic_help(context, d, "it is a function, called as %s(...)", name);
    return;
  }
  if (!is_function && flat_help_module(f, d, env->use->file, name, NULL)) return;
  const char *near = find_near(env, name, is_function);
  if (near != NULL) {
    const struct flat_symbol *symbol = flat_find_symbol(env->use->component, env->use->file, near);
    if (symbol != NULL)
      diagnostic_label(context, d, symbol->span, "a similar name is declared here");
    diagnostic_help(context, d, "did you mean '%s'?", near);
  } else if (env->use->component != NULL) {
    diagnostic_help(context, d, "give it to the component: add '%s' to its formals", name);
  } else if (!is_function) {
    diagnostic_help(context, d, "declare it, for example 'param %s = ...' or 'let %s = ...'", name,
                    name);
  }
}

/* ---------------------------------------------------------------- members */

static void list_members(struct candidates *c, const struct flat_component *component) {
  for (uint32_t i = 0; i < component->names.symbols.count; i++)
    vector_push(&c->names, component->names.symbols.items[i]->name);
}

static void list_exports(struct candidates *c, const struct flat_file *file) {
  for (uint32_t i = 0; i < file->names.symbols.count; i++)
    if (file->names.symbols.items[i]->kind != NAME_MODULE)
      vector_push(&c->names, file->names.symbols.items[i]->name);
}

static void help_with_all(struct flattening *f, struct diagnostic *d, const struct candidates *c) {
  struct text text = {0};
  for (uint32_t i = 0; i < c->names.count && i < 12; i++)
    text_format(&text, "%s%s", i > 0 ? ", " : "", c->names.items[i]);
  if (c->names.count > 12) text_put(&text, ", ...");
  if (c->names.count > 0) diagnostic_help(f->context, d, "it has %s", text_string(&text));
  text_free(&text);
}

static void help_with_names(struct flattening *f, struct diagnostic *d, const struct candidates *c,
                            const char *name) {
  const char *near = nearest_name(name, c->names.items, c->names.count);
  if (near != NULL)
    diagnostic_help(f->context, d, "did you mean '%s'?", near);
  else
    help_with_all(f, d, c);
}

void flat_report_member(struct flattening *f, const struct flat_env *env,
                        const struct flat_reference *base, const struct ast_expression *n) {
  if (f->is_quiet) return;
  struct candidates c = {0};
  const char *whole;
  struct span declared;
  if (base->kind == FLAT_MODULE) {
    whole = source_get(&f->context->sources, base->symbol->module->ast->source)->name;
    whole = arena_format(&f->context->arena, "%s declares no '%s'", whole, n->name);
    declared = base->symbol->span;
    list_exports(&c, base->symbol->module);
  } else {
    const struct flat_component *component = base->site->component;
    whole = arena_format(&f->context->arena, "component '%s' has no member '%s'",
                         component->statement->label.name, n->name);
    declared = component->statement->label.name_span;
    list_members(&c, component);
  }
  struct diagnostic *d = diagnostic_add(f->context, DIAG_UNKNOWN_INSTANCE_MEMBER,
                                        flat_place(env->use, n->name_span), whole, NULL);
  diagnostic_label(f->context, d, declared,
                   base->kind == FLAT_MODULE ? "imported here" : "declared here");
  help_with_names(f, d, &c, n->name);
  vector_free(&c.names);
}

/* ---------------------------------------------------------------- names without a value */

void flat_report_valueless(struct flattening *f, const struct flat_env *env,
                           const struct flat_reference *reference, struct span span) {
  if (f->is_quiet) return;
  (void)env;
  struct candidates c = {0};
  enum name_kind kind = reference->kind == FLAT_INSTANCE ? NAME_INSTANCE
                        : reference->kind == FLAT_MODULE ? NAME_MODULE
                                                         : NAME_COMPONENT;
  const char *name = reference->kind == FLAT_INSTANCE ? reference->site->statement->label.name
                                                      : reference->symbol->name;
  struct span declared =
      reference->kind == FLAT_INSTANCE
          ? flat_place(reference->use, reference->site->statement->label.name_span)
          : reference->symbol->span;
  struct diagnostic *d = diagnostic_add(f->context, DIAG_NAME_WITHOUT_VALUE, span, name,
                                        flat_kind_words(f, kind), NULL);
  diagnostic_label(f->context, d, declared, "declared here");
  if (kind == NAME_INSTANCE && reference->site->component != NULL) {
    list_members(&c, reference->site->component);
    if (c.names.count > 0)
      diagnostic_help(f->context, d, "write one of its members, such as %s.%s", name,
                      c.names.items[0]);
    help_with_all(f, d, &c);
  } else if (kind == NAME_MODULE) {
    diagnostic_help(f->context, d, "write one of its names: %s. ...", name);
  } else if (kind == NAME_COMPONENT) {
    diagnostic_help(f->context, d, "make an instance of it: %s name(...)", name);
  }
  vector_free(&c.names);
}
