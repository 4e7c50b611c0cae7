/* Generic rank of a matrix of expressions: certified from below at random points, modulo a prime
 * where modular.h covers the entries, else in ball arithmetic. */
#include "expr/graph.h"
#include "expr/modular.h"
#include "expr/prover.h"

enum { MODULAR_POINTS = 3 };

void rank_result_clear(struct rank_result *result) {
  free(result->pivot_rows);
  free(result->pivot_columns);
  *result = (struct rank_result){0};
}

/* Gaussian elimination; the number of pivots. */
static uint32_t eliminate(uint64_t *matrix, uint32_t rows, uint32_t columns, uint32_t *pivot_rows,
                          uint32_t *pivot_columns) {
  uint32_t rank = 0;
  bool *used = checked_calloc(rows + 1, sizeof *used);
  for (uint32_t column = 0; column < columns && rank < rows; column++) {
    uint64_t *entries = matrix + (size_t)column * rows;
    uint32_t pivot = 0;
    while (pivot < rows && (used[pivot] || entries[pivot] == 0)) pivot++;
    if (pivot == rows) continue;
    uint64_t inverse = modular_inverse(entries[pivot]);
    for (uint32_t j = column + 1; j < columns; j++) {
      uint64_t *other = matrix + (size_t)j * rows;
      if (other[pivot] == 0) continue;
      uint64_t factor = modular_multiply(other[pivot], inverse);
      for (uint32_t i = 0; i < rows; i++)
        if (!used[i] && entries[i] != 0)
          other[i] = modular_subtract(other[i], modular_multiply(factor, entries[i]));
    }
    used[pivot] = true;
    pivot_rows[rank] = pivot;
    pivot_columns[rank++] = column;
  }
  free(used);
  return rank;
}

/* False if the matrix is beyond this arithmetic. */
static bool rank_modular(const struct program *program, uint32_t rows, uint32_t columns,
                         struct zero_test *test, struct rank_result *result) {
  struct modular *modular = modular_new(program);
  if (modular == NULL) return false;
  uint64_t *values = checked_malloc(((size_t)rows * columns + 1) * sizeof *values);
  uint32_t smaller = rows < columns ? rows : columns;
  uint32_t *pivots = checked_malloc((2 * (size_t)smaller + 1) * sizeof *pivots);
  for (uint32_t point = 0; point < MODULAR_POINTS && result->rank < smaller; point++) {
    if (!modular_evaluate(modular, test->seed + point, values)) continue;
    test->points_used++;
    uint32_t rank = eliminate(values, rows, columns, pivots, pivots + smaller);
    if (rank <= result->rank) continue;
    result->rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
      result->pivot_rows[i] = pivots[i];
      result->pivot_columns[i] = pivots[smaller + i];
    }
  }
  free(values);
  free(pivots);
  modular_free(modular);
  return test->points_used > 0;
}

struct rank_result expr_matrix_rank(struct expr_graph *graph, const expr *entries, uint32_t rows,
                                    uint32_t columns, struct zero_test *test) {
  uint32_t smaller = rows < columns ? rows : columns;
  struct rank_result result = {.pivot_rows = checked_calloc(smaller + 1, sizeof(uint32_t)),
                               .pivot_columns = checked_calloc(smaller + 1, sizeof(uint32_t))};
  test->points_used = test->bits_used = 0;
  test->failure = NULL;
  struct program program;
  program_make(&program, graph, entries, (size_t)rows * columns);
  if (rank_modular(&program, rows, columns, test, &result)) {
    result.believed = true;
  } else {
    const struct prover *prover = prover_open(&test->failure);
    struct prover_question question = zero_test_question(test);
    if (prover != NULL)
      result.rank =
          prover->rank(&program, rows, columns, &question, result.pivot_rows, result.pivot_columns);
    test->points_used = question.points_used;
    test->bits_used = question.bits_used;
    result.believed = question.points_used > 0 || result.rank == smaller;
  }
  program_clear(&program);
  return result;
}

/* Rows that can be given different columns with an entry that is not 0, found by augmenting
 * paths: fewer than n, and every term of the determinant is 0. */
static bool place_row(const expr *matrix, uint32_t n, uint32_t start, uint32_t *row_of,
                      uint32_t *came_from, bool *seen, uint32_t *queue) {
  uint32_t head = 0, tail = 0;
  for (uint32_t j = 0; j < n; j++) seen[j] = false;
  queue[tail++] = start;
  while (head < tail) {
    uint32_t row = queue[head++];
    for (uint32_t j = 0; j < n; j++) {
      if (seen[j] || matrix[row + (size_t)j * n] == ID_ZERO) continue;
      seen[j] = true;
      came_from[j] = row;
      if (row_of[j] != n) {
        queue[tail++] = row_of[j];
        continue;
      }
      /* Turn the path: every row on it moves to the column that was reached from it. */
      for (uint32_t column = j, mover = row;;) {
        uint32_t left = n;
        for (uint32_t k = 0; k < n && mover != start; k++)
          if (row_of[k] == mover) left = k;
        row_of[column] = mover;
        if (mover == start) return true;
        column = left;
        mover = came_from[column];
      }
    }
  }
  return false;
}

static bool is_structurally_singular(const expr *matrix, uint32_t n) {
  uint32_t *work = checked_malloc((3 * (size_t)n + 1) * sizeof *work);
  bool *seen = checked_malloc(n + 1);
  bool singular = false;
  for (uint32_t j = 0; j < n; j++) work[j] = n;
  for (uint32_t row = 0; row < n && !singular; row++)
    singular = !place_row(matrix, n, row, work, work + n, seen, work + 2 * (size_t)n);
  free(work);
  free(seen);
  return singular;
}

enum verdict expr_determinant_is_zero(struct expr_graph *graph, const expr *matrix, uint32_t n,
                                      struct zero_test *test) {
  test->points_used = test->bits_used = 0;
  test->failure = NULL;
  if (n == 0) return VERDICT_NO; /* the empty product */
  if (is_structurally_singular(matrix, n)) return VERDICT_YES;
  if (n == 1) return expr_is_zero(graph, matrix[0], test);
  struct rank_result result = expr_matrix_rank(graph, matrix, n, n, test);
  enum verdict verdict = result.rank == n ? VERDICT_NO : VERDICT_UNDECIDED;
  rank_result_clear(&result);
  return verdict;
}
