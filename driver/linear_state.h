/* A model derived for linearisation, and its linearised equations at states. */
#ifndef DYN_DRIVER_LINEAR_STATE_H
#define DYN_DRIVER_LINEAR_STATE_H
#include "compiler/linear.h"
#include "driver/problem.h"

struct linear_analysis {
  struct session *session;
  struct problem problem;
  const dyn_model *model;
  struct linear_form *form;
  double t, *u;             /* inputs keep these values */
  double rest;              /* accelerations this small in the norm of the masses are rounding */
  bool *is_avoided;         /* n: velocities that had better be dependent */
  dyn_linear_choice choice; /* of the reduced equations; empty until linear_choose */
};

/* Values and matrices at one state. Begin with all zero. */
struct linear_state_values {
  double *x, *rate;   /* n_state: the state, and x' there */
  double *multiplier; /* m + 1: λ, then how many constraints were dependent */
  dyn_linear_equations equations;
  dyn_linear_system system;
};

/* Reads and derives the model, assembles its start state (--at gives start values) in
 * analysis->problem.x, and evaluates inputs. Returns the exit status. */
int linear_open(struct session *session, struct linear_analysis *analysis);
void linear_close(struct linear_analysis *analysis);

/* Accelerations, multipliers and matrices at x, which is copied; no reduction. */
dyn_status linear_look(struct linear_analysis *analysis, double t, const double *x,
                       struct linear_state_values *values, dyn_message *message);
/* The choice for that state: velocities that change are dependent if they can be. */
dyn_status linear_choose(struct linear_analysis *analysis, const struct linear_state_values *values,
                         dyn_message *message);
/* values->system, by the choice. */
dyn_status linear_reduce(struct linear_analysis *analysis, struct linear_state_values *values,
                         dyn_message *message);
/* Entries of A and C that are rounding of what cancels become 0, and sizes tell so. */
dyn_status linear_clean(struct linear_analysis *analysis, double t,
                        struct linear_state_values *values, dyn_message *message);
void linear_values_clear(struct linear_state_values *values);

/* Entry i of the reduced state w, as an index of x. */
int32_t linear_index(const struct linear_analysis *analysis, int32_t i);
/* The name of entry i of x' ("θ'", "θ''", "z'"), in the session's arena. */
const char *linear_rate_name(const struct linear_analysis *analysis, int32_t i);
#endif
