/* explicit_private.h: what the files of the explicit Runge-Kutta methods share. explicit.c makes
 * steps of one trajectory, explicit_stages.c evaluates them, lanes.c makes those of several at
 * once; explicit_control.h decides for both how large they are. */
#ifndef DYN_RUNTIME_EXPLICIT_PRIVATE_H
#define DYN_RUNTIME_EXPLICIT_PRIVATE_H
#include "dyn/dyn_tableau.h"
#include "runtime/explicit_control.h"
#include "runtime/fixed_steps.h"
#include "runtime/integrator.h"
#include "runtime/passage.h"
#include "runtime/project.h"

#define EXPLICIT_LANES 4 /* the sums of generated steps: see dyn_step */

/* Instead of a worst component: */
enum { NOT_EVALUATED = -1, NOT_PROJECTED = -2, JUMPED = -3, TOO_NEAR = -4, NOT_KNOWN = -5 };

struct explicit {
  struct integrator base;
  const struct rk_table *table;
  const dyn_model *steps_model;                   /* e's when its steps were looked for: */
  dyn_step_function *generated, *generated_dense; /* or NULL */
  struct dyn_step call; /* of these: what does not change from step to step */
  double *memory;
  double *slope[RK_MAX_STAGES]; /* slope[0] at t_old, slope[stages] at t */
  double *x_old, *x_new, *stage, *x_last_stage;
  double *dense[8];
  double *cap; /* of each entry in error_scale */
  struct pace pace;
  double h_done;           /* of the last step */
  int is_fixed;            /* a method without error estimate goes by equal steps: ... */
  struct step_grid grid;   /* ... these */
  double h_tried, t_tried; /* the last attempt, and its end */
  int32_t worst; /* component of the largest error in the last attempt, or why it failed */
  struct projection *projection;     /* or NULL */
  struct passage passage;            /* of singular configurations of its constraints, ... */
  int is_looking;                    /* ... which are looked for */
  int watches;                       /* ... at every step, not only after one that was refused */
  double longest_passage;            /* that the step in hand may be */
  double *x_projected, *f_projected; /* the end of the last step on the constraints, its slope */
  double *x_natural;                 /* and in the natural state */
  int is_projected;                  /* and whether it differs from x_new */
  double *error, *error_low;         /* of the last attempt, by both estimates */
  int has_dense, has_step;
  int has_extra; /* the slopes for dense output are there */
  int jumps;     /* see MOST_JUMPS in explicit.c */
};

/* Stages and new state of a step of size h from (t, x_old), to x_new at t_new; and *error, its
 * local error over the tolerance, root mean square: 0 of a method without an estimate. */
enum evaluate_result explicit_attempt(struct explicit *s, double h, double t_new, double *error);
/* The component of the largest error in the last attempt, all of whose slopes are known. */
int32_t explicit_worst(struct explicit *s);
/* The integrator as an explicit method, or NULL if it is another one. */
struct explicit *explicit_of(struct integrator *integrator);
/* Makes what ended the last step where the next one begins. */
void explicit_advance(struct explicit *s);
/* After a step of size h that ended at the integrator's t and x, and looks stiff by what it costs
 * nothing to know: whether the largest eigenvalue there says so too. If not, the steps counted so
 * far are forgotten. */
int explicit_confirms_stiff(struct explicit *s, double h);
/* Coefficients of dense output over the last step; costs `extra` evaluations. */
enum evaluate_result explicit_prepare_dense(struct explicit *s);

#endif
