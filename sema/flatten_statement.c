/* Copying statements into the flat tree, and writing out instances: their formals as declarations,
 * then the body of the component, in a loop over the indices of an array of instances. The
 * recursion is as deep as blocks nest and components contain each other, which are both limited. */
#include "sema/flatten_private.h"
#include <string.h>

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

static void *copy_array(struct flattening *f, const void *items, size_t size) {
  return size > 0 ? arena_copy(&f->context->arena, items, size) : NULL;
}

static struct ast_statement *new_statement(struct flattening *f, const struct ast_statement *s) {
  struct ast_statement *copy = arena_new(&f->context->arena, struct ast_statement);
  if (s != NULL) *copy = *s;
  if (++f->written > MOST_WRITTEN_STATEMENTS)
    flat_report_large(f, (struct span){0, 0, 0},
                      "its components write out more than two hundred thousand statements");
  return copy;
}

static const struct flat_env *with_local(struct flattening *f, const struct flat_env *env,
                                         const char *name) {
  struct flat_env *inner = arena_new(&f->context->arena, struct flat_env);
  *inner = *env;
  inner->locals = flat_push_local(f, env->locals, name);
  return inner;
}

/* ---------------------------------------------------------------- blocks */

struct block {
  struct ast_statement **items;
  uint32_t count;
};

/* What was written since `begin`. */
static struct block take_block(struct flattening *f, uint32_t begin) {
  struct block block = {NULL, f->statements.count - begin};
  if (block.count > 0)
    block.items =
        copy_array(f, f->statements.items + begin, block.count * sizeof *f->statements.items);
  f->statements.count = begin;
  return block;
}

static void set_body(struct ast_statement *s, struct block block) {
  s->body.items = block.items;
  s->body.count = s->body.capacity = block.count;
}

static struct block copy_block(struct flattening *f, const struct flat_env *env,
                               struct ast_statement *const *items, uint32_t count) {
  uint32_t begin = f->statements.count;
  flat_write_block(f, env, items, count);
  return take_block(f, begin);
}

/* ---------------------------------------------------------------- items */

/* The unit that a value states by itself, as in `10 [deg]`: what stands in its place is read in it.
 */
static struct ast_unit *unit_of_value(const struct ast *ast, ast_expr value) {
  if (value == 0) return NULL;
  const struct ast_expression *n = ast_expression(ast, value);
  if (n->kind == AST_UNARY) n = ast_expression(ast, n->operand);
  if (n->kind != AST_UNIT) return NULL;
  for (ast_expr e = n->first; e <= n->operand; e++) {
    uint8_t kind = ast_expression(ast, e)->kind;
    if (kind != AST_NUMBER && kind != AST_UNARY && kind != AST_BINARY && kind != AST_TUPLE)
      return NULL;
  }
  return n->unit;
}

static struct ast_item named_item(struct flattening *f, const struct flat_use *use,
                                  const char *name, struct span span) {
  return (struct ast_item){.name = flat_member_name(f, use, name),
                           .span = flat_place(use, span),
                           .name_span = flat_place(use, span),
                           .path = use->path,
                           .path_count = use->path_count,
                           .lead = use->lead_count};
}

static struct ast_item copy_item(struct flattening *f, const struct flat_env *env,
                                 const struct ast_item *item, bool has_start) {
  const struct flat_use *use = env->use;
  struct ast_item copy = named_item(f, use, item->name, item->span);
  copy.name_span = flat_place(use, item->name_span);
  copy.doc = item->doc;
  copy.indices = flat_indices(f, env, use->lead_count, item->indices);
  copy.mentions_loop = flat_mentions(env->ast, item->indices, env->locals);
  copy.is_range = item->is_range;
  copy.primes = item->primes;
  copy.unit = item->unit;
  const struct flat_env *inner = env;
  if (item->index_variable != NULL) {
    copy.index_variable = flat_local_name(f, use, item->index_variable);
    inner = with_local(f, env, item->index_variable);
    if (use->component != NULL)
      flat_check_predeclared(f, item->index_variable, flat_place(use, item->span));
  }
  uint32_t start = has_start && item->primes == 0 ? map_get(&use->starts, key_of(item->name)) : 0;
  if (start == 0) {
    copy.value = flat_expression(f, inner, item->value);
    return copy;
  }
  if (copy.unit == NULL) copy.unit = unit_of_value(env->ast, item->value);
  copy.value = flat_expression(f, use->around, flat_node(use->around, start)->operand);
  return copy;
}

static void copy_items(struct flattening *f, const struct flat_env *env,
                       const struct ast_statement *s, struct ast_statement *copy) {
  bool has_start = s->kind == AST_COORD || s->kind == AST_STATE;
  copy->items.items = copy_array(f, s->items.items, s->items.count * sizeof *s->items.items);
  for (uint32_t i = 0; i < s->items.count; i++)
    if (s->items.items[i].name != NULL)
      copy->items.items[i] = copy_item(f, env, &s->items.items[i], has_start);
}

/* ---------------------------------------------------------------- parts of statements */

/* An axis x, y or z is that of the frame being turned, whatever else is called so. */
static ast_expr copy_axis(struct flattening *f, const struct flat_env *env, ast_expr axis) {
  const struct ast_expression *n = flat_node(env, axis);
  bool is_axis = n->kind == AST_NAME && strlen(n->name) == 1 && strchr("xyz", n->name[0]) != NULL;
  return is_axis ? flat_leaf(f, AST_NAME, n->name, flat_place(env->use, n->span))
                 : flat_expression(f, env, axis);
}

static void copy_rotations(struct flattening *f, const struct flat_env *env,
                           const struct ast_statement *s, struct ast_statement *copy) {
  copy->rotations.items =
      copy_array(f, s->rotations.items, s->rotations.count * sizeof *s->rotations.items);
  for (uint32_t i = 0; i < s->rotations.count; i++) {
    const struct ast_rotation *rotation = &s->rotations.items[i];
    copy->rotations.items[i].span = flat_place(env->use, rotation->span);
    copy->rotations.items[i].angle = flat_expression(f, env, rotation->angle);
    copy->rotations.items[i].axis = copy_axis(f, env, rotation->axis);
  }
}

static void copy_equations(struct flattening *f, const struct flat_env *env,
                           const struct ast_statement *s, struct ast_statement *copy) {
  copy->equations.items =
      copy_array(f, s->equations.items, s->equations.count * sizeof *s->equations.items);
  for (uint32_t i = 0; i < s->equations.count; i++) {
    copy->equations.items[i].span = flat_place(env->use, s->equations.items[i].span);
    copy->equations.items[i].left = flat_expression(f, env, s->equations.items[i].left);
    copy->equations.items[i].right = flat_expression(f, env, s->equations.items[i].right);
  }
}

/* `simulate(method = lagrange)` without quotes is reported where it is read. */
static struct ast_list copy_run(struct flattening *f, const struct flat_env *env,
                                struct ast_list list) {
  ast_expr *copies = arena_array(&f->context->arena, ast_expr, list.count + 1);
  for (uint32_t i = 0; i < list.count; i++) {
    ast_expr argument = ast_list_item(env->ast, list, i);
    struct ast_expression n = *flat_node(env, argument);
    bool is_word = n.kind == AST_ARGUMENT && flat_node(env, n.operand)->kind == AST_NAME &&
                   (strcmp(n.name, "method") == 0 || strcmp(n.name, "integrator") == 0);
    if (!is_word) {
      copies[i] = flat_expression(f, env, argument);
      continue;
    }
    const struct ast_expression *word = flat_node(env, n.operand);
    n.first = n.operand = flat_leaf(f, AST_NAME, word->name, word->span);
    vector_push(&f->out->expressions, n);
    copies[i] = f->out->expressions.count - 1;
  }
  struct ast_list out = {f->out->lists.count, list.count};
  for (uint32_t i = 0; i < list.count; i++) vector_push(&f->out->lists, copies[i]);
  return out;
}

struct ast_statement *flat_copy_statement(struct flattening *f, const struct flat_env *env,
                                          const struct ast_statement *s) {
  struct ast_statement *copy = new_statement(f, s);
  copy->span = flat_place(env->use, s->span);
  copy->keyword_span = flat_place(env->use, s->keyword_span);
  copy->text_span = flat_place(env->use, s->text_span);
  if (s->label.name != NULL && s->kind != AST_FOR)
    copy->label = copy_item(f, env, &s->label, false);
  copy_items(f, env, s, copy);
  copy_equations(f, env, s, copy);
  copy_rotations(f, env, s, copy);
  copy->arguments =
      s->kind == AST_SIMULATE ? copy_run(f, env, s->arguments) : flat_list(f, env, s->arguments);
  copy->along = flat_list(f, env, s->along);
  copy->value = flat_expression(f, env, s->value);
  copy->target = flat_expression(f, env, s->target);
  copy->source = flat_expression(f, env, s->source);
  copy->left = flat_expression(f, env, s->left);
  copy->right = flat_expression(f, env, s->right);
  copy->from = flat_expression(f, env, s->from);
  copy->to = flat_expression(f, env, s->to);
  return copy;
}

/* ---------------------------------------------------------------- statements with more to them */

static void write_for(struct flattening *f, const struct flat_env *env,
                      const struct ast_statement *s) {
  const struct flat_use *use = env->use;
  struct ast_statement *copy = flat_copy_statement(f, env, s);
  copy->index_variable = copy->label.name = flat_local_name(f, use, s->index_variable);
  copy->label.span = copy->label.name_span = flat_place(use, s->label.name_span);
  if (use->component != NULL) flat_check_predeclared(f, s->index_variable, copy->label.span);
  const struct flat_env *inner = with_local(f, env, s->index_variable);
  set_body(copy, copy_block(f, inner, s->body.items, s->body.count));
  vector_push(&f->statements, copy);
}

static void write_block_statement(struct flattening *f, const struct flat_env *env,
                                  const struct ast_statement *s) {
  struct ast_statement *copy = flat_copy_statement(f, env, s);
  set_body(copy, copy_block(f, env, s->body.items, s->body.count));
  struct block otherwise = copy_block(f, env, s->otherwise.items, s->otherwise.count);
  copy->otherwise.items = otherwise.items;
  copy->otherwise.count = copy->otherwise.capacity = otherwise.count;
  vector_push(&f->statements, copy);
}

/* The indices of its instance come first among the arguments of a function of a component. */
static struct ast_statement *copy_function(struct flattening *f, const struct flat_env *env,
                                           const struct ast_statement *s) {
  const struct flat_use *use = env->use;
  struct flat_env *inner = arena_new(&f->context->arena, struct flat_env);
  struct flat_lead *leads = arena_array(&f->context->arena, struct flat_lead, use->lead_count + 1);
  uint32_t count = use->lead_count + s->formals.count;
  struct ast_formal *formals = arena_array(&f->context->arena, struct ast_formal, count + 1);
  *inner = *env;
  inner->leads = leads;
  struct flat_local *barrier = flat_push_local(f, env->locals, NULL);
  barrier->is_barrier = true;
  inner->locals = barrier;
  for (uint32_t i = 0; i < use->lead_count; i++) {
    const char *name = arena_format(&f->context->arena, "index %u of %s", i + 1, use->prefix);
    leads[i] = (struct flat_lead){.name = intern_string(&f->context->names, name),
                                  .span = flat_place(use, s->label.name_span)};
    formals[i] = (struct ast_formal){.name = leads[i].name, .span = leads[i].span};
  }
  for (uint32_t i = 0; i < s->formals.count; i++) {
    struct ast_formal *formal = &formals[use->lead_count + i];
    *formal = s->formals.items[i];
    inner->locals = flat_push_local(f, inner->locals, formal->name);
    formal->span = flat_place(use, formal->span);
    if (use->component != NULL) flat_check_predeclared(f, formal->name, formal->span);
    formal->name = flat_local_name(f, use, formal->name);
  }
  struct ast_statement *copy = new_statement(f, s);
  copy->span = flat_place(use, s->span);
  copy->keyword_span = flat_place(use, s->keyword_span);
  copy->label = named_item(f, use, s->label.name, s->label.name_span);
  copy->label.path = NULL;
  copy->label.path_count = copy->label.lead = 0;
  copy->formals.items = formals;
  copy->formals.count = copy->formals.capacity = count;
  copy->value = flat_expression(f, inner, s->value);
  return copy;
}

/* The names of constraints without a label are c1, c2, ... of their instance, with the indices of
 * the loops around them. */
static void name_constraint(struct flattening *f, const struct flat_env *env,
                            struct ast_statement *copy) {
  struct flat_use *use = env->use;
  const char *name;
  do {
    name = intern_string(&f->context->names,
                         arena_format(&f->context->arena, "c%u", ++use->unlabelled));
  } while (map_get(&use->component->names.by_name, key_of(name)) != 0 ||
           map_get(&use->component->names.by_output, key_of(name)) != 0);
  copy->label = named_item(f, use, name, copy->keyword_span);
  copy->label.doc = copy->doc;
  uint32_t height = f->values.count, loops = 0;
  for (const struct flat_local *l = env->locals; l != NULL; l = l->outer) loops++;
  struct ast_list leads = flat_indices(f, env, use->lead_count, (struct ast_list){0, 0});
  ast_expr *indices = arena_array(&f->context->arena, ast_expr, loops + 1);
  uint32_t at = loops;
  for (const struct flat_local *l = env->locals; l != NULL; l = l->outer)
    indices[--at] = flat_leaf(f, AST_NAME, flat_local_name(f, use, l->name), copy->keyword_span);
  struct ast_list list = {f->out->lists.count, leads.count + loops};
  for (uint32_t i = 0; i < leads.count; i++)
    vector_push(&f->out->lists, ast_list_item(f->out, leads, i));
  for (uint32_t i = 0; i < loops; i++) vector_push(&f->out->lists, indices[i]);
  copy->label.indices = list;
  f->values.count = height;
}

/* ---------------------------------------------------------------- instances */

static void write_formal(struct flattening *f, struct flat_use *use, uint32_t index) {
  const struct ast_formal *formal = &use->component->statement->formals.items[index];
  const struct flat_actual *actual = &use->actuals[index];
  if (formal->kind == FORMAL_FRAME || formal->kind == FORMAL_BODY) return;
  struct ast_statement *s = new_statement(f, NULL);
  s->kind = formal->kind == FORMAL_POINT           ? AST_POINT
            : formal->kind == FORMAL_VECTOR        ? AST_LET
            : use->component->is_early[index] != 0 ? AST_CONST
            : flat_is_pure(f, use, index)          ? AST_PARAM
                                                   : AST_LET;
  s->span = s->keyword_span = flat_place(use, formal->span);
  s->doc = formal->doc;
  struct ast_item *item = arena_new(&f->context->arena, struct ast_item);
  *item = named_item(f, use, formal->name, formal->span);
  item->doc = formal->doc;
  item->unit = formal->unit;
  if (item->unit == NULL && !actual->is_default)
    item->unit = unit_of_value(use->file->ast, formal->value);
  item->indices = flat_indices(f, &use->env, use->lead_count, (struct ast_list){0, 0});
  item->value = flat_expression(f, actual->env, actual->e);
  s->items.items = item;
  s->items.count = s->items.capacity = 1;
  vector_push(&f->statements, s);
}

/* A loop around what was written since `begin`, over one index of an array of instances. */
static void wrap(struct flattening *f, const struct flat_env *env, struct flat_use *use,
                 uint32_t index, uint32_t begin) {
  const struct flat_site *site = use->site;
  const struct ast_item *label = &site->statement->label;
  struct span span = flat_place(env->use, label->span);
  struct ast_statement *s = new_statement(f, NULL);
  s->kind = AST_FOR;
  s->span = s->keyword_span = span;
  s->index_variable = flat_index_name(f, env->use, site, index);
  s->label = (struct ast_item){
      .name = s->index_variable, .span = span, .name_span = flat_place(env->use, label->name_span)};
  ast_expr to = ast_list_item(env->ast, label->indices, label->is_range ? 1 : index);
  if (label->is_range)
    s->from = flat_expression(f, env, ast_list_item(env->ast, label->indices, 0));
  else
    s->from = flat_leaf(f, AST_NUMBER, "1", span);
  s->to = flat_expression(f, env, to);
  set_body(s, take_block(f, begin));
  vector_push(&f->statements, s);
}

static void write_instance(struct flattening *f, const struct flat_env *env,
                           const struct ast_statement *statement) {
  const struct flat_names *names =
      env->use->component != NULL ? &env->use->component->names : &env->use->file->names;
  uint32_t id = map_get(&names->site_of, key_of(statement));
  if (id == 0) return; /* reported */
  const struct flat_site *site = names->sites.items[id];
  struct flat_use *use = flat_use_of_site(f, env->use, site);
  if (use->is_broken) return;
  const struct ast_statement *component = use->component->statement;
  uint32_t begin = f->statements.count;
  for (uint32_t i = 0; i < component->formals.count; i++) write_formal(f, use, i);
  flat_write_block(f, &use->env, component->body.items, component->body.count);
  for (uint32_t i = site->is_element ? 0 : site->rank; i-- > 0;) wrap(f, env, use, i, begin);
}

/* ---------------------------------------------------------------- all */

static void write_statement(struct flattening *f, const struct flat_env *env,
                            const struct ast_statement *s) {
  struct ast_statement *copy;
  switch (s->kind) {
  case AST_IMPORT:
  case AST_COMPONENT:
    return;
  case AST_INSTANCE:
    write_instance(f, env, s);
    return;
  case AST_FUNCTION:
    copy = copy_function(f, env, s);
    break;
  case AST_FOR:
    write_for(f, env, s);
    return;
  case AST_IF_BLOCK:
  case AST_WHEN:
  case AST_EVERY:
    write_block_statement(f, env, s);
    return;
  case AST_CONSTRAINT:
    copy = flat_copy_statement(f, env, s);
    if (s->label.name == NULL && env->use->component != NULL) name_constraint(f, env, copy);
    break;
  default:
    copy = flat_copy_statement(f, env, s);
    break;
  }
  vector_push(&f->statements, copy);
}

void flat_write_block(struct flattening *f, const struct flat_env *env,
                      struct ast_statement *const *items, uint32_t count) {
  for (uint32_t i = 0; i < count && !f->is_exhausted; i++) write_statement(f, env, items[i]);
}

/* Of a list, the one item that is asked for. */
struct ast_statement *flat_write_symbol(struct flattening *f, const struct flat_symbol *symbol) {
  const struct flat_env *env = &flat_use_of_file(f, symbol->file)->env;
  if (symbol->kind == NAME_FUNCTION) return copy_function(f, env, symbol->statement);
  struct ast_statement one = *symbol->statement;
  for (uint32_t i = 0; i < symbol->statement->items.count; i++)
    if (symbol->statement->items.items[i].name == symbol->name) {
      one.items.items = &symbol->statement->items.items[i];
      one.items.count = 1;
      break;
    }
  return flat_copy_statement(f, env, &one);
}
