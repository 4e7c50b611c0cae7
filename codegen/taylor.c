/* Taylor series from the tape of a right-hand side (taylor.h). Needs that tape and the one of the
 * model's own inputs; promises two tapes, or the operation that has no series.
 *
 * The tape `start` is the right-hand side with the inputs' own functions before it, with values
 * that recurrences need besides (the cosine of every sine) and with everything stored that they
 * need of order 0. It ends with DYN_TAYLOR_DECLINED where a series has no room, in a singular
 * configuration, and where a check fails. Only what results depend on has a series: what checks and
 * factorisations look at is of order 0 alone. */
#include "codegen/taylor_build.h"
#include "base/bug.h"
#include "dyn/dyn_model.h"
#include <math.h>
#include <stdlib.h>

/* ---- values */

struct taylor_value *taylor_value_at(struct taylor_maker *maker, tape_value a) {
  return &maker->values.items[a];
}

static const struct tape_instruction *instruction_at(const struct taylor_maker *maker,
                                                     tape_value a) {
  return &maker->start.tape->code.items[a];
}

/* In both tapes, which share the workspace. */
static uint32_t reserve(struct taylor_maker *maker, uint32_t doubles) {
  uint32_t place = builder_reserve_work(&maker->start, doubles);
  maker->order.tape->work = maker->start.tape->work;
  return place;
}

static tape_value load(struct taylor_maker *maker, uint32_t place) {
  return builder_effect(&maker->order, TAPE_LOAD, TAPE_ARRAY_WORK, place, 0);
}

tape_value taylor_at_start(struct taylor_maker *maker, tape_value a) {
  struct taylor_value *value = taylor_value_at(maker, a);
  const struct tape_instruction *i = instruction_at(maker, a);
  if (value->at_start != NO_VALUE) return value->at_start;
  if (i->operation == TAPE_CONSTANT)
    return value->at_start = builder_constant(&maker->order, i->number);
  if (i->operation == TAPE_INPUT && i->a == TAPE_ARRAY_P)
    return value->at_start = builder_input(&maker->order, TAPE_ARRAY_P, i->b);
  value->cell = 1 + reserve(maker, 1);
  return value->at_start = load(maker, value->cell - 1);
}

tape_value taylor_inverse(struct taylor_maker *maker, tape_value a) {
  struct taylor_value *value = taylor_value_at(maker, a);
  if (value->inverse == 0) value->inverse = 1 + reserve(maker, 1);
  return load(maker, value->inverse - 1);
}

tape_value taylor_truth(struct taylor_maker *maker, tape_value a) {
  struct tape_builder *b = &maker->order;
  enum tape_operation operation = instruction_at(maker, a)->operation;
  if (operation == TAPE_TRUE || operation == TAPE_FALSE)
    return builder_truth(b, operation == TAPE_TRUE);
  tape_value number = taylor_at_start(maker, a), zero = builder_constant(b, 0);
  return builder_unary(b, TAPE_NOT, builder_binary(b, TAPE_EQUAL, number, zero));
}

tape_value taylor_coefficient(struct taylor_maker *maker, tape_value a) {
  if (a == NO_VALUE) return NO_VALUE;
  struct taylor_value *value = taylor_value_at(maker, a);
  if (value->varies && value->series == NO_VALUE) bug("taylor: a series before its time");
  return value->series;
}

/* ---- sums of products of series */

static uint32_t place_array(struct taylor_maker *maker, uint32_t *place) {
  if (*place == 0) *place = 1 + reserve(maker, TAYLOR_ROOM);
  return *place - 1;
}

static tape_value dot(struct taylor_maker *maker, uint32_t forward, uint32_t reversed) {
  uint32_t found = map_get(&maker->dots, map_pair(forward, reversed));
  if (found != 0) return found - 1;
  tape_value sum = builder_effect(&maker->order, TAPE_DOT, 0, forward, reversed);
  map_set(&maker->dots, map_pair(forward, reversed), sum + 1);
  return sum;
}

/* How many arrays more it takes. */
static int missing_arrays(const struct taylor_value *forward, const struct taylor_value *reversed) {
  return (forward->arrays[TAYLOR_FORWARD] == 0) + (reversed->arrays[TAYLOR_REVERSED] == 0);
}

tape_value taylor_sum(struct taylor_maker *maker, tape_value a, tape_value b) {
  struct taylor_value *left = taylor_value_at(maker, a), *right = taylor_value_at(maker, b);
  if (!left->varies || !right->varies) return NO_VALUE;
  if (missing_arrays(right, left) < missing_arrays(left, right)) {
    struct taylor_value *swap = left;
    left = right;
    right = swap;
  }
  uint32_t forward = place_array(maker, &left->arrays[TAYLOR_FORWARD]);
  return dot(maker, forward, place_array(maker, &right->arrays[TAYLOR_REVERSED]));
}

tape_value taylor_weighted_sum(struct taylor_maker *maker, tape_value a, tape_value b) {
  struct taylor_value *left = taylor_value_at(maker, a), *right = taylor_value_at(maker, b);
  if (!left->varies || !right->varies) return NO_VALUE;
  uint32_t forward = place_array(maker, &left->weighted);
  return dot(maker, forward, place_array(maker, &right->arrays[TAYLOR_REVERSED]));
}

/* ---- the tape of order 0 */

static bool input_varies(const struct taylor_maker *maker, const struct tape_instruction *i) {
  if (i->a == TAPE_ARRAY_U)
    return i->b < maker->inputs.count && maker->inputs.items[i->b] != NO_VALUE;
  return i->a == TAPE_ARRAY_X || i->a == TAPE_ARRAY_TIME;
}

static bool operand_varies(struct taylor_maker *maker, tape_value a) {
  const struct tape_instruction i = *instruction_at(maker, a);
  const uint32_t operands[3] = {i.a, i.b, i.c};
  if (i.operation == TAPE_INPUT) return input_varies(maker, &i);
  if (taylor_system_of(maker, a) != NULL) return true;
  for (unsigned k = 0; k < tape_facts[i.operation].operands; k++)
    if (taylor_value_at(maker, operands[k])->varies) return true;
  return false;
}

/* After values were added to `start`: which vary, and what they need then, which is added too. */
static void note_values(struct taylor_maker *maker) {
  const struct taylor_value fresh = {.helper = NO_VALUE, .series = NO_VALUE, .at_start = NO_VALUE};
  while (maker->values.count < maker->start.tape->code.count) {
    tape_value a = maker->values.count;
    vector_push(&maker->values, fresh);
    maker->values.items[a].varies = operand_varies(maker, a);
    if (!maker->values.items[a].varies) continue;
    tape_value helper = taylor_add_helper(maker, a);
    maker->values.items[a].helper = helper;
  }
}

void taylor_leave_unless(struct tape_builder *b, tape_value is_good) {
  tape_value declined = builder_constant(b, DYN_TAYLOR_DECLINED);
  tape_value code = builder_select(b, is_good, builder_constant(b, 0), declined);
  builder_effect(b, TAPE_LEAVE, code, 0, 0);
}

static void copy_solvers(struct tape_builder *to, const struct tape *from) {
  for (uint32_t i = 0; i < from->solvers.count; i++) {
    vector_push(&to->tape->solvers, tape_solver_copy(&from->solvers.items[i]));
    vector_push(&to->solver_states, (struct solver_state){0});
  }
}

static void copy_right_sides(struct tape *to, const struct tape *from) {
  for (uint32_t i = 0; i < from->right_sides.count; i++) {
    struct tape_right_side side = from->right_sides.items[i];
    side.values = NULL;
    vector_push(&to->right_sides, side);
  }
}

/* The other branch of a check: results are undefined where the condition does not hold. */
static bool is_undefined(const struct taylor_maker *maker, tape_value a) {
  const struct tape_instruction *i = instruction_at(maker, a);
  return i->operation == TAPE_CONSTANT && isnan(i->number);
}

static void require(struct taylor_maker *maker, tape_value condition) {
  if (condition != maker->required) taylor_leave_unless(&maker->start, condition);
  maker->required = condition;
}

/* One instruction of another tape, its operands as `number` has them; its value, or NO_VALUE. */
static tape_value copy(struct taylor_maker *maker, const struct tape_instruction *i,
                       const tape_value *number) {
  struct tape_builder *b = &maker->start;
  switch ((enum tape_operation)i->operation) {
  case TAPE_CONSTANT:
    return builder_constant(b, i->number);
  case TAPE_INPUT:
    return builder_input(b, i->a, i->b);
  case TAPE_TRUE:
  case TAPE_FALSE:
    return builder_truth(b, i->operation == TAPE_TRUE);
  case TAPE_SELECT:
    if (is_undefined(maker, number[i->c])) {
      require(maker, number[i->a]);
      return number[i->b];
    }
    return builder_select(b, number[i->a], number[i->b], number[i->c]);
  case TAPE_LEAVE:
    builder_effect(b, TAPE_LEAVE, number[i->a], 0, 0);
    return NO_VALUE;
  case TAPE_POW: /* exp(b log a) before it: see taylor_add_helper */
    if (instruction_at(maker, number[i->b])->operation != TAPE_CONSTANT)
      builder_binary(b, TAPE_MULTIPLY, number[i->b], builder_unary(b, TAPE_LOG, number[i->a]));
    return builder_binary(b, TAPE_POW, number[i->a], number[i->b]);
  default:
    if (tape_facts[i->operation].operands == 1) return builder_unary(b, i->operation, number[i->a]);
    return builder_binary(b, i->operation, number[i->a], number[i->b]);
  }
}

/* The model's own inputs come first: their values, and those of the right-hand side's results. */
static void copy_tape(struct taylor_maker *maker, const struct tape *tape, tape_value *results) {
  tape_value *number = checked_calloc((size_t)tape->code.count + 1, sizeof *number);
  for (uint32_t i = 0; i < tape->out_count; i++) results[i] = builder_constant(&maker->start, 0);
  for (uint32_t i = 0; i < tape->code.count; i++) {
    const struct tape_instruction *instruction = &tape->code.items[i];
    number[i] = NO_VALUE;
    if (instruction->operation == TAPE_STORE && instruction->b == TAPE_ARRAY_OUT)
      results[instruction->c] = number[instruction->a];
    else if (instruction->operation != TAPE_CLEAR || instruction->a != TAPE_ARRAY_OUT)
      number[i] = taylor_is_of_solver(instruction)
                      ? taylor_copy_solver(maker, tape, instruction, number)
                      : copy(maker, instruction, number);
  }
  note_values(maker);
  free(number);
}

static void copy_inputs(struct taylor_maker *maker, const struct tape *tape) {
  tape_value *results = checked_calloc((size_t)tape->out_count + 1, sizeof *results);
  copy_tape(maker, tape, results);
  for (uint32_t i = 0; i < tape->out_count; i++)
    vector_push(&maker->inputs, taylor_value_at(maker, results[i])->varies ? results[i] : NO_VALUE);
  free(results);
}

/* ---- what has a series */

struct value_stack {
  VECTOR(tape_value) items;
};

static void need(struct taylor_maker *maker, struct value_stack *stack, tape_value a) {
  if (a == NO_VALUE) return;
  struct taylor_value *value = taylor_value_at(maker, a);
  if (value->is_needed || !value->varies) return;
  value->is_needed = true;
  vector_push(&stack->items, a);
}

static void need_system(struct taylor_maker *maker, struct value_stack *stack,
                        const struct taylor_system *system) {
  for (uint32_t e = 0; e < system->matrix.count; e++) need(maker, stack, system->matrix.items[e].a);
  for (uint32_t i = 0; i < system->right_side.count; i++)
    need(maker, stack, system->right_side.items[i]);
  for (uint32_t i = 0; i < system->n * system->columns; i++)
    need(maker, stack, system->solution.items[i]);
}

static void find_needed(struct taylor_maker *maker, const tape_value *results, uint32_t count) {
  struct value_stack stack = {0};
  for (uint32_t i = 0; i < count; i++) need(maker, &stack, results[i]);
  while (stack.items.count > 0) {
    tape_value a = vector_pop(&stack.items);
    struct tape_instruction i = *instruction_at(maker, a);
    const uint32_t operands[3] = {i.a, i.b, i.c};
    if (taylor_system_of(maker, a) != NULL) {
      need_system(maker, &stack, taylor_system_of(maker, a));
      continue;
    }
    need(maker, &stack, taylor_value_at(maker, a)->helper);
    if (i.operation == TAPE_INPUT && i.a == TAPE_ARRAY_U)
      need(maker, &stack, maker->inputs.items[i.b]);
    unsigned first = i.operation == TAPE_SELECT ? 1 : 0; /* conditions have no series */
    for (unsigned k = first; k < tape_facts[i.operation].operands; k++)
      need(maker, &stack, operands[k]);
  }
  vector_free(&stack.items);
}

static bool find_obstacle(struct taylor_maker *maker) {
  struct taylor *taylor = maker->taylor;
  for (tape_value a = 0; a < maker->values.count && !taylor->has_obstacle; a++) {
    const struct tape_instruction *i = instruction_at(maker, a);
    bool is_choice = i->operation == TAPE_SELECT && taylor_value_at(maker, i->a)->varies;
    if (!taylor_value_at(maker, a)->is_needed || taylor_system_of(maker, a) != NULL) continue;
    taylor->has_obstacle = is_choice || !taylor_has_series(i->operation);
    taylor->obstacle = i->operation;
  }
  return taylor->has_obstacle;
}

/* ---- the tape of orders */

static void keep(struct taylor_maker *maker, uint32_t place, enum taylor_array array,
                 tape_value a) {
  if (place != 0) builder_effect(&maker->order, TAPE_KEEP, a, place - 1, array);
}

/* At the end, so that no sum waits for what has just been written. */
static void keep_series(struct taylor_maker *maker) {
  for (tape_value a = 0; a < maker->values.count; a++) {
    const struct taylor_value *value = &maker->values.items[a];
    for (enum taylor_array k = 0; k < TAYLOR_ARRAY_COUNT; k++)
      keep(maker, value->arrays[k], k, value->series);
    if (value->weighted == 0) continue;
    tape_value weighted =
        builder_binary(&maker->order, TAPE_MULTIPLY, maker->order_number, value->series);
    keep(maker, value->weighted, TAYLOR_FORWARD, weighted);
  }
}

static void make_orders(struct taylor_maker *maker, const tape_value *results, uint32_t count) {
  struct tape_builder *b = &maker->order;
  tape_value one = builder_constant(b, 1);
  maker->order_number = builder_input(b, TAPE_ARRAY_TIME, 0);
  maker->reciprocal = builder_binary(b, TAPE_DIVIDE, one, maker->order_number);
  tape_value step = builder_binary(b, TAPE_DIVIDE, load(maker, maker->taylor->scale),
                                   builder_binary(b, TAPE_ADD, maker->order_number, one));
  for (tape_value a = 0; a < maker->values.count; a++)
    if (taylor_value_at(maker, a)->is_needed)
      taylor_value_at(maker, a)->series = taylor_recurrence(maker, a);
  for (uint32_t i = 0; i < count; i++) {
    tape_value f = taylor_coefficient(maker, results[i]);
    builder_output(
        b, i, f == NO_VALUE ? builder_constant(b, 0) : builder_binary(b, TAPE_MULTIPLY, step, f));
  }
  keep_series(maker);
}

/* 1 or 0 of a truth value. */
static tape_value number_of(struct taylor_maker *maker, tape_value a) {
  struct tape_builder *b = &maker->start;
  if (tape_facts[instruction_at(maker, a)->operation].result != TAPE_RESULT_T) return a;
  return builder_select(b, a, builder_constant(b, 1), builder_constant(b, 0));
}

/* Stores what the orders read, and makes zeros behind reversed series. */
static void finish_start(struct taylor_maker *maker, const tape_value *results, uint32_t count) {
  struct tape_builder *b = &maker->start;
  tape_value scale = builder_effect(b, TAPE_LOAD, TAPE_ARRAY_WORK, maker->taylor->scale, 0);
  tape_value one = builder_constant(b, 1);
  for (tape_value a = 0; a < maker->values.count; a++) {
    const struct taylor_value *value = &maker->values.items[a];
    if (value->cell != 0)
      builder_effect(b, TAPE_STORE, number_of(maker, a), TAPE_ARRAY_WORK, value->cell - 1);
    if (value->inverse != 0)
      builder_effect(b, TAPE_STORE, builder_binary(b, TAPE_DIVIDE, one, a), TAPE_ARRAY_WORK,
                     value->inverse - 1);
    uint32_t reversed = value->arrays[TAYLOR_REVERSED];
    if (reversed != 0)
      builder_effect(b, TAPE_CLEAR, TAPE_ARRAY_WORK, reversed - 1 + TAYLOR_ORDERS, TAYLOR_LANES);
  }
  for (uint32_t i = 0; i < count; i++)
    builder_output(b, i, builder_binary(b, TAPE_MULTIPLY, scale, results[i]));
}

static void drop(struct tape_builder *builder) {
  tape_free(builder_finish(builder));
}

struct taylor *taylor_build(const struct tape *rhs, const struct tape *default_inputs,
                            struct expr_graph *graph) {
  struct taylor *taylor = checked_calloc(1, sizeof *taylor);
  struct taylor_maker maker = {.taylor = taylor, .required = NO_VALUE};
  uint32_t count = rhs->out_count;
  tape_value *results = checked_calloc((size_t)count + 1, sizeof *results);
  builder_init(&maker.start, graph);
  builder_init(&maker.order, graph);
  reserve(&maker, rhs->work);
  taylor->scale = reserve(&maker, 1);
  if (default_inputs != NULL) copy_inputs(&maker, default_inputs);
  copy_solvers(&maker.start, rhs);
  copy_solvers(&maker.order, rhs);
  copy_right_sides(maker.start.tape, rhs);
  copy_tape(&maker, rhs, results);
  find_needed(&maker, results, count);
  if (find_obstacle(&maker)) {
    drop(&maker.start);
    drop(&maker.order);
  } else {
    make_orders(&maker, results, count);
    finish_start(&maker, results, count);
    taylor->dots = maker.dots.count;
    taylor->start = builder_finish(&maker.start);
    taylor->order = builder_finish(&maker.order);
  }
  free(results);
  vector_free(&maker.values);
  vector_free(&maker.inputs);
  map_free(&maker.dots);
  taylor_systems_free(&maker);
  return taylor;
}

void taylor_free(struct taylor *taylor) {
  if (taylor == NULL) return;
  tape_free(taylor->start);
  tape_free(taylor->order);
  free(taylor);
}
