/* Names of a model as C identifiers: Greek letters by their names, the rest of ASCII as it is. */
#include "base/text.h"
#include "codegen/program.h"
#include <ctype.h>
#include <string.h>

static const char *greek_name(uint32_t code_point) {
  static const char *const names[] = {
      "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
      "kappa", "lambda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "sigma",
      "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",     "omega"};
  static const char *const capitals[] = {
      "Alpha", "Beta",   "Gamma",   "Delta", "Epsilon", "Zeta",    "Eta",  "Theta", "Iota",
      "Kappa", "Lambda", "Mu",      "Nu",    "Xi",      "Omicron", "Pi",   "Rho",   "",
      "Sigma", "Tau",    "Upsilon", "Phi",   "Chi",     "Psi",     "Omega"};
  if (code_point >= 0x3b1 && code_point <= 0x3c9) return names[code_point - 0x3b1];
  if (code_point >= 0x391 && code_point <= 0x3a9) return capitals[code_point - 0x391];
  switch (code_point) {
  case 0x3d1:
    return "theta";
  case 0x3d5:
    return "phi";
  case 0x3f0:
    return "kappa";
  case 0x3f1:
    return "rho";
  case 0x3f5:
    return "epsilon";
  default:
    return NULL;
  }
}

static void put_separator(struct text *out) {
  if (out->length > 0 && out->bytes[out->length - 1] != '_') text_put(out, "_");
}

static void put_code_point(struct text *out, uint32_t code_point, const char *bytes) {
  const char *greek = greek_name(code_point);
  if (greek != NULL)
    text_put(out, greek);
  else if (code_point >= 0x2080 && code_point <= 0x2089) { /* subscript digits */
    if (out->length > 0 && !isdigit((unsigned char)out->bytes[out->length - 1])) put_separator(out);
    text_format(out, "%u", code_point - 0x2080);
  } else if (code_point < 0x80 && isalnum((int)code_point))
    text_add(out, bytes, 1);
  else if (code_point == '_')
    text_put(out, "_");
  else if (code_point == '\'')
    put_separator(out), text_put(out, "dot");
  else if (code_point < 0x80)
    put_separator(out);
  else
    text_format(out, "u%04x", code_point);
}

static bool is_reserved(const char *word) {
  static const char *const words[] = {
      "auto",     "break",  "case",   "char",     "const",    "continue", "default",  "do",
      "double",   "else",   "enum",   "extern",   "float",    "for",      "goto",     "if",
      "inline",   "int",    "long",   "register", "restrict", "return",   "short",    "signed",
      "sizeof",   "static", "struct", "switch",   "typedef",  "union",    "unsigned", "void",
      "volatile", "while",  "class",  "new",      "delete",   "this",     "template", "namespace"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

char *identifier_from_name(const char *name) {
  struct text out = {0};
  size_t length = strlen(name);
  for (size_t i = 0; i < length;) {
    uint32_t code_point = (unsigned char)name[i];
    unsigned size = utf8_sequence(name + i, length - i, &code_point);
    put_code_point(&out, size == 0 ? '-' : code_point, name + i);
    i += size == 0 ? 1 : size;
  }
  while (out.length > 1 && out.bytes[out.length - 1] == '_') out.bytes[--out.length] = '\0';
  if (out.length == 0) text_put(&out, "model");
  if (isdigit((unsigned char)out.bytes[0]) || is_reserved(out.bytes)) {
    struct text prefixed = {0};
    text_format(&prefixed, "m_%s", out.bytes);
    text_free(&out);
    return text_take(&prefixed);
  }
  return text_take(&out);
}
