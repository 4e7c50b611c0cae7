/* ida_private.h: what the files of the integrator ida share: see ida.c for the equations. */
#ifndef DYN_RUNTIME_IDA_PRIVATE_H
#define DYN_RUNTIME_IDA_PRIVATE_H
#include "runtime/integrator.h"
#include "runtime/project.h"
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#define IDA_SINGULAR 1e-4 /* a pivot of rows of at most unit length */

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

/* ida_equations.c. Everything at (t, x) that the residual is made of; 0 if it has no value. */
int ida_evaluate_parts(struct ida *s, double t, const double *x);
/* Entry i of the column of B that belongs to multiplier k. */
double ida_multiplier_column(const struct ida *s, size_t k, size_t i);
int ida_residual(realtype t, N_Vector y, N_Vector rate, N_Vector out, void *user);
int ida_error_weights(N_Vector y, N_Vector weights, void *user);

/* ida_choice.c. Takes the pivot rows of both levels at the start as the independent equations; a
 * code of IDAS. */
int ida_choose_equations(struct ida *s, double t, const double *x);
/* Whether other equations than those in use would be much more independent, or more of them are. */
int ida_is_badly_chosen(struct ida *s);
/* After a failure: whether it may be due to the choice. Integrals are given up first. */
int ida_choose_otherwise(struct ida *s);

/* ida_message.c. */
void ida_remember_error(int code, const char *module, const char *function, char *text, void *user);
void ida_update_counts(struct ida *s);
/* Fails with what the code of IDAS means. */
enum step_result ida_failed(struct ida *s, int code);

#endif
