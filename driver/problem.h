/* A compiled model with the values that a command line gives it: what `eval` and `run` share. */
#ifndef DYN_DRIVER_PROBLEM_H
#define DYN_DRIVER_PROBLEM_H
#include "driver/session.h"

struct input_drive {                /* --input F=file.csv[:column] */
  const char *name, *path, *column; /* column NULL: by the input's name, or the only one */
  dyn_input_table *table;
};

struct problem {
  dyn_problem model_problem; /* for the runtime */
  const dyn_model *model;
  double *p, *x;
  dyn_input_source *inputs;
  VECTOR(struct input_drive) drives;
};

/* Before the model is checked: splits --input into expressions, which go to the compiler, and
 * tables, which are kept for problem_open. False, with a diagnostic, on a fault. */
bool problem_take_inputs(struct session *session, struct problem *problem);
/* Reads those tables (a step of problem_open). */
bool problem_open_inputs(struct session *session, struct problem *problem);
/* Parameters and inputs of an interpreted or compiled model. False, with a diagnostic, if a
 * parameter has no finite value, unless what is varied leads to that. */
bool problem_open(struct session *session, struct problem *problem, const dyn_model *model);
/* The start state at time t, assembled. Constraints that the start values violate, a singular start
 * configuration and conflicts are told; so is what moved, unless `assembly` is asked for: then the
 * caller says it, and clears it. Returns the exit status. */
int problem_assemble(struct session *session, struct problem *problem, double t,
                     dyn_assembly *assembly);
/* Warns if the accelerations are not determined at the start state, as --set leaves it. */
void problem_warn_singular_start(struct session *session, struct problem *problem, double t);
/* What to do where coordinates are singular. */
extern const char help_with_singular_place[];
/* The same problem, run by other code for the same model. */
void problem_use_model(struct problem *problem, const dyn_model *model);
void problem_close(struct problem *problem);

/* Names and units of an entry of x. */
const dyn_variable *problem_state_variable(const dyn_model *model, int32_t state);

/* The exit status of a failure that the runtime reports. */
int problem_status(dyn_status status);
#endif
