/* Arithmetic modulo 2^61 - 1 over programs; see the header for what it proves. */
#include "expr/modular.h"
#include "base/bug.h"
#include "base/map.h"
#include <stdlib.h>

static const uint64_t prime = ((uint64_t)1 << 61) - 1;
enum { ANGLE_PARTS_LIMIT = 1 << 10, TURNS_LIMIT = 1 << 20 };

struct complex_residue {
  uint64_t real, imaginary;
};

struct modular {
  const struct program *program;
  bool *plain;         /* per step: its value is needed */
  bool *is_angle;      /* per symbol: met inside of sines and cosines */
  unsigned long parts; /* D: angles are multiples of θ/D */
  uint64_t *values;
  struct complex_residue *rotations; /* per symbol: cos and sin of θ/D */
};

/* ---- residues */

uint64_t modular_multiply(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  uint64_t sum = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
  return sum >= prime ? sum - prime : sum;
}

static uint64_t add(uint64_t a, uint64_t b) {
  uint64_t sum = a + b;
  return sum >= prime ? sum - prime : sum;
}

uint64_t modular_subtract(uint64_t a, uint64_t b) {
  return a >= b ? a - b : a + prime - b;
}

static uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = modular_multiply(base, base))
    if (exponent & 1) result = modular_multiply(result, base);
  return result;
}

uint64_t modular_inverse(uint64_t a) {
  return power(a, prime - 2);
}

static bool residue_of(mpq_srcptr number, uint64_t *out) {
  uint64_t below = mpz_fdiv_ui(mpq_denref(number), prime);
  if (below == 0) return false;
  *out = mpz_fdiv_ui(mpq_numref(number), prime);
  if (below != 1) *out = modular_multiply(*out, modular_inverse(below));
  return true;
}

static struct complex_residue rotate(struct complex_residue a, struct complex_residue b) {
  return (struct complex_residue){
      modular_subtract(modular_multiply(a.real, b.real),
                       modular_multiply(a.imaginary, b.imaginary)),
      add(modular_multiply(a.real, b.imaginary), modular_multiply(a.imaginary, b.real))};
}

/* ---- is the program fit for it? */

static bool is_integer(mpq_srcptr number) {
  return mpz_cmp_ui(mpq_denref(number), 1) == 0 && mpz_fits_slong_p(mpq_numref(number));
}

/* Notes a term coefficient * symbol of an angle. */
static bool note_angle(struct modular *modular, uint32_t step, mpq_srcptr coefficient) {
  const struct program_step *symbol = &modular->program->steps[step];
  if (symbol->operator_ != EXPR_SYMBOL || !mpz_fits_slong_p(mpq_numref(coefficient))) return false;
  modular->is_angle[symbol->symbol] = true;
  mpz_t parts;
  mpz_init_set_ui(parts, modular->parts);
  mpz_lcm(parts, parts, mpq_denref(coefficient));
  bool small = mpz_cmp_ui(parts, ANGLE_PARTS_LIMIT) <= 0;
  if (small) modular->parts = mpz_get_ui(parts);
  mpz_clear(parts);
  return small && mpz_cmpabs_ui(mpq_numref(coefficient), TURNS_LIMIT) < 0;
}

static bool accept_angle(struct modular *modular, uint32_t argument) {
  const struct program *program = modular->program;
  const struct program_step *step = &program->steps[argument];
  mpq_t one;
  mpq_init(one);
  mpq_set_ui(one, 1, 1);
  bool fit = false;
  if (step->operator_ == EXPR_SYMBOL) {
    fit = note_angle(modular, argument, one);
  } else if (step->operator_ == EXPR_PRODUCT && step->count == 1) {
    struct program_operand factor = program->operands[step->first];
    fit = mpq_equal(program->numbers[factor.number], one) &&
          note_angle(modular, factor.step, program->numbers[step->number]);
  } else if (step->operator_ == EXPR_SUM) {
    fit = mpq_sgn(program->numbers[step->number]) == 0;
    for (uint32_t i = 0; i < step->count && fit; i++) {
      struct program_operand term = program->operands[step->first + i];
      fit = note_angle(modular, term.step, program->numbers[term.number]);
    }
  }
  mpq_clear(one);
  return fit;
}

static bool accept_step(struct modular *modular, const struct program_step *step) {
  const struct program *program = modular->program;
  switch (step->operator_) {
  case EXPR_NUMBER:
  case EXPR_PI:
  case EXPR_SYMBOL:
    return true;
  case EXPR_SIN:
  case EXPR_COS:
  case EXPR_TAN:
    return accept_angle(modular, program->operands[step->first].step);
  case EXPR_SUM:
  case EXPR_PRODUCT:
    break;
  default:
    return false;
  }
  for (uint32_t i = 0; i < step->count; i++) {
    struct program_operand operand = program->operands[step->first + i];
    if (step->operator_ == EXPR_PRODUCT && !is_integer(program->numbers[operand.number]))
      return false;
    modular->plain[operand.step] = true;
  }
  return true;
}

static bool accept(struct modular *modular) {
  const struct program *program = modular->program;
  for (uint32_t i = 0; i < program->root_count; i++) modular->plain[program->roots[i]] = true;
  for (uint32_t i = program->step_count; i > 0; i--)
    if (modular->plain[i - 1] && !accept_step(modular, &program->steps[i - 1])) return false;
  for (uint32_t i = 0; i < program->step_count; i++) {
    const struct program_step *step = &program->steps[i];
    if (step->operator_ == EXPR_SYMBOL && modular->plain[i] && modular->is_angle[step->symbol])
      return false;
  }
  return true;
}

struct modular *modular_new(const struct program *program) {
  struct modular *modular = checked_calloc(1, sizeof *modular);
  modular->program = program;
  modular->parts = 1;
  modular->plain = checked_calloc(program->step_count + 1, sizeof *modular->plain);
  modular->is_angle = checked_calloc(program->symbol_count + 1, sizeof *modular->is_angle);
  modular->values = checked_calloc(program->step_count + 1, sizeof *modular->values);
  modular->rotations = checked_calloc(program->symbol_count + 1, sizeof *modular->rotations);
  if (accept(modular)) return modular;
  modular_free(modular);
  return NULL;
}

void modular_free(struct modular *modular) {
  if (modular == NULL) return;
  free(modular->plain);
  free(modular->is_angle);
  free(modular->values);
  free(modular->rotations);
  free(modular);
}

/* ---- values */

static struct complex_residue turn(struct modular *modular, uint32_t step, mpq_srcptr coefficient) {
  uint32_t symbol = modular->program->steps[step].symbol;
  struct complex_residue base = modular->rotations[symbol], result = {1, 0};
  unsigned long below = mpz_get_ui(mpq_denref(coefficient));
  long turns = mpz_get_si(mpq_numref(coefficient)) * (long)(modular->parts / below);
  if (turns < 0) {
    base.imaginary = modular_subtract(0, base.imaginary);
    turns = -turns;
  }
  for (; turns != 0; turns >>= 1, base = rotate(base, base))
    if (turns & 1) result = rotate(result, base);
  return result;
}

/* cos + i sin of an angle that accept_angle let pass. */
static struct complex_residue angle_value(struct modular *modular, uint32_t argument) {
  const struct program *program = modular->program;
  const struct program_step *step = &program->steps[argument];
  struct complex_residue result = {1, 0};
  if (step->operator_ == EXPR_SYMBOL) {
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    result = turn(modular, argument, one);
    mpq_clear(one);
  } else if (step->operator_ == EXPR_PRODUCT) {
    result = turn(modular, program->operands[step->first].step, program->numbers[step->number]);
  } else {
    for (uint32_t i = 0; i < step->count; i++) {
      struct program_operand term = program->operands[step->first + i];
      result = rotate(result, turn(modular, term.step, program->numbers[term.number]));
    }
  }
  return result;
}

static bool product_value(struct modular *modular, const struct program_step *step, uint64_t *out) {
  const struct program *program = modular->program;
  if (!residue_of(program->numbers[step->number], out)) return false;
  for (uint32_t i = 0; i < step->count; i++) {
    struct program_operand factor = program->operands[step->first + i];
    uint64_t base = modular->values[factor.step];
    long exponent = mpz_get_si(mpq_numref(program->numbers[factor.number]));
    if (exponent < 0) {
      if (base == 0) return false;
      base = modular_inverse(base);
    }
    *out = modular_multiply(*out, power(base, (uint64_t)labs(exponent)));
  }
  return true;
}

static bool sum_value(struct modular *modular, const struct program_step *step, uint64_t *out) {
  const struct program *program = modular->program;
  uint64_t coefficient;
  if (!residue_of(program->numbers[step->number], out)) return false;
  for (uint32_t i = 0; i < step->count; i++) {
    struct program_operand term = program->operands[step->first + i];
    if (!residue_of(program->numbers[term.number], &coefficient)) return false;
    *out = add(*out, modular_multiply(coefficient, modular->values[term.step]));
  }
  return true;
}

static bool step_value(struct modular *modular, const struct program_step *step, uint64_t random,
                       uint64_t *out) {
  const struct program *program = modular->program;
  switch (step->operator_) {
  case EXPR_NUMBER:
    return residue_of(program->numbers[step->number], out);
  case EXPR_SUM:
    return sum_value(modular, step, out);
  case EXPR_PRODUCT:
    return product_value(modular, step, out);
  case EXPR_PI:
  case EXPR_SYMBOL:
    *out = random % prime;
    return true;
  default:
    break;
  }
  struct complex_residue angle = angle_value(modular, program->operands[step->first].step);
  *out = step->operator_ == EXPR_COS ? angle.real : angle.imaginary;
  if (step->operator_ != EXPR_TAN) return true;
  if (angle.real == 0) return false;
  *out = modular_multiply(*out, modular_inverse(angle.real));
  return true;
}

/* cos = (1 - t^2)/(1 + t^2), sin = 2t/(1 + t^2); the prime is 3 mod 4, so 1 + t^2 is not 0. */
static struct complex_residue random_rotation(uint64_t random) {
  uint64_t t = random % prime, square = modular_multiply(t, t);
  uint64_t inverse = modular_inverse(add(1, square));
  return (struct complex_residue){modular_multiply(modular_subtract(1, square), inverse),
                                  modular_multiply(add(t, t), inverse)};
}

bool modular_evaluate(struct modular *modular, uint64_t seed, uint64_t *roots) {
  const struct program *program = modular->program;
  for (uint32_t i = 0; i < program->symbol_count; i++)
    if (modular->is_angle[i])
      modular->rotations[i] = random_rotation(hash_mix(seed ^ hash_mix(i + 1)));
  for (uint32_t i = 0; i < program->step_count; i++) {
    if (!modular->plain[i]) continue;
    uint64_t random = hash_mix(seed ^ hash_mix(((uint64_t)i << 32) + 1));
    if (!step_value(modular, &program->steps[i], random, &modular->values[i])) return false;
  }
  for (uint32_t i = 0; i < program->root_count; i++) roots[i] = modular->values[program->roots[i]];
  return true;
}
