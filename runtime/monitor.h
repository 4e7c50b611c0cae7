/* monitor.h: how well a run keeps the invariants of its model. */
#ifndef DYN_RUNTIME_MONITOR_H
#define DYN_RUNTIME_MONITOR_H
#include "runtime/evaluate.h"

struct monitor {
  dyn_invariant_drift *drift; /* n_invariants; not owned */
  double *values;             /* n_invariants */
  double *largest_value;      /* n_invariants */
  double *jump;               /* n_invariants: what events changed, which is no drift */
  double largest_energy;      /* of |T| and |V| seen */
  int started;
};

/* drift[n_invariants] receives what is seen. Returns 0 when there is no memory. */
int monitor_init(struct monitor *monitor, const dyn_model *model, dyn_invariant_drift *drift);
void monitor_clear(struct monitor *monitor);
/* Looks at the state; what cannot be evaluated there is passed over. */
void monitor_look(struct monitor *monitor, struct evaluator *e, double t, const double *x);
/* The same of values[n_invariants] that were found elsewhere, and of both energies (or NULL). */
void monitor_take(struct monitor *monitor, const dyn_model *model, const double *values,
                  const double *energies);
/* An event takes the state before to the one after. */
void monitor_jump(struct monitor *monitor, struct evaluator *e, double t, const double *before,
                  const double *after);
/* Settles scale and relative. */
void monitor_finish(struct monitor *monitor, const dyn_model *model);

#endif
