/* ida_message.c: what IDAS counts and complains of, in the model's names. */
#include "runtime/ida_private.h"
#include "runtime/message.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAR_MOVED 1000  /* times the tolerance and the way: that is a jump */
#define LOOK_AHEAD 1e-6 /* of the run, for a jump */

void ida_remember_error(int code, const char *module, const char *function, char *text,
                        void *user) {
  (void)module;
  (void)function;
  struct ida *s = user;
  if (code < 0) snprintf(s->said, sizeof s->said, "%s", text);
}

void ida_update_counts(struct ida *s) {
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
  size_t rank = rows_independent(&p->velocity.rows, IDA_SINGULAR);
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

/* A motion that goes on without the constraints for a short time is put back on them: by how much,
 * over the tolerance, and in which component. 0: by no more than what it went. */
static double put_back(struct ida *s, double h, const double *rate, double *x, int32_t *most) {
  struct integrator *b = &s->base;
  double moved = 0, went = 0, *back = x + s->n_state;
  for (size_t i = 0; i < s->n_state; i++) back[i] = x[i] = b->x[i] + h * rate[i];
  if (projection_project(s->projection, b->t + h, back) != PROJECTION_MOVED) return 0;
  for (size_t i = 0; i < s->n; i++) { /* velocities are put right at any bend */
    double scale = error_scale(b->control, (int32_t)i, fmax(fabs(x[i]), fabs(back[i])));
    went = fmax(went, fabs(h * rate[i]) / scale);
    if (fabs(back[i] - x[i]) / scale <= moved) continue;
    moved = fabs(back[i] - x[i]) / scale;
    *most = (int32_t)i;
  }
  return moved > FAR_MOVED * (1 + went) ? moved : 0;
}

/* However short the step, its end is far off the constraints: a jump lies a little further on than
 * where IDAS stands. */
static int is_jump(struct ida *s, double h) {
  struct integrator *b = &s->base;
  double *rate = calloc(3 * s->n_state + 1, sizeof *rate), *x = rate + s->n_state;
  int32_t most = 0;
  int found = 0;
  if (rate && b->x && !evaluate_rhs(b->e, b->t, b->x, rate)) {
    double reach = LOOK_AHEAD * b->control->interval;
    for (double look = fabs(h); look <= reach && !found; look *= 10)
      found = put_back(s, b->control->direction * look, rate, x, &most) > 0;
  }
  if (found) {
    double from = x[most], to = x[s->n_state + (size_t)most];
    if (fabs(from) < error_scale(b->control, most, 0)) from = 0; /* rounding */
    b->status = projection_jump_message(s->projection, b->t, x, &b->message);
    message_add(&b->message, "%s from %.6g to %.6g", state_name(b->e->model, most), from, to + 0.0);
  }
  free(rate);
  return found;
}

enum step_result ida_failed(struct ida *s, int code) {
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
    if (is_jump(s, h)) return STEP_FAILED;
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
