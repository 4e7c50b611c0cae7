/* The layout pass: where statements end, and that brackets and braces pair up.
 *
 * A statement ends with its line unless a bracket is open, the line ends with something that needs
 * a right side (TRAIT_AFTER), or the next line starts with something that needs a left side
 * (TRAIT_BEFORE). A line that starts with a statement's keyword always starts a statement, also
 * inside a bracket that somebody forgot to close; the fault is then reported at the bracket.
 * Whatever is missing is put in, marked TOKEN_REPORTED, so that the parser needs no second guess:
 *
 *   END stands after every statement, also before `}` and behind it; `;` is gone;
 *   every ( [ { has its partner; nothing nests deeper than DEEPEST blocks.
 *
 * One pass, linear: the stacks hold the open brackets and braces. */
#include "lexer/scan.h"
#include <string.h>

enum { DEEPEST = 200, DEEPEST_UNIT = 50 };

struct block {
  uint32_t brace; /* index of the `{` in out */
  uint32_t chain; /* how many `else if` the statement being read has had */
};

struct layout {
  dyn_context *context;
  const struct token *raw;
  uint32_t raw_count, at; /* the raw token being looked at */
  uint32_t unit_end;      /* raw tokens before this one are those of a unit */
  struct token_list *out;
  VECTOR(uint32_t) brackets;   /* indices in out of the open ( [ */
  VECTOR(struct block) blocks; /* [0] is the file */
  bool in_statement;           /* something came since the last END or `{` */
  bool has_lines;              /* LEXER_MODEL: lines end statements */
};

static const struct token *last_token(const struct layout *l) {
  return &vector_last(&l->out->tokens);
}

static struct span end_of(struct span span) {
  return (struct span){span.source, span.end, span.end};
}

/* ---------------------------------------------------------------- output */

static void emit(struct layout *l, struct token token) {
  token.open = l->brackets.count > 0 ? vector_last(&l->brackets) : 0;
  if (!l->in_statement && token.kind != TOKEN_END && token.kind != TOKEN_FINISH)
    token.flags |= TOKEN_STARTS_STATEMENT;
  l->in_statement = token.kind != TOKEN_END && token.kind != TOKEN_OPEN_BRACE;
  vector_push(&l->out->tokens, token);
}

static void emit_raw(struct layout *l) {
  struct token token = l->raw[l->at];
  /* Behind a unit that was never closed, names are names again. */
  if (token.kind == TOKEN_UNIT_NAME && l->at >= l->unit_end) token.kind = TOKEN_NAME;
  emit(l, token);
}

/* Puts in a token right behind the last one. */
static void emit_virtual(struct layout *l, enum token_kind kind, unsigned flags) {
  struct token token = {
      .kind = (uint8_t)kind, .flags = (uint8_t)flags, .span = end_of(last_token(l)->span)};
  emit(l, token);
}

static void end_statement(struct layout *l) {
  if (!l->in_statement) return;
  emit_virtual(l, TOKEN_END, 0);
  vector_last(&l->blocks).chain = 0;
}

/* ---------------------------------------------------------------- brackets */

static enum token_kind partner_of(enum token_kind open) {
  return open == TOKEN_OPEN_PAREN ? TOKEN_CLOSE_PAREN : TOKEN_CLOSE_BRACKET;
}

/* Closes what is open, at the end of a statement; the innermost one is reported. */
static void close_brackets(struct layout *l) {
  bool is_first = true;
  while (l->brackets.count > 0) {
    uint32_t open = vector_last(&l->brackets);
    const struct token *bracket = &l->out->tokens.items[open];
    enum token_kind close = partner_of(bracket->kind);
    if (is_first) {
      struct diagnostic *d =
          diagnostic_add(l->context, DIAG_UNCLOSED_BRACKET, bracket->span,
                         token_spelling(bracket->kind), token_spelling(close), NULL);
      diagnostic_caption(l->context, d, "opened here");
      diagnostic_label(l->context, d, end_of(last_token(l)->span), "the statement ends here");
    }
    is_first = false;
    emit_virtual(l, close, TOKEN_REPORTED);
    l->out->tokens.items[l->out->tokens.count - 1].open = open;
    (void)vector_pop(&l->brackets);
  }
}

static void open_bracket(struct layout *l) {
  uint32_t index = l->out->tokens.count;
  emit_raw(l);
  vector_push(&l->brackets, index);
}

static void close_bracket(struct layout *l) {
  struct token token = l->raw[l->at];
  if (l->brackets.count == 0) {
    diagnostic_add(l->context, DIAG_STRAY_BRACKET, token.span, token_spelling(token.kind), NULL);
    return;
  }
  uint32_t open = vector_pop(&l->brackets);
  const struct token *bracket = &l->out->tokens.items[open];
  enum token_kind wanted = partner_of(bracket->kind);
  if (token.kind != wanted) {
    struct diagnostic *d =
        diagnostic_add(l->context, DIAG_WRONG_BRACKET, token.span, token_spelling(token.kind),
                       token_spelling(bracket->kind), NULL);
    diagnostic_label(l->context, d, bracket->span, "opened here");
    diagnostic_help(l->context, d, "close it with '%s'", token_spelling(wanted));
    token.kind = (uint8_t)wanted;
    token.flags |= TOKEN_REPORTED;
  }
  emit(l, token);
  l->out->tokens.items[l->out->tokens.count - 1].open = open;
}

/* ---------------------------------------------------------------- units */

/* The raw token that ends the unit opened at `at`: its `]`, or the first that can't be in it. */
static uint32_t find_unit_end(const struct layout *l, uint32_t at) {
  uint32_t depth = 0;
  for (at++; at < l->raw_count; at++) {
    enum token_kind kind = (enum token_kind)l->raw[at].kind;
    if (kind == TOKEN_CLOSE_BRACKET || (token_traits(kind) & TRAIT_UNIT) == 0) return at;
    if (kind == TOKEN_CLOSE_PAREN && depth == 0) return at;
    depth += kind == TOKEN_OPEN_PAREN;
    depth -= kind == TOKEN_CLOSE_PAREN;
    /* The parser goes over a unit's factors once for each bracket around them. */
    if (depth > DEEPEST_UNIT) return at;
  }
  return at;
}

/* A `]` behind `at` on the same line, before any other square bracket; 0 if there is none. */
static uint32_t find_close_on_line(const struct layout *l, uint32_t at) {
  for (; at < l->raw_count && !(l->raw[at].flags & TOKEN_STARTS_LINE); at++) {
    enum token_kind kind = (enum token_kind)l->raw[at].kind;
    if (kind == TOKEN_CLOSE_BRACKET) return at;
    if (kind == TOKEN_OPEN_INDEX || kind == TOKEN_OPEN_UNIT || kind == TOKEN_EQUALS ||
        kind == TOKEN_COMMA)
      return 0;
  }
  return 0;
}

/* The first raw token of another line behind `at`, but not behind `end`. */
static uint32_t find_line_end(const struct layout *l, uint32_t at, uint32_t end) {
  for (at++; at < end && !(l->raw[at].flags & TOKEN_STARTS_LINE);) at++;
  return at;
}

static void report_bad_unit(struct layout *l, uint32_t bad) {
  const struct token *open = &l->raw[l->at], *before = &l->raw[l->at - 1];
  const struct source *source = source_get(&l->context->sources, open->span.source);
  struct span span = l->raw[bad].span;
  const char *text =
      arena_string(&l->context->arena, source->text + span.begin, span.end - span.begin);
  if (l->raw[bad].kind == TOKEN_OPEN_PAREN) {
    diagnostic_add(l->context, DIAG_NESTED_TOO_DEEPLY, span, "the brackets of a unit", NULL);
    return;
  }
  struct diagnostic *d = diagnostic_add(l->context, DIAG_BAD_UNIT_TOKEN, span, text, NULL);
  if (!token_is_name((enum token_kind)before->kind) || !(open->flags & TOKEN_AFTER_BLANK)) {
    diagnostic_label(l->context, d, open->span, "a unit starts here");
    return;
  }
  diagnostic_label(l->context, d, open->span, "a unit, because a blank stands before it");
  diagnostic_help(l->context, d, "an index touches its name: %s[...]", before->text);
}

/* Emits the brackets of a unit; what is between them is replaced if it can't be a unit. */
static void layout_unit(struct layout *l) {
  uint32_t end = find_unit_end(l, l->at);
  if (end < l->raw_count && l->raw[end].kind == TOKEN_CLOSE_BRACKET) {
    l->unit_end = end;
    open_bracket(l);
    return;
  }
  uint32_t close = end < l->raw_count ? find_close_on_line(l, end) : 0;
  if (close != 0) {
    report_bad_unit(l, end);
    end = close;
  } else {
    struct diagnostic *d =
        diagnostic_add(l->context, DIAG_UNCLOSED_BRACKET, l->raw[l->at].span, "[", "]", NULL);
    diagnostic_caption(l->context, d, "the unit starts here");
    end = find_line_end(l, l->at, end);
  }
  open_bracket(l);
  emit_virtual(l, TOKEN_BROKEN, TOKEN_REPORTED);
  emit_virtual(l, TOKEN_CLOSE_BRACKET, TOKEN_REPORTED);
  l->out->tokens.items[l->out->tokens.count - 1].open = vector_pop(&l->brackets);
  l->at = close != 0 ? close : end - 1; /* the loop steps on */
}

/* ---------------------------------------------------------------- blocks */

/* Steps over the block that nests too deeply; its braces stay. */
static void skip_block(struct layout *l) {
  uint32_t depth = 0;
  for (; l->at < l->raw_count; l->at++) {
    depth += l->raw[l->at].kind == TOKEN_OPEN_BRACE;
    depth -= l->raw[l->at].kind == TOKEN_CLOSE_BRACE;
    if (depth == 0) break;
  }
  emit_virtual(l, TOKEN_CLOSE_BRACE, TOKEN_REPORTED);
}

static void open_brace(struct layout *l) {
  close_brackets(l);
  struct token token = l->raw[l->at];
  if ((token.flags & TOKEN_STARTS_LINE) && l->in_statement) {
    struct diagnostic *d = diagnostic_add(l->context, DIAG_BRACE_ON_OWN_LINE, token.span, NULL);
    diagnostic_label(l->context, d, end_of(last_token(l)->span), "it belongs here");
    token.flags |= TOKEN_REPORTED;
  }
  uint32_t index = l->out->tokens.count;
  emit(l, token);
  if (l->blocks.count > DEEPEST) {
    diagnostic_add(l->context, DIAG_NESTED_TOO_DEEPLY, token.span, "blocks", NULL);
    skip_block(l);
    return;
  }
  vector_push(&l->blocks, ((struct block){index, 0}));
}

static void close_brace(struct layout *l) {
  close_brackets(l);
  end_statement(l);
  if (l->blocks.count == 1) {
    diagnostic_add(l->context, DIAG_STRAY_BRACKET, l->raw[l->at].span, "}", NULL);
    return;
  }
  (void)vector_pop(&l->blocks);
  emit_raw(l);
  /* `}` is never the start of a statement, even of an empty block. */
  l->out->tokens.items[l->out->tokens.count - 1].flags &= (uint8_t)~TOKEN_STARTS_STATEMENT;
}

static bool closes_block(const struct layout *l) {
  return l->in_statement && last_token(l)->kind == TOKEN_CLOSE_BRACE;
}

/* Behind a block's `}` comes `else` or the end. */
static void follow_block(struct layout *l) {
  const struct token *token = &l->raw[l->at];
  bool is_else_if =
      token->kind == TOKEN_ELSE && l->at + 1 < l->raw_count && l->raw[l->at + 1].kind == TOKEN_IF;
  if (token->kind == TOKEN_ELSE && !(is_else_if && ++vector_last(&l->blocks).chain > DEEPEST))
    return;
  if (token->kind == TOKEN_ELSE) {
    diagnostic_add(l->context, DIAG_NESTED_TOO_DEEPLY, token->span, "'else if'", NULL);
    l->at++; /* the `if` starts a statement of its own */
  }
  end_statement(l);
  if (token->kind == TOKEN_SEMICOLON || token->kind == TOKEN_CLOSE_BRACE ||
      (token->flags & TOKEN_STARTS_LINE) || token->kind == TOKEN_ELSE)
    return;
  struct diagnostic *d = diagnostic_add(l->context, DIAG_TEXT_AFTER_BRACE, token->span, NULL);
  diagnostic_help(l->context, d, "start a new line behind the '}'");
}

static void report_open_block(struct layout *l) {
  const struct token *brace = &l->out->tokens.items[vector_last(&l->blocks).brace];
  struct diagnostic *d = diagnostic_add(l->context, DIAG_UNCLOSED_BLOCK, brace->span, NULL);
  diagnostic_caption(l->context, d, "opened here");
  diagnostic_label(l->context, d, end_of(last_token(l)->span), "the file ends here");
}

/* ---------------------------------------------------------------- lines */

/* True if the raw token can only be the first of a statement: a keyword, not an argument's name. */
static bool starts_statement(const struct layout *l) {
  enum token_kind kind = (enum token_kind)l->raw[l->at].kind;
  if ((token_traits(kind) & TRAIT_STATEMENT) == 0) return false;
  if (l->brackets.count == 0) return true;
  if (l->at + 1 < l->raw_count && l->raw[l->at + 1].kind == TOKEN_EQUALS) return false;
  return last_token(l)->kind != TOKEN_COLON; /* the kind of a formal: `A: point` */
}

static void start_line(struct layout *l) {
  enum token_kind next = (enum token_kind)l->raw[l->at].kind;
  if (!l->has_lines || !l->in_statement) return;
  if (starts_statement(l)) {
    close_brackets(l);
    end_statement(l);
    return;
  }
  if (l->brackets.count > 0 || next == TOKEN_OPEN_BRACE) return;
  unsigned last_traits = token_traits((enum token_kind)last_token(l)->kind);
  if ((last_traits & TRAIT_AFTER) == 0 && (token_traits(next) & TRAIT_BEFORE) == 0)
    end_statement(l);
}

static void layout_token(struct layout *l) {
  if (closes_block(l)) follow_block(l);
  if (l->at >= l->raw_count) return;
  switch (l->raw[l->at].kind) {
  case TOKEN_SEMICOLON:
    close_brackets(l);
    end_statement(l);
    break;
  case TOKEN_OPEN_PAREN:
  case TOKEN_OPEN_INDEX:
    open_bracket(l);
    break;
  case TOKEN_OPEN_UNIT:
    layout_unit(l);
    break;
  case TOKEN_CLOSE_PAREN:
  case TOKEN_CLOSE_BRACKET:
    close_bracket(l);
    break;
  case TOKEN_OPEN_BRACE:
    open_brace(l);
    break;
  case TOKEN_CLOSE_BRACE:
    close_brace(l);
    break;
  default:
    emit_raw(l);
    break;
  }
}

/* ---------------------------------------------------------------- doc comments */

struct doc_layout {
  uint32_t next;       /* the next doc comment of raw */
  uint32_t line_start; /* in out: the first token of the line being read */
};

/* Passes on the doc comments that stand before the raw token being looked at. */
static void layout_docs(struct layout *l, const struct token_list *raw, struct doc_layout *docs) {
  for (; docs->next < raw->docs.count && raw->docs.items[docs->next].before <= l->at;
       docs->next++) {
    struct doc_comment doc = raw->docs.items[docs->next];
    doc.before = l->out->tokens.count;
    doc.first = doc.is_trailing ? docs->line_start : doc.before;
    vector_push(&l->out->docs, doc);
  }
}

void layout_run(dyn_context *context, const struct token_list *raw, enum lexer_mode mode,
                struct token_list *out) {
  struct layout l = {.context = context,
                     .raw = raw->tokens.items,
                     .raw_count = raw->tokens.count,
                     .out = out,
                     .has_lines = mode == LEXER_MODEL};
  struct doc_layout docs = {0, 1};
  vector_reserve(&out->tokens, raw->tokens.count + raw->tokens.count / 4 + 8);
  vector_push(&out->tokens, raw->tokens.items[0]);
  vector_push(&l.blocks, ((struct block){0, 0}));
  for (l.at = 1; l.at < l.raw_count; l.at++) {
    bool starts_line = (l.raw[l.at].flags & TOKEN_STARTS_LINE) != 0;
    if (starts_line && closes_block(&l) && l.raw[l.at].kind != TOKEN_ELSE)
      end_statement(&l);
    else if (starts_line)
      start_line(&l);
    layout_docs(&l, raw, &docs);
    if (starts_line) docs.line_start = out->tokens.count;
    layout_token(&l);
  }
  close_brackets(&l);
  end_statement(&l);
  layout_docs(&l, raw, &docs);
  if (l.blocks.count > 1) report_open_block(&l);
  while (l.blocks.count > 1) {
    (void)vector_pop(&l.blocks);
    emit_virtual(&l, TOKEN_CLOSE_BRACE, TOKEN_REPORTED);
    end_statement(&l);
  }
  const struct source *source = source_get(&context->sources, out->source);
  struct span end = {out->source, source->length, source->length};
  emit(&l, (struct token){.kind = TOKEN_FINISH, .flags = TOKEN_STARTS_LINE, .span = end});
  vector_free(&l.brackets);
  vector_free(&l.blocks);
}
