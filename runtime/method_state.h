/* method_state.h: integrates the method's own state and shows the natural one. */
#ifndef DYN_RUNTIME_METHOD_STATE_H
#define DYN_RUNTIME_METHOD_STATE_H
#include "runtime/integrator.h"

/* Integrates `inner`, which stands at y = method_state(x), and tells natural states x outside. The
 * inner integrator is ended with it, and at once on failure (NULL, with status and message). A
 * model without a state of its own needs no such thing: then it is inner itself. */
struct integrator *method_state_integrator(struct integrator *inner, dyn_status *status,
                                           dyn_message *message);

/* For whoever makes steps of the inner integrator: it, or the integrator itself if it is around none.
 */
struct integrator *method_state_inner(struct integrator *integrator);
/* Takes over where the inner integrator stands; 0 if that has no natural state: status and message
 * tell. */
int method_state_follow(struct integrator *integrator);
#endif
