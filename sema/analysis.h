/* What the passes of sema share; see analyse.c for their order. */
#ifndef DYN_SEMA_ANALYSIS_H
#define DYN_SEMA_ANALYSIS_H
#include "sema/lower.h"

struct job { /* a statement to be lowered, with the loop indices it stands under */
  const struct ast_statement *statement;
  struct environment environment;
  uint32_t element; /* of a constraint; of resets and stops: 1 + their event */
};

enum override_option {
  OVERRIDE_SET,
  OVERRIDE_START,
  OVERRIDE_AT,
  OVERRIDE_INPUT,
  OVERRIDE_VARY,
  OVERRIDE_COUNT
};

struct assignment { /* from the command line: name = value */
  enum override_option option;
  const struct scope_text *text;
  ast_expr left, right;
  struct span span; /* of the name */
  const struct override_text *list;
  const char *base; /* interned: "θ" of θ[2]' */
  const char *name; /* interned, without primes: "θ[2]" */
  unsigned primes;
  bool is_used, is_broken;
};

struct override_text {
  struct ast *ast; /* owned */
  struct scope_text text;
  enum override_option option;
};

struct analysis {
  dyn_context *context;
  const struct ast *ast;         /* flat: without components */
  struct flattening *flattening; /* NULL: it was flat as it came */
  struct scope *scope;
  struct lowering *l;
  struct model *model;
  VECTOR(struct job) jobs;
  struct map entry_of_item; /* ast_item -> entry, for items that are declared */
  struct map site_of_item;
  VECTOR(struct override_text *) texts;
  VECTOR(struct assignment) assignments;
  struct map assignment_by_name[OVERRIDE_COUNT]; /* key of name and primes -> index + 1 */
  uint32_t loop_runs;
  uint32_t events;               /* written out so far */
  uint32_t constants, variables; /* elements declared so far: limited each by itself */
  uint32_t constraints;          /* of them */
  uint32_t axes; /* of the constraint that is declared now: one element for each; 0: no axes */
  expr *rates;   /* per state, 0: none yet */
  struct span *rate_spans;
};

/* ---- expand.c */
void expand_constants(struct analysis *a);
void expand_model(struct analysis *a);

/* ---- declare.c */
/* Makes the element; reports one that exists already. The value may be replaced from outside. */
void declare_element(struct analysis *a, const struct ast_item *item, uint32_t entry,
                     const long *indices, uint32_t count, struct given value);
/* The scale of the unit in which the item's value is read if it is bare; 0: as it stands. */
expr declare_scale(struct analysis *a, struct environment environment, uint32_t entry,
                   const struct ast_item *item);
/* Lowers the values of all elements and fills the model with them. */
void declare_values(struct analysis *a);

/* ---- statements.c */
void lower_statements(struct analysis *a);
/* Levels of the `initial` equations; after resolve_rates. */
void classify_conditions(struct analysis *a);
/* ---- rates.c: puts the rates of states in wherever their derivatives are used. */
void resolve_rates(struct analysis *a);
/* In all expressions of the model that depend on what moves. */
void substitute_everywhere(struct analysis *a, struct expr_substitution *substitution);
/* Reports where e, lowered to `value`, depends on symbols of the roles. */
bool check_statement_roles(struct analysis *a, const struct job *job, ast_expr e, expr value,
                           role_set refused, enum diagnostic_code code, const char *what);
/* ---- bodies.c: particles, bodies, gravity */
void lower_body(struct analysis *a, const struct job *job);
void lower_gravities(struct analysis *a); /* all of them, once the bodies are there */
/* Start values of frames by Euler parameters; when all start values are known. */
void start_frames(struct analysis *a);
/* Names of frames and points, for those who read equations. (geometry.c) */
void name_geometry(struct analysis *a);
/* ---- vector_forces.c: forces at points, torques */
void lower_vector_force(struct analysis *a, const struct job *job);
/* ---- value_check.c: can bodies and axes be like this, with the present values of the parameters?
 */
void check_values(struct analysis *a);
/* ---- weight_check.c: weights that count twice */
void check_weights(struct analysis *a);
/* ---- constraint.c */
/* Levels, claims, and what constraints may depend on; after resolve_rates. */
void check_constraints(struct analysis *a);
/* ---- speeds.c */
/* Lowers the definition of a speed and adds it to the model. */
void declare_speed(struct analysis *a, uint32_t element, struct model_name id, expr start);
/* Reports speeds that are too many or depend on each other. */
void check_speeds(struct analysis *a);
/* ---- mechanics.c: checks of energies, forces, rates, start values. */
void check_mechanics(struct analysis *a);
/* ---- number_range.c: reports what a run in double precision could not hold. */
void check_numbers(struct analysis *a);
/* ---- events.c: a job of a reset or stop names its event as `element` - 1 */
void lower_when(struct analysis *a, const struct job *job);
void lower_every(struct analysis *a, const struct job *job);
void lower_stop(struct analysis *a, const struct job *job);
void lower_reset(struct analysis *a, const struct job *job);
/* Which resets belong to which event; reports events in which nothing happens. */
void check_events(struct analysis *a);
/* ---- run_defaults.c */
void lower_simulate(struct analysis *a, const struct job *job);

/* ---- overrides.c */
void overrides_read(struct analysis *a, const struct sema_overrides *overrides);
bool overrides_resolve(struct analysis *a);
/* The assignment to this name, which is then used; NULL if there is none. */
struct assignment *overrides_find(struct analysis *a, enum override_option option, const char *name,
                                  unsigned primes);
struct given overrides_given(struct analysis *a, const struct assignment *assignment, expr scale);
void overrides_lower(struct analysis *a); /* --at */
void overrides_report_unused(struct analysis *a);
void overrides_free(struct analysis *a);
#endif
