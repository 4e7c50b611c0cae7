/* cvode.c: the multistep methods, by CVODES: Adams-Moulton with fixed-point iteration, and backward
 * differentiation with Newton's method (linear systems: cvode_linear.c). Promises what integrator.h
 * says; nothing of SUNDIALS prints. */
#include "runtime/cvode_linear.h"
#include "runtime/integrator.h"
#include "runtime/message.h"
#include <cvodes/cvodes.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_context.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#define STUCK_STEPS 50 /* steps too short to move t before the run is given up */

struct cvode {
  struct integrator base;
  SUNContext context;
  void *memory;
  N_Vector x;
  SUNNonlinearSolver fixed_point;
  struct cvode_linear linear;
  int stuck;
  int evaluation_failed; /* in the step in work */
  char said[256];        /* by SUNDIALS */
};

static struct cvode *self_of(struct integrator *base) {
  return (struct cvode *)base;
}

static int rhs(realtype t, N_Vector x, N_Vector rate, void *user) {
  struct cvode *c = user;
  c->evaluation_failed =
      evaluate_rhs(c->base.e, t, N_VGetArrayPointer(x), N_VGetArrayPointer(rate)) != EVALUATE_OK;
  return c->evaluation_failed; /* 1: may work with a shorter step */
}

static int jacobian(realtype t, N_Vector x, N_Vector rate, SUNMatrix matrix, void *user,
                    N_Vector scratch1, N_Vector scratch2, N_Vector scratch3) {
  struct cvode *c = user;
  (void)rate, (void)scratch1, (void)scratch2, (void)scratch3;
  c->evaluation_failed = cvode_linear_jacobian(&c->linear, t, x, matrix);
  return c->evaluation_failed;
}

static int error_weights(N_Vector x, N_Vector weights, void *user) {
  struct cvode *c = user;
  const double *value = N_VGetArrayPointer(x);
  double *weight = N_VGetArrayPointer(weights);
  for (int32_t i = 0; i < c->base.e->n; i++)
    weight[i] = 1 / error_scale(c->base.control, i, fabs(value[i]));
  return 0;
}

static void remember_error(int code, const char *module, const char *function, char *text,
                           void *user) {
  (void)module;
  (void)function;
  struct cvode *c = user;
  if (code < 0) snprintf(c->said, sizeof c->said, "%s", text);
}

static void update_counts(struct cvode *c) {
  long steps = 0, errors = 0, convergence = 0, setups = 0;
  CVodeGetNumSteps(c->memory, &steps);
  CVodeGetNumErrTestFails(c->memory, &errors);
  CVodeGetNumNonlinSolvConvFails(c->memory, &convergence);
  CVodeGetNumLinSolvSetups(c->memory, &setups);
  c->base.steps = steps;
  c->base.rejected_steps = errors + convergence;
  c->base.factorisations = setups;
}

/* The component whose local error weighs most. */
static int32_t worst_component(struct cvode *c) {
  N_Vector errors = N_VClone(c->x), weights = N_VClone(c->x);
  int32_t worst = -1;
  if (errors && weights && CVodeGetEstLocalErrors(c->memory, errors) == CV_SUCCESS &&
      CVodeGetErrWeights(c->memory, weights) == CV_SUCCESS) {
    double largest = -1;
    for (int32_t i = 0; i < c->base.e->n; i++) {
      double e = fabs(N_VGetArrayPointer(errors)[i] * N_VGetArrayPointer(weights)[i]);
      if (e > largest) {
        largest = e;
        worst = i;
      }
    }
  }
  N_VDestroy(errors);
  N_VDestroy(weights);
  return worst;
}

static enum step_result failed(struct cvode *c, int code) {
  struct integrator *b = &c->base;
  double h = 0;
  switch (code) {
  case CV_FIRST_RHSFUNC_ERR:
  case CV_REPTD_RHSFUNC_ERR:
  case CV_UNREC_RHSFUNC_ERR:
    return integrator_evaluation_failed(b);
  case CV_ERR_FAILURE:
  case CV_CONV_FAILURE:
  case CV_TOO_MUCH_ACC:
    if (c->evaluation_failed) return integrator_evaluation_failed(b);
    CVodeGetCurrentStep(c->memory, &h);
    h = fmax(fabs(h), DBL_EPSILON * fabs(b->t));
    return integrator_step_too_small(b, h, worst_component(c));
  case CV_MEM_FAIL:
    b->status = message_set(&b->message, DYN_OUT_OF_MEMORY, "there is not enough memory");
    return STEP_FAILED;
  default:
    b->status = message_set(&b->message, DYN_SOLVER_FAILED, "%s failed at t = %.9g s (%d): %s",
                            b->name, b->t, code, c->said);
    return STEP_FAILED;
  }
}

static enum step_result cvode_step(struct integrator *base, double limit) {
  struct cvode *c = self_of(base);
  double t = base->t;
  c->evaluation_failed = 0;
  int code = CVodeSetStopTime(c->memory, limit);
  if (code == CV_SUCCESS) code = CVode(c->memory, limit, c->x, &t, CV_ONE_STEP);
  update_counts(c);
  if (code < 0) {
    /* c->x may be a trial state: give back the last good one. */
    CVodeGetDky(c->memory, base->t, 0, c->x);
    return failed(c, code);
  }
  base->t_old = base->t;
  base->t = t;
  c->stuck = fabs(t - base->t_old) <= 4 * DBL_EPSILON * fabs(t) && t != limit ? c->stuck + 1 : 0;
  if (c->stuck >= STUCK_STEPS)
    return integrator_step_too_small(base, t - base->t_old, worst_component(c));
  return STEP_DONE;
}

static dyn_status cvode_interpolate(struct integrator *base, double t, double *x) {
  struct cvode *c = self_of(base);
  size_t size = (size_t)base->e->n * sizeof *x;
  if (t == base->t) {
    memcpy(x, base->x, size);
    return DYN_DONE;
  }
  N_Vector at = N_VMake_Serial(base->e->n, x, c->context);
  int code = at ? CVodeGetDky(c->memory, t, 0, at) : CV_MEM_FAIL;
  N_VDestroy(at);
  if (code == CV_SUCCESS) return DYN_DONE;
  failed(c, code);
  return base->status;
}

static void cvode_free(struct integrator *base) {
  struct cvode *c = self_of(base);
  if (c->memory) CVodeFree(&c->memory);
  if (c->fixed_point) SUNNonlinSolFree(c->fixed_point);
  cvode_linear_clear(&c->linear);
  if (c->x) N_VDestroy(c->x);
  if (c->context) SUNContext_Free(&c->context);
  free(c);
}

static int set_up(struct cvode *c, enum cvode_method method, double t, const double *x) {
  const struct error_control *control = c->base.control;
  int32_t n = c->base.e->n;
  if (SUNContext_Create(NULL, &c->context)) return CV_MEM_FAIL;
  c->x = N_VNew_Serial(n, c->context);
  c->memory = CVodeCreate(method == CVODE_BDF ? CV_BDF : CV_ADAMS, c->context);
  if (!c->x || !c->memory) return CV_MEM_FAIL;
  c->base.x = N_VGetArrayPointer(c->x);
  memcpy(N_VGetArrayPointer(c->x), x, (size_t)n * sizeof *x);
  int code = CVodeSetErrHandlerFn(c->memory, remember_error, c);
  if (!code) code = CVodeSetUserData(c->memory, c);
  if (!code) code = CVodeInit(c->memory, rhs, t, c->x);
  if (!code) code = CVodeWFtolerances(c->memory, error_weights);
  if (!code && isfinite(control->max_step)) code = CVodeSetMaxStep(c->memory, control->max_step);
  if (!code) code = CVodeSetMaxHnilWarns(c->memory, -1);
  if (code) return code;
  if (method == CVODE_ADAMS) {
    c->fixed_point = SUNNonlinSol_FixedPoint(c->x, 0, c->context);
    return c->fixed_point ? CVodeSetNonlinearSolver(c->memory, c->fixed_point) : CV_MEM_FAIL;
  }
  code = cvode_linear_init(&c->linear, c->memory, c->base.e, c->x, c->context, jacobian);
  c->base.linear_solver = c->linear.name;
  return code;
}

struct integrator *cvode_integrator_new(enum cvode_method method, struct evaluator *e,
                                        const struct error_control *control, double t,
                                        const double *x, dyn_status *status, dyn_message *message) {
  static const struct integrator_methods methods = {cvode_step, cvode_interpolate, cvode_free};
  struct cvode *c = calloc(1, sizeof *c);
  if (!c) {
    *status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to integrate");
    return NULL;
  }
  c->base = (struct integrator){.methods = &methods,
                                .name = method == CVODE_BDF ? "bdf" : "adams",
                                .linear_solver = "",
                                .e = e,
                                .control = control,
                                .t_old = t,
                                .t = t};
  int code = set_up(c, method, t, x);
  if (!code) return &c->base;
  failed(c, code);
  *status = c->base.status;
  *message = c->base.message;
  cvode_free(&c->base);
  return NULL;
}
