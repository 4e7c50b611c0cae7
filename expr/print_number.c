/* Numbers for readers: 3, 1/2, 9.81, 2e-9. Decimals only where they are exact and short. */
#include "expr/print.h"
#include <string.h>

enum { DECIMALS = 6, DIGITS = 12, EXPONENT_LIMIT = 40 };

/* number = digits * 10^ten with as few digits as possible. */
struct decimal {
  char digits[DIGITS + 2];
  long ten;
};

/* Splits off all powers of ten; false if the rest is longer than DIGITS. */
static bool shortest(mpz_t whole, struct decimal *out) {
  mpz_abs(whole, whole);
  while (mpz_cmp_ui(whole, 10) >= 0 && mpz_divisible_ui_p(whole, 10)) {
    mpz_divexact_ui(whole, whole, 10);
    out->ten++;
  }
  if (mpz_sizeinbase(whole, 10) > DIGITS) return false;
  mpz_get_str(out->digits, 10, whole);
  return true;
}

/* The decimal form of a number that reads better so; false for plain integers and for fractions:
 * halves, quarters and eighths with a small numerator stay fractions, and so does 1/1024. */
static bool decimal_of(mpq_srcptr exact, struct decimal *out) {
  mpz_t whole;
  bool found = false;
  out->ten = 0;
  mpz_init(whole);
  if (mpz_cmp_ui(mpq_denref(exact), 1) == 0) {
    size_t digits = mpz_sizeinbase(mpq_numref(exact), 10);
    mpz_set(whole, mpq_numref(exact));
    found = digits > DECIMALS && digits < 400 && shortest(whole, out) && out->ten >= DECIMALS;
  } else if (mpz_sizeinbase(mpq_denref(exact), 10) <= EXPONENT_LIMIT + 1) {
    bool simple = mpz_cmp_ui(mpq_denref(exact), 8) <= 0 && mpz_cmp_ui(mpq_denref(exact), 5) != 0 &&
                  mpz_cmpabs_ui(mpq_numref(exact), 10) < 0;
    mpz_ui_pow_ui(whole, 10, EXPONENT_LIMIT);
    if (!simple && mpz_divisible_p(whole, mpq_denref(exact))) {
      mpz_divexact(whole, whole, mpq_denref(exact));
      mpz_mul(whole, whole, mpq_numref(exact));
      out->ten = -EXPONENT_LIMIT;
      size_t fraction =
          mpz_sizeinbase(mpq_numref(exact), 10) + mpz_sizeinbase(mpq_denref(exact), 10);
      found = shortest(whole, out) && strlen(out->digits) <= fraction;
    }
  }
  mpz_clear(whole);
  return found;
}

static bool is_whole(mpq_srcptr exact) {
  return mpz_cmp_ui(mpq_denref(exact), 1) == 0;
}

bool number_is_plain(const struct expr_graph *graph, uint32_t number) {
  mpq_srcptr exact = graph->numbers.items[number].exact;
  struct decimal decimal;
  return is_whole(exact) || decimal_of(exact, &decimal);
}

static void put_integer(struct text *out, mpz_srcptr value) {
  char *digits = checked_malloc(mpz_sizeinbase(value, 10) + 2);
  mpz_get_str(digits, 10, value);
  text_put(out, digits[0] == '-' ? digits + 1 : digits);
  free(digits);
}

/* 0.05, 9.81, 1.25e-9, 3e10 */
static void put_decimal(struct text *out, const struct decimal *decimal, bool latex) {
  long count = (long)strlen(decimal->digits), point = count + decimal->ten;
  if (decimal->ten < 0 && decimal->ten >= -DECIMALS) {
    if (point <= 0) text_put(out, "0.");
    for (long i = point; i < 0; i++) text_put(out, "0");
    if (point > 0) text_add(out, decimal->digits, (size_t)point);
    if (point > 0) text_put(out, ".");
    text_put(out, decimal->digits + (point > 0 ? point : 0));
    return;
  }
  bool alone = latex && strcmp(decimal->digits, "1") == 0;
  if (alone) {
    text_format(out, "10^{%ld}", point - 1);
    return;
  }
  text_add(out, decimal->digits, 1);
  if (count > 1) text_format(out, ".%s", decimal->digits + 1);
  text_format(out, latex ? "\\cdot 10^{%ld}" : "e%ld", point - 1);
}

void number_print(const struct expr_graph *graph, struct text *out, uint32_t number, bool latex) {
  mpq_srcptr exact = graph->numbers.items[number].exact;
  struct decimal decimal;
  if (decimal_of(exact, &decimal)) {
    put_decimal(out, &decimal, latex);
  } else if (is_whole(exact)) {
    put_integer(out, mpq_numref(exact));
  } else {
    if (latex) text_put(out, "\\frac{");
    put_integer(out, mpq_numref(exact));
    text_put(out, latex ? "}{" : "/");
    put_integer(out, mpq_denref(exact));
    if (latex) text_put(out, "}");
  }
}
