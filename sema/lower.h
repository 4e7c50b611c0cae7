/* Lowering: from the syntax tree to the expression graph. Private to sema.
 *
 * Everything that is declared is an "element": q[2] of an array, or a plain name. Parameters,
 * inputs, coordinates and states are referred to by symbols; constants, `let` names, points, frames
 * and bodies by their values, which are made when they are first asked for (the order of
 * declarations is free).
 *
 * Evaluation keeps its own stack of tasks, because expressions are as deep as the user likes. The
 * value 0 is that of what is wrong; it was reported, and spreads in silence. */
#ifndef DYN_SEMA_LOWER_H
#define DYN_SEMA_LOWER_H
#include "sema/dimension.h"
#include "sema/model.h"
#include "sema/scope.h"
#include "sema/value.h"

struct binding { /* a local and its value; innermost first */
  const struct binding *outer;
  uint32_t entry;
  any_value value;
  long index;   /* of loops and sums */
  bool is_loop; /* `for`: named in messages */
};

struct environment { /* what an expression is evaluated in */
  const struct scope_text *text;
  const struct binding *bindings;
};

struct given { /* a value as written, 0 if there is none */
  ast_expr value;
  struct environment environment;
  expr scale; /* of the unit it is read in: a tuple's, or the declared one of a bare value; 0: none
               */
  struct span span;
  bool is_started; /* by a statement 'start' */
};

enum element_state { ELEMENT_NEW, ELEMENT_ACTIVE, ELEMENT_DONE, ELEMENT_BROKEN };

struct element {
  uint32_t entry; /* in the scope */
  enum name_kind kind;
  enum element_state state;
  const char *name; /* "θ[2]" */
  const struct ast_item *item;
  const struct ast_statement *statement; /* of frames and bodies, whose parts are its values */
  struct given value, velocity;          /* velocity: the start value of a coordinate's velocity */
  expr symbol;       /* param, input, coord, state; of a constraint its multiplier */
  any_value result;  /* const, let, point, frame, body: the value */
  uint32_t index;    /* in the model's vector of its kind */
  uint32_t equation; /* of a constraint: into lowering->equations */
  bool is_varied;    /* its value is one of those of --vary */
};

/* ---- what values of the kinds stand for */
struct frame_value {
  frame_id frame;
  vector_id origin;
  uint32_t element;       /* 0: the world */
  const expr *parameters; /* Euler parameters, or NULL */
  uint32_t norm;          /* element of the constraint between them; 0: not made yet */
};

struct body_value {
  uint32_t element;
  bool is_particle;
  bool is_planar; /* the inertia is one number, about z */
  expr mass;
  vector_id at;                      /* the mass centre, from the origin */
  uint32_t frame;                    /* into lowering->frames */
  any_value inertia;                 /* as members see it: a number, or a tuple */
  expr tensor[6];                    /* about the mass centre, in the axes of the frame */
  vector_id about;                   /* the point that it was given about, 0: the mass centre; */
  expr given[6];                     /* and what was given */
  struct span spans[BODY_ARGUMENTS]; /* of what was given */
};

struct tuple_value {
  const expr *entries;
  uint32_t count;
};

/* A constraint statement for one run of the loops around it: one scalar equation, or several. */
struct equation_value {
  const struct ast_statement *statement;
  struct environment environment;
  enum element_state state;
  uint32_t element, element_count; /* elements that were declared: one for each of several axes */
  bool is_vector;
  uint32_t count;              /* scalar equations; */
  const uint32_t *scalars;     /* their elements, */
  const vector_id *directions; /* and what they are components along; vectors only */
};

enum symbol_role {
  ROLE_NONE,
  ROLE_PARAMETER,
  ROLE_INPUT,
  ROLE_POSITION,
  ROLE_VELOCITY,
  ROLE_ACCELERATION,
  ROLE_STATE,
  ROLE_RATE,
  ROLE_TIME,
  ROLE_MULTIPLIER,
  ROLE_COUNT
};

struct array_range { /* of a name that is declared as a whole array with one index */
  long first, last;
};

struct task {
  uint8_t kind;
  ast_expr e;
  uint32_t a, b;
  struct environment environment;
  long from, to; /* TASK_LOOP */
  struct binding *binding;
};

struct chain_part { /* of a sum or product: a node that is no link of the chain */
  ast_expr e;
  bool turned; /* subtracted, or a divisor */
};

struct call_memo { /* a call that was made */
  uint32_t function, next;
  const any_value *arguments;
  any_value value;
  bool is_done;
};

struct lowering {
  dyn_context *context;
  struct scope *scope;
  struct dimension_table *dimensions; /* NULL while constants are evaluated before they are known */
  struct model *model;
  struct expr_graph *graph;

  VECTOR(struct element) elements; /* [0] unused */
  struct map by_index;             /* (entry or node of a second index, index) -> element or node */
  uint32_t index_nodes;            /* made for second and further indices */
  struct map ranges_of;            /* entry -> ranges, counted from 1 */
  VECTOR(struct array_range) ranges;
  struct map roles; /* symbol -> role + ROLE_COUNT * element */
  struct map units; /* ast_unit -> evaluated, while there are no dimensions */
  VECTOR(const struct unit *) unit_list;

  bool is_early;     /* only constants have values */
  bool has_gaps;     /* a loop or block could not be written out: elements may be missing */
  uint32_t quiet;    /* no reports while this is not 0 */
  bool is_exhausted; /* a limit was met and reported: everything is 0 from now on */
  uint64_t steps;

  VECTOR(struct task) tasks;
  VECTOR(any_value) values;
  VECTOR(struct chain_part) parts; /* see lower_arithmetic.c */
  VECTOR(struct call_memo) calls;  /* [0] unused */
  struct map calls_by_hash;
  struct expr_tangent *tangent;             /* by time: the model's */
  struct expr_symbol_set *undifferentiable; /* accelerations, rates, inputs, multipliers */
  bool has_new_multipliers;                 /* values contain some that the set does not have */

  VECTOR(struct frame_value) frames;       /* [0] unused, [1] the world */
  VECTOR(struct body_value) bodies;        /* [0] unused */
  VECTOR(struct tuple_value) tuples;       /* [0] unused */
  VECTOR(struct equation_value) equations; /* [0] unused */
  struct map frame_blocks; /* frame_id -> symbol in its turn that has no derivative; see
                              lower_rate.c */
};

enum {
  MOST_ELEMENTS = 100000,
  MOST_CONSTRAINTS = 5000, /* tables have an entry for each of them and each coordinate */
  MOST_IN_RANGE = 1000000,
  MOST_LOOP_RUNS = 2000000,
  MOST_STEPS = 10000000
};

/* ---- lower.c */
struct lowering *lowering_new(dyn_context *context, struct scope *scope, struct model *model);
void lowering_free(struct lowering *l);
/* The value of an expression, of any kind; 0 if something is wrong with it, which was reported. */
any_value lower_value(struct lowering *l, struct environment environment, ast_expr e);
/* The same of what has to be a number. `what` names it in messages: "this", "the mass". */
expr lower_expression(struct lowering *l, struct environment environment, ast_expr e,
                      const char *what);
/* The same of a value as given: in its unit. */
expr lower_given(struct lowering *l, const struct given *given, const char *what);
/* The value of an element that has one: of a constant, let, point, frame, body. */
any_value lower_element(struct lowering *l, uint32_t element);
/* True, and reported once, if a limit of size was met. */
bool lower_is_exhausted(struct lowering *l);
void lower_report_large(struct lowering *l, struct span span, const char *what);
void lower_push(struct lowering *l, struct task task);
/* Says in a message for which values of loop indices it holds. */
void lower_label_loops(struct lowering *l, struct diagnostic *d, const struct binding *bindings);
/* A report in the text of the environment; NULL if nothing is to be reported. */
struct diagnostic *lower_report(struct lowering *l, struct environment environment,
                                enum diagnostic_code code, struct span span, const char *first,
                                const char *second, const char *third);
/* "a coordinate" and the like for messages. */
const char *lower_words(struct lowering *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- lower_kind.c: what has to be of one kind; 0, and reported, if it is not. `e` is what was
 * written for the value. */
expr lower_to_scalar(struct lowering *l, struct environment environment, ast_expr e, any_value v,
                     const char *what);
vector_id lower_to_vector(struct lowering *l, struct environment environment, ast_expr e,
                          any_value v, const char *what); /* 0 is VECTOR_ZERO */
vector_id lower_to_point(struct lowering *l, struct environment environment, ast_expr e,
                         any_value v, const char *what);
/* Into lowering->frames; a body serves as the frame that turns with it. */
uint32_t lower_to_frame(struct lowering *l, struct environment environment, ast_expr e, any_value v,
                        const char *what);
/* The number 0, which is also the zero vector. */
bool lower_is_zero(const struct lowering *l, any_value v);
/* "a number", "a vector", ... */
const char *lower_kind_words(const struct lowering *l, any_value v);
/* DIAG_KINDS_DIFFER at e; NULL if nothing is to be reported. */
struct diagnostic *lower_report_kinds(struct lowering *l, struct environment environment,
                                      ast_expr e, const char *message);
/* Says where the value of e comes from, if it is a name. */
void lower_label_origin(struct lowering *l, struct diagnostic *d, struct environment environment,
                        ast_expr e);

/* ---- lower_vector.c: sums, products and choices of what are not all numbers */
struct term { /* of a sum or product */
  any_value v;
  ast_expr e;
  bool turned; /* subtracted, or a divisor */
};
any_value lower_add_kinds(struct lowering *l, const struct task *task, const struct term *terms,
                          uint32_t count);
any_value lower_multiply_kinds(struct lowering *l, const struct task *task,
                               const struct term *factors, uint32_t count);
any_value lower_choose_kinds(struct lowering *l, const struct task *task, expr condition,
                             any_value a, any_value b);
/* A vector or place scaled by the unit behind it. */
any_value lower_scale_value(struct lowering *l, const struct task *task, any_value v, expr scale);
void lower_tuple(struct lowering *l, const struct task *task);
void lower_in(struct lowering *l, const struct task *task);
void lower_member(struct lowering *l, const struct task *task);

/* dot(a, b) as the sum over a's parts: each meets b where that is least work, and is not dragged to
 * where the others are. For a b with one part. */
expr lower_dot_by_parts(struct lowering *l, vector_id a, vector_id b);

/* ---- lower_vector_call.c */
bool lower_is_vector_call(int function);
any_value lower_vector_call(struct lowering *l, const struct task *task, int function,
                            const any_value *arguments, uint32_t count);

/* ---- lower_rate.c: derivatives by time. They are 0, and reported at `span`, where something has
 * none that is known. */
struct kinematics *lower_kinematics(struct lowering *l);
expr lower_rate_of(struct lowering *l, struct environment environment, struct span span, expr e);
vector_id lower_vector_rate(struct lowering *l, struct environment environment, struct span span,
                            vector_id v, frame_id in);
bool lower_has_rate(struct lowering *l, vector_id v, frame_id in);
vector_id lower_omega(struct lowering *l, struct environment environment, struct span span,
                      frame_id of, frame_id in);

/* ---- lower_frame.c, lower_body.c: elements whose value has several parts */
void lower_begin_frame(struct lowering *l, const struct task *end);
any_value lower_end_frame(struct lowering *l, uint32_t element);
void lower_begin_body(struct lowering *l, const struct task *end);
any_value lower_end_body(struct lowering *l, uint32_t element);

/* ---- lower_equation.c: constraints, as far as they are values */
/* left - right, a number or a vector; 0, and reported, if they are not of one kind. e and f are the
 * sides as written. */
any_value lower_difference(struct lowering *l, struct environment environment, ast_expr e,
                           any_value left, ast_expr f, any_value right);
/* Pushes what `task` refers to (a: element; b: all axes); makes its equations, if they are not
 * made. */
void lower_begin_equation(struct lowering *l, const struct task *task);
void lower_end_equation(struct lowering *l, const struct task *task);
void lower_norm_of_frame(struct lowering *l, uint32_t frame); /* with Euler parameters */
/* `multiplier(...)` and `reaction(...)`. */
any_value lower_multiplier(struct lowering *l, const struct task *task, any_value argument);
any_value lower_reaction(struct lowering *l, const struct task *task, any_value argument);
any_value lower_equation_member(struct lowering *l, const struct task *task, any_value equation,
                                enum member member);

/* ---- lower_integer.c: what has to be known when the model is compiled */
/* The whole number that `value` is. False, and reported, if it is none: "an index has to be ...".
 */
bool lower_integer(struct lowering *l, struct environment environment, ast_expr e, any_value v,
                   const char *what, long *out);
bool lower_expression_integer(struct lowering *l, struct environment environment, ast_expr e,
                              const char *what, long *out);
/* True or false; -1, and reported, if a condition is not known at compile time. */
int lower_condition(struct lowering *l, struct environment environment, ast_expr e);

/* ---- lower_name.c */
/* The element of a name with its indices; 0 if there is none. */
uint32_t lower_find_element(const struct lowering *l, uint32_t entry, const long *indices,
                            uint32_t count);
void lower_set_element(struct lowering *l, uint32_t entry, const long *indices, uint32_t count,
                       uint32_t element);
const char *lower_element_name(struct lowering *l, const char *name, const long *indices,
                               uint32_t count);
/* The same of an item, whose first indices may belong to instances: "leg[2].knee[1]". */
const char *lower_item_name(struct lowering *l, const struct ast_item *item, const long *indices,
                            uint32_t count);
void lower_name(struct lowering *l, const struct task *task);
void lower_index(struct lowering *l, const struct task *task); /* indices are on the stack */
void lower_refer(struct lowering *l, const struct task *task);
void lower_end_element(struct lowering *l, const struct task *task);
/* Reports what is being evaluated from the task of that kind (and a) to the top of the stack. */
void lower_report_cycle(struct lowering *l, uint32_t kind, uint32_t id);

/* ---- lower_arithmetic.c */
void lower_begin_sum(struct lowering *l, const struct task *task);
void lower_end_sum(struct lowering *l, const struct task *task);
void lower_begin_product(struct lowering *l, const struct task *task);
void lower_end_product(struct lowering *l, const struct task *task);
void lower_end_power(struct lowering *l, const struct task *task);
/* 1/b */
expr lower_invert(struct lowering *l, struct environment environment, struct span span, expr b);

/* ---- number_range.c: what a run in double precision can hold */
bool lower_number_fits(mpq_srcptr value);
/* The sum or product of the items, which are overwritten; 0, and reported, if its numbers get too
 * long. Numbers are combined one by one, so that this is seen early. */
expr lower_combine(struct lowering *l, const struct task *task, bool is_sum, expr *items,
                   uint32_t count);
/* The value; 0, and reported, if a number in it is too long. */
expr lower_check_length(struct lowering *l, const struct task *task, expr value);

/* ---- lower_choice.c: relations, connectives, if */
void lower_relation(struct lowering *l, const struct task *task);
void lower_connective(struct lowering *l, const struct task *task);
void lower_end_connective(struct lowering *l, const struct task *task);
void lower_choose(struct lowering *l, const struct task *task);
void lower_end_if(struct lowering *l, const struct task *task);

/* ---- lower_call.c: functions, sums over an index */
void lower_begin_call(struct lowering *l, const struct task *task);
void lower_call(struct lowering *l, const struct task *task);
void lower_end_call(struct lowering *l, const struct task *task);
void lower_range(struct lowering *l, const struct task *task);
void lower_loop(struct lowering *l, const struct task *task);

/* ---- lower_prime.c, lower_unit.c */
void lower_prime(struct lowering *l, const struct task *task);
const struct unit *lower_unit(struct lowering *l, const struct ast_unit *unit);
expr lower_scale(struct lowering *l, const struct unit *unit);

/* ---- roles.c: which symbols may stand where */
typedef uint32_t role_set;
static inline role_set role_bit(enum symbol_role role) {
  return 1u << role;
}
/* The first symbol in e whose role is not in the set; 0 if there is none. */
expr find_other_role(struct lowering *l, expr e, role_set allowed);
/* "coordinate θ" */
const char *role_words(struct lowering *l, expr symbol);

enum task_kind {
  TASK_EVALUATE,    /* the node e */
  TASK_REFER,       /* a: element */
  TASK_END_ELEMENT, /* a: element */
  TASK_SUM,         /* b values for the parts from a on */
  TASK_PRODUCT,     /* the same */
  TASK_POWER,
  TASK_RELATION,
  TASK_NOT,
  TASK_CONNECTIVE,
  TASK_END_CONNECTIVE,
  TASK_CHOOSE,
  TASK_IF,
  TASK_INDEX,
  TASK_RANGE,
  TASK_LOOP, /* a: height of the values before the first */
  TASK_CALL,
  TASK_END_CALL, /* a: memo */
  TASK_PRIME,
  TASK_UNIT,
  TASK_TUPLE,
  TASK_IN,
  TASK_MEMBER,
  TASK_END_EQUATION, /* a: equation */
};

static inline void push_value(struct lowering *l, any_value value) {
  vector_push(&l->values, value);
}
static inline any_value pop_value(struct lowering *l) {
  return vector_pop(&l->values);
}
static inline void push_evaluate(struct lowering *l, struct environment environment, ast_expr e) {
  lower_push(l, (struct task){.kind = TASK_EVALUATE, .e = e, .environment = environment});
}
static inline const struct ast_expression *lower_node(const struct task *task) {
  return ast_expression(task->environment.text->ast, task->e);
}
#endif
