/* Copying expressions into the flat tree, in the order in which the parser would have made them.
 *
 * A stack of tasks and a stack of nodes that were made; a task for a node makes what it consists of
 * first. Nothing here recurses, and what is copied is limited. */
#include "sema/flatten_private.h"
#include <string.h>

enum task_kind {
  TASK_NODE,  /* copy the node e; `span`, if it is a place, is where it is seen */
  TASK_MAKE,  /* the node e, from its parts: `count` entries of its list; `name` instead of its own
               */
  TASK_INDEX, /* an index with `count` entries, of the name before them */
  TASK_LEAD,  /* the index `name` */
};

struct span flat_place(const struct flat_use *use, struct span span) {
  if (use->source != 0 && span.source == use->file->ast->source) span.source = use->source;
  return span;
}

static const struct ast_expression *made(const struct flattening *f, ast_expr e) {
  return ast_expression(f->out, e);
}

/* ---------------------------------------------------------------- making nodes */

static ast_expr add(struct flattening *f, struct ast_expression n) {
  if (f->out->expressions.count >= MOST_WRITTEN_NODES)
    flat_report_large(f, (struct span){0, 0, 0},
                      "its components write out expressions with more than two million parts");
  if (n.first == 0) n.first = f->out->expressions.count;
  vector_push(&f->out->expressions, n);
  return f->out->expressions.count - 1;
}

ast_expr flat_leaf(struct flattening *f, enum ast_expr_kind kind, const char *name,
                   struct span span) {
  return add(f, (struct ast_expression){
                    .kind = (uint8_t)kind, .span = span, .name_span = span, .name = name});
}

/* Moves the last `count` nodes that were made to a list. */
static struct ast_list take_list(struct flattening *f, uint32_t count) {
  struct ast_list list = {f->out->lists.count, count};
  for (uint32_t i = f->values.count - count; i < f->values.count; i++)
    vector_push(&f->out->lists, f->values.items[i]);
  f->values.count -= count;
  return list;
}

static void make(struct flattening *f, const struct flat_task *task) {
  struct ast_expression n = *flat_node(task->env, task->e);
  bool is_call = n.kind == AST_MEMBER_CALL;
  n.span = task->span.source != 0 ? task->span : flat_place(task->env->use, n.span);
  n.name_span = flat_place(task->env->use, n.name_span);
  if (task->name != NULL) n.name = task->name;
  if (is_call) {
    n.kind = AST_CALL;
    n.operand = 0;
  }
  n.first = 0;
  uint32_t children = (n.operand != 0) + (n.second != 0) + (n.third != 0) + task->count;
  if (children > 0) n.first = made(f, f->values.items[f->values.count - children])->first;
  n.list = take_list(f, task->count);
  if (n.third != 0) n.third = vector_pop(&f->values);
  if (n.second != 0) n.second = vector_pop(&f->values);
  if (n.operand != 0) n.operand = vector_pop(&f->values);
  vector_push(&f->values, add(f, n));
}

static void make_index(struct flattening *f, const struct flat_task *task) {
  struct ast_list list = take_list(f, task->count);
  ast_expr name = vector_pop(&f->values);
  struct ast_expression n = {.kind = AST_INDEX,
                             .first = made(f, name)->first,
                             .span = task->span,
                             .name_span = made(f, name)->name_span,
                             .operand = name,
                             .list = list};
  vector_push(&f->values, add(f, n));
}

static void make_error(struct flattening *f, struct span span) {
  vector_push(&f->values, flat_leaf(f, AST_ERROR, NULL, span));
}

/* ---------------------------------------------------------------- tasks */

static void push(struct flattening *f, struct flat_task task) {
  vector_push(&f->tasks, task);
}

static void push_node(struct flattening *f, const struct flat_env *env, ast_expr e) {
  push(f, (struct flat_task){.kind = TASK_NODE, .e = e, .env = env});
}

/* Last to first, so that the first is made first. */
static void push_list(struct flattening *f, const struct flat_env *env, struct ast_list list) {
  for (uint32_t i = list.count; i-- > 0;) push_node(f, env, ast_list_item(env->ast, list, i));
}

static void push_leads(struct flattening *f, const struct flat_lead *leads, uint32_t count) {
  for (uint32_t i = count; i-- > 0;) {
    const struct flat_lead *lead = &leads[i];
    if (lead->name != NULL)
      push(f, (struct flat_task){.kind = TASK_LEAD, .name = lead->name, .span = lead->span});
    else
      push_node(f, lead->env, lead->e);
  }
}

static const struct flat_env *inside_sum(struct flattening *f, const struct flat_env *env,
                                         const struct ast_expression *n) {
  struct flat_env *inner = arena_new(&f->context->arena, struct flat_env);
  *inner = *env;
  inner->locals = flat_push_local(f, env->locals, n->name);
  return inner;
}

static void begin_plain(struct flattening *f, const struct flat_task *task) {
  const struct ast_expression *n = flat_node(task->env, task->e);
  struct flat_task end = *task;
  const struct flat_env *third = task->env;
  end.kind = TASK_MAKE;
  end.count = n->list.count;
  if (n->kind == AST_REDUCE) {
    end.name = flat_local_name(f, task->env->use, n->name);
    third = inside_sum(f, task->env, n);
    if (task->env->use->component != NULL)
      flat_check_predeclared(f, n->name, flat_place(task->env->use, n->name_span));
  }
  push(f, end);
  push_list(f, task->env, n->list);
  if (n->third != 0) push_node(f, third, n->third);
  if (n->second != 0) push_node(f, task->env, n->second);
  if (n->operand != 0) push_node(f, task->env, n->operand);
}

static void begin_call(struct flattening *f, const struct flat_task *task) {
  const struct ast_expression *n = flat_node(task->env, task->e);
  struct flat_symbol *function;
  struct flat_task end = *task;
  end.kind = TASK_MAKE;
  end.name = flat_resolve_call(f, task->env, task->e, &function);
  end.count = f->indices.count + n->list.count;
  if (end.name == NULL) {
    make_error(f, flat_place(task->env->use, n->span));
    return;
  }
  push(f, end);
  push_list(f, task->env, n->list);
  push_leads(f, f->indices.items, f->indices.count);
}

/* ---------------------------------------------------------------- references */

/* Members and indices that stand behind what a reference has taken: `.x` of a vector. */
static void push_rest(struct flattening *f, const struct flat_task *task, uint32_t left) {
  for (uint32_t i = 0; i < left; i++) {
    ast_expr e = f->chain.items[i];
    const struct ast_expression *n = flat_node(task->env, e);
    struct flat_task end = {.kind = TASK_MAKE, .e = e, .env = task->env, .count = n->list.count};
    if (i == 0) end.span = task->span;
    push(f, end);
    push_list(f, task->env, n->list);
  }
}

static void name_reference(struct flattening *f, const struct flat_task *task,
                           const struct flat_reference *r) {
  uint32_t left = f->chain.count - r->used;
  const struct ast_expression *top = flat_node(task->env, f->chain.items[left]);
  const struct ast_expression *index = NULL;
  struct span name_span = flat_place(task->env->use, top->name_span);
  struct span leaf_span = flat_place(task->env->use, top->span);
  if (left > 0 && flat_node(task->env, f->chain.items[left - 1])->kind == AST_INDEX) {
    index = flat_node(task->env, f->chain.items[--left]);
    top = index;
  }
  struct span span = flat_place(task->env->use, top->span);
  if (left == 0 && task->span.source != 0) span = leaf_span = name_span = task->span;
  push_rest(f, task, left);
  uint32_t count = f->indices.count + (index != NULL ? index->list.count : 0);
  if (count > 0)
    push(f, (struct flat_task){.kind = TASK_INDEX, .count = count, .env = task->env, .span = span});
  if (index != NULL) push_list(f, task->env, index->list);
  push_leads(f, f->indices.items, f->indices.count);
  ast_expr leaf = flat_leaf(f, AST_NAME, r->name, leaf_span);
  f->out->expressions.items[leaf].name_span = name_span;
  vector_push(&f->values, leaf);
}

static void begin_reference(struct flattening *f, const struct flat_task *task) {
  struct flat_reference r;
  if (!flat_resolve(f, task->env, task->e, &r)) { /* members of an expression */
    push_rest(f, task, f->chain.count - 1);
    push_node(f, task->env, vector_last(&f->chain));
    return;
  }
  uint32_t left = f->chain.count - r.used;
  struct span span = flat_place(task->env->use, flat_node(task->env, task->e)->span);
  bool has_value = r.kind == FLAT_NAME && (r.symbol == NULL || r.symbol->kind != NAME_COMPONENT);
  if (r.kind == FLAT_GIVEN) {
    struct span seen = flat_place(task->env->use, flat_node(task->env, f->chain.items[left])->span);
    if (left == 0 && task->span.source != 0) seen = task->span;
    push_rest(f, task, left);
    push(f,
         (struct flat_task){.kind = TASK_NODE, .e = r.given_e, .env = r.given_env, .span = seen});
  } else if (has_value) {
    name_reference(f, task, &r);
  } else {
    if (r.kind != FLAT_BROKEN) flat_report_valueless(f, task->env, &r, span);
    make_error(f, span);
  }
}

static void begin_node(struct flattening *f, const struct flat_task *task) {
  switch ((enum ast_expr_kind)flat_node(task->env, task->e)->kind) {
  case AST_NAME:
  case AST_MEMBER:
  case AST_INDEX:
    begin_reference(f, task);
    break;
  case AST_CALL:
  case AST_MEMBER_CALL:
    begin_call(f, task);
    break;
  default:
    begin_plain(f, task);
    break;
  }
}

static void run(struct flattening *f, uint32_t base) {
  while (f->tasks.count > base) {
    struct flat_task task = vector_pop(&f->tasks);
    switch ((enum task_kind)task.kind) {
    case TASK_NODE:
      begin_node(f, &task);
      break;
    case TASK_MAKE:
      make(f, &task);
      break;
    case TASK_INDEX:
      make_index(f, &task);
      break;
    case TASK_LEAD:
      vector_push(&f->values, flat_leaf(f, AST_NAME, task.name, task.span));
      break;
    }
    if (f->is_exhausted) f->tasks.count = base;
  }
}

/* ---------------------------------------------------------------- from outside */

ast_expr flat_expression(struct flattening *f, const struct flat_env *env, ast_expr e) {
  if (e == 0 || f->is_exhausted) return 0;
  uint32_t height = f->values.count;
  push_node(f, env, e);
  run(f, f->tasks.count - 1);
  ast_expr result = f->is_exhausted ? 0 : vector_last(&f->values);
  f->values.count = height;
  return result;
}

struct ast_list flat_list(struct flattening *f, const struct flat_env *env, struct ast_list list) {
  return flat_indices(f, env, 0, list);
}

struct ast_list flat_indices(struct flattening *f, const struct flat_env *env, uint32_t leads,
                             struct ast_list list) {
  uint32_t height = f->values.count, base = f->tasks.count;
  if (f->is_exhausted) return (struct ast_list){0, 0};
  push_list(f, env, list);
  push_leads(f, env->leads, leads);
  run(f, base);
  if (f->is_exhausted) {
    f->values.count = height;
    return (struct ast_list){0, 0};
  }
  return take_list(f, leads + list.count);
}
