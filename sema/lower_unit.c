/* Units of numbers. Before dimensions are known (while constants are evaluated), a unit is looked
 * up directly; each bracket once, so that its faults are reported once. */
#include "sema/lower.h"

static const struct unit *evaluate_early(struct lowering *l, const struct ast_unit *unit) {
  uint64_t key = (uint64_t)(uintptr_t)unit;
  uint32_t known = map_get(&l->units, key);
  if (known != 0) return l->unit_list.items[known - 1];
  struct unit *result = arena_new(&l->context->arena, struct unit);
  unit_evaluate(l->context, unit, result);
  vector_push(&l->unit_list, result);
  map_set(&l->units, key, l->unit_list.count);
  return result;
}

const struct unit *lower_unit(struct lowering *l, const struct ast_unit *unit) {
  if (unit == NULL) return NULL;
  if (l->dimensions == NULL) return evaluate_early(l, unit);
  return dimension_unit(l->dimensions, unit);
}

expr lower_scale(struct lowering *l, const struct unit *unit) {
  if (unit == NULL) return expr_integer(l->graph, 1);
  return unit_scale_expr(l->graph, unit);
}
