/* Numbers for readers: 3, 1/2, 9.81, and 10-based decimals only where they are short and exact. */
#include "expr/print.h"
#include <string.h>

enum { DECIMALS = 6, DIGITS = 12 };

/* The power of ten that makes the number whole, if it is a short decimal; else -1. Halves,
 * quarters and eighths with a small numerator stay fractions. */
static int decimals_of(mpq_srcptr exact) {
  unsigned long below;
  if (!mpz_fits_ulong_p(mpq_denref(exact))) return -1;
  below = mpz_get_ui(mpq_denref(exact));
  if ((below == 2 || below == 4 || below == 8) && mpz_cmpabs_ui(mpq_numref(exact), 10) < 0)
    return -1;
  unsigned long ten = 1;
  for (int decimals = 1; decimals <= DECIMALS; decimals++) {
    ten *= 10;
    if (ten % below == 0) return mpz_sizeinbase(mpq_numref(exact), 10) <= DIGITS ? decimals : -1;
  }
  return -1;
}

static bool is_whole(mpq_srcptr exact) {
  return mpz_cmp_ui(mpq_denref(exact), 1) == 0;
}

bool number_is_plain(const struct expr_graph *graph, uint32_t number) {
  mpq_srcptr exact = graph->numbers.items[number].exact;
  return is_whole(exact) || decimals_of(exact) > 0;
}

static void put_integer(struct text *out, mpz_srcptr value) {
  char *digits = checked_malloc(mpz_sizeinbase(value, 10) + 2);
  mpz_get_str(digits, 10, value);
  text_put(out, digits[0] == '-' ? digits + 1 : digits);
  free(digits);
}

static void put_decimal(struct text *out, mpq_srcptr exact, int decimals) {
  mpz_t whole;
  mpz_init(whole);
  mpz_ui_pow_ui(whole, 10, (unsigned long)decimals);
  mpz_mul(whole, whole, mpq_numref(exact));
  mpz_divexact(whole, whole, mpq_denref(exact));
  mpz_abs(whole, whole);
  char digits[64];
  gmp_snprintf(digits, sizeof digits, "%0*Zd", decimals + 1, whole);
  size_t length = strlen(digits), before = length - (size_t)decimals;
  text_add(out, digits, before);
  text_put(out, ".");
  text_put(out, digits + before);
  mpz_clear(whole);
}

void number_print(const struct expr_graph *graph, struct text *out, uint32_t number, bool latex) {
  mpq_srcptr exact = graph->numbers.items[number].exact;
  int decimals = is_whole(exact) ? 0 : decimals_of(exact);
  if (is_whole(exact)) {
    put_integer(out, mpq_numref(exact));
  } else if (decimals > 0) {
    put_decimal(out, exact, decimals);
  } else {
    if (latex) text_put(out, "\\frac{");
    put_integer(out, mpq_numref(exact));
    text_put(out, latex ? "}{" : "/");
    put_integer(out, mpq_denref(exact));
    if (latex) text_put(out, "}");
  }
}
