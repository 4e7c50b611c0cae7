/* dyn_ensemble.h: many trajectories of one model, that differ in parameters, inputs, start states
 * or options of the run.
 *
 * The caller owns a few `members`, each with arrays of its own, and two functions: `next` puts the
 * next trajectory of the work into a member, `done` takes its result. dyn_ensemble_run goes on
 * until `next` has no more. It integrates one member after the other; what comes out is what dyn_run
 * gives for each, bit by bit. Or several at once in the lanes of the machine's vectors: then what
 * comes out of a member differs from that by the rounding of sines and other functions, and is the
 * same, bit by bit, with 4 lanes and with 8 and whatever else is in work. Members come back in the
 * order in which they end, not in that in which they began.
 *
 * Nothing is shared between two calls of dyn_ensemble_run: threads and processes may divide the
 * work among them, each with members of its own. */
#ifndef DYN_ENSEMBLE_H
#define DYN_ENSEMBLE_H
#include "dyn/dyn_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One trajectory in work. */
typedef struct dyn_member {
  void *user;               /* the caller's */
  double *p;                /* n_parameters; the caller's array, written by `next` */
  dyn_input_source *inputs; /* n_inputs; likewise. NULL: the model's own */
  double *x; /* n_state. `next` writes the start state, assembled; at `done`: the state at
                summary.reached */
  const dyn_sink *sink;    /* where its rows go, as in dyn_run; NULL: nowhere */
  dyn_run_options options; /* written by `next` */
  dyn_run_summary summary; /* at `done`; all zero at first, cleared by dyn_ensemble_run */
} dyn_member;

typedef struct dyn_ensemble {
  const dyn_model *model;
  const dyn_run_callbacks *callbacks; /* of every run, `progress` with user and nothing else to tell
                                         members apart; may be NULL */
  dyn_member *members;                /* as many as may be in work at once; at least 1 */
  /* Steps for several trajectories at once (dyn_compiler_lanes), or NULL: one after the other. There
   * should be as many members as lanes. Runs for which they don't suit (another integrator, inputs
   * that vary) are made alone, as is any step that lanes can't make. */
  const struct dyn_lanes *lanes;
  int32_t n_members;
  void *user; /* passed to the functions */
  /* Prepares the next trajectory in this member: nonzero; or 0: there is none. Once 0, it is not
   * called again. */
  int (*next)(void *user, dyn_member *member);
  /* The trajectory in this member has ended, as member->summary says. Nonzero ends the work:
   * members that have not ended are given up, without `done`. */
  int (*done)(void *user, dyn_member *member);
} dyn_ensemble;

/* Runs all trajectories that `next` gives. A failure of a trajectory is its summary's alone.
 * Returns DYN_DONE; DYN_INTERRUPTED if callbacks->stop was set or `done` ended the work;
 * DYN_BAD_OPTION if the ensemble has no member, no model or none of both functions. The caller
 * clears nothing of a summary: what it holds ends with the next trajectory in the member, or with
 * this function. */
DYN_API dyn_status dyn_ensemble_run(const dyn_ensemble *ensemble);

/* The integrator for dyn_compiler_lanes that such a run begins with, "dopri5" or "dop853"; NULL if it
 * is another one. */
DYN_API const char *dyn_ensemble_integrator(const dyn_run_options *options);

#ifdef __cplusplus
}
#endif
#endif
