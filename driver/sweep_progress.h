/* How far a sweep is, on standard error. */
#ifndef DYN_DRIVER_SWEEP_PROGRESS_H
#define DYN_DRIVER_SWEEP_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>
#include "base/text.h"

struct sweep_measure {
  uint64_t total, known;   /* trajectories of this run; those that had ended before */
  uint64_t ended;          /* of this run */
  double seconds, squares; /* sums over those: of the workers' time for each, and of its square */
  uint32_t workers;
};

/* The time left, as a range that the measured times support: the mean of a trajectory's time is
 * known to its standard error, and those that remain scatter by the standard deviation. False while
 * there is no ground for an estimate. */
bool sweep_time_left(const struct sweep_measure *measure, double *least, double *most);
/* "1200 of 10000 trajectories, 410 a second, 20 to 23 s left" */
void sweep_progress_words(const struct sweep_measure *measure, struct text *out);

struct sweep_progress {
  bool is_on, is_terminal, is_shown;
  double started, last;
};
/* On a terminal, if talk is wanted; elsewhere only if it is asked for. */
struct sweep_progress sweep_progress_begin(bool may_talk, bool is_asked);
void sweep_progress_show(struct sweep_progress *progress, const struct sweep_measure *measure);
void sweep_progress_end(struct sweep_progress *progress);
#endif
