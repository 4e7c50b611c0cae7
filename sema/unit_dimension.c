/* Arithmetic of dimensions, and how they are written. */
#include "base/text.h"
#include "sema/unit.h"
#include "sema/unit_table.h"
#include <stdlib.h>

static const char *const base_names[UNIT_BASE_COUNT] = {"kg", "m", "s", "A", "K", "mol", "cd"};

struct dimension dimension_pure(void) {
  struct dimension pure;
  for (int i = 0; i < UNIT_BASE_COUNT; i++) pure.exponent[i] = rational_integer(0);
  return pure;
}

struct dimension dimension_of_base(enum unit_base base, int64_t exponent) {
  struct dimension out = dimension_pure();
  out.exponent[base] = rational_integer(exponent);
  return out;
}

bool dimension_is_pure(const struct dimension *a) {
  for (int i = 0; i < UNIT_BASE_COUNT; i++)
    if (a->exponent[i].numerator != 0) return false;
  return true;
}

bool dimension_equal(const struct dimension *a, const struct dimension *b) {
  for (int i = 0; i < UNIT_BASE_COUNT; i++)
    if (!rational_equal(a->exponent[i], b->exponent[i])) return false;
  return true;
}

bool dimension_multiply(const struct dimension *a, const struct dimension *b, struct rational power,
                        struct dimension *out) {
  struct dimension result = *a;
  for (int i = 0; i < UNIT_BASE_COUNT; i++) {
    struct rational term;
    if (b->exponent[i].numerator == 0) continue; /* the common case, and the cheap one */
    if (!rational_multiply(b->exponent[i], power, &term) ||
        !rational_add(a->exponent[i], term, &result.exponent[i]))
      return false;
  }
  *out = result;
  return true;
}

/* ---------------------------------------------------------------- text */

static void put_power(struct text *out, const char *name, struct rational exponent) {
  if (out->length > 0) text_put(out, "*");
  text_put(out, name);
  if (!rational_is_integer(exponent))
    text_format(out, "^(%lld/%lld)", (long long)exponent.numerator,
                (long long)exponent.denominator);
  else if (exponent.numerator != 1)
    text_format(out, "^%lld", (long long)exponent.numerator);
}

/* kg*m^2/s^3, 1/(m*s) */
static void put_base_units(struct text *out, const struct dimension *dimension) {
  struct text above = {0}, below = {0};
  int count = 0;
  for (int i = 0; i < UNIT_BASE_COUNT; i++) {
    struct rational exponent = dimension->exponent[i];
    if (exponent.numerator > 0) put_power(&above, base_names[i], exponent);
    if (exponent.numerator >= 0) continue;
    exponent.numerator = -exponent.numerator;
    put_power(&below, base_names[i], exponent);
    count++;
  }
  text_put(out, above.length > 0 ? text_string(&above) : "1");
  if (count > 0) text_format(out, count > 1 ? "/(%s)" : "/%s", text_string(&below));
  text_free(&above);
  text_free(&below);
}

static const char *find_name(const struct dimension *dimension) {
  int8_t exponents[UNIT_BASE_COUNT];
  for (int i = 0; i < UNIT_BASE_COUNT; i++) {
    struct rational exponent = dimension->exponent[i];
    if (!rational_is_integer(exponent) || llabs(exponent.numerator) > 100) return NULL;
    exponents[i] = (int8_t)exponent.numerator;
  }
  return unit_dimension_name(exponents);
}

const char *dimension_text(struct arena *arena, const struct dimension *dimension,
                           struct rational angle) {
  struct text plain = {0}, out = {0};
  const char *name = find_name(dimension);
  if (name != NULL)
    text_put(&plain, name);
  else
    put_base_units(&plain, dimension);
  const char *rest = text_string(&plain);
  if (angle.numerator > 0) {
    put_power(&out, "rad", angle);
    if (rest[0] == '1')
      text_put(&out, rest + 1); /* 1/s: rad/s */
    else
      text_format(&out, "*%s", rest);
  } else if (angle.numerator < 0) {
    struct text radians = {0};
    put_power(&radians, "rad", (struct rational){-angle.numerator, angle.denominator});
    text_format(&out, "%s/%s", rest, text_string(&radians));
    text_free(&radians);
  } else {
    text_put(&out, rest);
  }
  const char *result = arena_string(arena, text_string(&out), out.length);
  text_free(&plain);
  text_free(&out);
  return result;
}
