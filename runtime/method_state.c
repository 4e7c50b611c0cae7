/* method_state.c: an integrator around another one. Methods such as kane and hamilton integrate
 * speeds or momenta, y = [q, v, z]; rows, monitors, projections and messages are about the natural
 * state x = [q, q', z]. This one converts whatever leaves the inner integrator. */
#include "runtime/method_state.h"
#include "runtime/message.h"
#include <stdlib.h>
#include <string.h>

struct method_state {
  struct integrator base;
  struct integrator *inner;
  double *x;
};

static struct method_state *self_of(struct integrator *base) {
  return (struct method_state *)base;
}

static int failed(struct method_state *s) {
  s->base.status = evaluate_failure_message(s->base.e, NULL, &s->base.message);
  return 0;
}

/* What the inner integrator counts and stands at; 0 if its state has no natural form. */
static int follow(struct method_state *s) {
  const struct integrator *inner = s->inner;
  s->base.steps = inner->steps;
  s->base.rejected_steps = inner->rejected_steps;
  s->base.factorisations = inner->factorisations;
  s->base.status = inner->status;
  s->base.message = inner->message;
  if (evaluate_natural_state(s->base.e, inner->t, inner->x, s->x)) return failed(s);
  s->base.t_old = inner->t_old;
  s->base.t = inner->t;
  return 1;
}

static enum step_result method_state_step(struct integrator *base, double limit) {
  struct method_state *s = self_of(base);
  enum step_result result = s->inner->methods->step(s->inner, limit);
  if (result == STEP_FAILED) {
    base->status = s->inner->status;
    base->message = s->inner->message;
    return result;
  }
  return follow(s) ? result : STEP_FAILED;
}

static dyn_status method_state_interpolate(struct integrator *base, double t, double *x) {
  struct method_state *s = self_of(base);
  if (t == base->t) {
    memcpy(x, s->x, (size_t)base->e->n * sizeof *x);
    return DYN_DONE;
  }
  dyn_status status = s->inner->methods->interpolate(s->inner, t, x);
  if (status) {
    base->message = s->inner->message;
    return base->status = status;
  }
  double *y = s->x + base->e->n;
  memcpy(y, x, (size_t)base->e->n * sizeof *x);
  if (!evaluate_natural_state(base->e, t, y, x)) return DYN_DONE;
  failed(s);
  return base->status;
}

static void method_state_free(struct integrator *base) {
  struct method_state *s = self_of(base);
  s->inner->methods->free(s->inner);
  free(s->x);
  free(s);
}

static const struct integrator_methods methods = {method_state_step, method_state_interpolate,
                                                  method_state_free};

struct integrator *method_state_inner(struct integrator *integrator) {
  return integrator->methods == &methods ? self_of(integrator)->inner : integrator;
}

int method_state_follow(struct integrator *integrator) {
  return integrator->methods == &methods ? follow(self_of(integrator)) : 1;
}

struct integrator *method_state_integrator(struct integrator *inner, dyn_status *status,
                                           dyn_message *message) {
  if (!inner || !inner->e->model->natural_state) return inner;
  struct method_state *s = calloc(1, sizeof *s);
  double *x = calloc(2 * (size_t)inner->e->n + 1, sizeof *x); /* and room for a y */
  if (!s || !x) {
    *status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to integrate");
    inner->methods->free(inner);
    free(s);
    free(x);
    return NULL;
  }
  *s = (struct method_state){.base = *inner, .inner = inner, .x = x};
  s->base.methods = &methods;
  s->base.x = x;
  if (follow(s)) return &s->base;
  *status = s->base.status;
  *message = s->base.message;
  method_state_free(&s->base);
  return NULL;
}
