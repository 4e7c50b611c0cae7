/* Gauss-Jordan elimination of [Y | 1] on the expression graph, with pivots that are constant or
 * alone in their row or column; what is left falls into blocks that share no row and no column,
 * whose inverses are made of cofactors. (Golub & Van Loan, Matrix Computations, 3.2; the adjugate:
 * any book on linear algebra. The order of pivots follows Markowitz, Management Science 3 (1957).)
 *
 * Rows of the identity on the right side are carried along as a second matrix; row exchanges are
 * not done but noted in row_of. */
#include "derive/inverse.h"
#include "base/bug.h"
#include <stdlib.h>
#include <string.h>

struct inverse {
  struct expr_graph *graph;
  struct expr_symbol_set *varying;
  size_t n;
  expr *left, *right; /* n*n, column by column */
  uint32_t *row_of;   /* n: 1 + the row whose pivot stands in that column, 0: none yet */
  bool *row_is_done;  /* n */
  uint32_t *row_count, *column_count; /* n: entries left that are not zero */
  bool is_everywhere;                 /* nothing that varies was divided by */
};

static bool is_zero(const struct inverse *v, expr e) {
  return expr_is_integer_value(v->graph, e, 0);
}

static bool is_open(const struct inverse *v, size_t row, size_t column) {
  return !v->row_is_done[row] && !v->row_of[column] && !is_zero(v, v->left[row + column * v->n]);
}

static void count_entries(struct inverse *v) {
  memset(v->row_count, 0, v->n * sizeof *v->row_count);
  memset(v->column_count, 0, v->n * sizeof *v->column_count);
  for (size_t j = 0; j < v->n; j++)
    for (size_t i = 0; i < v->n; i++)
      if (is_open(v, i, j)) {
        v->row_count[i]++;
        v->column_count[j]++;
      }
}

/* How good a pivot the entry is, the least is best: numbers, then constants, then entries that are
 * alone; with the fewest entries that change. UINT64_MAX: none. */
static uint64_t pivot_cost(const struct inverse *v, size_t row, size_t column) {
  expr entry = v->left[row + column * v->n];
  uint64_t others = (uint64_t)(v->row_count[row] - 1) * (v->column_count[column] - 1);
  if (expr_is_number(v->graph, entry)) return others;
  if (!expr_symbol_set_touches(v->varying, entry)) return ((uint64_t)1 << 40) + others;
  return others == 0 ? (uint64_t)1 << 41 : UINT64_MAX;
}

static bool find_pivot(struct inverse *v, size_t *row, size_t *column) {
  uint64_t best = UINT64_MAX;
  count_entries(v);
  for (size_t j = 0; j < v->n; j++)
    for (size_t i = 0; i < v->n; i++) {
      if (!is_open(v, i, j)) continue;
      uint64_t cost = pivot_cost(v, i, j);
      if (cost >= best) continue;
      best = cost;
      *row = i;
      *column = j;
    }
  return best != UINT64_MAX;
}

/* target -= factor * source, in both matrices. */
static void subtract_row(struct inverse *v, size_t target, expr factor, size_t source) {
  expr *sides[2] = {v->left, v->right};
  for (int side = 0; side < 2; side++)
    for (size_t j = 0; j < v->n; j++) {
      expr *row = sides[side] + j * v->n;
      if (!is_zero(v, row[source]))
        row[target] =
            expr_subtract(v->graph, row[target], expr_multiply(v->graph, factor, row[source]));
    }
}

/* The row's entry in the column is 1: takes the column out of all other rows. */
static void clear_column(struct inverse *v, size_t row, size_t column) {
  for (size_t i = 0; i < v->n; i++) {
    expr factor = v->left[i + column * v->n];
    if (i != row && !is_zero(v, factor)) subtract_row(v, i, factor, row);
  }
  v->row_of[column] = (uint32_t)row + 1;
  v->row_is_done[row] = true;
}

static void take_pivot(struct inverse *v, size_t row, size_t column) {
  expr pivot = v->left[row + column * v->n];
  v->is_everywhere = v->is_everywhere && !expr_symbol_set_touches(v->varying, pivot);
  expr *sides[2] = {v->left, v->right};
  for (int side = 0; side < 2; side++)
    for (size_t j = 0; j < v->n; j++) {
      expr *entry = &sides[side][row + j * v->n];
      if (!is_zero(v, *entry)) *entry = expr_divide(v->graph, *entry, pivot);
    }
  clear_column(v, row, column);
}

/* ---- blocks */

struct block {
  uint32_t size;
  uint32_t rows[INVERSE_LARGEST_BLOCK], columns[INVERSE_LARGEST_BLOCK];
};

/* The determinant of the block without one row and one column (or, with `size`, without none):
 * along rows, of sets of columns, each once. */
struct minor {
  const struct inverse *v;
  const struct block *block;
  uint32_t without_row;
  expr known[1 << INVERSE_LARGEST_BLOCK]; /* 0: not yet */
};

static uint32_t bits_of(uint32_t set) {
  uint32_t count = 0;
  for (; set; set &= set - 1) count++;
  return count;
}

/* Of the last rows, as many as the set has columns. Recursion is at most INVERSE_LARGEST_BLOCK
 * deep. */
static expr determinant(struct minor *minor, uint32_t set) {
  const struct inverse *v = minor->v;
  if (set == 0) return expr_integer(v->graph, 1);
  if (minor->known[set]) return minor->known[set];
  uint32_t left = bits_of(set), size = minor->block->size, row = size - left;
  if (minor->without_row < size && row <= minor->without_row) row--;
  expr terms[INVERSE_LARGEST_BLOCK];
  uint32_t count = 0, place = 0;
  for (uint32_t j = 0; j < size; j++) {
    if (!(set & 1u << j)) continue;
    expr entry = v->left[minor->block->rows[row] + minor->block->columns[j] * v->n];
    bool is_odd = place++ % 2;
    if (is_zero(v, entry)) continue;
    expr term = expr_multiply(v->graph, entry, determinant(minor, set & ~(1u << j)));
    terms[count++] = is_odd ? expr_negate(v->graph, term) : term;
  }
  return minor->known[set] = expr_sum(v->graph, terms, count);
}

/* Replaces the rows of the block by those that its inverse makes of them. */
static bool invert_block(struct inverse *v, const struct block *block) {
  uint32_t size = block->size, all = (1u << size) - 1;
  size_t n = v->n;
  struct minor whole = {.v = v, .block = block, .without_row = size};
  expr det = determinant(&whole, all);
  if (is_zero(v, det)) return false;
  v->is_everywhere = v->is_everywhere && !expr_symbol_set_touches(v->varying, det);
  expr adjugate[INVERSE_LARGEST_BLOCK][INVERSE_LARGEST_BLOCK]; /* by column, by row */
  for (uint32_t r = 0; r < size; r++) {
    struct minor minor = {.v = v, .block = block, .without_row = r};
    for (uint32_t c = 0; c < size; c++) {
      expr cofactor = determinant(&minor, all & ~(1u << c));
      if ((r + c) % 2) cofactor = expr_negate(v->graph, cofactor);
      adjugate[c][r] = expr_divide(v->graph, cofactor, det);
    }
  }
  for (size_t j = 0; j < n; j++) {
    expr old[INVERSE_LARGEST_BLOCK], terms[INVERSE_LARGEST_BLOCK];
    for (uint32_t r = 0; r < size; r++) old[r] = v->right[block->rows[r] + j * n];
    for (uint32_t c = 0; c < size; c++) {
      for (uint32_t r = 0; r < size; r++)
        terms[r] = expr_multiply(v->graph, adjugate[c][r], old[r]);
      v->right[block->rows[c] + j * n] = expr_sum(v->graph, terms, size);
    }
  }
  for (uint32_t r = 0; r < size; r++)
    for (uint32_t c = 0; c < size; c++)
      v->left[block->rows[r] + block->columns[c] * n] = expr_integer(v->graph, r == c);
  for (uint32_t c = 0; c < size; c++) clear_column(v, block->rows[c], block->columns[c]);
  return true;
}

/* The open rows and columns that hang together with a column. False if they are too many or not as
 * many rows as columns. */
static bool gather_block(struct inverse *v, size_t column, uint32_t largest, struct block *block) {
  bool *in_rows = checked_calloc(v->n, sizeof(bool)),
       *in_columns = checked_calloc(v->n, sizeof(bool));
  uint32_t rows = 0, columns = 1;
  bool grows = true;
  in_columns[column] = true;
  while (grows && rows <= largest && columns <= largest) {
    grows = false;
    for (size_t j = 0; j < v->n; j++)
      for (size_t i = 0; i < v->n; i++) {
        if (!is_open(v, i, j) || in_rows[i] == in_columns[j]) continue;
        rows += !in_rows[i];
        columns += !in_columns[j];
        in_rows[i] = in_columns[j] = grows = true;
      }
  }
  bool fits = rows == columns && rows <= largest;
  block->size = fits ? rows : 0;
  rows = columns = 0;
  for (size_t i = 0; i < v->n && fits; i++) {
    if (in_rows[i]) block->rows[rows++] = (uint32_t)i;
    if (in_columns[i]) block->columns[columns++] = (uint32_t)i;
  }
  free(in_rows);
  free(in_columns);
  return fits;
}

static bool eliminate(struct inverse *v, uint32_t largest_block) {
  size_t row = 0, column = 0;
  while (find_pivot(v, &row, &column)) take_pivot(v, row, column);
  for (size_t j = 0; j < v->n; j++) {
    struct block block;
    if (v->row_of[j]) continue;
    if (!gather_block(v, j, largest_block, &block) || !invert_block(v, &block)) return false;
  }
  return true;
}

bool inverse_of(struct expr_graph *graph, const expr *matrix, uint32_t n,
                struct expr_symbol_set *varying, uint32_t largest_block, expr *inverse,
                bool *is_everywhere) {
  size_t size = (size_t)n * n;
  struct inverse v = {.graph = graph, .varying = varying, .n = n, .is_everywhere = true};
  if (largest_block > INVERSE_LARGEST_BLOCK) bug("inverse: blocks of %u", largest_block);
  v.left = checked_calloc(2 * size + 1, sizeof(expr));
  v.right = v.left + size;
  v.row_of = checked_calloc(3 * (size_t)n + 1, sizeof(uint32_t));
  v.row_count = v.row_of + n;
  v.column_count = v.row_count + n;
  v.row_is_done = checked_calloc((size_t)n + 1, sizeof(bool));
  memcpy(v.left, matrix, size * sizeof(expr));
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) v.right[i + j * n] = expr_integer(graph, i == j);
  bool ok = eliminate(&v, largest_block);
  if (is_everywhere) *is_everywhere = v.is_everywhere;
  for (size_t j = 0; j < n && ok; j++)
    for (size_t i = 0; i < n; i++) inverse[i + j * n] = v.right[v.row_of[i] - 1 + j * n];
  free(v.left);
  free(v.row_of);
  free(v.row_is_done);
  return ok;
}
