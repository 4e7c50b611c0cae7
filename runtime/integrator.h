/* integrator.h: one interface for all integrators.
 *
 * An integrator goes step by step from a start state and can tell the state anywhere within its
 * last step, to the order of its method. It does not know about rows, sinks or progress. */
#ifndef DYN_RUNTIME_INTEGRATOR_H
#define DYN_RUNTIME_INTEGRATOR_H
#include "runtime/evaluate.h"

/* Weights of the local error: |error of x_i| is measured by absolute + relative*|x_i|. An angle
 * that winds up does not loosen its own error: its |x_i| counts as at most pi. */
struct error_control {
  double relative, absolute;
  double max_step;               /* s, infinite if there is no limit */
  double step;                   /* s, of integrators of fixed steps; 0: not known */
  double interval;               /* |until - from| */
  double direction;              /* 1, or -1 for a backward run */
  const unsigned char *is_angle; /* n_state */
};
double error_cap(const struct error_control *control,
                 int32_t i); /* the most that |x_i| counts as */
double error_scale(const struct error_control *control, int32_t i, double magnitude);

enum step_result {
  STEP_DONE,
  STEP_DECLINED, /* the method has no step from here; t and x are as they were */
  STEP_STIFF, /* done, and an implicit method would get on better from here */
  STEP_FAILED /* see status and message; t and x are the last good ones */
};

struct integrator;
struct integrator_methods {
  /* One accepted step of its own choice, not beyond limit. */
  enum step_result (*step)(struct integrator *self, double limit);
  /* x[n_state] at t, which lies between t_old and t. */
  dyn_status (*interpolate)(struct integrator *self, double t, double *x);
  void (*free)(struct integrator *self);
};

struct integrator {
  const struct integrator_methods *methods;
  const char *name;          /* static */
  const char *linear_solver; /* static; "" if it solves nothing */
  struct evaluator *e;
  const struct error_control *control;
  double t_old, t; /* the last step; equal before the first */
  const double *x; /* at t */
  int64_t steps, rejected_steps, factorisations;
  dyn_status status;
  dyn_message message;
};

/* Each starts at (t, x) in the method's own state, and tells such states (method_state.h makes
 * natural ones of them; ida, which is for methods without a state of their own, has those); NULL
 * with status and message on failure. e, control and projection (NULL without constraints) must
 * outlive it. An explicit method projects the end of every step; ida holds constraints by its
 * equations, so that its states satisfy them to the tolerance. */
struct rk_table;
struct projection;
/* The model's step of that method as code, or NULL. */
dyn_step_function *explicit_generated(const dyn_model *model, const struct rk_table *table);
struct integrator *explicit_integrator_new(const struct rk_table *table, struct evaluator *e,
                                           const struct error_control *control,
                                           struct projection *projection, double t, const double *x,
                                           dyn_status *status, dyn_message *message);
/* Has an explicit method (others: no effect) look out for a singular configuration from its first
 * step on: there is one ahead. */
void explicit_watch(struct integrator *integrator);
struct integrator *ida_integrator_new(struct evaluator *e, const struct error_control *control,
                                      struct projection *projection, double t, const double *x,
                                      dyn_status *status, dyn_message *message);
enum cvode_method { CVODE_ADAMS, CVODE_BDF };
struct integrator *cvode_integrator_new(enum cvode_method method, struct evaluator *e,
                                        const struct error_control *control, double t,
                                        const double *x, dyn_status *status, dyn_message *message);

/* Fails with what evaluate_failure_message says of an evaluation near the integrator's state. */
enum step_result integrator_evaluation_failed(struct integrator *self);
/* Fails with "the step size ... at t", naming the component whose error is hardest to hold. */
enum step_result integrator_step_too_small(struct integrator *self, double h, int32_t component);

#endif
