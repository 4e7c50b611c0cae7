/* What files and the bodies of components declare, and what imports make visible. Faults that later
 * passes could not see are reported here: components, instances, modules and formals whose names
 * clash. The recursion over blocks is as deep as the lexer lets them nest. */
#include "sema/flatten_private.h"
#include <string.h>

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

struct collector {
  struct flattening *f;
  struct flat_names *names;
  struct flat_component *component; /* NULL: a file */
  struct flat_file *file;
};

struct declaration {
  enum name_kind kind;
  const char *name;
  struct span span;
  const struct ast_statement *statement;
  const struct ast_item *item; /* its indices; NULL: none */
  const struct flat_local *loops;
  bool in_if;
};

struct flat_symbol *flat_names_find(const struct flat_names *names, const char *name) {
  uint32_t at = map_get(&names->by_name, key_of(name));
  return at != 0 ? names->symbols.items[at - 1] : NULL;
}

struct flat_symbol *flat_find_symbol(const struct flat_component *component,
                                     const struct flat_file *file, const char *name) {
  struct flat_symbol *symbol = component != NULL ? flat_names_find(&component->names, name) : NULL;
  if (symbol == NULL) symbol = flat_names_find(&file->names, name);
  if (symbol != NULL) return symbol;
  uint32_t at = map_get(&file->visible_by_name, key_of(name));
  return at != 0 ? file->visible.items[at].symbol : NULL;
}

struct flat_local *flat_push_local(struct flattening *f, const struct flat_local *outer,
                                   const char *name) {
  struct flat_local *local = arena_new(&f->context->arena, struct flat_local);
  *local = (struct flat_local){.outer = outer, .name = name};
  return local;
}

bool flat_mentions(const struct ast *ast, struct ast_list list, const struct flat_local *locals) {
  for (uint32_t i = 0; i < list.count && locals != NULL; i++) {
    ast_expr index = ast_list_item(ast, list, i);
    for (ast_expr e = ast_expression(ast, index)->first; e <= index; e++)
      for (const struct flat_local *l = locals; l != NULL; l = l->outer)
        if (ast_expression(ast, e)->kind == AST_NAME && ast_expression(ast, e)->name == l->name)
          return true;
  }
  return false;
}

void flat_check_predeclared(struct flattening *f, const char *name, struct span span) {
  static const struct {
    const char *name;
    enum name_kind kind;
  } names[] = {{"t", NAME_TIME}, {"pi", NAME_PI}, {"world", NAME_WORLD}, {"origin", NAME_ORIGIN}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i].name, name) != 0) continue;
    struct diagnostic *d = diagnostic_add(f->context, DIAG_PREDECLARED_NAME, span, name,
                                          name_kind_word(names[i].kind), NULL);
    diagnostic_help(f->context, d, "choose another name, such as '%s_1'", name);
  }
}

void flat_names_free(struct flat_names *names) {
  vector_free(&names->symbols);
  vector_free(&names->sites);
  map_free(&names->by_name);
  map_free(&names->by_output);
  map_free(&names->site_of);
}

/* ---------------------------------------------------------------- one name */

/* The rest is seen by name resolution, in the flat tree. */
static bool is_ours(enum name_kind kind) {
  return kind == NAME_COMPONENT || kind == NAME_INSTANCE || kind == NAME_MODULE;
}

static struct flat_symbol *new_symbol(struct collector *c, const struct declaration *d) {
  struct flat_symbol *symbol = arena_new(&c->f->context->arena, struct flat_symbol);
  *symbol = (struct flat_symbol){.kind = d->kind,
                                 .name = d->name,
                                 .span = d->span,
                                 .statement = d->statement,
                                 .file = c->file,
                                 .component = c->component,
                                 .in_if = d->in_if};
  if (d->item != NULL) symbol->rank = d->item->is_range ? 1 : d->item->indices.count;
  vector_push(&c->names->symbols, symbol);
  return symbol;
}

static void report_twice(struct collector *c, const struct declaration *d,
                         const struct flat_symbol *first) {
  dyn_context *context = c->f->context;
  struct diagnostic *report = diagnostic_add(context, DIAG_DECLARED_TWICE, d->span, d->name, NULL);
  diagnostic_caption(context, report, "declared again here");
  diagnostic_label(context, report, first->span, "first declared here%s",
                   first->formal != NULL ? ", as a formal" : "");
}

static void add_site(struct collector *c, struct flat_symbol *symbol, const struct declaration *d) {
  struct flat_names *names = c->names;
  struct flat_site *site = arena_new(&c->f->context->arena, struct flat_site);
  *site = (struct flat_site){.statement = d->statement,
                             .loops = d->loops,
                             .rank = d->item->is_range ? 1 : d->item->indices.count,
                             .id = names->sites.count,
                             .in_if = d->in_if};
  site->is_element = !d->item->is_range && flat_mentions(c->file->ast, d->item->indices, d->loops);
  vector_push(&names->sites, site);
  map_set(&names->site_of, key_of(d->statement), site->id);
  if (symbol->last_site != 0)
    names->sites.items[symbol->last_site]->next = site->id;
  else
    symbol->first_site = site->id;
  symbol->last_site = site->id;
}

/* Instances of one name: elements one by one, or one for each branch of an `if`. */
static void add_instance(struct collector *c, struct flat_symbol *symbol,
                         const struct declaration *d) {
  const struct flat_site *first =
      symbol->first_site != 0 ? c->names->sites.items[symbol->first_site] : NULL;
  add_site(c, symbol, d);
  if (first == NULL) return;
  const struct flat_site *site = c->names->sites.items[symbol->last_site];
  const struct ast_statement *a = first->statement, *b = d->statement;
  bool is_same = a->text == b->text && a->module == b->module && first->rank == site->rank;
  bool fits = (first->is_element && site->is_element && is_same) || (first->in_if && d->in_if);
  if (fits && first->rank == site->rank) return;
  report_twice(c, d, symbol);
  c->names->sites.items[symbol->last_site]->is_bad = true;
}

static void declare(struct collector *c, const struct declaration *d) {
  if (d->name == NULL) return;
  if (c->component != NULL || is_ours(d->kind) || !c->file->is_model)
    flat_check_predeclared(c->f, d->name, d->span);
  bool is_output = d->kind == NAME_OUTPUT;
  struct map *map = is_output ? &c->names->by_output : &c->names->by_name;
  uint32_t at = map_get(map, key_of(d->name));
  struct flat_symbol *symbol;
  if (at == 0) {
    symbol = new_symbol(c, d);
    map_set(map, key_of(d->name), c->names->symbols.count);
  } else {
    symbol = c->names->symbols.items[at - 1];
    bool is_instance = symbol->kind == NAME_INSTANCE && d->kind == NAME_INSTANCE;
    if (!is_instance && (is_ours(d->kind) || is_ours(symbol->kind) || symbol->formal != NULL))
      report_twice(c, d, symbol);
    if (!is_instance) return;
  }
  if (d->kind == NAME_INSTANCE) add_instance(c, symbol, d);
}

/* ---------------------------------------------------------------- statements */

static void collect_block(struct collector *c, struct ast_statement *const *items, uint32_t count,
                          const struct flat_local *loops, bool in_if);

static void collect(struct collector *c, const struct ast_statement *s,
                    const struct flat_local *loops, bool in_if) {
  struct declaration d = {
      .kind = statement_name_kind(s->kind), .statement = s, .loops = loops, .in_if = in_if};
  for (uint32_t i = 0; i < s->items.count; i++) {
    d.item = &s->items.items[i];
    d.name = d.item->primes == 0 ? d.item->name : NULL;
    d.span = d.item->name_span;
    declare(c, &d);
  }
  if (d.kind != NAME_NONE && s->items.count == 0) {
    d.item = &s->label;
    d.name = s->label.name;
    d.span = s->label.name_span;
    declare(c, &d);
  }
  if (s->kind == AST_CONSTRAINT && s->label.name == NULL) c->names->unlabelled++;
  if (s->kind == AST_FOR) {
    const struct flat_local *inner = flat_push_local(c->f, loops, s->index_variable);
    collect_block(c, s->body.items, s->body.count, inner, in_if);
  } else if (s->kind == AST_WHEN || s->kind == AST_EVERY) {
    collect_block(c, s->body.items, s->body.count, loops, in_if);
  } else if (s->kind == AST_IF_BLOCK) {
    collect_block(c, s->body.items, s->body.count, loops, true);
    collect_block(c, s->otherwise.items, s->otherwise.count, loops, true);
  }
}

static void collect_block(struct collector *c, struct ast_statement *const *items, uint32_t count,
                          const struct flat_local *loops, bool in_if) {
  for (uint32_t i = 0; i < count; i++) collect(c, items[i], loops, in_if);
}

static void begin(struct flat_names *names) {
  vector_push(&names->sites, NULL);
}

/* An imported file is not part of the model: what it declares is used by name. */
static void check_placement(struct flattening *f, const struct flat_file *file) {
  for (uint32_t i = 0; i < file->ast->statements.count; i++) {
    const struct ast_statement *s = file->ast->statements.items[i];
    if (s->kind == AST_MODEL || s->kind == AST_IMPORT || s->kind == AST_CONST ||
        s->kind == AST_PARAM || s->kind == AST_FUNCTION || s->kind == AST_COMPONENT ||
        s->is_misplaced)
      continue;
    const char *word = statement_word(s);
    if (s->kind == AST_INSTANCE)
      word = "an instance";
    else
      word = arena_format(&f->context->arena, "'%s'", word);
    struct diagnostic *d =
        diagnostic_add(f->context, DIAG_NOT_IN_IMPORTED_FILE,
                       s->kind == AST_INSTANCE ? s->text_span : s->keyword_span, word, NULL);
    diagnostic_help(f->context, d, "put it into a component, of which the model makes an instance");
  }
}

void flat_collect_file(struct flattening *f, struct flat_file *file) {
  struct collector c = {f, &file->names, NULL, file};
  begin(&file->names);
  collect_block(&c, file->ast->statements.items, file->ast->statements.count, NULL, false);
  if (!file->is_model) check_placement(f, file);
}

void flat_collect_component(struct flattening *f, struct flat_component *component) {
  static const enum name_kind kinds[] = {[FORMAL_SCALAR] = NAME_PARAM,
                                         [FORMAL_POINT] = NAME_POINT,
                                         [FORMAL_VECTOR] = NAME_LET,
                                         [FORMAL_FRAME] = NAME_FRAME,
                                         [FORMAL_BODY] = NAME_BODY};
  struct collector c = {f, &component->names, component, component->file};
  const struct ast_statement *s = component->statement;
  begin(&component->names);
  for (uint32_t i = 0; i < s->formals.count; i++) {
    const struct ast_formal *formal = &s->formals.items[i];
    struct declaration d = {
        .kind = kinds[formal->kind], .name = formal->name, .span = formal->span, .statement = s};
    uint32_t before = c.names->symbols.count;
    declare(&c, &d);
    if (c.names->symbols.count == before) continue;
    c.names->symbols.items[before]->formal = formal;
    c.names->symbols.items[before]->formal_index = i;
  }
  collect_block(&c, s->body.items, s->body.count, NULL, false);
}

/* ---------------------------------------------------------------- imports */

static bool is_exported(enum name_kind kind) {
  return kind == NAME_CONST || kind == NAME_PARAM || kind == NAME_FUNCTION ||
         kind == NAME_COMPONENT;
}

static const char *file_name(const struct flattening *f, const struct flat_file *file) {
  return source_get(&f->context->sources, file->ast->source)->name;
}

static void report_clash(struct flattening *f, const struct flat_visible *seen,
                         const struct flat_file *other, const struct flat_symbol *symbol) {
  const char *name = symbol->name;
  struct diagnostic *d = diagnostic_add(f->context, DIAG_IMPORT_CLASH, seen->statement->text_span,
                                        name, file_name(f, seen->file), file_name(f, other), NULL);
  diagnostic_caption(f->context, d, "brings '%s'", name);
  diagnostic_label(f->context, d, symbol->span, "'%s' is declared here", name);
  diagnostic_label(f->context, d, seen->symbol->span, "and here");
  struct span span = seen->statement->text_span;
  const char *text = source_get(&f->context->sources, span.source)->text + span.begin;
  const char *stem = f->imports.files.items[seen->file->index].stem;
  diagnostic_help(f->context, d, "give the import a name: import %.*s as %s; then write %s.%s",
                  (int)(span.end - span.begin), text, stem, stem, name);
}

static void see(struct flattening *f, struct flat_file *file, const struct flat_visible *seen) {
  const char *name = seen->symbol->name;
  const struct flat_symbol *own = flat_names_find(&file->names, name);
  uint32_t at = map_get(&file->visible_by_name, key_of(name));
  if (own != NULL) {
    report_clash(f, seen, file, own);
  } else if (at == 0) {
    vector_push(&file->visible, *seen);
    map_set(&file->visible_by_name, key_of(name), file->visible.count - 1);
  } else if (file->visible.items[at].symbol != seen->symbol) {
    report_clash(f, seen, file->visible.items[at].file, file->visible.items[at].symbol);
  }
}

static void see_edge(struct flattening *f, struct flat_file *file, const struct import_edge *edge) {
  struct flat_file *imported = edge->file != 0 ? f->files.items[edge->file] : NULL;
  const char *alias = edge->statement->label.name;
  file->has_gap = file->has_gap || imported == NULL;
  if (alias != NULL) {
    struct flat_symbol *symbol = flat_names_find(&file->names, alias);
    if (symbol != NULL && symbol->statement == edge->statement) symbol->module = imported;
    return;
  }
  for (uint32_t i = 0; imported != NULL && i < imported->names.symbols.count; i++) {
    struct flat_symbol *symbol = imported->names.symbols.items[i];
    struct flat_visible seen = {imported, symbol, edge->statement};
    if (is_exported(symbol->kind)) see(f, file, &seen);
  }
}

void flat_see_imports(struct flattening *f) {
  for (uint32_t i = 0; i < f->files.count; i++) {
    struct flat_file *file = f->files.items[i];
    struct flat_visible none = {0};
    vector_push(&file->visible, none);
    const struct import_file *import = &f->imports.files.items[i];
    for (uint32_t k = 0; k < import->edges.count; k++) see_edge(f, file, &import->edges.items[k]);
  }
}

/* ---------------------------------------------------------------- components of instances */

static const char *nearest(const struct flat_file *file, const struct flat_file *module,
                           const char *name) {
  VECTOR(const char *) names = {0};
  const struct flat_file *from = module != NULL ? module : file;
  for (uint32_t i = 0; i < from->names.symbols.count; i++)
    if (from->names.symbols.items[i]->kind == NAME_COMPONENT)
      vector_push(&names, from->names.symbols.items[i]->name);
  for (uint32_t i = 1; module == NULL && i < file->visible.count; i++)
    if (file->visible.items[i].symbol->kind == NAME_COMPONENT)
      vector_push(&names, file->visible.items[i].symbol->name);
  const char *near = nearest_name(name, names.items, names.count);
  vector_free(&names);
  return near;
}

/* The file that `f` of `f.spring` means; NULL: reported, or known to be missing. */
static const struct flat_file *find_module(struct flattening *f, const struct flat_file *file,
                                           const struct ast_statement *s) {
  const struct flat_symbol *symbol = flat_names_find(&file->names, s->module);
  if (symbol != NULL && symbol->kind == NAME_MODULE) return symbol->module;
  if (file->has_gap) return NULL;
  struct diagnostic *d =
      diagnostic_add(f->context, DIAG_UNKNOWN_MODULE, s->keyword_span, s->module, NULL);
  if (symbol != NULL)
    diagnostic_label(f->context, d, symbol->span, "this '%s' is %s", s->module,
                     flat_kind_words(f, symbol->kind));
  flat_help_module(f, d, file, s->module, s->text);
  return NULL;
}

/* The name by which the file calls a module that has such a component; NULL if none has. */
static const char *module_with_component(const struct flat_file *file, const char *component) {
  for (uint32_t i = 0; i < file->names.symbols.count; i++) {
    const struct flat_symbol *name = file->names.symbols.items[i];
    if (name->kind != NAME_MODULE || name->module == NULL) continue;
    const struct flat_symbol *symbol = flat_names_find(&name->module->names, component);
    if (symbol != NULL && symbol->kind == NAME_COMPONENT) return name->name;
  }
  return NULL;
}

static struct flat_component *find_component(struct flattening *f, const struct flat_file *file,
                                             const struct ast_statement *s) {
  const struct flat_file *module = s->module != NULL ? find_module(f, file, s) : NULL;
  if (s->module != NULL && module == NULL) return NULL;
  const struct flat_symbol *symbol = module != NULL ? flat_names_find(&module->names, s->text)
                                                    : flat_find_symbol(NULL, file, s->text);
  if (symbol != NULL && symbol->kind == NAME_COMPONENT) return symbol->component;
  if (symbol != NULL) {
    struct diagnostic *d = diagnostic_add(f->context, DIAG_NOT_A_COMPONENT, s->text_span, s->text,
                                          flat_kind_words(f, symbol->kind), NULL);
    diagnostic_label(f->context, d, symbol->span, "declared here");
    return NULL;
  }
  if (file->has_gap || (module != NULL && module->has_gap)) return NULL;
  struct diagnostic *d =
      diagnostic_add(f->context, DIAG_UNKNOWN_COMPONENT, s->text_span, s->text, NULL);
  const char *near = nearest(file, module, s->text);
  const char *in = module == NULL ? module_with_component(file, s->text) : NULL;
  if (in != NULL)
    diagnostic_help(f->context, d, "it is imported as '%s.%s'", in, s->text);
  else if (near != NULL)
    diagnostic_help(f->context, d, "did you mean '%s'?", near);
  else if (module == NULL)
    diagnostic_help(f->context, d,
                    "components are declared with 'component %s(...) { }', or imported", s->text);
  return NULL;
}

static void find_in(struct flattening *f, const struct flat_file *file, struct flat_names *names) {
  for (uint32_t i = 1; i < names->sites.count; i++) {
    struct flat_site *site = names->sites.items[i];
    site->component = site->is_bad ? NULL : find_component(f, file, site->statement);
    if (site->component != NULL) site->component->is_used = true;
  }
}

void flat_find_components(struct flattening *f) {
  for (uint32_t i = 0; i < f->files.count; i++)
    if (f->files.items[i]->is_model) find_in(f, f->files.items[i], &f->files.items[i]->names);
  for (uint32_t i = 0; i < f->components.count; i++)
    find_in(f, f->components.items[i]->file, &f->components.items[i]->names);
}
