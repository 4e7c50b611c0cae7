/* Proofs that an expression is zero, by exact polynomial arithmetic (FLINT).
 *
 * Every value becomes a quotient of polynomials. Their variables are the symbols, what is not
 * algebraic (exp(x), if ...), cos and sin of every angle that angles are integer combinations of
 * (angle sums are multiplied out; sin^2 = 1 - cos^2), and one root r = b^(1/q) for every base b
 * under roots (r^q = b). Only true relations are used, so a numerator that comes out as 0 proves
 * the expression to vanish wherever it is defined. Whatever grows too large is given up. */
#include "expr/prover_exact.h"
#include "base/bug.h"
#include <stdlib.h>

/* ---- polynomials with the size limit */

static bool is_small(const struct exact *exact, const fmpq_mpoly_t a) {
  return fmpq_mpoly_length(a, exact->ring) <= TERMS_LIMIT;
}

/* Books the work of a product; false once the budget is spent. */
static bool can_multiply(struct exact *exact, const fmpq_mpoly_t a, const fmpq_mpoly_t b) {
  exact->work +=
      (double)fmpq_mpoly_length(a, exact->ring) * (double)fmpq_mpoly_length(b, exact->ring);
  exact->failed = exact->failed || exact->work > WORK_LIMIT;
  return !exact->failed;
}

/* Replaces generator^degree by the relation wherever it occurs. */
static void reduce_by(struct exact *exact, fmpq_mpoly_t a, const struct relation *relation) {
  if (exact->failed || fmpq_mpoly_degree_si(a, relation->generator, exact->ring) < relation->degree)
    return;
  fmpq_mpoly_univar_t parts;
  fmpq_mpoly_t sum, term, generator;
  fmpq_mpoly_univar_init(parts, exact->ring);
  fmpq_mpoly_init(sum, exact->ring);
  fmpq_mpoly_init(term, exact->ring);
  fmpq_mpoly_init(generator, exact->ring);
  fmpq_mpoly_to_univar(parts, a, relation->generator, exact->ring);
  fmpq_mpoly_gen(generator, relation->generator, exact->ring);
  for (slong i = 0; i < fmpq_mpoly_univar_length(parts, exact->ring); i++) {
    slong power = fmpq_mpoly_univar_get_term_exp_si(parts, i, exact->ring);
    fmpq_mpoly_univar_get_term_coeff(term, parts, i, exact->ring);
    for (slong k = 0; k < power % relation->degree; k++)
      fmpq_mpoly_mul(term, term, generator, exact->ring);
    for (slong k = 0; k < power / relation->degree && is_small(exact, term) &&
                      can_multiply(exact, term, relation->value);
         k++)
      fmpq_mpoly_mul(term, term, relation->value, exact->ring);
    fmpq_mpoly_add(sum, sum, term, exact->ring);
    exact->failed = exact->failed || !is_small(exact, term) || !is_small(exact, sum);
  }
  fmpq_mpoly_swap(a, sum, exact->ring);
  fmpq_mpoly_univar_clear(parts, exact->ring);
  fmpq_mpoly_clear(sum, exact->ring);
  fmpq_mpoly_clear(term, exact->ring);
  fmpq_mpoly_clear(generator, exact->ring);
}

/* Later relations speak of earlier variables only; sines come first in the list. */
static void reduce(struct exact *exact, fmpq_mpoly_t a) {
  for (uint32_t i = exact->relation_count; i > 0; i--)
    reduce_by(exact, a, &exact->relations[i - 1]);
}

static void multiply(struct exact *exact, fmpq_mpoly_t out, const fmpq_mpoly_t a,
                     const fmpq_mpoly_t b) {
  if (!can_multiply(exact, a, b)) return;
  fmpq_mpoly_mul(out, a, b, exact->ring);
  exact->failed = !is_small(exact, out);
  reduce(exact, out);
}

/* ---- quotients */

void quotient_init(struct exact *exact, struct quotient *quotient) {
  fmpq_mpoly_init(quotient->above, exact->ring);
  fmpq_mpoly_init(quotient->below, exact->ring);
  fmpq_mpoly_set_si(quotient->below, 1, exact->ring);
}

void quotient_clear(struct exact *exact, struct quotient *quotient) {
  fmpq_mpoly_clear(quotient->above, exact->ring);
  fmpq_mpoly_clear(quotient->below, exact->ring);
}

static void set_number(struct exact *exact, fmpq_mpoly_t out, mpq_srcptr number) {
  fmpq_t value;
  fmpq_init(value);
  fmpq_set_mpq(value, number);
  fmpq_mpoly_set_fmpq(out, value, exact->ring);
  fmpq_clear(value);
}

/* sum += number * term */
static void add_quotient(struct exact *exact, struct quotient *sum, mpq_srcptr number,
                         const struct quotient *term) {
  fmpq_mpoly_t scaled;
  fmpq_t factor;
  fmpq_init(factor);
  fmpq_mpoly_init(scaled, exact->ring);
  fmpq_set_mpq(factor, number);
  fmpq_mpoly_scalar_mul_fmpq(scaled, term->above, factor, exact->ring);
  if (!fmpq_mpoly_equal(sum->below, term->below, exact->ring)) {
    multiply(exact, scaled, scaled, sum->below);
    multiply(exact, sum->above, sum->above, term->below);
    multiply(exact, sum->below, sum->below, term->below);
  }
  fmpq_mpoly_add(sum->above, sum->above, scaled, exact->ring);
  exact->work += (double)fmpq_mpoly_length(sum->above, exact->ring);
  exact->failed = exact->failed || !is_small(exact, sum->above);
  fmpq_mpoly_clear(scaled, exact->ring);
  fmpq_clear(factor);
}

/* product *= base^power */
static void multiply_power(struct exact *exact, struct quotient *product,
                           const struct quotient *base, long power) {
  exact->failed = exact->failed || power > POWER_LIMIT || power < -POWER_LIMIT;
  for (long k = labs(power); k > 0 && !exact->failed; k--) {
    multiply(exact, product->above, product->above, power > 0 ? base->above : base->below);
    multiply(exact, product->below, product->below, power > 0 ? base->below : base->above);
  }
}

/* ---- steps */

static void sum_value(struct exact *exact, const struct program_step *step, struct quotient *out) {
  set_number(exact, out->above, exact->program->numbers[step->number]);
  for (uint32_t i = 0; i < step->count && !exact->failed; i++) {
    struct program_operand term = exact->program->operands[step->first + i];
    add_quotient(exact, out, exact->program->numbers[term.number], &exact->values[term.step]);
  }
}

/* The root of a base, and from then on the relation root^degree = base. */
static void root_value(struct exact *exact, uint32_t base, struct quotient *out) {
  struct variable *variable = &exact->variables[base];
  fmpq_mpoly_gen(out->above, variable->root, exact->ring);
  if (variable->root_related) return;
  variable->root_related = true;
  if (!fmpq_mpoly_is_one(exact->values[base].below, exact->ring)) exact->failed = true;
  struct relation *relation = &exact->relations[exact->relation_count++];
  relation->generator = variable->root;
  relation->degree = variable->root_degree;
  fmpq_mpoly_init(relation->value, exact->ring);
  fmpq_mpoly_set(relation->value, exact->values[base].above, exact->ring);
}

static void product_value(struct exact *exact, const struct program_step *step,
                          struct quotient *out) {
  set_number(exact, out->above, exact->program->numbers[step->number]);
  for (uint32_t i = 0; i < step->count && !exact->failed; i++) {
    struct program_operand factor = exact->program->operands[step->first + i];
    mpq_srcptr exponent = exact->program->numbers[factor.number];
    long above = mpz_get_si(mpq_numref(exponent)), below = mpz_get_si(mpq_denref(exponent));
    if (below == 1) {
      multiply_power(exact, out, &exact->values[factor.step], above);
      continue;
    }
    struct quotient root;
    quotient_init(exact, &root);
    root_value(exact, factor.step, &root);
    multiply_power(exact, out, &root, above * (exact->variables[factor.step].root_degree / below));
    quotient_clear(exact, &root);
  }
}

/* (c + i s) *= (cos + i sin of a variable)^turns */
static void turn(struct exact *exact, fmpq_mpoly_t c, fmpq_mpoly_t s, uint32_t atom, long turns) {
  fmpq_mpoly_t parts[6];
  for (int i = 0; i < 6; i++) fmpq_mpoly_init(parts[i], exact->ring);
  fmpq_mpoly_gen(parts[0], exact->variables[atom].cosine, exact->ring);
  fmpq_mpoly_gen(parts[1], exact->variables[atom].sine, exact->ring);
  if (turns < 0) fmpq_mpoly_neg(parts[1], parts[1], exact->ring);
  exact->failed = exact->failed || labs(turns) > POWER_LIMIT;
  for (long k = labs(turns); k > 0 && !exact->failed; k--) {
    multiply(exact, parts[2], c, parts[0]);
    multiply(exact, parts[3], s, parts[1]);
    multiply(exact, parts[4], c, parts[1]);
    multiply(exact, parts[5], s, parts[0]);
    fmpq_mpoly_sub(c, parts[2], parts[3], exact->ring);
    fmpq_mpoly_add(s, parts[4], parts[5], exact->ring);
  }
  for (int i = 0; i < 6; i++) fmpq_mpoly_clear(parts[i], exact->ring);
}

static void angle_value(struct exact *exact, const struct program_step *step,
                        struct quotient *out) {
  fmpq_mpoly_t c, s;
  struct angle_terms terms;
  fmpq_mpoly_init(c, exact->ring);
  fmpq_mpoly_init(s, exact->ring);
  fmpq_mpoly_set_si(c, 1, exact->ring);
  exact_angle_terms(exact->program, step, &terms);
  for (uint32_t i = 0; i < terms.count && !exact->failed; i++) {
    uint32_t atom = exact_angle_atom(exact->program, &terms, i);
    mpq_srcptr number = exact_angle_number(exact->program, &terms, i);
    long above = number == NULL ? 1 : mpz_get_si(mpq_numref(number));
    long below = number == NULL ? 1 : mpz_get_si(mpq_denref(number));
    turn(exact, c, s, atom, above * (exact->variables[atom].parts / below));
  }
  if (step->operator_ == EXPR_COS)
    fmpq_mpoly_set(out->above, c, exact->ring);
  else
    fmpq_mpoly_set(out->above, s, exact->ring);
  if (step->operator_ == EXPR_TAN) fmpq_mpoly_set(out->below, c, exact->ring);
  fmpq_mpoly_clear(c, exact->ring);
  fmpq_mpoly_clear(s, exact->ring);
}

static void step_value(struct exact *exact, uint32_t at) {
  const struct program_step *step = &exact->program->steps[at];
  struct quotient *out = &exact->values[at];
  if (exact->variables[at].own >= 0) {
    fmpq_mpoly_gen(out->above, exact->variables[at].own, exact->ring);
    return;
  }
  switch (step->operator_) {
  case EXPR_NUMBER:
    set_number(exact, out->above, exact->program->numbers[step->number]);
    break;
  case EXPR_SUM:
    sum_value(exact, step, out);
    break;
  case EXPR_PRODUCT:
    product_value(exact, step, out);
    break;
  default:
    angle_value(exact, step, out);
    break;
  }
}

static void relate_sines(struct exact *exact) {
  for (uint32_t i = 0; i < exact->program->step_count; i++) {
    const struct variable *variable = &exact->variables[i];
    if (variable->sine < 0) continue;
    struct relation *relation = &exact->relations[exact->relation_count++];
    relation->generator = variable->sine;
    relation->degree = 2;
    fmpq_mpoly_init(relation->value, exact->ring);
    fmpq_mpoly_gen(relation->value, variable->cosine, exact->ring);
    fmpq_mpoly_mul(relation->value, relation->value, relation->value, exact->ring);
    fmpq_mpoly_neg(relation->value, relation->value, exact->ring);
    fmpq_mpoly_add_si(relation->value, relation->value, 1, exact->ring);
  }
}

bool prover_is_exactly_zero(const struct program *program) {
  struct exact exact = {.program = program};
  bool zero = false;
  if (exact_plan(&exact)) {
    fmpq_mpoly_ctx_init(exact.ring, exact.generator_count > 0 ? exact.generator_count : 1, ORD_LEX);
    exact.relations = checked_calloc((size_t)exact.generator_count + 1, sizeof *exact.relations);
    exact.values = checked_calloc(program->step_count, sizeof *exact.values);
    for (uint32_t i = 0; i < program->step_count; i++)
      if (exact.needed[i]) quotient_init(&exact, &exact.values[i]);
    relate_sines(&exact);
    for (uint32_t i = 0; i < program->step_count && !exact.failed; i++)
      if (exact.needed[i]) step_value(&exact, i);
    const struct quotient *root = &exact.values[program->roots[0]];
    zero = !exact.failed && fmpq_mpoly_is_zero(root->above, exact.ring) &&
           !fmpq_mpoly_is_zero(root->below, exact.ring);
    for (uint32_t i = 0; i < program->step_count; i++)
      if (exact.needed[i]) quotient_clear(&exact, &exact.values[i]);
    for (uint32_t i = 0; i < exact.relation_count; i++)
      fmpq_mpoly_clear(exact.relations[i].value, exact.ring);
    free(exact.values);
    free(exact.relations);
    fmpq_mpoly_ctx_clear(exact.ring);
  }
  free(exact.variables);
  free(exact.needed);
  return zero;
}
