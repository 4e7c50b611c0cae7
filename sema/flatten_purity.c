/* What an expression is made of, as far as that decides what a formal becomes: a parameter, which
 * can be set, follows parameters only; a constant has to be known at compile time. Nothing is
 * reported.
 *
 * What is asked for leads to other actuals and functions; long chains of them are not followed to
 * their end: a name that could be a parameter is then a `let`, which is never wrong. */
#include "sema/flatten_private.h"
#include <stdlib.h>

enum { DEEPEST_QUESTION = 100, UNKNOWN = 0, PURE, IMPURE, OPEN };

struct sum {
  ast_expr first; /* its index is known down to this node */
  const struct flat_env *outer;
};

struct search {
  struct flattening *f;
  const struct flat_env *env; /* at the node that is looked at */
  ast_expr e, first;
  uint8_t *is_done; /* per node: belongs to a reference that was looked at */
  VECTOR(struct sum) sums;
};

static void begin(struct search *s, struct flattening *f, const struct flat_env *env, ast_expr e) {
  *s = (struct search){.f = f, .env = env, .e = e, .first = flat_node(env, e)->first};
  s->is_done = checked_calloc(e - s->first + 1, 1);
}

static void end(struct search *s) {
  free(s->is_done);
  vector_free(&s->sums);
}

/* Nodes are met backwards: before what they are made of. */
static void meet(struct search *s, ast_expr at) {
  while (s->sums.count > 0 && at < vector_last(&s->sums).first) s->env = vector_pop(&s->sums).outer;
  const struct ast_expression *n = flat_node(s->env, at);
  if (n->kind != AST_REDUCE) return;
  struct sum sum = {flat_node(s->env, n->third)->first, s->env};
  struct flat_env *inner = arena_new(&s->f->context->arena, struct flat_env);
  *inner = *s->env;
  inner->locals = flat_push_local(s->f, inner->locals, n->name);
  s->env = inner;
  vector_push(&s->sums, sum);
}

/* The reference at a node; its nodes are done. False if it is none. */
static bool refer(struct search *s, ast_expr at, struct flat_reference *r, bool *is_whole) {
  bool was_quiet = s->f->is_quiet;
  s->f->is_quiet = true;
  bool found = flat_resolve(s->f, s->env, at, r);
  s->f->is_quiet = was_quiet;
  if (!found) { /* members of an expression, which is looked at in its turn */
    for (uint32_t i = 0; i + 1 < s->f->chain.count; i++)
      s->is_done[s->f->chain.items[i] - s->first] = 1;
    return false;
  }
  uint32_t left = s->f->chain.count - r->used;
  if (left > 0 && flat_node(s->env, s->f->chain.items[left - 1])->kind == AST_INDEX) left--;
  *is_whole = left == 0;
  for (uint32_t i = 0; i < s->f->chain.count; i++) s->is_done[s->f->chain.items[i] - s->first] = 1;
  return true;
}

/* ---------------------------------------------------------------- pure */

static bool is_pure_expression(struct flattening *f, const struct flat_env *env, ast_expr e);

static bool is_pure_function(struct flattening *f, struct flat_symbol *function) {
  if (function->component != NULL || function->statement->value == 0) return false;
  if (function->purity != UNKNOWN) return function->purity == PURE;
  function->purity = OPEN;
  struct flat_env *env = arena_new(&f->context->arena, struct flat_env);
  *env = flat_use_of_file(f, function->file)->env;
  for (uint32_t i = 0; i < function->statement->formals.count; i++)
    env->locals = flat_push_local(f, env->locals, function->statement->formals.items[i].name);
  bool is_pure = is_pure_expression(f, env, function->statement->value);
  function->purity = is_pure ? PURE : IMPURE;
  return is_pure;
}

static bool is_pure_reference(struct search *s, ast_expr at) {
  struct flat_reference r;
  bool is_whole;
  if (!refer(s, at, &r, &is_whole) || !is_whole) return false;
  if (r.kind != FLAT_NAME) return false;
  if (r.symbol == NULL) return r.predeclared == NAME_NONE || r.predeclared == NAME_PI;
  if (r.symbol->formal != NULL && r.symbol->formal->kind == FORMAL_SCALAR && r.use != NULL)
    return flat_is_pure(s->f, r.use, r.symbol->formal_index);
  return r.symbol->kind == NAME_CONST || (r.symbol->kind == NAME_PARAM && r.symbol->formal == NULL);
}

static bool is_pure_call(struct search *s, ast_expr at) {
  const struct ast_expression *n = flat_node(s->env, at);
  struct flat_symbol *function;
  bool was_quiet = s->f->is_quiet;
  s->f->is_quiet = true;
  const char *name = flat_resolve_call(s->f, s->env, at, &function);
  s->f->is_quiet = was_quiet;
  if (name == NULL) return false;
  if (n->kind == AST_MEMBER_CALL)
    for (uint32_t i = 0; i < s->f->chain.count; i++)
      s->is_done[s->f->chain.items[i] - s->first] = 1;
  if (function != NULL) return is_pure_function(s->f, function);
  int builtin = builtin_find(name);
  return builtin >= 0 && builtin < BUILTIN_table;
}

static bool is_pure_node(struct search *s, ast_expr at) {
  switch ((enum ast_expr_kind)flat_node(s->env, at)->kind) {
  case AST_NUMBER:
  case AST_UNIT:
  case AST_UNARY:
  case AST_BINARY:
  case AST_IF:
  case AST_REDUCE:
    return true;
  case AST_NAME:
  case AST_INDEX:
  case AST_MEMBER:
    return is_pure_reference(s, at);
  case AST_CALL:
  case AST_MEMBER_CALL:
    return is_pure_call(s, at);
  default:
    return false;
  }
}

static bool is_pure_expression(struct flattening *f, const struct flat_env *env, ast_expr e) {
  if (f->purity_depth >= DEEPEST_QUESTION) return false;
  struct search s;
  begin(&s, f, env, e);
  bool is_pure = true;
  f->purity_depth++;
  for (ast_expr at = e + 1; is_pure && at-- > s.first;) {
    meet(&s, at);
    if (!s.is_done[at - s.first]) is_pure = is_pure_node(&s, at);
  }
  f->purity_depth--;
  end(&s);
  return is_pure;
}

bool flat_is_pure(struct flattening *f, struct flat_use *use, uint32_t formal) {
  struct flat_actual *actual = &use->actuals[formal];
  if (actual->e == 0) return false;
  if (actual->purity == UNKNOWN) {
    actual->purity = OPEN;
    bool is_pure = is_pure_expression(f, actual->env, actual->e);
    actual->purity = is_pure ? PURE : IMPURE;
  }
  return actual->purity == PURE;
}

/* ---------------------------------------------------------------- late */

static bool is_late(struct search *s, ast_expr at, enum name_kind *kind) {
  struct flat_reference r;
  bool is_whole;
  if (!refer(s, at, &r, &is_whole)) return false;
  *kind = r.symbol != NULL ? r.symbol->kind : r.predeclared;
  if (r.kind == FLAT_BROKEN || r.kind == FLAT_GIVEN) return false;
  if (!is_whole || r.symbol == NULL) return r.predeclared == NAME_TIME;
  if (r.symbol->formal != NULL && r.use != NULL)
    return r.symbol->formal->kind != FORMAL_SCALAR ||
           !r.use->component->is_early[r.symbol->formal_index];
  return *kind == NAME_PARAM || *kind == NAME_INPUT || *kind == NAME_COORD || *kind == NAME_STATE ||
         *kind == NAME_SPEED || *kind == NAME_LET;
}

ast_expr flat_find_late(struct flattening *f, const struct flat_env *env, ast_expr e,
                        enum name_kind *kind) {
  struct search s;
  ast_expr late = 0;
  begin(&s, f, env, e);
  for (ast_expr at = e + 1; late == 0 && at-- > s.first;) {
    meet(&s, at);
    uint8_t node = flat_node(s.env, at)->kind;
    bool is_reference = node == AST_NAME || node == AST_INDEX || node == AST_MEMBER;
    if (is_reference && !s.is_done[at - s.first] && is_late(&s, at, kind)) late = at;
  }
  end(&s);
  return late;
}
