/* What the files of name resolution share; see scope.h for what it is. */
#ifndef DYN_SEMA_SCOPE_PRIVATE_H
#define DYN_SEMA_SCOPE_PRIVATE_H
#include "sema/scope.h"

/* Adds an entry that is not found by its letters; its id. */
uint32_t scope_add_entry(struct scope *scope, enum name_kind kind, const char *name,
                         struct span span);
/* A name that can't be declared again, anywhere; reports it. */
bool scope_check_predeclared(struct scope *scope, const char *name, struct span span);
uint32_t scope_lookup(const struct scope *scope, const char *name); /* 0: none */
/* Reports an unknown name, or function, with the nearest one. */
void scope_report_unknown(struct scope *scope, const char *name, struct span span, bool is_function,
                          const uint32_t *locals, uint32_t local_count);

/* How many indices it takes to name one element of what the item declares. */
static inline uint32_t scope_rank_of(const struct ast_item *item) {
  return item->is_range ? item->lead + 1 : item->indices.count;
}

/* Declares everything (scope.c), refuses what is not supported, then resolves (scope_resolve.c). */
void scope_resolve_model(struct scope *scope);
/* Reports functions that call themselves (scope_order.c); breaks them. `edges` are pairs of
 * entries: caller, callee. */
struct scope_edge {
  uint32_t from, to;
};
struct scope_edges {
  struct scope_edge *items;
  uint32_t count, capacity;
};
void scope_check_recursion(struct scope *scope, const struct scope_edges *edges);
/* Sets is_bare of every const. */
void scope_find_bare_consts(struct scope *scope);

/* "coord", "kinetic": the statement's keyword; for instances the component's name. */
const char *statement_word(const struct ast_statement *statement);
/* -1 if there is no such function. */
int builtin_find(const char *name);
const char *builtin_name(int function);
uint32_t builtin_least(int function);
uint32_t builtin_most(int function);
/* Not supported yet. */
bool builtin_is_refused(int function);
/* enum member; -1 if nothing has such a one. */
int member_find(const char *name);
const char *member_name(enum member member);
/* The kind of names that a statement declares, NAME_NONE if it declares none. */
enum name_kind statement_name_kind(enum ast_statement_kind kind);
/* Not supported yet: refused as a whole. */
bool statement_is_refused(enum ast_statement_kind kind);
#endif
