/* What the names in one expression refer to, and whether numbers, conditions and arrays stand
 * where they can.
 *
 * The nodes are in postorder; going through them backwards meets every node before what it is made
 * of, so that a parent says what it wants of its children, and the index of a sum is known in the
 * sum's body, which is a range of nodes. */
#include "sema/scope_resolve.h"
#include <string.h>

struct open_sum { /* its index is known down to `first` */
  ast_expr first;
};

static const struct ast_expression *node(const struct resolver *r, ast_expr e) {
  return ast_expression(r->text->ast, e);
}

void resolve_want(struct resolver *r, ast_expr e, enum wanted wanted) {
  if (e != 0) r->wanted[e] = (uint8_t)wanted;
}

void resolve_want_list(struct resolver *r, struct ast_list list, enum wanted wanted) {
  for (uint32_t i = 0; i < list.count; i++)
    resolve_want(r, ast_list_item(r->text->ast, list, i), wanted);
}

static void want_nothing_below(struct resolver *r, const struct ast_expression *n) {
  resolve_want(r, n->operand, WANT_NOTHING);
  resolve_want(r, n->second, WANT_NOTHING);
  resolve_want(r, n->third, WANT_NOTHING);
  resolve_want_list(r, n->list, WANT_NOTHING);
}

void resolve_refuse(struct resolver *r, ast_expr e) {
  r->text->functions[e] = SCOPE_REFUSED;
  want_nothing_below(r, node(r, e));
}

uint32_t resolve_add_local(struct resolver *r, enum name_kind kind, const char *name,
                           struct span span) {
  scope_check_predeclared(r->scope, name, span);
  uint32_t id = scope_add_entry(r->scope, kind, name, span);
  vector_push(&r->locals, id);
  return id;
}

uint32_t resolve_find(const struct resolver *r, const char *name) {
  for (uint32_t i = r->locals.count; i-- > 0;)
    if (r->scope->entries.items[r->locals.items[i]].name == name) return r->locals.items[i];
  uint32_t id = scope_lookup(r->scope, name);
  if (id != 0) return id;
  return map_get(&r->scope->by_output, (uint64_t)(uintptr_t)name);
}

/* ---------------------------------------------------------------- names */

static bool is_scalar_kind(enum name_kind kind) {
  return kind == NAME_CONST || kind == NAME_PARAM || kind == NAME_INPUT || kind == NAME_COORD ||
         kind == NAME_STATE || kind == NAME_SPEED || kind == NAME_INDEX || kind == NAME_TIME ||
         kind == NAME_PI;
}

static void report_kind(struct resolver *r, const struct ast_expression *n,
                        const struct name_entry *entry) {
  dyn_context *context = r->scope->context;
  const char *article = strchr("aeiou", name_kind_word(entry->kind)[0]) != NULL ? "an" : "a";
  const char *what = arena_format(&context->arena, "%s %s", article, name_kind_word(entry->kind));
  struct diagnostic *d =
      diagnostic_add(context, DIAG_NAME_WITHOUT_VALUE, n->span, n->name, what, NULL);
  if (entry->span.source != 0) diagnostic_label(context, d, entry->span, "declared here");
  if (entry->kind == NAME_FUNCTION)
    diagnostic_help(context, d, "call it: %s(...)", n->name);
  else if (entry->kind == NAME_OUTPUT)
    diagnostic_help(context, d, "an output is only recorded; name the value with 'let %s = ...'",
                    n->name);
  else if (entry->kind == NAME_CONSTRAINT)
    diagnostic_help(context, d, "its Lagrange multiplier is multiplier(%s%s)", n->name,
                    entry->rank > 1   ? "[i, 1]"
                    : entry->has_axes ? "[1]"
                    : entry->rank > 0 ? "[i]"
                                      : "");
}

static bool wants_constraint(enum wanted wanted) {
  return wanted == WANT_CONSTRAINT || wanted == WANT_CONSTRAINTS || wanted == WANT_WHOLE;
}

/* How many indices say what is wanted: the whole of a constraint along axes has none for them. */
static uint32_t rank_wanted(const struct name_entry *entry, enum wanted wanted) {
  return entry->rank - (wanted == WANT_WHOLE && entry->has_axes ? 1 : 0);
}

static void report_missing_index(struct resolver *r, const struct ast_expression *n,
                                 const struct name_entry *entry, enum wanted wanted) {
  dyn_context *context = r->scope->context;
  struct diagnostic *d = diagnostic_add(context, DIAG_MISSING_INDEX, n->span, n->name, NULL);
  diagnostic_label(context, d, entry->span, "declared here");
  if (entry->kind == NAME_CONSTRAINT)
    diagnostic_help(context, d, "write %s(%s[%s]) for one element",
                    wanted == WANT_WHOLE ? "reaction" : "multiplier", n->name,
                    rank_wanted(entry, wanted) > 1 ? "i, 1"
                    : entry->has_axes              ? "1"
                                                   : "i");
  else if (is_scalar_kind(entry->kind))
    diagnostic_help(context, d, "write %s[i] for one element, sum(i in 1..n, %s[i]) for all",
                    n->name, n->name);
  else
    diagnostic_help(context, d, "write %s[i] for one element", n->name);
}

/* The index of a loop around the function that is being read. */
static bool is_outside(const struct resolver *r, uint32_t id) {
  for (uint32_t i = 0; i < r->visible; i++)
    if (r->locals.items[i] == id) return true;
  return false;
}

static void resolve_name(struct resolver *r, ast_expr e, enum wanted wanted) {
  const struct ast_expression *n = node(r, e);
  bool is_constraint = wants_constraint(wanted);
  if (r->in_axis && resolve_axis(r, e)) return;
  uint32_t id = resolve_find(r, n->name);
  /* A constraint without a label has not taken a name from the model. */
  if (r->scope->entries.items[id].is_unlabelled && !is_constraint) id = 0;
  if (id != 0 && is_outside(r, id)) {
    diagnostic_add(r->scope->context, DIAG_INDEX_IN_FUNCTION, n->span, n->name, NULL);
    return;
  }
  if (id == 0) {
    if (!r->scope->has_import)
      scope_report_unknown(r->scope, n->name, n->span, false, r->locals.items, r->locals.count);
    return;
  }
  struct name_entry *entry = &r->scope->entries.items[id];
  entry->use_count++;
  if (entry->is_broken) return;
  switch (entry->kind) {
  case NAME_OUTPUT:
  case NAME_FUNCTION:
    report_kind(r, n, entry);
    return;
  case NAME_CONSTRAINT:
    if (is_constraint) break;
    report_kind(r, n, entry);
    return;
  default:
    break;
  }
  r->text->entries[e] = id;
  if (wanted == WANT_ARRAY || wanted == WANT_CONSTRAINTS || rank_wanted(entry, wanted) == 0) return;
  report_missing_index(r, n, entry, wanted);
}

static void report_scalar_index(struct resolver *r, const struct ast_expression *array,
                                const struct name_entry *entry) {
  dyn_context *context = r->scope->context;
  struct diagnostic *d = diagnostic_add(context, DIAG_NOT_AN_ARRAY, array->span,
                                        arena_format(&context->arena, "'%s'", array->name), NULL);
  if (entry->span.source != 0) diagnostic_label(context, d, entry->span, "declared here");
  if (is_scalar_kind(entry->kind) || entry->kind == NAME_LET)
    diagnostic_help(context, d,
                    "if a unit is meant: '%s' has its unit already; leave the bracket out",
                    array->name);
}

/* An index behind something that is no name. */
static void report_no_array(struct resolver *r, ast_expr e) {
  dyn_context *context = r->scope->context;
  const struct ast_expression *array = node(r, node(r, e)->operand);
  if (resolve_is_silent(r, node(r, e)->operand)) return;
  struct diagnostic *d = diagnostic_add(context, DIAG_NOT_AN_ARRAY, array->span, "this", NULL);
  if (array->kind == AST_INDEX)
    diagnostic_help(context, d, "several indices stand in one bracket: [i, j]");
}

static void check_index(struct resolver *r, ast_expr e, enum wanted wanted) {
  const struct ast_expression *n = node(r, e);
  const struct ast_expression *array = node(r, n->operand);
  bool is_constraint = wants_constraint(wanted);
  resolve_want(r, n->operand, is_constraint ? WANT_CONSTRAINTS : WANT_ARRAY);
  resolve_want_list(r, n->list, WANT_NUMBER);
  if (array->kind == AST_ERROR) return;
  if (array->kind != AST_NAME) {
    resolve_want(r, n->operand, WANT_NUMBER);
    report_no_array(r, e);
    r->text->functions[e] = SCOPE_REFUSED;
    return;
  }
  uint32_t id = resolve_find(r, array->name);
  const struct name_entry *entry = &r->scope->entries.items[id];
  uint32_t rank = rank_wanted(entry, wanted);
  if (id == 0 || entry->is_broken || rank == n->list.count) return;
  dyn_context *context = r->scope->context;
  uint32_t given = n->list.count - entry->lead;
  rank -= entry->lead;
  if (rank == 0) {
    if (entry->kind == NAME_FUNCTION) return;
    report_scalar_index(r, array, entry);
    r->scope->entries.items[id].use_count++;
    resolve_refuse(r, e);
    return;
  }
  if (given == 0) { /* a member of an element of an array of instances */
    report_missing_index(r, array, entry, wanted);
    return;
  }
  struct diagnostic *d =
      diagnostic_add(context, DIAG_INDEX_COUNT, n->span, array->name,
                     arena_format(&context->arena, "%u %s", rank, rank == 1 ? "index" : "indices"),
                     arena_format(&context->arena, "%u", given), NULL);
  diagnostic_label(context, d, entry->span, "declared here");
}

/* ---------------------------------------------------------------- calls */

static void report_count(struct resolver *r, const struct ast_expression *n, uint32_t least,
                         uint32_t most, const struct name_entry *entry) {
  dyn_context *context = r->scope->context;
  for (uint32_t i = 0; i < n->list.count; i++) /* a missing argument was reported */
    if (node(r, ast_list_item(r->text->ast, n->list, i))->kind == AST_ERROR) return;
  const char *takes = least == most  ? arena_format(&context->arena, "%u", least)
                      : most >= 1000 ? arena_format(&context->arena, "at least %u", least)
                                     : arena_format(&context->arena, "%u or %u", least, most);
  const char *noun = least == 1 && most == 1 ? "argument" : "arguments";
  const char *given = arena_format(&context->arena, "%u", n->list.count);
  struct diagnostic *d =
      diagnostic_add(context, DIAG_ARGUMENT_COUNT, n->span, n->name, takes, noun, given, NULL);
  if (entry != NULL) diagnostic_label(context, d, entry->span, "declared here");
}

static void resolve_builtin(struct resolver *r, ast_expr e, int function) {
  const struct ast_expression *n = node(r, e);
  if (builtin_is_refused(function)) {
    diagnostic_add(r->scope->context, DIAG_EXPRESSION_NOT_SUPPORTED, n->span,
                   arena_format(&r->scope->context->arena, "'%s(...)'", n->name), NULL);
    r->scope->has_refused = true;
    want_nothing_below(r, n);
    return;
  }
  resolve_want_list(r, n->list, WANT_NUMBER);
  uint32_t least = builtin_least(function), most = builtin_most(function);
  if (n->list.count < least || (most < 1000 && n->list.count > most))
    report_count(r, n, least, most, NULL);
  else if (function == BUILTIN_multiplier || function == BUILTIN_reaction)
    resolve_multiplier(r, e, function);
  else
    r->text->functions[e] = (uint8_t)(function + 1);
}

static void report_not_a_function(struct resolver *r, const struct ast_expression *n,
                                  const struct name_entry *entry) {
  dyn_context *context = r->scope->context;
  struct diagnostic *d = diagnostic_add(context, DIAG_NOT_A_FUNCTION, n->name_span, n->name,
                                        name_kind_word(entry->kind), NULL);
  if (entry->span.source != 0) diagnostic_label(context, d, entry->span, "declared here");
  diagnostic_help(context, d, "a product is written %s*(...)", n->name);
}

/* A name that is called: the file's functions, then the built-in ones. */
static void resolve_call(struct resolver *r, ast_expr e) {
  const struct ast_expression *n = node(r, e);
  uint32_t id = scope_lookup(r->scope, n->name);
  struct name_entry *entry = id != 0 ? &r->scope->entries.items[id] : NULL;
  int builtin = builtin_find(n->name);
  if (entry != NULL && entry->kind != NAME_FUNCTION && builtin >= 0) entry = NULL;
  if (entry == NULL) {
    uint32_t local = resolve_find(r, n->name);
    if (builtin >= 0) {
      resolve_builtin(r, e, builtin);
    } else if (local != 0) {
      report_not_a_function(r, n, &r->scope->entries.items[local]);
    } else if (!r->scope->has_import) {
      scope_report_unknown(r->scope, n->name, n->name_span, true, NULL, 0);
    }
    return;
  }
  entry->use_count++;
  if (entry->is_broken) return;
  if (entry->kind != NAME_FUNCTION) {
    report_not_a_function(r, n, entry);
    return;
  }
  const struct ast_statement *function = r->scope->sites.items[entry->first_site].statement;
  if (n->list.count != function->formals.count) {
    report_count(r, n, function->formals.count, function->formals.count, entry);
    return;
  }
  r->text->entries[e] = id;
  struct scope_edge call = {r->function, id};
  if (r->function != 0) vector_push(&r->calls, call);
}

/* ---------------------------------------------------------------- operators */

static bool is_relation(enum ast_operator operator_) {
  return operator_ >= AST_LESS && operator_ <= AST_NOT_EQUAL;
}

static bool is_connective(enum ast_operator operator_) {
  return operator_ == AST_AND || operator_ == AST_OR || operator_ == AST_NOT;
}

static bool gives_truth(const struct ast_expression *n) {
  return (n->kind == AST_BINARY || n->kind == AST_UNARY) &&
         (is_relation(n->operator_) || is_connective(n->operator_));
}

/* False if the node can't stand here, which is then reported. */
static bool check_wanted(struct resolver *r, const struct ast_expression *n, enum wanted wanted) {
  if (n->kind == AST_ERROR) return true;
  if (wanted == WANT_TRUTH && !gives_truth(n)) {
    struct diagnostic *d =
        diagnostic_add(r->scope->context, DIAG_NUMBER_AS_CONDITION, n->span, NULL);
    diagnostic_help(r->scope->context, d, "compare it with something: ... > 0");
    return false;
  }
  if (wanted != WANT_TRUTH && gives_truth(n)) {
    struct diagnostic *d =
        diagnostic_add(r->scope->context, DIAG_CONDITION_AS_NUMBER, n->span, NULL);
    diagnostic_help(r->scope->context, d, "make a number of it: (if ... then 1 else 0)");
    return false;
  }
  if (n->kind == AST_STRING && wanted != WANT_TEXT) {
    diagnostic_add(r->scope->context, DIAG_TEXT_AS_NUMBER, n->span, NULL);
    return false;
  }
  return true;
}

static void resolve_operator(struct resolver *r, const struct ast_expression *n) {
  enum wanted inner = is_connective(n->operator_) ? WANT_TRUTH : WANT_NUMBER;
  resolve_want(r, n->operand, inner);
  resolve_want(r, n->second, inner);
}

/* ---------------------------------------------------------------- all nodes */

static void resolve_sum(struct resolver *r, ast_expr e) {
  const struct ast_expression *n = node(r, e);
  resolve_want(r, n->operand, WANT_NUMBER);
  resolve_want(r, n->second, WANT_NUMBER);
  resolve_want(r, n->third, WANT_NUMBER);
  r->text->entries[e] = resolve_add_local(r, NAME_INDEX, n->name, n->name_span);
}

static bool takes_tuple(enum wanted wanted) {
  return wanted == WANT_VALUES || wanted == WANT_TUPLE || wanted == WANT_COMPONENTS;
}

static void resolve_node(struct resolver *r, ast_expr e) {
  const struct ast_expression *n = node(r, e);
  enum wanted wanted = (enum wanted)r->wanted[e];
  if (wanted == WANT_NOTHING || !check_wanted(r, n, wanted)) {
    resolve_refuse(r, e);
    if (n->kind == AST_REDUCE) resolve_add_local(r, NAME_INDEX, n->name, n->name_span);
    return;
  }
  switch ((enum ast_expr_kind)n->kind) {
  case AST_NAME:
    resolve_name(r, e, wanted);
    break;
  case AST_MEMBER:
    resolve_member(r, e, wanted);
    break;
  case AST_MEMBER_CALL:
    resolve_member_call(r, e);
    break;
  case AST_INDEX:
    check_index(r, e, wanted);
    break;
  case AST_UNIT:
    resolve_want(r, n->operand, takes_tuple(wanted) ? wanted : WANT_NUMBER);
    break;
  case AST_CALL:
    resolve_want_list(r, n->list, WANT_NUMBER);
    resolve_call(r, e);
    break;
  case AST_IF:
    resolve_want(r, n->operand, WANT_TRUTH);
    resolve_want(r, n->second, WANT_NUMBER);
    resolve_want(r, n->third, WANT_NUMBER);
    break;
  case AST_REDUCE:
    resolve_sum(r, e);
    break;
  case AST_TUPLE:
    resolve_tuple(r, e, wanted);
    break;
  case AST_IN:
    resolve_want(r, n->operand, WANT_COMPONENTS);
    resolve_want(r, n->second, WANT_NUMBER);
    break;
  case AST_ERROR:
  case AST_NUMBER:
  case AST_STRING:
    break;
  default:
    resolve_operator(r, n);
    break;
  }
}

void resolve_expression(struct resolver *r, ast_expr e, enum wanted wanted) {
  if (e == 0) return;
  VECTOR(struct open_sum) open = {0};
  uint32_t outer = r->locals.count;
  ast_expr first = node(r, e)->first;
  for (ast_expr at = first; at < e; at++) resolve_want(r, at, WANT_NUMBER);
  resolve_want(r, e, wanted);
  for (ast_expr at = e + 1; at-- > first;) {
    while (open.count > 0 && at < vector_last(&open).first) {
      r->locals.count--;
      open.count--;
    }
    resolve_node(r, at);
    if (node(r, at)->kind == AST_REDUCE) {
      struct open_sum sum = {node(r, node(r, at)->third)->first};
      vector_push(&open, sum);
    }
  }
  r->locals.count = outer;
  vector_free(&open);
}
