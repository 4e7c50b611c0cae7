/* cvode_linear.c: the linear systems of Newton's method in CVODES. Dense LU up to 40 states or
 * where the Jacobian is dense, KLU above; the model's own Jacobian if it has one, differences (and
 * then dense) if not. The sparse matrix holds the whole diagonal, so that I - gamma*J fits its
 * pattern and KLU orders it once. */
#include "runtime/cvode_linear.h"
#include <cvodes/cvodes.h>
#include <cvodes/cvodes_ls.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

static int fill_dense(struct cvode_linear *l, SUNMatrix matrix) {
  const dyn_model *m = l->e->jacobian_model;
  SUNMatZero(matrix);
  double *data = SUNDenseMatrix_Data(matrix);
  for (int32_t k = 0; k < m->jacobian_pattern->n_entries; k++) data[l->place[k]] = l->entries[k];
  return 0;
}

static int fill_sparse(struct cvode_linear *l, SUNMatrix matrix) {
  const dyn_model *m = l->e->jacobian_model;
  sunindextype *columns = SUNSparseMatrix_IndexPointers(matrix);
  sunindextype *rows = SUNSparseMatrix_IndexValues(matrix);
  double *data = SUNSparseMatrix_Data(matrix);
  memcpy(columns, l->columns, ((size_t)m->n_state + 1) * sizeof *columns);
  memcpy(rows, l->rows, (size_t)l->n_entries * sizeof *rows);
  memset(data, 0, (size_t)l->n_entries * sizeof *data);
  for (int32_t k = 0; k < m->jacobian_pattern->n_entries; k++) data[l->place[k]] = l->entries[k];
  return 0;
}

int cvode_linear_jacobian(struct cvode_linear *l, double t, N_Vector x, SUNMatrix matrix) {
  if (evaluate_jacobian(l->e, t, N_VGetArrayPointer(x), l->entries)) return 1;
  if (SUNMatGetID(matrix) == SUNMATRIX_SPARSE) return fill_sparse(l, matrix);
  return fill_dense(l, matrix);
}

/* The model's pattern and the diagonal, and the place of each of the model's entries in it. */
static int make_pattern(struct cvode_linear *l) {
  const dyn_model *m = l->e->jacobian_model;
  size_t most = (size_t)m->jacobian_pattern->n_entries + (size_t)m->n_state + 1;
  l->columns = malloc(((size_t)m->n_state + 1) * sizeof *l->columns);
  l->rows = malloc(most * sizeof *l->rows);
  if (!l->columns || !l->rows) return CV_MEM_FAIL;
  sunindextype next = 0;
  for (int32_t j = 0; j < m->n_state; j++) {
    int has_diagonal = 0;
    l->columns[j] = next;
    for (int32_t k = m->jacobian_pattern->columns[j]; k < m->jacobian_pattern->columns[j + 1];
         k++) {
      int32_t row = m->jacobian_pattern->rows[k];
      if (row >= j && !has_diagonal) {
        has_diagonal = 1;
        if (row != j) l->rows[next++] = j;
      }
      l->place[k] = next;
      l->rows[next++] = row;
    }
    if (!has_diagonal) l->rows[next++] = j;
  }
  l->columns[m->n_state] = l->n_entries = next;
  return CV_SUCCESS;
}

static int make_exact(struct cvode_linear *l, N_Vector x, SUNContext context) {
  const dyn_model *m = l->e->jacobian_model;
  sunindextype n = m->n_state;
  l->entries = malloc(((size_t)m->jacobian_pattern->n_entries + 1) * sizeof *l->entries);
  l->place = malloc(((size_t)m->jacobian_pattern->n_entries + 1) * sizeof *l->place);
  if (!l->entries || !l->place) return CV_MEM_FAIL;
  /* A matrix that is a third full costs more with the bookkeeping of a sparse one. */
  if (n > CVODE_DENSE_STATES && m->jacobian_pattern->n_entries < n * n / 3) {
    int code = make_pattern(l);
    if (code) return code;
    l->name = "sparse";
    l->matrix = SUNSparseMatrix(n, n, l->n_entries, CSC_MAT, context);
    if (!l->matrix) return CV_MEM_FAIL;
    fill_sparse(l, l->matrix);
    l->solver = SUNLinSol_KLU(x, l->matrix, context);
    return l->solver ? CV_SUCCESS : CV_MEM_FAIL;
  }
  for (int32_t j = 0; j < m->n_state; j++)
    for (int32_t k = m->jacobian_pattern->columns[j]; k < m->jacobian_pattern->columns[j + 1]; k++)
      l->place[k] = j * n + m->jacobian_pattern->rows[k];
  return CV_SUCCESS;
}

int cvode_linear_init(struct cvode_linear *l, void *memory, struct evaluator *e, N_Vector x,
                      SUNContext context, CVLsJacFn jacobian) {
  l->e = e;
  l->name = "dense";
  int code = e->jacobian_model ? make_exact(l, x, context) : CV_SUCCESS;
  if (code) return code;
  if (!l->matrix) {
    l->matrix = SUNDenseMatrix(e->n, e->n, context);
    if (!l->matrix) return CV_MEM_FAIL;
    l->solver = SUNLinSol_Dense(x, l->matrix, context);
    if (!l->solver) return CV_MEM_FAIL;
  }
  code = CVodeSetLinearSolver(memory, l->solver, l->matrix);
  if (code == CVLS_SUCCESS && e->jacobian_model) code = CVodeSetJacFn(memory, jacobian);
  return code == CVLS_SUCCESS ? CV_SUCCESS : code == CVLS_MEM_FAIL ? CV_MEM_FAIL : code;
}

void cvode_linear_clear(struct cvode_linear *l) {
  if (l->solver) SUNLinSolFree(l->solver);
  if (l->matrix) SUNMatDestroy(l->matrix);
  free(l->entries);
  free(l->place);
  free(l->columns);
  free(l->rows);
}
