/* Ball arithmetic over programs (Arb): every ball holds the exact value. A choice that the balls
 * cannot decide gives the hull of both branches, which is still an enclosure. */
#include "expr/prover_balls.h"
#include "base/bug.h"
#include "base/map.h"
#include <stdlib.h>

void balls_init(struct balls *balls, const struct program *program) {
  balls->program = program;
  balls->values = _arb_vec_init((slong)program->step_count + 1);
  balls->points = _arb_vec_init((slong)program->symbol_count + 1);
  balls->truths = checked_calloc(program->step_count + 1, 1);
  balls->precision = 64;
}

void balls_clear(struct balls *balls) {
  _arb_vec_clear(balls->values, (slong)balls->program->step_count + 1);
  _arb_vec_clear(balls->points, (slong)balls->program->symbol_count + 1);
  free(balls->truths);
}

/* Attempts take turns among intervals, so that roots, logarithms and arcs find their domains. */
void balls_choose_point(struct balls *balls, uint64_t seed, uint32_t attempt) {
  static const struct {
    int low, width; /* in quarters */
  } intervals[] = {{1, 3}, {-8, 16}, {2, 12}, {-4, 8}};
  enum { STEPS_LOG2 = 24 };
  for (uint32_t i = 0; i < balls->program->symbol_count; i++) {
    uint64_t random =
        hash_mix(seed ^ hash_mix(((uint64_t)attempt << 32) + i + 1)) >> (64 - STEPS_LOG2);
    slong low = intervals[attempt % 4].low, width = intervals[attempt % 4].width;
    arb_set_si(balls->points + i, (slong)(random | 1) * width + low * ((slong)1 << STEPS_LOG2));
    arb_mul_2exp_si(balls->points + i, balls->points + i, -STEPS_LOG2 - 2);
  }
}

static void set_number(arb_t out, mpq_srcptr number, slong precision) {
  fmpq_t value;
  fmpq_init(value);
  fmpq_set_mpq(value, number);
  arb_set_fmpq(out, value, precision);
  fmpq_clear(value);
}

static const struct program_operand *operand_of(const struct balls *balls,
                                                const struct program_step *step, uint32_t i) {
  return &balls->program->operands[step->first + i];
}

static void sum_ball(struct balls *balls, const struct program_step *step, arb_t out) {
  arb_t number;
  arb_init(number);
  set_number(out, balls->program->numbers[step->number], balls->precision);
  for (uint32_t i = 0; i < step->count; i++) {
    const struct program_operand *term = operand_of(balls, step, i);
    set_number(number, balls->program->numbers[term->number], balls->precision);
    arb_addmul(out, number, balls->values + term->step, balls->precision);
  }
  arb_clear(number);
}

/* base^exponent; like C's pow, a negative base has only integer powers. */
static void power_ball(arb_t out, const arb_t base, mpq_srcptr exponent, slong precision) {
  fmpq_t power;
  fmpq_init(power);
  fmpq_set_mpq(power, exponent);
  if (mpz_cmp_ui(mpq_denref(exponent), 1) != 0 && !arb_is_nonnegative(base))
    arb_indeterminate(out);
  else if (mpz_cmp_ui(mpq_denref(exponent), 2) == 0 && mpz_cmp_ui(mpq_numref(exponent), 1) == 0)
    arb_sqrt(out, base, precision);
  else
    arb_pow_fmpq(out, base, power, precision);
  fmpq_clear(power);
}

static void product_ball(struct balls *balls, const struct program_step *step, arb_t out) {
  arb_t power;
  arb_init(power);
  set_number(out, balls->program->numbers[step->number], balls->precision);
  for (uint32_t i = 0; i < step->count; i++) {
    const struct program_operand *factor = operand_of(balls, step, i);
    power_ball(power, balls->values + factor->step, balls->program->numbers[factor->number],
               balls->precision);
    arb_mul(out, out, power, balls->precision);
  }
  arb_clear(power);
}

/* a^b for a general exponent: where a is not positive, only 0 to a positive power is clear. */
static void general_power_ball(arb_t out, const arb_t a, const arb_t b, slong precision) {
  if (!arb_is_positive(a) && !(arb_is_zero(a) && arb_is_positive(b)))
    arb_indeterminate(out);
  else
    arb_pow(out, a, b, precision);
}

static void mod_ball(arb_t out, const arb_t a, const arb_t b, slong precision) {
  arb_t whole;
  arb_init(whole);
  arb_div(whole, a, b, precision);
  arb_floor(whole, whole, precision);
  arb_mul(whole, whole, b, precision);
  arb_sub(out, a, whole, precision);
  arb_clear(whole);
}

static void choice_ball(struct balls *balls, const struct program_step *step, arb_t out) {
  signed char truth = balls->truths[operand_of(balls, step, 0)->step];
  arb_srcptr then = balls->values + operand_of(balls, step, 1)->step;
  arb_srcptr otherwise = balls->values + operand_of(balls, step, 2)->step;
  if (truth == 1)
    arb_set(out, then);
  else if (truth == 0)
    arb_set(out, otherwise);
  else
    arb_union(out, then, otherwise, balls->precision);
}

static void function_ball(struct balls *balls, const struct program_step *step, arb_t out) {
  slong precision = balls->precision;
  arb_srcptr a = step->count > 0 ? balls->values + operand_of(balls, step, 0)->step : NULL;
  arb_srcptr b = step->count > 1 ? balls->values + operand_of(balls, step, 1)->step : NULL;
  switch (step->operator_) {
  case EXPR_PI:
    arb_const_pi(out, precision);
    break;
  case EXPR_POWER:
    general_power_ball(out, a, b, precision);
    break;
  case EXPR_SIN:
    arb_sin(out, a, precision);
    break;
  case EXPR_COS:
    arb_cos(out, a, precision);
    break;
  case EXPR_TAN:
    arb_tan(out, a, precision);
    break;
  case EXPR_ASIN:
    arb_asin(out, a, precision);
    break;
  case EXPR_ACOS:
    arb_acos(out, a, precision);
    break;
  case EXPR_ATAN:
    arb_atan(out, a, precision);
    break;
  case EXPR_ATAN2:
    arb_atan2(out, a, b, precision);
    break;
  case EXPR_SINH:
    arb_sinh(out, a, precision);
    break;
  case EXPR_COSH:
    arb_cosh(out, a, precision);
    break;
  case EXPR_TANH:
    arb_tanh(out, a, precision);
    break;
  case EXPR_EXP:
    arb_exp(out, a, precision);
    break;
  case EXPR_LOG:
    arb_log(out, a, precision);
    break;
  case EXPR_ABS:
    arb_abs(out, a);
    break;
  case EXPR_SIGN:
    arb_sgn(out, a);
    break;
  case EXPR_MIN:
    arb_min(out, a, b, precision);
    break;
  case EXPR_MAX:
    arb_max(out, a, b, precision);
    break;
  case EXPR_MOD:
    mod_ball(out, a, b, precision);
    break;
  case EXPR_FLOOR:
    arb_floor(out, a, precision);
    break;
  case EXPR_IF:
    choice_ball(balls, step, out);
    break;
  default:
    arb_indeterminate(out);
    break;
  }
}

static signed char relation_truth(bool yes, bool no) {
  return yes ? 1 : no ? 0 : -1;
}

static signed char truth_of(struct balls *balls, const struct program_step *step) {
  if (step->operator_ == EXPR_TRUE) return 1;
  if (step->operator_ == EXPR_FALSE) return 0;
  uint32_t first = operand_of(balls, step, 0)->step;
  uint32_t second = step->count > 1 ? operand_of(balls, step, 1)->step : first;
  arb_srcptr a = balls->values + first, b = balls->values + second;
  signed char p = balls->truths[first], q = balls->truths[second];
  switch (step->operator_) {
  case EXPR_LESS:
    return relation_truth(arb_lt(a, b), arb_ge(a, b));
  case EXPR_LESS_EQUAL:
    return relation_truth(arb_le(a, b), arb_gt(a, b));
  case EXPR_EQUAL:
    return relation_truth(arb_eq(a, b), arb_ne(a, b));
  case EXPR_AND:
    return relation_truth(p == 1 && q == 1, p == 0 || q == 0);
  case EXPR_OR:
    return relation_truth(p == 1 || q == 1, p == 0 && q == 0);
  default:
    return relation_truth(p == 0, p == 1); /* not */
  }
}

void balls_evaluate(struct balls *balls, slong precision) {
  const struct program *program = balls->program;
  balls->precision = precision;
  for (uint32_t i = 0; i < program->step_count; i++) {
    const struct program_step *step = &program->steps[i];
    arb_ptr out = balls->values + i;
    switch (step->operator_) {
    case EXPR_NUMBER:
      set_number(out, program->numbers[step->number], precision);
      break;
    case EXPR_SYMBOL:
      arb_set(out, balls->points + step->symbol);
      break;
    case EXPR_SUM:
      sum_ball(balls, step, out);
      break;
    case EXPR_PRODUCT:
      product_ball(balls, step, out);
      break;
    case EXPR_LESS:
    case EXPR_LESS_EQUAL:
    case EXPR_EQUAL:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_NOT:
    case EXPR_TRUE:
    case EXPR_FALSE:
      balls->truths[i] = truth_of(balls, step);
      break;
    default:
      function_ball(balls, step, out);
      break;
    }
  }
}
