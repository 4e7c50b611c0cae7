/* Which constraints contain a velocity, asked of the text: the dimension of a multiplier depends on
 * it, and dimensions are checked before anything is lowered.
 *
 * What an expression may depend on is a set of four facts: positions, velocities, states whose rate
 * depends on positions, states whose rate depends on velocities. A prime makes velocities of
 * positions, and what the rate says of states; everything else joins the sets of its parts. All
 * this is linear in the sets, so the body of a function is described by the set it has anyway and
 * one set for each fact that may hold of an argument: five sets of four bits. Definitions that use
 * each other (lets, functions, rates) are gone through until nothing changes, users last. */
#include "sema/dimension_private.h"
#include <stdlib.h>

typedef uint32_t facts; /* five sets of FACT_COUNT bits; the first holds anyway */

enum { POSITION = 1, VELOCITY = 2, RATE_OF_POSITION = 4, RATE_OF_VELOCITY = 8, FACT_COUNT = 4 };
enum { SET_MASK = 15, SET_COUNT = FACT_COUNT + 1 };

struct definition {
  uint32_t entry, next; /* the next one of the same entry; 0: none */
  ast_expr e;
};

struct visit {
  uint32_t entry, definition;
  ast_expr next; /* node of the definition to look at */
};

struct levels {
  const struct scope *scope;
  VECTOR(struct definition) definitions; /* [0] unused */
  uint32_t *first;                       /* per entry */
  facts *of_entry, *of_node;
  VECTOR(uint32_t) order; /* entries, what they use before them */
  VECTOR(struct visit) path;
  uint8_t *seen;
};

/* ---------------------------------------------------------------- sets */

static facts identity(void) {
  facts out = 0;
  for (uint32_t fact = 0; fact < FACT_COUNT; fact++)
    out |= (1u << fact) << (FACT_COUNT * (fact + 1));
  return out;
}

static facts prime(facts of) {
  facts out = 0;
  for (uint32_t i = 0; i < SET_COUNT; i++) {
    uint32_t set = of >> (FACT_COUNT * i) & SET_MASK, derived = set;
    if ((set & POSITION) != 0 || (set & RATE_OF_VELOCITY) != 0) derived |= VELOCITY;
    if ((set & RATE_OF_POSITION) != 0) derived |= POSITION;
    out |= derived << (FACT_COUNT * i);
  }
  return out;
}

/* What the body says, with the facts that hold of the arguments. */
static facts call(facts body, facts arguments) {
  facts out = body & SET_MASK;
  for (uint32_t i = 0; i < SET_COUNT; i++)
    for (uint32_t fact = 0; fact < FACT_COUNT; fact++)
      if ((arguments >> (FACT_COUNT * i + fact) & 1) != 0)
        out |= (body >> (FACT_COUNT * (fact + 1)) & SET_MASK) << (FACT_COUNT * i);
  return out;
}

/* ---------------------------------------------------------------- expressions */

static facts facts_of_name(const struct levels *l, uint32_t entry) {
  facts of = l->of_entry[entry];
  switch (scope_entry(l->scope, entry)->kind) {
  case NAME_COORD:
    return POSITION;
  case NAME_STATE:
    return ((of & POSITION) != 0 ? RATE_OF_POSITION : 0) |
           ((of & VELOCITY) != 0 ? RATE_OF_VELOCITY : 0);
  case NAME_SPEED:
  case NAME_LET:
  case NAME_POINT:
  case NAME_FRAME:
  case NAME_PARTICLE:
  case NAME_BODY:
    return of;
  case NAME_ARGUMENT:
    return identity();
  default:
    return 0;
  }
}

/* How often a function takes the derivative by time. */
static uint32_t primes_of(const struct scope_text *text, ast_expr e) {
  const struct ast_expression *n = ast_expression(text->ast, e);
  if (n->kind == AST_PRIME) return n->count;
  switch (n->kind == AST_CALL ? scope_builtin_of(text, e) : -1) {
  case BUILTIN_vel:
  case BUILTIN_vel_on:
  case BUILTIN_omega:
  case BUILTIN_der:
    return 1;
  case BUILTIN_acc:
  case BUILTIN_alpha:
    return 2;
  default:
    return 0;
  }
}

static facts facts_of_node(const struct levels *l, ast_expr e) {
  const struct scope_text *text = &l->scope->model;
  const struct ast_expression *n = ast_expression(text->ast, e);
  if (n->kind == AST_NAME) return facts_of_name(l, scope_entry_of(text, e));
  facts joined = l->of_node[n->operand] | l->of_node[n->second] | l->of_node[n->third];
  for (uint32_t i = 0; i < n->list.count; i++)
    joined |= l->of_node[ast_list_item(text->ast, n->list, i)];
  if (n->kind == AST_CALL && scope_entry_of(text, e) != 0)
    return call(l->of_entry[scope_entry_of(text, e)], joined);
  uint32_t primes = primes_of(text, e);
  for (uint32_t i = 0; i < primes && i < 2; i++) joined = prime(joined);
  return joined;
}

static facts facts_of(struct levels *l, ast_expr e) {
  if (e == 0) return 0;
  for (ast_expr at = ast_expression(l->scope->model.ast, e)->first; at <= e; at++)
    l->of_node[at] = facts_of_node(l, at);
  return l->of_node[e];
}

/* ---------------------------------------------------------------- definitions */

static void define(struct levels *l, uint32_t entry, ast_expr e) {
  struct definition definition = {entry, l->first[entry], e};
  if (entry == 0 || e == 0) return;
  vector_push(&l->definitions, definition);
  l->first[entry] = l->definitions.count - 1;
}

static void define_rates(struct levels *l, struct ast_statement *const *items, uint32_t count) {
  const struct scope_text *text = &l->scope->model;
  for (uint32_t i = 0; i < count; i++) {
    const struct ast_statement *s = items[i];
    ast_expr left = s->kind == AST_RATE ? s->left : 0;
    while (left != 0 && (ast_expression(text->ast, left)->kind == AST_PRIME ||
                         ast_expression(text->ast, left)->kind == AST_INDEX))
      left = ast_expression(text->ast, left)->operand;
    if (left != 0 && ast_expression(text->ast, left)->kind == AST_NAME)
      define(l, scope_entry_of(text, left), s->right);
    if (s->kind == AST_COMPONENT) continue;
    define_rates(l, s->body.items, s->body.count);
    define_rates(l, s->otherwise.items, s->otherwise.count);
  }
}

/* What moves a frame, or a particle or body. */
static void define_moving(struct levels *l, uint32_t id, const struct ast_statement *s) {
  const struct ast *ast = l->scope->model.ast;
  if (s->kind == AST_FRAME) {
    define(l, id, s->value);
    define(l, id, s->source);
    define(l, id, s->target);
    for (uint32_t i = 0; i < s->rotations.count; i++) {
      define(l, id, s->rotations.items[i].angle);
      define(l, id, s->rotations.items[i].axis);
    }
  } else if (s->kind == AST_PARTICLE || s->kind == AST_BODY) {
    define(l, id, scope_body_argument(ast, s, BODY_AT));
    define(l, id, scope_body_argument(ast, s, BODY_FRAME));
  }
}

static void define_names(struct levels *l) {
  const struct scope *scope = l->scope;
  for (uint32_t id = 1; id < scope->file_count; id++) {
    enum name_kind kind = scope_entry(scope, id)->kind;
    for (uint32_t s = scope_entry(scope, id)->first_site; s != 0; s = scope->sites.items[s].next) {
      const struct name_site *site = &scope->sites.items[s];
      if (kind == NAME_LET || kind == NAME_POINT || kind == NAME_SPEED)
        define(l, id, site->item->value);
      if (kind == NAME_FRAME || kind == NAME_PARTICLE || kind == NAME_BODY)
        define_moving(l, id, site->statement);
      if (kind == NAME_FUNCTION) define(l, id, site->statement->value);
    }
  }
}

/* ---------------------------------------------------------------- the order */

static void enter(struct levels *l, uint32_t entry) {
  if (entry == 0 || l->seen[entry] != 0 || l->first[entry] == 0) return;
  struct visit visit = {entry, l->first[entry], 0};
  l->seen[entry] = 1;
  vector_push(&l->path, visit);
}

static void order_from(struct levels *l, uint32_t start) {
  const struct scope_text *text = &l->scope->model;
  enter(l, start);
  while (l->path.count > 0) {
    struct visit *top = &vector_last(&l->path);
    if (top->definition == 0) {
      vector_push(&l->order, top->entry);
      l->path.count--;
      continue;
    }
    const struct definition *definition = &l->definitions.items[top->definition];
    if (top->next == 0) top->next = ast_expression(text->ast, definition->e)->first;
    if (top->next > definition->e) {
      top->definition = definition->next;
      top->next = 0;
      continue;
    }
    enter(l, scope_entry_of(text, top->next++));
  }
}

static void settle(struct levels *l) {
  bool is_changed = true;
  while (is_changed) {
    is_changed = false;
    for (uint32_t i = 0; i < l->order.count; i++) {
      uint32_t entry = l->order.items[i];
      facts of = l->of_entry[entry];
      for (uint32_t d = l->first[entry]; d != 0; d = l->definitions.items[d].next)
        of |= facts_of(l, l->definitions.items[d].e);
      is_changed = is_changed || of != l->of_entry[entry];
      l->of_entry[entry] = of;
    }
  }
}

/* ---------------------------------------------------------------- constraints */

static bool has_constraints(const struct scope *scope) {
  for (uint32_t id = 1; id < scope->file_count; id++)
    if (scope_entry(scope, id)->kind == NAME_CONSTRAINT) return true;
  return false;
}

static void ask_constraints(struct dimension_table *table, struct levels *l) {
  for (uint32_t id = 1; id < l->scope->file_count; id++) {
    if (scope_entry(l->scope, id)->kind != NAME_CONSTRAINT) continue;
    uint32_t s = scope_entry(l->scope, id)->first_site;
    for (; s != 0; s = l->scope->sites.items[s].next) {
      const struct ast_statement *statement = l->scope->sites.items[s].statement;
      facts both = facts_of(l, statement->left) | facts_of(l, statement->right);
      if ((both & VELOCITY) != 0) table->names[id].has_velocity = true;
    }
  }
}

void dimension_find_levels(struct dimension_table *table) {
  const struct scope *scope = table->scope;
  if (!has_constraints(scope)) return;
  uint32_t entries = scope->entries.count, nodes = scope->model.ast->expressions.count;
  struct levels l = {.scope = scope};
  struct definition none = {0, 0, 0};
  vector_push(&l.definitions, none);
  l.first = checked_calloc(entries + 1, sizeof *l.first);
  l.of_entry = checked_calloc(entries + 1, sizeof *l.of_entry);
  l.of_node = checked_calloc(nodes + 1, sizeof *l.of_node);
  l.seen = checked_calloc(entries + 1, sizeof *l.seen);
  define_names(&l);
  define_rates(&l, scope->model.ast->statements.items, scope->model.ast->statements.count);
  for (uint32_t id = 1; id < scope->file_count; id++) order_from(&l, id);
  settle(&l);
  ask_constraints(table, &l);
  vector_free(&l.definitions);
  vector_free(&l.order);
  vector_free(&l.path);
  free(l.first);
  free(l.of_entry);
  free(l.of_node);
  free(l.seen);
}
