/* The mass matrix of a recursion on the tape, where its entries are not derived as expressions
 * (derive/recursion_mass.c): a multiplication and an addition for each move. */
#include "codegen/program_build.h"

static void plan(struct tape_builder *builder, const struct recursion *r) {
  struct expr_list roots = {0};
  for (uint32_t i = 0; i < r->inertias.count; i++) vector_push(&roots, r->inertias.items[i].value);
  for (uint32_t i = 0; i < r->sum_terms.count; i++)
    vector_push(&roots, r->sum_terms.items[i].coefficient);
  builder_plan_angles(builder, roots.items, roots.count);
  builder_plan_sums(builder, roots.items, roots.count);
  vector_free(&roots);
}

/* slots[to] += coefficient * slots[from] */
static void lower_move(struct tape_builder *b, const tape_value *coefficients,
                       struct recursion_move move, tape_value *slots) {
  tape_value from = slots[move.from];
  if (builder_is_constant(b, from, 0)) return;
  tape_value part = builder_binary(b, TAPE_MULTIPLY, coefficients[move.term], from);
  if (move.is_twice) part = builder_binary(b, TAPE_ADD, part, part);
  slots[move.to] = builder_binary(b, TAPE_ADD, slots[move.to], part);
}

static void lower_slots(struct tape_builder *b, const struct recursion *r, tape_value *slots) {
  size_t terms = r->sum_terms.count;
  tape_value zero = builder_constant(b, 0);
  tape_value *coefficients = checked_calloc(terms + 1, sizeof *coefficients);
  for (size_t i = 0; i < terms; i++)
    coefficients[i] = builder_lower(b, r->sum_terms.items[i].coefficient);
  for (uint32_t i = 0; i < r->mass.slots; i++)
    slots[i] = i < r->inertias.count ? builder_lower(b, r->inertias.items[i].value) : zero;
  for (uint32_t i = 0; i < r->mass.moves.count; i++)
    lower_move(b, coefficients, r->mass.moves.items[i], slots);
  free(coefficients);
}

struct tape *recursion_mass_tape(const struct program *program) {
  const struct recursion *r = program->system->recursion;
  struct tape_builder builder;
  uint32_t n = r->n;
  state_builder_init(&builder, program);
  plan(&builder, r);
  tape_value *slots = checked_calloc((size_t)r->mass.slots + 1, sizeof *slots);
  lower_slots(&builder, r, slots);
  builder_clear_outputs(&builder, n * n);
  for (uint32_t i = 0; i < r->mass.entries.count; i++) {
    struct recursion_entry entry = r->mass.entries.items[i];
    builder_output(&builder, entry.row + entry.column * n, slots[entry.slot]);
    if (entry.row != entry.column)
      builder_output(&builder, entry.column + entry.row * n, slots[entry.slot]);
  }
  free(slots);
  return builder_finish(&builder);
}
