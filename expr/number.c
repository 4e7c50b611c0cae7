/* The pool of rationals of a graph: every value once, named by a 32-bit id. Values that fit 64
 * bits are computed without GMP. A value of more than NUMBER_BITS_LIMIT bits, or a pool that grows
 * beyond reason, makes the graph full (its callers then report a model that is too large). */
#include "expr/graph.h"
#include <math.h>
#include <string.h>

enum { NUMBER_BITS_LIMIT = 1 << 18, POWER_BITS_LIMIT = 4096 };
static const uint64_t pool_bits_limit = (uint64_t)1 << 31;

/* |value| in units of the last place of subnormal doubles, rounded once; false if the value is
 * too large to be one of them. */
static bool nearest_subnormal(mpq_srcptr value, double *out) {
  enum { LOWEST = 1074, SUBNORMAL_BITS = 52 };
  mpz_t quotient, rest;
  mpz_init(quotient);
  mpz_init(rest);
  mpz_abs(quotient, mpq_numref(value));
  mpz_mul_2exp(quotient, quotient, LOWEST);
  mpz_tdiv_qr(quotient, rest, quotient, mpq_denref(value));
  bool small = mpz_sizeinbase(quotient, 2) <= SUBNORMAL_BITS;
  if (small) {
    mpz_mul_2exp(rest, rest, 1);
    int half = mpz_cmp(rest, mpq_denref(value));
    if (half > 0 || (half == 0 && mpz_odd_p(quotient))) mpz_add_ui(quotient, quotient, 1);
    *out = ldexp((double)mpz_get_ui(quotient), -LOWEST);
  }
  mpz_clear(quotient);
  mpz_clear(rest);
  return small;
}

/* An integer quotient of 64 bits with a sticky last bit, rounded once. */
double expr_nearest_double(mpq_srcptr value) {
  long shift =
      64 + (long)mpz_sizeinbase(mpq_denref(value), 2) - (long)mpz_sizeinbase(mpq_numref(value), 2);
  double size;
  if (mpq_sgn(value) == 0) return 0;
  if (shift > 1074 && nearest_subnormal(value, &size)) return mpq_sgn(value) < 0 ? -size : size;
  mpz_t quotient, rest;
  mpz_init(quotient);
  mpz_init(rest);
  mpz_abs(quotient, mpq_numref(value));
  if (shift >= 0) {
    mpz_mul_2exp(quotient, quotient, (mp_bitcnt_t)shift);
    mpz_tdiv_qr(quotient, rest, quotient, mpq_denref(value));
  } else {
    mpz_mul_2exp(rest, mpq_denref(value), (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(quotient, rest, quotient, rest);
  }
  bool sticky = mpz_sgn(rest) != 0;
  if (mpz_sizeinbase(quotient, 2) > 64) {
    sticky = sticky || mpz_odd_p(quotient);
    mpz_tdiv_q_2exp(quotient, quotient, 1);
    shift -= 1;
  }
  uint64_t bits = (uint64_t)mpz_get_ui(quotient) | (sticky ? 1 : 0);
  mpz_clear(quotient);
  mpz_clear(rest);
  if (shift < -4000) shift = -4000;
  size = ldexp((double)bits, (int)-shift);
  return mpq_sgn(value) < 0 ? -size : size;
}

static uint64_t hash_small(struct rational value) {
  return hash_mix((uint64_t)value.numerator ^ hash_mix((uint64_t)value.denominator));
}

static uint64_t hash_integer(mpz_srcptr value, uint64_t seed) {
  return hash_bytes(mpz_limbs_read(value), mpz_size(value) * sizeof(mp_limb_t),
                    seed + (uint64_t)(mpz_sgn(value) + 1));
}

static uint64_t hash_big(mpq_srcptr value) {
  return hash_integer(mpq_denref(value), hash_integer(mpq_numref(value), 17));
}

static uint64_t hash_of(const struct number *number) {
  return number->small.denominator != 0 ? hash_small(number->small) : hash_big(number->exact);
}

static void grow_slots(struct expr_graph *graph) {
  uint32_t wanted = graph->number_slot_count == 0 ? 64 : graph->number_slot_count * 2;
  free(graph->number_slots);
  graph->number_slots = checked_calloc(wanted, sizeof *graph->number_slots);
  graph->number_slot_count = wanted;
  for (uint32_t id = 0; id < graph->numbers.count; id++) {
    uint32_t at = (uint32_t)hash_of(&graph->numbers.items[id]) & (wanted - 1);
    while (graph->number_slots[at] != 0) at = (at + 1) & (wanted - 1);
    graph->number_slots[at] = id + 1;
  }
}

static uint32_t add_number(struct expr_graph *graph, struct number number, uint32_t slot) {
  graph->number_slots[slot] = graph->numbers.count + 1;
  vector_push(&graph->numbers, number);
  uint32_t id = graph->numbers.count - 1;
  if (graph->numbers.count * 2 > graph->number_slot_count) grow_slots(graph);
  return id;
}

uint32_t number_from_rational(struct expr_graph *graph, struct rational value) {
  uint32_t mask = graph->number_slot_count - 1;
  uint32_t at = (uint32_t)hash_small(value) & mask;
  for (; graph->number_slots[at] != 0; at = (at + 1) & mask) {
    uint32_t id = graph->number_slots[at] - 1;
    if (rational_equal(graph->numbers.items[id].small, value)) return id;
  }
  struct number number = {value, 0, arena_alloc(&graph->arena, sizeof(mpq_t))};
  mpq_init(number.exact);
  mpz_set_si(mpq_numref(number.exact), value.numerator);
  mpz_set_si(mpq_denref(number.exact), value.denominator);
  const int64_t exact = (int64_t)1 << 53;
  number.value = value.numerator <= exact && value.numerator >= -exact && value.denominator <= exact
                     ? (double)value.numerator / (double)value.denominator
                     : expr_nearest_double(number.exact);
  return add_number(graph, number, at);
}

uint32_t number_from_long(struct expr_graph *graph, long value) {
  if (value != INT64_MIN) return number_from_rational(graph, rational_integer(value));
  mpq_t big;
  mpq_init(big);
  mpz_set_si(mpq_numref(big), value);
  uint32_t id = number_from_mpq(graph, big);
  mpq_clear(big);
  return id;
}

static bool fits_small(mpz_srcptr value) {
  return mpz_sizeinbase(value, 2) <= 63;
}

uint32_t number_from_mpq(struct expr_graph *graph, mpq_srcptr value) {
  if (fits_small(mpq_numref(value)) && fits_small(mpq_denref(value)))
    return number_from_rational(
        graph, (struct rational){mpz_get_si(mpq_numref(value)), mpz_get_si(mpq_denref(value))});
  uint64_t bits = mpz_sizeinbase(mpq_numref(value), 2) + mpz_sizeinbase(mpq_denref(value), 2);
  if (bits > NUMBER_BITS_LIMIT || graph->number_bits + bits > pool_bits_limit) {
    graph->full = true;
    return NUMBER_ZERO;
  }
  uint32_t mask = graph->number_slot_count - 1;
  uint32_t at = (uint32_t)hash_big(value) & mask;
  for (; graph->number_slots[at] != 0; at = (at + 1) & mask) {
    const struct number *known = &graph->numbers.items[graph->number_slots[at] - 1];
    if (known->small.denominator == 0 && mpq_equal(known->exact, value))
      return graph->number_slots[at] - 1;
  }
  struct number number = {
      {0, 0}, expr_nearest_double(value), arena_alloc(&graph->arena, sizeof(mpq_t))};
  mpq_init(number.exact);
  mpq_set(number.exact, value);
  graph->number_bits += bits;
  return add_number(graph, number, at);
}

void numbers_init(struct expr_graph *graph) {
  static const struct rational known[] = {{0, 1}, {1, 1}, {-1, 1}, {2, 1}, {1, 2}, {-1, 2}};
  grow_slots(graph);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) number_from_rational(graph, known[i]);
}

void numbers_clear(struct expr_graph *graph) {
  for (uint32_t id = 0; id < graph->numbers.count; id++) mpq_clear(graph->numbers.items[id].exact);
  vector_free(&graph->numbers);
  free(graph->number_slots);
}

typedef bool small_operation(struct rational, struct rational, struct rational *);
typedef void big_operation(mpq_ptr, mpq_srcptr, mpq_srcptr);

static uint32_t compute(struct expr_graph *graph, uint32_t a, uint32_t b, small_operation *small,
                        big_operation *big) {
  const struct number *left = &graph->numbers.items[a], *right = &graph->numbers.items[b];
  struct rational result;
  if (left->small.denominator != 0 && right->small.denominator != 0 &&
      small(left->small, right->small, &result))
    return number_from_rational(graph, result);
  mpq_t value;
  mpq_init(value);
  big(value, left->exact, right->exact);
  uint32_t id = number_from_mpq(graph, value);
  mpq_clear(value);
  return id;
}

uint32_t number_add(struct expr_graph *graph, uint32_t a, uint32_t b) {
  if (a == NUMBER_ZERO) return b;
  if (b == NUMBER_ZERO) return a;
  return compute(graph, a, b, rational_add, mpq_add);
}

uint32_t number_subtract(struct expr_graph *graph, uint32_t a, uint32_t b) {
  return number_add(graph, a, number_negate(graph, b));
}

uint32_t number_multiply(struct expr_graph *graph, uint32_t a, uint32_t b) {
  if (a == NUMBER_ONE) return b;
  if (b == NUMBER_ONE) return a;
  if (a == NUMBER_ZERO || b == NUMBER_ZERO) return NUMBER_ZERO;
  return compute(graph, a, b, rational_multiply, mpq_mul);
}

uint32_t number_divide(struct expr_graph *graph, uint32_t a, uint32_t b) {
  if (b == NUMBER_ONE || a == NUMBER_ZERO) return a;
  if (b == NUMBER_ZERO) { /* only where a full pool answered 0 for something else */
    graph->full = true;
    return NUMBER_ZERO;
  }
  return compute(graph, a, b, rational_divide, mpq_div);
}

uint32_t number_negate(struct expr_graph *graph, uint32_t a) {
  return number_multiply(graph, a, NUMBER_MINUS_ONE);
}

uint32_t number_floor(struct expr_graph *graph, uint32_t a) {
  if (number_is_integer(graph, a)) return a;
  mpq_t value;
  mpq_init(value);
  mpq_srcptr exact = graph->numbers.items[a].exact;
  mpz_fdiv_q(mpq_numref(value), mpq_numref(exact), mpq_denref(exact));
  uint32_t id = number_from_mpq(graph, value);
  mpq_clear(value);
  return id;
}

int number_sign(const struct expr_graph *graph, uint32_t a) {
  const struct number *number = &graph->numbers.items[a];
  if (number->small.denominator == 0) return mpq_sgn(number->exact);
  return (number->small.numerator > 0) - (number->small.numerator < 0);
}

int number_compare(const struct expr_graph *graph, uint32_t a, uint32_t b) {
  if (a == b) return 0;
  int order = mpq_cmp(graph->numbers.items[a].exact, graph->numbers.items[b].exact);
  return (order > 0) - (order < 0);
}

bool number_is_integer(const struct expr_graph *graph, uint32_t a) {
  const struct number *number = &graph->numbers.items[a];
  if (number->small.denominator != 0) return number->small.denominator == 1;
  return mpz_cmp_ui(mpq_denref(number->exact), 1) == 0;
}

bool number_get_long(const struct expr_graph *graph, uint32_t a, long *value) {
  const struct rational small = graph->numbers.items[a].small;
  if (small.denominator != 1) return false;
  *value = (long)small.numerator;
  return true;
}

static uint64_t bits_of(const struct expr_graph *graph, uint32_t a) {
  mpq_srcptr exact = graph->numbers.items[a].exact;
  uint64_t above = mpz_sizeinbase(mpq_numref(exact), 2);
  uint64_t below = mpz_sizeinbase(mpq_denref(exact), 2);
  return above > below ? above : below;
}

bool number_power(struct expr_graph *graph, uint32_t a, uint32_t exponent, uint32_t *out) {
  if (!number_is_integer(graph, exponent)) return false;
  if (exponent == NUMBER_ONE || (a == NUMBER_ONE)) {
    *out = a;
    return true;
  }
  mpz_srcptr power = mpq_numref(graph->numbers.items[exponent].exact);
  if (a == NUMBER_MINUS_ONE || exponent == NUMBER_ZERO) {
    *out = mpz_even_p(power) ? NUMBER_ONE : NUMBER_MINUS_ONE;
    return true;
  }
  if (a == NUMBER_ZERO) {
    *out = NUMBER_ZERO;
    return mpz_sgn(power) > 0;
  }
  long n;
  if (!number_get_long(graph, exponent, &n)) return false;
  unsigned long size = n < 0 ? -(unsigned long)n : (unsigned long)n;
  if (size > POWER_BITS_LIMIT || bits_of(graph, a) * size > POWER_BITS_LIMIT) return false;
  mpq_t value;
  mpq_init(value);
  mpz_pow_ui(mpq_numref(value), mpq_numref(graph->numbers.items[a].exact), size);
  mpz_pow_ui(mpq_denref(value), mpq_denref(graph->numbers.items[a].exact), size);
  if (n < 0) mpq_inv(value, value);
  *out = number_from_mpq(graph, value);
  mpq_clear(value);
  return true;
}
