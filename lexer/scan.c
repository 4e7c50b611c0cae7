/* What the matches of scanner.l mean: tokens, texts in normal form, faults of single characters.
 *
 * The one thing that is not local is the square bracket: it opens an index when it touches the
 * name or member it follows, else a unit (behind numbers, closing brackets, `pi`, and blanks). */
#include "lexer/scan.h"
#include <stdio.h>
#include <string.h>
#include <unictype.h>
#include <uninorm.h>

enum { MOST_DIGITS = 1000, LARGEST_EXPONENT = 1000 };

static struct span span_of(const struct scan *scan, uint32_t begin, uint32_t end) {
  return (struct span){scan->source, begin, end};
}

static struct span match_of(const struct scan *scan) {
  return span_of(scan, scan->begin, scan->end);
}

/* ---------------------------------------------------------------- adding tokens */

/* A blank line between the comment at the head of the file and what follows sets it apart. */
static void leave_doc(struct scan *scan) {
  if (scan->after_doc && scan->newlines > 1 && scan->out->tokens.count == 1)
    for (uint32_t i = 0; i < scan->out->docs.count; i++)
      scan->out->docs.items[i].is_file_head = true;
  scan->after_doc = false;
}

/* Adds a token for bytes begin..end; returns it for further filling. */
static struct token *add_token(struct scan *scan, enum token_kind kind, uint32_t begin,
                               uint32_t end) {
  leave_doc(scan);
  const struct token *last = &vector_last(&scan->out->tokens);
  bool starts_line = scan->newlines > 0 || last->kind == TOKEN_BEGIN;
  bool stays_in_unit = (token_traits(kind) & TRAIT_UNIT) != 0;
  if (scan->in_unit && (!stays_in_unit || kind == TOKEN_CLOSE_BRACKET)) scan->in_unit = false;
  struct token token = {.kind = (uint8_t)kind, .span = span_of(scan, begin, end)};
  if (starts_line) token.flags |= TOKEN_STARTS_LINE;
  if (last->span.end != begin) token.flags |= TOKEN_AFTER_BLANK;
  if (scan->after_fault) token.flags |= TOKEN_REPORTED;
  scan->after_fault = false;
  scan->newlines = 0;
  vector_push(&scan->out->tokens, token);
  return &vector_last(&scan->out->tokens);
}

void scan_symbol(struct scan *scan, enum token_kind kind) {
  add_token(scan, kind, scan->begin, scan->end);
}

void scan_foreign_symbol(struct scan *scan, enum token_kind kind, const char *spelling) {
  const char *written =
      arena_string(&scan->context->arena, scan->text + scan->begin, scan->end - scan->begin);
  struct diagnostic *d =
      diagnostic_add(scan->context, DIAG_FOREIGN_OPERATOR, match_of(scan), written, NULL);
  diagnostic_help(scan->context, d, "write '%s'", spelling);
  add_token(scan, kind, scan->begin, scan->end);
}

static bool is_after_operand(const struct token *last) {
  return token_is_name(last->kind) || last->kind == TOKEN_FRAME;
}

void scan_bracket(struct scan *scan) {
  const struct token *last = &vector_last(&scan->out->tokens);
  bool touches = last->span.end == scan->begin;
  bool same_line = scan->newlines == 0;
  bool is_unit = false;
  if (is_after_operand(last))
    is_unit = same_line && (!touches || strcmp(last->text, "pi") == 0);
  else
    is_unit = last->kind == TOKEN_NUMBER || last->kind == TOKEN_CLOSE_PAREN ||
              last->kind == TOKEN_CLOSE_BRACKET || last->kind == TOKEN_PRIMES;
  add_token(scan, is_unit ? TOKEN_OPEN_UNIT : TOKEN_OPEN_INDEX, scan->begin, scan->end);
  scan->in_unit = is_unit;
}

/* A text in the wrong quotes, where a text may stand: its length with both, else 0. */
static uint32_t find_wrong_quotes(const struct scan *scan, const struct token *last) {
  bool is_place = last->kind == TOKEN_STOP || last->kind == TOKEN_IMPORT ||
                  last->kind == TOKEN_EQUALS || last->kind == TOKEN_COMMA ||
                  last->kind == TOKEN_OPEN_PAREN;
  if (!is_place || scan->end != scan->begin + 1) return 0;
  for (uint32_t at = scan->end; at < scan->length && scan->text[at] != '\n'; at++)
    if (scan->text[at] == '\'') return at + 1 - scan->begin;
  return 0;
}

uint32_t scan_primes(struct scan *scan) {
  const struct token *last = &vector_last(&scan->out->tokens);
  bool can_be_primed = is_after_operand(last) || last->kind == TOKEN_CLOSE_PAREN ||
                       last->kind == TOKEN_CLOSE_BRACKET;
  if (can_be_primed && last->span.end == scan->begin) {
    uint32_t count = scan->end - scan->begin;
    add_token(scan, TOKEN_PRIMES, scan->begin, scan->end)->count =
        (uint16_t)(count < UINT16_MAX ? count : UINT16_MAX);
    return count;
  }
  struct diagnostic *d = diagnostic_add(scan->context, DIAG_STRAY_PRIME, match_of(scan), NULL);
  if (can_be_primed && scan->newlines == 0)
    diagnostic_help(scan->context, d,
                    "close the gap: the ' of a derivative touches what it derives");
  uint32_t quoted = find_wrong_quotes(scan, last);
  if (quoted != 0) {
    diagnostic_help(scan->context, d, "a text stands in double quotes: \"...\"");
    add_token(scan, TOKEN_STRING, scan->begin, scan->begin + quoted)->text = "";
    return quoted;
  }
  scan->after_fault = true;
  return scan->end - scan->begin;
}

/* ---------------------------------------------------------------- numbers and texts */

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_number_in_range(const char *text, uint32_t length) {
  if (length > MOST_DIGITS) return false;
  uint32_t exponent = 0, at = 0;
  while (at < length && text[at] != 'e' && text[at] != 'E') at++;
  for (at++; at < length; at++)
    if (text[at] >= '0' && text[at] <= '9' && exponent <= LARGEST_EXPONENT)
      exponent = exponent * 10 + (uint32_t)(text[at] - '0');
  return exponent <= LARGEST_EXPONENT;
}

void scan_number(struct scan *scan) {
  const char *text = scan->text + scan->begin;
  uint32_t length = scan->end - scan->begin;
  if (!is_number_in_range(text, length)) {
    diagnostic_add(scan->context, DIAG_NUMBER_RANGE, match_of(scan), NULL);
    text = "1";
    length = 1;
  }
  const char *interned = intern(&scan->context->names, text, length);
  add_token(scan, TOKEN_NUMBER, scan->begin, scan->end)->text = interned;
}

/* `1.` and `.5`: reported, and read as what was meant. */
void scan_number_without_digits(struct scan *scan) {
  struct text fixed = {0};
  for (uint32_t i = scan->begin; i < scan->end; i++) {
    if (scan->text[i] == '.' && i == scan->begin) text_put(&fixed, "0");
    text_add(&fixed, scan->text + i, 1);
    if (scan->text[i] == '.' && i != scan->begin) text_put(&fixed, "0");
  }
  bool in_range = is_number_in_range(fixed.bytes, (uint32_t)fixed.length);
  const char *text = in_range ? intern(&scan->context->names, fixed.bytes, fixed.length) : "1";
  text_free(&fixed);
  struct diagnostic *d = diagnostic_add(scan->context, DIAG_NUMBER_POINT, match_of(scan), NULL);
  diagnostic_help(scan->context, d, "write '%s'", text);
  add_token(scan, TOKEN_NUMBER, scan->begin, scan->end)->text =
      intern_string(&scan->context->names, text);
}

static void add_escape(struct scan *scan, struct text *contents, uint32_t at) {
  char letter = scan->text[at + 1];
  if (letter == '"' || letter == '\\')
    text_add(contents, &letter, 1);
  else if (letter == 'n')
    text_put(contents, "\n");
  else if (letter == 't')
    text_put(contents, "\t");
  else
    diagnostic_add(scan->context, DIAG_BAD_ESCAPE, span_of(scan, at, at + 2), NULL);
}

/* A text that is not closed ends with its line, but leaves a last `}` to its block. */
static uint32_t find_unclosed_end(const struct scan *scan) {
  uint32_t end = scan->end;
  while (end > scan->begin + 1 && is_blank(scan->text[end - 1])) end--;
  if (end > scan->begin + 1 && scan->text[end - 1] == '}') end--;
  while (end > scan->begin + 1 && is_blank(scan->text[end - 1])) end--;
  return end;
}

uint32_t scan_string(struct scan *scan, bool is_closed) {
  uint32_t end = is_closed ? scan->end - 1 : find_unclosed_end(scan);
  struct text contents = {0};
  for (uint32_t i = scan->begin + 1; i < end; i++) {
    if (scan->text[i] == '\\' && i + 1 < end)
      add_escape(scan, &contents, i++);
    else if (scan->text[i] == '\0')
      diagnostic_add(scan->context, DIAG_UNEXPECTED_CHARACTER, span_of(scan, i, i + 1), "U+0000",
                     NULL);
    else
      text_add(&contents, scan->text + i, 1);
  }
  const char *text = arena_string(&scan->context->arena, text_string(&contents), contents.length);
  text_free(&contents);
  if (!is_closed) {
    struct diagnostic *d = diagnostic_add(scan->context, DIAG_UNCLOSED_STRING,
                                          span_of(scan, scan->begin, scan->begin + 1), NULL);
    diagnostic_caption(scan->context, d, "the text starts here");
    diagnostic_help(scan->context, d, "a text ends with '\"' on the line on which it starts");
  }
  add_token(scan, TOKEN_STRING, scan->begin, end + is_closed)->text = text;
  return end + is_closed - scan->begin;
}

/* ---------------------------------------------------------------- comments */

void scan_doc(struct scan *scan) {
  uint32_t begin = scan->begin + 2, end = scan->end;
  bool has_words = begin == end; /* a line of nothing but signs is an ornament */
  for (uint32_t i = begin; i < end && !has_words; i++) {
    unsigned char c = (unsigned char)scan->text[i];
    has_words = c >= 0x80 || (c | 32u) - 'a' < 26 || c - (unsigned)'0' < 10;
  }
  if (!has_words) return;
  while (end > begin && is_blank(scan->text[end - 1])) end--;
  if (begin < end && is_blank(scan->text[begin])) begin++;
  bool is_trailing = scan->newlines == 0 && scan->out->tokens.count > 1 && !scan->after_doc;
  leave_doc(scan);
  struct doc_comment doc = {
      .before = scan->out->tokens.count,
      .span = match_of(scan),
      .text = arena_string(&scan->context->arena, scan->text + begin, end - begin),
      .is_trailing = is_trailing};
  vector_push(&scan->out->docs, doc);
  scan->after_doc = !is_trailing;
  if (!is_trailing) scan->newlines = 0;
}

void scan_slash_comment(struct scan *scan) {
  struct diagnostic *d = diagnostic_add(scan->context, DIAG_SLASH_COMMENT,
                                        span_of(scan, scan->begin, scan->begin + 2), NULL);
  diagnostic_help(scan->context, d, "write '#'");
}

/* ---------------------------------------------------------------- names */

static bool is_name_letter(uint32_t letter, bool is_first) {
  if (letter < 0x80)
    return letter == '_' || (letter | 32) - 'a' < 26 || (!is_first && letter - '0' < 10);
  if (letter == 0xb7 || letter == 0x387) return false; /* the multiplication dot */
  if (is_first) return uc_is_property_xid_start(letter);
  return uc_is_property_xid_continue(letter) || (letter >= 0x2080 && letter <= 0x2089);
}

/* The end of the name that starts at `begin`; `begin` itself if none does. */
static uint32_t find_name_end(const struct scan *scan, uint32_t begin) {
  uint32_t at = begin, letter;
  while (at < scan->length) {
    unsigned length = utf8_sequence(scan->text + at, scan->length - at, &letter);
    if (length == 0 || !is_name_letter(letter, at == begin)) break;
    at += length;
  }
  return at;
}

/* Equal names have equal pointers, however their accents were typed. */
static const char *intern_normal(struct scan *scan, uint32_t begin, uint32_t end) {
  const char *text = scan->text + begin;
  size_t length = end - begin, normal_length = 0;
  bool is_ascii = true;
  for (size_t i = 0; i < length; i++) is_ascii &= (unsigned char)text[i] < 0x80;
  if (is_ascii) return intern(&scan->context->names, text, length);
  uint8_t *normal = u8_normalize(UNINORM_NFC, (const uint8_t *)text, length, NULL, &normal_length);
  if (normal == NULL) return intern(&scan->context->names, text, length);
  const char *interned = intern(&scan->context->names, (const char *)normal, normal_length);
  free(normal);
  return interned;
}

static void add_name(struct scan *scan, uint32_t begin, uint32_t end) {
  const char *text = intern_normal(scan, begin, end);
  uint32_t keyword = map_get(&scan->keywords, (uint64_t)(uintptr_t)text);
  enum token_kind kind = keyword != 0 ? (enum token_kind)keyword : TOKEN_NAME;
  if (scan->in_unit) {
    /* A statement on a new line: the unit's bracket was forgotten. */
    bool is_statement = scan->newlines > 0 && (token_traits(kind) & TRAIT_STATEMENT) != 0;
    if (!is_statement) kind = TOKEN_UNIT_NAME;
  }
  add_token(scan, kind, begin, end)->text = text;
}

/* ---------------------------------------------------------------- other characters */

static const struct {
  uint32_t letter;
  uint8_t kind; /* read as this token; 0: as nothing */
  const char *help;
} foreign_letters[] = {
    {0x2212, TOKEN_MINUS, "write '-'"},
    {0x2013, TOKEN_MINUS, "write '-'"},
    {0xb7, TOKEN_STAR, "write '*', or dot(a, b) for the dot product of vectors"},
    {0x387, TOKEN_STAR, "write '*', or dot(a, b) for the dot product of vectors"},
    {0x22c5, TOKEN_STAR, "write '*', or dot(a, b) for the dot product of vectors"},
    {0x2219, TOKEN_STAR, "write '*', or dot(a, b) for the dot product of vectors"},
    {0xd7, TOKEN_STAR, "write '*', or cross(a, b) for the cross product of vectors"},
    {0xf7, TOKEN_SLASH, "write '/'"},
    {0x2215, TOKEN_SLASH, "write '/'"},
    {0x2264, TOKEN_LESS_EQUAL, "write '<='"},
    {0x2265, TOKEN_GREATER_EQUAL, "write '>='"},
    {0x2260, TOKEN_NOT_EQUAL, "write '!='"},
    {0xb2, 0, "write '^2'"},
    {0xb3, 0, "write '^3'"},
    {0x221a, 0, "write sqrt(...)"},
    {0x2211, 0, "write sum(i in 1..n, ...)"},
    {0xbd, TOKEN_NUMBER, "write '1/2'"},
    {0x2032, 0, "the time derivative is written with a plain '"},
    {0x2019, 0, "the time derivative is written with a plain '"},
    {0x2018, 0, "the time derivative is written with a plain '"},
    {0x201c, 0, "a text stands in plain double quotes: \"...\""},
    {0x201d, 0, "a text stands in plain double quotes: \"...\""},
    {'$', 0, NULL},
    {'%', 0, "comments start with '#'; the remainder of a division is mod(a, b)"},
    {'\\', 0, "a statement goes on behind an operator and inside brackets, without a '\\'"},
};

static const char *name_letter(struct scan *scan, uint32_t letter, const char *bytes,
                               unsigned length) {
  struct arena *arena = &scan->context->arena;
  bool is_visible = uc_is_general_category_withtable(
      letter, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N | UC_CATEGORY_MASK_P | UC_CATEGORY_MASK_S);
  if (letter > 0x20 && letter < 0x7f) return arena_format(arena, "'%c'", (char)letter);
  if (is_visible)
    return arena_format(arena, "'%.*s' (U+%04X)", (int)length, bytes, (unsigned)letter);
  return arena_format(arena, "U+%04X", (unsigned)letter);
}

static void report_letter(struct scan *scan, uint32_t begin, unsigned length, uint32_t letter) {
  const char *name = name_letter(scan, letter, scan->text + begin, length);
  struct span span = span_of(scan, begin, begin + length);
  struct diagnostic *d = diagnostic_add(scan->context, DIAG_UNEXPECTED_CHARACTER, span, name, NULL);
  for (size_t i = 0; i < sizeof foreign_letters / sizeof *foreign_letters; i++) {
    if (foreign_letters[i].letter != letter) continue;
    if (foreign_letters[i].help != NULL)
      diagnostic_help(scan->context, d, "%s", foreign_letters[i].help);
    enum token_kind kind = (enum token_kind)foreign_letters[i].kind;
    const char *text = kind == TOKEN_NUMBER ? intern_string(&scan->context->names, "0.5") : NULL;
    if (kind == TOKEN_BEGIN) break;
    add_token(scan, kind, begin, begin + length)->text = text;
    return;
  }
  scan->after_fault = true;
}

/* Degree and per cent are no letters but may be written as units, alone or as in °C. */
static bool is_unit_sign(uint32_t letter) {
  return letter == 0xb0 || letter == '%' || letter == 0x2030 || letter == 0x2032 ||
         letter == 0x2033;
}

static uint32_t scan_sign(struct scan *scan, unsigned length, uint32_t letter) {
  if (uc_is_general_category_withtable(letter, UC_CATEGORY_MASK_Zs)) return length;
  uint32_t end = scan->begin + length;
  if (scan->in_unit && is_unit_sign(letter)) {
    end = find_name_end(scan, end);
    add_token(scan, TOKEN_UNIT_NAME, scan->begin, end)->text =
        intern_normal(scan, scan->begin, end);
  } else {
    report_letter(scan, scan->begin, length, letter);
  }
  return end - scan->begin;
}

uint32_t scan_word(struct scan *scan) {
  uint32_t end = find_name_end(scan, scan->begin), letter = 0;
  if (end > scan->begin) {
    add_name(scan, scan->begin, end);
    return end - scan->begin;
  }
  unsigned length = utf8_sequence(scan->text + scan->begin, scan->length - scan->begin, &letter);
  /* Surrogates and the like match the pattern but are not UTF-8; they were reported. */
  return length == 0 ? scan->end - scan->begin : scan_sign(scan, length, letter);
}

/* A single byte that fits no pattern: a sign, or a part of what is not UTF-8. */
void scan_other(struct scan *scan) {
  unsigned char byte = (unsigned char)scan->text[scan->begin];
  if (byte < 0x80) scan_sign(scan, 1, byte);
}
