/* dyn_runtime.h: from a compiled model to its trajectory.
 *
 *   dyn_problem         a model with its parameters and what drives its inputs
 *   dyn_start_values    start values as written        dyn_start_assemble   ... made to satisfy
 *   dyn_run             integrates, row by row, into a dyn_sink             `initial` equations
 *   dyn_csv_*, dyn_hdf5_module                         sinks that write files
 *   dyn_column_*, dyn_table                            their columns, and other tables
 *   dyn_input_table     columns of a CSV file over time, for driving inputs
 *
 * All quantities are in SI units and radians, except outputs that the model gives in another unit.
 * Sizes of arrays are named by the dyn_model's fields. Callers own what they pass in; functions
 * named _new or _open give an object that the function named _free (or sink->close) ends. Errors
 * are values: a dyn_status and a message in the model's own names. Nothing prints, exits or keeps
 * state between calls: threads may run models at the same time, each with its own problem arrays
 * and sink. A model may be shared; a dyn_input_table may be shared.
 */
#ifndef DYN_RUNTIME_H
#define DYN_RUNTIME_H
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "dyn/dyn_model.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DYN_API
#if defined(__GNUC__)
#define DYN_API __attribute__((visibility("default")))
#else
#define DYN_API
#endif
#endif

/* 0 is DYN_OK (dyn_model.h). */
typedef enum dyn_status {
  DYN_DONE = DYN_OK,
  DYN_OUT_OF_MEMORY,
  DYN_BAD_OPTION,     /* an option, a name or an argument makes no sense */
  DYN_BAD_FILE,       /* a file could not be opened, read or understood */
  DYN_BAD_INPUT,      /* an input has no value over the whole run */
  DYN_CONFLICT,       /* no start state satisfies constraints and `initial` equations */
  DYN_RANK_LOST,      /* a matrix (the mass matrix, constraints) lost rank */
  DYN_OUT_OF_RANGE,   /* a quantity became infinite or undefined */
  DYN_STEP_TOO_SMALL, /* the tolerance cannot be met */
  DYN_NO_PROGRESS,    /* too many steps for too little time */
  DYN_INTERRUPTED,    /* the stop flag was set */
  DYN_SINK_FAILED,    /* a row could not be written */
  DYN_SOLVER_FAILED   /* the integrator failed for another reason, given in the message */
} dyn_status;

/* A stable lower-case word for a status, "done", "rank-lost", ... (static). */
DYN_API const char *dyn_status_name(dyn_status status);

/* One line of text without a newline, cut at a whole UTF-8 character; "" when all is well. */
typedef struct dyn_message {
  char text[1024];
} dyn_message;

/* ---- Inputs over time ---------------------------------------------------------------------- */

/* Columns of values over time, interpolated by monotone cubic pieces (Fritsch and Carlson): once
 * continuously differentiable, without overshoot. */
typedef struct dyn_input_table dyn_input_table;

/* Reads a CSV file: a header row of names, of which the first is the time, then one row of numbers
 * per instant, times strictly increasing, at least two rows. Messages name the line. */
DYN_API dyn_status dyn_input_table_read(const char *path, dyn_input_table **table,
                                        dyn_message *message);
/* From n_rows times and n_columns columns of n_rows values each; everything is copied. */
DYN_API dyn_status dyn_input_table_new(size_t n_rows, const double *t, size_t n_columns,
                                       const char *const *names, const double *const *values,
                                       dyn_input_table **table, dyn_message *message);
DYN_API void dyn_input_table_free(dyn_input_table *table); /* NULL allowed */
/* Number of columns besides the time, and their names. */
DYN_API int32_t dyn_input_table_columns(const dyn_input_table *table);
DYN_API const char *dyn_input_table_name(const dyn_input_table *table, int32_t column);
/* The column of that name (0 is the first after the time), -1 if there is none. */
DYN_API int32_t dyn_input_table_find(const dyn_input_table *table, const char *name);
DYN_API void dyn_input_table_range(const dyn_input_table *table, double *first, double *last);
/* Value at t; NaN outside the range. */
DYN_API double dyn_input_table_value(const dyn_input_table *table, int32_t column, double t);

typedef enum dyn_input_kind {
  DYN_INPUT_DEFAULT = 0, /* the model's own function of time */
  DYN_INPUT_CONSTANT,    /* value */
  DYN_INPUT_TABLE,       /* column of table; the run must lie within the table's range */
  DYN_INPUT_FUNCTION     /* function(user, t); called from the thread of the run */
} dyn_input_kind;

/* What drives one input. All zero is the model's default. */
typedef struct dyn_input_source {
  dyn_input_kind kind;
  int32_t column;
  double value;
  const dyn_input_table *table;
  double (*function)(void *user, double t);
  void *user;
} dyn_input_source;

/* ---- A model with its parameters and inputs ------------------------------------------------ */

typedef struct dyn_problem {
  const dyn_model *model;
  const double *p;                /* n_parameters, complete (dyn_parameters_complete) */
  const dyn_input_source *inputs; /* n_inputs sources, or NULL: all defaults */
  /* n_state: nonzero where a start value is stated besides those that the model states
   * (DYN_START_GIVEN), so that assembly keeps it if it can; or NULL */
  const unsigned char *start_given;
} dyn_problem;

/* Completes p[n_parameters]: where is_set[i] is zero, p[i] is computed (its default, or what it
 * follows). is_set may be NULL: none is set. DYN_OUT_OF_RANGE names a parameter that is not a
 * finite number. */
DYN_API dyn_status dyn_parameters_complete(const dyn_model *model, double *p,
                                           const unsigned char *is_set, dyn_message *message);

/* u[n_inputs] at time t. */
DYN_API dyn_status dyn_input_values(const dyn_problem *problem, double t, double *u,
                                    dyn_message *message);

/* Why the accelerations are not determined at the state x[n_state] at time t: "where pitch =
 * 1.5708 rad: yaw' and roll' do not move the masses independently there"; "" if they are determined,
 * or if no single coordinate is to blame. */
DYN_API void dyn_singular_place(const dyn_problem *problem, double t, const double *x,
                                dyn_message *message);

/* ---- The start state ----------------------------------------------------------------------- */

/* x[n_state]: the start values as written, before `initial` equations. */
DYN_API dyn_status dyn_start_values(const dyn_problem *problem, double t, double *x,
                                    dyn_message *message);

typedef struct dyn_moved_value {
  int32_t state; /* index in x */
  double from, to;
  int32_t is_stated; /* nonzero: the value was stated, not a guess */
} dyn_moved_value;

/* An equation that conflicts, or that the start values violate. */
typedef struct dyn_failed_condition {
  int32_t condition;     /* index in initial_position or initial_velocity, or of a constraint */
  int32_t is_velocity;   /* nonzero: at velocity level */
  int32_t is_constraint; /* nonzero: a constraint, not an `initial` equation */
  double at_start;       /* the residual at the start values as given */
  double residual;       /* at the point found */
  int32_t holds;         /* nonzero: it holds there */
} dyn_failed_condition;

/* What assembly did. Begin with all zero; the arrays belong to it, dyn_assembly_clear frees. */
typedef struct dyn_assembly {
  dyn_status status;
  dyn_message message;
  int32_t position_rank, velocity_rank; /* independent equations of each level at the result */
  int32_t constraint_rank; /* independent constraints at the start state; less than the model's
                              constraint_rank: the start configuration is singular */
  int32_t dependent_constraint; /* then one that depends on the others there, else -1 */
  int32_t iterations;
  int32_t n_moved; /* start values that moved by more than rounding, in the order of x */
  dyn_moved_value *moved;
  int32_t n_failed; /* the equations that conflict, when status is DYN_CONFLICT: those that do not
                       hold at the best point, and those made to hold that touch the same unknowns */
  dyn_failed_condition *failed;
  int32_t n_violated; /* the constraints that the start values violate */
  dyn_failed_condition *violated;
} dyn_assembly;

/* Moves x[n_state] (in: start values; out: start state) so that the constraints (on both levels)
 * and the `initial` equations hold at t. Values that the model states (DYN_START_GIVEN) are kept
 * if the others can be moved to satisfy the equations; if not, all move. Positions and states z:
 * to the nearest point in the norm of the mass matrix there, unit norm for z and for coordinates
 * where the mass matrix is singular; constraints do not move z. Velocities, at those positions: the
 * change of least kinetic energy. Redundant equations that agree are fine. When it fails, x is the
 * best point. Returns assembly->status. */
DYN_API dyn_status dyn_start_assemble(const dyn_problem *problem, double t, double *x,
                                      dyn_assembly *assembly);
DYN_API void dyn_assembly_clear(dyn_assembly *assembly);
/* What moved and what conflicts (without the message), as lines of text; "" if nothing did.
 * Like snprintf: writes at most size bytes with the final 0, returns the full length without. */
DYN_API size_t dyn_assembly_text(const dyn_model *model, const dyn_assembly *assembly, char *text,
                                 size_t size);

/* ---- Rows and where they go ---------------------------------------------------------------- */

/* One instant. The arrays are valid during the call only. */
typedef struct dyn_row {
  double t;
  const double *x;       /* n_state */
  const double *u;       /* n_inputs */
  const double *outputs; /* n_outputs */
  const double *multipliers;       /* n_constraints */
  const double *constraint_forces; /* n_coordinates: A^T λ; NULL if there are no constraints */
} dyn_row;

/* Takes the rows of a run. Any function but row may be NULL. Functions return 0, or nonzero to end
 * the run with DYN_SINK_FAILED; message (if not NULL) then tells why. dyn_run calls begin once,
 * row for every instant in order, and finish once (unless begin failed), also after a failure, so
 * that every row that was delivered is on its way to the disk. close frees the sink; the caller
 * calls it after the run. To hear of a closed pipe as a failed write, ignore SIGPIPE. */
typedef struct dyn_sink {
  void *user;
  int (*begin)(void *user, const dyn_model *model);
  int (*row)(void *user, const dyn_row *row);
  int (*finish)(void *user);
  const char *(*message)(void *user);
  void (*close)(void *user);
} dyn_sink;

/* The columns of a trajectory, in the order in which every file has them: the time, coordinates,
 * velocities, states, outputs; then, if there are constraints, the multiplier of each and the
 * generalized constraint force on each coordinate. */
typedef struct dyn_column {
  char *name, *unit;  /* the caller's, until dyn_column_clear */
  const char *doc;    /* the model's; or NULL */
} dyn_column;
DYN_API int32_t dyn_column_count(const dyn_model *model);
/* DYN_DONE or DYN_OUT_OF_MEMORY; column 0 ... dyn_column_count - 1. */
DYN_API dyn_status dyn_column_describe(const dyn_model *model, int32_t column, dyn_column *out);
DYN_API void dyn_column_clear(dyn_column *column);
DYN_API double dyn_column_value(const dyn_model *model, const dyn_row *row, int32_t column);

/* CSV: a header row `t,θ,θ',...` of coordinates, velocities, states and outputs, then
 * `multiplier(c)` of every constraint and `constraint_force(θ)` of every coordinate if there are
 * constraints (names quoted as RFC 4180 says where needed), then numbers that read back exactly. To a new file ... */
DYN_API dyn_status dyn_csv_open(const char *path, dyn_sink *sink, dyn_message *message);
/* ... or to an open one (standard output, say), which close leaves open. */
DYN_API dyn_status dyn_csv_attach(FILE *file, dyn_sink *sink, dyn_message *message);

/* Tables of any columns, numbers and texts. What dyn_sink says of its functions holds here: begin
 * once, row for each row, finish once, close by the caller. */
typedef struct dyn_table_column {
  const char *name, *unit, *doc; /* unit and doc may be NULL */
  int32_t is_text;
} dyn_table_column;
typedef struct dyn_table {
  void *user;
  /* Names the file's columns, which are copied. HDF5 files carry name, doc, method and compiler of the
   * model. */
  int (*begin)(void *user, const dyn_model *model, int32_t n_columns,
               const dyn_table_column *columns);
  /* Entry i of the array of its kind is column i's; texts may be NULL if no column is one. */
  int (*row)(void *user, const double *numbers, const char *const *texts);
  int (*finish)(void *user);
  const char *(*message)(void *user);
  void (*close)(void *user);
} dyn_table;
DYN_API dyn_status dyn_csv_table_open(const char *path, dyn_table *table, dyn_message *message);
DYN_API dyn_status dyn_csv_table_attach(FILE *file, dyn_table *table, dyn_message *message);
/* A sink that writes the columns of a trajectory to the table, and closes it when it is closed; also
 * if this fails. */
DYN_API dyn_status dyn_table_sink(const dyn_table *table, dyn_sink *sink, dyn_message *message);

/* HDF5 lives in a module of its own, because the library is slow to load: open libdyn_hdf5.so and
 * call its function `dyn_hdf5`, a dyn_hdf5_entry. The file has one extendable data set per column,
 * named as in CSV ("/" in a name becomes "∕", U+2215) with attributes name, unit and doc, and is
 * readable up to the last flushed row when a run fails. Equal rows make equal files. */
typedef struct dyn_hdf5_module {
  uint32_t abi; /* DYN_HDF5_ABI */
  dyn_status (*open)(const char *path, dyn_table *table, dyn_message *message);
} dyn_hdf5_module;
typedef const dyn_hdf5_module *dyn_hdf5_entry(void);
#define DYN_HDF5_ABI 2

/* ---- Running ------------------------------------------------------------------------------- */

/* Begin with dyn_run_options_init, then overwrite what the user asked for. */
typedef struct dyn_run_options {
  double from, until; /* s; until < from runs backwards */
  double every;       /* s > 0: rows at from + i*every and at until; 0: see instants */
  int64_t instants;   /* > 0: that many equal intervals of rows instead of every; both 0: 1000 */
                      /* more than DYN_MOST_ROWS rows are refused */
  double tolerance;   /* relative local error */
  double absolute;    /* absolute local error, in each state's own SI unit; 0: from tolerance */
  double max_step;    /* s; 0: no limit */
  double step;        /* s; of integrators with fixed steps; 0: see dyn_integrator_has_steps */
  const char *integrator; /* a name listed by dyn_integrator_name; NULL: "auto" */
  int64_t max_steps;      /* steps allowed between two rows before DYN_NO_PROGRESS; 0: 10 million */
} dyn_run_options;

/* The rows of one run: what asks for more is a slip of `every` (1e-12 for 1e-2) rather than a wish.
 */
#define DYN_MOST_ROWS 100000000

/* What the model's `simulate` says, else: from 0, until 10 s, tolerance 1e-8, the rest 0. If the
 * user sets `instants`, `every` must be set to 0 as well (and the other way round).
 * DYN_BAD_OPTION if a value of `simulate` makes no sense: then the model is wrong. */
DYN_API dyn_status dyn_run_options_init(const dyn_model *model, const double *p,
                                        dyn_run_options *options, dyn_message *message);
/* Checks one value that a model's `simulate` gives (DYN_RUN_UNTIL, ...). 0 and NaN, which mean "not
 * given" elsewhere, are refused where no such value can be meant. */
DYN_API dyn_status dyn_run_value_check(int32_t which, double value, dyn_message *message);
/* The checks that dyn_run begins with, for whoever opens a file for the rows first. */
DYN_API dyn_status dyn_run_options_check(const dyn_run_options *options, dyn_message *message);

/* Names and one-line descriptions of the integrators, i = 0, 1, ...; NULL after the last.
 *   auto    explicit Runge-Kutta; turns to bdf (with constraints: ida) when the model proves stiff,
 *           and to taylor after 25000 steps at tolerances of 1e-14 and below
 *   rk      explicit Runge-Kutta: dopri5 for tolerances above 1e-5, else dop853
 *   dopri5  Dormand-Prince 5(4)       dop853  Dormand-Prince 8(5,3)
 *   rk4     the classical method of order 4 in fixed steps
 *   taylor  Taylor series of an order up to 25; of models that bring the series of their motion
 *           (dyn_taylor_function) or can be asked for it (steps_model), where no input is a table or a
 *           function; otherwise rk takes its place, as the summary's switches tell. So it does
 *           for a while where taylor declines, near configurations in which constraints lose
 *           rank: n_declined_stretches
 *   adams   Adams-Moulton, orders 1 to 12, for right sides that are costly to evaluate
 *   bdf     backward differentiation, orders 1 to 5, with the model's Jacobian; stiff models
 *   ida     backward differentiation of the stabilised index-2 form; stiff models with constraints
 * adams and bdf hold no constraints and are refused for models that have them; ida is for those
 * only. Explicit steps and all rows are projected on the constraints. */
DYN_API const char *dyn_integrator_name(int32_t i);
DYN_API const char *dyn_integrator_description(int32_t i);
/* Nonzero for the integrators of fixed steps: rk4, and those that keep the structure of mechanics
 * over long runs:
 *   verlet             velocity Verlet, with constraints RATTLE, order 2; for models that separate
 *   yoshida4, 6, 8     symmetric compositions of it       (DYN_SEPARABLE), without nonholonomic constraints
 *   midpoint           implicit midpoint rule, order 2; for every model
 *   gauss4, 6, 8       collocation methods of Gauss with 2, 3, 4 stages
 * Where no step is given, it follows from the tolerance, which is the error of the steps over about
 * one oscillation where the begin of the motion is fastest; whole steps lead from row to row. */
DYN_API int dyn_integrator_has_steps(const char *name);
/* DYN_BAD_OPTION, and why, where an integrator (NULL: auto) does not apply to a problem. With p NULL:
 * whatever the values of its parameters are. */
DYN_API dyn_status dyn_integrator_check(const dyn_problem *problem, const char *name,
                                        dyn_message *message);

typedef struct dyn_run_callbacks {
  void *user; /* passed to the others */
  void (*progress)(void *user, double t,
                   const dyn_run_options *options); /* now and then, or NULL */
  const volatile sig_atomic_t *stop; /* nonzero ends the run after the step or the row in work; or
                                        NULL */
  /* The same model with a Jacobian (so that it is compiled only when a stiff method is needed), or
   * NULL where there is none: then it is approximated by differences. Called at most once, and only
   * if problem->model->jacobian is NULL. May be NULL. */
  const dyn_model *(*jacobian_model)(void *user);
  /* The same model with the steps of an explicit integrator ("dopri5", "dop853", "rk4") as code, or
   * NULL where there is none. Called at most once for each, and only after so many steps that compiling
   * them pays; results do not depend on it. With "taylor": the same model with the series of its motion, at
   * the begin of a run by that integrator, or where auto turns to it, if problem->model has none: without
   * it the run goes on by Runge-Kutta. May be NULL. */
  const dyn_model *(*steps_model)(void *user, const char *integrator);
} dyn_run_callbacks;

typedef struct dyn_invariant_drift {
  double start, end;
  double largest;          /* largest |value - start| seen at rows and now and then between */
  double scale;            /* what the relative drift is measured by */
  double relative;         /* largest / scale; NaN where the invariant is near 0 or drifts by more
                              than itself, and is no energy */
  int32_t scale_is_energy; /* nonzero: an energy whose |start| is small against the largest kinetic
                              or potential energy seen, which is then the scale; else |start| is */
} dyn_invariant_drift;

/* How often an event happened, and when. */
typedef struct dyn_event_count {
  int64_t count;
  double first, last; /* s */
} dyn_event_count;

/* How often an output was infinite or undefined. Its rows are delivered with that value. */
typedef struct dyn_output_gaps {
  int64_t rows; /* in how many rows; 0: never */
  double from;  /* the time of the first one */
  double value; /* what it was there: inf, -inf or nan */
} dyn_output_gaps;

#define DYN_MAX_SWITCHES 8
#define DYN_MAX_RANK_CHANGES 8

/* The constraints lost independence (to < from), or were found to have it back. Where a motion
 * passes a singular configuration between two steps, only the loss is listed. */
typedef struct dyn_rank_change {
  double t;
  int32_t from, to;   /* independent constraints before and after */
  int32_t constraint; /* one that depends on the others there */
} dyn_rank_change;

/* How a run went. Begin with all zero; dyn_run_summary_clear frees the arrays. */
typedef struct dyn_run_summary {
  dyn_status status;
  dyn_message message; /* why, in the model's own names */
  double from, until;  /* as asked for */
  double reached;      /* the last time that the state is known for */
  int64_t rows;        /* delivered */
  int64_t steps, rejected_steps, rhs_evaluations, jacobian_evaluations, factorisations;
  double smallest_step, largest_step; /* s, of accepted steps (0 if none) */
  double wall_seconds;
  const char *integrator;    /* in use at the end: "dop853", "bdf", ... (static) */
  const char *linear_solver; /* "" | "dense" | "sparse" (static) */
  const char *chosen;        /* what auto began with; NULL: it was not auto that chose (static) */
  double fixed_step;         /* s; 0: the integrator chose its steps */
  const char *structure;     /* what fixed steps keep: "symplectic" | "symmetric" | "" (static) */
  const char *advised;       /* an integrator that would have kept the energy, in long runs whose
                                integrator does not though the model conserves it; or NULL (static) */
  int32_t jacobian_is_exact; /* nonzero: bdf used the model's Jacobian */
  /* Stretches near singular places of the method's speeds, where the velocities were integrated in
   * place of them, and the time of the first. */
  int32_t n_singular_stretches;
  double first_singular;
  /* Stretches in which the integrator taylor declined and another stood in for it (not counted as
   * switches), the time of the first, and how long they were in all (s). */
  int32_t n_declined_stretches;
  double first_declined, declined_time;
  int32_t n_switches;        /* turns from one integrator to another */
  struct {
    double t;
    const char *from, *to; /* static */
  } switches[DYN_MAX_SWITCHES];
  /* Constraints: how well they were held at all accepted steps and rows (largest |residual|, in
   * the constraint's own units, at position and at velocity level), and what became of their rank. */
  int64_t projections;
  double largest_position_residual, largest_velocity_residual;
  int32_t worst_position, worst_velocity; /* the constraints they belong to, -1 if none */
  int64_t rows_without_unique_multipliers;
  int32_t n_rank_changes; /* all; the first DYN_MAX_RANK_CHANGES are listed */
  dyn_rank_change rank_changes[DYN_MAX_RANK_CHANGES];
  int32_t n_events;
  dyn_event_count *events; /* in the model's order */
  int32_t stopped_by;      /* 1 + the event that ended the run; 0: none did */
  int32_t n_invariants;
  dyn_invariant_drift *invariants; /* in the model's order */
  int32_t n_outputs;
  dyn_output_gaps *output_gaps; /* in the model's order; seen only if the sink takes rows */
} dyn_run_summary;

/* Integrates from x[n_state] at options->from (in: the start state, which satisfies the constraints;
 * else DYN_CONFLICT; out: the state at summary->reached). sink and callbacks may be NULL. Rows are delivered at exactly the instants
 * asked for, and at every event: the state before it and, where it resets something, at the same time the one
 * after; all rows before a failure are delivered. Models with events run forwards only. Returns summary->status. */
DYN_API dyn_status dyn_run(const dyn_problem *problem, const dyn_run_options *options,
                           const dyn_sink *sink, const dyn_run_callbacks *callbacks, double *x,
                           dyn_run_summary *summary);
DYN_API void dyn_run_summary_clear(dyn_run_summary *summary);
/* Steps, evaluations, switches, drift, as lines of text for people, without the message; like
 * snprintf. */
DYN_API size_t dyn_run_summary_text(const dyn_model *model, const dyn_run_summary *summary,
                                    char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
