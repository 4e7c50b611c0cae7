/* A name is read as  path of words '.' with subscripts and primes:  stem, then digits, "_sub" or
 * "[index]" as subscripts, then primes as dots. */
#include "expr/symbol_latex.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct letter {
  const char *name, *utf8, *latex;
};

static const struct letter greek[] = {
    {"alpha", "α", "\\alpha"},
    {"beta", "β", "\\beta"},
    {"gamma", "γ", "\\gamma"},
    {"delta", "δ", "\\delta"},
    {"epsilon", "ε", "\\varepsilon"},
    {"zeta", "ζ", "\\zeta"},
    {"eta", "η", "\\eta"},
    {"theta", "θ", "\\theta"},
    {"iota", "ι", "\\iota"},
    {"kappa", "κ", "\\kappa"},
    {"lambda", "λ", "\\lambda"},
    {"mu", "μ", "\\mu"},
    {"nu", "ν", "\\nu"},
    {"xi", "ξ", "\\xi"},
    {"omicron", "ο", "o"},
    {"pi", "π", "\\pi"},
    {"rho", "ρ", "\\rho"},
    {"sigma", "σ", "\\sigma"},
    {"tau", "τ", "\\tau"},
    {"upsilon", "υ", "\\upsilon"},
    {"phi", "φ", "\\varphi"},
    {"chi", "χ", "\\chi"},
    {"psi", "ψ", "\\psi"},
    {"omega", "ω", "\\omega"},
    {"Gamma", "Γ", "\\Gamma"},
    {"Delta", "Δ", "\\Delta"},
    {"Theta", "Θ", "\\Theta"},
    {"Lambda", "Λ", "\\Lambda"},
    {"Xi", "Ξ", "\\Xi"},
    {"Pi", "Π", "\\Pi"},
    {"Sigma", "Σ", "\\Sigma"},
    {"Upsilon", "Υ", "\\Upsilon"},
    {"Phi", "Φ", "\\Phi"},
    {"Psi", "Ψ", "\\Psi"},
    {"Omega", "Ω", "\\Omega"},
    {"phi", "ϕ", "\\phi"},
    {"theta", "ϑ", "\\vartheta"},
    {"mu", "µ", "\\mu"},
    {"Omega", "Ω", "\\Omega"},
};

static bool is_subscript_digit(const char *at) {
  return (unsigned char)at[0] == 0xe2 && (unsigned char)at[1] == 0x82 &&
         (unsigned char)at[2] >= 0x80 && (unsigned char)at[2] <= 0x89;
}

static const char *letter_latex(const char *stem, size_t length) {
  for (size_t i = 0; i < sizeof greek / sizeof greek[0]; i++) {
    if ((strlen(greek[i].name) == length && memcmp(greek[i].name, stem, length) == 0) ||
        (strlen(greek[i].utf8) == length && memcmp(greek[i].utf8, stem, length) == 0))
      return greek[i].latex;
  }
  return NULL;
}

/* A word of letters: one letter as it is, Greek by name, longer ones upright or with every Greek
 * letter spelt out. */
static void put_word(struct text *out, const char *word, size_t length) {
  const char *latex = letter_latex(word, length);
  uint32_t code;
  if (latex != NULL) {
    text_put(out, latex);
    return;
  }
  bool single = length > 0 && utf8_sequence(word, length, &code) == length;
  if (!single) text_put(out, "\\mathit{");
  for (size_t at = 0; at < length;) {
    unsigned size = utf8_sequence(word + at, length - at, &code);
    if (size == 0) size = 1;
    latex = size > 1 ? letter_latex(word + at, size) : NULL;
    if (latex != NULL)
      text_format(out, "%s{}", latex);
    else if (word[at] == '_')
      text_put(out, "\\_");
    else
      text_add(out, word + at, size);
    at += size;
  }
  if (!single) text_put(out, "}");
}

/* The stem of a component: letters up to a subscript, digit, bracket, dot or prime. */
static size_t stem_length(const char *name, size_t length) {
  size_t at = 0;
  while (at < length && !isdigit((unsigned char)name[at]) && strchr("_[.'", name[at]) == NULL &&
         !(length - at >= 3 && is_subscript_digit(name + at)))
    at++;
  return at;
}

/* What follows the stem, as one subscript: digits, names, indices, members. */
static void put_subscript(struct text *out, const char *rest, size_t length) {
  bool any = false;
  text_put(out, "_{");
  for (size_t at = 0; at < length;) {
    if (strchr("_[].", rest[at]) != NULL) {
      at++;
      if (any && at < length && strchr("_[].", rest[at]) == NULL) text_put(out, ",");
      continue;
    }
    any = true;
    if (length - at >= 3 && is_subscript_digit(rest + at)) {
      char digit = (char)('0' + ((unsigned char)rest[at + 2] - 0x80));
      text_add(out, &digit, 1);
      at += 3;
    } else if (isdigit((unsigned char)rest[at]) || rest[at] == ',' || rest[at] == '-') {
      text_add(out, rest + at++, 1);
    } else {
      size_t word = stem_length(rest + at, length - at);
      if (word == 0) word = 1;
      put_word(out, rest + at, word);
      at += word;
    }
  }
  text_put(out, "}");
}

static const char *dots(size_t primes) {
  static const char *const accents[] = {"", "\\dot{", "\\ddot{", "\\dddot{"};
  return accents[primes < 4 ? primes : 0];
}

void symbol_latex(struct text *out, const char *name) {
  size_t length = strlen(name), primes = 0;
  while (length > 1 && name[length - 1] == '\'') {
    length--;
    primes++;
  }
  const char *accent = dots(primes);
  size_t stem = stem_length(name, length);
  if (stem == 0) stem = length;
  text_put(out, accent);
  put_word(out, name, stem);
  if (*accent != '\0') text_put(out, "}");
  if (stem < length) put_subscript(out, name + stem, length - stem);
  if (*accent == '\0' && primes > 0) text_format(out, "^{(%zu)}", primes);
}
