/* Flattening as a whole: reads the imports, collects names, makes the uses of components, writes
 * the model out, and behind it what it uses of imported files. */
#include "sema/flatten_private.h"
#include <stdlib.h>

static bool has_components(struct ast_statement *const *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const struct ast_statement *s = items[i];
    if (s->kind == AST_COMPONENT || s->kind == AST_INSTANCE || s->kind == AST_IMPORT ||
        has_components(s->body.items, s->body.count) ||
        has_components(s->otherwise.items, s->otherwise.count))
      return true;
  }
  return false;
}

static bool is_flat(const struct ast *ast) {
  for (uint32_t e = 1; e < ast->expressions.count; e++)
    if (ast->expressions.items[e].kind == AST_MEMBER_CALL) return false;
  return !has_components(ast->statements.items, ast->statements.count);
}

/* ---------------------------------------------------------------- files and components */

/* Names of a file are called as in the model that imports it; those of files behind them get a
 * prefix that the model has not used. */
static void set_prefixes(struct flattening *f) {
  struct map taken = {0};
  const struct flat_names *own = &f->files.items[0]->names;
  const struct import_file *model = &f->imports.files.items[0];
  f->files.items[0]->prefix = "";
  for (uint32_t i = 0; i < model->edges.count; i++) {
    const struct import_edge *edge = &model->edges.items[i];
    struct flat_file *file = f->files.items[edge->file];
    if (edge->file == 0) continue;
    if (edge->statement->label.name == NULL)
      file->prefix = "";
    else if (file->prefix == NULL)
      file->prefix = arena_format(&f->context->arena, "%s.", edge->statement->label.name);
  }
  for (uint32_t i = 1; i < f->files.count; i++) {
    struct flat_file *file = f->files.items[i];
    const char *stem = f->imports.files.items[i].stem, *name = stem;
    for (uint32_t n = 2; file->prefix == NULL; n++) {
      uint64_t key = (uint64_t)(uintptr_t)name;
      if (map_get(&own->by_name, key) == 0 && map_get(&taken, key) == 0) {
        map_set(&taken, key, 1);
        file->prefix = arena_format(&f->context->arena, "%s.", name);
      }
      name = intern_string(&f->context->names, arena_format(&f->context->arena, "%s_%u", stem, n));
    }
  }
  map_free(&taken);
}

static void add_components(struct flattening *f, struct flat_file *file) {
  for (uint32_t i = 0; i < file->names.symbols.count; i++) {
    struct flat_symbol *symbol = file->names.symbols.items[i];
    if (symbol->kind != NAME_COMPONENT) continue;
    struct flat_component *component = arena_new(&f->context->arena, struct flat_component);
    component->statement = symbol->statement;
    component->file = file;
    symbol->component = component;
    vector_push(&f->components, component);
    flat_collect_component(f, component);
  }
}

static void collect(struct flattening *f, const struct ast *ast, const char *library) {
  imports_read(f->context, ast, library, &f->imports);
  for (uint32_t i = 0; i < f->imports.files.count; i++) {
    struct flat_file *file = arena_new(&f->context->arena, struct flat_file);
    file->ast = f->imports.files.items[i].ast;
    file->is_library = f->imports.files.items[i].is_library;
    file->is_model = i == 0;
    file->index = i;
    vector_push(&f->files, file);
    flat_collect_file(f, file);
  }
  for (uint32_t i = 0; i < f->files.count; i++) add_components(f, f->files.items[i]);
  flat_see_imports(f);
  set_prefixes(f);
  flat_find_components(f);
  flat_check_components(f);
  f->model = flat_use_of_file(f, f->files.items[0]);
}

/* ---------------------------------------------------------------- writing */

/* Components of the model that nothing uses: their names are checked, nothing is kept. */
static void try_unused(struct flattening *f) {
  struct ast *out = f->out;
  uint32_t expressions = out->expressions.count, lists = out->lists.count, written = f->written;
  f->is_trial = true;
  for (uint32_t i = 0; i < f->components.count && !f->is_exhausted; i++) {
    struct flat_component *component = f->components.items[i];
    if (!component->file->is_model || component->is_used || component->is_broken) continue;
    struct flat_use *use = flat_use_of_body(f, component);
    const struct ast_statement *s = component->statement;
    if (!flat_make_uses(f, use)) break;
    for (uint32_t k = 0; k < s->formals.count; k++)
      flat_expression(f, &use->env, s->formals.items[k].value);
    flat_write_block(f, &use->env, s->body.items, s->body.count);
    f->statements.count = 0;
    out->expressions.count = expressions;
    out->lists.count = lists;
    f->written = written;
  }
  f->is_trial = false;
}

/* What imported files declare comes first, as their imports do. */
static void write_needed(struct flattening *f) {
  for (; f->done < f->needed.count && !f->is_exhausted; f->done++)
    f->needed.items[f->done]->copy = flat_write_symbol(f, f->needed.items[f->done]);
  for (uint32_t i = 1; i < f->files.count; i++) {
    const struct flat_names *names = &f->files.items[i]->names;
    for (uint32_t k = 0; k < names->symbols.count; k++)
      if (names->symbols.items[k]->copy != NULL)
        vector_push(&f->out->statements, names->symbols.items[k]->copy);
  }
}

static void write_model(struct flattening *f, const struct ast *ast) {
  if (!flat_make_uses(f, f->model)) return;
  flat_write_block(f, &f->model->env, ast->statements.items, ast->statements.count);
  write_needed(f);
  for (uint32_t i = 0; i < f->statements.count; i++)
    vector_push(&f->out->statements, f->statements.items[i]);
  f->statements.count = 0;
  if (!f->is_exhausted) try_unused(f);
}

static struct ast *new_tree(const struct ast *written) {
  struct ast *ast = checked_calloc(1, sizeof *ast);
  ast->source = written->source;
  ast->doc = written->doc;
  ast->written = written;
  vector_push(&ast->expressions, (struct ast_expression){0});
  return ast;
}

struct flattening *flatten_model(dyn_context *context, const struct ast *ast, const char *library) {
  if (is_flat(ast)) return NULL;
  struct flattening *f = checked_calloc(1, sizeof *f);
  f->context = context;
  f->out = new_tree(ast);
  collect(f, ast, library);
  write_model(f, ast);
  return f;
}

const struct ast *flatten_ast(const struct flattening *f) {
  return f->is_exhausted ? NULL : f->out;
}

struct ast *flatten_assignments(struct flattening *f, const struct ast *ast) {
  struct ast *model = f->out;
  struct flat_env *env = arena_new(&f->context->arena, struct flat_env);
  *env = f->model->env;
  env->ast = ast;
  f->out = new_tree(ast);
  for (uint32_t i = 0; i < ast->statements.count; i++) {
    const struct ast_statement *s = ast->statements.items[i];
    struct ast_statement *copy = arena_new(&f->context->arena, struct ast_statement);
    *copy = *s;
    copy->equations.items = arena_copy(&f->context->arena, s->equations.items,
                                       s->equations.count * sizeof *s->equations.items);
    for (uint32_t k = 0; k < s->equations.count; k++) {
      f->is_quiet = true;
      copy->equations.items[k].left = flat_expression(f, env, s->equations.items[k].left);
      f->is_quiet = false;
      copy->equations.items[k].right = flat_expression(f, env, s->equations.items[k].right);
    }
    vector_push(&f->out->statements, copy);
  }
  struct ast *made = f->out;
  f->out = model;
  for (; f->done < f->needed.count; f->done++) /* what only the command line uses */
    vector_push(&model->statements, flat_write_symbol(f, f->needed.items[f->done]));
  return made;
}

void flatten_free(struct flattening *f) {
  if (f == NULL) return;
  for (uint32_t i = 0; i < f->files.count; i++) {
    flat_names_free(&f->files.items[i]->names);
    vector_free(&f->files.items[i]->visible);
    map_free(&f->files.items[i]->visible_by_name);
  }
  for (uint32_t i = 0; i < f->components.count; i++)
    flat_names_free(&f->components.items[i]->names);
  for (uint32_t i = 0; i < f->uses.count; i++) map_free(&f->uses.items[i]->starts);
  imports_free(&f->imports);
  vector_free(&f->files);
  vector_free(&f->components);
  vector_free(&f->uses);
  vector_free(&f->statements);
  vector_free(&f->needed);
  vector_free(&f->tasks);
  vector_free(&f->values);
  vector_free(&f->chain);
  vector_free(&f->indices);
  map_free(&f->use_of);
  map_free(&f->reported);
  ast_free(f->out);
  free(f);
}
