/* The scanner's state and its helpers; private to the lexer. */
#ifndef DYN_LEXER_SCAN_H
#define DYN_LEXER_SCAN_H
#include "base/map.h"
#include "lexer/lexer.h"

struct scan {
  dyn_context *context;
  uint32_t source;
  const char *text; /* the source's */
  uint32_t length;
  uint32_t begin, end; /* bytes of the match */
  bool in_unit;        /* between the brackets of a unit */
  bool after_fault;    /* something was left out since the last token */
  bool after_doc;      /* nothing but blanks since the last doc comment */
  uint32_t newlines;   /* since the last token or doc comment */
  struct map keywords; /* interned text -> enum token_kind */
  struct token_list *out;
};

/* scanner.l: reads the whole source into scan->out, without any layout. */
void scanner_run(struct scan *scan);

/* scan.c: one function for each kind of match. */
void scan_symbol(struct scan *scan, enum token_kind kind);
void scan_foreign_symbol(struct scan *scan, enum token_kind kind, const char *spelling);
void scan_bracket(struct scan *scan);
uint32_t scan_primes(struct scan *scan); /* how many bytes it took; at least the match */
void scan_number(struct scan *scan);
void scan_number_without_digits(struct scan *scan);
uint32_t scan_string(struct scan *scan, bool is_closed); /* how much of the match it took */
void scan_doc(struct scan *scan);
void scan_slash_comment(struct scan *scan);
/* A name or a wide symbol that starts with the match and may go on behind it; its length. */
uint32_t scan_word(struct scan *scan);
void scan_other(struct scan *scan);

/* layout.c: raw tokens to statements; `raw` is not kept. */
void layout_run(dyn_context *context, const struct token_list *raw, enum lexer_mode mode,
                struct token_list *out);
#endif
