/* evaluate.h: calls the functions of a model for one run, with its inputs, and remembers what
 * failed so that it can be told in the model's names. One per thread. */
#ifndef DYN_RUNTIME_EVALUATE_H
#define DYN_RUNTIME_EVALUATE_H
#include "dyn/dyn_runtime.h"

enum evaluate_result { EVALUATE_OK = 0, EVALUATE_RANK_LOST, EVALUATE_NOT_FINITE };
enum evaluate_part {
  PART_RATE,            /* y' of the method's own state */
  PART_CONVERSION,      /* x, or y, from the other */
  PART_INPUT,           /* u */
  PART_CONSTRAINT,      /* a constraint as it is written, or its derivatives by q or q' */
  PART_CONSTRAINT_RATE, /* the derivative by time of a position-level one */
  PART_MULTIPLIER
};

struct evaluator {
  const dyn_problem *problem;
  const dyn_model *model;          /* problem->model */
  const dyn_model *jacobian_model; /* the model whose jacobian is used, or NULL */
  const dyn_model *steps_model;    /* the model whose steps are used, where it has them */
  int32_t n;                       /* n_state */
  double *work, *u, *y; /* y: n, a state of the method on the way */
  size_t n_work;        /* the room in work */
  int64_t rhs_evaluations, jacobian_evaluations;
  /* The last failure, EVALUATE_OK if there was none: of a matrix at coordinate `failed`, or of what
   * is not finite, by its index. */
  enum evaluate_result failure;
  enum evaluate_part failed_part;
  int32_t failed;
  double failed_t;
};

dyn_status evaluator_init(struct evaluator *e, const dyn_problem *problem, dyn_message *message);
void evaluator_clear(struct evaluator *e);
/* Take the model that has the Jacobian, or steps, after checking that it is of the same shape; NULL
 * or one without changes nothing. */
dyn_status evaluator_set_jacobian(struct evaluator *e, const dyn_model *model,
                                  dyn_message *message);
dyn_status evaluator_set_steps(struct evaluator *e, const dyn_model *model, dyn_message *message);

/* e->u at t. */
enum evaluate_result evaluate_inputs(struct evaluator *e, double t);
/* Between the natural state x and the method's state y: see dyn_model.h. A copy where they are one.
 * EVALUATE_NOT_FINITE where the velocities do not determine each other. */
enum evaluate_result evaluate_method_state(struct evaluator *e, double t, const double *x,
                                           double *y);
enum evaluate_result evaluate_natural_state(struct evaluator *e, double t, const double *y,
                                            double *x);
/* y and rate[n] = y' in the method's own state; all finite if the result is EVALUATE_OK. */
enum evaluate_result evaluate_rhs(struct evaluator *e, double t, const double *y, double *rate);
/* rate[n] = x' of the natural state, by the method's own equations where they give it. */
enum evaluate_result evaluate_natural_rhs(struct evaluator *e, double t, const double *x,
                                          double *rate);
/* entries[jacobian_pattern->n_entries]. */
enum evaluate_result evaluate_jacobian(struct evaluator *e, double t, const double *x,
                                       double *entries);
/* Any other function of the model, with e->u at t; entries of out are not checked. */
enum evaluate_result evaluate_function(struct evaluator *e, dyn_function *function, double t,
                                       const double *x, double *out);

/* Tells that a part of what evaluate_function gave is not finite: the caller knows what it is. */
enum evaluate_result evaluate_not_finite(struct evaluator *e, enum evaluate_part part,
                                         int32_t index, double t);

/* The message of the last failure; x is the state near it (may be NULL). */
dyn_status evaluate_failure_message(const struct evaluator *e, const double *x,
                                    dyn_message *message);
/* Adds "θ = 0.3 rad, θ' = 2 rad/s", as far as it fits a line. */
void message_add_state(dyn_message *message, const dyn_model *model, const double *x);
/* Name of entry i of the method's own state. */
const char *integrated_name(const dyn_model *model, int32_t i);
/* Name of entry i of the state, and of its rate of change. */
const char *state_name(const dyn_model *model, int32_t i);
const char *state_unit(const dyn_model *model, int32_t i);

/* Checks that a problem is complete and its model of this version. */
dyn_status problem_check(const dyn_problem *problem, dyn_message *message);

#endif
