/* Functions of the model are polymorphic: each call has its own dimensions.
 *
 * A definition is looked at once. Its arguments are unknowns of their own, bound in preference to
 * everything else, so that afterwards an argument is either free, or bound to a form over the free
 * arguments and names: that is what a call has to satisfy. The result is such a form, too. Callees
 * come before callers; functions that call themselves were refused by name resolution. */
#include "sema/dimension_private.h"
#include <stdlib.h>

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

/* ---------------------------------------------------------------- the order */

struct visit {
  uint32_t function; /* entry */
  ast_expr next;     /* node of the body to look at */
};

static const struct ast_statement *statement_of(const struct scope *scope, uint32_t entry) {
  return scope->sites.items[scope_entry(scope, entry)->first_site].statement;
}

struct order {
  VECTOR(uint32_t) functions; /* entries, callees first */
  VECTOR(struct visit) path;
  uint8_t *seen;
};

static void enter(struct order *order, const struct scope *scope, uint32_t entry) {
  const struct name_entry *function = scope_entry(scope, entry);
  if (order->seen[entry] != 0 || function->kind != NAME_FUNCTION || function->is_broken ||
      function->first_site == 0)
    return;
  ast_expr body = statement_of(scope, entry)->value;
  order->seen[entry] = 1;
  struct visit visit = {entry, body != 0 ? ast_expression(scope->model.ast, body)->first : 1};
  vector_push(&order->path, visit);
}

static void order_from(struct order *order, const struct scope *scope, uint32_t start) {
  enter(order, scope, start);
  while (order->path.count > 0) {
    struct visit *top = &vector_last(&order->path);
    ast_expr body = statement_of(scope, top->function)->value;
    if (top->next > body) {
      vector_push(&order->functions, top->function);
      order->path.count--;
      continue;
    }
    ast_expr at = top->next++;
    if (ast_expression(scope->model.ast, at)->kind == AST_CALL)
      enter(order, scope, scope_entry_of(&scope->model, at));
  }
}

/* ---------------------------------------------------------------- definitions */

static void make_scheme(struct dimension_table *table, uint32_t entry) {
  const struct ast_statement *statement = statement_of(table->scope, entry);
  struct walk w = {table, &table->scope->model};
  struct function_scheme scheme = {.statement = statement,
                                   .first_argument = table->solver.variables.count,
                                   .is_broken = statement->value == 0};
  uint32_t first = map_get(&table->scope->by_statement, key_of(statement));
  if (table->solver.variables.count == 0) scheme.first_argument = 1;
  for (uint32_t i = 0; i < statement->formals.count; i++)
    table->names[first + i].variable = solver_add(&table->solver, VARIABLE_ARGUMENT);
  if (!scheme.is_broken) {
    struct quantity result = dimension_walk(&w, statement->value);
    scheme.is_broken = result.broken;
    scheme.result = result.form;
  }
  vector_push(&table->schemes, scheme);
  map_set(&table->scheme_of, entry, table->schemes.count - 1);
}

void dimension_make_schemes(struct dimension_table *table) {
  const struct scope *scope = table->scope;
  struct order order = {.seen = checked_calloc(scope->entries.count + 1, 1)};
  struct function_scheme none = {.is_broken = true};
  vector_push(&table->schemes, none);
  for (uint32_t id = 1; id < scope->file_count; id++) order_from(&order, scope, id);
  for (uint32_t i = 0; i < order.functions.count; i++) make_scheme(table, order.functions.items[i]);
  vector_free(&order.functions);
  vector_free(&order.path);
  free(order.seen);
}

void dimension_check_schemes(struct dimension_table *table) {
  struct walk w = {table, &table->scope->model};
  for (uint32_t i = 1; i < table->schemes.count; i++) {
    if (table->schemes.items[i].statement->value == 0) continue;
    table->in_function = table->schemes.items[i].statement;
    struct quantity result = dimension_walk(&w, table->schemes.items[i].statement->value);
    quantity_free(&result);
  }
  table->in_function = NULL;
}

/* ---------------------------------------------------------------- calls */

/* A form over a function's arguments, with those of a call in their place. False if one of them
 * is broken; a literal 0 stands for whatever fits. */
static bool instantiate(struct walk *w, const struct function_scheme *scheme, struct form *form,
                        const struct quantity *arguments, uint32_t count,
                        const uint32_t *stand_ins) {
  struct solver *solver = &w->table->solver;
  form_reduce(solver, form);
  struct form out = form_of(&form->constant);
  bool fits = true;
  for (uint32_t i = 0; i < form->count; i++) {
    uint32_t at = form->terms[i].variable - scheme->first_argument;
    bool is_argument = form->terms[i].variable >= scheme->first_argument && at < count;
    if (is_argument && arguments[at].broken) fits = false;
    if (is_argument && !arguments[at].any) {
      form_multiply(solver, &out, &arguments[at].form, form->terms[i].power);
      continue;
    }
    struct form other = form_of_variable(is_argument ? stand_ins[at] : form->terms[i].variable);
    form_multiply(solver, &out, &other, form->terms[i].power);
    form_free(&other);
  }
  form_free(form);
  *form = out;
  return fits;
}

/* What the definition asks of one argument. False if the call does not satisfy it. */
static bool apply_argument(struct walk *w, ast_expr call, const struct function_scheme *scheme,
                           const struct quantity *arguments, uint32_t count, uint32_t i,
                           const uint32_t *stand_ins) {
  struct solver *solver = &w->table->solver;
  uint32_t variable = scheme->first_argument + i;
  if (!solver->variables.items[variable].is_bound || arguments[i].any) return true;
  struct form expected = form_of_variable(variable);
  if (!instantiate(w, scheme, &expected, arguments, count, stand_ins)) {
    form_free(&expected);
    return false;
  }
  struct form difference = form_copy(&expected);
  form_multiply(solver, &difference, &arguments[i].form, rational_integer(-1));
  bool fits = form_equate_one(solver, &difference, ast_expression(w->text->ast, call)->span);
  if (!fits && !arguments[i].frame)
    report_call(w, call, &arguments[i], &expected, solver->variables.items[variable].origin);
  form_free(&difference);
  form_free(&expected);
  return fits;
}

struct quantity dimension_apply(struct walk *w, ast_expr call, const struct quantity *arguments,
                                uint32_t count) {
  struct quantity out = {.node = call, .form = {.constant = dimension_pure()}};
  uint32_t id = map_get(&w->table->scheme_of, scope_entry_of(w->text, call));
  struct function_scheme scheme = w->table->schemes.items[id];
  out.broken = scheme.is_broken;
  for (uint32_t i = 0; i < count; i++) out.broken = out.broken || arguments[i].broken;
  if (out.broken) return out;
  uint32_t *stand_ins = checked_calloc(count + 1, sizeof *stand_ins);
  for (uint32_t i = 0; i < count; i++)
    if (arguments[i].any) stand_ins[i] = solver_add(&w->table->solver, VARIABLE_TEMPORARY);
  for (uint32_t i = 0; i < count && !out.broken; i++)
    out.broken = !apply_argument(w, call, &scheme, arguments, count, i, stand_ins);
  if (!out.broken) {
    out.form = form_copy(&scheme.result);
    out.broken = !instantiate(w, &scheme, &out.form, arguments, count, stand_ins);
  }
  free(stand_ins);
  return out;
}
