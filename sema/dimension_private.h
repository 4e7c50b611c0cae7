/* What the files of the dimension check share. Two walks over the text use the same code: the first
 * finds out the unknown dimensions and passes over contradictions, the second, when everything is
 * known, reports them, so that a message never depends on how far the inference had come. */
#ifndef DYN_SEMA_DIMENSION_PRIVATE_H
#define DYN_SEMA_DIMENSION_PRIVATE_H
#include "sema/dimension.h"
#include "sema/dimension_solve.h"

struct name_dimension {   /* of a scope entry */
  uint32_t variable;      /* 0: known from a declaration, or no quantity */
  uint32_t unit;          /* into table->units of the first declared unit, 0: none */
  bool is_broken;         /* its unit was refused: uses are silent */
  bool has_velocity;      /* a constraint that contains velocities */
  uint32_t velocity_unit; /* of a start velocity, if one is stated */
  struct span unit_span;
  struct dimension dimension; /* if variable is 0 */
};

struct function_scheme {
  const struct ast_statement *statement;
  uint32_t first_argument; /* variable */
  struct form result;      /* over arguments and names */
  bool is_broken;
};

struct dimension_table {
  dyn_context *context;
  const struct scope *scope;
  struct solver solver;
  struct name_dimension *names; /* by entry */
  uint32_t name_count;
  VECTOR(struct function_scheme) schemes; /* [0] unused */
  struct map scheme_of;                   /* entry of a function -> schemes */
  struct map unit_of;                     /* ast_unit -> units */
  struct map refused;                     /* ast_unit that was reported -> 1 */
  VECTOR(struct unit) units;              /* [0] the pure number */
  bool is_dimensionless;
  bool is_checking; /* the second walk */
  bool is_tangled;  /* reported */
  const struct ast_statement *in_function;
};

/* The dimension of an expression. `any`: a literal 0, or what it makes; `broken`: a fault in it is
 * reported (or will be); `frame`: a frame or body, a pure number as far as names for it are
 * concerned, and nothing is said where it does not fit: that is a fault of kind. The form is owned.
 */
struct quantity {
  ast_expr node;
  bool any, broken, frame;
  struct form form;
};

struct walk { /* over one text */
  struct dimension_table *table;
  const struct scope_text *text;
};

/* ---- dimension_expression.c */
struct quantity dimension_walk(struct walk *w, ast_expr e);
void quantity_free(struct quantity *quantity);
/* a = b; false if they differ, and both are known well enough to say so. Neither is used up. */
bool dimension_unify(struct walk *w, const struct quantity *a, const struct quantity *b,
                     struct span origin);
bool dimension_unify_with(struct walk *w, const struct quantity *a, const struct dimension *b,
                          struct span origin);
bool dimension_constant(struct walk *w, ast_expr e, struct rational *out);
struct form dimension_form_of_name(const struct dimension_table *table, uint32_t entry);

/* ---- dimension_vector.c */
/* See BUILTIN_FUNCTIONS in scope.h. */
enum dimension_rule {
  PURE,
  SAME,
  RATIO,
  ROOT,
  FREE,
  KEEP,
  FORCE,
  NONE,
  PRODUCT,
  RATE1,
  RATE2,
  FIELD,
  TURN1,
  TURN2
};
struct dimension dimension_of_inertia(void);
/* What is behind a point, in place of the quantity before it. */
void dimension_walk_member(struct walk *w, ast_expr e, struct quantity *operand);
/* The rules RATE1 to TURN2, in place of the first argument. */
void dimension_walk_motion(struct walk *w, enum dimension_rule rule, struct quantity *arguments);
/* energy, or power (for velocities), per dimension of the constraint */
struct form dimension_form_of_multiplier(struct dimension_table *table, uint32_t constraint,
                                         bool has_velocity);
/* multiplier(...) and reaction(...); the argument is used up. */
struct quantity dimension_walk_multiplier(struct walk *w, ast_expr e, struct quantity *argument);

/* ---- dimension_body.c: frames, particles, bodies, forces at points, torques, gravity */
void dimension_walk_body(struct walk *w, const struct ast_statement *statement);
void dimension_walk_axes(struct walk *w, struct ast_list axes);

/* ---- dimension_function.c */
void dimension_make_schemes(struct dimension_table *table);
void dimension_check_schemes(struct dimension_table *table);
/* The result of a call; the arguments are not used up. */
struct quantity dimension_apply(struct walk *w, ast_expr call, const struct quantity *arguments,
                                uint32_t count);

/* ---- dimension_statement.c: constraints of all statements */
void dimension_walk_statements(struct dimension_table *table);
/* right = left, as the value of what is named on the left. */
void dimension_walk_assignment(struct walk *w, const struct ast_equation *equation);

/* ---- dimension_level.c: sets has_velocity of constraints */
void dimension_find_levels(struct dimension_table *table);

/* ---- dimension_units.c: evaluating all unit brackets */
bool dimension_unit_is_refused(const struct dimension_table *table, const struct ast_unit *unit);
void dimension_collect_units(struct dimension_table *table, const struct ast *ast);
/* True if the text has units only of angles, of angular rates and in simulate. */
bool dimension_find_dimensionless(struct dimension_table *table, const struct ast *ast);

/* ---- dimension_report.c; all do nothing in the first walk */
void report_operands(struct walk *w, ast_expr e, const struct quantity *a,
                     const struct quantity *b);
void report_sides(struct walk *w, const struct ast_equation *equation, const struct quantity *a,
                  const struct quantity *b);
void report_not_a_number(struct walk *w, const char *what, const struct quantity *a);
void report_exponent(struct walk *w, ast_expr e, const struct quantity *base, const char *what);
/* The value is not what `expected` says. `name`: "parameter 'k'" and the like; `declared`: as the
 * declaration at `place` says, or NULL if the use there implied it. */
void report_value(struct walk *w, const char *name, const struct form *expected,
                  const struct quantity *value, struct span place, const char *declared);
void report_energy(struct walk *w, const char *name, const char *unit,
                   const struct dimension *expected, const struct quantity *value);
/* A force at a point, a torque, gravity. */
void report_load(struct walk *w, const char *name, const char *unit,
                 const struct dimension *expected, const struct quantity *value);
void report_force(struct walk *w, ast_expr target, const struct form *expected,
                  const struct quantity *value);
void report_argument(struct walk *w, const char *name, const struct dimension *expected,
                     const struct quantity *value);
void report_call(struct walk *w, ast_expr call, const struct quantity *argument,
                 const struct form *expected, struct span origin);
void report_elements(struct dimension_table *table, const char *name, const struct unit *here,
                     struct span here_span, const struct unit *there, struct span there_span);
void report_pi(struct walk *w, ast_expr value, const struct unit *unit);
/* After a step that may have met a limit; true if one was met. */
bool report_limits(struct walk *w, struct span span);
#endif
