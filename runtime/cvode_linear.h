/* cvode_linear.h: the linear systems of Newton's method in CVODES. */
#ifndef DYN_RUNTIME_CVODE_LINEAR_H
#define DYN_RUNTIME_CVODE_LINEAR_H
#include <cvodes/cvodes_ls.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>
#include "runtime/evaluate.h"

/* Systems of more states than this are solved sparse if their Jacobian is. */
#define CVODE_DENSE_STATES 40

struct cvode_linear {
  const char *name; /* "dense" or "sparse" */
  struct evaluator *e;
  SUNMatrix matrix;
  SUNLinearSolver solver;
  double *entries;              /* of the model's Jacobian */
  sunindextype *place;          /* where each goes in the matrix's data */
  sunindextype *columns, *rows; /* sparse: the pattern with the diagonal */
  sunindextype n_entries;
};

/* Gives the integrator `memory` a linear solver; jacobian is to call cvode_linear_jacobian. Returns
 * a CV_ code. */
int cvode_linear_init(struct cvode_linear *linear, void *memory, struct evaluator *e, N_Vector x,
                      SUNContext context, CVLsJacFn jacobian);
/* matrix = d(x')/dx. Returns 0, or 1 where it cannot be evaluated. */
int cvode_linear_jacobian(struct cvode_linear *linear, double t, N_Vector x, SUNMatrix matrix);
void cvode_linear_clear(struct cvode_linear *linear);

#endif
