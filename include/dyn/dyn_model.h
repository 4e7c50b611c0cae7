/* dyn_model.h: a compiled model, as plain C data and functions.
 *
 * A model is one constant struct: sizes, names, units, doc texts, defaults, sparsity and
 * reentrant functions. It needs no library but libm. Nothing here allocates, prints, exits or
 * keeps state: any number of threads may call the functions with their own arrays.
 *
 * All quantities are in SI units and radians; only outputs may carry another unit, if the model
 * says so (see dyn_variable.unit).
 *
 * The state x has n_state = 2*n_coordinates + n_rates entries:
 *     x = [ q(0..n_coordinates-1), q'(0..n_coordinates-1), z(0..n_rates-1) ]
 * where z are the model's first-order states. u are the n_inputs inputs, p the n_parameters
 * parameters.
 *
 * A method may integrate other variables than the velocities: its own state is
 *     y = [ q(0..n_coordinates-1), v(0..n_coordinates-1), z(0..n_rates-1) ]
 * of the same length. Only `rhs` and its derivatives read y and give y'; everything else reads x.
 *     lagrange, augmented   v = q'        y is x: method_state and natural_state are NULL
 *     kane, gibbs-appell    v = speeds    those that the model declares, completed to n_coordinates
 *     hamilton              v = momenta   p = dL/dq'
 * `method_state` converts x to y, `natural_state` y to x, both at a time t; `method_variables`
 * names v. Whoever integrates starts from method_state(x) and looks at natural_state(y).
 *
 * Constraints: with m = n_constraints the motion satisfies
 *     M q'' = forcing + B λ,    A q'' + bias = 0,    B = A^T unless forces hold multipliers,
 * where A = d(constraint)/dq' at velocity level (position-level constraints differentiated once).
 * The multiplier λ_k belongs to constraint k as written (left - right), the generalized constraint
 * forces are A^T λ. Constraints may be redundant: accelerations are still right, the multipliers
 * are then those of least norm (see `multipliers`).
 *
 * Every function has the type dyn_function and returns DYN_OK or a positive number k: a matrix
 * that had to be factorised lost rank at its unknown k-1 (an index of coordinates; from
 * n_coordinates on, of constraints: that one contradicts the others). Quantities that
 * become infinite or undefined are no failure: they show in `out`, and a matrix with such an entry
 * gives a solution that has entries which are not finite. `work` has
 * model->n_work doubles and holds nothing between calls; it may be shared by all functions of
 * the model but not by two threads. Arguments that a function does not read (see its comment) may
 * be NULL. `work` and `out` must not overlap each other or the arrays read. Of a function that
 * fails, `out` is undefined. A function that a model does not have (no `initial` equations of that
 * level, no energies, no Jacobian in this build) is NULL.
 */
#ifndef DYN_MODEL_H
#define DYN_MODEL_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DYN_MODEL_ABI 6
#define DYN_OK 0

typedef struct dyn_model dyn_model;

typedef int dyn_function(const dyn_model *model, double t, const double *x, const double *u,
                         const double *p, double *work, double *out);

/* One step of an explicit Runge-Kutta method as machine code: all its evaluations, and what its
 * control needs of them. From the method's own state y at t, with y' there, over h.
 *
 * Vectors have room for n_state entries rounded up to a multiple of 4; entries from n_state on must
 * be 0 and stay so. Sums over slopes are made in the order of the method's tableau, sums over
 * entries in four lanes (entry i in lane i % 4) as (0 + 1) + (2 + 3), products and sums rounded one
 * by one: whoever does the same in C gets the same numbers. */
typedef int dyn_step_inputs(void *user, double t);
typedef struct dyn_step {
  double t, h, t_end; /* t_end: t + h, as the caller rounds it */
  const double *y;    /* at t */
  double *y_end;      /* out: at t_end */
  double *y_last;     /* out: the state of the last stage before y_end */
  double *scratch;    /* a vector */
  double **slopes;    /* slopes[0]: y' at t; out: [1] ... those of the stages, the last at y_end */
  /* The error of entry i counts by absolute + relative*min(|y_i|, cap_i), the larger |y_i| of both
   * ends; all NULL and 0 of a method without an error estimate. */
  double relative, absolute;
  const double *cap;       /* a vector */
  double error, error_low; /* out: sums of squares of both error estimates, by that; or 0 */
  const double *p;
  double *u, *work;
  dyn_step_inputs *inputs; /* puts the inputs at t into u, answers 0; NULL: u stays as it is */
  void *user;
} dyn_step;

/* DYN_OK; or else an evaluation failed or gave what is not finite, and nothing of what is out is
 * defined: whoever repeats the evaluations by `rhs` is told there what it was. */
typedef int dyn_step_function(const dyn_model *model, dyn_step *step);

/* The Taylor series of a motion from y at t: with s = (t' - t) / scale
 *     y(t') = out[0 .. n_state-1] + out[n_state ...] s + ... + out[order*n_state ...] s^order,
 * a row of out for each power, by recurrences of the coefficients of every operation. Wants
 * 1 <= order <= DYN_TAYLOR_MOST_ORDER and a scale of the length of a step, so that coefficients
 * neither grow nor fall out of the range of numbers; negative: backwards. Inputs are u at t;
 * follows[i] is 1 where input i goes on as the model's own function of time (default_inputs), 0
 * where it stays as it is.
 *
 * DYN_OK; DYN_TAYLOR_DECLINED where the equations of motion are not regular enough for a series
 * (near a singular configuration); or as of a dyn_function. Where it does not answer DYN_OK, and
 * where an entry of out is not finite, another method has to go on. */
#define DYN_TAYLOR_MOST_ORDER 25
#define DYN_TAYLOR_DECLINED (-1)
typedef int dyn_taylor_function(const dyn_model *model, int32_t order, double scale, double t,
                                const double *y, const double *u, const double *follows,
                                const double *p, double *work, double *out);

/* A named quantity. Strings are UTF-8 and live as long as the model. */
typedef struct dyn_variable {
  const char *name;  /* as in the model: "θ", "θ[2]", "leg.knee" */
  const char *unit;  /* SI unit ("m/s", "rad", "1"); for outputs the unit they are given in */
  const char *doc;   /* doc comment, "" if none */
  double value;      /* default: parameters and inputs; otherwise the start value at the default
                        parameters (0 where it has no meaning) */
  uint32_t flags;      /* DYN_START_GIVEN: the model states the start value (else it is a guess) */
} dyn_variable;

enum { DYN_START_GIVEN = 1 };

/* A scalar constraint, 0 = left - right. */
typedef struct dyn_constraint {
  const char *name;            /* "loop", "close[2]" */
  const char *text;            /* as written, for messages */
  const char *unit;            /* of left - right */
  const char *multiplier_name; /* "multiplier(loop)" */
  const char *multiplier_unit;
  uint32_t flags;              /* DYN_CONSTRAINT_... */
} dyn_constraint;

enum {
  DYN_CONSTRAINT_POSITION = 1,     /* written at position level */
  DYN_CONSTRAINT_NONHOLONOMIC = 2, /* not integrable, not even together with the others */
  DYN_CONSTRAINT_RHEONOMIC = 4,
  DYN_CONSTRAINT_NONLINEAR = 8,    /* in the velocities: Chetaev's rule */
  DYN_CONSTRAINT_REDUNDANT = 16    /* follows from others */
};

/* An equation at position level: 0 = residual for position-level constraints; for the integral of
 * a velocity-level one the residual keeps its start value. */
typedef struct dyn_position_equation {
  int32_t constraint;
  int32_t is_integral;
} dyn_position_equation;

/* A conserved quantity (energy, Jacobi integral, momentum of a cyclic coordinate). */
typedef struct dyn_invariant {
  const char *name; /* "energy", "Jacobi integral", "momentum of φ" */
  const char *unit;
} dyn_invariant;

/* Which entries of a matrix may differ from 0, in compressed columns: those of column j are numbered
 * columns[j] .. columns[j+1]-1 and lie in the ascending rows rows[]. */
typedef struct dyn_pattern {
  int32_t n_rows, n_columns, n_entries;
  const int32_t *columns; /* n_columns + 1 */
  const int32_t *rows;    /* n_entries */
} dyn_pattern;

/* An `initial` equation: 0 = residual. */
typedef struct dyn_condition {
  const char *text; /* as written, for messages */
} dyn_condition;

/* when relation { ... }: happens when the relation becomes true. Its value g is the difference of the
 * sides: the relation is true where g >= 0, or where g > 0 if the event is strict.
 * every period { ... }: DYN_EVENT_PERIODIC; happens at the start of a run and whenever the period, its
 * value g, has passed. */
typedef struct dyn_event {
  const char *text; /* the relation, or "every 0.1 [s]", as written, for messages */
  const char *stop; /* the run ends there, saying this; NULL: it goes on */
  int32_t first_reset, n_resets; /* what it resets, all at once */
  uint32_t flags;   /* DYN_EVENT_... */
} dyn_event;

enum { DYN_EVENT_STRICT = 1, DYN_EVENT_HAS_RATE = 2 /* see event_rates */, DYN_EVENT_PERIODIC = 4 };

typedef struct dyn_reset {
  const char *name; /* of what is reset: "y'" */
  int32_t kind;     /* DYN_RESET_... */
  int32_t index;    /* of the coordinate or state; -1: of a speed, see reset_targets */
} dyn_reset;

enum {
  DYN_RESET_COORDINATE, DYN_RESET_VELOCITY, DYN_RESET_STATE,
  DYN_RESET_SPEED /* any quantity that is linear in the velocities */
};

/* Defaults of `simulate`, as written by the model; NULL integrator or method: not given. */
enum {
  DYN_RUN_FROM, DYN_RUN_UNTIL, DYN_RUN_EVERY, DYN_RUN_TOLERANCE, DYN_RUN_ABSOLUTE,
  DYN_RUN_MAX_STEP, DYN_RUN_STEP, DYN_RUN_COUNT
};

enum { DYN_HAS_ENERGY = 1,    /* kinetic and potential energy are defined (energies != NULL) */
       DYN_ENERGY_CONSERVED = 2,
       DYN_SEPARABLE = 4, /* the mass matrix is constant, forces depend on q, t and u only, there are
                             no first-order states, and B = A^T */
       DYN_POTENTIAL_FORCES = 8 /* all forces but those of constraints come from a Lagrangian */ };

struct dyn_model {
  uint32_t abi;  /* DYN_MODEL_ABI */
  uint32_t size; /* sizeof(dyn_model) where it was compiled */
  const char *name, *doc;
  const char *method;   /* "lagrange", "augmented", "kane", "gibbs-appell", "hamilton" */
  const char *compiler; /* "dyn 0.1.0" */
  uint32_t flags;

  int32_t n_coordinates, n_rates, n_state, n_parameters, n_inputs, n_outputs, n_invariants;
  int32_t n_speeds; /* of n_outputs, the first ones: the speeds that the model declares */
  int32_t n_initial_position, n_initial_velocity; /* numbers of `initial` equations */
  int32_t n_constraints;   /* m */
  int32_t constraint_rank; /* of A for parameters in general; less than m: some are redundant */
  int32_t n_position;      /* equations at position level */
  int32_t n_events, n_resets;
  int32_t n_work;      /* doubles that `work` must have */

  const dyn_variable *coordinates;  /* n_coordinates */
  const dyn_variable *velocities;   /* n_coordinates, names "θ'" */
  const dyn_variable *accelerations; /* n_coordinates, names "θ''" */
  const dyn_variable *rates;        /* n_rates: the first-order states themselves */
  const dyn_variable *method_variables; /* n_coordinates: v; NULL where it is q' */
  const dyn_variable *parameters, *inputs, *outputs;
  const dyn_invariant *invariants;
  const dyn_constraint *constraints;               /* n_constraints */
  const dyn_position_equation *position_equations; /* n_position */
  const dyn_condition *initial_position, *initial_velocity;
  const dyn_event *events; /* n_events */
  const dyn_reset *resets; /* n_resets, those of an event together */
  const char *integrator; /* from simulate, or NULL */

  /* n_state: the start values at the default parameters, moved to satisfy all constraints and
   * `initial` equations, as `dyn build` found them; NULL where nothing does, and in models that a
   * compiler holds. For other parameters: dyn_start_assemble of dyn_runtime.h. */
  const double *assembled_start;

  /* Of the sparse derivatives below, each NULL where its function is. */
  const dyn_pattern *jacobian_pattern;              /* n_state * n_state */
  const dyn_pattern *rhs_by_inputs_pattern;         /* n_state * n_inputs */
  const dyn_pattern *rhs_by_parameters_pattern;     /* n_state * n_parameters */
  const dyn_pattern *outputs_by_state_pattern;      /* n_outputs * n_state */
  const dyn_pattern *outputs_by_inputs_pattern;     /* n_outputs * n_inputs */
  const dyn_pattern *outputs_by_parameters_pattern; /* n_outputs * n_parameters */
  /* Of functions that give whole matrices: what is not listed is 0 always. */
  const dyn_pattern *mass_matrix_pattern;       /* n_coordinates * n_coordinates */
  const dyn_pattern *position_jacobian_pattern; /* n_position * n_coordinates */
  const dyn_pattern *velocity_jacobian_pattern; /* m * n_coordinates: A */

  /* out[n_parameters]: all parameters, from those set. Reads p (values of the set ones) and x:
   * n_parameters entries, nonzero where p was set. Parameters that follow others are computed. */
  dyn_function *complete_parameters;
  /* out[n_inputs]: the inputs' own values at time t (what they are without an outside drive). */
  dyn_function *default_inputs;
  /* out[DYN_RUN_COUNT]: defaults of a run; NaN where the model says nothing. Reads p. */
  dyn_function *run_defaults;
  /* out[n_state]: start values as written, before `initial` equations. Reads t, u, p. */
  dyn_function *start;
  /* out[n_initial_position + n_initial_position*n_initial_columns] with n_initial_columns =
   * n_coordinates + n_rates: residuals, then their derivatives by (q, z), row by row. */
  dyn_function *initial_position_equations;
  /* out[n_initial_velocity + n_initial_velocity*n_coordinates]: residuals, then their
   * derivatives by q', row by row. */
  dyn_function *initial_velocity_equations;

  /* out[n_position + n_position*n_coordinates]: residuals, then their derivatives by q, row by row.
   * Reads t, x (not the velocities), p. */
  dyn_function *position_residuals;
  /* out[m + m*n_coordinates]: all constraints at velocity level, then A = their derivatives by q',
   * row by row. Reads t, x, p. */
  dyn_function *velocity_residuals;
  dyn_function *constraint_bias; /* out[m]. Reads t, x, p. */
  /* out[n_coordinates*m], column by column: B; NULL if B = A^T */
  dyn_function *multiplier_force;
  /* out[m + 1]: λ, then how many constraints were dependent at this state (0: the λ are unique;
   * else they are those of least norm, sum of λ_k^2). */
  dyn_function *multipliers;

  dyn_function *method_state;  /* out[n_state] = y. Reads t, x, p; NULL where y is x */
  dyn_function *natural_state; /* out[n_state] = x. Reads t, y (in place of x), p; NULL likewise */
  dyn_function *rhs;           /* out[n_state] = y'. Reads y in place of x */
  dyn_function *acceleration;  /* out[n_coordinates] = q'' */
  dyn_function *mass_matrix;   /* out[n_coordinates^2], column by column: M */
  dyn_function *forcing;       /* out[n_coordinates], without constraint forces and without the
                                  part of forces that is linear in multipliers */
  /* Sparse derivatives, exact: out[n_entries of the pattern]. Those of y' read y in place of x; those
   * of outputs read x and are by x, whatever the method. Every entry of p counts by itself: where a
   * parameter follows others, chain their derivatives yourself. Where constraints are dependent they
   * hold in directions that keep the constraints. NULL where there is nothing to differentiate, and
   * for y' of `hamilton` with more than some 50 coupled coordinates and of chains and trees of more
   * than 40 bodies with a full mass matrix. */
  dyn_function *jacobian;          /* d(y')/dy */
  dyn_function *rhs_by_inputs;     /* d(y')/du */
  dyn_function *rhs_by_parameters; /* d(y')/dp */
  dyn_function *energies;      /* out[2] = kinetic, potential energy */
  dyn_function *output_values; /* out[n_outputs] */
  dyn_function *outputs_by_state;      /* d(outputs)/dx */
  dyn_function *outputs_by_inputs;     /* d(outputs)/du */
  dyn_function *outputs_by_parameters; /* d(outputs)/dp */
  dyn_function *invariant_values; /* out[n_invariants] */

  /* Where the speeds of kane and gibbs-appell may be singular somewhere (they do not determine q'
   * there), the motion by the velocities, which are not: rhs, multipliers and output_values with q'
   * in place of v. All read x; natural_rhs gives x'. NULL where speeds are known to be regular, and
   * for other methods. dyn_run turns to them near such places, and back. */
  dyn_function *natural_rhs;         /* out[n_state] = x' */
  dyn_function *natural_multipliers; /* out[m + 1]; NULL if m = 0 */
  dyn_function *natural_outputs;     /* out[n_outputs] */

  /* Events; NULL without. An event resets from values before it, all at once: coordinates and states to
   * reset_values; then velocities are those with reset_targets = reset_values that satisfy the
   * constraints and are nearest to those before, in the norm of the mass matrix (dyn_run does it). */
  dyn_function *event_values; /* out[n_events] = g */
  dyn_function *event_rates;  /* out[n_events] = dg/dt along the motion; 0 without DYN_EVENT_HAS_RATE */
  dyn_function *reset_values; /* out[n_resets] */
  /* out[n_resets + n_resets*n_coordinates]: the velocities and speeds that are reset, then their
   * derivatives by q', row by row; 0 for coordinates and states. */
  dyn_function *reset_targets;

  /* Steps of integrators: Dormand and Prince's methods of orders 5(4) and 8(5,3) and the classical
   * one of order 4, each NULL where it was not asked for. dop853_dense makes the evaluations for
   * dense output after a step of dop853, to slopes[13] ... [15]; it reads t, h, y and slopes alone. */
  dyn_step_function *dopri5, *dop853, *dop853_dense, *rk4;
  /* NULL where it was not asked for, and of motions that are not analytic (min, abs, if, ...). */
  dyn_taylor_function *taylor;

  /* For models that are interpreted or held by a compiler; NULL in object files. */
  void *implementation;
};

#ifdef __cplusplus
}
#endif
#endif
