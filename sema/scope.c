/* Collecting what a file declares: one entry for each name, with every place that declares it or
 * elements of it. Statements that are not supported are refused here; their names get an entry
 * all the same, so that uses of them are not reported as unknown.
 *
 * The recursion over blocks is as deep as blocks may be nested (the lexer limits that). */
#include "sema/scope_private.h"
#include <stdlib.h>
#include <string.h>

struct surroundings { /* of a statement */
  const struct surroundings *outer;
  const char *index; /* of a loop, or NULL */
  bool in_if;
};

/* ---------------------------------------------------------------- entries */

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

uint32_t scope_add_entry(struct scope *scope, enum name_kind kind, const char *name,
                         struct span span) {
  struct name_entry entry = {.kind = kind, .name = name, .span = span};
  vector_push(&scope->entries, entry);
  return scope->entries.count - 1;
}

uint32_t scope_lookup(const struct scope *scope, const char *name) {
  return map_get(&scope->by_name, key_of(name));
}

const struct name_entry *scope_find(const struct scope *scope, const char *name) {
  uint32_t id = scope_lookup(scope, name);
  return id != 0 ? &scope->entries.items[id] : NULL;
}

static void add_predeclared(struct scope *scope, enum name_kind kind, const char *text) {
  const char *name = intern_string(&scope->context->names, text);
  uint32_t id = scope_add_entry(scope, kind, name, (struct span){0, 0, 0});
  map_set(&scope->by_name, key_of(name), id);
}

bool scope_check_predeclared(struct scope *scope, const char *name, struct span span) {
  uint32_t id = scope_lookup(scope, name);
  if (id == 0) return true;
  enum name_kind kind = scope->entries.items[id].kind;
  if (kind != NAME_TIME && kind != NAME_PI && kind != NAME_WORLD && kind != NAME_ORIGIN)
    return true;
  struct diagnostic *d =
      diagnostic_add(scope->context, DIAG_PREDECLARED_NAME, span, name, name_kind_word(kind), NULL);
  diagnostic_help(scope->context, d, "choose another name, such as '%s_1'", name);
  return false;
}

/* ---------------------------------------------------------------- declaring */

static void report_twice(struct scope *scope, const char *name, struct span span,
                         struct span first) {
  struct diagnostic *d = diagnostic_add(scope->context, DIAG_DECLARED_TWICE, span, name, NULL);
  diagnostic_caption(scope->context, d, "declared again here");
  diagnostic_label(scope->context, d, first, "first declared here");
}

static void add_site(struct scope *scope, uint32_t id, struct name_site site) {
  struct name_entry *entry = &scope->entries.items[id];
  vector_push(&scope->sites, site);
  uint32_t at = scope->sites.count - 1;
  if (entry->last_site != 0)
    scope->sites.items[entry->last_site].next = at;
  else
    entry->first_site = at;
  entry->last_site = at;
}

static bool fits_first(const struct scope *scope, const struct name_entry *entry,
                       enum name_kind kind, const struct name_site *site, uint32_t rank,
                       bool in_if) {
  const struct name_site *first = &scope->sites.items[entry->first_site];
  if (entry->kind != kind || entry->rank != rank) return false;
  return (site->is_element && first->is_element) || (in_if && entry->in_if);
}

/* Adds the site to the name's entry, which is made if there is none; 0 if it can't be declared. */
static uint32_t declare(struct scope *scope, enum name_kind kind, const char *name,
                        struct span span, struct name_site site, uint32_t rank, bool in_if) {
  struct map *names = kind == NAME_OUTPUT ? &scope->by_output : &scope->by_name;
  if (!scope_check_predeclared(scope, name, span)) return 0;
  uint32_t id = map_get(names, key_of(name));
  if (id == 0) {
    id = scope_add_entry(scope, kind, name, span);
    map_set(names, key_of(name), id);
    scope->entries.items[id].rank = rank;
    scope->entries.items[id].lead = site.item != NULL ? site.item->lead : 0;
    scope->entries.items[id].in_if = in_if;
    scope->entries.items[id].is_broken = statement_is_refused(site.statement->kind);
  } else if (!fits_first(scope, &scope->entries.items[id], kind, &site, rank, in_if)) {
    report_twice(scope, name, span, scope->entries.items[id].span);
    return 0;
  }
  add_site(scope, id, site);
  return id;
}

/* ---------------------------------------------------------------- arrays and elements */

static bool mentions_loop(const struct scope *scope, struct ast_list indices,
                          const struct surroundings *around) {
  const struct ast *ast = scope->model.ast;
  for (uint32_t i = 0; i < indices.count; i++) {
    ast_expr index = ast_list_item(ast, indices, i);
    for (ast_expr e = ast_expression(ast, index)->first; e <= index; e++) {
      const struct ast_expression *n = ast_expression(ast, e);
      if (n->kind != AST_NAME) continue;
      for (const struct surroundings *s = around; s != NULL; s = s->outer)
        if (s->index == n->name) return true;
    }
  }
  return false;
}

static bool is_tuple(const struct ast *ast, ast_expr value) {
  if (value == 0) return false;
  const struct ast_expression *n = ast_expression(ast, value);
  if (n->kind == AST_UNIT) n = ast_expression(ast, n->operand);
  return n->kind == AST_TUPLE;
}

/* `point P[1] = (x, y)` is a place in the plane; ((0, 0), (1, 0)) are two of them. */
static bool is_place(const struct ast *ast, ast_expr value) {
  const struct ast_expression *n = ast_expression(ast, value);
  if (n->kind == AST_UNIT) n = ast_expression(ast, n->operand);
  return n->list.count == 2 && !is_tuple(ast, ast_list_item(ast, n->list, 0));
}

/* `q[n]` declares a whole array for coordinates and the like, unless it mentions a loop's index;
 * for names that stand for expressions it is one element, unless a range or tuple says otherwise.
 */
static bool is_element(const struct scope *scope, enum name_kind kind, const struct ast_item *item,
                       const struct surroundings *around) {
  if (item->indices.count == 0 || item->is_range) return false;
  struct ast_list own = {item->indices.first + item->lead, item->indices.count - item->lead};
  bool in_loop = item->path != NULL ? item->mentions_loop : mentions_loop(scope, own, around);
  if (own.count == 0 || in_loop) return true;
  bool is_variable = kind == NAME_CONST || kind == NAME_PARAM || kind == NAME_INPUT ||
                     kind == NAME_COORD || kind == NAME_STATE;
  if (is_variable || !is_tuple(scope->model.ast, item->value)) return !is_variable;
  return kind == NAME_POINT && is_place(scope->model.ast, item->value);
}

static void declare_item(struct scope *scope, const struct ast_statement *statement,
                         const struct ast_item *item, const struct surroundings *around) {
  if (item->name == NULL || item->primes > 0) return; /* primed: start velocities, see below */
  enum name_kind kind = statement_name_kind(statement->kind);
  struct name_site site = {
      .statement = statement, .item = item, .is_element = is_element(scope, kind, item, around)};
  declare(scope, kind, item->name, item->name_span, site, scope_rank_of(item),
          around != NULL && around->in_if);
}

/* ---------------------------------------------------------------- statements */

static void refuse(struct scope *scope, const struct ast_statement *statement) {
  enum diagnostic_code code =
      statement->kind == AST_RESERVED ? DIAG_RESERVED_STATEMENT : DIAG_STATEMENT_NOT_SUPPORTED;
  struct span span = statement->keyword_span;
  if (statement->kind == AST_INSTANCE) span = statement->text_span;
  const char *word = statement_word(statement);
  if (statement->kind == AST_INSTANCE)
    word = "instances of components are";
  else if (statement->kind != AST_RESERVED)
    word = arena_format(&scope->context->arena, "'%s' statements are", word);
  /* What stands in the wrong place was reported by the parser. */
  if (!statement->is_misplaced) diagnostic_add(scope->context, code, span, word, NULL);
  scope->has_refused = true;
  scope->has_import = scope->has_import || statement->kind == AST_IMPORT;
}

static void collect(struct scope *scope, const struct ast_statement *statement,
                    const struct surroundings *around);

static void collect_block(struct scope *scope, struct ast_statement *const *items, uint32_t count,
                          const struct surroundings *around) {
  for (uint32_t i = 0; i < count; i++) collect(scope, items[i], around);
}

static void declare_label(struct scope *scope, const struct ast_statement *statement,
                          const struct surroundings *around) {
  enum name_kind kind = statement_name_kind(statement->kind);
  if (kind == NAME_NONE || statement->label.name == NULL) return;
  struct name_site site = {.statement = statement,
                           .item = kind == NAME_FUNCTION ? NULL : &statement->label,
                           .is_element =
                               statement->label.indices.count > 0 && !statement->label.is_range};
  uint32_t rank = scope_rank_of(&statement->label);
  bool has_axes = statement->along.count > 1;
  uint32_t id = declare(scope, kind, statement->label.name, statement->label.name_span, site,
                        rank + has_axes, around != NULL && around->in_if);
  if (id != 0) scope->entries.items[id].has_axes = has_axes;
}

static void collect(struct scope *scope, const struct ast_statement *statement,
                    const struct surroundings *around) {
  struct surroundings inner = {around, NULL, around != NULL && around->in_if};
  if (statement_is_refused(statement->kind)) refuse(scope, statement);
  for (uint32_t i = 0; i < statement->items.count; i++)
    declare_item(scope, statement, &statement->items.items[i], around);
  declare_label(scope, statement, around);
  if (statement->kind == AST_FOR) {
    inner.index = statement->index_variable;
    collect_block(scope, statement->body.items, statement->body.count, &inner);
  } else if (statement->kind == AST_WHEN || statement->kind == AST_EVERY) {
    collect_block(scope, statement->body.items, statement->body.count, &inner);
  } else if (statement->kind == AST_IF_BLOCK) {
    inner.in_if = true;
    collect_block(scope, statement->body.items, statement->body.count, &inner);
    collect_block(scope, statement->otherwise.items, statement->otherwise.count, &inner);
  }
}

/* ---------------------------------------------------------------- constraints without a label */

struct unlabelled { /* how constraints without a label are named */
  struct scope *scope;
  uint32_t last; /* number given */
};

/* c1, c2, ... but for names that the model has. In loops its elements are c1[1], c1[2], ... */
static void name_constraint(struct unlabelled *names, const struct ast_statement *statement,
                            uint32_t depth, bool in_if) {
  struct scope *scope = names->scope;
  struct ast_item *item = arena_new(&scope->context->arena, struct ast_item);
  struct span span = statement->keyword_span;
  *item = (struct ast_item){.span = span, .name_span = span, .doc = statement->doc};
  do {
    const char *name = arena_format(&scope->context->arena, "c%u", ++names->last);
    item->name = intern_string(&scope->context->names, name);
  } while (scope_lookup(scope, item->name) != 0 ||
           map_get(&scope->by_output, key_of(item->name)) != 0);
  struct name_site site = {.statement = statement, .item = item, .is_element = depth > 0};
  bool has_axes = statement->along.count > 1;
  uint32_t id = declare(scope, NAME_CONSTRAINT, item->name, span, site, depth + has_axes, in_if);
  scope->entries.items[id].is_unlabelled = true;
  scope->entries.items[id].has_axes = has_axes;
  map_set(&scope->by_statement, key_of(statement), id);
}

static void name_constraints(struct unlabelled *names, struct ast_statement *const *items,
                             uint32_t count, uint32_t depth, bool in_if) {
  for (uint32_t i = 0; i < count; i++) {
    const struct ast_statement *s = items[i];
    bool is_loop = s->kind == AST_FOR, is_if = s->kind == AST_IF_BLOCK;
    if (s->kind == AST_CONSTRAINT && s->label.name == NULL) name_constraint(names, s, depth, in_if);
    if (!is_loop && !is_if) continue;
    name_constraints(names, s->body.items, s->body.count, depth + is_loop, in_if || is_if);
    name_constraints(names, s->otherwise.items, s->otherwise.count, depth, in_if || is_if);
  }
}

/* ---------------------------------------------------------------- outputs */

static bool records_itself(const struct scope *scope, const struct ast_item *item) {
  if (item->value == 0) return false;
  const struct ast_expression *n = ast_expression(scope->model.ast, item->value);
  if (n->kind == AST_INDEX) n = ast_expression(scope->model.ast, n->operand);
  return n->kind == AST_NAME && n->name == item->name;
}

/* An output may be called what it records, but not what something else is called; what every run
 * records anyway has its column already. */
static void check_output(struct scope *scope, const struct name_entry *output) {
  const struct name_entry *other = scope_find(scope, output->name);
  if (other == NULL) return;
  bool is_recorded =
      other->kind == NAME_COORD || other->kind == NAME_STATE || other->kind == NAME_SPEED;
  for (uint32_t s = output->first_site; s != 0; s = scope->sites.items[s].next) {
    const struct ast_item *item = scope->sites.items[s].item;
    if (records_itself(scope, item) && !(is_recorded && item->unit != NULL)) continue;
    struct diagnostic *d = diagnostic_add(scope->context, DIAG_OUTPUT_NAME_TAKEN, item->name_span,
                                          item->name, name_kind_word(other->kind), NULL);
    diagnostic_label(scope->context, d, other->span, "declared here");
    if (is_recorded)
      diagnostic_help(scope->context, d,
                      "'%s' is recorded by every run; give the output a name of its own, such as "
                      "'output %s_out = ...'",
                      item->name, item->name);
  }
}

static void check_outputs(struct scope *scope) {
  for (uint32_t id = 1; id < scope->entries.count; id++)
    if (scope->entries.items[id].kind == NAME_OUTPUT)
      check_output(scope, &scope->entries.items[id]);
}

/* ---------------------------------------------------------------- the whole */

struct scope *scope_build(dyn_context *context, const struct ast *ast) {
  struct scope *scope = checked_calloc(1, sizeof *scope);
  scope->context = context;
  scope->model.ast = ast;
  struct name_site no_site = {0};
  vector_push(&scope->sites, no_site);
  scope_add_entry(scope, NAME_NONE, "", (struct span){0, 0, 0});
  add_predeclared(scope, NAME_TIME, "t");
  add_predeclared(scope, NAME_PI, "pi");
  add_predeclared(scope, NAME_WORLD, "world");
  add_predeclared(scope, NAME_ORIGIN, "origin");
  collect_block(scope, ast->statements.items, ast->statements.count, NULL);
  struct unlabelled names = {scope, 0};
  name_constraints(&names, ast->statements.items, ast->statements.count, 0, false);
  scope->file_count = scope->entries.count;
  check_outputs(scope);
  scope_resolve_model(scope);
  return scope;
}

void scope_text_free(struct scope_text *text) {
  free(text->entries);
  free(text->functions);
  text->entries = NULL;
  text->functions = NULL;
}

void scope_free(struct scope *scope) {
  if (scope == NULL) return;
  scope_text_free(&scope->model);
  map_free(&scope->by_name);
  map_free(&scope->by_output);
  map_free(&scope->by_statement);
  map_free(&scope->unknown);
  vector_free(&scope->entries);
  vector_free(&scope->sites);
  free(scope);
}
