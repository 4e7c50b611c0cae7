/* The module dyn_prover: proofs that an expression does not vanish, by balls that stay away from
 * zero at a random point. */
#include "expr/prover_balls.h"
#include "base/bug.h"
#include <stdlib.h>

enum { FIRST_BITS = 64, ATTEMPTS_PER_POINT = 4 };

/* What one point tells of root 0. */
enum outcome { OUTCOME_UNDEFINED, OUTCOME_NONZERO, OUTCOME_OPEN };

static enum outcome try_point(struct balls *balls, const struct prover_question *question,
                              uint32_t *bits_used) {
  arb_srcptr value = balls->values + balls->program->roots[0];
  enum outcome outcome = OUTCOME_UNDEFINED;
  for (uint32_t bits = FIRST_BITS;; bits *= 2) {
    if (bits > question->bits) bits = question->bits;
    balls_evaluate(balls, (slong)bits);
    if (arb_is_finite(value)) {
      if (*bits_used < bits) *bits_used = bits;
      if (!arb_contains_zero(value)) return OUTCOME_NONZERO;
      outcome = OUTCOME_OPEN;
    } else if (outcome == OUTCOME_UNDEFINED && bits > FIRST_BITS) {
      return OUTCOME_UNDEFINED; /* more digits seldom help */
    }
    if (bits >= question->bits) return outcome;
  }
}

static bool is_nonzero(const struct program *program, struct prover_question *question) {
  struct balls balls;
  balls_init(&balls, program);
  question->points_used = question->bits_used = 0;
  uint32_t points = program->symbol_count == 0 ? 1 : question->points;
  bool nonzero = false;
  for (uint32_t i = 0; i < points * ATTEMPTS_PER_POINT && !nonzero; i++) {
    if (question->points_used >= points) break;
    balls_choose_point(&balls, question->seed, i);
    enum outcome outcome = try_point(&balls, question, &question->bits_used);
    if (outcome != OUTCOME_UNDEFINED) question->points_used++;
    nonzero = outcome == OUTCOME_NONZERO;
  }
  balls_clear(&balls);
  return nonzero;
}

__attribute__((visibility("default"))) dyn_prover_function dyn_prover;

const struct prover *dyn_prover(void) {
  static const struct prover prover = {PROVER_VERSION, is_nonzero, prover_is_exactly_zero,
                                       prover_rank, prover_rank_at};
  return &prover;
}
