/* Questions about chains of definitions that need no values: which functions call themselves, and
 * which consts are bare numbers. */
#include "sema/scope_private.h"
#include <stdlib.h>

/* ---------------------------------------------------------------- a graph over entries */

struct graph { /* edges sorted by `from`; first[id] .. first[id + 1] are those of id */
  uint32_t *first, *to;
  uint32_t count;
};

static struct graph graph_new(uint32_t entries, const struct scope_edge *edges, uint32_t count) {
  struct graph graph = {checked_calloc(entries + 2, sizeof(uint32_t)),
                        checked_calloc(count + 1, sizeof(uint32_t)), entries};
  for (uint32_t i = 0; i < count; i++) graph.first[edges[i].from + 2]++;
  for (uint32_t i = 2; i < entries + 2; i++) graph.first[i] += graph.first[i - 1];
  for (uint32_t i = 0; i < count; i++) graph.to[graph.first[edges[i].from + 1]++] = edges[i].to;
  return graph;
}

static void graph_free(struct graph *graph) {
  free(graph->first);
  free(graph->to);
}

/* ---------------------------------------------------------------- recursion */

enum { NEW, OPEN, CLOSED };

struct visit {
  uint32_t entry, next; /* the next edge to follow */
};

static void report_recursion(struct scope *scope, const struct visit *path, uint32_t count) {
  struct text chain = {0};
  for (uint32_t i = 0; i < count; i++)
    text_format(&chain, "%s → ", scope->entries.items[path[i].entry].name);
  struct name_entry *first = &scope->entries.items[path[0].entry];
  text_put(&chain, first->name);
  struct diagnostic *d = diagnostic_add(scope->context, DIAG_FUNCTION_RECURSION, first->span,
                                        first->name, text_string(&chain), NULL);
  for (uint32_t i = 1; i < count && i < 6; i++)
    diagnostic_label(scope->context, d, scope->entries.items[path[i].entry].span, "calls %s",
                     scope->entries.items[path[(i + 1) % count].entry].name);
  for (uint32_t i = 0; i < count; i++) scope->entries.items[path[i].entry].is_broken = true;
  text_free(&chain);
}

/* Follows the calls from one function; every ring that is met is reported once. */
static void follow(struct scope *scope, const struct graph *graph, uint8_t *state, uint32_t start) {
  VECTOR(struct visit) path = {0};
  struct visit begin = {start, graph->first[start]};
  vector_push(&path, begin);
  state[start] = OPEN;
  while (path.count > 0) {
    struct visit *top = &vector_last(&path);
    if (top->next == graph->first[top->entry + 1]) {
      state[top->entry] = CLOSED;
      path.count--;
      continue;
    }
    uint32_t callee = graph->to[top->next++];
    if (state[callee] == OPEN) {
      uint32_t from = path.count - 1;
      while (path.items[from].entry != callee) from--;
      report_recursion(scope, path.items + from, path.count - from);
    } else if (state[callee] == NEW) {
      struct visit next = {callee, graph->first[callee]};
      state[callee] = OPEN;
      vector_push(&path, next);
    }
  }
  vector_free(&path);
}

void scope_check_recursion(struct scope *scope, const struct scope_edges *edges) {
  struct graph graph = graph_new(scope->entries.count, edges->items, edges->count);
  uint8_t *state = checked_calloc(scope->entries.count, 1);
  for (uint32_t id = 1; id < scope->file_count; id++)
    if (scope->entries.items[id].kind == NAME_FUNCTION && state[id] == NEW)
      follow(scope, &graph, state, id);
  free(state);
  graph_free(&graph);
}

/* ---------------------------------------------------------------- bare numbers */

/* What one node means for the bareness of the expression around it: true if it spoils it. */
static bool spoils(const struct scope *scope, const struct scope_text *text, ast_expr e,
                   uint32_t *entry) {
  const struct ast_expression *n = ast_expression(text->ast, e);
  *entry = 0;
  switch ((enum ast_expr_kind)n->kind) {
  case AST_NUMBER:
  case AST_UNARY:
  case AST_BINARY:
  case AST_IF:
  case AST_REDUCE:
  case AST_TUPLE:
  case AST_INDEX:
    return false;
  case AST_CALL:
    return scope_builtin_of(text, e) < 0;
  case AST_NAME:
    *entry = scope_entry_of(text, e);
    if (*entry == 0) return true;
    return scope_entry(scope, *entry)->kind != NAME_CONST &&
           scope_entry(scope, *entry)->kind != NAME_INDEX;
  default:
    return true;
  }
}

bool scope_is_bare(const struct scope *scope, const struct scope_text *text, ast_expr e) {
  if (e == 0) return false;
  for (ast_expr at = ast_expression(text->ast, e)->first; at <= e; at++) {
    uint32_t entry;
    if (spoils(scope, text, at, &entry)) return false;
    if (entry != 0 && scope_entry(scope, entry)->kind == NAME_CONST &&
        !scope_entry(scope, entry)->is_bare)
      return false;
  }
  return true;
}

/* Adds edges from the consts that a value uses to the const it belongs to; true if the value
 * spoils it by itself. */
static bool find_edges(const struct scope *scope, uint32_t id, ast_expr value,
                       struct scope_edges *edges) {
  bool spoiled = false;
  if (value == 0) return false;
  for (ast_expr at = ast_expression(scope->model.ast, value)->first; at <= value; at++) {
    uint32_t used;
    spoiled = spoils(scope, &scope->model, at, &used) || spoiled;
    struct scope_edge edge = {used, id};
    if (used != 0 && scope_entry(scope, used)->kind == NAME_CONST) vector_push(edges, edge);
  }
  return spoiled;
}

/* All consts are bare, but those that say a unit, and those that use one that is not. */
void scope_find_bare_consts(struct scope *scope) {
  struct scope_edges edges = {0};
  VECTOR(uint32_t) spoiled = {0};
  for (uint32_t id = 1; id < scope->file_count; id++) {
    struct name_entry *entry = &scope->entries.items[id];
    if (entry->kind != NAME_CONST) continue;
    entry->is_bare = true;
    for (uint32_t s = entry->first_site; s != 0; s = scope->sites.items[s].next) {
      const struct ast_item *item = scope->sites.items[s].item;
      if (find_edges(scope, id, item->value, &edges) || item->unit != NULL) entry->is_bare = false;
    }
    if (!entry->is_bare) vector_push(&spoiled, id);
  }
  struct graph graph = graph_new(scope->entries.count, edges.items, edges.count);
  while (spoiled.count > 0) {
    uint32_t id = vector_pop(&spoiled);
    for (uint32_t i = graph.first[id]; i < graph.first[id + 1]; i++) {
      struct name_entry *user = &scope->entries.items[graph.to[i]];
      if (!user->is_bare) continue;
      user->is_bare = false;
      vector_push(&spoiled, graph.to[i]);
    }
  }
  graph_free(&graph);
  vector_free(&edges);
  vector_free(&spoiled);
}
