/* The table of units and prefixes as data, and the search in it. Names are few: linear scans. */
#include "sema/unit_table.h"
#include "base/diagnostic.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define YES true
#define NO false
static const struct unit_row rows[] = {
#define UNIT(name, factor, pi, prefixes, angle, kg, m, s, A, K, mol, cd)                           \
  {name, factor, pi, prefixes, angle, {kg, m, s, A, K, mol, cd}},
#include "sema/units.def"
#undef UNIT
};
#undef YES
#undef NO
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const struct {
  const char *letters;
  int power;
} prefixes[] = {
#define UNIT_PREFIX(letters, power) {letters, power},
#include "sema/units.def"
#undef UNIT_PREFIX
};
enum { PREFIX_COUNT = sizeof prefixes / sizeof *prefixes };

static const struct {
  const char *word, *meant;
} words[] = {
#define UNIT_WORD(word, meant) {word, meant},
#include "sema/units.def"
#undef UNIT_WORD
};

static const struct {
  const char *text;
  int8_t exponents[7];
} dimension_names[] = {
#define DIMENSION_NAME(text, ...) {text, {__VA_ARGS__}},
#include "sema/units.def"
#undef DIMENSION_NAME
};

bool unit_find(const char *name, struct unit_name *out) {
  for (size_t i = 0; i < ROW_COUNT; i++) {
    if (strcmp(rows[i].name, name) != 0) continue;
    *out = (struct unit_name){&rows[i], 0};
    return true;
  }
  for (size_t p = 0; p < PREFIX_COUNT; p++) {
    size_t length = strlen(prefixes[p].letters);
    if (strncmp(name, prefixes[p].letters, length) != 0) continue;
    for (size_t i = 0; i < ROW_COUNT; i++) {
      if (!rows[i].takes_prefixes || strcmp(rows[i].name, name + length) != 0) continue;
      *out = (struct unit_name){&rows[i], prefixes[p].power};
      return true;
    }
  }
  return false;
}

/* ---------------------------------------------------------------- exact factors */

static void multiply_by_ten_to(mpq_t value, long power) {
  mpz_t scale;
  mpz_init(scale);
  mpz_ui_pow_ui(scale, 10, (unsigned long)labs(power));
  if (power >= 0)
    mpz_mul(mpq_numref(value), mpq_numref(value), scale);
  else
    mpz_mul(mpq_denref(value), mpq_denref(value), scale);
  mpq_canonicalize(value);
  mpz_clear(scale);
}

/* The decimal at the start of `text`, as in 1.602e-19; returns what follows it. */
static const char *read_decimal(const char *text, mpq_t out) {
  long power = 0;
  bool behind_point = false;
  mpq_set_ui(out, 0, 1);
  for (; isdigit((unsigned char)*text) || *text == '.'; text++) {
    if (*text == '.') {
      behind_point = true;
      continue;
    }
    mpz_mul_ui(mpq_numref(out), mpq_numref(out), 10);
    mpz_add_ui(mpq_numref(out), mpq_numref(out), (unsigned long)(*text - '0'));
    if (behind_point) power--;
  }
  if (*text == 'e') {
    char *end;
    power += strtol(text + 1, &end, 10);
    text = end;
  }
  multiply_by_ten_to(out, power);
  return text;
}

void unit_name_scale(const struct unit_name *name, mpq_t out) {
  const char *rest = read_decimal(name->row->factor, out);
  if (*rest == '/') {
    mpq_t divisor;
    mpq_init(divisor);
    read_decimal(rest + 1, divisor);
    mpq_div(out, out, divisor);
    mpq_clear(divisor);
  }
  multiply_by_ten_to(out, name->prefix_power);
}

/* ---------------------------------------------------------------- suggestions */

static bool equal_without_case(const char *a, const char *b) {
  for (; *a != '\0' && *b != '\0'; a++, b++)
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
  return *a == *b;
}

/* A unit, with or without prefix, that differs by capital letters only. */
static const char *suggest_other_case(struct arena *arena, const char *name) {
  for (size_t i = 0; i < ROW_COUNT; i++)
    if (equal_without_case(rows[i].name, name)) return rows[i].name;
  for (size_t p = 0; p < PREFIX_COUNT; p++) {
    size_t length = strlen(prefixes[p].letters);
    char *head = arena_string(arena, name, strlen(name) < length ? strlen(name) : length);
    if (!equal_without_case(head, prefixes[p].letters)) continue;
    for (size_t i = 0; i < ROW_COUNT; i++)
      if (rows[i].takes_prefixes && equal_without_case(rows[i].name, name + length))
        return arena_format(arena, "%s%s", prefixes[p].letters, rows[i].name);
  }
  return NULL;
}

const char *unit_suggest(struct arena *arena, const char *name) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (equal_without_case(words[i].word, name)) return words[i].meant;
  const char *other = suggest_other_case(arena, name);
  if (other != NULL) return other;
  enum { COMMON_PREFIXES = 9 }; /* k to G: others are rarely meant */
  size_t count = 0;
  const char **names = arena_array(arena, const char *, ROW_COUNT *(COMMON_PREFIXES + 1));
  for (size_t i = 0; i < ROW_COUNT; i++) names[count++] = rows[i].name;
  for (size_t p = 0; p < COMMON_PREFIXES; p++)
    for (size_t i = 0; i < ROW_COUNT; i++)
      if (rows[i].takes_prefixes)
        names[count++] = arena_format(arena, "%s%s", prefixes[p].letters, rows[i].name);
  return nearest_name(name, names, count);
}

const char *unit_dimension_name(const int8_t exponents[7]) {
  for (size_t i = 0; i < sizeof dimension_names / sizeof *dimension_names; i++)
    if (memcmp(dimension_names[i].exponents, exponents, 7) == 0) return dimension_names[i].text;
  return NULL;
}
