/* Powers of numbers. A positive number to a rational exponent is written with prime bases and
 * exponents in (0, 1): sqrt(8) = 2*2^(1/2), 1/sqrt(6) = 1/6*2^(1/2)*3^(1/2), so that equal
 * numbers look equal. Trial division stops at PRIME_LIMIT; what is left is one more base, reduced
 * only if it is a perfect power. Negative bases under a root, 0 to a negative exponent and
 * powers too large to write out stay as they are. */
#include "expr/graph.h"

enum { PRIME_LIMIT = 1000, ROOT_LIMIT = 64 };

/* base ^ exponent for an integer base > 1: the whole part to *coefficient, the rest stays. */
static void push_power(struct expr_graph *graph, mpz_srcptr base, uint32_t exponent,
                       uint32_t *coefficient) {
  mpq_t value;
  mpq_init(value);
  mpz_set(mpq_numref(value), base);
  uint32_t number = number_from_mpq(graph, value), whole;
  mpq_clear(value);
  uint32_t floor = number_floor(graph, exponent);
  if (number_power(graph, number, floor, &whole)) {
    *coefficient = number_multiply(graph, *coefficient, whole);
    exponent = number_subtract(graph, exponent, floor);
  }
  if (exponent != NUMBER_ZERO) scratch_push(graph, node_number(graph, number), exponent);
}

/* Replaces value by its root of some degree as long as it is a perfect power; the degree. */
static long perfect_power_root(mpz_t value) {
  long degree = 1;
  mpz_t root;
  mpz_init(root);
  for (unsigned long d = 2; d < ROOT_LIMIT && mpz_perfect_power_p(value);) {
    if (mpz_root(root, value, d)) {
      mpz_set(value, root);
      degree *= (long)d;
    } else {
      d++;
    }
  }
  mpz_clear(root);
  return degree;
}

static void push_integer_power(struct expr_graph *graph, mpz_srcptr integer, uint32_t exponent,
                               uint32_t *coefficient) {
  mpz_t rest, prime;
  mpz_init_set(rest, integer);
  mpz_init(prime);
  for (unsigned long p = 2; p < PRIME_LIMIT && mpz_cmp_ui(rest, 1) > 0; p += p == 2 ? 1 : 2) {
    if (!mpz_divisible_ui_p(rest, p)) continue;
    mpz_set_ui(prime, p);
    long times = (long)mpz_remove(rest, rest, prime);
    uint32_t total = number_multiply(graph, number_from_long(graph, times), exponent);
    push_power(graph, prime, total, coefficient);
  }
  if (mpz_cmp_ui(rest, 1) > 0) {
    long degree = perfect_power_root(rest);
    uint32_t total = number_multiply(graph, number_from_long(graph, degree), exponent);
    push_power(graph, rest, total, coefficient);
  }
  mpz_clear(rest);
  mpz_clear(prime);
}

void number_power_factor(struct expr_graph *graph, uint32_t value, uint32_t exponent,
                         uint32_t *coefficient) {
  uint32_t power;
  if (number_power(graph, value, exponent, &power)) {
    *coefficient = number_multiply(graph, *coefficient, power);
    return;
  }
  int sign = number_sign(graph, value);
  if (sign == 0 && number_sign(graph, exponent) > 0) {
    *coefficient = NUMBER_ZERO;
    return;
  }
  if (sign <= 0 || number_is_integer(graph, exponent)) {
    scratch_push(graph, node_number(graph, value), exponent);
    return;
  }
  mpq_srcptr exact = graph->numbers.items[value].exact;
  push_integer_power(graph, mpq_numref(exact), exponent, coefficient);
  push_integer_power(graph, mpq_denref(exact), number_negate(graph, exponent), coefficient);
}
