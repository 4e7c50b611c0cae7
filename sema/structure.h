/* Structure of the constraints: which of them are holonomic, redundant, in conflict.
 *
 * The constraints of a model fall into groups that share no coordinate and no state. Each group is
 * a Pfaffian system on the space of its coordinates q, its states z and the time t,
 *   omega_a = a_a dq + b_a dt      (position level: the differential of phi_a)
 *   zeta_s  = dz_s - rate_s dt     (a state is known by its rate)
 * on the manifold N where its position-level constraints hold. Ranks are generic ranks on N.
 *
 * Mathematics: Bryant, Chern, Gardner, Goldschmidt, Griffiths, "Exterior Differential Systems",
 * ch. II; Neimark & Fufaev, "Dynamics of Nonholonomic Systems", ch. I; Papastavridis, "Analytical
 * Mechanics", ch. 2. */
#ifndef DYN_SEMA_STRUCTURE_H
#define DYN_SEMA_STRUCTURE_H
#include "base/map.h"
#include "base/vector.h"
#include "sema/model.h"

/* Fills in what model.h says about constraints and reports what is wrong with them. Needs a
 * model without faults; does nothing if it has no constraint. */
void structure_find(dyn_context *context, struct model *model);

/* ---- what follows is shared by structure*.c only */

/* What all groups share; see structure_exact.c. */
struct structure {
  dyn_context *context;
  struct model *model;
  struct expr_graph *graph;
  struct arena arena;              /* everything that ends with this pass */
  struct map roles;                /* symbol -> kind and index, see structure_groups.c */
  struct expr_symbol_set *varied;  /* model_varied: NULL if nothing is */
  struct expr_substitution *exact; /* parameters -> their values, free of symbols */
  struct map place;                /* symbol -> index in `guesses` + 1 */
  VECTOR(double) guesses;
  bool keeps_parameters; /* groups made now have parameters as symbols */
};

/* A list of indices in the arena. */
struct index_list {
  uint32_t *items, count;
};

/* A nonzero coefficient of d(form) on the directions k < l (n: time). Forms are the linear rows of
 * velocity level, then the states' zeta if rates depend on the motion. */
struct curl {
  uint32_t form, k, l;
  expr value;
};

/* One group. Rows are its constraints: at position level first, then those linear in the
 * velocities, then the others; each sort in the order of the model. */
struct pfaffian {
  struct structure *all;
  struct expr_graph *graph;
  struct arena *arena;
  uint32_t m, n, s;                      /* rows, coordinates, states */
  uint32_t position_count, linear_count; /* the first rows; linear_count includes them */
  uint32_t *rows, *coordinates, *states; /* indices in the model */
  expr *q, *velocity, *z, time;
  expr *input, *input_rate; /* inputs in rates of states: functions of time known no further */
  uint32_t input_count;
  expr *residual;             /* m; with parameters or their values, like all below */
  expr *a, *b;                /* m x n, entry (i, j) at [i + j*m]; m. b of a nonlinear row is 0 */
  struct index_list *implied; /* m: the rows that imply it by their form; items NULL: none */
  expr *equations;            /* residuals at position level that are not implied */
  uint32_t equation_count;
  expr *rate_q, *rate_t; /* s x n, s: the rates' parts linear in and free of velocities */
  bool rates_are_linear; /* else the group is undecided */
  bool rates_are_closed; /* free of q and q': states are functions of time */
  expr *value_equations; /* all that holds for (q, q', z, t), or NULL without nonlinear rows */
  uint32_t value_equation_count;
  VECTOR(struct curl) curl;
  uint32_t form_count;
  struct index_list kept; /* rows: a basis, position level preferred, then earlier rows */
  uint32_t rank;
  bool has_point, is_undecided;
  struct map point; /* symbol -> index in point_values + 1: a point of the manifold, in doubles */
  double *point_values;
  double *nearest;       /* without a point: residuals of the equations at the nearest one seen */
  uint32_t points, bits; /* the effort of ranks that are not full */
};

/* ---- structure_exact.c */
void structure_prepare(struct structure *all);
void structure_clear(struct structure *all);
double structure_guess(void *user, expr symbol); /* user: struct structure */
/* Without parameters, unless they are to be kept. */
expr structure_value(struct structure *all, expr e);

/* ---- structure_groups.c */
/* The groups, in the order of their first constraint. */
struct pfaffian **structure_groups(struct structure *all, uint32_t *count);
/* The direction j of the space: coordinates from 0 on, time is n. The derivative along it,
 * states following their rates. */
struct expr_tangent *pfaffian_direction(const struct pfaffian *p, uint32_t j);

/* ---- structure_linear.c */
/* Fills p->implied and p->equations. */
void pfaffian_find_implied(struct pfaffian *p);

/* ---- structure_rank.c */
enum { STRUCTURE_SEED = 20231 }; /* of all random points: the same ones for all questions */
struct structure_rank {
  uint32_t rank;
  uint32_t *pivot_rows, *pivot_columns; /* in the arena */
};
/* Generic rank on the manifold of the group (without a point: on the whole space). */
struct structure_rank pfaffian_rank(struct pfaffian *p, const expr *entries, uint32_t rows,
                                    uint32_t columns);
/* The rank of these rows of A; with `b`, of [A | b]. */
uint32_t pfaffian_rank_of(struct pfaffian *p, const uint32_t *rows, uint32_t count, bool with_b);
/* The rank of these rows of [A | column]: m entries; NULL: A alone. */
uint32_t pfaffian_rank_with(struct pfaffian *p, const uint32_t *rows, uint32_t count,
                            const expr *column);
/* A smallest part of the set for which the property still holds (no element can be left out). */
struct index_list
structure_smallest(struct arena *arena, struct index_list set,
                   bool (*holds)(void *user, const uint32_t *items, uint32_t count), void *user);

/* ---- structure_support.c */
void pfaffian_keep_point(struct pfaffian *p, const struct manifold_rank *found);
/* The kept rows that imply others: one list for each of `rows`, which are not kept. */
struct index_list *pfaffian_supports(struct pfaffian *p, struct index_list rows);

/* ---- structure_dependence.c */
/* Rank, point, conflicts, redundancy. False if an error was reported. */
bool pfaffian_check_dependence(struct pfaffian *p);
/* Point, rank and kept rows without a report. */
void pfaffian_find_basis(struct pfaffian *p);
bool pfaffian_keeps(const struct pfaffian *p, uint32_t row);

/* ---- structure_multiplier.c */
/* Forces and rates of states that depend on how dependent rows share their forces are reported.
 * False if there are any. */
bool pfaffian_check_multipliers(struct pfaffian *p, struct index_list rows);

/* ---- structure_general.c */
/* What holds for all values of the parameters: integrals, and classes and redundancy in general. */
void structure_generalise(struct structure *all);

/* ---- structure_flag.c */
/* A vector field: n components of q, s of z, then t. */
struct field {
  expr *at;
};

struct generator {      /* of the smallest involutive distribution, besides the admissible fields */
  uint32_t left, right; /* fields: [X_left, X_right]; iterated: [X_left, that bracket] and so on */
  struct field field;   /* iterated ones, and all once they are iterated: the components */
  struct field inner;   /* iterated: [X_left, inner] */
  bool is_iterated;
  bool is_expanded; /* its brackets with all fields lie in the span of the generators */
};

/* The last derived system of some rows of the group. */
struct flag {
  struct pfaffian *p;
  struct index_list rows; /* independent and linear, position level first */
  uint32_t position_count;
  struct field *fields; /* annihilated by all forms of the rows; the last one moves the time */
  uint32_t field_count;
  uint32_t first_size;          /* of the graph before */
  double last_size;             /* what was new in it at the step before */
  struct index_list forms;      /* indices of forms: those of the rows, and the states' */
  struct generator *generators; /* independent modulo the fields */
  uint32_t generator_count;
  expr *values; /* form_count x generators: the forms on the generators */
  bool is_undecided;
  bool is_autonomous; /* the last field commutes with the others */
};
/* The rows have to be independent and hold all position-level rows that are kept. */
struct flag *flag_find(struct pfaffian *p, struct index_list rows);
/* Rank of the integrable part of the rows of the flag. */
uint32_t flag_integrable_rank(const struct flag *flag);
/* Is the form of this velocity-level row in the last derived system? */
bool flag_holds(const struct flag *flag, uint32_t row);
/* Is the form proven not to be in it, even if the flag is undecided? */
bool flag_leaves(const struct flag *flag, uint32_t row);
/* A generator that the form of the row does not annihilate. */
const struct generator *flag_witness(const struct flag *flag, uint32_t row);

/* ---- structure_field.c */
/* The exterior derivatives of all forms: fills p->curl. */
void pfaffian_differentiate(struct pfaffian *p);
/* Fields annihilated by the forms of the rows: n - rows of them and one that moves the time.
 * False if the rows can't be solved. */
bool pfaffian_solve(struct pfaffian *p, struct index_list rows, struct field *fields);
struct field pfaffian_bracket(const struct pfaffian *p, struct field x, struct field y);
/* A form on a bracket, which does not move the time. */
expr pfaffian_form_on(const struct pfaffian *p, uint32_t form, struct field field);

/* ---- structure_class.c */
void pfaffian_classify(struct pfaffian *p);
/* Time or a state moves the row, for the parameters' values that the group has. */
bool pfaffian_row_is_rheonomic(struct pfaffian *p, uint32_t row);
/* Holonomic, and given at velocity level. */
bool structure_is_integrable(enum constraint_class class);

/* ---- structure_words.c */
/* Which admissible motions lead out of the constraint, in the model's words. */
const char *structure_bracket_words(const struct flag *flag, uint32_t row);
/* "'a', 'b' and 'c'" */
const char *structure_names(struct structure *all, const uint32_t *constraints, uint32_t count);

/* ---- structure_integral.c */
/* The group has parameters as symbols; its constraints are classified. */
void structure_integrate(struct structure *all, const struct pfaffian *p);

static inline struct model_constraint *pfaffian_constraint(const struct pfaffian *p, uint32_t row) {
  return &p->all->model->constraints.items[p->rows[row]];
}
#endif
