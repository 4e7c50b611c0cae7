/* Sines and cosines by arithmetic, and which of a tape's are made so. */
#include "codegen/sines.h"
#include "base/vector.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double sines_half_pi[SINES_PARTS] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                                           0x1.b839a252049c1p-104};
const double sines_terms[SINES_TERMS] = {
    -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
    -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
const double cosines_terms[COSINES_TERMS] = {
    1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
    1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};

/* ---- numbers. llvm_sines_module.c does the same operations in the same order. */

struct turn { /* an angle: quarter turns modulo 4, and the rest */
  uint64_t quarters;
  double high, low, square;
};

/* a - b = the result + *low, exactly (Knuth). */
static double two_difference(double a, double b, double *low) {
  double difference = a - b, of_b = difference - a;
  *low = (a - (difference - of_b)) - (b + of_b);
  return difference;
}

static struct turn reduce(double angle) {
  double shifted = angle * SINES_TWO_BY_PI + SINES_ROUNDER, k = shifted - SINES_ROUNDER;
  double first, second;
  struct turn turn;
  memcpy(&turn.quarters, &shifted, sizeof shifted);
  turn.high = angle - k * sines_half_pi[0];
  turn.high = two_difference(turn.high, k * sines_half_pi[1], &first);
  turn.high = two_difference(turn.high, k * sines_half_pi[2], &second);
  turn.low = (first + second) - k * sines_half_pi[3];
  turn.square = turn.high * turn.high;
  return turn;
}

static double polynomial(const double *terms, int count, double x) {
  double sum = terms[count - 1];
  for (int i = count - 1; i-- > 0;) sum = sum * x + terms[i];
  return sum;
}

/* sin(high + low) = sin(high) + low cos(high) */
static double sine_of_rest(const struct turn *turn) {
  double cube = turn->square * turn->high, half = turn->square * 0.5;
  double low = turn->low - half * turn->low;
  return turn->high + (cube * polynomial(sines_terms, SINES_TERMS, turn->square) + low);
}

/* 1 - square/2 is rounded; what that takes off is added to the rest of the series. */
static double cosine_of_rest(const struct turn *turn) {
  double half = turn->square * 0.5, main = 1 - half, taken = (1 - main) - half;
  double low = taken - turn->high * turn->low, fourth = turn->square * turn->square;
  return main + (fourth * polynomial(cosines_terms, COSINES_TERMS, turn->square) + low);
}

/* Sine s, c, -s, -c in the quarters; the cosine is a quarter ahead. */
static double by_quarter(const struct turn *turn, uint64_t quarters) {
  double value = quarters % 2 != 0 ? cosine_of_rest(turn) : sine_of_rest(turn);
  return quarters % 4 >= 2 ? -value : value;
}

double sines_sine(double angle) {
  if (!(fabs(angle) <= SINES_LARGEST)) return sin(angle);
  struct turn turn = reduce(angle);
  return by_quarter(&turn, turn.quarters);
}

double sines_cosine(double angle) {
  if (!(fabs(angle) <= SINES_LARGEST)) return cos(angle);
  struct turn turn = reduce(angle);
  return by_quarter(&turn, turn.quarters + 1);
}

/* ---- groups */

bool sines_can_be_early(enum tape_operation operation) {
  switch (operation) {
  case TAPE_CONSTANT:
  case TAPE_INPUT:
  case TAPE_ADD:
  case TAPE_SUBTRACT:
  case TAPE_MULTIPLY:
  case TAPE_NEGATE:
    return true;
  default:
    return false;
  }
}

/* Early instructions: those that need nothing but inputs and cheap arithmetic. */
static uint8_t *find_early(const struct tape *tape) {
  uint8_t *is_early = checked_calloc((size_t)tape->code.count + 1, 1);
  for (uint32_t i = 0; i < tape->code.count; i++) {
    const struct tape_instruction *instruction = &tape->code.items[i];
    if (!sines_can_be_early(instruction->operation)) continue;
    unsigned operands = tape_facts[instruction->operation].operands;
    is_early[i] =
        (operands < 1 || is_early[instruction->a]) && (operands < 2 || is_early[instruction->b]);
  }
  return is_early;
}

static bool is_sine(const struct tape_instruction *instruction) {
  return instruction->operation == TAPE_SIN || instruction->operation == TAPE_COS;
}

void sines_group(struct tape *tape) {
  /* The calls for fewer angles cost the library less than one group. */
  enum { WORTH = SINES_GROUP };
  uint8_t *is_early = find_early(tape);
  uint32_t *group_of = checked_calloc((size_t)tape->code.count + 1, sizeof *group_of), angles = 0;
  for (uint32_t i = 0; i < tape->code.count; i++) {
    const struct tape_instruction *sine = &tape->code.items[i];
    if (is_sine(sine) && is_early[sine->a] && group_of[sine->a] == 0)
      group_of[sine->a] = 1 + angles++ / SINES_GROUP;
  }
  for (uint32_t i = 0; angles >= WORTH && i < tape->code.count; i++) {
    struct tape_instruction *sine = &tape->code.items[i];
    if (is_sine(sine)) sine->b = group_of[sine->a];
  }
  free(is_early);
  free(group_of);
}
