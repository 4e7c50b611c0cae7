/* Text to tokens. The whole text is read at once: the scanner (scanner.l) makes raw tokens, the
 * layout pass (layout.c) finds where statements end and pairs the brackets. What comes out is
 * balanced: every bracket has its partner and every statement its END, whatever the text was;
 * what had to be repaired has been reported. */
#ifndef DYN_LEXER_LEXER_H
#define DYN_LEXER_LEXER_H
#include "base/context.h"
#include "base/text.h"
#include "base/vector.h"
#include <stdbool.h>
#include <stdint.h>

enum token_kind {
#define TOKEN(kind, spelling, words, traits) TOKEN_##kind,
#include "lexer/tokens.def"
#undef TOKEN
  TOKEN_KIND_COUNT
};

enum token_trait {
  TRAIT_KEYWORD = 1,
  TRAIT_STATEMENT = 2,
  TRAIT_WORD = 4,
  TRAIT_AFTER = 8,
  TRAIT_BEFORE = 16,
  TRAIT_UNIT = 32
};

enum token_flag {
  TOKEN_STARTS_LINE = 1, /* first on its line */
  TOKEN_AFTER_BLANK = 2, /* does not touch the token before */
  TOKEN_REPORTED = 4,    /* put in or changed by a repair: faults here were reported */
  TOKEN_STARTS_STATEMENT = 8
};

struct token {
  uint8_t kind;     /* enum token_kind */
  uint8_t flags;    /* enum token_flag */
  uint16_t count;   /* PRIMES: how many */
  uint32_t open;    /* index of the innermost bracket around it, ( or [; 0 if none. For a closing
                       bracket: its partner. Braces do not count. */
  struct span span; /* empty for what the layout pass put in */
  const char
      *text; /* interned: names in NFC, numbers as written; STRING: the contents. NULL else */
};

/* A doc comment. A leading one belongs to the token `before`, a trailing one to the tokens
 * `first` .. `before` - 1 of its line. */
struct doc_comment {
  uint32_t first, before;
  struct span span;
  const char *text; /* without the `##` and the blanks around */
  bool is_trailing;
  bool is_file_head; /* stands at the head of the file, apart from the first statement */
};

struct token_list {
  VECTOR(struct token) tokens;     /* [0] is BEGIN, the last one FINISH */
  VECTOR(struct doc_comment) docs; /* in the order of the text */
  uint32_t source;
};

enum lexer_mode {
  LEXER_MODEL,      /* statements, one or more lines each */
  LEXER_ASSIGNMENTS /* one comma list as given to an option; lines do not matter */
};

/* Never fails: faults are in the context's diagnostics. Texts live in the context, the lists are
 * owned by the caller: lexer_clear. */
void lexer_run(dyn_context *context, uint32_t source, enum lexer_mode mode, struct token_list *out);
void lexer_clear(struct token_list *list);

/* One token a line: kind, line:column, text; then the doc comments. For --dump=tokens. */
void tokens_dump(dyn_context *context, const struct token_list *list, struct text *out);

unsigned token_traits(enum token_kind kind);
const char *token_words(enum token_kind kind);      /* "'+'", "a name": for messages */
const char *token_spelling(enum token_kind kind);   /* "+", "param"; "" if it varies */
const char *token_identifier(enum token_kind kind); /* "PLUS": for dumps */

static inline bool token_is_name(enum token_kind kind) {
  return kind == TOKEN_NAME || (token_traits(kind) & TRAIT_WORD) != 0;
}
#endif
