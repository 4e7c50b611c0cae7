/* chatter.h: notices a motion that is caught at a jump of its equations, as dry friction by sign(v)
 * catches it at rest: every step crosses the jump, so that steps become as short as the tolerance
 * and the motion stands still or creeps. */
#ifndef DYN_RUNTIME_CHATTER_H
#define DYN_RUNTIME_CHATTER_H
#include "runtime/integrator.h"

struct chatter {
  struct evaluator *e;
  double *memory, *x_old, *x_new, *x_low, *x_high, *x_middle, *f_low, *f_high, *f_middle;
  double t_old, t_window, largest_step;
  int64_t steps, window;  /* steps in the window in work; how many that takes */
  int is_moved;           /* x_low and x_high are not the ends that were asked for any more */
  int32_t samples, jumps; /* steps looked at, and how many of them crossed a jump */
  int rounds;             /* in which enough did */
};

/* Returns 0 when there is no memory. */
int chatter_init(struct chatter *chatter, struct evaluator *e, double t);
void chatter_clear(struct chatter *chatter);
/* After every step, of a run that goes to until. DYN_DONE, or DYN_NO_PROGRESS with the message. */
dyn_status chatter_step(struct chatter *chatter, const struct integrator *integrator, double until,
                        dyn_message *message);
/* How many of the next steps chatter_step would only count; and counts so many, of these sizes. */
int64_t chatter_quiet_steps(const struct chatter *chatter);
void chatter_count(struct chatter *chatter, int64_t steps, double largest);
/* Adds to the message of an integrator whose step size fell to nothing that the equations jump
 * there, if they do. */
void chatter_explain(struct chatter *chatter, const struct integrator *integrator,
                     dyn_message *message);

#endif
