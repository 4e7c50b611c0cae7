/* Building the tree: what the actions of grammar.y call, and the reader of tokens behind it.
 * Private to the parser. Places are ranges of token indices; build_span turns them into bytes. */
#ifndef DYN_PARSER_BUILD_H
#define DYN_PARSER_BUILD_H
#include "base/map.h"
#include "base/rational.h"
#include "lexer/lexer.h"
#include "parser/ast.h"

struct token_range { /* empty where begin == end */
  uint32_t begin, end;
};

struct declared { /* a name in its declaration, with its index */
  uint32_t token;
  struct ast_list indices;
  bool is_range;
  const char *index_variable;
};

struct statement_list {
  struct ast_statement **items; /* in the context's arena */
  uint32_t count;
};

struct builder {
  dyn_context *context;
  const struct token *tokens;
  const struct token_list *lexed;
  struct ast *ast;

  /* the reader (reader.c) */
  uint32_t next;            /* the token to be read */
  uint32_t statement_begin; /* the first token of the statement being read */
  uint32_t fault_token;     /* where the last syntax error was; 0 at first */
  uint32_t fault_count;     /* errors at that token so far */
  bool has_begun;           /* the start symbol was sent */
  bool is_skipping;         /* a SKIP is due */
  bool is_assignments;

  /* what is being collected: lists of open brackets, parts of the current statement */
  VECTOR(ast_expr) list;
  VECTOR(struct ast_item) items;
  VECTOR(struct ast_equation) equations;
  VECTOR(struct ast_formal) formals;
  VECTOR(struct ast_rotation) rotations;
  VECTOR(struct ast_unit_factor) factors;
  VECTOR(struct ast_statement *) statements; /* of all open blocks */
  struct map declared_names;                 /* for messages; see unit_names.c */
};

/* ---------------------------------------------------------------- grammar.y and reader.c */

/* Parses builder->tokens; false if that was given up (which has been reported). */
bool grammar_run(struct builder *b);
/* Sets the reader to where the statement, or the next entry of its list, can be taken up again. */
void reader_recover(struct builder *b, uint32_t fault_token);
/* True if the statement being read is a comma list whose entries recover one by one. */
bool reader_in_list_statement(const struct builder *b);

/* What the grammar would have taken at `at`, by kind of token. */
void syntax_error_report(struct builder *b, uint32_t at, const bool expected[TOKEN_KIND_COUNT]);
/* The words for a set of tokens: "an expression", "',' or ')'"; in the context's arena. */
const char *syntax_expected_words(dyn_context *context, const bool expected[TOKEN_KIND_COUNT]);
const char *syntax_found_words(struct builder *b, uint32_t at);

/* ---------------------------------------------------------------- build.c: expressions */

struct span build_span(const struct builder *b, struct token_range range);
ast_expr build_leaf(struct builder *b, enum ast_expr_kind kind, uint32_t token);
ast_expr build_error(struct builder *b, struct token_range at);
ast_expr build_unary(struct builder *b, enum ast_operator op, struct token_range at,
                     ast_expr operand);
ast_expr build_binary(struct builder *b, enum ast_operator op, struct token_range at,
                      uint32_t op_token, ast_expr left, ast_expr right);
ast_expr build_member(struct builder *b, struct token_range at, ast_expr operand, uint32_t name);
ast_expr build_index(struct builder *b, struct token_range at, ast_expr operand, uint32_t list);
ast_expr build_primes(struct builder *b, struct token_range at, ast_expr operand, uint32_t primes);
ast_expr build_with_unit(struct builder *b, struct token_range at, struct token_range operand_at,
                         ast_expr operand, struct ast_unit *unit);
/* operand 0: a plain call */
ast_expr build_call(struct builder *b, struct token_range at, ast_expr operand, uint32_t name,
                    uint32_t list);
ast_expr build_argument(struct builder *b, struct token_range at, uint32_t name, ast_expr value);
ast_expr build_if(struct builder *b, struct token_range at, ast_expr condition, ast_expr yes,
                  ast_expr no);
ast_expr build_reduce(struct builder *b, struct token_range at, uint32_t name, ast_expr from,
                      ast_expr to, ast_expr body);
ast_expr build_tuple(struct builder *b, struct token_range at, uint32_t list);
ast_expr build_in(struct builder *b, struct token_range at, ast_expr tuple, ast_expr frame);

/* Lists nest: each is collected on top of builder->list, from where it began, and moved to the
 * tree when it is whole. */
uint32_t list_begin(const struct builder *b);
void list_add(struct builder *b, ast_expr e);
struct ast_list list_end(struct builder *b, uint32_t begin);

/* ---------------------------------------------------------------- build_unit.c */

/* Factors are collected in builder->factors; a part of a unit is known by its first factor. */
uint32_t unit_add_name(struct builder *b, uint32_t token);
uint32_t unit_add_number(struct builder *b, uint32_t token); /* must be 1 */
void unit_raise(struct builder *b, uint32_t first, struct rational exponent, struct token_range at);
struct rational unit_exponent(struct builder *b, uint32_t numerator, uint32_t denominator,
                              bool is_negative); /* of tokens; denominator 0 if there is none */
struct ast_unit *unit_end(struct builder *b, struct token_range at);

/* ---------------------------------------------------------------- build_statement.c */

struct ast_statement *statement_new(struct builder *b, enum ast_statement_kind kind,
                                    struct token_range at);
void statement_label(struct builder *b, struct ast_statement *statement,
                     const struct declared *label);
void statement_set_name(struct builder *b, struct ast_statement *statement, uint32_t token);
void statement_set_text(struct builder *b, struct ast_statement *statement, uint32_t token);
/* Move what was collected to the statement. */
void statement_take_items(struct builder *b, struct ast_statement *statement);
void statement_take_equations(struct builder *b, struct ast_statement *statement);
void statement_take_formals(struct builder *b, struct ast_statement *statement);
void statement_take_rotations(struct builder *b, struct ast_statement *statement);
void statement_take_body(struct ast_statement *statement, struct statement_list body);
void statement_take_otherwise(struct ast_statement *statement, struct statement_list body);
struct ast_statement *statement_arguments(struct builder *b, struct ast_statement *statement,
                                          uint32_t list); /* checks that all are named */
struct ast_statement *statement_relation(struct builder *b, enum ast_statement_kind kind,
                                         struct token_range at, ast_expr left, ast_expr right);
struct ast_statement *statement_starts(struct builder *b, struct token_range at);
struct statement_list statements_take(struct builder *b, uint32_t begin);
void statements_add(struct builder *b, struct ast_statement *statement);

void add_item(struct builder *b, struct token_range at, const struct declared *declared,
              uint32_t primes, struct ast_unit *unit, ast_expr value);
void add_equation(struct builder *b, struct token_range at, ast_expr left, ast_expr right);
void add_formal(struct builder *b, struct token_range at, uint32_t name, struct ast_unit *unit,
                uint32_t kind, ast_expr value); /* kind: a token, 0 for a scalar */
void add_rotation(struct builder *b, struct token_range at, ast_expr angle, ast_expr axis);

/* ---------------------------------------------------------------- unit_names.c */

bool is_common_unit(const char *name);
bool is_declared_name(struct builder *b, const char *name); /* interned; anywhere in the file */
bool is_unit_in_index(struct builder *b, uint32_t open);

/* ---------------------------------------------------------------- docs.c, placement.c */

/* Doc comments: of the tokens in the range; standing directly before a token; of the file. NULL
 * if there are none. */
const char *doc_of_range(const struct builder *b, struct token_range range);
const char *doc_before(const struct builder *b, uint32_t token);
const char *doc_of_file(const struct builder *b);

/* Reports statements that stand where they can't. */
void placement_check(dyn_context *context, const struct ast *ast);
#endif
