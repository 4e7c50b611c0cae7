/* Looking at tapes: facts, counts, the checker, the printer. */
#include "codegen/tape.h"
#include "base/bug.h"
#include "codegen/taylor.h"
#include <stdlib.h>
#include <string.h>

#define V TAPE_RESULT_V
#define T TAPE_RESULT_T
#define N TAPE_RESULT_N
const struct tape_operation_facts tape_facts[TAPE_OPERATION_COUNT] = {
#define TAPE_OPERATION(name, operands, text, result) {text, operands, result},
#include "codegen/operations.def"
#undef TAPE_OPERATION
};
#undef V
#undef T
#undef N

bool tape_operation_has_effect(enum tape_operation operation) {
  return tape_facts[operation].result == TAPE_RESULT_N;
}

static void solver_clear(struct tape_solver *solver) {
  free(solver->values);
  free(solver->order);
  free(solver->starts);
  free(solver->rows);
  free(solver->entry_rows);
  free(solver->entry_columns);
  free(solver->entry_places);
  free(solver->targets);
}

static int32_t *copy_integers(const int32_t *from, size_t count) {
  if (from == NULL) return NULL;
  int32_t *to = checked_calloc(count + 1, sizeof *to);
  memcpy(to, from, count * sizeof *to);
  return to;
}

struct tape_solver tape_solver_copy(const struct tape_solver *solver) {
  struct tape_solver copy = *solver;
  copy.values = NULL;
  copy.ok = 0;
  copy.is_careful = false;
  copy.order = copy_integers(solver->order, solver->ordered);
  copy.starts = copy_integers(solver->starts, (size_t)solver->n + 1);
  copy.rows = copy_integers(solver->rows, solver->factor_count);
  copy.entry_rows = copy_integers(solver->entry_rows, solver->entry_count);
  copy.entry_columns = copy_integers(solver->entry_columns, solver->entry_count);
  copy.entry_places = copy_integers(solver->entry_places, solver->entry_count);
  copy.targets = copy_integers(solver->targets, solver->target_count);
  return copy;
}

void tape_free(struct tape *tape) {
  if (tape == NULL) return;
  for (uint32_t i = 0; i < tape->solvers.count; i++) solver_clear(&tape->solvers.items[i]);
  for (uint32_t i = 0; i < tape->right_sides.count; i++) free(tape->right_sides.items[i].values);
  vector_free(&tape->code);
  vector_free(&tape->solvers);
  vector_free(&tape->right_sides);
  tape_free(tape->careful); /* which has none */
  free(tape);
}

/* ---- counts */

static uint32_t factor_operations(const struct tape_solver *solver) {
  uint64_t n = solver->n;
  switch (solver->kind) {
  case SOLVER_UNROLLED:
    return 0;
  case SOLVER_DENSE:
    return (uint32_t)(n * n * n / 6);
  case SOLVER_SPARSE:
    return solver->target_count;
  case SOLVER_LU:
    return (uint32_t)(n * n * n / 3);
  case SOLVER_ELIMINATING:
  case SOLVER_REVEALING: /* as many comparisons again */
    return (uint32_t)(2 * (n * n * n / 3));
  }
  return 0;
}

static uint32_t substitute_operations(const struct tape *tape, const struct tape_right_side *side) {
  const struct tape_solver *solver = &tape->solvers.items[side->solver];
  uint32_t n = solver->n;
  return side->columns * (solver->kind == SOLVER_SPARSE ? 2 * solver->factor_count + n : n * n);
}

struct tape_counts tape_count(const struct tape *tape) {
  struct tape_counts counts = {0};
  for (uint32_t i = 0; i < tape->code.count; i++) {
    const struct tape_instruction *instruction = &tape->code.items[i];
    enum tape_operation operation = instruction->operation;
    if (operation == TAPE_CONSTANT || operation == TAPE_INPUT) continue;
    counts.instructions++;
    if (operation == TAPE_ADD || operation == TAPE_SUBTRACT)
      counts.additions++;
    else if (operation == TAPE_MULTIPLY)
      counts.multiplications++;
    else if (operation == TAPE_DIVIDE)
      counts.divisions++;
    else if (operation >= TAPE_SQRT && operation <= TAPE_LOG)
      counts.functions++;
    else if (operation == TAPE_LOAD || operation == TAPE_STORE)
      counts.memory++;
    else if (operation == TAPE_FACTOR)
      counts.kernel_operations += factor_operations(&tape->solvers.items[instruction->b]);
    else if (operation == TAPE_SUBSTITUTE)
      counts.kernel_operations +=
          substitute_operations(tape, &tape->right_sides.items[instruction->b]);
  }
  return counts;
}

/* ---- checker */

static enum tape_result wanted_operand(enum tape_operation operation, unsigned k) {
  switch (operation) {
  case TAPE_AND:
  case TAPE_OR:
  case TAPE_NOT:
  case TAPE_GUARD_FACTOR:
  case TAPE_GUARD_SUBSTITUTE:
    return TAPE_RESULT_T;
  case TAPE_SELECT:
    return k == 0 ? TAPE_RESULT_T : TAPE_RESULT_V;
  default:
    return TAPE_RESULT_V;
  }
}

static void check_operands(const struct tape *tape, uint32_t index) {
  const struct tape_instruction *instruction = &tape->code.items[index];
  const uint32_t operands[3] = {instruction->a, instruction->b, instruction->c};
  for (unsigned k = 0; k < tape_facts[instruction->operation].operands; k++) {
    if (operands[k] >= index) bug("tape: instruction %u uses a later value %u", index, operands[k]);
    enum tape_operation operand = tape->code.items[operands[k]].operation;
    if (tape_facts[operand].result != wanted_operand(instruction->operation, k))
      bug("tape: instruction %u (%s) has operand %u of the wrong kind", index,
          tape_facts[instruction->operation].text, k);
  }
}

static void check_memory(const struct tape *tape, uint32_t index, uint8_t *is_stored) {
  const struct tape_instruction *instruction = &tape->code.items[index];
  switch (instruction->operation) {
  case TAPE_INPUT:
    if (instruction->a > TAPE_ARRAY_P) bug("tape: instruction %u reads a wrong array", index);
    break;
  case TAPE_LOAD:
    if (instruction->b >= tape->work) bug("tape: load %u beyond the workspace", index);
    break;
  case TAPE_CLEAR:
    if (instruction->a != TAPE_ARRAY_WORK && instruction->a != TAPE_ARRAY_OUT)
      bug("tape: clear %u of a wrong array", index);
    if ((uint64_t)instruction->b + instruction->c >
        (instruction->a == TAPE_ARRAY_OUT ? tape->out_count : tape->work))
      bug("tape: clear %u beyond its array", index);
    for (uint32_t i = 0; instruction->a == TAPE_ARRAY_OUT && i < instruction->c; i++)
      is_stored[instruction->b + i] = 1;
    break;
  case TAPE_STORE:
    if (instruction->b == TAPE_ARRAY_WORK ? instruction->c >= tape->work
                                          : instruction->b != TAPE_ARRAY_OUT)
      bug("tape: store %u to a wrong place", index);
    if (instruction->b == TAPE_ARRAY_OUT) {
      if (instruction->c >= tape->out_count) bug("tape: store %u beyond out", index);
      is_stored[instruction->c] = 1;
    }
    break;
  case TAPE_DOT:
    if ((uint64_t)instruction->b + TAYLOR_ROOM > tape->work ||
        (uint64_t)instruction->c + TAYLOR_ROOM > tape->work)
      bug("tape: dot %u beyond the workspace", index);
    break;
  case TAPE_KEEP:
    if ((uint64_t)instruction->b + TAYLOR_ROOM > tape->work || instruction->c >= TAYLOR_ARRAY_COUNT)
      bug("tape: keep %u in a wrong place", index);
    break;
  case TAPE_FACTOR:
  case TAPE_GUARD_FACTOR:
    if (instruction->b >= tape->solvers.count) bug("tape: no solver at %u", index);
    if (tape->solvers.items[instruction->b].is_careful && tape->careful == NULL)
      bug("tape: guard %u has no careful tape", index);
    break;
  case TAPE_SUBSTITUTE:
  case TAPE_GUARD_SUBSTITUTE:
    if (instruction->b >= tape->right_sides.count) bug("tape: no right side at %u", index);
    break;
  case TAPE_SOLUTION: { /* they stand directly behind their guard */
    if (index == 0) bug("tape: solution 0 without its guard");
    enum tape_operation before = instruction[-1].operation;
    bool is_behind = before == TAPE_SOLUTION || before == TAPE_GUARD_SUBSTITUTE;
    if (!is_behind || instruction[-1].b != instruction->b)
      bug("tape: solution %u without its guard", index);
    break;
  }
  default:
    break;
  }
}

void tape_check(const struct tape *tape) {
  uint8_t *is_stored = checked_calloc((size_t)tape->out_count + 1, 1);
  for (uint32_t i = 0; i < tape->code.count; i++) {
    if (tape->code.items[i].operation >= TAPE_OPERATION_COUNT) bug("tape: bad instruction %u", i);
    check_operands(tape, i);
    check_memory(tape, i, is_stored);
  }
  for (uint32_t i = 0; i < tape->out_count; i++)
    if (!is_stored[i]) bug("tape: result %u is never stored", i);
  for (uint32_t i = 0; i < tape->solvers.count; i++) {
    const struct tape_solver *solver = &tape->solvers.items[i];
    if (solver->coordinates > solver->n || solver->rank > solver->n) bug("tape: solver %u", i);
    if (solver->kind == SOLVER_UNROLLED && solver->ordered != solver->rank)
      bug("tape: solver %u leaves out too much", i);
    bool is_cold = solver->kind == SOLVER_REVEALING || solver->kind == SOLVER_ELIMINATING;
    if (is_cold && !tape_solver_is_bordered(solver))
      bug("tape: solver %u reveals a rank that it knows", i);
  }
  for (uint32_t i = 0; i < tape->right_sides.count; i++)
    if (tape->right_sides.items[i].solver >= tape->solvers.count) bug("tape: right side %u", i);
  free(is_stored);
}

/* ---- printer */

static void dump_solver(const struct tape_solver *solver, uint32_t index, struct text *out) {
  static const char *const kinds[] = {"unrolled", "dense",     "sparse",
                                      "lu",       "revealing", "eliminating"};
  text_format(out, "solver %u: %s, n = %u", index, kinds[solver->kind], solver->n);
  if (tape_solver_is_bordered(solver))
    text_format(out, ", coordinates %u, rank %u", solver->coordinates, solver->rank);
  if (solver->kind == SOLVER_SPARSE) text_format(out, ", factor entries %u", solver->factor_count);
  text_put(out, "\n");
}

static void dump_instruction(const struct tape *tape, uint32_t index, struct text *out) {
  static const char *const arrays[] = {"t", "x", "u", "p", "work", "out"};
  const struct tape_instruction *instruction = &tape->code.items[index];
  const struct tape_operation_facts *facts = &tape_facts[instruction->operation];
  const uint32_t operands[3] = {instruction->a, instruction->b, instruction->c};
  if (facts->result == TAPE_RESULT_N)
    text_put(out, "  ");
  else
    text_format(out, "  %%%u = ", index);
  switch (instruction->operation) {
  case TAPE_CONSTANT:
    text_number(out, instruction->number);
    break;
  case TAPE_INPUT:
    text_put(out, arrays[instruction->a]);
    if (instruction->a != TAPE_ARRAY_TIME) text_format(out, "[%u]", instruction->b);
    break;
  case TAPE_LOAD:
    text_format(out, "work[%u]", instruction->b);
    break;
  case TAPE_STORE:
    text_format(out, "%s[%u] = %%%u", arrays[instruction->b], instruction->c, instruction->a);
    break;
  case TAPE_CLEAR:
    text_format(out, "clear %s[%u..%u]", arrays[instruction->a], instruction->b,
                instruction->b + instruction->c - 1);
    break;
  case TAPE_DOT:
    text_format(out, "dot work[%u] work[%u]", instruction->b, instruction->c);
    break;
  case TAPE_KEEP:
    text_format(out, "keep work[%u]%s = %%%u", instruction->b,
                instruction->c == TAYLOR_REVERSED ? " reversed" : "", instruction->a);
    break;
  default:
    text_put(out, facts->text);
    for (unsigned k = 0; k < facts->operands; k++) text_format(out, " %%%u", operands[k]);
    if (instruction->operation == TAPE_SOLUTION)
      text_format(out, " right side %u entry %u", instruction->b, instruction->c);
    else if (instruction->operation == TAPE_FACTOR || instruction->operation == TAPE_GUARD_FACTOR)
      text_format(out, " solver %u", instruction->b);
    else if ((instruction->operation == TAPE_SIN || instruction->operation == TAPE_COS) &&
             instruction->b != 0)
      text_format(out, " group %u", instruction->b);
    else if (instruction->operation > TAPE_FACTOR && instruction->operation != TAPE_LEAVE)
      text_format(out, " right side %u", instruction->b);
  }
  text_put(out, "\n");
}

void tape_dump(const struct tape *tape, struct text *out) {
  for (uint32_t i = 0; i < tape->solvers.count; i++) dump_solver(&tape->solvers.items[i], i, out);
  for (uint32_t i = 0; i < tape->right_sides.count; i++)
    text_format(out, "right side %u: solver %u, columns %u\n", i, tape->right_sides.items[i].solver,
                tape->right_sides.items[i].columns);
  for (uint32_t i = 0; i < tape->code.count; i++) dump_instruction(tape, i, out);
  if (tape->careful == NULL) return;
  text_put(out, "careful:\n");
  tape_dump(tape->careful, out);
}
