/* Which variables the exact arithmetic of a program needs (see prover_exact_module.c). */
#include "expr/prover_exact.h"
#include "base/bug.h"
#include <stdlib.h>

bool exact_angle_terms(const struct program *program, const struct program_step *step,
                       struct angle_terms *terms) {
  uint32_t argument = program->operands[step->first].step;
  const struct program_step *angle = &program->steps[argument];
  *terms = (struct angle_terms){.argument = argument, .count = 1, .whole = true};
  if (angle->operator_ == EXPR_SUM) {
    terms->count = angle->count;
    terms->whole = false;
    return mpq_sgn(program->numbers[angle->number]) == 0;
  }
  if (angle->operator_ == EXPR_PRODUCT && angle->count == 1) {
    mpq_srcptr exponent = program->numbers[program->operands[angle->first].number];
    terms->whole = mpq_cmp_ui(exponent, 1, 1) != 0;
  }
  return true;
}

uint32_t exact_angle_atom(const struct program *program, const struct angle_terms *terms,
                          uint32_t i) {
  if (terms->whole) return terms->argument;
  return program->operands[program->steps[terms->argument].first + i].step;
}

mpq_srcptr exact_angle_number(const struct program *program, const struct angle_terms *terms,
                              uint32_t i) {
  const struct program_step *angle = &program->steps[terms->argument];
  if (terms->whole) return NULL;
  if (angle->operator_ == EXPR_PRODUCT) return program->numbers[angle->number];
  return program->numbers[program->operands[angle->first + i].number];
}

/* The least common multiple of *parts and a denominator, if it stays small. */
static bool join_parts(long *parts, mpz_srcptr denominator, long limit) {
  if (mpz_cmp_si(denominator, limit) > 0) return false;
  long a = *parts, b = mpz_get_si(denominator);
  while (b != 0) {
    long rest = a % b;
    a = b;
    b = rest;
  }
  *parts = *parts / a * mpz_get_si(denominator);
  return *parts <= limit;
}

static void new_variable(struct exact *exact, slong *variable) {
  if (*variable < 0) *variable = exact->generator_count++;
}

static bool plan_angle(struct exact *exact, uint32_t at) {
  const struct program *program = exact->program;
  struct angle_terms terms;
  if (!exact_angle_terms(program, &program->steps[at], &terms)) {
    new_variable(exact, &exact->variables[at].own);
    return true;
  }
  for (uint32_t i = 0; i < terms.count; i++) {
    struct variable *atom = &exact->variables[exact_angle_atom(program, &terms, i)];
    mpq_srcptr number = exact_angle_number(program, &terms, i);
    if (number != NULL && !(join_parts(&atom->parts, mpq_denref(number), POWER_LIMIT) &&
                            mpz_cmpabs_ui(mpq_numref(number), POWER_LIMIT) <= 0))
      return false;
    new_variable(exact, &atom->cosine);
    new_variable(exact, &atom->sine);
  }
  return true;
}

static bool plan_product(struct exact *exact, const struct program_step *step) {
  const struct program *program = exact->program;
  for (uint32_t i = 0; i < step->count; i++) {
    struct program_operand factor = program->operands[step->first + i];
    mpq_srcptr exponent = program->numbers[factor.number];
    struct variable *base = &exact->variables[factor.step];
    if (mpz_cmpabs_ui(mpq_numref(exponent), POWER_LIMIT) > 0) return false;
    if (mpz_cmp_ui(mpq_denref(exponent), 1) == 0) continue;
    if (!join_parts(&base->root_degree, mpq_denref(exponent), ROOT_LIMIT)) return false;
    new_variable(exact, &base->root);
  }
  return true;
}

static bool plan_step(struct exact *exact, uint32_t at) {
  const struct program_step *step = &exact->program->steps[at];
  bool fit = true;
  switch (step->operator_) {
  case EXPR_NUMBER:
    return true;
  case EXPR_SIN:
  case EXPR_COS:
  case EXPR_TAN:
    return plan_angle(exact, at);
  case EXPR_PRODUCT:
    fit = plan_product(exact, step);
    break;
  case EXPR_SUM:
    break;
  default:
    new_variable(exact, &exact->variables[at].own);
    return true;
  }
  for (uint32_t i = 0; i < step->count; i++)
    exact->needed[exact->program->operands[step->first + i].step] = true;
  return fit;
}

bool exact_plan(struct exact *exact) {
  const struct program *program = exact->program;
  exact->needed = checked_calloc(program->step_count + 1, sizeof *exact->needed);
  exact->variables = checked_calloc(program->step_count + 1, sizeof *exact->variables);
  if (program->step_count > STEPS_LIMIT) return false;
  for (uint32_t i = 0; i < program->step_count; i++)
    exact->variables[i] = (struct variable){
        .own = -1, .cosine = -1, .sine = -1, .root = -1, .parts = 1, .root_degree = 1};
  exact->needed[program->roots[0]] = true;
  for (uint32_t i = program->step_count; i > 0; i--) {
    if (!exact->needed[i - 1]) continue;
    if (!plan_step(exact, i - 1) || exact->generator_count > VARIABLES_LIMIT) return false;
  }
  return true;
}
