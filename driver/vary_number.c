/* Reads numbers of --vary as fractions. */
#include "driver/vary_number.h"
#include "base/bug.h"
#include "expr/expr.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The digits at `text` with an exponent of ten; up to `end`, as strtod reads it. */
static void read_decimal(const char *text, const char *end, mpq_t out) {
  char *digits = checked_malloc((size_t)(end - text) + 1);
  size_t count = 0;
  long exponent = 0;
  bool is_behind_point = false;
  for (; text < end && *text != 'e' && *text != 'E'; text++) {
    if (*text == '.') {
      is_behind_point = true;
      continue;
    }
    digits[count++] = *text;
    exponent -= is_behind_point;
  }
  digits[count] = '\0';
  if (text < end) exponent += strtol(text + 1, NULL, 10);
  mpz_set_str(mpq_numref(out), digits, 10);
  mpz_set_ui(mpq_denref(out), 1);
  free(digits);
  mpz_t power;
  mpz_init(power);
  mpz_ui_pow_ui(power, 10, (unsigned long)labs(exponent));
  mpz_ptr part = exponent < 0 ? mpq_denref(out) : mpq_numref(out);
  mpz_mul(part, part, power);
  mpz_clear(power);
  mpq_canonicalize(out);
}

void vary_pi(mpq_t out) {
  static const char digits[] = "3.14159265358979323846264338327950288419716939937510582097494";
  read_decimal(digits, digits + sizeof digits - 1, out);
}

static bool is_nothing(const char *text, const char *end) {
  while (text < end && (*text == '0' || *text == '.')) text++;
  return text == end || *text == 'e' || *text == 'E';
}

/* Hexadecimal numbers, inf, nan and, as in models, what is beyond doubles are none. */
static bool read_factor(const char **at, mpq_t out) {
  if (strncmp(*at, "pi", 2) == 0) {
    vary_pi(out);
    *at += 2;
    return true;
  }
  if (!isdigit((unsigned char)**at) || strncmp(*at, "0x", 2) == 0 || strncmp(*at, "0X", 2) == 0)
    return false;
  char *end;
  double size = strtod(*at, &end);
  if (!isfinite(size) || end[-1] == '.' || (size == 0 && !is_nothing(*at, end))) return false;
  if (size == 0) /* 0e9999999999 is not worth its digits */
    mpq_set_ui(out, 0, 1);
  else
    read_decimal(*at, end, out);
  *at = end;
  return true;
}

static bool read_factors(const char *text, mpq_t out, mpq_t factor) {
  bool is_negative = false;
  while (*text == '-' || *text == '+' || *text == ' ') is_negative ^= *text++ == '-';
  if (!read_factor(&text, out)) return false;
  for (;;) {
    while (*text == ' ') text++;
    char operator_ = *text;
    if (operator_ != '*' && operator_ != '/') break;
    do text++;
    while (*text == ' ');
    if (!read_factor(&text, factor)) return false;
    if (operator_ == '*')
      mpq_mul(out, out, factor);
    else if (mpq_sgn(factor) != 0)
      mpq_div(out, out, factor);
    else
      return false;
  }
  if (is_negative) mpq_neg(out, out);
  return *text == '\0' && isfinite(expr_nearest_double(out));
}

bool vary_number(const char *text, mpq_t out) {
  mpq_t factor;
  mpq_init(factor);
  bool good = read_factors(text, out, factor);
  mpq_clear(factor);
  return good;
}
