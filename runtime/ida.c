/* ida.c: stiff models with constraints, by the backward differentiation of IDAS on the stabilised
 * index-2 form of the equations of motion. Unknowns are q, v, z, one multiplier λ for each
 * independent constraint and one μ for each independent position-level equation:
 *     W (q' - v) = G^T μ,    M v' = f + B λ,    z' = rates,
 *     0 = position-level equations,    0 = all constraints at velocity level,
 * with G the derivatives of the position-level equations and W the mass matrix, softened as in
 * project.c, where that is positive definite at the start, else the unit matrix. μ is zero but for
 * errors. Multipliers are kept out of the error test. Which equations are independent is decided at
 * the start; the others follow from them on the way. Where those that were chosen fade though as
 * many are independent as before, others are chosen, and IDAS begins anew. Needs a projected start
 * state; promises what integrator.h says. Source: Gear, Leimkuhler, Gupta, J. Comput. Appl. Math.
 * 12 (1985) 77; Hairer, Wanner, Solving Ordinary Differential Equations II, VII.2. */
#include "runtime/ida_private.h"
#include "runtime/message.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#define STUCK_STEPS 50      /* steps too short to move t before the run is given up */
#define GROWTH 1.5          /* of the step size: doubling it upsets stiff velocities */
#define HELD_STEPS 10       /* the step size stays for after a failed error test, ... */
#define HELD_GROWTH 1e6     /* ... unless it could grow so much */
#define FIRST_ERROR 0.1     /* of the first step, of what is allowed */
#define NEWTON_ACCURACY 0.1 /* of the error allowed in a step */

static struct ida *self_of(struct integrator *base) {
  return (struct ida *)base;
}

static dyn_status ida_interpolate(struct integrator *base, double t, double *x) {
  struct ida *s = self_of(base);
  size_t size = s->n_state * sizeof *x;
  if (t == base->t) {
    memcpy(x, base->x, size);
    return DYN_DONE;
  }
  /* s->rate is not read again: IDAS keeps its own. */
  int code = IDAGetDky(s->memory, t, 0, s->rate);
  if (code == IDA_SUCCESS) {
    memcpy(x, N_VGetArrayPointer(s->rate), size);
    return DYN_DONE;
  }
  ida_failed(s, code);
  return base->status;
}

/* All but what the next beginning needs. */
static void release(struct ida *s) {
  if (s->memory) IDAFree(&s->memory);
  if (s->solver) SUNLinSolFree(s->solver);
  if (s->matrix) SUNMatDestroy(s->matrix);
  if (s->y) N_VDestroy(s->y);
  if (s->rate) N_VDestroy(s->rate);
  if (s->is_differential) N_VDestroy(s->is_differential);
  if (s->context) SUNContext_Free(&s->context);
  s->solver = NULL;
  s->matrix = NULL;
  s->y = s->rate = s->is_differential = NULL;
  s->context = NULL;
  for (int i = 0; i < 2; i++) rows_clear(&s->chosen[i]);
  free(s->lambda_row);
  free(s->mass);
  s->lambda_row = NULL;
  s->mass = NULL;
}

/* ---- The start ---- */

/* λ of the independent constraints from M v' - f = B λ. */
static int start_multipliers(struct ida *s, const double *v_rate, double *lambda) {
  size_t n = s->n, r = s->n_lambda;
  struct rows columns;
  double *right = calloc(n + 1, sizeof *right);
  if (!right || !rows_init(&columns, n, r)) {
    free(right);
    return IDA_MEM_FAIL;
  }
  for (size_t i = 0; i < n; i++) {
    right[i] = -s->force[i];
    for (size_t j = 0; j < n; j++) right[i] += s->mass[j * n + i] * v_rate[j];
    for (size_t k = 0; k < r; k++) columns.a[i * r + k] = ida_multiplier_column(s, k, i);
  }
  rows_decompose(&columns, 1e-13);
  rows_solve(&columns, right, lambda);
  rows_clear(&columns);
  free(right);
  return IDA_SUCCESS;
}

/* y and y' that satisfy the equations, from the projected state x. */
static int start_consistently(struct ida *s, double t, const double *x) {
  double *y = N_VGetArrayPointer(s->y), *rate = N_VGetArrayPointer(s->rate);
  double *id = N_VGetArrayPointer(s->is_differential);
  size_t all = s->n_state + s->n_lambda + s->n_mu;
  memcpy(y, x, s->n_state * sizeof *x);
  for (size_t i = 0; i < all; i++) {
    id[i] = i < s->n_state ? 1 : 0;
    rate[i] = 0;
    if (i >= s->n_state) y[i] = 0;
  }
  if (evaluate_rhs(s->base.e, t, x, rate)) return IDA_FIRST_RES_FAIL;
  memcpy(s->x_rate, rate, s->n_state * sizeof *rate);
  if (!ida_evaluate_parts(s, t, x)) return IDA_FIRST_RES_FAIL;
  return start_multipliers(s, rate + s->n, y + s->n_state);
}

/* The first step, of order 1: its error, by the second derivatives that a small step shows, is well
 * within the tolerance. IDAS's own choice moves nothing by more than its tolerance; where that is
 * tight, velocities divided by such a step are nothing but rounding, and Newton's method fails on
 * the multipliers the more, the shorter steps become. Takes s->rate as x', uses s->x_rate. */
static double first_step(struct ida *s, double t, const double *x) {
  const struct error_control *control = s->base.control;
  const double *rate = N_VGetArrayPointer(s->rate);
  double *near = malloc((s->n_state + 1) * sizeof *near), speed = 0, bend = 0;
  if (!near) return 0;
  for (size_t i = 0; i < s->n_state; i++)
    speed = fmax(speed, fabs(rate[i]) / error_scale(control, (int32_t)i, fabs(x[i])));
  double look = fmin(speed > 0 ? 1e3 / speed : HUGE_VAL, 1e-6 * control->interval), step = 0;
  for (size_t i = 0; i < s->n_state; i++) near[i] = x[i] + control->direction * look * rate[i];
  if (look > 0 && !evaluate_rhs(s->base.e, t + control->direction * look, near, s->x_rate)) {
    for (size_t i = 0; i < s->n_state; i++)
      bend = fmax(bend, fabs(s->x_rate[i] - rate[i]) /
                            (look * error_scale(control, (int32_t)i, fabs(x[i]))));
    step = fmin(bend > 0 ? sqrt(FIRST_ERROR / bend) : HUGE_VAL, 1e-3 * control->interval);
    step = control->direction * fmin(step, control->max_step);
  }
  free(near);
  return step;
}

static int set_up_solver(struct ida *s, double t, const double *x) {
  const struct error_control *control = s->base.control;
  s->memory = IDACreate(s->context);
  if (!s->memory) return IDA_MEM_FAIL;
  int code = IDASetErrHandlerFn(s->memory, ida_remember_error, s);
  if (!code) code = IDASetUserData(s->memory, s);
  if (!code) code = IDAInit(s->memory, ida_residual, t, s->y, s->rate);
  if (!code) code = IDAWFtolerances(s->memory, ida_error_weights);
  if (!code) code = IDASetId(s->memory, s->is_differential);
  if (!code) code = IDASetNonlinConvCoef(s->memory, NEWTON_ACCURACY);
  if (!code) code = IDASetEtaMax(s->memory, GROWTH);
  if (!code) code = IDASetEtaFixedStepBounds(s->memory, 1, GROWTH);
  if (!code) code = IDASetSuppressAlg(s->memory, SUNTRUE);
  if (!code) code = IDASetInitStep(s->memory, first_step(s, t, x));
  if (!code && isfinite(control->max_step)) code = IDASetMaxStep(s->memory, control->max_step);
  if (code) return code;
  sunindextype all = N_VGetLength(s->y);
  s->matrix = SUNDenseMatrix(all, all, s->context);
  if (!s->matrix) return IDA_MEM_FAIL;
  s->solver = SUNLinSol_Dense(s->y, s->matrix, s->context);
  if (!s->solver) return IDA_MEM_FAIL;
  return IDASetLinearSolver(s->memory, s->solver, s->matrix);
}

static int set_up(struct ida *s, double t, const double *x) {
  int code = ida_choose_equations(s, t, x);
  if (code) return code;
  if (SUNContext_Create(NULL, &s->context)) return IDA_MEM_FAIL;
  sunindextype all = (sunindextype)(s->n_state + s->n_lambda + s->n_mu);
  s->y = N_VNew_Serial(all, s->context);
  s->rate = N_VNew_Serial(all, s->context);
  s->is_differential = N_VNew_Serial(all, s->context);
  if (!s->y || !s->rate || !s->is_differential) return IDA_MEM_FAIL;
  s->base.x = N_VGetArrayPointer(s->y);
  code = start_consistently(s, t, x);
  return code ? code : set_up_solver(s, t, x);
}

/* ---- Steps ---- */

/* After a failed error test the step size has to stay for some steps, so that the order may rise.
 * Else the method is caught at order 1 where stiff forces act: their velocities are off by a
 * multiple of h there, which no test sees until h is doubled, and then always fails. */
static void hold_step_size(struct ida *s, long failures_before) {
  long failures = 0;
  IDAGetNumErrTestFails(s->memory, &failures);
  if (failures > failures_before) {
    s->held = HELD_STEPS;
    IDASetEtaFixedStepBounds(s->memory, 1, HELD_GROWTH);
  } else if (s->held > 0 && --s->held == 0) {
    IDASetEtaFixedStepBounds(s->memory, 1, GROWTH);
  }
}

/* A step; STEP_FAILED with must_restart set has no message, and is worth another try. */
static enum step_result try_step(struct ida *s, double limit) {
  struct integrator *base = &s->base;
  double t = base->t;
  long failures = 0;
  IDAGetNumErrTestFails(s->memory, &failures);
  s->evaluation_failed = 0;
  int code = IDASetStopTime(s->memory, limit);
  if (code == IDA_SUCCESS) code = IDASolve(s->memory, limit, &t, s->y, s->rate, IDA_ONE_STEP);
  ida_update_counts(s);
  if (code < 0) {
    /* s->y may be a trial state: give back the last good one. */
    if (base->steps > s->before.steps) IDAGetDky(s->memory, base->t, 0, s->y);
    s->must_restart = ida_choose_otherwise(s);
    return s->must_restart ? STEP_FAILED : ida_failed(s, code);
  }
  hold_step_size(s, failures);
  base->t_old = base->t;
  base->t = t;
  s->stuck = fabs(t - base->t_old) <= 4 * DBL_EPSILON * fabs(t) && t != limit ? s->stuck + 1 : 0;
  if (s->stuck >= STUCK_STEPS) return ida_failed(s, IDA_ERR_FAIL);
  s->must_restart = ida_is_badly_chosen(s);
  return STEP_DONE;
}

/* IDAS begins anew where it stands, with the equations that are the most independent there. */
static enum step_result restart(struct ida *s) {
  struct integrator *b = &s->base;
  memcpy(s->x_restart, b->x, s->n_state * sizeof *s->x_restart);
  b->x = s->x_restart;
  b->t_old = b->t;
  s->before.steps = b->steps;
  s->before.rejected = b->rejected_steps;
  s->before.factorisations = b->factorisations;
  s->must_restart = s->held = 0;
  release(s);
  if (projection_project(s->projection, b->t, s->x_restart) == PROJECTION_FAILED) {
    b->status = projection_failure_message(s->projection, b->t, b->x, &b->message);
    return STEP_FAILED;
  }
  int code = set_up(s, b->t, s->x_restart);
  return code ? ida_failed(s, code) : STEP_DONE;
}

static enum step_result ida_step(struct integrator *base, double limit) {
  struct ida *s = self_of(base);
  for (;;) {
    if (s->must_restart && restart(s) == STEP_FAILED) return STEP_FAILED;
    enum step_result result = try_step(s, limit);
    if (result != STEP_FAILED || !s->must_restart) return result;
  }
}

static void ida_free(struct integrator *base) {
  struct ida *s = self_of(base);
  release(s);
  free(s->x_restart);
  free(s);
}

struct integrator *ida_integrator_new(struct evaluator *e, const struct error_control *control,
                                      struct projection *projection, double t, const double *x,
                                      dyn_status *status, dyn_message *message) {
  static const struct integrator_methods methods = {ida_step, ida_interpolate, ida_free};
  if (!e->model->forcing || !e->model->mass_matrix) {
    *status = message_set(message, DYN_BAD_OPTION,
                          "the compiled model has no mass matrix and forcing for ida");
    return NULL;
  }
  struct ida *s = calloc(1, sizeof *s);
  if (!s) {
    *status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to integrate");
    return NULL;
  }
  s->projection = projection;
  s->n = (size_t)e->model->n_coordinates;
  s->n_state = (size_t)e->n;
  s->base = (struct integrator){.methods = &methods,
                                .name = "ida",
                                .linear_solver = "dense",
                                .e = e,
                                .control = control,
                                .t_old = t,
                                .t = t,
                                .x = x};
  s->x_restart = calloc(s->n_state + 1, sizeof *s->x_restart);
  int code = s->x_restart ? set_up(s, t, x) : IDA_MEM_FAIL;
  if (!code) return &s->base;
  ida_failed(s, code);
  *status = s->base.status;
  *message = s->base.message;
  ida_free(&s->base);
  return NULL;
}
