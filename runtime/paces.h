/* paces.h: the sizes of the steps of several trajectories, one in each lane: the rules of
 * explicit_control.h, number by number the same, for all lanes at once. Arrays stand side by side,
 * one number each lane, and conditions choose between values, so that this is done in vectors.
 *
 * Most steps of a run are quiet: nothing is to be told of them and they are counted here alone. */
#ifndef DYN_RUNTIME_PACES_H
#define DYN_RUNTIME_PACES_H
#include "dyn/dyn_lanes.h"
#include "runtime/explicit_control.h"

struct paces_version; /* for a processor */

struct paces {
  int32_t width;
  const struct paces_version *version;
  /* Of the run: where it stands, what limits its steps (see struct pace and pace_next). */
  double t[DYN_MOST_LANES], limit[DYN_MOST_LANES], longest[DYN_MOST_LANES];
  double direction[DYN_MOST_LANES];
  double size[DYN_MOST_LANES], last_error[DYN_MOST_LANES];
  double stiff_steps[DYN_MOST_LANES], not_stiff_steps[DYN_MOST_LANES];
  double refused[DYN_MOST_LANES]; /* attempts at the step in work */
  /* Steps are quiet that end before this time, as long as some are left; of those that were: how
   * many, and the least and the largest. Attempts that were refused meanwhile. */
  double quiet_until[DYN_MOST_LANES], quiet_left[DYN_MOST_LANES];
  double quiet_steps[DYN_MOST_LANES], least[DYN_MOST_LANES], largest[DYN_MOST_LANES];
  double rejected[DYN_MOST_LANES];
  double since_look[DYN_MOST_LANES]; /* quiet steps since the last one that was due, ... */
  double look_after;                 /* ... which is each so many */
  /* The attempt: from where, its size and end, its error over the tolerance. */
  double begin[DYN_MOST_LANES], h[DYN_MOST_LANES], t_end[DYN_MOST_LANES], error[DYN_MOST_LANES];
  /* 1 or 0. One of three: it is not to be made here, as it is too small or for what the caller
   * knows; refused for its error; good. */
  double is_alone[DYN_MOST_LANES], is_bad[DYN_MOST_LANES], is_good[DYN_MOST_LANES];
  double is_kept[DYN_MOST_LANES];  /* not good: the state before it is that after it */
  double is_quiet[DYN_MOST_LANES]; /* good and quiet */
  double is_stiff[DYN_MOST_LANES]; /* good, and looks stiff (pace_is_stiff) */
  double is_loud[DYN_MOST_LANES];  /* alone, or good and not quiet */
  double is_due[DYN_MOST_LANES];   /* quiet, and the state after it is to be looked at */
  uint32_t loud, due;              /* the lanes that are, as bits */
};

/* So many lanes; all numbers are to be 0 before. */
void paces_init(struct paces *p, int32_t width);
/* Takes over the pace of one trajectory in lane k, or gives it back. */
void paces_take(struct paces *p, int32_t k, const struct pace *pace);
void paces_give(const struct paces *p, int32_t k, struct pace *pace);
/* The steps to try, from t on. Returns the lanes, as bits, where they are too small; the caller may
 * set is_alone of more of them. */
uint32_t paces_try(struct paces *p);
/* What comes of them, by the sums of squares that a step of lanes gives (dyn_lanes.h), over n
 * entries of the state. Time and pace are those of the next attempt; of a lane that is alone, as
 * they were. */
void paces_judge(struct paces *p, const struct rk_table *table, int32_t n,
                 const struct dyn_lane_step *step);
/* Takes n vectors of lanes `from` before the attempt to the others, where it was not good. */
void paces_keep(const struct paces *p, int32_t n, const double *from, double *to);

#endif
