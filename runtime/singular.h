/* singular.h: notices when a motion passes through a configuration in which its constraints are
 * dependent, also between the ends of steps. */
#ifndef DYN_RUNTIME_SINGULAR_H
#define DYN_RUNTIME_SINGULAR_H
#include "runtime/integrator.h"
#include "runtime/project.h"

struct singular_watch {
  struct projection *projection;
  size_t rank, n;       /* independent constraints; coordinates */
  size_t *rows;         /* rank constraints that were independent at the start */
  double *old, *now;    /* rank n: their derivatives by q', of unit length, at the last two steps */
  double *products, *x; /* rank rank; n_state */
  int has_old;
};

/* After projection_init, whose last decomposition tells the independent rows. Returns 0 when there
 * is no memory. */
int singular_watch_init(struct singular_watch *watch, struct projection *projection);
void singular_watch_clear(struct singular_watch *watch);
/* After every step, with the projection's velocity rows evaluated at its end. */
void singular_watch_step(struct singular_watch *watch, struct integrator *integrator,
                         dyn_run_summary *summary);

#endif
