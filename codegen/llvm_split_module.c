/* Splitting a long tape into parts, each of which becomes a function: LLVM's code generator is
 * worse than linear in the size of a basic block. Values that a later part uses go through the
 * workspace; constants and inputs are simply made again. */
#include "codegen/llvm_ir.h"
#include <string.h>

static bool is_free(enum tape_operation operation) {
  return operation == TAPE_CONSTANT || operation == TAPE_INPUT || operation == TAPE_TRUE ||
         operation == TAPE_FALSE;
}

static void find_ends(struct tape_split *split, const struct tape *tape, uint32_t part_size) {
  uint32_t count = tape->code.count, capacity = count / part_size + 2, size = 0;
  split->ends = checked_calloc(capacity, sizeof *split->ends);
  for (uint32_t i = 0; i < count; i++) {
    size += !is_free(tape->code.items[i].operation);
    bool is_bound = i + 1 < count && tape->code.items[i + 1].operation == TAPE_SOLUTION;
    if (size < part_size || is_bound) continue;
    split->ends[split->parts++] = i + 1;
    size = 0;
  }
  if (split->parts == 0 || split->ends[split->parts - 1] < count)
    split->ends[split->parts++] = count;
}

static void use_value(struct tape_split *split, const struct tape *tape, tape_value a,
                      uint32_t part_begin) {
  if (a >= part_begin || split->slots[a] != 0 || is_free(tape->code.items[a].operation)) return;
  split->slots[a] = ++split->slot_count;
}

static void use_values(struct tape_split *split, const struct tape *tape, const tape_value *values,
                       size_t count, uint32_t part_begin) {
  for (size_t i = 0; i < count; i++) use_value(split, tape, values[i], part_begin);
}

static void use_operands(struct tape_split *split, const struct tape *tape, uint32_t index,
                         uint32_t part_begin) {
  const struct tape_instruction *instruction = &tape->code.items[index];
  const uint32_t operands[3] = {instruction->a, instruction->b, instruction->c};
  use_values(split, tape, operands, tape_facts[instruction->operation].operands, part_begin);
  if (instruction->operation == TAPE_GUARD_FACTOR) {
    const struct tape_solver *solver = &tape->solvers.items[instruction->b];
    if (!solver->is_careful)
      use_values(split, tape, solver->values, (size_t)solver->n * solver->n, part_begin);
  } else if (instruction->operation == TAPE_GUARD_SUBSTITUTE) {
    const struct tape_right_side *side = &tape->right_sides.items[instruction->b];
    size_t count = (size_t)tape->solvers.items[side->solver].n * side->columns;
    if (!tape->solvers.items[side->solver].is_careful)
      use_values(split, tape, side->values, count, part_begin);
  }
}

void tape_split_init(struct tape_split *split, const struct tape *tape, uint32_t part_size) {
  *split = (struct tape_split){0};
  find_ends(split, tape, part_size);
  split->slots = checked_calloc((size_t)tape->code.count + 1, sizeof *split->slots);
  uint32_t begin = 0;
  for (uint32_t part = 0; part < split->parts; part++) {
    for (uint32_t i = begin; i < split->ends[part]; i++) use_operands(split, tape, i, begin);
    begin = split->ends[part];
  }
}

void tape_split_clear(struct tape_split *split) {
  free(split->ends);
  free(split->slots);
  *split = (struct tape_split){0};
}
