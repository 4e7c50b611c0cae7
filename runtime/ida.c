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
#include "runtime/integrator.h"
#include "runtime/message.h"
#include "runtime/project.h"
#include <float.h>
#include <idas/idas.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#define STUCK_STEPS 50           /* steps too short to move t before the run is given up */
#define SINGULAR 1e-4            /* a pivot of rows of at most unit length */
#define BADLY_CHOSEN 0.1         /* of the least pivot that the best choice has */
#define GROWTH 1.5               /* of the step size: doubling it upsets stiff velocities */
#define HELD_STEPS 10            /* the step size stays for after a failed error test, ... */
#define HELD_GROWTH 1e6          /* ... unless it could grow so much */
#define FIRST_ERROR 0.1          /* of the first step, of what is allowed */
#define NEWTON_ACCURACY 0.1      /* of the error allowed in a step */
#define MULTIPLIER_ACCURACY 1e-3 /* Newton's method is judged by the motion */

struct ida {
  struct integrator base;
  struct projection *projection;
  SUNContext context;
  void *memory;
  N_Vector y, rate, is_differential;
  SUNMatrix matrix;
  SUNLinearSolver solver;
  size_t n, n_state, n_lambda, n_mu;       /* coordinates; entries of x; multipliers */
  size_t *lambda_row, *mu_row;             /* the constraints and equations that they belong to */
  double *mass, *force, *columns, *x_rate; /* n n; n; B: n m; n_state */
  double *soft;                            /* n: on the diagonal of W */
  double *largest;       /* n_lambda + n_mu: the largest that each multiplier has been */
  double *x_restart;     /* n_state: where IDAS begins anew */
  struct rows chosen[2]; /* λ's and μ's rows, to look how independent they are */
  size_t known_dropped;  /* integrals, when they were chosen */
  int must_restart;
  struct {
    int64_t steps, rejected, factorisations;
  } before;       /* IDAS began anew */
  int has_metric; /* W is the mass matrix */
  int held;       /* steps for which the step size is not to grow yet; 0: it may */
  int stuck;
  int evaluation_failed; /* in the step in work */
  char said[256];        /* by SUNDIALS */
};

static struct ida *self_of(struct integrator *base) {
  return (struct ida *)base;
}

/* ---- The equations ---- */

/* Everything at (t, x) that the residual is made of. */
static int evaluate_parts(struct ida *s, double t, const double *x) {
  struct evaluator *e = s->base.e;
  const dyn_model *m = e->model;
  if (m->n_rates > 0) { /* rates may depend on accelerations and multipliers */
    if (evaluate_rhs(e, t, x, s->x_rate)) return 0;
  } else {
    e->rhs_evaluations++;
  }
  return !evaluate_function(e, m->mass_matrix, t, x, s->mass) &&
         !evaluate_function(e, m->forcing, t, x, s->force) &&
         !constraint_rows_evaluate(&s->projection->position, t, x) &&
         !constraint_rows_evaluate(&s->projection->velocity, t, x) &&
         (!m->multiplier_force || !evaluate_function(e, m->multiplier_force, t, x, s->columns));
}

/* Entry i of the column of B that belongs to multiplier k. */
static double multiplier_column(const struct ida *s, size_t k, size_t i) {
  size_t row = s->lambda_row[k];
  if (s->base.e->model->multiplier_force) return s->columns[row * s->n + i];
  return s->projection->velocity.derivatives[row * s->n + i];
}

/* residual[n] of W (q' - v) - G^T μ, and [n] of M v' - f - B λ. */
static void motion_residuals(const struct ida *s, const double *y, const double *rate,
                             double *positions, double *velocities) {
  size_t n = s->n;
  const double *lambda = y + s->n_state, *mu = lambda + s->n_lambda;
  memset(positions, 0, n * sizeof *positions);
  for (size_t i = 0; i < n; i++) {
    velocities[i] = -s->force[i];
    if (!s->has_metric) positions[i] = rate[i] - y[n + i];
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      velocities[i] += s->mass[j * n + i] * rate[n + j];
      if (s->has_metric) positions[i] += s->mass[j * n + i] * (rate[j] - y[n + j]);
    }
  for (size_t i = 0; i < n && s->has_metric; i++) positions[i] += s->soft[i] * (rate[i] - y[n + i]);
  for (size_t k = 0; k < s->n_lambda; k++)
    for (size_t i = 0; i < n; i++) velocities[i] -= multiplier_column(s, k, i) * lambda[k];
  for (size_t k = 0; k < s->n_mu; k++)
    for (size_t i = 0; i < n; i++)
      positions[i] -= s->projection->position.derivatives[s->mu_row[k] * n + i] * mu[k];
}

static int residual(realtype t, N_Vector y_vector, N_Vector rate_vector, N_Vector out_vector,
                    void *user) {
  struct ida *s = user;
  const double *y = N_VGetArrayPointer(y_vector), *rate = N_VGetArrayPointer(rate_vector);
  double *out = N_VGetArrayPointer(out_vector), sum = 0;
  size_t all = s->n_state + s->n_lambda + s->n_mu, rest = 2 * s->n;
  s->evaluation_failed = !evaluate_parts(s, t, y);
  if (s->evaluation_failed) return 1; /* may work with a shorter step */
  motion_residuals(s, y, rate, out, out + s->n);
  for (; rest < s->n_state; rest++) out[rest] = rate[rest] - s->x_rate[rest];
  for (size_t k = 0; k < s->n_lambda; k++)
    out[rest++] = s->projection->velocity.residuals[s->lambda_row[k]];
  for (size_t k = 0; k < s->n_mu; k++)
    out[rest++] = s->projection->position.residuals[s->mu_row[k]];
  for (size_t i = 0; i < all; i++) sum += 0 * out[i];
  return sum != 0;
}

static int error_weights(N_Vector y_vector, N_Vector weights, void *user) {
  struct ida *s = user;
  const double *y = N_VGetArrayPointer(y_vector), *multipliers = y + s->n_state;
  double *weight = N_VGetArrayPointer(weights);
  for (size_t i = 0; i < s->n_state; i++)
    weight[i] = 1 / error_scale(s->base.control, (int32_t)i, fabs(y[i]));
  for (size_t k = 0; k < s->n_lambda + s->n_mu; k++) {
    s->largest[k] = fmax(s->largest[k], fabs(multipliers[k]));
    weight[s->n_state + k] = 1 / (MULTIPLIER_ACCURACY * (1 + s->largest[k]));
  }
  return 0;
}

/* ---- What SUNDIALS tells ---- */

static void remember_error(int code, const char *module, const char *function, char *text,
                           void *user) {
  (void)module;
  (void)function;
  struct ida *s = user;
  if (code < 0) snprintf(s->said, sizeof s->said, "%s", text);
}

static void update_counts(struct ida *s) {
  long steps = 0, errors = 0, convergence = 0, setups = 0;
  IDAGetNumSteps(s->memory, &steps);
  IDAGetNumErrTestFails(s->memory, &errors);
  IDAGetNumNonlinSolvConvFails(s->memory, &convergence);
  IDAGetNumLinSolvSetups(s->memory, &setups);
  s->base.steps = s->before.steps + steps;
  s->base.rejected_steps = s->before.rejected + errors + convergence;
  s->base.factorisations = s->before.factorisations + setups;
}

/* The component of the state whose local error weighs most. */
static int32_t worst_component(struct ida *s) {
  N_Vector errors = N_VClone(s->y), weights = N_VClone(s->y);
  int32_t worst = -1;
  if (errors && weights && IDAGetEstLocalErrors(s->memory, errors) == IDA_SUCCESS &&
      IDAGetErrWeights(s->memory, weights) == IDA_SUCCESS) {
    double largest = -1;
    for (size_t i = 0; i < s->n_state; i++) {
      double e = fabs(N_VGetArrayPointer(errors)[i] * N_VGetArrayPointer(weights)[i]);
      if (e > largest) {
        largest = e;
        worst = (int32_t)i;
      }
    }
  }
  if (errors) N_VDestroy(errors);
  if (weights) N_VDestroy(weights);
  return worst;
}

/* Newton's method fails at a singular configuration, which is then the reason to tell. */
static int is_singular(struct ida *s) {
  struct projection *p = s->projection;
  struct integrator *b = &s->base;
  if (!b->x || projection_look(p, b->t, b->x)) return 0;
  size_t rank = rows_independent(&p->velocity.rows, SINGULAR);
  if (rank >= s->n_lambda) return 0;
  int32_t constraint =
      constraint_rows_constraint(&p->velocity, constraint_rows_pivot(&p->velocity, rank));
  b->status = message_set(&b->message, DYN_RANK_LOST,
                          "ida cannot pass the singular configuration near t = %.9g s, where the "
                          "constraint %s %s",
                          b->t, b->e->model->constraints[constraint].name,
                          p->velocity.m > 1 ? "depends on the others" : "says nothing");
  return 1;
}

static enum step_result failed(struct ida *s, int code) {
  struct integrator *b = &s->base;
  double h = 0;
  switch (code) {
  case IDA_FIRST_RES_FAIL:
  case IDA_REP_RES_ERR:
  case IDA_RES_FAIL:
    b->status = evaluate_failure_message(b->e, b->x, &b->message);
    return STEP_FAILED;
  case IDA_ERR_FAIL:
  case IDA_CONV_FAIL:
  case IDA_TOO_MUCH_ACC:
    if (s->evaluation_failed) {
      b->status = evaluate_failure_message(b->e, b->x, &b->message);
      return STEP_FAILED;
    }
    if (is_singular(s)) return STEP_FAILED;
    IDAGetCurrentStep(s->memory, &h);
    h = fmax(fabs(h), DBL_EPSILON * fabs(b->t));
    return integrator_step_too_small(b, h, worst_component(s));
  case IDA_LSETUP_FAIL:
  case IDA_LSOLVE_FAIL:
    if (is_singular(s)) return STEP_FAILED;
    b->status = message_set(&b->message, DYN_RANK_LOST,
                            "the constraints became dependent near t = %.9g s: the equations that "
                            "ida solves have no unique solution there",
                            b->t);
    return STEP_FAILED;
  case IDA_MEM_FAIL:
    b->status = message_set(&b->message, DYN_OUT_OF_MEMORY, "there is not enough memory");
    return STEP_FAILED;
  default:
    b->status = message_set(&b->message, DYN_SOLVER_FAILED, "%s failed at t = %.9g s (%d): %s",
                            b->name, b->t, code, s->said);
    return STEP_FAILED;
  }
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
  failed(s, code);
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

/* ---- The choice of equations ---- */

/* The least pivot of rows of a level that were chosen, over that of the best choice. */
static double quality(struct rows *chosen, struct constraint_rows *c, const size_t *row,
                      const struct metric *metric) {
  size_t count = chosen->m, n = c->n;
  if (count == 0) return 1;
  double best = fabs(c->rows.a[(count - 1) * n + count - 1]);
  for (size_t k = 0; k < count; k++) {
    double *a = chosen->a + k * n, typical = c->typical[row[k]];
    memcpy(a, c->derivatives + row[k] * n, n * sizeof *a);
    metric_gradient(metric, a);
    for (size_t j = 0; j < n; j++) a[j] /= typical > 0 ? typical : 1;
  }
  rows_decompose_to(chosen, 0, count);
  double least = fabs(chosen->a[(count - 1) * n + count - 1]);
  /* Where all fade there is no better choice. */
  return best > SINGULAR ? least / best : 1;
}

/* Whether other equations than those in use would be much more independent, or more of them are. */
static int is_badly_chosen(struct ida *s) {
  struct projection *p = s->projection;
  struct integrator *b = &s->base;
  if (p->position.n_dropped != s->known_dropped) return 1;
  if (p->velocity.m == s->n_lambda && p->position.m == s->n_mu) return 0; /* there is no choice */
  if (projection_look(p, b->t, b->x)) return 0;
  constraint_rows_decompose(&p->position, b->x, &p->metric, p->position_rank);
  if (rows_independent(&p->position.rows, SINGULAR) > s->n_mu && p->position_rank > s->n_mu)
    return 1;
  return quality(&s->chosen[0], &p->velocity, s->lambda_row, &p->metric) < BADLY_CHOSEN ||
         quality(&s->chosen[1], &p->position, s->mu_row, &p->metric) < BADLY_CHOSEN;
}

/* After a failure: whether it may be due to the choice. Integrals are given up first. */
static int choose_otherwise(struct ida *s) {
  struct projection *p = s->projection;
  int has_more = constraint_rows_set_aside(&p->position) > 0;
  constraint_rows_settle(&p->position, 1);
  return has_more || is_badly_chosen(s);
}

/* ---- The start ---- */

/* Takes the pivot rows of both levels at the start as the independent equations. */
static int choose_equations(struct ida *s, double t, const double *x) {
  struct projection *p = s->projection;
  size_t rank = (size_t)s->base.e->model->constraint_rank;
  if (projection_look(p, t, x)) return IDA_FIRST_RES_FAIL;
  constraint_rows_decompose(&p->position, x, &p->metric, p->position_rank);
  s->n_lambda = rank < p->velocity.rows.k ? rank : p->velocity.rows.k;
  s->n_mu = p->position.rows.rank;
  s->known_dropped = p->position.n_dropped;
  if (!rows_init(&s->chosen[0], s->n_lambda, s->n) || !rows_init(&s->chosen[1], s->n_mu, s->n))
    return IDA_MEM_FAIL;
  s->has_metric = !p->metric.is_unit && !p->metric.roots;
  size_t n = s->n, m = p->velocity.m;
  s->lambda_row = calloc(s->n_lambda + s->n_mu + 1, sizeof *s->lambda_row);
  s->mass = calloc(n * n + 2 * n + n * m + s->n_state + s->n_lambda + s->n_mu + 1, sizeof(double));
  if (!s->lambda_row || !s->mass) return IDA_MEM_FAIL;
  s->mu_row = s->lambda_row + s->n_lambda;
  s->force = s->mass + n * n;
  s->columns = s->force + n;
  s->x_rate = s->columns + n * m;
  s->soft = s->x_rate + s->n_state;
  s->largest = s->soft + n;
  for (size_t i = 0; i < n; i++) s->soft[i] = projection_softening(p, i);
  for (size_t k = 0; k < s->n_lambda; k++)
    s->lambda_row[k] = constraint_rows_pivot(&p->velocity, k);
  for (size_t k = 0; k < s->n_mu; k++) s->mu_row[k] = constraint_rows_pivot(&p->position, k);
  return IDA_SUCCESS;
}

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
    for (size_t k = 0; k < r; k++) columns.a[i * r + k] = multiplier_column(s, k, i);
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
  if (!evaluate_parts(s, t, x)) return IDA_FIRST_RES_FAIL;
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
  int code = IDASetErrHandlerFn(s->memory, remember_error, s);
  if (!code) code = IDASetUserData(s->memory, s);
  if (!code) code = IDAInit(s->memory, residual, t, s->y, s->rate);
  if (!code) code = IDAWFtolerances(s->memory, error_weights);
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
  int code = choose_equations(s, t, x);
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
  update_counts(s);
  if (code < 0) {
    /* s->y may be a trial state: give back the last good one. */
    if (base->steps > s->before.steps) IDAGetDky(s->memory, base->t, 0, s->y);
    s->must_restart = choose_otherwise(s);
    return s->must_restart ? STEP_FAILED : failed(s, code);
  }
  hold_step_size(s, failures);
  base->t_old = base->t;
  base->t = t;
  s->stuck = fabs(t - base->t_old) <= 4 * DBL_EPSILON * fabs(t) && t != limit ? s->stuck + 1 : 0;
  if (s->stuck >= STUCK_STEPS)
    return integrator_step_too_small(base, t - base->t_old, worst_component(s));
  s->must_restart = is_badly_chosen(s);
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
  return code ? failed(s, code) : STEP_DONE;
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
  failed(s, code);
  *status = s->base.status;
  *message = s->base.message;
  ida_free(&s->base);
  return NULL;
}
