/* MathML from LaTeX, for what the printers of expr/ and the names of documents make: groups,
 * subscripts and superscripts, \frac, \sqrt, accents, \left ... \right, cases, upright words and
 * the names of letters and functions. One printer thus decides how formulas look in both.
 *
 * Every construct becomes elements that hold the groups that follow it. Those that are open wait on
 * a stack, so that depth costs no C stack, and what is written is not moved any more: the element
 * of a subscript or superscript, which begins before what stands in front of it, is noted with its
 * place and put in at the end. */
#include "derive/document.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct command { /* takes groups: the element that they become, and a sign after them */
  const char *latex, *element, *sign;
  int groups;
};

struct layer { /* a group that is open */
  enum layer_kind { LAYER_GROUP, LAYER_FENCE, LAYER_CASES } kind;
  size_t last;                   /* where its last element begins in `out` */
  bool has_last;                 /* there is one, to which an index may be added */
  const char *index;             /* the element of an index that it is, or NULL */
  const struct command *command; /* that takes it, or NULL */
  int have;                      /* groups of the command before it */
};

struct opening { /* of an element, to be put in before `at` */
  size_t at;
  uint32_t order;
  const char *element;
};

struct converter {
  const char *at;
  struct text out;
  VECTOR(struct layer) layers;
  VECTOR(struct opening) openings;
};

static const struct {
  const char *latex, *mathml;
} letters[] = {{"alpha", "<mi>α</mi>"},    {"beta", "<mi>β</mi>"},
               {"gamma", "<mi>γ</mi>"},    {"delta", "<mi>δ</mi>"},
               {"epsilon", "<mi>ϵ</mi>"},  {"varepsilon", "<mi>ε</mi>"},
               {"zeta", "<mi>ζ</mi>"},     {"eta", "<mi>η</mi>"},
               {"theta", "<mi>θ</mi>"},    {"vartheta", "<mi>ϑ</mi>"},
               {"iota", "<mi>ι</mi>"},     {"kappa", "<mi>κ</mi>"},
               {"lambda", "<mi>λ</mi>"},   {"mu", "<mi>μ</mi>"},
               {"nu", "<mi>ν</mi>"},       {"xi", "<mi>ξ</mi>"},
               {"pi", "<mi>π</mi>"},       {"rho", "<mi>ρ</mi>"},
               {"varrho", "<mi>ϱ</mi>"},   {"sigma", "<mi>σ</mi>"},
               {"varsigma", "<mi>ς</mi>"}, {"tau", "<mi>τ</mi>"},
               {"upsilon", "<mi>υ</mi>"},  {"phi", "<mi>ϕ</mi>"},
               {"varphi", "<mi>φ</mi>"},   {"chi", "<mi>χ</mi>"},
               {"psi", "<mi>ψ</mi>"},      {"omega", "<mi>ω</mi>"},
               {"varpi", "<mi>ϖ</mi>"},    {"Gamma", "<mi>Γ</mi>"},
               {"Delta", "<mi>Δ</mi>"},    {"Theta", "<mi>Θ</mi>"},
               {"Lambda", "<mi>Λ</mi>"},   {"Xi", "<mi>Ξ</mi>"},
               {"Pi", "<mi>Π</mi>"},       {"Sigma", "<mi>Σ</mi>"},
               {"Upsilon", "<mi>Υ</mi>"},  {"Phi", "<mi>Φ</mi>"},
               {"Psi", "<mi>Ψ</mi>"},      {"Omega", "<mi>Ω</mi>"},
               {"partial", "<mo>∂</mo>"},  {"cdot", "<mo>⋅</mo>"},
               {"le", "<mo>≤</mo>"},       {"ne", "<mo>≠</mo>"},
               {"land", "<mo>∧</mo>"},     {"lor", "<mo>∨</mo>"},
               {"lnot", "<mo>¬</mo>"},     {"top", "<mi>true</mi>"},
               {"bot", "<mi>false</mi>"},  {"ldots", "<mo>…</mo>"},
               {"times", "<mo>×</mo>"},    {"quad", "<mspace width=\"1em\"/>"},
               {"displaystyle", ""},       {"lfloor", "<mo>⌊</mo>"},
               {"rfloor", "<mo>⌋</mo>"},   {"lbrace", "<mo>{</mo>"},
               {"rbrace", "<mo>}</mo>"}};

static const struct command commands[] = {
    {"frac", "mfrac", "", 2},           {"sqrt", "msqrt", "", 1},
    {"dot", "mover", "<mo>˙</mo>", 1},  {"ddot", "mover", "<mo>¨</mo>", 1},
    {"dddot", "mover", "<mo>⃛</mo>", 1}, {"hat", "mover", "<mo>^</mo>", 1}};

static const struct { /* words, up to the closing brace */
  const char *latex, *element;
} styles[] = {{"mathit", "mi"},
              {"mathrm", "mi"},
              {"operatorname", "mi"},
              {"text", "mtext"},
              {"mathbf", "mi style=\"font-weight:bold\""},
              {"boldsymbol", "mi style=\"font-weight:bold\""}};

enum {
  LETTERS = sizeof letters / sizeof *letters,
  COMMANDS = sizeof commands / sizeof *commands,
  STYLES = sizeof styles / sizeof *styles
};

static struct layer *top(struct converter *c) {
  return &vector_last(&c->layers);
}

static bool is_word(const char *word, size_t length, const char *name) {
  return strlen(name) == length && memcmp(word, name, length) == 0;
}

/* ---- elements of the open group */

/* An element of the open group begins here. */
static void begin_element(struct converter *c) {
  top(c)->last = c->out.length;
  top(c)->has_last = true;
}

static void put_element(struct converter *c, const char *element) {
  begin_element(c);
  text_put(&c->out, element);
}

static void put_leaf(struct converter *c, const char *name, const char *bytes, size_t length) {
  struct text raw = {0};
  begin_element(c);
  text_add(&raw, bytes, length);
  text_format(&c->out, "<%s>", name);
  document_escape_html(&c->out, text_string(&raw));
  text_format(&c->out, "</%.*s>", (int)strcspn(name, " "), name);
  text_free(&raw);
}

/* ---- groups */

static void open_group(struct converter *c, struct layer layer) {
  text_put(&c->out, "<mrow>");
  vector_push(&c->layers, layer);
}

static void open_layer(struct converter *c, enum layer_kind kind) {
  begin_element(c);
  open_group(c, (struct layer){.kind = kind});
}

static void open_command(struct converter *c, const struct command *command) {
  begin_element(c);
  text_format(&c->out, "<%s>", command->element);
  if (*c->at == '{') c->at++;
  open_group(c, (struct layer){.command = command});
}

/* Takes the last element of the open group. */
static void open_index(struct converter *c, const char *element) {
  if (!top(c)->has_last) put_element(c, "<mrow></mrow>");
  struct opening opening = {top(c)->last, c->openings.count, element};
  vector_push(&c->openings, opening);
  if (*c->at == '{') c->at++;
  open_group(c, (struct layer){.index = element});
}

static void close_command(struct converter *c, const struct layer *layer) {
  const struct command *command = layer->command;
  if (layer->have + 1 == command->groups) {
    text_format(&c->out, "%s</%s>", command->sign, command->element);
    return;
  }
  while (*c->at == ' ') c->at++; /* the next group follows */
  if (*c->at == '{') c->at++;
  open_group(c, (struct layer){.command = command, .have = layer->have + 1});
}

/* The open group is complete. */
static void close_layer(struct converter *c, const char *end) {
  if (c->layers.count < 2) return;
  struct layer layer = vector_pop(&c->layers);
  text_format(&c->out, "%s</mrow>", end);
  if (layer.index != NULL) text_format(&c->out, "</%s>", layer.index);
  if (layer.command != NULL) close_command(c, &layer);
}

/* ---- commands */

/* A word up to its closing brace; letters of other alphabets may stand in it by their names. */
static void put_word(struct converter *c, size_t style) {
  struct text word = {0};
  if (*c->at == '{') c->at++;
  while (*c->at != '\0' && *c->at != '}') {
    if (*c->at != '\\') {
      text_add(&word, c->at++, 1);
      continue;
    }
    size_t length = strspn(++c->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    for (size_t i = 0; i < LETTERS; i++)
      if (is_word(c->at, length, letters[i].latex) && letters[i].mathml[0] != '\0')
        text_add(&word, letters[i].mathml + 4, strcspn(letters[i].mathml + 4, "<"));
    if (length == 0 && *c->at != '\0') { /* an escaped sign; brackets of formulas are left away */
      if (*c->at != '(' && *c->at != ')') text_add(&word, c->at, 1);
      c->at++;
    }
    c->at += length;
    if (length > 0 && c->at[0] == '{' && c->at[1] == '}') c->at += 2;
  }
  if (*c->at == '}') c->at++;
  put_leaf(c, styles[style].element, text_string(&word), word.length);
  text_free(&word);
}

/* The sign after \left or \right. */
static const char *take_fence(struct converter *c) {
  static const char *const fences[][2] = {{"(", "<mo>(</mo>"},
                                          {")", "<mo>)</mo>"},
                                          {"|", "<mo>|</mo>"},
                                          {"\\lfloor", "<mo>⌊</mo>"},
                                          {"\\rfloor", "<mo>⌋</mo>"}};
  for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
    if (strncmp(c->at, fences[i][0], strlen(fences[i][0])) == 0) {
      c->at += strlen(fences[i][0]);
      return fences[i][1];
    }
  return "";
}

static void take_command(struct converter *c) {
  const char *word = c->at;
  size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  c->at += length > 0 ? length : *word != '\0';
  if (length == 0) {
    if (*word == '\\' && top(c)->kind == LAYER_CASES)
      put_element(c, "</mtd></mtr><mtr><mtd>");
    else if (*word != '\0' && strchr(",; ", *word) != NULL)
      put_element(c, "<mspace width=\"0.17em\"/>");
    else
      put_leaf(c, "mo", word, *word != '\0');
    return;
  }
  for (size_t i = 0; i < STYLES; i++)
    if (is_word(word, length, styles[i].latex)) {
      put_word(c, i);
      return;
    }
  for (size_t i = 0; i < COMMANDS; i++)
    if (is_word(word, length, commands[i].latex)) {
      open_command(c, &commands[i]);
      return;
    }
  for (size_t i = 0; i < LETTERS; i++)
    if (is_word(word, length, letters[i].latex)) {
      put_element(c, letters[i].mathml);
      return;
    }
  if (is_word(word, length, "left")) {
    open_layer(c, LAYER_FENCE);
    put_element(c, take_fence(c));
  } else if (is_word(word, length, "right")) {
    close_layer(c, take_fence(c));
  } else if (is_word(word, length, "begin")) {
    c->at += strcspn(c->at, "}") + (strchr(c->at, '}') != NULL);
    open_layer(c, LAYER_CASES);
    put_element(c, "<mo>{</mo><mtable><mtr><mtd>");
  } else if (is_word(word, length, "end")) {
    c->at += strcspn(c->at, "}") + (strchr(c->at, '}') != NULL);
    close_layer(c, "</mtd></mtr></mtable>");
  } else {
    put_leaf(c, "mi", word, length); /* a function */
  }
}

/* ---- all */

static void take_character(struct converter *c) {
  uint32_t code;
  unsigned size = utf8_sequence(c->at, strnlen(c->at, 4), &code);
  if (size == 0) size = 1;
  if (isdigit((unsigned char)*c->at)) {
    size = (unsigned)strspn(c->at, "0123456789.");
    put_leaf(c, "mn", c->at, size);
  } else if (*c->at == '-') {
    put_element(c, "<mo>−</mo>");
  } else if (*c->at == '&') {
    put_element(c, "</mtd><mtd>");
  } else if (*c->at != ' ') {
    bool is_letter = size > 1 || isalpha((unsigned char)*c->at);
    put_leaf(c, is_letter ? "mi" : "mo", c->at, size);
  }
  c->at += size;
}

static int by_place(const void *left, const void *right) {
  const struct opening *a = left, *b = right;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  return a->order > b->order ? -1 : a->order < b->order; /* later ones are around earlier ones */
}

static void put_with_openings(struct converter *c, struct text *out) {
  size_t from = 0;
  if (c->openings.count > 1)
    qsort(c->openings.items, c->openings.count, sizeof *c->openings.items, by_place);
  for (uint32_t i = 0; i < c->openings.count; i++) {
    size_t at = c->openings.items[i].at;
    text_add(out, text_string(&c->out) + from, at - from);
    text_format(out, "<%s>", c->openings.items[i].element);
    from = at;
  }
  text_put(out, text_string(&c->out) + from);
}

void document_mathml(struct text *out, const char *latex) {
  struct converter c = {.at = latex};
  struct layer whole = {.kind = LAYER_GROUP};
  vector_push(&c.layers, whole);
  while (*c.at != '\0') {
    char first = *c.at;
    if (first != '\\' && strchr("{}_^", first) == NULL) {
      take_character(&c);
      continue;
    }
    c.at++;
    if (first == '{')
      open_layer(&c, LAYER_GROUP);
    else if (first == '}')
      close_layer(&c, "");
    else if (first == '\\')
      take_command(&c);
    else
      open_index(&c, first == '_' ? "msub" : "msup");
  }
  while (c.layers.count > 1) close_layer(&c, "");
  put_with_openings(&c, out);
  text_free(&c.out);
  vector_free(&c.layers);
  vector_free(&c.openings);
}
