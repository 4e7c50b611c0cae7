/* The grammar of section 2 to 7 of the language. Actions only build nodes.
 *
 * A place (@1) is a range of token indices; the value of a token is its index. Every statement is followed by END, so there is one rule of recovery, `fault`:
 * it stands where something can be left out as a whole, and the reader decides how far that goes. */
%code requires {
#include "parser/reader.h"
}
%code {
#include <string.h>
#define YYLLOC_DEFAULT(current, parts, count)                                                      \
  ((current).begin = (count) ? YYRHSLOC(parts, 1).begin : YYRHSLOC(parts, 0).end,                  \
   (current).end = (count) ? YYRHSLOC(parts, count).end : YYRHSLOC(parts, 0).end)
/* The stacks grow on the heap; beyond this, expressions are nested too deeply. */
#define YYMAXDEPTH 1000000
#define YYSTACK_USE_ALLOCA 0
#define YYMALLOC checked_malloc
#define YYFREE free
static int yylex(YYSTYPE *value, YYLTYPE *place, struct builder *b);
static void yyerror(YYLTYPE *place, struct builder *b, const char *message);
}

%define api.pure full
%define api.prefix {dyn_grammar_}
%define api.token.prefix {T_}
%define api.location.type {struct token_range}
%define parse.lac full
%define parse.error custom
%locations
%expect 0
%param {struct builder *b}

%union {
  ast_expr expr;
  uint32_t token; /* index; 0 for none */
  uint32_t list;  /* where it begins in builder->list or builder->statements */
  struct ast_list range;
  struct ast_unit *unit;
  struct rational exponent;
  struct declared declared;
  struct ast_statement *statement;
  struct statement_list statements;
  unsigned code;
}

/* one for each kind of the lexer, in the order of lexer/tokens.def */
%token FINISH 0
%token BEGIN END BROKEN NUMBER STRING UNIT_NAME PRIMES
%token <token> NAME
%token PLUS MINUS STAR SLASH CARET LESS LESS_EQUAL GREATER GREATER_EQUAL EQUAL_EQUAL NOT_EQUAL
%token EQUALS BECOMES COLON COMMA DOT DOT_DOT SEMICOLON OPEN_PAREN CLOSE_PAREN OPEN_INDEX OPEN_UNIT
%token CLOSE_BRACKET OPEN_BRACE CLOSE_BRACE
%token MODEL IMPORT CONST PARAM INPUT COORD STATE SPEED LET FUNCTION OUTPUT INITIAL START SIMULATE
%token KINETIC POTENTIAL LAGRANGIAN DISSIPATION FORCE TORQUE GRAVITY FRAME POINT PARTICLE BODY
%token COMPONENT CONSTRAINT HOLONOMIC NONHOLONOMIC WHEN EVERY RELEASE STOP FOR ASSERT CONTACT IMPACT
%token PLOT VIEW IF THEN ELSE AND OR NOT SUM PRODUCT
%token <token> AT ON IN FROM ABOUT ALONG AS ROTATED ORIENTED VECTOR
/* made by the reader */
%token START_MODEL START_ASSIGNMENTS SKIP TYPE_NAME LABEL_NAME ARGUMENT_NAME RESERVED

%left OR
%left AND
%precedence NOT
%nonassoc LESS LESS_EQUAL GREATER GREATER_EQUAL EQUAL_EQUAL NOT_EQUAL
%left PLUS MINUS
%left STAR SLASH
%precedence NEGATION
%right CARET
%precedence WHOLE /* a tuple or a frame's name that ends here, unless one of these follows */
%precedence DOT OPEN_INDEX OPEN_UNIT

%type <expr> expr operation postfix primary tuple tuple_with_unit reference fault value
%type <expr> from at argument
%type <list> list list2 arguments argument_list
%type <range> along
%type <unit> unit unit_option
%type <list> unit_product unit_power unit_atom
%type <exponent> exponent
%type <declared> element label index
%type <token> name member primes alias import_name formal_kind stop_text
%type <code> list_keyword energy_keyword mass_keyword claim
%type <statement> statement component_head if_statement
%type <statements> block
%type <list> block_open

%%

input:
    START_MODEL statements
  | START_ASSIGNMENTS assignments
  ;

/* ------------------------------------------------------------------ blocks */

statements:
    %empty
  | statements statement END  { statements_add(b, $2); }
  ;

block_open:
    OPEN_BRACE  { $$ = b->statements.count; }
  ;
block:
    block_open statements CLOSE_BRACE  { $$ = statements_take(b, $1); }
  ;

fault:
    error SKIP  { yyerrok; $$ = build_error(b, @$); }
  ;

/* ------------------------------------------------------------------ statements */

statement:
    MODEL name
      { $$ = statement_new(b, AST_MODEL, @$); statement_set_name(b, $$, $2); }
  | IMPORT import_name alias
      { $$ = statement_new(b, AST_IMPORT, @$); statement_set_text(b, $$, $2);
        statement_set_name(b, $$, $3); }
  | list_keyword items
      { $$ = statement_new(b, (enum ast_statement_kind)$1, @$); statement_take_items(b, $$); }
  | FUNCTION name OPEN_PAREN parameters CLOSE_PAREN EQUALS value
      { $$ = statement_new(b, AST_FUNCTION, @$); statement_set_name(b, $$, $2);
        statement_take_formals(b, $$); $$->value = $7; }
  | INITIAL equations
      { $$ = statement_new(b, AST_INITIAL, @$); statement_take_equations(b, $$); }
  | START equations
      { $$ = statement_starts(b, @$); }
  | SIMULATE OPEN_PAREN arguments CLOSE_PAREN
      { $$ = statement_arguments(b, statement_new(b, AST_SIMULATE, @$), $3); }
  | energy_keyword label expr
      { $$ = statement_new(b, (enum ast_statement_kind)$1, @$); statement_label(b, $$, &$2);
        $$->value = $3; }
  | FORCE label expr ON expr
      { $$ = statement_new(b, AST_FORCE_ON, @$); statement_label(b, $$, &$2);
        $$->value = $3; $$->target = $5; }
  | FORCE label expr AT expr from
      { $$ = statement_new(b, AST_FORCE_AT, @$); statement_label(b, $$, &$2);
        $$->value = $3; $$->target = $5; $$->source = $6; }
  | TORQUE label expr ON expr from
      { $$ = statement_new(b, AST_TORQUE, @$); statement_label(b, $$, &$2);
        $$->value = $3; $$->target = $5; $$->source = $6; }
  | GRAVITY expr
      { $$ = statement_new(b, AST_GRAVITY, @$); $$->value = $2; }
  | FRAME element EQUALS expr at
      { $$ = statement_new(b, AST_FRAME, @$); statement_label(b, $$, &$2);
        $$->value = $4; $$->target = $5; }
  | FRAME element EQUALS expr ROTATED rotations at
      { $$ = statement_new(b, AST_FRAME, @$); statement_label(b, $$, &$2);
        statement_take_rotations(b, $$); $$->value = $4; $$->target = $7; }
  | FRAME element EQUALS expr ORIENTED tuple at
      { $$ = statement_new(b, AST_FRAME, @$); statement_label(b, $$, &$2);
        $$->value = $4; $$->source = $6; $$->target = $7; }
  | FRAME element EQUALS fault
      { $$ = statement_new(b, AST_FRAME, @$); statement_label(b, $$, &$2); $$->value = $4; }
  | mass_keyword element OPEN_PAREN arguments CLOSE_PAREN
      { $$ = statement_new(b, (enum ast_statement_kind)$1, @$); statement_label(b, $$, &$2);
        statement_arguments(b, $$, $4); }
  | mass_keyword element OPEN_PAREN fault
      { $$ = statement_new(b, (enum ast_statement_kind)$1, @$); statement_label(b, $$, &$2);
        $$->value = $4; }
  | claim CONSTRAINT label expr EQUALS expr along
      { $$ = statement_new(b, AST_CONSTRAINT, @$); statement_label(b, $$, &$3);
        $$->claim = $1; $$->left = $4; $$->right = $6; $$->along = $7; }
  | claim CONSTRAINT label fault
      { $$ = statement_new(b, AST_CONSTRAINT, @$); statement_label(b, $$, &$3);
        $$->claim = $1; $$->left = $$->right = $4; }
  | component_head block
      { $$ = $1; statement_take_body($$, $2); }
  | TYPE_NAME element OPEN_PAREN arguments CLOSE_PAREN
      { $$ = statement_new(b, AST_INSTANCE, @$); statement_label(b, $$, &$2);
        statement_set_text(b, $$, @1.begin); statement_arguments(b, $$, $4); }
  | TYPE_NAME DOT name element OPEN_PAREN arguments CLOSE_PAREN
      { $$ = statement_new(b, AST_INSTANCE, @$); statement_label(b, $$, &$4);
        statement_set_text(b, $$, $3); $$->module = b->tokens[@1.begin].text;
        statement_arguments(b, $$, $6); }
  | TYPE_NAME element OPEN_PAREN fault
      { $$ = statement_new(b, AST_INSTANCE, @$); statement_label(b, $$, &$2);
        statement_set_text(b, $$, @1.begin); $$->value = $4; }
  | TYPE_NAME DOT name element OPEN_PAREN fault
      { $$ = statement_new(b, AST_INSTANCE, @$); statement_label(b, $$, &$4);
        statement_set_text(b, $$, $3); $$->module = b->tokens[@1.begin].text; $$->value = $6; }
  | FOR name IN expr DOT_DOT expr block
      { struct token_range head = {@1.begin, @6.end};
        $$ = statement_new(b, AST_FOR, head); $$->index_variable = b->tokens[$2].text;
        statement_set_name(b, $$, $2); $$->from = $4; $$->to = $6; statement_take_body($$, $7); }
  | if_statement
  | WHEN expr block
      { struct token_range head = {@1.begin, @2.end};
        $$ = statement_new(b, AST_WHEN, head); $$->value = $2; statement_take_body($$, $3); }
  | EVERY expr block
      { struct token_range head = {@1.begin, @2.end};
        $$ = statement_new(b, AST_EVERY, head); $$->value = $2; statement_take_body($$, $3); }
  | postfix EQUALS expr
      { $$ = statement_relation(b, AST_RATE, @$, $1, $3); }
  | postfix BECOMES expr
      { $$ = statement_relation(b, AST_RESET, @$, $1, $3); }
  | RELEASE reference
      { $$ = statement_new(b, AST_RELEASE, @$); $$->value = $2;
        const struct ast_expression *n = ast_expression(b->ast, $2);
        if (n->kind == AST_NAME) statement_set_name(b, $$, @2.begin); }
  | STOP stop_text
      { $$ = statement_new(b, AST_STOP, @$); $$->text = "";
        if ($2 != 0) statement_set_text(b, $$, $2); }
  | RESERVED
      { $$ = statement_new(b, AST_RESERVED, @$); statement_set_text(b, $$, @1.begin); }
  | RESERVED block
      { $$ = statement_new(b, AST_RESERVED, @1); statement_set_text(b, $$, @1.begin); }
  | fault
      { $$ = NULL; }
  | fault broken_block
      { $$ = NULL; }
  ;

/* A block under a head that was not understood: its own faults are found, but it means nothing. */
broken_block:
    block
  | block ELSE block
  | block ELSE if_statement
  | block ELSE fault
  | block ELSE fault broken_block
  ;

if_statement:
    IF expr block
      { struct token_range head = {@1.begin, @2.end};
        $$ = statement_new(b, AST_IF_BLOCK, head); $$->value = $2; statement_take_body($$, $3); }
  | IF expr block ELSE block
      { struct token_range head = {@1.begin, @2.end};
        $$ = statement_new(b, AST_IF_BLOCK, head); $$->value = $2; statement_take_body($$, $3);
        statement_take_otherwise($$, $5); }
  | IF expr block ELSE if_statement
      { struct token_range head = {@1.begin, @2.end};
        $$ = statement_new(b, AST_IF_BLOCK, head); $$->value = $2; statement_take_body($$, $3);
        struct statement_list rest = {arena_copy(&b->context->arena, &$5, sizeof $5), 1};
        statement_take_otherwise($$, rest); }
  ;

component_head:
    COMPONENT name
      { $$ = statement_new(b, AST_COMPONENT, @$); statement_set_name(b, $$, $2); }
  | COMPONENT name OPEN_PAREN formals CLOSE_PAREN
      { $$ = statement_new(b, AST_COMPONENT, @$); statement_set_name(b, $$, $2);
        statement_take_formals(b, $$); }
  | COMPONENT name OPEN_PAREN fault
      { $$ = statement_new(b, AST_COMPONENT, @$); statement_set_name(b, $$, $2);
        $$->value = $4; b->formals.count = 0; }
  ;

list_keyword:
    CONST   { $$ = AST_CONST; }
  | PARAM   { $$ = AST_PARAM; }
  | INPUT   { $$ = AST_INPUT; }
  | COORD   { $$ = AST_COORD; }
  | STATE   { $$ = AST_STATE; }
  | SPEED   { $$ = AST_SPEED; }
  | LET     { $$ = AST_LET; }
  | OUTPUT  { $$ = AST_OUTPUT; }
  | POINT   { $$ = AST_POINT; }
  ;
energy_keyword:
    KINETIC      { $$ = AST_KINETIC; }
  | POTENTIAL    { $$ = AST_POTENTIAL; }
  | LAGRANGIAN   { $$ = AST_LAGRANGIAN; }
  | DISSIPATION  { $$ = AST_DISSIPATION; }
  ;
mass_keyword:
    PARTICLE  { $$ = AST_PARTICLE; }
  | BODY      { $$ = AST_BODY; }
  ;
claim:
    %empty        { $$ = CLAIM_NONE; }
  | HOLONOMIC     { $$ = CLAIM_HOLONOMIC; }
  | NONHOLONOMIC  { $$ = CLAIM_NONHOLONOMIC; }
  ;

/* ------------------------------------------------------------------ parts of statements */

/* Any word of the grammar is a name where it means nothing else. */
name:
    NAME | AT | ON | IN | FROM | ABOUT | ALONG | AS | ROTATED | ORIENTED | VECTOR
  ;
member:
    name
  | FRAME  { $$ = @1.begin; }
  ;
import_name:
    name
  | STRING   { $$ = @1.begin; }
  | CONTACT  { $$ = @1.begin; }
  | IMPACT   { $$ = @1.begin; }
  | PLOT     { $$ = @1.begin; }
  | VIEW     { $$ = @1.begin; }
  ;
alias:
    %empty   { $$ = 0; }
  | AS name  { $$ = $2; }
  ;
stop_text:
    %empty  { $$ = 0; }
  | STRING  { $$ = @1.begin; }
  ;

element:
    name index  { $$ = $2; $$.token = $1; }
  ;
index:
    %empty
      { $$ = (struct declared){0}; }
  | OPEN_INDEX list CLOSE_BRACKET
      { $$ = (struct declared){.indices = list_end(b, $2)}; }
  | OPEN_INDEX expr DOT_DOT expr CLOSE_BRACKET
      { uint32_t begin = list_begin(b); list_add(b, $2); list_add(b, $4);
        $$ = (struct declared){.indices = list_end(b, begin), .is_range = true}; }
  | OPEN_INDEX name IN expr DOT_DOT expr CLOSE_BRACKET
      { uint32_t begin = list_begin(b); list_add(b, $4); list_add(b, $6);
        $$ = (struct declared){.indices = list_end(b, begin), .is_range = true,
                               .index_variable = b->tokens[$2].text}; }
  ;
label:
    %empty                  { $$ = (struct declared){0}; }
  | LABEL_NAME index COLON  { $$ = $2; $$.token = @1.begin; }
  ;
primes:
    %empty  { $$ = 0; }
  | PRIMES  { $$ = @1.begin; }
  ;

items:
    item
  | items COMMA item
  ;
item:
    element primes unit_option
      { add_item(b, @$, &$1, $2, $3, 0); }
  | element primes unit_option EQUALS value
      { add_item(b, @$, &$1, $2, $3, $5); }
  | fault
  ;
value:
    expr
  | fault
  ;

equations:
    equation
  | equations COMMA equation
  ;
equation:
    expr EQUALS expr  { add_equation(b, @$, $1, $3); }
  | fault
  ;

assignments:
    %empty
  | equations END
      { struct ast_statement *last = statement_starts(b, @1);
        statements_add(b, last); }
  ;

parameters:
    %empty
  | parameter
  | parameters COMMA parameter
  ;
parameter:
    name  { add_formal(b, @$, $1, NULL, 0, 0); }
  ;

formals:
    %empty
  | formal
  | formals COMMA formal
  ;
formal:
    name unit_option                           { add_formal(b, @$, $1, $2, 0, 0); }
  | name unit_option EQUALS expr               { add_formal(b, @$, $1, $2, 0, $4); }
  | name unit_option COLON formal_kind         { add_formal(b, @$, $1, $2, $4, 0); }
  | name unit_option COLON formal_kind EQUALS expr
      { add_formal(b, @$, $1, $2, $4, $6); }
  ;
formal_kind:
    POINT   { $$ = @1.begin; }
  | VECTOR  { $$ = @1.begin; }
  | FRAME   { $$ = @1.begin; }
  | BODY    { $$ = @1.begin; }
  ;

rotations:
    rotation
  | rotations COMMA rotation
  ;
rotation:
    expr ABOUT expr  { add_rotation(b, @$, $1, $3); }
  ;
at:
    %empty   { $$ = 0; }
  | AT expr  { $$ = $2; }
  ;
from:
    %empty     { $$ = 0; }
  | FROM expr  { $$ = $2; }
  ;
along:
    %empty      { $$ = (struct ast_list){0, 0}; }
  | ALONG list  { $$ = list_end(b, $2); }
  ;

/* ------------------------------------------------------------------ expressions */

list:
    expr             { $$ = list_begin(b); list_add(b, $1); }
  | list COMMA expr  { $$ = $1; list_add(b, $3); }
  ;
list2:
    expr COMMA expr   { $$ = list_begin(b); list_add(b, $1); list_add(b, $3); }
  | list2 COMMA expr  { $$ = $1; list_add(b, $3); }
  ;
arguments:
    %empty  { $$ = list_begin(b); }
  | argument_list
  ;
argument_list:
    argument                      { $$ = list_begin(b); list_add(b, $1); }
  | argument_list COMMA argument  { $$ = $1; list_add(b, $3); }
  ;
argument:
    expr
  | ARGUMENT_NAME EQUALS expr  { $$ = build_argument(b, @$, @1.begin, $3); }
  ;

/* An `if` reaches as far as it can, so as an operand it needs brackets. */
expr:
    operation
  | IF expr THEN expr ELSE expr  { $$ = build_if(b, @$, $2, $4, $6); }
  ;

operation:
    postfix
  | operation OR operation             { $$ = build_binary(b, AST_OR, @$, @2.begin, $1, $3); }
  | operation AND operation            { $$ = build_binary(b, AST_AND, @$, @2.begin, $1, $3); }
  | NOT operation                      { $$ = build_unary(b, AST_NOT, @$, $2); }
  | operation LESS operation           { $$ = build_binary(b, AST_LESS, @$, @2.begin, $1, $3); }
  | operation LESS_EQUAL operation     { $$ = build_binary(b, AST_LESS_EQUAL, @$, @2.begin, $1, $3); }
  | operation GREATER operation        { $$ = build_binary(b, AST_GREATER, @$, @2.begin, $1, $3); }
  | operation GREATER_EQUAL operation  { $$ = build_binary(b, AST_GREATER_EQUAL, @$, @2.begin, $1, $3); }
  | operation EQUAL_EQUAL operation    { $$ = build_binary(b, AST_EQUAL, @$, @2.begin, $1, $3); }
  | operation NOT_EQUAL operation      { $$ = build_binary(b, AST_NOT_EQUAL, @$, @2.begin, $1, $3); }
  | operation PLUS operation           { $$ = build_binary(b, AST_ADD, @$, @2.begin, $1, $3); }
  | operation MINUS operation          { $$ = build_binary(b, AST_SUBTRACT, @$, @2.begin, $1, $3); }
  | operation STAR operation           { $$ = build_binary(b, AST_MULTIPLY, @$, @2.begin, $1, $3); }
  | operation SLASH operation          { $$ = build_binary(b, AST_DIVIDE, @$, @2.begin, $1, $3); }
  | MINUS operation %prec NEGATION     { $$ = build_unary(b, AST_NEGATE, @$, $2); }
  | PLUS operation %prec NEGATION      { $$ = build_unary(b, AST_PLUS, @$, $2); }
  | operation CARET operation          { $$ = build_binary(b, AST_POWER, @$, @2.begin, $1, $3); }
  ;

postfix:
    primary
  | postfix DOT member
      { $$ = build_member(b, @$, $1, $3); }
  | postfix DOT member OPEN_PAREN arguments CLOSE_PAREN
      { $$ = build_call(b, @$, $1, $3, $5); }
  | postfix OPEN_INDEX list CLOSE_BRACKET
      { $$ = build_index(b, @$, $1, $3); }
  | postfix PRIMES
      { $$ = build_primes(b, @$, $1, @2.begin); }
  | postfix unit
      { $$ = build_with_unit(b, @$, @1, $1, $2); }
  ;

primary:
    NUMBER                                { $$ = build_leaf(b, AST_NUMBER, @1.begin); }
  | STRING                                { $$ = build_leaf(b, AST_STRING, @1.begin); }
  | name                                  { $$ = build_leaf(b, AST_NAME, $1); }
  | name OPEN_PAREN arguments CLOSE_PAREN { $$ = build_call(b, @$, 0, $1, $3); }
  | OPEN_PAREN expr CLOSE_PAREN           { $$ = $2; }
  | reduce_keyword OPEN_PAREN name IN expr DOT_DOT expr COMMA expr CLOSE_PAREN
      { $$ = build_reduce(b, @$, $3, $5, $7, $9); }
  | tuple                 %prec WHOLE
  | tuple_with_unit
  | tuple IN reference           %prec WHOLE  { $$ = build_in(b, @$, $1, $3); }
  | tuple_with_unit IN reference %prec WHOLE  { $$ = build_in(b, @$, $1, $3); }
  ;
reduce_keyword: SUM | PRODUCT ;
tuple:
    OPEN_PAREN list2 CLOSE_PAREN  { $$ = build_tuple(b, @$, $2); }
  ;
tuple_with_unit:
    tuple unit  { $$ = build_with_unit(b, @$, @1, $1, $2); }
  ;

/* What can be referred to by name: a frame behind `in`, a label behind `release`. */
reference:
    name                                  { $$ = build_leaf(b, AST_NAME, $1); }
  | reference DOT member                  { $$ = build_member(b, @$, $1, $3); }
  | reference OPEN_INDEX list CLOSE_BRACKET { $$ = build_index(b, @$, $1, $3); }
  ;

/* ------------------------------------------------------------------ units */

unit_option:
    %empty  { $$ = NULL; }
  | unit
  ;
unit:
    OPEN_UNIT unit_product CLOSE_BRACKET  { $$ = unit_end(b, @$); }
  | OPEN_UNIT BROKEN CLOSE_BRACKET        { $$ = NULL; }
  ;
unit_product:
    unit_power
  | unit_product STAR unit_power
  | unit_product SLASH unit_power  { unit_raise(b, $3, rational_integer(-1), @3); }
  ;
unit_power:
    unit_atom
  | unit_atom CARET exponent  { unit_raise(b, $1, $3, @$); }
  ;
unit_atom:
    UNIT_NAME                             { $$ = unit_add_name(b, @1.begin); }
  | NUMBER                                { $$ = unit_add_number(b, @1.begin); }
  | OPEN_PAREN unit_product CLOSE_PAREN   { $$ = $2; }
  ;
exponent:
    NUMBER        { $$ = unit_exponent(b, @1.begin, 0, false); }
  | MINUS NUMBER  { $$ = unit_exponent(b, @2.begin, 0, true); }
  | OPEN_PAREN NUMBER CLOSE_PAREN        { $$ = unit_exponent(b, @2.begin, 0, false); }
  | OPEN_PAREN MINUS NUMBER CLOSE_PAREN  { $$ = unit_exponent(b, @3.begin, 0, true); }
  | OPEN_PAREN NUMBER SLASH NUMBER CLOSE_PAREN
      { $$ = unit_exponent(b, @2.begin, @4.begin, false); }
  | OPEN_PAREN MINUS NUMBER SLASH NUMBER CLOSE_PAREN
      { $$ = unit_exponent(b, @3.begin, @5.begin, true); }
  ;

%%

static const short token_of_kind[TOKEN_KIND_COUNT] = {
#define TOKEN(kind, spelling, words, traits) T_##kind,
#include "lexer/tokens.def"
#undef TOKEN
};

static int yylex(YYSTYPE *value, YYLTYPE *place, struct builder *b) {
  enum reader_class class = reader_next(b, place);
  value->token = place->begin;
  switch (class) {
  case READER_START_MODEL: return T_START_MODEL;
  case READER_START_ASSIGNMENTS: return T_START_ASSIGNMENTS;
  case READER_SKIP: return T_SKIP;
  case READER_TYPE_NAME: return T_TYPE_NAME;
  case READER_LABEL_NAME: return T_LABEL_NAME;
  case READER_ARGUMENT_NAME: return T_ARGUMENT_NAME;
  case READER_RESERVED: return T_RESERVED;
  case READER_TOKEN: break;
  }
  return token_of_kind[b->tokens[place->begin].kind];
}

/* Where nearly every statement is a fault, the text is no model and is given up. */
static bool is_hopeless(const struct builder *b) {
  return b->context->diagnostics.dropped > 1000;
}

/* The only other message of the skeleton is that its stack is exhausted. */
static void yyerror(YYLTYPE *place, struct builder *b, const char *message) {
  (void)message;
  if (is_hopeless(b)) return;
  diagnostic_add(b->context, DIAG_NESTED_TOO_DEEPLY, b->tokens[place->begin].span,
                 "brackets and operators", NULL);
}

static int yyreport_syntax_error(const yypcontext_t *situation, struct builder *b) {
  yysymbol_kind_t symbols[YYNTOKENS];
  bool expected[TOKEN_KIND_COUNT] = {false};
  int count = yypcontext_expected_tokens(situation, symbols, YYNTOKENS);
  for (int i = 0; i < count; i++)
    for (int kind = 0; kind < TOKEN_KIND_COUNT; kind++)
      if (YYTRANSLATE(token_of_kind[kind]) == symbols[i]) expected[kind] = true;
  uint32_t at = yypcontext_location(situation)->begin;
  if (at != b->fault_token) syntax_error_report(b, at, expected);
  reader_recover(b, at);
  return is_hopeless(b) ? 2 : 0; /* 2: the parser ends, as if memory were exhausted */
}

bool grammar_run(struct builder *b) {
  return yyparse(b) == 0;
}
