/* Instructions of a tape under construction: hash-consing, folding of constants, and removal of
 * what is not needed at the end. Folding does what the machine would do (IEEE double arithmetic),
 * so it changes no bit of a result. */
#include "codegen/builder.h"
#include "codegen/sines.h"
#include <math.h>
#include <string.h>

void builder_init(struct tape_builder *builder, struct expr_graph *graph) {
  *builder = (struct tape_builder){.graph = graph};
  builder->tape = checked_calloc(1, sizeof *builder->tape);
}

static uint32_t instruction_hash(const struct tape_instruction *instruction) {
  uint64_t operands;
  memcpy(&operands, &instruction->number, sizeof operands);
  return (uint32_t)hash_mix(hash_mix(map_pair(instruction->operation, instruction->a)) ^ operands);
}

static bool instruction_equal(const struct tape_instruction *x, const struct tape_instruction *y) {
  return x->operation == y->operation && x->a == y->a && x->b == y->b && x->c == y->c;
}

static void grow_slots(struct tape_builder *builder) {
  uint32_t count = builder->slot_count == 0 ? 256 : builder->slot_count * 2;
  uint32_t *slots = checked_calloc(count, sizeof *slots);
  for (uint32_t i = 0; i < builder->slot_count; i++) {
    uint32_t entry = builder->slots[i];
    if (entry == 0) continue;
    uint32_t at = instruction_hash(&builder->tape->code.items[entry - 1]) & (count - 1);
    while (slots[at] != 0) at = (at + 1) & (count - 1);
    slots[at] = entry;
  }
  free(builder->slots);
  builder->slots = slots;
  builder->slot_count = count;
}

static enum tape_level level_of(const struct tape_builder *builder,
                                const struct tape_instruction *instruction) {
  if (instruction->operation == TAPE_INPUT)
    return instruction->a == TAPE_ARRAY_P ? TAPE_LEVEL_PARAMETER : TAPE_LEVEL_STATE;
  if (instruction->operation >= TAPE_LOAD) return TAPE_LEVEL_STATE;
  if (tape_facts[instruction->operation].operands == 0) return TAPE_LEVEL_CONSTANT;
  const uint32_t operands[3] = {instruction->a, instruction->b, instruction->c};
  uint8_t level = TAPE_LEVEL_CONSTANT;
  for (unsigned k = 0; k < tape_facts[instruction->operation].operands; k++)
    if (builder->levels.items[operands[k]] > level) level = builder->levels.items[operands[k]];
  return level;
}

static tape_value append(struct tape_builder *builder, struct tape_instruction instruction) {
  uint8_t level = (uint8_t)level_of(builder, &instruction);
  vector_push(&builder->tape->code, instruction);
  vector_push(&builder->levels, level);
  return builder->tape->code.count - 1;
}

static tape_value share(struct tape_builder *builder, struct tape_instruction instruction) {
  if (builder->used_slots * 2 >= builder->slot_count) grow_slots(builder);
  uint32_t mask = builder->slot_count - 1, at = instruction_hash(&instruction) & mask;
  for (; builder->slots[at] != 0; at = (at + 1) & mask)
    if (instruction_equal(&builder->tape->code.items[builder->slots[at] - 1], &instruction))
      return builder->slots[at] - 1;
  tape_value value = append(builder, instruction);
  builder->slots[at] = value + 1;
  builder->used_slots++;
  return value;
}

tape_value builder_effect(struct tape_builder *builder, enum tape_operation operation, uint32_t a,
                          uint32_t b, uint32_t c) {
  return append(builder, (struct tape_instruction){.operation = operation, .a = a, .b = b, .c = c});
}

tape_value builder_constant(struct tape_builder *builder, double number) {
  return share(builder, (struct tape_instruction){.operation = TAPE_CONSTANT, .number = number});
}

tape_value builder_input(struct tape_builder *builder, enum tape_array array, uint32_t index) {
  return share(builder, (struct tape_instruction){.operation = TAPE_INPUT, .a = array, .b = index});
}

tape_value builder_truth(struct tape_builder *builder, bool truth) {
  enum tape_operation operation = truth ? TAPE_TRUE : TAPE_FALSE;
  return share(builder, (struct tape_instruction){.operation = operation});
}

static const struct tape_instruction *at(const struct tape_builder *builder, tape_value a) {
  return &builder->tape->code.items[a];
}

static bool get_constant(const struct tape_builder *builder, tape_value a, double *number) {
  if (at(builder, a)->operation != TAPE_CONSTANT) return false;
  *number = at(builder, a)->number;
  return true;
}

bool builder_is_constant(const struct tape_builder *builder, tape_value a, double number) {
  double value;
  return get_constant(builder, a, &value) && value == number;
}

tape_value builder_unary(struct tape_builder *builder, enum tape_operation operation,
                         tape_value a) {
  double number;
  enum tape_operation inner = at(builder, a)->operation;
  switch (operation) {
  case TAPE_NEGATE:
    if (get_constant(builder, a, &number)) return builder_constant(builder, -number);
    if (inner == TAPE_NEGATE) return at(builder, a)->a;
    break;
  case TAPE_ABS:
    if (get_constant(builder, a, &number)) return builder_constant(builder, fabs(number));
    if (inner == TAPE_NEGATE) return builder_unary(builder, TAPE_ABS, at(builder, a)->a);
    break;
  case TAPE_SQRT:
    if (get_constant(builder, a, &number)) return builder_constant(builder, sqrt(number));
    break;
  case TAPE_NOT:
    if (inner == TAPE_TRUE) return builder_truth(builder, false);
    if (inner == TAPE_FALSE) return builder_truth(builder, true);
    if (inner == TAPE_NOT) return at(builder, a)->a;
    break;
  default:
    break;
  }
  return share(builder, (struct tape_instruction){.operation = operation, .a = a});
}

/* Arithmetic and comparisons of two numbers; false for operations left to run time. */
static bool fold_constants(struct tape_builder *builder, enum tape_operation operation, double x,
                           double y, tape_value *out) {
  switch (operation) {
  case TAPE_ADD:
    *out = builder_constant(builder, x + y);
    return true;
  case TAPE_SUBTRACT:
    *out = builder_constant(builder, x - y);
    return true;
  case TAPE_MULTIPLY:
    *out = builder_constant(builder, x * y);
    return true;
  case TAPE_DIVIDE:
    *out = builder_constant(builder, x / y);
    return true;
  case TAPE_LESS:
    *out = builder_truth(builder, x < y);
    return true;
  case TAPE_LESS_EQUAL:
    *out = builder_truth(builder, x <= y);
    return true;
  case TAPE_EQUAL:
    *out = builder_truth(builder, x == y);
    return true;
  default:
    return false;
  }
}

/* Rules that need one operand only. The signs of zeros are not kept. */
static bool fold_neutral(struct tape_builder *builder, enum tape_operation operation, tape_value a,
                         tape_value b, tape_value *out) {
  enum tape_operation left = at(builder, a)->operation, right = at(builder, b)->operation;
  switch (operation) {
  case TAPE_ADD:
    if (builder_is_constant(builder, a, 0)) return *out = b, true;
    if (builder_is_constant(builder, b, 0)) return *out = a, true;
    return false;
  case TAPE_SUBTRACT:
    if (builder_is_constant(builder, b, 0)) return *out = a, true;
    if (!builder_is_constant(builder, a, 0)) return false;
    return *out = builder_unary(builder, TAPE_NEGATE, b), true;
  case TAPE_MULTIPLY:
    if (builder_is_constant(builder, a, 1)) return *out = b, true;
    if (builder_is_constant(builder, b, 1)) return *out = a, true;
    if (builder_is_constant(builder, a, -1))
      return *out = builder_unary(builder, TAPE_NEGATE, b), true;
    if (builder_is_constant(builder, b, -1))
      return *out = builder_unary(builder, TAPE_NEGATE, a), true;
    return false;
  case TAPE_DIVIDE:
    if (builder_is_constant(builder, b, 1)) return *out = a, true;
    return false;
  case TAPE_AND:
    if (left == TAPE_TRUE || right == TAPE_FALSE) return *out = b, true;
    if (right == TAPE_TRUE || left == TAPE_FALSE || a == b) return *out = a, true;
    return false;
  case TAPE_OR:
    if (left == TAPE_FALSE || right == TAPE_TRUE) return *out = b, true;
    if (right == TAPE_FALSE || left == TAPE_TRUE || a == b) return *out = a, true;
    return false;
  default:
    return false;
  }
}

tape_value builder_binary(struct tape_builder *builder, enum tape_operation operation, tape_value a,
                          tape_value b) {
  double x, y;
  tape_value folded;
  if (get_constant(builder, a, &x) && get_constant(builder, b, &y) &&
      fold_constants(builder, operation, x, y, &folded))
    return folded;
  if (fold_neutral(builder, operation, a, b, &folded)) return folded;
  bool commutes = operation == TAPE_ADD || operation == TAPE_MULTIPLY || operation == TAPE_EQUAL ||
                  operation == TAPE_AND || operation == TAPE_OR;
  if (commutes && a > b) {
    tape_value swap = a;
    a = b;
    b = swap;
  }
  return share(builder, (struct tape_instruction){.operation = operation, .a = a, .b = b});
}

tape_value builder_select(struct tape_builder *builder, tape_value condition, tape_value then,
                          tape_value otherwise) {
  if (at(builder, condition)->operation == TAPE_TRUE || then == otherwise) return then;
  if (at(builder, condition)->operation == TAPE_FALSE) return otherwise;
  return share(builder, (struct tape_instruction){
                            .operation = TAPE_SELECT, .a = condition, .b = then, .c = otherwise});
}

tape_value builder_power(struct tape_builder *builder, tape_value base, uint32_t exponent) {
  if (exponent == 0) return builder_constant(builder, 1);
  uint32_t bit = 1;
  while (bit <= exponent / 2) bit *= 2;
  tape_value power = base;
  for (bit /= 2; bit > 0; bit /= 2) {
    power = builder_binary(builder, TAPE_MULTIPLY, power, power);
    if ((exponent & bit) != 0) power = builder_binary(builder, TAPE_MULTIPLY, power, base);
  }
  return power;
}

void builder_output(struct tape_builder *builder, uint32_t index, tape_value a) {
  builder_effect(builder, TAPE_STORE, a, TAPE_ARRAY_OUT, index);
  if (index >= builder->tape->out_count) builder->tape->out_count = index + 1;
}

void builder_clear_outputs(struct tape_builder *builder, uint32_t count) {
  builder_effect(builder, TAPE_CLEAR, TAPE_ARRAY_OUT, 0, count);
  if (count > builder->tape->out_count) builder->tape->out_count = count;
}

uint32_t builder_reserve_work(struct tape_builder *builder, size_t doubles) {
  uint32_t offset = builder->tape->work;
  if (doubles > INT32_MAX - offset) out_of_memory(doubles * sizeof(double));
  builder->tape->work += (uint32_t)doubles;
  return offset;
}

/* ---- the end */

static void mark_list(uint32_t *is_needed, const tape_value *values, size_t count) {
  for (size_t i = 0; values != NULL && i < count; i++) is_needed[values[i]] = 1;
}

/* Solvers and right sides whose cold path reads values of the tape. */
static void mark_solvers(const struct tape *tape, uint32_t *is_needed) {
  for (uint32_t i = 0; i < tape->solvers.count; i++) {
    const struct tape_solver *solver = &tape->solvers.items[i];
    if (solver->kind != SOLVER_UNROLLED) continue;
    mark_list(is_needed, solver->values, (size_t)solver->n * solver->n);
    is_needed[solver->ok] = 1;
  }
  for (uint32_t i = 0; i < tape->right_sides.count; i++) {
    const struct tape_right_side *side = &tape->right_sides.items[i];
    mark_list(is_needed, side->values, (size_t)side->columns * tape->solvers.items[side->solver].n);
  }
}

static void renumber_list(const uint32_t *number, tape_value *values, size_t count) {
  for (size_t i = 0; values != NULL && i < count; i++) values[i] = number[values[i]];
}

static void renumber_solvers(struct tape *tape, const uint32_t *number) {
  for (uint32_t i = 0; i < tape->solvers.count; i++) {
    struct tape_solver *solver = &tape->solvers.items[i];
    if (solver->kind != SOLVER_UNROLLED) continue;
    renumber_list(number, solver->values, (size_t)solver->n * solver->n);
    solver->ok = number[solver->ok];
  }
  for (uint32_t i = 0; i < tape->right_sides.count; i++) {
    struct tape_right_side *side = &tape->right_sides.items[i];
    renumber_list(number, side->values,
                  (size_t)side->columns * tape->solvers.items[side->solver].n);
  }
}

static void remove_unneeded(struct tape *tape) {
  uint32_t count = tape->code.count, kept = 0;
  uint32_t *number = checked_calloc((size_t)count + 1, sizeof *number);
  struct tape_instruction *code = tape->code.items;
  mark_solvers(tape, number);
  for (uint32_t i = count; i-- > 0;) {
    if (tape_operation_has_effect(code[i].operation)) number[i] = 1;
    if (number[i] == 0) continue;
    unsigned operands = tape_facts[code[i].operation].operands;
    if (operands > 0) number[code[i].a] = 1;
    if (operands > 1) number[code[i].b] = 1;
    if (operands > 2) number[code[i].c] = 1;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (number[i] == 0) continue;
    struct tape_instruction instruction = code[i];
    unsigned operands = tape_facts[instruction.operation].operands;
    if (operands > 0) instruction.a = number[instruction.a];
    if (operands > 1) instruction.b = number[instruction.b];
    if (operands > 2) instruction.c = number[instruction.c];
    number[i] = kept;
    code[kept++] = instruction;
  }
  tape->code.count = kept;
  renumber_solvers(tape, number);
  free(number);
}

struct tape *builder_finish(struct tape_builder *builder) {
  struct tape *tape = builder->tape;
  remove_unneeded(tape);
  sines_group(tape);
  tape_check(tape);
  vector_free(&builder->levels);
  vector_free(&builder->stack);
  vector_free(&builder->scratch);
  free(builder->slots);
  free(builder->memo);
  angles_free(&builder->angles);
  nested_sums_clear(&builder->sums);
  free(builder->partial_sums);
  solver_states_free(builder);
  *builder = (struct tape_builder){0};
  return tape;
}
