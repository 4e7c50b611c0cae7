/* project.h: holds a running model on its constraints. */
#ifndef DYN_RUNTIME_PROJECT_H
#define DYN_RUNTIME_PROJECT_H
#include "runtime/constraint_rows.h"

struct projection {
  struct evaluator *e;
  struct constraint_rows position, velocity; /* what was evaluated last, at the projected state */
  struct metric metric;
  double *mass, *saved, *change, *inertia; /* inertia: the largest of each coordinate so far */
  double *scales;                          /* see projection_remember */
  size_t known_dropped;                    /* integrals, when position_rank was counted */
  size_t position_rank;                    /* how many position-level equations are independent */
  size_t start_rank;                       /* of all constraints, at the start */
  double largest_pivot;                    /* the caller's: the largest least pivot seen */
  size_t rank;                             /* how many constraints are now: what was told last */
  int is_strict;          /* the caller's: residuals are taken as far down as rounding allows */
  int has_rank;           /* the velocity rows were decomposed since the rank was told */
  int64_t count;          /* projections that moved something */
  int32_t failed;         /* the constraint that could not be held, ... */
  double failed_residual; /* ... by how much, ... */
  int failed_is_velocity; /* ... and where */
};

enum projection_result {
  PROJECTION_HELD,  /* nothing moved */
  PROJECTION_MOVED, /* x is the projected state */
  PROJECTION_FAILED /* see projection_failure_message; x is as given */
};

/* From a start state that satisfies the constraints to rounding; it is projected as well, and the
 * integrals among the equations keep the values that they have there. A state that violates the
 * constraints is DYN_CONFLICT. */
dyn_status projection_init(struct projection *projection, struct evaluator *e, double t, double *x,
                           dyn_message *message);
void projection_clear(struct projection *projection);
/* Keeps what was learned of lengths, sizes and inertias, and goes back to it: an attempt that is
 * refused may have been anywhere. */
void projection_remember(struct projection *projection);
void projection_recall(struct projection *projection);

/* Moves x[n_state] to the nearest point, in the metric of the mass matrix, that satisfies all
 * constraints to rounding: positions first, then velocities at those. */
enum projection_result projection_project(struct projection *projection, double t, double *x);
/* Evaluates and decomposes at x, and moves nothing. */
enum evaluate_result projection_look(struct projection *projection, double t, const double *x);
/* The least pivot of the constraints that were independent at the start, at the last projection or
 * look; -1 if none was decomposed since projection_forget. */
double projection_least_pivot(const struct projection *projection);
void projection_forget(struct projection *projection);
/* x: the state near the failure. */
dyn_status projection_failure_message(const struct projection *projection, double t,
                                      const double *x, dyn_message *message);

/* That x, where a short step from t ended, is far off the constraints: begins a message that goes
 * on with what they would move. */
dyn_status projection_jump_message(struct projection *projection, double t, const double *x,
                                   dyn_message *message);

/* What the metric has on its diagonal besides the mass matrix. */
double projection_softening(const struct projection *projection, size_t i);

/* What was seen at the state in work goes to the summary: always residuals, and at steps the rank.
 */
void projection_note(struct projection *projection, double t, const double *x, int is_step,
                     dyn_run_summary *summary);

#endif
