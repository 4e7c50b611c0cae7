/* All unit brackets of a text: what they mean, and whether they make the model one with dimensions.
 */
#include "sema/dimension_private.h"
#include <stdlib.h>

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

const struct unit *dimension_unit(const struct dimension_table *table,
                                  const struct ast_unit *unit) {
  uint32_t id = unit != NULL ? map_get(&table->unit_of, key_of(unit)) : 0;
  return &table->units.items[id];
}

bool dimension_unit_is_refused(const struct dimension_table *table, const struct ast_unit *unit) {
  return unit != NULL && map_get(&table->refused, key_of(unit)) != 0;
}

static void add_unit(struct dimension_table *table, const struct ast_unit *source) {
  if (source == NULL || map_get(&table->unit_of, key_of(source)) != 0) return;
  struct unit unit;
  if (!unit_evaluate(table->context, source, &unit)) map_set(&table->refused, key_of(source), 1);
  vector_push(&table->units, unit);
  map_set(&table->unit_of, key_of(source), table->units.count - 1);
}

static void collect_block(struct dimension_table *table, struct ast_statement *const *statements,
                          uint32_t count) {
  for (uint32_t s = 0; s < count; s++) {
    const struct ast_statement *statement = statements[s];
    for (uint32_t i = 0; i < statement->items.count; i++)
      add_unit(table, statement->items.items[i].unit);
    for (uint32_t i = 0; i < statement->formals.count; i++)
      add_unit(table, statement->formals.items[i].unit);
    collect_block(table, statement->body.items, statement->body.count);
    collect_block(table, statement->otherwise.items, statement->otherwise.count);
  }
}

void dimension_collect_units(struct dimension_table *table, const struct ast *ast) {
  if (table->units.count == 0) {
    struct dimension pure = dimension_pure();
    struct unit none = unit_of_dimension(table->context, &pure, rational_integer(0));
    vector_push(&table->units, none);
  }
  collect_block(table, ast->statements.items, ast->statements.count);
  for (uint32_t e = 1; e < ast->expressions.count; e++)
    if (ast->expressions.items[e].kind == AST_UNIT) add_unit(table, ast->expressions.items[e].unit);
}

/* ---------------------------------------------------------------- dimensionless models */

/* An angle or an angular rate: rad, deg, rad/s, rpm; also the unit 1. */
static bool is_angular(const struct unit *unit) {
  struct dimension rate = dimension_of_base(UNIT_SECOND, -1);
  if (dimension_is_pure(&unit->dimension)) return true;
  return dimension_equal(&unit->dimension, &rate) &&
         rational_equal(unit->angle, rational_integer(1));
}

/* Marks the units in the arguments of `simulate`. */
static void mark_runs(const struct ast *ast, uint8_t *is_run) {
  for (uint32_t s = 0; s < ast->statements.count; s++) {
    const struct ast_statement *statement = ast->statements.items[s];
    if (statement->kind != AST_SIMULATE) continue;
    for (uint32_t i = 0; i < statement->arguments.count; i++) {
      ast_expr argument = ast_list_item(ast, statement->arguments, i);
      for (ast_expr e = ast_expression(ast, argument)->first; e <= argument; e++) is_run[e] = 1;
    }
  }
}

static bool has_dimension(const struct dimension_table *table,
                          struct ast_statement *const *statements, uint32_t count) {
  for (uint32_t s = 0; s < count; s++) {
    const struct ast_statement *statement = statements[s];
    for (uint32_t i = 0; i < statement->items.count; i++)
      if (!is_angular(dimension_unit(table, statement->items.items[i].unit))) return true;
    for (uint32_t i = 0; i < statement->formals.count; i++)
      if (!is_angular(dimension_unit(table, statement->formals.items[i].unit))) return true;
    if (has_dimension(table, statement->body.items, statement->body.count) ||
        has_dimension(table, statement->otherwise.items, statement->otherwise.count))
      return true;
  }
  return false;
}

bool dimension_find_dimensionless(struct dimension_table *table, const struct ast *ast) {
  if (ast->written != NULL) ast = ast->written; /* units of other files do not count */
  if (has_dimension(table, ast->statements.items, ast->statements.count)) return false;
  uint8_t *is_run = checked_calloc(ast->expressions.count + 1, 1);
  mark_runs(ast, is_run);
  bool found = false;
  for (uint32_t e = 1; e < ast->expressions.count && !found; e++) {
    const struct ast_expression *n = &ast->expressions.items[e];
    found = n->kind == AST_UNIT && is_run[e] == 0 && !is_angular(dimension_unit(table, n->unit));
  }
  free(is_run);
  return !found;
}
