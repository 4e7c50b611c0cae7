/* The dimension check from outside: its passes, and what it knows about names afterwards. */
#include "sema/dimension_private.h"
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- names */

static bool is_quantity(enum name_kind kind) {
  return kind == NAME_CONST || kind == NAME_PARAM || kind == NAME_INPUT || kind == NAME_COORD ||
         kind == NAME_STATE || kind == NAME_SPEED || kind == NAME_LET || kind == NAME_OUTPUT;
}

static uint32_t unit_id(const struct dimension_table *table, const struct ast_unit *unit) {
  return (uint32_t)(dimension_unit(table, unit) - table->units.items);
}

/* The unit that a declaration states: with the name, or as that of its numbers, as in
 * `param m = 2 [kg]`. An output only shows what is computed. */
static const struct ast_unit *stated_unit(const struct dimension_table *table,
                                          const struct ast_item *item, enum name_kind kind) {
  if (item == NULL || item->unit != NULL) return item != NULL ? item->unit : NULL;
  if (item->value == 0 || kind == NAME_OUTPUT) return NULL;
  const struct scope_text *text = &table->scope->model;
  const struct ast_expression *n = ast_expression(text->ast, item->value);
  if (n->kind == AST_UNARY) n = ast_expression(text->ast, n->operand);
  return n->kind == AST_UNIT && scope_is_bare(table->scope, text, n->operand) ? n->unit : NULL;
}

/* The declared units of a name agree; the first one is the name's. */
static void declare_name(struct dimension_table *table, uint32_t id) {
  const struct name_entry *entry = scope_entry(table->scope, id);
  struct name_dimension *name = &table->names[id];
  for (uint32_t s = entry->first_site; s != 0; s = table->scope->sites.items[s].next) {
    const struct ast_item *item = table->scope->sites.items[s].item;
    const struct ast_unit *source = stated_unit(table, item, entry->kind);
    if (source == NULL || item->primes > 0) continue;
    if (dimension_unit_is_refused(table, source)) {
      name->is_broken = true;
      continue;
    }
    const struct unit *unit = dimension_unit(table, source);
    if (name->unit == 0) {
      name->unit = unit_id(table, source);
      name->unit_span = source->span;
      name->dimension = unit->dimension;
    } else if (!dimension_equal(&unit->dimension, &name->dimension) && item->unit != NULL) {
      report_elements(table, entry->name, unit, source->span, &table->units.items[name->unit],
                      name->unit_span);
    }
  }
}

static void declare_names(struct dimension_table *table) {
  const struct scope *scope = table->scope;
  table->name_count = scope->entries.count;
  table->names = checked_calloc(table->name_count + 1, sizeof *table->names);
  for (uint32_t id = 1; id < table->name_count; id++) {
    table->names[id].dimension = dimension_pure();
    enum name_kind kind = scope_entry(scope, id)->kind;
    if (kind == NAME_CONSTRAINT)
      table->names[id].variable = solver_add(&table->solver, VARIABLE_TEMPORARY);
    if (kind == NAME_POINT) table->names[id].dimension = dimension_of_base(UNIT_METRE, 1);
    if (!is_quantity(kind)) continue;
    declare_name(table, id);
    if (table->names[id].unit == 0)
      table->names[id].variable =
          solver_add(&table->solver, kind == NAME_CONST ? VARIABLE_CONSTANT : VARIABLE_NAME);
  }
}

/* ---------------------------------------------------------------- start velocities */

/* `coord x [m] = 0, x' [m/s] = 1`: the second unit is that of x divided by the second; it says what
 * x is where x has none. */
static void declare_velocity(struct dimension_table *table, const struct ast_item *item) {
  uint32_t id = map_get(&table->scope->by_name, (uint64_t)(uintptr_t)item->name);
  if (id == 0 || !is_quantity(scope_entry(table->scope, id)->kind)) return;
  struct name_dimension *name = &table->names[id];
  const struct ast_unit *source = stated_unit(table, item, NAME_COORD);
  if (source == NULL || dimension_unit_is_refused(table, source) || name->is_broken) return;
  const struct unit *unit = dimension_unit(table, source);
  if (table->is_dimensionless || item->unit == NULL) { /* else the value is checked later */
    if (item->primes == 1 && name->velocity_unit == 0) name->velocity_unit = unit_id(table, source);
    return;
  }
  struct dimension second = dimension_of_base(UNIT_SECOND, 1), position = unit->dimension;
  if (!dimension_multiply(&unit->dimension, &second, rational_integer(item->primes), &position))
    return;
  struct form form = dimension_form_of_name(table, id), other = form_of(&position);
  form_multiply(&table->solver, &form, &other, rational_integer(-1));
  if (!form_equate_one(&table->solver, &form, item->unit->span)) {
    struct unit there =
        name->unit != 0
            ? unit_derivative(table->context, &table->units.items[name->unit], item->primes)
            : dimension_of_name(table, id, item->primes);
    report_elements(
        table, arena_format(&table->context->arena, "%s%.*s", item->name, item->primes, "''''"),
        unit, item->unit->span, &there, name->unit_span);
  } else if (item->primes == 1 && name->velocity_unit == 0) {
    name->velocity_unit = unit_id(table, source);
  }
  form_free(&form);
}

static void declare_velocities(struct dimension_table *table,
                               struct ast_statement *const *statements, uint32_t count) {
  for (uint32_t s = 0; s < count; s++) {
    const struct ast_statement *statement = statements[s];
    for (uint32_t i = 0; i < statement->items.count; i++) {
      const struct ast_item *item = &statement->items.items[i];
      if (item->primes > 0) declare_velocity(table, item);
    }
    declare_velocities(table, statement->body.items, statement->body.count);
    declare_velocities(table, statement->otherwise.items, statement->otherwise.count);
  }
}

/* ---------------------------------------------------------------- passes */

static void infer(struct dimension_table *table) {
  dimension_make_schemes(table);
  dimension_walk_statements(table);
  for (uint32_t id = 1; id < table->name_count; id++) {
    uint32_t variable = table->names[id].variable;
    if (variable != 0 && scope_entry(table->scope, id)->kind != NAME_ARGUMENT)
      solver_default(&table->solver, variable);
  }
}

struct dimension_table *dimension_check(const struct scope *scope) {
  struct dimension_table *table = checked_calloc(1, sizeof *table);
  table->context = scope->context;
  table->scope = scope;
  const struct ast *ast = scope->model.ast;
  dimension_collect_units(table, ast);
  if (ast->written != NULL) dimension_collect_units(table, ast->written);
  table->is_dimensionless = dimension_find_dimensionless(table, ast);
  declare_names(table);
  declare_velocities(table, ast->statements.items, ast->statements.count);
  dimension_find_levels(table);
  if (!table->is_dimensionless) infer(table);
  table->is_checking = true;
  if (!table->is_dimensionless) dimension_check_schemes(table);
  dimension_walk_statements(table);
  return table;
}

void dimension_table_free(struct dimension_table *table) {
  if (table == NULL) return;
  for (uint32_t i = 0; i < table->schemes.count; i++) form_free(&table->schemes.items[i].result);
  solver_free(&table->solver);
  vector_free(&table->schemes);
  vector_free(&table->units);
  map_free(&table->scheme_of);
  map_free(&table->unit_of);
  map_free(&table->refused);
  free(table->names);
  free(table);
}

bool dimension_is_dimensionless(const struct dimension_table *table) {
  return table->is_dimensionless;
}

bool dimension_check_assignments(struct dimension_table *table, const struct scope_text *text) {
  uint32_t errors = table->context->diagnostics.error_count;
  struct walk w = {table, text};
  dimension_collect_units(table, text->ast);
  for (uint32_t s = 0; s < text->ast->statements.count; s++) {
    const struct ast_statement *statement = text->ast->statements.items[s];
    for (uint32_t i = 0; i < statement->equations.count; i++)
      dimension_walk_assignment(&w, &statement->equations.items[i]);
  }
  return table->context->diagnostics.error_count == errors;
}

/* ---------------------------------------------------------------- results */

/* `output w = θ'`: an angular rate, because θ is an angle. The entry that a name only repeats, and
 * how often it is primed there; 0 if it is no such name. */
static uint32_t find_repeated(const struct dimension_table *table, uint32_t entry,
                              unsigned *primes) {
  const struct scope *scope = table->scope;
  uint32_t site = scope_entry(scope, entry)->first_site;
  const struct ast_item *item = site != 0 ? scope->sites.items[site].item : NULL;
  ast_expr e = item != NULL ? item->value : 0;
  *primes = 0;
  while (e != 0) {
    const struct ast_expression *n = ast_expression(scope->model.ast, e);
    if (n->kind == AST_NAME) return scope_entry_of(&scope->model, e);
    if (n->kind != AST_PRIME && n->kind != AST_INDEX) return 0;
    if (n->kind == AST_PRIME) *primes += n->count;
    e = n->operand;
  }
  return 0;
}

/* An angular velocity or acceleration is in radians. */
static bool is_turning(const struct dimension_table *table, uint32_t entry) {
  const struct scope *scope = table->scope;
  uint32_t site = scope_entry(scope, entry)->first_site;
  const struct ast_item *item = site != 0 ? scope->sites.items[site].item : NULL;
  ast_expr e = item != NULL ? item->value : 0;
  while (e != 0 && (ast_expression(scope->model.ast, e)->kind == AST_MEMBER ||
                    ast_expression(scope->model.ast, e)->kind == AST_PRIME))
    e = ast_expression(scope->model.ast, e)->operand;
  if (e == 0 || ast_expression(scope->model.ast, e)->kind != AST_CALL) return false;
  int function = scope_builtin_of(&scope->model, e);
  return function == BUILTIN_omega || function == BUILTIN_alpha;
}

/* The SI unit of a name without a unit of its own. */
static struct unit implied_unit(const struct dimension_table *table, uint32_t entry) {
  struct rational no_angle = rational_integer(0);
  struct dimension dimension = dimension_pure();
  uint32_t variable = table->names[entry].variable;
  if (variable == 0 && !table->is_dimensionless) {
    dimension = table->names[entry].dimension;
  } else if (!table->is_dimensionless) {
    struct form form = form_of_variable(variable);
    form_reduce((struct solver *)&table->solver, &form); /* shortens chains, changes no answer */
    dimension = form.constant;
    form_free(&form);
  }
  unsigned primes;
  uint32_t repeated = find_repeated(table, entry, &primes);
  struct rational angle = no_angle;
  if (repeated != 0 && repeated < table->name_count && table->names[repeated].unit != 0) {
    const struct unit *unit = &table->units.items[table->names[repeated].unit];
    struct unit derived = unit_derivative(table->context, unit, primes);
    if (table->is_dimensionless) dimension = derived.dimension;
    if (dimension_equal(&derived.dimension, &dimension)) angle = derived.angle;
  }
  if (repeated == 0 && is_turning(table, entry)) angle = rational_integer(1);
  return unit_of_dimension(table->context, &dimension, angle);
}

struct unit dimension_of_name(const struct dimension_table *table, uint32_t entry,
                              unsigned primes) {
  if (entry == 0 || entry >= table->name_count) return table->units.items[0];
  const struct name_dimension *name = &table->names[entry];
  if (primes == 1 && name->velocity_unit != 0) return table->units.items[name->velocity_unit];
  if (name->unit != 0)
    return unit_derivative(table->context, &table->units.items[name->unit], primes);
  struct unit unit = implied_unit(table, entry);
  if (table->is_dimensionless && dimension_is_pure(&unit.dimension)) return unit;
  return unit_derivative(table->context, &unit, primes);
}

struct unit dimension_of_item(const struct dimension_table *table, uint32_t entry,
                              const struct ast_item *item) {
  enum name_kind kind = scope_entry(table->scope, entry)->kind;
  const struct ast_unit *stated = stated_unit(table, item, kind);
  if (stated != NULL) return *dimension_unit(table, stated);
  return dimension_of_name(table, entry, item != NULL ? item->primes : 0);
}

struct unit dimension_of_multiplier(const struct dimension_table *table, uint32_t entry,
                                    bool has_velocity) {
  struct dimension dimension = dimension_pure();
  if (!table->is_dimensionless) {
    struct dimension_table *solved = (struct dimension_table *)table; /* only shortens chains */
    struct form form = dimension_form_of_multiplier(solved, entry, has_velocity);
    form_reduce(&solved->solver, &form);
    dimension = form.constant;
    form_free(&form);
  }
  return unit_of_dimension(table->context, &dimension, rational_integer(0));
}

struct model_unit dimension_model_unit(struct expr_graph *graph, const struct unit *unit) {
  return (struct model_unit){unit->si, unit->text, unit_scale_expr(graph, unit)};
}

uint32_t dimension_rows(const struct dimension_table *table, struct model_dimension_row **rows) {
  uint32_t count = 0;
  *rows = arena_array(&table->context->arena, struct model_dimension_row, table->name_count + 1);
  for (uint32_t id = 1; id < table->name_count; id++) {
    const struct name_entry *entry = scope_entry(table->scope, id);
    if (!is_quantity(entry->kind) || entry->is_broken) continue;
    (*rows)[count++] = (struct model_dimension_row){name_kind_word(entry->kind), entry->name,
                                                    dimension_of_name(table, id, 0).si,
                                                    table->names[id].unit == 0};
  }
  return count;
}
