/* The abstract syntax tree: what was written, with the place of everything. Immutable after
 * parsing; facts about nodes live in side tables of later stages.
 *
 * Expressions stand in one array, children before parents (the parser makes them bottom-up), so
 * that passes over them are loops. The nodes of the expression `e` are exactly those from
 * ast_expression(e)->first to e, in postorder. Id 0 is "none".
 * Statements form a tree in the context's arena. */
#ifndef DYN_PARSER_AST_H
#define DYN_PARSER_AST_H
#include "base/context.h"
#include "base/vector.h"
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t ast_expr;

struct ast_list { /* a range of ast->lists */
  uint32_t first, count;
};

/* Binary and unary operators as written. */
enum ast_operator {
  AST_ADD, AST_SUBTRACT, AST_MULTIPLY, AST_DIVIDE, AST_POWER, AST_NEGATE, AST_PLUS, /* + - * / ^ -a +a */
  AST_LESS, AST_LESS_EQUAL, AST_GREATER, AST_GREATER_EQUAL, AST_EQUAL, AST_NOT_EQUAL, /* < <= > >= == != */
  AST_AND, AST_OR, AST_NOT,
};

enum ast_expr_kind {
  AST_ERROR,    /* stands where an error was reported; later stages skip it silently. It may still
                   have the parts of what it was */
  AST_NUMBER,   /* text: the literal as written, e.g. "2e-3" */
  AST_STRING,   /* text: the contents with escapes resolved */
  AST_NAME,     /* name */
  AST_MEMBER,   /* operand . name */
  AST_INDEX,    /* operand [ list ] */
  AST_PRIME,    /* operand with `count` primes */
  AST_UNIT,     /* operand [ unit ] */
  AST_UNARY,    /* operator, operand */
  AST_BINARY,   /* operator, operand, second */
  AST_CALL,     /* name ( list ) with `name_span`; named arguments are AST_ARGUMENT */
  AST_MEMBER_CALL, /* operand . name ( list ): a function or component of an imported module */
  AST_ARGUMENT, /* name = operand, inside a call's list */
  AST_IF,       /* if operand then second else third */
  AST_REDUCE,   /* sum/product: name = index variable, operand .. second the range, third the body */
  AST_TUPLE,    /* ( list ) with at least two entries */
  AST_IN,       /* operand in second: a tuple (or an AST_UNIT of a tuple) in a frame */
};

struct ast_unit; /* see below */

struct ast_expression {
  uint8_t kind;      /* enum ast_expr_kind */
  uint8_t operator_; /* enum ast_operator; for AST_REDUCE: AST_ADD is sum, AST_MULTIPLY is product */
  uint16_t count;    /* AST_PRIME: number of primes */
  ast_expr first;    /* the first node of this expression's subtree */
  struct span span;  /* the whole expression, brackets around it not included */
  struct span name_span; /* the operator, the member's or function's name, or the primes */
  ast_expr operand, second, third;
  struct ast_list list;
  const char *name; /* interned (NFC); AST_NUMBER and AST_STRING: the text */
  struct ast_unit *unit;
};

/* A unit as written: a list of factors name^(p/q), those after `/` with the sign turned. "1" has
 * no factors. Names are looked up by sema. */
struct ast_unit_factor {
  const char *name; /* interned */
  struct span span;
  int64_t numerator, denominator; /* of the exponent, denominator > 0 */
};
struct ast_unit {
  struct span span; /* with the square brackets */
  VECTOR(struct ast_unit_factor) factors;
  const char *text; /* as written, without the brackets, for messages */
};

/* ---------------------------------------------------------------- statements */

enum ast_statement_kind {
  AST_MODEL,      /* model Name */
  AST_IMPORT,     /* import name [as alias] / import "path" [as alias] */
  AST_CONST, AST_PARAM, AST_INPUT, AST_COORD, AST_STATE, AST_SPEED, AST_LET, AST_OUTPUT, /* items */
  AST_RATE,       /* z' = e : left = right */
  AST_FUNCTION,   /* function f(a, b) = body */
  AST_INITIAL,    /* equations */
  AST_START,      /* start leg[2].q = 0.3 : equations, one */
  AST_SIMULATE,   /* simulate(name = value, ...): arguments */
  AST_KINETIC, AST_POTENTIAL, AST_LAGRANGIAN, AST_DISSIPATION, /* [label:] value */
  AST_FORCE_ON,   /* force [label:] value on target (a coordinate, speed, expression) */
  AST_FORCE_AT,   /* force [label:] value at target [from source] */
  AST_TORQUE,     /* torque [label:] value on target [from source] */
  AST_GRAVITY,    /* gravity value */
  AST_FRAME,      /* frame A = parent (alias) | parent rotated ... | parent oriented (...) [at P] */
  AST_POINT,      /* items */
  AST_PARTICLE, AST_BODY, /* name(arguments) : label is its name */
  AST_CONSTRAINT, /* [holonomic|nonholonomic] constraint [label:] left = right [along axes] */
  AST_COMPONENT,  /* component name(formals) { body } */
  AST_INSTANCE,   /* type name(arguments) ; type may be `module.type` */
  AST_FOR,        /* for index in from..to { body } */
  AST_IF_BLOCK,   /* if condition { body } [else { otherwise }]; `else if` is an otherwise of one if */
  AST_WHEN,       /* when condition { body } */
  AST_EVERY,      /* every condition { body }: the period */
  AST_RESET,      /* left := right, in when and every */
  AST_RELEASE,    /* release label, in when: `value` refers to it (a name, member or element) */
  AST_STOP,       /* stop "text", in when: text, "" if there is none */
  AST_RESERVED,   /* a statement that starts with a keyword kept for later: contact impact plot view assert; `text` is the keyword */
};

/* A member's name is written `robot.leg[2].knee`: a segment for each instance on the way to it. */
struct ast_segment {
  const char *name; /* interned */
  uint32_t index_count;
};

/* A declared name: one entry of a comma list. */
struct ast_item {
  const char *name;   /* interned, NFC */
  struct span span;   /* of the name with its index and primes */
  struct span name_span;
  const char *doc;    /* joined lines of its doc comment, or NULL */
  /* Indices in brackets after the name: `q[n]` (a size: to only), `a[0..n]` (from, to),
   * `c[i in 1..n]` (variable, from, to), `P[i-1]` inside a loop (index list in `indices`).
   * A declaration `q[n]` and an element `q[i]` look alike; sema tells them apart. */
  struct ast_list indices;        /* the expressions in the brackets; for ranges: from, to */
  bool is_range;                  /* the bracket holds from..to (both in indices) */
  const char *index_variable;     /* for `i in from..to` */
  uint16_t primes;                /* coord x = 0, x' = 1: the second entry has primes = 1 */
  struct ast_unit *unit;          /* or NULL */
  ast_expr value;                 /* or 0; `output h` has the AST_NAME h */
  /* Of members, once components are written out (sema/flatten.h): the instances that lead to it.
   * Their indices, `lead` in all, stand before the item's own in `indices`; `name` is the whole
   * name without indices, "robot.leg.knee". */
  const struct ast_segment *path; /* or NULL */
  uint32_t path_count, lead;
  bool mentions_loop; /* an own index depends on a loop around it, in the component */
};

struct ast_equation { /* left = right, or left := right */
  struct span span;
  ast_expr left, right;
};

struct ast_formal {
  const char *name;
  struct span span;
  enum { FORMAL_SCALAR, FORMAL_POINT, FORMAL_VECTOR, FORMAL_FRAME, FORMAL_BODY } kind;
  struct ast_unit *unit;
  ast_expr value; /* default, or 0 */
  const char *doc;
};

struct ast_rotation { /* rotated angle about axis */
  struct span span;
  ast_expr angle, axis; /* an axis x, y or z is the AST_NAME of that name */
};

struct ast_statement {
  enum ast_statement_kind kind;
  struct span span;         /* from the keyword to the end of the statement (its head, for blocks) */
  struct span keyword_span;
  bool is_misplaced;        /* it can't stand where it stands, which was reported */
  const char *doc;          /* doc comment before or behind the statement; items have their own too */
  struct ast_item label;    /* label of energies, forces, constraints; name of model, function,
                               component, instance, frame, body, particle; alias of import.
                               name NULL if there is none */
  const char *text;         /* import path or module, stop text, instance type, reserved keyword */
  struct span text_span;
  const char *module;       /* instance of `module.type`, else NULL */
  VECTOR(struct ast_item) items;
  VECTOR(struct ast_equation) equations;
  VECTOR(struct ast_formal) formals;
  VECTOR(struct ast_rotation) rotations;
  struct ast_list arguments; /* AST_ARGUMENT nodes: simulate, particle, body, instance */
  /* `value` is an AST_ERROR where the rest of a particle, body, instance, component or frame was
   * not understood; `left` and `right` are one for a constraint. */
  ast_expr value;            /* energy, force value, gravity vector, frame parent, function body,
                                when condition, every period, if condition */
  ast_expr target, source;   /* force and torque; frame: target = `at` point, source = `oriented` tuple */
  ast_expr left, right;      /* constraint, rate, reset */
  struct ast_list along;     /* constraint ... along axes */
  enum { CLAIM_NONE, CLAIM_HOLONOMIC, CLAIM_NONHOLONOMIC } claim;
  const char *index_variable; /* for */
  ast_expr from, to;          /* for */
  VECTOR(struct ast_statement *) body, otherwise;
};

struct ast {
  VECTOR(struct ast_expression) expressions; /* [0] is unused */
  VECTOR(ast_expr) lists;
  VECTOR(struct ast_statement *) statements; /* of the file, in order */
  uint32_t source;
  const struct ast *written; /* what this one was made from by writing out components; else NULL */
  const char *doc; /* the doc comment before `model`, or at the head of the file */
};

static inline const struct ast_expression *ast_expression(const struct ast *ast, ast_expr e) {
  return &ast->expressions.items[e];
}
static inline ast_expr ast_list_item(const struct ast *ast, struct ast_list list, uint32_t i) {
  return ast->lists.items[list.first + i];
}

/* Parses a whole file. Never NULL; faults are in the context's diagnostics and the tree holds
 * what could be understood. Owned by the caller: ast_free. */
struct ast *parse_model(dyn_context *context, uint32_t source);
/* Parses `name = value, name' = value` as given to --set, --start, --at, --input: each becomes one
 * AST_START statement in ast->statements, with one equation (left may be a name, member, index or
 * primed name; right any expression, with its unit). */
struct ast *parse_assignments(dyn_context *context, uint32_t source);
void ast_free(struct ast *ast);

/* The golden-test dump: one node a line, indented, with byte spans left out. */
void ast_dump(const struct ast *ast, struct text *out);
#endif
