/* One trajectory of a sweep: its values, and what is kept of its rows. */
#ifndef DYN_DRIVER_SWEEP_MEMBER_H
#define DYN_DRIVER_SWEEP_MEMBER_H
#include "driver/sweep.h"
#include "driver/sweep_record.h"
#include "dyn/dyn_ensemble.h"

struct sweep_member {
  const struct sweep *sweep;
  const dyn_model *model;
  dyn_member *member; /* whose arrays and sink these are */
  dyn_sink sink;
  unsigned char *is_set; /* per parameter: it is varied */
  uint64_t trajectory;
  uint32_t flags;         /* of its end */
  VECTOR(double) numbers; /* rows that wait to be written */
  int file;               /* where they go */
  bool has_row;
  int fault; /* errno of a row that could not be written, or 0 */
};

/* `member` is zero but for what this puts there. */
void sweep_member_init(struct sweep_member *m, const struct sweep *sweep, const dyn_model *model,
                       dyn_member *member);
void sweep_member_clear(struct sweep_member *m);
/* Parameters, inputs, options and start state of a trajectory whose rows go to the journal `file`.
 * Not DYN_DONE: it cannot begin, as the message says. */
dyn_status sweep_member_begin(struct sweep_member *m, uint64_t trajectory, int file,
                              dyn_message *message);
/* Writes the end to the journal, as member->summary tells it. False, with errno, if that cannot be
 * written. */
bool sweep_member_end(struct sweep_member *m);
#endif
