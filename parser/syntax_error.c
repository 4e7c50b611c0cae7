/* Messages for syntax errors, by hand for what people do: each try_ function below knows one
 * mistake by the tokens around it and by what the grammar would have taken. The first one that
 * recognises its mistake reports it; if none does, the message says what was expected and found. */
#include "parser/build.h"
#include <string.h>

struct fault {
  struct builder *b;
  uint32_t at; /* the token that does not fit */
  const struct token *found, *before;
  const bool *expected;
  enum token_kind head; /* of the statement */
  bool wants_operand;   /* an expression is due */
  bool after_operand;   /* an operator would do */
};

static enum token_kind kind_at(const struct fault *f, uint32_t index) {
  return (enum token_kind)f->b->tokens[index].kind;
}

static enum token_kind found_kind(const struct fault *f) {
  return (enum token_kind)f->found->kind;
}

static bool is_relation(enum token_kind kind) {
  return kind >= TOKEN_LESS && kind <= TOKEN_NOT_EQUAL;
}

static const char *source_text(const struct fault *f, struct span span) {
  const struct source *source = source_get(&f->b->context->sources, span.source);
  return arena_string(&f->b->context->arena, source->text + span.begin, span.end - span.begin);
}

static struct diagnostic *report(const struct fault *f, enum diagnostic_code code, struct span span,
                                 const char *first) {
  return diagnostic_add(f->b->context, code, span, first, NULL);
}

#define help(f, ...) diagnostic_help((f)->b->context, __VA_ARGS__)
#define label(f, ...) diagnostic_label((f)->b->context, __VA_ARGS__)

/* ---------------------------------------------------------------- keywords and statements */

static bool is_first(const struct fault *f) {
  return f->at == f->b->statement_begin;
}

/* A keyword of a statement (or of expressions, as the target of a declaration) for a name. */
static bool try_keyword_as_name(const struct fault *f) {
  unsigned traits = token_traits(found_kind(f));
  if ((traits & TRAIT_KEYWORD) == 0 || !f->expected[TOKEN_NAME] || is_first(f)) return false;
  if (f->wants_operand && (traits & TRAIT_STATEMENT) == 0) return false;
  report(f, DIAG_KEYWORD_AS_NAME, f->found->span, token_spelling(found_kind(f)));
  return true;
}

/* What other languages and careless hands write for the statements' keywords. */
static const struct {
  const char *written, *meant;
} synonyms[] = {{"parameter", "param"},
                {"parameters", "param"},
                {"coordinate", "coord"},
                {"coordinates", "coord"},
                {"constant", "const"},
                {"variable", "let"},
                {"var", "let"},
                {"def", "function"},
                {"func", "function"},
                {"fn", "function"},
                {"include", "import"},
                {"using", "import"},
                {"use", "import"},
                {"moment", "torque"},
                {"equation", "constraint"},
                {"rigidbody", "body"},
                {"mass", "particle"},
                {"event", "when"},
                {"while", "for"},
                {"run", "simulate"},
                {"print", "output"},
                {"lagrange", "lagrangian"},
                {"damping", "dissipation"},
                {"rayleigh", "dissipation"},
                {"velocity", "speed"},
                {"define", "let"},
                {"set", "let"},
                {"class", "component"},
                {"nonholo", "nonholonomic"},
                {"init", "initial"},
                {"kin", "kinetic"},
                {"pot", "potential"},
                {"T", "kinetic"},
                {"V", "potential"},
                {"L", "lagrangian"}};

static const char *find_statement_keyword(const char *written) {
  const char *candidates[TOKEN_KIND_COUNT];
  size_t count = 0;
  for (int kind = 1; kind < TOKEN_KIND_COUNT; kind++)
    if (token_traits((enum token_kind)kind) & TRAIT_STATEMENT)
      candidates[count++] = token_spelling((enum token_kind)kind);
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
    if (strcmp(written, synonyms[i].written) == 0) return synonyms[i].meant;
  return strlen(written) < 3 ? NULL : nearest_name(written, candidates, count);
}

static bool is_any_operator(enum token_kind kind) {
  return (kind >= TOKEN_PLUS && kind <= TOKEN_NOT_EQUAL) || kind == TOKEN_AND || kind == TOKEN_OR;
}

/* `parm m = 2`: a name at the start, followed by what no expression or instance goes on with. */
static bool try_unknown_statement(const struct fault *f) {
  uint32_t begin = f->b->statement_begin;
  if (!token_is_name(f->head) || f->b->is_assignments || f->at > begin + 6) return false;
  if (is_any_operator(found_kind(f))) return false;
  bool is_pair = token_is_name(kind_at(f, begin + 1)); /* read as an instance */
  if (!is_pair && f->at != begin + 1) return false;
  const struct token *first = &f->b->tokens[begin];
  const char *keyword = find_statement_keyword(first->text);
  if (keyword == NULL && is_pair && f->expected[TOKEN_OPEN_PAREN] && !f->wants_operand) {
    struct diagnostic *d = report(f, DIAG_UNKNOWN_STATEMENT, first->span, first->text);
    help(f, d, "an instance of a component is written '%s %s(name = value, ...)'", first->text,
         f->b->tokens[begin + 1].text);
    return true;
  }
  if (keyword == NULL && (f->at != begin + 1 || f->found->kind == TOKEN_END)) return false;
  struct diagnostic *d = report(f, DIAG_UNKNOWN_STATEMENT, first->span, first->text);
  if (keyword != NULL) help(f, d, "did you mean '%s'?", keyword);
  return true;
}

/* The line is an expression, which states nothing, or an equation without its keyword. */
static bool try_bare_expression(const struct fault *f) {
  bool can_go_on = f->found->kind == TOKEN_END || is_any_operator(found_kind(f));
  if (!can_go_on || !f->expected[TOKEN_BECOMES] || f->b->is_assignments) return false;
  uint32_t end = f->at;
  while (kind_at(f, end) != TOKEN_END && kind_at(f, end) != TOKEN_OPEN_BRACE &&
         ((kind_at(f, end) != TOKEN_EQUALS && kind_at(f, end) != TOKEN_BECOMES) ||
          f->b->tokens[end].open != 0))
    end++;
  bool has_right_side = kind_at(f, end) == TOKEN_EQUALS || kind_at(f, end) == TOKEN_BECOMES;
  struct span span =
      span_join(f->b->tokens[f->b->statement_begin].span, f->b->tokens[end - 1].span);
  struct diagnostic *d =
      report(f, has_right_side ? DIAG_BAD_LEFT_SIDE : DIAG_BARE_EXPRESSION, span, NULL);
  if (kind_at(f, end) == TOKEN_EQUALS)
    help(f, d, "an equation is a statement 'constraint ... = ...'");
  return true;
}

static bool try_bare_comparison(const struct fault *f) {
  if (!is_relation(found_kind(f)) || !f->expected[TOKEN_BECOMES]) return false;
  struct diagnostic *d =
      report(f, DIAG_COMPARISON_IN_EQUATION, f->found->span, token_spelling(found_kind(f)));
  help(f, d, "an equation is a statement 'constraint ... = ...'");
  return true;
}

/* ---------------------------------------------------------------- relations */

static bool is_condition(const struct fault *f) {
  if (f->head == TOKEN_WHEN || f->head == TOKEN_IF) return true;
  for (uint32_t i = f->at; i > f->b->statement_begin; i--) {
    if (kind_at(f, i) == TOKEN_THEN) return false;
    if (kind_at(f, i) == TOKEN_IF) return true;
  }
  return false;
}

static bool try_equals_in_condition(const struct fault *f) {
  bool is_bracketed = f->found->open != 0 && f->after_operand;
  if (f->found->kind != TOKEN_EQUALS || !f->after_operand) return false;
  if (!is_condition(f) && !is_bracketed) return false;
  struct diagnostic *d = report(f, DIAG_EQUALS_IN_CONDITION, f->found->span, NULL);
  if (!is_condition(f) && token_is_name(f->head) && f->before->kind == TOKEN_PRIMES)
    help(f, d, "arguments have no primes: the start value of a member's velocity is given by "
               "'start a.x' = ...'");
  else
    help(f, d, "write '=='");
  return true;
}

/* `param m == 2`, and `constraint a == b` which is noticed at its end only. */
static bool try_comparison_in_equation(const struct fault *f) {
  if (!f->expected[TOKEN_EQUALS] || f->expected[TOKEN_BECOMES]) return false;
  uint32_t at = f->at;
  if (!is_relation(found_kind(f)))
    while (at > f->b->statement_begin &&
           (!is_relation(kind_at(f, at)) || f->b->tokens[at].open != 0))
      at--;
  if (!is_relation(kind_at(f, at))) return false;
  struct diagnostic *d = report(f, DIAG_COMPARISON_IN_EQUATION, f->b->tokens[at].span,
                                token_spelling(kind_at(f, at)));
  if (kind_at(f, at) == TOKEN_EQUAL_EQUAL)
    help(f, d, "write '='");
  else
    help(f, d, "an equation has to stand here: inequalities are no conditions on a motion");
  return true;
}

/* *keyword: where the word stands in the statement. */
static bool is_constraint(const struct fault *f, uint32_t *keyword) {
  *keyword = f->b->statement_begin;
  if (f->head == TOKEN_HOLONOMIC || f->head == TOKEN_NONHOLONOMIC) ++*keyword;
  return kind_at(f, *keyword) == TOKEN_CONSTRAINT;
}

/* `constraint wire y = x^2` */
static bool try_label_without_colon(const struct fault *f) {
  uint32_t keyword;
  if (!is_constraint(f, &keyword) || f->at != keyword + 2) return false;
  if (!token_is_name(f->before->kind) || !token_is_name(found_kind(f))) return false;
  struct diagnostic *d =
      report(f, DIAG_LABEL_WITHOUT_COLON, f->before->span, source_text(f, f->before->span));
  help(f, d, "write 'constraint %s: %s ...'", f->before->text, f->found->text);
  return true;
}

static bool try_chain(const struct fault *f) {
  if (!is_relation(found_kind(f)) || !f->after_operand || !f->expected[TOKEN_AND]) return false;
  uint32_t at = f->at;
  while (at > f->b->statement_begin && !is_relation(kind_at(f, at - 1))) at--;
  struct diagnostic *d = report(f, DIAG_CHAINED_RELATION, f->found->span, NULL);
  if (at > f->b->statement_begin) label(f, d, f->b->tokens[at - 1].span, "the first relation");
  help(f, d, "write 'a < b and b < c' for 'a < b < c'");
  return true;
}

/* ---------------------------------------------------------------- operands */

static bool try_if_operand(const struct fault *f) {
  if (f->found->kind != TOKEN_IF || is_first(f)) return false;
  if (!f->expected[TOKEN_NUMBER] || f->expected[TOKEN_IF]) return false;
  struct diagnostic *d = report(f, DIAG_IF_OPERAND, f->found->span, NULL);
  help(f, d, "write (if ... then ... else ...)");
  return true;
}

static bool try_list_in_square_brackets(const struct fault *f) {
  bool is_square = f->found->kind == TOKEN_OPEN_INDEX || f->found->kind == TOKEN_OPEN_UNIT;
  if (!is_square || !f->wants_operand) return false;
  struct diagnostic *d = report(f, DIAG_LIST_IN_SQUARE_BRACKETS, f->found->span, NULL);
  help(f, d, "write (1, 2, 3)");
  return true;
}

/* Nothing comes where an expression is due. */
static bool try_missing_operand(const struct fault *f) {
  bool is_end = f->found->kind == TOKEN_END || f->found->kind == TOKEN_CLOSE_PAREN ||
                f->found->kind == TOKEN_CLOSE_BRACKET || f->found->kind == TOKEN_COMMA ||
                f->found->kind == TOKEN_OPEN_BRACE;
  if (!is_end || !f->wants_operand || is_first(f)) return false;
  report(f, DIAG_MISSING_OPERAND, f->before->span, syntax_found_words(f->b, f->at - 1));
  return true;
}

/* ---------------------------------------------------------------- units and products */

/* The end of what may be a unit without brackets: names joined by * / ^ and integers. */
static uint32_t find_bare_unit_end(const struct fault *f) {
  uint32_t at = f->at + 1;
  for (;;) {
    enum token_kind kind = kind_at(f, at), next = kind_at(f, at + 1);
    bool joins = kind == TOKEN_STAR || kind == TOKEN_SLASH;
    if (joins && token_is_name(next) && is_common_unit(f->b->tokens[at + 1].text))
      at += 2;
    else if (kind == TOKEN_CARET && next == TOKEN_NUMBER)
      at += 2;
    else
      return at;
  }
}

static bool try_bare_unit(const struct fault *f) {
  bool after_number = f->before->kind == TOKEN_NUMBER;
  if (!token_is_name(found_kind(f)) || !after_number || !f->after_operand) return false;
  if (!is_common_unit(f->found->text) || is_declared_name(f->b, f->found->text)) return false;
  struct span span = span_join(f->found->span, f->b->tokens[find_bare_unit_end(f) - 1].span);
  struct diagnostic *d = report(f, DIAG_UNIT_WITHOUT_BRACKETS, span, NULL);
  help(f, d, "write %s [%s]", f->before->text, source_text(f, span));
  if ((f->found->flags & TOKEN_AFTER_BLANK) == 0)
    help(f, d, "or, for the product with a variable, %s*%s", f->before->text, f->found->text);
  return true;
}

static bool try_implicit_product(const struct fault *f) {
  enum token_kind kind = found_kind(f);
  bool is_operand = token_is_name(kind) || kind == TOKEN_NUMBER || kind == TOKEN_OPEN_PAREN ||
                    kind == TOKEN_SUM || kind == TOKEN_PRODUCT;
  if (!is_operand || !f->after_operand || (f->found->flags & TOKEN_STARTS_LINE)) return false;
  bool after_value = f->before->kind == TOKEN_NUMBER || f->before->kind == TOKEN_CLOSE_PAREN ||
                     f->before->kind == TOKEN_CLOSE_BRACKET || token_is_name(f->before->kind) ||
                     f->before->kind == TOKEN_PRIMES;
  if (!after_value) return false;
  struct span span = span_join(f->before->span, f->found->span);
  struct diagnostic *d = report(f, DIAG_IMPLICIT_PRODUCT, span, NULL);
  const char *left = source_text(f, f->before->span), *right = source_text(f, f->found->span);
  if (kind != TOKEN_OPEN_PAREN && f->before->kind != TOKEN_CLOSE_PAREN &&
      f->before->kind != TOKEN_CLOSE_BRACKET && f->before->kind != TOKEN_PRIMES)
    help(f, d, "write '%s*%s' if a product is meant", left, right);
  else
    help(f, d, "write '*' between them if a product is meant");
  if (token_is_name(kind) && f->before->kind == TOKEN_NUMBER && is_common_unit(f->found->text))
    help(f, d, "write '%s [%s]' if a unit is meant", left, right);
  return true;
}

static bool try_inside_unit(const struct fault *f) {
  uint32_t open = f->found->open;
  if (open == 0 || kind_at(f, open) == TOKEN_OPEN_INDEX) return false;
  while (open != 0 && kind_at(f, open) == TOKEN_OPEN_PAREN) open = f->b->tokens[open].open;
  if (open == 0 || kind_at(f, open) != TOKEN_OPEN_UNIT) return false;
  if (f->at == open + 1 && f->found->kind == TOKEN_CLOSE_BRACKET) {
    struct span span = span_join(f->b->tokens[open].span, f->found->span);
    struct diagnostic *d = report(f, DIAG_BAD_UNIT, span, "these brackets hold no unit");
    help(f, d, "a pure number has the unit [1]");
    return true;
  }
  struct diagnostic *d =
      report(f, DIAG_BAD_UNIT, f->found->span,
             arena_format(&f->b->context->arena, "%s does not belong here in a unit",
                          syntax_found_words(f->b, f->at)));
  if (f->found->kind == TOKEN_UNIT_NAME && f->before->kind == TOKEN_UNIT_NAME)
    help(f, d, "units are joined by '*' and '/': %s*%s", f->before->text, f->found->text);
  else
    help(f, d, "a unit looks like [kg*m^2/s^2] or [m^(1/2)]");
  return true;
}

/* `rest[m]` where only a unit can stand. */
static bool try_index_for_unit(const struct fault *f) {
  if (f->found->kind != TOKEN_OPEN_INDEX || !f->expected[TOKEN_OPEN_UNIT]) return false;
  struct diagnostic *d =
      report(f, DIAG_INDEX_FOR_UNIT, f->found->span, source_text(f, f->before->span));
  help(f, d, "put a blank before a unit: %s [...]", source_text(f, f->before->span));
  return true;
}

/* ---------------------------------------------------------------- parts of statements */

static bool try_missing_target(const struct fault *f) {
  bool is_force = f->head == TOKEN_FORCE || f->head == TOKEN_TORQUE;
  bool is_target = f->found->kind == TOKEN_END || token_is_name(found_kind(f));
  if (!is_force || !f->expected[TOKEN_ON] || !is_target) return false;
  const char *what = f->head == TOKEN_FORCE ? "force" : "torque";
  struct diagnostic *d =
      report(f, DIAG_FORCE_WITHOUT_TARGET, f->b->tokens[f->b->statement_begin].span, what);
  if (f->head == TOKEN_FORCE)
    help(f, d, "write 'force F on x' for a coordinate x, 'force F at P' for a vector at a point");
  else
    help(f, d, "write 'torque T on B' for a frame or body B");
  return true;
}

static bool try_missing_block(const struct fault *f) {
  if (f->found->kind != TOKEN_END || !f->expected[TOKEN_OPEN_BRACE]) return false;
  struct diagnostic *d = report(f, DIAG_MISSING_BLOCK, f->found->span, token_spelling(f->head));
  if (f->head == TOKEN_IF)
    help(f, d, "around statements: if ... { }; inside an expression: if ... then ... else ...");
  else
    help(f, d, "write '{' at the end of this line and '}' behind the block");
  return true;
}

static bool try_missing_equals(const struct fault *f) {
  if (!f->expected[TOKEN_EQUALS] || f->expected[TOKEN_STAR]) return false;
  bool is_value = f->found->kind == TOKEN_NUMBER || f->found->kind == TOKEN_OPEN_PAREN ||
                  f->found->kind == TOKEN_BECOMES || f->found->kind == TOKEN_COLON ||
                  f->found->kind == TOKEN_MINUS;
  if (!is_value) return false;
  struct diagnostic *d =
      report(f, DIAG_MISSING_EQUALS, f->found->span, syntax_found_words(f->b, f->at));
  if (f->found->kind == TOKEN_BECOMES)
    help(f, d, "':=' gives a new value at an event; a declaration has '='");
  return true;
}

/* `rotatd` where `rotated` could stand. */
static bool try_misspelt_word(const struct fault *f) {
  const char *candidates[TOKEN_KIND_COUNT];
  size_t count = 0;
  if (f->found->kind != TOKEN_NAME || f->expected[TOKEN_NAME] || strlen(f->found->text) < 3)
    return false;
  for (int kind = 1; kind < TOKEN_KIND_COUNT; kind++)
    if (f->expected[kind] && (token_traits((enum token_kind)kind) & (TRAIT_WORD | TRAIT_KEYWORD)))
      candidates[count++] = token_spelling((enum token_kind)kind);
  const char *nearest = nearest_name(f->found->text, candidates, count);
  if (nearest == NULL) return false;
  const char *expected = syntax_expected_words(f->b->context, f->expected);
  struct diagnostic *d = diagnostic_add(f->b->context, DIAG_UNEXPECTED, f->found->span, expected,
                                        syntax_found_words(f->b, f->at), NULL);
  help(f, d, "did you mean '%s'?", nearest);
  return true;
}

static bool try_unknown_kind(const struct fault *f) {
  if (f->before->kind != TOKEN_COLON || !f->expected[TOKEN_POINT] || !f->expected[TOKEN_BODY])
    return false;
  struct diagnostic *d =
      report(f, DIAG_UNKNOWN_KIND, f->found->span, syntax_found_words(f->b, f->at));
  help(f, d, "write point, vector, frame or body; a number has no kind, only its unit: k [N/m]");
  return true;
}

static void help_with_constraint(const struct fault *f, struct diagnostic *d, uint32_t keyword) {
  if (f->found->kind == TOKEN_END && f->expected[TOKEN_EQUALS])
    help(f, d, "a constraint is an equation: constraint name: left = right");
  if (f->found->kind == TOKEN_EQUALS || f->found->kind == TOKEN_COMMA)
    help(f, d, "every equation is a constraint of its own");
  if (f->found->kind == TOKEN_COLON && f->at == keyword + 1)
    help(f, d, "a name stands before the colon: constraint name: left = right");
}

static void report_unexpected(const struct fault *f) {
  const char *expected = syntax_expected_words(f->b->context, f->expected);
  const char *found = syntax_found_words(f->b, f->at);
  struct diagnostic *d =
      diagnostic_add(f->b->context, DIAG_UNEXPECTED, f->found->span, expected, found, NULL);
  if (f->found->kind == TOKEN_EQUALS && (f->found->flags & TOKEN_STARTS_LINE))
    help(f, d, "a line that starts with '=' does not go on with the one before; put the '=' there");
  uint32_t keyword;
  if (is_constraint(f, &keyword)) help_with_constraint(f, d, keyword);
  if (f->found->kind == TOKEN_THEN && f->expected[TOKEN_OPEN_BRACE])
    help(f, d, "around statements: if ... { }; inside an expression: if ... then ... else ...");
}

/* ---------------------------------------------------------------- all of them */

void syntax_error_report(struct builder *b, uint32_t at, const bool expected[TOKEN_KIND_COUNT]) {
  static bool (*const tries[])(const struct fault *) = {try_inside_unit,
                                                        try_keyword_as_name,
                                                        try_unknown_kind,
                                                        try_if_operand,
                                                        try_equals_in_condition,
                                                        try_comparison_in_equation,
                                                        try_bare_comparison,
                                                        try_chain,
                                                        try_list_in_square_brackets,
                                                        try_index_for_unit,
                                                        try_unknown_statement,
                                                        try_bare_expression,
                                                        try_misspelt_word,
                                                        try_missing_target,
                                                        try_bare_unit,
                                                        try_label_without_colon,
                                                        try_implicit_product,
                                                        try_missing_block,
                                                        try_missing_equals,
                                                        try_missing_operand};
  struct fault f = {.b = b,
                    .at = at,
                    .found = &b->tokens[at],
                    .before = &b->tokens[at > 0 ? at - 1 : 0],
                    .expected = expected,
                    .head = (enum token_kind)b->tokens[b->statement_begin].kind,
                    .wants_operand = expected[TOKEN_NUMBER] && expected[TOKEN_NAME],
                    .after_operand = expected[TOKEN_STAR] && !expected[TOKEN_NUMBER]};
  /* What the lexer had to repair was reported there. */
  if ((f.found->flags | f.before->flags) & TOKEN_REPORTED) return;
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
    if (tries[i](&f)) return;
  report_unexpected(&f);
}
