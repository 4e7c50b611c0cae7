/* dyn_lanes.h: steps of several trajectories at once, between the compiler, which makes them, and
 * the runtime, which drives them. Not installed: programs need nothing of it.
 *
 * A lane is one trajectory: it has its own time, step size, state and parameters, and what happens
 * in it depends on no other lane. Vectors stand entry by entry, the lanes of an entry side by side:
 * entry i of lane k at [i * lanes + k]. */
#ifndef DYN_LANES_H
#define DYN_LANES_H
#include "dyn/dyn_model.h"

#define DYN_MOST_LANES 8

/* One step of an explicit Runge-Kutta method in every lane: as struct dyn_step (dyn_model.h), which
 * has the same members. */
typedef struct dyn_lane_step {
  const double *t, *h, *t_end; /* one each lane */
  const double *y;
  double *y_end, *y_last, *scratch;
  double **slopes;
  const double *relative, *absolute; /* one each lane */
  const double *cap;         /* a vector */
  double *error, *error_low; /* out: one each lane */
  const double *p;           /* n_parameters vectors of lanes; not read where they are folded */
  double *u, *work;          /* n_inputs vectors of lanes; n_work doubles */
  /* out: one each lane: sums of squares, over the state, of what differs between the last stage and
   * the end of the step, in slopes and in states */
  double *slope_change, *state_change;
} dyn_lane_step;

/* A bit for each lane whose step is not to be used: a pivot was lost, an angle is too large or a
 * value not finite. What they are then is found by whoever takes that step alone. */
typedef uint32_t dyn_lane_function(const dyn_model *model, dyn_lane_step *step);

/* As dyn_function (dyn_model.h), of every lane: the time is an array too. */
typedef uint32_t dyn_lane_values(const dyn_model *model, const double *t, const double *x,
                                 const double *u, const double *p, double *work, double *out);

struct rk_table;
typedef struct dyn_lanes {
  int32_t lanes;                /* 4 or 8 */
  int32_t n_work;               /* doubles that `work` must have */
  int32_t inputs_vary;          /* nonzero: the model's own inputs depend on time; a step has them
                                   constant */
  const char *integrator;       /* "dopri5", "dop853" */
  dyn_lane_function *step;      /* all evaluations of a step, and its errors */
  dyn_lane_function *dense;     /* those for dense output alone; NULL if it needs none */
  /* The model's, of the natural state; NULL: they are to be called lane by lane. */
  dyn_lane_values *invariant_values, *energies;
} dyn_lanes;

#endif
