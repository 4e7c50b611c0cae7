/* linear_modes.c: eigenvalues of a small dense matrix by LAPACK, which first permutes it so that
 * eigenvalues which the zeros isolate come out exactly (the many zeros of ignorable coordinates,
 * which form defective blocks), and balances the rest. The accuracy of an eigenvalue is the
 * rounding of the matrix over the cosine between its left and right eigenvectors.
 * Source: Golub, Van Loan, Matrix Computations (4th ed.), 7.2.2 and 7.5.7. */
#include "runtime/blas.h"
#include "runtime/message.h"
#include "dyn/dyn_linear.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_real_part(const void *left, const void *right) {
  const dyn_linear_mode *a = left, *b = right;
  if (a->real != b->real) return a->real < b->real ? 1 : -1; /* equal in pairs */
  if (fabs(a->imaginary) != fabs(b->imaginary))
    return fabs(a->imaginary) < fabs(b->imaginary) ? -1 : 1;
  return (a->imaginary < b->imaginary) - (a->imaginary > b->imaginary);
}

static dyn_status decompose(int n, double *matrix, dyn_linear_mode *modes, dyn_message *message) {
  size_t size = (size_t)n;
  int low, high, info, work_size = n * (n + 8), integers_size = 2 * n;
  double norm;
  double *memory = calloc(7 * size + 2 * size * size + (size_t)work_size + 1, sizeof *memory);
  int *integers = calloc((size_t)integers_size + 1, sizeof *integers);
  if (!memory || !integers) {
    free(memory);
    free(integers);
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory for eigenvalues");
  }
  double *real = memory, *imaginary = real + size, *scale = imaginary + size;
  double *cosine = scale + size, *separation = cosine + size, *left = separation + size;
  double *right = left + size * size, *work = right + size * size;
  LAPACK_dgeevx("B", "V", "V", "E", &n, matrix, &n, real, imaginary, left, &n, right, &n, &low,
                &high, scale, &norm, cosine, separation, work, &work_size, integers, &info);
  for (size_t i = 0; i < size; i++)
    modes[i] = (dyn_linear_mode){
        real[i], imaginary[i],
        real[i] == 0 && imaginary[i] == 0 ? 0 : 4 * DBL_EPSILON * norm / fmax(cosine[i], 1e-300)};
  free(memory);
  free(integers);
  if (info == 0) return DYN_DONE;
  return message_set(message, DYN_SOLVER_FAILED, "the eigenvalues do not converge");
}

dyn_status dyn_linear_modes(int32_t n, const double *a, dyn_linear_mode *modes,
                            dyn_message *message) {
  size_t count = (size_t)n * (size_t)n;
  message_set(message, DYN_DONE, "%s", "");
  if (n == 0) return DYN_DONE;
  double *matrix = malloc(count * sizeof *matrix);
  if (!matrix)
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory for eigenvalues");
  memcpy(matrix, a, count * sizeof *matrix);
  dyn_status status = decompose(n, matrix, modes, message);
  free(matrix);
  if (!status) qsort(modes, (size_t)n, sizeof *modes, by_real_part);
  return status;
}
