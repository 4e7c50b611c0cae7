/* The model: what sema understood. Everything that mechanics needs, over one expression graph;
 * no syntax besides spans. Arrays and components are expanded: every scalar has its own entry.
 *
 * Units: all expressions are in SI. `unit` describes what the user declared, for messages and
 * for reading bare numbers. */
#ifndef DYN_SEMA_MODEL_H
#define DYN_SEMA_MODEL_H
#include "base/context.h"
#include "expr/expr.h"
#include "kinematics/kinematics.h"

struct model_unit {
  const char *si;       /* SI unit for reports: "m/s", "rad", "1" */
  const char *declared; /* as declared, "deg"; equals si when nothing was declared */
  expr scale;           /* SI value = scale * value in the declared unit; a constant expression */
};

struct model_name { /* what every named thing has */
  const char *name; /* full name for output: "θ", "θ[2]", "leg.knee" */
  struct span span; /* of its declaration */
  const char *doc;  /* "" if none */
  struct model_unit unit;
};

struct model_coordinate {
  struct model_name id;
  expr position, velocity, acceleration; /* symbols; printed θ, θ', θ'' */
  expr start_position, start_velocity;   /* of parameters, inputs at start, time */
  bool position_given, velocity_given;   /* start values stated by the user */
  struct span start_position_span, start_velocity_span;
};

struct model_rate_state { /* state z with z' = rate */
  struct model_name id;
  expr value;      /* symbol z */
  expr derivative; /* symbol z', replaced by `rate` in all expressions of the model */
  expr rate;       /* over q, q', q'', z, u, p, t, λ; free of every `derivative` symbol */
  expr start;
  struct span rate_span;
};

struct model_parameter {
  struct model_name id;
  expr symbol;
  expr value;  /* over other parameters only (acyclic); never 0 after a clean check */
  bool is_set; /* by --set or --vary */
  expr varied; /* one of the values that --vary gives, near which `value` is; 0: it gives none */
};

struct model_input {
  struct model_name id;
  expr symbol;
  expr value; /* over t and parameters: the default, or what --input gave as an expression */
  bool is_set;
};

/* A particle or body. Its energies stand with the others; gravity's have its name, too. Vectors
 * live in the model's kinematics. */
struct model_body {
  const char *name, *doc;
  struct span span;
  bool is_particle;   /* frame is the world, inertia and omega are 0 */
  bool is_planar;     /* only inertia[2], about z, is known */
  bool is_shifted;    /* the inertia was given about another point */
  expr mass;          /* over parameters, as the inertia */
  vector_id centre;   /* from the origin to the mass centre */
  vector_id velocity; /* of the mass centre, in world */
  frame_id frame;
  expr inertia[6]; /* xx, yy, zz, xy, xz, yz about the mass centre in the frame's axes; Ixy = -∫xy
                      dm */
  vector_id omega; /* of the frame, in world */
  bool is_pivoted; /* it only turns, about a point at rest that its inertia was given about */
  expr pivot_inertia[6]; /* then: that inertia, in the frame's axes */
  struct span mass_span, inertia_span;
};

/* A vector that has to have a direction, whatever the parameters are. */
struct model_direction {
  expr length; /* or its square */
  struct span span;
  const char *what; /* "the axis of a rotation" */
};

struct model_frame { /* a name of a frame; several may name one */
  const char *name;
  frame_id frame;
};

struct model_point { /* a named point that has a velocity */
  const char *name;
  vector_id place; /* from the origin */
};

enum energy_kind { ENERGY_KINETIC, ENERGY_POTENTIAL, ENERGY_LAGRANGIAN, ENERGY_DISSIPATION };

struct model_energy {
  enum energy_kind kind;
  const char *label; /* "" if none; the name of the body whose energy it is */
  expr value;
  struct span span;
  uint32_t body; /* 1 + index, 0: stated as such */
};

struct model_speed { /* u = value, linear in the velocities; in expressions stands the value */
  struct model_name id;
  expr value; /* a(q, t, p) q' + b(q, t, p) */
  expr start; /* stated start value, over p, inputs, t; 0: none */
};

/* Virtual power = value * (part of target' linear in velocities). A force at a point, or a torque,
 * is up to three of them that share their span: a component of it, and the same component of the
 * velocity, or angular velocity. */
struct model_force {
  const char *label;    /* "" if none */
  expr value;           /* may be linear in accelerations and in multipliers */
  expr target;          /* an expression of coordinates and t */
  bool target_is_speed; /* then target is linear in the velocities itself */
  struct span span, target_span;
};

enum constraint_level { CONSTRAINT_POSITION, CONSTRAINT_VELOCITY };
enum constraint_claim { CONSTRAINT_NO_CLAIM, CONSTRAINT_HOLONOMIC, CONSTRAINT_NONHOLONOMIC };

/* What the structure analysis (structure.c) found out about one constraint. The last derived
 * system of all constraints together decides: what lies in it is holonomic. */
enum constraint_class {
  CLASS_POSITION,     /* written at position level */
  CLASS_EXACT,        /* velocity level; the total derivative of `integral` as it stands */
  CLASS_INTEGRABLE,   /* by itself (and the position constraints), with an integrating factor */
  CLASS_JOINT,        /* integrable only together with the others in `partners` */
  CLASS_NONHOLONOMIC, /* proven: the bracket named in `bracket` leaves it */
  CLASS_UNDECIDED     /* taken for nonholonomic; a warning says so */
};

/* One scalar constraint, 0 = residual = left - right. Holds for linear ones at velocity level
 * residual = a(q, z, t) q' + b(q, z, t); the multiplier belongs to the equation as written. */
struct model_constraint {
  struct model_name id;              /* "loop", "close[2]", "c1"; unit: that of left - right */
  const char *multiplier_name;       /* "multiplier(loop)" */
  struct model_unit multiplier_unit; /* of force per change of the residual */
  const char *text;                  /* as written: "a*cos(φ) + b*cos(ψ) = d" */
  struct span span;                  /* of the equation; id.span: of the label, or the keyword */
  enum constraint_level level;       /* as written */
  enum constraint_claim claim;
  uint32_t equation; /* the same for the components of an equation between vectors, which share a
                        claim: some of them may be holonomic, others not */
  bool is_linear;    /* in the velocities; false only at velocity level: then Chetaev's rule */
  expr residual;     /* over q, q', z, t, p; free of accelerations, multipliers and inputs */
  expr multiplier; /* symbol λ; the generalized constraint force is +λ d(residual)/dq (or dq') */

  /* Filled in by structure.c, for the present values of the parameters. */
  enum constraint_class class;
  bool is_rheonomic; /* its form has a part dt, or coefficients that depend on t */
  bool is_redundant; /* follows from those in `partners` (and keeps its place in all arrays) */
  const uint32_t *partners; /* constraints: joint integrability, or what implies a redundant one */
  uint32_t partner_count;
  expr integral;           /* F(q, z, t) that the constraints keep constant, or 0. Holds for every
                              value of the parameters. dF lies in the span of all constraints */
  expr integrating_factor; /* μ with dF = μ (a dq + b dt); 1 for exact forms, 0 if none is known */
  const char *bracket;     /* nonholonomic: which motions do not commute, in words; or "" */
  /* The same for parameters in general position: see model_generalise. */
  struct {
    enum constraint_class class;
    bool is_rheonomic, is_redundant;
  } general;
  const uint32_t *special; /* parameters: class or redundancy are special to their present values */
  uint32_t special_count;
};

struct model_combination { /* an integrable combination of velocity-level constraints */
  const uint32_t *members;
  uint32_t count;
  expr integral; /* or 0 */
};

/* What the constraints of the model are together. */
struct model_structure {
  uint32_t rank;         /* of the constraints at points in general position on the manifold */
  uint32_t general_rank; /* >= rank: the same for parameters in general position */
  uint32_t holonomic;    /* d: rank of the last derived system */
  uint32_t nonholonomic; /* g = rank - d */
  uint32_t degrees_of_freedom; /* f = n - rank */
  bool is_rheonomic;
  bool is_certain;       /* false: some decision is undecided (a warning was given) */
  uint32_t points, bits; /* the effort behind "holonomic" and "redundant"; 0: shown
                            symbolically, without points */
  bool has_point;        /* a configuration that satisfies the position constraints was found */
  VECTOR(struct model_combination) combinations; /* besides single integrable constraints */
};

struct model_output {
  struct model_name id; /* unit.declared: the unit it is shown in */
  expr value;           /* already divided by unit.scale */
};

struct model_condition { /* an `initial` equation: 0 = residual */
  expr residual;
  const char *text; /* as written */
  struct span span;
  bool at_velocity_level; /* depends on a velocity */
};

/* when relation { ... }: happens when `value` becomes positive, or (unless is_strict) not negative.
 * every period { ... }: happens at the start of a run and whenever `value` has passed. */
struct model_event {
  const char *text; /* the relation as written: "y <= 0"; "every 0.1 [s]" */
  struct span span, stop_span;
  expr value; /* over q, q', q'', z, u, p, t, λ */
  bool is_strict, is_periodic;
  const char *stop; /* what the run says when it ends there; NULL: it goes on */
  uint32_t first_reset, reset_count;
};

enum reset_kind { RESET_POSITION, RESET_VELOCITY, RESET_STATE, RESET_SPEED };

struct model_reset {
  uint32_t event; /* those of one event stand together */
  enum reset_kind kind;
  uint32_t index;   /* of the coordinate or state */
  const char *name; /* "y'" */
  expr target;      /* its symbol; RESET_SPEED: what is linear in the velocities */
  expr value;       /* from what was before */
  struct span span;
};

struct model_assignment { /* --at: name = value, in SI */
  expr symbol;            /* a position, velocity or state symbol; the definition of a speed */
  expr value;
  struct span span;
  const char *speed; /* the name of the speed, or NULL */
};

struct model_run { /* simulate(...): 0 where not given */
  expr from, until, every, tolerance, absolute, max_step, step;
  const char *integrator, *method;
  struct span span;
};

struct model_dimension_row { /* what `dyn check` prints of inferred dimensions */
  const char *kind;          /* "parameter", "coordinate", "let", "function", ... */
  const char *name;
  const char *unit;
  bool inferred; /* the declaration gave no unit */
};

struct model {
  const char *name, *doc;
  struct expr_graph *graph;  /* owned */
  expr time;                 /* symbol t */
  struct expr_tangent *rate; /* by time; owned, NULL if nothing was derived. A state's rate is its
                                symbol `derivative` there */
  struct kinematics *kinematics; /* of the bodies; owned, NULL if there are no vectors */
  VECTOR(struct model_coordinate) coordinates;
  VECTOR(struct model_rate_state) states;
  VECTOR(struct model_parameter) parameters;
  VECTOR(struct model_input) inputs;
  VECTOR(struct model_body) bodies;
  VECTOR(struct model_direction) directions;
  VECTOR(struct model_frame) frames; /* the world first, if there are vectors */
  VECTOR(struct model_point) points;
  VECTOR(struct model_energy) energies;
  VECTOR(struct model_speed) speeds;
  VECTOR(struct model_force) forces;
  VECTOR(struct model_constraint) constraints;
  struct model_structure structure;
  VECTOR(struct model_output) outputs; /* the speeds first */
  VECTOR(struct model_condition) conditions;
  VECTOR(struct model_event) events;
  VECTOR(struct model_reset) resets;
  VECTOR(struct model_assignment) at;
  VECTOR(struct model_dimension_row) dimensions;
  struct model_run run;
  bool is_dimensionless; /* units are not checked in this model */
};

/* Texts given on the command line, each an own source (is_command_line set). */
struct sema_overrides {
  VECTOR(uint32_t) set, start, at, input, vary; /* source ids of assignment lists */
  const char
      *library; /* a directory in the place of the standard library; NULL: the one built in */
};

struct ast;
/* Checks and lowers a parsed file. Returns NULL if errors were reported (all independent ones in
 * one go). Owned by the caller. */
struct model *sema_analyse(dyn_context *context, const struct ast *ast,
                           const struct sema_overrides *overrides);
void model_free(struct model *model);
/* From here on the model is to hold for all values of its parameters, not only for the present
 * ones: constraints take over what they are in general. (Integrals hold for all values anyway.) */
void model_generalise(struct model *model);
/* The parameters that --vary gives values, and those that follow them; NULL if there are none. The
 * caller frees it. */
struct expr_symbol_set *model_varied(const struct model *model);
/* The golden dump of --dump=model. */
void model_dump(const struct model *model, struct text *out);

/* ---- value_check.c: what depends on the values of parameters that are varied. sema_analyse has
 * checked all else. */
struct value_check;
/* NULL if there is nothing to check. The model must outlive it; value_check_free frees. */
struct value_check *value_check_new(const struct model *model);
/* Can there be such bodies and axes with p, a finite value for each parameter? If not, the first
 * fault is appended to `why`. */
bool value_check_run(struct value_check *check, const double *p, struct text *why);
void value_check_free(struct value_check *check); /* NULL is fine */

/* Checks the promises above; calls bug() on a breach. */
void model_check(const struct model *model);
#endif
