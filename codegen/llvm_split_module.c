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

/* What an instruction reads: calls `use` for each value. A SOLUTION's is not told. */
typedef void use_function(void *self, uint32_t index, tape_value a);

static void use_values(use_function *use, void *self, uint32_t index, const tape_value *values,
                       size_t count) {
  for (size_t i = 0; i < count; i++) use(self, index, values[i]);
}

static void use_operands(const struct tape *tape, uint32_t index, use_function *use, void *self) {
  const struct tape_instruction *instruction = &tape->code.items[index];
  const uint32_t operands[3] = {instruction->a, instruction->b, instruction->c};
  if (instruction->operation == TAPE_SOLUTION) return;
  use_values(use, self, index, operands, tape_facts[instruction->operation].operands);
  if (instruction->operation == TAPE_GUARD_FACTOR) {
    const struct tape_solver *solver = &tape->solvers.items[instruction->b];
    if (!solver->is_careful)
      use_values(use, self, index, solver->values, (size_t)solver->n * solver->n);
  } else if (instruction->operation == TAPE_GUARD_SUBSTITUTE) {
    const struct tape_right_side *side = &tape->right_sides.items[instruction->b];
    size_t count = (size_t)tape->solvers.items[side->solver].n * side->columns;
    if (!tape->solvers.items[side->solver].is_careful)
      use_values(use, self, index, side->values, count);
  }
}

static void note_last_use(void *last_uses, uint32_t index, tape_value a) {
  ((uint32_t *)last_uses)[a] = index;
}

struct slot_giver {
  struct tape_split *split;
  const struct tape *tape;
  uint32_t begin; /* of the part */
};

static void give_slot(void *self, uint32_t index, tape_value a) {
  const struct slot_giver *giver = self;
  struct tape_split *split = giver->split;
  (void)index;
  if (a >= giver->begin || split->slots[a] != 0 || is_free(giver->tape->code.items[a].operation))
    return;
  split->slots[a] = ++split->slot_count;
}

/* A solution is the value that was computed for it, unless it went cold. Where nothing else wants
 * that value any more, it stays in its slot, and the cold path puts its own there. */
static void give_solution_slot(struct slot_giver *giver, uint32_t index, uint32_t *last_uses) {
  tape_value a = giver->tape->code.items[index].a;
  give_slot(giver, index, a);
  if (giver->split->slots[a] != 0 && last_uses[a] < index)
    giver->split->slots[index] = giver->split->slots[a];
  last_uses[a] = UINT32_MAX; /* one solution is enough for a slot */
}

bool tape_split_in_place(const struct tape_split *split, const struct tape *tape, uint32_t index) {
  const struct tape_instruction *instruction = &tape->code.items[index];
  return instruction->operation == TAPE_SOLUTION && split->slots[index] != 0 &&
         split->slots[index] == split->slots[instruction->a];
}

void tape_split_init(struct tape_split *split, const struct tape *tape, uint32_t part_size) {
  uint32_t count = tape->code.count;
  uint32_t *last_uses = checked_calloc((size_t)count + 1, sizeof *last_uses);
  struct slot_giver giver = {.split = split, .tape = tape};
  *split = (struct tape_split){0};
  find_ends(split, tape, part_size);
  split->slots = checked_calloc((size_t)count + 1, sizeof *split->slots);
  for (uint32_t i = 0; i < count; i++) use_operands(tape, i, note_last_use, last_uses);
  for (uint32_t part = 0; part < split->parts; part++) {
    for (uint32_t i = giver.begin; i < split->ends[part]; i++) {
      use_operands(tape, i, give_slot, &giver);
      if (tape->code.items[i].operation == TAPE_SOLUTION) give_solution_slot(&giver, i, last_uses);
    }
    giver.begin = split->ends[part];
  }
  free(last_uses);
}

void tape_split_clear(struct tape_split *split) {
  free(split->ends);
  free(split->slots);
  *split = (struct tape_split){0};
}
