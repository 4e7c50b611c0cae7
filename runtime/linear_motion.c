/* linear_motion.c: accelerations and multipliers that answer residuals. The notation is that of
 * dyn_linear.h. With N a basis of the velocities that A takes to zero (identity on the independent
 * ones), L one for B^T (N where B = A^T), and A s = -r2 a particular solution, the changes that
 * answer the residuals r = [r1; r2] are
 *
 *     L^T M N a = -L^T (r1 + M s),    dq'' = N a + s,    B dλ = M dq'' + r1,
 *
 * collected in the matrix W of all unit residuals. Constraint forces do not occur in the first
 * equation (principle of virtual power); of redundant ones the last gives the least changes.
 * Sources: Golub, Van Loan, Matrix Computations (4th ed.), 6.1 (null-space method); Schiehlen,
 * Eberhard, Applied Dynamics (2014), 5.2 (minimal coordinates). */
#include "runtime/linear_motion.h"
#include "runtime/blas.h"
#include "runtime/message.h"
#include <stdlib.h>
#include <string.h>

static dyn_status no_memory(dyn_message *message) {
  return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to linearise");
}

/* n * (n - rank): identity on the independent unknowns, and what follows on the others. */
static double *null_basis(const struct elimination *elimination, int32_t n, const double *rows,
                          const int32_t *dependent, const int32_t *independent) {
  size_t m = (size_t)elimination->m, f = (size_t)(n - elimination->rank);
  double *basis = calloc((size_t)n * f + m + 1, sizeof *basis);
  double *right = basis ? basis + (size_t)n * f : NULL;
  for (size_t j = 0; basis && j < f; j++) {
    for (size_t i = 0; i < m; i++) right[i] = -rows[i + (size_t)independent[j] * m];
    elimination_solve(elimination, right);
    for (int32_t i = 0; i < elimination->rank; i++)
      basis[(size_t)dependent[i] + j * (size_t)n] = right[i];
    basis[(size_t)independent[j] + j * (size_t)n] = 1;
  }
  return basis;
}

/* The basis L for B^T, with a choice of its own. NULL without memory or where B lost rank. */
static double *left_basis(const dyn_linear_equations *e, int32_t rank) {
  size_t n = (size_t)e->n, m = (size_t)e->m;
  struct elimination elimination = {0};
  double *rows = calloc(m * n + n + 1, sizeof *rows), *ones = rows ? rows + m * n : NULL,
         *basis = NULL;
  int32_t *taken = calloc(2 * n + 1, sizeof *taken), *others = taken ? taken + n : NULL;
  for (size_t j = 0; rows && j < n; j++) {
    for (size_t i = 0; i < m; i++) rows[i + j * m] = e->multiplier_force[j + i * n];
    ones[j] = 1;
  }
  if (rows && taken && eliminate_choose(e->m, e->n, rows, ones, rank, taken) == rank &&
      elimination_init(&elimination, e->m, rows, rank, taken)) {
    size_t found = 0;
    for (int32_t j = 0; j < e->n; j++) {
      int is_taken = 0;
      for (int32_t i = 0; i < rank; i++) is_taken |= taken[i] == j;
      if (!is_taken) others[found++] = j;
    }
    basis = null_basis(&elimination, e->n, rows, taken, others);
  }
  elimination_clear(&elimination);
  free(rows);
  free(taken);
  return basis;
}

/* out (p * q) = a^T b, a: n * p, b: n * q. */
static void multiply_transposed(size_t n, size_t p, size_t q, const double *a, const double *b,
                                double *out) {
  for (size_t j = 0; j < q; j++)
    for (size_t i = 0; i < p; i++) {
      double sum = 0;
      for (size_t l = 0; l < n; l++) sum += a[l + i * n] * b[l + j * n];
      out[i + j * p] = sum;
    }
}

static void multiply(size_t n, size_t p, size_t q, const double *a, const double *b, double *out) {
  memset(out, 0, n * q * sizeof *out);
  for (size_t j = 0; j < q; j++)
    for (size_t l = 0; l < p; l++)
      for (size_t i = 0; i < n; i++) out[i + j * n] += a[i + l * n] * b[l + j * p];
}

/* dq'' (n * k) for all unit residuals. */
static dyn_status solve_accelerations(const dyn_linear_equations *e, const dyn_linear_choice *c,
                                      const struct elimination *constraints, const double *basis,
                                      const double *left, double *change, dyn_message *message) {
  size_t n = (size_t)e->n, m = (size_t)e->m, k = n + m, f = (size_t)c->n_velocities;
  double *moved = calloc(n * (f + 2 * k) + f * (f + k) + m + 1, sizeof *moved);
  int *pivots = calloc(f + 1, sizeof *pivots), info = 0, size = (int)f, sides = (int)k;
  if (!moved || !pivots) {
    free(moved);
    free(pivots);
    return no_memory(message);
  }
  double *pushed = moved + n * f, *particular = pushed + n * k, *matrix = particular + n * k;
  double *solution = matrix + f * f, *right = solution + f * k;
  for (size_t j = 0; j < m; j++) {
    memset(right, 0, m * sizeof *right);
    right[j] = -1;
    elimination_solve(constraints, right);
    for (int32_t i = 0; i < constraints->rank; i++)
      particular[(size_t)c->dependent_velocities[i] + (n + j) * n] = right[i];
  }
  multiply(n, n, f, e->mass, basis, moved);
  multiply_transposed(n, f, f, left, moved, matrix);
  multiply(n, n, k, e->mass, particular, pushed);
  for (size_t j = 0; j < n; j++) pushed[j + j * n] += 1;
  multiply_transposed(n, f, k, left, pushed, solution);
  for (size_t i = 0; i < f * k; i++) solution[i] = -solution[i];
  if (f > 0) LAPACK_dgesv(&size, &sides, matrix, &size, pivots, solution, &size, &info);
  multiply(n, f, k, basis, solution, change);
  for (size_t i = 0; i < n * k; i++) change[i] += particular[i];
  free(moved);
  free(pivots);
  if (info == 0) return DYN_DONE;
  return message_set(message, DYN_RANK_LOST,
                     "masses and constraints do not determine all accelerations there");
}

/* The least dλ with B dλ = M dq'' + r1, into the rows of W below n. */
static dyn_status solve_multipliers(const dyn_linear_equations *e, const double *change,
                                    struct sized out, dyn_message *message) {
  size_t n = (size_t)e->n, m = (size_t)e->m, k = n + m, most = n > m ? n : m;
  int rows = e->n, columns = e->m, sides = (int)k, lead = (int)most, rank, info;
  int work_size = 64 * (rows + columns + sides + 1) + 3 * columns;
  const double tolerance = 1e-9;
  double *force = calloc(n * m + most * k + n * k + (size_t)work_size, sizeof *force);
  int *pivots = calloc(m + 1, sizeof *pivots);
  if (!force || !pivots) {
    free(force);
    free(pivots);
    return no_memory(message);
  }
  double *solution = force + n * m, *pushed = solution + most * k, *work = pushed + n * k;
  memcpy(force, e->multiplier_force, n * m * sizeof *force);
  multiply(n, n, k, e->mass, change, pushed);
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < n; i++) solution[i + j * most] = pushed[i + j * n] + (i == j ? 1 : 0);
  LAPACK_dgelsy(&rows, &columns, &sides, force, &rows, solution, &lead, pivots, &tolerance, &rank,
                work, &work_size, &info);
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < m; i++) out.value[n + i + j * k] = solution[i + j * most];
  free(force);
  free(pivots);
  return DYN_DONE;
}

dyn_status linear_motion_solve(const dyn_linear_equations *e, const dyn_linear_choice *c,
                               const struct elimination *constraints, struct sized out,
                               dyn_message *message) {
  size_t n = (size_t)e->n, k = n + (size_t)e->m;
  double *basis =
      null_basis(constraints, e->n, e->constraint_jacobian, c->dependent_velocities, c->velocities);
  double *left = e->force_is_transpose ? basis : left_basis(e, constraints->rank);
  double *change = calloc(n * k + 1, sizeof *change);
  dyn_status status = DYN_DONE;
  if (!basis || !change)
    status = no_memory(message);
  else if (!left)
    status =
        message_set(message, DYN_RANK_LOST, "the forces of the constraints are dependent there");
  if (!status) status = solve_accelerations(e, c, constraints, basis, left, change, message);
  for (size_t j = 0; j < k && !status; j++)
    memcpy(out.value + j * k, change + j * n, n * sizeof *change);
  if (!status && e->m > 0) status = solve_multipliers(e, change, out, message);
  if (!status) sized_settle(out);
  if (left != basis) free(left);
  free(basis);
  free(change);
  return status;
}
