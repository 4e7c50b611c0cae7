/* variables.h: which variables a run integrates. Speeds may be singular at some places: there they
 * do not determine the velocities, whatever the motion does. Near such places the velocities
 * themselves are integrated, which are never singular, and the speeds again behind them. Positions
 * are always among what is integrated, so that each can be had from the other on the way. */
#ifndef DYN_RUNTIME_VARIABLES_H
#define DYN_RUNTIME_VARIABLES_H
#include "runtime/integrator.h"

struct variables {
  struct evaluator *e;
  const dyn_model *own;          /* the model as it is given */
  const dyn_model *own_jacobian; /* e's while the velocities are integrated */
  dyn_model natural;             /* the same, by velocities */
  int may_turn;                  /* whether the model has functions for both */
  double least;                  /* condition number, the least seen */
  double condition, sign;        /* at the last state looked at; sign of the determinant */
  double *x_start;               /* n_state: where the step in work begins */
  double t_start;
  double *memory, *x, *y, *base, *rows, *lu, *inverse_work;
  int *pivots;
};

/* Returns 0 when there is no memory. */
int variables_init(struct variables *variables, struct evaluator *e);
void variables_clear(struct variables *variables);
int variables_are_natural(const struct variables *variables);
/* At the start of a run: whether the velocities have to be taken at once. */
int variables_begin(struct variables *variables, double t, const double *x);
/* Before a step: remembers where it begins. */
void variables_before_step(struct variables *variables, const struct integrator *integrator);

enum variables_advice {
  VARIABLES_KEEP,
  VARIABLES_TURN_BACK, /* velocities were integrated: the speeds are good again at the step's end */
  VARIABLES_REDO       /* the step came near a singular place: to be made again by velocities, from
                          t_start, x_start */
};
/* After a step that was done, or that failed. */
enum variables_advice variables_after_step(struct variables *variables,
                                           struct integrator *integrator, int is_done);
/* Takes the other variables from now on; integrators have to be started anew. */
void variables_turn(struct variables *variables);

#endif
