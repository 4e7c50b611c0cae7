/* Names: every declared name of a model, and what each name in the text refers to.
 *
 * The tables lie beside the syntax tree and are made before loops are expanded: an array has one
 * entry, however many elements it has and however many statements declare them.
 * Scalars, vectors, points, frames and bodies are all names; of which kind the value of an
 * expression is, is for lowering to find out.
 * Scopes: names of the file, then function arguments, loop and sum indices, each with an entry of
 * its own ("locals"); locals have ids behind those of the file's names.
 *
 * After scope_build, scope_entry_of(text, e) answers in constant time for every node that names
 * something; no later stage looks names up by their letters. */
#ifndef DYN_SEMA_SCOPE_H
#define DYN_SEMA_SCOPE_H
#include "base/context.h"
#include "base/map.h"
#include "base/rational.h"
#include "base/vector.h"
#include "parser/ast.h"

enum name_kind {
  NAME_NONE, /* unknown (reported), or stands in a statement that was refused */
  NAME_CONST,
  NAME_PARAM,
  NAME_INPUT,
  NAME_COORD,
  NAME_STATE,
  NAME_SPEED,
  NAME_LET,
  NAME_OUTPUT,
  NAME_FUNCTION,
  NAME_POINT,
  NAME_FRAME,
  NAME_PARTICLE,
  NAME_BODY,
  NAME_CONSTRAINT,
  NAME_COMPONENT,
  NAME_INSTANCE,
  NAME_MODULE,
  NAME_TIME,
  NAME_PI,
  NAME_WORLD,
  NAME_ORIGIN,   /* predeclared */
  NAME_INDEX,    /* of a loop, a sum, an array declaration */
  NAME_ARGUMENT, /* of a function */
};

/* A place where a name, or elements of it, are declared; not of locals. */
struct name_site {
  const struct ast_statement *statement;
  const struct ast_item *item; /* of lists; labels of frames, constraints, ...; NULL: a function */
  bool is_element;             /* `let a[i] = ...`: one element; else a scalar or whole array */
  uint32_t next;               /* the next site of the same name, 0: none */
};

struct name_entry {
  enum name_kind kind;
  const char *name; /* interned */
  struct span span; /* of the name where it was declared first; source 0 if predeclared */
  uint32_t rank;    /* number of indices; 0 for a scalar. For a constraint `along` several axes the
                       last one counts the axes: slip[2], or slip[i, 2] in an array */
  uint32_t lead;    /* how many of them are those of the instances that it is a member of */
  uint32_t first_site, last_site; /* into scope->sites, 0: none */
  uint32_t use_count;             /* in expressions that mean something */
  bool is_broken;                 /* its declaration was refused: uses are silent */
  bool is_bare;                   /* const: see scope_is_bare */
  bool is_unlabelled;             /* a constraint without a label: only multiplier(c1) means it */
  bool has_axes; /* a constraint `along` several axes: its last index is that of an axis */
  bool in_if;    /* declared in an `if` block: another branch may declare it, too */
};

struct scope_text { /* what the names of one syntax tree refer to */
  const struct ast *ast;
  uint32_t *entries;  /* per expression: AST_NAME, AST_CALL: entry, 0: none or built-in function;
                         AST_REDUCE: the entry of its index */
  uint8_t *functions; /* per AST_CALL: enum builtin_function + 1; 0: not a built-in one. Per
                         AST_MEMBER: enum member + 1. Per AST_NAME: 1 + the axis that x, y or z
                         means behind `about`. Any node: SCOPE_REFUSED if it can't stand where it
                         stands, which was reported */
};

enum { SCOPE_REFUSED = 255 };

/* What may stand behind a point. Which of them a value has is known when it has a kind: scope
 * refuses only what no value of that kind can have as far as a plain name tells its kind.
 *   point, vector   x y z        (in world)
 *   frame, world    x y z at     (unit vectors; its origin)
 *   body            x y z mass at frame inertia    (x y z of its frame)
 *   particle        mass at
 *   constraint      x y z        (in multiplier(...) only)
 * and norm of a frame by Euler parameters, in multiplier(E.norm) only. */
enum member {
  MEMBER_X,
  MEMBER_Y,
  MEMBER_Z,
  MEMBER_MASS,
  MEMBER_AT,
  MEMBER_FRAME,
  MEMBER_INERTIA,
  MEMBER_NORM,
  MEMBER_COUNT
};
/* Arguments of `particle` (the first two) and `body`. */
enum body_argument { BODY_MASS, BODY_AT, BODY_FRAME, BODY_INERTIA, BODY_ABOUT, BODY_ARGUMENTS };

struct lowering;
struct scope {
  dyn_context *context;
  VECTOR(struct name_entry)
  entries;                        /* [0] unused, then predeclared, then the file's, then locals */
  VECTOR(struct name_site) sites; /* [0] unused */
  struct map by_name;             /* interned name -> entry, of the file and predeclared */
  struct map by_output;           /* the same for outputs, which may be called what they record */
  struct map by_statement; /* AST_FOR -> entry of its index; AST_FUNCTION -> entry of its first
                              argument (the others follow); ast_item -> entry of its index variable
                              (labels of constraints, frames and bodies, too);
                              AST_CONSTRAINT without a label -> entry of the name that it got */
  struct map unknown;      /* names that were reported as unknown: once each */
  uint32_t file_count;     /* entries below this are predeclared or the file's */
  bool has_refused; /* some statement is not supported (reported): no warnings of lack of use */
  bool has_import;
  struct scope_text model;   /* of the file itself */
  struct lowering *lowering; /* for scope_constant; NULL before it can evaluate */
};

/* Built-in functions: BUILTIN(name, least arguments, most arguments, dimension rule). Names are
 * recognised only before `(`. Dimension rules, for sema/dimension.c:
 *   PURE      pure numbers to a pure number        SAME  all of one dimension, so is the result
 *   RATIO     all of one dimension to a pure number
 *   ROOT      halves exponents                     FREE  any dimension to a pure number
 *   KEEP      floor, abs: any dimension, kept
 *   FORCE     of a constraint: energy, or power, by its unit
 *   NONE      refused by name resolution: never seen later
 * and of vectors, points and frames, whose dimension is that of their components:
 *   PRODUCT   dot, cross
 *   RATE1     of the first argument per second; RATE2 per second squared
 *   FIELD     of the second argument per second: vel_on(B, P)
 *   TURN1     1/s, TURN2 1/s^2, whatever the arguments
 * KEEP and FREE, too, look only at their first argument. */
/* clang-format off */
#define BUILTIN_FUNCTIONS(BUILTIN)                                                                 \
  BUILTIN(sin, 1, 1, PURE) BUILTIN(cos, 1, 1, PURE) BUILTIN(tan, 1, 1, PURE)                       \
  BUILTIN(asin, 1, 1, PURE) BUILTIN(acos, 1, 1, PURE) BUILTIN(atan, 1, 1, PURE)                    \
  BUILTIN(atan2, 2, 2, RATIO)                                                                      \
  BUILTIN(sinh, 1, 1, PURE) BUILTIN(cosh, 1, 1, PURE) BUILTIN(tanh, 1, 1, PURE)                    \
  BUILTIN(exp, 1, 1, PURE) BUILTIN(log, 1, 1, PURE) BUILTIN(sqrt, 1, 1, ROOT)                      \
  BUILTIN(abs, 1, 1, KEEP) BUILTIN(sign, 1, 1, FREE)                                               \
  BUILTIN(min, 2, 1000, SAME) BUILTIN(max, 2, 1000, SAME)                                          \
  BUILTIN(mod, 2, 2, SAME) BUILTIN(floor, 1, 1, KEEP)                                              \
  BUILTIN(table, 3, 3, NONE)                                                                       \
  BUILTIN(vel, 1, 2, RATE1) BUILTIN(vel_on, 2, 2, FIELD) BUILTIN(acc, 1, 1, RATE2)                 \
  BUILTIN(omega, 1, 2, TURN1) BUILTIN(alpha, 1, 1, TURN2)                                          \
  BUILTIN(dot, 2, 2, PRODUCT) BUILTIN(cross, 2, 2, PRODUCT)                                        \
  BUILTIN(norm, 1, 1, KEEP) BUILTIN(unit, 1, 1, FREE)                                              \
  BUILTIN(components, 2, 2, KEEP) BUILTIN(der, 2, 2, RATE1)                                        \
  BUILTIN(multiplier, 1, 1, FORCE) BUILTIN(reaction, 1, 1, FORCE)
/* clang-format on */

enum builtin_function {
#define BUILTIN_ENUM(name, least, most, rule) BUILTIN_##name,
  BUILTIN_FUNCTIONS(BUILTIN_ENUM)
#undef BUILTIN_ENUM
      BUILTIN_COUNT
};

/* Collects and resolves all names of a file; reports every fault of names, kinds (number or truth
 * value), argument counts and array use that can be seen without values. Owned: scope_free. */
struct scope *scope_build(dyn_context *context, const struct ast *ast);
void scope_free(struct scope *scope);
/* Resolves the names of right sides in another text (the command line) against the file's names.
 * `entries` and `functions` of *text are owned: scope_text_free. False if faults were reported. */
bool scope_resolve_text(struct scope *scope, const struct ast *ast, struct scope_text *text);
void scope_text_free(struct scope_text *text);

/* The entry of a name of the file (interned), NULL if there is none. */
const struct name_entry *scope_find(const struct scope *scope, const char *name);
/* What an AST_NAME, AST_CALL (user function) or AST_REDUCE (its index) refers to; 0: nothing that
 * has an entry (an error that was reported, or a built-in function). */
static inline uint32_t scope_entry_of(const struct scope_text *text, ast_expr e) {
  return text->entries[e];
}
static inline bool scope_is_refused(const struct scope_text *text, ast_expr e) {
  return text->functions[e] == SCOPE_REFUSED;
}
/* -1 if the call is not of a built-in function. */
static inline int scope_builtin_of(const struct scope_text *text, ast_expr e) {
  return scope_is_refused(text, e) ? -1 : (int)text->functions[e] - 1;
}
/* enum member of an AST_MEMBER; -1 if it was reported. */
static inline int scope_member_of(const struct scope_text *text, ast_expr e) {
  return scope_is_refused(text, e) ? -1 : (int)text->functions[e] - 1;
}
/* 0, 1, 2 for an AST_NAME x, y, z in the axis of a rotation: that axis of the frame being turned;
 * else -1, of members and calls as well. Such a name has no entry. */
static inline int scope_axis_of(const struct scope_text *text, ast_expr e) {
  if (ast_expression(text->ast, e)->kind != AST_NAME) return -1;
  return scope_is_refused(text, e) ? -1 : (int)text->functions[e] - 1;
}
/* The value given for an argument of a particle or body; 0 if none is. The first, if it is given
 * twice (which is reported). A missing mass or at is reported. */
ast_expr scope_body_argument(const struct ast *ast, const struct ast_statement *statement,
                             enum body_argument argument);
static inline const struct name_entry *scope_entry(const struct scope *scope, uint32_t id) {
  return &scope->entries.items[id];
}

/* The exact value of a compile-time expression without loop indices, as far as it is a rational
 * that fits. Never reports anything. `is_integer`-ness: see base/rational.h. */
bool scope_constant(const struct scope *scope, const struct scope_text *text, ast_expr e,
                    struct rational *out);
/* True if it has a value at compile time, whether rational or not. Never reports anything. */
bool scope_is_constant(const struct scope *scope, const struct scope_text *text, ast_expr e);

/* True if a bare value: no unit in it, nothing but numbers, consts that are bare themselves, loop
 * indices, operators and built-in functions (pi is an angle, hence not bare). As the value of a
 * name declared with a unit it is read in that unit; both lowering and dimensions ask here.
 * Tuples: true if all entries are bare. */
bool scope_is_bare(const struct scope *scope, const struct scope_text *text, ast_expr e);
/* What the declared name `id` is called in messages: "parameter", "coordinate", ... */
const char *name_kind_word(enum name_kind kind);
#endif
